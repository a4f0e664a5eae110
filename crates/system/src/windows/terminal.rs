//! The console: its size and modes. Its closing arrives as an event.

use winapi_util::HandleRef;
use winapi_util::console::{mode, screen_buffer_info, set_mode};

/// Whether to assume a cursor that can be moved if `TERM` is not set.
pub(crate) const IS_CAPABLE: bool = true;

/// Whether to assume Unicode if no locale is set.
pub(crate) const IS_UNICODE: bool = true;

/// Echoes typed characters.
const ECHO: u32 = 0x4;

/// The columns and rows of the console window on standard output.
#[must_use]
pub fn output_size() -> Option<(u16, u16)> {
    size(HandleRef::stdout())
}

/// The columns and rows of the console window on standard error.
#[must_use]
pub fn error_size() -> Option<(u16, u16)> {
    size(HandleRef::stderr())
}

fn size(console: HandleRef) -> Option<(u16, u16)> {
    let window = screen_buffer_info(console).ok()?.window_rect();
    let columns = u16::try_from(window.right - window.left + 1).ok()?;
    Some((columns, u16::try_from(window.bottom - window.top + 1).ok()?))
}

/// The name of the terminal on standard input. Consoles have none.
#[must_use]
pub const fn name() -> Option<String> {
    None
}

/// Which of standard input and output were terminals at some time. Not needed on Windows.
#[derive(Clone, Copy, Debug)]
pub struct Terminals;

impl Terminals {
    /// The present state.
    #[must_use]
    pub const fn now() -> Self {
        Self
    }

    /// Whether one of them has hung up. On Windows an event reports that.
    #[must_use]
    pub const fn are_hung_up(self) -> bool {
        false
    }
}

/// Waits until the terminal on standard input has hung up. Always `false`: on Windows an event reports that.
#[must_use]
pub const fn wait_for_hang_up() -> bool {
    false
}

/// The mode of the console on standard input.
#[derive(Clone, Debug)]
pub struct TerminalSettings(u32);

impl TerminalSettings {
    /// The current mode, if there is a console.
    #[must_use]
    pub fn now() -> Option<Self> {
        mode(HandleRef::stdin()).ok().map(Self)
    }

    /// Applies this mode. Without a console this does nothing.
    pub fn apply(&self) {
        drop(set_mode(HandleRef::stdin(), self.0));
    }
}

/// Turns off echo until this is dropped.
#[derive(Debug)]
pub struct Hidden(TerminalSettings);

impl Hidden {
    /// Turns off echo, if there is a console. Line breaks are not echoed either.
    #[must_use]
    pub fn begin() -> Option<Self> {
        let TerminalSettings(before) = TerminalSettings::now()?;
        set_mode(HandleRef::stdin(), before & !ECHO).ok()?;
        Some(Self(TerminalSettings(before)))
    }

    /// Whether the line break that ends a hidden line is echoed.
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
