//! Lines of input.

use std::io::{self, BufRead, Read};

use skirmish_play::driver::yes_or_no;

use super::console::Console;
use crate::exit::Exit;
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

/// Reads a line of standard input. From a pipe, blank lines and `#` comments are skipped.
pub(crate) fn read_line(is_terminal: bool) -> io::Result<InputLine> {
    loop {
        let line = read_bounded(&mut io::stdin().lock(), LONGEST_LINE)?;
        let is_skipped = matches!(&line, InputLine::Text(text) if is_comment(text));
        if is_terminal || !is_skipped {
            return Ok(line);
        }
    }
}

/// Asks a person until the answer is yes or no. Returns an [`Exit`] error for no and for the end of input.
pub(crate) fn confirm(question: &str) -> anyhow::Result<()> {
    let mut input = Console::open();
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

const TOO_LONG: &str = "That line is too long.";
const NOT_TEXT: &str = "That line is not UTF-8 text.";

/// Reads a line of at most `longest` bytes. Discards a longer one.
pub(crate) fn read_bounded(input: &mut impl BufRead, longest: usize) -> io::Result<InputLine> {
    let mut bytes = Vec::new();
    input.by_ref().take(longest as u64 + 1).read_until(b'\n', &mut bytes)?;
    if bytes.is_empty() {
        return Ok(InputLine::End);
    }
    let is_whole = bytes.pop_if(|last| *last == b'\n').is_some();
    if !is_whole && bytes.len() > longest {
        input.skip_until(b'\n')?;
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
