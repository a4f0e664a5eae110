//! Solves a board, counting positions as it goes, and cancels if there are too many.
//!
//! `cargo run --release -p skirmish-solver --example progress -- positions=13 units=4`

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use skirmish_rules::{GAMES, Settings, Side};
use skirmish_solver::Unwatched;
use skirmish_solver::retrograde::{self, Unsolved};

/// The number of positions at which to cancel.
const MOST: u64 = 50_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = GAMES.find("command-line-conquer").expect("it is in the catalogue");
    let rules: Vec<String> = std::env::args().skip(1).collect();
    let settings = Settings::parse(game.options, rules.iter().map(String::as_str))?;
    let graph = game.survey(&settings, Side::One, u64::MAX, &Unwatched)?;

    let expanded = AtomicU64::new(0);
    let watch = |positions: u64| {
        if expanded.fetch_add(positions, Relaxed) + positions > MOST {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    match retrograde::solve(&*graph, &watch) {
        Ok(solution) => {
            let (positions, value) = (solution.reached().count(), solution.value(graph.start()));
            println!("{positions} positions; the value of the start is {value:?}");
        }
        Err(Unsolved::Cancelled(_)) => println!("more than {MOST} positions: cancelled"),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
