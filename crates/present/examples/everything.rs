//! Solves all five games, plays each between two computer levels and reviews it, using only the pure crates: no files,
//! clocks, processes or threads. `scripts/check-wasm` runs it in a JavaScript engine.
//!
//! The exit code is the number of games played, because WebAssembly without unsafe code has no other way to report a
//! result.

use std::process::ExitCode;
use std::sync::Arc;

use skirmish_play::driver::{Driver, Happened, Input, Seat, Waiting};
use skirmish_play::player::{Computer, Level, Player};
use skirmish_play::{Budget, Chance, Proposal, Solved, review};
use skirmish_present::review::describe;
use skirmish_rules::{Both, Entry, GAMES, Record, Unwatched};

fn main() -> ExitCode {
    let games: Vec<String> = GAMES.iter().map(play).collect();
    println!("{}", games.join("\n\n"));
    u8::try_from(games.len()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Plays a game to the end and returns its review.
fn play(entry: &'static Entry) -> String {
    let players = Both::new(Player::Computer(Level::Perfect), Player::Computer(Level::Casual));
    let plan = Proposal { players, seed: Some(11), ..Proposal::new(entry) }.plan(None);
    let plan = plan.expect("two computers can play every game");
    let budget = Budget { bytes: 64 << 20 };
    let solved = Solved::of(entry, &plan.settings, plan.first, budget, &Unwatched);
    let solved = Arc::new(solved.expect("the usual boards are small"));
    solved.prepare_players(&Unwatched).expect("nobody cancels");
    let chance = Chance::from_seed(plan.seed.unwrap_or_default());
    let computers = plan.players.as_ref().map(|player| {
        let level = player.level().expect("only computers play");
        Computer::new(level, Arc::clone(&solved), chance)
    });
    let mut driver = Driver::new(plan.begin(), plan.players.as_ref().map(Seat::from));
    loop {
        let happened = match driver.waiting() {
            Waiting::Pass(_) => driver.enter(Input::Pass),
            Waiting::Programs(asked) => {
                let table = driver.session().table();
                let choose =
                    |side| asked[side].then(|| Ok(computers[side].choose(table, side, 1, 0)));
                driver.enter(Input::Programs(Both::from_fn(choose)))
            }
            Waiting::Nothing(_) => break,
            Waiting::Person(_) | Waiting::Answer(_) => unreachable!("nobody is asked"),
        };
        assert!(!matches!(happened, Happened::Refused(_)), "{happened:?}");
    }
    let record = driver.session().record();
    let read = Record::parse(&record.to_string(), GAMES).expect("a record can be read again");
    assert_eq!(read.to_string(), record.to_string());
    describe(&record, &review(&record, &solved))
}
