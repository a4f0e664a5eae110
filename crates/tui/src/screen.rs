//! What every screen of the arcade can do.

use std::time::Instant;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;

use super::context::Context;
use super::jobs::JobReport;
use super::parts::Canvas;
use crate::Closed;

/// Something a player did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Press {
    Key(KeyCode),
    /// A letter with the control key.
    Control(char),
    /// An item of what is shown, by its number.
    Pick(usize),
}

impl Press {
    /// The key of a letter.
    pub(super) const fn letter(letter: char) -> Self {
        Self::Key(KeyCode::Char(letter))
    }

    pub(super) const fn is_enter(self) -> bool {
        matches!(self, Self::Key(KeyCode::Enter | KeyCode::Char(' ')))
    }

    /// Which way an arrow key or one of `hjkl` goes.
    pub(super) const fn way(self) -> Option<Way> {
        let Self::Key(code) = self else { return None };
        Some(match code {
            KeyCode::Up | KeyCode::Char('k') => Way::Up,
            KeyCode::Down | KeyCode::Char('j') => Way::Down,
            KeyCode::Left | KeyCode::Char('h') => Way::Left,
            KeyCode::Right | KeyCode::Char('l') => Way::Right,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    Up,
    Down,
    Left,
    Right,
}

impl Way {
    /// The item before or after one of so many, going round.
    pub(super) const fn step(self, from: usize, count: usize) -> usize {
        if count == 0 {
            return 0;
        }
        match self {
            Self::Up | Self::Left => (from + count - 1) % count,
            Self::Down | Self::Right => (from + 1) % count,
        }
    }
}

/// Where to go from a screen.
pub(super) enum Go {
    Stay,
    /// To another screen, from which one comes back.
    To(Box<dyn Screen>),
    /// To another screen in place of this one.
    Replace(Box<dyn Screen>),
    Back,
    Home,
    Leave(Closed),
}

/// What becomes of a game when the program is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// One can go on with it.
    Saved,
    /// No turn was played, so there is nothing to save.
    Unplayed,
    Lost,
}

/// A key and what it does, as the bottom line and the help show it.
pub(super) type Hint = (&'static str, &'static str);

pub(super) trait Screen: Send {
    /// What the top line says.
    fn title(&self) -> String;

    /// The keys that do something here, the most useful first.
    fn hints(&self) -> Vec<Hint>;

    /// What the help adds to the keys.
    fn more_help(&self) -> Vec<Hint> {
        Vec::new()
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go;

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context);

    /// Work that was asked for is done.
    fn hear(&mut self, _report: &JobReport, _hall: &mut Context) -> Go {
        Go::Stay
    }

    /// The moment has come that `due` named.
    fn wake(&mut self, _hall: &mut Context) -> Go {
        Go::Stay
    }

    /// When the screen wants to be woken; a screen at rest costs nothing.
    fn due(&self) -> Option<Instant> {
        None
    }

    /// Comes back into view.
    fn resume(&mut self, _hall: &mut Context) -> Go {
        Go::Stay
    }

    /// Whether letters are being typed and mean nothing else.
    fn is_typing(&self) -> bool {
        false
    }

    /// What becomes of the game in progress when the program is left.
    fn fate(&self) -> Fate {
        Fate::Saved
    }

    /// Whether leaving would lose what the player thinks is saved, so that every way out is worth a question.
    fn is_at_risk(&self) -> bool {
        false
    }

    /// Whether a game is in progress, so that leaving is worth a question.
    fn in_game(&self) -> bool {
        false
    }
}
