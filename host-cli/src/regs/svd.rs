//! The memory-mapped registers as CMSIS-SVD.
//!
//! SVD knows addresses only, so system registers are not in it: they are in the JSON export. Where a register is an array, its
//! `dim` is what the layout has room for; the lines of several dies are a cluster with one element per die.

use aic_regs::aic::{Generation, Geometry, Timebase};
use aic_regs::facts::{AccessKind, BlockRegister, Controller, Field as FieldData, WriteEffect};
use svd_encoder::encode;
use svd_rs::{
    Access, AddressBlock, AddressBlockUsage, BitRange, Cluster, ClusterInfo, Device, DimElement,
    EnumeratedValue, EnumeratedValues, Field, FieldInfo, ModifiedWriteValues, Peripheral,
    PeripheralInfo, ReadAction, Register, RegisterCluster, RegisterInfo, RegisterProperties,
    ValidateLevel,
};

use super::{generation_name, usual};

const STRICT: ValidateLevel = ValidateLevel::Strict;
/// Bytes of the page of AICv1's timebase, as device trees have it.
const TIMEBASE_SIZE: u32 = 0x1000;

/// The description cannot be made: a fault of this program.
#[derive(Debug, thiserror::Error)]
#[error("SVD: {0}")]
pub struct SvdError(#[from] svd_rs::SvdError);

/// A controller at an address.
#[derive(Clone, Copy, Debug)]
pub struct SvdPeripheral {
    /// Whose layout it has.
    pub controller: &'static Controller,
    /// Physical address.
    pub base: u64,
}

impl SvdPeripheral {
    /// The controller of a SoC.
    #[must_use]
    pub const fn of(controller: &'static Controller) -> Self {
        Self {
            controller,
            base: controller.base,
        }
    }

    /// Bytes from the base of such a controller to its end.
    #[must_use]
    pub fn extent(controller: &Controller) -> u64 {
        let ends = spans(controller).into_iter();
        ends.map(|(offset, size)| u64::from(offset) + u64::from(size))
            .max()
            .unwrap_or(1)
    }

    /// The controller that stands for its generation.
    #[must_use]
    pub fn usual(generation: Generation) -> Self {
        Self::of(usual(generation))
    }
}

/// The device `name` with these controllers, as the text of an SVD file.
///
/// # Errors
/// [`SvdError`] if the tables break a rule of the format, which a test checks they do not.
pub fn svd(name: &str, peripherals: &[SvdPeripheral]) -> Result<String, SvdError> {
    let socs: Vec<_> = peripherals.iter().map(|p| p.controller.soc).collect();
    let properties = RegisterProperties::new().size(Some(32));
    let device = Device::builder()
        .vendor(Some("Apple".to_owned()))
        .name(name.to_owned())
        .version(env!("CARGO_PKG_VERSION").to_owned())
        .description(format!(
            "Interrupt controllers (AIC), laid out as on {}. From public notes and drivers; each description ends with who says so.",
            socs.join(", ")
        ))
        .address_unit_bits(8)
        .width(64)
        .default_register_properties(properties)
        .peripherals(
            peripherals
                .iter()
                .map(peripheral)
                .collect::<Result<_, _>>()?,
        )
        .schema_version("1.1".to_owned())
        .build(STRICT)?;
    let mut text = match encode(&device) {
        Ok(text) => text,
        Err(never) => match never {},
    };
    text.push('\n');
    Ok(text)
}

fn peripheral(p: &SvdPeripheral) -> Result<Peripheral, SvdError> {
    let (controller, geometry) = (p.controller, p.controller.geometry());
    let generation = controller.generation;
    let (on_each_die, once): (Vec<_>, Vec<_>) = BlockRegister::of(generation)
        .partition(|r| geometry.dies > 1 && r.die_stride(&geometry) != 0);
    let mut children = once
        .into_iter()
        .map(|r| {
            register(r, &geometry, 0).map(|r| (r.address_offset, RegisterCluster::Register(r)))
        })
        .collect::<Result<Vec<_>, _>>()?;
    if !on_each_die.is_empty() {
        let dies = dies(&on_each_die, &geometry)?;
        children.push((dies.address_offset, RegisterCluster::Cluster(dies)));
    }
    children.sort_by_key(|(offset, _)| *offset);
    let name = generation_name(generation);
    let peripheral = PeripheralInfo::builder()
        .name(name.to_owned())
        .description(Some(format!(
            "{name} as on {}; {} source: {}",
            controller.soc,
            lines_known(controller),
            controller.source
        )))
        .base_address(p.base)
        .address_block(Some(address_blocks(controller)?))
        .registers(Some(children.into_iter().map(|(_, child)| child).collect()))
        .build(STRICT)?;
    Ok(peripheral.single())
}

fn lines_known(controller: &Controller) -> String {
    match controller.nr_irq {
        Some(lines) => format!("{lines} lines per die, dies: {};", controller.dies),
        None => format!("number of lines not known, dies: {};", controller.dies),
    }
}

/// The window that drivers map, and what is behind it.
fn spans(controller: &Controller) -> Vec<(u32, u32)> {
    let mut blocks = vec![(0, controller.window)];
    if controller.event >= controller.window {
        blocks.push((controller.event, 4));
    }
    let timebase = Timebase::<()>::PAGE;
    if controller.generation == Generation::V1 && timebase >= controller.window {
        blocks.push((timebase, TIMEBASE_SIZE));
    }
    blocks
}

fn address_blocks(controller: &Controller) -> Result<Vec<AddressBlock>, SvdError> {
    let blocks = spans(controller).into_iter().map(|(offset, size)| {
        Ok(AddressBlock::builder()
            .offset(offset)
            .size(size)
            .usage(AddressBlockUsage::Registers)
            .build(STRICT)?)
    });
    blocks.collect()
}

/// The registers that every die has, from the first die's IRQ_CFG on.
fn dies(registers: &[&BlockRegister], geometry: &Geometry) -> Result<Cluster, SvdError> {
    let start = geometry.irq_cfg;
    let children = registers
        .iter()
        .map(|r| register(r, geometry, start).map(RegisterCluster::Register))
        .collect::<Result<_, _>>()?;
    let cluster = ClusterInfo::builder()
        .name("DIE[%s]".to_owned())
        .description(Some("What every die has.".to_owned()))
        .address_offset(start)
        .children(children)
        .build(STRICT)?;
    let dim = DimElement::builder()
        .dim(geometry.dies)
        .dim_increment(geometry.cfg_stride)
        .build(STRICT)?;
    Ok(cluster.array(dim))
}

fn register(r: &BlockRegister, geometry: &Geometry, start: u32) -> Result<Register, SvdError> {
    let count = r.count(geometry);
    let name = if count > 1 {
        format!("{}[%s]", r.name)
    } else {
        r.name.to_owned()
    };
    let fields = r.fields.iter().map(|f| field(f).map(FieldInfo::single));
    let fields: Vec<Field> = fields.collect::<Result<_, _>>()?;
    let builder = RegisterInfo::builder()
        .name(name)
        .description(Some(format!("{} Source: {}.", r.about, r.source)))
        .address_offset(r.offset(geometry) - start)
        .access(Some(match r.access {
            AccessKind::ReadOnly | AccessKind::ReadDestructive => Access::ReadOnly,
            AccessKind::WriteOnly => Access::WriteOnly,
            AccessKind::ReadWrite => Access::ReadWrite,
        }))
        .modified_write_values(r.write_effect().map(|effect| match effect {
            WriteEffect::OneSets => ModifiedWriteValues::OneToSet,
            WriteEffect::OneClears => ModifiedWriteValues::OneToClear,
        }))
        .read_action((r.access == AccessKind::ReadDestructive).then_some(ReadAction::Modify))
        .fields((!fields.is_empty()).then_some(fields));
    let register = builder.build(STRICT)?;
    if count == 1 {
        return Ok(register.single());
    }
    let dim = DimElement::builder()
        .dim(count)
        .dim_increment(r.stride())
        .build(STRICT)?;
    Ok(register.array(dim))
}

fn field(f: &FieldData) -> Result<FieldInfo, SvdError> {
    let mut builder = FieldInfo::builder()
        .name(f.name.to_owned())
        .description(Some(format!("{} Source: {}.", f.about, f.source)))
        .bit_range(BitRange::from_offset_width(
            f.lsb.into(),
            u32::from(f.msb - f.lsb) + 1,
        ));
    if !f.values.is_empty() {
        let mut names: Vec<String> = Vec::new();
        let values = f.values.iter().map(|known| {
            let name = value_name(known.meaning, known.value, &names);
            names.push(name.clone());
            Ok(EnumeratedValue::builder()
                .name(name)
                .description(Some(format!(
                    "{} (source: {})",
                    known.meaning, known.source
                )))
                .value(Some(known.value))
                .build(STRICT)?)
        });
        let values = values.collect::<Result<_, SvdError>>()?;
        builder = builder.enumerated_values(vec![
            EnumeratedValues::builder().values(values).build(STRICT)?,
        ]);
    }
    Ok(builder.build(STRICT)?)
}

/// An identifier for a value: the meaning up to its first punctuation, or the value where that is taken or no identifier.
fn value_name(meaning: &str, value: u64, taken: &[String]) -> String {
    let end = meaning
        .find([',', ';', ':', '(', '.'])
        .unwrap_or(meaning.len());
    let words = meaning[..end].split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    let name = words.join("_").to_ascii_lowercase();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) && !taken.contains(&name) {
        name
    } else {
        format!("value_{value}")
    }
}

#[cfg(test)]
mod tests {
    use super::super::GENERATIONS;
    use super::*;
    use aic_regs::facts::CONTROLLERS;

    #[test]
    fn every_controller_can_be_described() {
        for controller in CONTROLLERS {
            let text = svd(controller.soc, &[SvdPeripheral::of(controller)]);
            assert!(text.is_ok(), "{}: {text:?}", controller.soc);
        }
        assert!(svd("AIC", &GENERATIONS.map(SvdPeripheral::usual)).is_ok());
    }

    #[test]
    fn names_of_values_are_identifiers() {
        let none = &[][..];
        assert_eq!(value_name("hardware line", 1, none), "hardware_line");
        assert_eq!(value_name("never", 3, none), "never");
        assert_eq!(value_name("accepts; as a fallback", 2, none), "accepts");
        assert_eq!(
            value_name("accepts, preferred", 1, &["accepts".into()]),
            "value_1"
        );
        assert_eq!(value_name("0 to 1", 0, none), "value_0");
        assert_eq!(value_name("(none)", 5, none), "value_5");
    }
}
