//! The server's side of one room: who follows it, and what is sent to whom. The order is fixed by its interface: a request
//! is validated ([`Desk::handle`]), its events are appended to the log by the caller, and only then are they applied,
//! acknowledged and sent out ([`Desk::commit`]).

mod input;
mod presence;

use std::collections::VecDeque;

use skirmish_rules::{Side, Table};

pub use self::input::DeskInput;
use crate::audience::{Admission, Audience, acknowledge};
use crate::clock::Millis;
use crate::elsewhere::Elsewhere;
use crate::event::{AccountId, Logged, Origin};
use crate::node::node_of;
use crate::rejection::{Rejection, RejectionCode};
use crate::replica::Replica;
use crate::room::{FoldError, Request, Room};
use crate::wire::{MessageId, Rej, ServerMessage};

/// A connection to the server.
pub type ConnectionId = u64;

/// How many refusals are remembered, so that a message that is sent again gets its first answer.
const MOST_REFUSALS: usize = 64;

/// Whom a message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipient {
    /// One connection.
    One(ConnectionId),
    /// All connections that follow the room. The message is the same for all.
    All,
}

/// A message on its way out.
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// Whom it is for.
    pub to: Recipient,
    /// What it says.
    pub message: ServerMessage,
}

/// What an input leads to.
#[derive(Debug, Default)]
pub struct Step {
    /// What to append to the log. If it is not empty, nothing else is done before [`Desk::commit`].
    pub append: Vec<Logged>,
    /// What to send now.
    pub send: Vec<Outgoing>,
}

impl Step {
    /// Whether somebody is refused something. An append finds out whether a node still owns the room; before a refusal is
    /// sent, a node that shares the room with others has to ask: another owner may have carried the message out.
    #[must_use]
    pub fn refuses(&self) -> bool {
        self.send.iter().any(|outgoing| matches!(outgoing.message, ServerMessage::Rej(_)))
    }
}

/// What the computer has to do.
pub enum Task {
    /// To choose for a side at this table.
    Choose(Side, Box<dyn Table>),
    /// To answer an offer of a draw.
    AnswerDraw(Side, Box<dyn Table>),
}

/// The server's side of one room.
pub struct Desk {
    room: Room,
    audience: Audience,
    elsewhere: Elsewhere,
    refused: VecDeque<(Origin, Rej)>,
    pending: Option<Pending>,
    /// Whether there are nodes that do not get through: nobody knows who is connected to them.
    is_deaf: bool,
    /// Whether nothing has come in yet. A folded room does not know who was there.
    is_new: bool,
}

/// A step whose events are being appended.
struct Pending {
    events: Vec<Logged>,
    input: DeskInput,
    /// Whether they happened by themselves, and the input is still to be handled.
    is_due: bool,
}

impl Desk {
    /// The desk of a room.
    #[must_use]
    pub fn new(room: Room) -> Self {
        Self { is_new: true, ..Self::with(room, Audience::default(), Elsewhere::default()) }
    }

    /// The desk of a room that another node has owned until now.
    pub(crate) fn with(room: Room, audience: Audience, elsewhere: Elsewhere) -> Self {
        let (refused, pending) = (VecDeque::new(), None);
        Self { room, audience, elsewhere, refused, pending, is_deaf: false, is_new: false }
    }

    /// The room.
    #[must_use]
    pub const fn room(&self) -> &Room {
        &self.room
    }

    /// Goes on with the same room, read from the log again, which may name other accounts. Returns what to send.
    pub fn replace(&mut self, now: Millis, room: Room) -> Vec<Outgoing> {
        let told = self.present_and_watching();
        let before = std::mem::replace(&mut self.room, room);
        self.room.keep_presence_of(&before);
        self.note_presence(now);
        let mut send = self.audience.reseat(&before, &self.room, now);
        if told != self.present_and_watching() {
            send.push(self.presence());
        }
        send
    }

    /// The connections that follow the room on this node.
    pub fn followers(&self) -> impl Iterator<Item = ConnectionId> {
        self.audience.connections()
    }

    /// The connections of the players on this node.
    pub fn players(&self) -> impl Iterator<Item = ConnectionId> {
        self.audience.players(&self.room)
    }

    /// When to call with [`DeskInput::Tick`].
    #[must_use]
    pub fn due(&self) -> Option<Millis> {
        // Nobody is forgotten while nodes do not get through.
        let elsewhere = self.elsewhere.due().filter(|_| !self.is_deaf);
        let room = self.room.due().filter(|_| !self.may_miss_creator());
        [room, elsewhere].into_iter().flatten().min()
    }

    /// What the computer has to do now.
    #[must_use]
    pub fn task(&self) -> Option<Task> {
        let fork = || self.room.table().map(Table::fork);
        if let Some(side) = self.room.asked_for_draw() {
            return Some(Task::AnswerDraw(side, fork()?));
        }
        Some(Task::Choose(self.room.asked_programs()?, fork()?))
    }

    /// Handles an input. If the step has events, the caller appends them, and then calls [`Desk::commit`]. If they could
    /// not be appended, it calls [`Desk::abandon`] or drops the desk.
    ///
    /// # Panics
    /// If the events of the last step have been neither committed nor abandoned.
    pub fn handle(&mut self, now: Millis, input: DeskInput) -> Step {
        assert!(self.pending.is_none(), "a step is committed before the next one");
        self.wake(now);
        if self.is_deaf || !self.elsewhere.is_outdated(now) {
            return self.decide(now, input);
        }
        let mut send = self.change_elsewhere(now, |elsewhere| elsewhere.forget_silent(now));
        let step = self.decide(now, input);
        send.extend(step.send);
        Step { send, ..step }
    }

    fn decide(&mut self, now: Millis, input: DeskInput) -> Step {
        // What has happened by itself comes first.
        let due = if self.may_miss_creator() { Vec::new() } else { self.room.expire(now) };
        if !due.is_empty() && !matches!(input, DeskInput::Detach { .. } | DeskInput::Resume { .. })
        {
            return self.append(due, input, true);
        }
        let decided = match &input {
            DeskInput::Attach { connection, person, id, have, watch } => {
                match Admission::of(&self.room, person, *watch) {
                    Admission::Sit => {
                        let origin = origin(person.account, id.as_ref());
                        let request = Request::Sit(person.clone());
                        self.room.decide(now, 0, person.account, origin, &request)
                    }
                    Admission::Follow => {
                        return self.attach(now, *connection, person.account, id.clone(), *have);
                    }
                    Admission::Refuse(rejection) => Err(rejection),
                }
            }
            DeskInput::Detach { connection } => return self.detach(now, *connection),
            DeskInput::Request { connection, account, id, seen, lag, request } => {
                let origin = origin(*account, id.as_ref());
                let first = origin.as_ref().and_then(|by| self.first_answer(*connection, by));
                if let Some(answer) = first {
                    return Step { append: Vec::new(), send: vec![answer] };
                }
                if self.is_deaf && *request == Request::Claim {
                    let rejection = cannot_tell();
                    return Step { append: Vec::new(), send: self.refuse(&input, rejection) };
                }
                let basis = self.room.basis_of(*account, request);
                match *seen {
                    Some(seen) if seen < basis => Err(self.room.outdated(seen)),
                    _ => self.room.decide(now, *lag, *account, origin, request),
                }
            }
            DeskInput::Tick => Ok(Vec::new()),
            DeskInput::Choice { side, text } => self.room.let_choose(now, *side, text),
            DeskInput::DrawAnswer { side, yes } => self.room.let_answer(now, *side, *yes),
            DeskInput::Shut => Ok(self.room.shut(now)),
            DeskInput::Stop => Ok(self.room.pause(now)),
            DeskInput::Resume { until } => Ok(self.room.resume(now, *until)),
        };
        match decided {
            Ok(events) if events.is_empty() => Step::default(),
            Ok(events) => {
                // A choice that comes too late leads to the fall of the flag, and is then refused.
                let is_due = events.iter().all(Logged::is_out_of_time);
                self.append(events, input, is_due)
            }
            Err(rejection) => Step { append: Vec::new(), send: self.refuse(&input, rejection) },
        }
    }

    /// Whether the creator of an open room may be connected to an unreachable node: the invitation is not withdrawn then.
    fn may_miss_creator(&self) -> bool {
        self.is_deaf && self.room.is_open()
    }

    /// A folded room does not know who was there.
    fn wake(&mut self, now: Millis) {
        if std::mem::take(&mut self.is_new) {
            self.room.note_all_gone(now);
        }
    }

    fn append(&mut self, events: Vec<Logged>, input: DeskInput, is_due: bool) -> Step {
        self.pending = Some(Pending { events: events.clone(), input, is_due });
        Step { append: events, send: Vec::new() }
    }

    /// Applies the events of the last step, which are durable now. Returns what to send, and the input again if it has
    /// not been handled yet, because something else had happened before it.
    ///
    /// # Errors
    /// If an event does not fit the room, which is a bug.
    ///
    /// # Panics
    /// If the last step had no events.
    pub fn commit(&mut self, now: Millis) -> Result<(Vec<Outgoing>, Option<DeskInput>), FoldError> {
        let Pending { events, input, is_due } = self.pending.take().expect("a step has events");
        let is_handled = match &input {
            DeskInput::Attach { .. }
            | DeskInput::Request { .. }
            | DeskInput::Shut
            | DeskInput::Stop => !is_due,
            // The computer is asked again if it still has to choose.
            DeskInput::Choice { .. }
            | DeskInput::DrawAnswer { .. }
            | DeskInput::Tick
            | DeskInput::Resume { .. }
            | DeskInput::Detach { .. } => true,
        };
        let newcomer = match &input {
            _ if !is_handled => None,
            DeskInput::Attach { connection, person, .. } => {
                self.audience.follow(*connection, person.account);
                Some(person)
            }
            DeskInput::Request { connection, request: Request::Sit(person), .. } => {
                self.elsewhere.arrive(now, node_of(*connection), person.account);
                Some(person)
            }
            _ => None,
        };
        let mut send = self.audience.tell(&mut self.room, now, &events)?;
        if newcomer.is_some() {
            self.note_presence(now);
            send.push(self.presence());
        }
        if let Some(ack) = is_handled.then(|| self.ack(&input)).flatten() {
            send.insert(0, ack);
        }
        Ok((send, (!is_handled).then_some(input)))
    }

    /// Gives up the last step, because its events could not be appended or nobody knows whether they were. Returns its
    /// input, which is to be entered again, here or at the owner: a message that was carried out is recognised by its id.
    pub fn abandon(&mut self) -> Option<DeskInput> {
        self.pending.take().map(|pending| pending.input)
    }

    /// Goes on as a node that does not own the room, or does not know whether it does. Nobody has to connect again.
    ///
    /// # Panics
    /// If the events of the last step have been neither committed nor abandoned.
    #[must_use]
    pub fn into_replica(self) -> Replica {
        assert!(self.pending.is_none(), "a step is committed or abandoned");
        let watchers = self.watchers();
        Replica::with(self.room, self.audience, watchers)
    }

    /// The acknowledgement of an input whose events are durable.
    fn ack(&self, input: &DeskInput) -> Option<Outgoing> {
        let (connection, account, id) = match input {
            DeskInput::Attach { connection, person, id, .. } => (connection, person.account, id),
            DeskInput::Request { connection, account, id, .. } => (connection, *account, id),
            _ => return None,
        };
        let origin = origin(account, id.as_ref())?;
        let v = self.room.answer_to(&origin)?;
        Some(acknowledge(&self.room, *connection, origin.id, v))
    }

    /// The answer to a message that was answered before.
    fn first_answer(&self, connection: ConnectionId, origin: &Origin) -> Option<Outgoing> {
        if let Some(v) = self.room.answer_to(origin) {
            return Some(acknowledge(&self.room, connection, origin.id.clone(), v));
        }
        let refused = self.refused.iter().find(|(other, _)| other == origin);
        let message = refused.map(|(_, rej)| ServerMessage::Rej(rej.clone()))?;
        Some(Outgoing { to: Recipient::One(connection), message })
    }

    fn refuse(&mut self, input: &DeskInput, rejection: Rejection) -> Vec<Outgoing> {
        let (connection, account, id) = match input {
            DeskInput::Attach { connection, person, id, .. } => {
                (*connection, person.account, id.clone())
            }
            DeskInput::Request { connection, account, id, .. } => {
                (*connection, *account, id.clone())
            }
            _ => return Vec::new(),
        };
        let rej = Rej::new(id.clone(), rejection);
        if let Some(id) = id {
            if self.refused.len() == MOST_REFUSALS {
                self.refused.pop_front();
            }
            self.refused.push_back((Origin { account, id }, rej.clone()));
        }
        vec![Outgoing { to: Recipient::One(connection), message: ServerMessage::Rej(rej) }]
    }

    fn attach(
        &mut self,
        now: Millis,
        connection: ConnectionId,
        account: AccountId,
        id: Option<MessageId>,
        have: Option<u64>,
    ) -> Step {
        let before = (self.room.present(), self.audience.len());
        self.audience.follow(connection, account);
        self.note_presence(now);
        let mut send = self.audience.welcome(&self.room, now, connection, id, have);
        if before != (self.room.present(), self.audience.len()) {
            send.push(self.presence());
        }
        Step { append: Vec::new(), send }
    }

    fn detach(&mut self, now: Millis, connection: ConnectionId) -> Step {
        if !self.audience.leave(connection) {
            return Step::default();
        }
        self.note_presence(now);
        Step { append: Vec::new(), send: vec![self.presence()] }
    }
}

/// Why nobody can claim a game while not all nodes get through.
fn cannot_tell() -> Rejection {
    let text =
        "The server cannot tell now whether your opponent is connected. Try again in a minute.";
    Rejection::new(RejectionCode::NotGone, text)
}

pub(crate) fn origin(account: AccountId, id: Option<&MessageId>) -> Option<Origin> {
    id.map(|id| Origin { account, id: id.clone() })
}
