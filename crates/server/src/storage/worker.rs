//! A thread or task that owns connections and runs jobs on them.

use std::any::Any;
use std::io;
use std::marker::PhantomData;
use std::pin::Pin;
use std::thread::{self, JoinHandle};

use tokio::sync::{mpsc, oneshot};

use super::value::Value;
use super::{Backend, FromRow, Result, StorageError};

/// Maximum number of queued jobs. When the queue is full, callers wait.
const QUEUE: usize = 1024;

/// Maximum number of jobs in one transaction.
pub(super) const BATCH: usize = 512;

/// How a job can share a transaction with others.
#[derive(Debug)]
pub(super) struct Grouping {
    /// The jobs in a transaction run in the order of their keys, so that no two transactions deadlock.
    pub(super) key: String,
    /// Whether at most one of the job's statements writes. The job then needs no transaction when it runs alone.
    pub(super) is_statement: bool,
}

/// The result of a computation, whose type is erased so that all jobs share the code that runs and answers them.
type Computed = Box<dyn Any + Send>;

/// A computation in a transaction. If the transaction is rolled back, it runs again in another one.
trait Compute: Send {
    /// Runs the computation, in the thread of the connection.
    fn compute<'a>(
        &'a mut self,
        backend: &'a Backend,
    ) -> Pin<Box<dyn Future<Output = Result<Computed>> + 'a>>;
}

/// A function that computes a `T`.
struct Function<T, F>(F, PhantomData<fn() -> T>);

impl<T: Send + 'static, F: AsyncFnMut(&Backend) -> Result<T> + Send> Compute for Function<T, F> {
    fn compute<'a>(
        &'a mut self,
        backend: &'a Backend,
    ) -> Pin<Box<dyn Future<Output = Result<Computed>> + 'a>> {
        Box::pin(async move { Ok(Box::new((self.0)(backend).await?) as Computed) })
    }
}

/// Work to be done in a transaction, for a caller that waits for the result.
pub(super) struct Job {
    work: Box<dyn Compute>,
    grouping: Option<Grouping>,
    value: Option<Computed>,
    sender: oneshot::Sender<Result<Computed>>,
}

impl Job {
    /// Returns a job, and the receiver of its result, a `T`.
    pub(super) fn new<T: Send + 'static>(
        grouping: Option<Grouping>,
        compute: impl AsyncFnMut(&Backend) -> Result<T> + Send + 'static,
    ) -> (Self, oneshot::Receiver<Result<Computed>>) {
        let work = Box::new(Function(compute, PhantomData));
        let (sender, receiver) = oneshot::channel();
        (Self { work, grouping, value: None, sender }, receiver)
    }

    /// Runs the job.
    pub(super) async fn run(&mut self, backend: &Backend) -> Result<()> {
        self.value = Some(self.work.compute(backend).await?);
        Ok(())
    }

    /// How the job can share a transaction, if known.
    pub(super) const fn grouping(&self) -> Option<&Grouping> {
        self.grouping.as_ref()
    }

    /// Sends the caller the result of the last run, or the reason why it could not be committed.
    pub(super) fn answer(self, committed: Result<()>) {
        let Self { value, sender, .. } = self;
        // The caller may have stopped waiting.
        let _ = sender.send(committed.and_then(|()| value.ok_or(StorageError::Closed)));
    }
}

pub(super) enum Message {
    Job(Job),
    /// Close the connections, and then drop the sender.
    Stop(Stopped),
}

/// Dropped once everything is closed.
pub(super) type Stopped = oneshot::Sender<()>;

/// Separates the jobs from a request to stop. Jobs queued after the request are dropped, which notifies their callers.
pub(super) fn take_jobs(messages: &mut Vec<Message>) -> (Vec<Job>, Option<Stopped>) {
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
    pub(super) fn run<T: Send + 'static>(
        &self,
        job: impl AsyncFnMut(&Backend) -> Result<T> + Send + 'static,
    ) -> impl Future<Output = Result<T>> {
        self.run_grouped(None, job)
    }

    /// Like [`Self::run`], for a job that may share its transaction.
    pub(super) async fn run_grouped<T: Send + 'static>(
        &self,
        grouping: Option<Grouping>,
        job: impl AsyncFnMut(&Backend) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (job, answer) = Job::new(grouping, job);
        self.send(Message::Job(job)).await?;
        let value = answer.await.map_err(|_| StorageError::Closed)??;
        Ok(*value.downcast().expect("the job computes this type"))
    }

    /// Runs a statement and returns the rows of its result.
    pub(super) fn query<T: FromRow + Send + 'static>(
        &self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> impl Future<Output = Result<Vec<T>>> {
        self.run(async move |backend: &Backend| backend.query(sql, values.clone()).await)
    }

    /// Runs a statement and returns the first row of its result, if any.
    pub(super) fn first<T: FromRow + Send + 'static>(
        &self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> impl Future<Output = Result<Option<T>>> {
        self.run(async move |backend: &Backend| backend.first(sql, values.clone()).await)
    }

    /// Runs a statement and returns the number of rows changed.
    pub(super) fn execute(
        &self,
        sql: &'static str,
        values: Vec<Value>,
    ) -> impl Future<Output = Result<u64>> {
        self.run(async move |backend: &Backend| backend.execute(sql, values.clone()).await)
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
