//! The measured servers: a single server with a data folder, or nodes that share a database and a bus.

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

/// The main function of a server process: prints the server's address, and stops when its input ends. `place` is a data
/// folder, or the addresses of a database and a bus.
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

/// A server that runs in its own process.
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

/// A single server, or several nodes.
pub(crate) struct Servers {
    processes: Vec<Process>,
    place: Place,
    /// The time until all servers listened.
    pub(crate) start: Duration,
}

/// Where the servers store their data.
enum Place {
    Folder(TempDir),
    Ground(Ground),
}

impl Servers {
    /// Starts a server with its own data folder.
    pub(crate) fn alone(limited: bool) -> Result<Self, Failure> {
        let folder = tempfile::tempdir()?;
        let begun = Instant::now();
        let path = folder.path().to_str().ok_or("the folder's name is not UTF-8")?;
        let processes = vec![Process::start(&[path], limited)?];
        Ok(Self { processes, place: Place::Folder(folder), start: begun.elapsed() })
    }

    /// Starts `count` nodes with a dedicated database.
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

    /// The resources that all servers together have used so far.
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

    /// The number of bytes stored.
    pub(crate) async fn stored(&self) -> Result<u64, Failure> {
        match &self.place {
            Place::Folder(folder) => size(folder.path()),
            Place::Ground(ground) => ground.stored().await,
        }
    }

    /// Stops the servers, and returns the number of bytes stored afterwards.
    pub(crate) async fn stop(mut self) -> Result<u64, Failure> {
        self.processes.clear();
        self.stored().await
    }
}

/// The total size of the files in a folder, in bytes.
fn size(folder: &Path) -> Result<u64, Failure> {
    let mut bytes = 0;
    for file in std::fs::read_dir(folder)? {
        bytes += file?.metadata()?.len();
    }
    Ok(bytes)
}
