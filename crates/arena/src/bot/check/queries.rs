//! The questions of UGI about a position, each with its right answer. Skirmish knows the rules and asks no bot;
//! other runners rely on the bots for them.

use skirmish_rules::{Entry, Outcome, Side, Table, Tempo};

use super::positions;

/// How many random games are played to find one for each winner, and for how many turns.
const WALKS: u32 = 20;
const DEPTH: usize = 400;

/// A position, and what is asked about it.
pub(super) struct Inquiry {
    pub(super) table: Box<dyn Table>,
    /// Each question with its right answer.
    pub(super) questions: Vec<(&'static str, &'static str)>,
}

/// The start, the position after a turn, and a finished game for each winner, as far as chance finds one. There is
/// none where both choose at once: UGI's questions do not fit such games.
pub(super) fn inquiries(entry: &'static Entry) -> Vec<Inquiry> {
    if entry.tempo() == Tempo::Simultaneous {
        return Vec::new();
    }
    let mut table = start(entry);
    let mut inquiries = vec![Inquiry::about(start(entry))];
    positions::play_any(&mut *table, 0);
    inquiries.push(Inquiry::about(table));
    for winner in Side::ALL {
        let mut games = (0..WALKS).map(|walk| played_out(entry, walk));
        let won = games.find(|table| table.outcome() == Some(Outcome::Won(winner)));
        inquiries.extend(won.map(Inquiry::about));
    }
    inquiries
}

fn start(entry: &'static Entry) -> Box<dyn Table> {
    positions::open(entry, &entry.setup().settings, Side::One)
}

fn played_out(entry: &'static Entry, walk: u32) -> Box<dyn Table> {
    let mut table = start(entry);
    while table.outcome().is_none() && table.turns_played() < DEPTH {
        positions::play_any(&mut *table, walk);
    }
    table
}

impl Inquiry {
    fn about(table: Box<dyn Table>) -> Self {
        let result = match table.outcome() {
            None => "none",
            Some(Outcome::Won(Side::One)) => "p1win",
            Some(Outcome::Won(Side::Two)) => "p2win",
            Some(Outcome::Draw) => "draw",
        };
        let is_over = if table.outcome().is_some() { "true" } else { "false" };
        let mut questions = vec![("gameover", is_over), ("result", result)];
        // Whose turn it is in a finished game is anybody's guess.
        if let [side] = *table.turn() {
            questions.push(("p1turn", if side == Side::One { "true" } else { "false" }));
        }
        Self { table, questions }
    }

    /// Where it is asked, in words.
    pub(super) fn place(&self) -> String {
        format!("in {} of {}", self.table.position(), self.table.entry().id)
    }
}

#[cfg(test)]
mod tests {
    use skirmish_rules::GAMES;

    use super::*;

    #[test]
    fn every_game_of_turns_is_asked_about_at_its_start_and_at_its_end() {
        for entry in GAMES.iter() {
            let results: Vec<&str> = inquiries(entry).iter().map(|it| it.questions[1].1).collect();
            if entry.tempo() == Tempo::Simultaneous {
                assert_eq!(results, [""; 0], "{}", entry.id);
            } else {
                assert_eq!(results[..2], ["none", "none"], "{}", entry.id);
                assert!(results.len() > 2, "{}: no finished game", entry.id);
                assert!(!results[2..].contains(&"none"), "{}: {results:?}", entry.id);
            }
        }
    }
}
