//! Draws by the rules: which side can force one, and how soon.
//!
//! Where neither side can force a win, one of them may still be able to make sure that the game ends without its
//! losing. That is a question for each side by itself. The side that wants the draw needs one move that leads on
//! to it; against the other side, every move that does not lose must. It is answered backwards from the drawn ends,
//! like wins and losses, but for both sides at once: in each position for the side to move and for the other.

use skirmish_rules::{Cancelled, Watch};

use crate::retrograde::RetrogradeSearch;
use crate::value::{Value, later};

/// How many positions are looked at between two looks at whether the work is cancelled.
const BATCH: usize = 1 << 12;

/// The draw cannot be forced.
const NEVER: u16 = u16::MAX;

/// For every position in how many plies a draw can be forced.
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
    /// Works backwards from the drawn ends, through the positions that the search has left undecided.
    pub(crate) fn of(
        search: &RetrogradeSearch,
        drawn: &[u32],
        watch: &dyn Watch,
    ) -> Result<Self, Cancelled> {
        let (mut by_mover, mut by_other) = (vec![NEVER; search.size()], vec![NEVER; search.size()]);
        // The moves of each position that neither lose nor lead to where the opponent can force a draw.
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
                        // Whoever moves here forces it from here.
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

    /// In how many plies the side to move can force a draw, and in how many the other side can.
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

    /// The memory it takes, in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        (self.by_mover.len() + self.by_other.len()) as u64 * 2
    }
}
