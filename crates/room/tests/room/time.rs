//! Clocks, absence, and the cost of a restart.

use skirmish_room::wire::{End, MessageId, Offer, ServerMessage};
use skirmish_room::{
    Cluster, HostInput, Outage, RETURN, RejectionCode, Request, Room, Silence, Terms, TimeControl,
};
use skirmish_rules::{Both, GAMES};

use crate::seats::{Seats, terms};

fn ended(room: &Seats) -> End {
    room.host.room().end().expect("the game is over")
}

fn by_time(result: &str) -> End {
    End::read(result, "time").expect("the words of a game that ended on time")
}

/// A game in its second turn, in which the players took `first` and `second` milliseconds for their first choices.
fn second_turn(clock: TimeControl, first: u64, second: u64) -> Seats {
    let mut room = Seats::new(Terms { clock, ..terms("command-clash") });
    for thinking in [(0, 0), (first, second)] {
        let (first, second) = thinking;
        let start = room.now;
        for (player, thought) in
            if first < second { [(1, first), (2, second)] } else { [(2, second), (1, first)] }
        {
            room.now = start + thought;
            room.act(player, "charge").expect("legal");
        }
    }
    room
}

#[test]
fn a_late_choice_is_a_draw_if_both_are_out_of_time() {
    let mut room = second_turn(TimeControl::Move(20), 0, 0);
    room.now += 20_000;
    let start = room.log.len();
    room.now += 1;
    assert_eq!(room.act(1, "charge"), Err(RejectionCode::Over));
    assert_eq!(ended(&room), by_time("1/2-1/2"));
    assert_eq!(room.log.len(), start + 1, "the late choice is not logged");
}

#[test]
fn a_late_choice_loses_if_the_other_has_time_left() {
    let clock = TimeControl::Game { seconds: 30, increment: 0 };
    for (thinking, result) in [((10_000, 1_000), "0-1"), ((1_000, 10_000), "1-0")] {
        let mut room = second_turn(clock, thinking.0, thinking.1);
        let slow = if result == "0-1" { 1 } else { 2 };
        room.now += 20_500;
        assert_eq!(room.act(slow, "charge"), Err(RejectionCode::Over));
        assert_eq!(ended(&room), by_time(result));
    }
}

#[test]
fn who_has_chosen_cannot_run_out_of_time_with_the_other() {
    let mut room = second_turn(TimeControl::Move(20), 0, 0);
    room.act(2, "charge").expect("legal");
    room.now += 20_500;
    assert_eq!(room.act(1, "charge"), Err(RejectionCode::Over));
    assert_eq!(ended(&room), by_time("0-1"));
}

/// Lets a player charge over a connection with this lag.
fn charge(room: &mut Seats, player: u32, lag: u64) {
    room.messages += 1;
    let request = Request::Act { v: room.host.room().version(), text: "charge".to_owned() };
    let id = Some(MessageId::Number(room.messages));
    let (connection, account) = (player.into(), player.into());
    room.enter(HostInput::Request { connection, account, id, seen: None, lag, request });
}

#[test]
fn a_slow_connection_is_credited_before_the_flag_falls() {
    for (lag, is_in_time) in [(600, true), (400, false)] {
        let mut room = second_turn(TimeControl::Move(20), 0, 0);
        room.now += 20_500;
        charge(&mut room, 1, lag);
        assert_eq!(room.host.room().end().is_none(), is_in_time, "{lag}");
    }
}

#[test]
fn late_pongs_stop_gaining_time_when_the_lag_budget_is_used_up() {
    let clock = TimeControl::Game { seconds: 60, increment: 0 };
    let mut room = Seats::new(Terms { clock, ..terms("command-clash") });
    // The first choices are free. Each later one takes a second, which the server attributes entirely to lag.
    for turn in 0..11 {
        room.now += 1_000;
        for player in [1, 2] {
            charge(&mut room, player, if player == 1 { 1_100 } else { 0 });
        }
        // After a reload, the credited lag is known only from the log.
        if turn == 5 {
            room.fold();
        }
    }
    assert_eq!(room.left(), Both::new(56_000, 50_000), "a tenth of the minute is credited");
    assert_folds(&room);
}

/// Player 1 has a minute for the game and has thought for this long when the server is killed.
fn killed_after(thought: u64) -> (Seats, u64) {
    let clock = TimeControl::Game { seconds: 60, increment: 0 };
    let mut room = Seats::new(Terms { clock, ..terms("base-battle") });
    room.act(1, "2").expect("legal");
    room.act(2, "1").expect("legal");
    let turn = room.now;
    room.now += thought;
    room.fold();
    (room, turn)
}

/// Asserts that folding the log reproduces the clocks.
#[track_caller]
fn assert_folds(room: &Seats) {
    let folded = Room::fold(GAMES, &room.log).expect("the log folds");
    let clock = folded.snap(1, room.now).clock.expect("there are clocks");
    assert_eq!(Both::from(clock.left), room.left());
}

#[test]
fn after_a_crash_the_clocks_have_run_until_the_server_was_last_alive() {
    let (mut room, turn) = killed_after(15_000);
    room.now += 100_000;
    room.outage(turn + 10_000);
    assert_eq!(room.left(), Both::new(50_000 + RETURN, 60_000));
    room.now += RETURN;
    assert_eq!(room.left(), Both::new(50_000, 60_000), "it has waited for the player");
    room.now += 5_000;
    assert_eq!(room.left(), Both::new(45_000, 60_000));
    assert_folds(&room);
}

/// Regression: the first of two outages was charged if nobody had looked at the room in between.
#[test]
fn nobody_pays_for_an_outage_before_the_last_one() {
    let (mut room, turn) = killed_after(15_000);
    let first = Outage { id: 1, began: turn + 10_000, ended: turn + 40_000 };
    room.cluster = Cluster { outage: first, ..room.cluster };
    room.cluster.earlier = vec![first];
    room.now = turn + 50_000;
    room.cluster.outage.id = 1;
    room.outage(turn + 45_000);
    assert_eq!(room.left(), Both::new(50_000 + RETURN, 60_000));
}

/// Regression: a node that had hung and lost the player's connection flagged the player immediately.
#[test]
fn a_node_that_has_hung_flags_nobody_who_has_left_it_meanwhile() {
    let mut room = Seats::new(Terms { clock: TimeControl::Move(10), ..terms("base-battle") });
    for player in [1, 2] {
        room.act(player, "1").expect("legal");
    }
    room.now += 7_500;
    room.enter(HostInput::Tick);
    let since = room.now;
    room.now += 10_000;
    room.cluster.silent = vec![Silence { since, until: Some(room.now), node: room.cluster.node }];
    room.enter(HostInput::Detach { connection: 1 });
    room.now += 100;
    room.enter(HostInput::Tick);
    assert!(room.host.room().end().is_none());
    room.join(1, None);
    assert_eq!(room.left(), Both::new(2_500 + RETURN, 10_000));
}

#[test]
fn after_a_crash_nobody_loses_time_from_before_their_turn() {
    let (mut room, turn) = killed_after(15_000);
    room.outage(turn - 500);
    assert_eq!(room.left(), Both::new(60_000 + RETURN, 60_000));
}

#[test]
fn after_a_crash_nobody_loses_more_than_they_had() {
    let (mut room, turn) = killed_after(15_000);
    room.now += 600_000;
    room.outage(turn + 90_000);
    assert_eq!(room.left(), Both::new(RETURN, 60_000));
    room.now += RETURN + 999;
    room.enter(HostInput::Tick);
    assert!(room.host.room().end().is_none());
    room.now += 1;
    room.enter(HostInput::Tick);
    assert_eq!(ended(&room), by_time("0-1"));
}

/// A game in which Player 1 moves two seconds after the game resumes.
fn moved_early() -> Seats {
    let (mut room, _) = killed_after(15_000);
    room.enter(HostInput::Pause);
    room.now += 100_000;
    room.outage(room.now);
    room.now += 2_000;
    room.act(1, "1").expect("legal");
    room
}

#[test]
fn time_that_nobody_needed_to_come_back_is_not_kept() {
    assert_eq!(moved_early().left().one, 45_000);
}

/// Regression: the first player to return and move started the clock of an absent opponent.
#[test]
fn clocks_wait_for_both_players_to_come_back() {
    let mut room = moved_early();
    assert_eq!(room.left().two, 60_000 + RETURN - 2_000);
    room.now += RETURN - 2_000;
    assert_eq!(room.left().two, 60_000, "it has waited for the player");
    room.now += 7_000;
    assert_eq!(room.left().two, 53_000);
    assert_folds(&room);
}

#[test]
fn a_server_that_has_stopped_costs_no_time_whenever_it_was_last_alive() {
    let (mut room, turn) = killed_after(15_000);
    room.enter(HostInput::Pause);
    room.now += 100_000;
    room.fold();
    room.outage(turn + 90_000);
    room.now += RETURN;
    assert_eq!(room.left(), Both::new(45_000, 60_000));
}

#[test]
fn a_game_can_be_claimed_once_the_opponent_has_been_gone_for_long_enough() {
    let clocks = [
        (TimeControl::None, 600_000),
        (TimeControl::Game { seconds: 300, increment: 0 }, 60_000),
        (TimeControl::Move(300), 60_000),
    ];
    for (clock, after) in clocks {
        let mut room = Seats::new(Terms { clock, ..terms("base-battle") });
        for (player, choice) in [(1, "2"), (2, "1"), (1, "1")] {
            room.act(player, choice).expect("legal");
        }
        assert_eq!(room.ask(1, Request::Claim), Err(RejectionCode::NotGone), "Bob is there");
        room.enter(HostInput::Detach { connection: 2 });
        assert_eq!(room.snap().claim_in, Some(after / 1000), "{clock}");
        room.now += after - 1;
        assert_eq!(room.snap().claim_in, Some(1), "{clock}");
        assert_eq!(room.ask(1, Request::Claim), Err(RejectionCode::NotGone), "too early");
        room.now += 1;
        room.ask(1, Request::Claim).expect("now it is time");
        assert_eq!(ended(&room), by_time("1-0"), "{clock}");
    }
}

#[test]
fn a_game_cannot_be_claimed_by_whoever_it_waits_for() {
    let mut room = Seats::new(terms("base-battle"));
    room.act(1, "2").expect("legal");
    room.act(2, "1").expect("legal");
    room.enter(HostInput::Detach { connection: 2 });
    room.now += 3_600_000;
    assert_eq!(room.ask(1, Request::Claim), Err(RejectionCode::NotGone));
    // An absence counts from the start of the opponent's turn.
    room.act(1, "1").expect("legal");
    assert_eq!(room.ask(1, Request::Claim), Err(RejectionCode::NotGone));
    room.now += 600_000;
    room.ask(1, Request::Claim).expect("now it is time");
}

#[test]
fn an_opponent_who_came_back_and_left_again_has_not_been_gone_for_long() {
    let mut room = Seats::new(terms("base-battle"));
    room.act(1, "2").expect("legal");
    room.enter(HostInput::Detach { connection: 2 });
    room.now += 599_000;
    room.join(2, None);
    room.enter(HostInput::Detach { connection: 2 });
    room.now += 599_000;
    assert_eq!(room.ask(1, Request::Claim), Err(RejectionCode::NotGone));
}

#[test]
fn a_game_of_days_is_not_claimed() {
    let mut room = Seats::new(Terms { clock: TimeControl::Days(2), ..terms("base-battle") });
    room.act(1, "2").expect("legal");
    room.enter(HostInput::Detach { connection: 2 });
    room.now += 24 * 3_600_000;
    assert_eq!(room.ask(1, Request::Claim), Err(RejectionCode::NotGone));
    assert_eq!(room.ask(1, Request::Offer { what: Offer::Draw }).err(), None, "the game is on");
}

#[test]
fn a_claim_that_cannot_be_judged_now_is_refused_with_the_time_to_ask_again() {
    let mut room = Seats::new(terms("base-battle"));
    room.cluster.is_partitioned = true;
    let (id, request) = (Some(MessageId::Number(1)), Request::Claim);
    let claim = HostInput::Request { connection: 1, account: 1, id, seen: None, lag: 0, request };
    let answers: Vec<ServerMessage> =
        room.enter(claim).into_iter().map(|outgoing| outgoing.message).collect();
    let [ServerMessage::Rej(rej)] = &answers[..] else { panic!("one refusal: {answers:?}") };
    assert_eq!((rej.code, rej.seconds), (RejectionCode::NotGone, Some(60)), "{}", rej.text);
}
