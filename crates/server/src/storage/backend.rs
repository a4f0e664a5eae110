//! The database backends: connections to `SQLite` and `PostgreSQL`. Each statement is written once, for both.

use std::borrow::Cow;

use rusqlite::Connection;
use rusqlite::types::{FromSql, ValueRef};

use super::postgres::Client;
use super::secret::Hash;
use super::value::Value;
use super::{Result, RoomStage, StorageError, sqlite};

/// A connection to either kind of database.
///
/// Statements name their parameters `$1`, `$2`, … in the order in which they first appear, because `SQLite` treats these as
/// names and numbers them in that order. A `SQLite` statement never waits: its future is ready at the first poll.
pub(super) enum Backend {
    Sqlite(Connection),
    Postgres(Client),
}

/// A row of a result.
pub(super) struct Row(Vec<Value>);

/// A type that a row can be read as: a column's value, a tuple of them, or a type of its own.
pub(super) trait FromRow: Sized {
    fn from_row(row: &Row) -> Result<Self>;
}

/// Reads values of the first column.
macro_rules! from_column {
    ($($type:ty),+ $(,)?) => {
        $(impl FromRow for $type {
            fn from_row(row: &Row) -> Result<Self> {
                row.get(0)
            }
        })+
    };
}

from_column!(i64, u64, u32, bool, String, Hash, RoomStage, Option<i64>, Option<u64>);

/// Reads a type's fields from the columns in this order.
macro_rules! from_row {
    ($type:ty { $($field:ident),+ $(,)? }) => {
        impl $crate::storage::FromRow for $type {
            fn from_row(row: &$crate::storage::Row) -> $crate::storage::Result<Self> {
                let mut columns = 0..;
                let mut next = || columns.next().unwrap_or_default();
                Ok(Self { $($field: row.get(next())?),+ })
            }
        }
    };
}
pub(super) use from_row;

/// Reads tuples of columns.
macro_rules! from_columns {
    ($($type:ident $column:literal),+) => {
        impl<$($type: FromSql),+> FromRow for ($($type,)+) {
            fn from_row(row: &Row) -> Result<Self> {
                Ok(($(row.get($column)?,)+))
            }
        }
    };
}

from_columns!(A 0, B 1);
from_columns!(A 0, B 1, C 2);
from_columns!(A 0, B 1, C 2, D 3);

/// Number of rows fetched from a cursor at a time.
const FETCHED: usize = 500;

impl Backend {
    /// Runs a statement and returns its result, each row as a `T`.
    pub(super) async fn query<T: FromRow>(&self, sql: &str, values: Vec<Value>) -> Result<Vec<T>> {
        self.rows(sql, values).await?.iter().map(T::from_row).collect()
    }

    /// Runs a statement and returns the first row of its result, if any.
    pub(super) async fn first<T: FromRow>(
        &self,
        sql: &str,
        values: Vec<Value>,
    ) -> Result<Option<T>> {
        self.rows(sql, values).await?.first().map(T::from_row).transpose()
    }

    /// Runs a statement and returns the rows of its result.
    pub(super) async fn rows(&self, sql: &str, values: Vec<Value>) -> Result<Vec<Row>> {
        debug_assert!(is_in_order(sql, values.len()), "parameters out of order: {sql}");
        match self {
            Self::Sqlite(connection) => {
                let mut rows = Vec::new();
                sqlite::query(connection, sql, &values, &mut |row| {
                    rows.push(row);
                    Ok(())
                })?;
                Ok(rows)
            }
            Self::Postgres(client) => client.query(sql, &values).await,
        }
    }

    /// Runs a statement and returns the number of rows changed.
    pub(super) async fn execute(&self, sql: &str, values: Vec<Value>) -> Result<u64> {
        debug_assert!(is_in_order(sql, values.len()), "parameters out of order: {sql}");
        match self {
            Self::Sqlite(connection) => Ok(sqlite::execute(connection, sql, &values)?),
            Self::Postgres(client) => client.execute(sql, &values).await,
        }
    }

    /// Calls a function with each row of a query, fetching a few at a time. On `PostgreSQL`, `name` is the name of the
    /// cursor, which stays open until the end of the caller's transaction.
    pub(super) async fn scan(
        &self,
        name: &str,
        sql: &str,
        read: &mut dyn FnMut(Row) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Sqlite(connection) => sqlite::query(connection, sql, &[], read),
            Self::Postgres(client) => {
                client.batch(&format!("DECLARE \"{name}\" NO SCROLL CURSOR FOR {sql}")).await?;
                let fetch = format!("FETCH {FETCHED} FROM \"{name}\"");
                loop {
                    let rows = client.query(&fetch, &[]).await?;
                    if rows.is_empty() {
                        return Ok(());
                    }
                    rows.into_iter().try_for_each(&mut *read)?;
                }
            }
        }
    }

    /// Runs several statements without parameters.
    pub(super) async fn batch(&self, sql: &str) -> Result<()> {
        match self {
            Self::Sqlite(connection) => Ok(connection.execute_batch(sql)?),
            Self::Postgres(client) => client.batch(sql).await,
        }
    }

    /// Runs a statement that writes rows. Returns false if that would violate a constraint. The job must then end, since
    /// `PostgreSQL` refuses further statements.
    pub(super) async fn insert(&self, sql: &str, values: Vec<Value>) -> Result<bool> {
        match self.execute(sql, values).await {
            Ok(_) => Ok(true),
            Err(StorageError::Constraint { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Adds a locking clause to a statement on `PostgreSQL`, where there are other writers.
    pub(super) fn locking(&self, sql: &'static str, clause: &str) -> Cow<'static, str> {
        match self {
            Self::Sqlite(_) => sql.into(),
            Self::Postgres(_) => format!("{sql} {clause}").into(),
        }
    }

    /// Returns the database's time in milliseconds, in SQL.
    pub(super) fn clock(&self) -> &'static str {
        self.either(
            "CAST(unixepoch('subsec') * 1000 AS INTEGER)",
            "CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS BIGINT)",
        )
    }

    /// Selects the statement for this database, where the two differ.
    pub(super) fn either(&self, sqlite: &'static str, postgres: &'static str) -> &'static str {
        match self {
            Self::Sqlite(_) => sqlite,
            Self::Postgres(_) => postgres,
        }
    }
}

impl Row {
    pub(super) fn of_sqlite(row: &rusqlite::Row<'_>) -> Result<Self> {
        let value = |column| Value::of_sqlite(row.get_ref(column)?).ok_or_else(|| damaged(column));
        (0..row.as_ref().column_count()).map(value).collect::<Result<_>>().map(Self)
    }

    pub(super) fn of_postgres(row: &tokio_postgres::Row) -> Result<Self> {
        let value = |column| row.try_get(column).map_err(|_| damaged(column));
        (0..row.len()).map(value).collect::<Result<_>>().map(Self)
    }

    /// Returns the value of a column.
    pub(super) fn get<T: FromSql>(&self, column: usize) -> Result<T> {
        let value = self.0.get(column).map_or(ValueRef::Null, Value::as_sqlite);
        T::column_result(value).map_err(|_| damaged(column))
    }

    /// Returns the values of all columns.
    pub(super) fn into_values(self) -> Vec<Value> {
        self.0
    }
}

fn damaged(column: usize) -> StorageError {
    StorageError::Damaged(format!("column {} of a row has another type", column + 1))
}

/// Whether a statement has this many parameters, first appearing in order.
fn is_in_order(sql: &str, count: usize) -> bool {
    let mut seen = 0;
    for part in sql.split('$').skip(1) {
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        match part[..digits].parse::<usize>() {
            Ok(number) if number <= seen + 1 => seen = seen.max(number),
            _ => return false,
        }
    }
    seen == count
}
