//! Two computer players play Base Battle; then the game is reviewed.
//!
//! `cargo run -p skirmish-play --example computers -- SEED`

use std::error::Error;
use std::sync::Arc;

use skirmish_play::player::{Computer, Level, Player};
use skirmish_play::{Budget, Chance, Proposal, Solved, review};
use skirmish_rules::{Both, GAMES, Unwatched};

fn main() -> Result<(), Box<dyn Error>> {
    let seed = std::env::args().nth(1).map_or(Ok(2), |text| text.parse())?;
    let levels = Both::new(Level::Casual, Level::Expert);
    let entry = GAMES.find("base-battle")?;
    let players = levels.map(Player::Computer);
    let plan = Proposal { players, seed: Some(seed), ..Proposal::new(entry) }.plan(None)?;

    let budget = Budget { bytes: 64 << 20 };
    let solved = Solved::of(entry, &plan.settings, plan.first, budget, &Unwatched)?;
    solved.prepare_players(&Unwatched)?;
    let solved = Arc::new(solved);
    let computers =
        levels.map(|level| Computer::new(level, Arc::clone(&solved), Chance::from_seed(seed)));

    let mut session = plan.begin();
    while session.ending().is_none() {
        for side in session.table().to_act() {
            let choice = computers[side].choose(session.table(), side, session.number(), 0);
            session.submit(side, &choice)?;
        }
    }
    print!("{}", session.record());
    for choice in review(&session.record(), &solved).choices {
        if let Some(mark) = choice.mark() {
            println!("turn {}: {}{}", choice.turn, choice.played, mark.sign());
        }
    }
    Ok(())
}
