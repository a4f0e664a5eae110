//! An in-process server: real rooms, with arcades connected to them without a network.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use skirmish_room::wire::{
    ClientMessage, End, Finished, Leader, Lobby, MessageId, PROTO, Rej, RoomRequest, ServerMessage,
    Welcome,
};
use skirmish_room::{
    AccountId, Cluster, ConnectionId, Effect, Host, HostEvent, HostInput, Millis, Outgoing, Person,
    Recipient, RejectionCode, Request, Room, RoomEvent, Task, Terms, TimeControl,
};
use skirmish_rules::{Both, GAMES, Side, Table};

use super::super::Arcade;
use crate::online::{Link, LinkEvent, OnlineGoal};
use crate::{ArcadeEvent, Look, Start};

/// Channels for an arcade's messages and its requests for records.
struct Wire(Sender<ClientMessage>, Sender<(String, u32)>);

impl Link for Wire {
    fn send(&mut self, message: ClientMessage) {
        // A test may use the arcade after the club has been dropped.
        let _ = self.0.send(message);
    }

    fn fetch(&mut self, code: &str, number: u32) {
        let _ = self.1.send((code.to_owned(), number));
    }
}

/// A player with an arcade.
pub(super) struct Guest {
    pub(super) arcade: Arcade,
    name: &'static str,
    sent: Receiver<ClientMessage>,
    /// The records that the arcade has requested.
    pub(super) fetched: Receiver<(String, u32)>,
    is_connected: bool,
}

/// The server, with all its guests.
pub(super) struct Club {
    pub(super) guests: Vec<Guest>,
    hosts: BTreeMap<String, Host>,
    pub(super) now: Millis,
    /// The acts received by the server, for tests that look for duplicates.
    pub(super) acts: Vec<String>,
}

impl Club {
    pub(super) fn new() -> Self {
        Self { guests: Vec::new(), hosts: BTreeMap::new(), now: 1_000_000, acts: Vec::new() }
    }

    /// Adds a guest who opens an arcade and connects.
    pub(super) fn enter(&mut self, name: &'static str, look: Look, goal: OnlineGoal) -> usize {
        let guest = self.arrive(name, look, goal);
        self.settle();
        guest
    }

    /// Connects a new guest, whose first messages wait for the next [`Club::settle`].
    pub(super) fn arrive(&mut self, name: &'static str, look: Look, goal: OnlineGoal) -> usize {
        let (sender, sent) = channel();
        let (asking, fetched) = channel();
        let server = "https://play.example.org".to_owned();
        let start = Start::Online { link: Box::new(Wire(sender, asking)), goal, server };
        let arcade = Arcade::starting(look, start);
        self.guests.push(Guest { arcade, name, sent, fetched, is_connected: false });
        let guest = self.guests.len() - 1;
        self.greet(guest);
        guest
    }

    /// A club with a game on these terms, created by the first guest and joined by the second.
    pub(super) fn sit_down(look: Look, terms: Terms) -> Self {
        let mut club = Self::new();
        club.open("K7PQ2M", terms, 0);
        for name in ["Ann", "Bob"] {
            club.enter(name, look, goal("K7PQ2M"));
        }
        club
    }

    /// Creates a game for a guest.
    pub(super) fn open(&mut self, code: &str, terms: Terms, guest: usize) {
        let name = self.guests.get(guest).map_or("Ann", |guest| guest.name);
        let event = RoomEvent::Created {
            code: code.to_owned(),
            terms: Box::new(terms),
            creator: person(guest, name),
            seed: 7,
            date: Some("2026.11.16".to_owned()),
        };
        let log = Room::create(self.now, None, event);
        let room = Room::fold(GAMES, &log).expect("a new room");
        let host = Host::new(room, self.now, &Cluster::alone(self.now));
        self.hosts.insert(code.to_owned(), host);
    }

    pub(super) fn connect(&mut self, guest: usize) {
        self.greet(guest);
        self.settle();
    }

    fn greet(&mut self, guest: usize) {
        let welcome = Welcome {
            proto: PROTO,
            server: "club".to_owned(),
            name: self.guests[guest].name.to_owned(),
            guest: true,
            token: None,
            url: Some("https://play.example.org".to_owned()),
            games: Vec::new(),
        };
        self.guests[guest].is_connected = true;
        self.tell(guest, LinkEvent::Connected(welcome));
    }

    /// Drops a guest's connection, with all messages in transit.
    pub(super) fn disconnect(&mut self, guest: usize) {
        self.guests[guest].is_connected = false;
        while self.guests[guest].sent.try_recv().is_ok() {}
        for code in self.hosts.keys().cloned().collect::<Vec<String>>() {
            self.input(&code, HostInput::Detach { connection: connection(guest) });
        }
        self.tell(guest, LinkEvent::Lost { text: "The network is unreachable.".to_owned() });
        self.settle();
    }

    /// Sends an event to an arcade without involving a room.
    pub(super) fn tell(&mut self, guest: usize, event: LinkEvent) {
        self.guests[guest].arcade.take(ArcadeEvent::Link(event));
    }

    pub(super) fn press(&mut self, guest: usize, keys: &str) {
        for key in keys.split_whitespace() {
            self.guests[guest].arcade.press(key);
            self.settle();
            self.read();
        }
    }

    /// Lets the reading pause pass for guests without motion, unless a clock is running.
    fn read(&mut self) {
        if self.hosts.values().any(|host| host.room().terms().clock != TimeControl::None) {
            return;
        }
        for Guest { arcade, .. } in &mut self.guests {
            if !arcade.app.context.look.motion {
                arcade.pass(Duration::from_secs(1));
            }
        }
        self.settle();
    }

    /// Types a word after `:`.
    pub(super) fn word(&mut self, guest: usize, text: &str) {
        self.guests[guest].arcade.press(":");
        self.guests[guest].arcade.write(text);
        self.press(guest, "Enter");
    }

    pub(super) fn see(&mut self, guest: usize) -> String {
        // Wide enough that no sentence wraps.
        self.guests[guest].arcade.picture(200, 30)
    }

    #[track_caller]
    pub(super) fn sees(&mut self, guest: usize, text: &str) {
        let picture = self.see(guest);
        let words = picture.replace('│', " ");
        let words: Vec<&str> = words.split_whitespace().collect();
        assert!(words.join(" ").contains(text), "missing: {text}\n{picture}");
    }

    #[track_caller]
    pub(super) fn misses(&mut self, guest: usize, text: &str) {
        let picture = self.see(guest);
        assert!(!picture.contains(text), "{picture}");
    }

    pub(super) fn room(&self, code: &str) -> &Room {
        self.hosts[code].room()
    }

    /// Advances the clock of the rooms and the arcades.
    pub(super) fn pass(&mut self, time: Duration) {
        self.now += Millis::try_from(time.as_millis()).expect("a short time");
        for code in self.hosts.keys().cloned().collect::<Vec<String>>() {
            if self.hosts[&code].due(&Cluster::alone(self.now)).is_some_and(|due| due <= self.now) {
                self.input(&code, HostInput::Tick);
            }
        }
        for guest in &mut self.guests {
            guest.arcade.pass(time);
        }
        self.settle();
    }

    /// Delivers all messages, including those sent in response.
    pub(super) fn settle(&mut self) {
        loop {
            let sent = self
                .guests
                .iter()
                .enumerate()
                .find_map(|(number, guest)| Some((number, guest.sent.try_recv().ok()?)));
            let Some((guest, message)) = sent else { return };
            if self.guests[guest].is_connected {
                self.handle(guest, message);
            }
        }
    }

    fn handle(&mut self, guest: usize, message: ClientMessage) {
        let (connection, account) = (connection(guest), account(guest));
        let message = match message {
            ClientMessage::Create { id, terms } => return self.create(guest, id, terms),
            ClientMessage::Seek { id, terms } => return self.seek(guest, id, terms),
            ClientMessage::Join { id, code, have, watch } => {
                let person = person(guest, self.guests[guest].name);
                return self
                    .input(&code, HostInput::Attach { connection, person, id, have, watch });
            }
            ClientMessage::Leave { code } => {
                return self.input(&code, HostInput::Leave { connection, account });
            }
            ClientMessage::Lobby => return self.show_lobby(guest),
            ClientMessage::Leaders { game } => {
                let leader = |name: &str, rating| Leader {
                    name: name.to_owned(),
                    rating,
                    deviation: 80,
                    games: 12,
                };
                let players = match game.as_str() {
                    "base-battle" => vec![leader("Ann", 1712), leader("Bob", 1498)],
                    _ => Vec::new(),
                };
                let leaders = ServerMessage::Leaders { game, players };
                return self.tell(guest, LinkEvent::Message(leaders));
            }
            ClientMessage::History => {
                let game = |number, result: &str, rating| Finished {
                    code: "K7PQ2M".to_owned(),
                    number,
                    game: "base-battle".to_owned(),
                    names: Both::new("Ann".to_owned(), "Bob".to_owned()).into(),
                    you: 1,
                    end: End::read(result, "rules").expect("an end"),
                    date: Some("2026.11.16".to_owned()),
                    rating,
                };
                let games = vec![game(2, "1-0", Some(1712)), game(1, "1/2-1/2", None)];
                let history = ServerMessage::History { games };
                return self.tell(guest, LinkEvent::Message(history));
            }
            ClientMessage::Register { id, name } if name == "Bob" => {
                let rej = Rej::of(Some(id), RejectionCode::Name, "The name Bob is taken.");
                return self.tell(guest, LinkEvent::Message(ServerMessage::Rej(rej)));
            }
            ClientMessage::Register { id, name } => {
                let recovery = "BCDF-GHJK".to_owned();
                let registered = ServerMessage::Registered { id, name, recovery };
                return self.tell(guest, LinkEvent::Message(registered));
            }
            ClientMessage::Link { id } => {
                let link = ServerMessage::Link { id, link: "QRST2345".to_owned(), seconds: 600 };
                return self.tell(guest, LinkEvent::Message(link));
            }
            other => other,
        };
        let ClientMessage::Request(RoomRequest { id, code, seen, request }) = message else {
            panic!("the arcade does not send {message:?}")
        };
        if let Request::Act { text, .. } = &request {
            self.acts.push(text.clone());
        }
        let id = Some(id);
        self.input(&code, HostInput::Request { connection, account, id, seen, lag: 0, request });
    }

    fn create(&mut self, guest: usize, id: MessageId, terms: Terms) {
        let code = format!("NEW22{}", ["A", "B", "C"][self.hosts.len() % 3]);
        self.open(&code, terms, guest);
        let ack = ServerMessage::Ack { id, code: Some(code), v: Some(1) };
        self.tell(guest, LinkEvent::Message(ack));
    }

    fn seek(&mut self, guest: usize, id: MessageId, terms: Terms) {
        let fits = |host: &&Host| host.room().is_open() && *host.room().terms() == terms;
        match self.hosts.values().find(fits).map(|host| host.room().code().to_owned()) {
            Some(code) => {
                let ack = ServerMessage::Ack { id, code: Some(code), v: Some(1) };
                self.tell(guest, LinkEvent::Message(ack));
            }
            None => self.create(guest, id, terms),
        }
    }

    fn show_lobby(&mut self, guest: usize) {
        let account = account(guest);
        let mut lobby = Lobby::default();
        for host in self.hosts.values() {
            let room = host.room();
            let game = room.lobby_game(account);
            if room.side_of(account).is_some() {
                if room.is_open() || room.is_playing() {
                    lobby.yours.push(game);
                }
            } else if room.is_open() && room.terms().public {
                lobby.open.push(game);
            } else if room.is_playing() && room.terms().spectators {
                lobby.live.push(game);
            }
        }
        self.tell(guest, LinkEvent::Message(ServerMessage::Lobby(lobby)));
    }

    pub(super) fn input(&mut self, code: &str, input: HostInput) {
        if !self.hosts.contains_key(code) {
            return self.refuse_unknown(code, &input);
        }
        let cluster = Cluster::alone(self.now);
        let mut next = Some(HostEvent::Input(input));
        while let Some(event) = next.take() {
            let host = self.hosts.get_mut(code).expect("the room exists");
            let effects = host.handle(self.now, &cluster, event).expect("events fit");
            let followers: Vec<ConnectionId> = host.followers().collect();
            // The computer always plays its first choice.
            let first = |table: &dyn Table, side| table.choices(side).swap_remove(0).notation;
            let task = host.task(self.now, &cluster).map(|task| match task {
                Task::Choose(side, table) => HostInput::Choice { side, text: first(&*table, side) },
                Task::AnswerDraw(side, _) => HostInput::DrawAnswer { side, yes: false },
            });
            next = task.map(HostEvent::Input);
            for effect in effects {
                match effect {
                    Effect::Send(outgoing) => self.deliver(&followers, outgoing),
                    Effect::Append { .. } => next = Some(HostEvent::Appended(Ok(()))),
                    Effect::Recognise(_) => next = Some(HostEvent::Recognised(Ok(None))),
                    Effect::Read { .. } | Effect::Publish(_) | Effect::Close(_) => {
                        unreachable!("the server is alone, and has every room in memory")
                    }
                }
            }
        }
    }

    fn refuse_unknown(&mut self, code: &str, input: &HostInput) {
        if let HostInput::Attach { connection, .. } = input {
            let text = format!("There is no game {code}: check the code.");
            let rej = Rej::of(None, RejectionCode::NotFound, text);
            let guest = usize::try_from(*connection).expect("a small number");
            self.tell(guest, LinkEvent::Message(ServerMessage::Rej(rej)));
        }
    }

    fn deliver(&mut self, followers: &[ConnectionId], Outgoing { to, message }: Outgoing) {
        // Serialise the message, as on the wire.
        let text = serde_json::to_string(&message).expect("a message is JSON");
        for guest in 0..self.guests.len() {
            let own = connection(guest);
            let is_for = match to {
                Recipient::One(one) => one == own,
                Recipient::All => followers.contains(&own),
            };
            if is_for && self.guests[guest].is_connected {
                let message = serde_json::from_str(&text).expect("a message parses");
                self.tell(guest, LinkEvent::Message(message));
            }
        }
    }

    /// The guest who has to choose, if any, and their side.
    pub(super) fn asked(&self, code: &str) -> Option<(usize, Side)> {
        let room = self.room(code);
        let table = room.table()?;
        (0..self.guests.len()).find_map(|guest| {
            let side = room.side_of(account(guest))?;
            let game = room.lobby_game(account(guest));
            (game.your_turn && table.turn().contains(&side)).then_some((guest, side))
        })
    }
}

pub(super) fn goal(code: &str) -> OnlineGoal {
    OnlineGoal::Game { code: code.to_owned(), watch: false }
}

fn connection(guest: usize) -> ConnectionId {
    ConnectionId::try_from(guest).expect("a small number")
}

pub(super) fn account(guest: usize) -> AccountId {
    AccountId::try_from(guest).expect("a small number")
}

fn person(guest: usize, name: &str) -> Person {
    Person { account: account(guest), name: name.to_owned(), registered: true, ..Person::default() }
}
