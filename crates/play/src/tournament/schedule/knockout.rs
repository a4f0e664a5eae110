//! Knockout: winners advance in a bracket that keeps the best seeds apart.

use super::{Encounter, FinishedEncounter};

/// Returns the number of rounds that reduce the bracket to one entrant by halving it.
pub(super) const fn rounds(entrants: usize) -> usize {
    entrants.next_power_of_two().ilog2() as usize
}

/// Returns the encounters of the next round; the better seed has the first seat.
pub(super) fn round(entrants: usize, finished: &[Vec<FinishedEncounter>]) -> Vec<Encounter> {
    let bracket =
        finished.iter().fold(first_bracket(entrants), |bracket, results| after(&bracket, results));
    let encounters = bracket.chunks_exact(2).filter_map(|pair| {
        let (first, second) = (pair[0]?, pair[1]?);
        Some(Encounter { one: first.min(second), two: first.max(second) })
    });
    encounters.collect()
}

/// Groups the entrants by place: those still playing, then those eliminated in the last round, back to the first round.
pub(super) fn places(entrants: usize, finished: &[Vec<FinishedEncounter>]) -> Vec<Vec<usize>> {
    let mut places = Vec::new();
    let mut bracket = first_bracket(entrants);
    for results in finished {
        let next = after(&bracket, results);
        places.push(by_seed(bracket.into_iter().filter(|place| !next.contains(place))));
        bracket = next;
    }
    places.push(by_seed(bracket.into_iter()));
    places.reverse();
    places
}

fn by_seed(some: impl Iterator<Item = Option<usize>>) -> Vec<usize> {
    let mut some: Vec<usize> = some.flatten().collect();
    some.sort_unstable();
    some
}

/// Returns the bracket of the first round: neighbours meet, and an entrant next to an empty place has a bye. Each time
/// the bracket doubles, every seed gets a neighbour such that all sums are equal: 1 v 8, 4 v 5, 2 v 7, 3 v 6. The empty
/// places are therefore next to the best seeds.
fn first_bracket(entrants: usize) -> Vec<Option<usize>> {
    let mut seeds = vec![0];
    while seeds.len() < entrants {
        let last = seeds.len() * 2 - 1;
        seeds = seeds.into_iter().flat_map(|seed| [seed, last - seed]).collect();
    }
    seeds.into_iter().map(|seed| (seed < entrants).then_some(seed)).collect()
}

/// Returns the bracket of the next round.
fn after(bracket: &[Option<usize>], results: &[FinishedEncounter]) -> Vec<Option<usize>> {
    let winners = bracket.chunks_exact(2).map(|pair| match (pair[0], pair[1]) {
        (Some(first), Some(second)) => Some(winner(first, second, results)),
        (alone, nobody) => alone.or(nobody),
    });
    winners.collect()
}

/// Returns the entrant who advances: the winner, or the better seed if the encounter is tied.
fn winner(first: usize, second: usize, results: &[FinishedEncounter]) -> usize {
    let result = results.iter().find(|result| result.encounter.is_between(first, second));
    result.and_then(FinishedEncounter::winner).unwrap_or(first.min(second))
}
