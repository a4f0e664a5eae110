//! The followers of a room on this node, and the messages they receive.

use crate::clock::Millis;
use crate::cluster::Followers;
use crate::event::{AccountId, Logged, Person};
use crate::host::{ConnectionId, Outgoing, Recipient};
use crate::rejection::{Rejection, RejectionCode};
use crate::room::{FoldError, Room};
use crate::wire::{MessageId, ServerMessage};

/// The followers of a room on this node.
#[derive(Default)]
pub(super) struct Audience {
    followers: Vec<Follower>,
}

struct Follower {
    connection: ConnectionId,
    account: AccountId,
}

/// The outcome of joining a room.
pub(super) enum Admission {
    /// Take the free seat.
    Sit,
    /// Follow the room without taking a seat.
    Follow,
    Refuse(Rejection),
}

impl Admission {
    pub(super) fn of(room: &Room, person: &Person, watch: bool) -> Self {
        let is_seated = room.side_of(person.account).is_some();
        if room.is_open() && !is_seated && !watch {
            Self::Sit
        } else if is_seated || room.terms().spectators {
            Self::Follow
        } else if room.is_open() {
            let text = "Nobody may watch this game, but a seat is free.";
            Self::Refuse(Rejection::new(RejectionCode::NotSeated, text))
        } else {
            let text = "Both seats of this game are taken, and nobody may watch it.";
            Self::Refuse(Rejection::new(RejectionCode::Full, text))
        }
    }
}

impl Audience {
    pub(super) fn connections(&self) -> impl Iterator<Item = ConnectionId> {
        self.followers.iter().map(|follower| follower.connection)
    }

    pub(super) fn players(&self, room: &Room) -> impl Iterator<Item = ConnectionId> {
        let is_player = |follower: &&Follower| room.side_of(follower.account).is_some();
        self.followers.iter().filter(is_player).map(|follower| follower.connection)
    }

    pub(super) fn len(&self) -> usize {
        self.followers.len()
    }

    /// Whether an account has a connection here.
    pub(super) fn has(&self, account: AccountId) -> bool {
        self.followers.iter().any(|follower| follower.account == account)
    }

    /// Adds a follower. Returns whether the connection is new.
    pub(super) fn follow(&mut self, connection: ConnectionId, account: AccountId) -> bool {
        let is_new = !self.leave(connection);
        self.followers.push(Follower { connection, account });
        is_new
    }

    /// Removes a follower. Returns whether the connection was following the room.
    pub(super) fn leave(&mut self, connection: ConnectionId) -> bool {
        let found = self.followers.iter().position(|follower| follower.connection == connection);
        found.map(|index| self.followers.remove(index)).is_some()
    }

    /// Counts the watchers and lists the players connected to this node.
    pub(super) fn report(&self, room: &Room) -> Followers {
        let mut report = Followers::default();
        for Follower { account, .. } in &self.followers {
            if room.side_of(*account).is_none() {
                report.watchers = report.watchers.saturating_add(1);
            } else if !report.players.contains(account) {
                report.players.push(*account);
            }
        }
        report.players.sort_unstable();
        report
    }

    /// Marks the players connected to this node as present in the room.
    pub(super) fn note_here(&self, room: &mut Room, now: Millis) {
        for follower in &self.followers {
            if let Some(side) = room.side_of(follower.account) {
                room.note_presence(side, true, now);
            }
        }
    }

    /// Returns the first messages for a new follower.
    pub(super) fn welcome(
        &self,
        room: &Room,
        now: Millis,
        connection: ConnectionId,
        id: Option<MessageId>,
        have: Option<u64>,
    ) -> Vec<Outgoing> {
        let mut send = Vec::new();
        if let Some(id) = id {
            send.push(acknowledge(room, connection, id, room.version()));
        }
        let follower = self.followers.iter().find(|follower| follower.connection == connection);
        if let Some(follower) = follower.filter(|_| have != Some(room.version())) {
            send.push(snap_for(room, now, follower));
        }
        send
    }

    /// Applies durable events and returns the messages for the followers. Grouping the events differently does not change
    /// the messages.
    pub(super) fn tell(
        &self,
        room: &mut Room,
        now: Millis,
        events: &[Logged],
    ) -> Result<Vec<Outgoing>, FoldError> {
        let mut send = Vec::new();
        let mut snaps = false;
        for logged in events {
            let turns = room.turns_played();
            let mut told = Vec::new();
            // This snapshot must show the room as of this event, so build it before applying the next one.
            if snaps && !logged.is_shown_whole() {
                self.snap_all(room, now, &mut send);
                snaps = false;
            }
            room.apply(logged, Some(&mut told))?;
            match room.show(logged, turns, told) {
                None => snaps = true,
                Some(ev) => {
                    send.push(Outgoing { to: Recipient::All, message: ServerMessage::Ev(ev) });
                }
            }
        }
        if snaps {
            self.snap_all(room, now, &mut send);
        }
        Ok(send)
    }

    /// Returns new snapshots for followers whose seat differs from the one before the room was reloaded.
    pub(super) fn reseat(&self, before: &Room, room: &Room, now: Millis) -> Vec<Outgoing> {
        let has_moved = |follower: &&Follower| {
            before.side_of(follower.account) != room.side_of(follower.account)
        };
        self.followers.iter().filter(has_moved).map(|it| snap_for(room, now, it)).collect()
    }

    fn snap_all(&self, room: &mut Room, now: Millis, send: &mut Vec<Outgoing>) {
        self.note_here(room, now);
        send.extend(self.followers.iter().map(|follower| snap_for(room, now, follower)));
    }
}

fn snap_for(room: &Room, now: Millis, follower: &Follower) -> Outgoing {
    let snap = Box::new(room.snap(follower.account, now));
    Outgoing { to: Recipient::One(follower.connection), message: ServerMessage::Snap(snap) }
}

/// Builds the presence message, with the number of watchers on all nodes.
pub(super) fn presence(room: &Room, watchers: u32) -> ServerMessage {
    let players = room.present().into();
    ServerMessage::Presence { code: room.code().to_owned(), players, watchers }
}

/// Builds the acknowledgement of a message that was carried out.
pub(super) fn acknowledge(
    room: &Room,
    connection: ConnectionId,
    id: MessageId,
    v: u64,
) -> Outgoing {
    let message = ServerMessage::Ack { id, code: Some(room.code().to_owned()), v: Some(v) };
    Outgoing { to: Recipient::One(connection), message }
}
