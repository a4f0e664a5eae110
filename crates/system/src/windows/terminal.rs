//! The console: its size, its modes. It does not go without telling us by an event.

use winapi_util::HandleRef;
use winapi_util::console::{mode, screen_buffer_info, set_mode};

/// Whether to assume a cursor that can be moved if `TERM` is not set.
pub(crate) const IS_CAPABLE: bool = true;

/// Whether to assume Unicode if no locale is set.
pub(crate) const IS_UNICODE: bool = true;

/// What is typed is shown.
const ECHO: u32 = 0x4;

/// The columns and rows of the window that standard output goes to.
#[must_use]
pub fn output_size() -> Option<(u16, u16)> {
    size(HandleRef::stdout())
}

/// The columns and rows of the window that standard error goes to.
#[must_use]
pub fn error_size() -> Option<(u16, u16)> {
    size(HandleRef::stderr())
}

fn size(console: HandleRef) -> Option<(u16, u16)> {
    let window = screen_buffer_info(console).ok()?.window_rect();
    let columns = u16::try_from(window.right - window.left + 1).ok()?;
    Some((columns, u16::try_from(window.bottom - window.top + 1).ok()?))
}

/// The name of the terminal that standard input comes from: consoles have none.
#[must_use]
pub const fn name() -> Option<String> {
    None
}

/// Which of standard input and output were terminals at some time.
#[derive(Clone, Copy, Debug)]
pub struct Terminals;

impl Terminals {
    /// Those that there are now.
    #[must_use]
    pub const fn now() -> Self {
        Self
    }

    /// Whether one of them has gone: an event tells.
    #[must_use]
    pub const fn are_hung_up(self) -> bool {
        false
    }
}

/// Waits until the terminal that standard input comes from has gone. Nobody can know here: an event tells.
#[must_use]
pub const fn wait_for_hang_up() -> bool {
    false
}

/// The mode of the console that standard input comes from.
#[derive(Clone, Debug)]
pub struct TerminalSettings(u32);

impl TerminalSettings {
    /// As it is now, if there is a console.
    #[must_use]
    pub fn now() -> Option<Self> {
        mode(HandleRef::stdin()).ok().map(Self)
    }

    /// Gives the console this mode. If it is gone there is nothing left to set.
    pub fn apply(&self) {
        drop(set_mode(HandleRef::stdin(), self.0));
    }
}

/// A console that does not show what is typed, until this is dropped.
#[derive(Debug)]
pub struct Hidden(TerminalSettings);

impl Hidden {
    /// Stops the console from showing what is typed, if there is one. Line breaks are not shown either.
    #[must_use]
    pub fn begin() -> Option<Self> {
        let TerminalSettings(before) = TerminalSettings::now()?;
        set_mode(HandleRef::stdin(), before & !ECHO).ok()?;
        Some(Self(TerminalSettings(before)))
    }

    /// Whether the console shows the line break that ends a hidden line.
    #[must_use]
    pub const fn shows_line_breaks(&self) -> bool {
        false
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        self.0.apply();
    }
}
