//! The overhead of the referee: turns per second between computer levels, and moves per second between minimal bots. Run
//! with `cargo bench -p skirmish-arena`.

use std::io::{BufRead, Write};
use std::time::{Duration, Instant};

use skirmish_arena::referee::Timing;
use skirmish_arena::tournament::{Cast, Entrant, Meeting, Progress, Tournament, run};
use skirmish_play::Budget;
use skirmish_play::library::{Library, Order};
use skirmish_play::tournament::schedule::Format;
use skirmish_rules::{Entry, GAMES, Settings, Unwatched};

/// Concurrent games, as on the smallest supported machine.
const JOBS: usize = 2;

/// The argument that makes this program act as a bot.
const AS_BOT: &str = "--as-bot";

fn main() {
    if std::env::args().any(|argument| argument == AS_BOT) {
        return bot();
    }
    println!("two games at once, fastest of {RUNS} runs (slowest)");
    for entry in GAMES.iter() {
        let rate = measure(entry, ["expert", "expert"], 20_000);
        println!("{:<22} {:>9} levels' turns/s ({})", entry.id, rate.0, rate.1);
    }
    let program = std::env::current_exe().expect("a running program has a file");
    let command = format!("json: {} {AS_BOT}", program.display());
    for entry in GAMES.iter() {
        let rate = measure(entry, [&command, &command], 200);
        println!("{:<22} {:>9} bots' moves/s ({})", entry.id, rate.0, rate.1);
    }
}

const RUNS: usize = 3;

/// Turns per second of the fastest run and of the slowest. In a simultaneous game, one turn is two moves.
fn measure(entry: &'static Entry, players: [&str; 2], games: u32) -> (u64, u64) {
    let tournament = Tournament {
        entry,
        settings: Settings::defaults(entry.options),
        format: Format::RoundRobin,
        rounds: None,
        entrants: Entrant::parse_all(players).expect("both can play"),
        pairs: games / 2,
        seed: 1,
        timing: Timing { per_move: Duration::from_secs(10), ..Timing::default() },
        max_turns: 200,
        opening: 2,
        sprt: None,
    };
    let budget = Budget { bytes: 1 << 30 };
    let solve = |order: Order| order.run(budget, &Unwatched);
    let mut library = Library::new(budget);
    let cast = Cast::prepare::<Box<dyn std::error::Error>>(&tournament, None, &mut library, solve);
    let cast = cast.expect("the default games are small");
    let mut rates: Vec<u64> = (0..RUNS).map(|_| rate(&tournament, &cast)).collect();
    rates.sort_unstable();
    (rates[RUNS - 1], rates[0])
}

fn rate(tournament: &Tournament, cast: &Cast) -> u64 {
    let begun = Instant::now();
    let progress = Progress::new(tournament);
    run(tournament, cast, None, JOBS, &progress).expect("nothing is written");
    let board = progress.into_board();
    let seconds = begun.elapsed().as_secs_f64();
    let opening = tournament.opening as usize;
    let turns: usize = board
        .meetings()
        .flat_map(Meeting::played)
        .map(|(_, played)| played.turns.saturating_sub(opening))
        .sum();
    let faults = board.meetings().flat_map(Meeting::played);
    assert!(
        faults
            .into_iter()
            .all(|(_, played)| played.faults.one.is_none() && played.faults.two.is_none()),
        "the bots play by the rules"
    );
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let rate = (turns as f64 / seconds) as u64;
    rate
}

/// The simplest possible bot: it always plays the last of its legal moves.
fn bot() {
    let mut output = std::io::stdout();
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let player = line.split("\"player\":").nth(1).and_then(|rest| rest.chars().next());
        let list = format!("\"{}\":[", player.unwrap_or('1'));
        let legal = line.split("\"legal\":").nth(1).and_then(|rest| rest.split(&list).nth(1));
        let choice = legal.and_then(|rest| rest.split(']').next()?.split(',').next_back());
        let choice = choice.unwrap_or_default().trim_matches('"');
        if writeln!(output, "{choice}").is_err() {
            return;
        }
    }
}
