//! Differential test of the virtual SoC's A64 core against an independent emulator (Unicorn).

mod classes;
mod generate;
mod harness;
mod library;
mod report;
mod rng;
mod state;
mod subject;
mod systems;
mod templates;
mod unicorn;

use clap::Parser;
use generate::Case;
use harness::Harness;
use library::Library;
use report::Tally;
use rng::Rng;
use std::{
    path::PathBuf,
    process::ExitCode,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

/// Compares the virtual CPU with an independent emulator, one random case at a time.
///
/// Exit codes: 0 every disagreement is of a known class; 1 some are not; 2 usage; 3 no emulator library.
#[derive(Parser)]
#[command(name = "oracle", version)]
struct Arguments {
    /// Seed of the run; by default from the clock, and printed
    #[arg(long, value_parser = number)]
    seed: Option<u64>,
    /// Cases of the mixed run: words of every instruction group, uniform words, sequences
    #[arg(long, default_value_t = 500_000)]
    count: u64,
    /// Uniform random words, run after the mixed cases
    #[arg(long, default_value_t = 500_000)]
    uniform: u64,
    /// Run this instruction word only, from --count different states
    #[arg(long, value_parser = word, conflicts_with_all = ["case", "uniform"])]
    word: Option<u32>,
    /// Run one case again, by the number in a report
    #[arg(long, value_parser = number, conflicts_with_all = ["count", "uniform", "seed"])]
    case: Option<u64>,
    /// Emulator library (libunicorn.so.2) to load
    #[arg(long)]
    library: Option<PathBuf>,
    /// Print an example of every class
    #[arg(long)]
    examples: bool,
    /// Print how the cases of every kind ended
    #[arg(long)]
    reach: bool,
}

fn number(text: &str) -> Result<u64, std::num::ParseIntError> {
    match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    }
}

fn word(text: &str) -> Result<u32, std::num::ParseIntError> {
    u32::from_str_radix(text.strip_prefix("0x").unwrap_or(text), 16)
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprint!("oracle: {error}");
            let mut cause = std::error::Error::source(&error);
            while let Some(reason) = cause {
                eprint!(": {reason}");
                cause = reason.source();
            }
            eprintln!();
            ExitCode::from(3)
        }
    }
}

/// What makes a case of a seed, how many, and how to run one of them again.
struct Batch {
    name: &'static str,
    make: Box<dyn Fn(u64) -> Case>,
    count: u64,
    replay: fn(&Case) -> String,
}

fn run(arguments: &Arguments) -> Result<bool, library::Error> {
    let mut harness = Harness::new(
        Library::load(arguments.library.as_deref())?,
        generate::pristine(),
    )?;
    let library = harness.library();
    println!(
        "oracle: Unicorn {}.{} from {}",
        library.version.0,
        library.version.1,
        library.path.display()
    );
    let mut tally = Tally::new(arguments.examples);
    if let Some(seed) = arguments.case {
        let case = generate::case(seed);
        let verdict = harness.run(&case)?;
        report::print_case(&case, verdict.finding.as_ref());
        return Ok(tally.add(&case, verdict, || replay_case(&case)));
    }
    let seed = arguments.seed.unwrap_or_else(clock_seed);
    println!("seed {seed:#x}");
    let batches = match arguments.word {
        Some(word) => vec![Batch {
            name: "one word",
            make: Box::new(move |seed| generate::word_case(seed, word)),
            count: arguments.count,
            replay: replay_word,
        }],
        None => vec![
            Batch {
                name: "mixed cases",
                make: Box::new(generate::case),
                count: arguments.count,
                replay: replay_case,
            },
            Batch {
                name: "uniform words",
                make: Box::new(generate::uniform_case),
                count: arguments.uniform,
                replay: replay_word,
            },
        ],
    };
    let mut seeds = Rng::new(seed);
    for batch in batches {
        let started = Instant::now();
        let mut instructions = 0;
        for _ in 0..batch.count {
            let case = (batch.make)(seeds.next());
            instructions += case.count;
            let verdict = harness.run(&case)?;
            tally.add(&case, verdict, || (batch.replay)(&case));
        }
        println!(
            "{}: {} cases, {instructions} instructions, {:.1} s",
            batch.name,
            batch.count,
            started.elapsed().as_secs_f64()
        );
    }
    if arguments.reach {
        tally.print_reach();
    }
    Ok(tally.finish())
}

fn replay_case(case: &Case) -> String {
    format!("--case {:#x}", case.seed)
}

fn replay_word(case: &Case) -> String {
    format!(
        "--word {:#010x} --seed {:#x} --count 1",
        case.words[0], case.seed
    )
}

fn clock_seed() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    Rng::new(since.as_nanos() as u64).next()
}
