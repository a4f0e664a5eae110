//! The arguments of looking after a bot.

use std::time::Duration;

use clap::Args;

use super::SandboxArgs;
use super::time::moment;
use crate::completion;

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// What starts the bot, in quotation marks; ugi: or json: before it names its protocol.
    #[arg(add = completion::commands())]
    pub(crate) command: String,

    /// A game to try it with, if it does not play or does not name all it plays; can be given again.
    #[arg(long = "game", value_name = "GAME", add = completion::games())]
    pub(crate) games: Vec<String>,

    /// The time it is told that it has for a move; it fails when it takes longer, as in a tournament.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = moment)]
    pub(crate) time: Duration,

    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
