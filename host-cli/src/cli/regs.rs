//! `aicprobe regs`.

use std::path::PathBuf;

use aic_regs::aic::Generation;
use aic_regs::facts::{CONTROLLERS, Controller};
use clap::{Args, Subcommand, ValueEnum};

use crate::error::{Error, exit};
use crate::output::{Form, render, to_json};
use crate::regs::{
    DecodeResult, GENERATIONS, Hwirq, Register, RegsExport, RegsList, RegsShow, SvdPeripheral,
    decode, find, find_for_value, registers, svd, usual,
};

use super::values;
use super::write::Sink;

/// Page of these machines; every device starts on one.
const PAGE: u64 = 0x4000;

/// What `regs` does.
#[derive(Debug, Subcommand)]
pub enum RegsCommand {
    /// List the registers of the interrupt controllers and the system registers around them.
    ///
    /// Offsets count from the controller's base and are those of T8103, T6020 and T8140; on other SoCs the device tree may move
    /// them.
    List(ListArgs),
    /// Show a register: where it is, its fields, their values, and who says so.
    Show(ShowArgs),
    /// Take a register's value apart, or an interrupt number of Linux: `regs decode hwirq 66532`.
    ///
    /// Interrupt numbers of Linux are die << 24 | type << 16 | number, where type 1 is a hardware line. Old drivers for AICv1 showed
    /// plain lines, and FIQs, MSIs and others have numbers of their own: such a number is said to be none, with what it may be.
    Decode(DecodeArgs),
    /// Write the registers in a form that other tools read.
    ///
    /// Without --soc or --generation: all generations, in SVD at the addresses of T8103, T6020 and T8140.
    Export(ExportArgs),
}

/// A generation of the controller, or the system registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Group {
    /// AICv1.
    V1,
    /// AICv2.
    V2,
    /// AICv3.
    V3,
    /// System registers.
    System,
}

/// Options of `regs list`.
#[derive(Debug, Args)]
pub struct ListArgs {
    /// Only these.
    #[arg(long, value_enum)]
    pub generation: Option<Group>,
    /// Form of the result: schema "aicprobe.regs.list/1".
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
}

/// Options of `regs show`.
#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Its name in any case, another name of it, its name without the exception level, or S3_4_C15_C10_4 and the like.
    pub name: String,
    /// Form of the result: schema "aicprobe.regs.show/1".
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
}

/// Options of `regs decode`.
#[derive(Debug, Args)]
pub struct DecodeArgs {
    /// The register, as for `regs show`, or hwirq.
    pub name: String,
    /// Its value, decimal or 0x.
    #[arg(allow_negative_numbers = true)]
    pub value: String,
    /// Form of the result: schema "aicprobe.regs.decode/1".
    #[arg(long, value_enum, default_value_t = Form::Table)]
    pub format: Form,
}

/// Form of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// CMSIS-SVD: the memory-mapped registers at their addresses. System registers have none and are only in the JSON.
    Svd,
    /// JSON with schema "aicprobe.regs/1": every register, every source, and where each SoC's controller is.
    Json,
}

/// Options of `regs export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// Form of the export.
    #[arg(long, value_enum)]
    pub format: ExportFormat,
    /// Only the controller of this SoC, like T8140.
    #[arg(long, value_name = "SOC", conflicts_with = "generation")]
    pub soc: Option<String>,
    /// Only this generation.
    #[arg(long, value_enum)]
    pub generation: Option<MmioGroup>,
    /// In SVD: the controller's physical address, a multiple of 0x4000, decimal or 0x. Needs --soc or --generation.
    #[arg(long, value_name = "ADDR", value_parser = values::address)]
    pub base: Option<u64>,
    /// Write the result to FILE instead of standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A generation of the controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum MmioGroup {
    /// AICv1.
    V1,
    /// AICv2.
    V2,
    /// AICv3.
    V3,
}

impl From<MmioGroup> for Generation {
    fn from(group: MmioGroup) -> Self {
        match group {
            MmioGroup::V1 => Self::V1,
            MmioGroup::V2 => Self::V2,
            MmioGroup::V3 => Self::V3,
        }
    }
}

impl Group {
    fn holds(self, register: &Register) -> bool {
        match self {
            Self::V1 => register.is_of(Generation::V1),
            Self::V2 => register.is_of(Generation::V2),
            Self::V3 => register.is_of(Generation::V3),
            Self::System => register.is_system(),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// [`Error`] for names and values that make no sense, and if the result cannot be written.
pub fn run(command: &RegsCommand) -> Result<u8, Error> {
    let (text, sink) = match command {
        RegsCommand::List(args) => (list(args)?, Sink::Stdout),
        RegsCommand::Show(args) => (show(args)?, Sink::Stdout),
        RegsCommand::Decode(args) => (decoded(args)?, Sink::Stdout),
        RegsCommand::Export(args) => {
            let text = export(args)?;
            (text, Sink::open(args.output.as_deref())?)
        }
    };
    sink.write(&text)?;
    Ok(exit::OK)
}

fn list(args: &ListArgs) -> Result<String, Error> {
    let mut registers = registers();
    if let Some(group) = args.generation {
        registers.retain(|register| group.holds(register));
    }
    let list = RegsList {
        schema: RegsList::SCHEMA,
        registers: &registers,
    };
    render(&list, args.format)
}

fn show(args: &ShowArgs) -> Result<String, Error> {
    let registers = find(&args.name)?;
    let shown = RegsShow {
        schema: RegsShow::SCHEMA,
        name: &args.name,
        registers: &registers,
    };
    render(&shown, args.format)
}

fn decoded(args: &DecodeArgs) -> Result<String, Error> {
    let usage = |what: String| Error::Usage(what);
    let schema = DecodeResult::SCHEMA;
    if args.name.eq_ignore_ascii_case("hwirq") {
        let value: u32 = values::number(
            &args.value,
            "interrupt number: allowed are 0 to 4294967295, decimal or 0x",
        )
        .map_err(usage)?;
        let hwirq = Hwirq::new(value);
        let result = DecodeResult {
            schema,
            readings: Vec::new(),
            hwirq: Some(hwirq),
        };
        return render(&result, args.format);
    }
    let registers = find_for_value(&args.name)?;
    let value: u64 = values::number(
        &args.value,
        "value of a register: allowed is a decimal or 0x number of at most 64 bits",
    )
    .map_err(usage)?;
    let mut readings = Vec::new();
    for register in &registers {
        readings.extend(decode(register, value).ok_or_else(|| {
            let (name, width) = (register.name, register.width);
            usage(format!(
                "{} does not fit {name}, which has {width} bits",
                args.value
            ))
        })?);
    }
    let result = DecodeResult {
        schema,
        readings,
        hwirq: None,
    };
    render(&result, args.format)
}

fn export(args: &ExportArgs) -> Result<String, Error> {
    let soc = args.soc.as_deref().map(controller).transpose()?;
    let generation = args.generation.map(Generation::from);
    let named = soc.or_else(|| generation.map(usual));
    match args.format {
        ExportFormat::Json => {
            if args.base.is_some() {
                return Err(Error::Usage(
                    "--base goes only with --format svd".to_owned(),
                ));
            }
            to_json(&RegsExport::new(soc, generation))
        }
        ExportFormat::Svd => {
            let (name, peripherals) = match (named, args.base) {
                (Some(named), base) => {
                    let base = base.unwrap_or(named.base);
                    check_base(base, named)?;
                    let name = soc.map_or("AIC", |soc| soc.soc);
                    (
                        name,
                        vec![SvdPeripheral {
                            controller: named,
                            base,
                        }],
                    )
                }
                (None, None) => ("AIC", GENERATIONS.map(SvdPeripheral::usual).to_vec()),
                (None, Some(_)) => {
                    let what = "--base needs --soc or --generation: whose controller is there?";
                    return Err(Error::Usage(what.to_owned()));
                }
            };
            svd(name, &peripherals).map_err(|e| Error::Internal(e.to_string()))
        }
    }
}

/// A place where a controller can be: on a page, and all of it below 2^64.
fn check_base(base: u64, named: &Controller) -> Result<(), Error> {
    let last = u64::MAX - (SvdPeripheral::extent(named) - 1);
    if base.is_multiple_of(PAGE) && base <= last {
        return Ok(());
    }
    Err(Error::Usage(format!(
        "--base {base:#x}: allowed are multiples of {PAGE:#x} up to {:#x}",
        last - last % PAGE
    )))
}

fn controller(name: &str) -> Result<&'static Controller, Error> {
    Controller::of(name).ok_or_else(|| {
        let known: Vec<_> = CONTROLLERS
            .iter()
            .flat_map(|c| std::iter::once(c.soc).chain(c.also.iter().copied()))
            .collect();
        Error::Usage(format!(
            "--soc {name}: no such SoC; allowed are {}",
            known.join(", ")
        ))
    })
}
