//! What is printed: one block per unexplained disagreement, and the classes with their counts.

use crate::{
    classes::{self, CLASSES},
    generate::Case,
    harness::{Finding, Verdict},
    state::{Event, Outcome, State, World},
};
use std::collections::BTreeMap;

/// Blocks printed per kind of case; the rest is only counted.
const SHOWN_PER_KIND: u32 = 3;

/// Counts of a run.
pub struct Tally {
    examples: bool,
    classes: Vec<u64>,
    unexplained: BTreeMap<&'static str, u32>,
    /// By kind of case: how many completed, were UNDEFINED, ended otherwise.
    reach: BTreeMap<&'static str, [u64; 3]>,
}

impl Tally {
    /// Nothing counted yet; `examples`: print one of every class.
    pub fn new(examples: bool) -> Self {
        Tally {
            examples,
            classes: vec![0; CLASSES.len()],
            unexplained: BTreeMap::new(),
            reach: BTreeMap::new(),
        }
    }

    /// Counts a finding and prints it if it is not explained. True if all is well.
    pub fn add(&mut self, case: &Case, verdict: Verdict, replay: impl FnOnce() -> String) -> bool {
        let ended = match verdict.event {
            Event::None => 0,
            Event::Undefined => 1,
            _ => 2,
        };
        self.reach.entry(case.kind).or_default()[ended] += 1;
        let Some(finding) = verdict.finding else {
            return true;
        };
        if let Some(class) = classes::class_of(&finding) {
            self.classes[class] += 1;
            if self.examples && self.classes[class] == 1 {
                println!("example of class {}:", CLASSES[class].name);
                print_finding(case, &finding, &replay());
            }
            return true;
        }
        let count = self.unexplained.entry(case.kind).or_default();
        *count += 1;
        if *count <= SHOWN_PER_KIND {
            print_finding(case, &finding, &replay());
        }
        false
    }

    /// Prints how the cases of every kind ended on the core.
    pub fn print_reach(&self) {
        println!("completed UNDEFINED otherwise");
        for (kind, [completed, undefined, otherwise]) in &self.reach {
            println!("{completed:>9} {undefined:>9} {otherwise:>9}  {kind}");
        }
    }

    /// Prints the counts. True if every disagreement is explained.
    pub fn finish(&self) -> bool {
        for (class, count) in CLASSES.iter().zip(&self.classes) {
            println!("class  {count:>7}  {}", class.name);
        }
        for (kind, count) in &self.unexplained {
            println!("FAILED {count:>7}  {kind}");
        }
        let total: u32 = self.unexplained.values().sum();
        if total == 0 {
            println!("ok: every disagreement is of a known class");
        } else {
            println!("{total} disagreements are of no known class");
        }
        total == 0
    }
}

/// Prints what a case does and where its sides differ.
pub fn print_case(case: &Case, finding: Option<&Finding>) {
    println!(
        "case {:#x}: {}, {} instructions, {}",
        case.seed,
        case.kind,
        case.count,
        world(case.world)
    );
    for (i, word) in case.words.iter().take(case.count).enumerate() {
        println!("  {:#x}: {word:08x}", case.state.pc + 4 * i as u64);
    }
    match finding.and_then(classes::class_of) {
        _ if finding.is_none() => println!("both sides agree"),
        Some(class) => println!("class {}: {}", CLASSES[class].name, CLASSES[class].why),
        None => println!("no known class"),
    }
}

fn world(world: World) -> &'static str {
    match world {
        World::Guest => "EL1&0",
        World::Host => "EL2&0",
    }
}

fn print_finding(case: &Case, finding: &Finding, replay: &str) {
    let Finding {
        word,
        before,
        core,
        oracle,
        ..
    } = finding;
    println!(
        "DIFFERENT {word:08x} ({}, step {}, {}, pstate {:#x}) at {:#x}",
        case.kind,
        finding.step,
        world(finding.world),
        before.pstate,
        before.pc
    );
    println!("  replay: cargo xtask oracle {replay}");
    let fields = [("Rd", 0), ("Rn", 5), ("Ra", 10), ("Rm", 16)].map(|(name, lo)| {
        let n = word >> lo & 31;
        let value = before.x.get(n as usize).copied().unwrap_or(before.sp);
        format!("{name} {n}={value:#x}")
    });
    println!("  before: {}", fields.join("  "));
    if core.event != oracle.event {
        println!("  event: core {}; oracle {}", core.event, oracle.event);
    }
    for (name, a, b) in different_registers(core, oracle) {
        println!("  {name}: core {a:#x}; oracle {b:#x}");
    }
    if let Some((address, a, b)) = finding.memory {
        println!("  byte at {address:#x}: core {a:#04x}; oracle {b:#04x}");
    }
}

/// Name and values of every register that differs.
pub fn different_registers(core: &Outcome, oracle: &Outcome) -> Vec<(String, u64, u64)> {
    let named = |state: &State| {
        let general = state
            .x
            .iter()
            .enumerate()
            .map(|(n, &value)| (format!("x{n}"), value));
        let others = [("sp", state.sp), ("pc", state.pc), ("pstate", state.pstate)];
        general
            .chain(others.map(|(name, value)| (name.to_owned(), value)))
            .collect::<Vec<_>>()
    };
    named(&core.state)
        .into_iter()
        .zip(named(&oracle.state))
        .filter(|(a, b)| a.1 != b.1)
        .map(|((name, a), (_, b))| (name, a, b))
        .collect()
}
