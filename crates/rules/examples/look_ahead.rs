//! A game between two players who win if they can, and otherwise make the longest move.
//!
//! `cargo run -p skirmish-rules --example look_ahead`

use std::error::Error;

use skirmish_rules::{Catalogued, Outcome, Side, Table, games::base_battle::BaseBattle};

/// The width of a typical terminal.
const WIDTH: usize = 80;

fn main() -> Result<(), Box<dyn Error>> {
    let game = BaseBattle::ENTRY;
    let mut table = game.open(game.setup())?;
    println!("{}\n\n{}\n", table.welcome(), table.board(WIDTH));
    while table.outcome().is_none() {
        let side = *table.turn().first().ok_or("somebody moves until the game is over")?;
        let choice = best(&*table, side)?;
        table.submit(side, &choice)?;
        println!("{}\n", table.report(WIDTH));
    }
    Ok(())
}

/// A winning move or, if there is none, the last move in the list.
fn best(table: &dyn Table, side: Side) -> Result<String, Box<dyn Error>> {
    let choices = table.choices(side);
    for choice in &choices {
        let mut after = table.fork();
        after.play(&choice.notation)?;
        if after.outcome() == Some(Outcome::Won(side)) {
            return Ok(choice.notation.clone());
        }
    }
    let last = choices.last().ok_or("a side whose turn it is has a choice")?;
    Ok(last.notation.clone())
}
