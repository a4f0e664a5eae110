//! Opening and closing storage.

use std::path::Path;
use std::sync::Arc;
use std::{io, thread};

use skirmish_room::Millis;
use tokio::sync::Mutex;

use super::error::{Place, StorageError};
use super::folder::{self, DataFolder};
use super::meter::Meter;
use super::postgres::{self, Address, Sharing};
use super::schema::Empty;
use super::secret::Hash;
use super::session::Session;
use super::sqlite::{self, Access};
use super::worker::Worker;
use super::{Storage, Workers, fair_play, rooms, schema};

/// How many connections to `PostgreSQL` write what is not an append, and how many read.
const LANES: usize = 3;

/// How many connections are for what nodes do at regular times: one for the heartbeat, and one for everything else, so that
/// the heartbeat waits for nothing.
const NODE_LANES: usize = 2;

/// Where jobs on `PostgreSQL` run.
#[derive(Clone, Copy)]
enum Runs {
    /// In threads of their own.
    InThreads,
    /// In the runtime that the caller is in.
    Here,
}

impl Storage {
    /// Opens the data folder, which is created if missing.
    ///
    /// # Errors
    /// If another server uses the folder, it cannot be used at all, its disk is full, or its database is read-only, damaged,
    /// somebody else's or newer than this program. Such a database stays untouched.
    pub fn open(folder: &Path) -> Result<Self, StorageError> {
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

    /// Opens the data folder of a server, which may be running. Also returns whether it is.
    ///
    /// # Errors
    /// If there is no database in it, or it cannot be used. While a server runs, its tables are not changed: then also if it
    /// is an older version.
    pub fn attach(folder: &Path) -> Result<(Self, bool), StorageError> {
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

    /// Starts the threads for an `SQLite` file.
    fn start(
        path: &Path,
        writer: Session,
        folder: Option<DataFolder>,
    ) -> Result<Self, StorageError> {
        let reader = schema::open_for_reading(path)?;
        let ran_until = sqlite::ready(rooms::ran_until(&writer))?;
        let newest = sqlite::ready(rooms::newest(&writer))?;
        let network_key = sqlite::ready(fair_play::network_key(&writer))?;
        let meter = Arc::new(Meter::default());
        let counting = Arc::clone(&meter);
        let writer = Worker::start("storage", move |mut queue| {
            let stopped = sqlite::work(&writer, Access::Write(&counting), &mut queue);
            drop(writer);
            drop(folder);
            stopped
        });
        let writer = writer.map_err(StorageError::unusable(path))?;
        let reader = Worker::start("storage-reader", move |mut queue| {
            let stopped = sqlite::work(&reader, Access::Read, &mut queue);
            drop(reader);
            stopped
        });
        let reader = reader.map_err(StorageError::unusable(path))?;
        let workers = Workers {
            appender: None,
            keeper: None,
            reader,
            writer,
            ran_until,
            newest,
            network_key,
            meter,
            departed: Mutex::default(),
        };
        Ok(Self(Arc::new(workers)))
    }

    /// Connects to a `PostgreSQL` database, `postgres://user:password@host:port/name`, and creates the tables if it has none.
    /// Several servers can share it.
    ///
    /// # Errors
    /// [`StorageError::Away`] if it cannot be reached. If the address is wrong, or the database is somebody else's or newer
    /// than this program. Such a database stays untouched.
    pub fn connect(url: &str) -> Result<Self, StorageError> {
        Self::connect_to(url, Empty::Fill, Runs::InThreads)
    }

    /// The `PostgreSQL` database at an address, without a password.
    ///
    /// # Errors
    /// If the address is wrong.
    pub(crate) fn place(url: &str) -> Result<Place, StorageError> {
        Ok(Address::parse(url)?.place().clone())
    }

    /// Connects to a `PostgreSQL` database and leaves it again.
    ///
    /// # Errors
    /// As for [`Storage::connect`].
    pub(crate) fn reach(url: &str) -> Result<(), StorageError> {
        let address = Address::parse(url)?;
        let unusable = |error| StorageError::Unusable {
            place: address.place().clone(),
            source: Arc::new(error),
        };
        runtime().map_err(unusable)?.block_on(async {
            address.connect().await?.close().await;
            Ok(())
        })
    }

    /// The same, with tasks in place of threads: a server waits for its database in the thread in which it serves. It has to
    /// be closed before the runtime ends.
    ///
    /// # Errors
    /// As for [`Storage::connect`].
    ///
    /// # Panics
    /// If the caller is not in a [`tokio::runtime::LocalRuntime`].
    pub(crate) fn connect_here(url: &str) -> Result<Self, StorageError> {
        Self::connect_to(url, Empty::Fill, Runs::Here)
    }

    /// Connects to the `PostgreSQL` database of a server, as [`Storage::connect`] does, and creates nothing.
    ///
    /// # Errors
    /// As above, and [`StorageError::Missing`] if it has no tables.
    pub fn connect_to_existing(url: &str) -> Result<Self, StorageError> {
        Self::connect_to(url, Empty::Refuse, Runs::InThreads)
    }

    fn connect_to(url: &str, empty: Empty, runs: Runs) -> Result<Self, StorageError> {
        let address = Address::parse(url)?;
        let unusable = |error| StorageError::Unusable {
            place: address.place().clone(),
            source: Arc::new(error),
        };
        // In a thread, since the caller may be in a runtime of its own.
        let prepare = || runtime().map_err(unusable)?.block_on(prepare(&address, empty));
        let prepared = thread::scope(|scope| scope.spawn(prepare).join());
        let (ran_until, network_key) = prepared.map_err(|_| StorageError::Closed)??;
        let meter = Arc::new(Meter::default());
        let start = |name, sharing, lanes| {
            let (address, meter) = (address.clone(), Arc::clone(&meter));
            let work = move |queue| postgres::work(address, sharing, lanes, meter, queue);
            match runs {
                Runs::Here => Ok(Worker::spawn(work)),
                Runs::InThreads => {
                    let runtime = runtime().map_err(unusable)?;
                    Worker::start(name, move |queue| runtime.block_on(work(queue)))
                        .map_err(unusable)
                }
            }
        };
        let appender = Some(start("storage-log", Sharing::Transaction, 1)?);
        let keeper = Some(start("storage-nodes", Sharing::Nothing, NODE_LANES)?);
        let reader = start("storage-reader", Sharing::Reads, LANES)?;
        let writer = start("storage", Sharing::Nothing, LANES)?;
        let workers = Workers {
            appender,
            keeper,
            reader,
            writer,
            ran_until,
            newest: 0,
            network_key,
            meter,
            departed: Mutex::default(),
        };
        Ok(Self(Arc::new(workers)))
    }

    /// Waits until everything is written, and closes the database. Other handles get [`StorageError::Closed`] from now on.
    pub async fn close(self) {
        for worker in [&self.0.keeper, &self.0.appender].into_iter().flatten() {
            worker.stop().await;
        }
        self.0.reader.stop().await;
        self.0.writer.stop().await;
    }
}

/// A runtime for the thread it is built in.
pub(super) fn runtime() -> io::Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()
}

/// Brings the tables up to date, and returns until when a server is known to have run, and the key of network hashes.
async fn prepare(address: &Address, empty: Empty) -> Result<(Millis, Hash), StorageError> {
    let session = schema::prepare(address, empty).await?;
    Ok((rooms::ran_until(&session).await?, fair_play::network_key(&session).await?))
}
