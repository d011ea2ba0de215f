//! Examples of every command, in its help and its manual page; a test parses each of them.

use clap::{Command, CommandFactory as _};

use super::args::{Cli, exit_codes};

/// An example, and what it is for.
type Example = (&'static str, &'static str);

/// Commands with their examples. The empty name is the program itself.
const EXAMPLES: &[(&str, &[Example])] = &[
    (
        "",
        &[
            ("aicprobe route", "the main job, on a virtual A18 Pro"),
            (
                "aicprobe doctor --target usb",
                "what stands between this computer and a Mac",
            ),
            (
                "aicprobe info --target usb",
                "what a Mac is, without running anything on it",
            ),
        ],
    ),
    (
        "route",
        &[
            ("aicprobe route", "the default plan on a virtual A18 Pro"),
            (
                "aicprobe route --target usb --dry-run",
                "what would be fired and written on the Mac at the USB; changes nothing",
            ),
            (
                "aicprobe route --target usb --fire-cpu 0 --set-field 1=1 --mask 0:35 --format json -o result.json",
                "one cell: CPU 0 fires and masks, CPU 1 has field 1",
            ),
        ],
    ),
    (
        "vm",
        &[
            (
                "aicprobe vm t8140 --link m1n1.pty",
                "then, elsewhere: M1N1DEVICE=m1n1.pty python3 shell.py, or aicprobe route --target ./m1n1.pty",
            ),
            ("aicprobe vm t8140 --boot m1n1.bin", "run a loader image"),
            (
                "aicprobe vm my-soc.toml --boot kernel.img --entry 0 --uart stdio --trace t.txt --max-insns 1000000",
                "the first million instructions of a kernel on a machine of one's own",
            ),
        ],
    ),
    (
        "adt",
        &[
            (
                "aicprobe adt mac.adt /arm-io/aic --reg",
                "one node with its windows as a CPU sees them",
            ),
            (
                "aicprobe adt mac.adt --interrupts --format csv",
                "each interrupt with its own controller",
            ),
        ],
    ),
    (
        "lines",
        &[
            (
                "aicprobe lines --adt mac.adt --nr-irq 1961",
                "owners and spare lines from a file alone",
            ),
            (
                "aicprobe lines --target usb --watch 2000 --line 0:996",
                "whether line 996 is spare on the Mac at the USB",
            ),
        ],
    ),
    (
        "irqs",
        &[
            (
                "aicprobe irqs interrupts.txt",
                "a copy of /proc/interrupts: lines and CPUs",
            ),
            (
                "aicprobe irqs interrupts.txt --adt mac.adt --format markdown",
                "with the owner of every line, for a pull request",
            ),
        ],
    ),
    (
        "verify",
        &[
            (
                "aicprobe verify --quick",
                "every rule on a virtual A18 Pro, in short",
            ),
            (
                "aicprobe verify --target usb --format markdown -o verdict.md",
                "the whole suite on a Mac, for the body of a pull request",
            ),
            ("aicprobe verify --list", "the rules; nothing is run"),
        ],
    ),
    (
        "fields",
        &[
            (
                "aicprobe fields --target vm:t8132 --triggers 8",
                "the rule of a virtual M4",
            ),
            (
                "aicprobe fields --target usb --hw-line uart --format json -o fields.json",
                "the rule of a Mac, and whether a line that a device holds follows it",
            ),
        ],
    ),
    (
        "latency",
        &[
            (
                "aicprobe latency --fire-cpu 0,1 --land-cpu 2 --load idle,memory",
                "from two CPUs to one, idle and with memory hammered",
            ),
            (
                "aicprobe latency --target usb --stop-entry 20",
                "ends at the first interrupt that takes longer than 20 us, with the events around it",
            ),
        ],
    ),
    (
        "soak",
        &[
            (
                "aicprobe soak --target usb --duration 8h --intervals night.csv",
                "a night, every 100 ms kept",
            ),
            (
                "aicprobe soak --triggers 100000 --expect 0 --max-latency 50",
                "ends at the first trigger that another CPU takes or that takes longer",
            ),
        ],
    ),
    (
        "observe",
        &[
            ("aicprobe observe", "every claim on a virtual A18 Pro"),
            (
                "aicprobe observe --target usb --row 6 --row 7 --format markdown",
                "two rows of the list of behaviours on a Mac",
            ),
        ],
    ),
    (
        "compare",
        &[
            (
                "aicprobe compare vm:t8140 vm:t8140 --b \"--set-field 1=1\"",
                "the same machine with another field",
            ),
            (
                "aicprobe compare usb usb --a \"--firmware old.img\" --b \"--firmware new.img\" --alternate 5",
                "two firmware images, five runs each in turns",
            ),
            (
                "aicprobe compare before1.json,before2.json after1.json,after2.json --fail-on-difference",
                "saved results of `route`",
            ),
        ],
    ),
    (
        "handoff",
        &[
            (
                "aicprobe handoff --land-cpu 0 --serve-cpu 1,2 --load idle",
                "from CPU 0 to two others, idle",
            ),
            (
                "aicprobe handoff --target usb --raw events.bin",
                "every pair of CPUs of a Mac, events kept",
            ),
        ],
    ),
    (
        "evidence show",
        &[
            (
                "aicprobe evidence show run.tar.zst",
                "what a run was, and what it brought",
            ),
            (
                "aicprobe evidence show run --format json",
                "the same for a program",
            ),
        ],
    ),
    (
        "evidence check",
        &[
            (
                "aicprobe evidence check run.tar.zst",
                "whether any file was changed; exit code 5 if so",
            ),
            (
                "aicprobe evidence check run --format json",
                "the same for a program",
            ),
        ],
    ),
    (
        "evidence diff",
        &[
            (
                "aicprobe evidence diff before.tar.zst after.tar.zst",
                "what is different between two runs",
            ),
            (
                "aicprobe evidence diff before after --format markdown",
                "for a pull request",
            ),
        ],
    ),
    (
        "tables",
        &[
            (
                "aicprobe tables --format c -o aic-routing.h",
                "for a driver in C",
            ),
            (
                "aicprobe tables --soc T8140",
                "what is known of one SoC, and who says so",
            ),
        ],
    ),
    (
        "allow-list check",
        &[
            (
                "aicprobe allow-list check run.tar.zst",
                "whether it suffices, and every reason why not",
            ),
            (
                "aicprobe allow-list check run --socs socs --format markdown",
                "against the files of a source tree, for a pull request",
            ),
        ],
    ),
    (
        "allow-list add",
        &[
            (
                "aicprobe allow-list add run.tar.zst",
                "into socs/ below this folder; then cargo xtask tables",
            ),
            (
                "aicprobe allow-list add run.tar.zst --socs ../aicprobe/socs",
                "into another source tree",
            ),
        ],
    ),
    (
        "replay",
        &[
            (
                "aicprobe replay events.bin --format json",
                "the same result again",
            ),
            (
                "aicprobe replay events.bin --counts",
                "what the events alone say",
            ),
        ],
    ),
    (
        "report",
        &[
            (
                "aicprobe report run1 -o report.html",
                "one page of the evidence that verify --evidence run1 has kept",
            ),
            (
                "aicprobe report run1 latency.json storm.json -o report.html",
                "the same with saved results beside it",
            ),
            (
                "aicprobe report run1 --format markdown",
                "for the body of a pull request",
            ),
        ],
    ),
    (
        "storm",
        &[
            (
                "aicprobe storm --pattern pairs --us 500",
                "pairs of CPUs for half a millisecond a storm",
            ),
            (
                "aicprobe storm --target usb --cpus 0,1,2 --repeat 5",
                "three CPUs of a Mac, five times",
            ),
        ],
    ),
    (
        "list",
        &[
            (
                "aicprobe list",
                "ports, what each is for, and who has it open",
            ),
            ("aicprobe list --format json", "the same for a program"),
        ],
    ),
    (
        "doctor",
        &[
            ("aicprobe doctor", "everything that may stand in the way"),
            (
                "aicprobe doctor --target /dev/ttyACM0 --format json",
                "one port; exit code 3 where it cannot be used",
            ),
        ],
    ),
    (
        "info",
        &[
            (
                "aicprobe info",
                "versions, defaults and where they come from, virtual SoCs",
            ),
            (
                "aicprobe info --target usb --wait 30 --format markdown",
                "board, CPUs and controller of a Mac, for a report",
            ),
        ],
    ),
    (
        "udev",
        &[
            (
                "aicprobe udev --install /etc/udev/rules.d",
                "as root; then reload udev as it says",
            ),
            (
                "aicprobe udev --group dialout -o 70-aicprobe.rules",
                "for a computer that is reached over a network",
            ),
        ],
    ),
    (
        "docs",
        &[
            ("aicprobe docs --dir docs", "registers and errors"),
            (
                "aicprobe docs --dir docs t6020.json fields.json",
                "and what was observed, from results saved with --format json",
            ),
        ],
    ),
    (
        "completions",
        &[
            (
                "aicprobe completions bash -o ~/.local/share/bash-completion/completions/aicprobe",
                "bash finds it there by itself",
            ),
            (
                "aicprobe completions zsh -o _aicprobe",
                "in a folder of $fpath",
            ),
        ],
    ),
    (
        "man",
        &[
            (
                "aicprobe man regs show",
                "one page; read it with | man -l -",
            ),
            (
                "aicprobe man --dir ~/.local/share/man/man1",
                "all of them where man looks",
            ),
        ],
    ),
    (
        "schema",
        &[
            (
                "aicprobe schema",
                "names of all results, and the commands that have them",
            ),
            (
                "aicprobe schema aicprobe.route/1 -o route.schema.json",
                "one, to check results with",
            ),
        ],
    ),
    (
        "regs list",
        &[
            ("aicprobe regs list --generation v3", "registers of AICv3"),
            ("aicprobe regs list --format csv", "all, for a spreadsheet"),
        ],
    ),
    (
        "regs show",
        &[
            (
                "aicprobe regs show SIQ_CFG",
                "fields, values, MRS and MSR words, sources",
            ),
            ("aicprobe regs show EVENT --format json", "for a program"),
        ],
    ),
    (
        "regs decode",
        &[
            (
                "aicprobe regs decode EVENT 0x000103e4",
                "what an event word says",
            ),
            (
                "aicprobe regs decode hwirq 66532",
                "an interrupt number of Linux: die 0, line 996",
            ),
        ],
    ),
    (
        "regs export",
        &[
            (
                "aicprobe regs export --format svd --soc T8103 -o t8103.svd",
                "for debuggers and generators",
            ),
            ("aicprobe regs export --format json -o regs.json", "all"),
        ],
    ),
    (
        "bench link",
        &[
            ("aicprobe bench link --target usb", "round trips and MB/s"),
            (
                "aicprobe bench link --target /dev/ttyUSB0 --iterations 5 --size 512",
                "a slow line, in short",
            ),
        ],
    ),
];

/// The definition of the whole command line, examples included: what is parsed, shown and written about it.
pub fn definitions() -> Command {
    with_examples(Cli::command(), "")
}

fn with_examples(command: Command, path: &str) -> Command {
    let command = command.mut_subcommands(|inner| {
        let path = format!("{path} {}", inner.get_name());
        let path = path.trim_start().to_owned();
        with_examples(inner, &path)
    });
    let mut parts = Vec::new();
    if let Some((_, examples)) = EXAMPLES.iter().find(|(of, _)| *of == path) {
        let mut text = "Examples:".to_owned();
        for (line, what) in *examples {
            text += &format!("\n  {line}\n      {what}");
        }
        parts.push(text);
    }
    let after = command.get_after_help().map(ToString::to_string);
    parts.push(after.unwrap_or_else(exit_codes));
    command.after_help(parts.join("\n\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(command: &Command, path: &str, all: &mut Vec<(String, String)>) {
        for inner in command.get_subcommands() {
            let path = format!("{path} {}", inner.get_name());
            commands(inner, path.trim_start(), all);
        }
        if command.get_subcommands().next().is_none() {
            let help = command.clone().render_long_help().to_string();
            all.push((path.to_owned(), help));
        }
    }

    #[test]
    fn every_command_has_examples_in_its_help() {
        let mut all = Vec::new();
        let mut root = definitions().disable_help_subcommand(true);
        root.build();
        commands(&root, "", &mut all);
        assert!(all.len() > 20);
        for (path, help) in &all {
            let (_, examples) = EXAMPLES
                .iter()
                .find(|(of, _)| of == path)
                .unwrap_or_else(|| panic!("{path} has no examples"));
            assert!((2..=3).contains(&examples.len()), "{path}");
            // Help is wrapped, and so is a long example.
            let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            for (line, what) in *examples {
                assert!(flat(help).contains(&flat(line)), "{path}: {line}");
                assert!(flat(help).contains(&flat(what)), "{path}: {what}");
            }
            assert!(help.contains("Exit codes:"), "{path}");
        }
        for (path, _) in EXAMPLES {
            assert!(
                path.is_empty() || all.iter().any(|(of, _)| of == path),
                "{path}: no such command"
            );
        }
    }

    #[test]
    fn every_example_can_be_typed() {
        for (path, examples) in EXAMPLES {
            for (line, _) in *examples {
                let words = shlex::split(line).expect("quotes that end");
                let given = words.join(" ");
                assert!(
                    given.starts_with(format!("aicprobe {path}").trim_end()),
                    "{line}"
                );
                if let Err(e) = definitions().try_get_matches_from(words) {
                    panic!("{line}: {e}");
                }
                // Options of one side are parsed when they are needed.
                if let Some((_, side)) = line.split_once("--b \"") {
                    let text = side.split('"').next().unwrap_or_default();
                    assert!(
                        crate::cli::compare::SideArgs::parse("--b", text).is_ok(),
                        "{line}"
                    );
                }
            }
        }
    }
}
