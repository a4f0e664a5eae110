//! A recorded game judged choice by choice: what each was worth, and what it gave away.
//!
//! A choice is judged by what it is worth if both sides play well from then on, never by how it turned
//! out. Everything is measured in points for the side that chose: a win is worth 1, a draw or an endless
//! game 0, a loss −1. In the simultaneous game a choice is worth what it gets against the other side's optimal mix;
//! every choice that belongs to a side's own optimal mix is right, however seldom it should be made, so a
//! single choice out of a mix is never an error.

use skirmish_rules::{Both, Record, Side};
use skirmish_solver::Value;

use crate::solved::{Judgement, Solved};

#[cfg(test)]
mod tests;

/// Differences in points that rounding alone can make: values are proven to within 1e-9.
const NOISE: f64 = 2e-9;

/// The points at which a choice gave away the win, or the game.
const WHOLE_CLASS: f64 = 1.0 - NOISE;

/// A record with everything that was given away in it.
#[derive(Clone, Debug)]
pub struct Review {
    /// Every choice, in the order of play; where both sides chose at once, Player 1's first.
    pub choices: Vec<ReviewedChoice>,
    /// For each side, of all the points that its choices could have given away, the share that was kept,
    /// in percent: 100 if nothing was given away, 0 if every choice was the worst there was. Forced
    /// moves, and choices between moves that are all worth the same, put nothing at stake and so do not
    /// count. Nothing if the side never had anything at stake.
    pub accuracy: Both<Option<f64>>,
    /// The choice that gave away most, by its index; the last of them if there are several, because
    /// nothing as large was given back after it.
    pub turning_point: Option<usize>,
}

/// What one side chose in one turn, judged.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewedChoice {
    /// The turn, from 1.
    pub turn: usize,
    /// Who chose.
    pub side: Side,
    /// The position before.
    pub position: String,
    /// What was chosen, in notation.
    pub played: String,
    /// What that was worth to the side.
    pub worth: Worth,
    /// What the best choice was worth to it.
    pub best: Worth,
    /// The best choices: the shortest win, the longest loss; in a simultaneous game all of `keeping`.
    pub best_choices: Vec<String>,
    /// The choices that give nothing away, the best first.
    pub keeping: Vec<String>,
    /// The side's optimal mix, in a simultaneous game.
    pub mix: Vec<(String, f64)>,
    /// How many choices there were. One is forced.
    pub options: usize,
    /// The points that the worst choice would have given away.
    pub at_stake: f64,
    /// The judgement.
    pub verdict: Verdict,
}

/// What a position or a choice is worth to a side.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Worth {
    /// In an alternating game.
    Exact(Value),
    /// In a simultaneous game: points, on average.
    Mixed(f64),
}

/// What is to be said of a choice.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// None was better.
    Best,
    /// It keeps the win, but there is a shorter one; or it loses as all choices do, but sooner than it need.
    Good,
    /// It gave something away.
    GaveAway {
        /// What the side had.
        from: Worth,
        /// What it was left with.
        to: Worth,
    },
}

/// A sign behind a choice that deserves one, as chess players write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// `??`: it gave away the win, or the game.
    Blunder,
    /// `?`: it gave away less than that, as happens in a simultaneous game.
    Mistake,
    /// `!`: it was the only one that gave nothing away.
    Only,
}

impl Mark {
    /// The sign.
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
    /// A win is worth 1, a draw or an endless game 0, a loss −1.
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

impl ReviewedChoice {
    /// Whether there was nothing to choose.
    #[must_use]
    pub const fn is_forced(&self) -> bool {
        self.options == 1
    }

    /// The points that were given away.
    #[must_use]
    pub const fn given_away(&self) -> f64 {
        match self.verdict {
            Verdict::Best | Verdict::Good => 0.0,
            Verdict::GaveAway { from, to } => from.points() - to.points(),
        }
    }

    /// The sign it deserves, if any.
    #[must_use]
    pub fn mark(&self) -> Option<Mark> {
        match self.verdict {
            Verdict::GaveAway { .. } if self.given_away() >= WHOLE_CLASS => Some(Mark::Blunder),
            Verdict::GaveAway { .. } => Some(Mark::Mistake),
            Verdict::Best | Verdict::Good => {
                (self.keeping.len() == 1 && !self.is_forced()).then_some(Mark::Only)
            }
        }
    }
}

/// Judges every choice of a record, finished or not.
///
/// # Panics
/// If `solved` is not the record's game under the record's rule options and with its starter, or a turn
/// of the record is not legal.
#[must_use]
pub fn review(record: &Record, solved: &Solved) -> Review {
    let mut table = record.table();
    let mut choices = Vec::new();
    for (index, turn) in record.turns.iter().enumerate() {
        let position = table.position();
        for (side, played) in table.turn().into_iter().zip(turn.notation.split('|')) {
            let options = RatedOptions::at(solved, &position, side);
            choices.push(options.judge(index + 1, &position, side, played));
        }
        table.play(&turn.notation).expect("the record was checked");
    }
    let accuracy = Both::from_fn(|side| accuracy(choices.iter().filter(|it| it.side == side)));
    Review { accuracy, turning_point: turning_point(&choices), choices }
}

/// What a side could choose in a position.
struct RatedOptions {
    best: Worth,
    /// The best first.
    rated: Vec<Rated>,
    mix: Vec<(String, f64)>,
}

struct Rated {
    notation: String,
    worth: Worth,
    keeps: bool,
    is_best: bool,
    /// What the list is sorted by.
    preference: f64,
}

impl RatedOptions {
    fn at(solved: &Solved, position: &str, side: Side) -> Self {
        let node = solved.graph().find(position).ok().flatten();
        let node = node.expect("what a record reaches can arise in play");
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
                // Adding 0 makes a plain 0 of −0.
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

    fn judge(self, turn: usize, position: &str, side: Side, played: &str) -> ReviewedChoice {
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
            options: rated.len(),
            at_stake: rated.iter().filter(|it| !it.keeps).map(lost).fold(0.0, f64::max),
            verdict,
        }
    }
}

/// See [`Review::accuracy`].
fn accuracy<'a>(choices: impl Iterator<Item = &'a ReviewedChoice>) -> Option<f64> {
    let sum = |(given_away, at_stake): (f64, f64), choice: &ReviewedChoice| {
        (given_away + choice.given_away(), at_stake + choice.at_stake)
    };
    let (given_away, at_stake) = choices.fold((0.0, 0.0), sum);
    (at_stake > 0.0).then(|| 100.0 * (1.0 - given_away / at_stake))
}

/// See [`Review::turning_point`].
fn turning_point(choices: &[ReviewedChoice]) -> Option<usize> {
    let most = choices.iter().map(ReviewedChoice::given_away).fold(0.0, f64::max);
    choices
        .iter()
        .rposition(|choice| choice.given_away() > 0.0 && choice.given_away() >= most - NOISE)
}
