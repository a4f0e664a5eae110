//! The servers that are measured: one with a folder, or nodes that share a database and a bus.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use skirmish_server::{Config, Database, Limits, Server, Shared};
use tempfile::TempDir;

use crate::Failure;
use crate::ground::Ground;
use crate::usage::Usage;

/// The server's process: prints its address, and stops when its input ends. Its place is a folder, or the addresses of a
/// database and a bus.
pub(crate) fn serve(place: &[&str]) -> Result<(), Failure> {
    let database = match place {
        [database, bus] => {
            let nats = Some(bus.parse()?);
            Database::Postgres(Shared { database: (*database).to_owned(), nats })
        }
        [folder] => Database::Folder(folder.into()),
        _ => return Err("expected a folder, or a database and a bus".into()),
    };
    let server = Server::start(Config {
        games: skirmish_rules::GAMES,
        listen: "127.0.0.1:0".parse()?,
        database,
        url: None,
        tls: None,
        memory: 64 << 20,
        metrics: None,
        limits: if std::env::var_os("LIMITS").is_some() {
            Limits::default()
        } else {
            Limits::none()
        },
        log: skirmish_server::Log::none(),
    })?;
    println!("{}", server.address());
    std::io::stdout().flush()?;
    let _ = std::io::stdin().lock().lines().count();
    server.stop();
    Ok(())
}

/// A server in a process of its own.
pub(crate) struct Process {
    pub(crate) child: Child,
    pub(crate) address: SocketAddr,
}

impl Process {
    pub(crate) fn start(place: &[&str], limited: bool) -> Result<Self, Failure> {
        let mut command = Command::new(std::env::current_exe()?);
        command.arg("server").args(place).stdin(Stdio::piped()).stdout(Stdio::piped());
        if limited {
            command.env("LIMITS", "1");
        }
        let mut child = command.spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no output")?).read_line(&mut line)?;
        let address = line.trim().parse()?;
        Ok(Self { child, address })
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        let _ = self.child.wait();
    }
}

/// One server, or several nodes.
pub(crate) struct Servers {
    processes: Vec<Process>,
    place: Place,
    /// How long it took until all listened.
    pub(crate) start: Duration,
}

/// Where the servers keep everything.
enum Place {
    Folder(TempDir),
    Ground(Ground),
}

impl Servers {
    /// A server with a folder of its own.
    pub(crate) fn alone(limited: bool) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let begun = Instant::now();
        let path = folder.path().to_str().ok_or("the folder's name is not UTF-8")?;
        let processes = vec![Process::start(&[path], limited)?];
        Ok(Self { processes, place: Place::Folder(folder), start: begun.elapsed() })
    }

    /// So many nodes with a database of their own.
    pub(crate) async fn nodes(count: usize) -> Result<Self, Failure> {
        let ground = Ground::new().await?;
        let begun = Instant::now();
        let place = [ground.database.as_str(), ground.bus.as_str()];
        let processes =
            (0..count).map(|_| Process::start(&place, false)).collect::<Result<_, _>>()?;
        Ok(Self { processes, place: Place::Ground(ground), start: begun.elapsed() })
    }

    pub(crate) fn addresses(&self) -> Vec<SocketAddr> {
        self.processes.iter().map(|process| process.address).collect()
    }

    /// What the servers have used so far, together.
    pub(crate) fn usage(&self) -> Usage {
        self.processes.iter().map(|process| Usage::of(process.child.id())).sum()
    }

    /// The database and the bus, if there are nodes.
    pub(crate) const fn ground(&self) -> Option<&Ground> {
        match &self.place {
            Place::Ground(ground) => Some(ground),
            Place::Folder(_) => None,
        }
    }

    /// How many bytes are stored.
    pub(crate) async fn stored(&self) -> Result<u64, Failure> {
        match &self.place {
            Place::Folder(folder) => size(folder.path()),
            Place::Ground(ground) => ground.stored().await,
        }
    }

    /// Stops the servers, and returns how many bytes are stored then.
    pub(crate) async fn stop(mut self) -> Result<u64, Failure> {
        self.processes.clear();
        self.stored().await
    }
}

/// How many bytes the files in a folder have.
fn size(folder: &Path) -> Result<u64, Failure> {
    let mut bytes = 0;
    for file in std::fs::read_dir(folder)? {
        bytes += file?.metadata()?.len();
    }
    Ok(bytes)
}
