//! Buffers the dialogue with a bot on its way to the log.

use skirmish_rules::printable;

use super::log::{Log, LogLineKind};

/// Maximum number of lines logged between two questions.
const MOST_LINES: usize = 10_000;

/// The longest standard-error line that is logged in one piece.
const LONGEST_STDERR_LINE: usize = 4 << 10;

/// Holds back lines until the next question: in a simultaneous game, the other bot must not read a choice from the log.
pub(super) struct LogBuffer {
    log: Option<Log>,
    program: u32,
    lines: Vec<(LogLineKind, String)>,
    /// The beginning of an incomplete line of standard error.
    stderr_line: Vec<u8>,
}

impl LogBuffer {
    pub(super) const fn new(log: Option<Log>, program: u32) -> Self {
        Self { log, program, lines: Vec::new(), stderr_line: Vec::new() }
    }

    /// Adds a line after removing its control characters.
    pub(super) fn push(&mut self, kind: LogLineKind, text: &str) {
        if self.log.is_some() && self.lines.len() < MOST_LINES {
            self.lines.push((kind, printable(text)));
        }
    }

    /// Adds output from standard error, split into lines.
    pub(super) fn push_stderr(&mut self, bytes: &[u8]) {
        if self.log.is_none() {
            return;
        }
        self.stderr_line.extend(bytes);
        while let Some(end) = self.stderr_line.iter().position(|&byte| byte == b'\n') {
            let line: Vec<u8> = self.stderr_line.drain(..=end).collect();
            self.push(LogLineKind::Stderr, String::from_utf8_lossy(&line).trim_end());
        }
        if self.stderr_line.len() > LONGEST_STDERR_LINE {
            self.end_stderr_line();
        }
    }

    fn end_stderr_line(&mut self) {
        if !self.stderr_line.is_empty() {
            let line = std::mem::take(&mut self.stderr_line);
            self.push(LogLineKind::Stderr, String::from_utf8_lossy(&line).trim_end());
        }
    }

    /// Writes all lines to the log.
    pub(super) fn flush(&mut self) {
        if let Some(log) = &self.log {
            for (kind, text) in self.lines.drain(..) {
                log.write(self.program, kind, &text);
            }
        }
    }
}

impl Drop for LogBuffer {
    fn drop(&mut self) {
        self.end_stderr_line();
        self.flush();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_logged_line_can_control_a_terminal() {
        let log = Log::remembering();
        let mut buffer = LogBuffer::new(Some(log.clone()), 1);
        buffer.push(LogLineKind::Received, "1\u{1b}[2J");
        buffer.push_stderr(b"oh\x1b[2J\n");
        let texts: Vec<&str> = buffer.lines.iter().map(|(_, text)| &**text).collect();
        assert_eq!(texts, ["1\u{fffd}[2J", "oh\u{fffd}[2J"]);
        buffer.flush();
        assert_eq!(log.remembered(), ["< 1\u{fffd}[2J", "! oh\u{fffd}[2J"]);
    }
}
