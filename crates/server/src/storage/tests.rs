//! Storage in real folders and databases.

mod accounts;
mod admin;
mod backup;
mod collisions;
mod durability;
mod files;
mod games;
mod home;
mod migration;
mod nodes;
mod pairing;
mod portable;
mod unavailable;

use std::fs;
use std::path::Path;

use skirmish_room::wire::MessageId;
use skirmish_room::{AccountId, FinishedGame, Logged, Origin, Person, RoomEvent, Terms};
use skirmish_rules::{Both, GAMES, Side};
use tempfile::TempDir;

use self::home::{Home, on_both};
use super::accounts::{distinct, lock};
use super::backend::{Backend, Row};
use super::games::finish;
use super::value::values;
use super::{Account, Append, RoomStage, Secret, Storage, StorageError};

const GAME: &str = "base-battle";
const NOW: u64 = 1_000_000;

/// The entry of a room in the lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct RoomIndex {
    stage: RoomStage,
    public: bool,
    watchable: bool,
    accounts: Both<Option<AccountId>>,
}

impl Storage {
    /// Returns the version of a room, which is the number of its events; 0 if there is no such room.
    pub(crate) async fn version(&self, code: &str) -> Result<u64, StorageError> {
        let sql = "SELECT coalesce(max(seq), 0) FROM event
                   WHERE room = (SELECT id FROM room WHERE code = $1)";
        Ok(self.0.reader.first(sql, values![code]).await?.unwrap_or(0))
    }

    /// Replaces the entry of a room in the lists.
    async fn index(&self, code: &str, index: RoomIndex) -> Result<(), StorageError> {
        let code = code.to_owned();
        let job = async move |backend: &Backend| {
            let now = lock(backend, index.accounts).await?;
            let accounts = distinct(index.accounts, now);
            let RoomIndex { stage, public, watchable, accounts: _ } = index;
            let sql = "INSERT INTO room (code, stage, public, watchable, account_1, account_2)
                VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (code) DO UPDATE SET stage = excluded.stage, public = excluded.public,
                    watchable = excluded.watchable, account_1 = excluded.account_1,
                    account_2 = excluded.account_2";
            let values = values![&code, stage, public, watchable, accounts.one, accounts.two];
            backend.execute(sql, values).await.map(drop)
        };
        self.write(job).await
    }

    /// Stores the result of a finished game without its events.
    async fn finish(&self, game: FinishedGame) -> Result<(), StorageError> {
        let job = async move |backend: &Backend| {
            let players = lock(backend, game.accounts).await?;
            finish(backend, &game, players).await
        };
        self.write(job).await
    }

    /// Makes the connection that writes read-only.
    pub(crate) async fn forbid_writing(&self) {
        let job = async |backend: &Backend| backend.batch("PRAGMA query_only = 1").await;
        self.write(job).await.expect("a setting");
    }

    /// Leaves no free page, as on a full disk.
    pub(crate) async fn fill_up(&self) {
        let run = async |sql: &'static str| {
            self.write(async move |backend: &Backend| backend.batch(sql).await).await
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

/// Copies the current database, as if the server had crashed.
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

/// Returns a move. The log does not check whether it is legal.
fn chose(account: AccountId, id: u64) -> Logged {
    logged(Some((account, id)), RoomEvent::Chose { side: Side::One, text: format!("{id}"), lag: 0 })
}

/// Returns the first events of a room with two players.
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
    let append = Append { code: code.to_owned(), after, events, finished: None };
    storage.append(append, None).await
}

/// Returns the entries of unfinished rooms, oldest first.
async fn unfinished(storage: &Storage) -> Vec<(String, RoomIndex)> {
    let job = async |backend: &Backend| {
        let sql = "SELECT code, stage, public, watchable, account_1, account_2 FROM room
                   WHERE stage <> 'over' ORDER BY id";
        let read = |row: &Row| {
            let index = RoomIndex {
                stage: row.get(1)?,
                public: row.get(2)?,
                watchable: row.get(3)?,
                accounts: Both::new(row.get(4)?, row.get(5)?),
            };
            Ok((row.get(0)?, index))
        };
        backend.rows(sql, vec![]).await?.iter().map(read).collect()
    };
    storage.read(job).await.expect("rooms")
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
