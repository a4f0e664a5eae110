//! A dense numbering of battlefields.
//!
//! Units never pass an enemy without a battle, so in play every unit of Player 1 stands below every unit of
//! Player 2. The numbering covers just those battlefields: by Player 1's foremost unit, then by the rest of
//! Player 1's units, then by Player 2's, each side ranked as a multiset in colexicographic order.

use std::sync::OnceLock;

use super::{Field, Units};
use crate::graph::Index;
use crate::line::Line;
use crate::side::{Both, Side};

pub(super) struct FieldIndex {
    line: Line,
    max_units: usize,
    choose: Binomials,
    /// Of the battlefields without a unit of Player 1, and of those whose foremost unit of Player 1 stands on
    /// 0, on 1 and so on: how many there are before, and how many ways Player 2's units can stand.
    fronts: Vec<(u64, u64)>,
    /// How many there are for each side to move.
    half: u64,
    /// The units of every rank; worked out when a position is first asked for.
    ranked: OnceLock<Ranked>,
}

struct Ranked {
    /// Player 1's units behind the foremost.
    rest: Vec<Units>,
    /// Player 2's units.
    two: Vec<Units>,
}

impl FieldIndex {
    pub(super) fn new(line: Line, max_units: u8) -> Self {
        let max_units = usize::from(max_units);
        let places = usize::from(line.last) + 1;
        let mut index = Self {
            line,
            max_units,
            choose: Binomials::new(),
            fronts: Vec::with_capacity(places + 1),
            half: 0,
            ranked: OnceLock::new(),
        };
        for front in 0..=places {
            let rest = if front == 0 { 1 } else { index.multisets(max_units - 1, front) };
            let theirs = index.multisets(max_units, places - front);
            index.fronts.push((index.half, theirs));
            index.half = index.half.saturating_add(rest.saturating_mul(theirs));
        }
        index
    }

    /// How many multisets of at most `most` of so many places there are.
    fn multisets(&self, most: usize, places: usize) -> u64 {
        self.choose.of(places + most, most).into()
    }

    /// The rank of a list of places, ascending, among the multisets of at most `most`.
    fn rank(&self, most: usize, places: impl ExactSizeIterator<Item = u8>) -> u32 {
        let mut order = most - places.len();
        let mut rank = 0;
        for place in places {
            order += 1;
            rank += self.choose.of(usize::from(place) + order, order);
        }
        rank
    }

    fn ranked(&self) -> &Ranked {
        self.ranked.get_or_init(|| {
            let places = usize::from(self.line.last) + 1;
            let all = |most: usize, unit: &dyn Fn(Units, u8) -> Units| {
                let ranks = 0..narrow(self.multisets(most, places));
                let units = ranks.map(|rank| {
                    let mut units = Units::NONE;
                    self.unrank(most, rank, |place| units = unit(units, place));
                    units
                });
                units.collect()
            };
            Ranked {
                rest: all(self.max_units - 1, &Units::with_lowest),
                two: all(self.max_units, &|units, place| units.with(self.line.mirror(place))),
            }
        })
    }

    /// The multiset of that rank: its places in descending order.
    fn unrank(&self, most: usize, mut rank: u32, mut visit: impl FnMut(u8)) {
        let mut place = usize::from(self.line.last) + 1;
        for order in (1..=most).rev() {
            if rank == 0 {
                return;
            }
            while self.choose.of(place + order - 1, order) > rank {
                place -= 1;
            }
            if place > 0 {
                visit(u8::try_from(place - 1).expect("the line is short"));
                rank -= self.choose.of(place + order - 1, order);
            }
        }
    }
}

impl Index<Field> for FieldIndex {
    fn size(&self) -> u64 {
        self.half.saturating_mul(2)
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
        let (before, theirs) = self.fronts[front];
        let mirrored = two.iter().rev().map(|&place| self.line.last - place);
        let within = u64::from(rest) * theirs + u64::from(self.rank(self.max_units, mirrored));
        let side = match state.to_move {
            Side::One => 0,
            Side::Two => self.half,
        };
        u32::try_from(side + before + within).ok()
    }

    fn state(&self, index: u32) -> Option<Field> {
        let mut index = u64::from(index);
        let to_move = if index < self.half { Side::One } else { Side::Two };
        if to_move == Side::Two {
            index -= self.half;
        }
        let front = self.fronts.partition_point(|&(before, _)| before <= index) - 1;
        let (before, theirs) = self.fronts[front];
        let (within, theirs) = (narrow(index - before), narrow(theirs));
        let (rest, two) = (within / theirs, within % theirs);
        let ranked = self.ranked();
        let mut units = Both::new(ranked.rest[rest as usize], ranked.two[two as usize]);
        if front > 0 {
            units.one = units.one.with_highest(u8::try_from(front - 1).expect("the line is short"));
        }
        let state = Field { units, to_move };
        self.is_whole(&state).then_some(state)
    }
}

impl FieldIndex {
    /// A game ends when one unit stands on the enemy base: there are never two, nor one of the mover's.
    fn is_whole(&self, state: &Field) -> bool {
        let Both { one, two } = state.units.as_ref().map(Units::places);
        let (last, first) = (self.line.last, self.line.first);
        let ended = match (one, two) {
            ([.., second, front], _) if *front == last => Some((Side::One, *second == last)),
            ([front], _) if *front == last => Some((Side::One, false)),
            (_, [front, second, ..]) if *front == first => Some((Side::Two, *second == first)),
            (_, [front]) if *front == first => Some((Side::Two, false)),
            _ => None,
        };
        ended.is_none_or(|(winner, twice)| !twice && winner != state.to_move)
    }
}

fn narrow(rank: u64) -> u32 {
    u32::try_from(rank).expect("a part of an index that fits into 32 bits")
}

/// Pascal's triangle, capped where numbers are too large to be used as indices anyway. Rows and columns are
/// powers of two, so that looking up a number is quick.
struct Binomials(Vec<[u32; Self::ROWS]>);

impl Binomials {
    const ROWS: usize = 512;
    const COLUMNS: usize = 16;

    fn new() -> Self {
        let mut columns = vec![[1_u32; Self::ROWS]];
        for column in 1..Self::COLUMNS {
            let mut numbers = [0_u32; Self::ROWS];
            for row in 1..Self::ROWS {
                numbers[row] = numbers[row - 1].saturating_add(columns[column - 1][row - 1]);
            }
            columns.push(numbers);
        }
        Self(columns)
    }

    /// The number of ways to choose `few` of `many`.
    fn of(&self, many: usize, few: usize) -> u32 {
        self.0[few % Self::COLUMNS][many % Self::ROWS]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalogued;
    use crate::game::Game;
    use crate::games::command_line_conquer::CommandLineConquer;
    use crate::graph::{MOST_NODES, reachable};
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
