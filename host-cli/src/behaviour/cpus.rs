//! CPUs by themselves: registers that trap, registers lost in WFI.

use protocol::Register;
use protocol::message::Reading;

use crate::plan::Question;
use crate::session::Reply;

use super::Observation;
use super::lab::{Claim, Judge, Lab, untried};

/// Row 11: VM_TMR_FIQ_ENA read, and written with what it reads where the user allows it.
pub fn vm_timer_fiq_enable(lab: &mut Lab<'_>) -> Judge {
    const READ: &str = "vm-tmr-fiq-ena-reads";
    const READ_CLAIM: &str = "VM_TMR_FIQ_ENA_EL2 can be read";
    const WRITE: &str = "vm-tmr-fiq-ena-writes";
    const WRITE_CLAIM: &str = "VM_TMR_FIQ_ENA_EL2 can be written";
    let ids: Vec<u8> = (0..lab.cpus()).collect();
    let reads: Vec<usize> = ids
        .iter()
        .map(|cpu| lab.ask(Question::Read(*cpu, Register::VmTmrFiqEna)))
        .collect();
    let writes: Vec<usize> = if lab.facts.options.write_back {
        let ask = |cpu: &u8| lab.ask(Question::WriteBack(*cpu));
        ids.iter().map(ask).collect()
    } else {
        Vec::new()
    };
    Box::new(move |e| {
        let count = |questions: &[usize], id: &str, claim: &str| {
            let (mut held, mut against, mut esr) = (0, 0, None);
            for question in questions {
                match e.reply(*question) {
                    Some(Reply::Register {
                        reading: Some(Reading::Value(_)),
                        ..
                    }) => held += 1,
                    Some(Reply::Register {
                        reading: Some(Reading::Trapped(trap)),
                        ..
                    }) => {
                        against += 1;
                        esr = Some(*trap);
                    }
                    _ => {}
                }
            }
            let trap = esr.map_or_else(String::new, |esr| format!("ESR {esr:#x}"));
            Observation::counted(id, 11, claim, held, against).noted(trap)
        };
        let written = count(&writes, WRITE, WRITE_CLAIM);
        vec![
            count(&reads, READ, READ_CLAIM),
            if writes.is_empty() {
                written.noted("only with --write-back: a write may do harm on M4 and M5")
            } else {
                written
            },
        ]
    })
}

/// Row 13: a WFI that a timer ends.
pub fn wfi(lab: &mut Lab<'_>) -> Judge {
    const ID: &str = "wfi-keeps-registers";
    const CLAIM: &str = "a CPU comes out of WFI with its general registers as they were";
    const SYSTEM: &str = "wfi-keeps-system-registers";
    const SYSTEM_CLAIM: &str = "a CPU comes out of WFI with SIQ_CFG, DAIF and IPI_SR as they were";
    const CLAIMS: [Claim; 2] = [(ID, CLAIM), (SYSTEM, SYSTEM_CLAIM)];
    if lab.cpus() < 2 {
        return untried(13, &CLAIMS, "there is no secondary");
    }
    if !lab.facts.options.wfi {
        let why = "only with --allow-wfi: a CPU that no timer wakes is lost";
        return untried(13, &CLAIMS, why);
    }
    let questions: Vec<usize> = (1..lab.cpus())
        .map(|cpu| lab.ask(Question::Wfi(cpu, 200)))
        .collect();
    Box::new(move |e| {
        let (mut kept, mut lost, mut registers) = (0, 0, 0u32);
        let (mut system_kept, mut system_lost) = (0, 0);
        for question in &questions {
            if let Some(Reply::Wfi(slept)) = e.reply(*question)
                && let Some(changed) = slept.changed
            {
                kept += u64::from(changed == 0);
                lost += u64::from(changed != 0);
                registers |= changed;
                system_kept += u64::from(slept.system == 0);
                system_lost += u64::from(slept.system != 0);
            }
        }
        let which = if registers == 0 {
            String::new()
        } else {
            let lost: Vec<String> = (0..31)
                .filter(|n| registers >> n & 1 != 0)
                .map(|n| format!("x{n}"))
                .collect();
            if lost.len() == 31 {
                "x0 to x30 came back changed".to_owned()
            } else {
                format!("{} came back changed", lost.join(" "))
            }
        };
        vec![
            Observation::counted(ID, 13, CLAIM, kept, lost).noted(which),
            Observation::counted(SYSTEM, 13, SYSTEM_CLAIM, system_kept, system_lost),
        ]
    })
}
