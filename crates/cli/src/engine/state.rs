//! The engine as a state machine: input lines, finished orders and deadlines in; output lines and orders out.

mod thinking;

use std::time::{Duration, Instant};

use skirmish_play::library::{Found, Library, Order, Wish};
use skirmish_play::{Budget, SolveError};
use skirmish_rules::{Side, alternatives, quotable};

use super::options::{EngineOptions, Touched};
use super::spot::{NO_RESULT, Spot};
use super::{EngineEvent, worth};
use crate::line::InputLine;
use crate::show;
use thinking::{Luck, PendingMove};

/// The engine.
pub(super) struct Engine {
    options: EngineOptions,
    spot: Spot,
    library: Library,
    luck: Luck,
    thinking: Option<PendingMove>,
    /// The number of unanswered `isready` commands.
    unanswered: usize,
    /// The deadline for answering `isready`.
    ready_by: Option<Instant>,
    /// The deadline for ending, after the end of input.
    leaves_by: Option<Instant>,
    /// Whether the reason why this position is not solved has been sent.
    has_explained: bool,
    has_ended: bool,
    lines: Vec<String>,
    orders: Vec<Order>,
}

/// The maximum delay of `readyok`. The engine can move before the game is solved, and no runner waits for ever.
const READY_TIMEOUT: Duration = Duration::from_secs(4);

/// The maximum delay between the end of input and the end of the program.
const END_TIMEOUT: Duration = Duration::from_secs(2);

/// The response to a query that has no answer.
const UNKNOWN: &str = "unknown";

/// The commands, for error messages.
const COMMANDS: [&str; 10] =
    ["ugi", "setoption", "isready", "uginewgame", "position", "go", "stop", "query", "d", "quit"];

/// The commands that depend on the game. All options must be set before them.
const GAME_COMMANDS: [&str; 6] = ["isready", "uginewgame", "position", "go", "query", "d"];

const QUERIES: [&str; 5] = ["p1turn", "gameover", "result", "moves", "value"];

impl Engine {
    /// An engine that solves games within a memory budget.
    pub(super) fn new(options: EngineOptions, budget: Budget) -> Self {
        let spot = Spot::start(options.entry, &options.settings);
        Self {
            options,
            spot,
            library: Library::new(budget),
            luck: Luck::default(),
            thinking: None,
            unanswered: 0,
            ready_by: None,
            leaves_by: None,
            has_explained: false,
            has_ended: false,
            lines: Vec::new(),
            orders: Vec::new(),
        }
    }

    /// The lines to print now.
    pub(super) fn take_lines(&mut self) -> Vec<String> {
        std::mem::take(&mut self.lines)
    }

    /// The orders to start now.
    pub(super) fn take_orders(&mut self) -> Vec<Order> {
        std::mem::take(&mut self.orders)
    }

    /// The next deadline.
    pub(super) fn due(&self) -> Option<Instant> {
        let thinking = self.thinking.as_ref().and_then(|thinking| thinking.until);
        [thinking, self.ready_by, self.leaves_by].into_iter().flatten().min()
    }

    /// Whether the program should end.
    pub(super) const fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Handles an event.
    pub(super) fn handle(&mut self, event: EngineEvent, now: Instant) {
        match event {
            EngineEvent::InputLine(InputLine::Text(text)) => {
                self.execute(&text, now);
            }
            EngineEvent::InputLine(InputLine::Unusable(reason)) => self.note(reason),
            EngineEvent::InputLine(InputLine::End | InputLine::Interrupted) => self.leave(now),
            EngineEvent::Finished(finished) => {
                let has_failed = finished.solved().is_none();
                self.orders.extend(self.library.take(finished));
                let is_awaited = self.thinking.is_some() || self.unanswered > 0;
                if is_awaited || !has_failed {
                    self.prepare();
                }
                self.proceed();
            }
            EngineEvent::Time => self.check_deadlines(now),
        }
        if self.leaves_by.is_some() && self.thinking.is_none() && self.unanswered == 0 {
            self.has_ended = true;
        }
    }

    fn check_deadlines(&mut self, now: Instant) {
        let has_passed = |deadline: Option<Instant>| deadline.is_some_and(|due| due <= now);
        if has_passed(self.ready_by) {
            self.note("the game is not solved yet; until then moves look only one turn ahead");
            self.be_ready();
        }
        if has_passed(self.thinking.as_ref().and_then(|thinking| thinking.until)) {
            self.decide("the time is up");
        }
        if has_passed(self.leaves_by) {
            self.end();
        }
    }

    /// Carries out a line of input.
    fn execute(&mut self, line: &str, now: Instant) {
        let line = line.trim();
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if GAME_COMMANDS.contains(&command)
            && let Some(reason) = self.options.take_rules_error()
        {
            self.note(&reason);
        }
        match command {
            "ugi" => self.introduce(),
            "setoption" => self.unless_thinking(|engine| engine.set_option(rest)),
            "isready" => self.is_ready(now),
            "uginewgame" => self.unless_thinking(Self::new_game),
            "position" => self.unless_thinking(|engine| engine.set_position(rest)),
            "go" => self.unless_thinking(|engine| engine.go(rest, now)),
            "stop" if self.thinking.is_some() => {
                self.decide("stopped before the game was solved");
                self.library.give_up();
            }
            "query" => self.answer(rest),
            "d" => self.show(),
            "quit" => self.end(),
            "stop" | "" => {}
            _ => self.note(&format!(
                "unknown command \"{}\": expected {}",
                quotable(command),
                alternatives(COMMANDS)
            )),
        }
    }

    fn send(&mut self, line: impl Into<String>) {
        self.lines.push(line.into());
    }

    /// Sends a message for people, on one line.
    fn note(&mut self, text: &str) {
        let words: Vec<&str> = text.split_whitespace().collect();
        self.send(format!("info string {}", words.join(" ")));
    }

    fn unless_thinking(&mut self, act: impl FnOnce(&mut Self)) {
        if self.thinking.is_some() {
            self.note("still thinking: send stop first");
        } else {
            act(self);
        }
    }

    fn introduce(&mut self) {
        self.send(format!("id name Skirmish {}", env!("CARGO_PKG_VERSION")));
        self.send("id author the Skirmish authors");
        self.lines.extend_from_slice(self.options.listed());
        self.send("ugiok");
    }

    fn set_option(&mut self, text: &str) {
        match self.options.set(text) {
            Err(reason) => self.note(&reason),
            Ok(Touched::Nothing) => {}
            Ok(Touched::Luck) => self.luck = Luck::default(),
            Ok(Touched::Level) => self.change_course(),
            Ok(Touched::Game) => {
                self.put(Spot::start(self.options.entry, &self.options.settings));
                self.change_course();
            }
        }
    }

    /// Cancels work for another game or level; a pending `isready` waits for the new work.
    fn change_course(&mut self) {
        self.library.give_up();
        if self.unanswered > 0 {
            self.prepare();
            self.proceed();
        }
    }

    fn put(&mut self, spot: Spot) {
        self.spot = spot;
        self.has_explained = false;
    }

    fn new_game(&mut self) {
        self.luck.next_game();
        self.put(Spot::start(self.options.entry, &self.options.settings));
        self.prepare();
        self.proceed();
    }

    fn set_position(&mut self, text: &str) {
        match Spot::read(self.options.entry, &self.options.settings, text) {
            Err(reason) => self.note(&format!("{reason} (the position is unchanged)")),
            Ok(spot) => {
                self.put(spot);
                self.prepare();
                self.proceed();
            }
        }
    }

    /// Orders the work that the position needs, and cancels work for other positions.
    fn prepare(&mut self) {
        let subject = self.library.subject_of(self.spot.table(), self.spot.base());
        let wish = Wish::players(subject);
        if !self.library.is_wanted(&wish) {
            self.library.give_up();
        }
        self.orders.extend(self.library.want(wish));
    }

    fn is_ready(&mut self, now: Instant) {
        if self.thinking.is_some() {
            // The engine answers even while thinking, which is what `isready` asks.
            self.send("readyok");
            return;
        }
        self.unanswered += 1;
        self.ready_by = self.ready_by.or(now.checked_add(READY_TIMEOUT));
        self.prepare();
        self.proceed();
    }

    /// Answers every `isready`.
    fn be_ready(&mut self) {
        self.ready_by = None;
        for _ in 0..std::mem::take(&mut self.unanswered) {
            self.send("readyok");
        }
    }

    /// The side that chooses next; `None` if the game is over, by the rules or by `MaxTurns`.
    fn chooser(&self) -> Option<Side> {
        let goes_on = self.spot.result(self.options.max_turns) == NO_RESULT;
        self.spot.chooser(self.options.side).filter(|_| goes_on)
    }

    fn answer(&mut self, question: &str) {
        let chooser = self.chooser();
        let response = match question {
            "p1turn" => (chooser == Some(Side::One)).to_string(),
            "gameover" => (self.spot.result(self.options.max_turns) != NO_RESULT).to_string(),
            "result" => self.spot.result(self.options.max_turns).to_owned(),
            "moves" => chooser.map_or("none".to_owned(), |side| self.spot.moves(side)),
            "value" => self.value(),
            other => {
                let (other, expected) = (quotable(other), alternatives(QUERIES));
                self.note(&format!("unknown query \"{other}\": expected {expected}"));
                UNKNOWN.to_owned()
            }
        };
        self.send(format!("response {response}"));
    }

    /// The value of the position, as in `analyze`.
    fn value(&mut self) -> String {
        let table = self.spot.table();
        if let Some(Found { solved, node, .. }) = self.library.find(table) {
            return worth::of_position(&solved, node);
        }
        let refusal = self.library.refusal(table.entry(), table.settings());
        let open = || "not solved yet: isready waits for it".to_owned();
        let reason = refusal.map_or_else(open, SolveError::to_string);
        self.note(&reason);
        UNKNOWN.to_owned()
    }

    fn show(&mut self) {
        let text = show::describe(self.spot.table());
        self.lines.extend(text.lines().map(str::to_owned));
        if self.spot.is_half_played() {
            self.send("Player 1 has chosen; Player 2 has not.");
        }
    }

    /// Ends after the end of input, once everything is answered.
    fn leave(&mut self, now: Instant) {
        if self.thinking.as_ref().is_some_and(|thinking| thinking.is_infinite) {
            self.end();
        }
        self.leaves_by = now.checked_add(END_TIMEOUT);
    }

    /// Ends, after answering a pending `go`.
    fn end(&mut self) {
        self.decide("ended before the game was solved");
        self.be_ready();
        self.has_ended = true;
    }
}
