//! A thread or task that owns connections and runs jobs on them.

use std::io;
use std::pin::Pin;
use std::thread::{self, JoinHandle};

use tokio::sync::{mpsc, oneshot};

use super::{Result, Session, StorageError};

/// Maximum number of queued jobs. When the queue is full, callers wait.
const QUEUE: usize = 1024;

/// Maximum number of jobs in one transaction.
pub(super) const BATCH: usize = 512;

/// A running job. It stays in the thread of its connection.
pub(super) type Running<'a> = Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// How a job can share a transaction with others.
#[derive(Debug)]
pub(super) struct Grouping {
    /// The jobs in a transaction run in the order of their keys, so that no two transactions deadlock.
    pub(super) key: String,
    /// Whether at most one of the job's statements writes. The job then needs no transaction when it runs alone.
    pub(super) is_statement: bool,
}

/// Work to be done in a transaction, for a caller that waits for the result.
pub(super) trait Job: Send {
    /// Runs the job. If the transaction is rolled back, the job runs again in another one.
    fn run<'a>(&'a mut self, session: &'a Session) -> Running<'a>;

    /// How the job can share a transaction, if known.
    fn grouping(&self) -> Option<&Grouping>;

    /// Sends the caller the result of the last run, or the reason why it could not be committed.
    fn answer(self: Box<Self>, committed: Result<()>);
}

/// A job that computes a `T`.
struct Computation<T, F> {
    compute: F,
    grouping: Option<Grouping>,
    value: Option<T>,
    sender: oneshot::Sender<Result<T>>,
}

impl<T: Send, F: AsyncFnMut(&Session) -> Result<T> + Send> Job for Computation<T, F> {
    fn run<'a>(&'a mut self, session: &'a Session) -> Running<'a> {
        Box::pin(async move {
            self.value = Some((self.compute)(session).await?);
            Ok(())
        })
    }

    fn grouping(&self) -> Option<&Grouping> {
        self.grouping.as_ref()
    }

    fn answer(self: Box<Self>, committed: Result<()>) {
        let Self { value, sender, .. } = *self;
        // The caller may have stopped waiting.
        let _ = sender.send(committed.and_then(|()| value.ok_or(StorageError::Closed)));
    }
}

pub(super) enum Message {
    Job(Box<dyn Job>),
    /// Close the connections, and then drop the sender.
    Stop(Stopped),
}

/// Dropped once everything is closed.
pub(super) type Stopped = oneshot::Sender<()>;

/// Separates the jobs from a request to stop. Jobs queued after the request are dropped, which notifies their callers.
pub(super) fn take_jobs(messages: &mut Vec<Message>) -> (Vec<Box<dyn Job>>, Option<Stopped>) {
    let mut jobs = Vec::with_capacity(messages.len());
    let mut stop = None;
    for message in messages.drain(..) {
        match message {
            Message::Job(job) if stop.is_none() => jobs.push(job),
            Message::Job(_) => {}
            Message::Stop(sender) => stop = stop.or(Some(sender)),
        }
    }
    (jobs, stop)
}

/// A thread or task that owns connections. After this is dropped, it finishes the queued jobs and ends. Dropping waits for a
/// thread.
#[derive(Debug)]
pub(super) struct Worker {
    queue: Option<mpsc::Sender<Message>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts a thread. `work` runs the jobs, closes the connections, and returns the sender of the request to stop, if any.
    pub(super) fn start(
        name: &str,
        work: impl FnOnce(mpsc::Receiver<Message>) -> Option<Stopped> + Send + 'static,
    ) -> io::Result<Self> {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let thread =
            thread::Builder::new().name(name.to_owned()).spawn(move || drop(work(jobs)))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Starts a task, which avoids switching threads for every job. The task waits only for its connections.
    ///
    /// # Panics
    /// If the caller is not in a [`tokio::runtime::LocalRuntime`].
    pub(super) fn spawn<F>(work: impl FnOnce(mpsc::Receiver<Message>) -> F) -> Self
    where
        F: Future<Output = Option<Stopped>> + 'static,
    {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let work = work(jobs);
        tokio::task::spawn_local(async move { drop(work.await) });
        Self { queue: Some(queue), thread: None }
    }

    /// Runs a job. On success, the job's changes are durable; on error, it has changed nothing.
    ///
    /// A queued job runs even if the future is dropped. The job runs again if a transaction that it shares with others fails.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl AsyncFnMut(&Session) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run_grouped(None, job).await
    }

    /// Like [`Self::run`], for a job that may share its transaction.
    pub(super) async fn run_grouped<T: Send + 'static>(
        &self,
        grouping: Option<Grouping>,
        job: impl AsyncFnMut(&Session) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (job, answer) = self::job(grouping, job);
        self.send(Message::Job(job)).await?;
        answer.await.map_err(|_| StorageError::Closed)?
    }

    /// Runs the jobs already queued, and closes the connections. Later jobs fail.
    pub(super) async fn stop(&self) {
        let (sender, closed) = oneshot::channel();
        if self.send(Message::Stop(sender)).await.is_ok() {
            // The sender is dropped instead of sending a message.
            let _ = closed.await;
        }
    }

    async fn send(&self, message: Message) -> Result<()> {
        let queue = self.queue.as_ref().expect("the queue is taken only by dropping the worker");
        queue.send(message).await.map_err(|_| StorageError::Closed)
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take() {
            // If the thread has panicked, the panic has already been reported.
            let _ = thread.join();
        }
    }
}

/// Wraps a computation as a job. Also returns the receiver of its result.
pub(super) fn job<'a, T: Send + 'a>(
    grouping: Option<Grouping>,
    compute: impl AsyncFnMut(&Session) -> Result<T> + Send + 'a,
) -> (Box<dyn Job + 'a>, oneshot::Receiver<Result<T>>) {
    let (sender, answer) = oneshot::channel();
    (Box::new(Computation { compute, grouping, value: None, sender }), answer)
}
