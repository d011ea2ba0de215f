//! Raw events on the host: how many a second one core takes in, and how many bytes they take.

use std::hint::black_box;
use std::time::{Duration, Instant};

use host_cli::firmware::Firmware;
use host_cli::link::VirtualLink;
use host_cli::plan::{self, Request};
use host_cli::proxy::Proxy;
use host_cli::raw::Recount;
use host_cli::session::{self, Event, Observer};
use host_cli::target::{Target, find_spare};
use protocol::frame::{Decoder, MAX_FRAME, encode};
use protocol::{Message, Packet};
use virtual_soc::{SocModel, VirtualTarget};

/// Triggers of each of the six cells of the run.
const PER_CELL: u32 = 20_000;
/// Events a second that are promised.
const PROMISED: f64 = 5e6;

/// The frames of a run as they came, laid end to end.
#[derive(Default)]
struct Stream {
    bytes: Vec<u8>,
    events: u64,
}

impl Observer for Stream {
    fn on(&mut self, event: Event<'_>) {
        let Event::Raw { batch, .. } = event else {
            return;
        };
        let packet = Packet {
            seq: (self.bytes.len() / MAX_FRAME) as u32,
            dropped: 0,
            message: Message::Events(batch.clone()),
        };
        let mut frame = [0; MAX_FRAME];
        let n = encode(&packet, &mut frame).expect("it fits");
        self.bytes.extend(&frame[..n]);
        self.events += u64::from(batch.count);
    }
}

/// Prints both numbers.
pub fn measure(firmware: &Firmware) {
    for (name, timed) in [("t8140", false), ("t8140", true), ("t8132", true)] {
        let stream = run(name, firmware, timed);
        println!(
            "{:<66} {:>8.2} (at most 8)",
            format!(
                "bytes an event on the wire, vm:{name}{}",
                if timed { ", timed" } else { "" }
            ),
            stream.bytes.len() as f64 / stream.events as f64
        );
        let best = (0..10).map(|_| take_in(&stream)).min();
        let rate = stream.events as f64 / best.unwrap_or(Duration::MAX).as_secs_f64();
        println!(
            "{:<66} {:>8.1} M/s, {:.1} of the promised 5 M/s",
            "raw events decoded and counted, one core",
            rate / 1e6,
            rate / PROMISED
        );
    }
}

/// Frames to packets, to events, to counts and histograms.
fn take_in(stream: &Stream) -> Duration {
    let start = Instant::now();
    let mut decoder = Decoder::new();
    let mut recount = Recount::default();
    for byte in black_box(&stream.bytes) {
        if let Some(packet) = decoder.push::<Packet>(*byte)
            && let Message::Events(batch) = packet.expect("whole").message
        {
            recount.batch(&batch).expect("well formed");
        }
    }
    black_box(&recount);
    start.elapsed()
}

fn run(name: &str, firmware: &Firmware, timed: bool) -> Stream {
    let model = SocModel::builtin(name).expect("a built-in model");
    let mut link = VirtualLink::new(VirtualTarget::from_model(&model, 1).expect("usable"));
    let mut proxy = Proxy::connect(&mut link).expect("the stand-in answers");
    let soc = Target::discover(&mut proxy).expect("the stand-in's tree is whole");
    let line = find_spare(&mut proxy, &soc).expect("a spare line");
    let request = Request {
        triggers: PER_CELL,
        fire_cpus: (0..6).collect(),
        ..Request::default()
    };
    let mut plan = plan::build(&request, soc.cpus.len(), line).expect("a valid plan");
    for cell in &mut plan.cells {
        cell.raw = true;
        cell.special.timed = timed;
    }
    let mut stream = Stream::default();
    let outcome = session::run(&mut proxy, &soc, firmware, &plan, 1, &mut stream)
        .expect("the session starts");
    assert!(outcome.failure.is_none(), "{:?}", outcome.failure);
    assert_eq!(stream.events, u64::from(PER_CELL) * 6);
    stream
}
