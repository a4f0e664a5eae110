//! The log of the dialogue with a bot.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use skirmish_rules::printable;

/// Maximum number of bytes logged of a bot's dialogue.
const LARGEST: usize = 16 << 20;

/// Maximum number of characters quoted from a bot's standard error.
const LONGEST_QUOTE: usize = 120;

/// The number of lines kept in memory: a UGI question takes seven.
const REMEMBERED: usize = 12;

/// Maximum number of consecutive standard-error lines among the lines kept in memory.
const REMEMBERED_STDERR: usize = 6;

/// Maximum number of characters kept of each line.
const LONGEST_REMEMBERED: usize = 400;

/// The kind of a line in a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LogLineKind {
    /// Sent to the bot.
    Sent,
    /// Received from the bot.
    Received,
    /// Written by the bot to standard error.
    Stderr,
    /// A remark added by Skirmish.
    Comment,
}

impl LogLineKind {
    const fn mark(self) -> char {
        match self {
            Self::Sent => '>',
            Self::Received => '<',
            Self::Stderr => '!',
            Self::Comment => '#',
        }
    }
}

/// A log: a file, or the last lines in memory.
#[derive(Clone, Debug)]
pub struct Log(Arc<Mutex<Sink>>);

#[derive(Debug)]
enum Sink {
    /// A log file. Concurrent games share the file, so every line begins with the bot's PID.
    File { file: File, left: usize },
    /// The last lines, to explain a fault.
    Memory(VecDeque<(LogLineKind, String)>),
}

impl Log {
    /// Writes to this file.
    #[must_use]
    pub fn to(file: File) -> Self {
        Self(Arc::new(Mutex::new(Sink::File { file, left: LARGEST })))
    }

    /// Keeps only the last lines, in memory.
    pub(super) fn remembering() -> Self {
        Self(Arc::new(Mutex::new(Sink::Memory(VecDeque::new()))))
    }

    /// The lines in memory, each with a mark: `>` sent, `<` received, `!` standard error.
    pub(super) fn remembered(&self) -> Vec<String> {
        match &*self.lock() {
            Sink::File { .. } => Vec::new(),
            Sink::Memory(lines) => {
                lines.iter().map(|(kind, text)| format!("{} {text}", kind.mark())).collect()
            }
        }
    }

    /// Clears the lines in memory.
    pub(super) fn forget(&self) {
        if let Sink::Memory(lines) = &mut *self.lock() {
            lines.clear();
        }
    }

    pub(super) fn write(&self, program: u32, kind: LogLineKind, text: &str) {
        match &mut *self.lock() {
            Sink::File { file, left } => write(file, left, program, kind, text),
            Sink::Memory(lines) => remember(lines, kind, text),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Sink> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write(file: &mut File, left: &mut usize, program: u32, kind: LogLineKind, text: &str) {
    let line = format!("{program} {} {text}\n", kind.mark());
    let line = match left.checked_sub(line.len()) {
        Some(less) => {
            *left = less;
            line
        }
        None if *left == 0 => return,
        None => {
            *left = 0;
            format!("{program} {} (the log is full)\n", LogLineKind::Comment.mark())
        }
    };
    // A failure to write the log is no reason to stop the game.
    drop(file.write_all(line.as_bytes()));
}

fn remember(lines: &mut VecDeque<(LogLineKind, String)>, kind: LogLineKind, text: &str) {
    if kind == LogLineKind::Comment {
        return;
    }
    let last = lines.iter().rposition(|(last, _)| *last != LogLineKind::Stderr);
    let first = last.map_or(0, |last| last + 1);
    if kind == LogLineKind::Stderr && lines.len() - first == REMEMBERED_STDERR {
        // Keep the end of a long crash report, which is the most telling part, without pushing out the question.
        lines.remove(first);
    }
    let shown = text.chars().take(LONGEST_REMEMBERED).collect();
    lines.push_back((kind, shown));
    if lines.len() > REMEMBERED {
        lines.pop_front();
    }
}

/// The last non-blank line of some output, shortened and safe to print.
pub(super) fn last_line(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    Some(printable(line).chars().take(LONGEST_QUOTE).collect())
}
