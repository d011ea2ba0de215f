//! The loader's operations that this program uses, by number, and as functions.

use std::time::Duration;

use super::client::Proxy;
use super::error::ProxyError;

/// Deadline of starting all secondaries: the loader gives each one 100 ms.
const START_DEADLINE: Duration = Duration::from_secs(4);

/// How often a load that reads like the fault mark is made again when the count of faults got lost.
const LOADS: u32 = 4;
/// What a faulting read of the loader returns (its exception guard marks the destination register).
const FAULT_MARK: u64 = 0xacce_5515_abad_1dea;

macro_rules! operations {
    ($($(#[$doc:meta])* $name:ident = $number:literal $text:literal),* $(,)?) => {
        /// Number of an operation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u64)]
        pub enum Op { $($(#[$doc])* $name = $number),* }

        impl Op {
            /// The operation's name in the loader's words.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text),* }
            }
        }
    };
}

operations! {
    /// Nothing.
    Nop = 0x000 "P_NOP",
    /// Call a function on the boot CPU, at the loader's exception level.
    Call = 0x002 "P_CALL",
    /// Address of the boot arguments.
    GetBootArgs = 0x003 "P_GET_BOOTARGS",
    /// Address of the loader itself.
    GetBase = 0x004 "P_GET_BASE",
    /// Set the speed of the UART; `connect` has its own way of asking.
    SetBaud = 0x005 "P_SET_BAUD",
    /// Exceptions caught by the guard since the last call.
    GetExcCount = 0x008 "P_GET_EXC_COUNT",
    /// Address of the record of what the CPUs can do; the argument must be its size.
    GetCpuFeatures = 0x014 "P_GET_CPU_FEATURES",
    /// 64-bit store.
    Write64 = 0x100 "P_WRITE64",
    /// 32-bit store.
    Write32 = 0x101 "P_WRITE32",
    /// 64-bit load.
    Read64 = 0x104 "P_READ64",
    /// 32-bit load.
    Read32 = 0x105 "P_READ32",
    /// Fill with 64-bit words.
    Memset64 = 0x204 "P_MEMSET64",
    /// Invalidate instruction cache by address.
    IcIvau = 0x302 "P_IC_IVAU",
    /// Clean data cache to memory.
    DcCvac = 0x308 "P_DC_CVAC",
    /// Clean data cache to the point of unification.
    DcCvau = 0x309 "P_DC_CVAU",
    /// Switch a secondary's MMU on.
    MmuInitSecondary = 0x30f "P_MMU_INIT_SECONDARY",
    /// Start all secondaries.
    SmpStartSecondaries = 0x500 "P_SMP_START_SECONDARIES",
    /// Call a function on a secondary, without waiting for its end.
    SmpCall = 0x501 "P_SMP_CALL",
    /// Call a function on a secondary and wait for its end.
    SmpCallSync = 0x502 "P_SMP_CALL_SYNC",
    /// Wait for the end of the function that runs on a secondary.
    SmpWait = 0x503 "P_SMP_WAIT",
    /// Secondaries wait in WFE.
    SmpSetWfeMode = 0x504 "P_SMP_SET_WFE_MODE",
    /// Whether a secondary is up.
    SmpIsAlive = 0x505 "P_SMP_IS_ALIVE",
    /// Stop all secondaries.
    SmpStopSecondaries = 0x506 "P_SMP_STOP_SECONDARIES",
    /// Aligned memory from the loader's heap.
    Memalign = 0x602 "P_MEMALIGN",
    /// Give it back.
    Free = 0x603 "P_FREE",
    /// Which of the loader's devices the request came over.
    IodevWhoami = 0x905 "P_IODEV_WHOAMI",
}

impl Op {
    /// Whether doing it twice does no harm (memory taken twice is only wasted).
    #[must_use]
    pub const fn repeatable(self) -> bool {
        !matches!(
            self,
            Self::Call | Self::SmpCall | Self::Free | Self::GetExcCount
        )
    }
}

impl Proxy<'_> {
    /// Address of the loader in memory.
    ///
    /// # Errors
    /// As for every operation: [`ProxyError`].
    pub fn base(&mut self) -> Result<u64, ProxyError> {
        self.op(Op::GetBase, &[])
    }

    /// Address of the boot arguments.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn boot_args(&mut self) -> Result<u64, ProxyError> {
        self.op(Op::GetBootArgs, &[])
    }

    /// Loads a 32-bit word. A load that faults is told from a word that reads like the fault mark.
    ///
    /// # Errors
    /// [`ProxyError`]; [`ProxyError::AccessFault`] if the load faults.
    pub fn read32(&mut self, addr: u64) -> Result<u32, ProxyError> {
        Ok(self.load(Op::Read32, addr, 0xffff_ffff)? as u32)
    }

    /// Loads a 64-bit word; like [`Proxy::read32`].
    ///
    /// # Errors
    /// [`ProxyError`]; [`ProxyError::AccessFault`] if the load faults.
    pub fn read64(&mut self, addr: u64) -> Result<u64, ProxyError> {
        self.load(Op::Read64, addr, u64::MAX)
    }

    fn load(&mut self, op: Op, addr: u64, mask: u64) -> Result<u64, ProxyError> {
        let what = format!("{} of {addr:#x}", op.name());
        for _ in 0..LOADS {
            let value = self.op(op, &[addr])? & mask;
            if value != FAULT_MARK & mask {
                return Ok(value);
            }
            // Asking for the count sets it to 0. If the answer is lost, the load has to be made again.
            let count = self.op_once(Op::GetExcCount, &[], self.deadline())?;
            match count {
                None => {}
                Some(0) => return Ok(value),
                Some(_) => return Err(ProxyError::AccessFault { what }),
            }
        }
        Err(ProxyError::Damaged { what })
    }

    /// Stores a 32-bit word in one access.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn write32(&mut self, addr: u64, value: u32) -> Result<(), ProxyError> {
        self.op(Op::Write32, &[addr, value.into()]).map(drop)
    }

    /// Stores a 64-bit word in one access.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn write64(&mut self, addr: u64, value: u64) -> Result<(), ProxyError> {
        self.op(Op::Write64, &[addr, value]).map(drop)
    }

    /// Fills `size` bytes (a multiple of 8) with the word `value`.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn memset64(&mut self, addr: u64, value: u64, size: u64) -> Result<(), ProxyError> {
        self.op(Op::Memset64, &[addr, value, size]).map(drop)
    }

    /// Takes `size` bytes of the loader's heap.
    ///
    /// # Errors
    /// [`ProxyError`]; [`ProxyError::Refused`] if there is no room.
    pub fn memalign(&mut self, align: u64, size: u64) -> Result<u64, ProxyError> {
        match self.op(Op::Memalign, &[align, size])? {
            0 => Err(ProxyError::Refused {
                what: format!("P_MEMALIGN of {size} bytes: the loader's heap is full"),
                status: super::Status::Invalid,
            }),
            addr => Ok(addr),
        }
    }

    /// Makes code at `addr` visible to instruction fetch.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn sync_code(&mut self, addr: u64, size: u64) -> Result<(), ProxyError> {
        self.op(Op::DcCvau, &[addr, size])?;
        self.op(Op::IcIvau, &[addr, size]).map(drop)
    }

    /// Calls `function` on the boot CPU and returns its x0; `None` if nobody knows whether it ran: it does not run now.
    ///
    /// # Errors
    /// [`ProxyError`]; [`ProxyError::Timeout`] if it does not return within `deadline`.
    pub fn call(
        &mut self,
        function: u64,
        args: [u64; 5],
        deadline: Duration,
    ) -> Result<Option<u64>, ProxyError> {
        let [a, b, c, d, e] = args;
        self.op_once(Op::Call, &[function, a, b, c, d, e], deadline)
    }

    /// Starts all secondaries (those that are up already stay as they are). Ask [`Proxy::is_alive`] what came of it.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn start_secondaries(&mut self) -> Result<(), ProxyError> {
        self.op_within(Op::SmpStartSecondaries, &[], START_DEADLINE)
            .map(drop)
    }

    /// Whether a secondary (by the loader's index) is up.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn is_alive(&mut self, cpu: u32) -> Result<bool, ProxyError> {
        // The loader returns a byte.
        Ok(self.op(Op::SmpIsAlive, &[cpu.into()])? & 0xff != 0)
    }

    /// Sends a secondary (by the loader's index) into `function`; returns when it took the call, `false` if nobody knows
    /// whether it did. A second call to a busy CPU would never return, so this one is never repeated here.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn smp_call(
        &mut self,
        cpu: u32,
        function: u64,
        args: [u64; 4],
    ) -> Result<bool, ProxyError> {
        let [a, b, c, d] = args;
        let args = [cpu.into(), function, a, b, c, d];
        let taken = self.op_once(Op::SmpCall, &args, self.deadline())?;
        Ok(taken.is_some())
    }

    /// Gives memory of the loader's heap back.
    ///
    /// # Errors
    /// [`ProxyError`].
    pub fn free(&mut self, addr: u64) -> Result<(), ProxyError> {
        self.op_once(Op::Free, &[addr], self.deadline()).map(drop)
    }
}
