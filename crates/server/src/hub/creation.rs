//! Creates rooms, and pairs people who seek a game.

use std::collections::hash_map::Entry;
use std::net::IpAddr;
use std::sync::Arc;

use skirmish_room::wire::MessageId;
use skirmish_room::{Origin, Person, Room, RoomEvent, Terms};

use super::{Hub, RoomHandle, new_handle};
use crate::codes;
use crate::game::{self, Mailbox};
use crate::lock::lock;
use crate::storage::{Append, Sought, StorageError};

/// How many creations are remembered, so that a message that is resent does not create a second room.
const MOST_CREATIONS: usize = 4096;

/// A request for a new room.
pub(crate) struct Creation {
    pub(crate) creator: Person,
    /// The creator's network.
    pub(crate) network: IpAddr,
    /// The id of the message with the request.
    pub(crate) id: MessageId,
    /// The terms, normalised.
    pub(crate) terms: Terms,
    pub(crate) date: Option<String>,
}

impl Creation {
    fn origin(&self) -> Origin {
        Origin { account: self.creator.account, id: self.id.clone() }
    }
}

/// A room that is not durable yet.
struct Draft {
    room: Room,
    handle: RoomHandle,
    mailbox: Mailbox,
}

impl Hub {
    /// Creates a room or, if `seeking`, finds one on the same terms if there is any.
    pub(crate) async fn create(
        self: &Arc<Self>,
        creation: &Creation,
        seeking: bool,
    ) -> Result<Sought, StorageError> {
        let account = creation.creator.account;
        let most = self.ledger.limits().games_per_account as usize;
        loop {
            let (draft, append) = self.draft(creation)?;
            let guard = Some(self.guard(self.cluster().outage.id));
            let stored = if seeking {
                let now = self.now();
                self.storage.seek(&creation.terms, account, now, append, guard, most).await
            } else {
                self.storage.create(append, guard, most).await
            };
            match &stored {
                Ok(Sought::Created(_)) => {
                    self.open(creation, draft);
                    return stored;
                }
                Ok(Sought::Found(code)) => self.remember(creation.origin(), code),
                Ok(Sought::Known(_) | Sought::AtLimit) | Err(_) => {}
            }
            self.forget(draft.room.code(), &draft.handle);
            match stored {
                // Another room has this code.
                Err(StorageError::Conflict(_)) => {}
                Err(StorageError::Stale) => self.beat().await?,
                stored => return stored,
            }
        }
    }

    /// Prepares a room with a new code, and the append that makes it durable. The room is in the map before it is durable, so
    /// that nobody loads it a second time.
    fn draft(&self, creation: &Creation) -> Result<(Draft, Append), StorageError> {
        let (handle, mailbox) = new_handle();
        handle.note_network(creation.network);
        let code = loop {
            let code = codes::new_code();
            if let Entry::Vacant(entry) = lock(&self.rooms).entry(code.clone()) {
                entry.insert(handle.clone());
                break code;
            }
        };
        let event = RoomEvent::Created {
            code: code.clone(),
            terms: Box::new(creation.terms.clone()),
            creator: creation.creator.clone(),
            seed: u64::from_le_bytes(codes::random()),
            date: creation.date.clone(),
        };
        let events = Room::create(self.now(), Some(creation.origin()), event);
        let room = Room::fold(self.games, &events).map_err(|error| {
            self.forget(&code, &handle);
            StorageError::Damaged(error.to_string())
        })?;
        let append = Append { code, after: 0, events, finished: None };
        Ok((Draft { room, handle, mailbox }, append))
    }

    /// Starts a room that has become durable.
    fn open(self: &Arc<Self>, creation: &Creation, draft: Draft) {
        let Draft { mut room, handle, mailbox } = draft;
        let account = creation.creator.account;
        self.remember(creation.origin(), room.code());
        // The creator is connected, and is about to follow the room.
        if let Some(side) = room.side_of(account) {
            room.note_presence(side, true, self.now());
        }
        if room.is_open() && room.terms().public {
            self.board.show(room.lobby_game(0), account, true, &handle);
        }
        game::begin(Arc::clone(self), room, handle, mailbox);
    }

    /// Returns the room that an earlier copy of a message created or found.
    pub(crate) fn created_by(&self, origin: &Origin) -> Option<String> {
        let creations = lock(&self.creations);
        let found = creations.iter().find(|(other, _)| other == origin);
        found.map(|(_, code)| code.clone())
    }

    /// Remembers the room that a message created or found.
    fn remember(&self, origin: Origin, code: &str) {
        let mut creations = lock(&self.creations);
        if creations.len() == MOST_CREATIONS {
            creations.pop_front();
        }
        creations.push_back((origin, code.to_owned()));
    }
}
