//! Time that passes without a request.

use std::time::Duration;

use super::client::Proxy;
use super::error::ProxyError;

impl Proxy<'_> {
    /// Waits for `time` on the link's clock; what comes meanwhile is kept for the next exchange.
    ///
    /// # Errors
    /// [`ProxyError::Link`].
    pub fn pause(&mut self, time: Duration) -> Result<(), ProxyError> {
        let end = self.link.now() + time;
        let mut bytes = [0; 512];
        loop {
            let left = end.saturating_sub(self.link.now());
            if left.is_zero() {
                return Ok(());
            }
            let count = self.link.recv(&mut bytes, left)?;
            self.rx.push(&bytes[..count]);
            if count == 0 {
                // A link that brings nothing has waited the whole time.
                return Ok(());
            }
        }
    }
}
