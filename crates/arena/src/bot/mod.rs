//! Bots: external programs that play. A bot that fails loses its game; against hostile ones there is the sandbox.

pub mod check;
mod command;
mod detect;
mod launch;
mod log;
mod notes;
mod process;
mod registry;
mod sandbox;
mod seccomp;
mod ugi;

#[cfg(all(test, target_os = "linux"))]
mod fairness;
#[cfg(all(test, unix))]
mod tests;

use std::time::{Duration, Instant};

pub use command::{CommandError, is_command, parse_command};
pub(crate) use launch::sweep_tournament;
pub use log::Log;
pub use registry::{KillHandle, are_ended, end_all};
pub use sandbox::{PRIVATE_FOLDER, SandboxError, check_sandbox};
use skirmish_play::Fault;
use skirmish_play::player::{BotCommand, Dialect};
use skirmish_present::json::{self, PositionObject, QuestionObject};
use skirmish_rules::{Both, Setup, Side, Table, alternatives, quotable};
pub use ugi::Claims;

use self::process::{BotProcess, Parting};

/// The most that a bot may say before it answers.
const MOST_OUTPUT: usize = 1 << 20;

/// How long a bot may take to start, and to make itself ready for a game.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// How long a bot is told that it has.
#[derive(Clone, Copy, Debug)]
pub struct ThinkingTime {
    /// For this move.
    pub time: Duration,
    /// What both have left beyond that, for the whole game.
    pub banks: Option<Both<Duration>>,
}

/// A bot: a program, started when it is needed and again after it has failed.
pub struct Bot {
    command: BotCommand,
    dialect: Option<Dialect>,
    patience: Duration,
    log: Option<Log>,
    handle: KillHandle,
    running: Option<Running>,
    /// When it was asked ahead of being waited for, or why it could not be.
    ahead: Option<Result<Instant, Fault>>,
}

/// A bot's program while it runs.
struct Running {
    process: BotProcess,
    tongue: Tongue,
    /// The start of the game it plays, as one token.
    start: String,
}

/// How the program is talked to.
enum Tongue {
    Ugi(Claims),
    Json,
}

impl Tongue {
    /// The answer in a line, if it is there.
    fn answer(&self, line: &str) -> Option<String> {
        match self {
            Self::Ugi(_) => ugi::answer(line),
            Self::Json => Some(line.trim().to_owned()),
        }
    }

    /// The command to exit, which comes before the input is closed.
    const fn exit_command(&self) -> Option<&'static str> {
        match self {
            Self::Ugi(_) => Some("quit"),
            Self::Json => None,
        }
    }
}

impl Bot {
    /// A bot that has not been started yet.
    #[must_use]
    pub fn new(command: BotCommand, patience: Duration, log: Option<Log>) -> Self {
        let dialect = command.dialect;
        let handle = KillHandle::default();
        Self { command, dialect, patience, log, handle, running: None, ahead: None }
    }

    /// Which protocol it speaks, once that is known.
    #[must_use]
    pub const fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    /// Kills it from another thread, whether the program runs, starts or waits to be started.
    #[must_use]
    pub fn kill_handle(&self) -> KillHandle {
        self.handle.clone()
    }

    /// Finds out which protocol it speaks, unless that is known. The table shows a position to try it with.
    ///
    /// # Errors
    /// If it does not start.
    pub fn detect(&mut self, table: &dyn Table) -> Result<Dialect, Fault> {
        if let Some(dialect) = self.dialect {
            return Ok(dialect);
        }
        let Self { command, log, handle, patience, .. } = &*self;
        let dialect = detect::detect(command, log.as_ref(), handle, table, *patience)?;
        self.dialect = Some(dialect);
        Ok(dialect)
    }

    /// Makes ready for a game in which it plays a side: starts the program if it does not run.
    ///
    /// # Errors
    /// If it does not start, or is not ready in time.
    pub fn begin(&mut self, table: &dyn Table, side: Side) -> Result<(), Fault> {
        self.ahead = None;
        let begun = self.try_begin(table, side);
        self.dismissed_if_failed(begun)
    }

    fn try_begin(&mut self, table: &dyn Table, side: Side) -> Result<(), Fault> {
        let dialect = self.detect(table)?;
        let patience = self.patience;
        let running = self.started(dialect)?;
        running.start = start_of(table);
        match &running.tongue {
            Tongue::Ugi(claims) => ugi::begin(&mut running.process, claims, table, side, patience),
            Tongue::Json => Ok(()),
        }
    }

    /// The program, started if it does not run.
    fn started(&mut self, dialect: Dialect) -> Result<&mut Running, Fault> {
        if self.running.is_none() {
            let mut process = BotProcess::start(&self.command, self.log.clone(), &self.handle)?;
            let tongue = match dialect {
                Dialect::Ugi => Tongue::Ugi(ugi::shake_hands(&mut process, self.patience)?),
                Dialect::Json => Tongue::Json,
            };
            self.running = Some(Running { process, tongue, start: String::new() });
        }
        Ok(self.running.as_mut().expect("it has just been started"))
    }

    /// What it says of itself before any game, in a protocol in which it can.
    fn greet(&mut self, dialect: Dialect) -> Result<Option<Claims>, Fault> {
        let patience = self.patience;
        let running = self.started(dialect)?;
        match &running.tongue {
            Tongue::Ugi(claims) => {
                let claims = claims.clone();
                ugi::make_ready(&mut running.process, patience).map(|()| Some(claims))
            }
            Tongue::Json => Ok(None),
        }
    }

    /// Asks a question of UGI about the position on a table, and waits. `None` if the bot passes over it.
    ///
    /// # Errors
    /// If it fails; it has been ended then.
    ///
    /// # Panics
    /// If it has not been made ready for a game.
    fn inquire(&mut self, table: &dyn Table, question: &str) -> Result<Option<String>, Fault> {
        let patience = self.patience;
        let Running { process, start, .. } =
            self.running.as_mut().expect("a bot is made ready before it is asked");
        let response = ugi::inquire(process, start, table, question, patience);
        self.dismissed_if_failed(response)
    }

    /// Asks for a side's move. The answer is fetched by [`Bot::answer`].
    ///
    /// # Errors
    /// If it has not read what it was asked before.
    ///
    /// # Panics
    /// If it has not been made ready for a game.
    pub fn ask(
        &mut self,
        table: &dyn Table,
        side: Side,
        thinking: &ThinkingTime,
    ) -> Result<(), Fault> {
        let running = self.running.as_mut().expect("a bot is made ready before it is asked");
        if let Err(fault) = running.process.begin_question() {
            return self.dismissed_if_failed(Err(fault));
        }
        match running.tongue {
            Tongue::Ugi(_) => ugi::ask(&mut running.process, &running.start, table, thinking),
            Tongue::Json => running.process.send(&question(table, side)),
        }
        Ok(())
    }

    /// The answer to what was asked last, as it was given, if it is there.
    ///
    /// # Errors
    /// If it has ended, or says what is no answer.
    pub fn answer(&mut self) -> Result<Option<String>, Fault> {
        let heard = self.hear();
        self.dismissed_if_failed(heard)
    }

    fn hear(&mut self) -> Result<Option<String>, Fault> {
        let running = self.running.as_mut().expect("a bot that was asked runs");
        while let Some(line) = running.process.line()? {
            let answer = running.tongue.answer(&line);
            if answer.is_some() {
                return Ok(answer);
            }
            if running.process.since_asked() > MOST_OUTPUT {
                return Err(Fault::Flood(MOST_OUTPUT));
            }
        }
        Ok(None)
    }

    /// An answer, if it is a legal move in exact notation: what a program means is not guessed.
    ///
    /// # Errors
    /// If it is not; the bot is ended then.
    pub fn checked(
        &mut self,
        table: &dyn Table,
        side: Side,
        said: String,
    ) -> Result<String, Fault> {
        let choices = table.choices(side);
        if choices.iter().any(|choice| choice.notation == said) {
            return Ok(said);
        }
        self.dismiss();
        let possible = alternatives(choices.iter().map(|choice| &choice.notation));
        Err(Fault::Illegal { said: quotable(&said), possible })
    }

    /// Asks for a side's move, unless that has been done; [`Bot::choose`] waits for it. The bot is made ready for a
    /// game if it does not run.
    pub fn ask_ahead(&mut self, table: &dyn Table, side: Side, thinking: &ThinkingTime) {
        if self.ahead.is_none() {
            self.ahead = Some(self.asked(table, side, thinking));
        }
    }

    fn asked(
        &mut self,
        table: &dyn Table,
        side: Side,
        thinking: &ThinkingTime,
    ) -> Result<Instant, Fault> {
        if self.running.is_none() {
            self.begin(table, side)?;
        }
        self.ask(table, side, thinking)?;
        Ok(Instant::now())
    }

    /// Asks for a side's move, unless that has been done ahead, and waits for it.
    ///
    /// # Errors
    /// If it fails; it has been ended then.
    pub fn choose(
        &mut self,
        table: &dyn Table,
        side: Side,
        thinking: &ThinkingTime,
        limit: Duration,
    ) -> Result<String, Fault> {
        let ahead = self.ahead.take();
        let asked = ahead.unwrap_or_else(|| self.asked(table, side, thinking))?;
        let said = self.await_answer(asked, limit)?;
        self.checked(table, side, said)
    }

    /// Waits for the answer to what was asked last, legal or not.
    fn await_answer(&mut self, asked: Instant, limit: Duration) -> Result<String, Fault> {
        let until = asked + limit;
        loop {
            if let Some(said) = self.answer()? {
                let is_late = self.answered_at(asked, Instant::now()) >= until;
                return if is_late { Err(self.give_up(limit)) } else { Ok(said) };
            }
            if Instant::now() >= until {
                return Err(self.give_up(limit));
            }
            wait(std::iter::once(&mut *self), until);
        }
    }

    /// When an answer was given that has just been read. That may have been long before: we may have been busy, or
    /// stopped, by a bot even. Where the system does not tell, nothing is held against the bot.
    pub(crate) fn answered_at(&self, asked: Instant, read: Instant) -> Instant {
        let written = self.running.as_ref().and_then(|running| running.process.last_written());
        written.unwrap_or(asked).clamp(asked, read.max(asked))
    }

    /// The time for an answer is up: ends the program.
    pub fn give_up(&mut self, limit: Duration) -> Fault {
        let unfinished = self.running.as_ref().and_then(|running| running.process.unfinished());
        self.running = None;
        Fault::Late { what: "move", limit, unfinished }
    }

    /// Ends the program at once; it is started anew when it is needed.
    pub fn dismiss(&mut self) {
        self.running = None;
        self.ahead = None;
    }

    /// Asks the program to end, and sees to it that it does. Says whether it ended by itself.
    pub fn quit(&mut self) -> bool {
        let Some(running) = self.running.take() else { return true };
        let command = running.tongue.exit_command();
        running.process.end(command)
    }

    /// Does the same, and tells more of it, if the program runs. Of what it had said unasked, only that is told
    /// which would have been taken for answers.
    fn part(&mut self) -> Option<Parting> {
        let Running { process, tongue, .. } = self.running.take()?;
        let mut parting = process.part(tongue.exit_command());
        parting.unread.retain(|line| tongue.answer(line).is_some());
        Some(parting)
    }

    fn dismissed_if_failed<T>(&mut self, result: Result<T, Fault>) -> Result<T, Fault> {
        if result.is_err() {
            self.dismiss();
        }
        result
    }
}

/// Waits until one of these bots says something, or the time is up.
pub(crate) fn wait<'a>(bots: impl Iterator<Item = &'a mut Bot>, until: Instant) {
    let running = bots.filter_map(|bot| bot.running.as_mut());
    process::wait(running.map(|running| &mut running.process), until);
}

/// What a bot is asked in the simple protocol: the position, and whose choice it is.
pub(super) fn question(table: &dyn Table, side: Side) -> String {
    let position = PositionObject::of(table);
    json::text(&QuestionObject { position, player: side.number() })
}

/// The next line, or nothing when the time is up.
fn next_line(process: &mut BotProcess, until: Instant) -> Result<Option<String>, Fault> {
    loop {
        if process.since_asked() > MOST_OUTPUT {
            return Err(Fault::Flood(MOST_OUTPUT));
        }
        if let Some(line) = process.line()? {
            return Ok(Some(line));
        }
        if Instant::now() >= until {
            return Ok(None);
        }
        process::wait(std::iter::once(&mut *process), until);
    }
}

/// The position in which the game on a table began.
fn start_of(table: &dyn Table) -> String {
    let setup =
        Setup { settings: table.settings().clone(), first: table.first(), ..table.entry().setup() };
    let table = table.entry().open(setup).unwrap_or_else(|_| unreachable!("no position is set"));
    table.position()
}
