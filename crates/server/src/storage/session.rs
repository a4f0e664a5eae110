//! A connection to either database. Each statement is written once, for both.

use rusqlite::Connection;

use super::postgres::Client;
use super::value::{FromValue, Value};
use super::{Result, StorageError, sqlite};

/// A connection to a database.
///
/// Statements name their parameters `$1`, `$2`, … in the order in which they first appear, because `SQLite` treats these as
/// names and numbers them in that order. A `SQLite` statement never waits: its future is ready at the first poll.
pub(super) enum Session {
    Sqlite(Connection),
    Postgres(Client),
}

/// A row of a result.
pub(super) enum Row<'a> {
    Sqlite(&'a rusqlite::Row<'a>),
    Postgres(&'a tokio_postgres::Row),
}

/// A function that reads a row. Its type is erased, so that every query shares the code that runs it.
type Read<'a> = dyn FnMut(&Row<'_>) -> Result<()> + 'a;

/// A type that a row can be read as: a column's value, a tuple of them, or a type of its own.
pub(super) trait FromRow: Sized {
    fn from_row(row: &Row<'_>) -> Result<Self>;
}

impl<T: for<'a> FromValue<'a>> FromRow for T {
    fn from_row(row: &Row<'_>) -> Result<Self> {
        row.get(0)
    }
}

/// Reads a type's fields from the columns in this order.
macro_rules! from_row {
    ($type:ty { $($field:ident),+ $(,)? }) => {
        impl $crate::storage::FromRow for $type {
            fn from_row(row: &$crate::storage::Row<'_>) -> $crate::storage::Result<Self> {
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
        impl<$($type: for<'a> FromValue<'a>),+> FromRow for ($($type,)+) {
            fn from_row(row: &Row<'_>) -> Result<Self> {
                Ok(($(row.get($column)?,)+))
            }
        }
    };
}

from_columns!(A 0, B 1);
from_columns!(A 0, B 1, C 2);
from_columns!(A 0, B 1, C 2, D 3);

/// A statement with a locking clause on `PostgreSQL`, where there are other writers. The text after the clause is the same
/// for both databases.
macro_rules! locking {
    ($session:expr, $sql:literal, $lock:literal $(, $rest:literal)?) => {
        $session.either(concat!($sql $(, " ", $rest)?), concat!($sql, " ", $lock $(, " ", $rest)?))
    };
}
pub(super) use locking;

/// Number of rows fetched from a cursor at a time.
const FETCHED: usize = 500;

impl Session {
    /// Runs a statement and returns the rows of its result.
    pub(super) async fn query<T: FromRow>(
        &self,
        sql: &str,
        values: Vec<Value<'_>>,
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        let mut read = |row: &Row<'_>| {
            rows.push(T::from_row(row)?);
            Ok(())
        };
        self.for_each(sql, values, &mut read).await?;
        Ok(rows)
    }

    /// Runs a statement and returns the first row of its result, if any.
    pub(super) async fn first<T: FromRow>(
        &self,
        sql: &str,
        values: Vec<Value<'_>>,
    ) -> Result<Option<T>> {
        let mut first = None;
        let mut read = |row: &Row<'_>| {
            if first.is_none() {
                first = Some(T::from_row(row)?);
            }
            Ok(())
        };
        self.for_each(sql, values, &mut read).await?;
        Ok(first)
    }

    /// Runs a statement and calls a function with each row of its result.
    pub(super) async fn for_each(
        &self,
        sql: &str,
        values: Vec<Value<'_>>,
        read: &mut Read<'_>,
    ) -> Result<()> {
        debug_assert!(is_in_order(sql, values.len()), "parameters out of order: {sql}");
        match self {
            Self::Sqlite(connection) => sqlite::query(connection, sql, &values, read),
            Self::Postgres(client) => {
                let rows = client.query(sql, &values).await?;
                rows.iter().try_for_each(|row| read(&Row::Postgres(row)))
            }
        }
    }

    /// Runs a statement and returns the number of rows changed.
    pub(super) async fn execute(&self, sql: &str, values: Vec<Value<'_>>) -> Result<u64> {
        debug_assert!(is_in_order(sql, values.len()), "parameters out of order: {sql}");
        match self {
            Self::Sqlite(connection) => Ok(sqlite::execute(connection, sql, &values)?),
            Self::Postgres(client) => client.execute(sql, &values).await,
        }
    }

    /// Calls a function with each row of a query, fetching a few at a time. On `PostgreSQL`, `name` is the name of the
    /// cursor, which stays open until the end of the caller's transaction.
    pub(super) async fn scan(&self, name: &str, sql: &str, read: &mut Read<'_>) -> Result<()> {
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
                    rows.iter().try_for_each(|row| read(&Row::Postgres(row)))?;
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
    pub(super) async fn insert(&self, sql: &str, values: Vec<Value<'_>>) -> Result<bool> {
        match self.execute(sql, values).await {
            Ok(_) => Ok(true),
            Err(StorageError::Constraint { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Selects the statement for this database, where the two differ.
    pub(super) fn either(&self, sqlite: &'static str, postgres: &'static str) -> &'static str {
        match self {
            Self::Sqlite(_) => sqlite,
            Self::Postgres(_) => postgres,
        }
    }
}

impl Row<'_> {
    /// Returns the value of a column.
    pub(super) fn get<'a, T: FromValue<'a>>(&'a self, column: usize) -> Result<T> {
        let value = match self {
            Self::Sqlite(row) => Value::of_sqlite(row.get_ref(column)?),
            Self::Postgres(row) => row.try_get(column).ok(),
        };
        value.and_then(T::from_value).ok_or_else(|| StorageError::Damaged {
            what: format!("column {} of a row has another type", column + 1),
        })
    }
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
