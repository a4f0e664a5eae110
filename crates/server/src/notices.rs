//! What the operator asks while the server runs: it is in the database, which every server reads every few seconds.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use skirmish_room::RejectionCode;

use crate::game::ToRoom;
use crate::hub::Hub;
use crate::log::Entry;
use crate::outbox::CloseReason;
use crate::storage::{Account, Notice, Order, StorageError};

/// How often the database is asked.
const INTERVAL: Duration = Duration::from_secs(2);

/// What whoever uses a device is told that was signed out.
const SIGNED_OUT: &str = "The operator of this server has signed this device out.";

/// What whoever uses a banned account is told.
pub(crate) fn banned(reason: &str) -> CloseReason {
    let text = if reason.is_empty() {
        "This account has been banned from this server.".to_owned()
    } else {
        format!("This account has been banned from this server: {reason}")
    };
    CloseReason::bye(RejectionCode::Account, 1008, text)
}

impl Hub {
    /// Does what the operator asks, until the server stops.
    pub(crate) async fn obey(self: Arc<Self>) {
        let mut stopping = self.stopping.subscribe();
        let mut done = HashSet::new();
        let mut has_failed = false;
        loop {
            let read = self.carry_out(&mut done).await;
            if let Err(error) = &read
                && !error.is_away()
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

    /// Does what has not been done yet.
    async fn carry_out(self: &Arc<Self>, done: &mut HashSet<u64>) -> Result<(), StorageError> {
        let notices = self.storage.notices().await?;
        if notices.is_empty() {
            done.clear();
            return Ok(());
        }
        for Notice { id, order } in &notices {
            // A game may not be this node's yet, or the database may go away meanwhile: it is tried until it is over.
            if done.insert(*id) || matches!(order, Order::Close(_)) {
                self.carry_out_one(order).await?;
            }
        }
        done.retain(|id| notices.iter().any(|notice| notice.id == *id));
        self.storage.clear_notices().await
    }

    async fn carry_out_one(self: &Arc<Self>, order: &Order) -> Result<(), StorageError> {
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
            Order::Close(code) => {
                self.send(code, ToRoom::Shut).await;
            }
        }
        Ok(())
    }

    fn note_order(&self, event: &'static str, text: &'static str, account: i64) {
        self.log.write(&Entry::info(event, text).with("account", account.unsigned_abs()));
    }
}
