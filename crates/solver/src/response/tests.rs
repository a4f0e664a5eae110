//! Compares forecasts with closed formulas, and with all policies of small games.

use skirmish_rules::Unwatched;

use super::*;

fn goes(next: u32) -> Prospect {
    Prospect { next: vec![(next, 1.0)], ..Prospect::default() }
}

fn wins() -> Prospect {
    Prospect { win: 1.0, ..Prospect::default() }
}

fn loses() -> Prospect {
    Prospect { loss: 1.0, ..Prospect::default() }
}

fn process(states: Vec<Vec<Prospect>>) -> DecisionProcess {
    let mut process = DecisionProcess::default();
    for choices in states {
        process.add(choices);
    }
    process
}

fn forecasts(process: &DecisionProcess, state: u32) -> Vec<Forecast> {
    process.forecasts(state, &Unwatched).expect("nobody cancels, and the games are short")
}

fn sure(forecast: Forecast) -> (f64, f64, f64, Option<f64>) {
    (forecast.win, forecast.loss, forecast.draw, forecast.turns)
}

#[test]
fn wins_are_quick_and_losses_late() {
    let states = vec![vec![goes(1), wins()], vec![goes(0), wins()]];
    let found = forecasts(&process(states), 0);
    assert_eq!(sure(found[0]), (1.0, 0.0, 0.0, Some(2.0)));
    assert_eq!(sure(found[1]), (1.0, 0.0, 0.0, Some(1.0)));
    let states = vec![vec![loses(), goes(1)], vec![loses(), goes(2)], vec![loses()]];
    let found = forecasts(&process(states), 0);
    assert_eq!(sure(found[0]), (0.0, 1.0, 0.0, Some(1.0)));
    assert_eq!(sure(found[1]), (0.0, 1.0, 0.0, Some(3.0)));
}

#[test]
fn an_endless_game_is_a_draw_without_a_length() {
    let states = vec![vec![goes(1), loses()], vec![goes(0)]];
    let found = forecasts(&process(states), 0);
    assert_eq!(sure(found[0]), (0.0, 0.0, 1.0, None));
    assert_eq!(sure(found[1]), (0.0, 1.0, 0.0, Some(1.0)));
    let half = Prospect { next: vec![(1, 0.5)], win: 0.25, draw: 0.25, ..Prospect::default() };
    let found = forecasts(&process(vec![vec![half], vec![goes(1)]]), 0);
    assert_eq!(sure(found[0]), (0.25, 0.0, 0.75, None));
}

#[test]
fn a_drawn_end_has_a_length() {
    let half = Prospect { next: vec![(0, 0.5)], draw: 0.5, ..Prospect::default() };
    assert_eq!(sure(forecasts(&process(vec![vec![half]]), 0)[0]), (0.0, 0.0, 1.0, Some(2.0)));
}

/// In floating point, ten times 0.1 sums to less than 1.
#[test]
fn a_chance_that_is_sure_is_exactly_one() {
    let tenths = |target: u32| vec![(target, 0.1); 10];
    let first = Prospect { next: tenths(1), ..Prospect::default() };
    for (end, expected) in [(wins(), (1.0, 0.0)), (loses(), (0.0, 1.0))] {
        let found = forecasts(&process(vec![vec![first.clone()], vec![end]]), 0)[0];
        assert_eq!((found.win, found.loss, found.draw), (expected.0, expected.1, 0.0));
    }
}

/// A random walk between ruin at 0 and victory at `length`, with a choice between a good and a bad coin.
fn walk(length: u32) -> DecisionProcess {
    let step = |from: u32, up: f64| {
        let mut prospect = Prospect::default();
        for (to, chance) in [(from + 1, up), (from - 1, 1.0 - up)] {
            match to {
                0 => prospect.loss += chance,
                to if to == length => prospect.win += chance,
                to => prospect.next.push((to - 1, chance)),
            }
        }
        prospect
    };
    process((1..length).map(|from| vec![step(from, 0.4), step(from, 0.6)]).collect())
}

/// Both methods agree with the formulas for the gambler's ruin.
#[test]
fn the_gambler_s_ruin_is_known() {
    for length in [10, 100, 1500] {
        let process = walk(length);
        for from in [1, 2, 7] {
            let (odds, whole) = (0.4 / 0.6_f64, f64::from(length));
            let win = |from: f64| (1.0 - odds.powf(from)) / (1.0 - odds.powf(whole));
            let turns = |from: f64| (whole * win(from) - from) / 0.2;
            let (up, down) = (f64::from(from) + 1.0, f64::from(from) - 1.0);
            for (forecast, chance) in forecasts(&process, from - 1).into_iter().zip([0.4, 0.6]) {
                let expected = chance * win(up) + (1.0 - chance) * win(down);
                assert!((forecast.win - expected).abs() < 1e-9, "{length}, {from}: {forecast:?}");
                assert!((forecast.win + forecast.loss - 1.0).abs() < 1e-9, "{forecast:?}");
                let expected = 1.0 + chance * turns(up) + (1.0 - chance) * turns(down);
                let length = forecast.turns.expect("it ends");
                assert!((length - expected).abs() < 1e-6, "{length} is not {expected}");
            }
        }
    }
}

/// A small pseudo-random number generator.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        u32::try_from(self.0 >> 33).expect("31 bits") % limit
    }
}

const STATES: u32 = 4;
const CHOICES: u32 = 2;

fn any_prospect(numbers: &mut Numbers) -> Prospect {
    let mut prospect = Prospect::default();
    for _ in 0..4 {
        match numbers.below(16) {
            0 => prospect.win += 0.25,
            1 => prospect.loss += 0.25,
            2 => prospect.draw += 0.25,
            _ => prospect.next.push((numbers.below(STATES), 0.25)),
        }
    }
    prospect
}

/// The probabilities of winning and losing from state 0, and the number of turns, found by following a policy for many
/// turns.
fn played(states: &[Vec<Prospect>], first: usize, policy: u32) -> (f64, f64, f64) {
    let (mut win, mut loss, mut turns) = (0.0, 0.0, 0.0);
    let mut here = vec![0.0; states.len()];
    here[0] = 1.0;
    for turn in 0..2_000 {
        let mut next = vec![0.0; states.len()];
        for (state, choices) in states.iter().enumerate() {
            let usual = (policy >> state & 1) as usize;
            let prospect = &choices[if turn == 0 { first } else { usual }];
            win += here[state] * prospect.win;
            loss += here[state] * prospect.loss;
            turns += here[state];
            for &(to, chance) in &prospect.next {
                next[to as usize] += here[state] * chance;
            }
        }
        here = next;
    }
    (win, loss, turns)
}

#[test]
fn no_policy_of_a_small_game_is_better() {
    let mut numbers = Numbers(14);
    let (mut endless, mut drawn) = (0, 0);
    for _ in 0..300 {
        let states: Vec<Vec<Prospect>> = (0..STATES)
            .map(|_| (0..CHOICES).map(|_| any_prospect(&mut numbers)).collect())
            .collect();
        let process = process(states.clone());
        for (first, forecast) in forecasts(&process, 0).into_iter().enumerate() {
            let policies: Vec<(f64, f64, f64)> =
                (0..1 << STATES).map(|policy| played(&states, first, policy)).collect();
            let score = |(win, loss, _): (f64, f64, f64)| win - loss;
            let best = policies.iter().map(|&it| score(it)).fold(f64::NEG_INFINITY, f64::max);
            assert!((forecast.win - forecast.loss - best).abs() < 1e-6, "{forecast:?}, {best}");
            let total = forecast.win + forecast.loss + forecast.draw;
            assert!((total - 1.0).abs() < 1e-9, "{forecast:?}");
            // Some policy achieves exactly the forecast.
            let agrees = policies.iter().any(|&(win, loss, turns)| {
                let ends = forecast.turns.is_none_or(|expected| (turns - expected).abs() < 1e-6);
                (win - forecast.win).abs() + (loss - forecast.loss).abs() < 1e-6 && ends
            });
            assert!(agrees, "{forecast:?}");
            endless += u32::from(forecast.turns.is_none());
            drawn += u32::from(forecast.draw > 0.0);
        }
    }
    assert!(endless > 5 && drawn > 100, "all kinds are tried: {endless}, {drawn}");
}
