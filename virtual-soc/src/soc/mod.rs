//! Devices, models and the loader stand-in on top of [`crate::machine::Machine`].
