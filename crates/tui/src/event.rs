//! What reaches the arcade from outside: keys, the mouse, signals, results of work.

use ratatui::crossterm::event::{
    Event as TerminalEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use skirmish_play::library::Finished;
use skirmish_present::map::Chart;

use super::jobs::JobReport;
use super::screen::Press;

/// What can happen to an arcade.
pub struct ArcadeEvent(pub(crate) ArcadeEventKind);

pub(crate) enum ArcadeEventKind {
    Press(Press),
    Click {
        column: u16,
        row: u16,
    },
    Resized,
    JobReport(JobReport),
    /// Solving is over, and has a map to show if there is one.
    Solved(Finished, Option<Chart>),
    /// A signal asks the program to end.
    Signal(u8),
    /// Ctrl-Z, or a signal to the same effect.
    Suspend,
    /// The terminal has gone.
    Gone,
    /// Work has failed in a way that it never should.
    Broken,
}

impl ArcadeEvent {
    /// What a terminal says, if it means something to the arcade.
    #[must_use]
    pub fn of(event: &TerminalEvent) -> Option<Self> {
        read(event).map(Self)
    }

    /// A signal asks the program to end.
    #[must_use]
    pub const fn signal(number: u8) -> Self {
        Self(ArcadeEventKind::Signal(number))
    }

    /// The terminal has gone.
    #[must_use]
    pub const fn gone() -> Self {
        Self(ArcadeEventKind::Gone)
    }

    /// The program is to be suspended, by Ctrl-Z or a signal to the same effect.
    #[must_use]
    pub const fn suspend() -> Self {
        Self(ArcadeEventKind::Suspend)
    }

    /// Whether whoever runs the arcade has to suspend the program.
    #[must_use]
    pub const fn is_suspend(&self) -> bool {
        matches!(self.0, ArcadeEventKind::Suspend)
    }

    /// Whether the terminal has gone.
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
