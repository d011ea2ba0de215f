//! The firmware image: built in, or from a file; and the messages of its log.

use std::path::Path;

use defmt_decoder::{DecodeError, Table};
use protocol::image::Header;
use protocol::{PROTOCOL_VERSION, SCHEMA_HASH};

use crate::error::Error;
use crate::files::read_limited;

#[cfg(aicprobe_fw_image)]
const BUILT_IN: Option<&[u8]> = Some(include_bytes!(env!("AICPROBE_FW_IMAGE")));
#[cfg(not(aicprobe_fw_image))]
const BUILT_IN: Option<&[u8]> = None;

/// Bytes at an address that an ELF file's words can be read from.
#[cfg(aicprobe_fw_elf)]
#[repr(align(16))]
struct Aligned<T: ?Sized>(T);

#[cfg(aicprobe_fw_elf)]
const BUILT_IN_ELF: Option<&[u8]> = {
    static ELF: &Aligned<[u8]> = &Aligned(*include_bytes!(env!("AICPROBE_FW_ELF")));
    Some(&ELF.0)
};
#[cfg(not(aicprobe_fw_elf))]
const BUILT_IN_ELF: Option<&[u8]> = None;

/// An image that was checked.
#[derive(Clone, Debug)]
pub struct Firmware {
    /// Its bytes.
    pub image: Vec<u8>,
    /// Its header.
    pub header: Header,
}

impl Firmware {
    /// The image of `file`, or the one built in.
    ///
    /// # Errors
    /// [`Error::NoFirmware`], [`Error::FirmwareFile`], [`Error::Firmware`], [`Error::FirmwareProtocol`].
    pub fn load(file: Option<&Path>) -> Result<Self, Error> {
        match (file, BUILT_IN) {
            (Some(path), _) => {
                let most = protocol::image::MAX_IMAGE as u64;
                let image = read_limited(path, most).map_err(|why| Error::FirmwareFile {
                    path: path.to_owned(),
                    why,
                })?;
                Self::check(image, &path.display().to_string())
            }
            (None, Some(image)) => Self::check(image.to_vec(), "(built in)"),
            (None, None) => Err(Error::NoFirmware),
        }
    }

    /// Whether an image was built in.
    #[must_use]
    pub const fn is_built_in() -> bool {
        BUILT_IN.is_some()
    }

    fn check(image: Vec<u8>, origin: &str) -> Result<Self, Error> {
        let origin = origin.to_owned();
        let header = match Header::parse(&image) {
            Ok(header) => header,
            Err(why) => return Err(Error::Firmware { origin, why }),
        };
        if header.protocol != u32::from(PROTOCOL_VERSION) || header.schema != SCHEMA_HASH {
            let name = |v: u32, h: u64| format!("protocol {v} (schema {h:016x})");
            return Err(Error::FirmwareProtocol {
                origin,
                theirs: name(header.protocol, header.schema),
                ours: name(PROTOCOL_VERSION.into(), SCHEMA_HASH),
            });
        }
        Ok(Self { image, header })
    }

    /// The build id in hexadecimal.
    #[must_use]
    pub fn build_id(&self) -> String {
        hex(&self.header.build_id)
    }

    /// The image as it must lie in memory to run at `run_address`.
    #[must_use]
    pub fn relocated(&self, run_address: u64) -> Vec<u8> {
        let mut image = self.image.clone();
        self.header.relocate(&mut image, run_address);
        image
    }

    /// What decodes the log of this image; nothing if the messages built in belong to another build.
    #[must_use]
    pub fn log_decoder(&self) -> LogDecoder {
        let same_build = BUILT_IN
            .and_then(|image| Header::parse(image).ok())
            .is_some_and(|h| h.build_id == self.header.build_id);
        let messages = match BUILT_IN_ELF {
            Some(elf) if same_build => match Table::parse(elf) {
                Ok(Some(table)) => Ok(table),
                Ok(None) => Err("this build holds none".to_owned()),
                Err(e) => Err(format!("they cannot be read: {e}")),
            },
            _ => Err("they are of another build".to_owned()),
        };
        LogDecoder { messages }
    }
}

/// Bytes in hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Turns log frames into text.
pub struct LogDecoder {
    /// The messages, or why there are none.
    messages: Result<Table, String>,
}

/// How much a log line matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Everything below a warning.
    Detail,
    /// A warning, an error, or of unknown level.
    Warning,
}

impl LogDecoder {
    /// One frame as text.
    #[must_use]
    pub fn decode(&self, frame: &[u8]) -> (Level, String) {
        use defmt_decoder::DecodeError::{Malformed, UnexpectedEof};
        let table = match &self.messages {
            Ok(table) => table,
            Err(why) => {
                let text = format!("log frame {} (no messages: {why})", hex(frame));
                return (Level::Detail, text);
            }
        };
        match table.decode(frame) {
            Ok((decoded, _)) => {
                let level = decoded.level().map_or("print", |l| l.as_str());
                let rank = match level {
                    "warn" | "error" => Level::Warning,
                    _ => Level::Detail,
                };
                (rank, format!("{level}: {}", decoded.display_message()))
            }
            Err(e @ (Malformed | UnexpectedEof)) => (Level::Detail, bad_frame(frame, &e)),
        }
    }
}

fn bad_frame(frame: &[u8], error: &DecodeError) -> String {
    format!("log frame {} cannot be decoded: {error:?}", hex(frame))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_an_unknown_build_are_shown_as_they_are() {
        let messages = Err("they are of another build".to_owned());
        let (level, text) = LogDecoder { messages }.decode(&[1, 0xab]);
        assert_eq!(level, Level::Detail);
        assert_eq!(
            text,
            "log frame 01ab (no messages: they are of another build)"
        );
    }

    #[test]
    fn the_built_in_messages_can_be_read() {
        if !Firmware::is_built_in() {
            eprintln!("skipped: built without a firmware image");
            return;
        }
        let decoder = Firmware::load(None).unwrap().log_decoder();
        assert!(decoder.messages.is_ok(), "{:?}", decoder.messages.err());
    }
}
