//! Lines of input: with line editing on a terminal, hidden if secret, plain from a pipe.

use std::io::{self, BufRead, IsTerminal};

use rustyline::DefaultEditor;
use rustyline::config::Config;
use rustyline::error::ReadlineError;
use skirmish_play::driver::yes_or_no;
use skirmish_present::Manner;
use skirmish_system::is_dumb;
use skirmish_system::terminal::Hidden;

use crate::exit::{Exit, INTERRUPTED};
use crate::output;

/// The longest line accepted; longer ones are skipped and refused.
pub(crate) const LONGEST_LINE: usize = 4096;

/// The answer to a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum InputLine {
    /// A line of text.
    Text(String),
    /// A line that is not usable text, and why.
    Unusable(&'static str),
    /// The input has ended.
    End,
    /// Ctrl-C.
    Interrupted,
}

/// Standard input.
pub(crate) struct LineReader {
    is_terminal: bool,
    editor: Option<DefaultEditor>,
    hidden: Option<Hidden>,
}

impl LineReader {
    /// Opens standard input.
    pub(crate) fn open() -> Self {
        let is_terminal = io::stdin().is_terminal();
        let is_usual = output::manner() == Manner::Usual && !is_dumb();
        let editor = if is_terminal && io::stdout().is_terminal() && is_usual {
            DefaultEditor::with_config(Config::builder().auto_add_history(true).build()).ok()
        } else {
            None
        };
        Self { is_terminal, editor, hidden: None }
    }

    /// Opens standard input for whole lines, without an editor.
    pub(crate) fn plain() -> Self {
        Self { is_terminal: io::stdin().is_terminal(), editor: None, hidden: None }
    }

    /// Whether a person types the lines.
    pub(crate) const fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Turns echo off or on again (R-CL-6). It stays off between prompts, so that early typing is hidden too.
    pub(crate) fn hide(&mut self, secret: bool) {
        if !secret {
            self.hidden = None;
        } else if self.is_terminal && self.hidden.is_none() {
            self.hidden = Hidden::begin();
        }
    }

    /// Shows a prompt and reads a line. From a pipe, blank lines and `#` comments are skipped.
    pub(crate) fn ask(&mut self, prompt: &str) -> io::Result<InputLine> {
        let prompt = &*output::fitting(prompt);
        match &mut self.editor {
            Some(editor) if self.hidden.is_none() => edited(editor, prompt),
            _ => {
                output::print(prompt)?;
                let line = self.read()?;
                let is_unbroken =
                    self.hidden.as_ref().is_some_and(|hidden| !hidden.shows_line_breaks());
                if self.is_terminal && (line == InputLine::End || is_unbroken) {
                    output::print("\n")?;
                }
                Ok(line)
            }
        }
    }

    /// Asks a person. An unusable line reads as `?`. The end of input is an [`Exit`] as an error.
    pub(crate) fn ask_text(&mut self, prompt: &str) -> anyhow::Result<String> {
        match self.ask(prompt)? {
            InputLine::Text(text) => Ok(text),
            InputLine::Unusable(_) => Ok("?".to_owned()),
            InputLine::End => Err(Exit::Done.into()),
            InputLine::Interrupted => Err(INTERRUPTED.into()),
        }
    }

    /// Reads a line without a prompt.
    pub(crate) fn read(&mut self) -> io::Result<InputLine> {
        loop {
            let line = read_bounded(&mut io::stdin().lock(), LONGEST_LINE)?;
            let is_skipped = matches!(&line, InputLine::Text(text) if is_comment(text));
            if self.is_terminal || !is_skipped {
                return Ok(line);
            }
        }
    }
}

/// Asks a person until the answer is yes or no. No, and the end of input, is an [`Exit`] as an error.
pub(crate) fn confirm(question: &str) -> anyhow::Result<()> {
    let mut input = LineReader::open();
    loop {
        match yes_or_no(&input.ask_text(question)?) {
            Some(true) => return Ok(()),
            Some(false) => return Err(Exit::Done.into()),
            None => output::print_line("Enter yes or no.")?,
        }
    }
}

/// Whether a line of a script is blank or a comment.
fn is_comment(text: &str) -> bool {
    text.trim().is_empty() || text.trim_start().starts_with('#')
}

fn edited(editor: &mut DefaultEditor, prompt: &str) -> io::Result<InputLine> {
    loop {
        return match editor.readline(prompt) {
            Ok(text) if text.len() > LONGEST_LINE => Ok(InputLine::Unusable(TOO_LONG)),
            Ok(text) => Ok(InputLine::Text(text)),
            Err(ReadlineError::Eof) => Ok(InputLine::End),
            Err(ReadlineError::Interrupted) => Ok(InputLine::Interrupted),
            Err(ReadlineError::Signal(_)) => continue,
            Err(ReadlineError::Io(error)) if error.kind() == io::ErrorKind::InvalidData => {
                Ok(InputLine::Unusable(NOT_TEXT))
            }
            Err(ReadlineError::Io(error)) => Err(error),
            Err(_) => Ok(InputLine::Unusable(NOT_TEXT)),
        };
    }
}

const TOO_LONG: &str = "That line is too long.";
const NOT_TEXT: &str = "That line is not UTF-8 text.";

/// Reads a line of at most `longest` bytes. Discards a longer one.
pub(crate) fn read_bounded(input: &mut impl BufRead, longest: usize) -> io::Result<InputLine> {
    let mut bytes = Vec::new();
    let mut too_long = false;
    let mut ended = true;
    loop {
        let buffer = match input.fill_buf() {
            Ok(buffer) => buffer,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        if buffer.is_empty() {
            break;
        }
        ended = false;
        let (part, used, complete) = match buffer.iter().position(|&byte| byte == b'\n') {
            Some(at) => (&buffer[..at], at + 1, true),
            None => (buffer, buffer.len(), false),
        };
        too_long |= bytes.len() + part.len() > longest;
        if !too_long {
            bytes.extend_from_slice(part);
        }
        input.consume(used);
        if complete {
            break;
        }
    }
    if ended {
        return Ok(InputLine::End);
    }
    if too_long {
        return Ok(InputLine::Unusable(TOO_LONG));
    }
    Ok(match String::from_utf8(bytes) {
        Ok(text) => InputLine::Text(text.trim_end_matches('\r').to_owned()),
        Err(_) => InputLine::Unusable(NOT_TEXT),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(mut input: &[u8]) -> Vec<InputLine> {
        std::iter::from_fn(|| {
            read_bounded(&mut input, LONGEST_LINE).ok().filter(|line| *line != InputLine::End)
        })
        .collect()
    }

    #[test]
    fn line_endings_of_any_kind_are_removed() {
        let expected = ["1", "2", "", "3"].map(|text| InputLine::Text(text.to_owned()));
        assert_eq!(lines(b"1\n2\r\n\n3"), expected);
    }

    #[test]
    fn a_line_that_is_too_long_is_refused_and_the_next_is_read() {
        let mut input = vec![b'x'; 1_000_000];
        input.extend_from_slice(b"\n1\n");
        assert_eq!(lines(&input), [InputLine::Unusable(TOO_LONG), InputLine::Text("1".to_owned())]);
    }

    #[test]
    fn bytes_that_are_not_utf8_are_refused() {
        assert_eq!(
            lines(b"\xff\xfe\n1\n"),
            [InputLine::Unusable(NOT_TEXT), InputLine::Text("1".to_owned())]
        );
    }
}
