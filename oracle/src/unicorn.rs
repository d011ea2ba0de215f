//! The oracle: one Unicorn engine in EL1 or EL0, MMU off, with the code and data pages.

use crate::{
    library::{Context, Engine, Error, Library},
    state::{self, CODE, CODE_SIZE, DATA, DATA_SIZE, Event, MAIR, Outcome, SCTLR, State},
};
use std::{
    cell::Cell,
    ffi::{c_int, c_uint, c_void},
    ptr,
};

// Numbers of the interface: `unicorn_const.py`, `arm64_const.py`, `unicorn.h`.
const UC_ARCH_ARM64: c_int = 2;
const UC_MODE_ARM: c_int = 0;
const UC_CPU_ARM64_MAX: c_int = 3;
const UC_CTL_WRITE: c_uint = 1 << 30;
const UC_CTL_CPU_MODEL: c_uint = 7 | 1 << 26 | UC_CTL_WRITE;
const UC_CTL_TB_REMOVE_CACHE: c_uint = 9 | 2 << 26 | UC_CTL_WRITE;
const UC_CTL_TLB_FLUSH: c_uint = 11 | UC_CTL_WRITE;
const UC_PROT_READ: u32 = 1;
const UC_PROT_WRITE: u32 = 2;
const UC_PROT_EXEC: u32 = 4;
const UC_HOOK_INTR: c_int = 1;
const UC_HOOK_MEM_INVALID: c_int = 1008;
const UC_MEM_READ_UNMAPPED: c_int = 19;
const UC_MEM_WRITE_UNMAPPED: c_int = 20;
const UC_MEM_FETCH_UNMAPPED: c_int = 21;
const UC_MEM_WRITE_PROT: c_int = 22;
const UC_MEM_READ_PROT: c_int = 23;
const UC_MEM_FETCH_PROT: c_int = 24;
const UC_ERR_FETCH_UNMAPPED: c_int = 8;
const UC_ERR_INSN_INVALID: c_int = 10;
const UC_ERR_FETCH_PROT: c_int = 14;
const UC_ERR_EXCEPTION: c_int = 21;
const UC_ARM64_REG_X29: c_int = 1;
const UC_ARM64_REG_X30: c_int = 2;
const UC_ARM64_REG_NZCV: c_int = 3;
const UC_ARM64_REG_SP: c_int = 4;
const UC_ARM64_REG_X0: c_int = 199;
const UC_ARM64_REG_PC: c_int = 260;
const UC_ARM64_REG_PSTATE: c_int = 265;
const UC_ARM64_REG_CP_REG: c_int = 290;

// What the interrupt hook reports: numbers seen by running the instructions; they are the same in 2.0.1 and 2.1.4.
const INTR_UNDEFINED: u32 = 1;
const INTR_SVC: u32 = 2;
const INTR_PREFETCH_ABORT: u32 = 3;
const INTR_DATA_ABORT: u32 = 4;
const INTR_BRK: u32 = 7;
const INTR_HVC: u32 = 11;
const INTR_SMC: u32 = 13;

/// X0-X30, SP, PC and one more.
const REGISTERS: usize = 34;

/// `uc_arm64_cp_reg`: a system register and its value.
#[repr(C)]
struct SystemRegister {
    crn: u32,
    crm: u32,
    op0: u32,
    op1: u32,
    op2: u32,
    value: u64,
}

/// SCR_EL3 with RW alone: there is no firmware to say that EL1 is AArch64, without which ERET to EL1 is illegal.
const SCR_EL3: SystemRegister = SystemRegister {
    crn: 1,
    crm: 1,
    op0: 3,
    op1: 6,
    op2: 0,
    value: 1 << 10,
};

/// What the hooks saw in one run.
struct Seen {
    emu_stop: unsafe extern "C" fn(Engine) -> c_int,
    interrupt: Cell<Option<u32>>,
    fault: Cell<Option<(c_int, u64)>>,
}

#[derive(Clone, Copy)]
#[repr(C, align(4096))]
struct Page([u8; 4096]);

/// Host memory that the engine sees.
struct Pages(Box<[Page]>);

impl Pages {
    fn new(bytes: u64) -> Self {
        Pages(vec![Page([0; 4096]); bytes as usize / 4096].into_boxed_slice())
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: pages are arrays of bytes without padding (size and alignment are both 4096), valid for any bits.
        unsafe { std::slice::from_raw_parts(self.0.as_ptr().cast(), size_of_val(&*self.0)) }
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        let length = size_of_val(&*self.0);
        // SAFETY: as above, exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr().cast(), length) }
    }
}

/// One engine.
pub struct Unicorn {
    library: Library,
    engine: Engine,
    seen: Box<Seen>,
    code: Pages,
    data: Pages,
    el1: Context,
    el0: Context,
}

impl Unicorn {
    /// An engine with all features that the library has; it offers no way to take FP and vectors away.
    ///
    /// # Errors
    /// What the library says.
    pub fn new(library: Library) -> Result<Self, Error> {
        let mut engine = ptr::null_mut();
        // SAFETY: the pointer is to a live variable.
        let code = unsafe { (library.open)(UC_ARCH_ARM64, UC_MODE_ARM, &raw mut engine) };
        library.check("uc_open", code)?;
        let seen = Box::new(Seen {
            emu_stop: library.emu_stop,
            interrupt: Cell::new(None),
            fault: Cell::new(None),
        });
        let mut this = Unicorn {
            library,
            engine,
            seen,
            code: Pages::new(CODE_SIZE),
            data: Pages::new(DATA_SIZE),
            el1: ptr::null_mut(),
            el0: ptr::null_mut(),
        };
        this.set_up()?;
        Ok(this)
    }

    /// Interface version and path of the library.
    pub fn library(&self) -> &Library {
        &self.library
    }

    fn set_up(&mut self) -> Result<(), Error> {
        let code = self.code.bytes_mut().as_mut_ptr();
        let data = self.data.bytes_mut().as_mut_ptr();
        let user: *mut c_void = ptr::from_ref::<Seen>(&self.seen).cast_mut().cast();
        let library = &self.library;
        // SAFETY: the engine is open; the variadic arguments are those of the request.
        let result = unsafe { (library.ctl)(self.engine, UC_CTL_CPU_MODEL, UC_CPU_ARM64_MAX) };
        library.check("uc_ctl(CPU_MODEL)", result)?;
        for (address, size, rights, memory) in [
            (CODE, CODE_SIZE, UC_PROT_READ | UC_PROT_EXEC, code),
            (DATA, DATA_SIZE, UC_PROT_READ | UC_PROT_WRITE, data),
        ] {
            // SAFETY: the memory is page aligned, of that size, and lives until after the engine is closed (see Drop).
            let result =
                unsafe { (library.mem_map_ptr)(self.engine, address, size, rights, memory.cast()) };
            library.check("uc_mem_map_ptr", result)?;
        }
        let hooks: [(c_int, *mut c_void); 2] = [
            (UC_HOOK_INTR, on_interrupt as *mut c_void),
            (UC_HOOK_MEM_INVALID, on_fault as *mut c_void),
        ];
        for (kind, function) in hooks {
            let mut handle = 0usize;
            // SAFETY: the functions have the types of their hooks; `user` is boxed and lives as long as the engine.
            // Begin above end means all addresses.
            let result = unsafe {
                (library.hook_add)(
                    self.engine,
                    &raw mut handle,
                    kind,
                    function,
                    user,
                    1u64,
                    0u64,
                )
            };
            library.check("uc_hook_add", result)?;
        }
        let register: *const SystemRegister = &SCR_EL3;
        // SAFETY: the value of this pseudo register is such a structure.
        let result =
            unsafe { (library.reg_write)(self.engine, UC_ARM64_REG_CP_REG, register.cast()) };
        library.check("uc_reg_write(SCR_EL3)", result)?;
        self.el1 = self.enter(&[
            0xd518_1000, // msr sctlr_el1, x0
            0xd518_a203, // msr mair_el1, x3
            0xd518_c002, // msr vbar_el1, x2
            0xd503_3fdf, // isb
        ])?;
        self.el0 = self.enter(&[
            0xd518_4001, // msr spsr_el1, x1
            0xd518_4022, // msr elr_el1, x2
            0xd69f_03e0, // eret
        ])?;
        Ok(())
    }

    /// Runs a setup program (through the emulator itself, so that its derived state follows) and keeps the result.
    fn enter(&mut self, program: &[u32]) -> Result<Context, Error> {
        let mut state = State {
            x: [0; 31],
            sp: 0,
            pc: CODE,
            pstate: 0,
        };
        (state.x[0], state.x[1], state.x[2], state.x[3]) = (SCTLR, state::EL0, CODE, MAIR);
        self.set_code(0, program)?;
        self.set_registers(&state)?;
        let outcome = self.run(CODE, program.len())?;
        if outcome.event != Event::None {
            return Err(Error::Call {
                call: "setup program",
                code: 0,
                message: outcome.event.to_string(),
            });
        }
        let mut context = ptr::null_mut();
        // SAFETY: the engine is open and the pointer is to a live variable.
        let result = unsafe { (self.library.context_alloc)(self.engine, &raw mut context) };
        self.library.check("uc_context_alloc", result)?;
        // SAFETY: the context was allocated for this engine.
        let result = unsafe { (self.library.context_save)(self.engine, context) };
        self.library.check("uc_context_save", result)?;
        Ok(context)
    }

    /// Puts words into the code pages; what was translated there is forgotten.
    ///
    /// # Errors
    /// What the library says.
    pub fn set_code(&mut self, offset: u64, words: &[u32]) -> Result<(), Error> {
        let bytes = self.code.bytes_mut();
        for (i, word) in words.iter().enumerate() {
            let at = offset as usize + 4 * i;
            bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        let begin = CODE + offset;
        let end = begin + 4 * words.len() as u64;
        // SAFETY: the engine is open; this request takes two 64-bit addresses.
        let result = unsafe { (self.library.ctl)(self.engine, UC_CTL_TB_REMOVE_CACHE, begin, end) };
        self.library.check("uc_ctl(TB_REMOVE_CACHE)", result)
    }

    fn set_registers(&mut self, state: &State) -> Result<(), Error> {
        let mut values = [0; REGISTERS];
        values[..31].copy_from_slice(&state.x);
        values[31] = state.sp;
        values[32] = state.pc;
        values[33] = state.pstate & 0xf000_0000;
        let ids = ids(UC_ARM64_REG_NZCV);
        let places: [*mut c_void; REGISTERS] =
            values.each_mut().map(|value| ptr::from_mut(value).cast());
        // SAFETY: as many identifiers as pointers, each to 8 live bytes, the size of every one of these registers.
        let result = unsafe {
            (self.library.reg_write_batch)(
                self.engine,
                ids.as_ptr(),
                places.as_ptr(),
                REGISTERS as c_int,
            )
        };
        self.library.check("uc_reg_write_batch", result)
    }

    fn registers(&mut self) -> Result<State, Error> {
        let mut values = [0u64; REGISTERS];
        let ids = ids(UC_ARM64_REG_PSTATE);
        let places: [*mut c_void; REGISTERS] =
            values.each_mut().map(|value| ptr::from_mut(value).cast());
        // SAFETY: as above; the call writes at most 8 bytes to each.
        let result = unsafe {
            (self.library.reg_read_batch)(
                self.engine,
                ids.as_ptr(),
                places.as_ptr(),
                REGISTERS as c_int,
            )
        };
        self.library.check("uc_reg_read_batch", result)?;
        let mut x = [0; 31];
        x.copy_from_slice(&values[..31]);
        Ok(State {
            x,
            sp: values[31],
            pc: values[32],
            pstate: values[33] & state::PSTATE_COMPARED,
        })
    }

    /// Makes the engine ready to run `words` at `state.pc` from `state`; the rest is as after the setup.
    ///
    /// # Errors
    /// What the library says.
    pub fn load(&mut self, state: &State, words: &[u32]) -> Result<(), Error> {
        let context = if state.pstate & 0xc == 0 {
            self.el0
        } else {
            self.el1
        };
        // SAFETY: the context was saved from this engine.
        let result = unsafe { (self.library.context_restore)(self.engine, context) };
        self.library.check("uc_context_restore", result)?;
        self.set_code(state.pc - CODE, words)?;
        self.set_registers(state)
    }

    /// Forgets translations; after an instruction that may have changed the MMU's registers.
    ///
    /// # Errors
    /// What the library says.
    pub fn flush(&mut self) -> Result<(), Error> {
        // SAFETY: the engine is open; this request takes no further argument.
        let result = unsafe { (self.library.ctl)(self.engine, UC_CTL_TLB_FLUSH) };
        self.library.check("uc_ctl(TLB_FLUSH)", result)
    }

    /// Runs up to `count` instructions from `pc`, or to the first exception.
    ///
    /// # Errors
    /// What the library says, if it is not an exception of the guest.
    pub fn run(&mut self, pc: u64, count: usize) -> Result<Outcome, Error> {
        // No instruction lies there, so only the count ends the run.
        let until = u64::MAX - 3;
        self.seen.interrupt.set(None);
        self.seen.fault.set(None);
        // SAFETY: the engine is open; hooks touch nothing but `seen`.
        let result = unsafe { (self.library.emu_start)(self.engine, pc, until, 0, count) };
        let event = match (self.seen.fault.get(), self.seen.interrupt.get()) {
            // The fetch of what follows the last instruction is no part of the test.
            (Some((UC_MEM_FETCH_UNMAPPED | UC_MEM_FETCH_PROT, _)), _) => Event::None,
            (Some((UC_MEM_READ_UNMAPPED | UC_MEM_READ_PROT, address)), _) => Event::Data {
                address,
                write: false,
            },
            (Some((UC_MEM_WRITE_UNMAPPED | UC_MEM_WRITE_PROT, address)), _) => Event::Data {
                address,
                write: true,
            },
            (_, Some(INTR_UNDEFINED)) => Event::Undefined,
            (_, Some(INTR_SVC)) => Event::Svc,
            (_, Some(INTR_PREFETCH_ABORT)) => Event::None,
            // Unmapped pages never get here.
            (_, Some(INTR_DATA_ABORT)) => Event::UnalignedOrTooHigh,
            (_, Some(INTR_BRK)) => Event::Brk,
            (_, Some(INTR_HVC)) => Event::Hvc,
            (_, Some(INTR_SMC)) => Event::Smc,
            (_, Some(number)) => Event::Other(number),
            _ => match result {
                UC_ERR_INSN_INVALID => Event::Undefined,
                UC_ERR_FETCH_UNMAPPED | UC_ERR_FETCH_PROT => Event::None,
                UC_ERR_EXCEPTION => Event::Other(u32::MAX),
                _ => {
                    self.library.check("uc_emu_start", result)?;
                    Event::None
                }
            },
        };
        Ok(Outcome {
            event,
            state: self.registers()?,
        })
    }

    /// The code pages, to fill them once.
    pub fn code_mut(&mut self) -> &mut [u8] {
        self.code.bytes_mut()
    }

    /// The data pages.
    pub fn data(&self) -> &[u8] {
        self.data.bytes()
    }

    /// The data pages; they hold no code, so the engine need not be told of a change.
    pub fn data_mut(&mut self) -> &mut [u8] {
        self.data.bytes_mut()
    }
}

impl Drop for Unicorn {
    fn drop(&mut self) {
        for context in [self.el1, self.el0] {
            if !context.is_null() {
                // SAFETY: allocated by this library and not used again.
                unsafe { (self.library.context_free)(context) };
            }
        }
        // SAFETY: the engine was opened once and is not used again; the mapped memory is freed only after this.
        unsafe { (self.library.close)(self.engine) };
    }
}

/// Identifiers of X0-X30, SP, PC and `last`.
fn ids(last: c_int) -> [c_int; REGISTERS] {
    let mut ids = [last; REGISTERS];
    for (n, id) in (UC_ARM64_REG_X0..).zip(&mut ids[..29]) {
        *id = n;
    }
    ids[29..33].copy_from_slice(&[
        UC_ARM64_REG_X29,
        UC_ARM64_REG_X30,
        UC_ARM64_REG_SP,
        UC_ARM64_REG_PC,
    ]);
    ids
}

/// `uc_cb_hookintr_t`: notes the exception and stops.
extern "C" fn on_interrupt(engine: Engine, number: u32, user: *mut c_void) {
    // SAFETY: `user` is the boxed `Seen` given with the hook; it is only ever used through shared references.
    let seen = unsafe { &*user.cast::<Seen>() };
    seen.interrupt.set(Some(number));
    // SAFETY: stopping a running engine from its own hook is what the function is for.
    unsafe { (seen.emu_stop)(engine) };
}

/// `uc_cb_eventmem_t`: notes the first access that nothing answers; `false` lets it fail.
extern "C" fn on_fault(
    _engine: Engine,
    kind: c_int,
    address: u64,
    _size: c_int,
    _value: i64,
    user: *mut c_void,
) -> bool {
    // SAFETY: as in `on_interrupt`.
    let seen = unsafe { &*user.cast::<Seen>() };
    if seen.fault.get().is_none() {
        seen.fault.set(Some((kind, address)));
    }
    false
}
