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
    /// Runs a statement and converts the rows of its result.
    pub(super) async fn query<T, const COUNT: usize>(
        &self,
        sql: &'static str,
        values: [Value<'_>; COUNT],
        mut read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        debug_assert!(is_in_order(sql, COUNT), "parameters out of order: {sql}");
        match self {
            Self::Sqlite(connection) => sqlite::query(connection, sql, &values, read),
            Self::Postgres(client) => {
                let rows = client.query(sql, &values).await?;
                rows.iter().map(|row| read(&Row::Postgres(row))).collect()
            }
        }
    }

    /// Runs a statement and converts the first row of its result, if any.
    pub(super) async fn first<T, const COUNT: usize>(
        &self,
        sql: &'static str,
        values: [Value<'_>; COUNT],
        read: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Option<T>> {
        Ok(self.query(sql, values, read).await?.into_iter().next())
    }

    /// Runs a statement and returns the number of rows changed.
    pub(super) async fn execute<const COUNT: usize>(
        &self,
        sql: &'static str,
        values: [Value<'_>; COUNT],
    ) -> Result<u64> {
        self.execute_all(sql, &values).await
    }

    /// Like [`Self::execute`], with any number of parameters.
    pub(super) async fn execute_all(&self, sql: &str, values: &[Value<'_>]) -> Result<u64> {
        debug_assert!(is_in_order(sql, values.len()), "parameters out of order: {sql}");
        match self {
            Self::Sqlite(connection) => Ok(sqlite::execute(connection, sql, values)?),
            Self::Postgres(client) => client.execute(sql, values).await,
        }
    }

    /// Calls a function with each row of a query, fetching a few at a time. On `PostgreSQL`, `name` is the name of the
    /// cursor, which stays open until the end of the caller's transaction.
    pub(super) async fn each(
        &self,
        name: &str,
        sql: &str,
        mut read: impl FnMut(&Row<'_>) -> Result<()>,
    ) -> Result<()> {
        match self {
            Self::Sqlite(connection) => sqlite::query(connection, sql, &[], read).map(drop),
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
    pub(super) async fn insert<const COUNT: usize>(
        &self,
        sql: &'static str,
        values: [Value<'_>; COUNT],
    ) -> Result<bool> {
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
