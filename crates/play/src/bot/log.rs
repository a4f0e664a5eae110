//! The dialogue with a bot, kept on request.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

/// The most bytes that are kept of a bot's dialogue, whatever it says.
const LARGEST: usize = 16 << 20;

/// The letters that are repeated of what a bot wrote to standard error.
const LONGEST_COMPLAINT: usize = 120;

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

/// A file that takes down what is said. Several games at once share it, so every line names its program.
#[derive(Clone, Debug)]
pub struct Log(Arc<Mutex<Kept>>);

#[derive(Debug)]
struct Kept {
    file: File,
    left: usize,
}

impl Log {
    /// Takes down in this file, behind what is there.
    ///
    /// # Errors
    /// When the file cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::options().create(true).append(true).open(path)?;
        Ok(Self(Arc::new(Mutex::new(Kept { file, left: LARGEST }))))
    }

    pub(super) fn note(&self, program: u32, voice: Voice, text: &str) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut line = format!("{program} {} {text}\n", voice.mark());
        if line.len() > kept.left {
            kept.left = 0;
            return;
        }
        kept.left -= line.len();
        if kept.left < LARGEST / 1024 {
            line = format!("{program} {} (no more is kept)\n", Voice::Remark.mark());
            kept.left = 0;
        }
        // A dialogue that cannot be kept is no reason to stop the game.
        drop(kept.file.write_all(line.as_bytes()));
    }

    pub(super) fn note_bytes(&self, program: u32, voice: Voice, bytes: &[u8]) {
        for line in String::from_utf8_lossy(bytes).lines() {
            let harmless: String = line.chars().filter(|letter| !letter.is_control()).collect();
            self.note(program, voice, &harmless);
        }
    }
}

/// The last line of some text that says anything, short and harmless.
pub(super) fn last_line(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let line = text.lines().rev().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().filter(|letter| !letter.is_control()).take(LONGEST_COMPLAINT).collect())
}
