//! What is asked beside cells.

use aic_regs::aic::Generation;
use protocol::Register;
use protocol::command::{FiqCell, IpiCell, Reach, Receive};

use crate::plan::Question;

use super::Ground;

/// Fast IPIs, timers and direct IPIs of a question.
const FIQS: u32 = 16;
const IPIS: u32 = 200;
/// How long each may take, in microseconds.
const IPI_TIMEOUT_US: u32 = 1_000;

/// SIQ_CFG of every CPU, before its field is written and after each time; FIQs of every CPU with every value; fast IPIs from the boot CPU to each.
pub fn questions(ground: &Ground<'_>) -> Vec<Question> {
    let cpus = &ground.running;
    let v1 = ground.target.aic.geometry.generation == Generation::V1;
    let mut all: Vec<Question> = cpus
        .iter()
        .map(|cpu| Question::Read(*cpu, Register::SiqCfg))
        .collect();
    if cpus.len() < 2 {
        return all;
    }
    for cpu in cpus {
        for field in 0..if v1 { 0 } else { 4u8 } {
            all.push(Question::Fiq(FiqCell {
                id: all.len() as u32,
                cpu: *cpu,
                field,
                count: FIQS,
                timeout_us: IPI_TIMEOUT_US,
            }));
            // The field was written: the other bits may have changed with it.
            all.push(Question::Read(*cpu, Register::SiqCfg));
        }
    }
    for to in &cpus[1..] {
        all.push(Question::Ipi(IpiCell {
            id: all.len() as u32,
            from: cpus[0],
            to: *to,
            reach: Reach::Global,
            kind: 0,
            receive: Receive::Normal,
            count: IPIS,
            timeout_us: IPI_TIMEOUT_US,
        }));
    }
    all
}
