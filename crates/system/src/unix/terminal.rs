//! Terminals as file descriptors.

use std::io;
use std::os::fd::AsFd;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
pub(crate) use rustix::termios::Termios as Settings;
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcgetwinsize, tcsetattr, ttyname,
};

use crate::terminal::CtrlC;

/// Whether to assume cursor movement if `TERM` is not set.
pub(crate) const IS_CAPABLE: bool = false;

/// Whether to assume Unicode if no locale is set.
pub(crate) const IS_UNICODE: bool = false;

/// Whether line breaks are echoed with the settings from `without_echo`.
pub(crate) const ECHOES_LINE_BREAKS: bool = true;

/// The value that disables a control character.
const DISABLED: u8 = 0;

pub(crate) fn size(terminal: &impl AsFd) -> Option<(u16, u16)> {
    let size = tcgetwinsize(terminal).ok()?;
    (size.ws_col > 0).then_some((size.ws_col, size.ws_row))
}

/// The name of the terminal on standard input.
#[must_use]
pub fn name() -> Option<String> {
    ttyname(io::stdin(), Vec::new()).ok().map(|name| name.to_string_lossy().into_owned())
}

/// Whether a terminal has hung up. `poll` reports this as soon as the window is closed; other calls fail only later.
pub(crate) fn has_gone(terminal: &impl AsFd) -> bool {
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll_hang_up(terminal, Some(&at_once)).unwrap_or(false)
}

/// Waits until the terminal on standard input hangs up. Returns `false` if hang-ups cannot be detected.
#[must_use]
pub fn wait_for_hang_up() -> bool {
    loop {
        match poll_hang_up(&io::stdin(), None) {
            Err(Errno::INTR) => {}
            result => return result.unwrap_or(false),
        }
    }
}

fn poll_hang_up(terminal: &impl AsFd, timeout: Option<&Timespec>) -> Result<bool, Errno> {
    let mut watched = [PollFd::new(terminal, PollFlags::empty())];
    poll(&mut watched, timeout)?;
    Ok(watched[0].revents().intersects(PollFlags::HUP | PollFlags::ERR))
}

pub(crate) fn settings() -> io::Result<Settings> {
    Ok(tcgetattr(io::stdin())?)
}

pub(crate) fn apply(settings: &Settings) -> io::Result<()> {
    Ok(tcsetattr(io::stdin(), OptionalActions::Now, settings)?)
}

/// These settings, changed for reading single keys: without echo, line buffering and suspension by Ctrl-Z, which
/// arrives as a key. Output is unchanged.
pub(crate) fn for_keys(settings: &Settings, ctrl_c: CtrlC) -> Settings {
    let mut keys = settings.clone();
    if ctrl_c == CtrlC::Key {
        keys.special_codes[SpecialCodeIndex::VINTR] = DISABLED;
    }
    keys.local_modes.remove(LocalModes::ECHO | LocalModes::ICANON | LocalModes::IEXTEN);
    keys.special_codes[SpecialCodeIndex::VSUSP] = DISABLED;
    keys.special_codes[SpecialCodeIndex::VMIN] = 1;
    keys.special_codes[SpecialCodeIndex::VTIME] = 0;
    keys
}

/// These settings without echo, except for line breaks, and without suspension by Ctrl-Z.
pub(crate) fn without_echo(settings: &Settings) -> Settings {
    let mut silent = settings.clone();
    silent.local_modes.remove(LocalModes::ECHO);
    silent.local_modes.insert(LocalModes::ECHONL);
    // A shell would turn echo on again after suspending us, so disable Ctrl-Z.
    silent.special_codes[SpecialCodeIndex::VSUSP] = DISABLED;
    silent
}
