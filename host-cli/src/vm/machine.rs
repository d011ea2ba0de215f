//! What runs: the stand-in for the loader, or a raw image.

use std::time::Duration;

use virtual_soc::{ModelError, RawStop, RawTarget, SocModel, VirtualTarget};

/// A virtual machine with bytes going in and out.
pub enum Vm {
    /// The model's loader stand-in, and what it is made from again when its loader restarts.
    StandIn {
        /// The machine.
        target: Box<VirtualTarget>,
        /// Its model.
        model: Box<SocModel>,
        /// Its seed.
        seed: u64,
    },
    /// A raw image; every byte goes through the emulated UART.
    Raw(Box<RawTarget>),
}

impl Vm {
    /// The stand-in of `model`.
    ///
    /// # Errors
    /// A model that is refused.
    pub fn stand_in(model: &SocModel, seed: u64) -> Result<Self, ModelError> {
        Ok(Self::StandIn {
            target: Box::new(VirtualTarget::from_model(model, seed)?),
            model: Box::new(model.clone()),
            seed,
        })
    }

    /// Bytes for the target; no time passes.
    pub fn send(&mut self, bytes: &[u8]) {
        match self {
            Self::StandIn { target, .. } => target.send(bytes),
            Self::Raw(target) => target.send(bytes),
        }
    }

    /// Lets at most `span` of virtual time pass, until the target has bytes for the host; how many.
    pub fn run(&mut self, buf: &mut [u8], span: Duration) -> usize {
        match self {
            Self::StandIn { target, .. } => target.recv(buf, span),
            Self::Raw(target) => target.recv(buf, span),
        }
    }

    /// Virtual time.
    #[must_use]
    pub fn now(&self) -> Duration {
        match self {
            Self::StandIn { target, .. } => target.now(),
            Self::Raw(target) => target.now(),
        }
    }

    /// Why it will not run any more.
    #[must_use]
    pub fn stopped(&self) -> Option<RawStop> {
        match self {
            Self::StandIn { .. } => None,
            Self::Raw(target) => target.stopped(),
        }
    }

    /// Instructions of all CPUs together.
    #[must_use]
    pub fn insns(&self) -> u64 {
        match self {
            Self::StandIn { target, .. } => target.stats().total_insns(),
            Self::Raw(target) => target.stats().total_insns(),
        }
    }

    /// Starts the loader again if it has asked for that, or has crashed; whether it did.
    ///
    /// # Errors
    /// A model that is refused, which was accepted before.
    pub fn restart_if_gone(&mut self) -> Result<bool, ModelError> {
        match self {
            Self::StandIn {
                target,
                model,
                seed,
            } if target.is_gone() => {
                **target = VirtualTarget::from_model(model, *seed)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}
