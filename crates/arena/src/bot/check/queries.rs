//! UGI queries about a position, with their correct answers. Skirmish knows the rules and never sends queries; other
//! runners rely on bots for the rules.

use skirmish_rules::{Entry, Outcome, Side, Table, Tempo};

use super::positions;

/// Maximum number of random games played in search of a win for each side, and of turns in each game.
const WALKS: u32 = 20;
const DEPTH: usize = 400;

/// A position, and the queries about it.
pub(super) struct QuerySet {
    pub(super) table: Box<dyn Table>,
    /// Each query with its correct answer.
    pub(super) queries: Vec<(&'static str, &'static str)>,
}

/// Queries about the start, the position after one turn, and a finished game for each winner, if found. Empty for
/// simultaneous games, which UGI queries do not cover.
pub(super) fn query_sets(entry: &'static Entry) -> Vec<QuerySet> {
    if entry.tempo() == Tempo::Simultaneous {
        return Vec::new();
    }
    let mut table = start(entry);
    let mut query_sets = vec![QuerySet::about(start(entry))];
    positions::play_any(&mut *table, 0);
    query_sets.push(QuerySet::about(table));
    for winner in Side::ALL {
        let mut games = (0..WALKS).map(|walk| played_out(entry, walk));
        let won = games.find(|table| table.outcome() == Some(Outcome::Won(winner)));
        query_sets.extend(won.map(QuerySet::about));
    }
    query_sets
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

impl QuerySet {
    fn about(table: Box<dyn Table>) -> Self {
        let result = match table.outcome() {
            None => "none",
            Some(Outcome::Won(Side::One)) => "p1win",
            Some(Outcome::Won(Side::Two)) => "p2win",
            Some(Outcome::Draw) => "draw",
        };
        let is_over = if table.outcome().is_some() { "true" } else { "false" };
        let mut queries = vec![("gameover", is_over), ("result", result)];
        // Whose turn it is in a finished game is undefined.
        if let [side] = *table.turn() {
            queries.push(("p1turn", if side == Side::One { "true" } else { "false" }));
        }
        Self { table, queries }
    }

    /// The position, described for messages.
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
            let results: Vec<&str> = query_sets(entry).iter().map(|it| it.queries[1].1).collect();
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
