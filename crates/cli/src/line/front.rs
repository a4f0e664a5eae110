//! What the game loop needs of whoever it talks to: people reading a transcript, or a program.

use std::io;

use skirmish_play::{Score, Session};
use skirmish_rules::{Ending, Side};

use super::game::Opening;
use super::input::InputLine;

/// The other end of the conversation.
pub(crate) trait FrontEnd {
    /// A game begins or goes on.
    fn begin(&mut self, session: &Session, opening: &Opening) -> io::Result<()>;

    /// Asks a side for its choice. `again` when it has been asked in this position before.
    fn ask(&mut self, session: &Session, side: Side, again: bool) -> io::Result<InputLine>;

    /// Whether a person answers questions, who can be asked whether something is meant.
    fn is_person(&self) -> bool;

    /// Asks a side whether it agrees to something.
    fn ask_whether(&mut self, session: &Session, question: &str) -> io::Result<InputLine>;

    /// The choice just read is taken, and waits for the other side's.
    fn waits(&mut self, session: &Session, side: Side) -> io::Result<()>;

    /// A program has chosen for a side. Where both choose at once, nothing is to be seen of it yet.
    fn chose(&mut self, session: &Session, side: Side, choice: &str) -> io::Result<()>;

    /// A turn or more has been taken back.
    fn taken_back(&mut self, session: &Session) -> io::Result<()>;

    /// A turn has been played.
    fn turn(&mut self, session: &Session) -> io::Result<()>;

    /// An answer to a player's question, or news that are not part of the game.
    fn note(&mut self, session: &Session, text: &str) -> io::Result<()>;

    /// What was typed is refused.
    fn refuse(&mut self, session: &Session, text: &str) -> io::Result<()>;

    /// The game has ended.
    fn end(&mut self, session: &Session, ending: Ending) -> io::Result<()>;

    /// The score of the match after a game; `over` when it was the last.
    fn score(&mut self, score: &Score, over: bool) -> io::Result<()>;

    /// The conversation breaks off.
    fn leave(&mut self) -> io::Result<()>;
}
