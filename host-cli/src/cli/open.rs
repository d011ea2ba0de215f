//! From the name of a target to a link.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use virtual_soc::{SocModel, VirtualTarget};

use crate::error::Error;
use crate::evidence::{LoaderImage, Machine, sha256};
use crate::files::read_limited;
use crate::link::{
    FaultyLink, Link, OpenError, SerialLink, VirtualLink, is_pseudo_terminal, only_proxy, ports,
};
use crate::proxy::{ConnectOptions, Proxy, ProxyError};
use crate::result::Mark;
use crate::vm::{BOOT_LIMIT, Image, boot_loader};

use super::args::LinkArgs;
use super::{interrupt, notices};

/// Largest file of a virtual SoC that is read, in bytes.
const MODEL_MAX: u64 = 1 << 20;
/// Pause between two looks for a port that is not there yet.
const LOOK: Duration = Duration::from_millis(200);

/// A target that a link leads to.
pub struct OpenTarget {
    /// The link.
    pub link: Box<dyn Link>,
    /// What has to be said about every result.
    pub marks: Vec<Mark>,
    /// Length of a virtual CPU's turn in nanoseconds; `None` on hardware.
    pub slice_ns: Option<f64>,
    /// Whether it is hardware, where time costs and mistakes hurt.
    pub hardware: bool,
    /// What answers at its far end, as far as known here.
    pub machine: Machine,
    /// How long the loader may stay silent at first.
    wait: Duration,
}

impl OpenTarget {
    /// Connects to the loader; Ctrl-C ends the attempt, and what follows until [`Proxy::hold`].
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn connect(&mut self) -> Result<Proxy<'_>, ProxyError> {
        let options = ConnectOptions {
            wait: self.wait,
            stop: Some(interrupt::requested),
            notice: Some(notices::notice),
            ..ConnectOptions::default()
        };
        Proxy::connect_with(&mut *self.link, options)
    }
}

/// Opens `name`.
///
/// # Errors
/// [`Error::UnknownTarget`], [`Error::SocFile`], [`Error::Model`], [`Error::Open`].
pub fn open(name: &str, seed: u64, args: &LinkArgs) -> Result<OpenTarget, Error> {
    open_with(name, seed, args, None)
}

/// The same, with a loader image for a virtual SoC.
///
/// # Errors
/// Those of [`open`]; [`Error::LoaderFile`], [`Error::LoaderNeedsVm`], [`Error::Boot`].
pub fn open_with(
    name: &str,
    seed: u64,
    args: &LinkArgs,
    loader: Option<&Path>,
) -> Result<OpenTarget, Error> {
    let mut target = open_clean(name, seed, args, loader)?;
    if let Some(spec) = args.link_faults {
        target.marks.push(Mark::note(
            "link",
            format!("faults were put on the link: {spec}"),
        ));
        target.link = Box::new(FaultyLink::new(target.link, spec));
    }
    Ok(target)
}

fn open_clean(
    name: &str,
    seed: u64,
    args: &LinkArgs,
    loader: Option<&Path>,
) -> Result<OpenTarget, Error> {
    if let Some(soc) = name.strip_prefix("vm:") {
        return open_virtual(name, soc, seed, Duration::from_secs(args.wait), loader);
    }
    if loader.is_some() {
        return Err(Error::LoaderNeedsVm(name.to_owned()));
    }
    let wait = Duration::from_secs(args.wait);
    let failed = |why| Error::Open {
        given: name.to_owned(),
        why,
    };
    let (path, link) = if matches!(name, "usb" | "auto") {
        within(wait, name, || {
            let port = only_proxy(ports())?;
            let link = SerialLink::open(&port.path, args.baud)?;
            Ok((port.path, link))
        })
    } else if is_port_name(name) {
        let path = PathBuf::from(name);
        within(wait, name, || SerialLink::open(&path, args.baud)).map(|link| (path, link))
    } else {
        return Err(unknown(name, "no such kind of target"));
    }
    .map_err(failed)?;
    let program = is_pseudo_terminal(&path);
    let marks = program.then(|| {
        let path = path.display();
        Mark::model_only(format!(
            "{path} is a pseudo-terminal: a program answers there, no hardware"
        ))
    });
    Ok(OpenTarget {
        link: Box::new(link),
        marks: marks.into_iter().collect(),
        slice_ns: None,
        hardware: !program,
        machine: if program {
            Machine::Program
        } else {
            Machine::Hardware
        },
        wait,
    })
}

/// A path, or a port's name on Windows.
pub(super) fn is_port_name(name: &str) -> bool {
    let com = name.get(..3).is_some_and(|s| s.eq_ignore_ascii_case("COM"));
    let number = name.get(3..).unwrap_or_default();
    name.contains(['/', '\\'])
        || com && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// Tries until it works, until it fails for a reason that waiting does not mend, or until time is up.
fn within<T>(
    wait: Duration,
    name: &str,
    mut attempt: impl FnMut() -> Result<T, OpenError>,
) -> Result<T, OpenError> {
    let end = Instant::now() + wait;
    loop {
        match attempt() {
            Err(e) if e.may_appear() && Instant::now() < end => {}
            done => return done,
        }
        if interrupt::requested() {
            return Err(OpenError::Interrupted(name.to_owned()));
        }
        std::thread::sleep(LOOK);
    }
}

pub(super) fn unknown(name: &str, what: &str) -> Error {
    Error::UnknownTarget {
        given: name.to_owned(),
        what: what.to_owned(),
        allowed: format!(
            "usb (the only m1n1 on USB), a serial port like /dev/ttyACM0 or COM3, vm:NAME with a NAME of {}, and vm:FILE.toml; vm:all goes only with `route`",
            SocModel::builtin_names().join(", ")
        ),
    }
}

/// The model that `soc` names, a built-in one or a file.
///
/// # Errors
/// [`Error::SocFile`], [`Error::Model`], [`Error::UnknownSoc`].
pub fn load_model(soc: &str) -> Result<SocModel, Error> {
    load_model_text(soc).map(|(model, _)| model)
}

/// The same, with the bytes of its file.
fn load_model_text(soc: &str) -> Result<(SocModel, Vec<u8>), Error> {
    if soc.ends_with(".toml") || soc.contains(['/', '\\']) {
        let path = Path::new(soc);
        let bytes = read_limited(path, MODEL_MAX).map_err(|why| Error::SocFile {
            path: path.to_owned(),
            why,
        })?;
        // What is no text is no model either; the parser says where.
        let model = SocModel::from_toml(&String::from_utf8_lossy(&bytes), soc)?;
        return Ok((model, bytes));
    }
    let builtin = SocModel::builtin(soc).zip(SocModel::builtin_text(soc));
    let (model, text) = builtin.ok_or_else(|| Error::UnknownSoc {
        given: soc.to_owned(),
        allowed: SocModel::builtin_names().join(", "),
    })?;
    Ok((model, text.as_bytes().to_vec()))
}

fn open_virtual(
    name: &str,
    soc: &str,
    seed: u64,
    wait: Duration,
    loader: Option<&Path>,
) -> Result<OpenTarget, Error> {
    if soc == "all" {
        let what = "that is many targets, and this command measures one";
        return Err(unknown(name, what));
    }
    let (model, text) = load_model_text(soc).map_err(|e| match e {
        Error::UnknownSoc { .. } => unknown(name, "no such virtual SoC"),
        other => other,
    })?;
    let mut machine = Machine::Virtual {
        model: model.name.clone(),
        toml_sha256: sha256(&text),
        loader: None,
    };
    let timing = &model.timing;
    let slice_ns = f64::from(timing.slice) * f64::from(timing.ps_per_insn) / 1e3;
    let mut marks = vec![Mark::model_only(format!(
        "every number is an answer of the virtual SoC \"{}\" ({}), none is hardware's",
        model.name, model.title
    ))];
    let link: Box<dyn Link> = match loader {
        None => Box::new(VirtualLink::new(VirtualTarget::from_model(&model, seed)?)),
        Some(path) => {
            let image = Image::read(path).map_err(Error::LoaderFile)?;
            marks.push(Mark::model_only(format!(
                "the loader is the image {} ({} bytes), run on the virtual SoC and reached over its UART",
                image.name(),
                image.bytes.len()
            )));
            if let Machine::Virtual { loader, .. } = &mut machine {
                *loader = Some(LoaderImage {
                    file: image.name(),
                    bytes: image.bytes.len(),
                    sha256: sha256(&image.bytes),
                });
            }
            let limit = BOOT_LIMIT.max(wait);
            Box::new(boot_loader(
                &model,
                seed,
                &image,
                limit,
                interrupt::requested,
            )?)
        }
    };
    Ok(OpenTarget {
        slice_ns: Some(slice_ns),
        marks,
        link,
        hardware: false,
        machine,
        wait: Duration::ZERO,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_ports() {
        for port in ["/dev/ttyACM0", "./port", "COM3", "com12", r"\\.\COM10"] {
            assert!(is_port_name(port), "{port}");
        }
        for other in ["", "COM", "COMx", "usb", "t8140", "CO", "é3"] {
            assert!(!is_port_name(other), "{other}");
        }
    }

    #[test]
    fn waiting_ends_where_it_cannot_help() {
        let mut tries = 0;
        let busy = within::<()>(Duration::from_secs(60), "x", || {
            tries += 1;
            Err(if tries == 1 {
                OpenError::NoneFound
            } else {
                OpenError::NotSerial("x".into())
            })
        });
        assert!(matches!(busy, Err(OpenError::NotSerial(_))));
        assert_eq!(tries, 2);
        let once = within::<()>(Duration::ZERO, "x", || Err(OpenError::NoneFound));
        assert!(matches!(once, Err(OpenError::NoneFound)));
    }
}
