//! Several nodes host the same room. They share a log; each receives the others' announcements or reads the log.

mod silence;

use std::collections::VecDeque;

use skirmish_play::library::{Library, Subject, Wish};
use skirmish_play::player::Computer;
use skirmish_play::{Budget, Chance};
use skirmish_room::wire::{MessageId, Offer, Phrase, ServerMessage};
use skirmish_room::{
    AccountId, Announcement, AppendError, Cluster, ConnectionId, Effect, Followers, Host,
    HostEvent, HostInput, Logged, Millis, NodeId, Outage, Outgoing, Recipient, RejectionCode,
    Request, Room, RoomEvent, Silence, Task, Terms, TimeControl, Unavailable,
};
use skirmish_rules::{Both, GAMES, Side, Unwatched};

use crate::random::Random;
use crate::seats::{Seats, person, terms};

/// A node.
struct Node {
    host: Host,
    cluster: Cluster,
    /// Pending database requests.
    asked: VecDeque<Effect>,
    /// Announcements received but not yet handled.
    heard: VecDeque<Announcement>,
    sent: Vec<Outgoing>,
}

/// Several nodes and their shared log.
struct Nodes {
    list: Vec<Node>,
    log: Vec<Logged>,
    now: Millis,
    messages: u64,
    is_bus_down: bool,
}

fn cluster(node: NodeId, now: Millis) -> Cluster {
    Cluster { node, is_alone: false, ..Cluster::alone(now) }
}

impl Nodes {
    /// A room on `count` nodes that both players have joined and left again.
    fn new(count: i64, terms: Terms) -> Self {
        let log = Seats::new(terms).log;
        let now = 1_000;
        let node = |number| {
            let cluster = cluster(number, now);
            let host = Host::new(Room::fold(GAMES, &log).expect("the log folds"), now, &cluster);
            let (asked, heard, sent) = (VecDeque::new(), VecDeque::new(), Vec::new());
            Node { host, cluster, asked, heard, sent }
        };
        let list = (0..count).map(node).collect();
        Self { list, log, now, messages: 0, is_bus_down: false }
    }

    /// A room whose two players are connected to different nodes.
    fn apart(terms: Terms) -> Self {
        let mut nodes = Self::new(2, terms);
        nodes.join(0, 1);
        nodes.join(1, 2);
        nodes
    }

    /// Lets a node handle an event. Its database requests stay pending.
    fn handle(&mut self, index: usize, event: HostEvent) {
        let node = &mut self.list[index];
        for effect in node.host.handle(self.now, &node.cluster, event).expect("the log fits") {
            let node = &mut self.list[index];
            match effect {
                Effect::Append { .. } | Effect::Read { .. } | Effect::Recognise(_) => {
                    node.asked.push_back(effect);
                }
                Effect::Send(outgoing) => node.sent.push(outgoing),
                Effect::Publish(announcement) => {
                    assert!(!node.cluster.is_alone, "a single node publishes nothing");
                    if self.is_bus_down {
                        continue;
                    }
                    let others = (0..self.list.len()).filter(|&other| other != index);
                    for other in others.collect::<Vec<_>>() {
                        self.list[other].heard.push_back(announcement.clone());
                    }
                }
                Effect::Close(_) => {}
            }
        }
    }

    fn enter(&mut self, index: usize, input: HostInput) {
        self.handle(index, HostEvent::Input(input));
    }

    /// Carries out a node's next database request. Returns the answer.
    fn execute(&mut self, index: usize) -> Option<HostEvent> {
        Some(match self.list[index].asked.pop_front()? {
            Effect::Append { append, .. } => {
                let is_next = append.after == self.log.len() as u64;
                if is_next {
                    self.log.extend(append.events);
                }
                HostEvent::Appended(if is_next { Ok(()) } else { Err(AppendError::Conflict) })
            }
            Effect::Read { after } => {
                HostEvent::Read(Ok(self.log[usize::try_from(after).expect("small")..].to_vec()))
            }
            Effect::Recognise(_) => HostEvent::Recognised(Ok(None)),
            other => panic!("{other:?} asks nothing"),
        })
    }

    fn answer(&mut self, index: usize) -> bool {
        let Some(answer) = self.execute(index) else { return false };
        self.handle(index, answer);
        true
    }

    fn hear(&mut self, index: usize) -> bool {
        let Some(announcement) = self.list[index].heard.pop_front() else { return false };
        self.handle(index, HostEvent::Announced(announcement));
        true
    }

    /// Executes requests and delivers announcements until nothing is pending.
    fn settle(&mut self) {
        let count = self.list.len();
        while (0..count).any(|index| self.answer(index) || self.hear(index)) {}
    }

    /// Like `settle`, while the other nodes hang.
    fn settle_alone(&mut self, index: usize) {
        while self.answer(index) || self.hear(index) {}
    }

    fn join(&mut self, index: usize, account: AccountId) {
        self.enter(index, attach(ConnectionId::try_from(account).expect("small"), account));
        self.settle();
    }

    /// A player's message arrives at a node.
    fn send(&mut self, index: usize, account: AccountId, number: u64, request: Request) {
        let connection = ConnectionId::try_from(account).expect("small");
        let (id, seen, lag) = (Some(MessageId::Number(number)), None, 0);
        self.enter(index, HostInput::Request { connection, account, id, seen, lag, request });
    }

    fn ask(&mut self, index: usize, account: AccountId, request: Request) {
        self.messages += 1;
        self.send(index, account, self.messages, request);
        self.settle();
    }

    fn act(&mut self, index: usize, account: AccountId, text: &str) {
        let v = self.log.len() as u64;
        self.ask(index, account, Request::Act { v, text: text.to_owned() });
    }

    /// Returns the versions with which a node has acknowledged a message.
    fn acknowledged(&self, index: usize, number: u64) -> Vec<u64> {
        let acknowledged = |outgoing: &Outgoing| match &outgoing.message {
            ServerMessage::Ack { id: MessageId::Number(id), v, .. } if *id == number => *v,
            _ => None,
        };
        self.list[index].sent.iter().filter_map(acknowledged).collect()
    }

    fn refusals(&self) -> Vec<RejectionCode> {
        let sent = self.list.iter().flat_map(|node| &node.sent);
        let refused = sent.filter_map(|outgoing| match &outgoing.message {
            ServerMessage::Rej(rej) => rej.id.as_ref().map(|_| rej.code),
            _ => None,
        });
        refused.collect()
    }

    fn left(&self, index: usize) -> Both<Millis> {
        let snap = self.list[index].host.room().snap(1, self.now);
        snap.clock.expect("there are clocks").left.into()
    }

    fn set_silent(&mut self, index: usize, silence: Silence) {
        self.list[index].cluster.silent = vec![silence];
        self.enter(index, HostInput::Tick);
        self.settle();
    }

    /// Lets a node go on that has hung since this silence began.
    fn wake(&mut self, index: usize, silence: Silence) {
        self.set_silent(index, Silence { until: Some(self.now), ..silence });
        // The other nodes have time to say who has connected to them.
        self.now += 1_000;
        self.enter(index, HostInput::Tick);
        self.settle();
    }
}

const CLOCK: TimeControl = TimeControl::Game { seconds: 60, increment: 0 };

fn charge(v: u64) -> Request {
    Request::Act { v, text: "charge".to_owned() }
}

#[test]
fn players_on_two_nodes_who_choose_at_the_same_instant_are_both_acknowledged() {
    // The order in which the announcement and the conflict are handled.
    for is_heard_first in [true, false] {
        let mut nodes = Nodes::apart(terms("command-clash"));
        let v = nodes.log.len() as u64;
        nodes.send(0, 1, 1, charge(v));
        nodes.send(1, 2, 2, charge(v));
        assert!(nodes.answer(0), "the first append succeeds");
        let conflict = nodes.execute(1).expect("the second append is under way");
        if is_heard_first {
            assert!(nodes.hear(1));
        }
        nodes.handle(1, conflict);
        nodes.settle();
        assert_eq!(nodes.acknowledged(0, 1), [v + 1]);
        assert_eq!(nodes.acknowledged(1, 2), [v + 2]);
        let folded = Room::fold(GAMES, &nodes.log).expect("the log folds");
        assert_eq!(folded.table().expect("a game").turns_played(), 1);
        assert!(nodes.list.iter().all(|node| node.host.room().version() == v + 2));
        assert!(nodes.refusals().is_empty());
    }
}

#[test]
fn a_move_that_is_sent_again_to_another_node_is_acknowledged_with_its_version() {
    let mut nodes = Nodes::apart(terms("base-battle"));
    let v = nodes.log.len() as u64;
    let request = Request::Act { v, text: "2".to_owned() };
    nodes.send(0, 1, 7, request.clone());
    // The node dies before it can acknowledge or announce the events it appended.
    nodes.execute(0).expect("it was durable");
    nodes.list[0].host = Host::new(
        Room::fold(GAMES, &nodes.log).expect("the log folds"),
        nodes.now,
        &nodes.list[0].cluster,
    );
    nodes.send(1, 1, 7, request);
    nodes.settle();
    assert_eq!(nodes.acknowledged(1, 7), [v + 1]);
    assert_eq!(nodes.log.len() as u64, v + 1);
}

#[test]
fn a_move_whose_answer_was_lost_is_acknowledged_once_the_database_is_back() {
    for is_durable in [true, false] {
        let mut nodes = Nodes::apart(terms("base-battle"));
        let v = nodes.log.len() as u64;
        nodes.send(0, 1, 7, Request::Act { v, text: "2".to_owned() });
        if is_durable {
            nodes.execute(0);
        } else {
            nodes.list[0].asked.clear();
        }
        nodes.handle(0, HostEvent::Appended(Err(AppendError::Unavailable)));
        nodes.now += 1_000;
        nodes.enter(0, HostInput::Tick);
        nodes.list[0].asked.clear();
        nodes.handle(0, HostEvent::Read(Err(Unavailable)));
        nodes.now += 1_000;
        nodes.enter(0, HostInput::Tick);
        nodes.settle();
        assert_eq!(nodes.acknowledged(0, 7), [v + 1]);
        assert_eq!(nodes.log.len() as u64, v + 1);
        assert_eq!(nodes.list[1].host.room().version(), if is_durable { v } else { v + 1 });
    }
}

/// Returns a follower's event messages and snapshots as text. Clocks are omitted, because snapshots show them as of their
/// creation.
fn told(sent: &[Outgoing], connection: ConnectionId) -> Vec<String> {
    let text = |outgoing: &Outgoing| {
        let is_for = outgoing.to == Recipient::All || outgoing.to == Recipient::One(connection);
        let mut message = Some(&outgoing.message).filter(|_| is_for)?.clone();
        match &mut message {
            ServerMessage::Ev(_) => {}
            ServerMessage::Snap(snap) => {
                (snap.clock, snap.claim_in, snap.present) = (None, None, Both::default().into());
            }

            _ => return None,
        }
        Some(serde_json::to_string(&message).expect("a message is JSON"))
    };
    sent.iter().filter_map(text).collect()
}

/// Returns a random request that a player might make.
fn anything(random: &mut Random, room: &Room, side: Side) -> Request {
    let choices = room.table().map(|table| table.choices(side)).unwrap_or_default();
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
fn followers_are_sent_the_same_on_every_node_however_it_learns_of_events() {
    let mut count = 0;
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let game = random.pick(&["command-clash", "base-battle", "capture-the-line"]);
        let clock = random.pick(&[TimeControl::None, CLOCK]);
        let mut nodes = Nodes::new(3, Terms { clock, games: Some(2), ..terms(game) });
        // The first player's two devices: their snapshots name the same side.
        for node in 0..3 {
            nodes.join(node, 1);
            nodes.list[node].sent.clear();
        }
        for _ in 0..50 {
            nodes.now += random.below(900);
            let account = 1 + i64::try_from(random.below(2)).expect("small");
            let node = random.index(2);
            let Some(side) = nodes.list[node].host.room().side_of(account) else { continue };
            let request = anything(&mut random, nodes.list[node].host.room(), side);
            // The third node is cut off from announcements and polls the log now and then.
            nodes.is_bus_down = random.percent(30);
            nodes.ask(node, account, request);
            nodes.enter(node, HostInput::Tick);
            nodes.settle();
            nodes.is_bus_down = false;
        }
        for node in 0..3 {
            nodes.list[node].cluster.polls = true;
            nodes.now += 2_000;
            nodes.enter(node, HostInput::Tick);
            nodes.settle();
        }
        let sent = [0, 1, 2].map(|node| told(&nodes.list[node].sent, 1));
        count += sent[0].len();
        for other in &sent[1..] {
            let differs = sent[0].iter().zip(other).find(|(one, other)| one != other);
            assert_eq!(differs, None, "seed {seed}");
            assert_eq!(sent[0].len(), other.len(), "seed {seed}");
        }
    }
    assert!(count > 1_500, "{count} messages show little");
}

#[test]
fn an_outage_is_settled_once_by_whoever_is_first() {
    let mut nodes = Nodes::apart(Terms { clock: CLOCK, ..terms("base-battle") });
    nodes.act(0, 1, "2");
    nodes.act(1, 2, "1");
    let began = nodes.now + 1_000;
    nodes.now += 20_000;
    for index in 0..2 {
        nodes.list[index].cluster.outage = Outage { id: 1, began, ended: nodes.now };
        nodes.enter(index, HostInput::Tick);
    }
    nodes.settle();
    let resumed = nodes.log.iter().filter(|logged| logged.is_resumption()).count();
    assert_eq!(resumed, 1);
    assert_eq!(nodes.left(0).one, 59_000 + skirmish_room::RETURN);
}

#[test]
fn a_follower_learns_of_a_lost_announcement() {
    let mut nodes = Nodes::apart(terms("base-battle"));
    nodes.is_bus_down = true;
    nodes.act(0, 1, "2");
    nodes.is_bus_down = false;
    // The node without followers announces nothing more, so the other one must poll.
    nodes.enter(0, HostInput::Detach { connection: 1 });
    nodes.list[1].heard.clear();
    let v = nodes.log.len() as u64;
    for _ in 0..20 {
        nodes.now += 1_000;
        if nodes.list[1].host.due(&nodes.list[1].cluster).is_some_and(|due| due <= nodes.now) {
            nodes.enter(1, HostInput::Tick);
            nodes.settle();
        }
    }
    assert_eq!(nodes.list[1].host.room().version(), v);
}

#[test]
fn an_announcement_that_cannot_be_read_makes_a_node_read_the_log_at_once() {
    let mut nodes = Nodes::apart(terms("base-battle"));
    nodes.is_bus_down = true;
    nodes.act(0, 1, "2");
    nodes.handle(1, HostEvent::Unreadable);
    nodes.settle();
    assert_eq!(nodes.list[1].host.room().version(), nodes.log.len() as u64);
}

#[test]
fn a_node_that_is_left_alone_reads_what_the_other_could_not_announce() {
    let mut nodes = Nodes::apart(terms("base-battle"));
    nodes.enter(1, HostInput::Detach { connection: 2 });
    nodes.is_bus_down = true;
    nodes.act(0, 1, "2");
    nodes.list[1].cluster.is_alone = true;
    nodes.enter(1, HostInput::Tick);
    nodes.settle();
    assert_eq!(nodes.list[1].host.room().version(), nodes.log.len() as u64);
}

#[test]
fn a_single_node_publishes_nothing() {
    let mut nodes = Nodes::new(1, Terms { clock: CLOCK, ..terms("base-battle") });
    nodes.list[0].cluster.is_alone = true;
    nodes.join(0, 1);
    nodes.join(0, 2);
    // An assertion of `handle` would fail.
    nodes.act(0, 1, "2");
    nodes.now += 10_000;
    nodes.act(0, 2, "1");
    nodes.enter(0, HostInput::Detach { connection: 1 });
    nodes.enter(0, HostInput::Tick);
    nodes.settle();
    assert_eq!(nodes.log.len(), 5);
}

#[test]
fn a_message_that_always_loses_the_race_is_refused_in_the_end() {
    let mut nodes = Nodes::apart(terms("base-battle"));
    let v = nodes.log.len() as u64;
    nodes.send(0, 1, 1, Request::Act { v, text: "2".to_owned() });
    let mut appends = 0;
    while let Some(asked) = nodes.list[0].asked.front() {
        if matches!(asked, Effect::Append { .. }) {
            assert!(nodes.refusals().is_empty(), "refused after {appends} conflicts");
            appends += 1;
            nodes.list[0].asked.clear();
            nodes.handle(0, HostEvent::Appended(Err(AppendError::Conflict)));
        } else {
            nodes.answer(0);
        }
    }
    assert_eq!((appends, nodes.refusals()), (17, vec![RejectionCode::Storage]));
    assert_eq!(nodes.log.len() as u64, v);
}

/// Returns what the computer would choose on a node, if it is time.
fn thought(nodes: &Nodes, index: usize) -> Option<String> {
    let Node { host, cluster, .. } = &nodes.list[index];
    let Some(Task::Choose(side, table)) = host.task(nodes.now, cluster) else { return None };
    let (seed, number, undone) = host.room().chance()?;
    let (budget, subject) = (Budget { bytes: 16 << 20 }, Subject::of(host.room().plan()?));
    let mut library = Library::new(budget);
    let solved = library.obtain(Wish::players(subject), |order| order.run(budget, &Unwatched));
    let solved = solved.expect("the board is small");
    let computer = Computer::new(host.room().level_of(side)?, solved, Chance::from_seed(seed));
    Some(computer.choose(&*table, side, number, undone))
}

#[test]
fn another_node_chooses_the_same_for_the_computer_if_the_first_does_not_in_time() {
    let level = Some("novice".to_owned());
    let mut nodes = Nodes::new(2, Terms { level, ..terms("base-battle") });
    nodes.join(0, 1);
    nodes.join(1, 1);
    nodes.act(0, 1, "2");
    let last = nodes.now;
    let first = thought(&nodes, 0).expect("the node that appended the turn thinks at once");
    nodes.now = last + 1_999;
    nodes.enter(1, HostInput::Tick);
    assert_eq!(thought(&nodes, 1), None);
    nodes.now = last + 2_000;
    assert_eq!(nodes.list[1].host.due(&nodes.list[1].cluster), Some(nodes.now));
    assert_eq!(thought(&nodes, 1), Some(first.clone()));
    // Both nodes append the choice, and the second one loses.
    for index in 0..2 {
        nodes.enter(index, HostInput::Choice { side: Side::Two, text: first.clone() });
    }
    nodes.settle();
    let chose = |logged: &&Logged| matches!(logged.event, RoomEvent::Chose { .. });
    assert_eq!(nodes.log.iter().filter(chose).count(), 2);
    // After a takeback, they choose alike again, perhaps differently from before.
    nodes.ask(0, 1, Request::Offer { what: Offer::Takeback });
    nodes.act(0, 1, "2");
    nodes.now += 2_000;
    let again = [0, 1].map(|index| thought(&nodes, index));
    assert!(again[0].is_some());
    assert_eq!(again[0], again[1]);
}

#[test]
fn a_move_that_reaches_the_other_node_late_costs_the_other_player_no_time() {
    let mut nodes = Nodes::apart(Terms { clock: CLOCK, ..terms("base-battle") });
    nodes.act(0, 1, "2");
    nodes.act(1, 2, "2");
    nodes.is_bus_down = true;
    nodes.list[1].cluster.polls = true;
    nodes.now += 1;
    nodes.act(0, 1, "2");
    nodes.now += 1_000;
    nodes.enter(1, HostInput::Tick);
    nodes.settle();
    assert_eq!(nodes.left(1), Both::new(59_999, 59_000), "the node has just learned of the move");
    nodes.now += 100;
    nodes.act(1, 2, "2");
    assert_eq!(nodes.left(1), Both::new(59_999, 59_900));
}

/// Regression: a move announced just before the bus was back was seen only seconds later, and cost the opponent that time.
#[test]
fn a_move_made_just_before_the_bus_is_back_is_seen_at_once() {
    let mut nodes = Nodes::apart(terms("base-battle"));
    nodes.is_bus_down = true;
    nodes.list[1].cluster.polls = true;
    nodes.now += 10_000;
    nodes.enter(1, HostInput::Tick);
    nodes.settle();
    nodes.act(0, 1, "2");
    assert_eq!(nodes.list[1].host.room().version() + 1, nodes.log.len() as u64);
    nodes.is_bus_down = false;
    let cluster = &mut nodes.list[1].cluster;
    (cluster.polls, cluster.gaps) = (false, 1);
    nodes.enter(1, HostInput::Tick);
    nodes.settle();
    assert_eq!(nodes.list[1].host.room().version(), nodes.log.len() as u64);
}

#[test]
fn a_node_that_falls_silent_on_the_bus_is_forgotten() {
    let mut nodes = Nodes::apart(terms("base-battle"));
    let room = |nodes: &Nodes| nodes.list[0].host.room().present();
    assert_eq!(room(&nodes), Both::new(true, true));
    nodes.now += 15_000;
    nodes.enter(0, HostInput::Tick);
    assert_eq!(room(&nodes), Both::new(true, false));
    let followers = Some(Followers { players: vec![2], watchers: 0 });
    let v = nodes.log.len() as u64;
    let again = Announcement { node: 1, v, events: Vec::new(), followers, asks: false };
    nodes.handle(0, HostEvent::Announced(again));
    assert_eq!(room(&nodes), Both::new(true, true));
}

// The remaining tests are regressions found by the simulation.

#[test]
fn an_event_that_is_announced_while_the_log_is_read_is_applied_once() {
    let mut nodes = Nodes::apart(terms("base-battle"));
    nodes.list[1].cluster.polls = true;
    nodes.now += 1_000;
    nodes.enter(1, HostInput::Tick);
    let v = nodes.log.len() as u64;
    nodes.send(0, 1, 1, Request::Act { v, text: "2".to_owned() });
    assert!(nodes.answer(0));
    let read = nodes.execute(1).expect("it looks into the log");
    assert!(nodes.hear(1));
    nodes.handle(1, read);
    assert_eq!(nodes.list[1].host.room().version(), v + 1);
}

#[test]
fn followers_are_told_of_events_that_a_reload_brings() {
    let mut nodes = Nodes::apart(terms("base-battle"));
    nodes.is_bus_down = true;
    let v = nodes.log.len() as u64;
    nodes.act(0, 1, "2");
    nodes.list[1].sent.clear();
    nodes.enter(1, HostInput::Reload);
    nodes.settle();
    assert_eq!(told(&nodes.list[1].sent, 2).len(), 1);
    // An event announced in the meantime is not lost either.
    nodes.enter(1, HostInput::Reload);
    let reload = nodes.execute(1).expect("the log is read");
    nodes.is_bus_down = false;
    nodes.act(0, 2, "1");
    nodes.handle(1, reload);
    nodes.settle();
    assert_eq!(nodes.list[1].host.room().version(), v + 2);
    assert_eq!(told(&nodes.list[1].sent, 2).len(), 2);
}

#[test]
fn nothing_is_refused_that_another_node_has_carried_out() {
    let mut nodes = Nodes::apart(terms("base-battle"));
    let v = nodes.log.len() as u64;
    nodes.act(0, 1, "2");
    nodes.act(0, 2, "1");
    nodes.list[1].sent.clear();
    nodes.is_bus_down = true;
    // The node dies before it can announce the end of the game.
    nodes.send(0, 1, 7, Request::Resign);
    assert!(nodes.answer(0));
    nodes.send(1, 2, 8, Request::Act { v, text: "1".to_owned() });
    nodes.send(1, 1, 7, Request::Act { v, text: "no move".to_owned() });
    nodes.settle();
    assert_eq!(nodes.acknowledged(1, 7), [v + 3]);
    assert_eq!(nodes.refusals(), [RejectionCode::Over]);
}

#[test]
fn a_conflict_that_no_event_explains_makes_a_node_read_the_room_again() {
    let mut nodes = Nodes::apart(terms("base-battle"));
    let v = nodes.log.len() as u64;
    nodes.send(0, 1, 1, Request::Act { v, text: "2".to_owned() });
    nodes.list[0].asked.clear();
    nodes.handle(0, HostEvent::Appended(Err(AppendError::Conflict)));
    assert!(nodes.answer(0), "the new events");
    assert!(matches!(nodes.list[0].asked.front(), Some(Effect::Read { after: 0 })));
    nodes.settle();
    assert_eq!(nodes.acknowledged(0, 1), [v + 1]);
}

#[test]
fn an_announcement_with_an_account_that_nobody_sits_as_is_read_from_the_log() {
    let mut nodes = Nodes::apart(terms("base-battle"));
    nodes.act(0, 1, "2");
    let mut event = nodes.log.last().expect("a move").clone();
    event.event = RoomEvent::Said { side: Side::One, phrase: Phrase::Nice };
    event.by.as_mut().expect("a message").account = 77;
    let v = nodes.log.len() as u64 + 1;
    let events = vec![event];
    let announcement = Announcement { node: 0, v, events, followers: None, asks: false };
    nodes.handle(1, HostEvent::Announced(announcement));
    assert_eq!(nodes.list[1].host.room().version(), v - 1);
    assert!(matches!(nodes.list[1].asked.front(), Some(Effect::Read { .. })));
}

#[test]
fn whoever_comes_is_not_sent_what_happened_just_before() {
    let mut nodes = Nodes::apart(terms("base-battle"));
    let v = nodes.log.len() as u64;
    nodes.send(0, 1, 1, Request::Act { v, text: "2".to_owned() });
    // A connection joins while the move is being written, and another one leaves and returns.
    nodes.enter(0, attach(9, 1));
    nodes.list[0].sent.clear();
    nodes.settle();
    let first = nodes.list[0]
        .sent
        .iter()
        .find(|outgoing| outgoing.to == Recipient::All || outgoing.to == Recipient::One(9));
    let first = &first.expect("a snapshot").message;
    assert!(matches!(first, ServerMessage::Snap(snap) if snap.v == v + 1), "{first:?}");
}

fn attach(connection: ConnectionId, account: AccountId) -> HostInput {
    let (id, have, person) = (None, None, person(account));
    HostInput::Attach { connection, person, id, have, watch: false }
}

/// Returns the presence that a connection was last sent.
fn told_present(sent: &[Outgoing], connection: ConnectionId) -> Option<Both<bool>> {
    let mut told = sent.iter().rev().filter_map(|outgoing| {
        let is_for = outgoing.to == Recipient::All || outgoing.to == Recipient::One(connection);
        match &outgoing.message {
            ServerMessage::Presence { players, .. } if is_for => Some(Both::from(*players)),
            ServerMessage::Snap(snap) if is_for => Some(Both::from(snap.present)),
            _ => None,
        }
    });
    told.next()
}

#[test]
fn whoever_comes_between_two_others_knows_that_both_are_there() {
    let mut nodes = Nodes::new(1, terms("base-battle"));
    nodes.list[0].cluster.is_alone = true;
    nodes.join(0, 1);
    nodes.join(0, 2);
    let v = nodes.log.len() as u64;
    nodes.send(0, 1, 1, Request::Act { v, text: "2".to_owned() });
    nodes.enter(0, HostInput::Detach { connection: 2 });
    nodes.enter(0, attach(9, 1));
    nodes.enter(0, attach(8, 2));
    nodes.list[0].sent.clear();
    nodes.settle();
    assert_eq!(told_present(&nodes.list[0].sent, 9), Some(Both::new(true, true)));
}

#[test]
fn whoever_is_gone_before_the_seat_is_stored_is_not_shown_as_there() {
    let mut nodes = Nodes::new(1, terms("base-battle"));
    nodes.list[0].cluster.is_alone = true;
    nodes.log = Seats::open(terms("base-battle")).log;
    let room = Room::fold(GAMES, &nodes.log).expect("the log folds");
    nodes.list[0].host = Host::new(room, nodes.now, &nodes.list[0].cluster);
    nodes.join(0, 1);
    nodes.enter(0, attach(2, 2));
    nodes.enter(0, HostInput::Detach { connection: 2 });
    nodes.settle();
    assert_eq!(told_present(&nodes.list[0].sent, 1), Some(Both::new(true, false)));
}

#[test]
fn the_computer_moves_even_if_the_clock_of_its_node_is_slow() {
    let level = Some("novice".to_owned());
    let mut nodes = Nodes::new(1, Terms { level, ..terms("base-battle") });
    nodes.list[0].cluster.is_alone = true;
    nodes.join(0, 1);
    nodes.act(0, 1, "2");
    let node = &nodes.list[0];
    assert!(node.host.task(nodes.now - 900, &node.cluster).is_some());
}
