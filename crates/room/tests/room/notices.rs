//! Notices, which the server sends without a request, and how clients show them.

use skirmish_room::wire::{ClientMessage, Rej, ServerMessage};
use skirmish_room::{HostInput, Mirror, Notice, RejectionCode, Terms, TimeControl};
use skirmish_rules::{Both, GAMES};

use crate::seats::{Seats, terms};

const CODE: &str = "ABCDEF";

fn mirror() -> Mirror {
    Mirror::new(GAMES, CODE, "n")
}

fn away(code: &str) -> Rej {
    Rej::about(code, RejectionCode::Storage, "Away.")
}

/// Returns the notice that a client shows for a message.
fn shown(mirror: &mut Mirror, rej: Rej) -> Option<Notice> {
    mirror.receive(ServerMessage::Rej(rej));
    mirror.advance()
}

fn stuck(text: &str, waits: bool) -> Notice {
    Notice::Stuck { text: text.to_owned(), waits }
}

#[test]
fn a_client_shows_notices_of_its_game_but_no_refusal_of_somebody_elses_message() {
    let mut mirror = mirror();
    assert_eq!(shown(&mut mirror, away(CODE)), Some(stuck("Away.", true)));
    let over = away(CODE).as_over();
    assert_eq!(shown(&mut mirror, over), Some(Notice::Unstuck("Away.".to_owned())));
    let computer = Rej::about(CODE, RejectionCode::TooLarge, "Why.");
    assert_eq!(shown(&mut mirror, computer), Some(stuck("Why.", false)));
    assert_eq!(shown(&mut mirror, away("GHJKLM")), None, "another game's");
    assert_eq!(shown(&mut mirror, Rej::of(None, RejectionCode::NotFound, "Why.")), None);
}

#[test]
fn an_outage_lasts_until_the_game_goes_on_or_the_connection_changes() {
    let (mut room, mut mirror) = thinking();
    let away = || ServerMessage::Rej(away(CODE));
    mirror.receive(away());
    assert_eq!(mirror.outage(), Some("Away."));
    // Neither the player's own move nor its acknowledgement resumes the game.
    let id = mirror.act("1").id().cloned().expect("a move has an id");
    mirror.receive(ServerMessage::Ack { id, code: Some(CODE.to_owned()), v: Some(6) });
    mirror.receive(ServerMessage::Rej(Rej::about(CODE, RejectionCode::TooLarge, "Why.")));
    while mirror.advance().is_some() {}
    assert_eq!(mirror.outage(), Some("Away."));
    mirror.receive(ServerMessage::Rej(self::away(CODE).as_over()));
    assert_eq!(mirror.outage(), None);
    mirror.receive(away());
    for outgoing in room.enter(HostInput::Pause) {
        mirror.receive(outgoing.message);
    }
    assert_eq!(mirror.outage(), None);
    mirror.receive(away());
    mirror.receive(ServerMessage::Snap(Box::new(room.snap())));
    assert_eq!(mirror.outage(), None);
    mirror.receive(away());
    let _ = mirror.connected(false);
    assert_eq!(mirror.outage(), None);
}

#[test]
fn a_refusal_without_an_id_is_no_notice() {
    let refusal = |code| Rej::of(None, code, "Why.");
    for code in [RejectionCode::TooLarge, RejectionCode::Storage] {
        assert_eq!(shown(&mut mirror(), refusal(code)), None);
        assert!(refusal(code).may_answer());
    }
    assert!(!away(CODE).may_answer());
}

/// A game in which the first player has thought for four seconds, with a client that follows it.
fn thinking() -> (Seats, Mirror) {
    let clock = TimeControl::Game { seconds: 60, increment: 0 };
    let mut room = Seats::new(Terms { clock, ..terms("base-battle") });
    for player in [1, 2] {
        room.act(player, "1").expect("legal");
    }
    let mut mirror = mirror();
    mirror.receive(ServerMessage::Snap(Box::new(room.snap())));
    while mirror.advance().is_some() {}
    room.now += 4_000;
    (room, mirror)
}

#[test]
fn clocks_stand_still_as_a_notice_tells_and_run_again() {
    let (room, mut mirror) = thinking();
    let game = room.host.room();
    assert_eq!(mirror.time_left(4_000), Some(Both::new(56_000, 60_000)));
    let stopped = game.stopped_clock(room.now - 1_000).expect("there are clocks");
    shown(&mut mirror, away(CODE).with_clock(Some(stopped)));
    assert_eq!(mirror.time_left(9_000), Some(Both::new(57_000, 60_000)));
    shown(&mut mirror, away(CODE));
    assert_eq!(mirror.time_left(9_000), Some(Both::new(57_000, 60_000)), "as they were told");
    shown(&mut mirror, away(CODE).with_clock(game.clock(room.now)).as_over());
    assert_eq!(mirror.time_left(1_000), Some(Both::new(55_000, 60_000)));
    // A client without a snapshot has no clocks to replace.
    let mut early = self::mirror();
    shown(&mut early, away(CODE).with_clock(game.clock(room.now)));
    assert_eq!(early.clock(), None);
}

#[test]
fn a_client_whose_clocks_stood_still_asks_how_they_are_when_it_connects_again() {
    let (room, mut mirror) = thinking();
    let have = |mirror: &mut Mirror| match mirror.connected(false).swap_remove(0) {
        ClientMessage::Join { have, .. } => have,
        message => panic!("{message:?}"),
    };
    let v = room.host.room().version();
    assert_eq!(have(&mut mirror), Some(v));
    let stopped = room.host.room().stopped_clock(room.now);
    shown(&mut mirror, away(CODE).with_clock(stopped));
    assert_eq!(have(&mut mirror), None, "a snapshot tells the clocks");
    mirror.receive(ServerMessage::Snap(Box::new(room.snap())));
    assert_eq!(have(&mut mirror), Some(v));
    assert_eq!(mirror.time_left(1_000), Some(Both::new(55_000, 60_000)));
}

#[test]
fn only_clocks_that_could_run_stand_still() {
    let (mut room, _) = thinking();
    // The clocks are never shown as of a time before the last event.
    let clock = room.host.room().stopped_clock(0).expect("there are clocks");
    assert_eq!(Both::from(clock.left), Both::new(60_000, 60_000));
    assert!(clock.running.is_empty() && clock.abort.is_none());
    room.ask(1, skirmish_room::Request::Resign).expect("possible");
    assert_eq!(room.host.room().stopped_clock(room.now), None);
    assert_eq!(Seats::new(terms("base-battle")).host.room().stopped_clock(9_000), None);
}
