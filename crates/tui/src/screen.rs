//! The interface of the arcade's screens.

use std::borrow::Cow;
use std::time::Instant;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_rules::Entry;

use super::context::Context;
use super::jobs::JobReport;
use super::online::LinkEvent;
use super::palette::Command;
use super::parts::Canvas;
use crate::Closed;

/// Number of items by which a page key moves the cursor of a list.
const PAGE: usize = 10;

/// A player's input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Press {
    Key(KeyCode),
    /// A letter with Ctrl.
    Control(char),
    /// A click on the item with this number.
    Pick(usize),
    /// A turn of the mouse wheel. Unlike an arrow key, the wheel stops at the ends of a list.
    Wheel(Way),
}

impl Press {
    /// The key for a letter.
    pub(super) const fn letter(letter: char) -> Self {
        Self::Key(KeyCode::Char(letter))
    }

    pub(super) const fn is_enter(self) -> bool {
        matches!(self, Self::Key(KeyCode::Enter | KeyCode::Char(' ')))
    }

    /// The direction of an arrow key, one of `hjkl`, or the wheel.
    pub(super) const fn way(self) -> Option<Way> {
        let code = match self {
            Self::Key(code) => code,
            Self::Wheel(way) => return Some(way),
            Self::Control(_) | Self::Pick(_) => return None,
        };
        Some(match code {
            KeyCode::Up | KeyCode::Char('k') => Way::Up,
            KeyCode::Down | KeyCode::Char('j') => Way::Down,
            KeyCode::Left | KeyCode::Char('h') => Way::Left,
            KeyCode::Right | KeyCode::Char('l') => Way::Right,
            _ => return None,
        })
    }

    /// The answer to a yes-or-no question.
    pub(super) const fn answer(self) -> Option<bool> {
        match self {
            Self::Key(KeyCode::Char('y' | 'Y')) => Some(true),
            Self::Key(KeyCode::Char('n' | 'N') | KeyCode::Esc) => Some(false),
            Self::Key(_) | Self::Control(_) | Self::Pick(_) | Self::Wheel(_) => None,
        }
    }

    /// Moves the cursor of a list. Returns whether to open the selected item: on Enter, or on a second click.
    pub(super) fn opens(self, chosen: &mut usize, count: usize) -> bool {
        match self {
            Self::Pick(number) if number < count => {
                return std::mem::replace(chosen, number) == number;
            }
            _ => self.moves(chosen, count),
        }
        self.is_enter()
    }

    /// Like [`Self::opens`], for long lists: page keys also move the cursor.
    pub(super) fn opens_paged(self, chosen: &mut usize, count: usize) -> bool {
        match self {
            Self::Key(KeyCode::PageUp) => *chosen = chosen.saturating_sub(PAGE),
            Self::Key(KeyCode::PageDown) => *chosen = (*chosen + PAGE).min(count.saturating_sub(1)),
            _ => return self.opens(chosen, count),
        }
        false
    }

    /// Moves the cursor of a list.
    pub(super) fn moves(self, chosen: &mut usize, count: usize) {
        match self {
            Self::Key(KeyCode::Home) => *chosen = 0,
            Self::Key(KeyCode::End) => *chosen = count.saturating_sub(1),
            _ => {
                if let Some(Way::Up | Way::Down) = self.way() {
                    *chosen = self.step(*chosen, count).unwrap_or(*chosen);
                }
            }
        }
    }

    /// The index of the list item that an arrow key or the wheel leads to.
    pub(super) fn step(self, from: usize, count: usize) -> Option<usize> {
        let way = self.way()?;
        Some(match self {
            Self::Wheel(Way::Up | Way::Left) => from.saturating_sub(1),
            Self::Wheel(Way::Down | Way::Right) => (from + 1).min(count.saturating_sub(1)),
            Self::Key(_) | Self::Control(_) | Self::Pick(_) => way.step(from, count),
        })
    }

    /// The first visible row of a table after a scrolling key. The caller must limit the result.
    pub(super) const fn scrolled(self, top: usize) -> Option<usize> {
        match self {
            Self::Key(KeyCode::PageDown | KeyCode::Char(' ')) => return Some(top + PAGE),
            Self::Key(KeyCode::PageUp) => return Some(top.saturating_sub(PAGE)),
            Self::Key(KeyCode::Home) => return Some(0),
            Self::Key(KeyCode::End) => return Some(usize::MAX / 2),
            Self::Key(_) | Self::Control(_) | Self::Pick(_) | Self::Wheel(_) => {}
        }
        match self.way() {
            Some(Way::Down) => Some(top + 1),
            Some(Way::Up) => Some(top.saturating_sub(1)),
            Some(Way::Left | Way::Right) | None => None,
        }
    }
}

/// A direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// Up.
    Up,
    /// Down.
    Down,
    /// Left.
    Left,
    /// Right.
    Right,
}

impl Way {
    /// The previous or next of `count` items, wrapping around.
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

/// A screen's navigation request.
pub(super) enum Go {
    Stay,
    /// Opens another screen on top of this one.
    To(Box<dyn Screen>),
    /// Opens another screen in place of this one.
    Replace(Box<dyn Screen>),
    /// Closes all screens and opens another on top of the home screen.
    Anew(Box<dyn Screen>),
    Back,
    Home,
    Leave(Closed),
}

impl Go {
    /// Opens another screen on top of this one.
    pub(super) fn to(screen: impl Screen + 'static) -> Self {
        Self::To(Box::new(screen))
    }

    /// Opens another screen in place of this one.
    pub(super) fn replace(screen: impl Screen + 'static) -> Self {
        Self::Replace(Box::new(screen))
    }

    /// Stays on the screen and tells the player why.
    pub(super) fn refused(why: impl Into<String>, context: &mut Context) -> Self {
        context.notice = Some(why.into());
        Self::Stay
    }
}

/// What happens to a game if the player quits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The game can be resumed.
    Saved,
    /// No turn was played, so there is nothing to save.
    Unplayed,
    Lost,
    /// The game continues on a server; its clocks, if any, keep running.
    GoesOn {
        is_timed: bool,
    },
    /// A tournament stops.
    Stops,
}

/// What can be copied to the clipboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Clip {
    Position,
    Record,
    /// The address that invites a second player.
    Code,
}

impl Clip {
    pub(super) const ALL: [Self; 3] = [Self::Position, Self::Record, Self::Code];

    /// The command that copies it, and its name in a sentence.
    pub(super) const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Position => ("copy position", "the position"),
            Self::Record => ("copy record", "the record"),
            Self::Code => ("copy code", "the invitation"),
        }
    }
}

/// A key and its effect, for the footer and the help.
pub(super) type Hint = (&'static str, &'static str);

/// A line of the help: keys and their effect, or a sign and its meaning.
pub(super) type Help = (Cow<'static, str>, &'static str);

pub(super) trait Screen: Send {
    /// The title in the header.
    fn title(&self) -> String;

    /// The keys of this screen, most useful first.
    fn hints(&self) -> Vec<Hint>;

    /// Additional keys for the help.
    fn more_help(&self) -> Vec<Help> {
        Vec::new()
    }

    /// The signs used on this screen, for the help.
    fn signs(&self) -> Vec<Help> {
        Vec::new()
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go;

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context);

    /// Called when a background job has finished.
    fn on_report(&mut self, _report: &JobReport, _context: &mut Context) -> Go {
        Go::Stay
    }

    /// Called on an event from the server. Only the top screen can navigate.
    fn on_link(&mut self, _event: &LinkEvent, _is_top: bool, _context: &mut Context) -> Go {
        Go::Stay
    }

    /// Called at the time that `due` returned.
    fn wake(&mut self, _context: &mut Context) -> Go {
        Go::Stay
    }

    /// When to call `wake`; `None` for a screen at rest.
    fn due(&self) -> Option<Instant> {
        None
    }

    /// Called when the screen is on top again.
    fn resume(&mut self, _context: &mut Context) -> Go {
        Go::Stay
    }

    /// Called when the mouse wheel turns. Returns whether the screen scrolled; if not, the wheel moves the cursor.
    fn wheel(&mut self, _way: Way) -> bool {
        false
    }

    /// Whether a game against somebody elsewhere, or against a program, waits for the player here.
    fn awaits_you(&self) -> bool {
        false
    }

    /// The text that a command copies to the clipboard; `None` if this screen has none.
    fn clip(&self, _what: Clip, _context: &Context) -> Option<String> {
        None
    }

    /// The game shown on this screen, if any.
    fn game(&self) -> Option<&'static Entry> {
        None
    }

    /// Commands for the palette, in addition to this screen's keys and the common destinations.
    fn commands(&self) -> Vec<Command> {
        Vec::new()
    }

    /// Handles a line that was typed after `:`; `None` if this screen accepts no lines.
    fn enter_line(&mut self, _line: &str, _context: &mut Context) -> Option<Go> {
        None
    }

    /// Whether text typed after `:` must stay hidden.
    fn is_secret(&self) -> bool {
        false
    }

    /// Whether an open question must be answered before anything else.
    fn is_asking(&self) -> bool {
        false
    }

    /// Whether text is being typed, so that letters are not commands.
    fn is_typing(&self) -> bool {
        false
    }

    /// What happens to the game in progress if the player quits.
    fn fate(&self) -> Fate {
        Fate::Saved
    }

    /// Whether leaving would lose turns that the player believes to be saved, so that every exit needs confirmation.
    fn is_at_risk(&self) -> bool {
        false
    }

    /// Whether a game is in progress, so that quitting needs confirmation.
    fn in_game(&self) -> bool {
        false
    }
}
