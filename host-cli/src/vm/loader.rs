//! A real loader, as an image, at the far end of this program's link.

use std::time::Duration;

use virtual_soc::{RawError, RawOptions, RawStop, RawTarget, SocModel};

use crate::link::{Link, LinkError};
use crate::proxy::{Kind, request};

use super::image::Image;

/// Virtual time in which a loader has to say that it is there. Stock m1n1 needs about 40 ms on the built-in models.
pub const BOOT_LIMIT: Duration = Duration::from_millis(500);
/// Time between two looks whether to stop.
const TURN: Duration = Duration::from_millis(2);
/// 1,500,000 baud, ten bits a byte: what clients of this loader use.
const BYTES_PER_SECOND: u64 = 150_000;
/// NOPs for a loader that sends no BOOT message, and how long each may stay unanswered.
const NOPS: u32 = 5;
const NOP_PATIENCE: Duration = Duration::from_millis(20);
/// A BOOT message, an answer to a NOP, and their length (third party: loader sources).
const BOOT: [u8; 4] = [0xff, 0x55, 0xaa, 0x04];
const NOP: [u8; 4] = [0xff, 0x55, 0xaa, 0x00];
const FRAME_LEN: usize = 36;
/// How much of its console to quote.
const QUOTED: usize = 200;

/// Why a loader image does not come up.
#[derive(Debug, thiserror::Error)]
pub enum BootError {
    /// It cannot be started.
    #[error("--loader {image}: {why}")]
    Start {
        /// The image's file.
        image: String,
        /// Why not.
        why: Box<RawError>,
    },
    /// It said nothing that begins a session.
    #[error(
        "--loader {image}: no BOOT message and no answer to a NOP within {ms} ms of virtual time ({insns} instructions), --wait SECONDS gives it more; {said}"
    )]
    Silent {
        /// The image's file.
        image: String,
        /// How long it had.
        ms: u128,
        /// What it did meanwhile.
        insns: u64,
        /// The end of what it did say.
        said: String,
    },
    /// The user wanted to stop.
    #[error("interrupted while {image} started")]
    Interrupted {
        /// The image's file.
        image: String,
    },
}

/// Starts `image` on `model` and waits for its BOOT message. A loader that sends none is asked with NOPs.
///
/// # Errors
/// [`BootError`].
pub fn boot_loader(
    model: &SocModel,
    seed: u64,
    image: &Image,
    limit: Duration,
    stop: impl Fn() -> bool,
) -> Result<RawLink, BootError> {
    let name = || image.path.display().to_string();
    let options = RawOptions {
        seed,
        bytes_per_second: BYTES_PER_SECOND,
        ..RawOptions::default()
    };
    let mut target = RawTarget::from_image(model, &image.bytes, &options).map_err(|why| {
        let (image, why) = (name(), Box::new(why));
        BootError::Start { image, why }
    })?;
    let mut said = Vec::new();
    let mut buf = [0; 4096];
    let mut asked = 0;
    let mut until = limit;
    loop {
        if target.now() >= until {
            if asked == NOPS {
                break;
            }
            asked += 1;
            target.send(&request(Kind::Nop, &[]));
            until = target.now() + NOP_PATIENCE;
        }
        if stop() {
            return Err(BootError::Interrupted { image: name() });
        }
        let n = target.recv(&mut buf, TURN);
        let from = said.len().saturating_sub(FRAME_LEN);
        said.extend(&buf[..n]);
        let begins = |w: &[u8]| w.starts_with(&BOOT) || asked > 0 && w.starts_with(&NOP);
        if said[from..].windows(FRAME_LEN).any(begins) {
            return Ok(RawLink {
                target,
                early: said,
            });
        }
    }
    Err(BootError::Silent {
        image: name(),
        ms: target.now().as_millis(),
        insns: target.stats().total_insns(),
        said: quote(&said),
    })
}

/// The end of a console's text, in words.
fn quote(said: &[u8]) -> String {
    let text = String::from_utf8_lossy(&said[said.len().saturating_sub(QUOTED)..]).into_owned();
    match text.lines().rev().find(|l| !l.trim().is_empty()) {
        Some(last) => format!("the last it said: \"{}\"", last.trim().escape_debug()),
        None => "it said nothing on its UART".to_owned(),
    }
}

/// A link to a raw image's emulated UART.
pub struct RawLink {
    target: RawTarget,
    /// What came while it started.
    early: Vec<u8>,
}

impl RawLink {
    /// The machine, for looking at it from outside.
    #[must_use]
    pub const fn target(&self) -> &RawTarget {
        &self.target
    }
}

impl Link for RawLink {
    fn send(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        self.target.send(bytes);
        Ok(())
    }

    fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        if !self.early.is_empty() {
            let n = buf.len().min(self.early.len());
            for (to, from) in buf.iter_mut().zip(self.early.drain(..n)) {
                *to = from;
            }
            return Ok(n);
        }
        let n = self.target.recv(buf, timeout);
        if n == 0 && self.target.stopped() == Some(RawStop::Reset) {
            let why = "the loader image had the watchdog reset the machine";
            return Err(LinkError::Closed(why.to_owned()));
        }
        Ok(n)
    }

    fn now(&self) -> Duration {
        self.target.now()
    }

    fn is_virtual(&self) -> bool {
        true
    }

    fn bytes_per_second(&self) -> Option<u64> {
        Some(BYTES_PER_SECOND)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes 64 bytes from the UART of the model t8140, sends the 36 that follow the code, again and again.
    const ANSWERS: [u32; 17] = [
        0xd2b0_a401,
        0xf2c0_0061,
        0x5280_0803,
        0xb940_1022,
        0x3607_ffe2,
        0xb940_2422,
        0x7100_0463,
        0x54ff_ff81,
        0x1000_0124,
        0x5280_0483,
        0xb940_1022,
        0x3617_ffe2,
        0x3840_1482,
        0xb900_2022,
        0x7100_0463,
        0x54ff_ff61,
        0x17ff_fff2,
    ];

    /// An image that says nothing until it is asked, and then gives `reply`.
    fn answers(reply: &[u8]) -> Image {
        let mut bytes = vec![0; 0x800];
        bytes.extend(ANSWERS.iter().flat_map(|w| w.to_le_bytes()));
        bytes.extend(reply);
        let path = "mute".into();
        Image { path, bytes }
    }

    #[test]
    fn a_loader_without_a_boot_message_is_asked() {
        let model = SocModel::builtin("t8140").unwrap();
        let boot =
            |image: Image| boot_loader(&model, 1, &image, Duration::from_millis(5), || false);
        // The answer to a NOP (facts about m1n1, test vector).
        let mut reply = vec![0; 36];
        reply[..4].copy_from_slice(&NOP);
        reply[32..].copy_from_slice(&[0x40, 0x4a, 0xb6, 0x90]);
        let link = boot(answers(&reply)).unwrap();
        assert_eq!(link.early, reply);
        reply[0] = 0;
        assert!(matches!(
            boot(answers(&reply)),
            Err(BootError::Silent { .. })
        ));
    }

    #[test]
    fn the_last_words_are_quoted() {
        assert_eq!(quote(b""), "it said nothing on its UART");
        assert_eq!(
            quote(b"a\nlast\x1b\n\n"),
            "the last it said: \"last\\u{1b}\""
        );
    }
}
