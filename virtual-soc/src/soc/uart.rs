//! S5L UART: status always ready to send, output captured, input from the host.
//!
//! Offsets and status bits are third party (loader sources). No line is raised; nothing of the model polls one.

use std::collections::VecDeque;

const UTRSTAT: u32 = 0x10;
const UFSTAT: u32 = 0x18;
const UTXH: u32 = 0x20;
const URXH: u32 = 0x24;
/// Registers kept as plain storage: ULCON, UCON, UFCON, UBRDIV, UFRACVAL.
const STORED: [u32; 5] = [0x00, 0x04, 0x08, 0x28, 0x2c];

const STATUS_TX_EMPTY: u32 = 1 << 2;
const STATUS_TX_BUFFER_EMPTY: u32 = 1 << 1;
const STATUS_RX_DATA: u32 = 1 << 0;
const FIFO_RX_COUNT_MAX: usize = 15;

/// The port.
#[derive(Debug, Clone, Default)]
pub struct Uart {
    stored: [u32; 5],
    output: Vec<u8>,
    input: VecDeque<u8>,
}

impl Uart {
    /// Everything sent since power-on.
    #[must_use]
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// Put bytes into the receive queue.
    pub fn push_input(&mut self, bytes: &[u8]) {
        self.input.extend(bytes);
    }

    pub(crate) fn read(&mut self, offset: u32) -> u32 {
        match offset {
            UTRSTAT => {
                STATUS_TX_EMPTY
                    | STATUS_TX_BUFFER_EMPTY
                    | if self.input.is_empty() {
                        0
                    } else {
                        STATUS_RX_DATA
                    }
            }
            UFSTAT => self.input.len().min(FIFO_RX_COUNT_MAX) as u32,
            URXH => self.input.pop_front().unwrap_or(0).into(),
            _ => STORED
                .iter()
                .position(|o| *o == offset)
                .map_or(0, |i| self.stored[i]),
        }
    }

    pub(crate) fn write(&mut self, offset: u32, value: u32) {
        if offset == UTXH {
            self.output.push(value as u8);
        } else if let Some(i) = STORED.iter().position(|o| *o == offset) {
            self.stored[i] = value;
        }
    }
}
