//! The server's storage: logs of rooms, accounts, finished games and ratings, in one `SQLite` file or in a `PostgreSQL`
//! database that several servers share.
//!
//! Separate threads read and write; a server's nodes use tasks for `PostgreSQL` instead. One transaction runs all waiting
//! jobs, and each is answered after the commit. [`Storage::close`], or dropping the last handle when using threads, waits
//! until everything is written. Both databases use the same statements.

#![expect(clippy::missing_errors_doc, reason = "everything here fails if the database does")]

mod accounts;
mod admin;
mod backend;
mod backup;
mod error;
mod fair_play;
mod folder;
mod games;
mod listing;
mod log;
mod merging;
mod meter;
mod nodes;
mod notices;
mod opening;
mod pairing;
mod portable;
mod postgres;
mod pruning;
mod rooms;
mod schema;
mod secret;
mod sqlite;
#[cfg(test)]
mod tests;
mod value;
mod worker;

use std::sync::Arc;

pub use skirmish_room::Append;
use skirmish_room::Millis;

pub use accounts::{Account, LINK_SECONDS, NameTaken, Redeemed};
pub use admin::Holdings;
pub use backup::{Backup, BackupError, back_up, restore};
pub use error::{Place, StorageError};
pub(crate) use meter::Meter;
pub use nodes::{Alive, Beat, GAP, Guard};
pub use notices::{Credential, Notice, Order};
pub use pairing::Sought;
pub use portable::{export, export_to, import};
pub use pruning::Pruned;
pub use rooms::{RoomGames, RoomStage};
pub use secret::Secret;

use accounts::Seats;
use backend::{Backend, FromRow, Row, from_row};
use error::Result;
use value::values;
use worker::Worker;

/// A handle to the server's storage. Clones refer to the same storage.
///
/// A merged account stands for the account it was merged into, in arguments as well as in logs.
///
/// # Errors
/// All methods fail if the database fails or is damaged. Their own errors are documented with them.
#[derive(Clone, Debug)]
pub struct Storage(Arc<Workers>);

/// The threads, in the order in which they end: the last one to close the database cleans up.
#[derive(Debug)]
struct Workers {
    /// Runs appends that only change a log, on `PostgreSQL`. They wait for nothing else.
    appender: Option<Worker>,
    /// Runs the nodes' periodic jobs, on `PostgreSQL`: a busy database must not make a living node look dead.
    heartbeats: Option<Worker>,
    reader: Worker,
    writer: Worker,
    newest: Millis,
    network_key: secret::Hash,
    meter: Arc<Meter>,
}

impl Storage {
    /// Returns the storage metrics.
    pub(crate) fn meter(&self) -> &Meter {
        &self.0.meter
    }

    /// Returns the time of the newest event or heartbeat in a data folder. No clock may show an earlier time. 0 for
    /// `PostgreSQL`, which has its own clock.
    #[must_use]
    pub(crate) fn newest(&self) -> Millis {
        self.0.newest
    }

    /// Checks that the database answers and can be written to.
    pub async fn check(&self) -> Result<()> {
        self.write(rooms::probe).await
    }

    /// Runs a read-only job.
    fn read<T: Send + 'static>(
        &self,
        job: impl AsyncFnMut(&Backend) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> {
        self.0.reader.run(job)
    }

    /// Runs a job in a transaction that may write.
    fn write<T: Send + 'static>(
        &self,
        job: impl AsyncFnMut(&Backend) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> {
        self.0.writer.run(job)
    }
}
