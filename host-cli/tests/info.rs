//! `aicprobe info`: what it knows, and that it leaves a target alone.

mod common;

use std::time::Duration;

use common::{aicprobe, stderr, stdout, t8140};
use host_cli::info::read;
use host_cli::link::{Link, LinkError, VirtualLink};
use host_cli::proxy::{Op, Proxy};
use serde_json::Value;
use virtual_soc::VirtualTarget;

/// Keeps the operations that go to the target.
struct Watched {
    link: VirtualLink,
    operations: Vec<u64>,
    /// Frames that write memory.
    writes: usize,
}

impl Link for Watched {
    fn send(&mut self, bytes: &[u8]) -> Result<(), LinkError> {
        for frame in bytes
            .chunks(64)
            .filter(|f| f.starts_with(&[0xff, 0x55, 0xaa]))
        {
            match frame[3] {
                1 => {
                    let word = frame[4..12].try_into().expect("eight bytes");
                    self.operations.push(u64::from_le_bytes(word));
                }
                3 => self.writes += 1,
                _ => {}
            }
        }
        self.link.send(bytes)
    }

    fn recv(&mut self, buf: &mut [u8], timeout: Duration) -> Result<usize, LinkError> {
        self.link.recv(buf, timeout)
    }

    fn now(&self) -> Duration {
        self.link.now()
    }

    fn is_virtual(&self) -> bool {
        true
    }
}

#[test]
fn a_target_is_only_read() {
    let target = VirtualTarget::from_model(&t8140(), 1).unwrap();
    let mut link = Watched {
        link: VirtualLink::new(target),
        operations: Vec::new(),
        writes: 0,
    };
    let mut proxy = Proxy::connect(&mut link).unwrap();
    let info = read("vm:test", &mut proxy, Vec::new()).unwrap();
    drop(proxy);
    assert_eq!(info.cpus.len(), 6);
    assert!(info.cpus[0].boot && info.cpus[0].started);
    // Nobody has started the others, and nor has this.
    assert!(info.cpus[1..].iter().all(|cpu| !cpu.started));
    assert!(link.operations.len() > 10);
    assert_eq!(link.writes, 0);
    let harmless = [
        Op::Nop,
        Op::GetBootArgs,
        Op::GetBase,
        Op::GetExcCount,
        Op::GetCpuFeatures,
        Op::Read32,
        Op::Read64,
        Op::SmpIsAlive,
        Op::IodevWhoami,
    ]
    .map(|op| op as u64);
    // "mark" in the upper half: a number that is no operation, sent for its echo.
    let marks = |operation: &&u64| *operation >> 32 != 0x6d61_726b;
    for operation in link.operations.iter().filter(marks) {
        assert!(harmless.contains(operation), "operation {operation:#x}");
    }
    let target = link.link.into_target();
    let differences = target.as_found().differences(&target.snapshot());
    assert!(differences.is_empty(), "{differences:?}");
}

fn info(args: &[&str]) -> Value {
    let mut words = vec!["info", "--no-config", "--format", "json"];
    words.extend(args);
    let run = aicprobe(&words);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    serde_json::from_str(&stdout(&run)).expect("JSON")
}

#[test]
fn without_a_target_the_program_is_told() {
    let json = info(&[]);
    assert_eq!(json["program"]["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["program"]["schema_hash"].as_str().unwrap().len(), 16);
    assert_eq!(json["target"], Value::Null);
    let models = json["models"].as_array().unwrap();
    let t6022 = models.iter().find(|m| m["name"] == "t6022").unwrap();
    assert_eq!((&t6022["cpus"], &t6022["dies"]), (&24.into(), &2.into()));
    needs_firmware!();
    let firmware = &json["firmware"];
    assert_eq!(firmware["schema_hash"], json["program"]["schema_hash"]);
    assert_eq!(firmware["build_id"].as_str().unwrap().len(), 32);
}

#[test]
fn a_target_has_its_cpus_and_its_controller() {
    let json = info(&["--target", "vm:t6022"]);
    let target = &json["target"];
    assert_eq!(target["soc"]["name"], "T6022");
    assert_eq!(target["cpus"].as_array().unwrap().len(), 24);
    assert_eq!(
        (&target["aic"]["generation"], &target["aic"]["dies"]),
        (&2.into(), &2.into())
    );
    let offsets = target["aic"]["offsets"].as_array().unwrap();
    let mask = offsets
        .iter()
        .find(|o| o["register"] == "MASK_SET")
        .unwrap();
    assert!(mask["die_stride"].is_string(), "two dies");
    let one = info(&["--target", "vm:t8103"]);
    let offsets = one["target"]["aic"]["offsets"].as_array().unwrap();
    assert!(
        offsets
            .iter()
            .any(|o| o["register"] == "TARGET_CPU" && o["offset"] == "0x3000")
    );
    assert!(offsets.iter().all(|o| o["die_stride"].is_null()), "one die");
    let missing = aicprobe(&["info", "--target", "/dev/ttyNONE7"]);
    assert_eq!(missing.status.code(), Some(3));
}
