//! The tables, and bringing them up to date in either database.

use std::collections::HashSet;
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rusqlite::{Connection, ErrorCode, OpenFlags};
use skirmish_store::files::open_regular;

use super::error::{Place, StorageError};
use super::postgres::{Address, Client};
use super::session::Session;
use super::sqlite;
use super::value::values;
use crate::naming::NameKeys;

/// What marks a database as ours: `Skir`.
const APPLICATION: i32 = 0x536b_6972;

/// The first bytes of every `SQLite` database.
pub(super) const SIGNATURE: &[u8; 16] = b"SQLite format 3\0";

/// What leads from each version of the schema to the next. A released one never changes.
const MIGRATIONS: [Migration; 4] = [
    Migration {
        sqlite: include_str!("schema/1.sql"),
        postgres: include_str!("schema/1.postgres.sql"),
    },
    Migration {
        sqlite: include_str!("schema/2.sql"),
        postgres: include_str!("schema/2.postgres.sql"),
    },
    Migration { sqlite: include_str!("schema/3.sql"), postgres: include_str!("schema/3.sql") },
    Migration {
        sqlite: include_str!("schema/4.sql"),
        postgres: include_str!("schema/4.postgres.sql"),
    },
];

/// The newest version of the schema.
pub(super) const NEWEST: usize = MIGRATIONS.len();

/// The first schema version that stores the keys of names that look alike.
const KEYS: usize = 4;

/// For the migration to that version: list the registered accounts, oldest first, and store the keys of one.
const MEMBERS: &str = "SELECT id, name FROM account WHERE folded IS NOT NULL ORDER BY id";
const NOTE_KEYS: &str = "UPDATE account SET folded = $1, looks = $2 WHERE id = $3";

/// The keys of accounts' names, without those that look like an older one's.
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

/// A step, for each database: the names of types differ.
struct Migration {
    sqlite: &'static str,
    postgres: &'static str,
}

/// After how many pages the WAL is copied into the database. Every move changes pages of its own, so that `SQLite`'s 1,000
/// would mean a pause every few commits on a busy server.
const CHECKPOINT_PAGES: u32 = 4000;

/// Opens the file of a database for writing. An empty file gets the tables; anything that is not ours stays untouched.
pub(super) fn open(path: &Path) -> Result<Session, StorageError> {
    if !is_acceptable(path).map_err(StorageError::unusable(path))? {
        return Err(StorageError::Foreign { place: Place::File(path.to_owned()) });
    }
    let connection = sqlite::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let version = version(&connection, path)?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        let error = io::Error::other("SQLite's WAL mode does not work on its file system");
        return Err(StorageError::unusable(path)(error));
    }
    connection.execute_batch("PRAGMA synchronous = FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    let session = Session::Sqlite(connection);
    if version < NEWEST {
        sqlite::ready(async {
            session.batch("BEGIN").await?;
            migrate(&session, version..NEWEST).await?;
            session.batch("COMMIT").await
        })?;
    }
    Ok(session)
}

/// Opens the database of a server that is running. It has the newest tables, or stays untouched.
pub(super) fn open_beside_server(path: &Path) -> Result<Session, StorageError> {
    let connection = sqlite::connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    if version(&connection, path)? != NEWEST {
        let why = "the server that uses it is older than this program: restart it with this version first";
        return Err(StorageError::unusable(path)(io::Error::other(why)));
    }
    connection.execute_batch("PRAGMA synchronous = FULL")?;
    Ok(Session::Sqlite(connection))
}

/// Opens a database that a server may use, to copy it.
pub(super) fn open_for_copying(path: &Path) -> Result<Connection, StorageError> {
    if !is_acceptable(path).map_err(StorageError::unusable(path))? {
        return Err(StorageError::Foreign { place: Place::File(path.to_owned()) });
    }
    let connection = sqlite::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    if version(&connection, path)? == 0 {
        return Err(StorageError::Foreign { place: Place::File(path.to_owned()) });
    }
    Ok(connection)
}

/// Opens a database that [`open`] has opened before, for reading.
pub(super) fn open_for_reading(path: &Path) -> Result<Session, StorageError> {
    Ok(Session::Sqlite(sqlite::connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?))
}

/// Whether a file is empty or a database. `SQLite` itself would overwrite a short file of any kind.
fn is_acceptable(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    open_regular(path)?.take(SIGNATURE.len() as u64).read_to_end(&mut start)?;
    Ok(start.is_empty() || start == SIGNATURE)
}

/// The version of the schema: 0 for an empty file.
pub(super) fn version(connection: &Connection, path: &Path) -> Result<usize, StorageError> {
    let place = Place::File(path.to_owned());
    let query = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
                 FROM pragma_application_id, pragma_user_version";
    let found = connection.query_row(query, [], |row| {
        Ok((row.get::<_, i32>(0)?, row.get::<_, i32>(1)?, row.get::<_, i64>(2)?))
    });
    let (application, version, tables) = match found {
        Ok(found) => found,
        Err(error) => {
            return match error.sqlite_error_code() {
                Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => {
                    Err(StorageError::Foreign { place })
                }
                _ => Err(error.into()),
            };
        }
    };
    let is_empty = application == 0 && version == 0 && tables == 0;
    if application != APPLICATION && !is_empty {
        return Err(StorageError::Foreign { place });
    }
    known(version, place)
}

/// A version that this program knows.
pub(super) fn known(version: i32, place: Place) -> Result<usize, StorageError> {
    let known = i32::try_from(NEWEST).expect("a handful of migrations");
    if version > known {
        return Err(StorageError::Newer { place, found: version, known });
    }
    usize::try_from(version).map_err(|_| StorageError::Foreign { place })
}

/// Brings the tables from one version to another, in the caller's transaction.
pub(super) async fn migrate(session: &Session, versions: Range<usize>) -> Result<(), StorageError> {
    for migration in &MIGRATIONS[versions.clone()] {
        session.batch(session.either(migration.sqlite, migration.postgres)).await?;
    }
    if versions.contains(&(KEYS - 1)) {
        let members = session.query(MEMBERS, [], |row| Ok((row.get(0)?, row.get(1)?))).await?;
        for (id, keys) in distinct_keys(members) {
            session.execute(NOTE_KEYS, values![&keys.folded, &keys.looks, id]).await?;
        }
    }
    let to = versions.end;
    let note = match session {
        Session::Sqlite(_) => {
            format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {to}")
        }
        Session::Postgres(_) => format!("UPDATE skirmish_schema SET version = {to}"),
    };
    session.batch(&note).await
}

/// An empty database with the tables of a version. `PostgreSQL` has the same columns, with types of its own.
pub(super) fn model(version: usize) -> Result<Session, StorageError> {
    let session = Session::Sqlite(Connection::open_in_memory()?);
    sqlite::ready(migrate(&session, 0..version))?;
    Ok(session)
}

/// What to do with a database without tables.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Empty {
    /// Create the tables.
    Fill,
    /// Refuse it: the caller expects existing tables.
    Refuse,
}

/// Brings the tables of a `PostgreSQL` database up to date, in one transaction. Anything that is not ours stays untouched.
pub(super) async fn prepare(address: &Address, empty: Empty) -> Result<Session, StorageError> {
    let (session, version) = begin(address).await?;
    if version == 0 && empty == Empty::Refuse {
        return Err(StorageError::Missing { place: address.place().clone() });
    }
    if version < NEWEST {
        migrate(&session, version..NEWEST).await?;
    }
    session.batch("COMMIT").await?;
    Ok(session)
}

/// Begins a transaction that may change the tables of a `PostgreSQL` database. Also returns the version of the schema.
pub(super) async fn begin(address: &Address) -> Result<(Session, usize), StorageError> {
    let client = address.connect_first().await?;
    // Nodes that start at the same time wait for each other.
    let begin = "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 60000;
                 SET LOCAL idle_in_transaction_session_timeout = 0";
    client.batch(begin).await?;
    client.query("SELECT pg_advisory_xact_lock($1)", &[i64::from(APPLICATION).into()]).await?;
    let version = postgres_version(&client, address.place()).await?;
    Ok((Session::Postgres(client), version))
}

/// The version of the schema: 0 if there are no tables yet.
pub(super) async fn postgres_version(
    client: &Client,
    place: &Place,
) -> Result<usize, StorageError> {
    let query = "SELECT current_schema(),
        EXISTS (SELECT 1 FROM pg_tables
            WHERE schemaname = current_schema() AND tablename = 'skirmish_schema'),
        EXISTS (SELECT 1 FROM pg_class WHERE relnamespace = current_schema()::regnamespace
            AND relkind IN ('r', 'p')
            AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e'))";
    let rows = client.query(query, &[]).await?;
    let row = rows.first().ok_or(StorageError::Closed)?;
    let (schema, is_ours, has_tables): (Option<&str>, bool, bool) =
        (row.get(0), row.get(1), row.get(2));
    if schema.is_none() {
        let source = Arc::new(io::Error::other("no schema of its search_path exists"));
        return Err(StorageError::Unusable { place: place.clone(), source });
    }
    if !is_ours {
        return if has_tables {
            Err(StorageError::Foreign { place: place.clone() })
        } else {
            Ok(0)
        };
    }
    let rows = client.query("SELECT version FROM skirmish_schema", &[]).await?;
    let version: i64 = rows.first().map_or(0, |row| row.get(0));
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
        for migration in &MIGRATIONS[..3] {
            old.execute_batch(migration.sqlite).expect("valid SQL");
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
