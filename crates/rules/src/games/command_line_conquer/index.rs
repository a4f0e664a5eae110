//! A dense numbering of battlefields.
//!
//! Units never pass an enemy without a battle, so in play every unit of Player 1 stands below every unit of
//! Player 2. The numbering covers just those battlefields: by Player 1's foremost unit, then by the rest of
//! Player 1's units, then by Player 2's, which have so much less room; each by how many there are and then by
//! their rank.

use std::sync::OnceLock;

use super::{Field, Units};
use crate::graph::Index;
use crate::line::Line;
use crate::side::{Both, Side};

pub(super) struct FieldIndex {
    /// The steps from base to base.
    span: u8,
    max_units: u8,
    /// How many lists of fewer than so many units there are, with so many places to stand on.
    shorter: Vec<Vec<u64>>,
    /// Of the battlefields without a unit of Player 1, and of those whose foremost unit of Player 1 has gone 0,
    /// 1 and more steps: how many come before, and how many ways Player 2's units can stand.
    fronts: Vec<(u64, u64)>,
    /// How many there are for each side to move.
    half: u64,
    /// Lists of units by their length and rank; worked out when a position is first asked for.
    ranked: OnceLock<Vec<Vec<Units>>>,
}

impl FieldIndex {
    pub(super) fn new(line: Line, max_units: u8) -> Self {
        let span = line.last - line.first;
        let places = usize::from(span) + 1;
        let shorter: Vec<Vec<u64>> =
            (0..=places).map(|places| shorter(places as u64, usize::from(max_units))).collect();
        let all = |places: usize, most: usize| shorter[places][most + 1];
        let mut fronts = Vec::with_capacity(places + 1);
        let mut half = 0_u64;
        for front in 0..=places {
            let rest = if front == 0 { 1 } else { all(front, usize::from(max_units) - 1) };
            let theirs = all(places - front, usize::from(max_units));
            fronts.push((half, theirs));
            half = half.saturating_add(rest.saturating_mul(theirs));
        }
        Self { span, max_units, shorter, fronts, half, ranked: OnceLock::new() }
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

    /// The units of a number among all lists of at most so many that have so many places to stand on.
    #[inline]
    fn units(&self, most: u8, places: usize, number: u64) -> Units {
        let shorter = &self.shorter[places];
        // Most lists are of the greatest length.
        let mut length = usize::from(most);
        while shorter[length] > number {
            length -= 1;
        }
        self.ranked()[length][at(number - shorter[length])]
    }
}

impl Index<Field> for FieldIndex {
    fn size(&self) -> u64 {
        self.half.saturating_mul(2)
    }

    fn of(&self, state: &Field) -> Option<u32> {
        let Both { one, two } = &state.units;
        let (front, rest) = match one.foremost() {
            Some(foremost) => {
                let (front, length) = (usize::from(foremost) + 1, usize::from(one.count()) - 1);
                (front, self.shorter[front][length] + u64::from(one.rank_behind(foremost)))
            }
            None => (0, 0),
        };
        let room = usize::from(self.span) + 1 - front;
        if two.foremost().is_some_and(|foremost| usize::from(foremost) >= room) {
            return None;
        }
        let (before, theirs) = self.fronts[front];
        let two = self.shorter[room][usize::from(two.count())] + u64::from(two.rank());
        let side = match state.to_move {
            Side::One => 0,
            Side::Two => self.half,
        };
        u32::try_from(side + before + rest * theirs + two).ok()
    }

    fn state(&self, index: u32) -> Option<Field> {
        let mut index = u64::from(index);
        let to_move = if index < self.half { Side::One } else { Side::Two };
        if to_move == Side::Two {
            index -= self.half;
        }
        let front = self.fronts.partition_point(|&(before, _)| before <= index) - 1;
        let (before, theirs) = self.fronts[front];
        let (rest, two) = ((index - before) / theirs, (index - before) % theirs);
        let one = match u8::try_from(front).expect("the line is short").checked_sub(1) {
            Some(foremost) => self.units(self.max_units - 1, front, rest).with_foremost(foremost),
            None => Units::NONE,
        };
        let two = self.units(self.max_units, usize::from(self.span) + 1 - front, two);
        let state = Field { units: Both::new(one, two), to_move };
        self.is_whole(&state).then_some(state)
    }
}

impl FieldIndex {
    /// A game ends when one unit stands on the enemy base: there are never two, nor one of the mover's.
    fn is_whole(&self, state: &Field) -> bool {
        Side::ALL.into_iter().all(|side| {
            let units = state.units[side];
            let there = units.steps().rev().take_while(|&steps| steps == self.span).count();
            there == 0 || (there == 1 && side != state.to_move)
        })
    }
}

fn at(rank: u64) -> usize {
    usize::try_from(rank).expect("what is numbered fits into memory")
}

/// How many lists of fewer than 0, 1, 2 … units there are with so many places to stand on, up to those of at
/// most `most` units.
fn shorter(places: u64, most: usize) -> Vec<u64> {
    let mut totals = vec![0_u64];
    let mut lists = 1_u64;
    for length in 0..=most as u64 {
        totals.push(totals[totals.len() - 1].saturating_add(lists));
        // One unit more: every list of `length` + 1 of so many places, by the rule for multisets.
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
    use crate::settings::Settings;

    fn game(rules: &[&str]) -> CommandLineConquer {
        let settings = Settings::parse(CommandLineConquer::OPTIONS, rules.iter().copied());
        CommandLineConquer::with(&settings.expect("the options are in range"))
    }

    #[test]
    fn every_number_stands_for_one_battlefield() {
        for rules in [&[][..], &["positions=5", "units=1"], &["positions=3", "units=8"]] {
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
        let index = game(&["positions=255", "units=8"]).index().expect("the game has an index");
        assert!(index.size() > MOST_NODES);
    }
}
