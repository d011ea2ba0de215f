//! Fast IPIs: when they are lost, whom they reach, when they merge.

use protocol::command::{IpiCell, Reach, Receive};
use protocol::message::IpiResult;

use crate::plan::Question;
use crate::session::Reply;

use super::Observation;
use super::lab::{Claim, Evidence, Judge, Lab, untried};

const SECONDARY: &str = "there is no secondary";
/// Pairs of CPUs of which a note tells.
const MOST_NOTES: usize = 6;
/// IPIs of an experiment.
const COUNT: u32 = 16;

fn ipi(from: u8, to: u8) -> IpiCell {
    IpiCell {
        id: 0,
        from,
        to,
        reach: Reach::Global,
        kind: 0,
        receive: Receive::Normal,
        count: COUNT,
        timeout_us: 1_000,
    }
}

fn answer<'e>(e: &Evidence<'e>, question: usize) -> Result<&'e IpiResult, String> {
    match e.reply(question) {
        Some(Reply::Ipi(r)) => match (r.trapped, r.refusal) {
            (Some(esr), _) => Err(format!("sending traps, ESR {esr:#x}")),
            (_, Some(refusal)) => Err(crate::session::describe(refusal)),
            _ => Ok(r),
        },
        _ => Err("it was not reached".to_owned()),
    }
}

/// The judge of a claim about one question.
fn about(
    question: usize,
    id: &'static str,
    row: u8,
    claim: &'static str,
    count: fn(&IpiResult) -> (u64, u64),
) -> Judge {
    Box::new(move |e| {
        vec![match answer(e, question) {
            Ok(r) => {
                let (held, against) = count(r);
                Observation::counted(id, row, claim, held, against)
            }
            Err(why) => Observation::untried(id, row, claim, why),
        }]
    })
}

fn all(judges: Vec<Judge>) -> Judge {
    Box::new(move |e| judges.iter().flat_map(|j| j(e)).collect())
}

/// Row 15: acknowledged after the work, and without a barrier.
pub fn late_acknowledge(lab: &mut Lab<'_>) -> Judge {
    const LATE: Claim = (
        "late-acknowledge-loses-ipis",
        "a fast IPI sent before the one before it is acknowledged is lost",
    );
    const BARE: Claim = (
        "acknowledge-without-isb-loses-ipis",
        "a fast IPI sent right after an acknowledgement without ISB is lost",
    );
    if lab.cpus() < 2 {
        return untried(15, &[LATE, BARE], SECONDARY);
    }
    let mut ask = |receive| {
        lab.ask(Question::Ipi(IpiCell {
            receive,
            ..ipi(0, 1)
        }))
    };
    let missed: fn(&IpiResult) -> (u64, u64) = |r| (r.missed.into(), (r.sent - r.missed).into());
    let late = ask(Receive::LateAcknowledge);
    let bare = ask(Receive::NoBarrier);
    all(vec![
        about(late, LATE.0, 15, LATE.1, missed),
        about(bare, BARE.0, 15, BARE.1, missed),
    ])
}

/// Row 16: every pair of clusters, by both registers.
pub fn reach(lab: &mut Lab<'_>) -> Judge {
    const GLOBAL: &str = "global-ipi-arrives";
    const GLOBAL_CLAIM: &str = "a global fast IPI reaches the CPU that it names, in any cluster";
    const OWN: &str = "local-ipi-arrives-in-own-cluster";
    const OWN_CLAIM: &str = "a local fast IPI reaches a CPU of the sender's cluster";
    const OTHER: &str = "local-ipi-crosses-clusters";
    const OTHER_CLAIM: &str = "a local fast IPI reaches a CPU of another cluster";
    let cluster = |cpu: u8| {
        let mpidr = lab.facts.target.cpus[usize::from(cpu)].mpidr;
        mpidr >> 8 & 0xffff
    };
    // The first CPU of each cluster sends, the last of each receives.
    let mut clusters: Vec<(u64, u8, u8)> = Vec::new();
    for cpu in 0..lab.cpus() {
        let name = cluster(cpu);
        match clusters.iter_mut().find(|(c, ..)| *c == name) {
            Some((_, _, last)) => *last = cpu,
            None => clusters.push((name, cpu, cpu)),
        }
    }
    let mut asked = Vec::new();
    for (own, from, _) in clusters.clone() {
        for (other, first, last) in clusters.clone() {
            // A CPU may be alone in its cluster.
            let to = if last == from { first } else { last };
            if to == from {
                continue;
            }
            for reach in [Reach::Global, Reach::Local] {
                let cell = IpiCell {
                    reach,
                    count: 4,
                    ..ipi(from, to)
                };
                asked.push((reach, own == other, from, to, lab.ask(Question::Ipi(cell))));
            }
        }
    }
    Box::new(move |e| {
        let count = |reach, same: Option<bool>, id: &str, claim: &str| {
            let (mut held, mut against) = (0, 0);
            let (mut notes, mut reasons): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
            for (r, s, from, to, question) in &asked {
                if *r != reach || same.is_some_and(|same| same != *s) {
                    continue;
                }
                match answer(e, *question) {
                    Ok(result) => {
                        let missed = u64::from(result.missed);
                        held += u64::from(result.sent) - missed;
                        against += missed;
                        if missed > 0 {
                            let took = takers(result);
                            notes.push(format!("from {from} to {to}: {took}"));
                        }
                    }
                    Err(why) if reasons.contains(&why) => {}
                    Err(why) => reasons.push(why),
                }
            }
            let more = notes.len().saturating_sub(MOST_NOTES);
            notes.truncate(MOST_NOTES);
            if more > 0 {
                notes.push(format!("and {more} more"));
            }
            if reach == Reach::Local && same == Some(false) {
                // IPI_RR_LOCAL has the core in [7:0] and nothing else is known of it (third party).
                notes.push("the request names a core, no cluster".to_owned());
            }
            notes.extend(reasons);
            Observation::counted(id, 16, claim, held, against).noted(notes.join(", "))
        };
        vec![
            count(Reach::Global, None, GLOBAL, GLOBAL_CLAIM),
            count(Reach::Local, Some(true), OWN, OWN_CLAIM),
            count(Reach::Local, Some(false), OTHER, OTHER_CLAIM),
        ]
    })
}

/// Who took fast IPIs, in words.
fn takers(result: &IpiResult) -> String {
    let took = result.received.iter().enumerate().filter(|(_, n)| **n > 0);
    let took: Vec<String> = took.map(|(cpu, _)| cpu.to_string()).collect();
    if took.is_empty() {
        "taken by nobody".to_owned()
    } else {
        format!("taken by CPU {}", took.join(" and "))
    }
}

/// Row 17: sent while one is pending; the other types.
pub fn merging(lab: &mut Lab<'_>) -> Judge {
    const MERGE: Claim = (
        "pending-ipis-merge",
        "fast IPIs that are sent while one is pending are delivered as one",
    );
    const KINDS: [(u8, Claim); 3] = [
        (
            1,
            ("retract-delivers", "a retracting request delivers an IPI"),
        ),
        (
            2,
            (
                "deferred-ipi-arrives",
                "a deferred IPI arrives within a millisecond",
            ),
        ),
        (
            3,
            (
                "no-wake-ipi-arrives",
                "a no-wake IPI reaches a CPU that is awake now and then",
            ),
        ),
    ];
    if lab.cpus() < 2 {
        let claims: Vec<Claim> = std::iter::once(MERGE)
            .chain(KINDS.map(|(_, claim)| claim))
            .collect();
        return untried(17, &claims, SECONDARY);
    }
    let held = lab.ask(Question::Ipi(IpiCell {
        receive: Receive::Held,
        ..ipi(0, 1)
    }));
    let merged: fn(&IpiResult) -> (u64, u64) = |r| {
        let received = r.received.get(1).copied().unwrap_or(0);
        (
            r.sent.saturating_sub(received.max(1)).into(),
            received.saturating_sub(1).into(),
        )
    };
    let arrived: fn(&IpiResult) -> (u64, u64) = |r| ((r.sent - r.missed).into(), r.missed.into());
    let mut judges = vec![about(held, MERGE.0, 17, MERGE.1, merged)];
    for (kind, (id, claim)) in KINDS {
        let cell = IpiCell {
            kind,
            count: 4,
            ..ipi(0, 1)
        };
        let question = lab.ask(Question::Ipi(cell));
        judges.push(about(question, id, 17, claim, arrived));
    }
    all(judges)
}
