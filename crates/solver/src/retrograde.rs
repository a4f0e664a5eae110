//! Alternating games: win, loss, draw or endless for every position, and how far the end is.
//!
//! Finished positions are known. A position from which some move leads to a loss of the opponent is a
//! win; one from which every move leads to a win of the opponent is a loss. Working backwards from the
//! end in order of distance, every win is found by its shortest way and every loss by its longest. In what is
//! never reached so neither side can force a win; `forced.rs` tells which of that is a draw.

use std::sync::atomic::AtomicU16;
use std::sync::atomic::Ordering::Relaxed;

use skirmish_rules::graph::{Expansion, Graph, Node, NodeOutcome};
use skirmish_rules::{Cancelled, Watch};

use crate::edges::{Back, Edges};
use crate::forced::Forced;
use crate::parallel;
use crate::value::{Bits, UNDECIDED, Value, later};

/// The bytes that solving needs at its peak for each number of the graph, with about five moves in a position
/// and two of three numbers in use.
pub const BYTES_PER_POSITION: u64 = 31;

/// Smaller frontiers than this are not shared between cores, and the parts of larger ones.
const WORTH_SHARING: usize = 1 << 14;
const PART: usize = 1 << 12;

/// Every position's value.
#[derive(Debug)]
pub struct Solution {
    codes: Vec<u16>,
    /// Who can force a draw, in a game whose rules know one.
    forced: Option<Forced>,
    reached: Bits,
    start: u32,
    most_choices: usize,
    finished: usize,
    turns: usize,
}

/// Why a graph is not solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsolved {
    /// Whoever watched has cancelled it.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// Of so many moves in all, too many lead to positions with neighbouring numbers.
    #[error("of {0} moves, more than 2^32 lead to neighbouring positions")]
    TooManyMoves(usize),
}

/// Why a solution has not been proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unproven {
    /// Whoever watched has cancelled the check.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A value is wrong.
    #[error("position number {node} is {claimed:?}, but its moves say otherwise")]
    Refuted {
        /// The position.
        node: u32,
        /// What it was said to be worth.
        claimed: Value,
    },
}

/// Solves a graph.
///
/// # Errors
/// If `watch` cancels it, or there are too many moves.
pub fn solve(graph: &dyn Graph, watch: &dyn Watch) -> Result<Solution, Unsolved> {
    let edges = Edges::explore(graph, watch)?;
    let (reached, most_choices) = (edges.reached().clone(), edges.most_choices());
    let turns = edges.turns();
    let over: Vec<(u32, NodeOutcome)> = edges.over().collect();
    let ending = |wanted: NodeOutcome| {
        over.iter().filter(move |(_, verdict)| *verdict == wanted).map(|(node, _)| *node)
    };
    let mut search = RetrogradeSearch::new(edges, watch)?;
    let lost = ending(NodeOutcome::Lost).map(|node| (node, Value::Loss(0)));
    let won = ending(NodeOutcome::Won).map(|node| (node, Value::Win(0)));
    let frontier = lost.chain(won).map(|(node, value)| search.set(node, value)).collect();
    search.spread::<false>(frontier, |_| {}, watch)?;
    let drawn: Vec<u32> = ending(NodeOutcome::Drawn).collect();
    let forced = if drawn.is_empty() { None } else { Some(Forced::of(&search, &drawn, watch)?) };
    Ok(Solution {
        codes: search.finish(forced.as_ref()),
        forced,
        reached,
        start: graph.start(),
        most_choices,
        finished: over.len(),
        turns,
    })
}

/// Positions being settled from the end backwards.
pub(crate) struct RetrogradeSearch {
    back: Back,
    /// The value of each position. While it is undecided, how many of its moves do not yet lead to a win of the
    /// opponent, so that settling it touches one place in memory.
    codes: Vec<AtomicU16>,
}

/// What a settled position means for one from which it can be reached.
enum Effect {
    Nothing,
    OneMoveFewer,
    Settled,
}

impl RetrogradeSearch {
    /// A search in which nothing is decided yet.
    pub(crate) fn new(edges: Edges, watch: &dyn Watch) -> Result<Self, Unsolved> {
        let undecided = |node| AtomicU16::new(UNDECIDED + u16::from(edges.choices(node)));
        let codes = (0..edges.size()).map(undecided).collect();
        Ok(Self { codes, back: edges.reverse(watch)? })
    }

    /// Settles a position by what is known of it otherwise.
    pub(crate) fn set(&self, node: u32, value: Value) -> u32 {
        self.codes[node as usize].store(value.pack(), Relaxed);
        node
    }

    /// How many moves of an undecided position do not lead to a win of the opponent; nothing if it is decided.
    pub(crate) fn open_moves(&self, node: u32) -> Option<u16> {
        self.codes[node as usize].load(Relaxed).checked_sub(UNDECIDED)
    }

    /// The positions from which one can be reached.
    pub(crate) fn before(&self, node: u32) -> &[u32] {
        self.back.before(node)
    }

    /// How many numbers there are.
    pub(crate) const fn size(&self) -> usize {
        self.codes.len()
    }

    /// Settles all that follows from a frontier of positions that have just been set, in order of distance, and
    /// calls `settled` for each. If `TOUCHED`, returns the positions that lost a move, some of them several times
    /// and some of them settled since.
    pub(crate) fn spread<const TOUCHED: bool>(
        &mut self,
        mut frontier: Vec<u32>,
        settled: impl Fn(u32) + Sync,
        watch: &dyn Watch,
    ) -> Result<Vec<u32>, Cancelled> {
        let Self { back, codes } = self;
        let is_alone = parallel::threads() == 1;
        let mut touched = Vec::new();
        let mut plies = 0;
        while !frontier.is_empty() {
            plies = later(plies);
            let parts = frontier.chunks(PART);
            frontier = if is_alone || frontier.len() < WORTH_SHARING {
                let mut found = Vec::new();
                for part in parts {
                    watch.check(0)?;
                    let lists = (&mut found, &mut touched);
                    step::<TOUCHED>(part, plies, back, Alone(codes), &settled, lists);
                }
                found
            } else {
                let lists = parallel::try_map(parts, |part| {
                    watch.check(0)?;
                    let (mut found, mut fewer) = (Vec::new(), Vec::new());
                    let lists = (&mut found, &mut fewer);
                    step::<TOUCHED>(part, plies, back, Shared(codes), &settled, lists);
                    Ok((found, fewer))
                })?;
                let (found, fewer): (Vec<_>, Vec<_>) = lists.into_iter().unzip();
                touched.extend(fewer.concat());
                found.concat()
            };
        }
        Ok(touched)
    }

    /// The packed values. What is undecided to the end is a draw if that can be forced, and endless if not.
    pub(crate) fn finish(self, forced: Option<&Forced>) -> Vec<u16> {
        let codes =
            self.codes.into_iter().enumerate().map(|(node, code)| match code.into_inner() {
                UNDECIDED.. => forced.map_or(Value::Endless, |forced| forced.value(node)).pack(),
                code => code,
            });
        codes.collect()
    }
}

/// Lists the positions settled by some that were settled before, and those that lost a move.
fn step<const TOUCHED: bool>(
    frontier: &[u32],
    plies: u16,
    back: &Back,
    mut codes: impl Codes,
    settled: &(impl Fn(u32) + Sync),
    (found, fewer): (&mut Vec<u32>, &mut Vec<u32>),
) {
    for &node in frontier {
        let value = Value::unpack(codes.get(node));
        for &before in back.before(node) {
            match codes.update(before, |code| settle(code, value, plies)) {
                Effect::Settled => {
                    settled(before);
                    found.push(before);
                }
                Effect::OneMoveFewer if TOUCHED => fewer.push(before),
                Effect::OneMoveFewer | Effect::Nothing => {}
            }
        }
    }
}

/// The code of a position once a move from it leads to a position of that value; nothing if it stays what it is.
const fn settle(code: u16, value: Value, plies: u16) -> Option<(u16, Effect)> {
    if code < UNDECIDED {
        return None;
    }
    match value {
        Value::Loss(_) => Some((Value::Win(plies).pack(), Effect::Settled)),
        Value::Win(_) if code == UNDECIDED + 1 => {
            Some((Value::Loss(plies).pack(), Effect::Settled))
        }
        Value::Win(_) => Some((code - 1, Effect::OneMoveFewer)),
        Value::Draw(_) | Value::Endless => None,
    }
}

/// The codes of all positions, as they are read and changed.
trait Codes {
    fn get(&self, node: u32) -> u16;

    /// Changes a code as `rule` says, which may be asked several times. Returns what that meant.
    fn update(&mut self, node: u32, rule: impl Fn(u16) -> Option<(u16, Effect)>) -> Effect;
}

/// Nobody else has access: nothing needs an atomic instruction.
struct Alone<'a>(&'a mut [AtomicU16]);

/// Several cores have access.
struct Shared<'a>(&'a [AtomicU16]);

impl Codes for Alone<'_> {
    fn get(&self, node: u32) -> u16 {
        self.0[node as usize].load(Relaxed)
    }

    fn update(&mut self, node: u32, rule: impl Fn(u16) -> Option<(u16, Effect)>) -> Effect {
        let code = self.0[node as usize].get_mut();
        let Some((after, effect)) = rule(*code) else { return Effect::Nothing };
        *code = after;
        effect
    }
}

impl Codes for Shared<'_> {
    fn get(&self, node: u32) -> u16 {
        self.0[node as usize].load(Relaxed)
    }

    fn update(&mut self, node: u32, rule: impl Fn(u16) -> Option<(u16, Effect)>) -> Effect {
        let code = &self.0[node as usize];
        let mut now = code.load(Relaxed);
        while let Some((after, effect)) = rule(now) {
            match code.compare_exchange_weak(now, after, Relaxed, Relaxed) {
                Ok(_) => return effect,
                Err(changed) => now = changed,
            }
        }
        Effect::Nothing
    }
}

impl Solution {
    /// What a position that can arise is worth to the side to move.
    #[must_use]
    pub fn value(&self, node: u32) -> Value {
        Value::unpack(self.codes[node as usize])
    }

    /// In how many plies the side to move can force a draw, and in how many the other side can.
    #[must_use]
    pub fn forced_draw(&self, node: u32) -> (Option<u16>, Option<u16>) {
        self.forced.as_ref().map_or((None, None), |forced| forced.plies(node as usize))
    }

    /// The position the game starts from.
    #[must_use]
    pub const fn start(&self) -> u32 {
        self.start
    }

    /// The positions that can arise in play.
    #[must_use]
    pub const fn reached(&self) -> &Bits {
        &self.reached
    }

    /// The positions that can arise and in which neither side can force a win.
    #[must_use]
    pub fn even(&self) -> Bits {
        let mut even = Bits::new(self.codes.len());
        let words = self.codes.chunks(64).zip(self.reached.words());
        for (even, (codes, reached)) in even.words_mut().iter_mut().zip(words) {
            let is_even = |&code: &u16| u64::from(Value::unpack(code).is_even());
            let bits = codes.iter().map(is_even).zip(0..);
            *even = bits.fold(0, |word, (bit, place)| word | bit << place) & reached;
        }
        even
    }

    /// The largest number of choices in any position.
    #[must_use]
    pub const fn most_choices(&self) -> usize {
        self.most_choices
    }

    /// How many of the positions are finished games.
    #[must_use]
    pub const fn finished(&self) -> usize {
        self.finished
    }

    /// How many moves there are in all positions together.
    #[must_use]
    pub const fn turns(&self) -> usize {
        self.turns
    }

    /// How many numbers the graph has.
    #[must_use]
    pub const fn size(&self) -> usize {
        self.codes.len()
    }

    /// The memory it takes, in bytes.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let size = self.codes.len() as u64;
        size * 2 + size / 8 + self.forced.as_ref().map_or(0, Forced::bytes)
    }

    /// Checks every value against those of the positions one move ahead, which proves them all: wins, losses and
    /// forced draws by induction on their distance, and what is endless because both sides can keep it so.
    ///
    /// # Errors
    /// If a value does not hold, or `watch` cancels the check.
    pub fn verify(&self, graph: &dyn Graph, watch: &dyn Watch) -> Result<(), Unproven> {
        let words = self.reached.words().len();
        parallel::try_map((0..words).step_by(PART / 64), |first| {
            let mut expansion = Expansion::default();
            let mut checked = 0;
            for node in self.reached.within(first..words.min(first + PART / 64)) {
                let kind = graph.expand(node, &mut expansion);
                if !self.holds(node, kind, &expansion.next) {
                    return Err(Unproven::Refuted { node, claimed: self.value(node) });
                }
                checked += 1;
            }
            Ok(watch.check(checked)?)
        })?;
        Ok(())
    }

    /// Whether the value of a position agrees with those of the next ones.
    fn holds(&self, node: u32, kind: Node, next: &[u32]) -> bool {
        let claimed = self.value(node);
        match kind {
            Node::Hole => false,
            Node::Over(NodeOutcome::Lost) => claimed == Value::Loss(0),
            Node::Over(NodeOutcome::Won) => claimed == Value::Win(0),
            Node::Over(NodeOutcome::Drawn) => {
                claimed == Value::Draw(0) && self.forced_draw(node) == (Some(0), Some(0))
            }
            Node::Open => {
                let moves = next.iter().map(|&next| self.value(next).before());
                match moves.max_by_key(|value| value.rank()) {
                    Some(best) if best.is_even() => self.holds_even(node, next),
                    best => best == Some(claimed),
                }
            }
        }
    }

    /// Whether a position in which no move wins and not every move loses is rightly called a draw or endless.
    ///
    /// The side to move forces a draw by a move after which it can do so as the other side; it is forced to one if
    /// every move that does not lose leads to where the opponent, then to move, can force one.
    fn holds_even(&self, node: u32, next: &[u32]) -> bool {
        let kept = || next.iter().copied().filter(|&next| self.value(next).is_even());
        let by_mover = kept().filter_map(|next| self.forced_draw(next).1).min().map(later);
        let by_other = kept()
            .map(|next| self.forced_draw(next).0)
            .try_fold(0, |most: u16, plies| Some(most.max(plies?)))
            .map(later);
        let soonest = by_mover.into_iter().chain(by_other).min();
        self.forced_draw(node) == (by_mover, by_other)
            && self.value(node) == soonest.map_or(Value::Endless, Value::Draw)
    }
}

#[cfg(test)]
#[path = "../tests/toy/mod.rs"]
mod toy;

#[cfg(test)]
mod tests {
    use skirmish_rules::Unwatched;

    use super::toy::random;
    use super::*;

    #[derive(Clone, Copy)]
    enum Side {
        Mover,
        Other,
    }

    impl Side {
        fn plies(self, solution: &mut Solution, place: usize) -> &mut u16 {
            let forced = solution.forced.as_mut().expect("there are draws");
            match self {
                Self::Mover => &mut forced.by_mover[place],
                Self::Other => &mut forced.by_other[place],
            }
        }
    }

    #[test]
    fn no_value_and_no_distance_can_be_changed_unnoticed() {
        let (mut values, mut distances) = (0, 0);
        for seed in 0..60 {
            let toy = random(seed, 12, 3);
            let mut solution = solve(&toy, &Unwatched).expect("nobody cancels");
            assert_eq!(solution.verify(&toy, &Unwatched), Ok(()));
            for node in solution.reached().clone().iter() {
                let place = node as usize;
                let right = solution.codes[place];
                for wrong in [Value::Win(3), Value::Loss(0), Value::Draw(0), Value::Endless] {
                    solution.codes[place] = wrong.pack();
                    let is_right = wrong.pack() == right;
                    assert_eq!(
                        solution.verify(&toy, &Unwatched).is_ok(),
                        is_right,
                        "{seed}: {node} {wrong:?}"
                    );
                    values += usize::from(!is_right);
                }
                solution.codes[place] = right;
                if !Value::unpack(right).is_even() || solution.forced.is_none() {
                    continue;
                }
                for side in [Side::Mover, Side::Other] {
                    let right = std::mem::replace(side.plies(&mut solution, place), 77);
                    assert!(solution.verify(&toy, &Unwatched).is_err(), "{seed}: {node}");
                    *side.plies(&mut solution, place) = right;
                    distances += 1;
                }
            }
            assert_eq!(solution.verify(&toy, &Unwatched), Ok(()));
        }
        assert!(values > 500 && distances > 50, "{values} {distances}");
    }
}
