//! The exact value of every move against a level, if the best response to that level follows.

use skirmish_rules::{Both, Cancelled, PositionError, Side, Watch};
use skirmish_solver::response::{DecisionProcess, Forecast, Unforeseen};

use super::level::Level;
use super::policy::Policy;
use super::prospects::explore;
use crate::solved::{Answer, NoRoom, Solved};

/// The bytes needed per position and per turn while a process is solved.
const BYTES_PER_NODE: u64 = 160;
const BYTES_PER_TURN: u64 = 64;

/// Why moves cannot be valued against a level.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum AgainstError {
    /// The position does not belong to this game.
    #[error(transparent)]
    Position(#[from] PositionError),
    /// There is not enough memory.
    #[error(transparent)]
    NoRoom(#[from] NoRoom),
    /// The forecast cannot be computed, or the watcher cancelled the work.
    #[error(transparent)]
    Unforeseen(#[from] Unforeseen),
}

impl From<Cancelled> for AgainstError {
    fn from(cancelled: Cancelled) -> Self {
        Self::Unforeseen(cancelled.into())
    }
}

/// The value of every choice in a position against a level.
#[derive(Clone, Debug, PartialEq)]
pub struct Against {
    /// The level.
    pub level: Level,
    /// Each side's actions in notation, with the expected result if the level plays the other side. Empty for a side
    /// that cannot choose.
    pub choices: Both<Vec<(String, Forecast)>>,
}

/// Forecasts the result of every choice in a position, if the other side plays by `policy` and this side plays the best
/// response afterwards. Unreachable positions have no forecast.
///
/// # Errors
/// If the position does not belong to this game, there is not enough memory, games last too long, or `watch` cancels
/// the work.
pub fn against(
    policy: &Policy,
    position: &str,
    watch: &dyn Watch,
) -> Result<Against, AgainstError> {
    let graph = policy.solved().graph();
    let mut against = Against { level: policy.level(), choices: Both::default() };
    let Some(node) = graph.find(position)? else { return Ok(against) };
    check_room(policy.solved())?;
    let Both { one, two } = graph.actions(node);
    for (side, actions) in [(Side::One, one), (Side::Two, two)] {
        if !actions.is_empty() {
            let fixed = |node, mover| (mover != side).then(|| policy.shares(node, mover));
            let mut process = DecisionProcess::default();
            explore(policy.solved(), node, side, fixed, watch, |choices| process.add(choices))?;
            let forecasts = process.forecasts(0, watch)?;
            against.choices[side] = actions.into_iter().zip(forecasts).collect();
        }
    }
    Ok(against)
}

/// Checks that a game is not too large; simultaneous games never are.
fn check_room(solved: &Solved) -> Result<(), NoRoom> {
    let Answer::Alternating(solution) = solved.answer() else { return Ok(()) };
    let (turns, positions) = (solution.turns() as u64, solution.reached().count() as u64);
    let bytes = turns * BYTES_PER_TURN + positions * BYTES_PER_NODE + solution.size() as u64 * 4;
    let free = solved.room_left();
    if bytes > free { Err(NoRoom { bytes, free }) } else { Ok(()) }
}
