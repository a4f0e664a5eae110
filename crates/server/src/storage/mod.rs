//! What the server keeps: logs of rooms, accounts, finished games and ratings, in one `SQLite` file.
//!
//! One thread writes. Its transactions hold whatever waits, and nobody gets an answer before the commit. A second
//! thread reads. Dropping the last handle, or [`Storage::close`], waits until everything is written.

mod accounts;
mod error;
mod folder;
mod games;
mod log;
mod rooms;
mod schema;
mod secret;
#[cfg(test)]
mod tests;
mod worker;

use std::path::Path;
use std::sync::Arc;

use skirmish_room::wire::{Finished, Leader};
use skirmish_room::{AccountId, Logged, Millis, Origin};

pub use accounts::{Account, LINK_SECONDS, NameTaken};
pub use error::StorageError;
pub use games::FinishedGame;
pub use log::Append;
pub use rooms::{RoomIndex, RoomStage};
pub use secret::Secret;

use folder::DataFolder;
use worker::Worker;

/// The server's storage. Clones are handles to the same one.
///
/// An account that was merged stands for the one that it was merged into, in arguments as well as in logs.
#[derive(Clone, Debug)]
pub struct Storage(Arc<Workers>);

/// The threads, in the order in which they end: whoever closes the database last tidies up.
#[derive(Debug)]
struct Workers {
    reader: Worker,
    writer: Worker,
    ran_until: Millis,
}

impl Storage {
    /// Opens the data folder, which is created if missing.
    ///
    /// # Errors
    /// If another server uses the folder, it cannot be used at all, or its database is damaged, somebody else's or newer
    /// than this program. Such a database stays untouched.
    pub fn open(folder: &Path) -> Result<Self, StorageError> {
        let folder = DataFolder::open(folder)?;
        let path = folder.database()?;
        let writer = schema::open(&path)?;
        let reader = schema::open_for_reading(&path)?;
        let ran_until = rooms::ran_until(&writer)?;
        let writer = Worker::start("storage", writer, folder);
        let writer = writer.map_err(StorageError::unusable(&path))?;
        let reader = Worker::start("storage-reader", reader, ());
        let reader = reader.map_err(StorageError::unusable(&path))?;
        Ok(Self(Arc::new(Workers { reader, writer, ran_until })))
    }

    /// Waits until everything is written, and closes the database. Other handles get [`StorageError::Closed`] from now on.
    pub async fn close(self) {
        self.0.reader.stop().await;
        self.0.writer.stop().await;
    }

    /// Appends events to the log of a room. They are durable when this returns, and lists have a new room, a new player
    /// and the beginning of a game.
    ///
    /// # Errors
    /// [`StorageError::Conflict`] if the log does not end at `after`, or contains the message of an event.
    pub async fn append(&self, append: Append) -> Result<(), StorageError> {
        let rows = append.rows()?;
        self.0.writer.run(move |connection| log::append(connection, &rows)).await
    }

    /// The log of a room; empty if there is no such room. Accounts that were merged appear as the ones they were merged
    /// into.
    ///
    /// # Errors
    /// If the database fails or is damaged.
    pub async fn log(&self, code: &str) -> Result<Vec<Logged>, StorageError> {
        let code = code.to_owned();
        self.0.reader.run(move |connection| log::read(connection, &code)).await
    }

    /// Whether there is such a room.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn exists(&self, code: &str) -> Result<bool, StorageError> {
        let code = code.to_owned();
        self.0.reader.run(move |connection| rooms::exists(connection, &code)).await
    }

    /// Until when the server that used this folder before is known to have run; 0 if none has.
    #[must_use]
    pub fn ran_until(&self) -> Millis {
        self.0.ran_until
    }

    /// Notes that the server is running.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn beat(&self, now: Millis) -> Result<(), StorageError> {
        self.0.writer.run(move |connection| rooms::beat(connection, now)).await
    }

    /// Notes what lists say about a room, in place of what they said before.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn index(&self, code: &str, index: RoomIndex) -> Result<(), StorageError> {
        let code = code.to_owned();
        self.0.writer.run(move |connection| rooms::index(connection, &code, index)).await
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
        self.0.reader.run(move |connection| rooms::of(connection, account)).await
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
        let job = move |connection: &_| rooms::led_to(connection, account, &message, seeking);
        self.0.reader.run(job).await
    }

    /// Notes a finished game, unless it has been noted before. The same transaction rates it, if it is rated, has an
    /// outcome and was played by two registered accounts.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn finish(&self, game: FinishedGame) -> Result<(), StorageError> {
        self.0.writer.run(move |connection| games::finish(connection, &game)).await
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
        self.0.writer.run(move |connection| accounts::create(connection, &name, token, now)).await
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
        let job = move |connection: &_| {
            let Some(account) = accounts::with_token(connection, token)? else { return Ok(None) };
            let rooms = rooms::of(connection, account.id)?;
            Ok(Some((account, rooms)))
        };
        self.0.reader.run(job).await
    }

    /// Whether a registered account has this name, ignoring case.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn is_taken(&self, name: &str) -> Result<bool, StorageError> {
        let name = name.to_owned();
        self.0.reader.run(move |connection| accounts::is_taken(connection, &name)).await
    }

    /// Renames a guest. The name of a registered account stays.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn rename_guest(&self, account: AccountId, name: &str) -> Result<(), StorageError> {
        let name = name.to_owned();
        self.0.writer.run(move |connection| accounts::rename(connection, account, &name)).await
    }

    /// Registers an account with a name that nobody else has, ignoring case. An account that is registered already gets
    /// the new name and the new recovery code.
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
        let job = move |connection: &_| accounts::register(connection, account, &name, recovery);
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
        self.0.writer.run(move |connection| accounts::link(connection, account, code, now)).await
    }

    /// Makes `token` a credential of the account with this link code, which is used up, or recovery code. If `guest` is
    /// not registered, it is merged into the account: its tokens, finished games and seats. `None` if there is no such
    /// code, or it is no longer valid.
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
    ) -> Result<Option<Account>, StorageError> {
        let (code, token) = (code.hash(), token.hash());
        let job = move |connection: &_| accounts::redeem(connection, code, token, guest, now);
        self.0.writer.run(job).await
    }

    /// The rating of an account in a game, rounded; `None` before its first rated game.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn rating(
        &self,
        account: AccountId,
        game: &str,
    ) -> Result<Option<i32>, StorageError> {
        let game = game.to_owned();
        self.0.reader.run(move |connection| games::rating(connection, account, &game)).await
    }

    /// The best players of a game whose ratings are fairly certain, best first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn leaders(&self, game: &str) -> Result<Vec<Leader>, StorageError> {
        let game = game.to_owned();
        self.0.reader.run(move |connection| games::leaders(connection, &game)).await
    }

    /// The newest finished games of an account, newest first.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn history(&self, account: AccountId) -> Result<Vec<Finished>, StorageError> {
        self.0.reader.run(move |connection| games::history(connection, account)).await
    }
}
