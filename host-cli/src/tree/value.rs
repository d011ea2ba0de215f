//! Values of properties. A tree holds no types: names and bytes are what there is to go by.

use adt::Property;
use schemars::JsonSchema;
use serde::Serialize;

/// A value as it is most likely meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", content = "value", rename_all = "lowercase")]
pub enum Value {
    /// No bytes: that the property is there is what it says.
    Empty,
    /// One NUL-terminated text, or one padded with NULs.
    Text(String),
    /// Several NUL-terminated texts.
    Texts(Vec<String>),
    /// One byte.
    U8(u8),
    /// Two bytes.
    U16(u16),
    /// One word.
    U32(u32),
    /// One double word, as `"0x…"`: not every program reads 64-bit numbers.
    U64(String),
    /// Words.
    U32s(Vec<u32>),
    /// Double words, as `"0x…"`.
    U64s(Vec<String>),
    /// Any bytes, in hexadecimal.
    Bytes(String),
}

/// Names whose values are numbers, whatever their bytes look like.
fn is_number(name: &str) -> bool {
    name.starts_with('#')
        || matches!(name, "reg" | "ranges" | "interrupts" | "interrupt-parent")
        || ["phandle", "-offset", "-stride", "-base", "-size"]
            .iter()
            .any(|end| name.ends_with(end))
}

impl Value {
    /// Of a property; `wide` says that numbers in `reg` and `ranges` have two words.
    #[must_use]
    pub fn of(property: &Property<'_>, wide: bool) -> Self {
        let value = property.value;
        // Entries of 3 bytes.
        if property.name == "aic-ext-intr-cfg" {
            return Self::Bytes(hex(value));
        }
        if value.is_empty() {
            return Self::Empty;
        }
        if !is_number(property.name)
            && let Some(texts) = texts(value)
        {
            return match <[String; 1]>::try_from(texts) {
                Ok([one]) => Self::Text(one),
                Err(several) => Self::Texts(several),
            };
        }
        let listed = matches!(property.name, "reg" | "ranges");
        match *value {
            [byte] => Self::U8(byte),
            [low, high] => Self::U16(u16::from_le_bytes([low, high])),
            _ if value.len().is_multiple_of(8)
                && (if listed { wide } else { are_addresses(value) }) =>
            {
                let mut all: Vec<String> = property.u64s().map(|n| format!("{n:#x}")).collect();
                match all.len() {
                    1 => Self::U64(all.swap_remove(0)),
                    _ => Self::U64s(all),
                }
            }
            _ if value.len() == 4 => Self::U32(property.u32().unwrap_or_default()),
            _ if value.len().is_multiple_of(4) => Self::U32s(property.u32s().collect()),
            _ => Self::Bytes(hex(value)),
        }
    }
}

/// Bytes in hexadecimal.
fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Texts, if that is what the bytes look like: printable, each ended by a NUL; or one text padded with NULs.
fn texts(value: &[u8]) -> Option<Vec<String>> {
    let body = value.strip_suffix(b"\0")?;
    let printable = |part: &[u8]| {
        let text = std::str::from_utf8(part).ok()?;
        let fits = !text.is_empty() && text.chars().all(|c| !c.is_control());
        fits.then(|| text.to_owned())
    };
    let parts: Option<Vec<String>> = body.split(|byte| *byte == 0).map(printable).collect();
    match parts {
        // One letter and three zeros is a small number.
        Some(parts) if body.len() > 1 || value.len() != 4 => Some(parts),
        Some(_) => None,
        None => {
            let end = value.iter().position(|byte| *byte == 0)?;
            // A number of 4 or 8 bytes ends in zeros too.
            let padded = value[end..].iter().all(|byte| *byte == 0);
            let long = value.len() > 8 && end >= 2;
            (padded && long).then(|| printable(&value[..end]).map(|text| vec![text]))?
        }
    }
}

/// Whether double words make more sense than words: each has an upper half as addresses and sizes have it.
fn are_addresses(value: &[u8]) -> bool {
    let pairs = value.chunks_exact(8).map(|raw| {
        let half = |at: usize| u32::from_le_bytes([raw[at], raw[at + 1], raw[at + 2], raw[at + 3]]);
        (half(0), half(4))
    });
    let mut large = false;
    for (low, high) in pairs {
        if high > 0xffff {
            return false;
        }
        large |= low > 0xffff || value.len() == 8;
    }
    large
}
