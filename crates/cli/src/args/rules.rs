//! The arguments of `rules`.

use clap::{Args, ValueEnum};

use crate::completion;

#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    /// The game.
    #[arg(add = completion::games())]
    pub(crate) game: String,

    /// The part to show [default: the rules without the solution].
    pub(crate) part: Option<RulesPart>,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A part of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RulesPart {
    /// Who wins with best play.
    Solution,
    /// Everything.
    All,
}
