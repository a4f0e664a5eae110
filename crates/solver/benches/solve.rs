//! Measures how fast whole games are solved, including enumeration.
//!
//! `cargo bench -p skirmish-solver` prints the time for the default games together. Then, for boards of Command Line
//! Conquer from thousands to tens of millions of positions, it prints the positions solved per second on one core and
//! on all cores. The fastest of several runs counts, because slower ones mostly measure other load on the machine. To
//! choose boards, name them after `--`, as in `-- "positions=13 units=4"`.

use std::time::{Duration, Instant};

use skirmish_rules::graph::MOST_NODES;
use skirmish_rules::{Entry, GAMES, Settings, Side, Tempo, Unwatched};
use skirmish_solver::recursive::Recursive;
use skirmish_solver::retrograde;

/// Boards of Command Line Conquer, from small to large.
const BOARDS: [&str; 6] = [
    "positions=11 units=3",
    "positions=13 units=4",
    "positions=15 units=4",
    "positions=15 units=5",
    "positions=17 units=5",
    "positions=19 units=5",
];

fn main() {
    let named: Vec<String> =
        std::env::args().skip(1).filter(|argument| argument.contains('=')).collect();
    if named.is_empty() {
        let (positions, time) = fastest(|| GAMES.iter().map(|entry| solve(entry, "")).sum());
        let time = time.as_secs_f64() * 1000.0;
        println!("the default games, {positions} positions: {time:.1} ms\n");
    }
    println!(
        "{:<24} {:>11} {:>6} {:>9} {:>12}",
        "board", "positions", "cores", "seconds", "positions/s"
    );
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let boards = if named.is_empty() { BOARDS.map(str::to_owned).to_vec() } else { named };
    for board in boards {
        for cores in [1, cores] {
            measure(&board, cores);
        }
    }
}

fn measure(board: &str, cores: usize) {
    let entry = GAMES.find("command-line-conquer").expect("the game exists");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(cores).build().expect("threads");
    let (positions, time) = fastest(|| pool.install(|| solve(entry, board)));
    let rate = u128::from(positions) * 1_000_000 / time.as_micros().max(1);
    println!("{board:<24} {positions:>11} {cores:>6} {:>9.3} {rate:>12}", time.as_secs_f64());
}

/// The number of runs per board, unless the time runs out.
const RUNS: usize = 9;

/// No further run starts once this much time has passed.
const ENOUGH: Duration = Duration::from_secs(20);

/// The result and the shortest time of several runs.
fn fastest(run: impl Fn() -> u64) -> (u64, Duration) {
    let begun = Instant::now();
    let mut best = (0, Duration::MAX);
    for _ in 0..RUNS {
        let start = Instant::now();
        let result = run();
        best = (result, best.1.min(start.elapsed()));
        if begun.elapsed() > ENOUGH {
            break;
        }
    }
    best
}

/// Solves a game and returns the number of reachable positions.
fn solve(entry: &Entry, rules: &str) -> u64 {
    let settings =
        Settings::parse(entry.options, rules.split_whitespace()).expect("options in range");
    let graph =
        entry.survey(&settings, Side::One, MOST_NODES, &Unwatched).expect("few enough positions");
    if graph.tempo() == Tempo::Simultaneous {
        let solution = Recursive::of(&*graph).solve(&Unwatched).expect("the bounds converge");
        return solution.mixes.rows.len() as u64;
    }
    retrograde::solve(&*graph, &Unwatched).expect("nobody cancels").reached().count() as u64
}
