//! Ctrl-C: noticed between two exchanges with the target, so that everything can be put back.

use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// Takes over Ctrl-C and termination signals. Without that (a second handler in one process) the program still works:
/// it then ends at once when interrupted.
pub fn install() {
    if let Err(e) = ctrlc::set_handler(|| STOP.store(true, Ordering::Relaxed)) {
        say!("aicprobe: Ctrl-C will not restore the target: {e}");
    }
}

/// Whether the user wants to stop.
pub fn requested() -> bool {
    STOP.load(Ordering::Relaxed)
}
