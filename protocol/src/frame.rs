//! Frames: postcard bytes, a CRC-32 behind them, COBS around both, a zero byte at the end.

use crc::{CRC_32_ISO_HDLC, Crc, Table};
use serde::{Serialize, de::DeserializeOwned};

use crate::{Command, Message};

/// Longest postcard encoding of one message, in bytes.
pub const MAX_PAYLOAD: usize = 736;
/// Longest frame, terminator included: payload, CRC and one COBS byte per 254.
pub const MAX_FRAME: usize = MAX_PAYLOAD + 4 + 3 + 1;

pub(crate) static CRC: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISO_HDLC);

/// Why bytes are not a frame, or a message is not encodable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameError {
    /// More than [`MAX_FRAME`] bytes without a terminator, or a message longer than [`MAX_PAYLOAD`].
    TooLong,
    /// Not valid COBS, or too short to hold a CRC.
    Framing,
    /// The CRC does not match.
    Crc,
    /// Intact bytes that are not the message asked for, or bytes left over behind it.
    Content,
}

impl core::fmt::Display for FrameError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str(match self {
            Self::TooLong => "frame is longer than any message",
            Self::Framing => "frame is damaged (COBS)",
            Self::Crc => "frame is damaged (CRC)",
            Self::Content => "frame is intact but holds no known message",
        })
    }
}

impl core::error::Error for FrameError {}

/// CRC-32 (ISO-HDLC) of `bytes`, as used in frames.
#[must_use]
pub fn crc32(bytes: &[u8]) -> u32 {
    CRC.checksum(bytes)
}

/// Encodes `value` as one frame into `out` and returns its length, terminator included.
///
/// # Errors
/// [`FrameError::TooLong`] if the message does not fit [`MAX_PAYLOAD`] or the frame does not fit `out`.
pub fn encode<T: Serialize + ?Sized>(
    value: &T,
    out: &mut [u8; MAX_FRAME],
) -> Result<usize, FrameError> {
    let mut plain = [0; MAX_PAYLOAD + 4];
    let payload = postcard::to_slice(value, &mut plain[..MAX_PAYLOAD])
        .map_err(|_| FrameError::TooLong)?
        .len();
    let crc = crc32(&plain[..payload]);
    plain[payload..payload + 4].copy_from_slice(&crc.to_le_bytes());
    let n =
        cobs::try_encode(&plain[..payload + 4], &mut out[..]).map_err(|_| FrameError::TooLong)?;
    let end = out.get_mut(n).ok_or(FrameError::TooLong)?;
    *end = 0;
    Ok(n + 1)
}

/// [`encode`] for the [`crate::Packet`] with these parts, compiled once, here, and for size where the profile says so.
///
/// # Errors
/// As [`encode`].
#[inline(never)]
pub fn encode_packet(
    seq: u32,
    dropped: u32,
    message: &Message,
    out: &mut [u8; MAX_FRAME],
) -> Result<usize, FrameError> {
    // The fields of a `Packet`, in its order: postcard writes a tuple and a structure alike.
    encode(&(seq, dropped, message), out)
}

/// Decodes one frame, given without its terminator; `frame` is overwritten.
///
/// # Errors
/// Every [`FrameError`]; no input panics.
pub fn decode<T: DeserializeOwned>(frame: &mut [u8]) -> Result<T, FrameError> {
    if frame.len() > MAX_FRAME - 1 {
        return Err(FrameError::TooLong);
    }
    let n = cobs::decode_in_place(frame).map_err(|_| FrameError::Framing)?;
    let payload = n.checked_sub(4).ok_or(FrameError::Framing)?;
    let (message, crc) = frame[..n].split_at(payload);
    if crc != crc32(message).to_le_bytes() {
        return Err(FrameError::Crc);
    }
    match postcard::take_from_bytes(message) {
        Ok((value, [])) => Ok(value),
        _ => Err(FrameError::Content),
    }
}

/// Cuts a byte stream into frames and decodes them. Resynchronises at the next terminator after any damage.
#[derive(Clone, Debug)]
pub struct Decoder {
    buffer: [u8; MAX_FRAME],
    len: usize,
    overlong: bool,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new()
    }
}

impl Decoder {
    /// A decoder at the start of a frame.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            buffer: [0; MAX_FRAME],
            len: 0,
            overlong: false,
        }
    }

    /// [`Decoder::push`] for a command, compiled once, here, as [`encode_packet`].
    #[inline(never)]
    pub fn push_command(&mut self, byte: u8) -> Option<Result<Command, FrameError>> {
        self.push(byte)
    }

    /// Takes one byte; `Some` when it ends a frame. Empty frames (two terminators in a row) are skipped.
    pub fn push<T: DeserializeOwned>(&mut self, byte: u8) -> Option<Result<T, FrameError>> {
        if byte != 0 {
            if self.len < MAX_FRAME - 1 {
                self.buffer[self.len] = byte;
                self.len += 1;
            } else {
                self.overlong = true;
            }
            return None;
        }
        let (len, overlong) = (self.len, self.overlong);
        (self.len, self.overlong) = (0, false);
        if overlong {
            Some(Err(FrameError::TooLong))
        } else if len == 0 {
            None
        } else {
            Some(decode(&mut self.buffer[..len]))
        }
    }
}
