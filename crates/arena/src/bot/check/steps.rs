//! The steps of a check. Each step starts with a fresh bot process.

use std::time::{Duration, Instant};

use skirmish_play::player::Dialect;
use skirmish_play::{Fault, Session, Span};
use skirmish_rules::{Entry, Side, alternatives, conjunction, quotable};

use super::positions::{self, CheckQuestion};
use super::queries::{self, QuerySet};
use super::{Check, CheckFailure, ENDING, FailureKind, GAMES, HANDSHAKE, QUERIES};
use crate::bot::{Bot, Claims, Log, ThinkingTime};

/// The number of moves that are timed.
const TIMED_MOVES: usize = 3;

/// Test games end after this many turns.
const TURN_LIMIT: u32 = 40;

/// A bot being checked, and the findings so far.
pub(super) struct Examinee<'a> {
    check: &'a Check,
    bot: Bot,
    log: Log,
    claims: Option<Claims>,
    games: Vec<&'static Entry>,
}

type StepResult = Result<String, CheckFailure>;

type CheckTask<'a> = fn(&mut Examinee<'a>) -> StepResult;

impl<'a> Examinee<'a> {
    /// The steps in order, each with its name.
    pub(super) const STEPS: [(&'static str, CheckTask<'a>); 9] = [
        (HANDSHAKE, Self::handshake),
        (GAMES, Self::choose_games),
        ("Move in time", Self::move_in_time),
        ("Only when asked", Self::only_when_asked),
        ("Both seats", Self::both_seats),
        ("Second game", Self::second_game),
        ("Odd positions", Self::odd_positions),
        (QUERIES, Self::queries),
        (ENDING, Self::ending),
    ];

    pub(super) fn new(check: &'a Check) -> Self {
        let log = Log::remembering();
        let bot = Bot::new(check.command.clone(), check.limits.start, Some(log.clone()));
        Self { check, bot, log, claims: None, games: Vec::new() }
    }

    pub(super) const fn dialect(&self) -> Option<Dialect> {
        self.bot.dialect()
    }

    /// The name that the bot gives itself.
    pub(super) fn name(&self) -> Option<String> {
        self.claims.as_ref()?.name.as_deref().map(quotable)
    }

    pub(super) fn run(&mut self, task: CheckTask<'a>) -> StepResult {
        self.log.forget();
        let found = task(self);
        self.bot.stop();
        found
    }

    /// Starts the bot and checks that it responds, either to `ugi` or to a JSON question.
    fn handshake(&mut self) -> StepResult {
        let entry = self.check.named.first().copied().or_else(|| self.check.catalog.iter().next());
        let question = positions::first_choice(entry.expect("there are games"), Side::One);
        let dialect =
            self.bot.detect(&*question.table).map_err(|fault| self.failure("", &fault))?;
        self.log.forget();
        self.claims = self.bot.claims(dialect).map_err(|fault| self.failure("", &fault))?;
        match dialect {
            Dialect::Ugi => {
                let unnamed = || "does not say its name".to_owned();
                let name = self.name().map(|name| format!("calls itself \"{name}\""));
                Ok(format!("speaks UGI, {}", name.unwrap_or_else(unnamed)))
            }
            Dialect::Json => {
                self.ask_unchecked(&question, "")?;
                Ok("speaks JSON lines".to_owned())
            }
        }
    }

    /// Chooses the games to test: the games named by the user, else those that the bot claims to play, else all games.
    fn choose_games(&mut self) -> StepResult {
        let all: Vec<&'static Entry> = self.check.catalog.iter().collect();
        let said = self.claims.as_ref().map(|claims| claims.games.clone());
        let is_named = !self.check.named.is_empty();
        self.games = match &said {
            _ if is_named => self.check.named.clone(),
            Some(Some(said)) => all
                .iter()
                .copied()
                .filter(|entry| said.iter().any(|game| game == entry.id))
                .collect(),
            Some(None) => Vec::new(),
            None => all.clone(),
        };
        if let Some(Some(said)) = &said {
            let strange = self.games.iter().find(|entry| !said.iter().any(|it| it == entry.id));
            if let Some(strange) = strange {
                let plays = quotable(&alternatives(said));
                let fault = Fault::Unwilling { game: strange.id, plays };
                return Err(self.failure("", &fault));
            }
        }
        if self.games.is_empty() {
            return Err(self.unknown_games(said.flatten(), &all));
        }
        let games = conjunction(self.games.iter().map(|entry| entry.id));
        Ok(if self.games.len() == all.len() { format!("all {}", all.len()) } else { games })
    }

    fn unknown_games(&self, said: Option<Vec<String>>, all: &[&'static Entry]) -> CheckFailure {
        let said = said.map(|games| quotable(&alternatives(games)));
        let detail = match &said {
            Some(games) => format!("it claims to play {games}, which are not games of Skirmish"),
            None => "it does not say which games it plays".to_owned(),
        };
        let game = all.first().expect("there are games").id;
        let line = format!("option name Game type combo default {game} var {game}");
        let expected = format!("\"{line}\" before ugiok, or its game named with --game");
        self.failed(detail, said, expected, FailureKind::Other)
    }

    /// Asks once without timing, because the program may still be starting. Then applies a tournament's time limit to
    /// the median: a delay of the machine affects only one move, but a slow bot is slow in every move.
    fn move_in_time(&mut self) -> StepResult {
        let question = positions::first_choice(self.games[0], Side::One);
        let limits = self.check.limits;
        let thinking = ThinkingTime { time: limits.told, banks: None };
        let first = self.begin_and_choose(&question, &thinking, limits.start);
        first.map_err(|fault| self.failure(&question.to_string(), &fault))?;
        let mut said = String::new();
        let mut times = Vec::new();
        for _ in 0..TIMED_MOVES {
            let asked = Instant::now();
            let CheckQuestion { table, side } = &question;
            let chosen = self.bot.choose(&**table, *side, &thinking, limits.granted);
            said = chosen.map_err(|fault| self.failure(&question.to_string(), &fault))?;
            times.push(asked.elapsed());
        }
        times.sort_unstable();
        let taken = in_milliseconds(times[times.len() / 2]);
        if taken <= limits.in_tournament() {
            return Ok(format!("\"{said}\" after {}", Span(taken)));
        }
        let (told, margin) = (Span(limits.told), Span(limits.margin));
        // Stop the bot so that its last answer reaches the log.
        self.bot.stop();
        let detail = format!("{question} it took {} for a move", Span(taken));
        let expected = format!("at most {told}, with a margin of {margin}, as in a tournament");
        Err(self.failed(detail, Some(said), expected, FailureKind::Late))
    }

    /// Checks for unrequested output. Once the bot has exited, all its output can be read, so no waiting is needed.
    fn only_when_asked(&mut self) -> StepResult {
        let question = positions::first_choice(self.games[0], Side::One);
        for _ in 0..2 {
            self.ask_unchecked(&question, &question.to_string())?;
        }
        let unread = self.bot.quit_reporting().map(|report| report.unread).unwrap_or_default();
        let Some(first) = unread.first() else {
            return Ok("one answer to each question".to_owned());
        };
        let said = quotable(first);
        let detail = format!("it was asked twice and also sent \"{said}\"");
        let expected = "one answer to each question, and nothing before or after it";
        Err(self.failed(detail, Some(said), expected, FailureKind::Unasked))
    }

    /// Asks for the first move of every game, as either player. Restarts the bot each time: `second_game` tests it
    /// without a restart.
    fn both_seats(&mut self) -> StepResult {
        let games = self.games.clone();
        for entry in &games {
            for side in Side::ALL {
                self.ask_all(&[positions::first_choice(entry, side)])?;
                self.bot.stop();
            }
        }
        Ok(format!("{} legal moves", games.len() * Side::ALL.len()))
    }

    /// Plays two games without a restart, with the seats swapped; two different games if the bot plays more than one.
    fn second_game(&mut self) -> StepResult {
        let (first, second) = (self.games[0], *self.games.get(1).unwrap_or(&self.games[0]));
        let turns =
            [self.play("first", first, Side::One)?, self.play("second", second, Side::Two)?];
        Ok(format!("{} turns of {}, {} of {}", turns[0], first.id, turns[1], second.id))
    }

    /// Plays a game against random choices, and returns the number of turns.
    fn play(
        &mut self,
        which: &str,
        entry: &'static Entry,
        side: Side,
    ) -> Result<usize, CheckFailure> {
        let table = positions::open(entry, &entry.setup().settings, Side::One);
        let mut session = Session::begin(table).noting(None, None, None, Some(TURN_LIMIT));
        let place = |session: &Session| {
            format!("in the {which} game, {} of {} as {side}", session.table().position(), entry.id)
        };
        let (thinking, granted) = self.hurry();
        // Allow more time if the program has just started.
        let is_new = self.bot.running.is_none();
        let mut limit = if is_new { self.check.limits.start } else { granted };
        let begun = self.bot.begin(session.table(), side);
        begun.map_err(|fault| self.failure(&place(&session), &fault))?;
        while session.ending().is_none() {
            for actor in session.table().to_act() {
                let table = session.table();
                let choice = if actor == side && !table.must_pass(actor) {
                    let chosen = self.bot.choose(table, side, &thinking, limit);
                    limit = granted;
                    chosen.map_err(|fault| self.failure(&place(&session), &fault))?
                } else {
                    positions::any_choice(table, actor, 0)
                };
                session.submit(actor, &choice).expect("it is legal");
            }
        }
        Ok(session.table().turns_played())
    }

    fn odd_positions(&mut self) -> StepResult {
        let takes_rules = self.claims.as_ref().is_none_or(|claims| claims.takes_rules);
        let games = self.games.clone();
        let questions = games.into_iter().flat_map(|entry| positions::odd(entry, takes_rules));
        let count = self.ask_all(&questions.collect::<Vec<_>>())?;
        let restriction =
            if takes_rules { "" } else { "; default rules only: it has no option Rules" };
        Ok(format!("{count} legal moves{restriction}"))
    }

    /// Tests the queries that other runners send.
    fn queries(&mut self) -> StepResult {
        let mut count = 0;
        for entry in self.games.clone() {
            let query_sets = queries::query_sets(entry);
            let Some(first) = query_sets.first() else { continue };
            let begun = self.bot.begin(&*first.table, Side::One);
            begun.map_err(|fault| self.failure(&first.place(), &fault))?;
            for set in &query_sets {
                for &(question, right) in &set.queries {
                    let answer = self.bot.query(&*set.table, question);
                    let answer = answer.map_err(|fault| self.failure(&set.place(), &fault))?;
                    if answer.as_deref() != Some(right) {
                        return Err(self.wrong_response(set, question, answer.as_deref(), right));
                    }
                    count += 1;
                }
            }
        }
        Ok(match count {
            0 => "none in simultaneous games".to_owned(),
            _ => format!("{count} correct responses"),
        })
    }

    fn wrong_response(
        &mut self,
        set: &QuerySet,
        question: &str,
        answer: Option<&str>,
        right: &str,
    ) -> CheckFailure {
        // Stop the bot so that the query reaches the log.
        self.bot.stop();
        let said = answer.map(quotable);
        let what = match &said {
            Some(said) => format!("it answered \"query {question}\" with \"{said}\""),
            None => {
                format!("it did not answer \"query {question}\": other runners would wait forever")
            }
        };
        let detail = format!("{} {what}", set.place());
        self.failed(detail, said, format!("response {right}"), FailureKind::Other)
    }

    /// The games in which the bot makes a legal first move, if these are some but not all games, and no game was named.
    pub(super) fn games_it_plays(&mut self) -> Option<Vec<&'static Entry>> {
        if !self.check.named.is_empty() || self.dialect() != Some(Dialect::Json) {
            return None;
        }
        let (thinking, limit) = self.hurry();
        let all: Vec<&'static Entry> = self.check.catalog.iter().collect();
        let mut played = Vec::new();
        for entry in &all {
            let question = positions::first_choice(entry, Side::One);
            let chosen = self.begin_and_choose(&question, &thinking, limit);
            self.bot.stop();
            match chosen {
                Ok(_) => played.push(*entry),
                // Stop here rather than repeat a failed start or a timeout for every game.
                Err(Fault::NotStarted(_) | Fault::NoRoom(_) | Fault::Late { .. }) => return None,
                Err(_) => {}
            }
        }
        (!played.is_empty() && played.len() < all.len()).then_some(played)
    }

    /// Asks for one move, to be sure that the program is running, and then tells the program to exit.
    fn ending(&mut self) -> StepResult {
        let question = positions::first_choice(self.games[0], Side::One);
        self.ask_unchecked(&question, &question.to_string())?;
        let signal = match self.dialect() {
            Some(Dialect::Ugi) => "at \"quit\"",
            Some(Dialect::Json) | None => "when its input ends",
        };
        let report = self.bot.quit_reporting().expect("it has just answered");
        let (detail, expected) = if !report.by_itself {
            (format!("it does not end {signal}"), "an exit by itself, at once")
        } else if report.has_orphans {
            ("it leaves a process running that it has started".to_owned(), "no process left behind")
        } else {
            return Ok(format!("ends {signal}"));
        };
        Err(self.failed(detail, None, expected, FailureKind::Other))
    }

    /// Asks all these questions, and returns how many there were.
    fn ask_all(&mut self, questions: &[CheckQuestion]) -> Result<usize, CheckFailure> {
        for (index, question) in questions.iter().enumerate() {
            let (thinking, limit) = self.hurry();
            // Allow more time if the program has just started.
            let limit = if index == 0 { self.check.limits.start } else { limit };
            let chosen = self.begin_and_choose(question, &thinking, limit);
            chosen.map_err(|fault| self.failure(&question.to_string(), &fault))?;
        }
        Ok(questions.len())
    }

    fn begin_and_choose(
        &mut self,
        CheckQuestion { table, side }: &CheckQuestion,
        thinking: &ThinkingTime,
        limit: Duration,
    ) -> Result<String, Fault> {
        self.bot.begin(&**table, *side)?;
        self.bot.choose(&**table, *side, thinking, limit)
    }

    /// For steps with many questions: the thinking time to announce, and the time limit to apply.
    fn hurry(&self) -> (ThinkingTime, Duration) {
        let limits = self.check.limits;
        (ThinkingTime { time: limits.hurried(), banks: None }, limits.granted)
    }

    /// Asks a question and accepts any answer. Begins a new game only if the bot is not running.
    fn ask_unchecked(&mut self, question: &CheckQuestion, place: &str) -> StepResult {
        let CheckQuestion { table, side } = question;
        let (thinking, _) = self.hurry();
        let begun =
            if self.bot.running.is_none() { self.bot.begin(&**table, *side) } else { Ok(()) };
        let asked = begun.and_then(|()| self.bot.ask(&**table, *side, &thinking));
        let answer =
            asked.and_then(|()| self.bot.await_answer(Instant::now(), self.check.limits.start));
        answer.map_err(|fault| self.failure(place, &fault))
    }

    /// Describes a fault that occurred at `place` as a failure.
    fn failure(&self, place: &str, fault: &Fault) -> CheckFailure {
        let (said, expected) = match fault {
            Fault::Illegal { said, possible } => (Some(said.clone()), possible.clone()),
            Fault::Late { what, unfinished, .. } => {
                (unfinished.as_deref().map(quotable), expected_line(what))
            }
            Fault::Unwilling { game, .. } => (None, (*game).to_owned()),
            Fault::NotStarted(_) | Fault::NoRoom(_) => (None, "a program that starts".to_owned()),
            Fault::Ended { .. } | Fault::Deaf => (None, "an answer to every question".to_owned()),
            Fault::Flood(_) | Fault::EndlessLine(_) | Fault::NotText => {
                (None, "one line of text".to_owned())
            }
        };
        let what = match &said {
            Some(said) if matches!(fault, Fault::Illegal { .. }) => format!("said \"{said}\""),
            Some(_) | None => fault.to_string(),
        };
        let place = if place.is_empty() { String::new() } else { format!("{place} ") };
        let is_late = matches!(fault, Fault::Late { .. });
        let kind = if is_late { FailureKind::Late } else { FailureKind::Other };
        self.failed(format!("{place}it {what}"), said, expected, kind)
    }

    fn failed(
        &self,
        detail: String,
        said: Option<String>,
        expected: impl Into<String>,
        kind: FailureKind,
    ) -> CheckFailure {
        CheckFailure {
            detail,
            said,
            expected: expected.into(),
            dialogue: self.log.remembered(),
            kind,
        }
    }
}

fn in_milliseconds(time: Duration) -> Duration {
    Duration::from_millis(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
}

fn expected_line(what: &str) -> String {
    if what == "move" { "a line with a move, flushed at once".to_owned() } else { what.to_owned() }
}
