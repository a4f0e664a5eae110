//! The arguments of `admin`, and where a server keeps its data.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Subcommand, ValueHint};
use skirmish_server::admin::{FEWEST_DAYS, Who};

/// Where a server keeps its data.
#[allow(clippy::doc_markdown)] // the help is plain text
#[derive(Debug, Args)]
pub(crate) struct DatabaseArgs {
    /// The folder of the server's data [default: skirmish/server in the folder for data].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,

    /// A PostgreSQL database in place of the folder; several servers can share it. In the environment, its password is
    /// not in the list of processes [env: SKIRMISH_DATABASE].
    #[arg(long, value_name = "URL", conflicts_with = "data")]
    pub(crate) database: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AdminArgs {
    #[command(subcommand)]
    pub(crate) command: AdminCommand,
}

/// What all commands of `admin` take.
#[derive(Debug, Args)]
pub(crate) struct CommonArgs {
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Who is meant.
#[derive(Debug, Args)]
pub(crate) struct WhoArgs {
    /// The account: the name of a registered one, '#12' by its number, or ABC234/1 for a player of a game.
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
    /// Write a consistent copy of the data folder's database into a new file, also while the server runs.
    Backup {
        /// The file, which must not exist.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Restore a backup into an empty data folder, and check that every game in it can be read.
    Restore {
        /// The backup.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Write everything in a data folder or a PostgreSQL database as JSON lines, also while the server runs.
    Export {
        /// The file, which must not exist [default: standard output].
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Read an export into an empty data folder or PostgreSQL database.
    Import {
        /// The export; /dev/stdin is standard input.
        #[arg(value_hint = ValueHint::FilePath)]
        file: PathBuf,
        #[command(flatten)]
        common: CommonArgs,
    },
    /// Give an account another name.
    Rename {
        #[command(flatten)]
        who: WhoArgs,
        /// The new name.
        name: String,
    },
    /// Ban an account: it is disconnected, and cannot come back.
    Ban {
        #[command(flatten)]
        who: WhoArgs,
        /// What whoever uses the account is told.
        #[arg(long, value_name = "TEXT", default_value = "", hide_default_value = true)]
        reason: String,
    },
    /// Let a banned account play again.
    Unban(WhoArgs),
    /// Sign out all devices of an account, or the one whose token is on standard input.
    #[command(group = ArgGroup::new("what").required(true).args(["who", "token"]))]
    Revoke {
        /// The account: the name of a registered one, '#12' by its number, or ABC234/1 for a player of a game.
        #[arg(value_name = "WHO")]
        who: Option<Who>,
        /// Read a token from standard input, and sign out the device that has it.
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
        /// For how many days nobody has done anything in them.
        #[arg(
            long,
            value_name = "N",
            default_value_t = 30,
            value_parser = clap::value_parser!(u32).range(i64::from(FEWEST_DAYS)..=36500)
        )]
        days: u32,
        /// Only count them.
        #[arg(long)]
        dry_run: bool,
        #[command(flatten)]
        common: CommonArgs,
    },
}
