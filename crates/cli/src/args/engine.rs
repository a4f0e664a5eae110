//! The arguments of the engine: the first values of its options.

use clap::Args;
use skirmish_play::player::Level;
use skirmish_rules::{alternatives, quotable};

use super::GameArgs;
use crate::completion;

#[derive(Debug, Default, Args)]
pub(crate) struct EngineArgs {
    /// The game, until the option Game names another.
    #[arg(long, value_name = "GAME", add = completion::games())]
    pub(crate) game: Option<String>,

    #[command(flatten)]
    pub(crate) options: GameArgs,

    /// Who plays: novice, casual, skilled, expert or perfect; perfect if none is named.
    #[arg(long, value_name = "LEVEL", value_parser = level, add = completion::level())]
    pub(crate) level: Option<Level>,

    /// Repeat the chance of another dialogue.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
}

fn level(name: &str) -> Result<Level, String> {
    Level::named(name).ok_or_else(|| {
        format!("\"{}\" is no level: expected {}", quotable(name), alternatives(Level::ALL))
    })
}
