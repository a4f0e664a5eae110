//! Rated games: which ones count, and the outcome if a player never moved.

use std::num::NonZeroU64;

use skirmish_room::wire::{End, Offer, StageName};
use skirmish_room::{HostInput, Millis, Person, RejectionCode, Request, Terms, TimeControl};
use skirmish_rules::Both;

use crate::seats::{Seats, person, terms};

const MINUTE: Millis = 60_000;

fn rated(clock: TimeControl) -> Terms {
    Terms { rated: true, first: None, clock, ..terms("capture-the-line") }
}

#[test]
fn a_claim_before_both_have_moved_aborts_the_game() {
    for (choices, result) in [(1, "*"), (3, "1-0")] {
        let mut room = Seats::new(rated(TimeControl::None));
        for (player, _) in [1, 2].into_iter().cycle().zip(0..choices) {
            room.act(player, "1").expect("legal");
        }
        room.enter(HostInput::Detach { connection: 2 });
        room.now += 10 * MINUTE;
        room.ask(1, Request::Claim).expect("the opponent is gone");
        assert_eq!(room.host.room().end().map(End::result), Some(result));
        // The absent player is to blame, not the one who ended the game.
        assert_eq!(room.host.room().aborted_by(), Both::new(false, result == "*"));
    }
}

#[test]
fn whoever_leaves_before_the_first_move_has_aborted_the_game() {
    let clock = TimeControl::Game { seconds: 300, increment: 3 };
    for (game, choices, resigns, expected) in [
        ("capture-the-line", 1, true, Both::new(false, true)),
        ("capture-the-line", 1, false, Both::new(false, true)),
        ("capture-the-line", 0, false, Both::new(true, false)),
        ("command-clash", 0, false, Both::new(true, true)),
    ] {
        let mut room = Seats::new(Terms { rated: true, first: None, clock, ..terms(game) });
        for _ in 0..choices {
            room.act(1, "1").expect("legal");
        }
        if resigns {
            room.ask(2, Request::Resign).expect("a game is on");
        } else {
            room.now += MINUTE;
            room.enter(HostInput::Tick);
        }
        assert_eq!(room.host.room().end().map(End::result), Some("*"));
        assert_eq!(room.host.room().aborted_by(), expected, "{game}, {choices}, {resigns}");
    }
}

#[test]
fn a_later_game_of_a_match_counts_once_both_have_moved_in_it() {
    let terms = Terms { games: Some(3), ..rated(TimeControl::Game { seconds: 60, increment: 0 }) };
    for (choices, ends, left) in [
        (0, "resigned", Both::new(true, false)),
        (1, "resigned", Both::new(true, false)),
        (0, "time", Both::new(true, false)),
        (1, "time", Both::new(false, true)),
        (2, "resigned", Both::default()),
        (2, "time", Both::default()),
    ] {
        let mut room = Seats::new(terms.clone());
        room.act(1, "1").expect("legal");
        room.act(2, "1").expect("legal");
        room.ask(1, Request::Resign).expect("a game is on");
        room.now += MINUTE;
        room.enter(HostInput::Tick);
        assert_eq!(room.snap().number, 2);
        // The players have swapped seats.
        for connection in [2, 1].into_iter().take(choices) {
            room.act(connection, "1").expect("legal");
        }
        if ends == "resigned" {
            room.ask(2, Request::Resign).expect("a game is on");
        } else {
            room.now += MINUTE + 1_000;
            room.enter(HostInput::Tick);
        }
        let game = room.host.room().finished().expect("the game is over");
        assert_eq!(game.end.termination(), ends, "it counts for the match");
        assert_eq!((game.rated, game.aborted_by), (choices == 2, left), "{choices}, {ends}");
    }
}

#[test]
fn a_rated_game_is_not_drawn_before_both_have_moved() {
    let mut room = Seats::new(rated(TimeControl::None));
    room.act(1, "1").expect("legal");
    assert_eq!(room.ask(1, Request::Offer { what: Offer::Draw }), Err(RejectionCode::TooSoon));
    room.act(2, "1").expect("legal");
    room.ask(1, Request::Offer { what: Offer::Draw }).expect("both have moved");
}

#[test]
fn an_invitation_whose_creator_has_left_is_withdrawn() {
    let open = terms("capture-the-line");
    for (terms, is_withdrawn) in [
        (Terms { rated: true, first: None, ..open.clone() }, true),
        (Terms { public: true, ..open.clone() }, true),
        (open, false),
    ] {
        let mut room = Seats::open(terms);
        room.join(1, None);
        room.now += 60 * MINUTE;
        room.enter(HostInput::Tick);
        assert!(room.host.room().is_open(), "the creator is there");
        room.enter(HostInput::Detach { connection: 1 });
        room.now += 2 * MINUTE - 1;
        room.enter(HostInput::Tick);
        assert!(room.host.room().is_open(), "the creator may come back");
        room.now += 1;
        room.join(2, None);
        let stage = if is_withdrawn { StageName::Closed } else { StageName::Playing };
        assert_eq!(room.snap().stage, stage);
    }
}

#[test]
fn nobody_is_called_gone_from_an_invitation_while_nodes_are_unreachable() {
    let mut room = Seats::open(rated(TimeControl::None));
    room.join(1, None);
    room.enter(HostInput::Detach { connection: 1 });
    room.cluster.is_partitioned = true;
    room.now += 60 * MINUTE;
    room.enter(HostInput::Tick);
    assert!(room.host.room().is_open());
    room.cluster.is_partitioned = false;
    room.enter(HostInput::Tick);
    room.now += 2 * MINUTE;
    room.enter(HostInput::Tick);
    assert!(!room.host.room().is_open());
}

#[test]
fn a_game_between_players_on_one_network_or_device_is_not_rated() {
    for (one, two, is_rated) in [
        ((1, 0), (1, 0), false),
        ((1, 0), (2, 0), true),
        ((1, 3), (2, 3), false),
        ((1, 3), (2, 4), true),
        // Logs of earlier versions lack this information.
        ((0, 0), (0, 0), true),
    ] {
        let at = |account, (network, device)| {
            let (network, device) = (NonZeroU64::new(network), NonZeroU64::new(device));
            Person { network, device, ..person(account) }
        };
        let mut room = Seats::open_by(at(1, one), rated(TimeControl::None));
        room.join(1, None);
        let person = at(2, two);
        let (id, have, watch) = (None, None, false);
        room.enter(HostInput::Attach { connection: 2, person, id, have, watch });
        assert_eq!(room.host.room().is_rated(), is_rated, "{one:?} {two:?}");
        let unrated = room.snap().unrated;
        assert_eq!(unrated.is_none(), is_rated, "{unrated:?}");
        assert!(unrated.is_none_or(|why| why.contains("the same address")));
    }
}
