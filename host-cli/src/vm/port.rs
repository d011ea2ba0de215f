//! Where the clients of a machine are.

use std::io;
use std::time::Duration;

/// What a look for input gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// So many bytes, more than 0.
    Bytes(usize),
    /// Nothing yet.
    Nothing,
    /// Nobody is there; somebody may come.
    Nobody,
    /// Nothing will ever come; output is still taken.
    Ended,
}

/// A way to clients. No call waits, but [`Port::wait`] within its limit.
pub trait Port {
    /// Takes what is there.
    ///
    /// # Errors
    /// What the system says, where that is not an ordinary event of a client's life.
    fn read(&mut self, buf: &mut [u8]) -> io::Result<Received>;

    /// Whether anybody is there, without taking anything.
    ///
    /// # Errors
    /// As above.
    fn is_open(&mut self) -> io::Result<bool>;

    /// Hands over what there is room for; how many bytes.
    ///
    /// # Errors
    /// As above; [`io::ErrorKind::BrokenPipe`] if nobody will ever take any.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize>;

    /// Waits for input, for room too if `room`, at most `limit`.
    ///
    /// # Errors
    /// As above.
    fn wait(&mut self, room: bool, limit: Duration) -> io::Result<()>;
}
