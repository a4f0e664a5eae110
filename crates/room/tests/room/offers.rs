//! What counts as consent to an offer.

use skirmish_room::wire::Offer;
use skirmish_room::{HostInput, RejectionCode, Request, Terms};
use skirmish_rules::Both;

use crate::seats::{Seats, terms};

const TAKEBACK: Request = Request::Offer { what: Offer::Takeback };

fn turns(room: &Seats) -> usize {
    room.host.room().table().expect("a game").turns_played()
}

#[test]
fn players_who_want_to_take_back_different_turns_have_not_agreed() {
    let mut room = Seats::new(terms("base-battle"));
    room.act(1, "2").expect("legal");
    room.act(2, "1").expect("legal");
    // Both offers are in flight at the same time.
    let seen = Some(room.host.room().version());
    room.ask_having_seen(1, seen, TAKEBACK).expect("possible");
    room.ask_having_seen(2, seen, TAKEBACK).expect("possible");
    assert_eq!(turns(&room), 2, "nobody has agreed to anything");
    let both = Some(Offer::Takeback);
    assert_eq!(Both::from(room.snap().offers), Both::new(both, both));
    // Each player can still accept the other's offer.
    room.ask(1, Request::Answer { what: Offer::Takeback, yes: true }).expect("Bob's offer stands");
    assert_eq!(turns(&room), 1);
    assert_eq!(Both::from(room.snap().offers), Both::default());
}

#[test]
fn players_who_want_to_take_back_the_same_turn_have_agreed() {
    let mut room = Seats::new(terms("command-clash"));
    for player in [1, 2] {
        room.act(player, "charge").expect("legal");
    }
    let seen = Some(room.host.room().version());
    room.ask_having_seen(1, seen, TAKEBACK).expect("possible");
    room.ask_having_seen(2, seen, TAKEBACK).expect("possible");
    assert_eq!(turns(&room), 0);
}

#[test]
fn crossing_offers_of_a_draw_or_a_rematch_are_consent() {
    let mut room = Seats::new(terms("base-battle"));
    for what in [Offer::Draw, Offer::Rematch] {
        let seen = Some(room.host.room().version());
        room.ask_having_seen(1, seen, Request::Offer { what }).expect("possible");
        room.ask_having_seen(2, seen, Request::Offer { what }).expect("possible");
    }
    assert_eq!(room.host.room().number(), 2);
}

#[test]
fn an_offer_to_take_back_a_turn_means_the_turn_that_was_seen() {
    let mut room = Seats::new(terms("command-clash"));
    for player in [1, 2] {
        room.act(player, "charge").expect("legal");
    }
    let seen = Some(room.host.room().version());
    for player in [1, 2] {
        room.act(player, "charge").expect("legal");
    }
    assert_eq!(room.ask_having_seen(1, seen, TAKEBACK), Err(RejectionCode::Version));
    let seen = Some(room.host.room().version());
    room.ask_having_seen(1, seen, TAKEBACK).expect("possible");
    room.ask(2, Request::Answer { what: Offer::Takeback, yes: true }).expect("possible");
    // A repeat of the request, made before the answer, would take back one more turn.
    assert_eq!(room.ask_having_seen(1, seen, TAKEBACK), Err(RejectionCode::Version));
    assert_eq!(turns(&room), 1);
}

/// The opponent's reply does not change which turn a player wants to take back.
#[test]
fn an_offer_to_take_back_a_turn_may_cross_the_reply() {
    let mut room = Seats::new(terms("base-battle"));
    room.act(1, "2").expect("legal");
    let seen = Some(room.host.room().version());
    room.act(2, "1").expect("legal");
    room.ask_having_seen(1, seen, TAKEBACK).expect("the same turn is meant");
}

#[test]
fn an_answer_is_about_an_offer_that_was_seen() {
    let mut room = Seats::new(terms("base-battle"));
    room.act(1, "2").expect("legal");
    room.ask(1, Request::Offer { what: Offer::Takeback }).expect("possible");
    let seen = Some(room.host.room().version());
    room.act(2, "1").expect("legal");
    room.ask(1, Request::Offer { what: Offer::Takeback }).expect("possible");
    let yes = Request::Answer { what: Offer::Takeback, yes: true };
    let late = room.ask_having_seen(2, seen, yes.clone());
    assert_eq!(late, Err(RejectionCode::Version), "it was about one turn, now it is about two");
    assert_eq!(turns(&room), 2);
    let seen = Some(room.host.room().version());
    room.ask_having_seen(2, seen, yes).expect("this offer was seen");
    assert_eq!(turns(&room), 0);
}

#[test]
fn nothing_is_decided_while_the_server_is_away() {
    let mut room = Seats::new(Terms { hints: true, ..terms("base-battle") });
    room.act(1, "2").expect("legal");
    room.act(2, "1").expect("legal");
    room.enter(HostInput::Pause);
    let paused = room.host.room();
    let v = paused.version();
    for request in [
        Request::Act { v, text: "1".to_owned() },
        Request::Offer { what: Offer::Draw },
        TAKEBACK,
        Request::Answer { what: Offer::Draw, yes: true },
        Request::Resign,
        Request::Claim,
    ] {
        let refused = paused.decide(room.now, 0, 1, None, &request).map_err(|why| why.code);
        assert_eq!(refused, Err(RejectionCode::Paused), "{request:?}");
    }
    // Any request to a running node resumes the game first.
    room.act(1, "1").expect("the game goes on");
    assert_eq!(room.host.room().version(), v + 2);
}
