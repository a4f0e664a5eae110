//! The words that work at every prompt, in addition to the game's actions.

use skirmish_rules::alternatives;

/// A word that works at every prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // `about` says what each is for
pub enum Word {
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

impl Word {
    /// Each word with its text and a description.
    const TABLE: [(Self, &str, &str); 12] = [
        (Self::Help, "help", "this list"),
        (Self::Rules, "rules", "how the game is played"),
        (Self::Board, "board", "the board again"),
        (Self::Moves, "moves", "what you can do now"),
        (Self::History, "history", "the turns so far"),
        (Self::Hint, "hint", "the best move, and what it leads to"),
        (Self::Analyze, "analyze", "what every move is worth"),
        (Self::Undo, "undo", "take the last turn back"),
        (
            Self::Save,
            "save",
            "save now (save FILE for a file of your own, save! FILE to replace one)",
        ),
        (Self::Draw, "draw", "offer a draw"),
        (Self::Resign, "resign", "give the game up"),
        (Self::Quit, "quit", "leave; the game is saved"),
    ];

    /// Synonyms that newcomers type.
    const SYNONYMS: [(&str, Self); 2] = [("?", Self::Help), ("exit", Self::Quit)];

    /// All words, in the order in which `help` lists them.
    pub const ALL: [Self; 12] = {
        let mut all = [Self::Help; 12];
        let mut index = 0;
        while index < all.len() {
            all[index] = Self::TABLE[index].0;
            index += 1;
        }
        all
    };

    /// Returns the text of the word.
    #[must_use]
    pub const fn text(self) -> &'static str {
        Self::TABLE[self as usize].1
    }

    /// Returns the description of the word that `help` shows.
    #[must_use]
    pub const fn about(self) -> &'static str {
        Self::TABLE[self as usize].2
    }

    /// Returns the list of words that `help` shows.
    #[must_use]
    pub fn list() -> String {
        Self::ALL.map(|word| format!("  {:<8} {}", word.text(), word.about())).join("\n")
    }
}

/// The argument of `rules` that reveals who wins with best play.
pub const SOLUTION: &str = "solution";

/// Whether `text` is a prefix of a word, ignoring case.
fn is_prefix(text: &str, word: &str) -> bool {
    word.starts_with(&text.to_ascii_lowercase())
}

/// A word with its argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The word.
    pub word: Word,
    /// The file after `save`, or [`SOLUTION`] after `rules`.
    pub argument: Option<String>,
    /// Whether `save!` may replace an existing file.
    pub force: bool,
}

impl Request {
    /// Creates a request; `None` if a word other than `save` or `rules` has an argument.
    fn new(word: Word, typed: &TypedWord) -> Option<Self> {
        let argument = (!typed.argument.is_empty()).then(|| typed.argument.to_owned());
        let fits = match word {
            Word::Save => true,
            Word::Rules => !typed.force && is_prefix(typed.argument, SOLUTION),
            _ => argument.is_none() && !typed.force,
        };
        fits.then_some(Self { word, argument, force: typed.force })
    }
}

/// The result of parsing a line as a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    One(Request),
    Several(String),
    Nothing,
}

/// Parses a line that starts with a whole word.
pub(super) fn exact(text: &str) -> Option<Request> {
    let typed = TypedWord::new(text);
    let words = Word::ALL.map(|word| (word.text(), word)).into_iter().chain(Word::SYNONYMS);
    let (_, word) = words.into_iter().find(|(text, _)| text.eq_ignore_ascii_case(typed.word))?;
    Request::new(word, &typed)
}

/// Parses a line that starts with the prefix of a word. Callers try the game's actions first, so that no word can hide
/// one.
pub(super) fn abbreviated(text: &str) -> Reading {
    let typed = TypedWord::new(text);
    let fitting: Vec<Word> = Word::ALL
        .into_iter()
        .filter(|word| !typed.word.is_empty() && is_prefix(typed.word, word.text()))
        .collect();
    match fitting.as_slice() {
        [] => Reading::Nothing,
        [word] => Request::new(*word, &typed).map_or(Reading::Nothing, Reading::One),
        several => Reading::Several(alternatives(several.iter().map(|word| word.text()))),
    }
}

/// A parsed line: `save! my game.skr`.
struct TypedWord<'a> {
    word: &'a str,
    argument: &'a str,
    /// Whether there is a `!` after the word.
    force: bool,
}

impl<'a> TypedWord<'a> {
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
    fn the_table_is_in_the_order_of_the_words() {
        for word in Word::ALL {
            assert_eq!(Word::TABLE[word as usize].0, word);
        }
    }

    #[test]
    fn no_word_hides_an_action() {
        for entry in GAMES.iter() {
            let mut table = entry.open(entry.setup()).expect("no position is set");
            for word in Word::ALL {
                assert!(table.submit(Side::One, word.text()).is_err(), "{}: {word:?}", entry.id);
            }
        }
    }

    #[test]
    fn a_unique_prefix_is_enough() {
        assert!(matches!(abbreviated("q"), Reading::One(Request { word: Word::Quit, .. })));
        assert_eq!(abbreviated("r"), Reading::Several("rules or resign".to_owned()));
        assert_eq!(abbreviated("x"), Reading::Nothing);
        assert_eq!(abbreviated(""), Reading::Nothing);
    }

    #[test]
    fn newcomers_words_are_understood() {
        assert!(matches!(exact("?"), Some(Request { word: Word::Help, .. })));
        assert!(matches!(exact(" EXIT "), Some(Request { word: Word::Quit, .. })));
    }

    #[test]
    fn only_save_and_rules_take_an_argument() {
        assert_eq!(exact("undo 3"), None);
        let solution = exact("rules Sol").expect("the solution can be asked for");
        assert_eq!((solution.word, solution.argument.is_some()), (Word::Rules, true));
        assert_eq!(exact("rules of chess"), None);
        let saved = exact(" SAVE  my game.skr ").expect("save takes a file");
        assert_eq!((saved.argument.as_deref(), saved.force), (Some("my game.skr"), false));
        let forced = exact("save! x.skr").expect("save takes a file");
        assert_eq!((forced.argument.as_deref(), forced.force), (Some("x.skr"), true));
        assert_eq!(exact("resign!"), None);
        assert_eq!(abbreviated("resi!"), Reading::Nothing);
    }
}
