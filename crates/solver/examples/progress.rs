//! Solves a board while it counts the positions, and gives up when there are too many.
//!
//! `cargo run --release -p skirmish-solver --example progress -- positions=13 units=4`

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use skirmish_rules::{GAMES, Settings, Side};
use skirmish_solver::Unwatched;
use skirmish_solver::retrograde::{self, Unsolved};

/// Give up beyond so many positions.
const ENOUGH: u64 = 50_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let game = GAMES.find("command-line-conquer").expect("it is in the catalogue");
    let rules: Vec<String> = std::env::args().skip(1).collect();
    let settings = Settings::parse(game.options, rules.iter().map(String::as_str))?;
    let graph = game.survey(&settings, Side::One, u64::MAX, &Unwatched)?;

    let expanded = AtomicU64::new(0);
    let watch = |positions: u64| {
        if expanded.fetch_add(positions, Relaxed) + positions > ENOUGH {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    match retrograde::solve(&*graph, &watch) {
        Ok(solution) => {
            let (positions, value) = (solution.reached().count(), solution.value(graph.start()));
            println!("{positions} positions; the start is worth {value:?} to whoever moves");
        }
        Err(Unsolved::Cancelled(_)) => println!("more than {ENOUGH} positions: given up"),
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
