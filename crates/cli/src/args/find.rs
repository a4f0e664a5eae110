//! The arguments of `find`.

use std::path::PathBuf;

use clap::Args;

use super::BoardArgs;
use super::number::whole;

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // flags of a command line
pub(crate) struct FindArgs {
    #[command(flatten)]
    pub(crate) board: BoardArgs,

    /// The condition for a position, such as 'win in 5 and one winning move' (docs/queries.md).
    #[arg(required = true, value_name = "QUERY", allow_negative_numbers = true)]
    query: Vec<String>,

    /// Show at most N positions; 0 shows all [default: 20 in a list, otherwise all].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(0..=u32::MAX), conflicts_with_all = ["count", "map", "svg"])]
    limit: Option<u32>,

    /// Print only the number of positions; with --json, omit the list.
    #[arg(long, conflicts_with_all = ["csv", "map", "svg"])]
    pub(crate) count: bool,

    /// Print CSV.
    #[arg(long, conflicts_with_all = ["json", "map", "svg"])]
    pub(crate) csv: bool,

    /// Print JSON.
    #[arg(long, conflicts_with_all = ["map", "svg"])]
    pub(crate) json: bool,

    /// Draw the map of the game with these positions marked.
    #[arg(long)]
    pub(crate) map: bool,

    /// Write the map to a file as an SVG picture; - is standard output.
    #[arg(long, value_name = "FILE", conflicts_with = "map")]
    pub(crate) svg: Option<PathBuf>,

    /// Let --svg replace an existing file.
    #[arg(long, requires = "svg")]
    pub(crate) force: bool,
}

/// Maximum number of positions in a list by default.
const LISTED: usize = 20;

impl FindArgs {
    /// The query, joined from its words: quotes are needed only to protect it from the shell.
    pub(crate) fn query(&self) -> String {
        self.query.join(" ")
    }

    /// Maximum number of positions to show.
    pub(crate) fn most(&self) -> usize {
        match self.limit {
            _ if self.count => 0,
            Some(0) => usize::MAX,
            Some(limit) => limit as usize,
            None if self.csv || self.json => usize::MAX,
            None => LISTED,
        }
    }
}
