//! Bugs found by the simulation or in review, each reproduced by the shortest conversation.

use skirmish_room::wire::{ClientMessage, MessageId, Offer, RoomRequest, ServerMessage, StageName};
use skirmish_room::{
    HostInput, Mirror, Outage, Outgoing, Recipient, RejectionCode, Request, Room, RuleValue, Terms,
    TimeControl,
};
use skirmish_rules::{Both, GAMES, Side};

use crate::seats::{Seats, person, terms};

#[test]
fn a_resignation_that_is_sent_again_does_not_count_in_the_next_game() {
    let mut room = Seats::new(Terms { games: Some(3), ..terms("base-battle") });
    room.act(1, "2").expect("legal");
    room.act(2, "1").expect("legal");
    let seen = Some(room.host.room().version());
    room.ask(1, Request::Resign).expect("the first game ends");
    room.now += 10_000;
    room.enter(HostInput::Tick);
    assert_eq!(room.host.room().number(), 2);
    let again = room.ask_having_seen(2, seen, Request::Resign);
    assert_eq!(again, Err(RejectionCode::Version));
    let offer = room.ask_having_seen(2, seen, Request::Offer { what: Offer::Draw });
    assert_eq!(offer, Err(RejectionCode::Version));
    let seen = Some(room.host.room().version());
    assert!(room.ask_having_seen(2, seen, Request::Resign).is_ok());
}

#[test]
fn a_server_that_stops_when_the_next_game_is_due_pauses_it() {
    let mut room = Seats::new(Terms { games: Some(2), ..terms("base-battle") });
    room.act(1, "2").expect("legal");
    room.act(2, "1").expect("legal");
    room.ask(1, Request::Resign).expect("the first game ends");
    room.now += 10_000;
    room.enter(HostInput::Pause);
    assert_eq!(room.host.room().number(), 2, "it had begun by then");
    assert_eq!(room.snap().stage, StageName::Paused);
}

#[test]
fn whoever_joins_when_a_flag_is_due_gets_a_snapshot() {
    let clock = TimeControl::Move(10);
    let mut room = Seats::new(Terms { clock, ..terms("base-battle") });
    room.act(1, "2").expect("legal");
    room.enter(HostInput::Detach { connection: 2 });
    room.now += 60_000;
    let sent = room.join(2, Some(1));
    let is_snap = |outgoing: &Outgoing| {
        outgoing.to == Recipient::One(2)
            && matches!(&outgoing.message, ServerMessage::Snap(snap) if snap.end.is_some())
    };
    assert!(sent.iter().any(is_snap), "{sent:?}");
}

#[test]
fn a_game_that_has_begun_cannot_be_closed() {
    let mut room = Seats::new(terms("base-battle"));
    let request = Request::Close;
    let close =
        HostInput::Request { connection: 1, account: 1, id: None, seen: None, lag: 0, request };
    let before = room.log.len();
    room.enter(close);
    assert_eq!(room.log.len(), before, "a game that has begun is not closed");
}

#[test]
fn an_illegal_choice_of_the_computer_is_not_logged() {
    let level = Some("novice".to_owned());
    let mut room = Seats::new(Terms { level, ..terms("base-battle") });
    room.act(1, "2").expect("legal");
    let before = room.log.len();
    room.enter(HostInput::Choice { side: Side::Two, text: "9".to_owned() });
    assert_eq!(room.log.len(), before);
    assert!(room.host.task(room.now, &room.cluster).is_some(), "it is asked again");
    room.enter(HostInput::Choice { side: Side::Two, text: "1".to_owned() });
    assert_eq!(room.log.len(), before + 1);
    Room::fold(GAMES, &room.log).expect("the log folds");
}

const MINUTE: TimeControl = TimeControl::Game { seconds: 60, increment: 0 };

/// A game with three choices, one second each, 15 seconds into Player 2's turn.
fn while_player_2_thinks(clock: TimeControl) -> Seats {
    let mut room = Seats::new(Terms { clock, ..terms("base-battle") });
    for (player, choice) in [(1, "2"), (2, "1"), (1, "1")] {
        room.now += 1_000;
        room.act(player, choice).expect("legal");
    }
    room.now += 15_000;
    room
}

#[test]
fn time_for_a_move_is_given_again_after_a_takeback() {
    let mut room = while_player_2_thinks(TimeControl::Move(20));
    room.ask(1, Request::Offer { what: Offer::Takeback }).expect("possible");
    room.ask(2, Request::Answer { what: Offer::Takeback, yes: true }).expect("possible");
    assert_eq!(room.left(), Both::new(20_000, 20_000));
}

#[test]
fn time_for_a_game_stays_used_after_a_takeback() {
    let mut room = while_player_2_thinks(MINUTE);
    room.ask(1, Request::Offer { what: Offer::Takeback }).expect("possible");
    room.ask(2, Request::Answer { what: Offer::Takeback, yes: true }).expect("possible");
    assert_eq!(room.left(), Both::new(59_000, 45_000));
}

#[test]
fn the_clocks_of_a_finished_game_show_what_was_left() {
    let mut room = while_player_2_thinks(MINUTE);
    room.ask(1, Request::Offer { what: Offer::Draw }).expect("possible");
    room.ask(2, Request::Answer { what: Offer::Draw, yes: true }).expect("possible");
    assert_eq!(room.left(), Both::new(59_000, 45_000));
}

#[test]
fn nobody_has_chosen_any_more_when_the_game_is_over() {
    let mut room = Seats::new(terms("command-clash"));
    room.act(1, "charge").expect("legal");
    room.act(2, "charge").expect("legal");
    room.act(1, "charge").expect("legal");
    assert_eq!(room.snap().chosen, [1]);
    room.ask(2, Request::Resign).expect("possible");
    assert!(room.snap().chosen.is_empty());
}

#[test]
fn a_client_is_not_asked_again_between_the_answer_and_the_event() {
    let mut room = Seats::new(terms("base-battle"));
    let mut mirror = Mirror::new(GAMES, "ABCDEF", "n");
    mirror.receive(ServerMessage::Snap(Box::new(room.snap())));
    while mirror.advance().is_some() {}
    assert_eq!(mirror.asked(), Some(Side::One));
    let ClientMessage::Request(RoomRequest { id, request, .. }) = mirror.act("2") else {
        panic!("a choice");
    };
    let input =
        HostInput::Request { connection: 1, account: 1, id: Some(id), seen: None, lag: 0, request };
    let mut steps = Vec::new();
    for outgoing in room.enter(input) {
        mirror.receive(outgoing.message);
        while mirror.advance().is_some() {}
        steps.push(mirror.asked());
    }
    assert_eq!(steps, [None, None], "first the acknowledgement, then the turn");
}

#[test]
fn an_absence_does_not_count_from_before_the_room_was_folded() {
    let mut room = Seats::new(terms("base-battle"));
    room.act(1, "2").expect("legal");
    // Both players stay for half an hour and then leave, so the room is unloaded.
    room.now += 30 * 60_000;
    room.enter(HostInput::Detach { connection: 2 });
    room.enter(HostInput::Detach { connection: 1 });
    room.fold();
    room.join(1, None);
    assert_eq!(room.ask(1, Request::Claim), Err(RejectionCode::NotGone));
    room.now += 10 * 60_000;
    assert!(room.ask(1, Request::Claim).is_ok());
}

#[test]
fn spectators_are_counted_when_a_player_sits_down() {
    let entry = GAMES.find("base-battle").expect("the game exists");
    let mut room = Seats::open(Terms::new(entry));
    let (connection, id, have) = (3, None, None);
    room.enter(HostInput::Attach { connection, person: person(3), id, have, watch: true });
    let sent = room.join(2, None);
    let counts = sent.iter().find_map(|outgoing| match &outgoing.message {
        ServerMessage::Presence { watchers, .. } => Some(*watchers),
        _ => None,
    });
    assert_eq!(counts, Some(1));
}

#[test]
fn a_snapshot_of_an_impossible_match_is_not_believed() {
    let mut room = Seats::new(Terms { games: Some(3), ..terms("base-battle") });
    room.act(1, "2").expect("legal");
    room.act(2, "1").expect("legal");
    room.ask(1, Request::Resign).expect("the game ends");
    let mut snap = room.snap();
    let standing = snap.standing.as_mut().expect("a match");
    standing.half_points = Both::new(u32::MAX, 0).into();
    let mut mirror = Mirror::new(GAMES, "ABCDEF", "n");
    mirror.receive(ServerMessage::Snap(Box::new(snap)));
    while mirror.advance().is_some() {}
    assert!(mirror.session().is_none());
}

#[test]
fn a_client_that_missed_a_takeback_keeps_the_passes_that_were_played_again() {
    let tight = [("positions", 3), ("steps", 1)];
    let tight = tight.map(|(name, value)| (name.to_owned(), RuleValue::Number(value)));
    let mut room = Seats::new(Terms { rules: tight.into(), ..terms("base-battle") });
    let mut mirror = Mirror::new(GAMES, "ABCDEF", "n");
    let mut look = |room: &Seats| {
        mirror.receive(ServerMessage::Snap(Box::new(room.snap())));
        while mirror.advance().is_some() {}
        mirror.session().expect("a game").table().history()
    };
    room.act(1, "1").expect("legal");
    room.act(1, "pass").expect("now neither can move");
    assert_eq!(look(&room), ["1", "pass", "pass"]);
    room.ask(1, Request::Offer { what: Offer::Takeback }).expect("possible");
    room.ask(2, Request::Answer { what: Offer::Takeback, yes: true }).expect("possible");
    room.act(1, "1").expect("legal");
    assert_eq!(look(&room), ["1", "pass"]);
}

#[test]
fn a_refusal_that_is_asked_for_again_stays_a_refusal_for_a_while() {
    let mut room = Seats::new(terms("base-battle"));
    let ask = |room: &mut Seats, number: u64| {
        let (account, id, seen) = (2, Some(MessageId::Number(number)), None);
        let request = Request::Act { v: room.host.room().version(), text: "1".to_owned() };
        room.enter(HostInput::Request { connection: 2, account, id, seen, lag: 0, request });
        room.host.room().table().expect("a game").turns_played()
    };
    for number in 100..164 {
        assert_eq!(ask(&mut room, number), 0, "it is not Bob's turn");
    }
    room.act(1, "2").expect("legal");
    for number in 100..164 {
        assert_eq!(ask(&mut room, number), 1, "each was refused before");
    }
    assert_eq!(ask(&mut room, 164), 2);
}

#[test]
fn an_outage_is_settled_once_even_if_the_clock_is_slow() {
    let mut room = while_player_2_thinks(MINUTE);
    let (began, v) = (room.now - 10_000, room.host.room().version());
    room.cluster.outage = Outage { id: 1, began, ended: room.now + 800 };
    room.enter(HostInput::Tick);
    room.enter(HostInput::Tick);
    assert_eq!(room.host.room().version(), v + 1);
}
