//! What has to hold in a file beyond its form.

use aic_regs::sysreg::Mpidr;
use protocol::MAX_CPUS;

use crate::target::Core;

use super::schema::{AllowList, Class, Evidence, EvidenceKind, Soc, SocAic, SocCpu, State};

/// Key, and what is wrong with it.
type Wrong = (String, String);

/// Whether everything in a file agrees.
pub(super) fn check(soc: &Soc) -> Result<(), Wrong> {
    if soc.schema != Soc::SCHEMA {
        return wrong("schema", format!("allowed is \"{}\"", Soc::SCHEMA));
    }
    if !(0x1000..=0xffff).contains(&soc.chip_id) {
        return wrong("chip_id", "allowed are 0x1000 to 0xffff");
    }
    let name = format!("T{:04X}", soc.chip_id);
    if soc.soc != name {
        let what = format!("the chip id is {:#x}: allowed is \"{name}\"", soc.chip_id);
        return wrong("soc", what);
    }
    text("name", &soc.name)?;
    text("source", &soc.source)?;
    aic(&soc.aic)?;
    for (value, meaning) in soc.values.by_value().into_iter().enumerate() {
        text(&format!("values.{value}.source"), &meaning.source)?;
        if soc.aic.generation == 1 && meaning.class != Class::Normal {
            let key = format!("values.{value}.class");
            return wrong(
                &key,
                "AICv1 goes by the target word of a line, not by this field: allowed is \"normal\"",
            );
        }
    }
    cpus(&soc.cpu)?;
    accepting(soc)?;
    standing(soc)?;
    for (i, evidence) in soc.evidence.iter().enumerate() {
        one_evidence(&format!("evidence[{i}]"), evidence)?;
        let same = |e: &Evidence| e.sha256.is_some() && e.sha256 == evidence.sha256;
        if soc.evidence[..i].iter().any(same) {
            let key = format!("evidence[{i}].sha256");
            return wrong(&key, "another entry has it: allowed is each run once");
        }
    }
    allow_list(soc, &soc.allow_list)
}

fn wrong(key: &str, what: impl Into<String>) -> Result<(), Wrong> {
    Err((key.to_owned(), what.into()))
}

/// Text that goes into comments of other languages.
fn text(key: &str, text: &str) -> Result<(), Wrong> {
    if text.trim().is_empty() {
        return wrong(key, "it is empty: needed are words");
    }
    if text.len() > 500 || text.chars().any(|c| !matches!(c, ' '..='~')) {
        return wrong(
            key,
            "allowed are up to 500 printable characters of ASCII on one line",
        );
    }
    Ok(())
}

fn aic(aic: &SocAic) -> Result<(), Wrong> {
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let name = aic.compatible.strip_prefix("apple,");
    if !name.is_some_and(|n| n.contains("aic") && n.chars().all(word) && n.len() <= 32) {
        return wrong(
            "aic.compatible",
            "allowed is the name of a controller like \"apple,t8140-aic3\"",
        );
    }
    if !(1..=3).contains(&aic.generation) {
        return wrong("aic.generation", "allowed are 1 to 3");
    }
    if aic.nr_irq.is_some_and(|n| !(1..=4096).contains(&n)) {
        return wrong("aic.nr_irq", "allowed are 1 to 4096");
    }
    if !(1..=8).contains(&aic.dies) {
        return wrong("aic.dies", "allowed are 1 to 8");
    }
    text("aic.source", &aic.source)
}

fn cpus(cpus: &[SocCpu]) -> Result<(), Wrong> {
    if cpus.is_empty() || cpus.len() > MAX_CPUS {
        let what = format!("{} CPUs: allowed are 1 to {MAX_CPUS}", cpus.len());
        return wrong("cpu", what);
    }
    for (i, cpu) in cpus.iter().enumerate() {
        let key = |name: &str| format!("cpu[{i}].{name}");
        let mpidr = cpu.mpidr.0;
        if mpidr & !0x00ff_ffff != 0x8000_0000 {
            return wrong(
                &key("mpidr"),
                format!("{mpidr:#x}: allowed are 0x80000000 to 0x80ffffff"),
            );
        }
        if cpus[..i].iter().any(|c| c.mpidr == cpu.mpidr) {
            let what = format!("{mpidr:#x}: another CPU has it");
            return wrong(&key("mpidr"), what);
        }
        let shown = Core::of_mpidr(mpidr);
        if cpu.core != shown {
            let kind = Mpidr(mpidr).core_type();
            let what = format!("MPIDR {mpidr:#x} is that of a core of kind {kind:?}");
            return wrong(&key("core"), what);
        }
        if cpu.boot != (i == 0) {
            return wrong(
                &key("boot"),
                "the boot CPU is the first one, and no other: allowed is true there and false elsewhere",
            );
        }
        if cpu.field > 3 {
            return wrong(&key("field"), format!("{}: allowed are 0 to 3", cpu.field));
        }
        text(&key("source"), &cpu.source)?;
        for board in &cpu.absent_on {
            if cpu.boot {
                return wrong(&key("absent_on"), "no machine lacks its boot CPU");
            }
            text(&key("absent_on"), board)?;
        }
    }
    Ok(())
}

/// Who accepts follows from fields and classes; that it is said too finds a slip in either.
fn accepting(soc: &Soc) -> Result<(), Wrong> {
    let accepts = |cpu: &SocCpu| soc.class_of(cpu) != Class::Never;
    if let Some(id) = soc
        .accepting
        .iter()
        .find(|id| usize::from(**id) >= soc.cpu.len())
    {
        let what = format!("CPU {id}: allowed are 0 to {}", soc.cpu.len() - 1);
        return wrong("accepting", what);
    }
    for &id in &soc.accepting {
        let cpu = &soc.cpu[usize::from(id)];
        if !accepts(cpu) {
            let what = format!("CPU {id} has field {}, whose class is \"never\"", cpu.field);
            return wrong("accepting", what);
        }
    }
    let follows: Vec<u8> = (0u8..)
        .zip(&soc.cpu)
        .filter_map(|(id, cpu)| accepts(cpu).then_some(id))
        .collect();
    if soc.accepting != follows {
        let what = format!("by the fields and their classes it is {follows:?}");
        return wrong("accepting", what);
    }
    let several = soc.accepting.len() > 1;
    if soc.online_refresh != several {
        let what = format!(
            "{} CPUs accept: allowed is {several} (needed where more than one does)",
            soc.accepting.len()
        );
        return wrong("online_refresh", what);
    }
    Ok(())
}

/// The whole is not better known than its parts.
fn standing(soc: &Soc) -> Result<(), Wrong> {
    let values = soc.values.by_value().into_iter().map(|v| v.state);
    let weakest = values.chain(soc.cpu.iter().map(|c| c.state)).max();
    if let Some(weakest) = weakest.filter(|w| soc.state < *w) {
        let what = format!(
            "\"{}\", but some value or field is only \"{weakest}\": allowed is that or less",
            soc.state
        );
        return wrong("state", what);
    }
    if soc.state == State::Silicon && soc.evidence.is_empty() {
        return wrong("state", "\"silicon\" needs an [[evidence]]");
    }
    Ok(())
}

fn one_evidence(at: &str, evidence: &Evidence) -> Result<(), Wrong> {
    let key = |name: &str| format!("{at}.{name}");
    text(&key("what"), &evidence.what)?;
    text(&key("device"), &evidence.device)?;
    let run = evidence.kind == EvidenceKind::Run;
    if !is_date(&evidence.date, run) {
        let allowed = if run {
            "YYYY-MM-DD"
        } else {
            "YYYY-MM or YYYY-MM-DD"
        };
        return wrong(&key("date"), format!("allowed is {allowed}"));
    }
    if let Some(url) = &evidence.url {
        text(&key("url"), url)?;
        if !url.starts_with("https://") {
            return wrong(&key("url"), "allowed is an address with https://");
        }
    }
    if let Some((misses, triggers)) = evidence.misses.zip(evidence.triggers)
        && misses > triggers
    {
        let what = format!("{misses} of {triggers}: allowed are 0 to {triggers}");
        return wrong(&key("misses"), what);
    }
    if let Some(tool) = &evidence.tool {
        text(&key("tool"), tool)?;
    }
    let hex = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    match &evidence.sha256 {
        Some(sum) if sum.len() != 64 || !sum.chars().all(hex) => {
            wrong(&key("sha256"), "allowed are 64 digits of 0 to 9 and a to f")
        }
        None if run => wrong(
            &key("sha256"),
            "a run needs the SHA-256 of its manifest.sha256",
        ),
        _ => Ok(()),
    }
}

/// Whether it is YYYY-MM-DD, or unless the `whole` is needed YYYY-MM.
pub(super) fn is_date(text: &str, whole: bool) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let number = |at: usize, digits: usize, most: u32| {
        parts.get(at).is_some_and(|p| {
            let n = p.parse::<u32>().ok();
            p.len() == digits
                && p.bytes().all(|b| b.is_ascii_digit())
                && n.is_some_and(|n| (1..=most).contains(&n))
        })
    };
    let month = number(0, 4, 9999) && number(1, 2, 12);
    match parts.len() {
        2 => month && !whole,
        3 => month && number(2, 2, 31),
        _ => false,
    }
}

fn allow_list(soc: &Soc, list: &AllowList) -> Result<(), Wrong> {
    text("allow_list.why", &list.why)?;
    if list.listed && soc.state != State::Silicon {
        let what = format!(
            "the state is \"{}\": only a SoC that was measured on hardware is listed",
            soc.state
        );
        return wrong("allow_list.listed", what);
    }
    Ok(())
}
