//! Sessions that are broken off: by the user before any CPU is in the firmware, and by a link or host that dies.

mod common;

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use common::variant;
use host_cli::cli::exit_code;
use host_cli::error::{Error, exit};
use host_cli::firmware::Firmware;
use host_cli::link::{Link, LinkError, VirtualLink};
use host_cli::plan::Request;
use host_cli::proxy::Proxy;
use host_cli::result::{CpuState, Mark, RouteResult};
use host_cli::route::{Setting, make_plan, measure};
use host_cli::session::{Event, Observer, Outcome, Restoring, Silent};
use host_cli::target::Target;
use virtual_soc::{SocModel, VirtualTarget};

/// What CPUs do while they wait is most of a run's cost here.
const SLOW_CPUS: &str = "[timing]\nps_per_insn = 50000\n";

fn request(triggers: u32) -> Request {
    Request {
        fire_cpus: vec![1],
        triggers,
        ..Request::default()
    }
}

/// A whole run over `link`.
fn run(
    link: &mut dyn Link,
    request: &Request,
    stop: Option<fn() -> bool>,
    observer: &mut dyn Observer,
) -> Result<(Outcome, Option<RouteResult>), Error> {
    let mut proxy = Proxy::connect(link)?;
    proxy.stop_when(stop);
    let target = Target::discover(&mut proxy)?;
    let plan = make_plan(&mut proxy, &target, request)?;
    let setting = Setting {
        target_name: "vm:test".to_owned(),
        seed: 1,
        marks: Vec::<Mark>::new(),
        slice_ns: None,
        looked: host_cli::target::Looked::default(),
    };
    let firmware = Firmware::load(None).expect("an image");
    measure(&mut proxy, &target, &firmware, &plan, &setting, observer)
}

fn link_to(model: &SocModel) -> VirtualLink {
    VirtualLink::new(VirtualTarget::from_model(model, 1).expect("a usable model"))
}

#[test]
fn a_stop_in_the_upload_is_heeded_at_the_next_block() {
    needs_firmware!();
    static UPLOADING: AtomicBool = AtomicBool::new(false);
    static ASKED: AtomicUsize = AtomicUsize::new(0);
    /// The user stops it in the third block.
    fn stop() -> bool {
        UPLOADING.load(Ordering::Relaxed) && ASKED.fetch_add(1, Ordering::Relaxed) >= 3
    }
    struct Watch;
    impl Observer for Watch {
        fn on(&mut self, event: Event<'_>) {
            if matches!(event, Event::Step("uploading firmware")) {
                UPLOADING.store(true, Ordering::Relaxed);
            }
        }
    }
    let uart = "[loader]\nlink = \"uart\"\nbytes_per_second = 11520\n";
    let mut link = link_to(&variant(&format!("{uart}{SLOW_CPUS}")));
    let (outcome, result) = run(&mut link, &request(3), Some(stop), &mut Watch).expect("no error");
    assert!(outcome.interrupted && result.is_none());
    assert_eq!(outcome.restoring, Restoring::Untouched);
    assert_eq!(exit_code(&outcome).code, exit::INTERRUPTED);
    assert!(
        ASKED.load(Ordering::Relaxed) <= 6,
        "it went on after the stop"
    );
    // The loader waits for requests, has its memory back, and the next run is as any other.
    UPLOADING.store(false, Ordering::Relaxed);
    let (outcome, result) = run(&mut link, &request(3), None, &mut Silent).expect("no error");
    assert!(result.expect("numbers").complete && outcome.restoring.is_restored());
}

/// A link that dies for good when the firmware has been called so often.
struct Dies {
    inner: VirtualLink,
    calls: u32,
}

impl Link for Dies {
    fn send(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        /// P_CALL, as a PROXY frame begins with it.
        const CALL: [u8; 6] = [0xff, 0x55, 0xaa, 1, 2, 0];
        if bytes.starts_with(&CALL) {
            if self.calls == 0 {
                return Err(LinkError::Closed("the host died".to_owned()));
            }
            self.calls -= 1;
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

#[test]
fn a_lost_link_names_the_step() {
    needs_firmware!();
    let mut link = Dies {
        inner: link_to(&variant(SLOW_CPUS)),
        calls: 5,
    };
    let (outcome, _) = run(&mut link, &request(1_000_000), None, &mut Silent).expect("a session");
    let verdict = exit_code(&outcome);
    assert_eq!(verdict.code, exit::LINK);
    let text = &verdict.messages[0];
    assert!(
        text.contains("the host died") && text.contains("at step \"measuring\""),
        "{text}"
    );
}

#[test]
fn a_run_right_after_one_whose_host_died_waits_for_its_cpus() {
    needs_firmware!();
    /// Whether it was told.
    struct Told(bool);
    impl Observer for Told {
        fn on(&mut self, event: Event<'_>) {
            if let Event::Step(step) = event {
                self.0 |= step.contains("still inside a probe whose host died");
            }
        }
    }
    let mut link = Dies {
        inner: link_to(&variant(SLOW_CPUS)),
        calls: 5,
    };
    let died = run(&mut link, &request(1_000_000), None, &mut Silent);
    assert!(died.expect("a session").0.failure.is_some());
    let mut link = link.inner;
    let start = link.now();
    let mut told = Told(false);
    let (outcome, result) = run(&mut link, &request(3), None, &mut told).expect("a session");
    let result = result.expect("numbers");
    assert!(outcome.failure.is_none() && result.complete && result.restored);
    assert!(told.0 && link.now() - start > Duration::from_secs(3));
    assert!(
        result
            .marks
            .iter()
            .any(|m| m.text.contains("session before this one"))
    );
    // After that nobody has to wait, nor is anything said.
    let mut told = Told(false);
    let (_, result) = run(&mut link, &request(3), None, &mut told).expect("a session");
    let result = result.expect("numbers");
    assert!(!told.0 && result.complete);
    assert!(
        !result
            .marks
            .iter()
            .any(|m| m.text.contains("session before this one"))
    );
}

#[test]
fn a_stop_while_cpus_enter_calls_no_more_of_them() {
    needs_firmware!();
    /// Stops when so many questions whether to stop have been asked since the upload.
    struct Stops {
        uploaded: bool,
        asked: std::cell::Cell<u32>,
        at: u32,
    }
    impl Observer for Stops {
        fn on(&mut self, event: Event<'_>) {
            self.uploaded |= matches!(event, Event::Step("uploading firmware"));
        }
        fn stop(&self) -> bool {
            self.asked.set(self.asked.get() + u32::from(self.uploaded));
            self.asked.get() >= self.at
        }
    }
    let mut entered = Vec::new();
    for at in 1..=7 {
        let mut link = link_to(&variant(SLOW_CPUS));
        let mut stops = Stops {
            uploaded: false,
            asked: std::cell::Cell::new(0),
            at,
        };
        let (outcome, _) = run(&mut link, &request(3), None, &mut stops).expect("no error");
        assert!(outcome.interrupted && outcome.failure.is_none());
        assert_eq!(outcome.restoring, Restoring::Untouched);
        let target = link.target();
        let differences = target.as_found().differences(&target.snapshot());
        assert!(differences.is_empty(), "{at}: {differences:?}");
        let running = outcome.cpus.iter();
        entered.push(running.filter(|c| **c == CpuState::Running).count());
    }
    // In the upload, after the boot CPU's first slice, with one secondary inside to greet, and before each of the others.
    assert_eq!(entered, [0, 1, 2, 2, 3, 4, 5]);
}

/// Wherever a stop falls from the start of the secondaries on, the next run finds CPUs that it may call.
#[test]
fn after_a_stop_at_any_request_the_next_run_goes() {
    needs_firmware!();
    static LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);
    fn stop() -> bool {
        let before = LEFT.load(Ordering::Relaxed);
        LEFT.store(before.saturating_sub(1), Ordering::Relaxed);
        before == 0
    }
    let mut stopped = 0;
    for at in 0..12 {
        let mut link = link_to(&variant(SLOW_CPUS));
        struct Arm(usize);
        impl Observer for Arm {
            fn on(&mut self, event: Event<'_>) {
                if matches!(event, Event::Step("starting secondaries")) {
                    LEFT.store(self.0, Ordering::Relaxed);
                }
            }
        }
        LEFT.store(usize::MAX, Ordering::Relaxed);
        let first = run(&mut link, &request(3), Some(stop), &mut Arm(at));
        stopped += u32::from(first.is_err() || first.is_ok_and(|(o, _)| o.interrupted));
        LEFT.store(usize::MAX, Ordering::Relaxed);
        let (outcome, result) = run(&mut link, &request(3), None, &mut Silent)
            .unwrap_or_else(|e| panic!("stopped at question {at}: {e}"));
        assert!(outcome.failure.is_none(), "{at}: {:?}", outcome.failure);
        assert!(result.is_some_and(|r| r.complete && r.restored), "{at}");
    }
    assert!(stopped >= 2, "{stopped}");
}
