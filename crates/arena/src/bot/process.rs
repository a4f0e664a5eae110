//! A bot's program: exchanges lines with it, and prevents it from blocking us forever or exhausting our memory.

use std::io::{self, ErrorKind, Read, Write};
use std::process::ExitStatus;
use std::thread;
use std::time::{Duration, Instant};

use skirmish_play::Fault;
use skirmish_play::player::BotCommand;
use skirmish_system::process::{self, Child, ChildInput, ChildOutput};
use skirmish_system::{ErrorCause, Started, Watched, error_cause};

use super::launch;
use super::log::{Log, LogLineKind, last_line};
use super::log_buffer::LogBuffer;
use super::registry::{KillHandle, Registration};

/// The longest line in bytes that a bot may send.
const LONGEST_LINE: usize = 64 << 10;

/// Maximum number of bytes that a bot may leave unread in its input.
const MOST_UNSENT: usize = 64 << 10;

/// Maximum number of output lines reported from a program while it exits.
const MOST_UNREAD: usize = 100;

/// The number of bytes of standard error kept to explain a crash.
const STDERR_TAIL: usize = 4 << 10;

/// How long a program may take to exit when asked to. Only the pauses between checks count, because no program can exit
/// while the machine is stalled.
const EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// The longest pause between two checks on a program that has been asked to exit.
const LONGEST_PAUSE: Duration = Duration::from_millis(10);

/// Waits until a condition holds, with pauses that grow up to `longest`. Returns whether it holds.
fn wait_for(longest: Duration, mut holds: impl FnMut() -> bool) -> bool {
    let (mut waited, mut pause) = (Duration::ZERO, Duration::from_micros(50));
    loop {
        if holds() {
            return true;
        }
        if waited >= EXIT_TIMEOUT {
            return false;
        }
        thread::sleep(pause);
        waited += pause;
        pause = (pause * 2).min(longest);
    }
}

/// A running program.
pub(super) struct BotProcess {
    child: Child,
    registration: Registration,
    is_sandboxed: bool,
    input: Option<ChildInput>,
    output: Option<ChildOutput>,
    /// When output was last written; set once the output is closed.
    last_written: Option<Instant>,
    errors: Option<ChildOutput>,
    /// Input that the pipe has not accepted yet.
    unsent: Vec<u8>,
    /// Received output, and how much of it has been consumed as lines.
    received: Vec<u8>,
    consumed: usize,
    /// Bytes received since the last question.
    since_asked: usize,
    stderr_tail: Vec<u8>,
    is_gone: bool,
    log: LogBuffer,
}

/// How a program exited when asked to.
pub(super) struct ExitReport {
    /// Whether the program exited by itself.
    pub(super) by_itself: bool,
    /// Whether a process that the program started outlived it.
    pub(super) has_orphans: bool,
    /// Output that answered no question.
    pub(super) unread: Vec<String>,
}

impl BotProcess {
    /// Starts a bot's program in its own session.
    pub(super) fn start(
        command: &BotCommand,
        log: Option<Log>,
        handle: &KillHandle,
    ) -> Result<Self, Fault> {
        let failed = |error: io::Error| {
            let is_lacking = error_cause(&error) == Some(ErrorCause::NoResources);
            let kind = if is_lacking { Fault::NoRoom } else { Fault::NotStarted };
            kind(error.to_string())
        };
        let launch = || launch::start(command);
        let (started, registration) = Registration::start(handle, launch).map_err(failed)?;
        let Started { child, input, output, errors } = started;
        let log = LogBuffer::new(log, child.id());
        let mut process = Self {
            child,
            registration,
            is_sandboxed: command.sandbox.is_some(),
            input: Some(input),
            output: Some(output),
            last_written: None,
            errors: Some(errors),
            unsent: Vec::new(),
            received: Vec::new(),
            consumed: 0,
            since_asked: 0,
            stderr_tail: Vec::new(),
            is_gone: false,
            log,
        };
        process.log.push(LogLineKind::Comment, &format!("started: {command}"));
        Ok(process)
    }

    /// Sends a line. Bytes that the pipe does not accept are sent while waiting for the answer.
    pub(super) fn send(&mut self, line: &str) {
        self.log.push(LogLineKind::Sent, line);
        self.unsent.extend(line.as_bytes());
        self.unsent.push(b'\n');
        self.write();
    }

    /// Marks the beginning of a question.
    ///
    /// Unrequested output stays in the buffer and counts as the answer to the next question: whether it could be
    /// dropped would depend on timing.
    pub(super) fn begin_question(&mut self) -> Result<(), Fault> {
        self.since_asked = 0;
        self.log.flush();
        if self.unsent.len() > MOST_UNSENT { Err(Fault::Deaf) } else { Ok(()) }
    }

    /// The next line, if a complete one has arrived.
    pub(super) fn line(&mut self) -> Result<Option<String>, Fault> {
        let rest = &self.received[self.consumed..];
        let Some(length) = rest.iter().position(|&byte| byte == b'\n') else {
            if rest.len() > LONGEST_LINE {
                return Err(Fault::EndlessLine(LONGEST_LINE));
            }
            let is_over = self.output.is_none() || self.is_gone;
            return if is_over { Err(self.ended()) } else { Ok(None) };
        };
        let line = str::from_utf8(&rest[..length]).map_err(|_| Fault::NotText)?;
        let line = line.trim_end_matches('\r').to_owned();
        self.consumed += length + 1;
        self.log.push(LogLineKind::Received, &line);
        Ok(Some(line))
    }

    /// The number of bytes received since the last question.
    pub(super) const fn since_asked(&self) -> usize {
        self.since_asked
    }

    /// The beginning of an incomplete line.
    pub(super) fn unfinished(&self) -> Option<String> {
        last_line(&self.received[self.consumed..])
    }

    /// When the program last wrote to its output, if known.
    pub(super) fn last_written(&self) -> Option<Instant> {
        self.output.as_ref().map_or(self.last_written, ChildOutput::last_written)
    }

    /// Writes and reads as much as possible without blocking.
    pub(super) fn pump(&mut self) {
        self.write();
        self.read();
        self.read_stderr();
    }

    fn write(&mut self) {
        while let Some(input) = self.input.as_mut().filter(|_| !self.unsent.is_empty()) {
            match input.write(&self.unsent) {
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                // The bot has closed its input, but may have answered first.
                Err(_) => self.input = None,
            }
        }
    }

    fn read(&mut self) {
        let mut chunk = [0; 4096];
        self.received.drain(..self.consumed);
        self.consumed = 0;
        // One byte beyond the longest line is enough to detect a fault.
        while self.received.len() <= LONGEST_LINE {
            let Some(output) = &mut self.output else { return };
            match available(output, &mut chunk) {
                None => return,
                Some([]) => {
                    self.last_written = self.last_written();
                    self.output = None;
                }
                Some(bytes) => {
                    self.received.extend(bytes);
                    let count = bytes.len();
                    self.since_asked += count;
                    if count < chunk.len() {
                        return;
                    }
                }
            }
        }
    }

    fn read_stderr(&mut self) {
        let mut chunk = [0; 4096];
        for _ in 0..16 {
            let Some(errors) = &mut self.errors else { return };
            match available(errors, &mut chunk) {
                None => return,
                Some([]) => self.errors = None,
                Some(bytes) => {
                    self.stderr_tail.extend(bytes);
                    let surplus = self.stderr_tail.len().saturating_sub(STDERR_TAIL);
                    self.stderr_tail.drain(..surplus);
                    self.log.push_stderr(bytes);
                }
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

    /// The fault of a program that has closed its output.
    fn ended(&mut self) -> Fault {
        let has_ended = wait_for(Duration::from_millis(1), || self.has_ended());
        self.read_stderr();
        let how = if has_ended {
            let is_sandboxed = self.is_sandboxed;
            self.kill_and_reap()
                .map_or("ended".to_owned(), |status| description(status, is_sandboxed))
        } else {
            "closed its output".to_owned()
        };
        Fault::Ended { how, complaint: last_line(&self.stderr_tail) }
    }

    /// Whether the program has ended, without reaping it.
    fn has_ended(&self) -> bool {
        self.registration.tree().has_ended()
    }

    /// Asks the program to exit, then kills it and its processes. Returns whether it exited by itself.
    pub(super) fn end(mut self, command: Option<&str>) -> bool {
        self.request_exit(command, |_| ())
    }

    /// Like `end`, but also reports unrequested output and orphaned processes.
    pub(super) fn end_reporting(mut self, command: Option<&str>) -> ExitReport {
        let mut unread = Vec::new();
        let by_itself = self.request_exit(command, |line| {
            if unread.len() < MOST_UNREAD {
                unread.push(line);
            }
        });
        // Child processes may need a moment longer than the program itself.
        let tree = self.registration.tree();
        let has_orphans = !wait_for(LONGEST_PAUSE, || !tree.has_members());
        ExitReport { by_itself, has_orphans, unread }
    }

    fn request_exit(&mut self, command: Option<&str>, mut on_line: impl FnMut(String)) -> bool {
        if let Some(command) = command {
            self.send(command);
        }
        self.input = None;
        wait_for(LONGEST_PAUSE, || {
            // Check this before reading: once the program has ended, all its output can be read.
            let has_ended = self.has_ended();
            self.pump();
            self.take_lines(&mut on_line);
            has_ended
        })
    }

    /// Consumes all received lines. An incomplete last line counts once the output is closed.
    fn take_lines(&mut self, on_line: &mut impl FnMut(String)) {
        let rest = &self.received[self.consumed..];
        let whole = rest.iter().rposition(|&byte| byte == b'\n').map_or(0, |last| last + 1);
        let is_complete = self.output.is_none() || rest.len() > LONGEST_LINE;
        let consumed = if is_complete { rest.len() } else { whole };
        let lines = String::from_utf8_lossy(&rest[..consumed]).into_owned();
        self.consumed += consumed;
        for line in lines.lines() {
            self.log.push(LogLineKind::Received, line);
            on_line(line.to_owned());
        }
    }

    /// Kills the program and its processes, and reaps the program, with a timeout in case it cannot be killed.
    fn kill_and_reap(&mut self) -> Option<ExitStatus> {
        self.registration.kill_and_deregister();
        let mut status = Ok(None);
        wait_for(LONGEST_PAUSE, || {
            status = self.child.try_wait();
            !matches!(status, Ok(None))
        });
        status.ok().flatten()
    }
}

impl Drop for BotProcess {
    fn drop(&mut self) {
        // A program that we are not permitted to kill may still exit when its pipes are closed.
        self.read_stderr();
        (self.input, self.output, self.errors) = (None, None, None);
        self.kill_and_reap();
    }
}

/// Output that can be read without blocking: empty at the end of the output, `None` if nothing is available yet.
fn available<'a>(output: &mut ChildOutput, chunk: &'a mut [u8]) -> Option<&'a [u8]> {
    loop {
        match output.read(chunk) {
            Ok(count) => return Some(&chunk[..count]),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => return None,
            Err(_) => return Some(&[]),
        }
    }
}

fn description(status: ExitStatus, is_sandboxed: bool) -> String {
    /// A sandbox reports death by a signal as the exit code 128 plus the signal number.
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

/// Waits until one of the programs is ready for input or has output to read, or until the deadline.
pub(super) fn wait<'a>(processes: impl Iterator<Item = &'a mut BotProcess>, until: Instant) {
    let mut processes: Vec<&mut BotProcess> = processes.collect();
    let watched: Vec<Watched> = processes.iter().map(|process| process.watched()).collect();
    process::wait(&watched, until);
    drop(watched);
    for process in &mut processes {
        // Check this before reading: once the program has ended, all its output can be read.
        let is_gone = process.has_ended();
        process.pump();
        process.is_gone = is_gone;
    }
}
