//! The commands available in an online game, in addition to those of every game.

use skirmish_play::driver::Word;
use skirmish_rules::alternatives;

use crate::wire::{Offer, Phrase};

/// Shown after a game ended without a result.
pub const ABORTED: &str = "The game was aborted. Nobody has lost it.";

/// Shown if a game is unrated because both players use the same network or device.
pub(crate) const SAME_PLACE: &str =
    "This game is not rated: both players use the same address or device.";

/// Shown after the operator has closed a room in which a game had begun.
pub const CLOSED_BY_OPERATOR: &str =
    "The operator of this server has closed this game: there is no rematch.";

/// Shown when a game is paused because the last server stops.
pub const PAUSED: &str = "The game is paused, and no clock runs.";

/// Shown when the server asks its clients to reconnect, because it is stopping or moving them to other nodes.
pub const RECONNECTING: &str = "Reconnecting at the server's request. Nothing is lost.";

/// Sent to the players of a game in progress while the database is unreachable.
pub(crate) const DATABASE_UNAVAILABLE: &str = "The server cannot reach its database: no move is accepted at the moment. Nothing is \
                                               lost, and the game goes on by itself.";

/// Sent while the database is unreachable, if no game is in progress.
pub(crate) const DATABASE_UNAVAILABLE_AT_REST: &str = "The server cannot reach its database at the moment: what you enter has to wait. Nothing is lost.";

/// Sent when the database is back during a game, unless an event says that the game resumes.
pub(crate) const DATABASE_BACK: &str =
    "The server reaches its database again, and the game goes on.";

/// Sent when the database is back, if no game is in progress.
pub(crate) const DATABASE_BACK_AT_REST: &str = "The server reaches its database again.";

/// Says that a player makes an offer.
#[must_use]
pub fn offers(name: &str, what: Offer) -> String {
    let what = match what {
        Offer::Draw => "offers a draw",
        Offer::Takeback => "asks to take back their last turn",
        Offer::Rematch => "offers a rematch",
    };
    format!("{name} {what}.")
}

/// A command for online players.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnlineWord {
    /// Accept the opponent's offer.
    Yes,
    /// Decline the opponent's offer.
    No,
    /// Say a phrase; `None` if the phrase is unknown.
    Say(Option<Phrase>),
    /// Claim the game.
    Claim,
    /// Offer another game.
    Rematch,
    /// Review the game.
    Review,
    /// Close a game that nobody has joined.
    Close,
    /// Go to the lobby.
    Lobby,
}

impl OnlineWord {
    /// Parses a line as a command. Only whole words count, so that no command hides a game's action.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_lowercase();
        let (word, argument) = text.split_once(char::is_whitespace).unwrap_or((&text, ""));
        let word = match word {
            "say" => return Some(Self::Say(Phrase::named(argument))),
            "yes" | "y" | "accept" => Self::Yes,
            "no" | "n" | "decline" => Self::No,
            "claim" => Self::Claim,
            "rematch" => Self::Rematch,
            "review" => Self::Review,
            "close" => Self::Close,
            "lobby" => Self::Lobby,
            _ => return None,
        };
        argument.is_empty().then_some(word)
    }
}

/// Descriptions of the commands, for `help`.
const ABOUT: [(&str, &str); 7] = [
    ("yes, no", "answer an offer"),
    ("say", "say something to your opponent: "),
    ("claim", "claim the game when your opponent has been gone for long"),
    ("rematch", "offer another game, when this one is over"),
    ("review", "show the mistakes, when the game is over"),
    ("close", "close the game, while nobody has joined it"),
    ("lobby", "go to the lobby; the game stays on the server"),
];

/// Returns each command as `help` lists it, with its description.
pub fn all() -> impl Iterator<Item = (&'static str, String)> {
    let common = Word::ALL.map(|word| {
        let about = match word {
            Word::Undo => "ask to take back your last turn",
            Word::Save => {
                "write the record so far (save FILE names the file, save! FILE replaces one)"
            }
            Word::Quit => "leave; the game stays on the server",
            Word::Help
            | Word::Rules
            | Word::Board
            | Word::Moves
            | Word::History
            | Word::Hint
            | Word::Analyze
            | Word::Draw
            | Word::Resign => word.about(),
        };
        (word.text(), about)
    });
    common.into_iter().chain(ABOUT).map(|(word, about)| {
        let phrases = if word == "say" { phrases() } else { String::new() };
        (word, format!("{about}{phrases}"))
    })
}

/// Returns the command list that `help` shows.
#[must_use]
pub fn list() -> String {
    listed(all())
}

/// Formats commands and their descriptions, one per line.
pub fn listed(words: impl Iterator<Item = (&'static str, String)>) -> String {
    words.map(|(word, about)| format!("  {word:<8} {about}")).collect::<Vec<String>>().join("\n")
}

/// Returns the names of all phrases.
#[must_use]
pub fn phrases() -> String {
    alternatives(Phrase::ALL.map(|(_, name, _)| name))
}

#[cfg(test)]
mod tests {
    use skirmish_rules::{GAMES, Side};

    use super::*;

    const WORDS: [&str; 12] = [
        "yes", "y", "accept", "no", "n", "decline", "say", "claim", "rematch", "review", "close",
        "lobby",
    ];

    #[test]
    fn no_word_hides_an_action() {
        for word in WORDS {
            assert!(OnlineWord::read(word).is_some(), "{word}");
            for entry in GAMES.iter() {
                let mut table = entry.open(entry.setup()).expect("no position is set");
                assert!(table.submit(Side::One, word).is_err(), "{}: {word}", entry.id);
            }
        }
    }

    #[test]
    fn only_say_takes_an_argument() {
        assert_eq!(OnlineWord::read(" Say  LUCK "), Some(OnlineWord::Say(Some(Phrase::Luck))));
        assert_eq!(OnlineWord::read("say nonsense"), Some(OnlineWord::Say(None)));
        assert_eq!(OnlineWord::read("claim it"), None);
        assert_eq!(OnlineWord::read("clai"), None);
    }
}
