//! Closing a room on the operator's behalf: nobody loses, and it stays closed.

use skirmish_room::wire::{End, Offer, ServerMessage, StageName};
use skirmish_room::words::CLOSED_BY_OPERATOR;
use skirmish_room::{
    HostInput, Logged, Mirror, Notice, RejectionCode, Request, Room, RoomEvent, Terms, TimeControl,
};
use skirmish_rules::{Both, GAMES, Side};

use crate::seats::{Seats, terms};

/// A game in which both players have chosen once.
fn begun(clock: TimeControl) -> Seats {
    let mut room = Seats::new(Terms { clock, ..terms("base-battle") });
    room.act(1, "2").expect("legal");
    room.act(2, "1").expect("legal");
    room
}

#[test]
fn the_operator_closes_a_room_and_nobody_loses() {
    let mut room = begun(TimeControl::Move(20));
    let shut = room.host.room().shut(room.now);
    let mut log = room.log.clone();
    log.extend(shut);
    let closed = Room::fold(GAMES, &log).expect("the event fits");
    assert!(closed.is_over());
    assert_eq!(closed.end().map(End::result), Some("*"));
    assert_eq!(closed.snap(1, room.now).stage, StageName::Closed);
    assert_eq!(closed.shut(room.now), [], "once is enough");
    // A paused game can be closed too.
    room.now += 1;
    let mut log = room.log.clone();
    log.extend(room.host.room().pause(room.now));
    let paused = Room::fold(GAMES, &log).expect("the event fits");
    log.extend(paused.shut(room.now));
    assert!(Room::fold(GAMES, &log).expect("the event fits").is_over());
}

/// Returns the text that refuses a rematch; `None` if the rematch is accepted.
fn refused_rematch(room: &Seats, account: i64) -> Option<String> {
    let offer = Request::Offer { what: Offer::Rematch };
    room.host.room().decide(room.now, 0, account, None, &offer).err().map(|refusal| refusal.text)
}

#[test]
fn there_is_no_rematch_in_a_room_that_the_operator_has_closed() {
    let level = Some("novice".to_owned());
    let ended = |mut room: Seats| {
        room.act(1, "2").expect("legal");
        room.act(2, "1").expect("legal");
        room.ask(1, Request::Resign).expect("possible");
        room
    };
    let offered = |mut room: Seats| {
        room.ask(2, Request::Offer { what: Offer::Rematch }).expect("possible");
        room
    };
    let terms = || terms("base-battle");
    let rooms = [
        begun(TimeControl::Move(20)),
        Seats::new(Terms { level, ..terms() }),
        // Between two games of a match.
        ended(Seats::new(Terms { games: Some(3), ..terms() })),
        // The game ended just before the operator's order arrived.
        ended(Seats::new(terms())),
        offered(ended(Seats::new(terms()))),
    ];
    for mut room in rooms {
        room.enter(HostInput::Shut);
        assert_eq!(room.snap().stage, StageName::Closed);
        assert_eq!(Both::from(room.snap().offers), Both::default());
        for account in 1..=2 {
            if room.host.room().side_of(account).is_some() {
                let why = refused_rematch(&room, account).expect("refused");
                assert!(why.starts_with(CLOSED_BY_OPERATOR), "{why}");
            }
        }
        let agrees = room.ask(1, Request::Answer { what: Offer::Rematch, yes: true });
        assert_eq!(agrees, Err(RejectionCode::Over));
        room.now += 60_000;
        assert!(room.host.due(&room.cluster).is_none() && room.enter(HostInput::Tick).is_empty());
        let folded = Room::fold(GAMES, &room.log).expect("the log folds");
        assert!(folded.is_over() && folded.snap(1, room.now).stage == StageName::Closed);
    }
    let mut open = Seats::open(terms());
    open.join(1, None);
    open.enter(HostInput::Shut);
    let why = refused_rematch(&open, 1).expect("refused");
    assert_eq!(why, "The game was closed before it began. You can create another one.");
}

#[test]
fn a_rematch_in_a_closed_room_is_read_from_an_old_log() {
    let mut room = Seats::new(Terms { games: Some(3), ..terms("base-battle") });
    room.act(1, "2").expect("legal");
    room.act(2, "1").expect("legal");
    room.ask(1, Request::Resign).expect("possible");
    room.enter(HostInput::Shut);
    let (at, by, left, what) = (room.now, None, None, Offer::Rematch);
    for event in [
        RoomEvent::Offered { side: Side::One, what },
        RoomEvent::Answered { side: Side::Two, what, yes: true },
        RoomEvent::Began,
    ] {
        room.log.push(Logged { at, by: by.clone(), left, event });
    }
    let folded = Room::fold(GAMES, &room.log).expect("the log folds");
    assert!(folded.is_playing() && folded.number() == 2);
}

#[test]
fn a_client_knows_that_a_room_was_closed_for_good() {
    for has_missed_it in [false, true] {
        let mut room = begun(TimeControl::None);
        let mut mirror = Mirror::new(GAMES, "ABCDEF", "n");
        mirror.receive(ServerMessage::Snap(Box::new(room.snap())));
        while mirror.advance().is_some() {}
        assert!(mirror.may_rematch());
        let sent = room.enter(HostInput::Shut);
        if has_missed_it {
            mirror.receive(ServerMessage::Snap(Box::new(room.snap())));
        } else {
            for outgoing in sent {
                mirror.receive(outgoing.message);
            }
        }
        let told: Vec<Notice> = std::iter::from_fn(|| mirror.advance()).collect();
        assert!(matches!(&told[..], [Notice::Ended(_), Notice::Closed]), "{told:?}");
        assert!(!mirror.may_rematch() && mirror.stage() == StageName::Closed);
    }
}

/// Regression: the end of the game and the closing of the room are two messages, and a client offered a rematch in
/// between.
#[test]
fn a_client_knows_with_the_end_of_the_game_that_the_operator_closes_the_room() {
    let mut room = begun(TimeControl::Move(20));
    let mut mirror = Mirror::new(GAMES, "ABCDEF", "n");
    mirror.receive(ServerMessage::Snap(Box::new(room.snap())));
    while mirror.advance().is_some() {}
    let mut sent = room.enter(HostInput::Shut).into_iter().map(|outgoing| outgoing.message);
    mirror.receive(sent.next().expect("the end of the game"));
    let told: Vec<Notice> = std::iter::from_fn(|| mirror.advance()).collect();
    assert!(matches!(&told[..], [Notice::Ended(_), Notice::Closed]), "{told:?}");
    assert!(!mirror.may_rematch());
    sent.for_each(|message| mirror.receive(message));
    assert_eq!(mirror.advance(), None, "it is told once");
    assert_eq!(mirror.version(), room.host.room().version());
    // A game that was aborted because nobody moved in time allows a rematch.
    let mut room = Seats::new(Terms { clock: TimeControl::Move(20), ..terms("base-battle") });
    let mut mirror = Mirror::new(GAMES, "ABCDEF", "n");
    mirror.receive(ServerMessage::Snap(Box::new(room.snap())));
    room.now += 600_000;
    for outgoing in room.enter(HostInput::Tick) {
        mirror.receive(outgoing.message);
    }
    while mirror.advance().is_some() {}
    assert!(mirror.end().is_some() && mirror.may_rematch());
}
