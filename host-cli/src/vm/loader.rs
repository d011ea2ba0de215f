//! A real loader, as an image, at the far end of this program's link.

use std::time::Duration;

use virtual_soc::{RawError, RawOptions, RawTarget, SocModel};

use crate::link::{Link, LinkError};

use super::image::Image;

/// Virtual time in which a loader has to say that it is there. Stock m1n1 needs about 40 ms on the built-in models.
pub const BOOT_LIMIT: Duration = Duration::from_millis(500);
/// Time between two looks whether to stop.
const TURN: Duration = Duration::from_millis(2);
/// 1,500,000 baud, ten bits a byte: what clients of this loader use.
const BYTES_PER_SECOND: u64 = 150_000;
/// A BOOT message and its length (third party: loader sources).
const BOOT: [u8; 4] = [0xff, 0x55, 0xaa, 0x04];
const BOOT_LEN: usize = 36;
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
        "--loader {image}: no BOOT message within {ms} ms of virtual time ({insns} instructions), --wait SECONDS gives it more; {said}"
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

/// Starts `image` on `model` and waits for its BOOT message.
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
    while target.now() < limit {
        if stop() {
            return Err(BootError::Interrupted { image: name() });
        }
        let n = target.recv(&mut buf, TURN);
        let from = said.len().saturating_sub(BOOT_LEN);
        said.extend(&buf[..n]);
        if said[from..].windows(BOOT_LEN).any(|w| w.starts_with(&BOOT)) {
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
        Ok(self.target.recv(buf, timeout))
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

    #[test]
    fn the_last_words_are_quoted() {
        assert_eq!(quote(b""), "it said nothing on its UART");
        assert_eq!(
            quote(b"a\nlast\x1b\n\n"),
            "the last it said: \"last\\u{1b}\""
        );
    }
}
