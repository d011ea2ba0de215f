//! The block of target memory that host and firmware share.
//!
//! The host allocates it (64 KiB-aligned, [`size`] bytes), zeroes it, fills the constant part of [`Control`] and passes its
//! physical address to every entry. The image itself has no writable byte.
//!
//! ```text
//! 0x00000  Control        host writes words one by one, never with a block write
//! 0x01000  Published      firmware writes at the end of a slice, then leaves alone until the next
//! 0x02000  firmware's own shared state
//! 0x1c000  down ring      commands, 16 KiB
//! 0x20000  CPU 0          one region of 128 KiB a CPU:
//!          +0x00000  CpuBlock   state, ring indices, fault words
//!          +0x01000  firmware's own state of this CPU
//!          +0x04000  emergency stack, 8 KiB
//!          +0x06000  stack, 40 KiB
//!          +0x10000  up ring, 64 KiB
//! ```

use core::sync::atomic::AtomicU64;

/// CPUs that the layout has room for: m1n1's own limit (m1n1 `MAX_CPUS`, third party).
pub const MAX_CPUS: usize = 24;
/// First word of [`Control`].
pub const MAGIC: u64 = u64::from_le_bytes(*b"AICPCTX\x01");
/// Alignment of the block and of the image, in bytes.
pub const ALIGN: u64 = 0x1_0000;

/// Offset of [`Published`].
pub const PUBLISHED: u64 = 0x1000;
/// Offset of the firmware's shared state.
pub const SHARED: u64 = 0x2000;
/// Room for it, in bytes.
pub const SHARED_SIZE: u64 = DOWN_RING - SHARED;
/// Offset of the down ring.
pub const DOWN_RING: u64 = 0x1_c000;
/// Its size in bytes, a power of two.
pub const DOWN_RING_SIZE: u64 = 0x4000;
/// Offset of CPU 0's region.
pub const CPUS: u64 = 0x2_0000;
/// Size of a CPU's region.
pub const CPU_STRIDE: u64 = 0x2_0000;
/// Offset of the firmware's own state within a CPU's region.
pub const CPU_PRIVATE: u64 = 0x1000;
/// Room for it, in bytes.
pub const CPU_PRIVATE_SIZE: u64 = 0x3000;
/// End of the emergency stack within a CPU's region (it grows down).
pub const EMERGENCY_TOP: u64 = 0x6000;
/// End of the stack within a CPU's region (it grows down).
pub const STACK_TOP: u64 = 0x1_0000;
/// Offset of the up ring within a CPU's region.
pub const UP_RING: u64 = 0x1_0000;
/// Its size in bytes, a power of two.
pub const UP_RING_SIZE: u64 = 0x1_0000;

/// Size of the whole block for `cpus` CPUs, in bytes.
#[must_use]
pub const fn size(cpus: usize) -> u64 {
    CPUS + CPU_STRIDE * cpus as u64
}

/// Offset of a CPU's region.
#[must_use]
pub const fn cpu(id: usize) -> u64 {
    CPUS + CPU_STRIDE * id as u64
}

/// Geometry of the controller as the host found it: offsets in bytes from the base, strides in bytes per die.
#[repr(C)]
#[derive(Default)]
pub struct AicWords {
    /// Physical address of the register block.
    pub base: AtomicU64,
    /// 2 or 3.
    pub generation: AtomicU64,
    /// Lines implemented per die.
    pub nr_irq: AtomicU64,
    /// Lines that the layout has room for per die.
    pub max_irq: AtomicU64,
    /// Dies in use.
    pub dies: AtomicU64,
    /// Offset of CONFIG.
    pub config: AtomicU64,
    /// Offset of IRQ_CFG of die 0.
    pub irq_cfg: AtomicU64,
    /// Offset of EVENT.
    pub event: AtomicU64,
    /// Stride of IRQ_CFG and HW_STATE; 0 = computed from `max_irq`.
    pub cfg_stride: AtomicU64,
    /// Stride of SW_SET and MASK_SET; 0 = computed.
    pub set_stride: AtomicU64,
    /// Stride of SW_CLR and MASK_CLR; 0 = computed.
    pub clr_stride: AtomicU64,
}

/// Words that steer a session.
#[repr(C, align(4096))]
#[derive(Default)]
pub struct Control {
    /// [`MAGIC`]; host, once.
    pub magic: AtomicU64,
    /// [`crate::PROTOCOL_VERSION`]; host, once.
    pub protocol: AtomicU64,
    /// [`crate::SCHEMA_HASH`]; host, once.
    pub schema: AtomicU64,
    /// CPUs that the block has regions for, at most [`MAX_CPUS`]; host, once.
    pub cpus: AtomicU64,
    /// A worker that sees no new slice for this long goes home, in milliseconds; host, once.
    pub worker_timeout_ms: AtomicU64,
    /// The controller; host, once.
    pub aic: AicWords,
    /// Bytes ever written to the down ring; host, between slices.
    pub down_head: AtomicU64,
    /// Bytes ever consumed from it; firmware.
    pub down_tail: AtomicU64,
    /// Slices begun; firmware. Workers watch it.
    pub slices: AtomicU64,
    /// Memory that loaded CPUs work on ([`crate::command::Load::Memory`]): address, 0 = none; host, once.
    pub hammer: AtomicU64,
    /// Bytes of it for each CPU, by logical id one behind the other; a multiple of 4096; host, once.
    pub hammer_size: AtomicU64,
    /// Not 0: the cell that runs and every cell after it are given back with what was counted until then; host, between
    /// slices.
    pub abort: AtomicU64,
}

/// What a CPU is doing; the value of [`CpuBlock::state`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum CpuState {
    /// Never entered the firmware.
    Absent = 0,
    /// In the worker loop (or, for the boot CPU, known and between slices).
    Ready = 1,
    /// Told to go home; about to return to the loader.
    Leaving = 2,
    /// Went home because no slice came.
    TimedOut = 3,
    /// Stopped with a fault.
    Faulted = 4,
    /// Refused to start: the block is not one of ours.
    BadContext = 5,
    /// Refused to start: its MMU is off, so exclusives and coherence with the others do not hold.
    NoMmu = 6,
}

impl CpuState {
    /// The state behind a word; `None` for a word that is none.
    #[must_use]
    pub const fn from_word(word: u64) -> Option<Self> {
        Some(match word {
            0 => Self::Absent,
            1 => Self::Ready,
            2 => Self::Leaving,
            3 => Self::TimedOut,
            4 => Self::Faulted,
            5 => Self::BadContext,
            6 => Self::NoMmu,
            _ => return None,
        })
    }
}

/// Words of one CPU.
#[repr(C, align(128))]
#[derive(Default)]
pub struct CpuBlock {
    /// A [`CpuState`]; firmware.
    pub state: AtomicU64,
    /// Bytes ever written to the up ring; firmware.
    pub up_head: AtomicU64,
    /// Bytes ever taken from it; host.
    pub up_tail: AtomicU64,
    /// Fault words (kind + 1, mpidr, esr, elr, far, spsr, line): readable even where no ring could be written.
    pub fault: [AtomicU64; 8],
}

/// What the boot CPU leaves for the host at the end of a slice. Nothing in it changes until the next slice, so
/// one block read of it is safe.
#[repr(C, align(128))]
#[derive(Default)]
pub struct Published {
    /// [`Control::slices`] of the slice that wrote it.
    pub slice: AtomicU64,
    /// A [`SliceStatus`].
    pub status: AtomicU64,
    /// [`Control::down_tail`].
    pub down_tail: AtomicU64,
    /// CNTPCT_EL0 at the end of the slice.
    pub counter: AtomicU64,
    /// [`CpuBlock::up_head`] of every CPU.
    pub up_heads: [AtomicU64; MAX_CPUS],
    /// [`CpuBlock::state`] of every CPU.
    pub states: [AtomicU64; MAX_CPUS],
}

/// What the boot CPU's entry returns in x0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum SliceStatus {
    /// Every command was carried out.
    Idle = 0,
    /// There is more to do: call again.
    Busy = 1,
    /// The up ring has no room: take what is there, then call again.
    NeedDrain = 2,
    /// The boot CPU faulted and came home; see its fault words.
    Fault = 3,
    /// The block is not one of ours: nothing was done.
    BadContext = 4,
}

impl SliceStatus {
    /// The status behind a word; `None` for a word that is none.
    #[must_use]
    pub const fn from_word(word: u64) -> Option<Self> {
        Some(match word {
            0 => Self::Idle,
            1 => Self::Busy,
            2 => Self::NeedDrain,
            3 => Self::Fault,
            4 => Self::BadContext,
            _ => return None,
        })
    }
}

const _: () = {
    assert!(size_of::<Control>() as u64 <= PUBLISHED);
    assert!(size_of::<Published>() as u64 <= SHARED - PUBLISHED);
    assert!(size_of::<CpuBlock>() as u64 <= CPU_PRIVATE);
    assert!(DOWN_RING_SIZE.is_power_of_two() && UP_RING_SIZE.is_power_of_two());
    assert!(DOWN_RING + DOWN_RING_SIZE == CPUS && UP_RING + UP_RING_SIZE == CPU_STRIDE);
};
