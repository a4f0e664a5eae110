//! Moving everything from one database to another, whichever kinds they are.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;

use futures_util::future::try_join_all;
use skirmish_room::Room;
use skirmish_rules::Catalog;
use skirmish_system::files;
use thiserror::Error;

use super::error::{Place, StorageError};
use super::folder::DataFolder;
use super::opening::runtime;
use super::postgres::Address;
use super::schema::Empty;
use super::session::{Row, Session};
use super::value::{OwnedValue, Value, values};
use super::{leases, log, schema};

/// Where a server keeps what it knows.
#[derive(Clone, PartialEq, Eq)]
pub enum Location {
    /// In an `SQLite` file in this data folder.
    Folder(PathBuf),
    /// In the `PostgreSQL` database at this address.
    Database(String),
}

impl Location {
    /// A `postgres://` address, or otherwise a folder.
    ///
    /// # Errors
    /// If it looks like an address, but is none of a `PostgreSQL` database: it may contain a password, so that it should not
    /// become the name of a folder.
    pub fn parse(text: &str) -> Result<Self, StorageError> {
        let is_address = text.starts_with("postgres://") || text.starts_with("postgresql://");
        if is_address {
            Address::parse(text)?;
            return Ok(Self::Database(text.to_owned()));
        }
        let why = "expected a data folder or postgres://user:password@host:port/name; begin the name of a folder with ./ if it looks like an address";
        let is_like_one = text.contains("://") || text.to_ascii_lowercase().starts_with("postgres");
        if is_like_one { Err(StorageError::Address { why }) } else { Ok(Self::Folder(text.into())) }
    }
}

impl fmt::Debug for Location {
    /// Without the password.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(path) => formatter.debug_tuple("Folder").field(path).finish(),
            Self::Database(_) => formatter.write_str("Database(…)"),
        }
    }
}

/// What was moved, and compared on both sides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Transferred {
    /// How many accounts.
    pub accounts: u64,
    /// How many rooms, each of which folds to the same on both sides.
    pub rooms: u64,
    /// How many events they have.
    pub events: u64,
    /// How many of the rooms could not be read before, and cannot be read now.
    pub unreadable: u64,
}

/// Why nothing was moved.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum TransferError {
    /// One of the two cannot be used.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// Source and target are one.
    #[error("both are the same: choose another place to move everything to")]
    Same,
    /// There is something in the target already.
    #[error("{place} is not empty: choose an empty one")]
    NotEmpty {
        /// The target.
        place: Place,
    },
    /// The copy is not the same.
    #[error("the copy differs: {what}. The target is unchanged")]
    Differs {
        /// Where.
        what: String,
    },
}

/// A table that is copied. Leases and nodes are not: nobody runs.
struct Table {
    name: &'static str,
    /// The rows with a key after `$1`, for some keys, in order. The key comes first.
    page: &'static str,
    insert: &'static str,
    /// Sorts before all keys.
    start: Value<'static>,
}

const INTEGERS: Value<'_> = Value::Integer(i64::MIN);

const NETWORK_KEY: &str = "network_key";

const TABLES: [Table; 12] = [
    Table {
        name: "heartbeat",
        page: "SELECT id, at FROM heartbeat WHERE id > $1 ORDER BY id",
        insert: "INSERT INTO heartbeat (id, at) VALUES ($1, $2)",
        start: INTEGERS,
    },
    Table {
        name: "account",
        page: "SELECT id, name, folded, looks, recovery, created, merged_into, renamed_from FROM account
               WHERE id > $1 ORDER BY id LIMIT 500",
        insert: "INSERT INTO account (id, name, folded, looks, recovery, created, merged_into, renamed_from)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
        start: INTEGERS,
    },
    Table {
        name: "credential",
        page: "SELECT hash, account FROM credential WHERE hash > $1 ORDER BY hash LIMIT 500",
        insert: "INSERT INTO credential (hash, account) VALUES ($1, $2)",
        start: Value::Bytes(&[]),
    },
    Table {
        name: "link",
        page: "SELECT account, hash, expires FROM link WHERE account > $1 ORDER BY account LIMIT 500",
        insert: "INSERT INTO link (account, hash, expires) VALUES ($1, $2, $3)",
        start: INTEGERS,
    },
    Table {
        name: "ban",
        page: "SELECT account, at, reason FROM ban WHERE account > $1 ORDER BY account LIMIT 500",
        insert: "INSERT INTO ban (account, at, reason) VALUES ($1, $2, $3)",
        start: INTEGERS,
    },
    Table {
        name: "notice",
        page: "SELECT id, at, kind, account, credential, code FROM notice
               WHERE id > $1 ORDER BY id LIMIT 500",
        insert: "INSERT INTO notice (id, at, kind, account, credential, code)
                 VALUES ($1, $2, $3, $4, $5, $6)",
        start: INTEGERS,
    },
    Table {
        name: "room",
        page: "SELECT id, code, stage, public, watchable, account_1, account_2, finished, terms, seat,
                   offered, claimed
               FROM room WHERE id > $1 ORDER BY id LIMIT 500",
        insert: "INSERT INTO room (id, code, stage, public, watchable, account_1, account_2, finished,
                     terms, seat, offered, claimed)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)",
        start: INTEGERS,
    },
    Table {
        name: "event",
        page: "SELECT room, seq, body, account, message FROM event WHERE room IN
                   (SELECT DISTINCT room FROM event WHERE room > $1 ORDER BY room LIMIT 50)
               ORDER BY room, seq",
        insert: "INSERT INTO event (room, seq, body, account, message) VALUES ($1, $2, $3, $4, $5)",
        start: INTEGERS,
    },
    Table {
        name: "finished",
        page: "SELECT id, code, number, game, name_1, name_2, account_1, account_2, result, termination,
                   date, rating_1, rating_2
               FROM finished WHERE id > $1 ORDER BY id LIMIT 500",
        insert: "INSERT INTO finished (id, code, number, game, name_1, name_2, account_1, account_2,
                     result, termination, date, rating_1, rating_2)
                 VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)",
        start: INTEGERS,
    },
    Table {
        name: "rating",
        page: "SELECT account, game, rating, deviation, volatility, games, opponents FROM rating WHERE account IN
                   (SELECT DISTINCT account FROM rating WHERE account > $1 ORDER BY account LIMIT 200)
               ORDER BY account",
        insert: "INSERT INTO rating (account, game, rating, deviation, volatility, games, opponents)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
        start: INTEGERS,
    },
    Table {
        name: "aborted",
        page: "SELECT id, account, at FROM aborted WHERE id > $1 ORDER BY id LIMIT 500",
        insert: "INSERT INTO aborted (id, account, at) VALUES ($1, $2, $3)",
        start: INTEGERS,
    },
    Table {
        name: NETWORK_KEY,
        page: "SELECT id, secret FROM network_key WHERE id > $1 ORDER BY id",
        insert: "INSERT INTO network_key (id, secret) VALUES ($1, $2)
                 ON CONFLICT (id) DO UPDATE SET secret = excluded.secret",
        start: INTEGERS,
    },
];

/// What makes `PostgreSQL` count on from what was copied.
const SEQUENCES: &str = "
    SELECT setval(pg_get_serial_sequence('room', 'id'), coalesce(max(id), 0) + 1, false) FROM room;
    SELECT setval(pg_get_serial_sequence('account', 'id'), coalesce(max(id), 0) + 1, false) FROM account;
    SELECT setval(pg_get_serial_sequence('finished', 'id'), coalesce(max(id), 0) + 1, false) FROM finished;
    SELECT setval(pg_get_serial_sequence('aborted', 'id'), coalesce(max(id), 0) + 1, false) FROM aborted;
    SELECT setval(pg_get_serial_sequence('notice', 'id'), coalesce(max(id), 0) + 1, false) FROM notice";

/// Copies everything into an empty database, and compares all rows and what every room folds to, before the copy becomes
/// durable. `report` is told of every table and how many rows of it have been copied.
///
/// # Errors
/// If one of the two cannot be used or is used by a server, they are the same, the target is not empty, or the copy differs.
/// Then the target stays as it is.
pub fn transfer(
    from: &Location,
    to: &Location,
    games: Catalog,
    report: &mut (dyn FnMut(&'static str, u64) + Send),
) -> Result<Transferred, TransferError> {
    let run = || {
        let runtime = runtime().map_err(|error| StorageError::Database { what: error.to_string() });
        runtime?.block_on(copy_all(from, to, games, report))
    };
    // In a thread, since the caller may be in a runtime of its own.
    thread::scope(|scope| scope.spawn(run).join()).map_err(|_| StorageError::Closed)?
}

async fn copy_all(
    from: &Location,
    to: &Location,
    games: Catalog,
    report: &mut (dyn FnMut(&'static str, u64) + Send),
) -> Result<Transferred, TransferError> {
    if let Location::Folder(path) = from
        && !DataFolder::has_database(path)
    {
        let error = io::Error::new(io::ErrorKind::NotFound, "there is no Skirmish database in it");
        return Err(StorageError::unusable(path)(error).into());
    }
    if are_same(from, to).await? {
        return Err(TransferError::Same);
    }
    let from = Side::open(from, Empty::Refuse).await?;
    let to = Side::open(to, Empty::Fill).await?;
    // A server that was started once has a key already, which nothing depends on yet.
    for table in TABLES.iter().filter(|table| table.name != NETWORK_KEY) {
        if !to.page(table, table.start).await?.is_empty() {
            return Err(TransferError::NotEmpty { place: to.place });
        }
    }
    let mut transferred = Transferred::default();
    for table in &TABLES {
        let rows = copy(&from, &to, table, report).await?;
        match table.name {
            "account" => transferred.accounts = rows,
            "room" => transferred.rooms = rows,
            "event" => transferred.events = rows,
            _ => {}
        }
    }
    for table in &TABLES {
        compare(&from, &to, table).await?;
    }
    transferred.unreadable = fold(&from, &to, games).await?;
    if matches!(to.session, Session::Postgres(_)) {
        to.session.batch(SEQUENCES).await?;
    }
    to.session.batch("COMMIT").await?;
    Ok(transferred)
}

/// Whether both are one, whatever they are called.
async fn are_same(from: &Location, to: &Location) -> Result<bool, StorageError> {
    match (from, to) {
        (Location::Folder(from), Location::Folder(to)) => {
            let (from, to) = (files::canonical(from), files::canonical(to));
            Ok(from.is_ok_and(|from| to.is_ok_and(|to| from == to)))
        }
        (Location::Database(from), Location::Database(to)) => {
            Ok(identity(from).await? == identity(to).await?)
        }
        (Location::Folder(_), Location::Database(_))
        | (Location::Database(_), Location::Folder(_)) => Ok(false),
    }
}

/// What tells a database from all others: a server is known by the moment at which it was started.
async fn identity(url: &str) -> Result<Option<String>, StorageError> {
    let session = Session::Postgres(Address::parse(url)?.connect_first().await?);
    let sql = "SELECT concat_ws(' ', pg_postmaster_start_time(), oid, current_schema())
               FROM pg_database WHERE datname = current_database()";
    session.first(sql, [], |row| row.get(0)).await
}

/// One of the two databases, in a transaction, and used by nobody else.
struct Side {
    session: Session,
    place: Place,
    _folder: Option<DataFolder>,
}

impl Side {
    async fn open(location: &Location, empty: Empty) -> Result<Self, StorageError> {
        match location {
            Location::Folder(path) => Self::open_folder(path).await,
            Location::Database(url) => Self::open_database(url, empty).await,
        }
    }

    async fn open_folder(path: &Path) -> Result<Self, StorageError> {
        let folder = DataFolder::open(path)?;
        let session = schema::open(&folder.database()?)?;
        session.batch("BEGIN").await?;
        Ok(Self { session, place: Place::File(path.to_owned()), _folder: Some(folder) })
    }

    async fn open_database(url: &str, empty: Empty) -> Result<Self, StorageError> {
        let address = Address::parse(url)?;
        let session = schema::prepare(&address, empty).await?;
        let place = address.place().clone();
        // No server can start before the end.
        let begin = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;
             BEGIN ISOLATION LEVEL REPEATABLE READ; LOCK TABLE node IN EXCLUSIVE MODE";
        session.batch(begin).await?;
        if leases::nodes(&session).await?.is_empty() {
            Ok(Self { session, place, _folder: None })
        } else {
            Err(StorageError::InUse { place })
        }
    }

    /// The rows of a table with a key after this one, for some keys.
    async fn page(
        &self,
        table: &Table,
        after: Value<'_>,
    ) -> Result<Vec<Vec<OwnedValue>>, StorageError> {
        let read = |row: &Row<'_>| (0..row.columns()).map(|column| row.get(column)).collect();
        let mut rows = self.session.query(table.page, [after], read).await?;
        // The databases may sort texts differently.
        if table.name == "rating" {
            rows.sort_by(|one: &Vec<OwnedValue>, two| {
                one[..2].partial_cmp(&two[..2]).expect("no fractions")
            });
        }
        Ok(rows)
    }
}

/// Copies a table, and returns how many rows it has.
async fn copy(
    from: &Side,
    to: &Side,
    table: &Table,
    report: &mut (dyn FnMut(&'static str, u64) + Send),
) -> Result<u64, StorageError> {
    let mut count = 0;
    let mut rows = from.page(table, table.start).await?;
    report(table.name, count);
    while let Some(last) = rows.last() {
        let inserts = rows.iter().map(|row| {
            let values: Vec<_> = row.iter().map(Value::from).collect();
            async move { to.session.execute_all(table.insert, &values).await }
        });
        try_join_all(inserts).await?;
        count += rows.len() as u64;
        report(table.name, count);
        rows = from.page(table, (&last[0]).into()).await?;
    }
    Ok(count)
}

/// Compares a table row by row.
async fn compare(from: &Side, to: &Side, table: &Table) -> Result<(), TransferError> {
    let mut after = OwnedValue::from(table.start);
    loop {
        let rows = from.page(table, (&after).into()).await?;
        if rows != to.page(table, (&after).into()).await? {
            return Err(TransferError::Differs { what: format!("the table {}", table.name) });
        }
        let Some(last) = rows.into_iter().last() else { return Ok(()) };
        after = last.into_iter().next().expect("a row has a key");
    }
}

/// Folds every room on both sides, and returns how many cannot be read.
async fn fold(from: &Side, to: &Side, games: Catalog) -> Result<u64, TransferError> {
    let mut unreadable = 0;
    let mut last = i64::MIN;
    loop {
        let rooms = from.session.query(
            "SELECT id, code FROM room WHERE id > $1 ORDER BY id LIMIT 500",
            values![last],
            |row| Ok((row.get::<i64>(0)?, row.get::<String>(1)?)),
        );
        let rooms = rooms.await?;
        for (id, code) in &rooms {
            let folded = folded(&from.session, code, games).await;
            if folded != self::folded(&to.session, code, games).await {
                return Err(TransferError::Differs { what: format!("the game in room {id}") });
            }
            unreadable += u64::from(folded.is_err());
            last = *id;
        }
        if rooms.is_empty() {
            return Ok(unreadable);
        }
    }
}

/// What a room folds to: its games, and what its players and others see of it.
async fn folded(session: &Session, code: &str, games: Catalog) -> Result<String, String> {
    let log = log::read(session, code, 0).await.map_err(|error| error.to_string())?;
    let (room, records) = Room::with_records(games, &log)
        .map_err(|error| format!("event {} does not fit", error.v))?;
    let people = room.people();
    let players =
        [&people.one, &people.two].map(|person| person.as_ref().map_or(0, |person| person.account));
    let mut text: String = records.iter().map(ToString::to_string).collect();
    for account in [players[0], players[1], 0] {
        let snap = room.snap(account, room.last_event());
        text += &serde_json::to_string(&snap).map_err(|error| error.to_string())?;
    }
    Ok(text)
}
