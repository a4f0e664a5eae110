//! Finds the positions for which a query is true.

use skirmish_rules::graph::{Expansion, Node};
use skirmish_rules::{Cancelled, Scene, Side, Watch};
use skirmish_solver::recursive::Stage;
use skirmish_solver::{Bits, Value};

use super::{Fact, OutcomeKind, Query};
use crate::solved::{Answer, Solved, mixes_of};

/// Values of simultaneous games count as equal if they differ by less than this, or by less than their error.
const SLIGHT: f64 = 1e-9;

/// The number of positions between progress reports.
const BATCH: u64 = 1 << 14;

impl Query {
    /// Returns the reachable positions for which the query is true. The query must have been parsed for this game.
    ///
    /// # Errors
    /// If `watch` cancels the work.
    pub fn find(&self, solved: &Solved, watch: &dyn Watch) -> Result<Bits, Cancelled> {
        let mut found = Bits::new(solved.graph().size());
        visit(solved, watch, |spot| {
            if spot.answers(self) {
                found.insert(spot.node);
            }
        })?;
        Ok(found)
    }

    /// Whether the query is true for a position. [`Query::find`] is faster for many positions.
    #[must_use]
    pub fn holds(&self, solved: &Solved, node: u32) -> bool {
        let mut spot = Spot::new(solved);
        spot.visit(node);
        spot.answers(self)
    }
}

/// Visits every reachable position.
pub(super) fn visit<'a>(
    solved: &'a Solved,
    watch: &dyn Watch,
    mut look: impl FnMut(&mut Spot<'a>),
) -> Result<(), Cancelled> {
    let mut spot = Spot::new(solved);
    let mut seen = 0;
    for node in solved.reached().iter() {
        spot.visit(node);
        look(&mut spot);
        seen += 1;
        if seen == BATCH {
            watch.check(seen)?;
            seen = 0;
        }
    }
    watch.check(seen)
}

/// A position to be tested. Expensive properties are computed on first use.
pub(super) struct Spot<'a> {
    solved: &'a Solved,
    node: u32,
    /// The successors, once computed.
    expansion: Expansion,
    is_expanded: bool,
    scene: Option<Scene>,
}

impl<'a> Spot<'a> {
    fn new(solved: &'a Solved) -> Self {
        let expansion = Expansion::default();
        Self { solved, node: 0, expansion, is_expanded: false, scene: None }
    }

    fn visit(&mut self, node: u32) {
        (self.node, self.is_expanded, self.scene) = (node, false, None);
    }

    fn answers(&mut self, query: &Query) -> bool {
        match query {
            Query::Fact(fact) => self.has(*fact),
            Query::Not(query) => !self.answers(query),
            Query::All(parts) => parts.iter().all(|part| self.answers(part)),
            Query::Any(parts) => parts.iter().any(|part| self.answers(part)),
        }
    }

    pub(super) fn has(&mut self, fact: Fact) -> bool {
        match fact {
            Fact::Outcome(kind, None) => self.is(kind),
            Fact::Outcome(_, Some(amount))
            | Fact::Plies(amount)
            | Fact::WinningMoves(amount)
            | Fact::Moves(amount)
            | Fact::Units(_, amount)
            | Fact::Gauge(_, _, amount) => {
                self.number(fact).is_some_and(|number| amount.counts(number))
            }
            Fact::Endless => self.value() == Some(Value::Endless),
            Fact::Over => self.is_over(),
            Fact::On(side, amount) => {
                let own = |piece: &&skirmish_rules::Piece| piece.side == side;
                self.scene().pieces.iter().filter(own).any(|piece| amount.counts(piece.at))
            }
            Fact::ToMove(side) => self.solved.graph().mover(self.node) == Some(side),
            Fact::Value(amount) => match self.solved.answer() {
                Answer::Alternating(_) => false,
                Answer::Simultaneous { solution, .. } => {
                    let (value, error) = solution.bounds.value(self.node as usize);
                    amount.includes(value, error.max(SLIGHT))
                }
            },
            Fact::Mixes(side) => self.mixes(side),
        }
    }

    /// Returns the count that a fact refers to, if this position has it.
    pub(super) fn number(&mut self, fact: Fact) -> Option<u32> {
        match fact {
            Fact::Outcome(kind, Some(_)) if !self.is(kind) => None,
            Fact::Outcome(_, Some(_)) | Fact::Plies(_) => {
                self.value().and_then(Value::plies).map(u32::from)
            }
            Fact::WinningMoves(_) => Some(self.winning_moves()),
            Fact::Moves(_) => Some(self.moves()),
            Fact::Units(None, _) => Some(self.units(Side::One) + self.units(Side::Two)),
            Fact::Units(Some(side), _) => Some(self.units(side)),
            Fact::Gauge(side, ..) => self.scene().gauges.map(|gauges| gauges[side].value.into()),
            Fact::Outcome(_, None)
            | Fact::Endless
            | Fact::Over
            | Fact::On(..)
            | Fact::ToMove(_)
            | Fact::Value(_)
            | Fact::Mixes(_) => None,
        }
    }

    /// Whether the position's value is of this kind.
    fn is(&self, kind: OutcomeKind) -> bool {
        match self.value() {
            Some(Value::Win(_)) => kind == OutcomeKind::Win,
            Some(Value::Loss(_)) => kind == OutcomeKind::Loss,
            Some(Value::Draw(_)) => kind == OutcomeKind::Draw,
            Some(Value::Endless) | None => false,
        }
    }

    /// Returns the value for the side to move, in an alternating game.
    fn value(&self) -> Option<Value> {
        match self.solved.answer() {
            Answer::Alternating(solution) => Some(solution.value(self.node)),
            Answer::Simultaneous { .. } => None,
        }
    }

    fn is_over(&self) -> bool {
        match self.solved.answer() {
            Answer::Alternating(solution) => solution.value(self.node).plies() == Some(0),
            Answer::Simultaneous { game, .. } => {
                matches!(game.nodes[self.node as usize], Stage::Over(_))
            }
        }
    }

    fn mixes(&self, side: Side) -> bool {
        match self.solved.answer() {
            Answer::Alternating(_) => false,
            Answer::Simultaneous { solution, .. } => {
                let mix = &mixes_of(&solution.mixes, side)[self.node as usize];
                mix.iter().filter(|share| **share > 0.0).count() > 1
            }
        }
    }

    fn expand(&mut self) -> &[u32] {
        if !self.is_expanded {
            self.is_expanded = true;
            if self.solved.graph().expand(self.node, &mut self.expansion) != Node::Open {
                self.expansion.next.clear();
            }
        }
        &self.expansion.next
    }

    fn moves(&mut self) -> u32 {
        count(self.expand().len())
    }

    fn winning_moves(&mut self) -> u32 {
        let Answer::Alternating(solution) = self.solved.answer() else { return 0 };
        // Only a won position has winning moves.
        if !matches!(solution.value(self.node), Value::Win(_)) {
            return 0;
        }
        let wins = |next: &&u32| matches!(solution.value(**next), Value::Loss(_));
        count(self.expand().iter().filter(wins).count())
    }

    fn scene(&mut self) -> &Scene {
        self.scene.get_or_insert_with(|| self.solved.graph().scene(self.node))
    }

    fn units(&mut self, side: Side) -> u32 {
        count(self.scene().pieces.iter().filter(|piece| piece.side == side).count())
    }
}

/// Converts a number of moves or pieces, which is always small.
fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
