//! The lists of visible rooms: public rooms waiting for a player, and live games that may be watched.

use std::collections::HashMap;
use std::iter;
use std::net::IpAddr;
use std::sync::Mutex;
use std::sync::atomic::Ordering::Relaxed;

use skirmish_room::wire::LobbyGame;
use skirmish_room::{AccountId, Millis, NodeId};

use crate::hub::RoomHandle;
use crate::lock::lock;

/// How long the lists reported by another node count.
const FRESH: Millis = 10_000;

/// Maximum number of listed games of each kind.
const MOST_LISTED: usize = 50;

/// Maximum number of listed games created by one account.
const MOST_OF_ACCOUNT: usize = 5;

/// Maximum number of listed games created from one network.
const MOST_OF_NETWORK: usize = 20;

/// A listed room.
struct Listed {
    game: LobbyGame,
    is_open: bool,
    handle: RoomHandle,
    creator: AccountId,
}

/// The lists of visible rooms.
#[derive(Default)]
pub(crate) struct Board {
    /// The rooms of both lists, oldest first.
    rooms: Mutex<Vec<Listed>>,
    reported: Mutex<HashMap<NodeId, NodeLists>>,
}

/// The lists of another node, and when they arrived.
struct NodeLists {
    at: Millis,
    open: Vec<LobbyGame>,
    live: Vec<LobbyGame>,
}

impl Board {
    /// Lists a room, or updates its entry. The room keeps its position in its list.
    pub(crate) fn show(
        &self,
        game: LobbyGame,
        creator: AccountId,
        is_open: bool,
        handle: &RoomHandle,
    ) {
        let mut rooms = lock(&self.rooms);
        let listed = Listed { game, is_open, handle: handle.clone(), creator };
        let at = rooms.iter().position(|other| other.game.code == listed.game.code);
        match at {
            Some(at) if rooms[at].is_open == is_open => rooms[at] = listed,
            Some(at) => {
                rooms.remove(at);
                rooms.push(listed);
            }
            None => rooms.push(listed),
        }
    }

    /// Removes a room from the lists.
    pub(crate) fn remove(&self, code: &str) {
        lock(&self.rooms).retain(|listed| listed.game.code != code);
    }

    /// Stores the lists reported by another node.
    pub(crate) fn note_elsewhere(
        &self,
        node: NodeId,
        open: Vec<LobbyGame>,
        live: Vec<LobbyGame>,
        now: Millis,
    ) {
        lock(&self.reported).insert(node, NodeLists { at: now, open, live });
    }

    /// Returns the newest open and live rooms of all nodes.
    pub(crate) fn lists(&self, now: Millis) -> (Vec<LobbyGame>, Vec<LobbyGame>) {
        let (open, live) = self.own_lists();
        let mut reported = lock(&self.reported);
        reported.retain(|_, lists| now.saturating_sub(lists.at) < FRESH);
        let merge = |own, of: fn(&NodeLists) -> &Vec<LobbyGame>| {
            merge(iter::once(own).chain(reported.values().map(|lists| of(lists).clone())))
        };
        (merge(open, |lists| &lists.open), merge(live, |lists| &lists.live))
    }

    /// Returns a fair selection of this node's open and live rooms: the newest room of each creator, then the second newest
    /// of each, and so on, up to a limit per creator. Identical offers by one creator are listed once.
    pub(crate) fn own_lists(&self) -> (Vec<LobbyGame>, Vec<LobbyGame>) {
        let rooms = lock(&self.rooms);
        let newest = |is_open| rooms.iter().rev().filter(move |room| room.is_open == is_open);
        let game = |listed: &Listed| LobbyGame {
            turns: listed.handle.turns.load(Relaxed),
            ..listed.game.clone()
        };
        let open = fair_share(newest(true), |one, other| {
            one.creator == other.creator && one.game.terms == other.game.terms
        });
        let live = fair_share(newest(false), |_, _| false);
        (open.map(game).collect(), live.map(game).collect())
    }
}

/// Selects the rooms to list. `rooms` are sorted newest first; of identical rooms, only the newest is listed.
fn fair_share<'a>(
    rooms: impl Iterator<Item = &'a Listed>,
    is_same: impl Fn(&Listed, &Listed) -> bool,
) -> impl Iterator<Item = &'a Listed> {
    let mut of_account = HashMap::<AccountId, Vec<&Listed>>::new();
    let mut of_network = HashMap::<Result<IpAddr, AccountId>, usize>::new();
    let mut ranked = Vec::new();
    for listed in rooms {
        let own = of_account.entry(listed.creator).or_default();
        if own.len() == MOST_OF_ACCOUNT || own.iter().any(|other| is_same(other, listed)) {
            continue;
        }
        let network = listed.handle.network().ok_or(listed.creator);
        let rank = of_network.entry(network).or_default();
        if *rank < MOST_OF_NETWORK {
            own.push(listed);
            ranked.push((*rank, listed));
            *rank += 1;
        }
    }
    // The sort is stable: rooms of the same rank stay sorted by age.
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, listed)| listed).take(MOST_LISTED)
}

/// Merges the lists of all nodes, taking one room from each in turn.
fn merge(lists: impl Iterator<Item = Vec<LobbyGame>>) -> Vec<LobbyGame> {
    let mut lists: Vec<_> = lists.map(Vec::into_iter).collect();
    let mut merged: Vec<LobbyGame> = Vec::new();
    while merged.len() < MOST_LISTED {
        let round: Vec<LobbyGame> = lists.iter_mut().filter_map(Iterator::next).collect();
        if round.is_empty() {
            break;
        }
        for game in round {
            // A room that has just moved between nodes may be on two lists.
            if merged.len() < MOST_LISTED && merged.iter().all(|known| known.code != game.code) {
                merged.push(game);
            }
        }
    }
    merged
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
        // Listed again, the room keeps its position.
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

    #[test]
    fn everybodys_newest_game_comes_before_the_many_of_one_network() {
        let terms = Terms::new(GAMES.find("base-battle").expect("the game exists"));
        let (board, handles) = (Board::default(), [1, 2, 3].map(|_| new_handle().0));
        for (handle, last) in handles.iter().zip(1..) {
            handle.note_network(std::net::Ipv4Addr::new(192, 0, 2, last).into());
        }
        let show = |code: &str, creator, network: usize| {
            board.show(listed(code, terms.clone()), creator, false, &handles[network]);
        };
        show("OLDEST", 1, 0);
        show("SECOND", 1, 0);
        // Many accounts in one network with one game each, and one account with many games.
        for number in 0..60 {
            show(&format!("MANY{number}"), 100 + number, 1);
            show(&format!("FLOOD{number}"), 2, 2);
        }
        for games in [board.own_lists().1, board.lists(0).1] {
            let codes: Vec<&str> = games.iter().map(|game| game.code.as_str()).collect();
            assert_eq!(codes[..4], ["FLOOD59", "MANY59", "SECOND", "FLOOD58"]);
            let count = |start: &str| codes.iter().filter(|code| code.starts_with(start)).count();
            assert_eq!((count("MANY"), count("FLOOD")), (MOST_OF_NETWORK, MOST_OF_ACCOUNT));
            assert!(codes.contains(&"OLDEST"), "{codes:?}");
        }
    }
}
