//! `SQLite`: connections, statements and transactions.

use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use rusqlite::config::DbConfig;
use rusqlite::{CachedStatement, Connection, OpenFlags};
use tokio::sync::mpsc;

use super::value::Value;
use super::worker::{BATCH, Job, Message, Stopped, take_jobs};
use super::{Meter, Result, Row, Session};

/// The number of prepared statements that are kept: more than there are.
const STATEMENTS: usize = 96;

/// The page cache of a connection, in KiB. What is played at the same time is close together.
const CACHE: i32 = 256;

/// Opens a file that is a database or empty.
pub(super) fn connect(path: &Path, flags: OpenFlags) -> Result<Connection> {
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection.pragma_update(None, "cache_size", -CACHE)?;
    // Without this `SQLite` plans a statement anew whenever a parameter has another value.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// Runs a statement, and reads the rows of its result.
pub(super) fn query<T>(
    connection: &Connection,
    sql: &str,
    values: &[Value<'_>],
    mut read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut statement = bind(connection, sql, values)?;
    let mut rows = statement.raw_query();
    let mut results = Vec::new();
    while let Some(row) = rows.next()? {
        results.push(read(&Row::Sqlite(row))?);
    }
    Ok(results)
}

/// Runs a statement, and returns how many rows it has changed.
pub(super) fn execute(
    connection: &Connection,
    sql: &str,
    values: &[Value<'_>],
) -> rusqlite::Result<u64> {
    Ok(bind(connection, sql, values)?.raw_execute()? as u64)
}

fn bind<'a>(
    connection: &'a Connection,
    sql: &str,
    values: &[Value<'_>],
) -> rusqlite::Result<CachedStatement<'a>> {
    let mut statement = connection.prepare_cached(sql)?;
    for (place, value) in (1..).zip(values) {
        statement.raw_bind_parameter(place, value)?;
    }
    Ok(statement)
}

/// What the jobs of a connection do.
#[derive(Clone, Copy)]
pub(super) enum Access<'a> {
    Read,
    /// They write, and their transactions are counted.
    Write(&'a Meter),
}

impl Access<'_> {
    /// How a transaction begins. Whoever reads first and writes later would fail if another process, such as a command of
    /// the operator, has written in between.
    const fn begin(self) -> &'static str {
        match self {
            Self::Read => "BEGIN",
            Self::Write(_) => "BEGIN IMMEDIATE",
        }
    }
}

/// Runs jobs until there can be no more, or somebody wants to stop.
pub(super) fn work(
    session: Session,
    access: Access<'_>,
    mut queue: mpsc::Receiver<Message>,
) -> Option<Stopped> {
    let (mut waiting, mut stop) = (Vec::with_capacity(BATCH), None);
    while stop.is_none() && queue.blocking_recv_many(&mut waiting, BATCH) > 0 {
        let jobs;
        (jobs, stop) = take_jobs(&mut waiting);
        transact(&session, access, jobs);
    }
    // Before whoever waits for that is told.
    drop(session);
    stop
}

/// Runs jobs in one transaction, and answers after the commit. If one of them fails, each gets a transaction of its own.
fn transact(session: &Session, access: Access<'_>, mut jobs: Vec<Box<dyn Job>>) {
    let committed = commit(session, access, &mut jobs);
    if committed.is_err() && jobs.len() > 1 {
        for job in jobs {
            transact(session, access, vec![job]);
        }
    } else {
        for job in jobs {
            job.answer(committed.clone());
        }
    }
}

/// Runs jobs in one transaction. If one of them fails, none has changed anything.
fn commit(session: &Session, access: Access<'_>, jobs: &mut [Box<dyn Job>]) -> Result<()> {
    ready(session.execute(access.begin(), []))?;
    let done = jobs.iter_mut().try_for_each(|job| ready(job.run(session)));
    let committed = done.and_then(|()| ready(session.execute("COMMIT", [])).map(drop));
    match (&committed, access) {
        (Err(_), _) => roll_back(session),
        (Ok(()), Access::Write(meter)) => meter.committed(jobs.len()),
        (Ok(()), Access::Read) => {}
    }
    committed
}

/// Ends the transaction, if `SQLite` has not done so. If that fails, so does the next BEGIN, and its callers are told.
fn roll_back(session: &Session) {
    if let Session::Sqlite(connection) = session
        && !connection.is_autocommit()
    {
        let _ = execute(connection, "ROLLBACK", &[]);
    }
}

/// The result of a future that never waits.
pub(super) fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(result) => result,
        Poll::Pending => unreachable!("SQLite answers at once"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::value::values;
    use super::super::worker::job;
    use super::*;

    fn database(sql: &str) -> Session {
        let connection = Connection::open_in_memory().expect("memory");
        connection.execute_batch(sql).expect("valid SQL");
        Session::Sqlite(connection)
    }

    fn rows(session: &Session) -> Vec<i64> {
        ready(session.query("SELECT id FROM item ORDER BY id", [], |row| row.get(0))).expect("rows")
    }

    #[test]
    fn only_a_row_that_was_added_has_a_number() {
        let session = database("CREATE TABLE item (id INTEGER PRIMARY KEY, code TEXT UNIQUE)");
        let add = |code: &str| -> Option<i64> {
            let sql =
                "INSERT INTO item (code) VALUES ($1) ON CONFLICT (code) DO NOTHING RETURNING id";
            ready(session.first(sql, values![code], |row| row.get(0))).expect("valid SQL")
        };
        assert_eq!(["A", "A", "B", "A"].map(add), [Some(1), None, Some(2), None]);
    }

    /// Runs these statements as jobs of one transaction, and tells which of them were acknowledged.
    fn acknowledged(session: &Session, statements: &[&'static str]) -> Vec<bool> {
        let (jobs, answers): (Vec<Box<dyn Job>>, Vec<_>) = statements
            .iter()
            .map(|sql| {
                job(None, async |session: &Session| match session {
                    Session::Sqlite(connection) => Ok(connection.execute_batch(sql)?),
                    Session::Postgres(_) => unreachable!("the database is in memory"),
                })
            })
            .unzip();
        transact(session, Access::Write(&Meter::default()), jobs);
        answers
            .into_iter()
            .map(|mut answer| answer.try_recv().expect("an answer").is_ok())
            .collect()
    }

    #[test]
    fn a_failing_job_takes_only_its_own_changes_with_it() {
        let session = database("CREATE TABLE item (id INTEGER PRIMARY KEY)");
        let statements = [
            "INSERT INTO item VALUES (1)",
            "INSERT INTO item VALUES (2); INSERT INTO item VALUES (1)",
            "INSERT INTO item VALUES (3)",
        ];
        assert_eq!(acknowledged(&session, &statements), [true, false, true]);
        assert_eq!(rows(&session), [1, 3]);
    }

    #[test]
    fn what_fails_in_the_commit_is_not_acknowledged() {
        let session = database(
            "PRAGMA foreign_keys = ON;
             CREATE TABLE item (id INTEGER PRIMARY KEY, parent INTEGER
                REFERENCES item (id) DEFERRABLE INITIALLY DEFERRED)",
        );
        let statements = ["INSERT INTO item VALUES (1, NULL)", "INSERT INTO item VALUES (2, 77)"];
        assert_eq!(acknowledged(&session, &statements), [true, false]);
        assert_eq!(rows(&session), [1]);
    }

    #[test]
    fn a_lost_transaction_takes_nothing_else_with_it() {
        let session = database("CREATE TABLE item (id INTEGER PRIMARY KEY)");
        let statements = [
            "INSERT INTO item VALUES (1)",
            // As SQLite does itself when the disk is full.
            "ROLLBACK; SELECT nonsense",
            "INSERT INTO item VALUES (3)",
        ];
        assert_eq!(acknowledged(&session, &statements), [true, false, true]);
        assert_eq!(rows(&session), [1, 3]);
    }

    #[test]
    fn a_full_disk_loses_nothing_that_was_acknowledged() {
        let session = database(
            "CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB); PRAGMA max_page_count = 20",
        );
        let statements = [
            "INSERT INTO item VALUES (1, zeroblob(10))",
            "INSERT INTO item VALUES (2, zeroblob(1000000))",
            "INSERT INTO item VALUES (3, zeroblob(10))",
        ];
        let acknowledged = acknowledged(&session, &statements);
        assert!(!acknowledged[1]);
        let kept = (1..).zip(&acknowledged).filter(|(_, is_kept)| **is_kept).map(|(id, _)| id);
        assert_eq!(rows(&session), kept.collect::<Vec<i64>>());
    }
}
