//! Every instruction of a machine, one line each.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use virtual_soc::machine::TraceHook;

/// A trace on its way into a file: `CPU PC WORD` a line, CPU as a decimal logical id, the others in hexadecimal. The word is 0
/// where none can be fetched.
#[derive(Clone, Debug)]
pub struct Trace {
    path: PathBuf,
    state: Rc<RefCell<State>>,
}

#[derive(Debug)]
struct State {
    file: BufWriter<File>,
    lines: u64,
    /// The first thing that went wrong; nothing is written after it.
    failure: Option<io::Error>,
}

impl Trace {
    /// A trace into a new file.
    ///
    /// # Errors
    /// What the system says.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self {
            path: path.to_owned(),
            state: Rc::new(RefCell::new(State {
                file: BufWriter::with_capacity(1 << 20, File::create(path)?),
                lines: 0,
                failure: None,
            })),
        })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether something went wrong.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.state.borrow().failure.is_some()
    }

    /// What the machine is to call.
    #[must_use]
    pub fn hook(&self) -> TraceHook {
        let state = Rc::clone(&self.state);
        Box::new(move |cpu, pc, word| {
            let mut state = state.borrow_mut();
            if state.failure.is_some() {
                return;
            }
            match writeln!(state.file, "{cpu} {pc:x} {word:08x}") {
                Ok(()) => state.lines += 1,
                Err(e) => state.failure = Some(e),
            }
        })
    }

    /// Writes the rest; how many instructions there are.
    ///
    /// # Errors
    /// The first thing that went wrong.
    pub fn finish(&self) -> io::Result<u64> {
        let mut state = self.state.borrow_mut();
        if let Some(e) = state.failure.take() {
            return Err(e);
        }
        state.file.flush()?;
        Ok(state.lines)
    }
}
