//! What the server keeps: logs of rooms, accounts, finished games and ratings, in one `SQLite` file or in a `PostgreSQL`
//! database that several servers share.
//!
//! Threads of their own write and read. A transaction holds whatever waits, and nobody gets an answer before the commit.
//! Dropping the last handle, or [`Storage::close`], waits until everything is written. The statements are the same for
//! both databases.

mod accounts;
mod error;
mod folder;
mod games;
mod leases;
mod log;
mod meter;
mod pairing;
mod postgres;
mod rooms;
mod schema;
mod secret;
mod session;
mod sqlite;
#[cfg(test)]
mod tests;
mod value;
mod worker;

use std::path::Path;
use std::sync::Arc;
use std::{io, thread};

use skirmish_room::wire::{Finished, Leader};
use skirmish_room::{AccountId, Logged, Millis, Origin};

pub use accounts::{Account, LINK_SECONDS, NameTaken};
pub use error::{Place, StorageError};
pub use games::FinishedGame;
pub use log::Append;
pub(crate) use meter::{Meter, TIMES};
pub use pairing::Sought;
pub use rooms::{RoomIndex, RoomStage};
pub use secret::Secret;

use folder::DataFolder;
use meter::Appending;
use postgres::{Address, Sharing};
use session::Session;
use sqlite::Access;
use worker::Worker;

/// How many connections to `PostgreSQL` write what is not an append, and how many read.
const LANES: usize = 3;

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
    reader: Worker,
    writer: Worker,
    ran_until: Millis,
    meter: Arc<Meter>,
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
        let ran_until = sqlite::ready(rooms::ran_until(&writer))?;
        let meter = Arc::new(Meter::default());
        let counting = Arc::clone(&meter);
        let writer = Worker::start("storage", move |mut queue| {
            let stopped = sqlite::work(&writer, Access::Write(&counting), &mut queue);
            drop(writer);
            drop(folder);
            stopped
        });
        let writer = writer.map_err(StorageError::unusable(&path))?;
        let reader = Worker::start("storage-reader", move |mut queue| {
            let stopped = sqlite::work(&reader, Access::Read, &mut queue);
            drop(reader);
            stopped
        });
        let reader = reader.map_err(StorageError::unusable(&path))?;
        Ok(Self(Arc::new(Workers { appender: None, reader, writer, ran_until, meter })))
    }

    /// Connects to a `PostgreSQL` database, `postgres://user:password@host:port/name`, and creates the tables if it has none.
    /// Several servers can share it.
    ///
    /// # Errors
    /// [`StorageError::Away`] if it cannot be reached. If the address is wrong, or the database is somebody else's or newer
    /// than this program. Such a database stays untouched.
    pub fn connect(url: &str) -> Result<Self, StorageError> {
        let address = Address::parse(url)?;
        let unusable = |error| StorageError::Unusable {
            place: address.place().clone(),
            source: Arc::new(error),
        };
        // In a thread, since the caller may be in a runtime of its own.
        let prepare = || runtime().map_err(unusable)?.block_on(prepare(&address));
        let prepared = thread::scope(|scope| scope.spawn(prepare).join());
        let ran_until = prepared.map_err(|_| StorageError::Closed)??;
        let meter = Arc::new(Meter::default());
        let start = |name, sharing, lanes| {
            let (runtime, address) = (runtime().map_err(unusable)?, address.clone());
            let meter = Arc::clone(&meter);
            let work = move |queue| {
                runtime.block_on(postgres::work(address, sharing, lanes, meter, queue))
            };
            Worker::start(name, work).map_err(unusable)
        };
        let appender = Some(start("storage-log", Sharing::Transaction, 1)?);
        let reader = start("storage-reader", Sharing::Reads, LANES)?;
        let writer = start("storage", Sharing::Nothing, LANES)?;
        Ok(Self(Arc::new(Workers { appender, reader, writer, ran_until, meter })))
    }

    /// Waits until everything is written, and closes the database. Other handles get [`StorageError::Closed`] from now on.
    pub async fn close(self) {
        if let Some(appender) = &self.0.appender {
            appender.stop().await;
        }
        self.0.reader.stop().await;
        self.0.writer.stop().await;
    }

    /// What is counted here.
    pub(crate) fn meter(&self) -> &Meter {
        &self.0.meter
    }

    /// Finds out whether the database answers.
    ///
    /// # Errors
    /// If it does not.
    pub async fn check(&self) -> Result<(), StorageError> {
        self.0.reader.run(rooms::ran_until).await.map(drop)
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
    /// outcome and was played by two registered accounts.
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
            let rooms = rooms::of(session, account.id).await?;
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
        self.0
            .reader
            .run(async move |session: &Session| accounts::is_taken(session, &name).await)
            .await
    }

    /// Renames a guest. The name of a registered account stays.
    ///
    /// # Errors
    /// If the database fails.
    pub async fn rename_guest(&self, account: AccountId, name: &str) -> Result<(), StorageError> {
        let name = name.to_owned();
        self.0
            .writer
            .run(async move |session: &Session| accounts::rename(session, account, &name).await)
            .await
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
        let job = async move |session: &Session| {
            accounts::redeem(session, &code, &token, guest, now).await
        };
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
        self.0
            .reader
            .run(async move |session: &Session| games::rating(session, account, &game).await)
            .await
    }

    /// The best players of a game whose ratings are fairly certain, best first.
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

/// A runtime for the thread it is built in.
fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Brings the tables up to date, and returns until when a server is known to have run.
async fn prepare(address: &Address) -> Result<Millis, StorageError> {
    let session = schema::prepare(address).await?;
    rooms::ran_until(&session).await
}
