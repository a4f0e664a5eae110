//! Opening and closing storage.

use std::path::Path;
use std::sync::Arc;
use std::{io, thread};

use rusqlite::OpenFlags;

use super::folder::{self, DataFolder};
use super::postgres::{self, Address, Sharing};
use super::schema::Empty;
use super::secret::Hash;
use super::{
    Backend, Meter, Place, Result, Storage, StorageError, Worker, Workers, fair_play, rooms,
    schema, sqlite,
};
use crate::tasks::block_on;

/// Number of `PostgreSQL` connections for writing anything but simple appends, and for reading.
const CONNECTIONS: usize = 3;

/// Number of connections for the nodes' periodic jobs: one for the heartbeat and one for everything else, so that the
/// heartbeat never waits.
const HEARTBEAT_CONNECTIONS: usize = 2;

/// Where `PostgreSQL` jobs run.
#[derive(Clone, Copy)]
enum Runs {
    /// In separate threads.
    InThreads,
    /// In the caller's runtime.
    Here,
}

impl Storage {
    /// Opens the data folder, creating it if missing.
    ///
    /// # Errors
    /// If another server uses the folder, it cannot be used at all, its disk is full, or its database is read-only, damaged,
    /// not Skirmish's or newer than this program. Such a database is not changed.
    pub fn open(folder: &Path) -> Result<Self> {
        let folder = DataFolder::open(folder)?;
        let path = folder.database()?;
        let opened = schema::open(&path).and_then(|writer| {
            sqlite::ready(async {
                writer.batch("BEGIN IMMEDIATE").await?;
                rooms::probe(&writer).await?;
                writer.batch("COMMIT").await
            })?;
            Ok(writer)
        });
        let writer = opened.map_err(|error| error.at(&path))?;
        Self::start(&path, writer, Some(folder))
    }

    /// Opens the data folder of a server. Also returns whether the server is running.
    ///
    /// # Errors
    /// If there is no database in the folder, or it cannot be used. While a server runs, the tables are not changed, so an
    /// older version of them is also an error.
    pub fn attach(folder: &Path) -> Result<(Self, bool)> {
        let path = folder.join(folder::DATABASE);
        std::fs::metadata(&path).map_err(StorageError::unusable(&path))?;
        match DataFolder::open(folder) {
            Ok(folder) => {
                let writer = schema::open(&path)?;
                Ok((Self::start(&path, writer, Some(folder))?, false))
            }
            Err(StorageError::InUse { .. }) => {
                let writer = schema::open_beside_server(&path)?;
                Ok((Self::start(&path, writer, None)?, true))
            }
            Err(error) => Err(error),
        }
    }

    /// Starts the threads for a `SQLite` file.
    fn start(path: &Path, writer: Backend, folder: Option<DataFolder>) -> Result<Self> {
        let reader = Backend::Sqlite(sqlite::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?);
        let newest = sqlite::ready(rooms::newest(&writer))?;
        let network_key = sqlite::ready(fair_play::network_key(&writer))?;
        let meter = Arc::new(Meter::default());
        let counting = Arc::clone(&meter);
        let writer = Worker::start("storage", move |queue| {
            let stopped = sqlite::work(writer, Some(&counting), queue);
            drop(folder);
            stopped
        });
        let writer = writer.map_err(StorageError::unusable(path))?;
        let reader =
            Worker::start("storage-reader", move |queue| sqlite::work(reader, None, queue));
        let reader = reader.map_err(StorageError::unusable(path))?;
        let workers = Workers {
            appender: None,
            heartbeats: None,
            reader,
            writer,
            newest,
            network_key,
            meter,
        };
        Ok(Self(Arc::new(workers)))
    }

    /// Connects to a `PostgreSQL` database at `postgres://user:password@host:port/name`, and creates the tables if it has
    /// none. Several servers can share the database.
    ///
    /// # Errors
    /// [`StorageError::Unavailable`] if the database cannot be reached. Also fails if the address is wrong, or the database
    /// is not Skirmish's or newer than this program. Such a database is not changed.
    pub fn connect(url: &str) -> Result<Self> {
        Self::connect_to(url, Empty::Fill, Runs::InThreads)
    }

    /// Returns the location of the `PostgreSQL` database at a URL, without a password.
    pub(crate) fn place(url: &str) -> Result<Place> {
        Ok(Address::parse(url)?.place().clone())
    }

    /// Checks that a `PostgreSQL` database can be reached.
    pub(crate) fn reach(url: &str) -> Result<()> {
        let address = Address::parse(url)?;
        run_in_thread(async || {
            address.connect().await?.close().await;
            Ok(())
        })
    }

    /// Connects like [`Storage::connect`], but with tasks in place of threads, so that a server waits for its database in its
    /// main thread. The storage must be closed before the runtime ends.
    ///
    /// # Panics
    /// If the caller is not in a [`tokio::runtime::LocalRuntime`].
    pub(crate) fn connect_here(url: &str) -> Result<Self> {
        Self::connect_to(url, Empty::Fill, Runs::Here)
    }

    /// Connects to the `PostgreSQL` database of a server like [`Storage::connect`], but creates no tables.
    ///
    /// # Errors
    /// As for [`Storage::connect`], and [`StorageError::Missing`] if the database has no tables.
    pub fn connect_to_existing(url: &str) -> Result<Self> {
        Self::connect_to(url, Empty::Refuse, Runs::InThreads)
    }

    fn connect_to(url: &str, empty: Empty, runs: Runs) -> Result<Self> {
        let address = Address::parse(url)?;
        let unusable = |error| address.place().unusable(error);
        let network_key = run_in_thread(async || prepare(&address, empty).await)?;
        let meter = Arc::new(Meter::default());
        let start = |name, sharing, connections| {
            let (address, meter) = (address.clone(), Arc::clone(&meter));
            let work = move |queue| postgres::work(address, sharing, connections, meter, queue);
            match runs {
                Runs::Here => Ok(Worker::spawn(work)),
                Runs::InThreads => {
                    let runtime = runtime().map_err(unusable)?;
                    Worker::start(name, move |queue| block_on(&runtime, work(queue)))
                        .map_err(unusable)
                }
            }
        };
        let appender = Some(start("storage-log", Sharing::Transaction, 1)?);
        let heartbeats = Some(start("storage-nodes", Sharing::Nothing, HEARTBEAT_CONNECTIONS)?);
        let reader = start("storage-reader", Sharing::Reads, CONNECTIONS)?;
        let writer = start("storage", Sharing::Nothing, CONNECTIONS)?;
        let workers =
            Workers { appender, heartbeats, reader, writer, newest: 0, network_key, meter };
        Ok(Self(Arc::new(workers)))
    }

    /// Waits until everything is written, and closes the database. From then on, other handles get [`StorageError::Closed`].
    pub async fn close(self) {
        for worker in [&self.0.heartbeats, &self.0.appender].into_iter().flatten() {
            worker.stop().await;
        }
        self.0.reader.stop().await;
        self.0.writer.stop().await;
    }
}

/// Creates a runtime for the current thread.
pub(super) fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Runs a future to its end in a separate thread, since the caller may already be in a runtime.
pub(super) fn run_in_thread<T: Send, E: From<StorageError> + Send>(
    work: impl AsyncFnOnce() -> Result<T, E> + Send,
) -> Result<T, E> {
    let run = || {
        let runtime = runtime().map_err(|error| StorageError::Database(error.to_string()));
        block_on(&runtime?, work())
    };
    thread::scope(|scope| scope.spawn(run).join()).map_err(|_| StorageError::Closed)?
}

/// Brings the tables up to date, and returns the key of the fair-play hashes.
async fn prepare(address: &Address, empty: Empty) -> Result<Hash> {
    fair_play::network_key(&schema::prepare(address, empty).await?).await
}
