//! What a trigger costs in guest instructions, counted by the virtual SoC: the same on every host.

mod common;

use common::route;
use host_cli::plan::Request;
use virtual_soc::SocModel;

/// Instructions of all CPUs per trigger that every CPU fires in turn, without upload, start and end.
fn per_trigger(model: &str) -> f64 {
    let model = SocModel::builtin(model).expect("built in");
    let cpus = model.cpu.iter().filter(|cpu| cpu.present).count() as u32;
    let count = |triggers| {
        let request = Request {
            fire_cpus: (0..cpus).collect(),
            triggers,
            ..Request::default()
        };
        let run = route(&model, &request);
        let stats = run.target.stats();
        (stats.total_insns(), stats.triggers)
    };
    let (short, long) = (count(1_000), count(9_000));
    (long.0 - short.0) as f64 / (long.1 - short.1) as f64
}

#[test]
fn an_unmasked_trigger_costs_at_most_600_instructions() {
    needs_firmware!();
    let cost = per_trigger("t8140");
    assert!(cost <= 600.0, "{cost}");
}

#[test]
fn with_20_cpus_at_most_half_more_than_with_6() {
    needs_firmware!();
    let (six, twenty) = (per_trigger("t8140"), per_trigger("t6002"));
    assert!(twenty <= 1.5 * six, "{twenty} with 20 CPUs, {six} with 6");
}
