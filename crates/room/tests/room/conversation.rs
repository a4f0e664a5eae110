//! Arbitrary bytes as messages, and as a whole conversation with a room. The fuzz targets use this file too.

use serde_json::to_string;
use skirmish_room::wire::{
    ClientMessage, LONGEST_MESSAGE, MessageId, Offer, Phrase, Rej, RoomRequest, ServerMessage,
};
use skirmish_room::{
    AccountId, AppendError, Cluster, ConnectionId, Effect, Host, HostEvent, HostInput, Logged,
    Millis, Mirror, Outgoing, Person, Recipient, Request, Room, RoomEvent, Task, Terms,
    TimeControl,
};
use skirmish_rules::GAMES;

/// More lines take long and reveal nothing new.
const MOST_LINES: usize = 120;

const CODE: &str = "ABCDEF";

/// Reads bytes as a message: every accepted message prints and parses again to the same text.
pub(crate) fn read_message(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    if let Ok(message) = serde_json::from_str::<ClientMessage>(text) {
        let printed = to_string(&message).expect("a message is JSON");
        let again: ClientMessage = serde_json::from_str(&printed).expect("it parses again");
        assert_eq!(again, message);
    }
    if let Ok(message) = serde_json::from_str::<ServerMessage>(text) {
        let printed = to_string(&message).expect("a message is JSON");
        let again: ServerMessage = serde_json::from_str(&printed).expect("it parses again");
        assert_eq!(to_string(&again).expect("a message is JSON"), printed);
    }
}

/// Reads lines as server messages to a client with a running game. Nothing may panic.
pub(crate) fn listen(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut mirror = Mirror::new(GAMES, CODE, "n");
    for line in text.split('\n').take(MOST_LINES) {
        if let Ok(message) = serde_json::from_str::<ServerMessage>(line) {
            mirror.receive(message);
        }
        while mirror.advance().is_some() {
            let _ = (mirror.asked(), mirror.number(), mirror.time_left(1));
        }
        let _ = mirror.catch_up();
    }
    assert!(!mirror.connected(false).is_empty());
}

/// Lets two players and two spectators talk to a room. The first byte chooses the game, the second the terms. Each line
/// begins with a connection number, followed by JSON or one of the short forms of [`Talk::short`].
pub(crate) fn converse(bytes: &[u8]) {
    let [game, terms, lines @ ..] = bytes else { return };
    let lines = String::from_utf8_lossy(lines);
    let mut talk = Talk::begin(*game, *terms);
    for line in lines.split('\n').take(MOST_LINES) {
        talk.line(line);
    }
    talk.finish();
}

struct Talk {
    log: Vec<Logged>,
    host: Host,
    cluster: Cluster,
    now: Millis,
    messages: u64,
    /// Unanswered messages.
    open: Vec<MessageId>,
}

fn person(connection: ConnectionId) -> Person {
    let account = AccountId::try_from(connection).expect("a digit");
    Person { account, name: format!("Person {account}"), registered: true, ..Person::default() }
}

impl Talk {
    fn begin(game: u8, choice: u8) -> Self {
        let entry = GAMES.0[usize::from(game) % GAMES.0.len()];
        let clocks = [
            TimeControl::None,
            TimeControl::Move(10),
            TimeControl::Game { seconds: 30, increment: 2 },
            TimeControl::Days(1),
        ];
        let terms = Terms {
            clock: clocks[usize::from(choice) % clocks.len()],
            games: (choice & 4 > 0).then_some(2),
            level: (choice & 8 > 0).then(|| "novice".to_owned()),
            spectators: choice & 16 == 0,
            max_turns: (choice & 32 > 0).then_some(3),
            ..Terms::new(entry)
        };
        let event = RoomEvent::Created {
            code: CODE.to_owned(),
            terms: Box::new(terms),
            creator: person(1),
            seed: u64::from(choice >> 6),
            date: None,
        };
        let log = Room::create(1_000, None, event);
        let cluster = Cluster::alone(1_000);
        let host = Host::new(Room::fold(GAMES, &log).expect("a new room"), 1_000, &cluster);
        Self { log, host, cluster, now: 1_000, messages: 0, open: Vec::new() }
    }

    fn line(&mut self, line: &str) {
        let mut letters = line.chars();
        let Some(digit) = letters.next().and_then(|digit| digit.to_digit(10)) else { return };
        let connection = ConnectionId::from(digit % 5);
        let rest = letters.as_str();
        if connection == 0 {
            return self.server(rest);
        }
        let message = match rest.starts_with('{') {
            true if rest.len() <= LONGEST_MESSAGE => serde_json::from_str(rest).ok(),
            true => None,
            false => self.short(rest),
        };
        for input in message.map(|message| inputs_of(connection, message)).unwrap_or_default() {
            self.enter(input);
        }
    }

    /// Handles a server event: time passes, the computer chooses, or the server is killed, stops or resumes.
    fn server(&mut self, line: &str) {
        let mut letters = line.chars();
        match letters.next() {
            Some('t') => {
                let digit = letters.next().and_then(|digit| digit.to_digit(10)).unwrap_or(3);
                self.now += 10_u64.pow(digit);
                self.enter(HostInput::Tick);
            }
            Some('b') => self.now = self.now.saturating_sub(5_000),
            Some('c') => match self.host.task(self.now, &self.cluster) {
                Some(Task::Choose(side, table)) => {
                    let text = match table.choices(side).first() {
                        Some(choice) if letters.as_str().is_empty() => choice.notation.clone(),
                        _ => letters.as_str().to_owned(),
                    };
                    self.enter(HostInput::Choice { side, text });
                }
                Some(Task::AnswerDraw(side, _)) => {
                    self.enter(HostInput::DrawAnswer { side, yes: letters.next().is_none() });
                }
                None => {}
            },
            Some('k') => {
                let room = Room::fold(GAMES, &self.log).expect("the log folds");
                self.host = Host::new(room, self.now, &self.cluster);
                self.resume();
            }
            Some('p') => self.enter(HostInput::Pause),
            Some('d') => self.enter(HostInput::Drain),
            Some('r') => self.resume(),
            _ => {}
        }
    }

    /// Resumes after an outage that lasts until now.
    fn resume(&mut self) {
        let outage = &mut self.cluster.outage;
        (outage.id, outage.ended) = (outage.id + 1, self.now);
        self.enter(HostInput::Tick);
    }

    /// Parses the short form of a message: a letter and its arguments.
    fn short(&mut self, line: &str) -> Option<ClientMessage> {
        let mut letters = line.chars();
        let letter = letters.next()?;
        self.messages += u64::from(letter != '=');
        let (id, code) = (MessageId::Number(self.messages), CODE.to_owned());
        let v = self.host.room().version();
        let what = match letters.clone().next() {
            Some('t') => Offer::Takeback,
            Some('r') => Offer::Rematch,
            _ => Offer::Draw,
        };
        let asks = |seen, request| {
            ClientMessage::Request(RoomRequest::new(id.clone(), code.clone(), seen, request))
        };
        Some(match letter {
            'j' => ClientMessage::Join { id: None, code, have: None, watch: false },
            'J' => ClientMessage::Join { id: Some(id), code, have: Some(v), watch: false },
            'w' => ClientMessage::Join { id: None, code, have: None, watch: true },
            'l' => ClientMessage::Leave { code },
            // With `=`, reuses the id of the previous message.
            'a' | '=' | 'A' => {
                let v = if letter == 'A' { v.saturating_sub(2) } else { v };
                asks(None, Request::Act { v, text: letters.as_str().to_owned() })
            }
            'o' => asks(Some(v), Request::Offer { what }),
            'y' => asks(None, Request::Answer { what, yes: true }),
            'n' => asks(Some(v), Request::Answer { what, yes: false }),
            'r' => asks(Some(v), Request::Resign),
            'c' => asks(None, Request::Claim),
            's' => asks(None, Request::Say { phrase: Phrase::Oops }),
            _ => return None,
        })
    }

    fn enter(&mut self, input: HostInput) {
        if let HostInput::Request { id: Some(id), .. } = &input {
            self.open.push(id.clone());
        }
        let Self { log, host, cluster, now, .. } = self;
        for outgoing in carry_out(host, log, *now, cluster, input) {
            let printed = to_string(&outgoing.message).expect("a message is JSON");
            serde_json::from_str::<ServerMessage>(&printed).expect("it parses again");
            if let ServerMessage::Ack { id, .. } | ServerMessage::Rej(Rej { id: Some(id), .. }) =
                &outgoing.message
            {
                assert!(matches!(outgoing.to, Recipient::One(_)), "answers are private");
                self.open.retain(|other| other != id);
            }
        }
        assert!(self.open.is_empty(), "no answer to {:?}", self.open);
        assert_eq!(self.host.room().version(), self.log.len() as u64);
    }

    /// Checks that the log, even as JSON, reproduces the room.
    fn finish(self) {
        let lines = self.log.iter().map(|logged| to_string(logged).expect("an event is JSON"));
        let log = lines.map(|line| serde_json::from_str(&line).expect("it parses again"));
        let log: Vec<Logged> = log.collect();
        assert_eq!(log, self.log);
        assert!(log.is_sorted_by_key(|logged| logged.at), "time goes on");
        let folded = Room::fold(GAMES, &log).expect("the log folds");
        same_room(self.host.room(), &folded, self.now);
    }
}

/// Enters an input and carries out its effects immediately, with a database that always answers. Returns the messages
/// sent.
pub(crate) fn carry_out(
    host: &mut Host,
    log: &mut Vec<Logged>,
    now: Millis,
    cluster: &Cluster,
    input: HostInput,
) -> Vec<Outgoing> {
    let mut sent = Vec::new();
    let mut next = Some(HostEvent::Input(input));
    while let Some(event) = next.take() {
        for effect in host.handle(now, cluster, event).expect("the log fits") {
            let answer = match effect {
                Effect::Append { append, outage } => {
                    assert_eq!(outage, cluster.outage.id);
                    let is_next = append.after == log.len() as u64;
                    if is_next {
                        log.extend(append.events);
                    }
                    HostEvent::Appended(if is_next { Ok(()) } else { Err(AppendError::Conflict) })
                }
                Effect::Read { after } => {
                    let after = usize::try_from(after).expect("logs are short");
                    HostEvent::Read(Ok(log[after..].to_vec()))
                }
                Effect::Recognise(_) => HostEvent::Recognised(Ok(None)),
                Effect::Send(outgoing) => {
                    sent.push(outgoing);
                    continue;
                }
                Effect::Publish(_) | Effect::Close(_) => continue,
            };
            assert!(next.replace(answer).is_none(), "the database is asked one thing at a time");
        }
    }
    sent
}

/// Converts a client's message to host inputs.
fn inputs_of(connection: ConnectionId, message: ClientMessage) -> Vec<HostInput> {
    let person = person(connection);
    let account = person.account;
    match message {
        ClientMessage::Request(RoomRequest { id, seen, request, .. }) => {
            let id = Some(id);
            vec![HostInput::Request { connection, account, id, seen, lag: 0, request }]
        }
        ClientMessage::Join { id, have, watch, .. } => {
            vec![HostInput::Attach { connection, person, id, have, watch }]
        }
        ClientMessage::Leave { .. } => {
            let (id, seen, request) = (None, None, Request::Close);
            let close = HostInput::Request { connection, account, id, seen, lag: 0, request };
            vec![close, HostInput::Detach { connection }]
        }
        _ => Vec::new(),
    }
}

/// Checks that a room looks the same to everybody as the one folded from its log, except for presence, which is not
/// logged.
pub(crate) fn same_room(room: &Room, folded: &Room, now: Millis) {
    for account in 1..=4 {
        let seen = |room: &Room| {
            let mut snap = room.snap(account, now);
            snap.present = skirmish_rules::Both::default().into();
            snap.claim_in = None;
            to_string(&snap).expect("a snapshot is JSON")
        };
        assert_eq!(seen(room), seen(folded), "for account {account}");
        let listed = |room: &Room| to_string(&room.lobby_game(account)).expect("it is JSON");
        assert_eq!(listed(room), listed(folded), "for account {account}");
    }
    assert_eq!(room.due(), folded.due());
    let record = |room: &Room| room.record().map(|record| record.to_string());
    assert_eq!(record(room), record(folded));
    assert_eq!((room.end(), room.number()), (folded.end(), folded.number()));
}
