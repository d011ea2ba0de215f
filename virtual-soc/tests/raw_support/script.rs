//! The script: what a probe asks of a loader, and the edges of it.

use core::fmt::Write as _;

use super::a64::*;
use super::client::{Client, RX, Reply, Wire, checksum, frame};

/// What an answer says, a line per request.
pub type Log = Vec<String>;

const MARK: u64 = 0xacce_5515_abad_1dea;

pub struct Script<'a, T> {
    pub c: &'a mut Client<T>,
    pub log: Log,
    base: u64,
    heap: u64,
    code: u64,
    /// Offsets of routines in `code`.
    routines: Vec<(String, u64)>,
    /// Loader index of the boot CPU and of the others.
    boot: u64,
    others: Vec<u64>,
    aic: u64,
    /// It did not answer; nothing more is asked.
    dead: bool,
}

/// What of the machine the script must know.
#[derive(Clone)]
pub struct Facts {
    pub boot: u64,
    pub others: Vec<u64>,
    pub aic: u64,
}

impl Facts {
    pub fn of(model: &virtual_soc::SocModel) -> Self {
        let ids = |boot: bool| {
            let of = model
                .cpu
                .iter()
                .filter(move |c| c.boot == boot && c.present);
            of.map(|c| u64::from(c.adt_id)).collect::<Vec<_>>()
        };
        Self {
            boot: ids(true)[0],
            others: ids(false),
            aic: model.aic.base,
        }
    }
}

/// Run it all; the first thing expected is the message at start.
pub fn run<T: Wire>(c: &mut Client<T>, facts: &Facts) -> Log {
    let mut s = Script {
        c,
        log: Vec::new(),
        base: 0,
        heap: 0,
        code: 0,
        routines: Vec::new(),
        boot: facts.boot,
        others: facts.others.clone(),
        aic: facts.aic,
        dead: false,
    };
    s.frames();
    s.facts();
    s.heap();
    s.upload();
    s.memory();
    s.registers();
    s.guard();
    s.state("boot CPU", None);
    s.secondaries();
    s.log
}

impl<T: Wire> Script<'_, T> {
    fn norm(&self, v: u64) -> String {
        if self.base != 0 && (self.base..self.base + 0x10_0000).contains(&v) {
            return format!("base+{:x}", v - self.base);
        }
        if self.heap != 0 && (self.heap..self.heap + 0x100_0000).contains(&v) {
            return "heap".into();
        }
        format!("{v:x}")
    }

    /// Note a reply, and whether console text came before it.
    fn note(&mut self, what: &str, reply: Option<&Reply>) {
        let text = if self.c.console.is_empty() {
            ""
        } else {
            " +text"
        };
        self.c.console.clear();
        let line = match reply {
            None => format!("{what}: silence"),
            Some(r) => {
                let words: Vec<String> = r.words.iter().map(|w| self.norm(*w)).collect();
                format!(
                    "{what}: type {} status {} [{}]{text}",
                    r.kind,
                    r.status,
                    words.join(" ")
                )
            }
        };
        self.log.push(line);
    }

    fn say(&mut self, what: &str, value: impl core::fmt::Display) {
        self.log.push(format!("{what}: {value}"));
    }

    fn raw(&mut self, what: &str, kind: u8, words: &[u64]) -> Reply {
        let reply = if self.dead {
            None
        } else {
            self.c.request(kind, words)
        };
        self.dead |= reply.is_none();
        self.note(what, reply.as_ref());
        reply.unwrap_or(Reply {
            kind,
            status: -99,
            words: [0; 3],
        })
    }

    /// A PROXY call, its answer noted.
    fn op(&mut self, what: &str, opcode: u64, args: &[u64]) -> u64 {
        let words: Vec<u64> = [&[opcode][..], args].concat();
        self.raw(what, 1, &words).words[2]
    }

    /// A PROXY call whose answer is an address or else not to be compared.
    fn quiet(&mut self, opcode: u64, args: &[u64]) -> u64 {
        let value = if self.dead {
            0
        } else {
            self.c.op(opcode, args)
        };
        self.c.console.clear();
        value
    }

    fn frames(&mut self) {
        let boot = self.c.reply();
        self.c.console.clear();
        self.note("at start", boot.as_ref());
        self.raw("NOP 1", 0, &[1]);
        self.raw("NOP 0", 0, &[0]);
        self.raw("unknown type", 0x77, &[1, 2]);
        self.raw("EVENT sent to the target", 5, &[]);
        let mut bad = frame(0, &[1]);
        bad[10] ^= 1;
        self.c.send(&bad);
        let reply = self.c.reply();
        self.note("bad checksum", reply.as_ref());
        self.c.send(b"\xff\x55garbage\xff\xff\x55");
        self.raw("after noise", 0, &[0]);
        self.op("unknown opcode", 0xffff, &[1]);
        self.op("P_NOP", 0, &[]);
    }

    fn facts(&mut self) {
        self.op("WHOAMI", 0x905, &[]);
        self.op("GET_CHIPID", 0x013, &[]);
        let base = self.quiet(0x004, &[]);
        self.say("base % 16K", base % 0x4000);
        self.base = base;
        let features = self.quiet(0x014, &[20]);
        let record = self.c.read(features, 20).expect("features");
        self.say("features", format!("{record:x?}"));
        self.op("GET_CPU_FEATURES of another size", 0x014, &[16]);
        let args = self.quiet(0x003, &[]);
        let b = self.c.read(args, 0x480).expect("boot arguments");
        let word = |at: usize| u64::from_le_bytes(b[at..at + 8].try_into().expect("8"));
        let (phys, top) = (word(0x10), word(0x20));
        self.say("revision", b[0]);
        self.say("image above phys_base", base >= phys);
        self.say("top above image", top > base);
        self.op("UDELAY", 0x006, &[100]);
    }

    fn heap(&mut self) {
        let here = self.quiet(0x600, &[0]);
        self.heap = here;
        self.say("heap block % 64", here % 64);
        let again = self.quiet(0x600, &[100]);
        self.say("peek does not move", again == here);
        let next = self.quiet(0x600, &[0]);
        self.say("100 bytes take", next - here);
        let next = self.quiet(0x600, &[0x4000]);
        let after = self.quiet(0x600, &[0]);
        self.say("16K take", after - next);
        let a = self.quiet(0x601, &[100]);
        let b = self.quiet(0x601, &[100]);
        self.say("MALLOC % 16", (a % 16, b % 16).0);
        self.say("MALLOC distinct", a != b && a != 0);
        self.op("FREE", 0x603, &[a]);
        let again = self.quiet(0x601, &[100]);
        self.say("freed memory comes again", again == a);
        let m = self.quiet(0x602, &[0x1_0000, 64]);
        self.say("MEMALIGN % 64K", m % 0x1_0000);
        let zero = self.quiet(0x601, &[0]);
        self.say("MALLOC(0) gives something", zero != 0);
        let odd = self.quiet(0x602, &[48, 64]);
        self.say(
            "MEMALIGN(48) gives something, % 64",
            format!("{} {}", odd != 0, odd % 64),
        );
        self.op("FREE of nothing", 0x603, &[0]);
    }

    fn upload(&mut self) {
        let mut words: Vec<u32> = Vec::new();
        let mut put = |name: &str, code: &[u32]| {
            self.routines
                .push((name.to_owned(), 4 * words.len() as u64));
            words.extend(code);
            words.push(RET);
        };
        put(
            "sum",
            &[
                add_reg(0, 0, 1),
                add_reg(0, 0, 2),
                add_reg(0, 0, 3),
                add_reg(0, 0, 4),
            ],
        );
        put(
            "sum of 4",
            &[add_reg(0, 0, 1), add_reg(0, 0, 2), add_reg(0, 0, 3)],
        );
        // x0 = address: x1 := 7, load into x1, return x1 in x0.
        put("load", &[movz(1, 7, 0), ldr_w(1, 0), mov(0, 1)]);
        put("store", &[str_w(1, 0), movz(0, 9, 0)]);
        put(
            "load twice",
            &[movz(2, 7, 0), ldr_w(1, 0), ldr_w(2, 0), mov(0, 2)],
        );
        // UNDEFINED, between two numbers.
        put("undefined", &[movz(0, 5, 0), 0, add(0, 0, 1)]);
        put("stack % 16", &[add(0, 31, 0), movz(1, 15, 0), 0x8a01_0000]);
        for (name, r) in STATE {
            put(name, &[mrs(0, r[0], r[1], r[2], r[3], r[4])]);
        }
        self.code = self.c.op(0x602, &[0x4000, 0x4000]);
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let status = self.c.write(self.code, &bytes);
        self.say("upload", status);
        self.op("DC_CVAU", 0x309, &[self.code, bytes.len() as u64]);
        self.op("IC_IVAU", 0x302, &[self.code, bytes.len() as u64]);
        self.c.console.clear();
    }

    fn at(&self, name: &str) -> u64 {
        let found = self.routines.iter().find(|(n, _)| n == name);
        self.code + found.unwrap_or_else(|| panic!("no routine {name}")).1
    }

    fn read(&mut self, what: &str, address: u64, size: u64) {
        let r = self.raw(what, 2, &[address, size]);
        if r.status == 0 && size != 0 {
            let data = self.c.data(size as usize).expect("data");
            assert_eq!(u64::from(checksum(&data)), r.words[0]);
        }
    }

    fn write(&mut self, what: &str, address: u64, data: &[u8], sum: u32) {
        self.c
            .send(&frame(3, &[address, data.len() as u64, sum.into()]));
        self.c.send(data);
        let reply = self.c.reply();
        self.note(what, reply.as_ref());
    }

    /// A MEMWRITE that is refused before its data, so none are sent.
    fn write_refused(&mut self, what: &str, address: u64, size: u64) {
        self.raw(what, 3, &[address, size, 0]);
    }

    fn memory(&mut self) {
        let at = self.quiet(0x602, &[0x4000, 0x4000]);
        let data: Vec<u8> = (0..=255).collect();
        self.write("MEMWRITE", at, &data, checksum(&data));
        self.read("MEMREAD", at, 256);
        self.read("MEMREAD unaligned", at + 1, 3);
        self.read("MEMREAD of nothing", at, 0);
        self.write("MEMWRITE of nothing", at, &[], checksum(&[]));
        self.write("MEMWRITE of nothing, wrong sum", at, &[], 1);
        self.write("MEMWRITE, wrong sum", at, b"abcd", 1);
        self.read("what it wrote", at, 4);
        self.read("MEMREAD RX alias", at | RX, 16);
        self.write_refused("MEMWRITE RX alias", at | RX, 4);
        self.write_refused("MEMWRITE loader text", self.base, 4);
        self.read("MEMREAD low", 0x10, 4);
        self.op("count after a faulting MEMREAD", 0x008, &[]);
        self.write_refused("MEMWRITE low", 0x10, 4);
        self.op("count after a faulting MEMWRITE", 0x008, &[]);
        self.read("MEMREAD where no device is", 0x2_0000_0000, 4);
        self.read("MEMREAD very high", 0x4_0000_0000_0000, 4);
        self.read("MEMREAD EL0 RW alias", at | 0xa00_0000_0000, 4);
        self.read("MEMREAD EL0 RWX alias", at | 0x800_0000_0000, 4);
        self.op("MEMSET32", 0x205, &[at, 0x0101_0101, 14]);
        self.read("MEMSET32 leaves the rest", at, 16);
        self.op("MEMCPY8", 0x203, &[at + 14, at, 2]);
        self.op("MEMCPY64 from low", 0x200, &[at, 0x10, 16]);
        self.op("MEMSET64 low", 0x204, &[0x10, 0, 16]);
        self.op("count", 0x008, &[]);
    }

    fn registers(&mut self) {
        let at = self.quiet(0x602, &[64, 64]);
        self.op("WRITE64", 0x100, &[at, 0x1122_3344_5566_7788]);
        for (i, name) in ["READ64", "READ32", "READ16", "READ8"].iter().enumerate() {
            self.op(name, 0x104 + i as u64, &[at]);
        }
        self.op("READ32 unaligned", 0x105, &[at + 1]);
        self.op("SET32", 0x109, &[at, 0x0f]);
        self.op("CLEAR32", 0x10d, &[at, 0xf0]);
        self.op("MASK32", 0x111, &[at, 0xffff_0000, 0x1234_0000]);
        self.op("WRITEREAD8", 0x117, &[at, 0xee]);
        self.op("SET16 with more bits", 0x10a, &[at, 0x12345]);
        self.op("READ64 after", 0x104, &[at]);
        self.op("AIC INFO1", 0x105, &[self.aic + 4]);
        self.op("AIC INFO1, 64 bits", 0x104, &[self.aic]);
        self.op(
            "AIC by another alias",
            0x105,
            &[self.aic + 4 + 0xc0_0000_0000],
        );
        self.op("SET_EXC_GUARD silent skip", 0x007, &[0x101]);
        for (i, name) in ["READ64", "READ32", "READ16", "READ8"].iter().enumerate() {
            self.op(&format!("{name} low"), 0x104 + i as u64, &[0x10]);
        }
        self.op("count", 0x008, &[]);
        self.op("count again", 0x008, &[]);
        self.op("WRITE32 low", 0x101, &[0x10, 5]);
        self.op("SET32 low", 0x109, &[0x10, 5]);
        self.op("CLEAR8 low", 0x10f, &[0x10, 5]);
        self.op("MASK64 low", 0x110, &[0x10, 5, 6]);
        self.op("WRITEREAD32 low", 0x115, &[0x10, 5]);
        self.op("count of those", 0x008, &[]);
        self.op("READ32 past the AIC", 0x105, &[self.aic + 0x80_0000]);
        self.op("WRITE8 loader text", 0x103, &[self.base, 5]);
        self.op("count of those", 0x008, &[]);
        self.op("SET_EXC_GUARD off", 0x007, &[0]);
    }

    fn guard(&mut self) {
        let (sum, load, store) = (self.at("sum"), self.at("load"), self.at("store"));
        let (twice, undefined) = (self.at("load twice"), self.at("undefined"));
        self.op("CALL", 0x002, &[sum, 1, 20, 300, 4000, 50000]);
        self.op("CALL at the RX alias", 0x002, &[sum | RX, 1, 2, 3, 4, 5]);
        self.op("CALL at the EL0 RWX alias, guarded", 0x007, &[0x103]);
        self.op("CALL", 0x002, &[sum | 0x800_0000_0000, 1, 2, 3, 4, 5]);
        self.op("count", 0x008, &[]);
        for (mode, name) in [
            (1, "skip"),
            (2, "mark"),
            (3, "return"),
            (0x101, "silent skip"),
            (0x102, "silent mark"),
            (0x103, "silent return"),
        ] {
            self.op(&format!("SET_EXC_GUARD {name}"), 0x007, &[mode]);
            self.op(&format!("{name}: load"), 0x002, &[load, 0x10]);
            self.op(&format!("{name}: load again"), 0x002, &[load, 0x10]);
            self.op(&format!("{name}: store"), 0x002, &[store, 0x10]);
            if mode & 3 != 3 {
                self.op(&format!("{name}: load twice"), 0x002, &[twice, 0x10]);
            }
            if mode & 3 != 2 {
                self.op(&format!("{name}: undefined"), 0x002, &[undefined]);
            }
            self.op(&format!("{name}: count"), 0x008, &[]);
        }
        self.op("SET_EXC_GUARD silent return", 0x007, &[0x103]);
        self.op("CALL to nowhere", 0x002, &[0x10]);
        self.op("a fault, not asked for", 0x002, &[load, 0x10]);
        let at = self.quiet(0x602, &[64, 64]);
        self.read("MEMREAD of nothing", at, 0);
        self.op("guard and count are still there", 0x002, &[load, 0x10]);
        self.op("count", 0x008, &[]);
        self.op("a fault, not asked for", 0x002, &[load, 0x10]);
        self.read("MEMREAD", at, 4);
        self.op("count is gone", 0x008, &[]);
        self.op("SET_EXC_GUARD off", 0x007, &[0]);
    }

    /// Registers and masks of a CPU: `None` for the boot CPU.
    fn state(&mut self, who: &str, cpu: Option<(u64, u64)>) {
        self.op(
            &format!("{who}: SET_EXC_GUARD silent return"),
            0x007,
            &[0x103],
        );
        let names: Vec<&str> = STATE
            .iter()
            .map(|(n, _)| *n)
            .chain(["stack % 16"])
            .collect();
        for name in names {
            let at = self.at(name);
            let what = format!("{who}: {name}");
            match cpu {
                None => self.op(&what, 0x002, &[at]),
                Some((index, alias)) => self.op(&what, 0x502, &[index, at | alias]),
            };
        }
        self.op(&format!("{who}: count"), 0x008, &[]);
        self.op("SET_EXC_GUARD off", 0x007, &[0]);
    }

    fn secondaries(&mut self) {
        self.op("IS_ALIVE before", 0x505, &[self.others[0]]);
        self.op("WAIT before", 0x503, &[self.others[0]]);
        self.op("SET_WFE_MODE", 0x504, &[1]);
        self.op("START_SECONDARIES", 0x500, &[]);
        for index in 0..25 {
            self.op(&format!("IS_ALIVE {index}"), 0x505, &[index]);
        }
        self.op("START_SECONDARIES again", 0x500, &[]);
        self.op(
            "CALL_SYNC to the boot CPU",
            0x502,
            &[self.boot, self.at("sum of 4"), 1, 2, 3, 4],
        );
        self.op(
            "CALL_SYNC out of range",
            0x502,
            &[99, self.at("sum of 4"), 1, 2, 3, 4],
        );
        self.op("WAIT out of range", 0x503, &[99]);
        self.op("WAIT for nobody", 0x503, &[23]);
        let first = self.others[0];
        let last = *self.others.last().expect("several");
        self.state("MMU off", Some((first, 0)));
        for cpu in self.others.clone() {
            self.op(&format!("MMU_INIT_SECONDARY {cpu}"), 0x30f, &[cpu]);
        }
        self.op("MMU_INIT_SECONDARY of the boot CPU", 0x30f, &[self.boot]);
        self.op("MMU_INIT_SECONDARY out of range", 0x30f, &[99]);
        self.state("MMU on", Some((first, RX)));
        self.state("last, MMU on", Some((last, RX)));
        for cpu in self.others.clone() {
            self.op(
                &format!("CALL {cpu}"),
                0x501,
                &[cpu, self.at("sum of 4") | RX, 1, cpu, 3, 5],
            );
        }
        for cpu in self.others.clone() {
            self.op(&format!("WAIT {cpu}"), 0x503, &[cpu]);
            self.op(&format!("WAIT {cpu} again"), 0x503, &[cpu]);
        }
        self.op("SET_EXC_GUARD silent mark", 0x007, &[0x102]);
        self.op(
            "CALL_SYNC, a fault",
            0x502,
            &[first, self.at("load") | RX, 0x10],
        );
        self.op("count", 0x008, &[]);
        self.op("SET_EXC_GUARD silent return", 0x007, &[0x103]);
        self.op(
            "CALL_SYNC, a fault",
            0x502,
            &[first, self.at("load") | RX, 0x10],
        );
        self.op(
            "CALL_SYNC, another",
            0x502,
            &[last, self.at("load") | RX, 0x10],
        );
        self.op("count", 0x008, &[]);
        self.op("SET_WFE_MODE again", 0x504, &[1]);
        self.op(
            "IPI status after it",
            0x502,
            &[first, self.at("IPI_SR") | RX],
        );
        self.op("boot CPU's IPI status", 0x002, &[self.at("IPI_SR")]);
        self.op("STOP_SECONDARIES", 0x506, &[0]);
        self.op("IS_ALIVE after stop", 0x505, &[first]);
        self.op("START_SECONDARIES after stop", 0x500, &[]);
        self.op("IS_ALIVE after start", 0x505, &[first]);
        self.op("MMU is off again", 0x502, &[first, self.at("SCTLR")]);
        self.op("count", 0x008, &[]);
        let mut marks = String::new();
        write!(marks, "{MARK:x}").expect("string");
        self.say("mark", marks);
    }
}

/// What a called function finds: name and (op0, op1, CRn, CRm, op2).
const STATE: &[(&str, [u32; 5])] = &[
    ("CurrentEL", [3, 0, 4, 2, 2]),
    ("SPSel", [3, 0, 4, 2, 0]),
    ("DAIF", [3, 3, 4, 2, 1]),
    ("PAN", [3, 0, 4, 2, 3]),
    ("SCTLR", [3, 0, 1, 0, 0]),
    ("CPACR", [3, 0, 1, 0, 2]),
    ("TCR", [3, 0, 2, 0, 2]),
    ("MAIR", [3, 0, 10, 2, 0]),
    ("VBAR", [3, 0, 12, 0, 0]),
    ("HCR_EL2", [3, 4, 1, 1, 0]),
    ("TPIDR_EL2", [3, 4, 13, 0, 2]),
    ("TPIDR_EL0", [3, 3, 13, 0, 2]),
    ("CNTHCTL_EL2", [3, 4, 14, 1, 0]),
    ("CNTKCTL", [3, 0, 14, 1, 0]),
    ("CNTP_CTL", [3, 3, 14, 2, 1]),
    ("CNTV_CTL", [3, 3, 14, 3, 1]),
    ("CNTP_CTL_EL02", [3, 5, 14, 2, 1]),
    ("CNTV_CTL_EL02", [3, 5, 14, 3, 1]),
    ("CNTFRQ", [3, 3, 14, 0, 0]),
    ("CNTVOFF", [3, 4, 14, 0, 3]),
    ("CONTEXTIDR", [3, 0, 13, 0, 1]),
    ("MDSCR", [2, 0, 0, 2, 2]),
    ("MPIDR", [3, 0, 0, 0, 5]),
    ("ISR", [3, 0, 12, 1, 0]),
    ("SIQ_CFG", [3, 4, 15, 10, 4]),
    ("IPI_SR", [3, 5, 15, 1, 1]),
    ("PMCR0", [3, 1, 15, 0, 0]),
];
