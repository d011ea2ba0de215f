//! The rules, each with a name that stays.

use super::Record;
use super::judge::{Found, masks, registers, routing, target};

/// A rule.
pub struct Rule {
    /// Its name: never used for anything else.
    pub id: &'static str,
    /// What is to hold.
    pub title: &'static str,
    /// Whether a SoC must pass it to be relied on.
    pub required: bool,
    /// Trials below which nothing is said against a target, but nothing for it either.
    pub least: u64,
    /// Whether it needs cells: a run that did not come to its end says nothing for it.
    pub cells: bool,
    /// Whether its trials are triggers in windows.
    pub windows: bool,
    /// Counts for and against it.
    pub check: fn(&Record) -> Found,
}

impl Rule {
    /// Whether what it counts is measured by a run: values found or read back are there without one.
    #[must_use]
    pub const fn measures(&self) -> bool {
        self.cells || self.least > 1
    }
}

const fn of_cells(id: &'static str, title: &'static str, check: fn(&Record) -> Found) -> Rule {
    Rule {
        id,
        title,
        required: true,
        least: 200,
        cells: true,
        windows: false,
        check,
    }
}

const fn of_windows(id: &'static str, title: &'static str, check: fn(&Record) -> Found) -> Rule {
    Rule {
        least: 4,
        windows: true,
        ..of_cells(id, title, check)
    }
}

const fn of_target(id: &'static str, title: &'static str, check: fn(&Record) -> Found) -> Rule {
    Rule {
        least: 1,
        cells: false,
        ..of_cells(id, title, check)
    }
}

/// All of them, in the order in which they are shown.
pub const RULES: &[Rule] = &[
    of_cells(
        "ROUTE-01",
        "every trigger is delivered exactly once",
        routing::exactly_once,
    ),
    of_cells(
        "ROUTE-02",
        "the landing CPU is an acceptor",
        routing::on_acceptor,
    ),
    of_cells(
        "ROUTE-03",
        "a CPU whose field is 3 never receives, and is never offered one",
        routing::three_never,
    ),
    of_cells(
        "ROUTE-04",
        "an interrupt goes to a CPU of the best class that accepts",
        routing::order,
    ),
    of_cells(
        "ROUTE-05",
        "the same CPU receives whoever fires",
        routing::whoever_fires,
    ),
    of_cells(
        "ROUTE-06",
        "the same CPU receives whatever the line",
        routing::whatever_line,
    ),
    of_cells(
        "ROUTE-07",
        "the same CPU receives whatever the die of the line",
        routing::whatever_die,
    ),
    of_cells(
        "ROUTE-08",
        "the same CPUs receive at the end of the run as at its start",
        routing::at_the_end,
    ),
    of_cells(
        "ROUTE-09",
        "no interrupt takes longer than a millisecond",
        routing::in_time,
    ),
    of_cells(
        "ROUTE-10",
        "no interrupt comes without an event of its line",
        routing::no_spurious,
    ),
    of_windows(
        "MASK-01",
        "a sole acceptor that masks keeps the interrupt, sees it, and takes it when it unmasks",
        masks::sole_keeps,
    ),
    of_windows(
        "MASK-02",
        "a CPU that masks gives way to the best acceptor that does not",
        masks::gives_way,
    ),
    Rule {
        least: 8,
        ..of_cells(
            "MASK-03",
            "once nobody masks the order is as before",
            masks::order_again,
        )
    },
    of_windows(
        "MASK-04",
        "an interrupt that nobody accepts waits for the first CPU that does",
        masks::waits,
    ),
    of_windows(
        "MASK-05",
        "a line masked at the controller is not delivered before it is unmasked, and then is",
        masks::line_masked,
    ),
    of_target(
        "REG-01",
        "SIQ_CFG can be read at EL2 on every CPU",
        registers::readable,
    ),
    Rule {
        cells: true,
        ..of_target(
            "REG-02",
            "the field of every CPU reads back as written",
            registers::reads_back,
        )
    },
    of_target(
        "REG-03",
        "the other bits of SIQ_CFG stay as they are",
        registers::reserved_bits,
    ),
    of_target(
        "REG-04",
        "SIQ_CFG is found as the table of the SoC says",
        registers::as_table,
    ),
    of_target(
        "REG-05",
        "the controller is laid out as the device tree says, every die with registers of its own",
        registers::layout,
    ),
    of_target(
        "REG-06",
        "number of lines and dies are those of the device tree and the table, and the last line works",
        registers::info,
    ),
    Rule {
        cells: true,
        ..of_target("REG-07", "the controller takes ENABLE", registers::enable)
    },
    of_target(
        "STATE-01",
        "the target is left as it was found",
        target::restored,
    ),
    of_target(
        "CPU-01",
        "every CPU of the device tree took part",
        target::every_cpu,
    ),
    Rule {
        cells: true,
        ..of_target(
            "ONLINE-01",
            "a single CPU accepts as found, or the table says that a refresh is needed when a CPU comes online",
            target::online,
        )
    },
    Rule {
        required: false,
        least: 16,
        ..of_target(
            "FIQ-01",
            "fast IPIs arrive whatever the field",
            target::fast_ipis,
        )
    },
    Rule {
        required: false,
        least: 16,
        ..of_target("FIQ-02", "timers arrive whatever the field", target::timers)
    },
];

/// The rule called `id`, in any case.
#[must_use]
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|r| r.id.eq_ignore_ascii_case(id))
}
