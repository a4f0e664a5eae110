//! Certifies a solution by checking that every value follows from the values one move ahead.

use skirmish_rules::graph::{Expansion, Graph, Node, NodeOutcome};
use skirmish_rules::{Cancelled, Watch};

use super::{PART, Solution};
use crate::parallel;
use crate::value::{Value, later};

/// The reasons why a solution is not proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unproven {
    /// The watcher cancelled the check.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A value is wrong.
    #[error("the value {claimed:?} of node {node} contradicts the values of its moves")]
    Refuted {
        /// The position.
        node: u32,
        /// The refuted value.
        claimed: Value,
    },
}

impl Solution {
    /// Checks every value against the values one move ahead. This proves all of them: wins, losses and forced draws by
    /// induction on the distance, and endless positions because both sides can keep them endless.
    ///
    /// # Errors
    /// If a value is wrong, or `watch` cancels the check.
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

    /// Whether the value of a position agrees with those of its successors.
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

    /// Checks the value of a position in which no move wins and not every move loses. The side to move can force a draw
    /// if some move leads to a position in which it can force one as the other side. The opponent can force a draw if
    /// it can do so as the side to move after every move that does not lose.
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
#[path = "../../tests/toy/mod.rs"]
mod toy;

#[cfg(test)]
mod tests {
    use skirmish_rules::Unwatched;

    use super::toy::random;
    use super::*;
    use crate::retrograde::solve;

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
    fn verification_refutes_every_changed_value_and_distance() {
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
