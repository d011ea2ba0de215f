//! Finding the loader on a link, and on a UART the speed to talk at.
//!
//! A UART's loader starts at 115200 baud; a client before us may have left it at 1500000. The exchange that changes the
//! speed: third party (m1n1 `src/proxy.c`, P_SET_BAUD): the loader prints a line, sets the divider, sends a word some
//! times and then its reply, all of it at the new speed.

use std::time::Duration;

use crate::link::BOOT_BAUD;

use super::client::{Answer, Proxy};
use super::error::ProxyError;
use super::frame::{Kind, request, words};
use super::ops::Op;

/// Speed that the stock client uses, and that the loader's divider makes exactly.
const FAST_BAUD: u32 = 1_500_000;
/// The loader's number of its UART.
const UART: u64 = 0;
/// What the loader sends after the change, and how often; it begins no frame.
const PATTERN: u64 = 0x005a_a5f0;
const PATTERN_COUNT: u64 = 16;
/// How long the loader may talk before its end of the line has changed.
const SETTLE: Duration = Duration::from_millis(100);
/// Deadline of a NOP that tries a speed.
const TRY: Duration = Duration::from_millis(120);
/// NOPs in a row that a new speed has to carry.
const PROOF: u32 = 3;

/// How to connect.
#[derive(Clone, Copy, Debug, Default)]
pub struct ConnectOptions {
    /// How long to go on trying when nobody answers.
    pub wait: Duration,
    /// Asked whether the user wants to stop, see [`Proxy::stop_when`].
    pub stop: Option<fn() -> bool>,
    /// Told when the loader stays silent for longer than an answer takes, before the link counts as lost.
    pub notice: Option<fn(&str)>,
    /// Memory transfers go without checksums where the loader grants it (USB): for programs that measure what they cost. A
    /// damaged byte is then not always noticed, so that no command of this program asks for it.
    pub bare_data: bool,
}

/// Finds the loader, at whatever speed, and raises the speed of a UART.
pub(super) fn establish(proxy: &mut Proxy<'_>, wait: Duration) -> Result<(), ProxyError> {
    const WHAT: &str = "the first NOP";
    let end = proxy.now() + wait;
    let mut speeds = vec![None];
    if let Some(first) = proxy.link.baud() {
        speeds = [first, FAST_BAUD, BOOT_BAUD].map(Some).to_vec();
        speeds.dedup();
        speeds.truncate(if first == BOOT_BAUD { 2 } else { 3 });
    }
    let start = proxy.now();
    loop {
        for speed in &speeds {
            proxy.check_stop(WHAT)?;
            if let Some(speed) = *speed {
                set_speed(proxy, speed)?;
            }
            match proxy.resync(WHAT) {
                Ok(()) => {
                    proxy.settle_features(WHAT)?;
                    return raise_speed(proxy);
                }
                Err(ProxyError::Timeout { .. }) => {}
                Err(e) => return Err(e),
            }
        }
        if proxy.now() >= end {
            return Err(ProxyError::Timeout {
                what: WHAT.to_owned(),
                after: proxy.now().saturating_sub(start),
            });
        }
    }
}

/// After silence: whether the target has restarted and is back at its first speed. The line stays there if so.
pub(super) fn answers_at_boot_speed(proxy: &mut Proxy<'_>) -> Result<bool, ProxyError> {
    match proxy.link.baud() {
        Some(now) if now != BOOT_BAUD => {
            set_speed(proxy, BOOT_BAUD)?;
            if proxy.nop(TRY, "P_NOP at the first speed")? {
                return Ok(true);
            }
            set_speed(proxy, now)?;
            Ok(false)
        }
        _ => Ok(false),
    }
}

fn set_speed(proxy: &mut Proxy<'_>, baud: u32) -> Result<(), ProxyError> {
    if proxy.link.baud() != Some(baud) {
        proxy.link.set_baud(baud)?;
        proxy.rx.clear();
    }
    Ok(())
}

/// Raises the speed where the far end is a UART that can; verified, and taken back if it does not work.
fn raise_speed(proxy: &mut Proxy<'_>) -> Result<(), ProxyError> {
    let Some(old) = proxy.link.baud() else {
        return Ok(());
    };
    match proxy.op(Op::IodevWhoami, &[]) {
        Ok(UART) => {}
        // The loader has another kind of link at its end: ours has no speed either.
        Ok(_) | Err(ProxyError::UnknownOp { .. }) => return Ok(()),
        Err(e) => return Err(e),
    }
    if old == FAST_BAUD {
        proxy.line.push(format!("the line runs at {old} baud"));
        return Ok(());
    }
    // A line that does not take the speed at our end must not get it at the other.
    let takes = set_speed(proxy, FAST_BAUD);
    set_speed(proxy, old)?;
    if takes.is_err() {
        let note = format!("this end of the line does not take {FAST_BAUD} baud: {old} baud stays");
        proxy.line.push(note);
        return Ok(());
    }
    let payload = words([
        Op::SetBaud as u64,
        FAST_BAUD.into(),
        PATTERN_COUNT,
        PATTERN,
        0,
        0,
        0,
    ]);
    proxy.send(&request(Kind::Proxy, &payload), 1)?;
    // The reply comes at the new speed. If it can be read at the old one, then nothing was changed (or the line has no
    // speed of its own).
    let what = Op::SetBaud.name();
    if let Answer::Reply(r) = proxy.answer(Kind::Proxy, Some(Op::SetBaud), SETTLE, what)?
        && (r.status != 0 || r.word(1) != 0)
    {
        let note = format!("the loader cannot change the speed of its line: {old} baud stays");
        proxy.line.push(note);
        return Ok(());
    }
    if set_speed(proxy, FAST_BAUD).is_ok() && proven(proxy)? {
        let note = format!("the line runs at {FAST_BAUD} baud (it was at {old})");
        proxy.line.push(note);
        return Ok(());
    }
    set_speed(proxy, old)?;
    match proxy.resync(what) {
        Ok(()) => {
            let note = format!("nobody answers at {FAST_BAUD} baud: {old} baud stays");
            proxy.line.push(note);
            Ok(())
        }
        Err(e) => Err(e),
    }
}

/// Whether a few NOPs in a row are answered at the new speed. The first may meet the rest of the loader's pattern.
fn proven(proxy: &mut Proxy<'_>) -> Result<bool, ProxyError> {
    let mut row = 0;
    for _ in 0..PROOF + 2 {
        row = if proxy.nop(TRY, "P_NOP at the new speed")? {
            row + 1
        } else {
            0
        };
        if row == PROOF {
            return Ok(true);
        }
    }
    Ok(false)
}
