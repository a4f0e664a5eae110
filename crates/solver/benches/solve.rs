//! How fast whole games are solved: `cargo bench -p skirmish-solver`.
//!
//! Prints, for the default games together and for Command Line Conquer from thousands to tens of millions
//! of positions, the positions solved per second, enumeration included, on one core and on all.

use std::time::{Duration, Instant};

use skirmish_rules::graph::MOST_NODES;
use skirmish_rules::{GAMES, Settings, Side};
use skirmish_solver::retrograde;

/// Boards of Command Line Conquer, from small to large.
const BOARDS: [&str; 5] = [
    "positions=11 units=3",
    "positions=13 units=4",
    "positions=15 units=4",
    "positions=15 units=5",
    "positions=17 units=5",
];

fn main() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    println!(
        "{:<24} {:>12} {:>6} {:>10} {:>14}",
        "board", "positions", "cores", "seconds", "positions/s"
    );
    for board in BOARDS {
        for cores in [1, cores] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(cores).build().expect("threads");
            let (positions, time) = pool.install(|| solve("command-line-conquer", board));
            let rate = positions as f64 / time.as_secs_f64();
            println!(
                "{board:<24} {positions:>12} {cores:>6} {:>10.3} {rate:>14.0}",
                time.as_secs_f64()
            );
        }
    }
}

fn solve(game: &str, rules: &str) -> (usize, Duration) {
    let entry = GAMES.find(game).expect("the game exists");
    let settings =
        Settings::parse(entry.options, rules.split_whitespace()).expect("options in range");
    let begun = Instant::now();
    let graph = entry.survey(&settings, Side::One, MOST_NODES).expect("few enough positions");
    if std::env::var_os("PHASES").is_some() {
        let e = skirmish_solver::Edges::collect(&*graph, &|_| {});
        eprintln!("collect {:?} size {}", begun.elapsed(), graph.size());
        let t = Instant::now();
        let r = e.reachable(graph.start());
        eprintln!("reach {:?} {}", t.elapsed(), r.count());
    }
    let solution = retrograde::solve(&*graph, &|_| {});
    (solution.reached().count(), begun.elapsed())
}
