//! `bench link`: what it reports is what the model of the link says.

mod common;

use common::{aicprobe, stderr, stdout};
use virtual_soc::SocModel;

/// Bytes of a request and its answer.
const FRAMES: u64 = 64 + 36;

#[test]
fn a_round_trip_is_one_exchange() {
    let loader = SocModel::builtin("t8140").expect("built in").loader;
    let args = ["bench", "link", "-q", "--iterations", "5", "--size", "512"];
    let run = aicprobe(&[&args[..], &["--format", "json"]].concat());
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let result: serde_json::Value = serde_json::from_str(&stdout(&run)).expect("JSON");
    let bytes_ns = |n: u64| n * 1_000_000_000 / loader.bytes_per_second;
    let within = |what: &str, ns: &serde_json::Value, expected: u64| {
        let ns = ns.as_u64().expect("a time");
        // The machine's turns end a little later than the bytes.
        let room = expected / 50 + 1_000;
        assert!(
            ns.abs_diff(expected) <= room,
            "{what}: {ns} ns, {expected} expected"
        );
    };
    let trip = loader.request_ns + bytes_ns(FRAMES);
    within("round trip", &result["round_trip"]["median_ns"], trip);
    let transfer = &result["transfers"][0];
    within("up", &transfer["up"]["median_ns"], trip + bytes_ns(512));
    within("down", &transfer["down"]["median_ns"], trip + bytes_ns(512));
}
