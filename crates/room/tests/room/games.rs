//! Two clients play every game through a host, without a network.

use std::collections::BTreeMap;

use skirmish_room::wire::{ClientMessage, Offer, RoomRequest, ServerMessage};
use skirmish_room::{
    AccountId, Cluster, ConnectionId, Host, HostInput, Logged, Mirror, Notice, Outgoing, Person,
    Recipient, Room, RoomEvent, SideWish, Terms,
};
use skirmish_rules::{Entry, GAMES, Side};

use crate::conversation::carry_out;

/// A room with two clients that are always connected.
struct Pair {
    host: Host,
    cluster: Cluster,
    log: Vec<Logged>,
    mirrors: BTreeMap<ConnectionId, Mirror>,
    now: u64,
}

fn person(account: AccountId) -> Person {
    Person { account, name: format!("Player {account}"), registered: true, ..Person::default() }
}

impl Pair {
    fn new(terms: Terms) -> Self {
        let code = "ABCDEF".to_owned();
        let event = RoomEvent::Created {
            code,
            terms: Box::new(terms),
            creator: person(1),
            seed: 7,
            date: None,
        };
        let log = Room::create(0, None, event);
        let cluster = Cluster::alone(1_000);
        let host = Host::new(Room::fold(GAMES, &log).expect("a new room"), 1_000, &cluster);
        let mut pair = Self { host, cluster, log, mirrors: BTreeMap::new(), now: 1_000 };
        for connection in [1, 2] {
            pair.mirrors.insert(connection, Mirror::new(GAMES, "ABCDEF", &connection.to_string()));
            let account = AccountId::try_from(connection).expect("a small number");
            pair.enter(HostInput::Attach {
                connection,
                person: person(account),
                id: None,
                have: None,
                watch: false,
            });
        }
        pair
    }

    fn enter(&mut self, input: HostInput) {
        let Self { host, cluster, log, now, .. } = self;
        let send = carry_out(host, log, *now, cluster, input);
        self.deliver(send);
    }

    fn deliver(&mut self, send: Vec<Outgoing>) {
        for Outgoing { to, message } in send {
            // Serialize the message, as on the wire.
            let text = serde_json::to_string(&message).expect("a message is JSON");
            for (connection, mirror) in &mut self.mirrors {
                if to == Recipient::All || to == Recipient::One(*connection) {
                    mirror.receive(
                        serde_json::from_str::<ServerMessage>(&text).expect("a message parses"),
                    );
                }
            }
        }
    }

    fn notices(&mut self, connection: ConnectionId) -> Vec<Notice> {
        let mirror = self.mirrors.get_mut(&connection).expect("the client exists");
        std::iter::from_fn(|| mirror.advance()).collect()
    }

    fn send(&mut self, connection: ConnectionId, make: impl FnOnce(&mut Mirror) -> ClientMessage) {
        let message = make(self.mirrors.get_mut(&connection).expect("the client exists"));
        let ClientMessage::Request(RoomRequest { id, request, .. }) = message else {
            panic!("not a request: {message:?}")
        };
        let account = AccountId::try_from(connection).expect("a small number");
        self.enter(HostInput::Request {
            connection,
            account,
            id: Some(id),
            seen: None,
            lag: 0,
            request,
        });
    }

    /// Plays until the game is over, always taking the choice at this index.
    fn play(&mut self, pick: usize) {
        for _ in 0..500 {
            let mut acted = false;
            for connection in [1, 2] {
                self.notices(connection);
                let mirror = &self.mirrors[&connection];
                let Some(side) = mirror.asked() else { continue };
                let choices = mirror.session().expect("a game").table().choices(side);
                let choice = choices[pick % choices.len()].notation.clone();
                self.send(connection, |mirror| mirror.act(&choice));
                acted = true;
            }
            if !acted {
                return;
            }
        }
    }
}

fn terms(entry: &Entry) -> Terms {
    Terms { seat: SideWish::P1, max_turns: Some(60), ..Terms::new(entry) }
}

#[test]
fn two_clients_play_every_game_and_agree_with_the_log() {
    for entry in GAMES.iter() {
        for pick in 0..3 {
            let mut pair = Pair::new(terms(entry));
            pair.play(pick);
            let folded = Room::fold(GAMES, &pair.log).expect("the log folds");
            assert!(folded.ending().is_some(), "{}", entry.id);
            let record = folded.record().expect("a game").to_string();
            for mirror in pair.mirrors.values() {
                let mirrored = mirror.session().expect("a game");
                let history = folded.table().expect("a game").history();
                assert_eq!(mirrored.table().history(), history, "{}", entry.id);
                assert_eq!(mirrored.ending(), folded.ending(), "{}", entry.id);
            }
            assert_eq!(pair.host.room().record().expect("a game").to_string(), record);
        }
    }
}

#[test]
fn a_match_goes_on_by_itself_and_a_rematch_swaps_the_seats() {
    let entry = GAMES.find("capture-the-line").expect("the game exists");
    let mut pair = Pair::new(Terms { games: Some(2), ..terms(entry) });
    pair.play(1);
    assert_eq!(pair.mirrors[&1].you(), Some(Side::One));
    pair.now += 10_000;
    pair.enter(HostInput::Tick);
    pair.notices(1);
    assert_eq!(
        pair.mirrors[&1].you(),
        Some(Side::Two),
        "Player 1 always starts, so the players swap seats"
    );
    pair.play(1);
    assert!(pair.host.room().is_over());
    pair.send(1, |mirror| mirror.offer(Offer::Rematch));
    pair.notices(2);
    pair.send(2, |mirror| mirror.answer(Offer::Rematch, true));
    assert_eq!(pair.host.room().number(), 3);
    assert_eq!(Room::with_records(GAMES, &pair.log).expect("the log folds").1.len(), 3);
}

#[test]
fn a_takeback_takes_consent() {
    let entry = GAMES.find("base-battle").expect("the game exists");
    let mut pair = Pair::new(Terms { first: Some(SideWish::P1), ..terms(entry) });
    pair.notices(1);
    pair.notices(2);
    pair.send(1, |mirror| mirror.act("2"));
    pair.notices(2);
    pair.send(1, |mirror| mirror.offer(Offer::Takeback));
    assert_eq!(pair.notices(2), [Notice::Offered(Side::One, Offer::Takeback)]);
    pair.send(2, |mirror| mirror.answer(Offer::Takeback, true));
    let told = pair.notices(2);
    assert!(told.contains(&Notice::TakenBack), "{told:?}");
    for mirror in pair.mirrors.values() {
        assert_eq!(mirror.session().expect("a game").table().turns_played(), 0);
    }
}

#[test]
fn guests_are_marked_wherever_players_are_named() {
    let entry = GAMES.find("base-battle").expect("the game exists");
    for (level, registered) in [(None, true), (None, false), (Some("novice".to_owned()), true)] {
        let event = RoomEvent::Created {
            code: "ABCDEF".to_owned(),
            terms: Box::new(Terms { level: level.clone(), ..terms(entry) }),
            creator: Person { registered, ..person(1) },
            seed: 7,
            date: None,
        };
        let room = Room::fold(GAMES, &Room::create(0, None, event)).expect("a new room");
        let snap = serde_json::to_value(room.snap(1, 0)).expect("a snapshot is JSON");
        let listed = serde_json::to_value(room.lobby_game(1)).expect("a line is JSON");
        for players in [&snap["players"], &listed["players"]] {
            let guest = (!registered).then_some(true);
            assert_eq!(players["1"].get("guest").and_then(serde_json::Value::as_bool), guest);
            assert_eq!(players["2"].get("guest"), None, "a free seat or the computer");
        }
    }
}
