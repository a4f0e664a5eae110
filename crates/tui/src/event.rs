//! Events for the arcade: keys, the mouse, signals, results of background jobs and messages from a server. Also defines the
//! requests that the arcade makes of the terminal.

use std::sync::Arc;

use ratatui::crossterm::event::{
    Event as TerminalEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent,
    MouseEventKind,
};
use skirmish_play::Solved;
use skirmish_play::library::Finished;
use skirmish_present::map::Chart;

use super::jobs::JobReport;
use super::online::LinkEvent;
use super::screen::{Press, Way};
use crate::Start;

/// An event for an arcade.
pub enum ArcadeEvent {
    /// A key or a click on an item.
    Press(Press),
    /// A click on a cell of the screen.
    Click {
        /// The column of the cell.
        column: u16,
        /// The row of the cell.
        row: u16,
    },
    /// The mouse wheel was turned.
    Wheel(Way),
    /// Text was pasted.
    Paste(String),
    /// The window has gained or lost the focus.
    Focus(bool),
    /// The window was resized.
    Resized,
    /// A background job has finished.
    JobReport(JobReport),
    /// Solving has finished; the chart is the map, if there is one.
    Solved(Finished, Option<Chart>),
    /// The map of a solved game has been drawn; `None` if the game has no map.
    Mapped(Arc<Solved>, Option<Chart>),
    /// A message from the server, or a change of the connection.
    Link(LinkEvent),
    /// An attempt to join a server has ended.
    Joined {
        /// The address or invitation.
        asked: String,
        /// The lobby or the game to open, or why the connection failed.
        result: Result<Box<Start>, String>,
    },
    /// A signal asks the program to end.
    Signal(u8),
    /// The caller must redraw everything: Ctrl-L, after another program has written to the terminal.
    Redraw,
    /// The caller must suspend the program: Ctrl-Z, or a signal with the same effect.
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
        match event {
            TerminalEvent::Key(key) if key.kind != KeyEventKind::Release => Some(key_pressed(*key)),
            &TerminalEvent::Mouse(MouseEvent { kind, column, row, .. }) => match kind {
                MouseEventKind::Down(MouseButton::Left) => Some(Self::Click { column, row }),
                MouseEventKind::ScrollUp => Some(Self::Wheel(Way::Up)),
                MouseEventKind::ScrollDown => Some(Self::Wheel(Way::Down)),
                _ => None,
            },
            TerminalEvent::Resize(..) => Some(Self::Resized),
            TerminalEvent::Paste(text) => Some(Self::Paste(text.clone())),
            TerminalEvent::FocusGained => Some(Self::Focus(true)),
            TerminalEvent::FocusLost => Some(Self::Focus(false)),
            TerminalEvent::Key(_) => None,
        }
    }
}

/// What the arcade asks of the terminal, besides its picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TerminalRequest {
    /// Ring the bell.
    Bell,
    /// Show a notification on the desktop.
    Notify(String),
    /// Copy a text to the clipboard.
    Copy(String),
}

fn key_pressed(key: KeyEvent) -> ArcadeEvent {
    match key.code {
        KeyCode::Char('z') if key.modifiers.contains(KeyModifiers::CONTROL) => ArcadeEvent::Suspend,
        KeyCode::Char('l') if key.modifiers.contains(KeyModifiers::CONTROL) => ArcadeEvent::Redraw,
        KeyCode::Char(letter) if key.modifiers.contains(KeyModifiers::CONTROL) => {
            ArcadeEvent::Press(Press::Control(letter))
        }
        code => ArcadeEvent::Press(Press::Key(code)),
    }
}
