//! Every kind of error: a code that stays the same, and what to do next.

/// Defines [`Code`] with its table: one line for each.
macro_rules! codes {
    ($($variant:ident $name:literal $next:literal;)*) => {
        /// A kind of error.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(
                #[doc = concat!("`", $name, "`: ", $next, ".")]
                $variant,
            )*
        }

        impl Code {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The code: stays the same from version to version.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// What to do next.
            #[must_use]
            pub const fn next(self) -> &'static str {
                match self {
                    $(Self::$variant => $next,)*
                }
            }
        }
    };
}

codes! {
    Internal "aicprobe::internal" "this is a fault of aicprobe: report the command line, this message and what `aicprobe info` prints";
    Output "aicprobe::output" "look whether the disk is full and whether the program that reads the output has ended";

    Usage "aicprobe::usage" "change the option as the message says; `aicprobe COMMAND --help` shows what goes together";
    Config "aicprobe::config" "mend the file, or leave it out with --no-config; `aicprobe info` shows what comes from where";
    Environment "aicprobe::environment" "set the variable to what is allowed, or unset it; `aicprobe info` shows what comes from where";
    Plan "aicprobe::usage::plan" "name only what this target has: `aicprobe info --target T` shows its CPUs and its controller";
    Register "aicprobe::usage::register" "look for its name with `aicprobe regs list`";
    Consent "aicprobe::usage::consent" "look at the plan with `aicprobe route --dry-run`, then give --yes; or ask for less (--triggers, --fire-cpu)";

    FileUnreadable "aicprobe::file::unreadable" "look at the path and its permissions: ls -l FILE";
    FileUnwritable "aicprobe::file::unwritable" "name a file in a folder that is there and that you may write to";
    FileContent "aicprobe::file::content" "make the file again; the message says what is allowed in it";
    TreeQuery "aicprobe::file::no-such-node" "look at what is there: `aicprobe adt FILE` shows every node";
    RawDamaged "aicprobe::file::events-damaged" "`aicprobe replay --counts FILE` reads as much as can be trusted; take the run again if that is too little";
    RawVersion "aicprobe::file::events-version" "use the version of aicprobe that wrote it, and a command that can be computed again";
    EvidenceDamaged "aicprobe::file::evidence-damaged" "`aicprobe evidence check PATH` names every file that was changed; take the run again, it is proof of nothing";
    EvidencePartial "aicprobe::file::evidence-partial" "`aicprobe evidence show PATH` shows how far the run came; take it again for the rest";
    Socs "aicprobe::file::socs" "mend the file at the place named; `docs/adding-a-soc.md` tells what is allowed, or leave --socs out";
    NotListed "aicprobe::allow-list::refused" "`aicprobe allow-list check PATH` lists what is missing; take what it names with `aicprobe verify --evidence PATH`";

    NoFields "aicprobe::target::no-fields" "measure this target with `aicprobe route`, or take one with AICv2 or AICv3";
    NoFirmware "aicprobe::firmware::missing" "build program and firmware together: cargo xtask run -- COMMAND; or give --firmware FILE";
    FirmwareDamaged "aicprobe::firmware::damaged" "build the image again: cargo xtask firmware prints its path";
    FirmwareProtocol "aicprobe::firmware::protocol" "build image and program from the same sources, or leave --firmware out to take the one built in";

    UnknownTarget "aicprobe::target::unknown" "`aicprobe list` shows serial ports, `aicprobe info` the virtual SoCs";
    Model "aicprobe::target::model" "mend the SoC file at the place named; `virtual-soc/models/README.md` tells what is allowed";
    BootImage "aicprobe::target::image" "look at --at and --entry, and whether the image is a raw one (no ELF, no Mach-O)";
    BootSilent "aicprobe::target::image-silent" "give it more time with --wait SECONDS; `aicprobe vm SOC --boot IMAGE --uart stdio` shows what it says";
    Serve "aicprobe::target::serve" "look whether the system has pseudo-terminals left, or use --uart stdio";
    BootArguments "aicprobe::target::boot-arguments" "give the machine's device tree with --adt FILE, or use a loader that leaves its boot arguments alone";
    DeviceTree "aicprobe::target::device-tree" "give another tree with --adt FILE; `aicprobe adt FILE` shows what is in one";
    Controller "aicprobe::target::controller" "nothing was fired: report board and message; `aicprobe adt FILE /arm-io/aic` shows what the tree says";
    Override "aicprobe::target::override" "leave the option out: then the target's own word is taken";
    Inconclusive "aicprobe::target::inconclusive" "take what is missing from the message: more triggers, a target that has what is needed, or another option";
    NotRestored "aicprobe::target::not-restored" "restart the target before anything else uses it, and report the message";

    LineRefused "aicprobe::line::refused" "leave --line out to have a spare one chosen, or look for one: `aicprobe lines --target T`";
    NoSpareLine "aicprobe::line::none-spare" "look at all lines with `aicprobe lines --target T`, then name one with --line, and --force-line if need be";
    Uart "aicprobe::line::uart" "leave --hw-line out; the rest of the measurement does not need it";

    PortMissing "aicprobe::link::not-found" "`aicprobe doctor --target PORT` looks at cable, driver and node; --wait SECONDS waits for it";
    PortPermission "aicprobe::link::permission" "`aicprobe doctor` tells the command for this system; groups are given at login, so log out and in again";
    PortBusy "aicprobe::link::busy" "end the program that has it open; `aicprobe doctor` names it where it can be seen";
    PortKind "aicprobe::link::not-serial" "`aicprobe list` shows the serial ports";
    PortDead "aicprobe::link::dead" "disconnect the cable, restart the Mac into m1n1 with it connected, and try again with --wait 30";
    NoneFound "aicprobe::link::none-found" "`aicprobe doctor --target usb` looks at cable, driver and permission";
    SeveralFound "aicprobe::link::several-found" "name one of them: --target PORT; `aicprobe list` shows which is which";
    LinkClosed "aicprobe::link::lost" "look at cable and power; restart the target if it does not answer with `aicprobe bench link --target T`";
    LinkStalled "aicprobe::link::stalled" "wait 5 s and try again; restart the target if it takes nothing then either";
    Timeout "aicprobe::link::timeout" "look whether m1n1 runs and nobody else talks to it; --wait SECONDS gives it more time";
    Damaged "aicprobe::link::damaged" "use a shorter cable or a lower --baud; `aicprobe bench link` counts damaged frames";
    Rebooted "aicprobe::link::target-rebooted" "wait until m1n1 is there again and repeat the run; report it if it happens at the same step";
    Interrupted "aicprobe::interrupted" "nothing has to be put right: the target is as the message says; start again when you like";

    LoaderRefused "aicprobe::loader::refused" "use a current m1n1; `aicprobe bench link --target T` tells whether it answers at all";
    LoaderFault "aicprobe::loader::access-fault" "the target has no such register or memory: report board, loader version and message";
    LoaderException "aicprobe::loader::exception" "restart the target; -v shows what the loader said on its console";
    CpuBusy "aicprobe::loader::cpu-busy" "wait 5 s and try again; restart the target if it does not answer then";
    StartedElsewhere "aicprobe::loader::started-elsewhere" "restart the target and run aicprobe before any other client starts the CPUs";

    SiqTraps "aicprobe::session::siq-traps" "routing cannot be measured on this SoC from EL2: report the ESR; `aicprobe lines` and `aicprobe storm` need no SIQ_CFG";
    CpuMissing "aicprobe::session::cpu-missing" "ask only for CPUs that run: `aicprobe info --target T` shows them";
    Upload "aicprobe::session::upload" "try again; if it comes again, the memory that the loader gave is no RAM: report board and message";
    Mismatch "aicprobe::session::mismatch" "build image and program together (cargo xtask run), restart the target and try again";
    Silent "aicprobe::session::silent" "restart the target; -v shows the firmware's log up to there";
    Stream "aicprobe::session::stream" "what was counted cannot be trusted: restart the target and repeat; report it if it comes again";
    Fault "aicprobe::session::fault" "restart the target; report the registers in the message, with board and build id";
    Stuck "aicprobe::session::stuck" "restart the target before the next run";
    Counts "aicprobe::session::counts" "nothing of this result is to be used: repeat the run, and report it if it comes again";
}
