//! The arguments of `admin`, and those that locate a server's data.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueHint};
use skirmish_server::admin::{FEWEST_DAYS, Who};

/// The location of a server's data.
#[allow(clippy::doc_markdown)] // the help is plain text
#[derive(Debug, Args)]
pub(crate) struct DatabaseArgs {
    /// The server's data folder [default: skirmish/server in your data folder].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,

    /// A PostgreSQL database instead of a folder; several servers can share it. Set in the environment, its password stays
    /// out of the process list [env: SKIRMISH_DATABASE].
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    pub(crate) database: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AdminArgs {
    #[command(subcommand)]
    pub(crate) command: AdminCommand,
}

/// The arguments of all `admin` commands.
#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The account to act on.
#[derive(Debug, Args)]
pub(crate) struct WhoArgs {
    /// The account: a registered name, a number such as '#12', or a player of a game such as ABC234/1.
    #[arg(value_name = "WHO")]
    pub(crate) who: Who,

    #[command(flatten)]
    pub(crate) common: CommonArgs,
}

#[allow(clippy::doc_markdown)] // the help is plain text
#[derive(Debug, Subcommand)]
pub(crate) enum AdminCommand {
    /// Show what the database holds, and whether a server is running.
    Status(CommonArgs),
    /// Write a consistent copy of the data folder's database to a new file, even while the server is running.
    Backup {
        /// The new file; it must not exist yet.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Restore a backup into an empty data folder, and check that every game in it can be read.
    Restore {
        /// The backup file.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Export all data of a data folder or PostgreSQL database as JSON lines, even while the server is running.
    Export {
        /// The new file; it must not exist yet [default: standard output].
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Import an export into an empty data folder or PostgreSQL database.
    Import {
        /// The exported file; /dev/stdin is standard input.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Rename an account.
    Rename {
        #[command(flatten)]
        who: WhoArgs,
        /// The new name.
        name: String,
    },
    /// Ban an account: it is disconnected and cannot reconnect.
    Ban {
        #[command(flatten)]
        who: WhoArgs,
        /// The reason shown to the user of the account.
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        reason: String,
    },
    /// Let a banned account play again.
    Unban(WhoArgs),
    /// Sign out all devices of an account, or the one whose token is on standard input.
    #[command(group = ArgGroup::new("what").required(true).args(["who", "token"]))]
    Revoke {
        /// The account: a registered name, a number such as '#12', or a player of a game such as ABC234/1.
        #[arg(value_name = "WHO")]
        who: Option<Who>,
        /// Read a token from standard input, and sign out the device that uses it.
        #[arg(long)]
        token: bool,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Close a game: it ends without a result.
    Close {
        /// The game's code.
        code: String,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Remove games that guests have abandoned: never finished, without a registered player, and untouched for days.
    Prune {
        /// The minimum number of days without any activity.
        #[arg(
            long,
            value_name = "N",
            default_value_t = 30,
            value_parser = clap::value_parser!(u32).range(i64::from(FEWEST_DAYS)..=36500)
        )]
        days: u32,
        /// Count the games without removing them.
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        common: CommonArgs,
    },
}
