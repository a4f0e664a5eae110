//! Sets up the terminal for the arcade, and restores it on every exit.

use std::io::{self, Stdout, stdout};
use std::mem::ManuallyDrop;
use std::panic;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::style::force_color_output;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::{Position, Rect};
use skirmish_system::signals;

/// The terminal in full-screen mode; dropping this restores it.
pub(super) struct TerminalScreen {
    /// Never dropped: dropping `Terminal` shows the cursor, as `restore` does, and panics if the window has been closed.
    pub(super) terminal: ManuallyDrop<Terminal<CrosstermBackend<Stdout>>>,
}

impl TerminalScreen {
    /// Switches the terminal to the full screen.
    pub(super) fn take() -> io::Result<Self> {
        // Without this hook, a panic would leave the terminal in raw mode.
        let hook = panic::take_hook();
        panic::set_hook(Box::new(move |about| {
            restore();
            hook(about);
        }));
        // The look already omits unwanted colours. Under NO_COLOR crossterm would write a reset after every colour and
        // so lose bold and reverse too.
        force_color_output(true);
        enter()?;
        let terminal = Terminal::new(CrosstermBackend::new(stdout())).inspect_err(|_| restore())?;
        Ok(Self { terminal: ManuallyDrop::new(terminal) })
    }

    /// Restores the terminal and stops the process until the shell brings it back to the foreground.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        restore();
        signals::suspend()?;
        enter()?;
        self.redraw()
    }

    /// Clears the screen, which forces a complete redraw.
    pub(super) fn redraw(&mut self) -> io::Result<()> {
        // Not `clear`: it asks the terminal for the cursor position, and the input thread would receive the reply.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::from((Position::ORIGIN, size)))
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        restore();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    // The legacy Windows console has no bracketed paste and reports an error.
    drop(execute!(stdout(), EnableBracketedPaste));
    execute!(stdout(), EnterAlternateScreen, EnableMouseCapture, Hide).inspect_err(|_| restore())
}

/// Restores the terminal, ignoring errors: it may be gone.
fn restore() {
    drop(execute!(stdout(), DisableBracketedPaste));
    drop(execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen, Show));
    drop(disable_raw_mode());
}
