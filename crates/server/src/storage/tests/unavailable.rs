//! `PostgreSQL` that is unavailable, disconnected, killed, not Skirmish's or too new.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::home::Schema;
use super::*;

/// The state of a proxied connection between the storage and `PostgreSQL`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    Open,
    /// Cuts the connection before the next commit gets through, and then accepts new connections.
    CutBeforeCommit,
    /// Cuts the connection before the answer to the next commit gets through, and then accepts new connections.
    CutAfterCommit,
    /// Cuts the connection, and accepts no new ones.
    Cut,
    /// Drops all data silently.
    Silent,
}

/// Texts that identify a commit: of a transaction, or of a choice that is appended alone.
const COMMITS: [&[u8]; 2] = [b"COMMIT", b"\"chose\""];

fn contains(bytes: &[u8], text: &[u8]) -> bool {
    bytes.windows(text.len()).any(|window| window == text)
}

/// A proxy in front of a test's database.
struct Proxy {
    address: SocketAddr,
    line: watch::Sender<Line>,
}

impl Proxy {
    async fn start(schema: &Schema) -> Self {
        let target = schema.address();
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let line = watch::Sender::new(Line::Open);
        let state = line.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                if *state.borrow() != Line::Cut {
                    tokio::spawn(carry(client, target.clone(), state.clone()));
                }
            }
        });
        Self { address, line }
    }

    fn set(&self, line: Line) {
        self.line.send_replace(line);
    }
}

/// Forwards bytes between a client and the server until the connection is cut.
async fn carry(mut client: TcpStream, target: String, state: watch::Sender<Line>) {
    let mut server = TcpStream::connect(target).await.expect("PostgreSQL");
    let mut changes = state.subscribe();
    let (mut up, mut down) = (vec![0; 65536], vec![0; 65536]);
    loop {
        tokio::select! {
                   biased;
                   () = cut(&mut changes) => return,
                   count = client.read(&mut up) => {
                       let Ok(count @ 1..) = count else { return };
                       let line = *state.borrow();
                       let commits = COMMITS.iter().any(|text| contains(&up[..count], text));
                       match line {
                           Line::CutBeforeCommit if commits => {
        state.send_replace(Line::Open);
        return;
        }
                           Line::Silent => continue,
                           _ => server.write_all(&up[..count]).await.expect("PostgreSQL"),
                       }
                       if line == Line::CutAfterCommit && commits {
                           // The server answers once everything is durable.
                           let _ = server.read(&mut down).await;
                           state.send_replace(Line::Open);
        return;
                       }
                   }
                   count = server.read(&mut down) => {
                       let Ok(count @ 1..) = count else { return };
                       let is_silent = *state.borrow() == Line::Silent;
                if !is_silent && client.write_all(&down[..count]).await.is_err() {
                    return;
                       }
                   }
               }
    }
}

/// Waits until the connection is cut.
async fn cut(line: &mut watch::Receiver<Line>) {
    let _ = line.wait_for(|line| *line == Line::Cut).await;
}

fn connect(schema: &Schema, proxy: &Proxy) -> Storage {
    Storage::connect(&schema.url_by(proxy.address)).expect("a database")
}

/// Repeats a request until the database is back, and returns the answer.
async fn when_back<T>(mut ask: impl AsyncFnMut() -> Result<T, StorageError>) -> T {
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(StorageError::Unavailable(_)) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            Err(error) => panic!("{error}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_knows_whether_a_commit_without_an_answer_happened_until_the_log_is_read() {
    let Some(schema) = Schema::create() else { return };
    let proxy = Proxy::start(&schema).await;
    let storage = connect(&schema, &proxy);
    append(&storage, "ABCDEF", 0, room("ABCDEF", 1, 2)).await.expect("appended");
    let mut version = 3;
    // A single choice is appended in one statement. A change to the lists requires a transaction.
    for events in [vec![chose(1, 1)], vec![logged(None, RoomEvent::Began)]] {
        for line in [Line::CutBeforeCommit, Line::CutAfterCommit] {
            proxy.set(line);
            let lost = append(&storage, "ABCDEF", version, events.clone()).await;
            assert!(matches!(lost, Err(StorageError::Unavailable(_))), "{line:?}: {lost:?}");
            version += u64::from(line == Line::CutAfterCommit);
            let found = when_back(async || storage.version("ABCDEF").await).await;
            assert_eq!(found, version, "{line:?}");
            assert_eq!(*proxy.line.borrow(), Line::Open, "a commit has gone by");
        }
        let again = append(&storage, "ABCDEF", version - 1, events).await;
        assert!(matches!(again, Err(StorageError::Conflict(_))), "{again:?}");
    }
    append(&storage, "ABCDEF", 5, vec![chose(1, 2)]).await.expect("appended");
    let log = storage.log_after("ABCDEF", 3).await.expect("a log");
    assert_eq!(log, [chose(1, 1), logged(None, RoomEvent::Began), chose(1, 2)]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_that_is_unavailable_is_an_answer_and_comes_back_by_itself() {
    let Some(schema) = Schema::create() else { return };
    let proxy = Proxy::start(&schema).await;
    let storage = connect(&schema, &proxy);
    let ada = guest(&storage, "Ada").await;
    append(&storage, "ABCDEF", 0, room("ABCDEF", 1, 2)).await.expect("appended");
    for line in [Line::Cut, Line::Silent] {
        proxy.set(line);
        let after = storage.version("ABCDEF");
        let event = vec![chose(1, 1)];
        let (read, written, renamed) = tokio::join!(
            after,
            append(&storage, "ABCDEF", 3, event),
            storage.rename_guest(ada.id, "Ada L.")
        );
        assert!(matches!(read, Err(StorageError::Unavailable(_))), "{line:?}: {read:?}");
        assert!(matches!(written, Err(StorageError::Unavailable(_))), "{line:?}: {written:?}");
        assert!(matches!(renamed, Err(StorageError::Unavailable(_))), "{line:?}: {renamed:?}");
        let told = renamed.expect_err("it is unavailable").to_string();
        assert_eq!(told.matches("the database is unavailable").count(), 1, "{told}");
        assert!(!told.contains("127.0.0.1"), "it may get into a log: {told}");
        proxy.set(Line::Open);
        assert_eq!(when_back(async || storage.version("ABCDEF").await).await, 3, "{line:?}");
        when_back(async || storage.rename_guest(ada.id, "Ada").await).await;
    }
    when_back(async || append(&storage, "ABCDEF", 3, vec![chose(1, 1)]).await).await;
    assert_eq!(storage.version("ABCDEF").await.expect("a version"), 4);
    proxy.set(Line::Cut);
    let refused = Storage::connect(&schema.url_by(proxy.address));
    assert!(matches!(refused, Err(StorageError::Unavailable(_))), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_are_killed_all_the_time_lose_nothing_that_was_acknowledged() {
    const EVENTS: u64 = 150;
    let Some(schema) = Schema::create() else { return };
    let storage = Home::Schema(Arc::clone(&schema)).open();
    append(&storage, "ABCDEF", 0, room("ABCDEF", 1, 2)).await.expect("appended");
    let (stop, mut stopped) = watch::channel(false);
    let killer = Arc::clone(&schema);
    let killer = tokio::task::spawn_blocking(move || {
        let mut kills = 0;
        while !*stopped.borrow_and_update() {
            killer.execute(&format!(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                 WHERE application_name = '{}' AND pid <> pg_backend_pid()",
                killer.name()
            ));
            kills += 1;
            thread::sleep(Duration::from_millis(5));
        }
        kills
    });
    let mut unavailable = 0;
    let mut version = 3;
    for id in 1..=EVENTS {
        loop {
            match append(&storage, "ABCDEF", version, vec![chose(1, id)]).await {
                Ok(()) => version += 1,
                Err(StorageError::Unavailable(_)) => {
                    unavailable += 1;
                    let now = when_back(async || storage.version("ABCDEF").await).await;
                    assert!(now == version || now == version + 1, "{now} after {version}");
                    if now == version {
                        continue;
                    }
                    version = now;
                }
                Err(error) => panic!("{error}"),
            }
            break;
        }
    }
    stop.send_replace(true);
    let kills = killer.await.expect("no panic");
    let log = when_back(async || storage.log_after("ABCDEF", 3).await).await;
    assert_eq!(log, (1..=EVENTS).map(|id| chose(1, id)).collect::<Vec<_>>());
    assert!(kills > 1, "{kills} kills, {unavailable} times unavailable");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn several_servers_can_start_on_an_empty_database_at_once() {
    let Some(schema) = Schema::create() else { return };
    let url = schema.url();
    let starts: Vec<_> = (0..4)
        .map(|_| {
            let url = url.clone();
            thread::spawn(move || Storage::connect(&url).map(drop))
        })
        .collect();
    for start in starts {
        start.join().expect("no panic").expect("a database");
    }
}

#[tokio::test]
async fn somebody_elses_schema_and_a_newer_one_are_refused_and_kept() {
    let Some(schema) = Schema::create() else { return };
    schema.execute("CREATE TABLE diary (text TEXT)");
    let error = Storage::connect(&schema.url()).expect_err("a refusal");
    assert!(matches!(error, StorageError::Foreign { .. }), "{error:?}");
    assert!(error.to_string().contains("choose another database"), "{error}");
    schema.execute("DROP TABLE diary");
    let error = Storage::connect_to_existing(&schema.url()).expect_err("a refusal");
    assert!(matches!(error, StorageError::Missing { .. }), "{error:?}");
    assert!(error.to_string().contains("has no Skirmish tables"), "{error}");
    drop(Storage::connect(&schema.url()).expect("an empty schema"));
    drop(Storage::connect_to_existing(&schema.url()).expect("our schema"));
    schema.execute("UPDATE skirmish_schema SET version = 7");
    let error = Storage::connect(&schema.url()).expect_err("a refusal");
    assert!(matches!(error, StorageError::Newer { found: 7, .. }), "{error:?}");
    assert!(error.to_string().contains("update Skirmish"), "{error}");
}

#[tokio::test]
async fn a_connection_can_be_encrypted_and_the_certificate_is_checked() {
    let Some(schema) = Schema::create() else { return };
    let Ok(file) = std::env::var("SKIRMISH_POSTGRES_CA") else {
        println!("TLS TO POSTGRESQL IS NOT TESTED: there is no SKIRMISH_POSTGRES_CA");
        return;
    };
    let url = format!("{}&sslmode=verify-full&sslrootcert={file}", schema.url());
    let storage = Storage::connect(&url).expect("a database");
    append(&storage, "ABCDEF", 0, room("ABCDEF", 1, 2)).await.expect("appended");
    assert_eq!(storage.version("ABCDEF").await.expect("a version"), 3);
    // Fails with a division by zero unless the connections use TLS.
    schema.execute(&format!(
        "SELECT 1 / (bool_and(ssl) AND count(*) > 1)::int FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
         WHERE application_name = '{}' AND pid <> pg_backend_pid()",
        schema.name()
    ));
    drop(storage);
    // The certificate is for another name, or is not trusted.
    for url in [
        url.replacen("127.0.0.1", "localhost", 1),
        format!("{}&sslmode=require&sslrootcert={}", schema.url(), ours().display()),
    ] {
        let error = Storage::connect(&url).expect_err("a refusal");
        assert!(matches!(error, StorageError::Unusable { .. }), "{error:?}");
        assert!(error.to_string().contains("certificate"), "{error}");
    }
}

/// After a failover, the new server may be a standby.
#[tokio::test]
async fn a_read_only_database_is_reported_as_such_and_stops_nothing_for_good() {
    let Some(home) = Schema::create() else { return };
    drop(Storage::connect(&home.url()).expect("tables"));
    let setting = "options=-cdefault_transaction_read_only%3Don%20";
    let url = home.url().replacen("options=", setting, 1);
    let storage = Storage::connect(&url).expect("a database");
    let checked = storage.check().await;
    assert!(matches!(checked, Err(StorageError::ReadOnly)), "{checked:?}");
    // Requests wait until they can be carried out.
    let guest = storage.create_guest("Ann", &Secret::token(), NOW).await;
    assert!(guest.as_ref().is_err_and(StorageError::is_unavailable), "{guest:?}");
}

/// Returns a certificate that is unrelated to the database.
fn ours() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/tests/cli/online/tls/ca.pem")
}

#[test]
fn a_wrong_address_is_refused_without_repeating_it() {
    for (url, expected) in [
        ("postgres://ada:secret@host/db?sslmode=verify-ca", "expected sslmode="),
        ("postgres://ada:secret@host/db?sslrootcert=/ca.pem", "needs sslmode=verify-full"),
        ("postgres://ada:secret@host/db?sslmode=require&sslrootcert=/no/ca.pem", "/no/ca.pem"),
        ("postgres://ada:secret@host/db?colour=secret", "expected postgres://"),
        ("postgres://ada:secret@host:no/db", "expected postgres://"),
        ("postgres://ada:sec?ret@host/db", "written %40, %2F and %3F"),
        ("postgres://ada:sec/ret@host/db", "written %40, %2F and %3F"),
        ("postgres://ada:sec@secret@host/db", "written %40, %2F and %3F"),
        ("postgres://host/db?password=sec@secret", "written %40, %2F and %3F"),
        ("postgres://ada:secret@127.0.0.1:1/db", "is unavailable: cannot connect to 127.0.0.1:1: "),
        ("postgres://ada:secret@[::1]:1/db", "is unavailable: cannot connect to [::1]:1: "),
    ] {
        let error = Storage::connect(url).expect_err("a refusal");
        let text = format!("{error} {error:?}");
        assert!(text.contains(expected), "{text}");
        assert!(!text.contains("secret") && !text.contains("ret@"), "{text}");
    }
}
