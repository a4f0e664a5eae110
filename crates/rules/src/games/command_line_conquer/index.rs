//! A dense numbering of battlefields.
//!
//! Units never pass an enemy without a battle, so in play every unit of Player 1 stands below every unit of
//! Player 2. The numbering covers just those battlefields: by Player 1's foremost unit, then by the rest of
//! Player 1's units, then by Player 2's, each side ranked as a multiset in colexicographic order.

use super::{Field, MAX_UNITS, Units};
use crate::graph::{Index, MOST_NODES};
use crate::line::Line;
use crate::side::{Both, Side};

pub(super) struct FieldIndex {
    line: Line,
    max_units: usize,
    /// `choose[k][n]` is the number of ways to choose k of n.
    choose: Vec<Vec<u32>>,
    /// The battlefields before those without a unit of Player 1, before those whose foremost unit of
    /// Player 1 stands on 0, on 1 and so on; last, how many there are for each side to move.
    offsets: Vec<u64>,
}

impl FieldIndex {
    pub(super) fn new(line: Line, max_units: u8) -> Self {
        let max_units = usize::from(max_units);
        let places = usize::from(line.last) + 1;
        let mut index = Self {
            line,
            max_units,
            choose: binomials(usize::from(MAX_UNITS) + 1, places + max_units + 1),
            offsets: Vec::with_capacity(places + 2),
        };
        let mut total = 0_u64;
        for front in 0..=places {
            index.offsets.push(total);
            let rest = if front == 0 { 1 } else { index.multisets(max_units - 1, front) };
            total = total
                .saturating_add(rest.saturating_mul(index.multisets(max_units, places - front)));
        }
        index.offsets.push(total);
        index
    }

    /// How many multisets of at most `most` of so many places there are.
    fn multisets(&self, most: usize, places: usize) -> u64 {
        self.choose[most][places + most].into()
    }

    fn half(&self) -> u64 {
        self.offsets[self.offsets.len() - 1]
    }

    /// The rank of a list of places, ascending, among the multisets of at most `most`.
    fn rank(&self, most: usize, places: impl ExactSizeIterator<Item = u8>) -> u32 {
        let empty = most - places.len();
        places
            .enumerate()
            .map(|(nth, place)| {
                let order = empty + nth + 1;
                self.choose[order][usize::from(place) + order]
            })
            .sum()
    }

    /// The multiset of that rank: its places in descending order.
    fn unrank(&self, most: usize, mut rank: u32, mut visit: impl FnMut(u8)) {
        let mut place = usize::from(self.line.last) + 1;
        for order in (1..=most).rev() {
            if rank == 0 {
                return;
            }
            while self.choose[order][place + order - 1] > rank {
                place -= 1;
            }
            if place > 0 {
                visit(u8::try_from(place - 1).expect("the line is short"));
                rank -= self.choose[order][place + order - 1];
            }
        }
    }
}

impl Index<Field> for FieldIndex {
    fn size(&self) -> u64 {
        self.half().saturating_mul(2)
    }

    fn of(&self, state: &Field) -> Option<u32> {
        let Both { one, two } = state.units.as_ref().map(Units::places);
        let (front, rest) = match one.split_last() {
            Some((&front, rest)) => {
                (usize::from(front) + 1, self.rank(self.max_units - 1, rest.iter().copied()))
            }
            None => (0, 0),
        };
        if two.first().is_some_and(|&place| usize::from(place) < front) {
            return None;
        }
        let places = usize::from(self.line.last) + 1;
        let mirrored = two.iter().rev().map(|&place| self.line.mirror(place));
        let within = u64::from(rest) * self.multisets(self.max_units, places - front)
            + u64::from(self.rank(self.max_units, mirrored));
        let side = match state.to_move {
            Side::One => 0,
            Side::Two => self.half(),
        };
        u32::try_from(side + self.offsets[front] + within).ok()
    }

    fn state(&self, index: u32) -> Option<Field> {
        let mut index = u64::from(index);
        let to_move = if index < self.half() { Side::One } else { Side::Two };
        if to_move == Side::Two {
            index -= self.half();
        }
        let front = self.offsets.partition_point(|&offset| offset <= index) - 1;
        let within = index - self.offsets[front];
        let places = usize::from(self.line.last) + 1;
        let theirs = self.multisets(self.max_units, places - front);
        let (rest, two) = (narrow(within / theirs), narrow(within % theirs));
        let mut units = Both::new(Units::NONE, Units::NONE);
        if front > 0 {
            units.one = units.one.with_lowest(u8::try_from(front - 1).expect("the line is short"));
            self.unrank(self.max_units - 1, rest, |place| units.one = units.one.with_lowest(place));
        }
        self.unrank(self.max_units, two, |place| {
            units.two = units.two.with(self.line.mirror(place));
        });
        let state = Field { units, to_move };
        self.is_whole(&state).then_some(state)
    }
}

impl FieldIndex {
    /// A game ends when one unit stands on the enemy base: there are never two, nor one of the mover's.
    fn is_whole(&self, state: &Field) -> bool {
        Side::ALL.into_iter().all(|side| {
            let goal = self.line.base(side.other());
            let places = state.units[side].places();
            let there = match side {
                Side::One => places.iter().rev().take_while(|&&place| place == goal).count(),
                Side::Two => places.iter().take_while(|&&place| place == goal).count(),
            };
            there == 0 || (there == 1 && side != state.to_move)
        })
    }
}

fn narrow(rank: u64) -> u32 {
    u32::try_from(rank).expect("a part of an index that fits into 32 bits")
}

/// Pascal's triangle by columns, capped where numbers are too large to be used as indices anyway.
fn binomials(columns: usize, rows: usize) -> Vec<Vec<u32>> {
    let cap = u32::try_from(MOST_NODES).expect("nodes are numbered by 32 bits");
    let mut choose = vec![vec![1; rows + 1]];
    for column in 1..columns {
        let before = &choose[column - 1];
        let mut numbers = vec![0_u32; rows + 1];
        for row in 1..=rows {
            numbers[row] = numbers[row - 1].saturating_add(before[row - 1]).min(cap);
        }
        choose.push(numbers);
    }
    choose
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalogued;
    use crate::game::Game;
    use crate::games::command_line_conquer::CommandLineConquer;
    use crate::graph::reachable;
    use crate::settings::Settings;

    fn game(rules: &[&str]) -> CommandLineConquer {
        let settings = Settings::parse(CommandLineConquer::OPTIONS, rules.iter().copied());
        CommandLineConquer::with(&settings.expect("the options are in range"))
    }

    #[test]
    fn every_number_stands_for_one_battlefield() {
        for rules in [&[][..], &["positions=5", "units=1"], &["positions=3", "units=9"]] {
            let index = game(rules).index().expect("the game has an index");
            let size = u32::try_from(index.size()).expect("a small board");
            for number in 0..size {
                if let Some(state) = index.state(number) {
                    assert_eq!(index.of(&state), Some(number), "{state:?}");
                }
            }
        }
    }

    #[test]
    fn every_battlefield_that_can_arise_has_a_number() {
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
    fn a_huge_board_has_a_huge_index_and_no_panic() {
        let index = game(&["positions=255", "units=9"]).index().expect("the game has an index");
        assert!(index.size() > MOST_NODES);
    }
}
