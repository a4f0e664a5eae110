//! A thread that owns a connection and runs jobs on it, many in one transaction.

use std::io;
use std::thread::{self, JoinHandle};

use rusqlite::Connection;
use tokio::sync::{mpsc, oneshot};

use super::error::StorageError;

/// How many jobs can wait; whoever brings more waits too.
const QUEUE: usize = 1024;

/// How many jobs share a transaction at most.
const BATCH: usize = 512;

/// Something to do in a transaction, whose result its caller waits for.
trait Job: Send {
    /// Does it. If the transaction has to be given up, it is done again in another one.
    fn run(&mut self, connection: &Connection) -> Result<(), StorageError>;

    /// Tells the caller the result of the last run, or why it could not be committed.
    fn answer(self: Box<Self>, committed: Result<(), StorageError>);
}

/// A job that computes a `T`.
struct Computation<T, F> {
    compute: F,
    value: Option<T>,
    sender: oneshot::Sender<Result<T, StorageError>>,
}

impl<T: Send, F: FnMut(&Connection) -> Result<T, StorageError> + Send> Job for Computation<T, F> {
    fn run(&mut self, connection: &Connection) -> Result<(), StorageError> {
        self.value = Some((self.compute)(connection)?);
        Ok(())
    }

    fn answer(self: Box<Self>, committed: Result<(), StorageError>) {
        let Self { value, sender, .. } = *self;
        // The caller may have lost interest.
        let _ = sender.send(committed.and_then(|()| value.ok_or(StorageError::Closed)));
    }
}

enum Message {
    Job(Box<dyn Job>),
    /// The connection is closed, and then the sender dropped.
    Stop(oneshot::Sender<()>),
}

/// A thread that owns a connection. When this is dropped, it finishes what waits, and ends.
#[derive(Debug)]
pub(super) struct Worker {
    queue: Option<mpsc::Sender<Message>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts the thread. `keep` is dropped after the connection.
    pub(super) fn start(
        name: &str,
        connection: Connection,
        keep: impl Send + 'static,
    ) -> io::Result<Self> {
        let (queue, mut jobs) = mpsc::channel(QUEUE);
        let work = move || {
            let stopped = work(&connection, &mut jobs);
            drop(connection);
            drop(keep);
            drop(stopped);
        };
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work)?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Runs a job. When this returns a value, the job's changes are durable; if the job fails, it has changed nothing.
    ///
    /// Once the job is queued it runs even if the future is dropped. It runs again if the transaction that it shares with
    /// others fails.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnMut(&Connection) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let (job, answer) = self::job(job);
        self.send(Message::Job(job)).await?;
        answer.await.map_err(|_| StorageError::Closed)?
    }

    /// Runs what was queued before, and closes the connection. What is queued later fails.
    pub(super) async fn stop(&self) {
        let (sender, closed) = oneshot::channel();
        if self.send(Message::Stop(sender)).await.is_ok() {
            // The sender is dropped without a message.
            let _ = closed.await;
        }
    }

    async fn send(&self, message: Message) -> Result<(), StorageError> {
        let queue = self.queue.as_ref().expect("the queue is taken only by dropping the worker");
        queue.send(message).await.map_err(|_| StorageError::Closed)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // If it has panicked, the panic has been reported already.
            let _ = thread.join();
        }
    }
}

/// A job, and where its result arrives.
fn job<T: Send + 'static>(
    compute: impl FnMut(&Connection) -> Result<T, StorageError> + Send + 'static,
) -> (Box<dyn Job>, oneshot::Receiver<Result<T, StorageError>>) {
    let (sender, answer) = oneshot::channel();
    (Box::new(Computation { compute, value: None, sender }), answer)
}

/// Runs jobs until there can be no more, or somebody wants to stop.
fn work(
    connection: &Connection,
    queue: &mut mpsc::Receiver<Message>,
) -> Option<oneshot::Sender<()>> {
    let mut waiting = Vec::with_capacity(BATCH);
    while queue.blocking_recv_many(&mut waiting, BATCH) > 0 {
        let mut jobs = Vec::with_capacity(waiting.len());
        let mut stop = None;
        for message in waiting.drain(..) {
            match message {
                Message::Job(job) if stop.is_none() => jobs.push(job),
                // Dropping the job tells its caller.
                Message::Job(_) => {}
                Message::Stop(sender) => stop = stop.or(Some(sender)),
            }
        }
        transact(connection, jobs);
        if stop.is_some() {
            return stop;
        }
    }
    None
}

/// Runs jobs in one transaction, and answers after the commit. If one of them fails, each gets a transaction of its own.
fn transact(connection: &Connection, mut jobs: Vec<Box<dyn Job>>) {
    let committed = commit(connection, &mut jobs);
    if committed.is_err() && jobs.len() > 1 {
        for job in jobs {
            transact(connection, vec![job]);
        }
    } else {
        for job in jobs {
            job.answer(committed.clone());
        }
    }
}

/// Runs jobs in one transaction. If one of them fails, none has changed anything.
fn commit(connection: &Connection, jobs: &mut [Box<dyn Job>]) -> Result<(), StorageError> {
    execute(connection, "BEGIN")?;
    let done = jobs.iter_mut().try_for_each(|job| job.run(connection));
    let committed = done.and_then(|()| execute(connection, "COMMIT"));
    if committed.is_err() {
        roll_back(connection);
    }
    committed
}

/// Ends the transaction, if `SQLite` has not done so. If that fails, so does the next BEGIN, and its callers are told.
fn roll_back(connection: &Connection) {
    if !connection.is_autocommit() {
        let _ = execute(connection, "ROLLBACK");
    }
}

fn execute(connection: &Connection, sql: &str) -> Result<(), StorageError> {
    connection.prepare_cached(sql)?.execute([])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn database(sql: &str) -> Connection {
        let connection = Connection::open_in_memory().expect("memory");
        connection.execute_batch(sql).expect("valid SQL");
        connection
    }

    fn rows(connection: &Connection) -> Vec<i64> {
        let mut query = connection.prepare("SELECT id FROM item ORDER BY id").expect("a table");
        let ids = query.query_map([], |row| row.get(0)).expect("rows");
        ids.collect::<Result<_, _>>().expect("numbers")
    }

    /// Runs these statements as jobs of one transaction, and tells which of them were acknowledged.
    fn acknowledged(connection: &Connection, statements: &[&'static str]) -> Vec<bool> {
        let (jobs, answers): (Vec<Box<dyn Job>>, Vec<_>) = statements
            .iter()
            .map(|sql| job(|connection| Ok(connection.execute_batch(sql)?)))
            .unzip();
        transact(connection, jobs);
        answers
            .into_iter()
            .map(|mut answer| answer.try_recv().expect("an answer").is_ok())
            .collect()
    }

    #[test]
    fn a_failing_job_takes_only_its_own_changes_with_it() {
        let connection = database("CREATE TABLE item (id INTEGER PRIMARY KEY)");
        let statements = [
            "INSERT INTO item VALUES (1)",
            "INSERT INTO item VALUES (2); INSERT INTO item VALUES (1)",
            "INSERT INTO item VALUES (3)",
        ];
        assert_eq!(acknowledged(&connection, &statements), [true, false, true]);
        assert_eq!(rows(&connection), [1, 3]);
    }

    #[test]
    fn what_fails_in_the_commit_is_not_acknowledged() {
        let connection = database(
            "PRAGMA foreign_keys = ON;
             CREATE TABLE item (id INTEGER PRIMARY KEY, parent INTEGER
                REFERENCES item (id) DEFERRABLE INITIALLY DEFERRED)",
        );
        let statements = ["INSERT INTO item VALUES (1, NULL)", "INSERT INTO item VALUES (2, 77)"];
        assert_eq!(acknowledged(&connection, &statements), [true, false]);
        assert_eq!(rows(&connection), [1]);
    }

    #[test]
    fn a_lost_transaction_takes_nothing_else_with_it() {
        let connection = database("CREATE TABLE item (id INTEGER PRIMARY KEY)");
        let statements = [
            "INSERT INTO item VALUES (1)",
            // As SQLite does itself when the disk is full.
            "ROLLBACK; SELECT nonsense",
            "INSERT INTO item VALUES (3)",
        ];
        assert_eq!(acknowledged(&connection, &statements), [true, false, true]);
        assert_eq!(rows(&connection), [1, 3]);
    }

    #[test]
    fn a_full_disk_loses_nothing_that_was_acknowledged() {
        let connection = database(
            "CREATE TABLE item (id INTEGER PRIMARY KEY, body BLOB); PRAGMA max_page_count = 20",
        );
        let statements = [
            "INSERT INTO item VALUES (1, zeroblob(10))",
            "INSERT INTO item VALUES (2, zeroblob(1000000))",
            "INSERT INTO item VALUES (3, zeroblob(10))",
        ];
        let acknowledged = acknowledged(&connection, &statements);
        assert!(!acknowledged[1]);
        let kept = (1..).zip(&acknowledged).filter(|(_, is_kept)| **is_kept).map(|(id, _)| id);
        assert_eq!(rows(&connection), kept.collect::<Vec<i64>>());
    }
}
