//! The terminal as the arcade has it, and as it was before: it is given back whatever happens.

use std::io::{self, Stdout, stdout};
use std::mem::ManuallyDrop;
use std::panic;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{DisableMouseCapture, EnableMouseCapture};
use ratatui::crossterm::execute;
use ratatui::crossterm::style::force_color_output;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::{Position, Rect};
use skirmish_system::signals;

/// The whole screen, until this is dropped.
pub(super) struct TerminalScreen {
    /// Never dropped: `Terminal` then shows the cursor, as `give_back` does, and panics if that fails because the
    /// window has been closed and there is nowhere to print its complaint.
    pub(super) terminal: ManuallyDrop<Terminal<CrosstermBackend<Stdout>>>,
}

impl TerminalScreen {
    /// Takes the terminal.
    pub(super) fn take() -> io::Result<Self> {
        // Without this a panic would leave a terminal in which one cannot even see what one types.
        let told = panic::take_hook();
        panic::set_hook(Box::new(move |about| {
            give_back();
            told(about);
        }));
        // The pictures have no colours already where none are wanted; left to itself, crossterm would write a
        // reset behind every colour under NO_COLOR, and so lose bold and reverse too.
        force_color_output(true);
        enter()?;
        let terminal =
            Terminal::new(CrosstermBackend::new(stdout())).inspect_err(|_| give_back())?;
        Ok(Self { terminal: ManuallyDrop::new(terminal) })
    }

    /// Gives the terminal back until the shell brings the program to the foreground again.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        give_back();
        signals::suspend()?;
        enter()?;
        // Not `clear`: it asks the terminal where the cursor is, and the thread that reads keys has the answer.
        let size = self.terminal.size()?;
        self.terminal.resize(Rect::from((Position::ORIGIN, size)))
    }
}

impl Drop for TerminalScreen {
    fn drop(&mut self) {
        give_back();
    }
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(stdout(), EnterAlternateScreen, EnableMouseCapture, Hide).inspect_err(|_| give_back())
}

/// Brings the terminal back. If it is gone there is nothing to bring back.
fn give_back() {
    drop(execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen, Show));
    drop(disable_raw_mode());
}
