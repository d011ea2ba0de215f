//! Whose it is, and how it was left.

use crate::evidence::{Run, TargetFile, name};
use crate::result::CpuState;
use crate::socs::Soc;
use crate::verify::VerifyResult;

use super::super::ReasonKind;
use super::Reasons;

/// How the target was left, and who took part.
pub(super) fn state(result: &VerifyResult, found: &mut Reasons) {
    let head = &result.record.head;
    if !head.complete {
        let text = "not everything that was planned ran to its end";
        found.add(ReasonKind::Interrupted, name::RESULT, text);
    }
    if !head.restored {
        let text = "the target was not left as it was found";
        found.add(ReasonKind::NotRestored, name::RESULT, text);
    }
    for cpu in head.cpus.iter().filter(|c| c.state != CpuState::Running) {
        let about = format!("CPU {} (MPIDR {})", cpu.id, cpu.mpidr);
        let text = format!("it did not take part: {}", cpu.state.name());
        found.add(ReasonKind::CpuLeftOut, &about, &text);
    }
}

/// Whether every file is about the same machine and the same program.
pub(super) fn device(
    result: &VerifyResult,
    target: Option<&TargetFile>,
    run: Option<&Run>,
    found: &mut Reasons,
) {
    let soc = &result.record.head.soc;
    if soc.chip_id.is_none() || soc.board.is_empty() {
        let text = "chip id and board are needed, and the device tree did not give both";
        found.add(ReasonKind::Device, name::RESULT, text);
    }
    let mut same = |what: &str, file: &str, a: &str, b: &str| {
        if a != b {
            let text = format!("{what}: {a:?} in {file}, {b:?} in {}", name::RESULT);
            found.add(ReasonKind::Device, file, &text);
        }
    };
    let chip = |id: Option<u32>| id.map_or_else(String::new, |id| format!("{id:#x}"));
    if let Some(target) = target {
        let theirs = &target.soc;
        same(
            "chip",
            name::TARGET,
            &chip(theirs.chip_id),
            &chip(soc.chip_id),
        );
        same("board", name::TARGET, &theirs.board, &soc.board);
        same("model", name::TARGET, &target.device.model, &soc.model);
    }
    if let Some(run) = run {
        let build = &result.record.head.build;
        same(
            "firmware",
            name::RUN,
            &run.firmware.build_id,
            &build.firmware,
        );
        same("aicprobe", name::RUN, &run.tool.version, &build.tool);
        same("target", name::RUN, &run.target, &result.record.head.target);
    }
}

/// CPUs that the SoC has and the machine has not: nobody has measured them.
pub(super) fn cpus_missing(result: &VerifyResult, soc: &Soc, found: &mut Reasons) {
    for cpu in &soc.cpu {
        let text = cpu.mpidr.to_string();
        if result.record.head.cpus.iter().any(|c| c.mpidr == text) {
            continue;
        }
        let about = format!("MPIDR {text}");
        let text = format!(
            "{} has this CPU and the machine has not: needed is one that has all",
            soc.soc
        );
        found.add(ReasonKind::CpuLeftOut, &about, &text);
    }
}
