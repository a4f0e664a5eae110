//! What the game loop needs from its front end: a transcript for people, or JSON for programs.

use std::io;

use skirmish_play::{Score, Session};
use skirmish_rules::{Ending, Side};

use super::game::Opening;
use super::input::InputLine;

/// A front end of the game loop.
pub(crate) trait FrontEnd {
    /// A game begins or is resumed.
    fn begin(&mut self, session: &Session, opening: &Opening) -> io::Result<()>;

    /// Asks a side for its choice. `again`: it was already asked in this position.
    fn ask(&mut self, session: &Session, side: Side, again: bool) -> io::Result<InputLine>;

    /// Whether a person answers, who can be asked for confirmation.
    fn is_person(&self) -> bool;

    /// Asks a yes-or-no question.
    fn ask_whether(&mut self, session: &Session, question: &str) -> io::Result<InputLine>;

    /// The choice just read is accepted and waits for the other side's.
    fn waits(&mut self, session: &Session, side: Side) -> io::Result<()>;

    /// A program has chosen for a side. In a simultaneous game the choice stays hidden for now.
    fn chose(&mut self, session: &Session, side: Side, choice: &str) -> io::Result<()>;

    /// A turn or more has been taken back.
    fn taken_back(&mut self, session: &Session) -> io::Result<()>;

    /// A turn has been played.
    fn turn(&mut self, session: &Session) -> io::Result<()>;

    /// An answer to a player's request, or a message that is not part of the game.
    fn note(&mut self, session: &Session, text: &str) -> io::Result<()>;

    /// Shows a Markdown text that has several parts.
    fn pages(&mut self, session: &Session, parts: &[String]) -> io::Result<()> {
        self.note(session, &parts.join("\n\n"))
    }

    /// The input is refused.
    fn refuse(&mut self, session: &Session, text: &str) -> io::Result<()>;

    /// The game has ended.
    fn end(&mut self, session: &Session, ending: Ending) -> io::Result<()>;

    /// The score of the match after a game; `over`: it was the last game.
    fn score(&mut self, score: &Score, over: bool) -> io::Result<()>;

    /// The game is left unfinished.
    fn leave(&mut self) -> io::Result<()>;
}
