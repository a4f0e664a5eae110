//! A connection that runs jobs, and reconnects when it is lost.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join_all, try_join, try_join_all};
use tokio::sync::{Mutex, mpsc};
use tokio::time::{Instant, timeout};

use super::{Address, Client, State};
use crate::storage::backend::Backend;
use crate::storage::error::{Result, StorageError};
use crate::storage::meter::Meter;
use crate::storage::worker::{BATCH, Job, Message, Stopped, take_jobs};

/// Time limit for a batch of jobs.
const PATIENCE: Duration = Duration::from_secs(4);

/// Maximum number of attempts to run jobs, and the time after which no new attempt begins, since a client is waiting.
const ATTEMPTS: (u32, Duration) = (3, Duration::from_secs(2));

/// Delay before reconnecting: initial and maximum.
const BACKOFF: (Duration, Duration) = (Duration::from_millis(50), Duration::from_millis(250));

/// How the jobs of a connection share transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::storage) enum Sharing {
    /// All waiting jobs run at once, in one transaction, so they must be independent. A single job that is one statement
    /// needs no transaction.
    Transaction,
    /// Each job has its own transaction.
    Nothing,
    /// All waiting jobs run at once, without a transaction, because they only read.
    Reads,
}

/// Runs jobs on this many connections until all senders are gone or a stop is requested.
pub(in crate::storage) async fn work(
    address: Address,
    sharing: Sharing,
    connections: usize,
    meter: Arc<Meter>,
    queue: mpsc::Receiver<Message>,
) -> Option<Stopped> {
    let queue = Mutex::new(queue);
    let stopped = RefCell::new(None);
    let connections = (0..connections).map(async |_| {
        let mut connection = JobConnection::new(address.clone(), sharing, Arc::clone(&meter));
        if let Some(stop) = connection.work(&queue).await {
            stopped.replace(Some(stop));
        }
        connection.close().await;
    });
    join_all(connections).await;
    stopped.into_inner()
}

/// A connection, which may currently be lost.
struct JobConnection {
    address: Address,
    sharing: Sharing,
    meter: Arc<Meter>,
    backend: Option<Backend>,
    /// Why there is no connection, and when to try again.
    unavailable: Option<(StorageError, Instant)>,
    backoff: Duration,
}

impl JobConnection {
    fn new(address: Address, sharing: Sharing, meter: Arc<Meter>) -> Self {
        Self { address, sharing, meter, backend: None, unavailable: None, backoff: BACKOFF.0 }
    }

    async fn work(&mut self, queue: &Mutex<mpsc::Receiver<Message>>) -> Option<Stopped> {
        let most = if self.sharing == Sharing::Nothing { 1 } else { BATCH };
        let mut waiting = Vec::with_capacity(most);
        loop {
            let (mut jobs, stop) = {
                let mut queue = queue.lock().await;
                if queue.recv_many(&mut waiting, most).await == 0 {
                    return None;
                }
                let (jobs, stop) = take_jobs(&mut waiting);
                // Closing the queue also ends the other connections. Dropped jobs notify their callers.
                if stop.is_some() {
                    queue.close();
                    while queue.try_recv().is_ok() {}
                }
                (jobs, stop)
            };
            match self.sharing {
                Sharing::Reads => self.read(jobs).await,
                Sharing::Transaction | Sharing::Nothing => {
                    jobs.sort_by(|one, two| key(one).cmp(&key(two)));
                    self.transact(jobs).await;
                }
            }
            if stop.is_some() {
                return stop;
            }
        }
    }

    /// Closes the connection to the server.
    async fn close(self) {
        if let Some(Backend::Postgres(client)) = self.backend {
            client.close().await;
        }
    }

    /// Returns a connection that is believed to work, reconnecting if necessary.
    async fn connect(&mut self) -> Result<Backend> {
        if let Some(backend) = self.backend.take()
            && client(&backend).is_usable()
        {
            return Ok(backend);
        }
        if let Some((error, again)) = &self.unavailable
            && Instant::now() < *again
        {
            return Err(error.clone());
        }
        match self.address.connect().await {
            Ok(client) => {
                self.unavailable = None;
                self.backoff = BACKOFF.0;
                Ok(Backend::Postgres(client))
            }
            Err(error) => {
                let error = match error {
                    StorageError::Unavailable(_) => error,
                    error => StorageError::Unavailable(error.reason()),
                };
                self.unavailable = Some((error.clone(), Instant::now() + self.backoff));
                self.backoff = (self.backoff * 2).min(BACKOFF.1);
                Err(error)
            }
        }
    }

    /// Runs read-only jobs, and answers each of them.
    async fn read(&mut self, mut jobs: Vec<Job>) {
        let mut retries = retries();
        while !jobs.is_empty() {
            let results = self.read_once(&mut jobs).await;
            let may_retry = self.unavailable.is_none() && retries.next().is_some();
            let mut again = Vec::new();
            for (job, result) in jobs.into_iter().zip(results) {
                match result {
                    Err(StorageError::Unavailable(_)) if may_retry => again.push(job),
                    result => job.answer(result),
                }
            }
            jobs = again;
        }
    }

    async fn read_once(&mut self, jobs: &mut [Job]) -> Vec<Result<()>> {
        let backend = match self.connect().await {
            Ok(backend) => backend,
            Err(error) => return vec![Err(error); jobs.len()],
        };
        let count = jobs.len();
        let results = join_all(jobs.iter_mut().map(|job| job.run(&backend)));
        let Ok(results) = timeout(PATIENCE, results).await else {
            return vec![Err(silent()); count];
        };
        client(&backend).take_failure();
        self.backend = Some(backend);
        results
    }

    /// Runs jobs in one transaction, and answers after the commit. If a job fails, or the transaction conflicts with another
    /// one, runs each job in its own transaction.
    async fn transact(&mut self, mut jobs: Vec<Job>) {
        let mut retries = retries();
        let committed = loop {
            let Err((error, commit)) = self.commit(&mut jobs).await else {
                self.meter.committed(jobs.len());
                break Ok(());
            };
            // If the connection still works, a conflict can only concern some of the jobs: run them separately.
            if jobs.len() > 1 && (!error.is_unavailable() || self.is_usable()) {
                for job in jobs {
                    Box::pin(self.transact(vec![job])).await;
                }
                return;
            }
            // The commit was not sent, so a retry is safe: an idle connection was lost, or another transaction was in
            // conflict.
            let is_harmless = error.is_unavailable() && commit == Commit::NotSent;
            if !(is_harmless && self.unavailable.is_none() && retries.next().is_some()) {
                break Err(error);
            }
        };
        for job in jobs {
            job.answer(committed.clone());
        }
    }

    /// Whether there is a connection that is believed to work.
    fn is_usable(&self) -> bool {
        self.backend.as_ref().is_some_and(|backend| client(backend).is_usable())
    }

    /// Runs jobs in one transaction. If any job fails, none has an effect.
    async fn commit(&mut self, jobs: &mut [Job]) -> Result<(), (StorageError, Commit)> {
        let backend = self.connect().await.map_err(|error| (error, Commit::NotSent))?;
        let mut commit = Commit::NotSent;
        let run = async {
            match jobs {
                [job] if job.grouping().is_some_and(|grouping| grouping.is_statement) => {
                    run_one(&backend, job, &mut commit).await
                }
                _ => run_all(&backend, jobs, &mut commit).await,
            }
        };
        let result = timeout(PATIENCE, run).await;
        let Ok(result) = result else { return Err((silent(), Commit::Sent)) };
        self.backend = Some(backend);
        result.map_err(|error| (error, commit))
    }
}

/// Returns the retries that jobs have left. There are none once a client has waited too long.
fn retries() -> impl Iterator<Item = u32> {
    let until = Instant::now() + ATTEMPTS.1;
    (1..ATTEMPTS.0).take_while(move |_| Instant::now() < until)
}

/// Returns the room that a job appends to, if any.
fn key(job: &Job) -> Option<&str> {
    job.grouping().map(|grouping| &*grouping.key)
}

/// Whether the commit was sent to the server. If it was and there is no answer, the outcome is unknown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Commit {
    NotSent,
    Sent,
}

/// Runs a job that is a single statement, which the server commits implicitly. Without an answer, the outcome is unknown.
async fn run_one(backend: &Backend, job: &mut Job, commit: &mut Commit) -> Result<()> {
    let client = client(backend);
    *commit = Commit::Sent;
    let done = job.run(backend).await;
    if client.take_failure() {
        // The server has answered that the statement failed.
        *commit = Commit::NotSent;
    }
    done
}

/// Runs jobs in a transaction.
async fn run_all(backend: &Backend, jobs: &mut [Job], commit: &mut Commit) -> Result<()> {
    let client = client(backend);
    let is_alone = jobs.len() == 1;
    // Pipeline the statements of all jobs.
    let jobs = try_join_all(jobs.iter_mut().map(|job| job.run(backend)));
    let done = try_join(client.batch("BEGIN"), jobs).await;
    match client.state.get() {
        State::Fine if done.is_ok() => {
            *commit = Commit::Sent;
            let committed = client.batch("COMMIT").await;
            if client.take_failure() {
                // The server has answered that it has rolled back the transaction.
                *commit = Commit::NotSent;
            }
            committed
        }
        State::Fine | State::Failed => {
            client.batch("ROLLBACK").await?;
            client.state.set(State::Fine);
            // A job may succeed despite a failed statement, if it then has nothing to write.
            let failed = || StorageError::Database("a statement failed".to_owned());
            done.and_then(|_| if is_alone { Ok(()) } else { Err(failed()) })
        }
        State::Broken => done.and(Err(silent())),
    }
}

fn client(backend: &Backend) -> &Client {
    match backend {
        Backend::Postgres(client) => client,
        Backend::Sqlite(_) => unreachable!("connections are to PostgreSQL"),
    }
}

fn silent() -> StorageError {
    StorageError::Unavailable("it does not answer in time".to_owned())
}
