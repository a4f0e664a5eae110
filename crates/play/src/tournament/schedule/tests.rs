//! Properties of all formats, for many numbers of entrants and random results.

use std::collections::HashSet;

use skirmish_rules::{Both, Side};

use super::*;
use crate::chance::Chance;

const NUMBERS: std::ops::RangeInclusive<usize> = 2..=33;
const SEEDS: std::ops::Range<u64> = 0..5;
/// The half points at stake in an encounter of four games.
const AT_STAKE: u32 = 8;

type Rounds = Vec<Vec<FinishedEncounter>>;

fn schedule(format: Format, entrants: usize) -> Schedule {
    Schedule::new(format, entrants, None).expect("every number of entrants is allowed")
}

/// Returns the Swiss schedule with the most rounds.
fn longest_swiss(entrants: usize) -> Schedule {
    let Err(ScheduleError::SwissRounds { most, .. }) =
        Schedule::new(Format::Swiss, entrants, Some(u32::MAX))
    else {
        panic!("nobody can play forever");
    };
    let most = u32::try_from(most).expect("it is small");
    Schedule::new(Format::Swiss, entrants, Some(most)).expect("the maximum is possible")
}

/// Plays all rounds, with results from a function of the round number and the encounter.
fn play(schedule: &Schedule, mut result: impl FnMut(usize, Encounter) -> Both<u32>) -> Rounds {
    let mut finished: Rounds = Vec::new();
    while let Some(round) = schedule.round(&finished) {
        let number = finished.len();
        let results = round.into_iter().map(|encounter| {
            let half_points = result(number, encounter);
            FinishedEncounter { encounter, half_points }
        });
        finished.push(results.collect());
    }
    finished
}

/// Plays all rounds with random results, including draws.
fn play_by_chance(schedule: &Schedule, seed: u64) -> Rounds {
    play(schedule, |round, encounter| {
        let number = u32::try_from(round).expect("there are few rounds");
        let roll = Chance::from_seed(seed).roll(number, encounter.one, 0, Side::One);
        let one = match roll {
            ..0.3 => AT_STAKE,
            ..0.5 => AT_STAKE / 2,
            ..0.7 => AT_STAKE / 2 + 1,
            _ => 0,
        };
        Both::new(one, AT_STAKE - one)
    })
}

/// Checks a property for every format, number of entrants and seed.
fn always(law: impl Fn(&Schedule, &Rounds)) {
    for entrants in NUMBERS {
        for seed in SEEDS {
            for format in Format::ALL {
                let schedule = schedule(format, entrants);
                law(&schedule, &play_by_chance(&schedule, seed));
            }
            let schedule = longest_swiss(entrants);
            law(&schedule, &play_by_chance(&schedule, seed));
        }
    }
}

/// Returns who met whom, the better seed first.
fn meetings(finished: &[Vec<FinishedEncounter>]) -> Vec<(usize, usize)> {
    let pair = |it: &FinishedEncounter| {
        let Encounter { one, two } = it.encounter;
        (one.min(two), one.max(two))
    };
    finished.iter().flatten().map(pair).collect()
}

fn first_seats(finished: &[Vec<FinishedEncounter>], entrant: usize) -> usize {
    finished.iter().flatten().filter(|it| it.encounter.one == entrant).count()
}

fn plays(results: &[FinishedEncounter], entrant: usize) -> bool {
    results.iter().any(|it| it.encounter.one == entrant || it.encounter.two == entrant)
}

#[test]
fn the_numbers_of_rounds_and_encounters_are_right() {
    always(|schedule, finished| {
        assert_eq!(finished.len(), schedule.rounds(), "{schedule:?}");
        assert_eq!(meetings(finished).len(), schedule.encounters(), "{schedule:?}");
        assert!(finished.iter().all(|results| !results.is_empty()), "{schedule:?}");
    });
}

#[test]
fn nobody_plays_twice_in_a_round() {
    always(|schedule, finished| {
        for results in finished {
            let all = results.iter().flat_map(|it| [it.encounter.one, it.encounter.two]);
            let distinct: HashSet<usize> = all.collect();
            assert_eq!(distinct.len(), results.len() * 2, "{schedule:?}");
            assert!(distinct.iter().all(|&it| it < schedule.entrants()), "{schedule:?}");
        }
    });
}

#[test]
fn a_resumed_tournament_continues_as_it_would_have() {
    always(|schedule, finished| {
        for (number, results) in finished.iter().enumerate() {
            let again = schedule.round(&finished[..number]).expect("it has been played");
            let played: Vec<Encounter> = results.iter().map(|it| it.encounter).collect();
            assert_eq!(again, played, "{schedule:?}");
        }
    });
}

#[test]
fn the_order_of_the_results_in_a_round_does_not_matter() {
    always(|schedule, finished| {
        let mut turned = finished.clone();
        for results in &mut turned {
            results.reverse();
        }
        let last = finished.len() - 1;
        assert_eq!(schedule.round(&turned[..last]), schedule.round(&finished[..last]));
        assert_eq!(schedule.half_points(&turned), schedule.half_points(finished));
        assert_eq!(schedule.places(&turned), schedule.places(finished));
    });
}

#[test]
fn in_a_round_robin_everyone_meets_everyone_once_per_cycle() {
    for entrants in NUMBERS {
        for cycles in 1..=3 {
            let schedule = Schedule::new(Format::RoundRobin, entrants, Some(cycles)).unwrap();
            let finished = play_by_chance(&schedule, 1);
            for cycle in finished.chunks_exact(schedule.rounds() / cycles as usize) {
                let mut met = meetings(cycle);
                met.sort_unstable();
                let all =
                    (0..entrants).flat_map(|one| (one + 1..entrants).map(move |two| (one, two)));
                assert!(met.into_iter().eq(all), "{entrants} entrants");
            }
        }
    }
}

#[test]
fn in_a_round_robin_everyone_has_the_first_seat_half_the_time() {
    for entrants in NUMBERS {
        for cycles in 1..=4 {
            let schedule = Schedule::new(Format::RoundRobin, entrants, Some(cycles)).unwrap();
            let finished = play_by_chance(&schedule, 1);
            let each = cycles as usize * (entrants - 1);
            for entrant in 0..entrants {
                let twice = first_seats(&finished, entrant) * 2;
                assert!(twice.abs_diff(each) <= each % 2, "{entrant} of {entrants}: {twice}");
            }
        }
    }
}

#[test]
fn in_a_gauntlet_the_first_entrant_meets_each_of_the_others() {
    for entrants in NUMBERS {
        let finished = play_by_chance(&schedule(Format::Gauntlet, entrants), 1);
        assert!(meetings(&finished).into_iter().eq((1..entrants).map(|other| (0, other))));
        assert_eq!(first_seats(&finished, 0), entrants / 2);
    }
}

#[test]
fn a_knockout_ends_with_one_winner_and_everyone_else_has_lost_once() {
    for entrants in NUMBERS {
        for seed in SEEDS {
            let schedule = schedule(Format::Knockout, entrants);
            let finished = play_by_chance(&schedule, seed);
            let places = schedule.places(&finished).expect("a knockout has places");
            assert_eq!(places.len(), schedule.rounds() + 1);
            assert_eq!((places[0].len(), places[1].len()), (1, 1));
            let mut all = places.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..entrants));
            let last = finished.last().expect("there is a final")[0];
            let winner = last.winner().unwrap_or(last.encounter.one);
            assert_eq!(places[0], [winner]);
        }
    }
}

#[test]
fn in_a_knockout_the_favourites_meet_as_late_as_possible() {
    let finished = play(&schedule(Format::Knockout, 8), |_, _| Both::new(2, 0));
    assert_eq!(meetings(&finished), [(0, 7), (3, 4), (1, 6), (2, 5), (0, 3), (1, 2), (0, 1)]);
}

#[test]
fn in_a_knockout_the_best_seeds_have_the_byes() {
    for entrants in NUMBERS {
        let first = schedule(Format::Knockout, entrants).round(&[]).expect("it begins");
        let byes = entrants.next_power_of_two() - entrants;
        assert!(first.iter().all(|it| it.one >= byes && it.two >= byes), "{entrants} entrants");
        assert_eq!(first.len() * 2 + byes, entrants);
    }
}

#[test]
fn in_a_knockout_the_better_seed_advances_from_a_level_encounter() {
    let schedule = schedule(Format::Knockout, 4);
    let level = play(&schedule, |_, _| Both::new(2, 2));
    assert_eq!(schedule.places(&level), Some(vec![vec![0], vec![1], vec![2, 3]]));
    assert_eq!(schedule.places(&level[..1]), Some(vec![vec![0, 1], vec![2, 3]]));
    let only_knockouts: Vec<bool> = Format::ALL.into_iter().map(Format::needs_winners).collect();
    assert_eq!(only_knockouts, [false, false, true, false]);
}

#[test]
fn in_a_swiss_tournament_nobody_meets_twice_and_nobody_has_two_byes() {
    always(|schedule, finished| {
        if schedule.format() != Format::Swiss {
            return;
        }
        let met = meetings(finished);
        assert_eq!(met.iter().collect::<HashSet<_>>().len(), met.len(), "{schedule:?}");
        for entrant in 0..schedule.entrants() {
            let byes = finished.iter().filter(|results| !plays(results, entrant)).count();
            assert!(byes <= schedule.entrants() % 2, "{schedule:?}: {entrant} has {byes} byes");
        }
    });
}

#[test]
fn small_swiss_tournaments_can_be_paired_whatever_the_results() {
    // Each digit of a number is one result, so that every combination occurs.
    for entrants in 2..=6 {
        let schedule = longest_swiss(entrants);
        for code in 0..3_u32.pow(u32::try_from(schedule.encounters()).unwrap()) {
            let mut digits = code;
            let finished = play(&schedule, |_, _| {
                let one = digits % 3;
                digits /= 3;
                Both::new(one, 2 - one)
            });
            let met = meetings(&finished);
            assert_eq!(met.iter().collect::<HashSet<_>>().len(), schedule.encounters());
        }
    }
}

#[test]
fn a_bye_goes_to_the_last_without_one_and_counts_as_a_won_encounter() {
    // With fewer entrants, the last entrant may have to play so that the others find new opponents.
    for entrants in NUMBERS.filter(|entrants| *entrants >= 9 && entrants % 2 == 1) {
        for seed in SEEDS {
            let schedule = schedule(Format::Swiss, entrants);
            let finished = play_by_chance(&schedule, seed);
            for number in 0..finished.len() {
                let (before, results) = (&finished[..number], &finished[number]);
                let points = schedule.half_points(before);
                let rests = (0..entrants).find(|&it| !plays(results, it)).expect("one rests");
                let had_none = |entrant: &usize| before.iter().all(|it| plays(it, *entrant));
                let last = (0..entrants).rev().filter(had_none).min_by_key(|&it| points[it]);
                assert_eq!(Some(rests), last, "{entrants} entrants, seed {seed}");
                let after = schedule.half_points(&finished[..=number]);
                assert_eq!(after[rests], points[rests] + AT_STAKE);
            }
        }
    }
}

#[test]
fn in_a_swiss_tournament_first_seats_are_balanced() {
    for entrants in NUMBERS {
        let finished = play_by_chance(&longest_swiss(entrants), 1);
        for number in 0..finished.len() {
            let before = &finished[..number];
            for Encounter { one, two } in finished[number].iter().map(|it| it.encounter) {
                assert!(first_seats(before, one) <= first_seats(before, two));
            }
        }
    }
}

#[test]
fn in_a_swiss_tournament_entrants_with_equal_points_meet() {
    let rounds = favourites_win(8);
    assert_eq!(rounds[0], [(0, 4), (1, 5), (2, 6), (3, 7)]);
    assert_eq!(rounds[1], [(0, 2), (1, 3), (4, 6), (5, 7)]);
    assert_eq!(rounds[2], [(0, 1), (2, 4), (3, 5), (6, 7)]);
}

#[test]
fn in_a_swiss_tournament_the_last_of_an_odd_number_meets_the_best_of_those_below() {
    let rounds = favourites_win(6);
    assert_eq!(rounds[0], [(0, 3), (1, 4), (2, 5)]);
    assert_eq!(rounds[1], [(0, 1), (2, 3), (4, 5)]);
}

/// Returns the encounters of a Swiss tournament in which the favourites always win.
fn favourites_win(entrants: usize) -> Vec<Vec<(usize, usize)>> {
    let better_seed_wins = |_, Encounter { one, two }| {
        if one < two { Both::new(2, 0) } else { Both::new(0, 2) }
    };
    let finished = play(&schedule(Format::Swiss, entrants), better_seed_wins);
    finished.into_iter().map(|results| meetings(&[results])).collect()
}

#[test]
fn a_long_swiss_tournament_of_two_hundred_can_be_paired() {
    let schedule = longest_swiss(200);
    let met = meetings(&play_by_chance(&schedule, 1));
    assert_eq!((schedule.rounds(), met.len()), (101, 10_100));
    assert_eq!(met.iter().collect::<HashSet<_>>().len(), met.len());
}

#[test]
fn a_swiss_tournament_has_three_rounds_or_as_many_as_a_knockout() {
    let rounds = |entrants| schedule(Format::Swiss, entrants).rounds();
    assert_eq!([2, 3, 4, 8, 9, 16, 17, 1_000].map(rounds), [1, 3, 3, 3, 4, 4, 5, 10]);
}

#[test]
fn errors_name_what_is_possible() {
    let refusal = |format, entrants, rounds| {
        Schedule::new(format, entrants, rounds).expect_err("it is refused").to_string()
    };
    assert_eq!(refusal(Format::Swiss, 1, None), "a tournament needs at least 2 entrants, not 1");
    assert_eq!(
        refusal(Format::Gauntlet, 1_001, None),
        "a tournament can have at most 1000 entrants, not 1001"
    );
    assert_eq!(
        refusal(Format::Knockout, 9, Some(4)),
        "a knockout of 9 entrants always has 4 rounds: omit the number of rounds"
    );
    assert_eq!(
        refusal(Format::Gauntlet, 2, Some(1)),
        "a gauntlet of 2 entrants always has 1 round: omit the number of rounds"
    );
    assert_eq!(
        refusal(Format::RoundRobin, 4, Some(0)),
        "in a round-robin everybody can meet everybody from 1 to 1000 times, not 0"
    );
    assert_eq!(
        refusal(Format::Swiss, 9, Some(6)),
        "a Swiss tournament of 9 entrants can have 1 to 5 rounds, not 6: in more, some might have to meet twice"
    );
    assert_eq!(
        refusal(Format::Swiss, 2, Some(0)),
        "a Swiss tournament of 2 entrants can have 1 round, not 0: in more, some might have to meet twice"
    );
}

#[test]
fn every_format_is_found_by_its_name() {
    for format in Format::ALL {
        assert_eq!(Format::named(&format.name().to_uppercase()), Some(format));
    }
    assert_eq!(Format::named("league"), None);
}
