//! The database and the bus that nodes share, and the work that these have done.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio_postgres::{Client, NoTls};

use crate::Failure;
use crate::usage::{OWN, WITH_CHILDREN, processes, stat, ticks};

/// A dedicated database, and the bus.
pub(crate) struct Ground {
    pub(crate) database: String,
    pub(crate) bus: String,
    client: Client,
    /// The PID of the process that starts the database's other processes.
    postmaster: u32,
    nats: Option<u32>,
}

/// The work done by the database and the bus so far.
#[derive(Clone, Copy, Default)]
pub(crate) struct Work {
    /// The CPU time of `PostgreSQL` in milliseconds.
    pub(crate) postgres: f64,
    pub(crate) nats: f64,
    pub(crate) commits: i64,
    /// The number of bytes written to the write-ahead log.
    pub(crate) wal: i64,
}

async fn connect(url: &str) -> Result<Client, Failure> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    Ok(client)
}

impl Ground {
    /// Creates a database on the server that `scripts/with-databases` has started.
    pub(crate) async fn new() -> Result<Self, Failure> {
        let missing = |_| "nodes need databases: run scripts/with-databases cargo bench …";
        let url = std::env::var("SKIRMISH_POSTGRES").map_err(missing)?;
        let bus = std::env::var("SKIRMISH_NATS").map_err(missing)?;
        let name = format!("load_{}", std::process::id());
        let maker = connect(&url).await?;
        maker.batch_execute(&format!("DROP DATABASE IF EXISTS {name}")).await?;
        maker.batch_execute(&format!("CREATE DATABASE {name}")).await?;
        let (server, _) = url.rsplit_once('/').ok_or("the address names no database")?;
        let database = format!("{server}/{name}");
        let client = connect(&database).await?;
        let backend: i32 = client.query_one("SELECT pg_backend_pid()", &[]).await?.get(0);
        let parent = stat(u32::try_from(backend)?).get(1).and_then(|pid| pid.parse().ok());
        let postmaster = parent.ok_or("the database runs on another machine")?;
        let port = bus.rsplit(':').next().unwrap_or_default().to_owned();
        let is_nats = |command: &str| command.contains("nats-server") && command.contains(&port);
        let nats = processes().into_iter().find(|(_, command)| is_nats(command));
        Ok(Self { database, bus, client, postmaster, nats: nats.map(|(pid, _)| pid) })
    }

    /// The work done by the database and the bus so far.
    pub(crate) async fn work(&self) -> Result<Work, Failure> {
        let parent = self.postmaster.to_string();
        let all = processes().into_iter().map(|(pid, _)| stat(pid));
        let backends = all.filter(|stat| stat.get(1) == Some(&parent));
        let postgres = backends.map(|stat| ticks(&stat, OWN)).sum::<f64>()
            + ticks(&stat(self.postmaster), WITH_CHILDREN);
        let sql = "SELECT xact_commit, pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::BIGINT
                   FROM pg_stat_database WHERE datname = current_database()";
        let row = self.client.query_one(sql, &[]).await?;
        let nats = self.nats.map_or(0.0, |pid| ticks(&stat(pid), OWN));
        Ok(Work { postgres, nats, commits: row.get(0), wal: row.get(1) })
    }

    /// The size of the database in bytes.
    pub(crate) async fn stored(&self) -> Result<u64, Failure> {
        let sql = "SELECT pg_database_size(current_database())";
        let size: i64 = self.client.query_one(sql, &[]).await?.get(0);
        Ok(u64::try_from(size)?)
    }

    /// Starts counting the messages on the bus.
    pub(crate) async fn count(&self) -> Result<Arc<AtomicU64>, Failure> {
        let (_, server) = self.bus.split_once("://").ok_or("the address has no scheme")?;
        let mut bus = BufReader::new(TcpStream::connect(server).await?);
        bus.write_all(b"CONNECT {\"verbose\":false}\r\nSUB skirmish.> 1\r\nPING\r\n").await?;
        let mut line = String::new();
        while line.trim_end() != "PONG" {
            line.clear();
            if bus.read_line(&mut line).await? == 0 {
                return Err("the bus has closed the connection".into());
            }
        }
        let count = Arc::new(AtomicU64::new(0));
        tokio::spawn(read(bus, Arc::clone(&count)));
        Ok(count)
    }
}

/// Counts messages until the connection ends.
async fn read(mut bus: BufReader<TcpStream>, count: Arc<AtomicU64>) -> Result<(), Failure> {
    let mut line = String::new();
    let mut payload = Vec::new();
    while bus.read_line(&mut line).await? > 0 {
        if line.starts_with("MSG ") {
            let size = line.split_whitespace().next_back().ok_or("a message has no size")?;
            payload.resize(size.parse::<usize>()? + "\r\n".len(), 0);
            bus.read_exact(&mut payload).await?;
            count.fetch_add(1, Relaxed);
        } else if line.starts_with("PING") {
            bus.write_all(b"PONG\r\n").await?;
        }
        line.clear();
    }
    Ok(())
}
