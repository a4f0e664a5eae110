//! The screen of an active game, whether its turns come from this terminal or from a server.

mod choices;
mod commands;
mod local;
mod pace;
pub(super) mod picture;
mod screen;
pub(super) mod together;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ratatui::layout::Rect;
use skirmish_play::driver::{Driver, Question};
use skirmish_play::{Analysis, Plan, Session};
use skirmish_rules::{Choice, Scene, Side, Telling, Tempo};
use skirmish_store::{NotSaved, Overwrite};

pub(super) use self::local::LocalPlay;
pub(super) use self::pace::{Pause, Paused};
use self::picture::Outlook;
pub(super) use self::picture::result;
use super::after::{After, AfterItem};
use super::context::Context;
use super::jobs::JobReport;
use super::log::Log;
use super::look::Ink;
use super::motion::Motion;
use super::online::LinkEvent;
use super::parts::Canvas;
use super::screen::{Fate, Go, Help, Hint, Press};

/// How long the end of a game ignores keys.
const HASTE: Duration = Duration::from_millis(700);

/// A game being played or watched. Its turns come from `source`, through the [`Turns`] trait.
pub(super) struct ActiveGame<S> {
    pub(super) source: S,
    pub(super) log: Log,
    /// An earlier position that a spectator is looking at; the game itself is unaffected.
    pub(super) earlier: Option<Earlier>,
    /// The index of the selected choice; `None` between lifting the curtain and moving the cursor.
    pub(super) chosen: Option<usize>,
    pub(super) motion: Option<Motion>,
    /// When the animation of the latest turn ends.
    pub(super) settled: Option<Instant>,
    /// Delays the next turn, so that the last one can be read.
    pub(super) pause: Option<Pause>,
    /// Whether the last turn was played by a person here, who has not had time to read it.
    pub(super) is_unread: bool,
    /// The response to the last input.
    pub(super) message: Option<Message>,
    pub(super) is_analysing: bool,
    /// The file to overwrite once the player confirms.
    pub(super) replacing: Option<PathBuf>,
    /// The screen after the game, once the player has seen the end.
    pub(super) after: Option<After>,
    /// The time of the last event.
    pub(super) now: Instant,
}

/// The game at an earlier time.
pub(super) struct Earlier {
    session: Session,
    log: Log,
}

/// A message to the player.
#[derive(Clone, Debug)]
pub(super) struct Message {
    pub(super) text: String,
    pub(super) is_alarm: bool,
}

impl Message {
    pub(super) fn inked(&self) -> (String, Ink) {
        (self.text.clone(), if self.is_alarm { Ink::Alarm } else { Ink::Good })
    }
}

/// The operations that depend on where a game's turns come from.
pub(super) trait Turns {
    /// The plan and the driver, once the game has begun.
    fn game(&self) -> Option<(&Plan, &Driver)>;

    /// The side that is to choose at this terminal.
    fn chooser(&self) -> Option<Side>;

    /// Whether a game against somebody elsewhere, or against a program, waits for the player here.
    fn awaits_you(&self) -> bool;

    /// The address that invites a second player.
    fn invitation(&self, _context: &Context) -> Option<String> {
        None
    }

    /// Whether the game has ended, even if the screen has not shown the end yet.
    fn has_ended(&self) -> bool;

    /// Advances the game until there is something to show or to choose.
    fn advance(&mut self, context: &mut Context) -> Go;

    /// Continues the game after a pause.
    fn end_pause(&mut self, context: &mut Context) -> Go {
        self.advance(context)
    }

    /// Plays a choice.
    fn play(&mut self, side: Side, notation: &str, context: &mut Context) -> Go;

    /// Handles a typed line.
    fn type_line(&mut self, line: &str, context: &mut Context) -> Go;

    /// Whether lines can be typed.
    fn takes_lines(&self) -> bool;

    /// The words that can be typed, with descriptions.
    fn words(&self) -> Vec<(&'static str, String)>;

    /// The open yes-or-no question.
    fn question(&self) -> Option<Question>;

    /// Answers the open question.
    fn answer(&mut self, question: Question, yes: bool, context: &mut Context) -> Go;

    /// The default file to save to.
    fn usual_file(&self, _context: &Context) -> Option<PathBuf> {
        None
    }

    /// Writes the record to `file`, by default to the game's own file.
    fn write(&mut self, file: Option<&Path>, overwrite: Overwrite) -> Result<String, NotSaved>;

    /// Leaves the game.
    fn leave(&mut self, context: &mut Context) -> Go;

    /// The reason why hints and analysis are not allowed; `None` if they are allowed.
    fn ban(&self) -> Option<&'static str> {
        None
    }

    /// Handles a key meant for a screen in front of the board or for a spectator; returns `None` for other keys.
    fn press_first(&mut self, press: Press, context: &mut Context) -> Option<Go>;

    /// Handles a key specific to this kind of game; returns `None` for other keys.
    fn press_own(&mut self, press: Press, context: &mut Context) -> Option<Go>;

    /// The reason why no single player is asked.
    fn not_asked(&self) -> &'static str {
        "It is not your turn."
    }

    /// Responds to the key of an action while it is not the player's turn.
    fn refuse_key(&mut self) {}

    fn title(&self) -> String;

    /// The keys for the footer while no question is open.
    fn own_hints(&self) -> Vec<Hint>;

    /// Adapts the help to this kind of game.
    fn adapt_help(&self, help: Vec<Help>) -> Vec<Help>;

    /// The information on screen besides the game itself.
    fn outlook(&self, area: Rect, analysis: Option<&Analysis>, context: &Context) -> Outlook;

    /// Whether there is no board yet, and something else is shown.
    fn has_front(&self) -> bool {
        false
    }

    fn draw_front(&self, _canvas: &mut Canvas, _area: Rect, _context: &Context) {}

    /// Whether typed choices must stay hidden.
    fn is_secret(&self) -> bool {
        false
    }

    /// When to call `on_timer` if nothing is being animated.
    fn timer(&self) -> Option<Instant>;

    fn on_timer(&mut self, _context: &mut Context) -> Go {
        Go::Stay
    }

    fn report(&mut self, _report: &JobReport, _context: &mut Context) -> Go {
        Go::Stay
    }

    fn hear(&mut self, _event: &LinkEvent, _is_top: bool, _context: &mut Context) {}

    /// Opens an item of the screen after the game that belongs to this kind of game; returns `None` for other items.
    fn open_own(&mut self, _item: AfterItem, _context: &mut Context) -> Option<Go> {
        None
    }

    /// The ways to continue that are offered as soon as the end has been shown.
    fn next_steps(&self) -> Vec<AfterItem>;

    /// What happens to the game if the player quits now; `None` if no game is in progress.
    fn fate(&self) -> Option<Fate>;

    fn is_at_risk(&self) -> bool {
        false
    }
}

impl<S> ActiveGame<S> {
    pub(super) fn of(source: S, log: Log, context: &Context) -> Self {
        Self {
            source,
            log,
            earlier: None,
            chosen: Some(0),
            motion: None,
            settled: None,
            pause: None,
            is_unread: false,
            message: None,
            is_analysing: false,
            replacing: None,
            after: None,
            now: context.now,
        }
    }

    /// The log up to the position on the screen.
    fn log(&self) -> &Log {
        self.earlier.as_ref().map_or(&self.log, |earlier| &earlier.log)
    }

    fn log_mut(&mut self) -> &mut Log {
        self.earlier.as_mut().map_or(&mut self.log, |earlier| &mut earlier.log)
    }

    /// Shows a message. Returns [`Go::Stay`].
    pub(super) fn say(&mut self, text: impl Into<String>, is_alarm: bool) -> Go {
        self.message = Some(Message { text: text.into(), is_alarm });
        Go::Stay
    }

    /// Whether the last turn is still being shown.
    pub(super) const fn is_moving(&self) -> bool {
        self.motion.is_some() || self.pause.is_some()
    }

    /// Shows a turn, starting from the scene before it. `is_own` tells whether a person at this terminal played it.
    pub(super) fn show_turn(
        &mut self,
        before: Scene,
        turn: Vec<Telling>,
        is_own: bool,
        context: &Context,
    ) {
        (self.message, self.chosen) = (None, Some(0));
        if self.earlier.is_none() {
            let moves = context.look.motion;
            self.motion = moves.then(|| Motion::of(before, turn, context.now)).flatten();
            self.settled = Some(self.motion.as_ref().map_or(context.now, Motion::end));
            self.is_unread = is_own;
        }
    }
}

impl<S> ActiveGame<S>
where
    Self: Turns,
{
    /// The current session, once the game has begun.
    pub(super) fn session(&self) -> Option<&Session> {
        Some(self.game()?.1.session())
    }

    /// The sides whose turn is being animated.
    pub(super) fn shown_movers(&self) -> Vec<Side> {
        match self.session().map(|session| session.table().tempo()) {
            Some(Tempo::Simultaneous) => Side::ALL.to_vec(),
            _ => self.motion.as_ref().and_then(Motion::mover).into_iter().collect(),
        }
    }

    /// Whether the end of the game has been shown.
    pub(super) fn is_over(&self) -> bool {
        self.has_ended() && self.motion.is_none()
    }

    /// The side whose player is to choose, once the last turn has been shown.
    pub(super) fn asked(&self) -> Option<Side> {
        self.chooser().filter(|_| !self.is_moving())
    }

    /// Until when the end of the game ignores keys, which may have been meant for the last turn.
    pub(super) fn deaf_until(&self) -> Option<Instant> {
        let end = self.settled.filter(|_| self.is_over() && self.after.is_none())? + HASTE;
        (self.now < end).then_some(end)
    }

    pub(super) fn choices(&self) -> Vec<Choice> {
        match (self.asked(), self.session()) {
            (Some(side), Some(session)) => session.table().choices(side),
            (Some(_) | None, _) => Vec::new(),
        }
    }
}
