//! What a trigger costs in guest instructions, counted by the virtual SoC, and what a run reads of the controller before it: the
//! same on every host.

mod common;

use std::collections::BTreeMap;
use std::time::Duration;

use aic_regs::aic::Bank;
use common::route;
use host_cli::behaviour::{Options, observe};
use host_cli::firmware::Firmware;
use host_cli::link::{Link, LinkError, VirtualLink};
use host_cli::plan::Request;
use host_cli::proxy::Proxy;
use host_cli::route::{Planned, Setting, make_plan_forced, measure};
use host_cli::session::Silent;
use host_cli::target::Target;
use protocol::LineId;
use virtual_soc::{SocModel, VirtualTarget};

/// Instructions of all CPUs per trigger that every CPU fires in turn, without upload, start and end.
fn per_trigger(model: &str) -> f64 {
    let model = SocModel::builtin(model).expect("built in");
    let cpus = model.cpu.iter().filter(|cpu| cpu.present).count() as u32;
    let count = |triggers| {
        let request = Request {
            fire_cpus: (0..cpus).collect(),
            triggers,
            ..Request::default()
        };
        let run = route(&model, &request);
        let stats = run.target.stats();
        (stats.total_insns(), stats.triggers)
    };
    let (short, long) = (count(1_000), count(9_000));
    (long.0 - short.0) as f64 / (long.1 - short.1) as f64
}

#[test]
fn an_unmasked_trigger_costs_at_most_600_instructions() {
    needs_firmware!();
    let cost = per_trigger("t8140");
    assert!(cost <= 600.0, "{cost}");
}

#[test]
fn with_20_cpus_at_most_half_more_than_with_6() {
    needs_firmware!();
    let (six, twenty) = (per_trigger("t8140"), per_trigger("t6002"));
    assert!(twenty <= 1.5 * six, "{twenty} with 20 CPUs, {six} with 6");
}

/// A link that counts the reads of each word through the loader.
struct Counting {
    inner: VirtualLink,
    reads: BTreeMap<u64, u32>,
}

impl Link for Counting {
    fn send(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        /// P_READ32, as a PROXY frame begins with it; its address follows.
        const READ: [u8; 12] = [0xff, 0x55, 0xaa, 1, 5, 1, 0, 0, 0, 0, 0, 0];
        if let Some(address) = bytes.strip_prefix(&READ).and_then(|rest| rest.get(..8)) {
            let address = u64::from_le_bytes(address.try_into().expect("8 bytes"));
            *self.reads.entry(address).or_default() += 1;
        }
        self.inner.send(bytes)
    }

    fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        self.inner.recv(buf, timeout)
    }

    fn now(&self) -> Duration {
        self.inner.now()
    }

    fn is_virtual(&self) -> bool {
        true
    }
}

fn counting() -> Counting {
    let model = SocModel::builtin("t8140").expect("built in");
    let target = VirtualTarget::from_model(&model, 1).expect("a usable model");
    Counting {
        inner: VirtualLink::new(target),
        reads: BTreeMap::new(),
    }
}

/// Reads of the HW_STATE word of `line`, and of the MASK_CLR word of the first lines.
fn reads(link: &Counting, target: &Target, line: LineId) -> (u32, u32) {
    let of = |bank, word| {
        let offset = target.aic.geometry.bank_offset(bank, 0, word);
        let at = target.aic.base + u64::from(offset.expect("there is such a word"));
        link.reads.get(&at).copied().unwrap_or(0)
    };
    let word = u32::from(line.number) / 32;
    (of(Bank::HwState, word), of(Bank::MaskClr, 0))
}

/// Looks at a line before it is fired.
const WATCH: u32 = 11;

/// With a line that the user names, and with one that is found: it is watched once, and the banks are compared once.
#[test]
fn a_run_watches_its_line_once_and_compares_the_banks_once() {
    needs_firmware!();
    let firmware = Firmware::load(None).expect("an image");
    let found = LineId { die: 0, number: 0 };
    for named in [false, true] {
        let mut link = counting();
        let mut proxy = Proxy::connect(&mut link).expect("the loader answers");
        let target = Target::discover(&mut proxy).expect("a usable target");
        // One that the search would not come to.
        let lines = host_cli::target::candidates(&target.lines, 0);
        let lines = lines.skip(30).take(usize::from(named));
        let request = Request {
            lines: lines.map(|candidate| candidate.line).collect(),
            fire_cpus: vec![0],
            triggers: 1,
            ..Request::default()
        };
        let Planned {
            plan,
            marks,
            looked,
        } = make_plan_forced(&mut proxy, &target, &request, false).expect("a plan");
        let line = plan.cells.first().map_or(found, |cell| cell.line);
        let setting = Setting {
            target_name: "vm:t8140".to_owned(),
            seed: 1,
            marks,
            slice_ns: None,
            looked,
        };
        let (outcome, _) = measure(&mut proxy, &target, &firmware, &plan, &setting, &mut Silent)
            .expect("a session");
        assert!(outcome.failure.is_none());
        drop(proxy);
        assert_eq!(reads(&link, &target, line), (WATCH, 1), "{request:?}");
    }
}

/// The rows that fire lines need two: each is watched once.
#[test]
fn observing_watches_each_of_its_lines_once() {
    needs_firmware!();
    let firmware = Firmware::load(None).expect("an image");
    let mut link = counting();
    let mut proxy = Proxy::connect(&mut link).expect("the loader answers");
    let target = Target::discover(&mut proxy).expect("a usable target");
    let spare = host_cli::target::candidates(&target.lines, 0).next();
    let line = spare.expect("a candidate").line;
    let options = Options {
        triggers: 1,
        rows: vec![6],
        ..Options::default()
    };
    let observed = observe(&mut proxy, &target, &firmware, &options, 1, &mut Silent);
    assert!(observed.expect("observations").outcome.is_some());
    // A plan that would take hours is not begun without being allowed to be long.
    let long = Options {
        triggers: 1_000_000,
        ..options
    };
    let refused = observe(&mut proxy, &target, &firmware, &long, 1, &mut Silent);
    assert!(refused.is_err_and(|e| e.to_string().contains("--yes")));
    drop(proxy);
    // The search looks at one batch of candidates together; the second line lies in the same word. Twice, for two plans.
    let (watched, pairs) = reads(&link, &target, line);
    assert_eq!((watched, pairs), (4 * WATCH, 1));
}
