//! Reviews of recorded games: the value of each choice, and how much it gave away.
//!
//! A choice is judged by its value if both sides play well afterwards, not by how the game went. Everything is measured
//! in points for the side that chose: a win is worth 1, a draw or an endless game 0, a loss −1. In a simultaneous game,
//! the worth of a choice is its result against the other side's optimal mix. Every choice in a side's own optimal mix
//! is right, however rare, so a single choice from the mix is never a mistake. Opening turns that a tournament chose at
//! random are listed, but not judged.

use skirmish_rules::{Both, Choice, Record, Side};
use skirmish_solver::Value;

use crate::session::tag;
use crate::solved::{Judgement, Solved};

#[cfg(test)]
mod tests;

/// The tag for the number of opening turns that a tournament chose at random.
pub const OPENING: &str = "Opening";

/// Smaller differences in points may be due to rounding: values are proven to within 1e-9.
const NOISE: f64 = 2e-9;

/// A choice that loses at least this many points gave away the win or the game.
const WHOLE_CLASS: f64 = 1.0 - NOISE;

/// The review of a recorded game.
#[derive(Clone, Debug)]
pub struct Review {
    /// All choices in the order of play; if both sides chose at once, Player 1's comes first.
    pub choices: Vec<ReviewedChoice>,
    /// For each side, the percentage of the points at stake that its choices kept: 100 if nothing was given away, 0 if
    /// every choice was the worst one. Forced moves and choices between equally good moves have nothing at stake and do
    /// not count. `None` if the side never had anything at stake.
    pub accuracy: Both<Option<f64>>,
    /// The index of the choice that gave away the most. In a tie, the last one counts, because no equally large mistake
    /// followed it.
    pub turning_point: Option<usize>,
}

/// One side's choice in one turn, reviewed.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewedChoice {
    /// The turn, from 1.
    pub turn: usize,
    /// The side that chose.
    pub side: Side,
    /// The position before the choice.
    pub position: String,
    /// The choice, in notation.
    pub played: String,
    /// The value of the choice for the side.
    pub worth: Worth,
    /// The value of the best choice for the side.
    pub best: Worth,
    /// The best choices: the shortest win, the longest loss; in a simultaneous game all of `keeping`.
    pub best_choices: Vec<String>,
    /// The choices that give nothing away, best first.
    pub keeping: Vec<String>,
    /// The side's optimal mix, in a simultaneous game.
    pub mix: Vec<(String, f64)>,
    /// The legal choices; only one if the choice was forced.
    pub legal: Vec<Choice>,
    /// The points that the worst choice would give away; 0 in the opening.
    pub at_stake: f64,
    /// The verdict on the choice.
    pub verdict: Verdict,
}

/// The value of a position or a choice for a side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Worth {
    /// The exact value, in an alternating game.
    Exact(Value),
    /// The average points, in a simultaneous game.
    Mixed(f64),
}

/// The verdict on a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// A choice made by the tournament, not the player.
    Opening,
    /// No choice was better.
    Best,
    /// The choice keeps the win, but a shorter one exists; or every choice loses, but this one sooner than necessary.
    Good,
    /// The choice gave something away.
    GaveAway {
        /// The value before.
        from: Worth,
        /// The value after.
        to: Worth,
    },
}

/// An annotation sign after a choice, as in chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `??`: the choice gave away the win or the game.
    Blunder,
    /// `?`: the choice gave away less, which can happen in a simultaneous game.
    Mistake,
    /// `!`: no other choice kept everything.
    Only,
}

impl Mark {
    /// Returns the annotation sign.
    #[must_use]
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Blunder => "??",
            Self::Mistake => "?",
            Self::Only => "!",
        }
    }
}

impl Worth {
    /// Converts a value to points: a win is worth 1, a draw or an endless game 0, a loss −1.
    #[must_use]
    pub const fn points(self) -> f64 {
        match self {
            Self::Exact(Value::Win(_)) => 1.0,
            Self::Exact(Value::Draw(_) | Value::Endless) => 0.0,
            Self::Exact(Value::Loss(_)) => -1.0,
            Self::Mixed(points) => points,
        }
    }
}

impl Review {
    /// Whether a side made any choice of its own.
    #[must_use]
    pub fn has_chosen(&self, side: Side) -> bool {
        self.choices.iter().any(|choice| choice.side == side && choice.verdict != Verdict::Opening)
    }
}

impl ReviewedChoice {
    /// Whether there was only one choice.
    #[must_use]
    pub const fn is_forced(&self) -> bool {
        self.legal.len() == 1
    }

    /// Returns a legal choice in words, given its notation.
    #[must_use]
    pub fn words<'a>(&'a self, notation: &'a str) -> &'a str {
        let named = self.legal.iter().find(|choice| choice.notation == notation);
        named.map_or(notation, |choice| &choice.words)
    }

    /// Returns the points that the choice gave away.
    #[must_use]
    pub const fn given_away(&self) -> f64 {
        match self.verdict {
            Verdict::Opening | Verdict::Best | Verdict::Good => 0.0,
            Verdict::GaveAway { from, to } => from.points() - to.points(),
        }
    }

    /// Returns the annotation of the choice, if any.
    #[must_use]
    pub fn mark(&self) -> Option<Mark> {
        match self.verdict {
            Verdict::Opening => None,
            Verdict::GaveAway { .. } if self.given_away() >= WHOLE_CLASS => Some(Mark::Blunder),
            Verdict::GaveAway { .. } => Some(Mark::Mistake),
            Verdict::Best | Verdict::Good => {
                (self.keeping.len() == 1 && !self.is_forced()).then_some(Mark::Only)
            }
        }
    }
}

/// Returns the number of opening turns that the record's tournament chose at random.
#[must_use]
pub fn opening_turns(record: &Record) -> usize {
    let turns = tag(record, OPENING).and_then(|turns| turns.parse::<usize>().ok());
    turns.unwrap_or(0).min(record.turns.len())
}

/// Reviews every choice of a record, finished or not.
///
/// # Panics
/// If `solved` is not the record's game with the same rule options and starter, or a turn of the record is not legal.
#[must_use]
pub fn review(record: &Record, solved: &Solved) -> Review {
    let mut table = record.table();
    let mut choices = Vec::new();
    let opening = opening_turns(record);
    for (index, turn) in record.turns.iter().enumerate() {
        let position = table.position();
        for (side, played) in table.turn().into_iter().zip(turn.notation.split('|')) {
            let options = RatedOptions::at(solved, &position, side);
            let legal = table.choices(side);
            let choice = options.judge(index + 1, &position, side, played, legal);
            choices.push(if index < opening {
                ReviewedChoice { verdict: Verdict::Opening, at_stake: 0.0, ..choice }
            } else {
                choice
            });
        }
        table.play(&turn.notation).expect("the record was checked");
    }
    let accuracy = Both::from_fn(|side| accuracy(choices.iter().filter(|it| it.side == side)));
    Review { accuracy, turning_point: turning_point(&choices), choices }
}

/// A side's choices in a position, with their values.
struct RatedOptions {
    best: Worth,
    /// The choices, best first.
    rated: Vec<Rated>,
    mix: Vec<(String, f64)>,
}

struct Rated {
    notation: String,
    worth: Worth,
    keeps: bool,
    is_best: bool,
    /// The sort key for `rated`.
    preference: f64,
}

impl RatedOptions {
    fn at(solved: &Solved, position: &str, side: Side) -> Self {
        let node = solved.graph().find(position).ok().flatten();
        let node = node.expect("positions of a record are reachable");
        let (best, mut rated, mix) = match solved.judge(node) {
            Judgement::Alternating { value, moves, .. } => {
                let rate = |option: crate::RatedMove| Rated {
                    notation: option.notation,
                    worth: Worth::Exact(option.value),
                    keeps: option.value.rank().signum() == value.rank().signum(),
                    is_best: option.value.rank() == value.rank(),
                    preference: option.value.rank().into(),
                };
                (Worth::Exact(value), moves.into_iter().map(rate).collect::<Vec<_>>(), Vec::new())
            }
            Judgement::Simultaneous { value, mut strategy, worth, .. } => {
                // Adding 0 turns −0 into 0.
                let value = if side == Side::One { value } else { -value } + 0.0;
                let mix = std::mem::take(&mut strategy[side]);
                let actions = solved.graph().actions(node);
                let rate = |(notation, &points): (&String, &f64)| {
                    let share = mix.iter().find(|(action, _)| action == notation);
                    let share = share.map_or(0.0, |&(_, share)| share);
                    let keeps = share > NOISE || value - points <= NOISE;
                    let (worth, notation) = (Worth::Mixed(points + 0.0), notation.clone());
                    Rated { notation, worth, keeps, is_best: keeps, preference: share }
                };
                let rated = actions[side].iter().zip(&worth[side]).map(rate).collect();
                (Worth::Mixed(value), rated, mix)
            }
        };
        rated.sort_by(|one, two| two.preference.total_cmp(&one.preference));
        Self { best, rated, mix }
    }

    fn judge(
        self,
        turn: usize,
        position: &str,
        side: Side,
        played: &str,
        legal: Vec<Choice>,
    ) -> ReviewedChoice {
        let Self { best, rated, mix } = self;
        let chosen = rated.iter().find(|option| option.notation == played);
        let chosen = chosen.expect("the record was checked");
        let verdict = if chosen.is_best {
            Verdict::Best
        } else if chosen.keeps {
            Verdict::Good
        } else {
            Verdict::GaveAway { from: best, to: chosen.worth }
        };
        let named = |wanted: fn(&Rated) -> bool| {
            rated.iter().filter(|&it| wanted(it)).map(|it| it.notation.clone()).collect()
        };
        let lost = |option: &Rated| best.points() - option.worth.points();
        ReviewedChoice {
            turn,
            side,
            position: position.to_owned(),
            played: played.to_owned(),
            worth: chosen.worth,
            best,
            best_choices: named(|option| option.is_best),
            keeping: named(|option| option.keeps),
            mix,
            legal,
            at_stake: rated.iter().filter(|it| !it.keeps).map(lost).fold(0.0, f64::max),
            verdict,
        }
    }
}

/// Computes [`Review::accuracy`].
fn accuracy<'a>(choices: impl Iterator<Item = &'a ReviewedChoice>) -> Option<f64> {
    let sum = |(given_away, at_stake): (f64, f64), choice: &ReviewedChoice| {
        (given_away + choice.given_away(), at_stake + choice.at_stake)
    };
    let (given_away, at_stake) = choices.fold((0.0, 0.0), sum);
    (at_stake > 0.0).then(|| 100.0 * (1.0 - given_away / at_stake))
}

/// Computes [`Review::turning_point`].
fn turning_point(choices: &[ReviewedChoice]) -> Option<usize> {
    let most = choices.iter().map(ReviewedChoice::given_away).fold(0.0, f64::max);
    choices
        .iter()
        .rposition(|choice| choice.given_away() > 0.0 && choice.given_away() >= most - NOISE)
}
