//! What of a device tree is kept: its hash, and the properties of a list. What is not on the list is not copied.

use std::collections::BTreeMap;

use adt::{Adt, Node as TreeNode};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::firmware::hex;
use crate::target::node_path;

use super::{Redactor, sha256};

/// `adt.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdtFile {
    /// SHA-256 of the tree's bytes.
    pub sha256: String,
    /// How many bytes these are.
    pub length: usize,
    /// Nodes that matter, with the properties of a fixed list.
    pub nodes: Vec<Node>,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Node {
    /// Its path.
    pub path: String,
    /// Texts as they are, words as hexadecimal text, everything else as its bytes in hexadecimal.
    pub properties: BTreeMap<String, Value>,
}

/// How a property is shown.
#[derive(Clone, Copy)]
enum Kind {
    /// Texts, each with a zero at its end.
    Texts,
    /// Little-endian words of 32 bits.
    Words,
    /// Of 64 bits.
    Longs,
    /// Bytes.
    Bytes,
}
use Kind::{Bytes, Longs, Texts, Words};

const ROOT: &[(&str, Kind)] = &[
    ("compatible", Texts),
    ("model", Texts),
    ("target-type", Texts),
    ("#address-cells", Words),
    ("#size-cells", Words),
];
const CHOSEN: &[(&str, Kind)] = &[
    ("board-id", Words),
    ("chip-id", Words),
    ("firmware-version", Texts),
    ("system-firmware-version", Texts),
    ("security-domain", Words),
    ("chip-epoch", Words),
    ("dram-base", Longs),
    ("dram-size", Longs),
];
const ARM_IO: &[(&str, Kind)] = &[
    ("compatible", Texts),
    ("device_type", Texts),
    ("chip-revision", Words),
    ("soc-generation", Texts),
    ("#address-cells", Words),
    ("#size-cells", Words),
    ("ranges", Longs),
];
const CPUS: &[(&str, Kind)] = &[
    ("#address-cells", Words),
    ("#size-cells", Words),
    ("#main-cpus", Words),
    ("max_cpus", Words),
];
const CPU: &[(&str, Kind)] = &[
    ("name", Texts),
    ("compatible", Texts),
    ("reg", Words),
    ("cpu-id", Words),
    ("logical-cpu-id", Words),
    ("cluster-id", Words),
    ("logical-cluster-id", Words),
    ("cluster-core-id", Words),
    ("cluster-type", Texts),
    ("die-id", Words),
    ("die-cluster-id", Words),
    ("state", Texts),
    ("cpu-impl-reg", Longs),
    ("reg-private", Longs),
];
const AIC: &[(&str, Kind)] = &[
    ("compatible", Texts),
    ("reg", Longs),
    ("AAPL,phandle", Words),
    ("#interrupt-cells", Words),
    ("#main-cpus", Words),
    ("#shared-timestamps", Words),
    ("interrupt-controller", Bytes),
    ("ipid-mask", Bytes),
    ("target-destinations", Bytes),
    ("aic-iack-offset", Words),
    ("aic-ext-intr-cfg", Bytes),
    ("aicglbcfg-offset", Words),
    ("cap0-offset", Words),
    ("maxnumirq-offset", Words),
    ("rev-offset", Words),
    ("extint-baseaddress", Words),
    ("extintrcfg-stride", Words),
    ("intmaskset-stride", Words),
    ("intmaskclear-stride", Words),
    ("hwintmon-stride", Words),
];

impl AdtFile {
    /// Of a tree with its bytes.
    #[must_use]
    pub fn of(bytes: &[u8], tree: &Adt<'_>, redactor: &Redactor) -> Self {
        let mut nodes = Vec::new();
        let mut add = |node: TreeNode<'_>, list: &[(&str, Kind)]| {
            nodes.push(Node::of(node, list, redactor));
        };
        add(tree.root(), ROOT);
        for (path, list) in [("/chosen", CHOSEN), ("/arm-io", ARM_IO), ("/cpus", CPUS)] {
            if let Some(node) = tree.node(path) {
                add(node, list);
            }
        }
        if let Some(cpus) = tree.node("/cpus") {
            cpus.children().for_each(|cpu| add(cpu, CPU));
        }
        let is_aic = |node: &TreeNode<'_>| {
            ["aic,1", "aic,2", "aic,3"]
                .iter()
                .any(|c| node.is_compatible(c))
        };
        let aic = tree.node("/arm-io/aic");
        if let Some(node) = aic.or_else(|| tree.nodes().find(is_aic)) {
            add(node, AIC);
        }
        Self {
            sha256: sha256(bytes),
            length: bytes.len(),
            nodes,
        }
    }
}

impl Node {
    fn of(node: TreeNode<'_>, list: &[(&str, Kind)], redactor: &Redactor) -> Self {
        let mut properties = BTreeMap::new();
        for (name, kind) in list {
            if let Some(bytes) = node.property(name) {
                properties.insert(
                    (*name).to_owned(),
                    value(node, name, bytes, *kind, redactor),
                );
            }
        }
        Self {
            path: node_path(node),
            properties,
        }
    }
}

fn value(node: TreeNode<'_>, name: &str, bytes: &[u8], kind: Kind, redactor: &Redactor) -> Value {
    let words = |words: Vec<String>| match <[String; 1]>::try_from(words) {
        Ok([word]) => Value::from(word),
        Err(words) => Value::from(words),
    };
    match kind {
        Texts => {
            let texts = node.strings(name);
            words(texts.map(|t| redactor.text(t).into_owned()).collect())
        }
        // As many whole words as there are, and no byte behind them.
        Words if !bytes.is_empty() && bytes.len().is_multiple_of(4) => {
            words(node.u32s(name).map(|w| format!("{w:#x}")).collect())
        }
        Longs if !bytes.is_empty() && bytes.len().is_multiple_of(8) => {
            let long = |b: &[u8]| {
                let mut word = [0; 8];
                word.copy_from_slice(b);
                format!("{:#x}", u64::from_le_bytes(word))
            };
            words(bytes.chunks_exact(8).map(long).collect())
        }
        _ => Value::from(hex(bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adt::NodeBuilder;

    #[test]
    fn only_what_is_listed_is_copied() {
        let cpu = NodeBuilder::new("cpu0")
            .prop_u32("reg", 0x10100)
            .prop_str("state", "running")
            .prop_u64("cpu-uid", 77);
        let aic = NodeBuilder::new("aic")
            .prop_str("compatible", "aic,3")
            .prop_u32s("reg", &[0x1000, 0, 0x2000, 0])
            .prop_bytes("maxnumirq-offset", &[1, 2, 3]);
        let blob = NodeBuilder::new("device-tree")
            .prop_str("serial-number", "C02XY1234567")
            .prop_str("model", "Mac of C02XY1234567")
            .child(NodeBuilder::new("cpus").child(cpu))
            .child(NodeBuilder::new("arm-io").child(aic))
            .build()
            .unwrap();
        let tree = Adt::new(&blob).unwrap();
        let kept = AdtFile::of(&blob, &tree, &Redactor::of_tree(&tree));
        let text = serde_json::to_string(&kept).unwrap();
        assert!(
            !text.contains("C02XY") && !text.contains("cpu-uid"),
            "{text}"
        );
        assert_eq!((kept.length, kept.sha256), (blob.len(), sha256(&blob)));
        let of = |path: &str, name: &str| {
            let node = kept.nodes.iter().find(|n| n.path == path).unwrap();
            node.properties[name].clone()
        };
        assert_eq!(of("/cpus/cpu0", "reg"), "0x10100");
        assert_eq!(
            of("/arm-io/aic", "reg"),
            serde_json::json!(["0x1000", "0x2000"])
        );
        assert_eq!(of("/arm-io/aic", "maxnumirq-offset"), "010203");
    }
}
