//! The terminal: its size, its settings, and whether it is still there.

use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcgetwinsize, tcsetattr,
    ttyname,
};

/// Whether to assume a cursor that can be moved if `TERM` is not set.
pub(crate) const IS_CAPABLE: bool = false;

/// Whether to assume Unicode if no locale is set.
pub(crate) const IS_UNICODE: bool = false;

/// The columns and rows of the terminal on standard output.
#[must_use]
pub fn output_size() -> Option<(u16, u16)> {
    size(io::stdout().as_fd())
}

/// The columns and rows of the terminal on standard error.
#[must_use]
pub fn error_size() -> Option<(u16, u16)> {
    size(io::stderr().as_fd())
}

fn size(terminal: BorrowedFd) -> Option<(u16, u16)> {
    let size = tcgetwinsize(terminal).ok()?;
    (size.ws_col > 0).then_some((size.ws_col, size.ws_row))
}

/// The name of the terminal on standard input.
#[must_use]
pub fn name() -> Option<String> {
    ttyname(io::stdin(), Vec::new()).ok().map(|name| name.to_string_lossy().into_owned())
}

/// Which of standard input and output were terminals at some time: after a hang-up, `is_terminal` no longer tells.
#[derive(Clone, Copy, Debug)]
pub struct Terminals {
    input: bool,
    output: bool,
}

impl Terminals {
    /// The present state.
    #[must_use]
    pub fn now() -> Self {
        Self { input: io::stdin().is_terminal(), output: io::stdout().is_terminal() }
    }

    /// Whether one of them has hung up. `poll` reports that as soon as the window is closed; other calls fail only later.
    #[must_use]
    pub fn are_hung_up(self) -> bool {
        self.input && has_gone(io::stdin().as_fd()) || self.output && has_gone(io::stdout().as_fd())
    }
}

fn has_gone(terminal: BorrowedFd) -> bool {
    let mut watched = [PollFd::from_borrowed_fd(terminal, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut watched, Some(&at_once)).is_ok()
        && watched[0].revents().intersects(PollFlags::HUP | PollFlags::ERR)
}

/// Waits until the terminal on standard input has hung up. `false` if that cannot be detected.
#[must_use]
pub fn wait_for_hang_up() -> bool {
    let stdin = io::stdin();
    loop {
        let mut watched = [PollFd::new(&stdin, PollFlags::empty())];
        match poll(&mut watched, None) {
            Ok(_) => return watched[0].revents().intersects(PollFlags::HUP | PollFlags::ERR),
            Err(Errno::INTR) => {}
            Err(_) => return false,
        }
    }
}

/// The settings of the terminal on standard input.
#[derive(Clone, Debug)]
pub struct TerminalSettings(Termios);

impl TerminalSettings {
    /// The current settings, if there is a terminal.
    #[must_use]
    pub fn now() -> Option<Self> {
        tcgetattr(io::stdin()).ok().map(Self)
    }

    /// Applies these settings. After a hang-up this does nothing.
    pub fn apply(&self) {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}

/// Disables a control character.
const DISABLED: u8 = 0;

/// Turns off echo and suspension by Ctrl-Z, until this is dropped.
#[derive(Debug)]
pub struct Hidden(TerminalSettings);

impl Hidden {
    /// Turns off echo, if there is a terminal. Line breaks are still echoed.
    #[must_use]
    pub fn begin() -> Option<Self> {
        let TerminalSettings(before) = TerminalSettings::now()?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        silent.local_modes.insert(LocalModes::ECHONL);
        // A shell that suspends and resumes us would turn echo on again, so Ctrl-Z must wait.
        silent.special_codes[SpecialCodeIndex::VSUSP] = DISABLED;
        tcsetattr(io::stdin(), OptionalActions::Now, &silent).ok()?;
        Some(Self(TerminalSettings(before)))
    }

    /// Whether the line break that ends a hidden line is echoed.
    #[must_use]
    pub const fn shows_line_breaks(&self) -> bool {
        true
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        self.0.apply();
    }
}
