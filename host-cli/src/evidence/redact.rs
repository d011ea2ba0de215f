//! Keeps out of texts what names one machine.

use std::borrow::Cow;
use std::collections::BTreeSet;

use adt::Adt;

use crate::firmware::hex;

/// Parts of names of properties whose values are of one machine only.
const SECRET: [&str; 9] = [
    "serial",
    "mac-address",
    "chip-id-unique",
    "unique-chip-id",
    "ecid",
    "uuid",
    "udid",
    "nonce",
    "boot-manifest-hash",
];
/// Shorter texts and smaller numbers would be found where they mean something else.
const SHORTEST: usize = 5;
const SMALLEST: u64 = 1 << 24;
/// What stands in their place.
const INSTEAD: &str = "[removed]";

/// Takes what names one machine out of texts.
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    /// In every spelling, the longest first.
    secrets: Vec<String>,
}

impl Redactor {
    /// For what a device tree holds.
    #[must_use]
    pub fn of_tree(tree: &Adt<'_>) -> Self {
        let mut secrets = BTreeSet::new();
        for node in tree.nodes() {
            for property in node.properties() {
                let name = property.name.to_ascii_lowercase();
                if SECRET.iter().any(|part| name.contains(part)) {
                    spellings(property.value, &mut secrets);
                }
            }
        }
        let mut secrets: Vec<String> = secrets.into_iter().collect();
        secrets.sort_by_key(|s| std::cmp::Reverse(s.len()));
        Self { secrets }
    }

    /// `text` without them.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut out = Cow::Borrowed(text);
        for secret in &self.secrets {
            if out.contains(secret.as_str()) {
                out = Cow::Owned(out.replace(secret.as_str(), INSTEAD));
            }
        }
        out
    }
}

/// How a value may be written.
fn spellings(value: &[u8], all: &mut BTreeSet<String>) {
    let text: Vec<u8> = value.iter().copied().take_while(|b| *b != 0).collect();
    let rest_is_empty = value[text.len()..].iter().all(|b| *b == 0);
    if text.len() >= SHORTEST && rest_is_empty && text.iter().all(u8::is_ascii_graphic) {
        let text = String::from_utf8_lossy(&text).into_owned();
        all.extend([text.to_ascii_lowercase(), text.to_ascii_uppercase(), text]);
        return;
    }
    let mut spell = |text: String| {
        all.insert(text.to_ascii_uppercase());
        all.insert(text);
    };
    // A number: as such, and with the bytes as they lie there.
    if value.len() <= 8 {
        let mut bytes = [0; 8];
        bytes[..value.len()].copy_from_slice(value);
        let number = u64::from_le_bytes(bytes);
        if number < SMALLEST {
            return;
        }
        spell(format!("{number:x}"));
    }
    if value.len() > 64 || value.iter().all(|b| *b == value[0]) {
        return;
    }
    spell(hex(value));
    if let Ok(mac) = <[u8; 6]>::try_from(value) {
        for between in [":", "-"] {
            let pairs: Vec<String> = mac.iter().map(|b| format!("{b:02x}")).collect();
            spell(pairs.join(between));
        }
    }
    if let Ok(uuid) = <[u8; 16]>::try_from(value) {
        let h = hex(&uuid);
        let cuts = [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)];
        spell(cuts.map(|(from, to)| &h[from..to]).join("-"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adt::NodeBuilder;

    #[test]
    fn every_spelling_goes() {
        let blob = NodeBuilder::new("device-tree")
            .prop_str("serial-number", "C02XY1234567")
            .prop_str("model", "Mac17,0")
            .child(
                NodeBuilder::new("chosen")
                    .prop_u64("unique-chip-id", 0x0012_3456_789a_bcde)
                    .prop_bytes("mac-address-wifi0", &[0x3c, 0x22, 0xfb, 1, 2, 0xab])
                    .prop_bytes(
                        "uuid",
                        &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16],
                    )
                    .prop_u32("boot-nonce", 3)
                    .prop_bytes("nonce-empty", &[0; 20]),
            )
            .build()
            .unwrap();
        let redactor = Redactor::of_tree(&Adt::new(&blob).unwrap());
        for secret in [
            "C02XY1234567",
            "c02xy1234567",
            "0x123456789abcde",
            "123456789ABCDE",
            "3c:22:fb:01:02:ab",
            "3C-22-FB-01-02-AB",
            "3c22fb0102ab",
            "01020304-0506-0708-090a-0b0c0d0e0f10",
        ] {
            let text = format!("before {secret} behind");
            let said = redactor.text(&text);
            assert!(said.contains(INSTEAD), "{secret}: {said}");
            assert!(!said.contains(secret), "{secret}: {said}");
        }
        for kept in ["Mac17,0", "3", "0x3", "0000", "C02XY"] {
            assert_eq!(redactor.text(kept), kept);
        }
    }
}
