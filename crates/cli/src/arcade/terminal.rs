//! Sets up the terminal for the arcade, and restores it on every exit.

use std::io::{self, Stdout, stdout};
use std::mem::ManuallyDrop;
use std::panic;

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::clipboard::CopyToClipboard;
use ratatui::crossterm::cursor::{Hide, Show};
use ratatui::crossterm::event::{
    DisableBracketedPaste, DisableFocusChange, DisableMouseCapture, EnableBracketedPaste,
    EnableFocusChange, EnableMouseCapture, KeyboardEnhancementFlags, PopKeyboardEnhancementFlags,
    PushKeyboardEnhancementFlags,
};
use ratatui::crossterm::execute;
use ratatui::crossterm::style::{Print, force_color_output};
use ratatui::crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    SetTitle, disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::{Position, Rect};
use skirmish_system::signals;
use skirmish_tui::{App, TerminalRequest};

/// Saves the window's title, and restores it.
const SAVE_TITLE: &str = "\x1b[22;0t";
const RESTORE_TITLE: &str = "\x1b[23;0t";

/// With these, a terminal that knows kitty's protocol marks the Escape key and reports released keys.
const KEYBOARD: KeyboardEnhancementFlags = KeyboardEnhancementFlags::DISAMBIGUATE_ESCAPE_CODES
    .union(KeyboardEnhancementFlags::REPORT_EVENT_TYPES);

/// The terminal in full-screen mode; dropping this restores it.
pub(super) struct TerminalScreen {
    /// Never dropped: dropping `Terminal` shows the cursor, as `restore` does, and panics if the window has been closed.
    terminal: ManuallyDrop<Terminal<CrosstermBackend<Stdout>>>,
    /// The window's title.
    title: String,
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
        Ok(Self { terminal: ManuallyDrop::new(terminal), title: String::new() })
    }

    /// Draws the arcade, sets the window's title, and carries out requests. The terminal shows the whole picture at once,
    /// if it can.
    pub(super) fn draw(&mut self, app: &mut App) -> io::Result<()> {
        execute!(stdout(), BeginSynchronizedUpdate)?;
        let drawn = self.terminal.draw(|frame| {
            if let Some(cursor) = app.draw(frame.buffer_mut()) {
                frame.set_cursor_position(cursor);
            }
        });
        drawn?;
        let title = app.title();
        if title != self.title {
            execute!(stdout(), SetTitle(&title))?;
            self.title = title;
        }
        app.requests().into_iter().for_each(carry_out);
        execute!(stdout(), EndSynchronizedUpdate)
    }

    /// Restores the terminal and stops the process until the shell brings it back to the foreground.
    pub(super) fn suspend(&mut self) -> io::Result<()> {
        restore();
        signals::suspend()?;
        enter()?;
        // The shell has set its own.
        self.title.clear();
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

/// Carries out a request of the arcade, if the terminal can. Errors are ignored: drawing reports that the terminal is gone.
fn carry_out(request: TerminalRequest) {
    drop(match request {
        TerminalRequest::Bell => execute!(stdout(), Print('\u{7}')),
        TerminalRequest::Notify(text) => execute!(stdout(), Print(format!("\x1b]9;{text}\x1b\\"))),
        TerminalRequest::Copy(text) => execute!(stdout(), CopyToClipboard::to_clipboard_from(text)),
    });
}

fn enter() -> io::Result<()> {
    enable_raw_mode()?;
    execute!(stdout(), Print(SAVE_TITLE), EnterAlternateScreen, EnableMouseCapture, Hide)
        .inspect_err(|_| restore())?;
    // The legacy Windows console knows none of these and reports an error.
    drop(execute!(stdout(), EnableBracketedPaste));
    drop(execute!(stdout(), EnableFocusChange));
    drop(execute!(stdout(), PushKeyboardEnhancementFlags(KEYBOARD)));
    Ok(())
}

/// Restores the terminal, ignoring errors: it may be gone.
fn restore() {
    // A panic may have happened while a picture was being drawn.
    drop(execute!(stdout(), EndSynchronizedUpdate));
    drop(execute!(stdout(), PopKeyboardEnhancementFlags));
    drop(execute!(stdout(), DisableFocusChange));
    drop(execute!(stdout(), DisableBracketedPaste));
    drop(execute!(stdout(), DisableMouseCapture, LeaveAlternateScreen, Print(RESTORE_TITLE), Show));
    drop(disable_raw_mode());
}
