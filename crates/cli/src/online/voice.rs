//! What an online game shows: a transcript for people or JSON for programs, and prompts that other lines may interrupt.

use std::io;
use std::path::Path;

use crossterm::event::KeyEvent;
use skirmish_play::Session;
use skirmish_present::json::{self, EventObject};
use skirmish_rules::{Record, Side, quotable};
use skirmish_store::{Overwrite, PathKind, StoreError, readable, write_record};

use super::editor::Editor;
use crate::line::{FrontEnd, InputLine, LineReader, Objects, Transcript};
use crate::output::{self, paint};

/// Standard output.
pub(super) struct Voice {
    front: Box<dyn FrontEnd>,
    is_json: bool,
    is_terminal: bool,
    /// The last line is a prompt.
    is_open: bool,
    /// The line that a person types, if the terminal can move its cursor.
    editor: Option<Editor>,
}

impl Voice {
    pub(super) fn new(is_json: bool) -> Self {
        let reader = LineReader::plain();
        let is_terminal = reader.is_terminal();
        let front: Box<dyn FrontEnd> = if is_json {
            Box::new(Objects::new(reader))
        } else {
            Box::new(Transcript::new(reader))
        };
        Self { front, is_json, is_terminal, is_open: false, editor: None }
    }

    /// Begins to read keys, if a person types on a terminal that can move its cursor. Returns whether it does.
    pub(super) fn edit(&mut self) -> bool {
        if !self.is_json {
            self.editor = Editor::begin();
        }
        self.editor.is_some()
    }

    /// Handles a key. Returns the line if that ends it.
    pub(super) fn press(&mut self, key: KeyEvent) -> io::Result<Option<InputLine>> {
        self.editor.as_mut().map_or(Ok(None), |editor| editor.press(key))
    }

    /// The window has another size.
    pub(super) fn resize(&mut self) -> io::Result<()> {
        self.editor.as_mut().map_or(Ok(()), Editor::resize)
    }

    /// Shows what has been typed so far, below everything else.
    pub(super) fn show_input(&mut self) -> io::Result<()> {
        self.editor.as_mut().map_or(Ok(()), Editor::show)
    }

    /// Whether programs read it.
    pub(super) const fn is_json(&self) -> bool {
        self.is_json
    }

    /// Whether a person types the input.
    pub(super) const fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Whether the last line is a prompt.
    pub(super) const fn is_open(&self) -> bool {
        self.is_open
    }

    /// The front end of a local game, on a line of its own.
    pub(super) fn front(&mut self) -> io::Result<&mut dyn FrontEnd> {
        self.break_line()?;
        Ok(&mut *self.front)
    }

    /// Warns on standard error.
    pub(super) fn warn(&mut self, text: &str) -> io::Result<()> {
        self.break_line()?;
        output::eprint_line(text);
        Ok(())
    }

    /// Says something.
    pub(super) fn note(&mut self, text: &str) -> io::Result<()> {
        self.put(text, || EventObject::Note { text: text.to_owned() })
    }

    /// Refuses something.
    pub(super) fn refuse(&mut self, text: &str) -> io::Result<()> {
        let mut letters = text.chars();
        let first = letters.next().map_or_else(String::new, |first| first.to_uppercase().collect());
        let text = &(first + letters.as_str());
        self.put(text, || EventObject::Error { text: text.to_owned() })
    }

    /// Asks something that can be answered at any time.
    pub(super) fn question(&mut self, text: &str) -> io::Result<()> {
        self.put(text, || EventObject::Question { text: text.to_owned() })
    }

    /// Prints lines for people, or an object for programs.
    pub(super) fn put(
        &mut self,
        text: &str,
        object: impl FnOnce() -> EventObject,
    ) -> io::Result<()> {
        self.break_line()?;
        if self.is_json {
            return output::print_data_line(json::text(&object()));
        }
        output::print(&format!("{}\n", output::wrapped(text)))
    }

    /// Asks a side for its choice. `again`: it was already asked in this position.
    pub(super) fn ask(&mut self, session: &Session, side: Side, again: bool) -> io::Result<()> {
        let table = session.table();
        self.break_line()?;
        if self.is_json {
            return output::print_data_line(json::text(&EventObject::prompt(table, side)));
        }
        let prompt = table.prompt(side);
        if !prompt.lead.is_empty() && !again {
            output::print_line(paint(&prompt.lead, table.names()))?;
        }
        self.prompt(&paint(&prompt.ask, table.names()))
    }

    /// Shows a prompt to people.
    pub(super) fn prompt(&mut self, text: &str) -> io::Result<()> {
        if self.is_json {
            return Ok(());
        }
        self.is_open = true;
        match &mut self.editor {
            Some(editor) => editor.ask(text),
            None => output::print(&output::fitting(text)),
        }
    }

    /// A line has been taken from the input: input from a pipe is echoed.
    pub(super) fn echo(&mut self, line: &str) -> io::Result<()> {
        let was_open = std::mem::take(&mut self.is_open);
        if self.is_json || self.is_terminal {
            return Ok(());
        }
        let mark = if was_open { "" } else { "> " };
        output::print_line(format_args!("{mark}{}", quotable(line.trim())))
    }

    /// Writes a record to a file, or shows it if that is `-`. `forced` is the command that overwrites a file.
    pub(super) fn save(
        &mut self,
        record: &Record,
        path: &Path,
        force: bool,
        forced: &str,
    ) -> anyhow::Result<()> {
        let result = match PathKind::of(path) {
            Ok(PathKind::StandardOutput) => Ok(record.to_string().trim_end().to_owned()),
            Ok(_) => {
                let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
                write_record(&absolute, record, None, Overwrite::if_forced(force))
                    .map(|()| format!("Saved in {}.", readable(&absolute)))
            }
            Err(cause) => Err(StoreError::Write(path.to_owned(), cause)),
        };
        match result {
            Ok(text) => self.note(&text)?,
            Err(StoreError::Exists(path)) => {
                let path = readable(&path);
                self.refuse(&format!(
                    "Not saved: {path} exists already. Enter {forced} to replace it."
                ))?;
            }
            Err(error) => self.refuse(&format!("Not saved: {error}."))?,
        }
        Ok(())
    }

    /// The program leaves. `in_game`: a game breaks off.
    pub(super) fn leave(&mut self, in_game: bool) -> io::Result<()> {
        self.break_line()?;
        if self.is_json && in_game {
            return output::print_data_line(json::text(&EventObject::Leave));
        }
        Ok(())
    }

    fn break_line(&mut self) -> io::Result<()> {
        let was_open = std::mem::take(&mut self.is_open);
        match &mut self.editor {
            Some(editor) => editor.hide(),
            None if was_open => output::print("\n"),
            None => Ok(()),
        }
    }
}
