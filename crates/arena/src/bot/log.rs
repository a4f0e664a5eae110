//! The dialogue with a bot, kept on request.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use skirmish_rules::printable;

/// The most bytes that are kept of a bot's dialogue, whatever it says.
const LARGEST: usize = 16 << 20;

/// The letters that are repeated of what a bot wrote to standard error.
const LONGEST_COMPLAINT: usize = 120;

/// How many lines are remembered where only the last ones matter: a question in UGI takes seven.
const REMEMBERED: usize = 12;

/// How many of them may follow each other on standard error.
const COMPLAINTS: usize = 6;

/// The letters that are remembered of a line.
const LONGEST_REMEMBERED: usize = 400;

/// Who says a line of a dialogue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// We to the bot.
    Asked,
    /// The bot.
    Answered,
    /// The bot, on standard error.
    Complained,
    /// What happens beside the dialogue.
    Remark,
}

impl Voice {
    const fn mark(self) -> char {
        match self {
            Self::Asked => '>',
            Self::Answered => '<',
            Self::Complained => '!',
            Self::Remark => '#',
        }
    }
}

/// What takes down what is said: a file, or a memory of the last lines.
#[derive(Clone, Debug)]
pub struct Log(Arc<Mutex<LogTail>>);

#[derive(Debug)]
enum LogTail {
    /// Several games at once share it, so every line names its program.
    File { file: File, left: usize },
    /// For whoever wants to know what led to a fault.
    Memory(VecDeque<(Voice, String)>),
}

impl Log {
    /// Takes down in this file, behind what is there.
    ///
    /// # Errors
    /// If the file cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::options().create(true).append(true).open(path)?;
        Ok(Self(Arc::new(Mutex::new(LogTail::File { file, left: LARGEST }))))
    }

    /// Remembers the last lines.
    pub(super) fn remembering() -> Self {
        Self(Arc::new(Mutex::new(LogTail::Memory(VecDeque::new()))))
    }

    /// What is remembered, each line with a mark: `>` was asked, `<` answered, `!` written to standard error.
    pub(super) fn remembered(&self) -> Vec<String> {
        match &*self.lock() {
            LogTail::File { .. } => Vec::new(),
            LogTail::Memory(lines) => {
                lines.iter().map(|(voice, text)| format!("{} {text}", voice.mark())).collect()
            }
        }
    }

    /// Forgets what is remembered.
    pub(super) fn forget(&self) {
        if let LogTail::Memory(lines) = &mut *self.lock() {
            lines.clear();
        }
    }

    pub(super) fn note(&self, program: u32, voice: Voice, text: &str) {
        match &mut *self.lock() {
            LogTail::File { file, left } => write(file, left, program, voice, text),
            LogTail::Memory(lines) => remember(lines, voice, text),
        }
    }

    fn lock(&self) -> MutexGuard<'_, LogTail> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn write(file: &mut File, left: &mut usize, program: u32, voice: Voice, text: &str) {
    let line = format!("{program} {} {text}\n", voice.mark());
    let line = match left.checked_sub(line.len()) {
        Some(less) => {
            *left = less;
            line
        }
        None if *left == 0 => return,
        None => {
            *left = 0;
            format!("{program} {} (no more is kept)\n", Voice::Remark.mark())
        }
    };
    // A dialogue that cannot be kept is no reason to stop the game.
    drop(file.write_all(line.as_bytes()));
}

fn remember(lines: &mut VecDeque<(Voice, String)>, voice: Voice, text: &str) {
    if voice == Voice::Remark {
        return;
    }
    let said = lines.iter().rposition(|(last, _)| *last != Voice::Complained);
    let first = said.map_or(0, |last| last + 1);
    if voice == Voice::Complained && lines.len() - first == COMPLAINTS {
        // Of a crash's long report the end tells most, and the rest would push out the question.
        lines.remove(first);
    }
    let shown = text.chars().take(LONGEST_REMEMBERED).collect();
    lines.push_back((voice, shown));
    if lines.len() > REMEMBERED {
        lines.pop_front();
    }
}

/// The last line of some text that says anything, short and harmless.
pub(super) fn last_line(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    Some(printable(line).chars().take(LONGEST_COMPLAINT).collect())
}
