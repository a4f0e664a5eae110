//! The accounts connected to this server, so that the operator's requests reach them.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

use skirmish_room::{AccountId, ConnectionId};
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};

use crate::lock::lock;
use crate::outbox::{CloseReason, Outbox};
use crate::storage::Credential;

/// A connection of an account.
struct Device {
    connection: ConnectionId,
    credential: Credential,
    outbox: Outbox,
}

/// The connections of an account.
#[derive(Default)]
struct Member {
    devices: Vec<Device>,
    /// Held by the connection that creates or seeks a game.
    turn: Arc<AsyncMutex<()>>,
}

/// The connections of all accounts.
#[derive(Default)]
pub(crate) struct People {
    members: Mutex<HashMap<AccountId, Member>>,
    /// Number of renames so far.
    renames: AtomicU64,
}

impl People {
    /// Records that a connection belongs to an account.
    pub(crate) fn enter(
        &self,
        account: AccountId,
        connection: ConnectionId,
        credential: Credential,
        outbox: Outbox,
    ) {
        let device = Device { connection, credential, outbox };
        lock(&self.members).entry(account).or_default().devices.push(device);
    }

    /// Removes a connection.
    pub(crate) fn leave(&self, account: AccountId, connection: ConnectionId) {
        let mut members = lock(&self.members);
        if let Some(Member { devices, .. }) = members.get_mut(&account) {
            devices.retain(|device| device.connection != connection);
            if devices.is_empty() {
                members.remove(&account);
            }
        }
    }

    /// Waits until no other connection of the account creates or seeks a game. The others wait until the guard is dropped.
    /// `None` if the account has no connection here.
    pub(crate) async fn turn(&self, account: AccountId) -> Option<OwnedMutexGuard<()>> {
        let turn = lock(&self.members).get(&account).map(|member| Arc::clone(&member.turn))?;
        Some(turn.lock_owned().await)
    }

    /// Closes the connections of an account, or only those with this credential.
    pub(crate) fn close(
        &self,
        account: AccountId,
        credential: Option<Credential>,
        reason: &CloseReason,
    ) {
        let members = lock(&self.members);
        let Some(Member { devices, .. }) = members.get(&account) else { return };
        for device in devices {
            if credential.is_none_or(|credential| credential == device.credential) {
                device.outbox.close(reason.clone());
            }
        }
    }

    /// Whether an account has a connection here.
    pub(crate) fn is_here(&self, account: AccountId) -> bool {
        lock(&self.members).contains_key(&account)
    }

    /// Records that an account was renamed. Connections then read their account's name again.
    pub(crate) fn note_rename(&self) {
        self.renames.fetch_add(1, Relaxed);
    }

    /// Returns the number of renames so far.
    pub(crate) fn renames(&self) -> u64 {
        self.renames.load(Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbox::outbox;
    use crate::storage::Secret;

    #[test]
    fn only_the_devices_that_are_meant_are_disconnected() {
        let people = People::default();
        let (laptop, phone) = (Secret::token().credential(), Secret::token().credential());
        let boxes = [outbox(None), outbox(None), outbox(None)];
        people.enter(1, 10, laptop, boxes[0].0.clone());
        people.enter(1, 11, phone, boxes[1].0.clone());
        people.enter(2, 12, phone, boxes[2].0.clone());
        let closed = || boxes.each_ref().map(|(_, inbox)| matches!(inbox.take(), Some(Err(_))));
        people.close(1, Some(phone), &CloseReason::Restart { seconds: 1 });
        assert_eq!(closed(), [false, true, false]);
        people.close(1, None, &CloseReason::Restart { seconds: 1 });
        assert_eq!(closed(), [true, true, false]);
        people.leave(2, 12);
        assert!(people.is_here(1) && !people.is_here(2));
    }
}
