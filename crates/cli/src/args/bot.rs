//! The arguments of `bot check`.

use std::time::Duration;

use clap::Args;

use super::SandboxArgs;
use super::time::nonzero_duration;
use crate::completion;

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// The bot's command, in quotation marks; the prefix ugi: or json: selects the protocol.
    #[arg(add = completion::commands())]
    pub(crate) command: String,

    /// A game to check, for bots that do not play all games; can be repeated.
    #[arg(long = "game", value_name = "GAME", add = completion::games())]
    pub(crate) games: Vec<String>,

    /// The bot's time for each move, as in a tournament.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = nonzero_duration)]
    pub(crate) time: Duration,

    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
