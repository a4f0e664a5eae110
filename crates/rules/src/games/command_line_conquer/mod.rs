//! Command Line Conquer: each side has a few units, which get stronger with every step towards the enemy base.

mod event;
mod index;
mod text;
mod units;

#[cfg(test)]
mod tests;

use std::fmt;

use event::unit;
pub use event::{Event, Fight};
use index::FieldIndex;
pub use units::{MAX_UNITS, Units};

use crate::catalog::{Catalogued, Preset, Starter};
use crate::game::{Actions, Game, Outcome};
use crate::graph::Index;
use crate::line::{Line, Shift};
use crate::notation::{Notation, PositionError, plain_number};
use crate::scene::Scene;
use crate::settings::{RuleOption, typed_options};
use crate::side::{Both, Names, Side};
use crate::text::counted;
use crate::tokens::positions_option;

/// Command Line Conquer with one set of rule options.
#[derive(Clone, Copy, Debug)]
pub struct CommandLineConquer {
    line: Line,
    max_units: u8,
    max_strength: u8,
    battle: Battle,
}

/// R-CLC-1: a moving unit's strength in battle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Battle {
    /// The strength before the move.
    Departure,
    /// The strength after the move's +1.
    Arrival,
}

/// A position: both sides' units and the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The steps that each side's units have gone. R-CLC-6: the steps also determine the units' strength.
    pub units: Both<Units>,
    /// The side to move.
    pub to_move: Side,
}

/// One side's choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Advance the unit on this position. R-CLC-6: a side's units on one position are identical.
    Move(u8),
    /// Put a new unit on the side's own base.
    Recruit,
}

impl fmt::Display for Action {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(place) => write!(formatter, "m{place}"),
            Self::Recruit => formatter.write_str("r"),
        }
    }
}

impl Battle {
    /// All variants, the rulebook's first.
    pub const ALL: [Self; 2] = [Self::Departure, Self::Arrival];
}

/// The rule options of Command Line Conquer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The length of the battlefield.
    pub positions: u8,
    /// The maximum number of units per side.
    pub units: u8,
    /// The maximum strength of a unit.
    pub strength: u8,
    /// A moving unit's strength in battle.
    pub battle: Battle,
}

typed_options!(Options, of CommandLineConquer: positions, units, strength; battle: Battle);

impl Catalogued for CommandLineConquer {
    type Options = Options;

    const ID: &'static str = "command-line-conquer";
    const NAME: &'static str = "Command Line Conquer";
    const SUMMARY: &'static str = "Recruit units and march them into the enemy base.";
    const RULES: &'static str = include_str!("rules.md");
    const TUTORIAL: Option<&'static str> = Some(include_str!("tutorial.md"));
    const DRAWINGS: Option<&'static str> = Some(include_str!("drawings.txt"));
    const DAILY_SINCE: Option<&'static str> = Some("1970-01-01");
    const STARTER: Starter = Starter::PlayerOne;
    const OPTIONS: &'static [RuleOption] = &[
        positions_option("The number of positions on the battlefield."),
        RuleOption::number("units", "The most units a player can have.", 3, 1, MAX_UNITS),
        RuleOption::number("strength", "The highest strength of a unit.", 5, 1, 99),
        RuleOption::word(
            "battle",
            "The strength with which a moving unit fights (R-CLC-1).",
            &[
                ("departure", "its strength before the move"),
                ("arrival", "its strength after the +1 of the move"),
            ],
        ),
    ];

    const PRESETS: &'static [Preset] = &[Preset {
        name: "fair",
        rules: "battle=arrival",
        about: "Neither side wins by force, and moving first is worth a third of what it usually is.",
    }];

    fn build(Options { positions, units, strength, battle }: Options) -> Self {
        Self { line: Line::new(0, positions), max_units: units, max_strength: strength, battle }
    }
}

impl CommandLineConquer {
    /// R-CLC-6: a unit's strength depends only on the steps it has gone.
    fn strength(&self, steps: u8) -> u8 {
        steps.saturating_add(1).min(self.max_strength)
    }

    /// The places of a side's units, in ascending order.
    fn places(&self, state: &Field, side: Side) -> impl DoubleEndedIterator<Item = u8> + Clone {
        let (line, units) = (self.line, state.units[side]);
        let count = usize::from(units.count());
        (0..count).map(move |nth| match side {
            Side::One => line.away(side, units.nth(nth)),
            Side::Two => line.away(side, units.nth(count - 1 - nth)),
        })
    }

    /// Plays a move and returns the units after it, the mover's first.
    fn advance(&self, state: &Field, from: u8, mut tell: impl FnMut(Event)) -> (Units, Units) {
        let side = state.to_move;
        let gone = self.line.distance(side, from);
        // A unit on the enemy base ends the game, so a unit that moves always has a step ahead.
        let met = self.line.span() - (gone + 1);
        let to = self.line.away(side.other(), met);
        let (before, after) = (self.strength(gone), self.strength(gone + 1));
        tell(Event::Moved { shift: Shift { side, from, to }, strength: before });

        let Both { one: mine, two: mut theirs } =
            if side == Side::One { state.units } else { state.units.swapped() };
        // R-CLC-3: the unit fights one enemy at a time, until one side has no unit left there.
        let attack = match self.battle {
            Battle::Departure => before,
            Battle::Arrival => after,
        };
        let defence = self.strength(met);
        while theirs.contains(met) {
            let fight = Fight { attacker: side, at: to, attack, defence, shown: before };
            tell(Event::Fought(fight));
            if attack >= defence {
                theirs = theirs.without(met);
            }
            if attack <= defence {
                return (mine.without(gone), theirs);
            }
        }
        tell(Event::Strengthened { side, at: to, from: before, to: after });
        // R-CLC-4: the battle comes first, then the victory check.
        if met == 0 {
            tell(Event::Captured { side });
        }
        (mine.advanced(gone), theirs)
    }
}

impl Game for CommandLineConquer {
    type State = Field;
    type Action = Action;
    type Event = Event;

    /// R-ALL-1: Player 1 always starts.
    fn start(&self, _first: Side) -> Field {
        Field { units: Both::from_fn(|_| Units::NONE.with_recruit()), to_move: Side::One }
    }

    fn outcome(&self, state: &Field) -> Option<Outcome> {
        let moved = state.to_move.other();
        let reached = state.units[moved].foremost() == Some(self.line.last);
        reached.then_some(Outcome::Won(moved))
    }

    #[inline]
    fn actions(&self, state: &Field, side: Side) -> Actions<Action> {
        let mut actions = Actions::new();
        if side != state.to_move || self.outcome(state).is_some() {
            return actions;
        }
        let units = state.units[side].distinct();
        let move_from = |gone| actions.push(Action::Move(self.line.away(side, gone)));
        match side {
            Side::One => units.for_each(move_from),
            Side::Two => units.rev().for_each(move_from),
        }
        // R-CLC-5: without units, this is the only action.
        if state.units[side].count() < self.max_units {
            actions.push(Action::Recruit);
        }
        actions
    }

    fn resolve(
        &self,
        state: &Field,
        turn: Both<Option<Action>>,
        mut tell: impl FnMut(Event),
    ) -> Field {
        let side = state.to_move;
        let (mine, theirs) = match turn[side].expect("the mover has chosen") {
            Action::Move(from) => self.advance(state, from, tell),
            Action::Recruit => {
                let at = self.line.base(side);
                tell(Event::Recruited { side, at });
                (state.units[side].with_recruit(), state.units[side.other()])
            }
        };
        Field { units: Both::seen_from(side, mine, theirs), to_move: side.other() }
    }

    fn mover(&self, state: &Field) -> Option<Side> {
        Some(state.to_move)
    }

    fn index(&self) -> Option<impl Index<Field> + 'static> {
        Some(FieldIndex::new(self.line, self.max_units))
    }

    fn scene(&self, state: &Field) -> Scene {
        let piece = |side, at| unit(side, at, self.strength(self.line.distance(side, at)));
        let pieces = Side::ALL
            .into_iter()
            .flat_map(|side| self.places(state, side).map(move |place| piece(side, place)));
        Scene::on_track(self.line.track(), pieces.collect())
    }

    fn mirror(&self, state: &Field) -> Field {
        Field { units: state.units.swapped(), to_move: state.to_move.other() }
    }

    fn mirror_action(&self, action: Action) -> Action {
        match action {
            Action::Move(place) => Action::Move(self.line.mirror(place)),
            Action::Recruit => Action::Recruit,
        }
    }
}

impl Notation for CommandLineConquer {
    fn vocabulary(&self) -> Vec<Action> {
        (self.line.first..=self.line.last).map(Action::Move).chain([Action::Recruit]).collect()
    }

    fn words(&self, action: Action) -> String {
        match action {
            Action::Move(place) => format!("move {place}"),
            Action::Recruit => "recruit".to_owned(),
        }
    }

    fn synonyms(&self, _state: &Field, side: Side, action: Action) -> Vec<String> {
        let Action::Move(place) = action else { return Vec::new() };
        let to = self.line.ahead(side, place, 1);
        to.map(|to| format!("move {place} to {to}")).into_iter().collect()
    }

    fn objection(&self, _state: &Field, _side: Side, action: Action, _names: &Names) -> String {
        match action {
            Action::Move(place) => format!("You have no unit on position {place}."),
            Action::Recruit => {
                let units = counted(self.max_units, "unit");
                format!("You have {units} on the battlefield, the maximum.")
            }
        }
    }

    fn position(&self, state: &Field) -> String {
        let list = |side: Side| {
            let places: Vec<String> =
                self.places(state, side).map(|place| place.to_string()).collect();
            if places.is_empty() { "-".to_owned() } else { places.join(",") }
        };
        let Both { one, two } = Both::from_fn(list);
        format!("{one}/{two}/{}", state.to_move.number())
    }

    fn parse_position(&self, text: &str) -> Result<Field, PositionError> {
        let form = format!(
            "P1's units/P2's units/MOVER, such as 0,2/{}/1, with - for no units",
            self.line.last
        );
        let malformed = || PositionError::malformed(text, form.as_str());
        let fields: Vec<&str> = text.split('/').collect();
        let [one, two, mover] = *fields else { return Err(malformed()) };
        let to_move = plain_number(mover).and_then(Side::from_number).ok_or_else(malformed)?;
        let one = places(one).ok_or_else(malformed)?;
        let two = places(two).ok_or_else(malformed)?;
        let impossible = |why: String| PositionError::impossible(text, why);
        for list in [&one, &two] {
            if list.len() > usize::from(self.max_units) {
                let most = counted(self.max_units, "unit");
                return Err(impossible(format!("a player has at most {most}")));
            }
            if list.iter().any(|&place| !self.line.contains(place)) {
                let Line { first, last } = self.line;
                return Err(impossible(format!("the battlefield goes from {first} to {last}")));
            }
        }
        let gone = |side, places: &[u8]| -> Units {
            places.iter().map(|&place| self.line.distance(side, place)).collect()
        };
        let state =
            Field { units: Both::new(gone(Side::One, &one), gone(Side::Two, &two)), to_move };
        self.check(&state).map_err(impossible)?;
        Ok(state)
    }
}

impl CommandLineConquer {
    /// Whether a position on this battlefield is legal, reachable or not.
    fn check(&self, state: &Field) -> Result<(), String> {
        let mut one = self.places(state, Side::One);
        let shared = one.find(|&place| self.places(state, Side::Two).any(|theirs| theirs == place));
        if let Some(place) = shared {
            return Err(format!(
                "enemy units cannot share a position, but both have one on {place}"
            ));
        }
        for side in Side::ALL {
            let goal = self.line.base(side.other());
            let there = self.places(state, side).filter(|&place| place == goal).count();
            if there > 1 || (there == 1 && side == state.to_move) {
                return Err(format!(
                    "the game is over when one unit of {side} reaches {goal}, and it is {}'s turn",
                    side.other()
                ));
            }
        }
        Ok(())
    }
}

/// Parses a list of places: `0,2,2` or `-`.
fn places(text: &str) -> Option<Vec<u8>> {
    if text == "-" { Some(Vec::new()) } else { text.split(',').map(plain_number).collect() }
}
