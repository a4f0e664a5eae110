//! Secret choices from a pipe: each is echoed after its prompt, as in the rulebook, but only once both are known (R-CL-6).

use skirmish_rules::quotable;

use super::input::InputLine;
use crate::output;

/// Shown in place of a secret choice.
const HIDDEN: &str = "(hidden)";

/// The incomplete lines of a turn.
#[derive(Debug, Default)]
pub(super) struct SecretChoices {
    /// The line just read, not echoed yet.
    typed: Option<String>,
    /// Its prompt, not printed yet because the line above is still open.
    question: Option<String>,
    /// The first side's line, to be echoed after its prompt, which is the last output so far.
    held: Option<String>,
}

impl SecretChoices {
    /// Takes the prompt for a choice. Returns it if it can be printed now.
    pub(super) fn ask(&mut self, question: String) -> Option<String> {
        if self.held.is_none() {
            return Some(question);
        }
        self.question = Some(question);
        None
    }

    /// Stores the line that was read.
    pub(super) fn hear(&mut self, line: &InputLine) {
        self.typed = match line {
            InputLine::Text(text) => Some(quotable(text.trim())),
            InputLine::Unusable(_) => Some(String::new()),
            InputLine::End | InputLine::Interrupted => None,
        };
    }

    /// Holds the first side's choice back.
    pub(super) fn hold(&mut self) {
        self.held = self.typed.take();
    }

    /// Whether a choice is held back.
    pub(super) const fn is_held(&self) -> bool {
        self.held.is_some()
    }

    /// Replaces the choice that is held back with a placeholder.
    pub(super) fn hide_held(&mut self) {
        self.held.iter_mut().for_each(|held| HIDDEN.clone_into(held));
    }

    /// Replaces the line just read with a placeholder.
    pub(super) fn hide_typed(&mut self) {
        self.typed.iter_mut().for_each(|typed| HIDDEN.clone_into(typed));
    }

    /// Takes the completed lines, each a prompt with its choice.
    pub(super) fn take_lines(&mut self) -> String {
        let Self { typed, question, held } = std::mem::take(self);
        let line = |text: String| format!("{}\n", output::fitting(&text));
        let parts = [held.map(line), question, typed.map(line)];
        parts.into_iter().flatten().collect()
    }
}
