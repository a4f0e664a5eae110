//! Creates the tables, and brings them up to date in either database.

use std::collections::HashSet;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use skirmish_room::Millis;
use skirmish_store::files::open_regular;

use super::postgres::{Address, Client};
use super::{Backend, FromRow, Place, Result, StorageError, nodes, sqlite, values};
use crate::naming::NameKeys;

/// The application id that marks a `SQLite` file as Skirmish's: `Skir`.
const APPLICATION: i32 = 0x536b_6972;

/// The first bytes of every `SQLite` database.
pub(super) const SIGNATURE: &[u8; 16] = b"SQLite format 3\0";

/// The migrations from each schema version to the next, for `SQLite` and for `PostgreSQL`, whose type names differ. A
/// released migration never changes.
const MIGRATIONS: [(&str, &str); 5] = [
    (include_str!("schema/1.sql"), include_str!("schema/1.postgres.sql")),
    (include_str!("schema/2.sql"), include_str!("schema/2.postgres.sql")),
    (include_str!("schema/3.sql"), include_str!("schema/3.sql")),
    (include_str!("schema/4.sql"), include_str!("schema/4.postgres.sql")),
    (include_str!("schema/5.sql"), include_str!("schema/5.postgres.sql")),
];

/// The newest version of the schema.
pub(super) const NEWEST: usize = MIGRATIONS.len();

/// The schema versions whose nodes own rooms. They cannot run beside this version.
const OWNERS: Range<usize> = 2..5;

/// Maximum age of a running older node's heartbeat.
const ALIVE: Millis = 6_000;

/// The first schema version that stores keys for similar names.
const KEYS: usize = 4;

/// For the migration to [`KEYS`]: lists the registered accounts, oldest first, and stores an account's keys.
const MEMBERS: &str = "SELECT id, name FROM account WHERE folded IS NOT NULL ORDER BY id";
const NOTE_KEYS: &str = "UPDATE account SET folded = $1, looks = $2 WHERE id = $3";

/// Returns the keys of accounts' names, except for names that look like an older account's.
fn distinct_keys(members: Vec<(i64, String)>) -> impl Iterator<Item = (i64, NameKeys)> {
    let (mut folded, mut looks) = (HashSet::new(), HashSet::new());
    let keys = members.into_iter().map(|(id, name)| (id, NameKeys::of(&name)));
    keys.filter(move |(_, keys)| {
        let is_known = folded.contains(&keys.folded) || looks.contains(&keys.looks);
        folded.insert(keys.folded.clone());
        looks.insert(keys.looks.clone());
        !is_known
    })
}

/// Number of pages after which the WAL is checkpointed. Every move changes different pages, so the default of 1,000 would
/// cause a pause every few commits on a busy server.
const CHECKPOINT_PAGES: u32 = 4000;

/// Opens a database file for writing. Creates the tables in an empty file; a file that is not Skirmish's is not changed.
pub(super) fn open(path: &Path) -> Result<Backend> {
    let (connection, version) = open_ours(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        let error = io::Error::other("SQLite's WAL mode does not work on its file system");
        return Err(StorageError::unusable(path)(error));
    }
    connection.execute_batch("PRAGMA synchronous = FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    let backend = Backend::Sqlite(connection);
    if version < NEWEST {
        sqlite::ready(async {
            backend.batch("BEGIN").await?;
            migrate(&backend, version..NEWEST).await?;
            backend.batch("COMMIT").await
        })?;
    }
    Ok(backend)
}

/// Opens the database of a running server, which must have the newest tables. The tables are not changed.
pub(super) fn open_beside_server(path: &Path) -> Result<Backend> {
    let connection = sqlite::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    if version(&connection, path)? != NEWEST {
        let why = "the server that uses it is older than this program: restart it with this version first";
        return Err(StorageError::unusable(path)(io::Error::other(why)));
    }
    connection.execute_batch("PRAGMA synchronous = FULL")?;
    Ok(Backend::Sqlite(connection))
}

/// Opens a database that may be in use by a server, to copy it.
pub(super) fn open_for_copying(path: &Path) -> Result<Connection> {
    match open_ours(path, OpenFlags::SQLITE_OPEN_READ_ONLY)? {
        (_, 0) => Err(StorageError::Foreign(Place::File(path.to_owned()))),
        (connection, _) => Ok(connection),
    }
}

/// Opens a file that is empty or a Skirmish database. Also returns the schema version.
fn open_ours(path: &Path, flags: OpenFlags) -> Result<(Connection, usize)> {
    let read_start = || {
        let mut start = Vec::new();
        open_regular(path)?.take(SIGNATURE.len() as u64).read_to_end(&mut start)?;
        Ok(start)
    };
    // `SQLite` would overwrite any short file.
    let start = read_start().map_err(StorageError::unusable(path))?;
    if !start.is_empty() && start != SIGNATURE {
        return Err(StorageError::Foreign(Place::File(path.to_owned())));
    }
    let connection = sqlite::connect(path, flags)?;
    let version = version(&connection, path)?;
    Ok((connection, version))
}

/// Returns the schema version; 0 for an empty file.
pub(super) fn version(connection: &Connection, path: &Path) -> Result<usize> {
    let place = Place::File(path.to_owned());
    let query = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
                 FROM pragma_application_id, pragma_user_version";
    let found = connection.query_row(query, [], |row| {
        Ok((row.get::<_, i32>(0)?, row.get::<_, i32>(1)?, row.get::<_, i64>(2)?))
    });
    let (application, version, tables) = match found {
        Ok(found) => found,
        Err(error) => match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                return Err(StorageError::Foreign(place));
            }
            _ => return Err(error.into()),
        },
    };
    let is_empty = application == 0 && version == 0 && tables == 0;
    if application != APPLICATION && !is_empty {
        return Err(StorageError::Foreign(place));
    }
    known(version, place)
}

/// Checks that this program knows a schema version.
pub(super) fn known(version: i32, place: Place) -> Result<usize> {
    let known = i32::try_from(NEWEST).expect("a handful of migrations");
    if version > known {
        return Err(StorageError::Newer { place, found: version, known });
    }
    usize::try_from(version).map_err(|_| StorageError::Foreign(place))
}

/// Migrates the tables from one version to another, in the caller's transaction.
pub(super) async fn migrate(backend: &Backend, versions: Range<usize>) -> Result<()> {
    for (sqlite, postgres) in &MIGRATIONS[versions.clone()] {
        backend.batch(backend.either(sqlite, postgres)).await?;
    }
    if versions.contains(&(KEYS - 1)) {
        let members = backend.query(MEMBERS, vec![]).await?;
        for (id, keys) in distinct_keys(members) {
            backend.execute(NOTE_KEYS, values![&keys.folded, &keys.looks, id]).await?;
        }
    }
    let to = versions.end;
    let note = match backend {
        Backend::Sqlite(_) => {
            format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {to}")
        }
        Backend::Postgres(_) => format!("UPDATE skirmish_schema SET version = {to}"),
    };
    backend.batch(&note).await
}

/// Returns an in-memory database with the tables of a version. `PostgreSQL` has the same columns, with its own types.
pub(super) fn model(version: usize) -> Result<Backend> {
    let backend = Backend::Sqlite(Connection::open_in_memory()?);
    sqlite::ready(migrate(&backend, 0..version))?;
    Ok(backend)
}

/// How to handle a database without tables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Empty {
    /// Create the tables.
    Fill,
    /// Refuse it: the caller expects existing tables.
    Refuse,
}

/// Brings the tables of a `PostgreSQL` database up to date, in one transaction. A database that is not Skirmish's is not
/// changed.
pub(super) async fn prepare(address: &Address, empty: Empty) -> Result<Backend> {
    let (backend, version) = begin(address).await?;
    if version == 0 && empty == Empty::Refuse {
        return Err(StorageError::Missing(address.place().clone()));
    }
    if OWNERS.contains(&version) {
        refuse_older_nodes(&backend).await?;
    }
    if version < NEWEST {
        migrate(&backend, version..NEWEST).await?;
    }
    backend.batch("COMMIT").await?;
    Ok(backend)
}

/// Fails if servers of an older version use the database. Later ones are refused because of the new schema version.
async fn refuse_older_nodes(backend: &Backend) -> Result<()> {
    let alive = nodes::now(backend).await?.saturating_sub(ALIVE);
    let sql = "SELECT name FROM node WHERE beat > $1 ORDER BY name";
    let nodes: Vec<String> = backend.query(sql, values![alive]).await?;
    if nodes.is_empty() { Ok(()) } else { Err(StorageError::OlderNodes(nodes)) }
}

/// Begins a transaction that may change the tables of a `PostgreSQL` database. Also returns the schema version.
pub(super) async fn begin(address: &Address) -> Result<(Backend, usize)> {
    let client = address.connect_first().await?;
    // Nodes that start concurrently serialise on a lock.
    let begin = "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 60000;
                 SET LOCAL idle_in_transaction_session_timeout = 0";
    client.batch(begin).await?;
    client.query("SELECT pg_advisory_xact_lock($1)", &[i64::from(APPLICATION).into()]).await?;
    let version = postgres_version(&client, address.place()).await?;
    Ok((Backend::Postgres(client), version))
}

/// Returns the schema version; 0 if there are no tables yet.
pub(super) async fn postgres_version(client: &Client, place: &Place) -> Result<usize> {
    let query = "SELECT current_schema(),
        EXISTS (SELECT 1 FROM pg_tables
            WHERE schemaname = current_schema() AND tablename = 'skirmish_schema'),
        EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = current_schema()::regnamespace
            AND relkind IN ('r', 'p')
            AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e'))";
    let rows = client.query(query, &[]).await?;
    let row = rows.first().ok_or(StorageError::Closed)?;
    let (schema, is_ours, has_tables): (Option<String>, bool, bool) = FromRow::from_row(row)?;
    if schema.is_none() {
        return Err(place.unusable(io::Error::other("no schema of its search_path exists")));
    }
    if !is_ours {
        return if has_tables { Err(StorageError::Foreign(place.clone())) } else { Ok(0) };
    }
    let rows = client.query("SELECT version FROM skirmish_schema", &[]).await?;
    let version: i64 = rows.first().map_or(Ok(0), FromRow::from_row)?;
    known(i32::try_from(version).unwrap_or(i32::MAX), place.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_from_before_keep_their_names_and_the_oldest_of_those_alike_has_the_keys() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("skirmish.db");
        let old = Connection::open(&path).expect("a database");
        for (migration, _) in &MIGRATIONS[..3] {
            old.execute_batch(migration).expect("valid SQL");
        }
        old.pragma_update(None, "application_id", APPLICATION).expect("ours");
        old.pragma_update(None, "user_version", 3).expect("an older version");
        for (name, key) in
            [("Guest", None), ("Ann", Some("ann")), ("Аnn", Some("аnn")), ("Zoë", Some("zoë"))]
        {
            let sql = "INSERT INTO account (name, folded, created) VALUES (?1, ?2, 1)";
            old.execute(sql, (name, key)).expect("an account");
        }
        drop(old);
        drop(open(&path).expect("the tables are brought up to date"));
        let new = Connection::open(&path).expect("a database");
        let sql = "SELECT concat_ws(' ', name, folded, looks) FROM account ORDER BY id";
        let mut accounts = new.prepare(sql).expect("valid SQL");
        let accounts = accounts.query_map([], |row| row.get(0)).expect("accounts");
        let accounts: Vec<String> = accounts.map(|row| row.expect("a row")).collect();
        let zoe = NameKeys::of("Zoë");
        let zoe = format!("Zoë {} {}", zoe.folded, zoe.looks);
        assert_eq!(accounts, ["Guest", "Ann ann ann", "Аnn #3 #3", zoe.as_str()]);
    }
}
