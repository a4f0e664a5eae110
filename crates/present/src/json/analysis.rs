//! JSON objects for the values of positions and whole games.

use serde::Serialize;
use skirmish_play::player::Against;
use skirmish_play::{Analysis, Answer, BestLine, Judgement, Payoffs, RatedMove, Solved};
use skirmish_rules::{Both, Side, Table};
use skirmish_solver::Value;
use skirmish_solver::dominance::Dominated;
use skirmish_solver::pressure::{Pressure, Victim};
use skirmish_solver::response::Forecast;

use super::object::objects;
use super::types::{Named, Optional, PerPlayer, WordOr, typed};
use super::{BoardObject, PositionObject};

/// The probability of each action.
pub type Mix = Named<String, f64>;

objects! {
    /// The JSON output of `analyze` for alternating games.
    pub struct AnalysisOfTurnsObject {
        ..position: PositionObject,
        value: &'static str =
            "for the player to move: `win`, `loss`, `draw` or `endless`; none of the five games has a `draw`",
        plies: Option<u16> =
            "the number of single moves to the end: the shortest win, the longest loss, the quickest draw \
            that a player can force; null if endless",
        moves: Vec<RatedMoveObject> = "every legal move; empty when the game is over",
        draw: Option<PressureObject> =
            "who is under pressure in a position that nobody can win by force; null if nobody is and, with \
            a warning on standard error, if there is too little memory to find out",
        forced: Optional<ForcedDrawObject> = "only where `value` is `draw`: who can force it",
        reachable: bool = "whether the position is reachable from the start",
        line: Optional<Vec<String>> =
            "only with `--line`: best play to the end of the game, or until a position is repeated",
        repeats: Optional<Option<String>> =
            "only with `--line`: the position that is repeated after `line`; null if the game ends",
    }

    /// The JSON output of `analyze` for simultaneous games.
    pub struct AnalysisOfMixesObject {
        ..position: PositionObject,
        value: f64 = "for Player 1: 1 is a sure win, −1 a sure loss; an endless game is worth 0",
        strategy: PerPlayer<Mix> =
            "for each player, an optimal mix, as the probability of each action; empty if the game is over",
        error: f64 = "an upper bound on the error of `value`",
        matrix: Option<MatrixObject> =
            "the payoff matrix: `1` and `2` list the players' choices, and `values` has a row for each of Player 1's and \
            in it a number for each of Player 2's, what the pair is worth to Player 1 if both play on perfectly; null \
            when the game is over",
        dominated: PerPlayer<Vec<DominatedObject>> = "for each player, the dominated choices in `matrix`; differences up to 1e-9 are ignored",
        unique: Option<PerPlayer<bool>> =
            "for each player, whether only one mix is optimal in `matrix`, with the same tolerance; null if the game is over",
        reachable: bool = "whether the position is reachable from the start",
        line: Optional<Vec<String>> =
            "only with `--line`: the likeliest choices of the best mixes, turn by turn, to the end of the game or \
            until a position comes back",
        repeats: Optional<Option<String>> =
            "only with `--line`: the position that is repeated after `line`; null if the game ends",
        against: Optional<PerPlayer<Named<String, ForecastObject>>> =
            "only with `--against`: for each player, the forecast of every choice if the level plays the other side",
    }

    /// A dominated choice.
    pub struct DominatedObject {
        choice: String = "the choice",
        dominance: &'static str =
            "`strict` if the choice is worse whatever the other player chooses, `weak` if it is never better and sometimes worse",
        by: Mix = "the dominating choice or mix",
    }

    /// The expected result of a choice against a computer level.
    pub struct ForecastObject {
        win: f64 = "the probability of winning for the player who makes the choice",
        loss: f64 = "the probability of losing",
        draw: f64 = "the probability that nobody wins, because the game is drawn or never ends",
        turns: Option<f64> = "the expected number of turns to the end, including this one; null if the game may never end",
    }

    /// A legal move with its value.
    pub struct RatedMoveObject {
        r#move: String = "the move in notation",
        position: String = "the resulting position",
        value: &'static str = "the value for the player who makes the move",
        plies: Option<u16> = "the plies, counted from the position before the move",
        against: Optional<ForecastObject> = "only with `--against`: the forecast against the level",
    }

    /// The player under pressure.
    pub struct PressureObject {
        pressure: &'static str =
            "the player who can be steered to a position in which a mistake is possible: `mover` or `other`",
        plies: u16 = "the number of plies; 0 means in this position",
        level: u8 = "the level of the mistake; 0 loses immediately",
    }

    /// Who can force a draw.
    pub struct ForcedDrawObject {
        mover: Option<u16> =
            "the number of plies in which the player to move can force the draw; null if that player cannot",
        other: Option<u16> = "the same for the other player",
    }

    /// The JSON output of `solve`.
    pub struct SolutionObject {
        ..board: BoardObject,
        states: u32 = "the number of reachable positions, including finished ones",
        value: WordOr<f64> = "the value of the start, as in `analyze`",
        plies: Option<u16> = "the plies of the start, as in `analyze`; null in Command Clash",
        wins: u32 = "positions won for the player to move; in Command Clash sure wins of Player 1",
        losses: u32 =
            "positions lost for the player to move, including finished ones; in Command Clash sure losses of \
            Player 1",
        draws: u32 = "positions drawn; in Command Clash finished games that are drawn",
        endless: u32 = "endless positions; in Command Clash all others",
        longest: Option<u16> = "the plies of the longest win; null in Command Clash, and if there is no win",
        seconds: f64 = "the time taken to solve the game",
        verified: Optional<bool> = "true; only with `--verify`, which fails if any value is wrong",
    }
}

/// A payoff matrix: `{"1":[…],"2":[…],"values":[[…]]}`.
#[derive(Clone, Debug, Serialize)]
pub struct MatrixObject {
    #[serde(flatten)]
    actions: PerPlayer<Vec<String>>,
    values: Vec<Vec<f64>>,
}

typed!("object": MatrixObject);

/// The JSON output of `analyze`.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum AnalysisObject {
    /// For alternating games.
    Turns(AnalysisOfTurnsObject),
    /// For simultaneous games.
    Mixes(AnalysisOfMixesObject),
}

typed!("object": AnalysisObject);

impl AnalysisObject {
    /// Describes the position on a table, with its analysis.
    #[must_use]
    pub fn of(table: &dyn Table, analysis: Analysis) -> Self {
        let (position, reachable) = (PositionObject::of(table), analysis.is_reachable);
        match analysis.verdict {
            Judgement::Alternating { value, moves, forced_draw: (mover, other) } => {
                let is_draw = matches!(value, Value::Draw(_));
                Self::Turns(AnalysisOfTurnsObject {
                    position,
                    value: value.word(),
                    plies: value.plies(),
                    moves: moves.into_iter().map(RatedMoveObject::from).collect(),
                    draw: analysis.pressure.unwrap_or_default().map(PressureObject::from),
                    forced: Optional(is_draw.then_some(ForcedDrawObject { mover, other })),
                    reachable,
                    line: Optional(None),
                    repeats: Optional(None),
                })
            }
            Judgement::Simultaneous { value, error, strategy, worth: _ } => {
                let payoffs = analysis.payoffs;
                Self::Mixes(AnalysisOfMixesObject {
                    position,
                    value,
                    strategy: strategy.map(Named).into(),
                    error,
                    dominated: Both::from_fn(|side| dominated(payoffs.as_ref(), side)).into(),
                    unique: payoffs.as_ref().map(|payoffs| payoffs.unique.into()),
                    matrix: payoffs.map(MatrixObject::from),
                    reachable,
                    line: Optional(None),
                    repeats: Optional(None),
                    against: Optional(None),
                })
            }
        }
    }

    /// Adds the best line.
    #[must_use]
    pub fn with_line(mut self, best: BestLine) -> Self {
        let (Self::Turns(AnalysisOfTurnsObject { line, repeats, .. })
        | Self::Mixes(AnalysisOfMixesObject { line, repeats, .. })) = &mut self;
        *line = Optional(Some(best.turns.into_iter().map(|(_, turn)| turn).collect()));
        *repeats = Optional(Some(best.repeats));
        self
    }

    /// Adds the forecast of every choice against a level.
    #[must_use]
    pub fn with_against(mut self, Against { choices, .. }: Against) -> Self {
        match &mut self {
            Self::Turns(object) => {
                let Both { one, two } = choices;
                for (option, (_, forecast)) in
                    object.moves.iter_mut().zip(one.into_iter().chain(two))
                {
                    option.against = Optional(Some(forecast.into()));
                }
            }
            Self::Mixes(object) => {
                let named = choices.map(|side| {
                    side.into_iter().map(|(choice, forecast)| (choice, forecast.into())).collect()
                });
                object.against = Optional(Some(named.into()));
            }
        }
        self
    }
}

impl From<RatedMove> for RatedMoveObject {
    fn from(option: RatedMove) -> Self {
        let RatedMove { notation, position, value } = option;
        let (value, plies) = (value.word(), value.plies());
        Self { r#move: notation, position, value, plies, against: Optional(None) }
    }
}

/// A side's dominated choices.
fn dominated(payoffs: Option<&Payoffs>, side: Side) -> Vec<DominatedObject> {
    let Some(Payoffs { actions, dominated, .. }) = payoffs else { return Vec::new() };
    let actions = &actions[side];
    let object = |found: &Dominated| {
        let shares = actions.iter().cloned().zip(found.by.iter().copied());
        DominatedObject {
            choice: actions[found.choice].clone(),
            dominance: if found.strictly { "strict" } else { "weak" },
            by: shares.filter(|(_, share)| *share > 0.0).collect(),
        }
    };
    dominated[side].iter().map(object).collect()
}

impl From<Payoffs> for MatrixObject {
    fn from(Payoffs { actions, values, .. }: Payoffs) -> Self {
        Self { actions: actions.into(), values }
    }
}

impl From<Forecast> for ForecastObject {
    fn from(Forecast { win, loss, draw, turns }: Forecast) -> Self {
        Self { win, loss, draw, turns }
    }
}

impl From<Pressure> for PressureObject {
    fn from(Pressure { level, on, plies }: Pressure) -> Self {
        let pressure = match on {
            Victim::Mover => "mover",
            Victim::Other => "other",
        };
        Self { pressure, plies, level }
    }
}

/// The value and plies of a position. The value is a word (from the mover's viewpoint) or a number (from Player 1's).
#[must_use]
pub fn value(solved: &Solved, node: u32) -> (WordOr<f64>, Option<u16>) {
    match solved.answer() {
        Answer::Alternating(solution) => {
            let value = solution.value(node);
            (WordOr::Word(value.word()), value.plies())
        }
        Answer::Simultaneous { solution, .. } => {
            (WordOr::Number(solution.bounds.value(node as usize).0), None)
        }
    }
}
