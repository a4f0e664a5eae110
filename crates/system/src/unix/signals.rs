//! Signals as an iterator, for a thread that waits for them.

use std::io;

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP};
use signal_hook::low_level::emulate_default_handler;

use crate::Signal;

/// An iterator over all signals received from now on.
#[derive(Debug)]
pub struct Signals(signal_hook::iterator::Signals);

impl Signals {
    /// The signals that end a program in line mode: SIGINT, SIGTERM and SIGHUP.
    ///
    /// # Errors
    /// If the system call fails.
    pub fn ending() -> io::Result<Self> {
        signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP]).map(Self)
    }

    /// The signals that a full-screen program must handle: also SIGQUIT and SIGTSTP.
    ///
    /// # Errors
    /// If the system call fails.
    pub fn all() -> io::Result<Self> {
        signal_hook::iterator::Signals::new([SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]).map(Self)
    }
}

impl Iterator for Signals {
    type Item = Signal;

    /// Waits for the next signal.
    fn next(&mut self) -> Option<Signal> {
        self.0.forever().next().map(|signal| match signal {
            SIGTSTP => Signal::Suspend,
            number => Signal::End(number.try_into().unwrap_or(u8::MAX)),
        })
    }
}

/// Stops this program until it is continued, as Ctrl-Z does.
///
/// # Errors
/// If the system call fails.
pub fn suspend() -> io::Result<()> {
    emulate_default_handler(SIGTSTP)
}
