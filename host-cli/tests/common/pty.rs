//! A pseudo-terminal with a virtual target at its far end, served by a thread.

use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use host_cli::link::{OpenError, SerialLink};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, fcntl_setfl, open};
use rustix::io::{FdFlags, fcntl_setfd};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{
    LocalModes, OptionalActions, OutputModes, Winsize, tcgetattr, tcsetattr, tcsetwinsize,
};
use virtual_soc::VirtualTarget;

/// Virtual time per turn of the server.
const TURN: Duration = Duration::from_millis(1);

/// Both ends. The terminal's own end stays open, so that clients may come and go.
pub struct Pty {
    master: OwnedFd,
    keep: OwnedFd,
    pub path: String,
}

impl Pty {
    pub fn new() -> Self {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo-terminal");
        // Or the programs under test would hold their own far end.
        fcntl_setfd(&master, FdFlags::CLOEXEC).expect("a pseudo-terminal");
        grantpt(&master).expect("a pseudo-terminal");
        unlockpt(&master).expect("a pseudo-terminal");
        let path = ptsname(&master, Vec::new())
            .expect("its name")
            .into_string()
            .expect("a pseudo-terminal");
        let keep = open(
            &*path,
            OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC,
            Mode::empty(),
        )
        .expect("a pseudo-terminal");
        // A terminal edits and echoes lines; a wire does not.
        let mut raw = tcgetattr(&keep).expect("a pseudo-terminal");
        raw.make_raw();
        tcsetattr(&keep, OptionalActions::Now, &raw).expect("a pseudo-terminal");
        fcntl_setfl(&master, OFlags::RDWR | OFlags::NONBLOCK).expect("a pseudo-terminal");
        Self { master, keep, path }
    }

    /// Speed that the client has set.
    pub fn speed(&self) -> u32 {
        tcgetattr(&self.keep)
            .expect("a pseudo-terminal")
            .output_speed()
    }

    /// From now on a terminal for people: it edits and echoes lines.
    pub fn cook(&self) {
        let mut modes = tcgetattr(&self.keep).expect("a pseudo-terminal");
        modes.local_modes |= LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG;
        modes.output_modes |= OutputModes::OPOST | OutputModes::ONLCR;
        tcsetattr(&self.keep, OptionalActions::Now, &modes).expect("a pseudo-terminal");
    }

    /// Gives it a size.
    pub fn resize(&self, columns: u16, rows: u16) {
        let size = Winsize {
            ws_col: columns,
            ws_row: rows,
            ws_xpixel: 0,
            ws_ypixel: 0,
        };
        tcsetwinsize(&self.keep, size).expect("a pseudo-terminal");
    }

    /// How it is set.
    pub fn modes(&self) -> String {
        format!("{:?}", tcgetattr(&self.keep).expect("a pseudo-terminal"))
    }

    /// A client's end.
    pub fn client(&self) -> OwnedFd {
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        open(&*self.path, flags, Mode::empty()).expect("a pseudo-terminal")
    }

    /// Fills it until it takes nothing more from its client.
    pub fn stuff(&self) {
        let client = self.client();
        fcntl_setfl(&client, OFlags::RDWR | OFlags::NONBLOCK).expect("a pseudo-terminal");
        while rustix::io::write(&client, &[b'.'; 512]).is_ok() {}
    }

    /// Everything that has come from the client.
    pub fn take(&self) -> Vec<u8> {
        let mut buf = vec![0; 64 * 1024];
        let n = rustix::io::read(&self.master, &mut buf).unwrap_or(0);
        buf.truncate(n);
        buf
    }

    /// To the client; `false` if nobody took it within a while.
    pub fn put(&self, mut bytes: &[u8]) -> bool {
        for _ in 0..2000 {
            if bytes.is_empty() {
                return true;
            }
            match rustix::io::write(&self.master, bytes) {
                Ok(n) => bytes = &bytes[n..],
                Err(_) => self.wait(PollFlags::OUT),
            }
        }
        false
    }

    fn wait(&self, what: PollFlags) {
        let mut fds = [PollFd::new(&self.master, what)];
        let short = Timespec {
            tv_sec: 0,
            tv_nsec: 2_000_000,
        };
        let _ = poll(&mut fds, Some(&short));
    }
}

/// Opens a port that is free, or will be in a moment: a program that another test is just starting shares this process's
/// descriptors, locks included, until it is loaded.
pub fn open_free(path: &str) -> SerialLink {
    for _ in 0..500 {
        match SerialLink::open(path.as_ref(), None) {
            Err(OpenError::Busy { .. }) => std::thread::sleep(Duration::from_millis(10)),
            done => return done.expect("a free port"),
        }
    }
    panic!("{path} stays busy");
}

/// What becomes of the far end after a turn.
pub enum Turn {
    Serve,
    /// The cable is pulled: both ends are closed.
    Unplug,
    /// The target restarts: it says so, and its memory of us is gone.
    Reboot,
}

/// A target that is being served.
pub struct Server {
    pub path: String,
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Vec<String>>,
}

impl Server {
    /// Serves the target that `make` makes (it lives and ends in the thread); after each turn `watch` says how it goes on.
    pub fn start(
        pty: Pty,
        make: impl FnOnce() -> VirtualTarget + Send + 'static,
        mut watch: impl FnMut(&VirtualTarget) -> Turn + Send + 'static,
    ) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let (path, stopped) = (pty.path.clone(), Arc::clone(&stop));
        let thread = std::thread::spawn(move || {
            let mut target = make();
            let mut buf = vec![0; 64 * 1024];
            while !stopped.load(Ordering::Relaxed) {
                let came = pty.take();
                target.send(&came);
                let n = target.recv(&mut buf, TURN);
                pty.put(&buf[..n]);
                match watch(&target) {
                    Turn::Serve => {}
                    Turn::Unplug => break,
                    Turn::Reboot => {
                        let mut boot = vec![0xff, 0x55, 0xaa, 0x04];
                        boot.resize(32, 0);
                        boot.extend([0xdc, 0x92, 0x9b, 0xf4]);
                        pty.put(b"\nm1n1 starts again\n");
                        pty.put(&boot);
                        // Nobody answers until the client is gone.
                        while !stopped.load(Ordering::Relaxed) {
                            pty.wait(PollFlags::IN);
                            pty.take();
                        }
                        break;
                    }
                }
                if came.is_empty() && n == 0 {
                    pty.wait(PollFlags::IN);
                }
            }
            let as_found = target.as_found();
            let differences = as_found.differences(&target.snapshot());
            differences.iter().map(|d| format!("{d:?}")).collect()
        });
        Self { path, stop, thread }
    }

    /// How the target at the end differs from what it was, seen from outside.
    pub fn finish(self) -> Vec<String> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.join().expect("the server ends well")
    }
}
