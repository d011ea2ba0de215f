//! Lines on standard error that come from beside the run: about the link, and about Ctrl-C. They must not cut through what
//! is shown there.

use std::sync::{Mutex, PoisonError};

use indicatif::ProgressBar;

use crate::live::Handle;

/// What is on standard error.
#[derive(Clone)]
pub enum Shown {
    /// Nobody wants lines about the link.
    Nothing,
    /// Lines.
    Lines,
    /// A bar below the lines.
    Bar(ProgressBar),
    /// A dashboard.
    Dashboard(Handle),
}

static SHOWN: Mutex<Shown> = Mutex::new(Shown::Nothing);

/// From now on this is there.
pub fn set(shown: Shown) {
    *SHOWN.lock().unwrap_or_else(PoisonError::into_inner) = shown;
}

fn shown() -> Shown {
    SHOWN.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// A line about the link, from wherever it is waited for.
pub fn notice(text: &str) {
    match shown() {
        Shown::Nothing => {}
        Shown::Lines => say!("link: {text}"),
        Shown::Bar(bar) => bar.suspend(|| say!("link: {text}")),
        Shown::Dashboard(handle) => handle.notice(&format!("link: {text}")),
    }
}

/// A line about how far a run is, where no dashboard shows that.
pub fn progress(text: &str) {
    if !matches!(shown(), Shown::Dashboard(_)) {
        tell(text);
    }
}

/// A line that is always wanted.
pub fn tell(text: &str) {
    match shown() {
        Shown::Nothing | Shown::Lines => say!("{text}"),
        Shown::Bar(bar) => bar.suspend(|| say!("{text}")),
        Shown::Dashboard(handle) => handle.say(text),
    }
}
