//! The bytes of one message of each kind, computed apart from this crate (varints, CRC-32 and COBS by hand). A change here is a change of the wire format: raise `PROTOCOL_VERSION`.

use protocol::command::{
    Action, Between, Cell, Command, FIELD_AS_FOUND, FiqCell, Handover, Hello as HelloRequest,
    IpiCell, LineId, Load, Mask, Pattern, Reach, Receive, Register, Rewrite, Special, Step, Stop,
    StormCell, Via,
};
use protocol::event::{Packer, SECOND, SERVED};
use protocol::frame::{MAX_FRAME, encode};
use protocol::message::{
    Batch, CellResult, CpuInfo, Difference, Event, EventKind, Fault, FaultKind, FiqResult, Hello,
    IpiResult, Item, LatencyChunk, Message, Packet, Progress, Reading, Refusal, Restored,
    StormResult, WfiResult,
};
use serde::Serialize;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

fn command(command: &Command) -> String {
    let mut frame = [0; MAX_FRAME];
    let n = encode(command, &mut frame).expect("it fits");
    hex(&frame[..n])
}

fn message(message: Message) -> String {
    let packet = Packet {
        seq: 5,
        dropped: 0x80,
        message,
    };
    let mut frame = [0; MAX_FRAME];
    let n = encode(&packet, &mut frame).expect("it fits");
    hex(&frame[..n])
}

const LINE: LineId = LineId {
    die: 1,
    number: 996,
};

fn cell() -> Cell {
    Cell {
        id: 7,
        line: LINE,
        fire_cpu: 2,
        fields: [0, 3, FIELD_AS_FOUND].into_iter().collect(),
        masked: [Mask { cpu: 0, us: 35_000 }].into_iter().collect(),
        triggers: 32,
        timeout_us: 10_000,
        grace_us: 2,
        raw: true,
        special: Special {
            routing: Some(0x15),
            steps: [Step {
                at_us: 200,
                cpu: 3,
                action: Action::SetField(1),
            }]
            .into_iter()
            .collect(),
            load: Load::Memory,
            loaded: 0b110,
            timed: true,
            gap_us: 300,
            limit_us: 1_000_000,
            stop: Stop {
                first_ns: 5_000,
                both_ns: 0,
                wrong: true,
                expected: 0x21,
            },
            handover: Some(Handover::Ipi(2)),
            rewrite: Some(Rewrite {
                field: 1,
                between: Between::Isb,
            }),
            unfired: true,
            ..Special::default()
        },
    }
}

#[test]
fn commands() {
    let hello = HelloRequest {
        protocol: 1,
        schema: 0x1122_3344_5566_7788,
        nonce: 0xdead_beef,
    };
    let read = Command::Read {
        cpu: 3,
        register: Register::Cntfrq,
    };
    let ipi = IpiCell {
        id: 7,
        from: 2,
        to: 0,
        reach: Reach::Global,
        kind: 1,
        receive: Receive::LateAcknowledge,
        count: 64,
        timeout_us: 200,
    };
    let storm = StormCell {
        id: 7,
        cpus: 0x3f,
        pattern: Pattern::ToOne(5),
        via: Via::Global,
        paced: true,
        shared: false,
        us: 50_000,
    };
    let fiq = FiqCell {
        id: 7,
        cpu: 3,
        field: 2,
        count: 100,
        timeout_us: 200,
    };
    let got = [
        command(&Command::Hello(hello)),
        command(&Command::Open),
        command(&Command::Cell(cell())),
        command(&read),
        command(&Command::Close),
        command(&Command::Leave),
        command(&Command::WriteBack { cpu: 3 }),
        command(&Command::Ipi(ipi)),
        command(&Command::Wfi { cpu: 4, us: 5_000 }),
        command(&Command::Storm(storm)),
        command(&Command::Fiq(fiq)),
    ];
    assert_eq!(
        got,
        [
            "01140188ef99abc5e88c9111effdb6f50d326151dd00",
            "06011bdf05a500",
            "08020701e40702030403ff010bb8910220904e02010115010101010501c801030c01020601ac02c0843d88270e0121010302010101011e6cfb1800",
            "08030308babcf1d800",
            "0604942b6fd500",
            "0605021b68a200",
            "070603c3e48a8e00",
            "040707020b01010140c801db642c6d00",
            "090804882707f8a9b500",
            "0409073f0405010108d08603e615c3de00",
            "0c0a07030264c801ff0c4af200",
        ]
    );
}

/// One event of every kind, with second latencies and serving CPUs.
fn batch() -> Batch {
    let event = |trigger, kind, cpu, served, time: u64, first, second| Event {
        trigger,
        kind,
        cpu,
        served,
        time: 0x1_2345_6789 + time,
        first,
        second,
    };
    let mut packer = Packer::new();
    packer.start(7, SECOND | SERVED);
    for event in [
        event(31, EventKind::Landed, 3, 5, 0, 228, 60),
        event(32, EventKind::Lost, 0, 0, 60, 0, 0),
        event(32, EventKind::Late, 1, 1, 61, 0, 0),
        event(33, EventKind::Unmasked, 2, 2, 60, 0, 7),
        event(33, EventKind::Duplicate, 0, 0, 360, 0, 0),
    ] {
        assert!(packer.add(&event));
    }
    packer.take().expect("it has events")
}

#[test]
fn messages() {
    let hello = Hello {
        protocol: 1,
        schema: 0x1122_3344_5566_7788,
        build_id: [0xab; 16],
        nonce: 0xdead_beef,
        counter_hz: 24_000_000,
        counter_step: 1,
        event_stream: true,
    };
    let info = CpuInfo {
        cpu: 5,
        mpidr: 0x8001_0101,
        midr: 0x610f_0610,
        el: 2,
        sctlr: 0x30d0_1805,
        siq_cfg: Reading::Value(3),
        whoami: None,
    };
    let result = CellResult {
        id: 7,
        refusal: Some(Refusal::SiqCfg {
            cpu: 1,
            esr: 0x6200_0000,
        }),
        fields: [0, 3].into_iter().collect(),
        fired: 32,
        landed: [30, 0].into_iter().collect(),
        offered: [32, 0].into_iter().collect(),
        lost: 2,
        late: 1,
        duplicate: 4,
        spurious: 5,
        latencies: 30,
        from_unmask: 30,
        min_ticks: 6,
        max_ticks: 300,
        hits: [32].into_iter().collect(),
        left_masked: 0,
        elapsed: 70_000,
        seconds: 29,
        min_second: 3,
        max_second: 200,
        busy: [4_000, 0].into_iter().collect(),
        served: [0, 30].into_iter().collect(),
    };
    let progress = Progress {
        id: 7,
        fired: 300,
        landed: [299, 0].into_iter().collect(),
        lost: 1,
    };
    let difference = Difference {
        item: Item::MaskWord,
        index: 130,
        found: 0xffff_ffff,
        now: 0,
    };
    let restored = Restored {
        checked: 137,
        different: 1,
        differences: [difference].into_iter().collect(),
    };
    let fault = Fault {
        cpu: 1,
        kind: FaultKind::SError,
        mpidr: 0x8000_0000,
        esr: 0xbe00_0000,
        elr: 0x1234,
        far: 0,
        spsr: 0x3c9,
        line: 0,
    };
    let latency = LatencyChunk {
        id: 7,
        second: true,
        counts: [(6, 29), (300, 1)].into_iter().collect(),
    };
    let register = Message::Register {
        cpu: 3,
        register: Register::Cntfrq,
        reading: Some(Reading::Trapped(0x6232_0000)),
    };
    let opened = Message::Opened {
        software_pending: 1,
        unmasked: 2,
        config: 0x1000_0001,
    };
    let line = Message::Line {
        line: LINE,
        software: true,
        high: false,
        config: 4,
    };
    let ipi = IpiResult {
        id: 7,
        refusal: None,
        trapped: Some(0x6200_0000),
        sent: 1,
        missed: 2,
        received: [0, 3].into_iter().collect(),
    };
    let wfi = WfiResult {
        cpu: 4,
        changed: Some(1 << 9),
        system: 1,
        ticks: 120_000,
    };
    let storm = StormResult {
        id: 7,
        refusal: None,
        trapped: Some(0x6200_0000),
        elapsed: 1_200_000,
        sent: [10, 0].into_iter().collect(),
        sent_to: [0, 10].into_iter().collect(),
        received: [0, 7].into_iter().collect(),
        counted: 7,
        missed: 3,
    };
    let fiq = FiqResult {
        id: 7,
        refusal: Some(Refusal::Spike),
        field: 2,
        sent: 100,
        ipis: 99,
        armed: 100,
        timers: 98,
    };
    let got = [
        message(Message::Hello(hello)),
        message(Message::Cpu(info)),
        message(opened),
        message(Message::Latency(latency)),
        message(Message::Cell(result)),
        message(Message::Progress(progress)),
        message(Message::Events(batch())),
        message(register),
        message(Message::Restored(restored)),
        message(Message::Fault(fault)),
        message(Message::Log([1, 2, 3].into_iter().collect())),
        message(Message::BadCommand { at: 300 }),
        message(Message::End {
            packets: 6,
            dropped: 128,
        }),
        message(line),
        message(Message::Ipi(ipi)),
        message(Message::Wfi(wfi)),
        message(Message::Storm(storm)),
        message(Message::Fiq(fiq)),
    ];
    assert_eq!(
        got,
        [
            "040580012a0188ef99abc5e88c9111ababababababababababababababababeffdb6f50d80ecb80b0101254d203500",
            "1605800101058182848008908cbc88060285b0c086030203058e98f53200",
            "1005800102010281808080016a315a8e00",
            "1105800103070102061dac02014ffcc21b00",
            "0f0580010407010701808080900602050320021e0302200c020104051e1e06ac0201200bf0a2041d03c80102a01f0202061e0c04b66100",
            "0b0580010507ac0202ab0206010592ed6200",
            "1005800106071f89cf959a12030512030be4013c054078610222010a070280d804b11a084900",
            "1205800107030801018080c89106967eb79400",
            "110580010889010101028201ffffffff0f057301322900",
            "130580010901018080808008808080f00bb42403c90705303e545b00",
            "0d0580010a030102031a06709c00",
            "0b0580010bac02cf9abc0800",
            "0c0580010c06800166a65bee00",
            "090580010d01e4070106040ee6fb4300",
            "060580010e070a01808080900601020206036fda3f4800",
            "110580010f0401800401c0a9077ff453a500",
            "0605800110070c018080809006809f49020a0202030a0208070703f410e34100",
            "110580011107010d02646364620540faf600",
        ]
    );
}

fn bytes(value: impl Serialize) -> Vec<u8> {
    let mut room = [0; 32];
    postcard::to_slice(&value, &mut room)
        .expect("it fits")
        .to_vec()
}

/// The number that every variant has on the wire.
#[test]
fn variants() {
    let got = [
        bytes((Load::Idle, Load::Spin, Load::Memory)),
        bytes((Handover::Direct, Handover::Store(9), Handover::Event(9))),
        bytes((Handover::Ipi(9), Handover::Floating(300))),
        bytes((Between::Nothing, Between::Isb, Between::Interrupt)),
        bytes((Via::Local, Via::Global, Via::Mmio)),
        bytes((Pattern::ToOne(9), Pattern::ToAll, Pattern::Pairs)),
        bytes((Reach::Local, Reach::Global)),
        bytes((Refusal::Storm, Refusal::NotEnabled, Refusal::Aborted)),
        bytes((Refusal::Spike, Refusal::Wrong)),
        bytes((EventKind::Landed, EventKind::Unmasked, EventKind::Lost)),
        bytes((EventKind::Late, EventKind::Duplicate)),
    ];
    let wanted: [&[u8]; 11] = [
        &[0, 1, 2],
        &[0, 1, 9, 2, 9],
        &[3, 9, 4, 0xac, 2],
        &[0, 1, 2],
        &[0, 1, 2],
        &[0, 9, 1, 2],
        &[0, 1],
        &[10, 11, 12],
        &[13, 14],
        &[0, 1, 2],
        &[3, 4],
    ];
    assert_eq!(got, wanted);
}
