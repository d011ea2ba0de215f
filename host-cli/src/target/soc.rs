//! Chip and board, as the device tree names them.

use adt::Adt;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Chip and board.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SocFacts {
    /// SoC, e.g. "T8140"; empty if the tree does not say.
    pub name: String,
    /// Chip id, e.g. 0x8140; `None` if the tree does not say (a template has 0).
    pub chip_id: Option<u32>,
    /// Board (`target-type`), e.g. "J700".
    pub board: String,
    /// Model (`model`), e.g. "Mac17,0".
    pub model: String,
    /// Firmware's version (`/chosen` `firmware-version`).
    pub firmware: String,
}

impl SocFacts {
    /// Its name, for people.
    #[must_use]
    pub fn title(&self) -> &str {
        match self.name.as_str() {
            "" => "unknown SoC",
            name => name,
        }
    }

    /// Out of a device tree. Nothing here is needed to measure, so nothing missing is an error.
    #[must_use]
    pub fn from_tree(tree: &Adt<'_>) -> Self {
        let root = tree.root();
        let chosen = tree.node("/chosen");
        let text = |s: Option<&str>| s.unwrap_or_default().to_owned();
        // A template has a placeholder of 0 there, which the boot loader fills in.
        let chip_id = chosen.and_then(|n| n.u32("chip-id")).filter(|id| *id != 0);
        let listed = tree
            .node("/arm-io")
            .and_then(|n| n.compatible().find_map(|c| c.strip_prefix("arm-io,")));
        let name = match (listed, chip_id) {
            (Some(name), _) => name.to_uppercase(),
            (None, Some(id)) => format!("T{id:04X}"),
            (None, None) => String::new(),
        };
        Self {
            name,
            chip_id,
            board: text(root.str("target-type")),
            model: text(root.str("model")),
            firmware: text(chosen.and_then(|n| n.str("firmware-version"))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adt::NodeBuilder;

    #[test]
    fn a_placeholder_is_no_chip() {
        let chip = |id| {
            let chosen = NodeBuilder::new("chosen").prop_u32("chip-id", id);
            let root = NodeBuilder::new("device-tree").prop_u32("x", 1);
            let blob = root.child(chosen).build().unwrap();
            let facts = SocFacts::from_tree(&Adt::new(&blob).unwrap());
            (facts.chip_id, facts.name)
        };
        assert_eq!(chip(0x8103), (Some(0x8103), "T8103".to_owned()));
        assert_eq!(chip(0), (None, String::new()));
    }
}
