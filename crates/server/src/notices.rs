//! Carries out the operator's requests to running servers. Every server polls the database for them.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use skirmish_room::{HostInput, RejectionCode};

use crate::game::ToRoom;
use crate::hub::Hub;
use crate::log::Entry;
use crate::outbox::CloseReason;
use crate::storage::{Account, Notice, Order, RoomStage, StorageError};

/// How often the database is polled.
const INTERVAL: Duration = Duration::from_secs(2);

/// The message for users of a device that was signed out.
const SIGNED_OUT: &str = "The operator of this server has signed this device out.";

/// Returns the message for users of a banned account.
pub(crate) fn banned(reason: &str) -> CloseReason {
    let text = if reason.is_empty() {
        "This account has been banned from this server.".to_owned()
    } else {
        format!("This account has been banned from this server: {reason}")
    };
    CloseReason::bye(RejectionCode::Account, 1008, text)
}

impl Hub {
    /// Returns the requests from before this server started. They need no action: nobody is connected yet, and each client is
    /// admitted or refused by the state of the database at that time.
    pub(crate) async fn old_notices(&self) -> HashSet<u64> {
        // Without an answer, old requests are carried out again, which is harmless.
        let notices = self.storage.notices().await.unwrap_or_default();
        notices.iter().map(|notice| notice.id).collect()
    }

    /// Carries out the operator's requests, except for those already `done`, until the server stops.
    pub(crate) async fn obey(self: Arc<Self>, mut done: HashSet<u64>) {
        let mut stopping = self.stopping.subscribe();
        let mut has_failed = false;
        loop {
            let read = self.carry_out(&mut done).await;
            if let Err(error) = &read
                && !error.is_unavailable()
                && !has_failed
            {
                self.log.storage_failed(error);
            }
            has_failed = read.is_err();
            tokio::select! {
                () = tokio::time::sleep(INTERVAL) => {}
                _ = stopping.wait_for(|&stops| stops) => return,
            }
        }
    }

    /// Carries out the requests that have not been carried out yet.
    async fn carry_out(self: &Arc<Self>, done: &mut HashSet<u64>) -> Result<(), StorageError> {
        let notices = self.storage.notices().await?;
        if notices.is_empty() {
            done.clear();
            return Ok(());
        }
        let mut result = Ok(());
        for Notice { id, order } in &notices {
            // The database may become unavailable in the meantime: retry until the game is over.
            let is_new = !done.contains(id);
            if is_new || matches!(order, Order::Close(_)) {
                match self.carry_out_one(order, is_new).await {
                    Ok(()) => drop(done.insert(*id)),
                    // Retry later, without delaying other requests.
                    Err(error) => result = Err(error),
                }
            }
        }
        done.retain(|id| notices.iter().any(|notice| notice.id == *id));
        self.storage.clear_notices().await?;
        result
    }

    async fn carry_out_one(
        self: &Arc<Self>,
        order: &Order,
        is_new: bool,
    ) -> Result<(), StorageError> {
        match order {
            Order::Ban(account) => {
                if self.people.is_here(*account)
                    && let Some(Account { ban: Some(reason), .. }) =
                        self.storage.account(*account).await?
                {
                    self.people.close(*account, None, &banned(&reason));
                    self.note_order("account_banned", "An account was banned.", *account);
                }
            }
            Order::Revoke(account, credential) => {
                let reason = CloseReason::bye(RejectionCode::Token, 1008, SIGNED_OUT);
                self.people.close(*account, *credential, &reason);
                self.note_order("devices_revoked", "Devices were signed out.", *account);
            }
            Order::Rename(account) => {
                self.people.note_rename();
                self.note_order("account_renamed", "An account was renamed.", *account);
            }
            // The node that merged the guest has told the other nodes, but the message may have been lost.
            Order::Merge(guest) => drop(self.merge(*guest).await?),
            Order::Close(code) => match self.storage.stage(code).await? {
                // If nobody follows the game, it is enough that one node closes it.
                Some(RoomStage::Open | RoomStage::Playing) => {
                    if self.is_live(code) || self.nodes.others().is_first(self.nodes.id) {
                        self.send(code, ToRoom::Input(HostInput::Shut)).await;
                    }
                }
                // Another node has closed the game, or the game was already over: prevent a rematch.
                Some(RoomStage::Over) if is_new => {
                    self.tell_live(code, ToRoom::Input(HostInput::Shut));
                }
                Some(RoomStage::Over) | None => {}
            },
            Order::Forget(codes) => {
                for code in codes {
                    self.tell_live(code, ToRoom::Removed);
                }
            }
        }
        Ok(())
    }

    fn note_order(&self, event: &'static str, text: &'static str, account: i64) {
        self.log.write(&Entry::info(event, text).with("account", account.unsigned_abs()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hub::trial;
    use crate::log::Log;
    use crate::outbox::outbox;
    use crate::storage::{Secret, Storage};

    #[tokio::test]
    async fn a_game_that_was_pruned_leaves_memory() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let storage = Storage::open(folder.path()).expect("the database opens");
        storage.append(trial::left_over("ABC234"), None).await.expect("a game");
        let hub = trial::hub(storage.clone(), Log::none()).await;
        hub.wake("ABC234").await.await.expect("the game goes on");
        assert!(hub.is_live("ABC234"));
        assert_eq!(storage.prune(2, false).await.expect("pruned").rooms, 1);
        hub.carry_out(&mut HashSet::new()).await.expect("carried out");
        assert!(hub.describe("ABC234", 1).await.is_none(), "it is still in memory");
    }

    #[tokio::test]
    async fn an_order_that_fails_is_tried_again_and_keeps_no_other_waiting() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let storage = Storage::open(folder.path()).expect("the database opens");
        let hub = trial::hub(storage.clone(), Log::none()).await;
        let token = Secret::token();
        let eve = storage.create_guest("Eve", &token, 1).await.expect("a guest");
        let (device, inbox) = outbox(None);
        hub.people.enter(eve.id, 10, token.credential(), device);
        storage.ban(eve.id, "spam").await.expect("banned");
        storage.rename(eve.id, "Eva").await.expect("an answer").expect("a free name");

        let database = rusqlite::Connection::open(folder.path().join("skirmish.db"));
        let database = database.expect("a database");
        database.execute_batch("ALTER TABLE ban RENAME TO away").expect("valid SQL");
        let mut done = HashSet::new();
        assert!(hub.carry_out(&mut done).await.is_err());
        assert_eq!((done.len(), hub.people.renames()), (1, 1));
        assert!(inbox.take().is_none(), "nobody knows whether the account is banned");

        database.execute_batch("ALTER TABLE away RENAME TO ban").expect("valid SQL");
        hub.carry_out(&mut done).await.expect("carried out");
        assert_eq!((done.len(), hub.people.renames()), (2, 1));
        assert!(matches!(inbox.take(), Some(Err(_))), "the connection is closed");
    }
}
