//! The operator's log: one event per line, with its time, level and fields. No entry contains a token, a code with which
//! somebody could join, a choice, or the address of the database.

mod queue;

use std::collections::HashSet;
use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;
use skirmish_play::Day;

pub use self::queue::LogQueue;
use crate::lock::lock;
use crate::request_id::RequestId;
use crate::storage::StorageError;

/// How many damaged items are remembered. Beyond that, damage may be logged again.
const MOST_DAMAGED: usize = 10_000;

/// The event for an unreachable database. Any request may trigger it.
pub(crate) const UNAVAILABLE: &str = "database_unavailable";

/// Minimum time between two [`UNAVAILABLE`] entries.
const UNAVAILABLE_INTERVAL: Duration = Duration::from_secs(1);

/// How important an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Routine activity, such as connections.
    Debug,
    /// Normal operation.
    Info,
    /// Problems that the server handles by itself.
    Warn,
    /// Problems that somebody should investigate.
    Error,
}

impl Level {
    const fn word(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// The format of log entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogFormat {
    /// Text for people.
    Text,
    /// One JSON object per line.
    Json,
}

/// The operator's log.
#[derive(Clone)]
pub struct Log {
    least: Level,
    sink: Arc<dyn Fn(&Entry) + Send + Sync>,
    /// Damaged items that have been logged.
    damaged: Arc<Mutex<HashSet<String>>>,
    /// When [`UNAVAILABLE`] was last logged.
    unavailable: Arc<Mutex<Option<Instant>>>,
}

impl fmt::Debug for Log {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Log").field("least", &self.least).finish_non_exhaustive()
    }
}

impl Log {
    /// Returns a log that passes entries of at least this level to `sink`.
    pub fn new(least: Level, sink: impl Fn(&Entry) + Send + Sync + 'static) -> Self {
        Self { least, sink: Arc::new(sink), damaged: Arc::default(), unavailable: Arc::default() }
    }

    /// Returns a log that discards all entries.
    #[must_use]
    pub fn none() -> Self {
        Self::new(Level::Error, |_| {})
    }

    /// Whether entries of this level are logged.
    pub(crate) fn takes(&self, level: Level) -> bool {
        level >= self.least
    }

    pub(crate) fn write(&self, entry: &Entry) {
        if self.takes(entry.level) && (entry.event != UNAVAILABLE || self.is_time_for_unavailable())
        {
            (self.sink)(entry);
        }
    }

    fn is_time_for_unavailable(&self) -> bool {
        let mut told = lock(&self.unavailable);
        let is_time = told.is_none_or(|told| told.elapsed() >= UNAVAILABLE_INTERVAL);
        if is_time {
            *told = Some(Instant::now());
        }
        is_time
    }

    /// Logs a storage error.
    pub(crate) fn storage_failed(&self, error: &StorageError) {
        match error {
            StorageError::Damaged(what) => self.write_damage(what, &Entry::of(error)),
            _ => self.write(&Entry::of(error)),
        }
    }

    /// Logs damage once, although it is found on every read.
    pub(crate) fn write_damage(&self, what: &str, entry: &Entry) {
        let mut damaged = lock(&self.damaged);
        if damaged.len() >= MOST_DAMAGED {
            damaged.clear();
        }
        let is_new = damaged.insert(what.to_owned());
        drop(damaged);
        if is_new {
            self.write(entry);
        }
    }
}

/// A log entry.
#[derive(Clone, Debug)]
pub struct Entry {
    level: Level,
    /// The event's name, for programs.
    event: &'static str,
    /// The description, for people. The text is fixed: anything variable is a field.
    text: &'static str,
    fields: Vec<(&'static str, Value)>,
}

impl Entry {
    pub(crate) const fn debug(event: &'static str, text: &'static str) -> Self {
        Self { level: Level::Debug, event, text, fields: Vec::new() }
    }

    pub(crate) const fn info(event: &'static str, text: &'static str) -> Self {
        Self { level: Level::Info, event, text, fields: Vec::new() }
    }

    pub(crate) const fn warn(event: &'static str, text: &'static str) -> Self {
        Self { level: Level::Warn, event, text, fields: Vec::new() }
    }

    pub(crate) const fn error(event: &'static str, text: &'static str) -> Self {
        Self { level: Level::Error, event, text, fields: Vec::new() }
    }

    /// Returns the entry for a storage error.
    pub(crate) fn of(error: &StorageError) -> Self {
        match error {
            StorageError::Unavailable(_) => Self::unavailable(Some(error)),
            // A request came too late. If the storage's thread has panicked, the panic has been reported.
            StorageError::Closed => Self::debug("storage_closed", "The server has stopped."),
            _ => Self::error("storage_failed", "The storage failed.").failure(error),
        }
    }

    /// Returns the entry for a database that cannot be reached or written to, with the error, if known.
    pub(crate) fn unavailable(error: Option<&StorageError>) -> Self {
        let text = "The database cannot be used: no move is accepted until it is back.";
        let entry = Self::warn(UNAVAILABLE, text);
        if let Some(error) = error { entry.failure(error) } else { entry }
    }

    /// Returns the entry for a server that cannot start.
    #[must_use]
    pub fn start_failed(why: &str) -> Self {
        Self::error("start_failed", "The server cannot start.").with("error", why)
    }

    /// Adds a field.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.fields.push((name, value.into()));
        self
    }

    /// Adds a storage error's reason as a field.
    pub(crate) fn failure(self, error: &StorageError) -> Self {
        self.with("error", error.reason())
    }

    /// Adds the id of the request or connection.
    pub(crate) fn request(self, id: &RequestId) -> Self {
        self.with("request", id.text())
    }

    /// Adds the game's code, unless the game is private: anyone who knows its code can join.
    pub(crate) fn game(self, code: &str, is_public: bool) -> Self {
        self.with("code", if is_public { code } else { "private" })
    }

    /// Formats the entry as a line, without the line ending.
    #[must_use]
    pub fn line(&self, format: LogFormat, time: SystemTime) -> String {
        let time = stamp(time);
        match format {
            LogFormat::Text => self.plain(&time),
            LogFormat::Json => self.object(time),
        }
    }

    /// Formats the entry as a JSON object, with the fields at the top level.
    fn object(&self, time: String) -> String {
        let head = [
            ("time", time.into()),
            ("level", self.level.word().into()),
            ("event", self.event.into()),
            ("text", self.text.into()),
        ];
        let fields = head.iter().chain(&self.fields);
        let fields: Vec<_> = fields.map(|(name, value)| format!("\"{name}\":{value}")).collect();
        format!("{{{}}}", fields.join(","))
    }

    fn plain(&self, time: &str) -> String {
        let mut line = format!("{time} {:<5} {} {}", self.level.word(), self.event, self.text);
        for (name, field) in &self.fields {
            let _ = match field.as_str() {
                Some(text) if is_bare(text) => write!(line, " {name}={text}"),
                // Quoted, so that foreign text cannot look like a field or a new line.
                _ => write!(line, " {name}={field}"),
            };
        }
        line
    }
}

fn is_bare(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:/#+".contains(&byte))
}

/// Formats a time in UTC as in RFC 3339: `2026-11-16T10:25:06.123Z`.
fn stamp(time: SystemTime) -> String {
    const DAY: u64 = 86_400;
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let (days, seconds) = (since.as_secs() / DAY, since.as_secs() % DAY);
    let day = Day::since_1970(u32::try_from(days).unwrap_or(u32::MAX));
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!("{day}T{hours:02}:{minutes:02}:{:02}.{:03}Z", seconds % 60, since.subsec_millis())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn time() -> SystemTime {
        UNIX_EPOCH + Duration::from_millis(1_794_824_706_007)
    }

    #[test]
    fn an_entry_is_one_line_whatever_its_fields_say() {
        let entry = Entry::info("game_created", "A game was created.")
            .game("ABC234", true)
            .with("name", "two\nlines level=\"error\"")
            .with("games", 7);
        assert_eq!(
            entry.line(LogFormat::Text, time()),
            "2026-11-16T10:25:06.007Z info  game_created A game was created. code=ABC234 \
             name=\"two\\nlines level=\\\"error\\\"\" games=7"
        );
        assert_eq!(
            entry.line(LogFormat::Json, time()),
            "{\"time\":\"2026-11-16T10:25:06.007Z\",\"level\":\"info\",\"event\":\"game_created\",\
             \"text\":\"A game was created.\",\"code\":\"ABC234\",\
             \"name\":\"two\\nlines level=\\\"error\\\"\",\"games\":7}"
        );
    }

    #[test]
    fn the_code_of_a_private_game_is_not_written() {
        let line = Entry::info("game_created", "A game was created.").game("ABC234", false);
        let line = line.line(LogFormat::Text, time());
        assert!(line.ends_with("code=private"), "{line}");
    }

    #[test]
    fn the_address_of_the_database_is_not_written() {
        let source = Arc::new(std::io::Error::other("no such role"));
        let place = crate::storage::Place::Database("database club on db.internal".to_owned());
        let line = Entry::of(&StorageError::Unusable { place, source });
        let line = line.line(LogFormat::Text, time());
        assert!(line.ends_with("error=\"no such role\""), "{line}");
    }

    /// Returns a log of this level, and a function that counts its entries.
    fn counted(least: Level) -> (Log, impl Fn() -> u64) {
        let written = Arc::new(std::sync::atomic::AtomicU64::new(0));
        let counting = Arc::clone(&written);
        let log = Log::new(least, move |_| {
            counting.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        });
        (log, move || written.load(std::sync::atomic::Ordering::Relaxed))
    }

    #[test]
    fn only_what_is_important_enough_is_written() {
        let (log, written) = counted(Level::Warn);
        log.write(&Entry::info("bus_connected", ""));
        log.write(&Entry::warn("bus_disconnected", ""));
        assert_eq!(written(), 1);
    }

    #[test]
    fn that_the_database_is_away_is_told_once_a_second() {
        let (log, written) = counted(Level::Warn);
        let begun = Instant::now();
        for _ in 0..1000 {
            log.storage_failed(&StorageError::Unavailable("no answer".to_owned()));
        }
        assert!((1..=1 + begun.elapsed().as_secs()).contains(&written()), "{}", written());
        let before = written();
        log.write(&Entry::warn("bus_disconnected", ""));
        assert_eq!(written(), before + 1, "others are not kept waiting");
    }

    #[test]
    fn a_storage_that_was_closed_is_no_error() {
        let (log, written) = counted(Level::Info);
        log.storage_failed(&StorageError::Closed);
        assert_eq!(written(), 0);
    }
}
