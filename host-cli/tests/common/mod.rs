//! What the tests that boot the firmware share.
#![allow(dead_code, reason = "every test file uses a part of it")]

mod program;
#[cfg(unix)]
pub mod pty;
pub mod regs;
pub mod trees;

use std::process::Output;

pub use program::program;

use host_cli::firmware::Firmware;
use host_cli::link::VirtualLink;
use host_cli::plan::{MaskedCpu, Plan, Request};
use host_cli::proxy::Proxy;
use host_cli::result::RouteResult;
use host_cli::route::{Setting, make_plan, measure};
use host_cli::session::{Observer, Outcome, Silent};
use host_cli::target::Target;
use virtual_soc::{SocModel, VirtualTarget};

/// Ends a test that needs the firmware where the program was built without it, and says so.
#[macro_export]
macro_rules! needs_firmware {
    () => {
        if !host_cli::firmware::Firmware::is_built_in() {
            eprintln!(
                "skipped: built without a firmware image (AICPROBE_FW_IMAGE); cargo xtask test builds both"
            );
            return;
        }
    };
}

/// A run of a plan on a virtual SoC, seen from inside and outside.
pub struct Run {
    pub outcome: Outcome,
    pub result: Option<RouteResult>,
    /// The target afterwards.
    pub target: VirtualTarget,
}

impl Run {
    pub fn result(&self) -> &RouteResult {
        self.result.as_ref().expect("nothing was measured")
    }

    /// Checks from outside the firmware that the target is as it was found.
    pub fn assert_as_found(&self) {
        let differences = self.target.as_found().differences(&self.target.snapshot());
        assert!(differences.is_empty(), "{differences:?}");
    }

    /// The same, and that the program says so.
    pub fn assert_restored(&self) {
        self.assert_as_found();
        let result = self.result();
        assert!(result.restored, "{:?}", result.restore);
        assert!(result.restore.checked > 100, "{:?}", result.restore);
    }
}

/// The built-in model `t8140` with changes.
pub fn variant(changes: &str) -> SocModel {
    let text =
        format!("extends = \"t8140\"\nname = \"variant\"\ntitle = \"T8140, changed\"\n{changes}");
    SocModel::from_toml(&text, "test").expect("a usable model")
}

pub fn t8140() -> SocModel {
    SocModel::builtin("t8140").expect("built in")
}

pub fn route(model: &SocModel, request: &Request) -> Run {
    route_watched(model, request, &mut Silent)
}

pub fn route_watched(model: &SocModel, request: &Request, observer: &mut dyn Observer) -> Run {
    run_plan(
        model,
        |proxy, target| make_plan(proxy, target, request).expect("a plan"),
        observer,
    )
}

/// Runs the plan that `plan` makes.
pub fn run_plan(
    model: &SocModel,
    plan: impl FnOnce(&mut Proxy<'_>, &Target) -> Plan,
    observer: &mut dyn Observer,
) -> Run {
    run_firmware(
        &Firmware::load(None).expect("an image"),
        model,
        plan,
        observer,
    )
}

/// The same with a firmware of the caller's.
pub fn run_firmware(
    firmware: &Firmware,
    model: &SocModel,
    plan: impl FnOnce(&mut Proxy<'_>, &Target) -> Plan,
    observer: &mut dyn Observer,
) -> Run {
    let seed = 1;
    let target = VirtualTarget::from_model(model, seed).expect("a usable model");
    let mut link = VirtualLink::new(target);
    let mut proxy = Proxy::connect(&mut link).expect("the loader answers");
    let target = Target::discover(&mut proxy).expect("a usable target");
    let plan = plan(&mut proxy, &target);
    let setting = Setting {
        target_name: "vm:test".to_owned(),
        seed,
        marks: Vec::new(),
        slice_ns: Some(100.0),
        looked: host_cli::target::Looked::default(),
    };
    let (outcome, result) = measure(&mut proxy, &target, firmware, &plan, &setting, observer)
        .expect("the session starts");
    drop(proxy);
    Run {
        outcome,
        result,
        target: link.into_target(),
    }
}

/// `[n, 0, 0, ...]` with `n` at `cpu`, for six CPUs.
pub fn all_on(cpu: usize, n: u64) -> [u64; 6] {
    let mut counts = [0; 6];
    counts[cpu] = n;
    counts
}

pub const CPU0_35MS: MaskedCpu = MaskedCpu { cpu: 0, us: 35_000 };

/// Runs the program; everything it says, and its exit code.
pub fn aicprobe(args: &[&str]) -> Output {
    program().args(args).output().expect("the program starts")
}

/// How many errors and remarks a standard error holds; what is set in belongs to the line above.
pub fn remarks(stderr: &str) -> usize {
    stderr.lines().filter(|l| !l.starts_with("  ")).count()
}

/// The same with its standard error going elsewhere.
pub fn aicprobe_with_stderr(args: &[&str], stderr: std::process::Stdio) -> Output {
    program()
        .args(args)
        .stderr(stderr)
        .output()
        .expect("the program starts")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}
