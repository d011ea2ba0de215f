//! `aicprobe vm` as a program, and a client of its pseudo-terminal that shares nothing with the product.
#![allow(dead_code, reason = "every test file uses a part of it")]

use std::io::{BufRead as _, BufReader, Read as _};
use std::os::fd::OwnedFd;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::process::{Pid, Signal, kill_process};
use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

#[path = "../common/program.rs"]
mod program;

pub use program::program;

/// Far longer than anything here takes, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// The program, running.
pub struct Vm {
    pub child: Child,
    /// The first line of its standard output.
    pub path: String,
}

impl Vm {
    /// Starts it and waits until it says where.
    pub fn start(args: &[&str]) -> Self {
        let mut child = program()
            .arg("vm")
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let stdout = child.stdout.as_mut().expect("piped");
        BufReader::new(stdout).read_line(&mut line).expect("a line");
        if line.is_empty() {
            let mut why = String::new();
            let stderr = child.stderr.as_mut().expect("piped");
            stderr.read_to_string(&mut why).expect("text");
            panic!("aicprobe vm {args:?}: {why}");
        }
        Self {
            child,
            path: line.trim_end().to_owned(),
        }
    }

    /// Ctrl-C; how it ended and what it said.
    pub fn interrupt(mut self) -> (ExitStatus, String) {
        interrupt(&self.child);
        let status = ended(&mut self.child);
        let mut said = String::new();
        let stderr = self.child.stderr.as_mut().expect("piped");
        stderr.read_to_string(&mut said).expect("text");
        (status, said)
    }
}

impl Drop for Vm {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

pub fn interrupt(child: &Child) {
    let pid = Pid::from_child(child);
    kill_process(pid, Signal::INT).expect("it runs");
}

/// Waits for its end, not for ever.
pub fn ended(child: &mut Child) -> ExitStatus {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("a child of ours") {
            return status;
        }
        assert!(start.elapsed() < PATIENCE, "it does not end");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// A client that has the terminal open.
pub struct Client {
    fd: OwnedFd,
    pub console: Vec<u8>,
}

/// What the loader answers.
#[derive(Debug, PartialEq, Eq)]
pub struct Reply {
    pub kind: u8,
    pub status: i32,
    pub words: [u64; 3],
}

impl Client {
    pub fn open(path: &str) -> Self {
        let fd = open(path, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("a terminal");
        let mut settings = tcgetattr(&fd).expect("settings");
        settings.make_raw();
        tcsetattr(&fd, OptionalActions::Now, &settings).expect("settings");
        Self {
            fd,
            console: Vec::new(),
        }
    }

    pub fn send(&self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let n = rustix::io::write(&self.fd, bytes).expect("a server that reads");
            bytes = &bytes[n..];
        }
    }

    pub fn bytes(&self, count: usize) -> Vec<u8> {
        let (start, mut got) = (Instant::now(), Vec::new());
        while got.len() < count {
            let left = PATIENCE.saturating_sub(start.elapsed());
            let mut fds = [PollFd::new(&self.fd, PollFlags::IN)];
            let limit = Timespec::try_from(left).expect("short");
            let ready = poll(&mut fds, Some(&limit)).expect("poll");
            assert!(
                ready > 0,
                "{} of {count} bytes: {got:x?}; console: {}",
                got.len(),
                String::from_utf8_lossy(&self.console)
            );
            let mut buf = vec![0; count - got.len()];
            let n = rustix::io::read(&self.fd, &mut buf).expect("a server");
            got.extend(&buf[..n]);
        }
        got
    }

    pub fn reply(&mut self) -> Reply {
        let mut text = Vec::new();
        while !text.ends_with(&[0xff, 0x55, 0xaa]) {
            let byte = self.bytes(1);
            text.extend(&byte);
            self.console.extend(&byte);
        }
        self.console.truncate(self.console.len() - 3);
        let mut frame = vec![0xff, 0x55, 0xaa];
        frame.extend(self.bytes(33));
        assert_eq!(frame[32..], checksum(&frame[..32]).to_le_bytes());
        let word =
            |n: usize| u64::from_le_bytes(frame[8 + 8 * n..][..8].try_into().expect("as long"));
        Reply {
            kind: frame[3],
            status: i32::from_le_bytes(frame[4..8].try_into().expect("as long")),
            words: [word(0), word(1), word(2)],
        }
    }

    /// Console text up to and with `wanted`.
    pub fn read_until(&mut self, wanted: &str) {
        while !self.console.ends_with(wanted.as_bytes()) {
            let byte = self.bytes(1);
            self.console.extend(byte);
        }
    }

    pub fn request(&mut self, kind: u8, words: &[u64]) -> Reply {
        self.send(&frame(kind, words));
        let reply = self.reply();
        assert_eq!(reply.kind, kind);
        reply
    }

    /// An operation that the loader knows; its value.
    pub fn op(&mut self, words: &[u64]) -> u64 {
        let reply = self.request(1, words);
        let rest = (reply.status, reply.words[0], reply.words[1]);
        assert_eq!(rest, (0, words[0], 0), "operation {:#x}", words[0]);
        reply.words[2]
    }

    /// Memory, without checksums of data.
    pub fn read(&mut self, addr: u64, size: usize) -> Vec<u8> {
        let reply = self.request(2, &[addr, size as u64]);
        assert_eq!((reply.status, reply.words[0]), (0, 0xd0de_cade));
        let data = self.bytes(size);
        assert_eq!(self.bytes(4), [0x10, 0xcc, 0xca, 0xb0]);
        data
    }

    pub fn write(&mut self, addr: u64, data: &[u8]) {
        self.send(&frame(3, &[addr, data.len() as u64, 0xd0de_cade]));
        self.send(data);
        self.send(&[0x10, 0xcc, 0xca, 0xb0]);
        let reply = self.reply();
        assert_eq!((reply.kind, reply.status), (3, 0));
    }
}

pub fn frame(kind: u8, words: &[u64]) -> Vec<u8> {
    let mut frame = vec![0xff, 0x55, 0xaa, kind];
    frame.extend(words.iter().flat_map(|w| w.to_le_bytes()));
    frame.resize(60, 0);
    frame.extend(checksum(&frame).to_le_bytes());
    frame
}

fn checksum(bytes: &[u8]) -> u32 {
    let sum = bytes.iter().fold(0xdead_beef_u32, |s, b| {
        s.wrapping_mul(31337).wrapping_add(u32::from(b ^ 0x5a))
    });
    sum ^ 0xadde_dbad
}
