//! What has to be said about rows, in words.

use crate::result::{CpuState, Head, Mark};

use super::Row;

/// Marks about CPUs that do not run, and about rows that do not show what they were to show.
pub fn mark(head: &mut Head, rows: &[Row], timeout_us: u32) {
    let left_out = head.cpus.iter().filter(|c| c.state != CpuState::Running);
    let left_out: Vec<String> = left_out.map(|c| c.id.to_string()).collect();
    if !left_out.is_empty() {
        let text = format!(
            "CPUs that do not run neither take an interrupt nor serve one: {}",
            left_out.join(", ")
        );
        head.marks.push(Mark::partial("rows", text));
    }
    if head.cpus.len() == left_out.len() + 1 {
        let text = "one CPU runs: nothing is handed to another one, and nobody is under load";
        head.marks.push(Mark::partial("rows", text));
    }
    let none = |r: &&Row| r.fired > 0 && r.served.iter().sum::<u64>() == 0;
    let unserved: Vec<&Row> = rows.iter().filter(none).collect();
    if let Some(first) = unserved.first() {
        let text = format!(
            "nothing was served within {timeout_us} us in {} of {} rows, the first is cell {}: {}",
            unserved.len(),
            rows.len(),
            first.id,
            landing(first)
        );
        head.marks.push(Mark::note("rows", text));
    }
    let elsewhere: Vec<(u64, u64)> = rows
        .iter()
        .map(|r| (elsewhere(r), r.fired))
        .filter(|(n, _)| *n > 0)
        .collect();
    if !elsewhere.is_empty() {
        let (n, of) = elsewhere
            .iter()
            .fold((0, 0), |(n, of), (more, fired)| (n + more, of + fired));
        let text = format!(
            "{n} of {of} triggers in {} rows landed on another CPU than the one that they were steered to: their times are among the counts",
            elsewhere.len()
        );
        head.marks.push(Mark::note("rows", text));
    }
}

/// Triggers that landed on another CPU than they were to.
fn elsewhere(row: &Row) -> u64 {
    let all = (0u8..).zip(&row.landed);
    let others = all.filter(|(cpu, _)| *cpu != row.land_cpu);
    others.map(|(_, n)| n).sum()
}

fn landing(row: &Row) -> String {
    let landed: u64 = row.landed.iter().sum();
    format!("{landed} of {} triggers landed", row.fired)
}

/// See [`super::HandoffReport::why_nothing`].
pub fn why_nothing(rows: &[Row], timeout_us: u32) -> Option<String> {
    let sum = |of: fn(&Row) -> u64| rows.iter().map(of).sum::<u64>();
    let fired = sum(|r| r.fired);
    if fired == 0 || sum(|r| r.served.iter().sum()) > 0 {
        return None;
    }
    let landed = sum(|r| r.landed.iter().sum());
    Some(if landed == 0 {
        format!(
            "none of {fired} triggers landed within the timeout of {timeout_us} us, so that nothing can be said about hand-overs; if delivery takes longer here, raise --timeout"
        )
    } else {
        format!(
            "{landed} of {fired} triggers landed, and none was served within the timeout of {timeout_us} us: no hand-over that was tried reaches anybody in that time"
        )
    })
}
