//! The line editor: a prompt, a line with a cursor, and a history. Other output can appear above it.

use std::io::{self, IsTerminal, stdout};
use std::time::Duration;

use crossterm::cursor::{MoveToColumn, MoveToPreviousLine};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::execute;
use crossterm::terminal::{Clear, ClearType};
use skirmish_present::Manner;
use skirmish_system::terminal::{CtrlC, Keys};
use skirmish_system::{is_dumb, signals};

use super::input::{InputLine, LONGEST_LINE};
use crate::output::{self, width_of as width};

/// The columns that a prompt must leave for the input; a longer prompt gets lines of its own.
const ROOM: usize = 12;

/// How often a reader checks whether the terminal has hung up: crossterm does not notice it.
const TICK: Duration = Duration::from_millis(500);

/// A terminal event caused by a person.
#[derive(Clone, Copy)]
pub(crate) enum Typed {
    Key(KeyEvent),
    /// The window was resized.
    Resized,
    /// The window was closed.
    Gone,
}

impl Typed {
    /// Waits for the next key.
    pub(crate) fn next() -> io::Result<Self> {
        loop {
            if !event::poll(TICK)? {
                if output::is_hung_up() {
                    return Ok(Self::Gone);
                }
                continue;
            }
            match event::read()? {
                Event::Key(key) => return Ok(Self::Key(key)),
                Event::Resize(..) => return Ok(Self::Resized),
                _ => {}
            }
        }
    }
}

/// The input line in the last row of the terminal.
pub(super) struct Editor {
    keys: Keys,
    text: EditedLine,
    history: Vec<String>,
    /// The recalled line's index in the history, and the unfinished line that it temporarily replaces.
    recalled: Option<(usize, EditedLine)>,
    prompt: String,
    /// Number of rows that a long prompt takes above the input.
    rows: u16,
    is_shown: bool,
}

/// A line with a cursor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct EditedLine {
    letters: Vec<char>,
    cursor: usize,
}

impl Editor {
    /// An editor, if standard input and output are a terminal that can do more than print.
    pub(super) fn new(ctrl_c: CtrlC) -> Option<Self> {
        let is_usual = output::manner() == Manner::Usual && !is_dumb();
        if !is_usual || !io::stdin().is_terminal() || !stdout().is_terminal() {
            return None;
        }
        Some(Self {
            keys: Keys::new(ctrl_c)?,
            text: EditedLine::default(),
            history: Vec::new(),
            recalled: None,
            prompt: String::new(),
            rows: 0,
            is_shown: false,
        })
    }

    /// Starts reading keys.
    pub(super) fn begin(&self) {
        self.keys.resume();
    }

    /// Waits for the line, then stops reading keys.
    pub(super) fn read(&mut self) -> io::Result<InputLine> {
        let line = loop {
            if let Some(line) = self.take(Typed::next()?)? {
                break line;
            }
        };
        if !matches!(line, InputLine::Text(_)) {
            self.enter()?;
        }
        self.keys.pause();
        Ok(line)
    }

    /// Handles what was typed. Returns the line if that ends it.
    pub(super) fn take(&mut self, typed: Typed) -> io::Result<Option<InputLine>> {
        match typed {
            Typed::Key(key) => self.press(key),
            Typed::Resized => self.resize().map(|()| None),
            Typed::Gone => Ok(Some(InputLine::End)),
        }
    }

    /// Replaces the prompt and keeps the text.
    pub(super) fn ask(&mut self, prompt: &str) -> io::Result<()> {
        self.hide()?;
        if width(prompt) + ROOM > output::width() {
            let above = output::fitting(prompt.trim_end());
            output::print(&format!("{above}\n"))?;
            self.rows = u16::try_from(output::rows(&above)).unwrap_or(u16::MAX);
            "> ".clone_into(&mut self.prompt);
        } else {
            prompt.clone_into(&mut self.prompt);
        }
        self.show()
    }

    /// Clears the row for other output, and forgets the prompt.
    pub(super) fn hide(&mut self) -> io::Result<()> {
        self.prompt.clear();
        match (std::mem::take(&mut self.is_shown), std::mem::take(&mut self.rows)) {
            (false, _) => Ok(()),
            (true, 0) => clear(),
            (true, rows) => {
                execute!(stdout(), MoveToPreviousLine(rows), Clear(ClearType::FromCursorDown))
            }
        }
    }

    /// Draws the line for a new window size. The terminal may have wrapped a long prompt differently, so its rows stay.
    fn resize(&mut self) -> io::Result<()> {
        self.rows = 0;
        self.draw()
    }

    /// Shows the line if it is hidden.
    pub(super) fn show(&mut self) -> io::Result<()> {
        if self.is_shown { Ok(()) } else { self.draw() }
    }

    /// Shows the prompt and as much of the line as fits.
    fn draw(&mut self) -> io::Result<()> {
        let before = width(&self.prompt);
        let room = output::width().saturating_sub(before + 1).max(1);
        let (shown, cursor) = self.text.part(room);
        clear()?;
        output::print(&format!("{}{shown}", self.prompt))?;
        self.is_shown = true;
        let column = u16::try_from(before + cursor).unwrap_or(u16::MAX);
        execute!(stdout(), MoveToColumn(column))
    }

    fn press(&mut self, key: KeyEvent) -> io::Result<Option<InputLine>> {
        if key.kind == KeyEventKind::Release {
            return Ok(None);
        }
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Enter => return self.enter().map(Some),
            KeyCode::Char('j' | 'm') if is_control => return self.enter().map(Some),
            KeyCode::Char('c') if is_control => return Ok(Some(InputLine::Interrupted)),
            KeyCode::Char('d') if is_control && self.text.letters.is_empty() => {
                return Ok(Some(InputLine::End));
            }
            KeyCode::Char('z') if is_control => self.suspend()?,
            KeyCode::Up => self.recall(true),
            KeyCode::Char('p') if is_control => self.recall(true),
            KeyCode::Down => self.recall(false),
            KeyCode::Char('n') if is_control => self.recall(false),
            code => self.text.edit(code, is_control, key.modifiers.contains(KeyModifiers::ALT)),
        }
        self.draw()?;
        Ok(None)
    }

    /// Ends the line and leaves it on the screen.
    fn enter(&mut self) -> io::Result<InputLine> {
        self.text.cursor = 0;
        self.draw()?;
        output::print("\n")?;
        (self.is_shown, self.rows) = (false, 0);
        self.prompt.clear();
        self.recalled = None;
        let text: String = std::mem::take(&mut self.text).letters.into_iter().collect();
        if !text.trim().is_empty() && self.history.last() != Some(&text) {
            self.history.push(text.clone());
        }
        Ok(InputLine::Text(text))
    }

    /// Recalls the previous or next line of the history.
    fn recall(&mut self, is_before: bool) {
        let (at, new) = match self.recalled.take() {
            Some(recalled) => recalled,
            None => (self.history.len(), self.text.clone()),
        };
        let at = if is_before { at.saturating_sub(1) } else { (at + 1).min(self.history.len()) };
        match self.history.get(at) {
            Some(line) => {
                self.text = EditedLine::of(line);
                self.recalled = Some((at, new));
            }
            None => self.text = new,
        }
    }

    fn suspend(&mut self) -> io::Result<()> {
        self.keys.pause();
        output::print("\n")?;
        signals::suspend()?;
        self.keys.resume();
        Ok(())
    }
}

impl EditedLine {
    fn of(line: &str) -> Self {
        let letters: Vec<char> = line.chars().collect();
        Self { cursor: letters.len(), letters }
    }

    /// Edits the line with the usual shell keys.
    fn edit(&mut self, code: KeyCode, is_control: bool, is_alt: bool) {
        let (cursor, end) = (self.cursor, self.letters.len());
        let before = cursor.saturating_sub(1);
        match (code, is_control) {
            (KeyCode::Left, false) | (KeyCode::Char('b'), true) => self.cursor = before,
            (KeyCode::Right, false) | (KeyCode::Char('f'), true) => {
                self.cursor = (cursor + 1).min(end);
            }
            (KeyCode::Left, true) => self.cursor = self.word_before(),
            (KeyCode::Right, true) => self.cursor = self.word_after(),
            (KeyCode::Char('b'), false) if is_alt => self.cursor = self.word_before(),
            (KeyCode::Char('f'), false) if is_alt => self.cursor = self.word_after(),
            (KeyCode::Home, _) | (KeyCode::Char('a'), true) => self.cursor = 0,
            (KeyCode::End, _) | (KeyCode::Char('e'), true) => self.cursor = end,
            (KeyCode::Backspace, _) | (KeyCode::Char('h'), true) => self.remove(before, cursor),
            (KeyCode::Delete, _) | (KeyCode::Char('d'), true) => {
                self.remove(cursor, (cursor + 1).min(end));
            }
            (KeyCode::Char('u'), true) => self.remove(0, cursor),
            (KeyCode::Char('k'), true) => self.remove(cursor, end),
            (KeyCode::Char('w'), true) => self.remove(self.word_before(), cursor),
            (KeyCode::Char(letter), false)
                if !is_alt && !letter.is_control() && end < LONGEST_LINE =>
            {
                self.letters.insert(cursor, letter);
                self.cursor += 1;
            }
            _ => {}
        }
    }

    fn remove(&mut self, from: usize, to: usize) {
        self.letters.drain(from..to);
        self.cursor = from;
    }

    /// The start of the word before the cursor.
    fn word_before(&self) -> usize {
        let before = &self.letters[..self.cursor];
        let end = before.iter().rposition(|letter| *letter != ' ').map_or(0, |last| last + 1);
        before[..end].iter().rposition(|letter| *letter == ' ').map_or(0, |space| space + 1)
    }

    /// The end of the word after the cursor.
    fn word_after(&self) -> usize {
        let length = self.letters.len();
        let position = |from: usize, is_space: bool| {
            let rest = self.letters[from..].iter();
            rest.clone()
                .position(|letter| (*letter == ' ') == is_space)
                .map_or(length, |at| from + at)
        };
        position(position(self.cursor, false), true)
    }

    /// The part of the line around the cursor that fits, and the cursor's column in it.
    fn part(&self, room: usize) -> (String, usize) {
        let wide = |letters: &[char]| width(&letters.iter().collect::<String>());
        let mut start = 0;
        while wide(&self.letters[start..self.cursor]) > room.saturating_sub(1) {
            start += 1;
        }
        let mut end = self.letters.len();
        while end > self.cursor && wide(&self.letters[start..end]) > room {
            end -= 1;
        }
        (self.letters[start..end].iter().collect(), wide(&self.letters[start..self.cursor]))
    }
}

/// Clears the cursor's row, even if colours are off.
fn clear() -> io::Result<()> {
    execute!(stdout(), MoveToColumn(0), Clear(ClearType::UntilNewLine))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Types text; `|` in the result is the cursor.
    fn typed(line: &str, keys: &[(KeyCode, bool)]) -> String {
        let mut text = EditedLine::of(line);
        for (code, is_control) in keys {
            text.edit(*code, *is_control, false);
        }
        let (before, after) = text.letters.split_at(text.cursor);
        before.iter().chain(&['|']).chain(after).collect()
    }

    #[test]
    fn a_line_is_edited_as_in_a_shell() {
        let (left, home) = ((KeyCode::Left, false), (KeyCode::Home, false));
        let control = |letter| (KeyCode::Char(letter), true);
        for (keys, expected) in [
            (&[][..], "say good game|"),
            (&[left, (KeyCode::Char('x'), false)], "say good gamx|e"),
            (&[home, (KeyCode::Right, false), (KeyCode::Delete, false)], "s|y good game"),
            (&[(KeyCode::Backspace, false)], "say good gam|"),
            (&[control('w')], "say good |"),
            (&[control('w'), control('w')], "say |"),
            (&[(KeyCode::Left, true), control('u')], "|game"),
            (&[control('a'), (KeyCode::Right, true), control('k')], "say|"),
            (&[home, left, (KeyCode::Backspace, false)], "|say good game"),
            (&[(KeyCode::End, false), (KeyCode::Delete, false), control('d')], "say good game|"),
            (&[(KeyCode::Char('\u{7}'), false)], "say good game|"),
        ] {
            assert_eq!(typed("say good game", keys), expected, "{keys:?}");
        }
        assert_eq!(typed("", &[control('k'), control('u'), control('w'), left]), "|");
    }

    #[test]
    fn a_long_line_shows_the_part_around_the_cursor() {
        let mut text = EditedLine::of("0123456789");
        assert_eq!(text.part(20), ("0123456789".to_owned(), 10));
        assert_eq!(text.part(6), ("56789".to_owned(), 5));
        text.cursor = 0;
        assert_eq!(text.part(6), ("012345".to_owned(), 0));
        assert_eq!(EditedLine::of("日本語").part(5), ("本語".to_owned(), 4));
    }
}
