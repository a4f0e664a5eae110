//! A room with two players, for tests that are short conversations.

use skirmish_room::wire::{MessageId, ServerMessage, Snap};
use skirmish_room::{
    AccountId, Cluster, ConnectionId, Host, HostInput, Logged, Millis, Outage, Outgoing, Person,
    RejectionCode, Request, Room, RoomEvent, SideWish, Terms,
};
use skirmish_rules::{Both, GAMES};

use crate::conversation::carry_out;

/// A room with its log. Each connection has the same number as its account.
pub(crate) struct Seats {
    pub(crate) host: Host,
    pub(crate) cluster: Cluster,
    pub(crate) log: Vec<Logged>,
    pub(crate) now: Millis,
    pub(crate) messages: u64,
}

pub(crate) fn person(account: AccountId) -> Person {
    let name = ["Ann", "Bob"][usize::try_from(account - 1).expect("small") % 2].to_owned();
    Person { account, name, registered: true, ..Person::default() }
}

pub(crate) fn terms(game: &str) -> Terms {
    let entry = GAMES.find(game).expect("the game exists");
    let chosen = Terms { seat: SideWish::P1, first: Some(SideWish::P1), ..Terms::new(entry) };
    if chosen.proposal(GAMES).is_ok() { chosen } else { Terms { first: None, ..chosen } }
}

impl Seats {
    pub(crate) fn new(terms: Terms) -> Self {
        let mut room = Self::open(terms);
        room.join(1, None);
        room.join(2, None);
        room
    }

    /// A room to which nobody has connected.
    pub(crate) fn open(terms: Terms) -> Self {
        Self::open_by(person(1), terms)
    }

    /// A room created by this person, to which nobody has connected.
    pub(crate) fn open_by(creator: Person, terms: Terms) -> Self {
        let event = RoomEvent::Created {
            code: "ABCDEF".to_owned(),
            terms: Box::new(terms),
            creator,
            seed: 7,
            date: None,
        };
        let log = Room::create(1_000, None, event);
        let cluster = Cluster::alone(1_000);
        let host = Host::new(Room::fold(GAMES, &log).expect("a new room"), 1_000, &cluster);
        Self { host, cluster, log, now: 1_000, messages: 0 }
    }

    pub(crate) fn enter(&mut self, input: HostInput) -> Vec<Outgoing> {
        carry_out(&mut self.host, &mut self.log, self.now, &self.cluster, input)
    }

    /// Reloads the room from its log, as after a restart.
    pub(crate) fn fold(&mut self) {
        let room = Room::fold(GAMES, &self.log).expect("the log folds");
        self.host = Host::new(room, self.now, &self.cluster);
    }

    /// Simulates an outage from `began` until now.
    pub(crate) fn outage(&mut self, began: Millis) {
        self.cluster.outage = Outage { id: self.cluster.outage.id + 1, began, ended: self.now };
        self.enter(HostInput::Tick);
    }

    pub(crate) fn join(&mut self, connection: ConnectionId, have: Option<u64>) -> Vec<Outgoing> {
        let person = person(AccountId::try_from(connection).expect("small"));
        self.enter(HostInput::Attach { connection, person, id: None, have, watch: false })
    }

    pub(crate) fn ask(
        &mut self,
        connection: ConnectionId,
        request: Request,
    ) -> Result<u64, RejectionCode> {
        self.ask_having_seen(connection, None, request)
    }

    pub(crate) fn ask_having_seen(
        &mut self,
        connection: ConnectionId,
        seen: Option<u64>,
        request: Request,
    ) -> Result<u64, RejectionCode> {
        self.messages += 1;
        let id = Some(MessageId::Number(self.messages));
        let account = AccountId::try_from(connection).expect("small");
        let input = HostInput::Request { connection, account, id, seen, lag: 0, request };
        let answer = self.enter(input).into_iter().find_map(|outgoing| match outgoing.message {
            ServerMessage::Ack { v, .. } => Some(Ok(v.expect("a version"))),
            ServerMessage::Rej(rej) => Some(Err(rej.code)),
            _ => None,
        });
        answer.expect("every request is answered")
    }

    pub(crate) fn act(
        &mut self,
        connection: ConnectionId,
        text: &str,
    ) -> Result<u64, RejectionCode> {
        let v = self.host.room().version();
        self.ask(connection, Request::Act { v, text: text.to_owned() })
    }

    pub(crate) fn snap(&self) -> Snap {
        self.host.room().snap(1, self.now)
    }

    pub(crate) fn left(&self) -> Both<Millis> {
        self.snap().clock.expect("there are clocks").left.into()
    }
}
