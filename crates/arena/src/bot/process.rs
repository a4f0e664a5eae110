//! A bot's program: lines go in and come out, and nothing it does can make us wait for ever or fill the memory.

use std::io::{self, ErrorKind, Read, Write};
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use skirmish_play::Fault;
use skirmish_play::player::BotCommand;
use skirmish_system::Watched;
use skirmish_system::process::{self, Child, ChildInput, ChildOutput, Started};

use super::launch;
use super::log::{Log, Voice, last_line};
use super::notes::Notes;
use super::registry::{KillHandle, Registration};

/// The longest line a bot may send.
const LONGEST_LINE: usize = 64 << 10;

/// How much a bot may leave unread of what it was sent.
const MOST_UNSENT: usize = 64 << 10;

/// How many lines are kept of what a program says when it is told to end.
const MOST_UNREAD: usize = 100;

/// What is kept of standard error, to explain a crash.
const KEPT_COMPLAINTS: usize = 4 << 10;

/// How long a program may take to end once it is told to.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// A running program.
pub(super) struct BotProcess {
    child: Child,
    registration: Registration,
    is_sandboxed: bool,
    input: Option<ChildInput>,
    output: Option<ChildOutput>,
    /// When the output was last written to before it was closed.
    last_written: Option<Instant>,
    errors: Option<ChildOutput>,
    /// What has not been taken from us yet.
    unsent: Vec<u8>,
    /// What has come, and how much of it has been taken as lines.
    heard: Vec<u8>,
    taken: usize,
    /// Bytes that came since the last question.
    since_asked: usize,
    complaints: Vec<u8>,
    is_gone: bool,
    notes: Notes,
}

/// How a program ended that was told to.
pub(super) struct Parting {
    /// It did so by itself.
    pub(super) by_itself: bool,
    /// Something that it had started went on without it.
    pub(super) has_followers: bool,
    /// What it had said and nobody had asked for.
    pub(super) unread: Vec<String>,
}

impl BotProcess {
    /// Starts a bot's program in a session of its own.
    pub(super) fn start(
        command: &BotCommand,
        log: Option<Log>,
        handle: &KillHandle,
    ) -> Result<Self, Fault> {
        let failed = |error: io::Error| {
            let kind =
                if process::lacks_resources(&error) { Fault::NoRoom } else { Fault::NotStarted };
            kind(error.to_string())
        };
        let launch = || launch::start(command);
        let (started, registration) = Registration::start(handle, launch).map_err(failed)?;
        let Started { child, input, output, errors } = started;
        let notes = Notes::new(log, child.id());
        let mut process = Self {
            child,
            registration,
            is_sandboxed: command.sandbox.is_some(),
            input: Some(input),
            output: Some(output),
            last_written: None,
            errors: Some(errors),
            unsent: Vec::new(),
            heard: Vec::new(),
            taken: 0,
            since_asked: 0,
            complaints: Vec::new(),
            is_gone: false,
            notes,
        };
        process.notes.note(Voice::Remark, &format!("started: {command}"));
        Ok(process)
    }

    /// Sends a line. What the pipe does not hold is sent while we wait for the answer.
    pub(super) fn send(&mut self, line: &str) {
        self.notes.note(Voice::Asked, line);
        self.unsent.extend(line.as_bytes());
        self.unsent.push(b'\n');
        self.write();
    }

    /// A question begins here.
    ///
    /// What the bot says unasked stays, as its answer to what comes next: to drop it would be a matter of luck.
    pub(super) fn begin_question(&mut self) -> Result<(), Fault> {
        self.since_asked = 0;
        self.notes.take_down();
        if self.unsent.len() > MOST_UNSENT { Err(Fault::Deaf) } else { Ok(()) }
    }

    /// The next line, if it is there.
    pub(super) fn line(&mut self) -> Result<Option<String>, Fault> {
        let rest = &self.heard[self.taken..];
        let Some(length) = rest.iter().position(|&byte| byte == b'\n') else {
            if rest.len() > LONGEST_LINE {
                return Err(Fault::EndlessLine(LONGEST_LINE));
            }
            let is_over = self.output.is_none() || self.is_gone;
            return if is_over { Err(self.ended()) } else { Ok(None) };
        };
        let line = str::from_utf8(&rest[..length]).map_err(|_| Fault::NotText)?;
        let line = line.trim_end_matches('\r').to_owned();
        self.taken += length + 1;
        self.notes.note(Voice::Answered, &line);
        Ok(Some(line))
    }

    /// How many bytes it has sent since it was asked.
    pub(super) const fn since_asked(&self) -> usize {
        self.since_asked
    }

    /// The beginning of a line that has not been ended.
    pub(super) fn unfinished(&self) -> Option<String> {
        last_line(&self.heard[self.taken..])
    }

    /// When the program last wrote to its output, as far as the system tells.
    pub(super) fn last_written(&self) -> Option<Instant> {
        self.output.as_ref().map_or(self.last_written, ChildOutput::last_written)
    }

    /// Sends what can be sent and reads what can be read, without waiting.
    pub(super) fn pump(&mut self) {
        self.write();
        self.read();
        self.read_complaints();
    }

    fn write(&mut self) {
        while let Some(input) = self.input.as_mut().filter(|_| !self.unsent.is_empty()) {
            match input.write(&self.unsent) {
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // It does not listen any more; it may still have answered before.
                Err(_) => self.input = None,
            }
        }
    }

    fn read(&mut self) {
        let mut chunk = [0; 4096];
        self.heard.drain(..self.taken);
        self.taken = 0;
        // One line more than may be sent is enough to know what is wrong.
        while self.heard.len() <= LONGEST_LINE {
            let Some(output) = &mut self.output else { return };
            match output.read(&mut chunk) {
                Ok(0) => {
                    self.last_written = self.last_written();
                    self.output = None;
                }
                Ok(count) => {
                    self.heard.extend(&chunk[..count]);
                    self.since_asked += count;
                    if count < chunk.len() {
                        return;
                    }
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.output = None,
            }
        }
    }

    fn read_complaints(&mut self) {
        let mut chunk = [0; 4096];
        for _ in 0..16 {
            let Some(errors) = &mut self.errors else { return };
            match errors.read(&mut chunk) {
                Ok(0) => self.errors = None,
                Ok(count) => {
                    self.complaints.extend(&chunk[..count]);
                    let surplus = self.complaints.len().saturating_sub(KEPT_COMPLAINTS);
                    self.complaints.drain(..surplus);
                    self.notes.complain(&chunk[..count]);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(_) => self.errors = None,
            }
        }
    }

    fn watched(&self) -> Watched<'_> {
        Watched {
            child: (!self.is_gone).then_some(&self.child),
            input: self.input.as_ref().filter(|_| !self.unsent.is_empty()),
            outputs: [self.output.as_ref(), self.errors.as_ref()],
        }
    }

    /// What became of a program that closed its output.
    fn ended(&mut self) -> Fault {
        let until = Instant::now() + EXIT_TIMEOUT;
        while !self.has_ended() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
        self.read_complaints();
        let how = if self.has_ended() {
            let is_sandboxed = self.is_sandboxed;
            self.kill_and_reap().map_or("ended".to_owned(), |status| told(status, is_sandboxed))
        } else {
            "closed its output".to_owned()
        };
        Fault::Ended { how, complaint: last_line(&self.complaints) }
    }

    /// Whether the program has ended, without reaping it.
    fn has_ended(&self) -> bool {
        self.registration.tree().has_ended()
    }

    /// Tells the program to end, and ends it and all it has started if it does not. Says whether it obeyed.
    pub(super) fn end(mut self, command: Option<&str>) -> bool {
        self.request_exit(command, |_| ())
    }

    /// Like `end`, but also reports what the program said unasked and left running.
    pub(super) fn part(mut self, command: Option<&str>) -> Parting {
        let mut unread = Vec::new();
        let by_itself = self.request_exit(command, |line| {
            if unread.len() < MOST_UNREAD {
                unread.push(line);
            }
        });
        // What the program started may need a moment longer than the program itself.
        let until = Instant::now() + EXIT_TIMEOUT;
        while self.registration.tree().has_members() && Instant::now() < until {
            thread::sleep(Duration::from_millis(10));
        }
        Parting { by_itself, has_followers: self.registration.tree().has_members(), unread }
    }

    fn request_exit(&mut self, command: Option<&str>, mut hear: impl FnMut(String)) -> bool {
        if let Some(command) = command {
            self.send(command);
        }
        self.input = None;
        let until = Instant::now() + EXIT_TIMEOUT;
        let mut nap = Duration::from_micros(200);
        loop {
            // What it says before it ends is there when it has ended, so this comes first.
            let has_ended = self.has_ended();
            self.pump();
            self.take_lines(&mut hear);
            if has_ended || Instant::now() >= until {
                return has_ended;
            }
            thread::sleep(nap);
            nap = (nap * 2).min(Duration::from_millis(10));
        }
    }

    /// Takes all lines that are there. One that is not ended counts once nothing more can come.
    fn take_lines(&mut self, hear: &mut impl FnMut(String)) {
        let rest = &self.heard[self.taken..];
        let whole = rest.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let is_complete = self.output.is_none() || rest.len() > LONGEST_LINE;
        let taken = if is_complete { rest.len() } else { whole };
        let lines = String::from_utf8_lossy(&rest[..taken]).into_owned();
        self.taken += taken;
        for line in lines.lines() {
            self.notes.note(Voice::Answered, line);
            hear(line.to_owned());
        }
    }

    /// Kills the program and its processes, and reaps it. Should it not end even so, it is not waited for long.
    fn kill_and_reap(&mut self) -> Option<ExitStatus> {
        self.registration.kill_and_deregister();
        let until = Instant::now() + EXIT_TIMEOUT;
        let mut nap = Duration::from_micros(50);
        loop {
            match self.child.try_wait() {
                Ok(None) if Instant::now() < until => thread::sleep(nap),
                status => return status.ok().flatten(),
            }
            nap = (nap * 2).min(Duration::from_millis(10));
        }
    }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        // Should it be one that may not be killed by us, it may still end when nobody talks to it.
        self.read_complaints();
        (self.input, self.output, self.errors) = (None, None, None);
        self.kill_and_reap();
    }
}

fn told(status: ExitStatus, is_sandboxed: bool) -> String {
    /// What a sandbox adds to the number of a signal that ended the program.
    const SIGNALLED: i32 = 128;
    match (status.code(), process::signal_of(status)) {
        (Some(code), _) if is_sandboxed && code > SIGNALLED => {
            format!("was ended by signal {}", code - SIGNALLED)
        }
        (Some(code), _) => format!("ended with exit code {code}"),
        (None, Some(signal)) => format!("was ended by signal {signal}"),
        (None, None) => "ended".to_owned(),
    }
}

/// Waits until one of the programs can take or has said something, or the time is up.
pub(super) fn wait<'a>(processes: impl Iterator<Item = &'a mut BotProcess>, until: Instant) {
    let mut processes: Vec<&mut BotProcess> = processes.collect();
    let watched: Vec<Watched> = processes.iter().map(|process| process.watched()).collect();
    process::wait(&watched, until);
    drop(watched);
    for process in &mut processes {
        // What it said before it ended is there when it has ended, so this comes first.
        let is_gone = process.has_ended();
        process.pump();
        process.is_gone = is_gone;
    }
}
