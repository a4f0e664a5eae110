//! The simulated clients: each plays, watches or misbehaves through a mirror, and checks what it is told.

use std::collections::BTreeMap;

use skirmish_room::wire::{ClientMessage, MessageId, Offer, Phrase, ServerMessage, StageName};
use skirmish_room::{AccountId, ConnectionId, Mirror, Notice};
use skirmish_rules::Side;

use super::ensure;
use super::judge::id_of;
use super::scenario::Role;
use super::server::CODE;
use super::world::{Event, World, index};

/// What was answered to a message.
#[derive(Clone, Debug, PartialEq)]
enum Answered {
    Yes(Option<u64>),
    No(String),
}

/// A client.
pub(super) struct Client {
    pub(super) account: AccountId,
    watch: bool,
    mirror: Mirror,
    pub(super) connection: Option<ConnectionId>,
    /// Whether it is to connect soon.
    is_connecting: bool,
    answers: BTreeMap<MessageId, Answered>,
    /// Messages that the mirror told the answer of.
    told: Vec<MessageId>,
    /// The turns that were shown, of this game.
    shown: (u32, Vec<String>),
    ended: Vec<u32>,
    /// How often it has woken since nothing goes wrong any more.
    finale: u64,
}

impl Client {
    pub(super) fn new(number: usize, role: &Role) -> Self {
        Self {
            account: role.account,
            watch: role.watch,
            mirror: Mirror::new(CODE, &format!("c{number}")),
            connection: None,
            is_connecting: true,
            answers: BTreeMap::new(),
            told: Vec::new(),
            shown: (0, Vec::new()),
            ended: Vec::new(),
            finale: 0,
        }
    }

    /// Shows everything that is new, as a front end does, and checks that nothing is shown twice.
    fn show(&mut self) -> Result<(), String> {
        while let Some(notice) = self.mirror.advance() {
            let number = self.mirror.number();
            let history = self.mirror.session().map(|session| session.table().history());
            let history = history.unwrap_or_default();
            let (shown_number, shown) = &mut self.shown;
            match notice {
                Notice::Began { .. } => {
                    ensure(number > *shown_number, || format!("game {number} begins again"))?;
                    self.shown = (number, history);
                }
                Notice::Turn => {
                    let is_next = history.len() == shown.len() + 1 && history.starts_with(shown);
                    ensure(is_next && number == *shown_number, || {
                        format!("a turn is shown twice or is missing: {shown:?}, {history:?}")
                    })?;
                    self.shown.1 = history;
                }
                Notice::TakenBack => {
                    let is_shorter = history.len() < shown.len() && shown.starts_with(&history);
                    ensure(is_shorter, || format!("taken back to {history:?} from {shown:?}"))?;
                    self.shown.1 = history;
                }
                Notice::Ended(_) => {
                    ensure(!self.ended.contains(&number), || format!("game {number} ends twice"))?;
                    self.ended.push(number);
                }
                Notice::Accepted(id) => self.note_told(id)?,
                Notice::Refused(rej) => self.note_told(rej.id.ok_or("the mirror knows the id")?)?,
                Notice::Waiting
                | Notice::Chosen(_)
                | Notice::Offered(..)
                | Notice::Answered(..)
                | Notice::Score(..)
                | Notice::Said(..)
                | Notice::Presence(_)
                | Notice::Paused
                | Notice::Resumed
                | Notice::Closed => {}
            }
        }
        Ok(())
    }

    fn note_told(&mut self, id: MessageId) -> Result<(), String> {
        ensure(!self.told.contains(&id), || format!("{id:?} is answered twice to the user"))?;
        self.told.push(id);
        Ok(())
    }

    /// A message gets one answer, however often it is sent.
    fn note_answer(&mut self, message: &ServerMessage) -> Result<(), String> {
        let (id, answer) = match message {
            ServerMessage::Ack { id, v, .. } => (id, Answered::Yes(*v)),
            ServerMessage::Rej(rej) => {
                let Some(id) = &rej.id else { return Ok(()) };
                (id, Answered::No(rej.text.clone()))
            }
            _ => return Ok(()),
        };
        let first = self.answers.entry(id.clone()).or_insert_with(|| answer.clone());
        ensure(
            *first == answer || matches!((&first, &answer), (Answered::No(_), Answered::No(_))),
            || format!("{id:?} was answered with {first:?}, and then with {answer:?}"),
        )
    }

    /// What this client waits for.
    pub(super) fn unsettled(&self) -> Option<String> {
        (self.connection.is_none() || self.mirror.is_waiting_for_answer()).then(|| {
            let (v, account) = (self.mirror.version(), self.account);
            format!("account {account} is connected by {:?} at version {v}", self.connection)
        })
    }
}

impl World {
    /// A client does something, and later something else.
    pub(super) fn wake(&mut self, client: usize) {
        let pace = self.scenario.pace;
        let Client { mirror, connection, .. } = &self.clients[client];
        let is_away = connection.is_none();
        self.wakes += u64::from(!is_away);
        let is_alone = mirror.you().is_some_and(|you| !mirror.present()[you.other()]);
        let longest = match self.random.below(100) {
            _ if self.is_finale => pace,
            0..3 => 20 * pace,
            _ if is_away => 5 * pace,
            // Nothing happens until the opponent is back, or the game can be claimed.
            3..60 if is_alone => pace.max(mirror.claim_after().unwrap_or(0) * 1000 / 2),
            _ => pace,
        };
        let after = self.random.below(longest) + 1;
        self.after(after, Event::Wake(client));
        self.show(client);
        if self.is_finale {
            self.clients[client].finale += 1;
            self.end_game(client);
        } else {
            self.act(client);
        }
    }

    fn show(&mut self, client: usize) {
        let shown = self.clients[client].show();
        let Client { mirror, account, .. } = &self.clients[client];
        let compared = shown.and_then(|()| self.judge.compare(mirror, *account));
        self.check(compared.map_err(|why| format!("client {client}: {why}")));
    }

    pub(super) fn connect(&mut self, client: usize) {
        let is_up = self.server_is_up();
        let Client { connection: None, .. } = &self.clients[client] else { return };
        if !is_up || (!self.is_finale && self.random.percent(10)) {
            let after = 100 + self.random.below(5_000);
            return self.after(after, Event::Connect(client));
        }
        let connection = self.open(client);
        let Client { mirror, watch, .. } = &mut self.clients[client];
        let messages = mirror.connected(*watch);
        self.clients[client].connection = Some(connection);
        self.clients[client].is_connecting = false;
        self.tell(|| format!("client {client} connects as {connection}"));
        for message in messages {
            self.client_sends(client, &message);
        }
    }

    pub(super) fn client_notices(&mut self, connection: ConnectionId) {
        let client = self.connections[index(connection)].client;
        if self.clients[client].connection == Some(connection) {
            self.clients[client].connection = None;
            if !std::mem::replace(&mut self.clients[client].is_connecting, true) {
                let after = 1 + self.random.below(3_000);
                self.after(after, Event::Connect(client));
            }
        }
    }

    /// A client leaves, without a word or with one, and comes back later.
    fn vanish(&mut self, client: usize) {
        let Some(connection) = self.clients[client].connection else { return };
        let notices = self.random.pick(&[0, 30_000]);
        let is_long = self.random.percent(40) || self.scenario.is_restless;
        let away = self.random.pick(&[500, 90_000]) + if is_long { 1_000_000 } else { 0 };
        self.tell(|| format!("client {client} vanishes for {away} ms"));
        self.sever(connection, 0, notices);
        self.clients[client].connection = None;
        self.clients[client].is_connecting = true;
        self.after(away, Event::Connect(client));
    }

    fn client_sends(&mut self, client: usize, message: &ClientMessage) {
        let Client { account, mirror, .. } = &self.clients[client];
        self.judge.note_sent(*account, message, mirror.version());
        let frame = serde_json::to_string(message).expect("a message is JSON");
        if let Some(connection) = self.clients[client].connection {
            self.tell(|| format!("client {client} sends {frame}"));
            self.transmit(connection, true, frame);
        }
    }

    pub(super) fn client_receives(&mut self, connection: ConnectionId, frame: &str) {
        let client = self.connections[index(connection)].client;
        if self.clients[client].connection != Some(connection) {
            return;
        }
        self.tell(|| format!("client {client} gets {}", shortened(frame)));
        let message = match serde_json::from_str::<ServerMessage>(frame) {
            Ok(message) => message,
            Err(error) => return self.check(Err(format!("{frame} does not parse: {error}"))),
        };
        let noted = self.clients[client].note_answer(&message);
        self.check(noted);
        if let ServerMessage::Ack { id, v: Some(v), .. } = &message
            && !self.judge.is_in_log(self.clients[client].account, id, *v)
        {
            self.check(Err(format!("{id:?} was acknowledged, but is not in the log")));
        }
        let about_choice = match &message {
            ServerMessage::Ack { id, v: Some(v), .. } if self.choices.contains(id) => Some(*v),
            _ => None,
        };
        let Client { mirror, .. } = &mut self.clients[client];
        mirror.receive(message);
        if about_choice.is_some_and(|v| v > mirror.version()) && mirror.asked().is_some() {
            self.check(Err(format!("client {client} is asked for a choice that was accepted")));
        }
        if let Some(message) = self.clients[client].mirror.catch_up() {
            if !self.scenario.faults.wild {
                self.check(Err(format!("client {client} was not sent everything in order")));
            }
            self.client_sends(client, &message);
        }
        if self.random.percent(70) {
            self.show(client);
        }
    }

    /// What clients do while everything may go wrong.
    fn act(&mut self, client: usize) {
        let Client { mirror, .. } = &self.clients[client];
        let Some(you) = mirror.you() else {
            if self.random.percent(20) {
                self.client_sends(client, &ClientMessage::Ping);
            }
            return;
        };
        let offered = mirror.offers()[you.other()];
        let is_alone = !mirror.present()[you.other()];
        if let Some(side) = mirror.asked()
            && self.random.percent(70)
        {
            return self.choose(client, side);
        }
        if let Some(what) = offered
            && self.random.percent(60)
        {
            let yes = self.random.percent(50);
            return self.send(client, |mirror| mirror.answer(what, yes));
        }
        if self.scenario.is_restless && self.random.percent(6) {
            return self.vanish(client);
        }
        if is_alone && self.random.percent(30) {
            return self.send(client, Mirror::claim);
        }
        match self.random.below(28) {
            0 => {
                let text = self.random.pick(&["9", "", "xyzzy", "pass", "Schild", "1 1"]);
                self.send(client, |mirror| mirror.act(text));
            }
            1 => self.send(client, |mirror| mirror.offer(Offer::Draw)),
            2..=5 => self.send(client, |mirror| mirror.offer(Offer::Takeback)),
            6..=8 => self.send(client, |mirror| mirror.offer(Offer::Rematch)),
            9 if self.random.percent(30) => self.send(client, Mirror::resign),
            10 => self.send(client, |mirror| mirror.say(Phrase::Nice)),
            11 => {
                let what = self.random.pick(&[Offer::Draw, Offer::Takeback, Offer::Rematch]);
                self.send(client, |mirror| mirror.answer(what, true));
            }
            12..=13 => self.vanish(client),
            14..=15 => self.choose(client, you),
            16..=19 => self.send_again(client),
            20..=22 => self.client_sends(client, &ClientMessage::Ping),
            _ => {}
        }
    }

    /// Makes a choice, whether or not it is asked to.
    fn choose(&mut self, client: usize, side: Side) {
        let session = self.clients[client].mirror.session();
        let choices = session.map(|session| session.table().choices(side)).unwrap_or_default();
        if choices.is_empty() {
            return;
        }
        let mut picked = self.random.index(choices.len());
        let style = self.random.below(4);
        if self.instead == Some(self.choices.len()) {
            picked = (picked + 1) % choices.len();
        }
        let choice = &choices[picked];
        let text = match style {
            0 => choice.words.clone(),
            1 => choice.notation.to_uppercase(),
            _ => choice.notation.clone(),
        };
        self.send(client, |mirror| mirror.act(&text));
    }

    fn send(&mut self, client: usize, make: impl FnOnce(&mut Mirror) -> ClientMessage) {
        let message = make(&mut self.clients[client].mirror);
        if let ClientMessage::Act { id, .. } = &message {
            self.choices.push(id.clone());
        }
        self.client_sends(client, &message);
    }

    /// Sends an earlier message of the account again, as a nervous client might.
    fn send_again(&mut self, client: usize) {
        let account = self.clients[client].account;
        let mine = self.judge.sent_by(account, &format!("c{client}-"));
        // A server that starts again has forgotten what it refused.
        let is_lasting = |id: &MessageId| {
            !matches!(self.clients[client].answers.get(id), Some(Answered::No(_)))
                || self.server.process == 1
        };
        let mine = mine.into_iter().filter(|message| id_of(message).is_some_and(is_lasting));
        let mine: Vec<ClientMessage> = mine.collect();
        // The room remembers the last ones only.
        let recent = mine.len().saturating_sub(4);
        if !mine.is_empty() {
            let message = self.random.pick(&mine[recent..]);
            self.client_sends(client, &message);
        }
    }

    /// What clients do when nothing goes wrong any more: they come to an end.
    fn end_game(&mut self, client: usize) {
        let Client { mirror, finale, connection, .. } = &self.clients[client];
        if connection.is_none() || mirror.is_waiting_for_answer() {
            return;
        }
        let is_on = mirror.stage() == StageName::Playing;
        match (mirror.asked(), mirror.you()) {
            (Some(side), _) if *finale < 12 => self.choose(client, side),
            (_, Some(_)) if is_on && *finale >= 12 => self.send(client, Mirror::resign),
            _ if finale % 4 == 0 => self.client_sends(client, &ClientMessage::Ping),
            _ => {}
        }
    }

    /// Whether the run has come to its end.
    pub(super) fn is_settled(&self) -> bool {
        self.room_is_over() && self.clients.iter().all(|client| client.unsettled().is_none())
    }

    /// What must be true at the end.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        let v = self.judge.log.len() as u64;
        for number in 0..self.clients.len() {
            let client = &mut self.clients[number];
            client.show()?;
            let Client { mirror, account, answers, .. } = &self.clients[number];
            self.judge.compare(mirror, *account)?;
            let may_see = self.scenario.terms.spectators || mirror.you().is_some();
            if may_see && !self.scenario.faults.wild {
                let watch = |client: &&Client| self.judge.side_of(client.account).is_none();
                let watchers = self.clients.iter().filter(watch).count();
                let watchers = if self.scenario.terms.spectators { watchers } else { 0 };
                let (present, seen) = (mirror.present(), mirror.watchers());
                ensure(present.one && present.two && seen as usize == watchers, || {
                    format!("client {number} sees {present:?} and {seen} watchers, not {watchers}")
                })?;
            }
            ensure(mirror.version() == v || !may_see, || {
                format!("client {number} is connected and idle at {}, not {v}", mirror.version())
            })?;
            for (id, answer) in answers {
                if let Answered::Yes(Some(v)) = answer {
                    ensure(self.judge.is_in_log(*account, id, *v), || {
                        format!("{id:?} was acknowledged, and is lost")
                    })?;
                }
            }
        }
        Ok(())
    }
}

fn shortened(frame: &str) -> &str {
    const LONGEST: usize = 300;
    frame.get(..LONGEST).unwrap_or(frame)
}
