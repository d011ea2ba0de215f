//! `aicprobe bench link`: how fast a target can be reached.

use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use crate::error::{Error, exit};
use crate::output::to_json;
use crate::proxy::{Op, Proxy, ProxyError};
use crate::result::Mark;

use super::args::{BenchLinkArgs, Cli, Format};
use super::interrupt;
use super::notices::{self, Shown};
use super::open::open;
use super::write::Sink;

/// Alignment of the block in the target's memory.
const ALIGN: u64 = 64;

/// Times of one kind of exchange, in nanoseconds of the link's clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
struct Times {
    iterations: u32,
    min_ns: u64,
    median_ns: u64,
    max_ns: u64,
}

impl Times {
    /// `None` without measurements. The median of an even number is the lower one of the two.
    fn of(mut ns: Vec<u64>) -> Option<Self> {
        ns.sort_unstable();
        Some(Self {
            iterations: u32::try_from(ns.len()).ok()?,
            min_ns: *ns.first()?,
            median_ns: ns[(ns.len() - 1) / 2],
            max_ns: *ns.last()?,
        })
    }

    fn per_second(ns: u64) -> f64 {
        1e9 / ns.max(1) as f64
    }
}

/// Transfers of one size.
#[derive(Debug, Serialize)]
struct Transfer {
    bytes: u32,
    /// Host to target.
    down: Times,
    down_mb_per_s: f64,
    /// Target to host.
    up: Times,
    up_mb_per_s: f64,
}

/// Everything measured.
#[derive(Debug, Serialize)]
struct BenchLink {
    schema: &'static str,
    target: String,
    /// "virtual" or "real".
    clock: &'static str,
    data_checksums: bool,
    line: Vec<String>,
    round_trip: Option<Times>,
    round_trips_per_s: Option<f64>,
    transfers: Vec<Transfer>,
    retries: u64,
    damaged: u64,
    complete: bool,
    marks: Vec<Mark>,
}

/// Runs the command; the exit code if it came to a result.
///
/// # Errors
/// [`Error`] if it did not.
pub fn run(cli: &Cli, args: &BenchLinkArgs) -> Result<u8, Error> {
    let sink = Sink::open(args.output.as_deref())?;
    interrupt::install_telling(cli.quiet);
    if !cli.quiet {
        notices::set(Shown::Lines);
    }
    let mut opened = open(&args.target, 1, &args.link)?;
    let marks = opened.marks.clone();
    let mut proxy = opened.connect()?;
    let mut result = BenchLink {
        schema: "aicprobe.bench.link/1",
        target: args.target.clone(),
        clock: if proxy.is_virtual() {
            "virtual"
        } else {
            "real"
        },
        data_checksums: proxy.data_checksums(),
        line: proxy.line_notes().to_vec(),
        round_trip: None,
        round_trips_per_s: None,
        transfers: Vec::new(),
        retries: 0,
        damaged: 0,
        complete: false,
        marks,
    };
    let measured = measure(&mut proxy, args, &mut result);
    let stats = proxy.stats();
    (result.retries, result.damaged) = (stats.retries, stats.damaged);
    if cli.verbose > 0 {
        let console = proxy.take_console();
        for line in String::from_utf8_lossy(&console).lines() {
            say!("loader: {line}");
        }
    }
    result.complete = measured.is_ok();
    if result.round_trip.is_some() {
        sink.write(&match args.format {
            Format::Json => to_json(&result)?,
            Format::Table => to_text(&result),
        })?;
    }
    match measured {
        Ok(()) => Ok(exit::OK),
        Err(Error::Proxy(e @ ProxyError::Interrupted { .. })) => {
            say!("aicprobe: {e}; the result holds what was measured until then, if anything");
            Ok(exit::INTERRUPTED)
        }
        Err(e) => Err(e),
    }
}

fn measure(
    proxy: &mut Proxy<'_>,
    args: &BenchLinkArgs,
    result: &mut BenchLink,
) -> Result<(), Error> {
    // One request and its answer, as everything that this program repeats often; that an answer is to its own question is
    // shown by what was written and reads back.
    proxy.relax(true);
    let mut trips = Vec::new();
    for _ in 0..args.iterations {
        let start = proxy.now();
        proxy.op(Op::Nop, &[])?;
        trips.push(ns(proxy.now() - start));
        stop(Op::Nop.name())?;
    }
    result.round_trip = Times::of(trips);
    result.round_trips_per_s = result
        .round_trip
        .as_ref()
        .map(|t| Times::per_second(t.median_ns));
    let largest = args.sizes.iter().max().copied().unwrap_or(1);
    let block = proxy.memalign(ALIGN, u64::from(largest).next_multiple_of(ALIGN))?;
    let done = transfers(proxy, args, block, result);
    proxy.relax(false);
    // The block is given back also after a Ctrl-C; a link that is gone has said so already.
    proxy.hold(true);
    let given_back = proxy.free(block);
    done?;
    Ok(given_back?)
}

fn transfers(
    proxy: &mut Proxy<'_>,
    args: &BenchLinkArgs,
    block: u64,
    result: &mut BenchLink,
) -> Result<(), Error> {
    for &bytes in &args.sizes {
        let (mut down, mut up) = (Vec::new(), Vec::new());
        for round in 0..args.iterations {
            let data: Vec<u8> = (0..bytes)
                .map(|i| (i.wrapping_mul(0x9e37_79b1).wrapping_add(round) >> 7) as u8)
                .collect();
            let mut back = vec![0; data.len()];
            let start = proxy.now();
            proxy.write_memory(block, &data)?;
            let between = proxy.now();
            proxy.read_memory(block, &mut back)?;
            down.push(ns(between - start));
            up.push(ns(proxy.now() - between));
            if back != data {
                let what = format!("{bytes} bytes read back otherwise than written");
                return Err(ProxyError::Damaged { what }.into());
            }
            stop("transfers")?;
        }
        if let (Some(down), Some(up)) = (Times::of(down), Times::of(up)) {
            let rate = |t: &Times| f64::from(bytes) * Times::per_second(t.median_ns) / 1e6;
            result.transfers.push(Transfer {
                bytes,
                down_mb_per_s: rate(&down),
                up_mb_per_s: rate(&up),
                down,
                up,
            });
        }
    }
    Ok(())
}

fn stop(what: &str) -> Result<(), Error> {
    if interrupt::requested() {
        let what = what.to_owned();
        return Err(ProxyError::Interrupted { what }.into());
    }
    Ok(())
}

fn ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

fn to_text(result: &BenchLink) -> String {
    let mut text = format!("link to {}\n", result.target);
    if result.clock == "virtual" {
        text += "times are of the virtual SoC's clock: its model of a link, not this computer and not hardware\n";
    }
    for line in &result.line {
        text += &format!("{line}\n");
    }
    text += if result.data_checksums {
        "data go with checksums\n"
    } else {
        "data go without checksums (the loader grants it)\n"
    };
    let us = |ns: u64| format!("{:.1}", ns as f64 / 1e3);
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([
        "exchange",
        "bytes",
        "times",
        "min us",
        "median us",
        "max us",
        "rate",
    ]);
    let mut row = |what: &str, bytes: String, t: &Times, rate: String| {
        let times = t.iterations.to_string();
        let (min, median, max) = (us(t.min_ns), us(t.median_ns), us(t.max_ns));
        table.add_row([what.to_owned(), bytes, times, min, median, max, rate]);
    };
    if let Some(t) = &result.round_trip {
        let rate = Times::per_second(t.median_ns);
        row("round trip", "-".to_owned(), t, format!("{rate:.0} /s"));
    }
    for t in &result.transfers {
        let mb = |rate: f64| format!("{rate:.3} MB/s");
        row("down", t.bytes.to_string(), &t.down, mb(t.down_mb_per_s));
        row("up", t.bytes.to_string(), &t.up, mb(t.up_mb_per_s));
    }
    for column in 1..7 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    text += &format!("{table}\n");
    if result.retries + result.damaged > 0 {
        text += &format!(
            "{} repetitions, {} damaged frames\n",
            result.retries, result.damaged
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_measurements() {
        assert_eq!(Times::of(Vec::new()), None);
        let t = Times::of(vec![5, 1, 9, 3]).unwrap();
        assert_eq!(
            (t.iterations, t.min_ns, t.median_ns, t.max_ns),
            (4, 1, 3, 9)
        );
        assert_eq!(Times::of(vec![7]).unwrap().median_ns, 7);
        assert!((Times::per_second(500) - 2e6).abs() < 1.0);
    }
}
