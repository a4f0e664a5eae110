//! The storage of a test: a folder with a `SQLite` file, or a separate schema in `PostgreSQL`.

use std::env;
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Once, mpsc};
use std::thread;

use tempfile::TempDir;
use tokio_postgres::NoTls;
use tokio_postgres::config::Host;

use super::super::Storage;
use crate::codes::random;
use crate::server::{Database, Shared};

/// Environment variable with the URL of the database in which tests create their schemas.
const VARIABLE: &str = "SKIRMISH_POSTGRES";

/// The location of a test's storage.
pub(in crate::storage) enum Home {
    Folder(TempDir),
    Schema(Arc<Schema>),
}

/// Runs each function as two tests, on `SQLite` and on `PostgreSQL`.
macro_rules! on_both {
    ($($name:ident),+ $(,)?) => {
        mod sqlite {
            use crate::storage::tests::Home;
            $(
                #[tokio::test]
                async fn $name() {
                    super::$name(Home::folder()).await;
                }
            )+
        }
        mod postgres {
            use crate::storage::tests::Home;
            $(
                #[tokio::test]
                async fn $name() {
                    if let Some(home) = Home::schema() {
                        super::$name(home).await;
                    }
                }
            )+
        }
    };
}
pub(in crate::storage) use on_both;

impl Home {
    pub(in crate::storage) fn folder() -> Self {
        Self::Folder(TempDir::new().expect("a temporary folder"))
    }

    /// Creates a schema. `None`, with a loud message, if there is no `PostgreSQL`.
    pub(in crate::storage) fn schema() -> Option<Self> {
        Schema::create().map(Self::Schema)
    }

    pub(in crate::storage) fn open(&self) -> Storage {
        match self {
            Self::Folder(folder) => Storage::open(folder.path()).expect("a data folder"),
            Self::Schema(schema) => Storage::connect(&schema.url()).expect("a database"),
        }
    }

    pub(in crate::storage) fn database(&self) -> Database {
        match self {
            Self::Folder(folder) => Database::Folder(folder.path().to_owned()),
            Self::Schema(schema) => {
                Database::Postgres(Shared { database: schema.url(), nats: None })
            }
        }
    }

    /// Opens the same storage for another node, if several are possible.
    pub(in crate::storage) fn share(&self, storage: &Storage) -> Storage {
        match self {
            Self::Folder(_) => storage.clone(),
            Self::Schema(_) => self.open(),
        }
    }

    /// Returns the storage as it would be after a crash now.
    pub(in crate::storage) fn after_crash(&self) -> Self {
        match self {
            Self::Folder(folder) => Self::Folder(super::copy(folder)),
            Self::Schema(schema) => Self::Schema(Arc::clone(schema)),
        }
    }

    /// Runs SQL statements directly, without the storage.
    pub(in crate::storage) fn execute(&self, sql: &str) {
        match self {
            Self::Folder(folder) => {
                let path = folder.path().join("skirmish.db");
                let connection = rusqlite::Connection::open(path).expect("a database");
                connection.execute_batch(sql).expect("valid SQL");
            }
            Self::Schema(schema) => schema.execute(sql),
        }
    }
}

/// A `PostgreSQL` schema that is removed on drop.
pub(in crate::storage) struct Schema {
    server: String,
    name: String,
}

impl Schema {
    /// Creates a schema. `None`, with a loud message, if there is no `PostgreSQL`.
    pub(in crate::storage) fn create() -> Option<Arc<Self>> {
        static TOLD: Once = Once::new();
        let Ok(server) = env::var(VARIABLE) else {
            TOLD.call_once(|| {
                let line = "\n*** NOT TESTED ON POSTGRESQL: SKIRMISH_POSTGRES is not set; run scripts/with-databases ***\n";
                // The test harness does not capture direct writes.
                let _ = std::io::stderr().write_all(line.as_bytes());
            });
            return None;
        };
        let name = format!("test_{:016x}", u64::from_le_bytes(random()));
        let schema = Self { server, name };
        schema.execute(&format!("CREATE SCHEMA {}", schema.name));
        Some(Arc::new(schema))
    }

    /// Returns the URL of the schema.
    pub(in crate::storage) fn url(&self) -> String {
        let separator = if self.server.contains('?') { '&' } else { '?' };
        let Self { server, name } = self;
        format!("{server}{separator}options=-csearch_path%3D{name}&application_name={name}")
    }

    /// Returns the URL of the schema through another server address.
    pub(in crate::storage) fn url_by(&self, server: SocketAddr) -> String {
        self.url().replacen(&self.address(), &server.to_string(), 1)
    }

    /// Returns the server's host and port.
    pub(in crate::storage) fn address(&self) -> String {
        let config: tokio_postgres::Config = self.server.parse().expect("an address");
        let (Some(Host::Tcp(host)), Some(port)) =
            (config.get_hosts().first(), config.get_ports().first())
        else {
            panic!("{VARIABLE} names a host and a port")
        };
        format!("{host}:{port}")
    }

    pub(in crate::storage) fn name(&self) -> &str {
        &self.name
    }

    pub(in crate::storage) fn execute(&self, sql: &str) {
        self.run(async |client| client.batch_execute(sql).await.expect("valid SQL"));
    }

    /// Returns the number that a query selects.
    pub(in crate::storage) fn number(&self, sql: &str) -> i64 {
        self.run(async |client| client.query_one(sql, &[]).await.expect("valid SQL").get(0))
    }

    fn run<T: Send>(&self, work: impl AsyncFnOnce(&tokio_postgres::Client) -> T + Send) -> T {
        let connected = async move || {
            let (client, connection) =
                tokio_postgres::connect(&self.url(), NoTls).await.expect("PostgreSQL");
            let driver = tokio::spawn(connection);
            let result = work(&client).await;
            drop(client);
            let _ = driver.await;
            result
        };
        let run =
            move || super::super::opening::runtime().expect("a runtime").block_on(connected());
        thread::scope(|scope| scope.spawn(run).join().expect("no panic"))
    }
}

impl Schema {
    /// Runs statements in a transaction that stays open, with its locks, until the result is dropped.
    pub(in crate::storage) fn hold(&self, sql: &str) -> Holding {
        let (url, sql) = (self.url(), format!("BEGIN; {sql}"));
        let (ready, is_ready) = mpsc::channel();
        let (end, ended) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            let run = async {
                let (client, connection) =
                    tokio_postgres::connect(&url, NoTls).await.expect("PostgreSQL");
                let driver = tokio::spawn(connection);
                client.batch_execute(&sql).await.expect("valid SQL");
                ready.send(()).expect("somebody waits");
                let _ = ended.recv();
                drop(client);
                let _ = driver.await;
            };
            super::super::opening::runtime().expect("a runtime").block_on(run);
        });
        is_ready.recv().expect("a transaction");
        Holding { end: Some(end), thread: Some(thread) }
    }
}

/// A transaction that stays open until this is dropped.
pub(in crate::storage) struct Holding {
    end: Option<mpsc::Sender<()>>,
    thread: Option<thread::JoinHandle<()>>,
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.end = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

impl Drop for Schema {
    fn drop(&mut self) {
        if !thread::panicking() {
            self.execute(&format!("DROP SCHEMA {} CASCADE", self.name));
        }
    }
}
