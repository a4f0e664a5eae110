//! What is said between a bot and us, on its way to the log.

use skirmish_rules::printable;

use super::log::{Log, Voice};

/// The lines that are noted between two questions.
const MOST_NOTES: usize = 10_000;

/// The longest line on standard error that is noted in one piece.
const LONGEST_COMPLAINT: usize = 4 << 10;

/// What is to be taken down, but not before the next question: where both choose at once, a choice must not be
/// read there by the other.
pub(super) struct Notes {
    log: Option<Log>,
    program: u32,
    lines: Vec<(Voice, String)>,
    /// The beginning of a line on standard error.
    complaint: Vec<u8>,
}

impl Notes {
    pub(super) const fn new(log: Option<Log>, program: u32) -> Self {
        Self { log, program, lines: Vec::new(), complaint: Vec::new() }
    }

    /// Notes a line, cleaned of what would do something to a terminal.
    pub(super) fn note(&mut self, voice: Voice, text: &str) {
        if self.log.is_some() && self.lines.len() < MOST_NOTES {
            self.lines.push((voice, printable(text)));
        }
    }

    /// Notes what has come on standard error, line by line.
    pub(super) fn complain(&mut self, bytes: &[u8]) {
        if self.log.is_none() {
            return;
        }
        self.complaint.extend(bytes);
        while let Some(end) = self.complaint.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.complaint.drain(..=end).collect();
            self.note(Voice::Complained, String::from_utf8_lossy(&line).trim_end());
        }
        if self.complaint.len() > LONGEST_COMPLAINT {
            self.end_complaint();
        }
    }

    fn end_complaint(&mut self) {
        if !self.complaint.is_empty() {
            let line = std::mem::take(&mut self.complaint);
            self.note(Voice::Complained, String::from_utf8_lossy(&line).trim_end());
        }
    }

    /// Takes down what has been noted.
    pub(super) fn take_down(&mut self) {
        if let Some(log) = &self.log {
            for (voice, text) in self.lines.drain(..) {
                log.note(self.program, voice, &text);
            }
        }
    }
}

impl Drop for Notes {
    fn drop(&mut self) {
        self.end_complaint();
        self.take_down();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_noted_can_control_a_terminal() {
        let log = Log::remembering();
        let mut notes = Notes::new(Some(log.clone()), 1);
        notes.note(Voice::Answered, "1\u{1b}[2J");
        notes.complain(b"oh\x1b[2J\n");
        let texts: Vec<&str> = notes.lines.iter().map(|(_, text)| &**text).collect();
        assert_eq!(texts, ["1\u{fffd}[2J", "oh\u{fffd}[2J"]);
        notes.take_down();
        assert_eq!(log.remembered(), ["< 1\u{fffd}[2J", "! oh\u{fffd}[2J"]);
    }
}
