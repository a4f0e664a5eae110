//! The arguments of the commands that show positions and solved games.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use skirmish_play::player::Level;
use skirmish_rules::Side;

use super::engine::level;
use super::number::whole;
use crate::completion;

/// The rule options, shared by several commands.
#[derive(Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct GameArgs {
    /// Set a rule option (`skirmish rules GAME` lists them); can be repeated.
    #[arg(long = "rule", value_name = "NAME=VALUE", add = completion::rules())]
    pub(crate) rules: Vec<String>,

    /// Use a named set of rule options (`skirmish rules GAME` lists them); --rule overrides it.
    #[arg(long, value_name = "NAME", add = completion::presets())]
    pub(crate) preset: Option<String>,
}

/// A game with its rule options and its starter.
#[derive(Debug, Args)]
pub(crate) struct BoardArgs {
    /// The game.
    #[arg(add = completion::games())]
    pub(crate) game: String,

    #[command(flatten)]
    pub(crate) options: GameArgs,

    /// Who starts, if the rulebook lets the players choose.
    #[arg(long, value_name = "WHO", value_parser = starter(), default_value = "p1")]
    pub(crate) first: Side,
}

/// Parses the side that starts.
pub(super) fn starter() -> impl TypedValueParser<Value = Side> {
    PossibleValuesParser::new(["p1", "p2"])
        .map(|name| if name == "p2" { Side::Two } else { Side::One })
}

#[derive(Debug, Args)]
pub(crate) struct SolveArgs {
    #[command(flatten)]
    pub(crate) board: BoardArgs,

    /// Write every position that can arise to this file as CSV; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) table: Option<PathBuf>,

    /// Let --table replace an existing file.
    #[arg(long, requires = "table")]
    pub(crate) force: bool,

    /// Verify every value and every mix independently of the solver.
    #[arg(long)]
    pub(crate) verify: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MapArgs {
    #[command(flatten)]
    pub(crate) board: BoardArgs,

    /// The position to mark; in Command Clash, the one whose mixes are shown.
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pub(crate) position: Option<String>,

    /// Write the map to this file as an SVG picture; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// Let --svg replace an existing file.
    #[arg(long, requires = "svg")]
    pub(crate) force: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // flags of a command line
pub(crate) struct LabArgs {
    /// The game; optional with --levels [default: all games].
    #[arg(add = completion::games())]
    pub(crate) game: Option<String>,

    #[command(flatten)]
    pub(crate) options: GameArgs,

    /// Try several values of a rule option, a range or a list; can be repeated.
    #[arg(long, value_name = "NAME=VALUES", add = completion::varied())]
    pub(crate) vary: Vec<String>,

    /// Show only variants in which neither side wins by force.
    #[arg(long)]
    pub(crate) fair: bool,

    /// Sort the variants by a column.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) sort: Option<crate::lab::Column>,

    /// Show the exact scores of the computer levels against each other.
    #[arg(long, conflicts_with_all = ["vary", "fair", "sort", "csv"])]
    pub(crate) levels: bool,

    /// End a game between computers as a draw after N turns [default: 200].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=1_000_000_u32))]
    pub(crate) max_turns: Option<u32>,

    /// Print CSV.
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) board: BoardArgs,

    /// The position to start from, such as 0/10/1.
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pub(crate) position: Option<String>,

    /// Moves to play from there, separated by spaces.
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    pub(crate) moves: Option<String>,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AnalyzeArgs {
    #[command(flatten)]
    pub(crate) show: ShowArgs,

    /// Show best play to the end of the game, or until a position repeats.
    #[arg(long)]
    pub(crate) line: bool,

    /// Show the exact value of every move against a computer level, if you then play the best response to it.
    #[arg(long, value_name = "LEVEL", value_parser = level, add = completion::level())]
    pub(crate) against: Option<Level>,
}
