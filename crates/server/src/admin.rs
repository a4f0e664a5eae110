//! Operator commands on a server's database, whether or not a server is running.

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
use crate::tasks::block_on;

pub use crate::storage::{export, export_to, import};

/// Maximum wait for a running server to close a game; it polls for the operator's requests every two seconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often to check whether the game has been closed.
const LOOK: Duration = Duration::from_millis(200);

/// Maximum length of a ban's reason, in characters.
const LONGEST_REASON: usize = 200;

/// Minimum age in days at which a game counts as abandoned. A move may take up to 14 days.
pub const FEWEST_DAYS: u32 = 15;

/// The account that a command applies to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// The account registered under this name.
    Name(String),
    /// The account with this number.
    Number(AccountId),
    /// The account on this side of the game with this code.
    Player(String, Side),
}

impl std::str::FromStr for Who {
    type Err = std::convert::Infallible;

    /// Parses `#12`, `ABC234/1` or a name.
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

/// Why an operator command failed.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum AdminError {
    /// The database cannot be used.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// A backup could not be made or restored.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The command needs a data folder, but the database is not in one.
    #[error(
        "backup and restore are for a data folder: use pg_dump and pg_restore for PostgreSQL, or export and import"
    )]
    NoFolder,
    /// There is no such account.
    #[error(
        "there is no such account: expected the name of a registered one, #NUMBER, or CODE/1 or CODE/2 for a player of a game"
    )]
    NoAccount,
    /// No device has this token.
    #[error("nobody has this token")]
    NoToken,
    /// There is no such game.
    #[error("there is no such game: a code has 6 letters or digits")]
    NoGame,
    /// The name is not valid.
    #[error("the name is not valid: {0}")]
    Name(#[from] AccountNameError),
    /// The reason for a ban is not valid.
    #[error(
        "the reason is not valid: expected at most {LONGEST_REASON} characters on one line, without control characters and those that hide or reorder others"
    )]
    Reason,
    /// Another account has the name, or one that looks like it.
    #[error(transparent)]
    Taken(#[from] NameTaken),
    /// Threads cannot be started.
    #[error("cannot start threads: {0}")]
    Threads(io::Error),
}

/// The result of closing a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// The game is now closed.
    Closed,
    /// The game was already over.
    WasOver,
    /// No server is running: the next one to start will close the game.
    Later,
}

/// A server's database, opened for operator commands.
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
    /// Opens the database of a server. If no server is running, migrates the tables to the newest schema.
    pub fn open(database: &Database, games: Catalog) -> Result<Self, AdminError> {
        let mut builder = tokio::runtime::Builder::new_current_thread();
        let runtime = builder.enable_all().build().map_err(AdminError::Threads)?;
        let (storage, is_running) = match database {
            Database::Folder(folder) => Storage::attach(folder)?,
            Database::Postgres(shared) => {
                let storage = Storage::connect_to_existing(&shared.database)?;
                let nodes = block_on(&runtime, storage.nodes())?;
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

    /// Summarises the contents of the database.
    pub fn holdings(&self) -> Result<Holdings, AdminError> {
        Ok(block_on(&self.runtime, self.storage.holdings())?)
    }

    /// Finds an account, and counts its devices.
    pub fn find(&self, who: &Who) -> Result<(Account, u64), AdminError> {
        block_on(&self.runtime, async {
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

    /// Renames an account. Returns the new name as it is stored.
    pub fn rename(&self, account: &Account, name: &str) -> Result<String, AdminError> {
        let name = check_account_name(name)?;
        block_on(&self.runtime, self.storage.rename(account.id, &name))??;
        Ok(name)
    }

    /// Bans an account. Anyone who uses the account is told the reason.
    pub fn ban(&self, account: &Account, reason: &str) -> Result<(), AdminError> {
        if reason.chars().count() > LONGEST_REASON || !is_printable(reason) {
            return Err(AdminError::Reason);
        }
        Ok(block_on(&self.runtime, self.storage.ban(account.id, reason))?)
    }

    /// Lifts the ban on an account. Returns whether the account was banned.
    pub fn unban(&self, account: &Account) -> Result<bool, AdminError> {
        Ok(block_on(&self.runtime, self.storage.unban(account.id))?)
    }

    /// Signs out all devices of an account. Returns the number of devices.
    pub fn revoke(&self, account: &Account) -> Result<u64, AdminError> {
        Ok(block_on(&self.runtime, self.storage.revoke(account.id))?)
    }

    /// Signs out the device with this token.
    pub fn revoke_token(&self, token: &str) -> Result<Account, AdminError> {
        let token = Secret::parse(token);
        block_on(&self.runtime, self.storage.revoke_token(&token))?.ok_or(AdminError::NoToken)
    }

    /// Closes a game without a result. If a server is running, waits until the server has closed the game.
    pub fn close(&self, code: &str) -> Result<Closing, AdminError> {
        let code = codes::read_code(code).ok_or(AdminError::NoGame)?;
        block_on(&self.runtime, async {
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

    /// Removes games that guests abandoned at least `days` ago. A dry run only counts them.
    pub fn prune(&self, days: u32, dry: bool) -> Result<Pruned, AdminError> {
        let age = u64::from(days.max(FEWEST_DAYS)) * 24 * 60 * 60 * 1000;
        block_on(&self.runtime, async {
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

/// Copies a data folder's database into a new file, whether or not a server is using the folder.
///
/// # Errors
/// If `file` already exists, or the file or the folder cannot be used.
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
