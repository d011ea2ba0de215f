//! The loop between a machine and its clients.

use std::collections::VecDeque;
use std::io;
use std::time::{Duration, Instant};

use virtual_soc::RawStop;

use super::machine::Vm;
use super::pace::Pace;
use super::port::{Port, Received};

/// Virtual time that passes between two looks for input.
const SLICE: Duration = Duration::from_millis(1);
/// Virtual time after a byte in either direction during which the machine runs as fast as it can.
const HURRY: Duration = Duration::from_millis(10);
/// The same after a client has gone: a transfer that it broke off ends.
const SETTLE: Duration = Duration::from_secs(1);
/// Longest wait for input; the machine's clock goes on in steps of this.
const TICK: Duration = Duration::from_millis(5);
/// Output that nobody has taken at which the machine stops, as behind a port with flow control.
const MOST_PENDING: usize = 1 << 20;
/// Output that is kept for the first client; the same limit as above would only be noise to it.
const MOST_HELD: usize = 1 << 16;
/// Input that the machine has not read at which no more is taken for it: an image that boots would have to swallow all that a
/// client sends meanwhile before it answers anybody.
const MOST_UNREAD: usize = 4096;
/// What comes within this time after a restart is lost: a loader that starts does not listen yet, and would else take the next
/// request of whoever has crashed it. Stock m1n1 needs about as long on the built-in models.
const DEAF: Duration = Duration::from_millis(40);
const CHUNK: usize = 4096;

/// What happens while serving.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// A client has opened the port.
    Came,
    /// It has closed it.
    Went,
    /// What ran was gone (a loader that crashed or was told to restart, an image that had the machine reset) and was started again.
    Restarted,
}

/// Why serving ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It was told to.
    Told,
    /// The machine does not run any more.
    Machine(RawStop),
    /// Nobody takes its output any more.
    Closed,
}

/// Serves `vm` on `port` until `stop` says so, or the machine or the port ends.
///
/// Virtual time passes with the wall clock, and faster while bytes go; a machine that is slower than the clock is not driven to
/// catch up. Output from before the first client is kept for it, the last 64 KiB; later on, what comes while nobody is there is lost, as
/// on a cable.
///
/// # Errors
/// What the system says about the port; a stand-in that cannot be made again.
pub fn serve(
    vm: &mut Vm,
    port: &mut dyn Port,
    stop: &dyn Fn() -> bool,
    note: &mut dyn FnMut(Note),
) -> io::Result<End> {
    let mut buf = vec![0; CHUNK];
    let mut out: VecDeque<u8> = VecDeque::new();
    let mut pace = Pace::new(Instant::now());
    let mut hurry_until = Duration::ZERO;
    let mut deaf_until = Duration::ZERO;
    let (mut client, mut had_client) = (false, false);
    loop {
        if stop() {
            return Ok(End::Told);
        }
        let came = if out.len() < MOST_PENDING && vm.unread() < MOST_UNREAD {
            port.read(&mut buf)?
        } else if port.is_open()? {
            Received::Nothing
        } else {
            Received::Nobody
        };
        let there = came != Received::Nobody;
        if there != client {
            client = there;
            note(if there { Note::Came } else { Note::Went });
            if !there {
                out.clear();
                // Whatever it has left behind comes to its end before the next one is here.
                hurry_until = vm.now() + SETTLE;
            }
        }
        had_client |= client;
        if let Received::Bytes(n) = came {
            if vm.now() >= deaf_until {
                vm.send(&buf[..n]);
            }
            hurry_until = vm.now() + HURRY;
        }
        let before = vm.now();
        let hurry = before < hurry_until;
        let due = pace.due(Instant::now());
        let may_run = out.len() < MOST_PENDING && vm.stopped().is_none();
        let span = if hurry { SLICE } else { due.min(SLICE) };
        if may_run && !span.is_zero() {
            let n = vm.run(&mut buf, span);
            pace.passed(vm.now().saturating_sub(before));
            if n > 0 {
                hurry_until = vm.now() + HURRY;
            }
            if client || !had_client {
                out.extend(&buf[..n]);
            }
            if !client {
                out.drain(..out.len().saturating_sub(MOST_HELD));
            }
            if vm.restart_if_gone().map_err(io::Error::other)? {
                note(Note::Restarted);
                // Its clock begins anew.
                hurry_until = vm.now() + HURRY;
                deaf_until = vm.now() + DEAF;
            }
        }
        if client && !out.is_empty() {
            let (first, _) = out.as_slices();
            match port.write(first) {
                Ok(n) => drop(out.drain(..n)),
                Err(e) if e.kind() == io::ErrorKind::BrokenPipe => return Ok(End::Closed),
                Err(e) => return Err(e),
            }
        }
        if let Some(why) = vm.stopped()
            && (out.is_empty() || !client)
        {
            return Ok(End::Machine(why));
        }
        let busy = may_run && (hurry || due > SLICE);
        let limit = if busy { Duration::ZERO } else { TICK };
        port.wait(client && !out.is_empty(), limit)?;
    }
}
