//! Evidence into the file of its SoC.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, Value};

use crate::error::{Error, exit};
use crate::evidence::Stored;
use crate::result::hex;
use crate::socs::{self, Soc};
use crate::verify::{Record, Totals};

use super::assess::{Kept, assess, assess_kept};
use super::measured::{class, field};
use super::{Assessment, ReasonKind};

/// What was done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// The file of the SoC.
    pub file: PathBuf,
    /// The SoC.
    pub soc: String,
    /// There was none before.
    pub new_file: bool,
    /// The same evidence is there already: nothing was changed.
    pub already: bool,
}

/// What a run says of itself in a file.
struct Words {
    device: String,
    date: String,
    /// Who says so, for facts that the run has measured.
    source: String,
    sha256: String,
}

/// Writes `stored` into the file of its SoC in `folder`, and puts that on the list. Nothing is changed unless all of it can be.
///
/// # Errors
/// [`Error::NotListed`] for evidence that does not suffice, with exit code 7 where a virtual SoC or another program answered;
/// [`Error::Socs`]; [`Error::OutputFile`].
pub fn add(folder: &Path, stored: &Stored) -> Result<Added, Error> {
    let known = match socs::load(folder) {
        Ok(known) => known,
        Err(why) => {
            // What a virtual SoC said is refused whatever the files are.
            let assessment = assess(stored, |_| None);
            return Err(match assessment.is_hardware() {
                true => why.into(),
                false => refused(&assessment),
            });
        }
    };
    let find = |chip: u32| known.iter().find(|s| s.chip_id == chip);
    let (assessment, kept) = assess_kept(stored, find);
    if !assessment.suffices {
        return Err(refused(&assessment));
    }
    // What suffices could be read.
    let (Some(kept), Some(sha256)) = (kept, assessment.manifest_sha256.clone()) else {
        return Err(Error::Internal("evidence without a result".to_owned()));
    };
    let words = words(&assessment, &kept, sha256);
    let record = &kept.result.record;
    let soc = record.head.soc.chip_id.and_then(find);
    let name = soc.map_or_else(
        || format!("{}.toml", assessment.soc.to_lowercase()),
        Soc::file_name,
    );
    let file = folder.join(&name);
    let mut added = Added {
        file: file.clone(),
        soc: assessment.soc.clone(),
        new_file: soc.is_none(),
        already: false,
    };
    let has = |s: &Soc| {
        let mut of = s.evidence.iter();
        of.any(|e| e.sha256.as_deref() == Some(words.sha256.as_str()))
    };
    if soc.is_some_and(has) {
        added.already = true;
        return Ok(added);
    }
    let text = match soc {
        Some(soc) => edited(&socs::read_text(&file)?, soc, record, &kept, &words)?,
        None => fresh(record, &kept, &words)?,
    };
    // What was made has to be good before it takes the old one's place.
    socs::parse(&name, &text).map_err(|why| {
        Error::Internal(format!(
            "the file that was made of the evidence is wrong: {why}"
        ))
    })?;
    let new = folder.join(format!("{name}.new"));
    let done = fs::write(&new, &text).and_then(|()| fs::rename(&new, &file));
    done.map_err(|why| {
        // Whether it is there or not, the error is told.
        let _ = fs::remove_file(&new);
        Error::OutputFile {
            what: file.display().to_string(),
            why,
        }
    })?;
    Ok(added)
}

fn refused(assessment: &Assessment) -> Error {
    let (code, kind) = if assessment.is_hardware() {
        (assessment.exit_code(), None)
    } else {
        (exit::UNSAFE, Some(ReasonKind::NotHardware))
    };
    let shown = assessment
        .reasons
        .iter()
        .filter(|r| kind.is_none_or(|k| r.kind == k));
    let reasons: Vec<String> = shown.map(|r| format!("{}: {}", r.about, r.text)).collect();
    Error::NotListed {
        path: PathBuf::from(&assessment.path),
        reasons: reasons.join("; "),
        code,
    }
}

fn words(assessment: &Assessment, kept: &Kept, sha256: String) -> Words {
    let device = plain(&assessment.device);
    // That it begins with a date is one of the things that suffice.
    let date: String = kept.run.started.chars().take(10).collect();
    Words {
        source: format!(
            "aicprobe verify on {device}, {date}, manifest {}",
            &sha256[..16]
        ),
        device,
        date,
        sha256,
    }
}

/// What a file may hold: nothing of a device tree gets into it as it is.
fn plain(text: &str) -> String {
    let good = |c: char| if matches!(c, ' '..='~') { c } else { '?' };
    text.chars().take(80).map(good).collect()
}

/// Sets a key and keeps what is written around its value.
fn set(table: &mut Table, key: &str, value: impl Into<Value>) {
    let mut value = value.into();
    if let Some(old) = table.get(key).and_then(Item::as_value) {
        *value.decor_mut() = old.decor().clone();
    }
    match table.get_mut(key) {
        Some(item) => *item = Item::Value(value),
        None => {
            table.insert(key, Item::Value(value));
        }
    }
}

/// What the run has measured is silicon now, where it was less.
fn measured(table: &mut Table, words: &Words) {
    if table.get("state").and_then(Item::as_str) != Some("silicon") {
        set(table, "state", "silicon");
        set(table, "source", words.source.as_str());
    }
}

fn edited(
    text: &str,
    soc: &Soc,
    record: &Record,
    kept: &Kept,
    words: &Words,
) -> Result<String, Error> {
    let odd = |what: &str| Error::Internal(format!("{}: {what}", soc.file_name()));
    let mut doc: DocumentMut = text.parse().map_err(|_| odd("it cannot be read again"))?;
    measured(doc.as_table_mut(), words);
    let values = doc.get_mut("values").and_then(Item::as_table_mut);
    for (_, item) in values
        .ok_or_else(|| odd("no [values.N] tables"))?
        .iter_mut()
    {
        let table = item
            .as_table_mut()
            .ok_or_else(|| odd("no [values.N] tables"))?;
        measured(table, words);
    }
    let cpus = doc.get_mut("cpu").and_then(Item::as_array_of_tables_mut);
    for table in cpus.ok_or_else(|| odd("no [[cpu]] tables"))?.iter_mut() {
        measured(table, words);
    }
    if soc.aic.nr_irq.is_none() {
        let aic = doc.get_mut("aic").and_then(Item::as_table_mut);
        let aic = aic.ok_or_else(|| odd("no [aic] table"))?;
        set(aic, "nr_irq", i64::from(record.aic.nr_irq));
        let source = format!("Linux device tree (name); lines: {}", words.source);
        set(aic, "source", source);
    }
    let list = doc
        .entry("evidence")
        .or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
    let list = list.as_array_of_tables_mut();
    list.ok_or_else(|| odd("no [[evidence]] tables"))?
        .push(evidence(kept, words));
    let allowed = doc.get_mut("allow_list").and_then(Item::as_table_mut);
    let allowed = allowed.ok_or_else(|| odd("no [allow_list] table"))?;
    set(allowed, "listed", true);
    set(allowed, "why", why(words));
    Ok(doc.to_string())
}

fn why(words: &Words) -> String {
    format!("every required rule passed: {}", words.source)
}

fn evidence(kept: &Kept, words: &Words) -> Table {
    let totals = Totals::of(&kept.result.record);
    let count = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let mut table = Table::new();
    let mut put = |key: &str, value: Value| {
        table.insert(key, Item::Value(value));
    };
    put("kind", "run".into());
    put("what", "aicprobe verify".into());
    put("device", words.device.as_str().into());
    put("date", words.date.as_str().into());
    put("triggers", count(totals.triggers).into());
    put("misses", count(totals.lost).into());
    put("tool", plain(&kept.run.tool.version).into());
    put("sha256", words.sha256.as_str().into());
    table
}

/// A file made of what was measured.
fn fresh(record: &Record, kept: &Kept, words: &Words) -> Result<String, Error> {
    let head = &record.head;
    let chip = head.soc.chip_id.unwrap_or_default();
    let name = plain(&head.soc.name);
    let source = &words.source;
    let fields: Vec<u8> = head.cpus.iter().filter_map(field).collect();
    if fields.len() != head.cpus.len() {
        return Err(Error::Internal("a field was not read".to_owned()));
    }
    let accepts = |f: &u8| record.table.classes[usize::from(*f)] != crate::verify::Class::Never;
    let accepting: Vec<usize> = (0..fields.len()).filter(|i| accepts(&fields[*i])).collect();
    let lower = name.to_lowercase();
    let compatible = match record.aic.generation {
        2 => format!("apple,{lower}-aic"),
        n => format!("apple,{lower}-aic{n}"),
    };
    let mut out =
        format!("# {name}: who takes interrupts. Keys and marks: docs/adding-a-soc.md.\n");
    let _ = write!(
        out,
        "schema = \"{}\"\nsoc = \"{name}\"\nchip_id = {chip:#06x}\nname = {:?}\nstate = \"silicon\"\nsource = {source:?}\n\
         # Logical ids of the CPUs that take interrupts as a kernel finds them.\n\
         accepting = {accepting:?}\nonline_refresh = {}\n\n\
         # The name is that which other SoCs' controllers have in Linux device trees: look whether it is right.\n\
         [aic]\ncompatible = {compatible:?}\ngeneration = {}\nnr_irq = {}\ndies = {}\nstate = \"inference\"\n\
         source = {:?}\n",
        Soc::SCHEMA,
        format!("{name} ({})", words.device),
        accepting.len() > 1,
        record.aic.generation,
        record.aic.nr_irq,
        record.aic.dies,
        format!("lines and dies: {source}; the name is made after those of other SoCs"),
    );
    for (value, meaning) in record.table.classes.into_iter().enumerate() {
        let class = class(meaning);
        let _ = write!(
            out,
            "\n[values.{value}]\nclass = \"{class}\"\nstate = \"silicon\"\nsource = {source:?}\n"
        );
    }
    for (cpu, field) in head.cpus.iter().zip(fields) {
        let digits = cpu.mpidr.strip_prefix("0x").unwrap_or_default();
        let mpidr = u64::from_str_radix(digits, 16)
            .map_err(|_| Error::Internal(format!("MPIDR {:?}", cpu.mpidr)))?;
        let _ = write!(
            out,
            "\n[[cpu]]\nmpidr = {}\ncore = \"{}\"\nboot = {}\nfield = {field}\nstate = \"silicon\"\nsource = {source:?}\n",
            hex(mpidr),
            cpu.core.letter(),
            cpu.boot
        );
    }
    let _ = write!(
        out,
        "\n[[evidence]]\n{}\n[allow_list]\nlisted = true\nwhy = {:?}\n",
        evidence(kept, words),
        why(words)
    );
    Ok(out)
}
