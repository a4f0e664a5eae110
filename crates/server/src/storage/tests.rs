//! Storage in real folders and databases.

mod accounts;
mod admin;
mod backup;
mod collisions;
mod durability;
mod files;
mod games;
mod home;
mod nodes;
mod outage;
mod pairing;
mod portable;

use std::fs;
use std::path::Path;

use skirmish_room::wire::MessageId;
use skirmish_room::{AccountId, Logged, Origin, Person, RoomEvent, Terms};
use skirmish_rules::{GAMES, Side};
use tempfile::TempDir;

use self::home::{Home, on_both};
use super::{Account, Append, Secret, Storage, StorageError};

const GAME: &str = "base-battle";
const NOW: u64 = 1_000_000;

impl Storage {
    /// Makes the connection that writes read-only.
    pub(crate) async fn forbid_writing(&self) {
        let job =
            async |session: &super::session::Session| session.batch("PRAGMA query_only = 1").await;
        self.0.writer.run(job).await.expect("a setting");
    }

    /// Leaves no page for anything else, as on a full disk.
    pub(crate) async fn fill_up(&self) {
        let run = async |sql: &'static str| {
            self.0
                .writer
                .run(async move |session: &super::session::Session| session.batch(sql).await)
                .await
        };
        run("CREATE TABLE filler (content BLOB)").await.expect("a table");
        run("PRAGMA max_page_count = 1").await.expect("a setting");
        while run("INSERT INTO filler VALUES (zeroblob(4000))").await.is_ok() {}
    }
}

fn folder() -> TempDir {
    TempDir::new().expect("a temporary folder")
}

fn open(folder: &TempDir) -> Storage {
    Storage::open(folder.path()).expect("a data folder")
}

/// A copy of the database as it is now, as after a crash.
fn copy(folder: &TempDir) -> TempDir {
    let copy = self::folder();
    for name in ["skirmish.db", "skirmish.db-wal"] {
        let from = folder.path().join(name);
        if from.exists() {
            fs::copy(from, copy.path().join(name)).expect("a copy");
        }
    }
    copy
}

fn logged(by: Option<(AccountId, u64)>, event: RoomEvent) -> Logged {
    let by = by.map(|(account, id)| Origin { account, id: MessageId::Number(id) });
    Logged { at: NOW, by, left: None, event }
}

fn person(account: AccountId) -> Person {
    Person { account, name: format!("Player {account}"), registered: true, ..Person::default() }
}

/// A move, which the log does not check.
fn chose(account: AccountId, id: u64) -> Logged {
    logged(Some((account, id)), RoomEvent::Chose { side: Side::One, text: format!("{id}"), lag: 0 })
}

/// The first events of a room with two players.
fn room(code: &str, creator: AccountId, opponent: AccountId) -> Vec<Logged> {
    let terms = Box::new(Terms::new(GAMES.find(GAME).expect("a game")));
    let creator = person(creator);
    let created = RoomEvent::Created { code: code.to_owned(), terms, creator, seed: 7, date: None };
    let seated = RoomEvent::Seated { person: person(opponent) };
    vec![logged(None, created), logged(None, seated), logged(None, RoomEvent::Began)]
}

async fn append(
    storage: &Storage,
    code: &str,
    after: u64,
    events: Vec<Logged>,
) -> Result<(), StorageError> {
    storage.append(Append { code: code.to_owned(), after, lease: None, events }).await
}

async fn guest(storage: &Storage, name: &str) -> Account {
    storage.create_guest(name, &Secret::token(), NOW).await.expect("a guest")
}

async fn registered(storage: &Storage, name: &str) -> Account {
    let guest = guest(storage, name).await;
    let account = storage.register(guest.id, name, &Secret::recovery()).await;
    account.expect("registered").expect("a free name")
}

/// Whether a file of the database contains these bytes.
fn files_contain(folder: &Path, bytes: &[u8]) -> bool {
    ["skirmish.db", "skirmish.db-wal"].iter().any(|name| {
        let content = fs::read(folder.join(name)).expect("a file");
        content.windows(bytes.len()).any(|window| window == bytes)
    })
}
