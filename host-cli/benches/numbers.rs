//! `cargo xtask bench`: the numbers that the project promises, measured.
//!
//! Times are printed as ratios to their budget (below 1 = inside it); instruction counts come from the virtual SoC and
//! are exact. Nothing here fails: a benchmark reports, tests judge.

mod by_hand;
mod raw;

use std::time::{Duration, Instant};

use host_cli::firmware::Firmware;
use host_cli::link::VirtualLink;
use host_cli::plan::{self, Request};
use host_cli::proxy::Proxy;
use host_cli::session::{self, Event, Observer};
use host_cli::target::{Target, find_spare};
use virtual_soc::{SocModel, VirtualTarget};

/// Notes when the first statistic arrives.
#[derive(Default)]
struct FirstStatistic(Option<Instant>);

impl Observer for FirstStatistic {
    fn on(&mut self, event: Event<'_>) {
        if matches!(event, Event::Progress { .. } | Event::Done { .. }) {
            self.0.get_or_insert_with(Instant::now);
        }
    }
}

struct Run {
    triggers: u64,
    taken: u64,
    insns: u64,
    wall: Duration,
    first: Duration,
    virtual_time: Duration,
}

/// One session on `model`; instructions are counted over the cells alone (a session without triggers is taken off).
fn run(model: &SocModel, firmware: &Firmware, request: &Request) -> Run {
    let start = Instant::now();
    let target = VirtualTarget::from_model(model, 1).expect("a built-in model");
    let mut link = VirtualLink::new(target);
    let mut observer = FirstStatistic::default();
    let began = link.target().now();
    {
        let mut proxy = Proxy::connect(&mut link).expect("the stand-in answers");
        let soc = Target::discover(&mut proxy).expect("the stand-in's tree is whole");
        let line = find_spare(&mut proxy, &soc).expect("a spare line");
        let plan = plan::build(request, soc.cpus.len(), line).expect("a valid plan");
        let outcome = session::run(&mut proxy, &soc, firmware, &plan, 1, &mut observer)
            .expect("the session starts");
        assert!(outcome.failure.is_none() && outcome.restoring.is_restored());
    }
    let stats = link.target().stats();
    Run {
        triggers: stats.triggers,
        taken: stats.taken.iter().sum(),
        insns: stats.total_insns(),
        wall: start.elapsed(),
        first: observer.0.map_or(Duration::MAX, |t| t - start),
        virtual_time: link.target().now() - began,
    }
}

fn request(triggers: u32, fire: &[u32], mask: &[(u32, u32)]) -> Request {
    Request {
        triggers,
        fire_cpus: fire.to_vec(),
        masks: mask.to_vec(),
        ..Request::default()
    }
}

fn ratio(what: &str, measured: Duration, budget: Duration) {
    let r = measured.as_secs_f64() / budget.as_secs_f64();
    println!("{what:<66} {r:>8.2} of the budget of {budget:?}");
}

fn main() {
    let firmware = match Firmware::load(None) {
        Ok(firmware) => firmware,
        Err(e) => {
            println!("skipped: {e}; `cargo xtask bench` builds the firmware in");
            return;
        }
    };
    // `cargo xtask bench -- raw`: only these.
    if std::env::args().any(|word| word == "raw") {
        raw::measure(&firmware);
        return;
    }
    let model = SocModel::builtin("t8140").expect("a built-in model");
    let all: Vec<u32> = (0..6).collect();

    let idle = run(&model, &firmware, &request(1, &[0], &[]));
    let million = run(&model, &firmware, &request(166_667, &all, &[]));
    println!("vm:t8140, firmware {} bytes", firmware.image.len());
    ratio(
        &format!("{} triggers, {} landed", million.triggers, million.taken),
        million.wall,
        Duration::from_secs(30),
    );
    let insns = million.insns - idle.insns;
    println!(
        "{:<66} {:>8.1} (at most 600)",
        "guest instructions per unmasked trigger, all CPUs",
        insns as f64 / (million.triggers - idle.triggers) as f64
    );
    println!(
        "{:<66} {:>8.1}",
        "virtual MIPS over that run, all host work included",
        million.insns as f64 / million.wall.as_secs_f64() / 1e6
    );
    println!(
        "{:<66} {:>8.2}",
        "virtual time over host time",
        million.virtual_time.as_secs_f64() / million.wall.as_secs_f64()
    );
    for ms in [1u32, 35] {
        let masked = run(&model, &firmware, &request(100, &[0], &[(0, ms * 1000)]));
        println!(
            "{:<66} {:>8.1}",
            format!("guest instructions per trigger masked for {ms} ms"),
            (masked.insns - idle.insns) as f64 / (masked.triggers - idle.triggers) as f64
        );
    }
    let six = per_trigger(&model, &firmware);
    let twenty = SocModel::builtin("t6002").expect("a built-in model");
    println!(
        "{:<66} {:>8.2} (at most 1.5)",
        "guest instructions per unmasked trigger, 20 CPUs (t6002) over 6",
        per_trigger(&twenty, &firmware) / six
    );
    every_model();
    ratio(
        "first statistic of a run",
        idle.first,
        Duration::from_secs(1),
    );
    polling(&firmware);
    by_hand::compare(&firmware);
    by_hand::checksum_throughput();
    raw::measure(&firmware);
    help();
}

/// Guest instructions per trigger that every CPU fires in turn.
fn per_trigger(model: &SocModel, firmware: &Firmware) -> f64 {
    let cpus = model.cpu.iter().filter(|cpu| cpu.present).count() as u32;
    let fire: Vec<u32> = (0..cpus).collect();
    let short = run(model, firmware, &request(1_000, &fire, &[]));
    let long = run(model, firmware, &request(9_000, &fire, &[]));
    (long.insns - short.insns) as f64 / (long.triggers - short.triggers) as f64
}

/// The default plan on every built-in machine, by the program itself.
fn every_model() {
    let start = Instant::now();
    let out = std::process::Command::new(env!("CARGO_BIN_EXE_aicprobe"))
        .args(["route", "-q", "--target", "vm:all"])
        .output();
    match out {
        Ok(out) if out.status.success() => ratio(
            "route --target vm:all, every built-in machine's default plan",
            start.elapsed(),
            Duration::from_secs(60),
        ),
        _ => println!("aicprobe route --target vm:all failed"),
    }
}

/// Two CPUs that never sleep: without an event stream the firmware polls, so both are runnable in every round. Most of it is
/// exclusives and counter reads, the slowest code there is for the core; ordinary compiled code is measured by
/// `cargo run --release -p virtual-soc --example mips`.
fn polling(firmware: &Firmware) {
    let mut model = SocModel::builtin("t8140").expect("a built-in model");
    model.cpus.event_stream = false;
    for cpu in &mut model.cpu {
        cpu.starts = cpu.boot || cpu.adt_id == 5;
    }
    let short = run(&model, firmware, &request(10, &[0], &[]));
    let long = run(&model, firmware, &request(2_000, &[0], &[(0, 100)]));
    let mips = (long.insns - short.insns) as f64
        / (long.wall.saturating_sub(short.wall)).as_secs_f64()
        / 1e6;
    println!(
        "{:<66} {:>8.2} of 150 MIPS",
        "core on the firmware's polling waits (LDAXR, CNTPCT), two CPUs",
        mips / 150.0
    );
}

/// `aicprobe --help`, the fastest of ten.
fn help() {
    let best = (0..10)
        .filter_map(|_| {
            let start = Instant::now();
            let out = std::process::Command::new(env!("CARGO_BIN_EXE_aicprobe"))
                .arg("--help")
                .output()
                .ok()?;
            out.status.success().then(|| start.elapsed())
        })
        .min();
    match best {
        Some(best) => ratio("aicprobe --help", best, Duration::from_millis(50)),
        None => println!("aicprobe --help failed"),
    }
}
