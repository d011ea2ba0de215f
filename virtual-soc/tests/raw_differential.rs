//! The same requests to the stand-in and to an unmodified loader (`AICPROBE_M1N1_BIN`), and to a recording of one.

mod raw_support;

use raw_support::{boot, client::Client, loader_image, model, script, script::Facts, tape};
use virtual_soc::VirtualTarget;

/// Own requests over a recorded run of the loader at commit 7c7716b6 on the model t8140.
const RECORDED: &str = include_str!("data/t8140-loader.tape");

fn stand_in(name: &str) -> script::Log {
    let model = model(name);
    let mut c = Client::over(VirtualTarget::from_model(&model, 1).expect("model"));
    script::run(&mut c, &Facts::of(&model))
}

fn assert_same(real: &script::Log, stand_in: &script::Log) {
    let mut wrong = Vec::new();
    if std::env::var_os("AICPROBE_SHOW").is_some() {
        eprintln!("{real:#?}");
    }
    for (r, s) in real.iter().zip(stand_in) {
        if r != s {
            wrong.push(format!("loader   {r}\nstand-in {s}"));
        }
    }
    assert_eq!(real.len(), stand_in.len());
    assert!(
        wrong.is_empty(),
        "{} differences:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_stand_in_answers_as_the_loader_on_t8140() {
    let Some(image) = loader_image() else { return };
    let mut c = boot("t8140", &image);
    c.tape = Some(Vec::new());
    let real = script::run(&mut c, &Facts::of(&model("t8140")));
    if let Some(path) = std::env::var_os("AICPROBE_RECORD") {
        let text = tape::to_text(&c.tape.take().expect("tape"));
        std::fs::write(path, text).expect("recording");
    }
    assert_same(&real, &stand_in("t8140"));
}

#[test]
fn the_stand_in_answers_as_the_recording() {
    let mut c = Client::over(tape::Player::new(tape::from_text(RECORDED)));
    // Whether console text came is not recorded.
    let strip =
        |log: script::Log| -> script::Log { log.iter().map(|l| l.replace(" +text", "")).collect() };
    let recorded = script::run(&mut c, &Facts::of(&model("t8140")));
    assert!(c.target.at_end());
    assert_same(&strip(recorded), &strip(stand_in("t8140")));
}
