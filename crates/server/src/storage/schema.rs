//! The tables of the database, and connections to it.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::error::StorageError;

/// What marks a database as ours: `Skir`.
const APPLICATION: i32 = 0x536b_6972;

/// The first bytes of every `SQLite` database.
const SIGNATURE: &[u8; 16] = b"SQLite format 3\0";

/// What leads from each version of the schema to the next. A released one never changes.
const MIGRATIONS: [&str; 1] = [include_str!("schema/1.sql")];

/// The number of prepared statements that are kept: more than there are.
const STATEMENTS: usize = 64;

/// The page cache of a connection, in KiB. What is played at the same time is close together.
const CACHE: i32 = 256;

/// After how many pages the WAL is copied into the database. Every move changes pages of its own, so that `SQLite`'s 1,000
/// would mean a pause every few commits on a busy server.
const CHECKPOINT_PAGES: u32 = 4000;

/// Opens the database for writing. An empty file gets the tables; anything that is not ours stays untouched.
pub(super) fn open(path: &Path) -> Result<Connection, StorageError> {
    if !is_acceptable(path).map_err(StorageError::unusable(path))? {
        return Err(StorageError::Foreign { path: path.to_owned() });
    }
    let connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let version = version(&connection, path)?;
    let mode: String = connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0))?;
    if mode != "wal" {
        let error = io::Error::other("SQLite's WAL mode does not work on its file system");
        return Err(StorageError::unusable(path)(error));
    }
    connection.execute_batch("PRAGMA synchronous = FULL")?;
    connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
    migrate(&connection, version)?;
    Ok(connection)
}

/// Opens a database that [`open`] has opened before, for reading.
pub(super) fn open_for_reading(path: &Path) -> Result<Connection, StorageError> {
    connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

/// Whether a file is empty or a database. `SQLite` itself would overwrite a short file of any kind.
fn is_acceptable(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    File::open(path)?.take(SIGNATURE.len() as u64).read_to_end(&mut start)?;
    Ok(start.is_empty() || start == SIGNATURE)
}

fn connect(path: &Path, flags: OpenFlags) -> Result<Connection, StorageError> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "cache_size", -CACHE)?;
    // Without this `SQLite` plans a statement anew whenever a parameter has another value.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// The version of the schema: 0 for an empty file.
fn version(connection: &Connection, path: &Path) -> Result<usize, StorageError> {
    let foreign = || StorageError::Foreign { path: path.to_owned() };
    let query = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
                 FROM pragma_application_id, pragma_user_version";
    let found = connection.query_row(query, [], |row| {
        Ok((row.get::<_, i32>(0)?, row.get::<_, i32>(1)?, row.get::<_, i64>(2)?))
    });
    let (application, version, tables) = match found {
        Ok(found) => found,
        Err(error) => {
            return match error.sqlite_error_code() {
                Some(ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt) => Err(foreign()),
                _ => Err(error.into()),
            };
        }
    };
    let is_empty = application == 0 && version == 0 && tables == 0;
    if application != APPLICATION && !is_empty {
        return Err(foreign());
    }
    let known = newest();
    if version > known {
        return Err(StorageError::Newer { path: path.to_owned(), found: version, known });
    }
    usize::try_from(version).map_err(|_| foreign())
}

/// The newest version of the schema.
fn newest() -> i32 {
    i32::try_from(MIGRATIONS.len()).expect("a handful of migrations")
}

/// Brings the tables up to date, in one transaction.
fn migrate(connection: &Connection, version: usize) -> Result<(), StorageError> {
    if version == MIGRATIONS.len() {
        return Ok(());
    }
    let transaction = connection.unchecked_transaction()?;
    for migration in &MIGRATIONS[version..] {
        transaction.execute_batch(migration)?;
    }
    transaction.pragma_update(None, "application_id", APPLICATION)?;
    transaction.pragma_update(None, "user_version", newest())?;
    transaction.commit()?;
    Ok(())
}
