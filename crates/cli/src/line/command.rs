//! Words that mean the same at every prompt, beside a game's own actions.

use skirmish_rules::alternatives;

/// What a player can ask for at any prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command {
    Help,
    Rules,
    Board,
    Moves,
    History,
    Hint,
    Analyze,
    Undo,
    Save,
    Draw,
    Resign,
    Quit,
}

impl Command {
    pub(crate) const ALL: [Self; 12] = [
        Self::Help,
        Self::Rules,
        Self::Board,
        Self::Moves,
        Self::History,
        Self::Hint,
        Self::Analyze,
        Self::Undo,
        Self::Save,
        Self::Draw,
        Self::Resign,
        Self::Quit,
    ];

    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::Help => "help",
            Self::Rules => "rules",
            Self::Board => "board",
            Self::Moves => "moves",
            Self::History => "history",
            Self::Hint => "hint",
            Self::Analyze => "analyze",
            Self::Undo => "undo",
            Self::Save => "save",
            Self::Draw => "draw",
            Self::Resign => "resign",
            Self::Quit => "quit",
        }
    }

    const fn about(self) -> &'static str {
        match self {
            Self::Help => "this list",
            Self::Rules => "how the game is played",
            Self::Board => "the board again",
            Self::Moves => "what you can do now",
            Self::History => "the turns so far",
            Self::Hint => "the best move, and what it leads to",
            Self::Analyze => "what every move is worth",
            Self::Undo => "take the last turn back",
            Self::Save => "save now (save FILE for a file of your own, save! FILE to replace one)",
            Self::Draw => "offer a draw",
            Self::Resign => "give the game up",
            Self::Quit => "leave; the game is saved",
        }
    }

    /// The command whose word this is, in full.
    pub(crate) fn exact(text: &str) -> Option<Request> {
        let said = Said::new(text);
        let command =
            Self::ALL.into_iter().find(|command| command.word().eq_ignore_ascii_case(said.word))?;
        Request::new(command, &said).map(|request| Request { is_whole: true, ..request })
    }

    /// The command whose word begins like this. Only asked after the game's own actions, so that a
    /// command never takes a word away from them.
    pub(crate) fn begun(text: &str) -> Begun {
        let said = Said::new(text);
        let word = said.word.to_ascii_lowercase();
        let begun: Vec<Self> = Self::ALL
            .into_iter()
            .filter(|command| !word.is_empty() && command.word().starts_with(&word))
            .collect();
        match begun.as_slice() {
            [] => Begun::Nothing,
            [command] => Request::new(*command, &said).map_or(Begun::Nothing, Begun::One),
            several => Begun::Several(alternatives(several.iter().map(|command| command.word()))),
        }
    }

    /// The list that `help` shows.
    pub(crate) fn list() -> String {
        let lines = Self::ALL.map(|command| format!("  {:<8} {}", command.word(), command.about()));
        lines.join("\n")
    }
}

/// A command with what was said behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) command: Command,
    pub(crate) argument: Option<String>,
    /// Whether its word was written in full.
    pub(crate) is_whole: bool,
    /// Whether an existing file may be replaced.
    pub(crate) force: bool,
}

impl Request {
    /// Only `save` takes anything behind it.
    fn new(command: Command, said: &Said) -> Option<Self> {
        let argument = (!said.argument.is_empty()).then(|| said.argument.to_owned());
        let is_plain = argument.is_none() && !said.force;
        let fits = is_plain || command == Command::Save;
        fits.then_some(Self { command, argument, force: said.force, is_whole: false })
    }
}

/// Why the beginning of `resign` is not enough where nobody can be asked whether it is meant.
pub(crate) const RESIGN_IN_FULL: &str = "To resign, type the whole word: resign.";

/// What the beginning of a word can mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Begun {
    One(Request),
    Several(String),
    Nothing,
}

/// A line taken apart: `save! my game.skr`.
struct Said<'a> {
    word: &'a str,
    argument: &'a str,
    /// There is a `!` behind the word.
    force: bool,
}

impl<'a> Said<'a> {
    fn new(text: &'a str) -> Self {
        let text = text.trim();
        let (word, argument) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let forced = word.strip_suffix('!');
        Self { word: forced.unwrap_or(word), argument: argument.trim(), force: forced.is_some() }
    }
}

#[cfg(test)]
mod tests {
    use skirmish_rules::{GAMES, Side};

    use super::*;

    #[test]
    fn no_command_is_the_word_of_an_action() {
        for entry in GAMES.iter() {
            let mut table = entry.open(entry.setup()).expect("no position is set");
            for command in Command::ALL {
                let side = Side::One;
                assert!(table.submit(side, command.word()).is_err(), "{}: {command:?}", entry.id);
            }
        }
    }

    #[test]
    fn a_unique_beginning_is_enough() {
        assert!(matches!(Command::begun("q"), Begun::One(Request { command: Command::Quit, .. })));
        assert_eq!(Command::begun("r"), Begun::Several("rules or resign".to_owned()));
        assert_eq!(Command::begun("x"), Begun::Nothing);
        assert_eq!(Command::begun(""), Begun::Nothing);
    }

    #[test]
    fn only_save_takes_something_behind_it() {
        assert_eq!(Command::exact("undo 3"), None);
        let saved = Command::exact(" SAVE  my game.skr ").expect("save takes a file");
        assert_eq!((saved.argument.as_deref(), saved.force), (Some("my game.skr"), false));
        let forced = Command::exact("save! x.skr").expect("save takes a file");
        assert_eq!((forced.argument.as_deref(), forced.force), (Some("x.skr"), true));
        assert_eq!(Command::exact("resign!"), None);
        assert_eq!(Command::begun("resi!"), Begun::Nothing);
    }
}
