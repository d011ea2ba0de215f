//! `aicprobe bench link`: how fast a target can be reached.

use std::time::Duration;

use crate::diagnose::{Code, with_code};
use crate::error::{Error, exit};
use crate::output::render;
use crate::proxy::{Op, Proxy, ProxyError};
use crate::result::{BenchLink, Times, Transfer};

use super::args::{BenchLinkArgs, Cli};
use super::interrupt;
use super::notices::{self, Shown};
use super::open::open;
use super::tell::tell;
use super::write::Sink;

/// Alignment of the block in the target's memory.
const ALIGN: u64 = 64;

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
        schema: BenchLink::SCHEMA,
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
        sink.write(&render(&result, args.format)?)?;
    }
    match measured {
        Ok(()) => Ok(exit::OK),
        Err(Error::Proxy(e @ ProxyError::Interrupted { .. })) => {
            let said = format!("{e}; the result holds what was measured until then, if anything");
            tell(&with_code(&said, Code::Interrupted));
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
