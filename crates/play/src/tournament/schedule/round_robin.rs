//! Round-robin by the circle method.

use super::{Encounter, MOST_CYCLES, ScheduleError};

/// Returns the number of rounds for this many cycles, by default one cycle.
pub(super) fn rounds(entrants: usize, cycles: Option<u32>) -> Result<usize, ScheduleError> {
    let cycles = cycles.unwrap_or(1);
    if !(1..=MOST_CYCLES).contains(&cycles) {
        return Err(ScheduleError::Cycles(cycles));
    }
    Ok(cycles as usize * rounds_of_a_cycle(entrants))
}

/// Returns the encounters of a round. All entrants but one sit around a circle that turns by one place each round.
/// Those opposite each other meet, and the remaining one meets the one in the middle. With an odd number of entrants,
/// the middle is empty.
pub(super) fn round(entrants: usize, round: usize) -> Vec<Encounter> {
    let circle = rounds_of_a_cycle(entrants);
    let (cycle, turn) = (round / circle, round % circle);
    let middle = (circle < entrants).then(|| seated(turn, circle, cycle));
    let opposites = (1..=circle / 2).map(|distance| {
        seated((turn + distance) % circle, (turn + circle - distance) % circle, cycle)
    });
    middle.into_iter().chain(opposites).collect()
}

/// Returns the number of rounds of a cycle: one per place on the circle.
const fn rounds_of_a_cycle(entrants: usize) -> usize {
    if entrants.is_multiple_of(2) { entrants - 1 } else { entrants }
}

/// Assigns the seats. The better seed gets the first seat if the two numbers differ by an odd number, so everyone has
/// the first seat in half of the encounters, give or take a half. The next cycle swaps the seats.
const fn seated(first: usize, second: usize, cycle: usize) -> Encounter {
    let (better, worse) = if first < second { (first, second) } else { (second, first) };
    if (worse - better + cycle).is_multiple_of(2) {
        Encounter { one: worse, two: better }
    } else {
        Encounter { one: better, two: worse }
    }
}
