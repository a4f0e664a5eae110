//! A room that another node owns: its followers are sent what the owner's are.

use skirmish_room::wire::{MessageId, Offer, Phrase, ServerMessage};
use skirmish_room::{
    ConnectionId, DeskInput, Forward, Lease, Logged, Millis, Outage, Outgoing, Recipient,
    RejectionCode, Replica, Report, Request, Room, RoomEvent, Served, Stopped, TimeControl,
    connection_of,
};
use skirmish_rules::{Both, GAMES, Side, Table};

use crate::random::Random;
use crate::seats::{Seats, person, terms};

const LEASE: Lease = Lease { node: 1, epoch: 1 };

/// What each follower is sent of the log, as text.
fn told(send: &[Outgoing], followers: &[ConnectionId]) -> Vec<(ConnectionId, String)> {
    let mut told = Vec::new();
    for Outgoing { to, message } in send {
        let mut message = message.clone();
        match &mut message {
            ServerMessage::Ev(_) => {}
            // It shows the clocks as they are when it is made.
            ServerMessage::Snap(snap) => snap.clock = None,
            _ => continue,
        }
        let text = serde_json::to_string(&message).expect("a message is JSON");
        let connections = match to {
            Recipient::One(connection) => vec![*connection],
            Recipient::All => followers.to_vec(),
        };
        told.extend(connections.into_iter().map(|connection| (connection, text.clone())));
    }
    told
}

fn attach(connection: ConnectionId, account: i64, watch: bool) -> DeskInput {
    DeskInput::Attach { connection, person: person(account), id: None, have: None, watch }
}

/// A replica of the room with the same connections as at its desk.
fn replica_of(seats: &Seats) -> Replica {
    let mut replica = Replica::new(Room::fold(GAMES, &seats.log).expect("the log folds"));
    let bell = seats.desk.bell(LEASE);
    replica.hear(seats.now, &bell);
    for account in 1..=2 {
        let connection = ConnectionId::try_from(account).expect("small");
        let handled = replica.handle(seats.now, &attach(connection, account, false));
        assert!(handled.forward.is_none());
    }
    replica
}

/// Something that a player might do.
fn anything(random: &mut Random, room: &Room, side: Side) -> Request {
    let choices = room.table().map(|table: &dyn Table| table.choices(side)).unwrap_or_default();
    let offers = [Offer::Draw, Offer::Takeback, Offer::Rematch];
    match random.below(12) {
        0..=6 if !choices.is_empty() => {
            Request::Act { v: room.version(), text: random.pick(&choices).notation }
        }
        7 => Request::Offer { what: random.pick(&offers) },
        8 | 9 => Request::Answer { what: random.pick(&offers), yes: random.percent(80) },
        10 if random.percent(20) => Request::Resign,
        _ => Request::Say { phrase: Phrase::Nice },
    }
}

#[test]
fn followers_are_sent_the_same_by_owner_and_replica_however_it_reads() {
    let mut count = 0;
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let game = random.pick(&["command-clash", "base-battle", "capture-the-line"]);
        let clock =
            random.pick(&[TimeControl::None, TimeControl::Game { seconds: 60, increment: 1 }]);
        let mut seats = Seats::new(skirmish_room::Terms { clock, games: Some(2), ..terms(game) });
        let mut replica = replica_of(&seats);
        let (mut owners, mut replicas) = (Vec::new(), Vec::new());
        for _ in 0..60 {
            seats.now += random.below(900);
            let account = 1 + i64::try_from(random.below(2)).expect("small");
            let room = seats.desk.room();
            let Some(side) = room.side_of(account) else { continue };
            let request = anything(&mut random, room, side);
            seats.messages += 1;
            let input = DeskInput::Request {
                connection: ConnectionId::try_from(account).expect("small"),
                account,
                id: Some(MessageId::Number(seats.messages)),
                seen: None,
                lag: 0,
                request,
            };
            let mut send = seats.enter(input);
            send.extend(seats.enter(DeskInput::Tick));
            owners.extend(told(&send, &[1, 2]));
            if random.percent(40) {
                replicas.extend(catch_up(&mut replica, &seats.log, seats.now));
            }
        }
        replicas.extend(catch_up(&mut replica, &seats.log, seats.now));
        count += owners.len();
        assert_eq!(owners, replicas, "seed {seed}");
    }
    assert!(count > 2_000, "{count} messages show little");
}

fn catch_up(replica: &mut Replica, log: &[Logged], now: Millis) -> Vec<(ConnectionId, String)> {
    // More than is needed: what is known is skipped.
    let after = replica.room().version().saturating_sub(2);
    let new = &log[usize::try_from(after).expect("small")..];
    let send = replica.advance(now, after, new).expect("the events fit");
    let followers: Vec<ConnectionId> = replica.followers().collect();
    told(&send, &followers)
}

/// A room with its creator on node 1, which owns it, seen from node 2.
fn open_room() -> (Seats, Replica) {
    let mut seats = Seats::open(terms("base-battle"));
    seats.join(1, None);
    let mut replica = Replica::new(Room::fold(GAMES, &seats.log).expect("the log folds"));
    replica.hear(seats.now, &seats.desk.bell(LEASE));
    (seats, replica)
}

fn present(send: &[Outgoing]) -> Option<(Both<bool>, u32)> {
    send.iter().rev().find_map(|outgoing| match &outgoing.message {
        ServerMessage::Presence { players, watchers, .. } => Some(((*players).into(), *watchers)),
        _ => None,
    })
}

#[test]
fn a_seat_is_taken_from_another_node() {
    let (mut seats, mut replica) = open_room();
    let connection = connection_of(2, 1);
    let input = attach(connection, 2, false);
    let forward = replica.handle(seats.now, &input).forward.expect("the owner gives seats");
    let v = replica.room().version();
    let sent = seats.enter(DeskInput::from(forward));
    // The owner's followers see that the newcomer is there before the node has reported it.
    assert_eq!(present(&sent), Some((Both::new(true, true), 0)));
    let new = &seats.log[usize::try_from(v).expect("small")..];
    let sent = replica.answered(seats.now, &input, Vec::new(), v, new).expect("the events fit");
    assert!(matches!(sent[0].message, ServerMessage::Snap(_)), "{sent:?}");
    assert_eq!(present(&sent), Some((Both::new(true, true), 0)));
    assert_eq!(replica.players().collect::<Vec<_>>(), [connection]);
    let report = replica.report(seats.now).expect("somebody is here now");
    assert_eq!(report.players, [2]);
    assert_eq!(replica.report(seats.now), None);
    assert_eq!(seats.desk.note_elsewhere(seats.now, 2, report).len(), 0);
    // The node falls silent.
    seats.now += 15_000;
    let sent = seats.enter(DeskInput::Tick);
    assert_eq!(present(&sent), Some((Both::new(true, false), 0)));
}

#[test]
fn who_has_sat_down_is_reported_only_if_the_owner_does_not_say_so_itself() {
    for is_told in [true, false] {
        let (mut seats, mut replica) = open_room();
        let input = attach(connection_of(2, 1), 2, false);
        assert!(replica.sits_down(&input));
        let forward = replica.handle(seats.now, &input).forward.expect("the owner gives seats");
        let v = replica.room().version();
        let before = seats.desk.bell(LEASE);
        seats.enter(DeskInput::from(forward));
        let bell = if is_told { seats.desk.bell(LEASE) } else { before };
        replica.hear(seats.now, &bell);
        let new = &seats.log[usize::try_from(v).expect("small")..];
        replica.answered(seats.now, &input, Vec::new(), v, new).expect("the events fit");
        assert!(!replica.sits_down(&input), "the seat is taken");
        assert_eq!(replica.report(seats.now).is_none(), is_told);
        // The owner hears of the node again before it would forget it.
        seats.now += 5_000;
        assert_eq!(replica.report(seats.now).map(|report| report.players), Some(vec![2]));
    }
}

#[test]
fn whoever_is_late_for_the_seat_watches() {
    let (mut seats, mut replica) = open_room();
    let input = attach(connection_of(2, 1), 3, false);
    let forward = replica.handle(seats.now, &input).forward.expect("the owner gives seats");
    seats.join(2, None);
    let sent = seats.enter(DeskInput::from(forward));
    let answer: Vec<ServerMessage> = sent.into_iter().map(|outgoing| outgoing.message).collect();
    assert!(matches!(answer[0], ServerMessage::Rej(_)));
    let sent = replica.answered(seats.now, &input, answer, 0, &seats.log).expect("the events fit");
    assert!(sent.iter().all(|outgoing| !matches!(outgoing.message, ServerMessage::Rej(_))));
    assert_eq!(replica.followers().count(), 1);
    assert_eq!(replica.report(seats.now).map(|report| report.watchers), Some(1));
}

#[test]
fn whoever_is_late_for_the_seat_is_sent_a_snapshot_before_anything_else() {
    let (mut seats, mut replica) = open_room();
    let node = connection_of(2, 1);
    let input = attach(node, 2, false);
    let forward = replica.handle(seats.now, &input).forward.expect("the seat is free there");
    seats.enter(DeskInput::Shut);
    let answer = seats.enter(forward.into()).into_iter().map(|outgoing| outgoing.message).collect();
    let after = replica.room().version();
    let log = seats.log[usize::try_from(after).expect("small")..].to_vec();
    let send = replica.answered(seats.now, &input, answer, after, &log).expect("it fits");
    let followers: Vec<ConnectionId> = replica.followers().collect();
    let (_, first) = told(&send, &followers).into_iter().find(|(to, _)| *to == node).expect("one");
    assert!(first.contains("\"snap\""), "{first}");
}

#[test]
fn ownership_changes_and_nobody_connects_again() {
    let mut seats = Seats::new(terms("base-battle"));
    let replica = replica_of(&seats);
    // The append of the old owner is fenced.
    let v = seats.desk.room().version();
    let input = DeskInput::Request {
        connection: 1,
        account: 1,
        id: Some(MessageId::Number(99)),
        seen: None,
        lag: 0,
        request: Request::Say { phrase: Phrase::Hello },
    };
    let step = seats.desk.handle(seats.now, input);
    assert_eq!(step.append.len(), 1);
    let pending = seats.desk.abandon().expect("a message waits");
    assert!(seats.desk.abandon().is_none());
    let desk = std::mem::replace(&mut seats.desk, replica.into_desk(seats.now).0);
    let mut former = desk.into_replica();
    let forward = former.handle(seats.now, &pending).forward.expect("the owner decides");
    let sent = seats.enter(DeskInput::from(forward));
    assert!(matches!(sent[0].message, ServerMessage::Ack { .. }), "{sent:?}");
    let new = &seats.log[usize::try_from(v).expect("small")..];
    let answer = vec![sent[0].message.clone()];
    let sent = former.answered(seats.now, &pending, answer, v, new).expect("the events fit");
    assert!(matches!(sent[0].message, ServerMessage::Ack { .. }), "{sent:?}");
    assert!(matches!(sent[1].message, ServerMessage::Ev(_)), "{sent:?}");
    assert_eq!(former.followers().count(), 2);
    // It is known here now, and needs no owner.
    assert!(former.handle(seats.now, &pending).forward.is_none());
    assert!(Forward::of(&DeskInput::Tick).is_none());
}

#[test]
fn a_player_on_a_third_node_stays_until_that_node_had_time_to_report() {
    let mut seats = Seats::new(terms("base-battle"));
    let mut replica = Replica::new(Room::fold(GAMES, &seats.log).expect("the log folds"));
    replica.hear(seats.now, &seats.desk.bell(LEASE));
    replica.handle(seats.now, &attach(connection_of(2, 1), 1, false));
    let sent;
    (seats.desk, sent) = replica.into_desk(seats.now);
    assert_eq!(seats.desk.room().present(), Both::new(true, true));
    assert!(sent.is_empty(), "nothing is new: {sent:?}");
    seats.now += 16_000;
    let sent = seats.enter(DeskInput::Tick);
    assert_eq!(present(&sent), Some((Both::new(true, false), 0)));
}

#[test]
fn a_new_owner_corrects_what_the_last_one_told() {
    let mut seats = Seats::new(terms("base-battle"));
    let mut replica = Replica::new(Room::fold(GAMES, &seats.log).expect("the log folds"));
    let mut bell = seats.desk.bell(LEASE);
    bell.attendance.watchers = 7;
    replica.hear(seats.now, &bell);
    replica.handle(seats.now, &attach(connection_of(2, 1), 1, false));
    let sent;
    (seats.desk, sent) = replica.into_desk(seats.now);
    assert_eq!(present(&sent), Some((Both::new(true, true), 0)));
}

#[test]
fn whoever_leaves_while_the_database_is_away_is_not_counted_when_it_is_back() {
    let mut seats = Seats::new(terms("base-battle"));
    for connection in [3, 4] {
        seats.enter(attach(connection, 3, true));
    }
    let mut replica = seats.desk.into_replica();
    for connection in [2, 4] {
        replica.handle(seats.now, &DeskInput::Detach { connection });
    }
    let (desk, sent) = replica.into_desk(seats.now);
    // The player may have come back on another node, which has time to say so.
    assert_eq!(present(&sent), Some((Both::new(true, true), 1)));
    assert_eq!(desk.bell(LEASE).attendance.watchers, 1);
}

#[test]
fn a_bell_of_an_earlier_owner_changes_nothing() {
    let seats = Seats::new(terms("base-battle"));
    let mut replica = replica_of(&seats);
    let mut bell = seats.desk.bell(Lease { node: 2, epoch: 2 });
    replica.report(seats.now);
    assert!(!replica.hear(seats.now, &bell).read);
    assert_eq!(replica.owner(), Some(bell.lease));
    assert!(replica.report(seats.now).is_some(), "a new owner is told at once");
    bell.lease = LEASE;
    (bell.v, bell.attendance.watchers) = (bell.v + 1, 9);
    let heard = replica.hear(seats.now, &bell);
    assert!(heard.read && heard.send.is_empty());
    assert_eq!(replica.owner(), Some(Lease { node: 2, epoch: 2 }));
}

/// The log after Bob, a guest, has signed in with account 8.
fn signed_in(seats: &Seats) -> Room {
    let mut log = seats.log.clone();
    for logged in &mut log {
        if let RoomEvent::Seated { person } = &mut logged.event {
            person.account = 8;
        }
    }
    Room::fold(GAMES, &log).expect("the log folds")
}

/// The sides that connections are told to have.
fn seats_told(send: &[Outgoing]) -> Vec<(Recipient, Option<u8>)> {
    let seat = |outgoing: &Outgoing| match &outgoing.message {
        ServerMessage::Snap(snap) => Some((outgoing.to, snap.you)),
        _ => None,
    };
    send.iter().filter_map(seat).collect()
}

#[test]
fn whoever_signs_in_is_told_their_seat_on_every_device() {
    let mut seats = Seats::new(terms("base-battle"));
    seats.enter(attach(8, 8, true));
    let mut replica = replica_of(&seats);
    replica.handle(seats.now, &attach(8, 8, true));
    let told = [(Recipient::One(2), None), (Recipient::One(8), Some(2))];
    let sent = seats.desk.replace(seats.now, signed_in(&seats));
    assert_eq!(seats_told(&sent), told);
    assert_eq!(seats_told(&replica.replace(seats.now, signed_in(&seats))), told);
    assert_eq!(seats_told(&seats.desk.replace(seats.now, signed_in(&seats))), [], "nothing is new");
}

#[test]
fn who_is_there_is_told_when_the_log_names_another_account() {
    let mut seats = Seats::new(terms("base-battle"));
    let mut replica = Replica::new(Room::fold(GAMES, &seats.log).expect("the log folds"));
    replica.handle(seats.now, &attach(connection_of(2, 1), 1, false));
    // The guest signs in on another node. Its owner knows it before this node.
    seats.enter(DeskInput::Detach { connection: 2 });
    let sent = seats.desk.replace(seats.now, signed_in(&seats));
    assert_eq!(present(&sent), None, "nobody has come or gone");
    seats.enter(attach(3, 8, false));
    replica.hear(seats.now, &seats.desk.bell(LEASE));
    let sent = replica.replace(seats.now, signed_in(&seats));
    assert_eq!(present(&sent), Some((Both::new(true, true), 0)));
    // They leave, and the node of the guest has reported the account before the owner knows it.
    let mut seats = Seats::new(terms("base-battle"));
    seats.enter(DeskInput::Detach { connection: 2 });
    seats.desk.note_elsewhere(seats.now, 2, Report { players: vec![8], watchers: 0 });
    let sent = seats.desk.replace(seats.now, signed_in(&seats));
    assert_eq!(present(&sent), Some((Both::new(true, true), 0)));
}

#[test]
fn nobody_is_called_gone_while_a_node_does_not_get_through() {
    let mut seats = Seats::new(terms("base-battle"));
    seats.act(1, "1").expect("a legal move");
    let report = Report { players: vec![2], watchers: 1 };
    seats.desk.note_elsewhere(seats.now, 2, report);
    seats.enter(DeskInput::Detach { connection: 2 });
    seats.desk.note_deaf(seats.now, true);
    seats.now += 3_600_000;
    // A node whose report is old makes nobody busy.
    assert!(seats.desk.due().is_none_or(|due| due > seats.now));
    assert!(seats.enter(DeskInput::Tick).is_empty());
    assert_eq!(seats.desk.room().present(), Both::new(true, true));
    assert_eq!(seats.ask(1, Request::Claim), Err(RejectionCode::NotGone));
    seats.desk.note_deaf(seats.now, false);
    // Its node has time to report.
    assert!(seats.enter(DeskInput::Tick).is_empty());
    seats.now += 15_000;
    let sent = seats.enter(DeskInput::Tick);
    assert_eq!(present(&sent), Some((Both::new(true, false), 0)));
    seats.now += 590_000;
    assert_eq!(seats.ask(1, Request::Claim), Err(RejectionCode::NotGone));
    seats.now += 10_000;
    assert!(seats.ask(1, Request::Claim).is_ok());
}

#[test]
fn clocks_resume_after_a_dead_owner_and_nobody_loses_by_a_takeover() {
    let clock = TimeControl::Move(20);
    let mut seats = Seats::new(skirmish_room::Terms { clock, ..terms("base-battle") });
    let (now, v) = (seats.now, seats.desk.room().version());
    let due = seats.desk.room().due().expect("a first move is due");
    let resumes = |seats: &Seats, now, served: Served| match served.resume(seats.desk.room(), now) {
        Some(DeskInput::Resume { until }) => Some(until),
        _ => None,
    };
    let living = Served { beat: Some(now + 5), ..Served::default() };
    assert_eq!(resumes(&seats, now, living), None);
    let dead = |v| Served { stopped: Some(Stopped { until: now, v }), ..living };
    assert_eq!(resumes(&seats, now + 9_000, dead(v)), Some(now));
    assert_eq!(resumes(&seats, now + 9_000, dead(v - 1)), None);
    // Time is up because there was no owner to take a move.
    assert_eq!(resumes(&seats, due, living), Some(now + 5));
    // Nobody followed the room, and its owner had released it.
    assert_eq!(resumes(&seats, due, Served::default()), None);
    let outage = |reached, failed| {
        let outage = Outage::noted(seats.desk.room(), reached, failed, now + 9_000);
        Served { outage, ..Served::default() }
    };
    assert_eq!(resumes(&seats, now + 9_000, outage(now + 1, now + 4)), Some(now + 1));
    assert_eq!(resumes(&seats, now + 9_000, outage(now - 5, now + 4)), Some(now));
    // Something has been appended since.
    assert_eq!(resumes(&seats, now + 9_000, outage(now - 5, now - 1)), None);
    // Another owner would have noticed a long outage, and resumed the clocks after a while.
    let taken = |reached, failed| Served { beat: Some(now), ..outage(reached, failed) };
    assert_eq!(resumes(&seats, now + 9_000, taken(now + 1, now + 4)), Some(now + 1));
    assert_eq!(resumes(&seats, now + 9_000, taken(now + 1, now + 8_000)), None);
    assert_eq!(resumes(&seats, now + 20_000, taken(now + 1, now + 4)), None);
    // Another owner has served the room after the outage, and released it without a pause.
    let stopped = Some(Stopped { until: now + 12_000, v });
    let released = Served { stopped, ..outage(now + 1, now + 4) };
    assert_eq!(resumes(&seats, now + 12_500, released), Some(now + 12_000));
    assert_eq!(resumes(&seats, now + 20_000, outage(now + 1, now + 4)), None);
    seats.enter(DeskInput::Stop);
    assert_eq!(resumes(&seats, now, Served::default()), Some(now));
}
