//! What the server keeps: logs of rooms, accounts, finished games and ratings, in one `SQLite` file or in a `PostgreSQL`
//! database that several servers share.
//!
//! Threads of their own write and read; the nodes of a server talk to `PostgreSQL` in tasks instead. A transaction holds
//! whatever waits, and nobody gets an answer before the commit. [`Storage::close`], or dropping the last handle of threads,
//! waits until everything is written. The statements are the same for both databases.

mod accounts;
mod admin;
mod backup;
mod error;
mod fair_play;
mod folder;
mod games;
mod leases;
mod log;
mod lost;
mod meter;
mod notices;
mod opening;
mod pairing;
mod portable;
mod postgres;
mod pruning;
mod rooms;
mod schema;
mod secret;
mod session;
mod sqlite;
#[cfg(test)]
mod tests;
mod value;
mod worker;

use std::collections::HashSet;
use std::sync::Arc;

use skirmish_room::wire::{Finished, Leader};
use skirmish_room::{AccountId, Logged, Millis, NodeId, Origin};
use tokio::sync::Mutex;

pub use accounts::{Account, LINK_SECONDS, NameTaken, Redeemed};
pub use admin::Holdings;
pub use backup::{Backup, BackupError, back_up, restore};
pub use error::{Place, StorageError};
pub use games::FinishedGame;
pub(crate) use leases::{ORPHANS, OWNED};
pub use log::Append;
pub(crate) use meter::{Meter, TIMES};
pub use notices::{Credential, Notice, Order};
pub use pairing::Sought;
pub use portable::{export, export_to, import};
pub use pruning::Pruned;
pub use rooms::{RoomGames, RoomIndex, RoomStage};
pub use secret::Secret;

use meter::Appending;
use session::Session;
use worker::Worker;

/// The server's storage. Clones are handles to the same one.
///
/// An account that was merged stands for the one that it was merged into, in arguments as well as in logs.
#[derive(Clone, Debug)]
pub struct Storage(Arc<Workers>);

/// The threads, in the order in which they end: whoever closes the database last tidies up.
#[derive(Debug)]
struct Workers {
    /// Appends, on `PostgreSQL`: they wait for nothing else.
    appender: Option<Worker>,
    /// What nodes do at regular times, on `PostgreSQL`: a busy database must not make a living node look dead.
    keeper: Option<Worker>,
    reader: Worker,
    writer: Worker,
    ran_until: Millis,
    newest: Millis,
    network_key: secret::Hash,
    meter: Arc<Meter>,
    /// Nodes of this process that have left, and do not come back.
    departed: Mutex<HashSet<NodeId>>,
}

impl Storage {
    /// What is counted here.
    pub(crate) fn meter(&self) -> &Meter {
        &self.0.meter
    }

    /// Finds out whether the database answers, and can be written to.
    ///
    /// # Errors
    /// If it cannot.
    pub async fn check(&self) -> Result<(), StorageError> {
        self.0.writer.run(rooms::probe).await
    }

    /// Appends events to the log of a room. They are durable when this returns, and lists have a new room, a new player
    /// and the beginning of a game.
    ///
    /// # Errors
    /// [`StorageError::Conflict`] if the log does not end at `after`, or contains the message of an event;
    /// [`StorageError::Fenced`] if the lease is not valid any more.
    pub async fn append(&self, append: Append) -> Result<(), StorageError> {
        let appending =
            Appending::begin(&append.events, append.after == 0 && append.lease.is_some());
        let rows = append.rows()?;
        let appender = self.0.appender.as_ref().unwrap_or(&self.0.writer);
        let job = async move |session: &Session| log::append(session, &rows).await;
        let result = appender.run(job).await;
        self.0.meter.appended(&appending, &result);
        result
    }

    /// The log of a room; empty if there is no such room. Accounts that were merged appear as the ones they were merged
    /// into.
    ///
    /// # Errors
    /// If the database fails or is damaged.
    pub async fn log(&self, code: &str) -> Result<Vec<Logged>, StorageError> {
        let code = code.to_owned();
        self.0.reader.run(async move |session: &Session| log::read(session, &code, 0).await).await
    }

    /// The events of a room after this version, as in [`Storage::log`].
    ///
    /// # Errors
    /// If the database fails or is damaged.
    pub async fn log_after(&self, code: &str, version: u64) -> Result<Vec<Logged>, StorageError> {
        let code = code.to_owned();
        let job = async move |session: &Session| log::read(session, &code, version).await;
        self.0.reader.run(job).await
    }

    /// The version of a room, which is the number of its events; 0 if there is no such room.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn version(&self, code: &str) -> Result<u64, StorageError> {
        let code = code.to_owned();
        self.0.reader.run(async move |session: &Session| log::version(session, &code).await).await
    }

    /// Whether there is such a room.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn exists(&self, code: &str) -> Result<bool, StorageError> {
        let code = code.to_owned();
        self.0.reader.run(async move |session: &Session| rooms::exists(session, &code).await).await
    }

    /// The games of a room, without reading its log; none if there is no such room.
    ///
    /// # Errors
    /// If the database fails or is damaged.
    pub async fn games(&self, code: &str) -> Result<Option<RoomGames>, StorageError> {
        let code = code.to_owned();
        self.0.reader.run(async move |session: &Session| rooms::games(session, &code).await).await
    }

    /// The account that this one is now, since it may have been merged into another one, if it has a seat in a room.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn seated(
        &self,
        code: &str,
        account: AccountId,
    ) -> Result<Option<AccountId>, StorageError> {
        let code = code.to_owned();
        let job = async move |session: &Session| rooms::seated(session, &code, account).await;
        self.0.reader.run(job).await
    }

    /// Until when the server that used this folder before is known to have run; 0 if none has.
    #[must_use]
    pub fn ran_until(&self) -> Millis {
        self.0.ran_until
    }

    /// The time of the newest event in a data folder: no clock may show an earlier time. 0 for `PostgreSQL`, which has a
    /// clock of its own.
    #[must_use]
    pub(crate) fn newest(&self) -> Millis {
        self.0.newest
    }

    /// Notes that the server is running.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn beat(&self, now: Millis) -> Result<(), StorageError> {
        self.0.writer.run(async move |session: &Session| rooms::beat(session, now).await).await
    }

    /// Notes what lists say about a room, in place of what they said before.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn index(&self, code: &str, index: RoomIndex) -> Result<(), StorageError> {
        let code = code.to_owned();
        self.0
            .writer
            .run(async move |session: &Session| rooms::index(session, &code, index).await)
            .await
    }

    /// The rooms that are not over, oldest first.
    ///
    /// # Errors
    /// If the database fails or is damaged.
    pub async fn unfinished(&self) -> Result<Vec<(String, RoomIndex)>, StorageError> {
        self.0.reader.run(rooms::unfinished).await
    }

    /// The rooms with this account that are not over, oldest first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn rooms_of(&self, account: AccountId) -> Result<Vec<String>, StorageError> {
        self.0.reader.run(async move |session: &Session| rooms::of(session, account).await).await
    }

    /// The room, not over yet, that was created by this message. By `seeking`, it may have been found as well.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn led_to(
        &self,
        origin: &Origin,
        seeking: bool,
    ) -> Result<Option<String>, StorageError> {
        let (account, message) = (origin.account, log::json(&origin.id)?);
        let job =
            async move |session: &Session| rooms::led_to(session, account, &message, seeking).await;
        self.0.reader.run(job).await
    }

    /// Notes a finished game, unless it has been noted before. The same transaction rates it, if it is rated, has an
    /// outcome and was played by two registered accounts, or notes who has aborted it.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn finish(&self, game: FinishedGame) -> Result<(), StorageError> {
        self.0.writer.run(async move |session: &Session| games::finish(session, &game).await).await
    }

    /// Creates the account of a guest.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn create_guest(
        &self,
        name: &str,
        token: &Secret,
        now: Millis,
    ) -> Result<Account, StorageError> {
        let (name, token) = (name.to_owned(), token.hash());
        self.0
            .writer
            .run(async move |session: &Session| accounts::create(session, &name, &token, now).await)
            .await
    }

    /// The account with this token, and its rooms that are not over, oldest first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn sign_in(
        &self,
        token: &Secret,
    ) -> Result<Option<(Account, Vec<String>)>, StorageError> {
        let token = token.hash();
        let job = async move |session: &Session| {
            let Some(account) = accounts::with_token(session, &token).await? else {
                return Ok(None);
            };
            let rooms = rooms::of_current(session, account.id).await?;
            Ok(Some((account, rooms)))
        };
        self.0.reader.run(job).await
    }

    /// Whether a registered account has this name, or one that looks like it.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn is_taken(&self, name: &str) -> Result<bool, StorageError> {
        let name = name.to_owned();
        self.0
            .reader
            .run(async move |session: &Session| accounts::is_taken(session, &name).await)
            .await
    }

    /// Renames a guest. The name of a registered account stays, and so does one that the operator has given. Returns the
    /// name that the account has now.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn rename_guest(
        &self,
        account: AccountId,
        name: &str,
    ) -> Result<String, StorageError> {
        let name = name.to_owned();
        self.0
            .writer
            .run(async move |session: &Session| accounts::rename(session, account, &name).await)
            .await
    }

    /// Registers an account with a name that neither equals nor looks like another account's. An account that is already
    /// registered gets the new name and the new recovery code.
    ///
    /// # Errors
    /// If the database fails, or there is no such account.
    pub async fn register(
        &self,
        account: AccountId,
        name: &str,
        recovery: &Secret,
    ) -> Result<Result<Account, NameTaken>, StorageError> {
        let (name, recovery) = (name.to_owned(), recovery.hash());
        let job = async move |session: &Session| {
            accounts::register(session, account, &name, &recovery).await
        };
        self.0.writer.run(job).await
    }

    /// Notes a code with which another device can join the account once, within [`LINK_SECONDS`]. An earlier code of
    /// the account becomes invalid.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn create_link(
        &self,
        account: AccountId,
        code: &Secret,
        now: Millis,
    ) -> Result<(), StorageError> {
        let code = code.hash();
        self.0
            .writer
            .run(async move |session: &Session| accounts::link(session, account, &code, now).await)
            .await
    }

    /// Makes `token` a credential of the account with this link code, which is used up, or recovery code. If `guest` is
    /// not registered, it is merged into the account: its tokens, finished games and seats. While the two are playing each
    /// other, nothing changes.
    ///
    /// Where the two have played each other, the guest's seat remains the guest's, so that nobody sits on both sides.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn redeem(
        &self,
        code: &Secret,
        token: &Secret,
        guest: Option<AccountId>,
        now: Millis,
    ) -> Result<Redeemed, StorageError> {
        let (code, token) = (code.hash(), token.hash());
        let job = async move |session: &Session| {
            accounts::redeem(session, &code, &token, guest, now).await
        };
        self.0.writer.run(job).await
    }

    /// The rating of an account in a game, rounded, and whether it is provisional; `None` before its first rated game.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn rating(
        &self,
        account: AccountId,
        game: &str,
    ) -> Result<Option<(i32, bool)>, StorageError> {
        let game = game.to_owned();
        self.0
            .reader
            .run(async move |session: &Session| games::rating(session, account, &game).await)
            .await
    }

    /// The best players of a game whose ratings are not provisional, best first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn leaders(&self, game: &str) -> Result<Vec<Leader>, StorageError> {
        let game = game.to_owned();
        self.0.reader.run(async move |session: &Session| games::leaders(session, &game).await).await
    }

    /// The newest finished games of an account, newest first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn history(&self, account: AccountId) -> Result<Vec<Finished>, StorageError> {
        self.0
            .reader
            .run(async move |session: &Session| games::history(session, account).await)
            .await
    }
}
