//! Device trees as files.

use std::path::PathBuf;

use adt::NodeBuilder;

/// A captured tree of a real machine, or `None` with the reason printed. `AICPROBE_CASES` names the folder that holds
/// `adt/`.
pub fn case(name: &str) -> Option<String> {
    case_of("adt", name)
}

/// A captured file of another kind, in `kind/` beside `adt/`.
pub fn case_of(kind: &str, name: &str) -> Option<String> {
    let folder = std::env::var_os("AICPROBE_CASES").map_or_else(
        || {
            [env!("CARGO_MANIFEST_DIR"), "..", "..", "shared", "cases"]
                .iter()
                .collect()
        },
        PathBuf::from,
    );
    let path = folder.join(kind).join(name);
    if !path.exists() {
        eprintln!("skipped: {} is not at hand", path.display());
        return None;
    }
    Some(path.to_str().expect("UTF-8").to_owned())
}

/// The shape of a machine with one die: several parents, MSI ranges, routes to coprocessors, a filler line 0.
pub fn synthetic(generation: u32) -> NodeBuilder {
    let aic = NodeBuilder::new("aic")
        .prop_str("compatible", &format!("aic,{generation}"))
        .prop_u32("AAPL,phandle", 1)
        .prop_u32("#interrupt-cells", 1)
        .prop_u64s("reg", &[0x8e10_0000, 0x5_0000])
        .prop_u64("aic-iack-offset", 0xc000)
        .prop_bytes("aic-ext-intr-cfg", &[0x61, 1, 4]);
    let smc = NodeBuilder::new("smc")
        .prop_u32("AAPL,phandle", 2)
        .prop_u32("#interrupt-cells", 2)
        .prop_u32("interrupts", 40);
    let spmi = NodeBuilder::new("nub-spmi@1000")
        .prop_u32("AAPL,phandle", 3)
        .prop_u32("#interrupt-cells", 1)
        .prop_u32s("interrupt-parent", &[3, 1, 2])
        .prop_u32s("interrupts", &[256, 354, 0x7030_5452, 1]);
    let io = NodeBuilder::new("arm-io")
        .prop_str("compatible", "arm-io,t6020")
        .prop_u32("#address-cells", 2)
        .prop_u32("#size-cells", 2)
        .prop_u64s("ranges", &[0, 0x2_0000_0000, 0x4_0000_0000])
        .prop_u32("interrupt-parent", 1)
        .child(aic)
        .child(smc)
        .child(spmi)
        .child(NodeBuilder::new("wdt").prop_u32s("interrupts", &[719, 0]))
        .child(NodeBuilder::new("nco").prop_u64s("reg", &[0x1000, 0x10]))
        .child(NodeBuilder::new("nco").prop_u64s("reg", &[0x2000, 0x10]))
        .child(
            NodeBuilder::new("apcie")
                .prop_u32("msi-vector-offset", 800)
                .prop_u32("#msi-vectors", 32),
        );
    NodeBuilder::new("device-tree")
        .prop_u32("#address-cells", 2)
        .prop_u32("#size-cells", 2)
        .prop_str("target-type", "J474s")
        .prop_str("serial-number", "syscfg/SrNm")
        .placeholder("serial-number")
        .prop_bytes("noise", &[1, 2, 3, 4, 5])
        .child(io)
}

/// A folder for one test's files.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder"))
    }

    /// Writes a file; its path.
    pub fn file(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    }

    pub fn path(&self) -> String {
        self.0.path().to_str().expect("UTF-8").to_owned()
    }
}
