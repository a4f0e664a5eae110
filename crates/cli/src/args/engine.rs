//! The arguments of `engine`, which set the defaults of its options.

use clap::Args;
use skirmish_play::player::Level;
use skirmish_rules::{alternatives, quotable};

use super::GameArgs;
use super::number::whole;
use crate::completion;

#[derive(Debug, Default, Args)]
pub(crate) struct EngineArgs {
    /// The game, unless the option Game sets another.
    #[arg(long, value_name = "GAME", add = completion::games())]
    pub(crate) game: Option<String>,

    #[command(flatten)]
    pub(crate) options: GameArgs,

    /// The level: novice, casual, skilled, expert or perfect [default: perfect].
    #[arg(long, value_name = "LEVEL", value_parser = level, add = completion::level())]
    pub(crate) level: Option<Level>,

    /// The seed of all random choices; the same seed repeats them.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(0..=u64::MAX))]
    pub(crate) seed: Option<u64>,
}

pub(super) fn level(name: &str) -> Result<Level, String> {
    Level::named(name).ok_or_else(|| {
        format!("unknown level \"{}\": expected {}", quotable(name), alternatives(Level::ALL))
    })
}
