//! A dense numbering of battlefields. Units cannot pass an enemy without a battle, so in every reachable position all
//! units of Player 1 stand below all units of Player 2. Only such battlefields are numbered: by Player 1's foremost
//! unit, then by Player 1's other units, then by Player 2's units on the remaining places. Lists of units are ordered
//! by length, then by rank.

use std::sync::OnceLock;

use super::units::term;
use super::{Field, MAX_UNITS, Units};
use crate::graph::Index;
use crate::line::Line;
use crate::side::{Both, Side};

/// One number for each count of units.
type ByCount = [u64; COUNTS];

/// The number of counts, from 0 to one more than the maximum.
const COUNTS: usize = MAX_UNITS as usize + 2;

pub(super) struct FieldIndex {
    /// The number of steps from base to base.
    span: u8,
    max_units: u8,
    /// The battlefields, grouped by Player 1's foremost unit: first those without such a unit, then those whose
    /// foremost unit has gone 0, 1, … steps.
    fronts: Vec<Front>,
    /// The number of battlefields for each side to move.
    half: u64,
    /// Lists of units by length and rank, computed on first use.
    ranked: OnceLock<Vec<Vec<Units>>>,
}

/// The battlefields with the same foremost unit of Player 1.
struct Front {
    /// The number of battlefields in earlier fronts.
    before: u64,
    /// The number of lists of Player 2's units.
    ways: u64,
    /// The number of places left for Player 2.
    room: u8,
    /// The number of shorter lists of Player 1's units, by length.
    shorter: ByCount,
    /// The offsets that turn the rank of Player 1's units into a number within this front, by length. They wrap around.
    offset: ByCount,
    /// The number of shorter lists of Player 2's units, by length.
    theirs: ByCount,
}

impl FieldIndex {
    pub(super) fn new(line: Line, max_units: u8) -> Self {
        let span = line.span();
        let most = usize::from(max_units);
        let mut fronts = Vec::with_capacity(usize::from(span) + 2);
        let mut half = 0_u64;
        for front in 0..=span + 1 {
            let room = span + 1 - front;
            let theirs = shorter(room.into());
            let ways = theirs[most + 1];
            // Without a foremost unit, the empty list is the only list; with one, it is impossible.
            let (mut ours, mut offset, mut lists) = ([u64::MAX; COUNTS], [0; COUNTS], 1);
            ours[0] = 0;
            if let Some(foremost) = front.checked_sub(1) {
                let behind = shorter(front.into());
                lists = behind[most];
                for count in 1..=most {
                    let rank_of_foremost = term(foremost, count - 1);
                    ours[count] = behind[count - 1];
                    offset[count] = behind[count - 1].wrapping_sub(rank_of_foremost.into());
                }
            }
            fronts.push(Front { before: half, ways, room, shorter: ours, offset, theirs });
            half = half.saturating_add(lists.saturating_mul(ways));
        }
        Self { span, max_units, fronts, half, ranked: OnceLock::new() }
    }

    fn ranked(&self) -> &[Vec<Units>] {
        self.ranked.get_or_init(|| {
            let mut lists = vec![vec![Units::NONE]];
            for length in 1..=usize::from(self.max_units) {
                let before = &lists[length - 1];
                let longer = (0..=self.span).flat_map(|foremost| {
                    let fits =
                        before.iter().take_while(move |units| units.foremost() <= Some(foremost));
                    fits.map(move |units| units.with_foremost(foremost))
                });
                let longer = longer.collect();
                lists.push(longer);
            }
            lists
        })
    }

    /// The list of units with this number, given the number of shorter lists and the offset of the rank, by length.
    #[inline]
    fn units(&self, shorter: &ByCount, offset: &ByCount, number: u64) -> Units {
        // Most lists have the maximum length.
        let mut count = usize::from(self.max_units);
        while shorter[count] > number {
            count -= 1;
        }
        self.ranked()[count][at(number.wrapping_sub(offset[count]))]
    }

    /// Whether the position is legal. The first unit on an enemy base ends the game, so there is at most one such unit,
    /// and it does not belong to the mover.
    #[inline]
    fn is_legal(&self, state: &Field) -> bool {
        let mover = state.to_move;
        let there = |side: Side| state.units[side].how_many(self.span);
        there(mover) == 0 && there(mover.other()) <= 1
    }
}

impl Index<Field> for FieldIndex {
    fn size(&self) -> u64 {
        self.half.saturating_mul(2)
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // runs for every move of every solved position
    fn of(&self, state: &Field) -> Option<u32> {
        let Both { one, two } = &state.units;
        let front = &self.fronts[one.foremost().map_or(0, |foremost| usize::from(foremost) + 1)];
        if two.foremost() >= Some(front.room) {
            return None;
        }
        let one = front.offset[usize::from(one.count())].wrapping_add(one.rank().into());
        let two = front.theirs[usize::from(two.count())] + u64::from(two.rank());
        let side = match state.to_move {
            Side::One => 0,
            Side::Two => self.half,
        };
        u32::try_from(side + front.before + one * front.ways + two).ok()
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // runs for every solved position
    fn state(&self, index: u32) -> Option<Field> {
        let index = u64::from(index);
        let (to_move, index) = match index.checked_sub(self.half) {
            None => (Side::One, index),
            Some(index) => (Side::Two, index),
        };
        // Binary search would be slower: for consecutive numbers, this scan always ends at the same place.
        let front = self.fronts.iter().rfind(|front| front.before <= index)?;
        let (one, two) = ((index - front.before) / front.ways, (index - front.before) % front.ways);
        let one = self.units(&front.shorter, &front.offset, one);
        let two = self.units(&front.theirs, &front.theirs, two);
        let state = Field { units: Both::new(one, two), to_move };
        self.is_legal(&state).then_some(state)
    }
}

fn at(rank: u64) -> usize {
    usize::try_from(rank).expect("the numbered lists fit into memory")
}

/// The number of lists of fewer than 0, 1, 2, … units on this many places.
fn shorter(places: u64) -> ByCount {
    let mut totals: ByCount = [0; COUNTS];
    let mut lists = 1_u64;
    for length in 0..=usize::from(MAX_UNITS) {
        totals[length + 1] = totals[length].saturating_add(lists);
        // The number of multisets of `length` + 1 places.
        let length = length as u64;
        lists = match lists.checked_mul(places + length) {
            Some(product) => product / (length + 1),
            None => u64::MAX,
        };
    }
    totals
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalogued;
    use crate::game::Game;
    use crate::games::command_line_conquer::CommandLineConquer;
    use crate::graph::{MOST_NODES, reachable};
    use crate::notation::Notation;
    use crate::settings::Settings;

    fn game(rules: &[&str]) -> CommandLineConquer {
        let settings = Settings::parse(CommandLineConquer::OPTIONS, rules.iter().copied());
        CommandLineConquer::with(&settings.expect("the options are in range"))
    }

    #[test]
    fn every_number_is_one_legal_battlefield_or_a_hole() {
        for rules in [&[][..], &["positions=5", "units=1"], &["positions=3", "units=8"]] {
            let game = game(rules);
            let index = game.index().expect("the game has an index");
            let size = u32::try_from(index.size()).expect("a small board");
            for number in 0..size {
                if let Some(state) = index.state(number) {
                    assert_eq!(index.of(&state), Some(number), "{state:?}");
                    assert_eq!(game.parse_position(&game.position(&state)), Ok(state));
                }
            }
        }
    }

    #[test]
    fn every_reachable_battlefield_has_a_number() {
        for rules in [&[][..], &["battle=arrival"], &["strength=1"], &["positions=7", "units=4"]] {
            let game = game(rules);
            let index = game.index().expect("the game has an index");
            for state in reachable(&game, Side::One) {
                let number = index.of(&state).expect("a number");
                assert_eq!(index.state(number), Some(state));
            }
        }
    }

    #[test]
    fn the_index_of_a_huge_board_does_not_panic() {
        let index = game(&["positions=255", "units=8"]).index().expect("the game has an index");
        assert!(index.size() > MOST_NODES);
    }
}
