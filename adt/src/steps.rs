// SPDX-License-Identifier: MIT OR Apache-2.0
//! Counts what reading a tree costs, in this crate's own tests; elsewhere it is nothing.

#[cfg(test)]
std::thread_local! {
    static STEPS: core::cell::Cell<u64> = const { core::cell::Cell::new(0) };
}

/// A header, a property, a number or an interrupt is looked at.
#[inline(always)]
pub(crate) fn step() {
    #[cfg(test)]
    STEPS.with(|steps| steps.set(steps.get() + 1));
}

/// Steps of this thread while `work` runs.
#[cfg(test)]
pub(crate) fn steps_of(work: impl FnOnce()) -> u64 {
    let before = STEPS.with(core::cell::Cell::get);
    work();
    STEPS.with(core::cell::Cell::get) - before
}
