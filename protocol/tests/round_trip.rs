//! Every message and command survives the wire, nothing that comes in makes the decoder panic, and it finds its way back.

use heapless::Vec as Fixed;
use proptest::collection::vec;
use proptest::prelude::*;
use protocol::MAX_CPUS;
use protocol::command::{
    Action, Between, Cell, Command, Ending, FiqCell, Handover, Hello as HelloRequest, IpiCell,
    LineId, Load, Mask, Pattern, Reach, Receive, Register, Rewrite, STEPS, Special, Step, Stop,
    StormCell, Via,
};
use protocol::frame::{Decoder, FrameError, MAX_FRAME, decode, encode};
use protocol::message::{
    BATCH_BYTES, Batch, CHUNK, CellResult, CpuInfo, DIFFERENCES, Difference, Fault, FaultKind,
    FiqResult, Hello, IpiResult, Item, LOG_BYTES, LatencyChunk, Message, Packet, Progress, Reading,
    Refusal, Restored, StormResult, WfiResult,
};

fn fixed<T: Clone + core::fmt::Debug, const N: usize>(
    item: impl Strategy<Value = T>,
) -> impl Strategy<Value = Fixed<T, N>> {
    vec(item, 0..=N).prop_map(|v| v.into_iter().collect())
}

fn line() -> impl Strategy<Value = LineId> {
    any::<(u8, u16)>().prop_map(|(die, number)| LineId { die, number })
}

fn register() -> impl Strategy<Value = Register> {
    prop::sample::select(vec![
        Register::SiqCfg,
        Register::Mpidr,
        Register::Midr,
        Register::IpiSr,
        Register::IpiCr,
        Register::Isr,
        Register::Sctlr,
        Register::Hcr,
        Register::Cntfrq,
        Register::Cnthctl,
        Register::VmTmrFiqEna,
    ])
}

fn reading() -> impl Strategy<Value = Reading> {
    prop_oneof![
        any::<u64>().prop_map(Reading::Value),
        any::<u64>().prop_map(Reading::Trapped),
    ]
}

fn cell() -> impl Strategy<Value = Cell> {
    let mask = any::<(u8, u32)>().prop_map(|(cpu, us)| Mask { cpu, us });
    (
        any::<(u32, u8, u32, u32, u32, bool)>(),
        line(),
        fixed::<_, MAX_CPUS>(any::<u8>()),
        fixed::<_, MAX_CPUS>(mask),
        special(),
    )
        .prop_map(|(n, line, fields, masked, special)| Cell {
            id: n.0,
            line,
            fire_cpu: n.1,
            fields,
            masked,
            triggers: n.2,
            timeout_us: n.3,
            grace_us: n.4,
            raw: n.5,
            special,
        })
}

fn special() -> impl Strategy<Value = Special> {
    let action = prop_oneof![
        any::<u8>().prop_map(Action::SetField),
        Just(Action::TakeEvent),
        Just(Action::Sample),
        Just(Action::UnmaskLine),
        Just(Action::ClearLine),
    ];
    let step =
        (any::<(u32, u8)>(), action).prop_map(|((at_us, cpu), action)| Step { at_us, cpu, action });
    let ending = prop_oneof![
        Just(Ending::Normal),
        Just(Ending::Disabled),
        line().prop_map(Ending::OutOfOrder),
    ];
    let waiting = (
        prop::sample::select(vec![Load::Idle, Load::Spin, Load::Memory]),
        any::<(u32, bool, u32, u32, bool)>(),
        any::<(u32, u32, bool, u32)>(),
        proptest::option::of(handover()),
        proptest::option::of(rewrite()),
    );
    (
        any::<(Option<u32>, Option<bool>, bool, bool, u32)>(),
        ending,
        fixed::<_, STEPS>(step),
        waiting,
    )
        .prop_map(|(n, ending, steps, (load, w, stop, handover, rewrite))| {
            let (routing, enable, line_masked, live, at_el1) = n;
            let (loaded, timed, gap_us, limit_us, unfired) = w;
            let (first_ns, both_ns, wrong, expected) = stop;
            Special {
                routing,
                enable,
                line_masked,
                live,
                ending,
                at_el1,
                steps,
                load,
                loaded,
                timed,
                gap_us,
                limit_us,
                stop: Stop {
                    first_ns,
                    both_ns,
                    wrong,
                    expected,
                },
                handover,
                rewrite,
                unfired,
            }
        })
}

fn handover() -> impl Strategy<Value = Handover> {
    prop_oneof![
        Just(Handover::Direct),
        any::<u8>().prop_map(Handover::Store),
        any::<u8>().prop_map(Handover::Event),
        any::<u8>().prop_map(Handover::Ipi),
        any::<u32>().prop_map(Handover::Floating),
    ]
}

fn rewrite() -> impl Strategy<Value = Rewrite> {
    let between = prop::sample::select(vec![Between::Nothing, Between::Isb, Between::Interrupt]);
    (any::<u8>(), between).prop_map(|(field, between)| Rewrite { field, between })
}

fn storm() -> impl Strategy<Value = StormCell> {
    let pattern = prop_oneof![
        any::<u8>().prop_map(Pattern::ToOne),
        Just(Pattern::ToAll),
        Just(Pattern::Pairs),
    ];
    let via = prop::sample::select(vec![Via::Local, Via::Global, Via::Mmio]);
    (any::<(u32, u32, bool, bool, u32)>(), pattern, via).prop_map(|(n, pattern, via)| StormCell {
        id: n.0,
        cpus: n.1,
        pattern,
        via,
        paced: n.2,
        shared: n.3,
        us: n.4,
    })
}

fn ipi() -> impl Strategy<Value = IpiCell> {
    let reach = prop_oneof![Just(Reach::Local), Just(Reach::Global)];
    let receive = prop_oneof![
        Just(Receive::Normal),
        Just(Receive::LateAcknowledge),
        Just(Receive::NoBarrier),
        Just(Receive::Held),
    ];
    (any::<(u32, u8, u8, u8, u32, u32)>(), reach, receive).prop_map(|(n, reach, receive)| IpiCell {
        id: n.0,
        from: n.1,
        to: n.2,
        reach,
        kind: n.3,
        receive,
        count: n.4,
        timeout_us: n.5,
    })
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        any::<(u16, u64, u64)>().prop_map(|(protocol, schema, nonce)| {
            Command::Hello(HelloRequest {
                protocol,
                schema,
                nonce,
            })
        }),
        Just(Command::Open),
        cell().prop_map(Command::Cell),
        (any::<u8>(), register()).prop_map(|(cpu, register)| Command::Read { cpu, register }),
        Just(Command::Close),
        Just(Command::Leave),
        any::<u8>().prop_map(|cpu| Command::WriteBack { cpu }),
        ipi().prop_map(Command::Ipi),
        any::<(u8, u32)>().prop_map(|(cpu, us)| Command::Wfi { cpu, us }),
        storm().prop_map(Command::Storm),
        any::<(u32, u8, u8, u32, u32)>().prop_map(|n| {
            Command::Fiq(FiqCell {
                id: n.0,
                cpu: n.1,
                field: n.2,
                count: n.3,
                timeout_us: n.4,
            })
        }),
    ]
}

fn refusal() -> impl Strategy<Value = Refusal> {
    prop_oneof![
        Just(Refusal::NotOpen),
        Just(Refusal::Line),
        any::<u8>().prop_map(Refusal::Cpu),
        any::<u8>().prop_map(Refusal::Field),
        any::<u8>().prop_map(Refusal::MaskedTwice),
        Just(Refusal::Triggers),
        Just(Refusal::LineBusy),
        any::<(u8, u64)>().prop_map(|(cpu, esr)| Refusal::SiqCfg { cpu, esr }),
        any::<u8>().prop_map(Refusal::WorkerSilent),
        any::<u8>().prop_map(Refusal::WorkerFault),
        Just(Refusal::Storm),
        Just(Refusal::NotEnabled),
        Just(Refusal::Aborted),
        Just(Refusal::Spike),
        Just(Refusal::Wrong),
    ]
}

fn counts() -> impl Strategy<Value = Fixed<u32, MAX_CPUS>> {
    fixed(any::<u32>())
}

fn result() -> impl Strategy<Value = CellResult> {
    (
        any::<(u32, u32, u32, u32, u32, u32, u32, u32, u64, u64)>(),
        proptest::option::of(refusal()),
        fixed::<_, MAX_CPUS>(any::<u8>()),
        counts(),
        counts(),
        fixed::<_, STEPS>(any::<u32>()),
        (any::<(u64, u32, u64, u64)>(), counts(), counts()),
    )
        .prop_map(
            |(n, refusal, fields, landed, offered, hits, second)| CellResult {
                id: n.0,
                refusal,
                fields,
                fired: n.1,
                landed,
                offered,
                lost: n.2,
                late: n.3,
                duplicate: n.4,
                spurious: n.5,
                latencies: n.6,
                from_unmask: n.7,
                min_ticks: n.8,
                max_ticks: n.9,
                hits,
                left_masked: n.1,
                elapsed: second.0.0,
                seconds: second.0.1,
                min_second: second.0.2,
                max_second: second.0.3,
                busy: second.1,
                served: second.2,
            },
        )
}

fn ipi_result() -> impl Strategy<Value = IpiResult> {
    (
        any::<(u32, Option<u64>, u32, u32)>(),
        proptest::option::of(refusal()),
        counts(),
    )
        .prop_map(|(n, refusal, received)| IpiResult {
            id: n.0,
            refusal,
            trapped: n.1,
            sent: n.2,
            missed: n.3,
            received,
        })
}

fn storm_result() -> impl Strategy<Value = StormResult> {
    (
        any::<(u32, Option<u64>, u64, u32, u32)>(),
        proptest::option::of(refusal()),
        (counts(), counts(), counts()),
    )
        .prop_map(|(n, refusal, (sent, sent_to, received))| StormResult {
            id: n.0,
            refusal,
            trapped: n.1,
            elapsed: n.2,
            sent,
            sent_to,
            received,
            counted: n.3,
            missed: n.4,
        })
}

fn fiq_result() -> impl Strategy<Value = FiqResult> {
    let numbers = any::<(u32, u8, u32, u32, u32, u32)>();
    (numbers, proptest::option::of(refusal())).prop_map(|(n, refusal)| FiqResult {
        id: n.0,
        refusal,
        field: n.1,
        sent: n.2,
        ipis: n.3,
        armed: n.4,
        timers: n.5,
    })
}

fn batch() -> impl Strategy<Value = Batch> {
    let numbers = any::<(u32, u32, u64, u8, u16)>();
    (numbers, fixed::<_, BATCH_BYTES>(any::<u8>())).prop_map(|(n, data)| Batch {
        id: n.0,
        trigger: n.1,
        time: n.2,
        shape: n.3,
        count: n.4,
        data,
    })
}

fn restored() -> impl Strategy<Value = Restored> {
    let item = prop::sample::select(vec![
        Item::SiqCfg,
        Item::AicConfig,
        Item::MaskWord,
        Item::SoftwareWord,
        Item::IrqConfig,
        Item::Vbar,
        Item::Daif,
        Item::Tpidr,
        Item::Cnthctl,
    ]);
    let difference =
        (item, any::<(u32, u64, u64)>()).prop_map(|(item, (index, found, now))| Difference {
            item,
            index,
            found,
            now,
        });
    (any::<(u32, u32)>(), fixed::<_, DIFFERENCES>(difference)).prop_map(|(n, differences)| {
        Restored {
            checked: n.0,
            different: n.1,
            differences,
        }
    })
}

fn fault() -> impl Strategy<Value = Fault> {
    let kind = prop::sample::select(vec![
        FaultKind::Sync,
        FaultKind::SError,
        FaultKind::Panic,
        FaultKind::Unexpected,
    ]);
    (kind, any::<(u8, u64, u64, u64, u64, u64, u32)>()).prop_map(|(kind, n)| Fault {
        cpu: n.0,
        kind,
        mpidr: n.1,
        esr: n.2,
        elr: n.3,
        far: n.4,
        spsr: n.5,
        line: n.6,
    })
}

fn hello() -> impl Strategy<Value = Hello> {
    any::<(u16, u64, [u8; 16], u64, u64, u32, bool)>().prop_map(|n| Hello {
        protocol: n.0,
        schema: n.1,
        build_id: n.2,
        nonce: n.3,
        counter_hz: n.4,
        counter_step: n.5,
        event_stream: n.6,
    })
}

fn message() -> impl Strategy<Value = Message> {
    let info =
        (any::<(u8, u64, u64, u8, u64, Option<u32>)>(), reading()).prop_map(|(n, siq_cfg)| {
            CpuInfo {
                cpu: n.0,
                mpidr: n.1,
                midr: n.2,
                el: n.3,
                sctlr: n.4,
                siq_cfg,
                whoami: n.5,
            }
        });
    let progress = (any::<(u32, u32, u32)>(), counts()).prop_map(|(n, landed)| Progress {
        id: n.0,
        fired: n.1,
        landed,
        lost: n.2,
    });
    let latency = (any::<(u32, bool)>(), fixed::<_, CHUNK>(any::<(u16, u32)>()))
        .prop_map(|((id, second), counts)| LatencyChunk { id, second, counts });
    prop_oneof![
        hello().prop_map(Message::Hello),
        info.prop_map(Message::Cpu),
        any::<(u32, u32, u32)>().prop_map(|n| Message::Opened {
            software_pending: n.0,
            unmasked: n.1,
            config: n.2,
        }),
        latency.prop_map(Message::Latency),
        result().prop_map(Message::Cell),
        progress.prop_map(Message::Progress),
        batch().prop_map(Message::Events),
        (any::<u8>(), register(), proptest::option::of(reading())).prop_map(
            |(cpu, register, reading)| Message::Register {
                cpu,
                register,
                reading,
            }
        ),
        restored().prop_map(Message::Restored),
        fault().prop_map(Message::Fault),
        fixed::<_, LOG_BYTES>(any::<u8>()).prop_map(Message::Log),
        any::<u64>().prop_map(|at| Message::BadCommand { at }),
        any::<(u32, u32)>().prop_map(|(packets, dropped)| Message::End { packets, dropped }),
        (line(), any::<(bool, bool, u32)>()).prop_map(|(line, n)| Message::Line {
            line,
            software: n.0,
            high: n.1,
            config: n.2,
        }),
        ipi_result().prop_map(Message::Ipi),
        any::<(u8, Option<u32>, u8, u64)>().prop_map(|n| Message::Wfi(WfiResult {
            cpu: n.0,
            changed: n.1,
            system: n.2,
            ticks: n.3,
        })),
        storm_result().prop_map(Message::Storm),
        fiq_result().prop_map(Message::Fiq),
    ]
}

fn packet() -> impl Strategy<Value = Packet> {
    (any::<(u32, u32)>(), message()).prop_map(|(n, message)| Packet {
        seq: n.0,
        dropped: n.1,
        message,
    })
}

proptest! {
    #[test]
    fn every_packet_fits_a_frame_and_comes_back(packet in packet()) {
        let mut frame = [0; MAX_FRAME];
        let n = encode(&packet, &mut frame).unwrap();
        prop_assert!(!frame[..n - 1].contains(&0) && frame[n - 1] == 0);
        prop_assert_eq!(decode::<Packet>(&mut frame[..n - 1]), Ok(packet));
    }

    #[test]
    fn every_command_fits_a_frame_and_comes_back(command in command()) {
        let mut frame = [0; MAX_FRAME];
        let n = encode(&command, &mut frame).unwrap();
        prop_assert_eq!(decode::<Command>(&mut frame[..n - 1]), Ok(command));
    }

    #[test]
    fn any_bytes_are_survived_and_the_next_frame_is_found(
        noise in vec(any::<u8>(), 0..2000),
        packet in packet(),
    ) {
        let mut decoder = Decoder::new();
        for byte in noise {
            let _ = decoder.push::<Packet>(byte);
        }
        let mut frame = [0; MAX_FRAME];
        let n = encode(&packet, &mut frame).unwrap();
        // Whatever was pending ends at the next terminator.
        let _ = decoder.push::<Packet>(0);
        let mut got = None;
        for byte in &frame[..n] {
            got = decoder.push::<Packet>(*byte);
        }
        prop_assert_eq!(got, Some(Ok(packet)));
    }

    #[test]
    fn a_changed_bit_is_never_taken_for_the_message(
        packet in packet(),
        at in any::<prop::sample::Index>(),
        bit in 0..8,
    ) {
        let mut frame = [0; MAX_FRAME];
        let n = encode(&packet, &mut frame).unwrap();
        frame[at.index(n - 1)] ^= 1u8 << bit;
        let mut decoder = Decoder::new();
        for byte in &frame[..n] {
            if let Some(Ok(got)) = decoder.push::<Packet>(*byte) {
                prop_assert!(false, "accepted {got:?}");
            }
        }
    }

    #[test]
    fn random_frames_do_not_panic(mut bytes in vec(any::<u8>(), 0..600)) {
        let long = bytes.len() > MAX_FRAME - 1;
        let got = decode::<Packet>(&mut bytes);
        prop_assert!(!long || got == Err(FrameError::TooLong));
    }
}

#[test]
fn a_frame_that_never_ends_is_told_once_at_its_end() {
    let mut decoder = Decoder::new();
    for _ in 0..10_000 {
        assert_eq!(decoder.push::<Packet>(1), None);
    }
    assert_eq!(decoder.push::<Packet>(0), Some(Err(FrameError::TooLong)));
    assert_eq!(decoder.push::<Packet>(0), None);
}

#[test]
fn an_intact_frame_of_something_else_is_content() {
    let mut frame = [0; MAX_FRAME];
    let n = encode(&[0xffu8; 9], &mut frame).unwrap();
    assert_eq!(
        decode::<Command>(&mut frame[..n - 1]),
        Err(FrameError::Content)
    );
    // A command with a byte behind it.
    let n = encode(&(Command::Open, 0u8), &mut frame).unwrap();
    assert_eq!(
        decode::<Command>(&mut frame[..n - 1]),
        Err(FrameError::Content)
    );
}

/// A list with as many of `item` as it takes.
fn full<T: Clone, const N: usize>(item: T) -> Fixed<T, N> {
    core::iter::repeat_n(item, N).collect()
}

/// The longest of each message and command that has lists: 24 CPUs, every number as long as it gets.
#[test]
fn the_longest_of_each_fits_a_frame() {
    const REFUSAL: Option<Refusal> = Some(Refusal::SiqCfg {
        cpu: u8::MAX,
        esr: u64::MAX,
    });
    let cell = CellResult {
        id: u32::MAX,
        refusal: REFUSAL,
        fields: full(u8::MAX),
        fired: u32::MAX,
        landed: full(u32::MAX),
        offered: full(u32::MAX),
        lost: u32::MAX,
        late: u32::MAX,
        duplicate: u32::MAX,
        spurious: u32::MAX,
        latencies: u32::MAX,
        from_unmask: u32::MAX,
        min_ticks: u64::MAX,
        max_ticks: u64::MAX,
        hits: full(u32::MAX),
        left_masked: u32::MAX,
        elapsed: u64::MAX,
        seconds: u32::MAX,
        min_second: u64::MAX,
        max_second: u64::MAX,
        busy: full(u32::MAX),
        served: full(u32::MAX),
    };
    let storm = StormResult {
        id: u32::MAX,
        refusal: REFUSAL,
        trapped: Some(u64::MAX),
        elapsed: u64::MAX,
        sent: full(u32::MAX),
        sent_to: full(u32::MAX),
        received: full(u32::MAX),
        counted: u32::MAX,
        missed: u32::MAX,
    };
    let difference = Difference {
        item: Item::Cnthctl,
        index: u32::MAX,
        found: u64::MAX,
        now: u64::MAX,
    };
    let messages = [
        Message::Cell(cell),
        Message::Storm(storm),
        Message::Events(Batch {
            id: u32::MAX,
            trigger: u32::MAX,
            time: u64::MAX,
            shape: u8::MAX,
            count: u16::MAX,
            data: full(u8::MAX),
        }),
        Message::Latency(LatencyChunk {
            id: u32::MAX,
            second: true,
            counts: full((u16::MAX, u32::MAX)),
        }),
        Message::Progress(Progress {
            id: u32::MAX,
            fired: u32::MAX,
            landed: full(u32::MAX),
            lost: u32::MAX,
        }),
        Message::Restored(Restored {
            checked: u32::MAX,
            different: u32::MAX,
            differences: full(difference),
        }),
        Message::Ipi(IpiResult {
            id: u32::MAX,
            refusal: REFUSAL,
            trapped: Some(u64::MAX),
            sent: u32::MAX,
            missed: u32::MAX,
            received: full(u32::MAX),
        }),
        Message::Log(full(u8::MAX)),
    ];
    let mut frame = [0; MAX_FRAME];
    for message in messages {
        let packet = Packet {
            seq: u32::MAX,
            dropped: u32::MAX,
            message,
        };
        let n = encode(&packet, &mut frame).unwrap();
        assert_eq!(decode::<Packet>(&mut frame[..n - 1]), Ok(packet));
    }
    let command = Command::Cell(longest_cell());
    let n = encode(&command, &mut frame).unwrap();
    assert_eq!(decode::<Command>(&mut frame[..n - 1]), Ok(command));
}

fn longest_cell() -> Cell {
    let line = LineId {
        die: u8::MAX,
        number: u16::MAX,
    };
    Cell {
        id: u32::MAX,
        line,
        fire_cpu: u8::MAX,
        fields: full(u8::MAX),
        masked: full(Mask {
            cpu: u8::MAX,
            us: u32::MAX,
        }),
        triggers: u32::MAX,
        timeout_us: u32::MAX,
        grace_us: u32::MAX,
        raw: true,
        special: Special {
            routing: Some(u32::MAX),
            enable: Some(true),
            line_masked: true,
            live: true,
            ending: Ending::OutOfOrder(line),
            at_el1: u32::MAX,
            steps: full(Step {
                at_us: u32::MAX,
                cpu: u8::MAX,
                action: Action::SetField(u8::MAX),
            }),
            load: Load::Memory,
            loaded: u32::MAX,
            timed: true,
            gap_us: u32::MAX,
            limit_us: u32::MAX,
            stop: Stop {
                first_ns: u32::MAX,
                both_ns: u32::MAX,
                wrong: true,
                expected: u32::MAX,
            },
            handover: Some(Handover::Floating(u32::MAX)),
            rewrite: Some(Rewrite {
                field: u8::MAX,
                between: Between::Interrupt,
            }),
            unfired: true,
        },
    }
}
