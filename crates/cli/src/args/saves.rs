//! The arguments of `saves`.

use clap::Args;

use crate::completion;

#[derive(Debug, Args)]
pub(crate) struct SavesArgs {
    /// List only saved games of this game.
    #[arg(add = completion::games(), conflicts_with = "delete")]
    pub(crate) game: Option<String>,

    /// Delete the saved game with this name, after asking; can be repeated.
    #[arg(long, value_name = "NAME", add = completion::saves())]
    pub(crate) delete: Vec<String>,

    /// Delete without asking.
    #[arg(long, requires = "delete")]
    pub(crate) force: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
