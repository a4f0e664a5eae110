//! Standard input and output in line mode: prompts, input lines and messages.

use std::io::{self, IsTerminal};

use skirmish_present::json::{self, EventObject};
use skirmish_rules::{Names, Side, default_names, quotable};
use skirmish_system::terminal::{CtrlC, Hidden};

use super::editor::{Editor, Typed};
use super::input::{InputLine, read_line};
use super::secret::SecretChoices;
use crate::exit::{Exit, INTERRUPTED};
use crate::output::{self, paint};

/// Standard input and output, for people or, as JSON, for programs.
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
pub(crate) struct Console {
    is_json: bool,
    pub(super) is_live: bool,
    /// Whether a person types the input.
    is_terminal: bool,
    /// Whether the last line is a prompt.
    is_open: bool,
    /// Edits lines, if the terminal can do more than print.
    editor: Option<Editor>,
    /// Set while echo is off.
    hidden: Option<Hidden>,
    /// Set while choices are secret.
    pub(super) secret: Option<SecretChoices>,
    /// Whether the player has been told about `help`.
    pub(super) is_introduced: bool,
    /// The players' names, for colouring.
    pub(super) names: Names,
    #[cfg(test)]
    pub(super) script: Option<super::tests::Script>,
}

impl Console {
    /// Opens a console for people. Each prompt waits for its line.
    pub(crate) fn open() -> Self {
        Self::new(false, false)
    }

    /// Opens a console for people or programs. If `is_live`, messages can arrive while a line is typed.
    pub(crate) fn new(is_json: bool, is_live: bool) -> Self {
        // In a live game Ctrl-C ends the program even while it solves a game for a hint.
        let ctrl_c = if is_live { CtrlC::Signal } else { CtrlC::Key };
        Self {
            is_json,
            is_live,
            is_terminal: io::stdin().is_terminal(),
            is_open: false,
            editor: if is_json { None } else { Editor::new(ctrl_c) },
            hidden: None,
            secret: None,
            is_introduced: is_live,
            names: default_names(),
            #[cfg(test)]
            script: None,
        }
    }

    /// A console that takes its lines from a script and keeps its output.
    #[cfg(test)]
    pub(super) fn scripted(script: super::tests::Script) -> Self {
        Self { is_terminal: true, editor: None, script: Some(script), ..Self::open() }
    }

    /// Whether the console serves a program, with JSON.
    pub(crate) const fn is_json(&self) -> bool {
        self.is_json
    }

    /// Whether a person types the input.
    pub(crate) const fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// Whether a person reads and answers, and can be asked for confirmation.
    pub(crate) const fn is_person(&self) -> bool {
        self.is_terminal && !self.is_json
    }

    /// Whether the last line is a prompt.
    pub(crate) const fn is_open(&self) -> bool {
        self.is_open
    }

    /// Makes choices secret or open. While they are secret, a terminal does not echo input, not even between prompts
    /// (R-CL-6).
    pub(super) fn keep_secret(&mut self, is_secret: bool) {
        self.secret = is_secret.then(SecretChoices::default);
        if !is_secret {
            self.hidden = None;
        } else if self.is_terminal && self.hidden.is_none() {
            self.hidden = Hidden::begin();
        }
    }

    /// The editor, unless input is hidden.
    fn editor(&mut self) -> Option<&mut Editor> {
        self.editor.as_mut().filter(|_| self.hidden.is_none())
    }

    /// Starts reading keys if there is a line editor; returns whether there is one.
    pub(crate) fn take_keys(&mut self) -> bool {
        self.editor().map(|editor| editor.begin()).is_some()
    }

    /// Handles terminal input. Returns the line if the input completes it.
    pub(crate) fn take(&mut self, typed: Typed) -> io::Result<Option<InputLine>> {
        self.editor().map_or(Ok(None), |editor| editor.take(typed))
    }

    /// Shows a prompt to people.
    pub(crate) fn prompt(&mut self, text: &str) -> io::Result<()> {
        if self.is_json {
            return Ok(());
        }
        self.is_open = true;
        match self.editor() {
            Some(editor) => {
                editor.begin();
                editor.ask(text)
            }
            None => self.write(&output::fitting(text)),
        }
    }

    /// Shows what has been typed so far, below everything else.
    pub(crate) fn show_input(&mut self) -> io::Result<()> {
        self.editor().map_or(Ok(()), Editor::show)
    }

    /// Waits for a line. From a pipe, blank lines and `#` comments are skipped.
    pub(super) fn read(&mut self) -> io::Result<InputLine> {
        #[cfg(test)]
        if let Some(script) = &mut self.script {
            return Ok(script.next_line());
        }
        if let Some(editor) = self.editor() {
            let line = editor.read()?;
            self.is_open = false;
            return Ok(line);
        }
        let line = read_line(self.is_terminal)?;
        let is_unbroken = self.hidden.as_ref().is_some_and(|hidden| !hidden.shows_line_breaks());
        if self.is_terminal && (line == InputLine::End || is_unbroken) {
            self.is_open = false;
            self.write("\n")?;
        }
        Ok(line)
    }

    /// Notes that a line was entered. Input from a pipe is echoed.
    pub(crate) fn echo(&mut self, line: &InputLine) -> io::Result<()> {
        let text = match line {
            InputLine::Text(text) => quotable(text.trim()),
            InputLine::Unusable(_) => String::new(),
            InputLine::End | InputLine::Interrupted => return Ok(()),
        };
        let was_open = std::mem::take(&mut self.is_open);
        if self.is_json || self.is_terminal {
            return Ok(());
        }
        let mark = if was_open { "" } else { "> " };
        self.write_line(&format!("{mark}{text}"))
    }

    /// Shows a prompt and waits for a line.
    pub(crate) fn ask(&mut self, prompt: &str) -> io::Result<InputLine> {
        self.prompt(prompt)?;
        let line = self.read()?;
        self.echo(&line)?;
        Ok(line)
    }

    /// Asks a person for text. An unusable line is returned as `?`; the end of input as an [`Exit`] error.
    pub(crate) fn ask_text(&mut self, prompt: &str) -> anyhow::Result<String> {
        match self.ask(prompt)? {
            InputLine::Text(text) => Ok(text),
            InputLine::Unusable(_) => Ok("?".to_owned()),
            InputLine::End => Err(Exit::Done.into()),
            InputLine::Interrupted => Err(INTERRUPTED.into()),
        }
    }

    /// Asks a yes-or-no question during a game.
    pub(crate) fn ask_whether(&mut self, question: &str) -> io::Result<InputLine> {
        if self.is_json {
            put(&EventObject::Question { text: question.trim_end().to_owned() })?;
            return self.read();
        }
        self.break_line()?;
        self.ask(question)
    }

    /// Asks for a choice that the other player must not see.
    pub(super) fn ask_secretly(
        &mut self,
        side: Side,
        question: &str,
        again: bool,
    ) -> io::Result<InputLine> {
        let question = paint(question, &self.names);
        if self.is_terminal {
            if side == Side::Two && !again {
                let ready = format!("{}, press Enter when ready.", self.names[side]);
                match self.ask(&paint(&ready, &self.names))? {
                    InputLine::Text(_) | InputLine::Unusable(_) => {}
                    end @ (InputLine::End | InputLine::Interrupted) => return Ok(end),
                }
            }
            if !again {
                self.write_line("What you type stays hidden.")?;
            }
            return self.ask(&question);
        }
        if let Some(question) = self.secret.as_mut().and_then(|it| it.ask(question)) {
            self.write(&question)?;
        }
        let line = self.read()?;
        self.secret.iter_mut().for_each(|secret| secret.hear(&line));
        Ok(line)
    }

    /// Prints a message.
    pub(crate) fn note(&mut self, text: &str) -> io::Result<()> {
        self.say(text, || EventObject::Note { text: text.to_owned() })
    }

    /// Prints why an input is refused.
    pub(crate) fn refuse(&mut self, text: &str) -> io::Result<()> {
        // A typing error can reveal the intended choice.
        self.secret.iter_mut().for_each(SecretChoices::hide_typed);
        let mut letters = text.chars();
        let first = letters.next().map_or_else(String::new, |first| first.to_uppercase().collect());
        let text = first + letters.as_str();
        self.say(&text, || EventObject::Error { text: text.clone() })
    }

    /// Warns on standard error.
    pub(crate) fn warn(&mut self, text: &str) -> io::Result<()> {
        self.break_line()?;
        output::eprint_line(text);
        Ok(())
    }

    /// Prints lines for people, or an object for programs.
    pub(crate) fn say(
        &mut self,
        text: &str,
        object: impl FnOnce() -> EventObject,
    ) -> io::Result<()> {
        if self.is_json {
            return put(&object());
        }
        self.break_line()?;
        self.write_line(&paint(text, &self.names))
    }

    /// Prints a line for people, wrapped at words to the width of the terminal.
    pub(super) fn write_line(&mut self, text: &str) -> io::Result<()> {
        self.write(&format!("{}\n", output::fitting(text)))
    }

    #[cfg_attr(not(test), expect(clippy::unused_self))] // tests read the output from the console
    fn write(&mut self, text: &str) -> io::Result<()> {
        #[cfg(test)]
        if let Some(script) = &mut self.script {
            script.told.push_str(text);
            return Ok(());
        }
        output::print(text)
    }

    /// Completes the last line, so that something else can be printed. A secret choice stays hidden.
    pub(super) fn break_line(&mut self) -> io::Result<()> {
        self.reveal(SecretChoices::hide_held)?;
        self.close_prompt()
    }

    /// Ends a prompt without an answer.
    pub(super) fn close_prompt(&mut self) -> io::Result<()> {
        let was_open = std::mem::take(&mut self.is_open);
        match self.editor() {
            Some(editor) => editor.hide(),
            None if was_open => self.write("\n"),
            None => Ok(()),
        }
    }

    /// Completes the lines of secret choices from a pipe.
    pub(super) fn reveal(&mut self, before: impl FnOnce(&mut SecretChoices)) -> io::Result<()> {
        let Some(secret) = &mut self.secret else { return Ok(()) };
        before(secret);
        let lines = secret.take_lines();
        if lines.is_empty() { Ok(()) } else { self.write(&lines) }
    }

    /// Leaves line mode; `in_game` if a game is in progress.
    pub(crate) fn leave(&mut self, in_game: bool) -> io::Result<()> {
        let is_held = self.secret.as_ref().is_some_and(SecretChoices::is_held);
        self.keep_secret(false);
        if self.is_json {
            return if in_game { put(&EventObject::Leave) } else { Ok(()) };
        }
        if !self.is_live && (is_held || !self.is_terminal) {
            return self.write("\n");
        }
        self.break_line()
    }
}

/// Prints an object for programs.
pub(super) fn put(event: &EventObject) -> io::Result<()> {
    output::print_data_line(json::text(event))
}
