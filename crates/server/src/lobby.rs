//! The rooms that others can see: public ones that wait for a player, and live ones that may be watched.

use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;

use skirmish_room::wire::LobbyGame;
use skirmish_room::{AccountId, Millis, NodeId};

use crate::hub::RoomHandle;
use crate::lock::lock;

/// How long the lists of another node count.
const FRESH: Millis = 10_000;

/// How many games of each kind are listed.
const MOST_LISTED: usize = 50;

/// A room in the lists.
struct Listed {
    game: LobbyGame,
    handle: RoomHandle,
    creator: AccountId,
}

/// The lists.
#[derive(Default)]
pub(crate) struct Board {
    lists: Mutex<Lists>,
    elsewhere: Mutex<HashMap<NodeId, Elsewhere>>,
}

/// The lists of another node, and when they came.
struct Elsewhere {
    at: Millis,
    open: Vec<LobbyGame>,
    live: Vec<LobbyGame>,
}

/// The rooms of each list, by numbers that grow: the oldest come first.
#[derive(Default)]
struct Lists {
    open: BTreeMap<u64, Listed>,
    live: BTreeMap<u64, Listed>,
    /// Where each room is: whether it is open, and its number.
    places: HashMap<String, (bool, u64)>,
    next: u64,
}

impl Lists {
    fn list(&mut self, is_open: bool) -> &mut BTreeMap<u64, Listed> {
        if is_open { &mut self.open } else { &mut self.live }
    }

    fn remove(&mut self, code: &str) {
        if let Some((is_open, number)) = self.places.remove(code) {
            self.list(is_open).remove(&number);
        }
    }
}

impl Board {
    /// Shows a room, or shows it differently. It keeps its place in its list.
    pub(crate) fn show(
        &self,
        game: LobbyGame,
        creator: AccountId,
        is_open: bool,
        handle: &RoomHandle,
    ) {
        let mut lists = lock(&self.lists);
        let place = lists.places.get(&game.code).copied();
        let number = match place {
            Some((was_open, number)) if was_open == is_open => number,
            _ => {
                lists.remove(&game.code);
                lists.next += 1;
                lists.next
            }
        };
        lists.places.insert(game.code.clone(), (is_open, number));
        let handle = handle.clone();
        lists.list(is_open).insert(number, Listed { game, handle, creator });
    }

    /// Removes a room.
    pub(crate) fn remove(&self, code: &str) {
        lock(&self.lists).remove(code);
    }

    /// Notes what another node lists.
    pub(crate) fn note_elsewhere(
        &self,
        node: NodeId,
        open: Vec<LobbyGame>,
        live: Vec<LobbyGame>,
        now: Millis,
    ) {
        lock(&self.elsewhere).insert(node, Elsewhere { at: now, open, live });
    }

    /// The newest open and live rooms, on all nodes.
    pub(crate) fn lists(&self, now: Millis) -> (Vec<LobbyGame>, Vec<LobbyGame>) {
        let (mut open, mut live) = self.own_lists();
        let mut elsewhere = lock(&self.elsewhere);
        elsewhere.retain(|_, lists| now.saturating_sub(lists.at) < FRESH);
        for (games, others) in [
            (&mut open, elsewhere.values().map(|lists| &lists.open).collect::<Vec<_>>()),
            (&mut live, elsewhere.values().map(|lists| &lists.live).collect()),
        ] {
            // A room that has just changed hands may be on two lists.
            for game in others.into_iter().flatten() {
                if games.len() < MOST_LISTED && games.iter().all(|known| known.code != game.code) {
                    games.push(game.clone());
                }
            }
        }
        (open, live)
    }

    /// The newest open and live rooms of this node, newest first. What somebody offers several times is listed once.
    pub(crate) fn own_lists(&self) -> (Vec<LobbyGame>, Vec<LobbyGame>) {
        let lists = lock(&self.lists);
        let game = |listed: &Listed| LobbyGame {
            turns: listed.handle.turns.load(Relaxed),
            ..listed.game.clone()
        };
        let mut open: Vec<&Listed> = Vec::new();
        for listed in lists.open.values().rev() {
            let is_same = |other: &&Listed| {
                other.creator == listed.creator && other.game.terms == listed.game.terms
            };
            if open.len() < MOST_LISTED && !open.iter().any(is_same) {
                open.push(listed);
            }
        }
        let live = lists.live.values().rev().take(MOST_LISTED).map(game);
        (open.into_iter().map(game).collect(), live.collect())
    }
}

#[cfg(test)]
mod tests {
    use skirmish_room::Terms;
    use skirmish_rules::GAMES;

    use super::*;
    use crate::hub::new_handle;

    fn listed(code: &str, terms: Terms) -> LobbyGame {
        LobbyGame {
            code: code.to_owned(),
            terms,
            players: skirmish_present::json::PerPlayer::default(),
            turns: 0,
            your_turn: false,
        }
    }

    #[test]
    fn the_newest_games_are_listed_first() {
        let terms = Terms::new(GAMES.find("base-battle").expect("the game exists"));
        let board = Board::default();
        let show = |code: &str, is_open: bool| {
            let creator = u64::from(code.as_bytes()[0]);
            board.show(
                listed(code, terms.clone()),
                creator.try_into().expect("small"),
                is_open,
                &new_handle().0,
            );
        };
        let codes =
            |games: Vec<LobbyGame>| games.into_iter().map(|game| game.code).collect::<Vec<_>>();
        for code in ["BBBBBB", "CCCCCC", "AAAAAA"] {
            show(code, true);
        }
        // Shown again, it keeps its place.
        show("BBBBBB", true);
        assert_eq!(codes(board.own_lists().0), ["AAAAAA", "CCCCCC", "BBBBBB"]);
        show("CCCCCC", false);
        show("ZZZZZZ", false);
        show("AAAAAA", false);
        assert_eq!(codes(board.own_lists().0), ["BBBBBB"]);
        assert_eq!(codes(board.own_lists().1), ["AAAAAA", "ZZZZZZ", "CCCCCC"]);
        board.remove("ZZZZZZ");
        assert_eq!(codes(board.own_lists().1), ["AAAAAA", "CCCCCC"]);
    }
}
