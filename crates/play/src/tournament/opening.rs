//! Random openings, so that two programs that never vary do not play one game a thousand times.

use skirmish_rules::{Side, Table};

use crate::chance::Chance;
use crate::session::Session;

/// Plays so many random turns, or as many as do not end the game. Gives their number.
pub(super) fn play(session: &mut Session, turns: u32, chance: Chance) -> usize {
    for turn in 0..turns as usize {
        for side in session.table().to_act() {
            let choice = random(session.table(), side, chance.roll(0, turn, 0, side));
            session.submit(side, &choice).expect("the choice is legal");
        }
        if session.ending().is_some() {
            session.take_back();
            return turn;
        }
    }
    turns as usize
}

/// One of a side's choices; `roll` is from 0 up to 1.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)] // a handful
fn random(table: &dyn Table, side: Side, roll: f64) -> String {
    let mut choices = table.choices(side);
    let index = (roll * choices.len() as f64) as usize;
    choices.swap_remove(index).notation
}
