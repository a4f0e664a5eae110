//! Random playouts of every game, single-threaded: how many turns a second the rules resolve.
//!
//! Targets: 20 million turns a second for the one-unit games and Command Clash, 5 million for Command
//! Line Conquer. `cargo bench -p skirmish-rules` prints them as items per second.

use divan::Bencher;
use divan::counter::ItemsCount;
use skirmish_rules::games::base_battle::BaseBattle;
use skirmish_rules::games::capture_and_conquer::CaptureAndConquer;
use skirmish_rules::games::capture_the_line::CaptureTheLine;
use skirmish_rules::games::command_clash::CommandClash;
use skirmish_rules::games::command_line_conquer::CommandLineConquer;
use skirmish_rules::{Both, Game, Side};

/// Turns in one measured run.
const TURNS: u32 = 100_000;

/// Where the random choices begin: any number but 0.
const SEED: u64 = 0x9E37_79B9_7F4A_7C15;

fn main() {
    divan::main();
}

#[divan::bench(types = [
    CommandLineConquer,
    CaptureAndConquer,
    BaseBattle,
    CommandClash,
    CaptureTheLine,
])]
fn turns<G: Game + Default>(bencher: Bencher) {
    let game = G::default();
    bencher.counter(ItemsCount::new(TURNS)).bench_local(|| play(divan::black_box(&game)));
}

/// Plays random turns; a game that is over begins again.
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

/// A xorshift generator: good enough to vary the turns, and too cheap to be measured.
struct Dice(u64);

impl Dice {
    fn choose<A: Copy>(&mut self, actions: &[A]) -> Option<A> {
        if actions.is_empty() {
            return None;
        }
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        // The high half scaled to the list: no division.
        let index = ((self.0 >> 32) * actions.len() as u64) >> 32;
        Some(actions[usize::try_from(index).expect("an index of a short list")])
    }
}
