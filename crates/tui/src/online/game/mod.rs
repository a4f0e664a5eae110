//! A game on a server: sends the player's actions and shows the server's reports turn by turn.

mod commands;
mod turns;
mod view;

use std::time::Instant;

use skirmish_play::library::Effort;
use skirmish_play::{Score, Session};
use skirmish_present::words as present;
use skirmish_room::wire::{ClientMessage, Offer, Rej, ServerMessage, StageName};
use skirmish_room::words::{CLOSED_BY_OPERATOR, PAUSED};
use skirmish_room::{Millis, Mirror, Notice};
use skirmish_rules::{Both, Scene, Side, Termination, default_names};
use skirmish_store::Copies;

use super::super::context::Context;
use super::super::log::{Log, mover};
use super::super::play::{ActiveGame, Pause, Paused};
use super::super::screen::Go;
use super::send;
use super::words::{answered, offers};

pub(crate) type OnlinePlay = ActiveGame<Mirrored>;

/// The source of turns for a game on a server.
pub(crate) struct Mirrored {
    mirror: Mirror,
    /// Whether to watch even though a seat is free.
    watch: bool,
    /// The reason why the player cannot enter the room.
    refused: Option<String>,
    /// When the server last reported the clocks.
    told_at: Instant,
    /// Whether each player was connected when last announced.
    present: Both<bool>,
    is_resigning: bool,
    /// The score of the match after the game.
    score: Option<Score>,
    /// A sentence about how the last game of the match ended.
    result: Option<String>,
    /// The files to which this game has been saved.
    copies: Copies,
}

/// The game before a notice is applied.
struct Before {
    scene: Option<Scene>,
    /// The number of turns played.
    turns: usize,
}

impl OnlinePlay {
    /// Joins a game, returns to it, or watches it.
    pub(crate) fn new(code: &str, watch: bool, context: &mut Context) -> Self {
        let mut nonce = String::new();
        if let Some(online) = &mut context.online {
            nonce = online.nonce();
            online.at = Some(code.to_owned());
        }
        let mirrored = Mirrored {
            mirror: Mirror::new(context.catalog(), code, &nonce),
            watch,
            refused: None,
            told_at: context.now,
            present: Both::default(),
            is_resigning: false,
            score: None,
            result: None,
            copies: Copies::default(),
        };
        let mut game = Self::of(mirrored, Log::default(), context);
        game.join(context);
        game
    }

    const fn mirror(&self) -> &Mirror {
        &self.source.mirror
    }

    /// Joins the room, and resends unanswered requests.
    fn join(&mut self, context: &mut Context) {
        let Some(online) = context.online.as_mut().filter(|online| online.is_connected()) else {
            return;
        };
        for message in self.source.mirror.connected(self.source.watch) {
            online.send(message);
        }
    }

    /// Sends a request that `make` builds from the mirror.
    fn send(&mut self, context: &mut Context, make: impl FnOnce(&mut Mirror) -> ClientMessage) {
        send(make(&mut self.source.mirror), context);
    }

    /// Whether the player created this game and nobody has joined it yet.
    fn can_close(&self) -> bool {
        self.mirror().stage() == StageName::Open && self.mirror().you().is_some()
    }

    fn name(&self, side: Side) -> String {
        match self.mirror().session() {
            Some(session) => session.table().names()[side].clone(),
            None => default_names()[side].clone(),
        }
    }

    /// The opponent's side; `None` for a spectator.
    fn opponent(&self) -> Option<Side> {
        self.mirror().you().map(Side::other)
    }

    /// The offer that the player can answer.
    fn open_offer(&self) -> Option<Offer> {
        self.mirror().offers()[self.opponent()?]
    }

    /// Whether the players have agreed to hints and analysis.
    fn has_hints(&self) -> bool {
        self.mirror().terms().is_some_and(|terms| terms.hints)
    }

    /// Milliseconds since the server last reported the clocks.
    fn since(&self, now: Instant) -> Millis {
        let passed = now.saturating_duration_since(self.source.told_at).as_millis();
        Millis::try_from(passed).unwrap_or(Millis::MAX)
    }

    fn receive(&mut self, message: &ServerMessage, context: &mut Context) {
        match message {
            // Before the first snapshot, only the request to join can be rejected.
            ServerMessage::Rej(rej) if rej.may_answer() && self.mirror().version() == 0 => {
                self.source.refused = Some(rej.text.clone());
            }
            ServerMessage::Snap(snap) if snap.code == self.mirror().code() => {
                self.source.refused = None;
            }
            _ => {}
        }
        let before = (self.mirror().version(), self.mirror().clock().cloned());
        self.source.mirror.receive(message.clone());
        if before != (self.mirror().version(), self.mirror().clock().cloned()) {
            self.source.told_at = context.now;
        }
        if let Some(message) = self.source.mirror.catch_up() {
            send(message, context);
        }
    }

    /// Shows new events until a turn is being animated. Nothing is animated below another screen.
    fn show(&mut self, is_top: bool, context: &mut Context) {
        while !is_top || !self.is_moving() {
            if std::mem::take(&mut self.is_unread) && is_top {
                self.pause = Some(Pause::new(Paused::Reading, context));
                break;
            }
            (self.motion, self.pause) = (None, None);
            let scene = self.session().map(|session| session.table().scene());
            let before = Before { scene, turns: self.turns() };
            let Some(notice) = self.source.mirror.advance() else { break };
            self.tell(notice, before, is_top, context);
        }
    }

    /// Whether the last turn is the player's own.
    fn is_own_turn(&self) -> bool {
        let Some(session) = self.session() else { return false };
        let mover = mover(session.table(), session.table().turns_played());
        mover.is_some() && mover == self.mirror().you()
    }

    fn tell(&mut self, notice: Notice, before: Before, is_top: bool, context: &mut Context) {
        match notice {
            Notice::Began { resumed: _, swapped } => self.begin(swapped, is_top, context),
            Notice::Turn => self.turn_played(before.scene, context),
            Notice::TakenBack => {
                (self.message, self.chosen) = (None, Some(0));
                self.follow();
                self.remark(present::taken_back(before.turns.saturating_sub(self.turns())));
            }
            Notice::Offered(side, what) => {
                let (text, you) = (offers(&self.name(side), what), self.mirror().you());
                match &mut self.after {
                    Some(after) if Some(side) == you => after.say(text),
                    Some(after) if you.is_some() => {
                        after.say(format!("{text} Do you accept? y or n"));
                    }
                    // The players see this above their choices.
                    None if you.is_some() => {}
                    Some(_) | None => self.remark(text),
                }
            }
            Notice::Answered(side, what, yes) if Some(side) != self.mirror().you() => {
                let verb = if yes { "accepts" } else { "declines" };
                self.remark(format!("{} {verb} {}.", self.name(side), answered(what)));
            }
            // The screen already shows these states.
            Notice::Chosen(_)
            | Notice::Answered(..)
            | Notice::Waiting
            | Notice::Accepted(_)
            | Notice::Stuck { waits: true, .. } => {}
            Notice::Ended(_) => {
                (self.message, self.source.is_resigning) = (None, false);
                self.note_ending();
            }
            Notice::Score(score, _) => {
                self.source.score = Some(score);
                // Keep the result: the next game of the match soon replaces this one.
                self.source.result = Some(view::ending(self));
            }
            Notice::Said(side, phrase) => {
                self.remark(format!("{}: {}", self.name(side), phrase.text()));
            }
            Notice::Presence(present) => self.note_presence(present),
            Notice::Paused => self.remark(PAUSED.to_owned()),
            Notice::Resumed => self.remark("The game goes on.".to_owned()),
            Notice::Closed if self.mirror().session().is_some() => {
                if let Some(after) = &mut self.after {
                    after.close(CLOSED_BY_OPERATOR);
                }
                self.log.note(CLOSED_BY_OPERATOR.to_owned());
            }
            Notice::Closed => self.source.refused = Some("The game was closed.".to_owned()),
            Notice::Refused(Rej { text, .. }) | Notice::Stuck { text, waits: false } => {
                self.respond(text, true);
            }
            Notice::Unrated(text) | Notice::Unstuck(text) => self.remark(text),
        }
    }

    /// Shows a message, on the screen after the game if that is open.
    fn respond(&mut self, text: impl Into<String>, is_alarm: bool) -> Go {
        match &mut self.after {
            Some(after) => {
                after.say(text.into());
                Go::Stay
            }
            None => self.say(text, is_alarm),
        }
    }

    fn begin(&mut self, swapped: bool, is_top: bool, context: &mut Context) {
        self.after = None;
        self.source.score = None;
        self.message = None;
        self.replacing = None;
        self.source.is_resigning = false;
        self.chosen = Some(0);
        self.source.refused = None;
        self.source.present = self.mirror().present();
        match self.mirror().plan() {
            Some(plan) if self.has_hints() => context.learn(plan, Effort::Slight),
            // Analysis may have been switched on after the previous game.
            Some(_) | None => self.is_analysing = false,
        }
        if let (Some(plan), Some(session)) = (self.mirror().plan(), self.mirror().session()) {
            self.log = Log::new(plan, session, self.mirror().you());
        }
        if let Some(result) = self.source.result.take() {
            self.remark(result);
        }
        if let Some(side) = self.mirror().you().filter(|_| swapped) {
            self.remark(format!("The seats are swapped: you are {side} now."));
        }
        if !is_top && self.mirror().number() > 1 {
            context.notice = Some("The next game begins: Esc takes you back to it.".to_owned());
        }
    }

    fn turn_played(&mut self, before: Option<Scene>, context: &Context) {
        self.follow();
        let last_turn = self.session().map(|session| session.table().last_turn());
        if let (Some(before), Some(last_turn)) = (before, last_turn) {
            self.show_turn(before, last_turn, self.is_own_turn(), context);
        }
    }

    /// Brings the log up to date.
    fn follow(&mut self) {
        if let Some(session) = self.source.mirror.session() {
            self.log.follow(session);
        }
    }

    /// Announces players who have connected. The screen shows absent players anyway.
    fn note_presence(&mut self, present: Both<bool>) {
        for side in Side::ALL {
            if Some(side) != self.mirror().you() && present[side] && !self.source.present[side] {
                self.remark(format!("{} is connected.", self.name(side)));
            }
        }
        self.source.present = present;
    }

    /// Reports an event that is not a turn.
    fn remark(&mut self, text: String) {
        if let Some(after) = &mut self.after {
            after.say(text.clone());
        }
        self.log.note(text);
    }

    /// Logs how the game ended, unless the rules ended it and the last turn says so.
    fn note_ending(&mut self) {
        let ending = self.session().and_then(Session::ending);
        if ending.is_none_or(|ending| ending.termination != Termination::Rules) {
            self.log.note(view::ending(self));
        }
    }

    fn turns(&self) -> usize {
        self.mirror().session().map_or(0, |session| session.table().turns_played())
    }
}
