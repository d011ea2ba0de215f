//! A recording of requests and replies: console text is left out, runs of zero bytes are counted.
//!
//! One line per message: `>` to the target or `<` to the host, then hexadecimal bytes in which `.N.` stands for N zeros.

use core::time::Duration;
use std::fmt::Write as _;

use super::client::Wire;

/// Messages in order; `true` = to the target.
pub type Tape = Vec<(bool, Vec<u8>)>;

pub fn to_text(tape: &Tape) -> String {
    let mut text = String::new();
    for (out, bytes) in tape {
        text.push_str(if *out { "> " } else { "< " });
        let mut rest = &bytes[..];
        while let Some(first) = rest.first() {
            let zeros = rest.iter().take_while(|b| **b == 0).count();
            if zeros >= 2 {
                write!(text, ".{zeros}.").expect("string");
                rest = &rest[zeros..];
            } else {
                write!(text, "{first:02x}").expect("string");
                rest = &rest[1..];
            }
        }
        text.push('\n');
    }
    text
}

pub fn from_text(text: &str) -> Tape {
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    lines
        .map(|line| {
            let (mark, hex) = line.split_at(2);
            let mut bytes = Vec::new();
            for (i, part) in hex.split('.').enumerate() {
                if i % 2 == 1 {
                    bytes.resize(bytes.len() + part.parse::<usize>().expect("count"), 0);
                } else {
                    let digit = |at: usize| u8::from_str_radix(&part[at..at + 2], 16).expect("hex");
                    bytes.extend((0..part.len()).step_by(2).map(digit));
                }
            }
            (mark == "> ", bytes)
        })
        .collect()
}

/// A target that plays a recording and insists on its requests.
pub struct Player {
    tape: std::vec::IntoIter<(bool, Vec<u8>)>,
    ready: std::collections::VecDeque<u8>,
    expected: std::collections::VecDeque<u8>,
    now: Duration,
}

impl Player {
    pub fn new(tape: Tape) -> Self {
        let mut player = Self {
            tape: tape.into_iter(),
            ready: Default::default(),
            expected: Default::default(),
            now: Duration::ZERO,
        };
        player.turn();
        player
    }

    /// Go on to what comes after the requests that were sent.
    fn turn(&mut self) {
        while self.expected.is_empty() {
            match self.tape.as_slice().first() {
                Some((false, _)) => self.ready.extend(self.tape.next().expect("first").1),
                Some((true, _)) => self.expected.extend(self.tape.next().expect("first").1),
                None => break,
            }
        }
    }

    /// Nothing is left on the tape.
    pub fn at_end(&self) -> bool {
        self.tape.as_slice().is_empty() && self.ready.is_empty() && self.expected.is_empty()
    }
}

impl Wire for Player {
    fn send(&mut self, bytes: &[u8]) {
        for byte in bytes {
            let want = self.expected.pop_front();
            assert_eq!(Some(*byte), want, "the recording has another request here");
            self.turn();
        }
    }

    fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> usize {
        let n = self.ready.len().min(buf.len());
        for (to, from) in buf.iter_mut().zip(self.ready.drain(..n)) {
            *to = from;
        }
        if n == 0 {
            self.now += timeout;
        }
        n
    }

    fn now(&self) -> Duration {
        self.now
    }
}
