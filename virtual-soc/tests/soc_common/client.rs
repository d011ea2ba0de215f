//! A small client of the proxy protocol, written against the byte layout and sharing nothing with the stand-in.

#![allow(dead_code, reason = "each test file uses its own part")]

use core::time::Duration;
use virtual_soc::{RawTarget, SocModel, VirtualTarget};

/// What a client talks to.
pub trait Wire {
    fn send(&mut self, bytes: &[u8]);
    fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> usize;
    fn now(&self) -> Duration;
}

macro_rules! wire {
    ($target:ty) => {
        impl Wire for $target {
            fn send(&mut self, bytes: &[u8]) {
                self.send(bytes);
            }
            fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> usize {
                self.recv(buf, timeout)
            }
            fn now(&self) -> Duration {
                self.now()
            }
        }
    };
}
wire!(VirtualTarget);
wire!(RawTarget);

pub fn checksum(bytes: &[u8]) -> u32 {
    let mut s: u32 = 0xdeadbeef;
    for b in bytes {
        s = s.wrapping_mul(31337).wrapping_add((*b as u32) ^ 0x5a);
    }
    s ^ 0xaddedbad
}

/// A request frame.
pub fn frame(kind: u8, words: &[u64]) -> Vec<u8> {
    let mut f = vec![0xff, 0x55, 0xaa, kind];
    for w in words {
        f.extend(w.to_le_bytes());
    }
    f.resize(60, 0);
    let sum = checksum(&f);
    f.extend(sum.to_le_bytes());
    f
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub kind: u8,
    pub status: i32,
    pub words: [u64; 3],
}

pub struct Client<T = VirtualTarget> {
    pub target: T,
    pub console: Vec<u8>,
    pub timeout: Duration,
    /// If there is one, messages are recorded, `true` = to the target. Console text is not.
    pub tape: Option<Vec<(bool, Vec<u8>)>>,
    /// A reply into which another CPU printed is no reply; otherwise it fails the test.
    pub takes_damage: bool,
}

impl Client<VirtualTarget> {
    pub fn new(model: &SocModel) -> Self {
        Self::with_seed(model, 1)
    }

    pub fn with_seed(model: &SocModel, seed: u64) -> Self {
        Self::over(VirtualTarget::from_model(model, seed).expect("model"))
    }
}

impl<T: Wire> Client<T> {
    pub fn over(target: T) -> Self {
        Self {
            target,
            console: Vec::new(),
            timeout: Duration::from_secs(1),
            tape: None,
            takes_damage: false,
        }
    }

    pub fn send(&mut self, bytes: &[u8]) {
        self.target.send(bytes);
        self.record(true, bytes);
    }

    fn record(&mut self, out: bool, bytes: &[u8]) {
        if let Some(tape) = &mut self.tape
            && !bytes.is_empty()
        {
            tape.push((out, bytes.to_vec()));
        }
    }

    /// Data that follow a reply.
    pub fn data(&mut self, n: usize) -> Option<Vec<u8>> {
        let data = self.bytes(n)?;
        self.record(false, &data);
        Some(data)
    }

    fn byte(&mut self) -> Option<u8> {
        let mut b = [0];
        let deadline = self.target.now() + self.timeout;
        while self.target.now() < deadline {
            let left = deadline - self.target.now();
            if self.target.recv(&mut b, left) == 1 {
                return Some(b[0]);
            }
        }
        None
    }

    fn bytes(&mut self, n: usize) -> Option<Vec<u8>> {
        (0..n).map(|_| self.byte()).collect()
    }

    /// The next reply; bytes before it are console text.
    pub fn reply(&mut self) -> Option<Reply> {
        let mut last: Vec<u8> = Vec::new();
        while !(last.len() >= 3 && last.ends_with(&[0xff, 0x55, 0xaa])) {
            last.push(self.byte()?);
        }
        last.truncate(last.len() - 3);
        self.console.extend(last);
        let rest = self.bytes(33)?;
        let mut f = vec![0xff, 0x55, 0xaa];
        f.extend(&rest);
        self.record(false, &f);
        let intact = checksum(&f[..32]).to_le_bytes() == f[32..36];
        if self.takes_damage && !intact {
            return None;
        }
        assert!(intact, "reply checksum");
        let word =
            |n: usize| u64::from_le_bytes(f[8 + 8 * n..16 + 8 * n].try_into().expect("8 bytes"));
        Some(Reply {
            kind: f[3],
            status: i32::from_le_bytes(f[4..8].try_into().expect("8 bytes")),
            words: [word(0), word(1), word(2)],
        })
    }

    pub fn request(&mut self, kind: u8, words: &[u64]) -> Option<Reply> {
        self.send(&frame(kind, words));
        self.reply()
    }

    /// A PROXY call that must succeed; gives its return value.
    pub fn op(&mut self, opcode: u64, args: &[u64]) -> u64 {
        self.try_op(opcode, args)
            .unwrap_or_else(|| panic!("no reply to {opcode:#x}; console: {}", self.text()))
    }

    pub fn try_op(&mut self, opcode: u64, args: &[u64]) -> Option<u64> {
        let mut words = vec![opcode];
        words.extend(args);
        let r = self.request(1, &words)?;
        assert_eq!(
            (r.kind, r.status, r.words[0], r.words[1]),
            (1, 0, opcode, 0),
            "{r:x?}"
        );
        Some(r.words[2])
    }

    pub fn write(&mut self, address: u64, data: &[u8]) -> i32 {
        self.send(&frame(
            3,
            &[address, data.len() as u64, checksum(data).into()],
        ));
        self.send(data);
        self.reply().expect("reply to MEMWRITE").status
    }

    pub fn read(&mut self, address: u64, size: usize) -> Result<Vec<u8>, i32> {
        let r = self
            .request(2, &[address, size as u64])
            .expect("reply to MEMREAD");
        if r.status != 0 {
            return Err(r.status);
        }
        if size == 0 {
            assert_eq!(r.words, [0; 3], "a plain reply");
            return Ok(Vec::new());
        }
        let data = self.data(size).expect("data");
        assert_eq!(u64::from(checksum(&data)), r.words[0], "data checksum");
        Ok(data)
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.console).into_owned()
    }

    /// Put code into heap memory; gives its plain address.
    pub fn code(&mut self, words: &[u32]) -> u64 {
        let at = self.op(0x602, &[0x4000, 0x4000]);
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        assert_eq!(self.write(at, &bytes), 0);
        self.op(0x309, &[at, bytes.len() as u64]);
        self.op(0x302, &[at, bytes.len() as u64]);
        at
    }

    /// Start all secondaries and switch their MMUs on. Arguments: the loader's indices.
    pub fn start(&mut self, indices: &[u64]) {
        self.op(0x504, &[1]);
        self.op(0x500, &[]);
        for i in indices {
            assert_eq!(self.op(0x505, &[*i]), 1, "CPU {i} alive");
            self.op(0x30f, &[*i]);
        }
    }
}

/// RAM as code: read and execute.
pub const RX: u64 = 0xc00_0000_0000;
