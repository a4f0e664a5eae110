//! Bots: external programs that play. A bot that fails forfeits its game; the sandbox contains hostile bots.

pub mod check;
mod command;
mod detect;
mod launch;
mod log;
mod log_buffer;
mod process;
mod registry;
mod sandbox;
mod seccomp;
mod ugi;

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
use skirmish_rules::{Both, Side, Table, alternatives, quotable};
pub use ugi::Claims;

use self::process::{BotProcess, ExitReport};

/// Maximum number of bytes of output that a bot may send before it answers.
const MOST_OUTPUT: usize = 1 << 20;

/// How long a bot may take to start, and to get ready for a game.
pub const START_TIMEOUT: Duration = Duration::from_secs(10);

/// The thinking time that is announced to a bot.
#[derive(Clone, Copy, Debug)]
pub struct ThinkingTime {
    /// For this move.
    pub time: Duration,
    /// The time left in each side's bank, for the rest of the game.
    pub banks: Option<Both<Duration>>,
}

/// A bot: a program that is started when needed, and restarted after a failure.
pub struct Bot {
    command: BotCommand,
    dialect: Option<Dialect>,
    timeout: Duration,
    log: Option<Log>,
    handle: KillHandle,
    running: Option<RunningBot>,
    /// When `ask_ahead` asked the question, or why asking failed.
    ahead: Option<Result<Instant, Fault>>,
}

/// A bot's running program.
struct RunningBot {
    process: BotProcess,
    protocol: Protocol,
    /// The starting position of the current game, as one token.
    start: String,
}

/// The protocol of a running program, with the bot's claims if it speaks UGI.
enum Protocol {
    Ugi(Claims),
    Json,
}

impl Protocol {
    /// The answer in a line of output, if the line is an answer.
    fn answer(&self, line: &str) -> Option<String> {
        match self {
            Self::Ugi(_) => ugi::answer(line),
            Self::Json => Some(line.trim().to_owned()),
        }
    }

    /// The exit command, to be sent before closing the input.
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
    pub fn new(command: BotCommand, timeout: Duration, log: Option<Log>) -> Self {
        let dialect = command.dialect;
        let handle = KillHandle::default();
        Self { command, dialect, timeout, log, handle, running: None, ahead: None }
    }

    /// The bot's protocol, once known.
    #[must_use]
    pub const fn dialect(&self) -> Option<Dialect> {
        self.dialect
    }

    /// A handle that kills the bot from another thread, whether the program is running, starting or not yet started.
    #[must_use]
    pub fn kill_handle(&self) -> KillHandle {
        self.handle.clone()
    }

    /// Detects the bot's protocol, unless already known, by asking about the position on the table.
    ///
    /// # Errors
    /// If the bot does not start.
    pub fn detect(&mut self, table: &dyn Table) -> Result<Dialect, Fault> {
        if let Some(dialect) = self.dialect {
            return Ok(dialect);
        }
        let Self { command, log, handle, timeout, .. } = &*self;
        let dialect = detect::detect(command, log.as_ref(), handle, table, *timeout)?;
        self.dialect = Some(dialect);
        Ok(dialect)
    }

    /// Gets the bot ready for a game as `side`, starting the program if it is not running.
    ///
    /// # Errors
    /// If the bot does not start, or is not ready in time.
    pub fn begin(&mut self, table: &dyn Table, side: Side) -> Result<(), Fault> {
        self.ahead = None;
        let begun = self.try_begin(table, side);
        self.stop_on_error(begun)
    }

    fn try_begin(&mut self, table: &dyn Table, side: Side) -> Result<(), Fault> {
        let dialect = self.detect(table)?;
        let timeout = self.timeout;
        let running = self.started(dialect)?;
        running.start = start_of(table);
        match &running.protocol {
            Protocol::Ugi(claims) => ugi::begin(&mut running.process, claims, table, side, timeout),
            Protocol::Json => Ok(()),
        }
    }

    /// The running program, started if necessary.
    fn started(&mut self, dialect: Dialect) -> Result<&mut RunningBot, Fault> {
        if self.running.is_none() {
            let mut process = BotProcess::start(&self.command, self.log.clone(), &self.handle)?;
            let protocol = match dialect {
                Dialect::Ugi => Protocol::Ugi(ugi::handshake(&mut process, self.timeout)?),
                Dialect::Json => Protocol::Json,
            };
            self.running = Some(RunningBot { process, protocol, start: String::new() });
        }
        Ok(self.running.as_mut().expect("it has just been started"))
    }

    /// The bot's claims about itself, read before any game, if its protocol supports claims.
    fn claims(&mut self, dialect: Dialect) -> Result<Option<Claims>, Fault> {
        let timeout = self.timeout;
        let running = self.started(dialect)?;
        match &running.protocol {
            Protocol::Ugi(claims) => {
                let claims = claims.clone();
                ugi::make_ready(&mut running.process, timeout).map(|()| Some(claims))
            }
            Protocol::Json => Ok(None),
        }
    }

    /// Sends a UGI query about the position on a table, and waits for the response. `None` if the bot ignores the
    /// query.
    ///
    /// # Errors
    /// If the bot fails; it is then stopped.
    ///
    /// # Panics
    /// If `begin` has not been called.
    fn query(&mut self, table: &dyn Table, question: &str) -> Result<Option<String>, Fault> {
        let timeout = self.timeout;
        let RunningBot { process, start, .. } =
            self.running.as_mut().expect("`begin` comes before any question");
        let response = ugi::query(process, start, table, question, timeout);
        self.stop_on_error(response)
    }

    /// Asks for a side's move. [`Bot::answer`] returns the answer.
    ///
    /// # Errors
    /// If the bot has not read the previous questions.
    ///
    /// # Panics
    /// If `begin` has not been called.
    pub fn ask(
        &mut self,
        table: &dyn Table,
        side: Side,
        thinking: &ThinkingTime,
    ) -> Result<(), Fault> {
        let running = self.running.as_mut().expect("`begin` comes before any question");
        if let Err(fault) = running.process.begin_question() {
            return self.stop_on_error(Err(fault));
        }
        match running.protocol {
            Protocol::Ugi(_) => ugi::ask(&mut running.process, &running.start, table, thinking),
            Protocol::Json => running.process.send(&question(table, side)),
        }
        Ok(())
    }

    /// The answer to the last question, unchecked, if it has arrived.
    ///
    /// # Errors
    /// If the bot has ended, or its output is not an answer.
    pub fn answer(&mut self) -> Result<Option<String>, Fault> {
        let received = self.receive();
        self.stop_on_error(received)
    }

    fn receive(&mut self) -> Result<Option<String>, Fault> {
        let running = self.running.as_mut().expect("a bot that was asked is running");
        while let Some(line) = running.process.line()? {
            let answer = running.protocol.answer(&line);
            if answer.is_some() {
                return Ok(answer);
            }
            if running.process.since_asked() > MOST_OUTPUT {
                return Err(Fault::Flood(MOST_OUTPUT));
            }
        }
        Ok(None)
    }

    /// Checks that an answer is a legal move in exact notation; nothing is guessed.
    ///
    /// # Errors
    /// If the answer is not a legal move; the bot is then stopped.
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
        self.stop();
        let possible = alternatives(choices.iter().map(|choice| &choice.notation));
        Err(Fault::Illegal { said: quotable(&said), possible })
    }

    /// Sends the question for a side's move, unless already sent; [`Bot::choose`] waits for the answer. Starts a game
    /// first if needed.
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

    /// Asks for a side's move, unless `ask_ahead` already has, and waits for the answer.
    ///
    /// # Errors
    /// If the bot fails; it is then stopped.
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

    /// Waits for the answer to the last question, without checking whether it is legal.
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

    /// When the bot wrote an answer that has just been read. That may be long ago, because this process may have been
    /// busy, or suspended, even by the bot. If the system does not report the time, the bot gets the benefit of the
    /// doubt.
    pub(crate) fn answered_at(&self, asked: Instant, read: Instant) -> Instant {
        let written = self.running.as_ref().and_then(|running| running.process.last_written());
        written.unwrap_or(asked).clamp(asked, read.max(asked))
    }

    /// Stops the program because its time for an answer has run out.
    pub fn give_up(&mut self, limit: Duration) -> Fault {
        let unfinished = self.running.as_ref().and_then(|running| running.process.unfinished());
        self.running = None;
        Fault::Late { what: "move", limit, unfinished }
    }

    /// Kills the program. The next question restarts it.
    pub fn stop(&mut self) {
        self.running = None;
        self.ahead = None;
    }

    /// Asks the program to exit, and kills it if it does not. Returns whether it exited by itself.
    pub fn quit(&mut self) -> bool {
        let Some(running) = self.running.take() else { return true };
        let command = running.protocol.exit_command();
        running.process.end(command)
    }

    /// Like `quit`, but returns a report if the program was running. The report keeps only unread output that looks
    /// like an answer.
    fn quit_reporting(&mut self) -> Option<ExitReport> {
        let RunningBot { process, protocol, .. } = self.running.take()?;
        let mut report = process.end_reporting(protocol.exit_command());
        report.unread.retain(|line| protocol.answer(line).is_some());
        Some(report)
    }

    fn stop_on_error<T>(&mut self, result: Result<T, Fault>) -> Result<T, Fault> {
        if result.is_err() {
            self.stop();
        }
        result
    }
}

/// Waits until one of these bots sends something, or until the deadline.
pub(crate) fn wait<'a>(bots: impl Iterator<Item = &'a mut Bot>, until: Instant) {
    let running = bots.filter_map(|bot| bot.running.as_mut());
    process::wait(running.map(|running| &mut running.process), until);
}

/// The question in the JSON protocol: the position and the side to move.
pub(super) fn question(table: &dyn Table, side: Side) -> String {
    let position = PositionObject::of(table);
    json::text(&QuestionObject { position, player: side.number() })
}

/// The next line, or `None` at the deadline.
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

/// The starting position of the game on a table.
fn start_of(table: &dyn Table) -> String {
    let table_before = table.entry().open(table.setup().clone());
    table_before.expect("it was valid before").position()
}
