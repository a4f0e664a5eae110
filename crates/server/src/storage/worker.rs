//! A thread, or a task, that owns connections and runs jobs on them.

use std::io;
use std::pin::Pin;
use std::thread::{self, JoinHandle};

use tokio::sync::{mpsc, oneshot};

use super::{Result, Session, StorageError};

/// How many jobs can wait; whoever brings more waits too.
const QUEUE: usize = 1024;

/// How many jobs share a transaction at most.
pub(super) const BATCH: usize = 512;

/// A job that is being run. It stays in the thread of its connection.
pub(super) type Running<'a> = Pin<Box<dyn Future<Output = Result<()>> + 'a>>;

/// What whoever shares transactions between jobs has to know about one of them.
#[derive(Debug)]
pub(super) struct Grouping {
    /// Jobs that share a transaction run in this order, so that no two transactions wait for each other.
    pub(super) key: String,
    /// Whether at most one of its statements writes: alone it needs no transaction.
    pub(super) is_statement: bool,
}

/// Something to do in a transaction, whose result its caller waits for.
pub(super) trait Job: Send {
    /// Does it. If the transaction has to be given up, it is done again in another one.
    fn run<'a>(&'a mut self, session: &'a Session) -> Running<'a>;

    /// How it shares a transaction, if that is known.
    fn grouping(&self) -> Option<&Grouping>;

    /// Tells the caller the result of the last run, or why it could not be committed.
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
        // The caller may have lost interest.
        let _ = sender.send(committed.and_then(|()| value.ok_or(StorageError::Closed)));
    }
}

pub(super) enum Message {
    Job(Box<dyn Job>),
    /// The connection is closed, and then the sender dropped.
    Stop(Stopped),
}

/// Is dropped when everything is closed.
pub(super) type Stopped = oneshot::Sender<()>;

/// The jobs among messages, and whether to stop after them. A job that comes later is dropped, which tells its caller.
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

/// A thread or a task that owns connections. When this is dropped, it finishes what waits, and ends. A thread is waited for.
#[derive(Debug)]
pub(super) struct Worker {
    queue: Option<mpsc::Sender<Message>>,
    thread: Option<JoinHandle<()>>,
}

impl Worker {
    /// Starts the thread. `work` runs the jobs, closes the connections, and returns who waits for that.
    pub(super) fn start(
        name: &str,
        work: impl FnOnce(mpsc::Receiver<Message>) -> Option<Stopped> + Send + 'static,
    ) -> io::Result<Self> {
        let (queue, jobs) = mpsc::channel(QUEUE);
        let thread =
            thread::Builder::new().name(name.to_owned()).spawn(move || drop(work(jobs)))?;
        Ok(Self { queue: Some(queue), thread: Some(thread) })
    }

    /// Starts a task, which needs no switch between threads for every job. It never waits for anything but its connections.
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

    /// Runs a job. When this returns a value, the job's changes are durable; if the job fails, it has changed nothing.
    ///
    /// Once the job is queued it runs even if the future is dropped. It runs again if the transaction that it shares with
    /// others fails.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl AsyncFnMut(&Session) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.run_grouped(None, job).await
    }

    /// The same for a job that may share its transaction in a known way.
    pub(super) async fn run_grouped<T: Send + 'static>(
        &self,
        grouping: Option<Grouping>,
        job: impl AsyncFnMut(&Session) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (job, answer) = self::job(grouping, job);
        self.send(Message::Job(job)).await?;
        answer.await.map_err(|_| StorageError::Closed)?
    }

    /// Runs what was queued before, and closes the connections. What is queued later fails.
    pub(super) async fn stop(&self) {
        let (sender, closed) = oneshot::channel();
        if self.send(Message::Stop(sender)).await.is_ok() {
            // The sender is dropped without a message.
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
            // If it has panicked, the panic has been reported already.
            let _ = thread.join();
        }
    }
}

/// A job, and where its result arrives.
pub(super) fn job<'a, T: Send + 'a>(
    grouping: Option<Grouping>,
    compute: impl AsyncFnMut(&Session) -> Result<T> + Send + 'a,
) -> (Box<dyn Job + 'a>, oneshot::Receiver<Result<T>>) {
    let (sender, answer) = oneshot::channel();
    (Box::new(Computation { compute, grouping, value: None, sender }), answer)
}
