//! A game on a server: what the player does goes out as messages, and what the server tells is shown turn by turn.

mod commands;
mod screen;
mod view;

use std::path::PathBuf;
use std::time::Instant;

use skirmish_play::Score;
use skirmish_play::library::Effort;
use skirmish_present::words as present;
use skirmish_room::wire::{ClientMessage, Offer, ServerMessage, StageName};
use skirmish_room::words::{CLOSED_BY_OPERATOR, PAUSED};
use skirmish_room::{Millis, Mirror, Notice};
use skirmish_rules::{Both, Choice, Ending, Scene, Side, Termination, default_names};
use skirmish_store::Copies;

use super::super::after::After;
use super::super::context::Context;
use super::super::log::{Log, mover};
use super::super::motion::Motion;
use super::super::play::pace::{Pause, Paused};
use super::LinkEvent;
use super::words::{answered, offers};

pub(in super::super) struct OnlineGame {
    mirror: Mirror,
    /// Whether to watch even though a seat is free.
    watch: bool,
    /// Why the server does not let the player in, or that the room is closed.
    refused: Option<String>,
    /// When the clocks were told.
    told_at: Instant,
    /// The time of the last event.
    now: Instant,
    /// Whether each player was connected when that was last shown.
    present: Both<bool>,
    /// The number of the selected choice.
    chosen: usize,
    motion: Option<Motion>,
    /// The message about the last input, and whether it is an alarm.
    message: Option<(String, bool)>,
    log: Log,
    /// What delays the next turn, so that the last one can be read.
    pause: Option<Pause>,
    is_resigning: bool,
    is_analysing: bool,
    /// The score of the match after the game.
    score: Option<Score>,
    /// How the last game of the match ended.
    result: Option<String>,
    /// The screen after the game.
    after: Option<After>,
    /// The files that the record has been saved in from here.
    copies: Copies,
    /// The file to overwrite, if the player says yes.
    replacing: Option<PathBuf>,
}

/// The game before something new is shown.
struct Before {
    scene: Option<Scene>,
    /// How many turns had been played.
    turns: usize,
}

impl OnlineGame {
    /// Joins a game, returns to it, or watches it.
    pub(in super::super) fn new(code: &str, watch: bool, context: &mut Context) -> Self {
        let mut nonce = String::new();
        if let Some(online) = &mut context.online {
            nonce = online.nonce();
            online.at = Some(code.to_owned());
        }
        let mut game = Self {
            mirror: Mirror::new(context.catalog, code, &nonce),
            watch,
            refused: None,
            told_at: context.now,
            now: context.now,
            present: Both::default(),
            chosen: 0,
            motion: None,
            message: None,
            log: Log::default(),
            pause: None,
            is_resigning: false,
            is_analysing: false,
            score: None,
            result: None,
            after: None,
            copies: Copies::default(),
            replacing: None,
        };
        game.join(context);
        game
    }

    /// Tells the server which game this is, and repeats what was not answered.
    fn join(&mut self, context: &mut Context) {
        let Some(online) = context.online.as_mut().filter(|online| online.is_connected()) else {
            return;
        };
        for message in self.mirror.connected(self.watch) {
            online.send(message);
        }
    }

    /// Sends what the mirror makes of an input.
    fn send(&mut self, context: &mut Context, make: impl FnOnce(&mut Mirror) -> ClientMessage) {
        let message = make(&mut self.mirror);
        if let Some(online) = &mut context.online {
            online.send(message);
        }
    }

    /// The player leaves the table. A game that waits for its second player stays open.
    fn leave(&self, context: &mut Context) {
        let Some(online) = &mut context.online else { return };
        online.at = None;
        if self.mirror.version() > 0 && !self.can_close() {
            online.send(ClientMessage::Leave { code: self.mirror.code().to_owned() });
        }
    }

    /// Whether this is one's own game, which nobody has joined yet.
    fn can_close(&self) -> bool {
        self.mirror.stage() == StageName::Open && self.mirror.you().is_some()
    }

    fn name(&self, side: Side) -> String {
        match self.mirror.session() {
            Some(session) => session.table().names()[side].clone(),
            None => default_names()[side].clone(),
        }
    }

    /// The opponent's side; none for a spectator.
    fn opponent(&self) -> Option<Side> {
        self.mirror.you().map(Side::other)
    }

    /// The side that is asked, once everything has been shown.
    fn asked(&self) -> Option<Side> {
        self.mirror.asked().filter(|_| self.motion.is_none())
    }

    fn choices(&self) -> Vec<Choice> {
        match (self.asked(), self.mirror.session()) {
            (Some(side), Some(session)) => session.table().choices(side),
            _ => Vec::new(),
        }
    }

    /// The offer that the player can answer.
    fn open_offer(&self) -> Option<Offer> {
        self.mirror.offers()[self.opponent()?]
    }

    /// Whether the players have agreed to hints and analysis.
    fn has_hints(&self) -> bool {
        self.mirror.terms().is_some_and(|terms| terms.hints)
    }

    /// Whether the game that is shown is over.
    fn is_over(&self) -> bool {
        self.mirror.end().is_some() && self.motion.is_none()
    }

    /// How many milliseconds ago the clocks were told.
    fn since(&self, now: Instant) -> Millis {
        let passed = now.saturating_duration_since(self.told_at).as_millis();
        Millis::try_from(passed).unwrap_or(Millis::MAX)
    }

    /// Takes in an event of the connection.
    fn hear(&mut self, event: &LinkEvent, is_top: bool, context: &mut Context) {
        match event {
            LinkEvent::Connected(_) => self.join(context),
            LinkEvent::Record { .. } | LinkEvent::Lost { .. } | LinkEvent::Failed { .. } => {}
            LinkEvent::Message(message) => {
                self.receive(message, context);
                self.show(is_top, context);
            }
        }
        if let Some(after) = &mut self.after {
            after.wait_for(self.mirror.outage());
        }
    }

    fn receive(&mut self, message: &ServerMessage, context: &mut Context) {
        match message {
            // Only joining has no id here, and nothing else is asked before the game is known.
            ServerMessage::Rej(rej) if rej.may_answer() && self.mirror.version() == 0 => {
                self.refused = Some(rej.text.clone());
            }
            ServerMessage::Snap(snap) if snap.code == self.mirror.code() => self.refused = None,
            _ => {}
        }
        let before = (self.mirror.version(), self.mirror.clock().cloned());
        self.mirror.receive(message.clone());
        if before != (self.mirror.version(), self.mirror.clock().cloned()) {
            self.told_at = context.now;
        }
        if let (Some(online), Some(message)) = (&mut context.online, self.mirror.catch_up()) {
            online.send(message);
        }
    }

    /// Shows what is new, until a turn needs time to be shown.
    fn show(&mut self, is_top: bool, context: &mut Context) {
        let was_moving = self.motion.is_some();
        Motion::advance(&mut self.motion, context.now);
        if was_moving && self.motion.is_none() {
            self.let_read(context);
        }
        self.pause = self.pause.filter(|pause| !pause.is_over(context.now));
        // What happens below another screen is not animated.
        while !is_top || !self.is_moving() {
            self.come_to_rest();
            let scene = self.mirror.session().map(|session| session.table().scene());
            let before = Before { scene, turns: self.turns() };
            let Some(notice) = self.mirror.advance() else { break };
            self.tell(notice, before, is_top, context);
        }
    }

    /// Whether the last turn is still being shown.
    const fn is_moving(&self) -> bool {
        self.motion.is_some() || self.pause.is_some()
    }

    /// Lets players read their own turn before the next one appears.
    fn let_read(&mut self, context: &Context) {
        if self.is_own_turn() {
            self.pause = Some(Pause::new(Paused::Reading, context));
        }
    }

    /// Whether the last turn is the player's own.
    fn is_own_turn(&self) -> bool {
        let Some(session) = self.mirror.session() else { return false };
        let mover = mover(session.table(), session.table().turns_played());
        mover.is_some() && mover == self.mirror.you()
    }

    /// Shows the last turn as it ended.
    fn come_to_rest(&mut self) {
        (self.motion, self.pause) = (None, None);
    }

    fn tell(&mut self, notice: Notice, before: Before, is_top: bool, context: &mut Context) {
        match notice {
            Notice::Began { resumed: _, swapped } => self.begin(swapped, is_top, context),
            Notice::Turn => self.play(before.scene, context),
            Notice::TakenBack => {
                self.chosen = 0;
                self.message = None;
                self.follow();
                self.remark(present::taken_back(before.turns.saturating_sub(self.turns())));
            }
            Notice::Offered(side, what) => {
                let text = offers(&self.name(side), what);
                match &mut self.after {
                    Some(after) if Some(side) == self.mirror.you() => after.say(text),
                    Some(after) if self.mirror.you().is_some() => {
                        after.say(format!("{text} Do you accept? y or n"));
                    }
                    // The picture says so to the players.
                    None if self.mirror.you().is_some() => {}
                    Some(_) | None => self.remark(text),
                }
            }
            Notice::Answered(side, what, yes) if Some(side) != self.mirror.you() => {
                let verb = if yes { "accepts" } else { "declines" };
                self.remark(format!("{} {verb} {}.", self.name(side), answered(what)));
            }
            // The picture says so, if there is anything to say.
            Notice::Chosen(_)
            | Notice::Answered(..)
            | Notice::Waiting
            | Notice::Accepted(_)
            | Notice::Stuck { waits: true, .. } => {}
            Notice::Ended(_) => {
                (self.message, self.is_resigning) = (None, false);
                self.note_ending();
            }
            Notice::Score(score, _) => {
                self.score = Some(score);
                // The next game of a match begins soon, and hides this one.
                self.result = self.mirror.session().map(|session| view::ending(self, session));
            }
            Notice::Said(side, phrase) => {
                self.remark(format!("{}: {}", self.name(side), phrase.text()));
            }
            Notice::Presence(present) => self.note_presence(present),
            Notice::Paused => self.remark(PAUSED.to_owned()),
            Notice::Resumed => self.remark("The game goes on.".to_owned()),
            Notice::Closed if self.mirror.session().is_some() => {
                if let Some(after) = &mut self.after {
                    after.close(CLOSED_BY_OPERATOR);
                }
                self.log.note(CLOSED_BY_OPERATOR.to_owned());
            }
            Notice::Closed => self.refused = Some("The game was closed.".to_owned()),
            Notice::Refused(rej) => self.alarm(rej.text),
            Notice::Stuck { text, waits: false } => self.alarm(text),
            Notice::Unrated(text) | Notice::Unstuck(text) => self.remark(text),
        }
    }

    /// The server refuses something, or cannot go on.
    fn alarm(&mut self, text: String) {
        match &mut self.after {
            Some(after) => after.say(text),
            None => self.message = Some((text, true)),
        }
    }

    fn begin(&mut self, swapped: bool, is_top: bool, context: &mut Context) {
        self.after = None;
        self.score = None;
        self.message = None;
        self.replacing = None;
        self.is_resigning = false;
        self.chosen = 0;
        self.refused = None;
        self.present = self.mirror.present();
        match self.mirror.plan() {
            Some(plan) if self.has_hints() => context.learn(plan, Effort::Slight),
            // It may have been switched on after the last game.
            Some(_) | None => self.is_analysing = false,
        }
        if let (Some(plan), Some(session)) = (self.mirror.plan(), self.mirror.session()) {
            self.log = Log::new(plan, session);
        }
        if let Some(result) = self.result.take() {
            self.remark(result);
        }
        if let Some(side) = self.mirror.you().filter(|_| swapped) {
            self.remark(format!("The seats are swapped: you are {side} now."));
        }
        if !is_top && self.mirror.number() > 1 {
            context.notice = Some("The next game begins: Esc takes you back to it.".to_owned());
        }
    }

    fn play(&mut self, before: Option<Scene>, context: &Context) {
        self.follow();
        self.chosen = 0;
        self.message = None;
        if let (Some(session), Some(before)) = (self.mirror.session(), before)
            && context.look.motion
        {
            let table = session.table();
            self.motion = Motion::of(before, table.last_turn(), context.now);
        }
        if self.motion.is_none() {
            self.let_read(context);
        }
    }

    /// Brings the log up to date.
    fn follow(&mut self) {
        if let Some(session) = self.mirror.session() {
            self.log.follow(session);
        }
    }

    /// Players who come are announced. That one is away, the picture says as long as it is so.
    fn note_presence(&mut self, present: Both<bool>) {
        for side in Side::ALL {
            if Some(side) != self.mirror.you() && present[side] && !self.present[side] {
                self.remark(format!("{} is connected.", self.name(side)));
            }
        }
        self.present = present;
    }

    /// Says something that happened besides the turns.
    fn remark(&mut self, text: String) {
        if let Some(after) = &mut self.after {
            after.say(text.clone());
        }
        self.log.note(text);
    }

    /// Tells how the game ended, unless the last turn says so.
    fn note_ending(&mut self) {
        let Some(session) = self.mirror.session() else { return };
        let is_told = |ending: Ending| ending.termination == Termination::Rules;
        if !session.ending().is_some_and(is_told) {
            self.log.note(view::ending(self, session));
        }
    }

    fn turns(&self) -> usize {
        self.mirror.session().map_or(0, |session| session.table().turns_played())
    }
}
