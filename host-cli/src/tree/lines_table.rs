//! The report on lines as text.

use std::fmt::Write as _;

use super::lines::{Gap, LinesReport, Owned, OwnerInfo};

/// Gaps shown.
const GAPS: usize = 8;
/// Numbers shown of a list.
const NUMBERS: usize = 24;

/// The report for people.
#[must_use]
pub fn lines_table(report: &LinesReport) -> String {
    let mut out = String::new();
    head(&mut out, report);
    counts(&mut out, report);
    owned(&mut out, report);
    reserved(&mut out, report);
    gaps(&mut out, report);
    spare(&mut out, report);
    suspicious(&mut out, report);
    asked(&mut out, report);
    for mark in &report.marks {
        let _ = writeln!(out, "{} ({}): {}", mark.kind.name(), mark.about, mark.text);
    }
    out
}

fn head(out: &mut String, r: &LinesReport) {
    let soc = &r.soc;
    let chip = soc
        .chip_id
        .map_or_else(String::new, |id| format!(" (chip {id:#x})"));
    let named = |what: &str, text: &str| match text {
        "" => String::new(),
        text => format!(", {what} {}", crate::target::printable(text)),
    };
    let name = soc.title();
    let _ = writeln!(
        out,
        "{}{chip}{}{} ({})",
        crate::target::printable(name),
        named("board", &soc.board),
        named("model", &soc.model),
        r.source.name
    );
    let s = &r.source;
    let bus = match &s.bus {
        Some(bus) if *bus != s.base => format!(" (bus address {bus})"),
        _ => String::new(),
    };
    let dies = if r.dies == 1 { "die" } else { "dies" };
    let _ = writeln!(
        out,
        "AICv{} at {}{bus}: NR_IRQ {} ({}), room for {} lines per die, {} {dies}",
        s.generation, s.base, r.nr_irq, s.nr_irq_from, r.max_irq, r.dies
    );
}

fn counts(out: &mut String, r: &LinesReport) {
    let c = &r.counts;
    let highest = c
        .highest
        .map_or_else(String::new, |n| format!(", highest {n}"));
    let _ = writeln!(
        out,
        "{} lines named in interrupts{highest}; {} shared; {} spare by the device tree",
        c.named, c.shared, c.spare
    );
    list(
        out,
        "named only behind another controller's phandle",
        &c.behind_another,
    );
    list(
        out,
        "named, but not the controller's (pseudo-lines)",
        &c.outside,
    );
    list(
        out,
        "named under a controller that is no node",
        &c.unknown_parent,
    );
    if let Some(l) = &r.looked {
        let _ = writeln!(
            out,
            "HW_STATE seen {} times in {} ms: of the lines named {} stayed high, {} changed, {} stayed low",
            l.looks, l.ms, l.owned_high, l.owned_toggled, l.owned_low
        );
    }
    if let Some(lines) = &r.never_changed {
        list(
            out,
            "named, and never seen to change: silent for now, or named wrongly",
            lines,
        );
    }
}

fn list(out: &mut String, what: &str, numbers: &[u32]) {
    if numbers.is_empty() {
        return;
    }
    let mut shown: Vec<String> = numbers.iter().take(NUMBERS).map(u32::to_string).collect();
    if numbers.len() > NUMBERS {
        shown.push(format!("and {} more", numbers.len() - NUMBERS));
    }
    let _ = writeln!(out, "  {what}: {}", shown.join(" "));
}

fn owned(out: &mut String, r: &LinesReport) {
    let _ = writeln!(out, "\nline   owners: interrupts[] of a node");
    for line in &r.owned {
        for (i, owner) in line.owners.iter().enumerate() {
            owner_row(out, line, i, owner);
        }
    }
}

fn owner_row(out: &mut String, line: &Owned, i: usize, owner: &OwnerInfo) {
    let number = match i {
        0 => line.line.to_string(),
        _ => String::new(),
    };
    let _ = write!(out, "{number:<6} {}[{}]", owner.node, owner.specifier);
    if owner.unknown_parent {
        out.push_str("  (its controller is no node)");
    } else if owner.parent > 0 {
        let _ = write!(out, "  (interrupt-parent[{}])", owner.parent);
    } else if owner.inherited {
        out.push_str("  (inherited)");
    }
    if let (0, Some(level @ ("high" | "toggles"))) = (i, line.level) {
        let _ = write!(out, "  {level}");
    }
    out.push('\n');
}

fn reserved(out: &mut String, r: &LinesReport) {
    if !r.msi.is_empty() {
        let _ = writeln!(out, "\nMSI ranges, in no interrupts");
    }
    for msi in &r.msi {
        let last = msi.first.saturating_add(msi.count - 1);
        let _ = writeln!(
            out,
            "{}-{last}  {} lines  {}",
            msi.first,
            msi.count,
            msi.nodes.join(" ")
        );
    }
    if !r.routed.is_empty() {
        let _ = writeln!(
            out,
            "\nrouted to coprocessors (aic-ext-intr-cfg), in no interrupts"
        );
    }
    for routed in &r.routed {
        let _ = writeln!(out, "{}  target {}", routed.line, routed.target);
    }
}

fn range(gap: &Gap) -> String {
    format!("{}:{}-{}", gap.die, gap.first, gap.last)
}

fn gaps(out: &mut String, r: &LinesReport) {
    let _ = writeln!(out, "\nlargest gaps");
    for gap in r.gaps.iter().take(GAPS) {
        let _ = writeln!(out, "{:<14} {} lines", range(gap), gap.last - gap.first + 1);
    }
}

fn spare(out: &mut String, r: &LinesReport) {
    let _ = writeln!(
        out,
        "\nspare, the best first: inside the largest gap, far from lines in use"
    );
    if r.spare.is_empty() {
        out.push_str("none\n");
    }
    for s in &r.spare {
        let line = format!("{}:{}", s.die, s.number);
        let _ = write!(
            out,
            "{line:<8} gap {:<14} {:>3} from the next line in use",
            range(&s.gap),
            s.distance
        );
        if !s.failed.is_empty() {
            let _ = write!(out, "; refused: {}", s.failed.join("; "));
        }
        out.push('\n');
    }
}

fn suspicious(out: &mut String, r: &LinesReport) {
    match &r.suspicious {
        None => {
            let _ = writeln!(
                out,
                "\nsuspicious lines: not looked for (HW_STATE of a target shows lines that the device tree misses)"
            );
        }
        Some(found) if found.is_empty() => {
            let _ = writeln!(out, "\nsuspicious lines: none was high that nobody owns");
        }
        Some(found) => {
            let _ = writeln!(
                out,
                "\nsuspicious lines: nobody owns them, yet something drives them"
            );
            for s in found {
                let _ = writeln!(out, "{}:{}  {}", s.die, s.number, s.level);
            }
        }
    }
}

fn asked(out: &mut String, r: &LinesReport) {
    if r.asked.is_empty() {
        return;
    }
    out.push_str("\nlines asked for\n");
    for line in &r.asked {
        let answer = match line.spare {
            true => "spare".to_owned(),
            false => format!("refused: {}", line.failed.join("; ")),
        };
        let _ = writeln!(out, "{}:{}  {answer}", line.die, line.number);
    }
}
