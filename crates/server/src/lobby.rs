//! The rooms that others can see: public ones that wait for a player, and live ones that may be watched.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard};

use skirmish_room::wire::LobbyGame;
use skirmish_room::{AccountId, SideWish, Terms};

use crate::hub::RoomHandle;
use crate::lock::lock;

/// How many games of each kind are listed.
const MOST_LISTED: usize = 50;

/// A room in the lists.
struct Listed {
    game: LobbyGame,
    handle: RoomHandle,
    creator: AccountId,
    is_open: bool,
}

/// The lists.
#[derive(Default)]
pub(crate) struct Board {
    rooms: Mutex<BTreeMap<String, Listed>>,
}

impl Board {
    /// Shows a room, or shows it differently.
    pub(crate) fn show(
        &self,
        game: LobbyGame,
        creator: AccountId,
        is_open: bool,
        handle: &RoomHandle,
    ) {
        let handle = handle.clone();
        self.lock().insert(game.code.clone(), Listed { game, handle, creator, is_open });
    }

    /// Removes a room.
    pub(crate) fn remove(&self, code: &str) {
        self.lock().remove(code);
    }

    /// Takes an open room on these terms off the lists, so that one seeker gets it.
    pub(crate) fn claim(&self, terms: &Terms, account: AccountId) -> Option<String> {
        let mut rooms = self.lock();
        let fits = |listed: &&Listed| {
            listed.is_open && listed.creator != account && is_same(&listed.game.terms, terms)
        };
        let code = rooms.values().find(fits)?.game.code.clone();
        rooms.remove(&code);
        Some(code)
    }

    /// The open and the live rooms.
    pub(crate) fn lists(&self) -> (Vec<LobbyGame>, Vec<LobbyGame>) {
        let rooms = self.lock();
        let list = |is_open: bool| {
            let listed = rooms.values().filter(|listed| listed.is_open == is_open);
            let game = |listed: &Listed| LobbyGame {
                turns: listed.handle.turns.load(Relaxed),
                ..listed.game.clone()
            };
            listed.take(MOST_LISTED).map(game).collect()
        };
        (list(true), list(false))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Listed>> {
        lock(&self.rooms)
    }
}

/// Whether a seeker would get what an open room offers.
fn is_same(open: &Terms, sought: &Terms) -> bool {
    let seats = match (open.seat, sought.seat) {
        (_, SideWish::Toss) => true,
        // The toss might give the creator the seat that is sought.
        (SideWish::Toss, _) => false,
        (one, two) => one != two,
    };
    seats
        && open.level.is_none()
        && open.game == sought.game
        && open.settings().ok() == sought.settings().ok()
        && open.clock == sought.clock
        && open.rated == sought.rated
        && open.games == sought.games
        && open.max_turns == sought.max_turns
        && open.first == sought.first
        && open.hints == sought.hints
}

#[cfg(test)]
mod tests {
    use skirmish_room::TimeControl;
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
    fn a_seeker_gets_a_room_on_the_same_terms_once() {
        let terms = Terms::new(GAMES.find("base-battle").expect("the game exists"));
        let fast =
            Terms { clock: TimeControl::Game { seconds: 60, increment: 0 }, ..terms.clone() };
        let board = Board::default();
        board.show(listed("FASTXX", fast.clone()), 1, true, &new_handle().0);
        assert_eq!(board.claim(&terms, 2), None, "the clocks differ");
        assert_eq!(board.claim(&fast, 1), None, "nobody plays against themselves");
        assert_eq!(board.claim(&fast, 2).as_deref(), Some("FASTXX"));
        assert_eq!(board.claim(&fast, 3), None, "it is taken");
    }

    #[test]
    fn two_seekers_cannot_both_be_player_1() {
        let terms = Terms::new(GAMES.find("base-battle").expect("the game exists"));
        let first = Terms { seat: SideWish::P1, ..terms.clone() };
        let board = Board::default();
        board.show(listed("FIRSTX", first.clone()), 1, true, &new_handle().0);
        assert_eq!(board.claim(&first, 2), None);
        assert!(board.claim(&Terms { seat: SideWish::P2, ..terms }, 2).is_some());
    }
}
