//! A one-turn lookahead, for positions that are not solved.

use skirmish_present::json::legal;
use skirmish_rules::{Outcome, Side, Table};

/// The worst-case outcome of a move, from worst to best.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Promise {
    /// The other side may win with its next choice.
    Danger,
    /// The game is still undecided.
    Open,
    /// The move wins, whatever the other side does.
    Win,
}

/// One of the best moves of a side, in notation; `luck`, from 0 up to 1, picks among equals.
///
/// # Panics
/// If the side has no choice.
pub(super) fn glance(table: &dyn Table, side: Side, luck: f64) -> String {
    let choices = legal(table, side);
    let promises: Vec<Promise> =
        choices.iter().map(|choice| promise(table, side, choice)).collect();
    let best = promises.iter().max();
    let mut equals: Vec<String> = choices
        .into_iter()
        .zip(&promises)
        .filter(|(_, promise)| Some(*promise) == best)
        .map(|(choice, _)| choice)
        .collect();
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let index = (luck * equals.len() as f64) as usize; // a side has few choices
    equals.swap_remove(index.min(equals.len() - 1))
}

/// The worst-case outcome of a choice.
fn promise(table: &dyn Table, side: Side, choice: &str) -> Promise {
    let turns = turns(table, side, choice);
    let worst = turns.iter().map(|turn| {
        let after = played(table, turn);
        match after.outcome() {
            Some(Outcome::Won(winner)) if winner == side => Promise::Win,
            Some(Outcome::Won(_)) => Promise::Danger,
            None if is_lost_next(&*after, side) => Promise::Danger,
            Some(Outcome::Draw) | None => Promise::Open,
        }
    });
    worst.min().expect("every choice makes a turn")
}

/// The turns that a choice can be part of.
fn turns(table: &dyn Table, side: Side, choice: &str) -> Vec<String> {
    let replies = legal(table, side.other());
    if replies.is_empty() {
        return vec![choice.to_owned()];
    }
    let turn = |reply: &String| match side {
        Side::One => format!("{choice}|{reply}"),
        Side::Two => format!("{reply}|{choice}"),
    };
    replies.iter().map(turn).collect()
}

/// Whether the other side moves next, alone, and can win.
fn is_lost_next(table: &dyn Table, side: Side) -> bool {
    if table.turn() != [side.other()] {
        return false;
    }
    let lost = Some(Outcome::Won(side.other()));
    legal(table, side.other()).iter().any(|reply| played(table, reply).outcome() == lost)
}

fn played(table: &dyn Table, turn: &str) -> Box<dyn Table> {
    let mut after = table.fork();
    after.play(turn).expect("it is made of legal choices");
    after
}

#[cfg(test)]
mod tests {
    use skirmish_rules::{GAMES, Setup};

    use super::*;

    fn glanced(game: &str, position: &str, side: Side) -> Vec<String> {
        let entry = GAMES.find(game).expect("the game exists");
        let position = Some(position.to_owned());
        let table = entry.open(Setup { position, ..entry.setup() }).expect("it is a position");
        let mut found: Vec<String> =
            (0..10).map(|tenth| glance(&*table, side, f64::from(tenth) / 10.0)).collect();
        found.dedup();
        found
    }

    #[test]
    fn it_takes_a_win_at_once() {
        assert_eq!(glanced("base-battle", "7/9/1", Side::One), ["3"]);
        assert_eq!(glanced("base-battle", "1/3/2", Side::Two), ["3"]);
    }

    #[test]
    fn it_plays_anything_where_nothing_is_decided() {
        assert_eq!(glanced("base-battle", "0/10/1", Side::One), ["1", "2", "3"]);
    }

    #[test]
    fn in_a_simultaneous_game_it_considers_every_reply() {
        assert_eq!(glanced("command-clash", "5/1", Side::One), ["special"], "no reply saves");
        assert_eq!(glanced("command-clash", "2/5", Side::One), ["shield"], "any other may lose");
        assert_eq!(glanced("command-clash", "5/2", Side::Two), ["shield"]);
    }
}
