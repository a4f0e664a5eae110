//! The console as a handle. Closing the console raises an event.

use std::io;

use winapi_util::console::{mode, screen_buffer_info, set_mode};
use winapi_util::{AsHandleRef, HandleRef};

use crate::terminal::CtrlC;

/// The mode of a console.
pub(crate) type Settings = u32;

/// Whether to assume cursor movement if `TERM` is not set.
pub(crate) const IS_CAPABLE: bool = true;

/// Whether to assume Unicode if no locale is set.
pub(crate) const IS_UNICODE: bool = true;

/// Whether line breaks are echoed with the settings from `without_echo`.
pub(crate) const ECHOES_LINE_BREAKS: bool = false;

/// The size of the window, which shows only part of the buffer.
pub(crate) fn size(console: &impl AsHandleRef) -> Option<(u16, u16)> {
    let window = screen_buffer_info(console).ok()?.window_rect();
    let columns = u16::try_from(window.right - window.left + 1).ok()?;
    Some((columns, u16::try_from(window.bottom - window.top + 1).ok()?))
}

/// The name of the terminal on standard input. Consoles have none.
#[must_use]
pub const fn name() -> Option<String> {
    None
}

/// Whether a terminal has hung up. Always `false`: on Windows, hang-ups arrive as events.
pub(crate) const fn has_gone(_console: &impl AsHandleRef) -> bool {
    false
}

/// Waits until the terminal on standard input hangs up. Always returns `false`: on Windows, hang-ups arrive as events.
#[must_use]
pub const fn wait_for_hang_up() -> bool {
    false
}

pub(crate) fn settings() -> io::Result<Settings> {
    mode(HandleRef::stdin())
}

pub(crate) fn apply(settings: &Settings) -> io::Result<()> {
    set_mode(HandleRef::stdin(), *settings)
}

/// These settings, changed for reading single keys: without echo and line buffering.
pub(crate) const fn for_keys(settings: &Settings, ctrl_c: CtrlC) -> Settings {
    const PROCESSED: u32 = 0x1;
    const LINES_AND_ECHO: u32 = 0x2 | 0x4;
    match ctrl_c {
        CtrlC::Signal => *settings & !LINES_AND_ECHO,
        CtrlC::Key => *settings & !(LINES_AND_ECHO | PROCESSED),
    }
}

pub(crate) const fn without_echo(settings: &Settings) -> Settings {
    const ECHO: u32 = 0x4;
    *settings & !ECHO
}
