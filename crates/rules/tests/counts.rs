//! Reachable positions, as the checkpoints of the rulings give them.
use skirmish_rules::games::{base_battle::BaseBattle, capture_and_conquer::CaptureAndConquer, capture_the_line::CaptureTheLine, command_clash::CommandClash, command_line_conquer::CommandLineConquer};
use skirmish_rules::{Catalogued, Game, Settings, Side, graph::reachable};
fn count<G: Catalogued>(rules: &[&str]) -> (usize, usize) {
    let game = G::with(&Settings::parse(G::OPTIONS, rules.iter().copied()).unwrap());
    let all = reachable(&game, Side::One);
    let open = all.iter().filter(|s| game.outcome(s).is_none()).count();
    (all.len(), open)
}
#[test]
fn counts() {
    println!("{:?}", count::<CaptureTheLine>(&[]));
    println!("{:?}", count::<CaptureAndConquer>(&[]));
    println!("{:?}", count::<BaseBattle>(&[]));
    println!("{:?}", count::<BaseBattle>(&["push=onward"]));
    println!("{:?}", count::<CommandLineConquer>(&[]));
    println!("{:?}", count::<CommandClash>(&[]));
}
