//! Tests that long computations can be cancelled at every check without leaving traces.

mod toy;

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use skirmish_rules::{GAMES, Settings, Side, SurveyError};
use skirmish_solver::pressure::Pressures;
use skirmish_solver::recursive::{Recursive, Unsettled};
use skirmish_solver::retrograde::{self, Unproven, Unsolved};
use skirmish_solver::{Cancelled, Unwatched, Watch};

/// Repeats the work, cancelled at its first check, its second and so on, until it completes. Returns the number of
/// checks.
fn cancelled_everywhere<T, E: PartialEq + std::fmt::Debug>(
    cancelled: &E,
    work: impl Fn(&dyn Watch) -> Result<T, E> + Sync,
) -> usize {
    for most in 0.. {
        let looks = AtomicUsize::new(0);
        let watch = |_positions: u64| {
            if looks.fetch_add(1, Relaxed) >= most {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        match work(&watch) {
            Ok(_) => return most,
            Err(error) => assert_eq!(error, *cancelled, "cancelled after {most} checks"),
        }
    }
    unreachable!("the work completes eventually")
}

#[test]
fn solving_and_checking_games_of_turns_can_be_cancelled_anywhere() {
    // Use one thread, so that the number of checks is deterministic.
    let alone = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    alone.install(|| {
        let toy = toy::random(3, 200, 1);
        let solution = retrograde::solve(&toy, &Unwatched).expect("nobody cancels");
        let unsolved = Unsolved::Cancelled(Cancelled);
        let solving = cancelled_everywhere(&unsolved, |watch| retrograde::solve(&toy, watch));
        let telling =
            cancelled_everywhere(&unsolved, |watch| Pressures::of(&toy, &solution, watch));
        let checking = cancelled_everywhere(&Unproven::Cancelled(Cancelled), |watch| {
            solution.verify(&toy, watch)
        });
        assert!(solving > 10 && telling > 5 && checking == 1, "{solving} {telling} {checking}");
    });
}

#[test]
fn solving_simultaneous_games_can_be_cancelled_anywhere() {
    let entry = GAMES.find("command-clash").expect("the game exists");
    let settings = Settings::parse(entry.options, ["points=1"]).expect("in range");
    let graph = entry.survey(&settings, Side::One, 1_000, &Unwatched).expect("a small game");
    let game = Recursive::of(&*graph);
    let solving = cancelled_everywhere(&Unsettled::Cancelled(Cancelled), |watch| game.solve(watch));
    let solution = game.solve(&Unwatched).expect("the bounds converge");
    let judging =
        cancelled_everywhere(&Cancelled, |watch| game.judge(solution.mixes.clone(), watch));
    assert!(solving > 20 && judging > 4, "{solving} {judging}");
}

#[test]
fn exploring_from_a_position_can_be_cancelled() {
    let entry = GAMES.find("command-line-conquer").expect("the game exists");
    let settings = Settings::defaults(entry.options);
    let start = entry.open(entry.setup()).expect("a table").position();
    let cancelled = AtomicBool::new(true);
    let explored = entry.explore(&settings, &start, 1_000_000, &cancelled);
    assert!(matches!(explored, Err(SurveyError::Cancelled(Cancelled))));
    cancelled.store(false, Relaxed);
    assert!(entry.explore(&settings, &start, 1_000_000, &cancelled).is_ok());
}
