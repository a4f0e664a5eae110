//! The exact value of every move against a level, if the best response to that level follows.

use skirmish_rules::graph::{Expansion, Node, NodeOutcome};
use skirmish_rules::{Both, Cancelled, PositionError, Side, Watch};
use skirmish_solver::response::{Contest, Forecast, Prospect, Unforeseen};

use super::level::Level;
use super::policy::Policy;
use crate::solved::{Answer, NoRoom, Solved};

/// The number of positions processed between two checks for cancellation.
const BATCH: usize = 1 << 12;

/// The bytes needed per position and per turn while a contest is solved.
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
            let forecasts = contest(policy, node, side, watch)?.forecasts(0, watch)?;
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

/// Builds the contest that follows from a position if `side` chooses freely and the other side plays by `policy`.
fn contest(
    policy: &Policy,
    start: u32,
    side: Side,
    watch: &dyn Watch,
) -> Result<Contest, Cancelled> {
    let mut search = Search::from(policy.solved(), start);
    let mut contest = Contest::default();
    let mut expansion = Expansion::default();
    let mut index = 0;
    while let Some(&node) = search.nodes.get(index) {
        index += 1;
        if index % BATCH == 0 {
            watch.check(BATCH as u64)?;
        }
        search.solved.graph().expand(node, &mut expansion);
        let shares = || policy.shares(node, side.other());
        let cell = |row: usize, column: usize| expansion.next[row * expansion.columns + column];
        let rows = expansion.next.len() / expansion.columns;
        let mut prospect = |cells: &mut dyn Iterator<Item = (u32, f64)>| {
            let mut prospect = Prospect::default();
            cells.for_each(|(next, chance)| search.lead(&mut prospect, next, chance, side));
            prospect
        };
        let choices: Vec<Prospect> = match policy.solved().graph().mover(node) {
            Some(mover) if mover == side => expansion
                .next
                .iter()
                .map(|&next| prospect(&mut [(next, 1.0)].into_iter()))
                .collect(),
            Some(_) => {
                vec![prospect(&mut expansion.next.iter().copied().zip(shares()))]
            }
            None => {
                let shares = shares();
                let shares = || shares.iter().copied().enumerate();
                match side {
                    Side::One => (0..rows)
                        .map(|row| {
                            prospect(&mut shares().map(|(column, it)| (cell(row, column), it)))
                        })
                        .collect(),
                    Side::Two => (0..expansion.columns)
                        .map(|column| {
                            prospect(&mut shares().map(|(row, it)| (cell(row, column), it)))
                        })
                        .collect(),
                }
            }
        };
        contest.add(choices);
    }
    Ok(contest)
}

/// Numbers unfinished positions in the order of their discovery.
struct Search<'a> {
    solved: &'a Solved,
    nodes: Vec<u32>,
    /// The number of each node, or `UNSEEN`.
    places: Vec<u32>,
    expansion: Expansion,
}

const UNSEEN: u32 = u32::MAX;

impl<'a> Search<'a> {
    fn from(solved: &'a Solved, start: u32) -> Self {
        let mut places = vec![UNSEEN; solved.graph().size()];
        places[start as usize] = 0;
        Self { solved, nodes: vec![start], places, expansion: Expansion::default() }
    }

    /// Adds the chance of reaching a node to a prospect of `side`.
    fn lead(&mut self, prospect: &mut Prospect, node: u32, chance: f64, side: Side) {
        if chance <= 0.0 {
            return;
        }
        let graph = self.solved.graph();
        let seen = self.places[node as usize];
        if seen == UNSEEN
            && let Node::Over(verdict) = graph.expand(node, &mut self.expansion)
        {
            let is_mine = graph.mover(node).unwrap_or(Side::One) == side;
            match (verdict, is_mine) {
                (NodeOutcome::Drawn, _) => prospect.draw += chance,
                (NodeOutcome::Won, true) | (NodeOutcome::Lost, false) => prospect.win += chance,
                (NodeOutcome::Won, false) | (NodeOutcome::Lost, true) => prospect.loss += chance,
            }
            return;
        }
        if seen == UNSEEN {
            self.places[node as usize] =
                u32::try_from(self.nodes.len()).expect("nodes are 32-bit numbers");
            self.nodes.push(node);
        }
        prospect.next.push((self.places[node as usize], chance));
    }
}
