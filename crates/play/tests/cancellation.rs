//! Long computations can be cancelled at every check, and complete when repeated.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use skirmish_play::player::{Level, Policy, best_against, versus};
use skirmish_play::{Budget, Solved};
use skirmish_rules::{Both, Cancelled, GAMES, Side, Unwatched, Watch};

/// Repeats the work, cancelled at its first check, then at later checks in growing steps, until it completes. Returns
/// the approximate number of checks.
fn cancelled_everywhere(work: impl Fn(&dyn Watch) -> Result<(), Cancelled>) -> usize {
    let steps = std::iter::successors(Some(0), |most| Some(most + 1 + most / 4));
    for most in steps {
        let looks = AtomicUsize::new(0);
        let watch = |_positions: u64| match looks.fetch_add(1, Relaxed) {
            look if look < most => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        };
        if work(&watch).is_ok() {
            return most;
        }
    }
    unreachable!("the work completes eventually")
}

fn solved(game: &str) -> Arc<Solved> {
    let entry = GAMES.find(game).expect("the game exists");
    let budget = Budget { bytes: 1 << 30 };
    let solved = Solved::of(entry, &entry.setup().settings, Side::One, budget, &Unwatched);
    Arc::new(solved.expect("a small game"))
}

#[test]
fn cancelled_work_completes_next_time() {
    for game in ["capture-and-conquer", "command-clash"] {
        let (tried, plain) = (solved(game), solved(game));
        let values = tried.bytes();
        assert!(cancelled_everywhere(|watch| tried.prepare_players(watch)) > 10, "{game}");
        assert!(tried.bytes() > values, "{game}: complete results are kept");
        plain.prepare_players(&Unwatched).expect("nobody cancels");
        let policies = [&tried, &plain].map(|of| Policy::new(Level::Expert, Arc::clone(of)));
        for node in plain.reached().iter() {
            for side in Side::ALL {
                let shares = policies.each_ref().map(|policy| policy.shares(node, side));
                assert_eq!(shares[0], shares[1], "{game}: {node}");
            }
        }
        let looks = cancelled_everywhere(|watch| tried.prepare_pressures(watch));
        assert_eq!(looks > 5, game == "capture-and-conquer", "{game}: {looks}");
        plain.prepare_pressures(&Unwatched).expect("nobody cancels");
        for node in plain.reached().iter() {
            assert_eq!(tried.pressure(node), plain.pressure(node), "{game}: {node}");
        }
    }
}

#[test]
fn games_between_levels_can_be_cancelled() {
    let solved = solved("base-battle");
    solved.prepare_players(&Unwatched).expect("nobody cancels");
    let policy = Policy::new(Level::Casual, Arc::clone(&solved));
    let players = Both::new(&policy, &policy);
    assert!(cancelled_everywhere(|watch| versus(&solved, players, 20, watch).map(drop)) > 20);
    let best = |watch: &dyn Watch| best_against(&solved, &policy, Side::One, 20, watch).map(drop);
    assert!(cancelled_everywhere(best) > 20);
}
