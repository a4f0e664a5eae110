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

/// Runs with the connection, unless the transaction could not begin.
type Job = Box<dyn FnOnce(Result<&Connection, StorageError>) -> Reply + Send>;

/// Tells the caller the result, once it is known whether the transaction was committed.
type Reply = Box<dyn FnOnce(Result<(), StorageError>)>;

enum Message {
    Job(Job),
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
    /// Once the job is queued it runs even if the future is dropped.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Connection) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let (sender, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            let result = connection.and_then(|connection| in_savepoint(connection, job));
            Box::new(move |committed| {
                // The caller may have lost interest.
                let _ = sender.send(result.and_then(|value| committed.map(|()| value)));
            })
        });
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

/// Runs jobs in one transaction, and answers after the commit.
fn transact(connection: &Connection, jobs: Vec<Job>) {
    let begun = execute(connection, "BEGIN");
    let check = || match &begun {
        // After some errors, such as a full disk, SQLite has rolled back the whole transaction.
        Ok(()) if connection.is_autocommit() => Err(StorageError::RolledBack),
        Ok(()) => Ok(connection),
        Err(error) => Err(error.clone()),
    };
    let replies: Vec<Reply> = jobs.into_iter().map(|job| job(check())).collect();
    let committed = check().and_then(|connection| execute(connection, "COMMIT"));
    if committed.is_err() {
        roll_back(connection);
    }
    for reply in replies {
        reply(committed.clone());
    }
}

/// Runs a job so that its changes are undone if it fails.
fn in_savepoint<T>(
    connection: &Connection,
    job: impl FnOnce(&Connection) -> Result<T, StorageError>,
) -> Result<T, StorageError> {
    execute(connection, "SAVEPOINT job")?;
    let result = job(connection);
    let undone = match &result {
        Ok(_) => Ok(()),
        Err(_) if connection.is_autocommit() => return result,
        Err(_) => execute(connection, "ROLLBACK TO job"),
    };
    if let Err(error) = undone.and_then(|()| execute(connection, "RELEASE job")) {
        // Half of a job must never be committed.
        roll_back(connection);
        return result.and(Err(error));
    }
    result
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
