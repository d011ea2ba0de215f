//! The host's own client over a recording of an unmodified loader, byte for byte in both directions.
//!
//! `data/t8140-client.tape` is our own run: `AICPROBE_M1N1_BIN` names a loader image (commit 7c7716b6 when it was made),
//! `AICPROBE_RECORD` the file to write. Without them the recording is played: the client must send exactly what it sent
//! to the loader, and makes of the answers what it made then.

mod common;

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use host_cli::link::{Link, LinkError};
use host_cli::proxy::{Op, Proxy, ProxyError};
use host_cli::target::Target;
use host_cli::vm::{BOOT_LIMIT, Image, boot_loader};
use virtual_soc::SocModel;

const RECORDED: &str = include_str!("data/t8140-client.tape");
/// Alias at which the loader maps memory executable.
const EXECUTABLE: u64 = 0xc00_0000_0000;

/// Everything that was carried, in order; `true` = to the target. A turn of direction begins a new entry.
#[derive(Default)]
struct Tape(VecDeque<(bool, Vec<u8>)>);

impl Tape {
    fn add(&mut self, out: bool, bytes: &[u8]) {
        match self.0.back_mut() {
            Some((way, last)) if *way == out => last.extend(bytes),
            _ if bytes.is_empty() => {}
            _ => self.0.push_back((out, bytes.to_vec())),
        }
    }

    /// One line per entry: `>` or `<`, then hexadecimal bytes; `.N.` stands for N zeros.
    fn to_text(&self) -> String {
        let mut text = String::new();
        for (out, bytes) in &self.0 {
            text.push_str(if *out { "> " } else { "< " });
            let mut rest = &bytes[..];
            while let Some(first) = rest.first() {
                let zeros = rest.iter().take_while(|b| **b == 0).count();
                if zeros >= 2 {
                    write!(text, ".{zeros}.").expect("a string");
                    rest = &rest[zeros..];
                } else {
                    write!(text, "{first:02x}").expect("a string");
                    rest = &rest[1..];
                }
            }
            text.push('\n');
        }
        text
    }

    fn from_text(text: &str) -> Self {
        let entry = |line: &str| {
            let (way, hex) = line.split_at(2);
            let mut bytes = Vec::new();
            for (i, part) in hex.split('.').enumerate() {
                if i % 2 == 1 {
                    bytes.resize(bytes.len() + part.parse::<usize>().expect("a count"), 0);
                } else {
                    let digits =
                        |at: usize| u8::from_str_radix(&part[at..at + 2], 16).expect("hex");
                    bytes.extend((0..part.len()).step_by(2).map(digits));
                }
            }
            (way == "> ", bytes)
        };
        Self(text.lines().map(entry).collect())
    }
}

/// A link that notes what it carries.
struct Recorder<L> {
    link: L,
    tape: Tape,
}

impl<L: Link> Link for Recorder<L> {
    fn send(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        self.tape.add(true, bytes);
        self.link.send(bytes)
    }

    fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        let n = self.link.recv(buf, timeout)?;
        self.tape.add(false, &buf[..n]);
        Ok(n)
    }

    fn now(&self) -> Duration {
        self.link.now()
    }

    fn is_virtual(&self) -> bool {
        self.link.is_virtual()
    }

    fn bytes_per_second(&self) -> Option<u64> {
        self.link.bytes_per_second()
    }
}

/// A link that plays a recording and insists on what is sent.
struct Player {
    tape: Tape,
    /// Of the entry that is being sent: how much came.
    sent: usize,
    now: Duration,
}

impl Player {
    fn new(text: &str) -> Self {
        Self {
            tape: Tape::from_text(text),
            sent: 0,
            now: Duration::ZERO,
        }
    }
}

impl Link for Player {
    fn send(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        for byte in bytes {
            let Some((true, wanted)) = self.tape.0.front() else {
                panic!("the recording has an answer here, not {bytes:02x?}");
            };
            assert_eq!(
                *byte, wanted[self.sent],
                "the recording has another request"
            );
            self.sent += 1;
            if self.sent == wanted.len() {
                self.sent = 0;
                self.tape.0.pop_front();
            }
        }
        Ok(())
    }

    fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        let Some((false, ready)) = self.tape.0.front_mut() else {
            self.now += timeout;
            return Ok(0);
        };
        let n = ready.len().min(buf.len());
        for (to, from) in buf.iter_mut().zip(ready.drain(..n)) {
            *to = from;
        }
        if ready.is_empty() {
            self.tape.0.pop_front();
        }
        Ok(n)
    }

    fn now(&self) -> Duration {
        self.now
    }

    fn is_virtual(&self) -> bool {
        true
    }

    fn bytes_per_second(&self) -> Option<u64> {
        Some(150_000)
    }
}

/// What the client does before a firmware is there, and what every step of a session needs.
fn drive(link: &mut dyn Link) -> Result<(), ProxyError> {
    let mut proxy = Proxy::connect(link)?;
    let target = Target::discover(&mut proxy).expect("a target");
    assert_eq!(target.aic.base, 0x3_0100_0000);
    assert_eq!(
        (target.aic.geometry.nr_irq, target.aic.geometry.dies),
        (1504, 1)
    );
    let ids: Vec<u32> = target.cpus.iter().map(|c| c.adt_id).collect();
    assert_eq!(ids, [4, 0, 1, 2, 3, 5]);
    proxy.op(Op::SmpSetWfeMode, &[1])?;
    proxy.start_secondaries()?;
    for id in 0..6 {
        assert_eq!(proxy.op(Op::SmpIsAlive, &[id])? != 0, id != 4, "CPU {id}");
    }
    let memory = proxy.memalign(0x1_0000, 0x1_0000)?;
    assert_eq!(memory % 0x1_0000, 0);
    // MRS X0, MPIDR_EL1; RET.
    let code = [0xd538_00a0_u32, 0xd65f_03c0];
    let bytes: Vec<u8> = code.iter().flat_map(|w| w.to_le_bytes()).collect();
    proxy.write_memory(memory, &bytes)?;
    let mut back = [0; 8];
    proxy.read_memory(memory, &mut back)?;
    assert_eq!(back[..], bytes[..]);
    proxy.sync_code(memory, 8)?;
    let run = memory | EXECUTABLE;
    let called = proxy.call(run, [0; 5], Duration::from_millis(100))?;
    assert_eq!(called, Some(0x8001_0100), "the boot CPU's own MPIDR");
    proxy.op(Op::MmuInitSecondary, &[2])?;
    proxy.smp_call(2, run, [0; 4])?;
    assert_eq!(proxy.op(Op::SmpWait, &[2])?, 0x8000_0002);
    assert!(proxy.read32(0x10).is_err(), "nothing is there");
    let whole: Vec<u8> = (0..=255).cycle().take(9_000).collect();
    proxy.write_memory(memory + 0x100, &whole)?;
    let mut back = vec![0; whole.len()];
    proxy.read_memory(memory + 0x100, &mut back)?;
    assert_eq!(back, whole);
    assert!(
        proxy.read_memory(0x10, &mut [0; 4]).is_err(),
        "nothing is there"
    );
    proxy.memset64(memory, 0x0102_0304_0506_0708, 16)?;
    assert_eq!(proxy.read64(memory + 8)?, 0x0102_0304_0506_0708);
    proxy.free(memory)?;
    let console = String::from_utf8_lossy(&proxy.take_console()).into_owned();
    assert!(console.contains("Started"), "{console}");
    Ok(())
}

#[test]
fn the_client_through_a_loader_or_its_recording() {
    let names = ["AICPROBE_M1N1_BIN", "AICPROBE_RECORD"].map(std::env::var_os);
    if let [Some(image), Some(file)] = &names {
        let image = Image::read(Path::new(image)).expect("an image");
        let model = SocModel::builtin("t8140").expect("built in");
        let link = boot_loader(&model, 1, &image, BOOT_LIMIT, || false).expect("a loader");
        let tape = Tape::default();
        let mut recorder = Recorder { link, tape };
        drive(&mut recorder).expect("a session");
        std::fs::write(file, recorder.tape.to_text()).expect("the recording");
        return;
    }
    let mut player = Player::new(RECORDED);
    drive(&mut player).expect("a session");
    assert!(
        player.tape.0.is_empty(),
        "not all of the recording was used"
    );
}
