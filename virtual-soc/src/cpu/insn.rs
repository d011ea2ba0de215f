//! A decoded instruction: 16 bytes that the execution loop dispatches on.

/// Operation of a decoded instruction.
///
/// Suffixes: `32`/`64` operand width; `I` immediate, `Sh` shifted register, `Ext` extended register; for loads and
/// stores `I` base + immediate, `P` base updated (pre- or post-indexed), `R` base + register.
/// Everything from `Undefined` on is executed by the slow path, which also completes any memory access that the
/// execution loop cannot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
#[rustfmt::skip]
pub(crate) enum Op {
    /// Not decoded yet: all-zero, so that a fresh page is cheap.
    Undecoded = 0,
    Nop,
    // Moves and addresses
    MovImm, MovK64, MovK32, Adr, Adrp, Mov64, Mov32,
    // Add and subtract
    AddI64, AddI32, AddsI64, AddsI32, SubsI64, SubsI32,
    Add64, Add32, Sub64, Sub32, Adds64, Adds32, Subs64, Subs32,
    AddSh64, AddSh32, SubSh64, SubSh32, AddsSh64, AddsSh32, SubsSh64, SubsSh32,
    AddExt64, AddExt32, SubExt64, SubExt32, AddsExt64, AddsExt32, SubsExt64, SubsExt32,
    Adc64, Adc32, Adcs64, Adcs32,
    // Logic
    AndI64, AndI32, OrrI64, OrrI32, EorI64, EorI32, AndsI64, AndsI32,
    And64, And32, Orr64, Orr32, Eor64, Eor32, Ands64, Ands32,
    AndSh64, AndSh32, OrrSh64, OrrSh32, EorSh64, EorSh32, AndsSh64, AndsSh32,
    // Bit fields
    Ubfm, Sbfm64, Sbfm32, Bfm64, Bfm32, Extr64, Extr32,
    // Conditional
    Csel64, Csel32, Csinc64, Csinc32, Csinv64, Csinv32, Csneg64, Csneg32,
    CcmpR64, CcmpR32, CcmpI64, CcmpI32, CcmnR64, CcmnR32, CcmnI64, CcmnI32,
    // One and two sources
    Rbit64, Rbit32, Rev16x64, Rev16x32, Rev32x64, Rev64, Rev32, Clz64, Clz32, Cls64, Cls32,
    Udiv64, Udiv32, Sdiv64, Sdiv32, Lslv64, Lslv32, Lsrv64, Lsrv32, Asrv64, Asrv32, Rorv64, Rorv32,
    Crc32, Crc32c,
    // Multiply
    Madd64, Madd32, Msub64, Msub32, Smaddl, Smsubl, Umaddl, Umsubl, Smulh, Umulh,
    // Branches
    B, Bl, BCond, Cbz64, Cbz32, Cbnz64, Cbnz32, Tbz, Tbnz, Br, Blr, Ret,
    // Loads
    LdrBI, LdrHI, LdrWI, LdrXI, LdrSbWI, LdrSbXI, LdrShWI, LdrShXI, LdrSwI,
    LdrBP, LdrHP, LdrWP, LdrXP, LdrSbWP, LdrSbXP, LdrShWP, LdrShXP, LdrSwP,
    LdrBR, LdrHR, LdrWR, LdrXR, LdrSbWR, LdrSbXR, LdrShWR, LdrShXR, LdrSwR,
    LitW, LitX, LitSw,
    LdpWI, LdpXI, LdpSwI, LdpWP, LdpXP, LdpSwP,
    LdarB, LdarH, LdarW, LdarX,
    // Stores
    StrBI, StrHI, StrWI, StrXI,
    StrBP, StrHP, StrWP, StrXP,
    StrBR, StrHR, StrWR, StrXR,
    StpWI, StpXI, StpWP, StpXP,
    StlrB, StlrH, StlrW, StlrX,
    // Slow path only
    Undefined,
    Svc, Hvc, Smc, Brk, Hlt, Eret,
    Mrs, Msr, MsrImm, Sys, SysL,
    Wfe, Wfi, Sev, Sevl, Clrex, Isb, Wfet, Wfit,
    LdUnpriv, StUnpriv,
    LdEx, StEx, LdExP, StExP, Cas, CasP, Atomic,
}

/// Register-file slot of the stack pointer.
pub(crate) const SP: u8 = 31;
/// Register-file slot that always reads zero.
pub(crate) const ZR: u8 = 32;
/// Register-file slot that takes writes to the zero register.
pub(crate) const SINK: u8 = 33;

/// A decoded instruction. What the fields mean depends on [`Op`]; the usual meaning is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Insn {
    pub op: Op,
    /// Destination, or the register transferred.
    pub rd: u8,
    /// First source, or the base.
    pub rn: u8,
    /// Second source, the index, or the second register of a pair.
    pub rm: u8,
    /// Shift (type in bits 7:6, amount in 5:0), extension (option in 6:4, amount in 2:0), condition, or third source.
    pub sh: u8,
    /// Loads and stores: bits of the base that must be 0 if stack alignment is checked. Else a second small number.
    pub am: u8,
    /// What is added to the base afterwards, or a small number.
    pub aux: i16,
    /// Immediate, offset, mask; the raw instruction word for the slow path.
    pub imm: i64,
}

impl Insn {
    /// An instruction not decoded yet.
    pub const UNDECODED: Insn = Insn::new(Op::Undecoded);

    pub const fn new(op: Op) -> Self {
        Insn {
            op,
            rd: 0,
            rn: 0,
            rm: 0,
            sh: 0,
            am: 0,
            aux: 0,
            imm: 0,
        }
    }

    /// An UNDEFINED instruction.
    pub const fn undefined() -> Self {
        Insn::new(Op::Undefined)
    }
}

const _: () = assert!(size_of::<Insn>() == 16);
