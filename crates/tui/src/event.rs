//! Events for the arcade: keys, the mouse, signals, results of background jobs.

use ratatui::crossterm::event::{
    Event as TerminalEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use skirmish_play::library::Finished;
use skirmish_present::map::Chart;

use super::jobs::JobReport;
use super::screen::Press;

/// An event for an arcade.
pub struct ArcadeEvent(pub(crate) ArcadeEventKind);

pub(crate) enum ArcadeEventKind {
    Press(Press),
    Click {
        column: u16,
        row: u16,
    },
    Resized,
    JobReport(JobReport),
    /// Solving has finished, with a map if there is one.
    Solved(Finished, Option<Chart>),
    /// A signal asks the program to end.
    Signal(u8),
    /// Ctrl-Z, or a signal with the same effect.
    Suspend,
    /// The terminal has hung up.
    Gone,
    /// A background job has panicked.
    Broken,
}

impl ArcadeEvent {
    /// Converts a terminal event, if relevant.
    #[must_use]
    pub fn of(event: &TerminalEvent) -> Option<Self> {
        read(event).map(Self)
    }

    /// A signal asks the program to end.
    #[must_use]
    pub const fn signal(number: u8) -> Self {
        Self(ArcadeEventKind::Signal(number))
    }

    /// The terminal has hung up.
    #[must_use]
    pub const fn gone() -> Self {
        Self(ArcadeEventKind::Gone)
    }

    /// The program must be suspended, by Ctrl-Z or a signal with the same effect.
    #[must_use]
    pub const fn suspend() -> Self {
        Self(ArcadeEventKind::Suspend)
    }

    /// Whether the caller must suspend the program.
    #[must_use]
    pub const fn is_suspend(&self) -> bool {
        matches!(self.0, ArcadeEventKind::Suspend)
    }

    /// Whether the terminal has hung up.
    #[must_use]
    pub const fn is_gone(&self) -> bool {
        matches!(self.0, ArcadeEventKind::Gone)
    }
}

fn read(event: &TerminalEvent) -> Option<ArcadeEventKind> {
    match *event {
        TerminalEvent::Key(key) if key.kind != KeyEventKind::Release => Some(key_pressed(key)),
        TerminalEvent::Mouse(MouseEvent { kind, column, row, .. }) => match kind {
            MouseEventKind::Down(MouseButton::Left) => Some(ArcadeEventKind::Click { column, row }),
            MouseEventKind::ScrollUp => Some(ArcadeEventKind::Press(Press::Key(KeyCode::Up))),
            MouseEventKind::ScrollDown => Some(ArcadeEventKind::Press(Press::Key(KeyCode::Down))),
            _ => None,
        },
        TerminalEvent::Resize(..) => Some(ArcadeEventKind::Resized),
        TerminalEvent::Key(_)
        | TerminalEvent::FocusGained
        | TerminalEvent::FocusLost
        | TerminalEvent::Paste(_) => None,
    }
}

fn key_pressed(key: KeyEvent) -> ArcadeEventKind {
    match key.code {
        KeyCode::Char('z') if key.modifiers.contains(KeyModifiers::CONTROL) => {
            ArcadeEventKind::Suspend
        }
        KeyCode::Char(letter) if key.modifiers.contains(KeyModifiers::CONTROL) => {
            ArcadeEventKind::Press(Press::Control(letter))
        }
        code => ArcadeEventKind::Press(Press::Key(code)),
    }
}
