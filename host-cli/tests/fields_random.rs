//! Policies made at random, on virtual SoCs of two to four CPUs: what `fields` finds must be the policy, or one that no cell of the plan
//! tells from it.

mod common;

use common::{aicprobe, stderr, stdout};
use host_cli::fields::combinations;
use serde_json::Value;

/// Triggers of a cell.
const TRIGGERS: u64 = 20;
const CLASSES: [&str; 4] = ["preferred", "normal", "fallback", "never"];
const CHOICES: [&str; 6] = [
    "lowest-id",
    "lowest-mpidr",
    "p-cores-first",
    "sticky",
    "round-robin",
    "random",
];
const EFFECTS: [&str; 3] = ["at-once", "isb", "next-irq"];
const OFFERED: [&str; 3] = ["stays-unless-never", "follows", "stays"];

/// A CPU of T8140: `adt_id`, MPIDR without its top bit, P core; in the order of logical ids.
const CPUS: [(u32, u32, bool); 6] = [
    (4, 0x10100, true),
    (0, 0, false),
    (1, 1, false),
    (2, 2, false),
    (3, 3, false),
    (5, 0x10101, true),
];

/// A policy, of a model or of a rule that was found.
#[derive(Clone, Debug, PartialEq)]
struct Policy {
    rank: [Option<u64>; 4],
    choice: String,
    moves: bool,
    late: bool,
}

#[derive(Debug)]
struct Machine {
    policy: Policy,
    honoured: bool,
    classes: [usize; 4],
    takes_effect: usize,
    offered: usize,
    /// Places in [`CPUS`].
    cpus: Vec<usize>,
}

/// The generator of the test alone.
struct Dice(u64);

impl Dice {
    fn below(&mut self, n: u64) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(99);
        ((self.0 >> 33) % n) as usize
    }
}

impl Machine {
    fn of(seed: u64) -> Self {
        let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        for _ in 0..8 {
            dice.below(2);
        }
        let mut classes = [0, 1, 2, 3];
        if dice.below(3) == 0 {
            classes = classes.map(|_| dice.below(4));
        } else {
            for last in (1..4).rev() {
                classes.swap(last, dice.below(last as u64 + 1));
            }
        }
        let honoured = dice.below(12) != 0;
        let mut cpus = vec![0, 1, 5];
        match dice.below(4) {
            0 => cpus = vec![0, 2],
            1 => cpus = vec![0, 1, 3, 5],
            _ => {}
        }
        let ranks = |class: usize| {
            let below: std::collections::BTreeSet<usize> =
                classes.iter().copied().filter(|c| *c < class).collect();
            (class < 3).then_some(below.len() as u64)
        };
        let rank = if honoured {
            classes.map(ranks)
        } else {
            [Some(0); 4]
        };
        let choice = CHOICES[dice.below(6)];
        let (moves, takes_effect, offered) = (dice.below(2) == 0, dice.below(3), dice.below(3));
        Self {
            policy: Policy {
                rank,
                choice: if choice == "random" { "any" } else { choice }.to_owned(),
                moves,
                late: takes_effect == 2,
            },
            honoured,
            classes,
            takes_effect,
            offered,
            cpus,
        }
    }

    fn toml(&self, more: &str) -> String {
        let classes: Vec<String> = self
            .classes
            .iter()
            .map(|c| format!("{:?}", CLASSES[*c]))
            .collect();
        let choice = match &self.policy.choice[..] {
            "any" => "random",
            other => other,
        };
        let mut text = format!(
            "extends = \"t8140\"\nname = \"dice\"\ntitle = \"a policy of the test\"\n[siq]\nclasses = [{}]\n\
             honoured = {}\nchoice = \"{choice}\"\non_masked = \"{}\"\ntakes_effect = \"{}\"\noffered = \"{}\"\n{more}",
            classes.join(", "),
            self.honoured,
            if self.policy.moves { "move" } else { "wait" },
            EFFECTS[self.takes_effect],
            OFFERED[self.offered],
        );
        for (place, (adt_id, ..)) in CPUS.iter().enumerate() {
            if !self.cpus.contains(&place) {
                text += &format!("[[cpu_change]]\nadt_id = {adt_id}\npresent = false\n");
            }
        }
        text
    }

    /// Values that accept, one for each class, and whether one never does.
    fn standings(&self) -> (usize, bool) {
        let mut accepting: Vec<u64> = self.policy.rank.iter().flatten().copied().collect();
        accepting.sort_unstable();
        accepting.dedup();
        (accepting.len(), self.policy.rank.contains(&None))
    }
}

impl Policy {
    /// CPUs that an interrupt can go to.
    fn set(&self, fields: &[usize], masked: bool) -> Vec<usize> {
        let best = |from: usize| -> Vec<usize> {
            let ranks = (from..fields.len()).filter_map(|c| Some((self.rank[fields[c]]?, c)));
            let least = ranks.clone().map(|(rank, _)| rank).min();
            ranks
                .filter(|(rank, _)| Some(*rank) == least)
                .map(|(_, c)| c)
                .collect()
        };
        let all = best(0);
        let open = best(1);
        if masked && self.moves && !open.is_empty() {
            open
        } else {
            all
        }
    }

    fn choose(&self, set: &[usize], last: Option<usize>, cpus: &[usize]) -> usize {
        let count = cpus.len();
        let lowest = set[0];
        let by = |key: &dyn Fn(usize) -> u64| *set.iter().min_by_key(|c| key(**c)).expect("a CPU");
        match &self.choice[..] {
            "lowest-id" => lowest,
            "highest-id" => set[set.len() - 1],
            "lowest-mpidr" => by(&|c| CPUS[cpus[c]].1.into()),
            "p-cores-first" => by(&|c| u64::from(!CPUS[cpus[c]].2) << 8 | c as u64),
            "sticky" => last.filter(|l| set.contains(l)).unwrap_or(lowest),
            "round-robin" => {
                let first = last.map_or(0, |l| l + 1);
                let turns = (0..count).map(|i| (first + i) % count);
                turns.into_iter().find(|c| set.contains(c)).expect("a CPU")
            }
            other => panic!("{other} names no CPU"),
        }
    }

    /// Landings by cell of the whole table: every combination, nobody masked and CPU 0 masked.
    fn landings(&self, cpus: &[usize]) -> Vec<Vec<u64>> {
        let count = cpus.len();
        let mut acting: Vec<usize> = vec![3; count];
        acting[0] = 0;
        let mut last = None;
        let mut cells = Vec::new();
        // All of them, in the order of the plan.
        for fields in combinations(&vec![0; count], 1).0 {
            let fields: Vec<usize> = fields.into_iter().map(usize::from).collect();
            for masked in [false, true] {
                let mut landed = vec![0; count];
                for _ in 0..TRIGGERS {
                    if !self.late || self.set(&acting, masked).is_empty() {
                        acting.clone_from(&fields);
                    }
                    let set = self.set(&acting, masked);
                    if !set.is_empty() {
                        let cpu = self.choose(&set, last, cpus);
                        landed[cpu] += 1;
                        last = Some(cpu);
                        acting.clone_from(&fields);
                    }
                }
                cells.push(landed);
            }
        }
        cells
    }

    fn is_like(&self, other: &Self, cpus: &[usize]) -> bool {
        self == other
            || self.choice != "any"
                && other.choice != "any"
                && self.landings(cpus) == other.landings(cpus)
    }
}

fn fields(text: &str) -> (Option<i32>, Value) {
    let dir = tempfile::tempdir().expect("a folder of the test");
    let path = dir.path().join("dice.toml");
    std::fs::write(&path, text).expect("a file of the test");
    let target = format!("vm:{}", path.display());
    let triggers = TRIGGERS.to_string();
    let run = aicprobe(&[
        "fields",
        "-q",
        "--format",
        "json",
        "--target",
        &target,
        "--triggers",
        &triggers,
    ]);
    let code = run.status.code();
    assert!(matches!(code, Some(0 | 6)), "{text}: {}", stderr(&run));
    let report: Value = serde_json::from_str(&stdout(&run)).expect("JSON");
    assert_eq!(
        (&report["restored"], &report["complete"]),
        (&true.into(), &true.into()),
        "{text}"
    );
    (code, report)
}

fn rule_of(report: &Value) -> Option<Policy> {
    let rule = report["rule"].as_object()?;
    let rank = |v: usize| rule["rank"][v].as_u64();
    Some(Policy {
        rank: [rank(0), rank(1), rank(2), rank(3)],
        choice: rule["choice"].as_str()?.to_owned(),
        moves: rule["masked"] == "moves",
        late: rule["writes"] == "late",
    })
}

fn recovered(seed: u64) {
    let machine = Machine::of(seed);
    let text = machine.toml("");
    let (code, report) = fields(&text);
    let told = || {
        format!(
            "seed {seed}: {machine:?}\n{}\n{}",
            report["rule"], report["further"]
        )
    };
    assert_eq!(code, Some(0), "{}\n{}", told(), report["fit"]);
    let rule = rule_of(&report).expect("a rule");
    assert!(machine.policy.is_like(&rule, &machine.cpus), "{}", told());

    let further = &report["further"];
    let (accepting, never) = machine.standings();
    let all = accepting + usize::from(never);
    let acts = further["writes_act"].as_str();
    let true_act = ["at-once", "after-isb", "after-interrupt"][machine.takes_effect];
    match (accepting, all) {
        (0, _) | (_, 1) => assert_eq!(acts, None, "{}", told()),
        // Two classes and no other value: the choice may hide it.
        (2, 2) => assert!(acts.is_none_or(|a| a == true_act), "{}", told()),
        _ => assert_eq!(acts, Some(true_act), "{}", told()),
    }

    let late = machine.policy.late;
    let offered = |key: &str| further["offered"][key].as_bool();
    let (worse, gone) = (offered("moves_when_worse"), offered("moves_when_never"));
    let truth = (machine.offered == 1, machine.offered != 2);
    for (answer, truth, possible, sure) in [
        (worse, truth.0, accepting >= 2, accepting >= 3),
        (
            gone,
            truth.1,
            never && accepting >= 1,
            never && accepting >= 2,
        ),
    ] {
        if late || !possible {
            assert_eq!(answer, None, "{}", told());
        } else if sure {
            assert_eq!(answer, Some(truth), "{}", told());
        } else {
            assert!(answer.is_none_or(|a| a == truth), "{}", told());
        }
    }
    for seen in report["observations"].as_array().expect("observations") {
        let id = seen["id"].as_str().unwrap_or_default();
        if id.starts_with("fast-ipi-") || id.starts_with("timer-") {
            assert_eq!(seen["answer"], "Always", "{seen}");
        }
    }
}

macro_rules! seeds {
    ($($name:ident: $from:literal),*) => {
        $(#[test]
        fn $name() {
            needs_firmware!();
            ($from..$from + 12).for_each(recovered);
        })*
    };
}

seeds! { seeds_from_0: 0, seeds_from_12: 12, seeds_from_24: 24, seeds_from_36: 36 }

/// Two CPUs whose interrupt inputs are exchanged: what one says is what the other gets. No order of values explains that.
#[test]
fn exchanged_cpus_have_no_rule() {
    needs_firmware!();
    let mut tried = 0;
    for seed in 100..140 {
        let machine = Machine::of(seed);
        let (accepting, never) = machine.standings();
        if tried == 4 || machine.cpus.len() != 3 || accepting + usize::from(never) < 3 {
            continue;
        }
        tried += 1;
        let (code, report) = fields(&machine.toml("[defect]\nswap_cpus = [4, 0]\n"));
        assert_eq!(
            (code, &report["rule"]),
            (Some(6), &Value::Null),
            "{machine:?}"
        );
    }
    assert_eq!(tried, 4);
}

/// A controller that loses some interrupts, or gives some to CPUs that never accept.
#[test]
fn lies_have_no_rule() {
    needs_firmware!();
    let machine = Machine::of(7);
    let (code, report) = fields(&machine.toml("[defect]\nlose_delivery_every = 50\n"));
    assert_eq!((code, &report["rule"]), (Some(6), &Value::Null));
    assert_eq!(report["further"]["writes_act"], Value::Null);
    assert_eq!(
        report["further"]["offered"]["moves_when_never"],
        Value::Null
    );
}
