//! The catalogue: what front ends need to know about each game before it is played.

use std::fmt::{self, Write};

use crate::drawing::Gallery;
use crate::graph::{self, Graph, TooMany};
use crate::notation::{Notation, PositionError};
use crate::settings::{
    OptionKind, RuleOption, SettingError, Settings, TypedOptions, alternatives, conjunction,
};
use crate::side::{Names, Side, default_names};
use crate::table::{Seats, Table};
use crate::text::Text;
use crate::tutorial::Tutorial;
use crate::watch::{Cancelled, Watch};

/// Who makes the first move (R-ALL-1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Starter {
    /// Player 1, by the rulebook. In a match, the players swap seats instead (R-ALL-5).
    PlayerOne,
    /// The players choose, or toss a coin.
    Toss,
    /// Nobody: both act simultaneously.
    Nobody,
}

/// Whether the sides choose in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tempo {
    /// One side chooses while the other waits.
    Alternating,
    /// Both sides choose simultaneously and in secret.
    Simultaneous,
}

impl Starter {
    /// The sides that can make the first move; only Player 1 in simultaneous games.
    #[must_use]
    pub const fn sides(self) -> &'static [Side] {
        match self {
            Self::Toss => &Side::ALL,
            Self::PlayerOne | Self::Nobody => &[Side::One],
        }
    }

    /// The tempo: simultaneous if nobody starts, alternating otherwise.
    #[must_use]
    pub const fn tempo(self) -> Tempo {
        match self {
            Self::PlayerOne | Self::Toss => Tempo::Alternating,
            Self::Nobody => Tempo::Simultaneous,
        }
    }
}

/// The maximum number of characters in the name of a game, so that lists of games fit a narrow window.
pub const LONGEST_GAME_NAME: usize = 20;

/// The maximum number of characters in the summary of a game, so that it fits a line beside the name.
pub const LONGEST_SUMMARY: usize = 52;

/// The information about a game that the catalogue adds to its rules.
///
/// Programs written for one game need no strings:
///
/// ```
/// use skirmish_rules::Catalogued;
/// use skirmish_rules::games::base_battle::{BaseBattle, Options, Push};
///
/// let options = Options { positions: 9, push: Push::Behind, ..Options::default() };
/// let game = BaseBattle::new(options)?; // only the rules; see `Game`
/// let table = BaseBattle::ENTRY.open(BaseBattle::setup(options)?)?; // a game in progress
/// assert_eq!(table.settings().changes(), "positions=9 push=behind");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Catalogued: Notation + Text + Send + Sync + Sized + 'static {
    /// The rule options as a struct.
    type Options: TypedOptions;

    /// The name for programs: `NAME` in lower case, with `-` instead of spaces. It must never change, because records
    /// contain it.
    const ID: &'static str;
    /// The name for people: words of ASCII letters and digits, at most [`LONGEST_GAME_NAME`] characters.
    const NAME: &'static str;
    /// The idea of the game: one sentence of at most [`LONGEST_SUMMARY`] characters.
    const SUMMARY: &'static str;
    /// The rules page with the rulings, in Markdown. The rule options are added from `OPTIONS`.
    const RULES: &'static str;
    /// The side that makes the first move, or how it is chosen.
    const STARTER: Starter;
    /// The rule options with their defaults.
    const OPTIONS: &'static [RuleOption];
    /// Named sets of rule options worth playing.
    const PRESETS: &'static [Preset] = &[];
    /// The text of the tutorial, if the game has one; see [`Tutorial::parse`].
    const TUTORIAL: Option<&'static str> = None;
    /// The text of the drawings, if the game has any; see [`Gallery::parse`].
    const DRAWINGS: Option<&'static str> = None;
    /// The first day on which the game takes part in the rotation of daily puzzles, such as `2027-01-01`; `None` if it
    /// never does. This date must be in the future when the game is added and must never change, because a date always
    /// has the same puzzle.
    const DAILY_SINCE: Option<&'static str> = None;

    /// The catalogue entry.
    const ENTRY: &'static Entry = &Entry::of::<Self>();

    /// The game with these options, which must be in range; [`Catalogued::new`] checks them.
    fn build(options: Self::Options) -> Self;

    /// The game with these options.
    ///
    /// # Errors
    /// If an option is out of range.
    fn new(options: Self::Options) -> Result<Self, SettingError> {
        Settings::of(Self::OPTIONS, &options).map(|_| Self::build(options))
    }

    /// The game with these settings, which must belong to it.
    #[must_use]
    fn with(settings: &Settings) -> Self {
        Self::build(Self::Options::read(settings))
    }

    /// The default setup, but with these options.
    ///
    /// # Errors
    /// If an option is out of range.
    fn setup(options: Self::Options) -> Result<Setup, SettingError> {
        let settings = Settings::of(Self::OPTIONS, &options)?;
        Ok(Setup { settings, ..Self::ENTRY.setup() })
    }
}

/// A named set of rule options.
#[derive(Debug)]
pub struct Preset {
    /// The preset's name, as in `--preset NAME`.
    pub name: &'static str,
    /// The options that the preset changes, such as `positions=9 steps=3`.
    pub rules: &'static str,
    /// A reason to play the preset.
    pub about: &'static str,
}

/// A game of the catalogue.
#[derive(Debug)]
pub struct Entry {
    /// The name for programs.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// The idea of the game, in one sentence.
    pub summary: &'static str,
    /// The rules page, without the rule options.
    pub rules: &'static str,
    /// The side that makes the first move, or how it is chosen.
    pub starter: Starter,
    /// The rule options with their defaults.
    pub options: &'static [RuleOption],
    /// Named sets of rule options worth playing.
    pub presets: &'static [Preset],
    /// The text of the tutorial, if the game has one.
    pub tutorial: Option<&'static str>,
    /// See [`Catalogued::DAILY_SINCE`].
    pub daily_since: Option<&'static str>,
    /// The text of the drawings, if the game has any.
    pub drawings: Option<&'static str>,
    open: Open,
    survey: Survey,
    explore: Explore,
}

type Survey = fn(&Settings, Side, u64, &dyn Watch) -> Result<Box<dyn Graph>, SurveyError>;

type Explore = fn(&Settings, &str, u64, &dyn Watch) -> Result<Box<dyn Graph>, SurveyError>;

type Open = fn(Setup) -> Result<Box<dyn Table>, SetupError>;

/// The reasons why the graph of a game, or of everything after a position, cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SurveyError {
    /// The text is not a position.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// There are too many positions.
    #[error(transparent)]
    TooMany(#[from] TooMany),
    /// The watcher cancelled the work.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// The reasons why a table cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// The rule options belong to another game.
    #[error("these are not the rule options of {game}: it has {possible}")]
    Settings {
        /// The game.
        game: &'static str,
        /// The game's own options.
        possible: String,
    },
    /// The position does not belong to this game.
    #[error(transparent)]
    Position(#[from] PositionError),
}

/// The setup of a game.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The rule options.
    pub settings: Settings,
    /// Who makes the first move, if the players choose. A position determines this itself: see [`StartingPoint`].
    ///
    /// [`StartingPoint`]: crate::StartingPoint
    pub first: Side,
    /// The players' names.
    pub names: Names,
    /// The position to start from; the start of the game if `None`.
    pub position: Option<String>,
}

impl Entry {
    /// The catalogue entry of a game.
    #[must_use]
    pub const fn of<G: Catalogued>() -> Self {
        Self {
            id: G::ID,
            name: G::NAME,
            summary: G::SUMMARY,
            rules: G::RULES,
            starter: G::STARTER,
            options: G::OPTIONS,
            presets: G::PRESETS,
            tutorial: G::TUTORIAL,
            daily_since: G::DAILY_SINCE,
            drawings: G::DRAWINGS,
            open: |setup| Ok(Box::new(Seats::<G>::take(setup)?)),
            survey: |settings, first, most, watch| {
                graph::survey(G::with(settings), first, most, watch)
            },
            explore: |settings, position, most, watch| {
                let game = G::with(settings);
                let root = game.parse_position(position)?;
                graph::explore(game, root, most, watch)
            },
        }
    }

    /// Whether the sides choose in turn.
    #[must_use]
    pub const fn tempo(&self) -> Tempo {
        self.starter.tempo()
    }

    /// The default setup: the rulebook's options, Player 1 first, default names.
    #[must_use]
    pub fn setup(&self) -> Setup {
        Setup {
            settings: Settings::defaults(self.options),
            first: Side::One,
            names: default_names(),
            position: None,
        }
    }

    /// Opens a table.
    ///
    /// # Errors
    /// If the setup's rule options or position do not belong to this game.
    pub fn open(&self, mut setup: Setup) -> Result<Box<dyn Table>, SetupError> {
        if !setup.settings.fit(self.options) {
            let possible = conjunction(self.options.iter().map(|option| option.name));
            return Err(SetupError::Settings { game: self.id, possible });
        }
        if self.starter != Starter::Toss && setup.position.is_none() {
            // R-ALL-1: nobody chooses who starts this game, and a record must not claim otherwise.
            setup.first = Side::One;
        }
        (self.open)(setup)
    }

    /// The game as a graph of numbered positions.
    ///
    /// # Errors
    /// If there are more than `most` positions, or the work is cancelled.
    ///
    /// # Panics
    /// If the settings belong to another game.
    pub fn survey(
        &self,
        settings: &Settings,
        first: Side,
        most: u64,
        watch: &dyn Watch,
    ) -> Result<Box<dyn Graph>, SurveyError> {
        (self.survey)(settings, first, most, watch)
    }

    /// The graph of everything that can follow from a position, even if the position is unreachable from the start.
    ///
    /// # Errors
    /// If `position` does not belong to this game, more than `most` positions follow from it, or the work is cancelled.
    ///
    /// # Panics
    /// If the settings belong to another game.
    pub fn explore(
        &self,
        settings: &Settings,
        position: &str,
        most: u64,
        watch: &dyn Watch,
    ) -> Result<Box<dyn Graph>, SurveyError> {
        (self.explore)(settings, position, most, watch)
    }

    /// The parsed tutorial, if the game has one.
    ///
    /// # Panics
    /// If the text is malformed. A test parses every game's tutorial.
    #[must_use]
    pub fn lessons(&self) -> Option<Tutorial> {
        let tutorial = self.tutorial?;
        Some(Tutorial::parse(tutorial).expect("a test parses every tutorial"))
    }

    /// The parsed drawings; empty if the game is drawn with plain tokens.
    ///
    /// # Panics
    /// If the text is malformed. A test parses every game's drawings.
    #[must_use]
    pub fn gallery(&self) -> Gallery {
        let drawings = self.drawings.map(Gallery::parse).transpose();
        drawings.expect("a test parses all drawings").unwrap_or_default()
    }

    /// The rules in Markdown, in three parts.
    #[must_use]
    pub fn rules_parts(&self) -> RulesParts {
        let rest = self.rules.trim_end();
        let (rest, solution) = rest.split_at(rest.find("## What is known").unwrap_or(rest.len()));
        let (basics, details) = rest.split_at(rest.find("## Tips").unwrap_or(rest.len()));
        let options: String = self.options.iter().map(option_lines).collect();
        let presets: String = self.presets.iter().map(preset_lines).collect();
        let options = format!(
            "## Rule options\n\n{options}{presets}\nTo play with another value: \
             `skirmish play {} --rule NAME=VALUE`.",
            self.id
        );
        let details = [details.trim_end(), &options].join("\n\n");
        RulesParts {
            basics: basics.trim_end().to_owned(),
            details: details.trim_start().to_owned(),
            solution: solution.to_owned(),
        }
    }

    /// The complete rules in Markdown.
    #[must_use]
    pub fn rules_page(&self) -> String {
        let RulesParts { basics, details, solution } = self.rules_parts();
        format!("{}\n", format!("{basics}\n\n{details}\n\n{solution}").trim_end())
    }
}

/// A game's rules in Markdown, in the order in which a newcomer needs them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RulesParts {
    /// The minimum for beginning a game: the goal, the setup and a turn.
    pub basics: String,
    /// Tips, an example, the rulings and the rule options.
    pub details: String,
    /// The winner with best play, which a player may not want to know; empty if the rules page does not reveal it.
    pub solution: String,
}

fn preset_lines(preset: &Preset) -> String {
    format!("\n- `--preset {}` is `{}`.\n  {}\n", preset.name, preset.rules, preset.about)
}

fn option_lines(option: &RuleOption) -> String {
    let head = format!("- `{}={}`: {}\n", option.name, option.default(), option.about);
    match option.kind {
        OptionKind::Number { .. } => format!("{head}  It can be {}.\n", option.possible()),
        OptionKind::Word(words) => words.iter().fold(head, |mut lines, (word, meaning)| {
            writeln!(lines, "  - `{word}`: {meaning}").expect("writing to a string never fails");
            lines
        }),
    }
}

/// A list of games.
#[derive(Clone, Copy, Debug)]
pub struct Catalog(pub &'static [&'static Entry]);

/// The error for a name that matches no game, or more than one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NoSuchGame {
    /// The name.
    pub name: String,
    /// The IDs of the games that start with the name.
    pub candidates: Vec<&'static str>,
}

impl fmt::Display for NoSuchGame {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = crate::printable::quotable(&self.name);
        if self.candidates.is_empty() {
            write!(formatter, "there is no game \"{name}\"")
        } else {
            let candidates = alternatives(&self.candidates);
            write!(formatter, "\"{name}\" could be {candidates}")
        }
    }
}

impl std::error::Error for NoSuchGame {}

impl Catalog {
    /// The game that has this ID or name, or the only game whose ID or name starts with it. Case does not matter, and
    /// `-`, `_` and spaces are equivalent.
    ///
    /// # Errors
    /// If no game, or more than one, matches.
    pub fn find(self, name: &str) -> Result<&'static Entry, NoSuchGame> {
        let words: Vec<&str> =
            name.split([' ', '-', '_']).filter(|word| !word.is_empty()).collect();
        let id = words.join("-").to_lowercase();
        let unknown = |candidates| NoSuchGame { name: name.to_owned(), candidates };
        if id.is_empty() {
            return Err(unknown(Vec::new()));
        }
        let matching: Vec<&'static Entry> =
            self.iter().filter(|entry| entry.id.starts_with(&id)).collect();
        match matching.as_slice() {
            [one] => Ok(one),
            several => several
                .iter()
                .find(|entry| entry.id == id)
                .copied()
                .ok_or_else(|| unknown(several.iter().map(|entry| entry.id).collect())),
        }
    }

    /// The games, in catalogue order.
    pub fn iter(self) -> impl Iterator<Item = &'static Entry> {
        self.0.iter().copied()
    }
}
