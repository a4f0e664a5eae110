//! Last Stone, a game for tests: players take turns taking one or two stones from a pile. Taking the last stone wins
//! or, with a rule option, taking more stones than the opponent; a draw is then possible.
//!
//! It uses only the public API of the rules, so tests of other crates can include it with `#[path]`. It proves that a
//! new game needs only one folder and one line in a list.

use std::fmt;

use skirmish_rules::{
    Actions, Both, Catalog, Catalogued, Change, GAMES, Game, Gauge, Names, Narrate, Notation,
    Outcome, Page, PositionError, Prompt, RuleOption, Scene, Settings, Side, Starter, Text,
    TypedOptions, alternatives, counted,
};

/// The games of the catalogue, followed by this one.
pub(crate) static SIX_GAMES: Catalog = Catalog(&{
    let mut games = [LastStone::ENTRY; GAMES.0.len() + 1];
    let mut index = 0;
    while index < GAMES.0.len() {
        games[index] = GAMES.0[index];
        index += 1;
    }
    games
});

/// The maximum number of stones that a player may take in a turn.
const MOST: u8 = 2;

/// Last Stone with one set of rule options.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastStone {
    stones: u8,
    winner: Winner,
}

/// Who wins when the pile is empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Winner {
    /// The player who took the last stone.
    Last,
    /// The player who has taken more stones; nobody if both have the same number.
    Most,
}

/// A position: the stones taken by each side, and the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Taken {
    by: Both<u8>,
    to_move: Side,
}

/// A choice: the number of stones to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Take(u8);

impl fmt::Display for Take {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// One step of a turn.
#[derive(Clone, Debug)]
pub(crate) enum Event {
    /// A side took stones and now has `has` of them.
    Took { side: Side, stones: u8, has: u8 },
    /// A side has won.
    Won { side: Side, winner: Winner },
    /// Nobody has won.
    Drawn,
}

impl Narrate for Event {
    fn kind(&self) -> &'static str {
        match self {
            Self::Took { .. } => "take",
            Self::Won { .. } => "win",
            Self::Drawn => "draw",
        }
    }

    fn sentence(&self, names: &Names) -> String {
        match *self {
            Self::Took { side, stones, .. } => {
                format!("{} takes {}.", names[side], counted(stones, "stone"))
            }
            Self::Won { side, winner: Winner::Last } => {
                format!("{} has taken the last stone and wins!", names[side])
            }
            Self::Won { side, winner: Winner::Most } => {
                format!("{} has taken most stones and wins!", names[side])
            }
            Self::Drawn => "Both have taken the same: the game is a draw.".to_owned(),
        }
    }

    fn changes(&self) -> Vec<Change> {
        match *self {
            Self::Took { side, has, .. } => vec![Change::Gauge { side, to: has }],
            Self::Won { .. } | Self::Drawn => Vec::new(),
        }
    }
}

/// The rule options of Last Stone.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options {
    stones: u8,
    winner: Winner,
}

impl Default for Options {
    fn default() -> Self {
        Self { stones: 7, winner: Winner::Last }
    }
}

impl TypedOptions for Options {
    fn read(settings: &Settings) -> Self {
        let winner = settings.pick("winner", &[Winner::Last, Winner::Most]);
        Self { stones: settings.number("stones"), winner }
    }

    fn values(&self) -> Vec<u8> {
        vec![self.stones, self.winner as u8]
    }
}

impl Catalogued for LastStone {
    type Options = Options;

    const ID: &'static str = "last-stone";
    const NAME: &'static str = "Last Stone";
    const SUMMARY: &'static str = "Take one stone or two, and take the last one.";
    const RULES: &'static str = "# Last Stone\n\nTake one stone or two. The last one wins.\n";
    const TUTORIAL: Option<&'static str> = Some(include_str!("tutorial.md"));
    const STARTER: Starter = Starter::Toss;
    const OPTIONS: &'static [RuleOption] = &[
        RuleOption::number("stones", "The number of stones on the pile.", 7, 1, 50),
        RuleOption::word(
            "winner",
            "Who wins when the pile is empty.",
            &[
                ("last", "Whoever took the last stone."),
                ("most", "Whoever has taken most; nobody if both have taken the same."),
            ],
        ),
    ];

    fn build(Options { stones, winner }: Options) -> Self {
        Self { stones, winner }
    }
}

impl LastStone {
    fn left(self, state: &Taken) -> u8 {
        self.stones - state.by.one - state.by.two
    }
}

impl Game for LastStone {
    type State = Taken;
    type Action = Take;
    type Event = Event;

    fn start(&self, first: Side) -> Taken {
        Taken { by: Both::new(0, 0), to_move: first }
    }

    fn outcome(&self, state: &Taken) -> Option<Outcome> {
        if self.left(state) > 0 {
            return None;
        }
        let Both { one, two } = state.by;
        Some(match self.winner {
            Winner::Last => Outcome::Won(state.to_move.other()),
            Winner::Most if one == two => Outcome::Draw,
            Winner::Most => Outcome::Won(if one > two { Side::One } else { Side::Two }),
        })
    }

    fn actions(&self, state: &Taken, side: Side) -> Actions<Take> {
        if side != state.to_move {
            return Actions::new();
        }
        (1..=MOST.min(self.left(state))).map(Take).collect()
    }

    fn resolve(
        &self,
        state: &Taken,
        turn: Both<Option<Take>>,
        mut tell: impl FnMut(Event),
    ) -> Taken {
        let side = state.to_move;
        let Take(stones) = turn[side].expect("the mover has chosen");
        let mut by = state.by;
        by[side] += stones;
        let after = Taken { by, to_move: side.other() };
        tell(Event::Took { side, stones, has: by[side] });
        match self.outcome(&after) {
            None => {}
            Some(Outcome::Won(side)) => tell(Event::Won { side, winner: self.winner }),
            Some(Outcome::Draw) => tell(Event::Drawn),
        }
        after
    }

    fn mover(&self, state: &Taken) -> Option<Side> {
        Some(state.to_move)
    }

    fn scene(&self, state: &Taken) -> Scene {
        let gauge = |value| Gauge { label: "stones", value, max: self.stones };
        Scene::of_gauges(state.by.map(gauge))
    }

    fn mirror(&self, state: &Taken) -> Taken {
        Taken { by: state.by.swapped(), to_move: state.to_move.other() }
    }

    fn mirror_action(&self, action: Take) -> Take {
        action
    }
}

impl Notation for LastStone {
    fn vocabulary(&self) -> Vec<Take> {
        (1..=MOST.min(self.stones)).map(Take).collect()
    }

    fn words(&self, action: Take) -> String {
        format!("take {action}")
    }

    fn objection(&self, state: &Taken, _side: Side, _action: Take, _names: &Names) -> String {
        format!("There is only {} left.", counted(self.left(state), "stone"))
    }

    fn position(&self, state: &Taken) -> String {
        format!("{}/{}/{}", state.by.one, state.by.two, state.to_move.number())
    }

    fn parse_position(&self, text: &str) -> Result<Taken, PositionError> {
        let malformed = || PositionError::malformed(text, "TAKEN/TAKEN/MOVER, such as 2/1/2");
        let numbers: Result<Vec<u8>, _> = text.split('/').map(str::parse::<u8>).collect();
        let [one, two, mover] = numbers.map_err(|_| malformed())?[..] else {
            return Err(malformed());
        };
        let to_move = Side::from_number(mover).ok_or_else(malformed)?;
        if u16::from(one) + u16::from(two) > u16::from(self.stones) {
            let why = format!("there are only {} stones", self.stones);
            return Err(PositionError::impossible(text, why));
        }
        Ok(Taken { by: Both::new(one, two), to_move })
    }
}

impl Text for LastStone {
    fn welcome(&self, state: &Taken, page: &Page) -> String {
        let starter = &page.names[state.to_move];
        format!("Welcome to Last Stone!\n{starter} takes the first stones.")
    }

    fn board(&self, state: &Taken, _page: &Page) -> String {
        format!("Stones left: {}", self.left(state))
    }

    fn prompt(&self, state: &Taken, side: Side, page: &Page) -> Prompt {
        let choices = alternatives(&self.actions(state, side));
        Prompt {
            lead: String::new(),
            ask: format!("{}, how many stones ({choices})? ", page.names[side]),
        }
    }
}
