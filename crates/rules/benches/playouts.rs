//! Measures how many turns per second the rules resolve, in single-threaded random playouts of every game.
//!
//! Targets: 20 million turns per second for the one-unit games and Command Clash, 5 million for Command Line Conquer.
//! The fastest of several runs counts, because slower ones mostly measure other load on the machine.

use std::hint::black_box;
use std::time::{Duration, Instant};

use skirmish_rules::{Both, Catalogued, Game, Side, for_each_game, games};

/// The number of turns in one measured run.
const TURNS: u32 = 100_000;

/// The number of runs per game.
const RUNS: u32 = 100;

/// The seed of the random choices; it must not be 0.
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

macro_rules! measure_all {
    ($($folder:ident::$game:ident),+ $(,)?) => {
        $(measure::<games::$folder::$game>();)+
    };
}

fn main() {
    println!("{:<22} {:>12}", "game", "turns/s");
    for_each_game!(measure_all);
}

fn measure<G: Catalogued + Default>() {
    let game = G::default();
    let mut best = Duration::MAX;
    for _ in 0..RUNS {
        let start = Instant::now();
        black_box(play(black_box(&game)));
        best = best.min(start.elapsed());
    }
    println!("{:<22} {:>12.0}", G::ID, f64::from(TURNS) / best.as_secs_f64());
}

/// Plays random turns and restarts finished games.
fn play<G: Game>(game: &G) -> G::State {
    let mut dice = Dice(SEED);
    let mut state = game.start(Side::One);
    for _ in 0..TURNS {
        let turn = Both::from_fn(|side| dice.choose(&game.actions(&state, side)));
        state = game.resolve(&state, turn, |_event| {});
        if game.outcome(&state).is_some() {
            state = game.start(Side::One);
        }
    }
    state
}

/// A xorshift generator: good enough to vary the turns, and too cheap to affect the measurement.
struct Dice(u64);

impl Dice {
    fn choose<A: Copy>(&mut self, actions: &[A]) -> Option<A> {
        if actions.is_empty() {
            return None;
        }
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // Scale the high half to the length of the list, which avoids a division.
        let index = ((self.0 >> 32) * actions.len() as u64) >> 32;
        Some(actions[usize::try_from(index).expect("an index of a short list")])
    }
}
