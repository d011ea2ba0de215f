//! Ctrl-C: noticed between two exchanges with the target, so that everything can be put back.

use std::sync::atomic::{AtomicBool, Ordering};

use super::notices;

static STOP: AtomicBool = AtomicBool::new(false);
static TELL: AtomicBool = AtomicBool::new(false);

/// The same as [`install`]; unless `quiet`, every Ctrl-C is answered with a line that it was heard.
pub fn install_telling(quiet: bool) {
    TELL.store(!quiet, Ordering::Relaxed);
    install();
}

/// Takes over Ctrl-C and termination signals. Without that (a second handler in one process) the program still works:
/// it then ends at once when interrupted.
pub fn install() {
    // The handler runs in a thread of its own: it may write.
    if let Err(e) = ctrlc::set_handler(request) {
        say!("aicprobe: Ctrl-C will not restore the target: {e}");
    }
}

/// The same as a Ctrl-C.
pub fn request() {
    let again = STOP.swap(true, Ordering::Relaxed);
    if TELL.load(Ordering::Relaxed) {
        notices::tell(&format!("aicprobe: {}", answer(again)));
    }
}

/// A second Ctrl-C ends nothing sooner: a loader that is left in the middle of a transfer takes commands for data.
const fn answer(again: bool) -> &'static str {
    if again {
        "still stopping: the target has to be put back as it was first"
    } else {
        "stopping: the exchange that runs comes to its end, then the target is put back as it was"
    }
}

/// Whether the user wants to stop.
pub fn requested() -> bool {
    STOP.load(Ordering::Relaxed)
}
