//! What the operator does with the database of a server, whether one is running or not.

#![expect(clippy::missing_errors_doc, reason = "everything here fails if the database does")]

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use skirmish_room::{AccountId, Room};
use skirmish_rules::{Catalog, Side, is_printable};
use thiserror::Error;

use crate::codes;
use crate::naming::{AccountNameError, check_account_name};
use crate::server::Database;
use crate::storage::{
    self, Account, Backup, BackupError, Holdings, NameTaken, Pruned, RoomStage, Secret, Storage,
    StorageError,
};

pub use crate::storage::{export, export_to, import};

/// How long to wait until a server that is running has closed a game: it reads what is asked of it every two seconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often to look.
const LOOK: Duration = Duration::from_millis(200);

/// The longest reason for a ban, in characters.
const LONGEST_REASON: usize = 200;

/// The fewest days after which a game counts as abandoned. A move may take 14.
pub const FEWEST_DAYS: u32 = 15;

/// Who is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// Whoever is registered with this name.
    Name(String),
    /// The account with this number.
    Number(AccountId),
    /// A player of a game.
    Player(String, Side),
}

impl std::str::FromStr for Who {
    type Err = std::convert::Infallible;

    /// Reads `#12`, `ABC234/1` or a name.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let number = text.strip_prefix('#').and_then(|number| number.parse().ok());
        if let Some(number) = number {
            return Ok(Self::Number(number));
        }
        let player = text.split_once('/').and_then(|(code, side)| {
            Some(Self::Player(codes::read_code(code)?, Side::from_number(side.parse().ok()?)?))
        });
        Ok(player.unwrap_or_else(|| Self::Name(text.to_owned())))
    }
}

/// Why something could not be done.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AdminError {
    /// The database cannot be used.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// There is no backup, or nothing was restored.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The database is not in a folder.
    #[error(
        "backup and restore are for a data folder: use pg_dump and pg_restore for PostgreSQL, or export and import"
    )]
    NoFolder,
    /// There is no such account.
    #[error(
        "there is no such account: expected the name of a registered one, #NUMBER, or CODE/1 or CODE/2 for a player of a game"
    )]
    NoAccount,
    /// There is no such token.
    #[error("nobody has this token")]
    NoToken,
    /// There is no such game.
    #[error("there is no such game: a code has 6 letters or digits")]
    NoGame,
    /// The name is not possible.
    #[error("the name is not valid: {0}")]
    Name(#[from] AccountNameError),
    /// The reason for a ban is not possible.
    #[error(
        "the reason is not valid: expected at most {LONGEST_REASON} characters on one line, without control characters and those that hide or reorder others"
    )]
    Reason,
    /// Somebody else has the name.
    #[error(transparent)]
    Taken(#[from] NameTaken),
    /// There are no threads.
    #[error("cannot start threads: {0}")]
    Threads(io::Error),
}

/// What became of a game that was to be closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// It is closed.
    Closed,
    /// It was over already.
    WasOver,
    /// It will be closed when a server is started.
    Later,
}

/// The database of a server.
///
/// # Errors
/// All methods fail if the database does. [`AdminError`] names their other errors.
pub struct Admin {
    storage: Storage,
    runtime: tokio::runtime::Runtime,
    games: Catalog,
    is_running: bool,
}

impl Admin {
    /// Opens the database of a server. If none is running, its tables are brought up to date.
    pub fn open(database: &Database, games: Catalog) -> Result<Self, AdminError> {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build().map_err(AdminError::Threads)?;
        let (storage, is_running) = match database {
            Database::Folder(folder) => Storage::attach(folder)?,
            Database::Postgres(shared) => {
                let storage = Storage::connect_to_existing(&shared.database)?;
                let nodes = runtime.block_on(storage.nodes())?;
                (storage, !nodes.is_empty())
            }
        };
        Ok(Self { storage, runtime, games, is_running })
    }

    /// Whether a server is running.
    #[must_use]
    pub const fn is_running(&self) -> bool {
        self.is_running
    }

    /// What the database holds.
    pub fn holdings(&self) -> Result<Holdings, AdminError> {
        Ok(self.runtime.block_on(self.storage.holdings())?)
    }

    /// The account that is meant, and how many devices it has.
    pub fn find(&self, who: &Who) -> Result<(Account, u64), AdminError> {
        self.runtime.block_on(async {
            let account = match who {
                Who::Name(name) => self.storage.member(name).await?,
                Who::Number(number) => self.storage.account(*number).await?,
                Who::Player(code, side) => {
                    let log = self.storage.log(code).await?;
                    let room = Room::fold(self.games, &log).map_err(|_| AdminError::NoGame)?;
                    match &room.people()[*side] {
                        Some(person) => self.storage.account(person.account).await?,
                        None => None,
                    }
                }
            };
            let account = account.ok_or(AdminError::NoAccount)?;
            let devices = self.storage.devices(account.id).await?;
            Ok((account, devices))
        })
    }

    /// Gives an account another name.
    pub fn rename(&self, account: &Account, name: &str) -> Result<String, AdminError> {
        let name = check_account_name(name)?;
        self.runtime.block_on(self.storage.rename(account.id, &name))??;
        Ok(name)
    }

    /// Bans an account. Whoever uses it is told the reason.
    pub fn ban(&self, account: &Account, reason: &str) -> Result<(), AdminError> {
        if reason.chars().count() > LONGEST_REASON || !is_printable(reason) {
            return Err(AdminError::Reason);
        }
        Ok(self.runtime.block_on(self.storage.ban(account.id, reason))?)
    }

    /// Lets an account play again. Returns whether it was banned.
    pub fn unban(&self, account: &Account) -> Result<bool, AdminError> {
        Ok(self.runtime.block_on(self.storage.unban(account.id))?)
    }

    /// Signs out all devices of an account. Returns how many it had.
    pub fn revoke(&self, account: &Account) -> Result<u64, AdminError> {
        Ok(self.runtime.block_on(self.storage.revoke(account.id))?)
    }

    /// Signs out the device with this token.
    pub fn revoke_token(&self, token: &str) -> Result<Account, AdminError> {
        let token = Secret::parse(token);
        self.runtime.block_on(self.storage.revoke_token(&token))?.ok_or(AdminError::NoToken)
    }

    /// Closes a game: it ends without a result. If a server is running, waits until that is done.
    pub fn close(&self, code: &str) -> Result<Closing, AdminError> {
        let code = codes::read_code(code).ok_or(AdminError::NoGame)?;
        self.runtime.block_on(async {
            match self.storage.ask_to_close(&code).await?.ok_or(AdminError::NoGame)? {
                RoomStage::Over => return Ok(Closing::WasOver),
                RoomStage::Open | RoomStage::Playing => {}
            }
            let mut waited = Duration::ZERO;
            while self.is_running && waited < PATIENCE {
                tokio::time::sleep(LOOK).await;
                waited += LOOK;
                if self.storage.stage(&code).await? == Some(RoomStage::Over) {
                    return Ok(Closing::Closed);
                }
            }
            Ok(Closing::Later)
        })
    }

    /// Removes the games that guests have abandoned for so many days, or only counts them.
    pub fn prune(&self, days: u32, dry: bool) -> Result<Pruned, AdminError> {
        let age = u64::from(days.max(FEWEST_DAYS)) * 24 * 60 * 60 * 1000;
        self.runtime.block_on(async {
            let since = self.storage.now().await?.saturating_sub(age);
            Ok(self.storage.prune(since, dry).await?)
        })
    }
}

fn folder(database: &Database) -> Result<&PathBuf, AdminError> {
    match database {
        Database::Folder(folder) => Ok(folder),
        Database::Postgres(_) => Err(AdminError::NoFolder),
    }
}

/// Copies a data folder's database into a new file, while a server uses it or not.
///
/// # Errors
/// If there is such a file, or one of the two cannot be used.
pub fn back_up(database: &Database, file: &Path) -> Result<Backup, AdminError> {
    Ok(storage::back_up(folder(database)?, file)?)
}

/// Restores a backup into an empty data folder.
///
/// # Errors
/// If the folder is not empty, or the backup is damaged.
pub fn restore(file: &Path, database: &Database, games: Catalog) -> Result<Backup, AdminError> {
    Ok(storage::restore(file, folder(database)?, games)?)
}
