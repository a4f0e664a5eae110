//! Draws by the rules: which side can force one, and in how many plies.
//!
//! If neither side can force a win, a side may still be able to force the game to end in a draw. This is solved for
//! each side separately. When the side that wants the draw is to move, one move that leads to it is enough; when the
//! other side is to move, every move that does not lose must lead to it. Like the analysis of wins and losses, this one
//! works backwards from the drawn ends. It covers both sides at the same time: in each position, the side to move and
//! the other side.

use skirmish_rules::{Cancelled, Watch};

use crate::retrograde::RetrogradeSearch;
use crate::value::{Value, later};

/// The number of positions processed between two checks for cancellation.
const BATCH: usize = 1 << 12;

/// The value for a draw that cannot be forced.
const NEVER: u16 = u16::MAX;

/// For every position, the number of plies in which each side can force a draw.
#[derive(Debug)]
pub(crate) struct Forced {
    pub(crate) by_mover: Vec<u16>,
    pub(crate) by_other: Vec<u16>,
}

#[derive(Clone, Copy)]
enum Forcer {
    Mover,
    Other,
}

impl Forced {
    /// Works backwards from drawn ends through the positions that the search has left undecided.
    pub(crate) fn of(
        search: &RetrogradeSearch,
        drawn: &[u32],
        watch: &dyn Watch,
    ) -> Result<Self, Cancelled> {
        let (mut by_mover, mut by_other) = (vec![NEVER; search.size()], vec![NEVER; search.size()]);
        // For each position, the number of moves that neither lose nor let the opponent force a draw.
        let mut open: Vec<u8> = vec![0; search.size()];
        for (open, node) in open.iter_mut().zip(0..) {
            let moves = search.open_moves(node).unwrap_or(0);
            *open = u8::try_from(moves).expect("a position has few moves");
        }
        let mut frontier = Vec::new();
        for &node in drawn {
            by_mover[node as usize] = 0;
            by_other[node as usize] = 0;
            frontier.extend([(node, Forcer::Mover), (node, Forcer::Other)]);
        }
        let mut plies = 0;
        while !frontier.is_empty() {
            plies = later(plies);
            let mut found = Vec::new();
            for (place, &(node, forcer)) in frontier.iter().enumerate() {
                if place % BATCH == 0 {
                    watch.check(0)?;
                }
                let undecided =
                    search.before(node).iter().filter(|&&node| search.open_moves(node).is_some());
                for &before in undecided {
                    let place = before as usize;
                    match forcer {
                        // The mover forces the draw by moving here.
                        Forcer::Other if by_mover[place] == NEVER => {
                            by_mover[place] = plies;
                            found.push((before, Forcer::Mover));
                        }
                        Forcer::Other => {}
                        Forcer::Mover => {
                            open[place] -= 1;
                            if open[place] == 0 {
                                by_other[place] = plies;
                                found.push((before, Forcer::Other));
                            }
                        }
                    }
                }
            }
            frontier = found;
        }
        Ok(Self { by_mover, by_other })
    }

    /// The number of plies in which the side to move can force a draw, and the number for the other side.
    pub(crate) fn plies(&self, node: usize) -> (Option<u16>, Option<u16>) {
        let known = |plies: u16| (plies != NEVER).then_some(plies);
        (known(self.by_mover[node]), known(self.by_other[node]))
    }

    /// The value of a position in which neither side can force a win.
    pub(crate) fn value(&self, node: usize) -> Value {
        match self.by_mover[node].min(self.by_other[node]) {
            NEVER => Value::Endless,
            plies => Value::Draw(plies),
        }
    }

    /// The memory in use, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.by_mover.len() + self.by_other.len()) as u64 * 2
    }
}
