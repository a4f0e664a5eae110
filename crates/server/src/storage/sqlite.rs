//! `SQLite` connections, statements and transactions.

use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use rusqlite::config::DbConfig;
use rusqlite::{CachedStatement, Connection, OpenFlags};
use tokio::sync::mpsc;

use super::value::Value;
use super::worker::{BATCH, Job, Message, Stopped, take_jobs};
use super::{Backend, Meter, Result, Row};

/// Number of prepared statements to cache. There are fewer.
const STATEMENTS: usize = 96;

/// Size of a connection's page cache in KiB. Data of current games is close together.
const CACHE: i32 = 256;

/// Opens a file that is empty or a database.
pub(super) fn connect(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "cache_size", -CACHE)?;
    // Without this, `SQLite` plans a statement again whenever a parameter changes.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// Runs a statement and calls a function with each row of its result.
pub(super) fn query(
    connection: &Connection,
    sql: &str,
    values: &[Value],
    read: &mut dyn FnMut(Row) -> Result<()>,
) -> Result<()> {
    let mut statement = bind(connection, sql, values)?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        read(Row::of_sqlite(row)?)?;
    }
    Ok(())
}

/// Runs a statement and returns the number of rows changed.
pub(super) fn execute(
    connection: &Connection,
    sql: &str,
    values: &[Value],
) -> rusqlite::Result<u64> {
    Ok(bind(connection, sql, values)?.raw_execute()? as u64)
}

fn bind<'a>(
    connection: &'a Connection,
    sql: &str,
    values: &[Value],
) -> rusqlite::Result<CachedStatement<'a>> {
    let mut statement = connection.prepare_cached(sql)?;
    for (place, value) in (1..).zip(values) {
        statement.raw_bind_parameter(place, value)?;
    }
    Ok(statement)
}

/// Runs jobs until all senders are gone or a stop is requested. Without a `meter`, they only read.
pub(super) fn work(
    backend: Backend,
    meter: Option<&Meter>,
    mut queue: mpsc::Receiver<Message>,
) -> Option<Stopped> {
    let (mut waiting, mut stop) = (Vec::with_capacity(BATCH), None);
    while stop.is_none() && queue.blocking_recv_many(&mut waiting, BATCH) > 0 {
        let jobs;
        (jobs, stop) = take_jobs(&mut waiting);
        transact(&backend, meter, jobs);
    }
    // Close the database before notifying the caller that requested the stop.
    drop(backend);
    stop
}

/// Runs jobs in one transaction, and answers after the commit. If a job fails, runs each in its own transaction.
fn transact(backend: &Backend, meter: Option<&Meter>, mut jobs: Vec<Job>) {
    let committed = commit(backend, meter, &mut jobs);
    if committed.is_err() && jobs.len() > 1 {
        for job in jobs {
            transact(backend, meter, vec![job]);
        }
    } else {
        for job in jobs {
            job.answer(committed.clone());
        }
    }
}

/// Runs jobs in one transaction. If any job fails, none has an effect.
fn commit(backend: &Backend, meter: Option<&Meter>, jobs: &mut [Job]) -> Result<()> {
    // Without `IMMEDIATE`, a job that reads before it writes would fail if another process, such as an operator command,
    // has written in between.
    let begin = if meter.is_some() { "BEGIN IMMEDIATE" } else { "BEGIN" };
    ready(backend.execute(begin, vec![]))?;
    let done = jobs.iter_mut().try_for_each(|job| ready(job.run(backend)));
    let committed = done.and_then(|()| ready(backend.execute("COMMIT", vec![])).map(drop));
    match (&committed, meter) {
        (Err(_), _) => roll_back(backend),
        (Ok(()), Some(meter)) => meter.committed(jobs.len()),
        (Ok(()), None) => {}
    }
    committed
}

/// Rolls back, unless `SQLite` already has. If this fails, the next BEGIN reports the error.
fn roll_back(backend: &Backend) {
    if let Backend::Sqlite(connection) = backend
        && !connection.is_autocommit()
    {
        let _ = execute(connection, "ROLLBACK", &[]);
    }
}

/// Returns the result of a future that never waits.
pub(super) fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => unreachable!("SQLite answers at once"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::value::values;
    use super::*;

    fn database(sql: &str) -> Backend {
        let connection = Connection::open_in_memory().expect("memory");
        connection.execute_batch(sql).expect("valid SQL");
        Backend::Sqlite(connection)
    }

    fn rows(backend: &Backend) -> Vec<i64> {
        ready(backend.query("SELECT id FROM item ORDER BY id", vec![])).expect("rows")
    }

    #[test]
    fn only_a_row_that_was_added_has_a_number() {
        let backend = database("CREATE TABLE item (id INTEGER PRIMARY KEY, code TEXT UNIQUE)");
        let add = |code: &str| -> Option<i64> {
            let sql =
                "INSERT INTO item (code) VALUES ($1) ON CONFLICT (code) DO NOTHING RETURNING id";
            ready(backend.first(sql, values![code])).expect("valid SQL")
        };
        assert_eq!(["A", "A", "B", "A"].map(add), [Some(1), None, Some(2), None]);
    }

    /// Runs these statements as jobs of one transaction. Returns which of them were acknowledged.
    fn acknowledged(backend: &Backend, statements: &[&'static str]) -> Vec<bool> {
        let jobs = statements
            .iter()
            .map(|&sql| Job::new(None, async move |backend: &Backend| backend.batch(sql).await));
        let (jobs, answers): (Vec<Job>, Vec<_>) = jobs.unzip();
        transact(backend, Some(&Meter::default()), jobs);
        answers.into_iter().map(|answer| ready(answer).expect("an answer").is_ok()).collect()
    }

    #[test]
    fn a_failing_job_takes_only_its_own_changes_with_it() {
        let backend = database("CREATE TABLE item (id INTEGER PRIMARY KEY)");
        let statements = [
            "INSERT INTO item VALUES (1)",
            "INSERT INTO item VALUES (2); INSERT INTO item VALUES (1)",
            "INSERT INTO item VALUES (3)",
        ];
        assert_eq!(acknowledged(&backend, &statements), [true, false, true]);
        assert_eq!(rows(&backend), [1, 3]);
    }

    #[test]
    fn what_fails_in_the_commit_is_not_acknowledged() {
        let backend = database(
            "PRAGMA foreign_keys = ON;
             CREATE TABLE item (id INTEGER PRIMARY KEY, parent INTEGER
                REFERENCES item (id) DEFERRABLE INITIALLY DEFERRED)",
        );
        let statements = ["INSERT INTO item VALUES (1, NULL)", "INSERT INTO item VALUES (2, 77)"];
        assert_eq!(acknowledged(&backend, &statements), [true, false]);
        assert_eq!(rows(&backend), [1]);
    }

    #[test]
    fn a_lost_transaction_takes_nothing_else_with_it() {
        let backend = database("CREATE TABLE item (id INTEGER PRIMARY KEY)");
        let statements = [
            "INSERT INTO item VALUES (1)",
            // SQLite itself rolls back when the disk is full.
            "ROLLBACK; SELECT nonsense",
            "INSERT INTO item VALUES (3)",
        ];
        assert_eq!(acknowledged(&backend, &statements), [true, false, true]);
        assert_eq!(rows(&backend), [1, 3]);
    }

    #[test]
    fn a_full_disk_loses_nothing_that_was_acknowledged() {
        let backend = database(
            "CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB); PRAGMA max_page_count = 20",
        );
        let statements = [
            "INSERT INTO item VALUES (1, zeroblob(10))",
            "INSERT INTO item VALUES (2, zeroblob(1000000))",
            "INSERT INTO item VALUES (3, zeroblob(10))",
        ];
        let acknowledged = acknowledged(&backend, &statements);
        assert!(!acknowledged[1]);
        let kept = (1..).zip(&acknowledged).filter(|(_, is_kept)| **is_kept).map(|(id, _)| id);
        assert_eq!(rows(&backend), kept.collect::<Vec<i64>>());
    }
}
