//! `route` against the way it is done by hand: one proxied access per step.
//!
//! Published experiments set a field, unmask and fire a line from the host and then look at every CPU, each step a request
//! and its answer. Here that way has every advantage that it can have: its few instructions are uploaded once, a read of
//! EVENT on another CPU is one request, each request is one exchange without the proof that this program adds where answers
//! are not checked otherwise, and it stops looking at the first CPU that has taken the interrupt. `route` runs six cells of
//! many triggers without masks: its start and its upload are in the time, and weigh more in a shorter run.

use std::hint::black_box;
use std::time::{Duration, Instant};

use aic_regs::aic::{Bank, Config};
use host_cli::firmware::Firmware;
use host_cli::link::{Link as _, VirtualLink};
use host_cli::plan::{self, Request};
use host_cli::proxy::{Op, Proxy, checksum};
use host_cli::session::{self, Silent};
use host_cli::target::{Target, find_spare};
use protocol::LineId;
use virtual_soc::{SocModel, VirtualTarget};

/// Triggers fired by hand.
const BY_HAND: u32 = 60;
/// Triggers of each of the six cells of `route`.
const PER_CELL: u32 = 50_000;
/// `ldr w0, [x0]`, `ret`.
const LOAD: [u32; 2] = [0xb940_0000, 0xd65f_03c0];
/// `msr SIQ_CFG_EL1, x0` (S3_4_C15_C10_4), `ret`.
const SET_FIELD: [u32; 2] = [0xd51c_fa80, 0xd65f_03c0];

/// A rate on the link's clock.
struct Rate {
    triggers: u64,
    requests: u64,
    time: Duration,
}

impl Rate {
    fn per_second(&self) -> f64 {
        self.triggers as f64 / self.time.as_secs_f64()
    }
}

/// Both ways on one virtual machine, in one run, over a line of 1.5 Mbaud without any delay of its own.
pub fn compare(firmware: &Firmware) {
    let text = "extends = \"t8140\"\nname = \"t8140-uart\"\ntitle = \"T8140 on a UART\"\n\
                [loader]\nlink = \"uart\"\nrequest_ns = 1\nbytes_per_second = 150000\n";
    let model = SocModel::from_toml(text, "benchmark").expect("a usable model");
    let target = VirtualTarget::from_model(&model, 1).expect("a usable model");
    let mut link = VirtualLink::new(target);
    let hand = by_hand(&mut link);
    let start = link.now();
    let before = link.target().stats();
    {
        let mut proxy = Proxy::connect(&mut link).expect("the loader answers");
        let soc = Target::discover(&mut proxy).expect("a usable target");
        let line = find_spare(&mut proxy, &soc).expect("a spare line");
        let request = Request {
            triggers: PER_CELL,
            fire_cpus: (0..6).collect(),
            ..Request::default()
        };
        let plan = plan::build(&request, soc.cpus.len(), line).expect("a plan");
        let outcome = session::run(&mut proxy, &soc, firmware, &plan, 1, &mut Silent)
            .expect("the session starts");
        assert!(outcome.failure.is_none() && outcome.restoring.is_restored());
    }
    let after = link.target().stats();
    let route = Rate {
        triggers: after.triggers - before.triggers,
        requests: after.requests - before.requests,
        time: link.now() - start,
    };
    for (what, rate) in [
        ("by hand", &hand),
        ("route, start and upload included", &route),
    ] {
        println!(
            "{:<66} {:>8.0} ({} triggers, {} requests, {:.2} s of the virtual clock)",
            format!("triggers per second on a UART of 1.5 Mbaud, {what}"),
            rate.per_second(),
            rate.triggers,
            rate.requests,
            rate.time.as_secs_f64()
        );
    }
    println!(
        "{:<66} {:>8.0} (at least 100)",
        "ratio",
        route.per_second() / hand.per_second()
    );
}

/// What a person would do in a loop: field, unmask, fire, look at CPU after CPU, clear.
fn by_hand(link: &mut VirtualLink) -> Rate {
    let mut proxy = Proxy::connect(link).expect("the loader answers");
    let soc = Target::discover(&mut proxy).expect("a usable target");
    let line = find_spare(&mut proxy, &soc).expect("a spare line");
    let g = &soc.aic.geometry;
    let at = |bank| {
        let LineId { die, number } = line;
        let offset = g.bank_offset(bank, die, u32::from(number) / 32);
        soc.aic.base + u64::from(offset.expect("the line exists"))
    };
    let bit = 1u64 << (line.number % 32);
    let config = soc.aic.base + u64::from(g.config);
    let event = soc.aic.base + u64::from(g.event);
    let ids: Vec<u64> = soc.cpus.iter().map(|c| c.adt_id.into()).collect();

    proxy.op(Op::SmpSetWfeMode, &[1]).expect("answered");
    proxy.start_secondaries().expect("answered");
    for cpu in &ids[1..] {
        proxy.op(Op::MmuInitSecondary, &[*cpu]).expect("answered");
    }
    let code = proxy.memalign(64, 64).expect("room");
    let words: Vec<u8> = [LOAD, SET_FIELD]
        .as_flattened()
        .iter()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    proxy.write_memory(code, &words).expect("written");
    proxy.sync_code(code, 64).expect("answered");
    let (load, set_field) = (code, code + 8);
    let found = proxy.read32(config).expect("readable");
    let mut on = Config(found);
    on.set_enable(true);
    proxy
        .op(Op::Write32, &[config, on.0.into()])
        .expect("written");

    // As existing tools do it: one request and its answer per access, without a proof behind it.
    proxy.relax(true);
    let mut landed = 0;
    let (start, requests) = (proxy.now(), proxy.stats().requests);
    for _ in 0..BY_HAND {
        proxy
            .op(Op::SmpCallSync, &[ids[1], set_field, 0])
            .expect("answered");
        proxy
            .op(Op::Write32, &[at(Bank::MaskClr), bit])
            .expect("written");
        proxy
            .op(Op::Write32, &[at(Bank::SwSet), bit])
            .expect("written");
        for (cpu, id) in ids.iter().enumerate() {
            let word = match cpu {
                0 => proxy.op(Op::Read32, &[event]),
                _ => proxy.op(Op::SmpCallSync, &[*id, load, event]),
            };
            // The loader's own handler may have been faster: then it says so on its console.
            let text = proxy.take_console();
            let said = String::from_utf8_lossy(&text).contains("Exception: IRQ");
            if said || word.expect("answered") & 0xffff == u64::from(line.number) {
                landed += 1;
                break;
            }
        }
        proxy
            .op(Op::Write32, &[at(Bank::MaskSet), bit])
            .expect("written");
        proxy
            .op(Op::Write32, &[at(Bank::SwClr), bit])
            .expect("written");
    }
    let rate = Rate {
        triggers: BY_HAND.into(),
        requests: proxy.stats().requests - requests,
        time: proxy.now() - start,
    };
    proxy.relax(false);
    assert_eq!(landed, BY_HAND, "every interrupt is seen by hand, too");
    proxy
        .op(Op::SmpCallSync, &[ids[1], set_field, 3])
        .expect("answered");
    proxy
        .op(Op::Write32, &[config, found.into()])
        .expect("written");
    proxy.free(code).expect("answered");
    rate
}

/// The protocol's data checksum, the fastest of ten.
pub fn checksum_throughput() {
    let data: Vec<u8> = (0..16u32 << 20)
        .map(|i| (i.wrapping_mul(0x9e37_79b1) >> 24) as u8)
        .collect();
    let best = (0..10)
        .map(|_| {
            let start = Instant::now();
            black_box(checksum(black_box(&data)));
            start.elapsed()
        })
        .min()
        .unwrap_or(Duration::MAX);
    println!(
        "{:<66} {:>8.0} MB/s (at least 500)",
        "data checksum, 16 MiB",
        data.len() as f64 / best.as_secs_f64() / 1e6
    );
}
