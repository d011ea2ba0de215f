//! What runs: the stand-in for the loader, or a raw image.

use std::time::Duration;

use virtual_soc::{ModelError, RawError, RawOptions, RawStop, RawTarget, SocModel, VirtualTarget};

use super::trace::Trace;

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
    Raw(Box<RawVm>),
}

/// A raw image, and what it is started from again when the watchdog has reset the machine.
pub struct RawVm {
    target: RawTarget,
    model: SocModel,
    image: Vec<u8>,
    options: RawOptions,
    trace: Option<Trace>,
    /// Instructions before the last reset.
    before: u64,
}

impl RawVm {
    fn start(&self) -> Result<RawTarget, RawError> {
        let options = RawOptions {
            max_insns: self.options.max_insns.map(|max| max - self.before),
            ..self.options.clone()
        };
        let mut target = RawTarget::from_image(&self.model, &self.image, &options)?;
        target.set_trace(self.trace.as_ref().map(Trace::hook));
        Ok(target)
    }
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

    /// `image` on `model`, every instruction of it in `trace`.
    ///
    /// # Errors
    /// What cannot be started.
    pub fn raw(
        model: &SocModel,
        image: Vec<u8>,
        options: RawOptions,
        trace: Option<Trace>,
    ) -> Result<Self, RawError> {
        let mut target = RawTarget::from_image(model, &image, &options)?;
        target.set_trace(trace.as_ref().map(Trace::hook));
        Ok(Self::Raw(Box::new(RawVm {
            target,
            model: model.clone(),
            image,
            options,
            trace,
            before: 0,
        })))
    }

    /// Bytes for the target; no time passes.
    pub fn send(&mut self, bytes: &[u8]) {
        match self {
            Self::StandIn { target, .. } => target.send(bytes),
            Self::Raw(raw) => raw.target.send(bytes),
        }
    }

    /// Bytes for the target that an image has not read yet; the stand-in reads at once.
    #[must_use]
    pub fn unread(&self) -> usize {
        match self {
            Self::StandIn { .. } => 0,
            Self::Raw(raw) => raw.target.unread(),
        }
    }

    /// Lets at most `span` of virtual time pass, until the target has bytes for the host; how many.
    pub fn run(&mut self, buf: &mut [u8], span: Duration) -> usize {
        match self {
            Self::StandIn { target, .. } => target.recv(buf, span),
            Self::Raw(raw) => raw.target.recv(buf, span),
        }
    }

    /// Virtual time.
    #[must_use]
    pub fn now(&self) -> Duration {
        match self {
            Self::StandIn { target, .. } => target.now(),
            Self::Raw(raw) => raw.target.now(),
        }
    }

    /// Why it will not run any more.
    #[must_use]
    pub fn stopped(&self) -> Option<RawStop> {
        match self {
            Self::StandIn { .. } => None,
            Self::Raw(raw) => raw.target.stopped(),
        }
    }

    /// Instructions of all CPUs together.
    #[must_use]
    pub fn insns(&self) -> u64 {
        match self {
            Self::StandIn { target, .. } => target.stats().total_insns(),
            Self::Raw(raw) => raw.before + raw.target.stats().total_insns(),
        }
    }

    /// Starts again what is gone; whether it did: a stand-in that was told to restart or has crashed, an image that had the
    /// watchdog reset the machine. An image that is lost in any other way stays lost.
    ///
    /// # Errors
    /// A model or an image that is refused, which was accepted before.
    pub fn restart_if_gone(&mut self) -> Result<bool, RawError> {
        match self {
            Self::StandIn {
                target,
                model,
                seed,
            } if target.is_gone() => {
                **target = VirtualTarget::from_model(model, *seed)?;
                Ok(true)
            }
            Self::Raw(raw) if raw.target.stopped() == Some(RawStop::Reset) => {
                raw.before += raw.target.stats().total_insns();
                raw.target = raw.start()?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }
}
