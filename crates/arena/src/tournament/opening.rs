//! Random openings, so that two deterministic programs do not play the same game over and over.

use skirmish_play::{Chance, Session};

/// Plays `turns` random turns, or fewer if the next would end the game. Returns the number played.
pub(super) fn play(session: &mut Session, turns: u32, chance: Chance) -> usize {
    for turn in 0..turns as usize {
        for side in session.table().to_act() {
            let mut choices = session.table().choices(side);
            let choice = choices.swap_remove(chance.pick(choices.len(), 0, turn, side));
            session.submit(side, &choice.notation).expect("the choice is legal");
        }
        if session.ending().is_some() {
            session.take_back();
            return turn;
        }
    }
    turns as usize
}
