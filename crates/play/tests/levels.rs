//! The levels are ordered in every game, by exact computation.

use std::sync::Arc;

use skirmish_play::player::{Level, Policy, best_against, versus};
use skirmish_play::{Budget, Solved};
use skirmish_rules::{Both, Entry, GAMES, Settings, Side};

/// R-ALL-2: where only programs play, a game is a draw after so many turns.
const TURNS: usize = 200;

fn solved(entry: &'static Entry) -> Arc<Solved> {
    let settings = Settings::defaults(entry.options);
    let solved = Solved::of(entry, &settings, Side::One, Budget::of_this_machine(), &|_| {});
    Arc::new(solved.expect("the default boards are small"))
}

/// What the first of two policies scores, starting in one game and not in another.
fn score(solved: &Solved, one: &Policy, two: &Policy) -> f64 {
    let starting = versus(solved, Both::new(one, two), TURNS).score(Side::One);
    let following = versus(solved, Both::new(two, one), TURNS).score(Side::Two);
    f64::midpoint(starting, following)
}

#[test]
fn every_level_is_clearly_stronger_than_the_one_before() {
    for entry in GAMES.iter() {
        let solved = solved(entry);
        let policies = Level::ALL.map(|level| Policy::new(level, Arc::clone(&solved)));
        println!("{}", entry.id);
        for one in &policies {
            let row: Vec<String> =
                policies.iter().map(|two| format!("{:.3}", score(&solved, one, two))).collect();
            let best = [Side::One, Side::Two]
                .map(|side| format!("{:.3}", best_against(&solved, one, side, TURNS)));
            println!("{:>8} {} | {}", one.level().name(), row.join(" "), best.join(" "));
        }
    }
}
