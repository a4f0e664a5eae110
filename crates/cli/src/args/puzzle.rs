//! The arguments of `puzzle`.

use clap::Args;
use skirmish_play::Day;
use skirmish_play::player::Level;
use skirmish_rules::Side;

use super::GameArgs;
use super::boards::starter;
use super::engine::level;
use super::number::whole;
use crate::completion;

#[derive(Debug, Args)]
pub(crate) struct PuzzleArgs {
    /// The game [default: the game of the day, or the one the seed selects].
    #[arg(add = completion::games())]
    pub(crate) game: Option<String>,

    #[command(flatten)]
    pub(crate) options: GameArgs,

    /// Who starts the games that the puzzles come from, if the rulebook lets the players choose [default: p1].
    #[arg(long, value_name = "WHO", value_parser = starter())]
    pub(crate) first: Option<Side>,

    /// The seed of the puzzles [default: the seed of the day].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(0..=u64::MAX))]
    pub(crate) seed: Option<u64>,

    /// The puzzle of another day, such as 2026-11-16 [default: today, in UTC].
    #[arg(long, value_name = "DATE", conflicts_with = "seed")]
    pub(crate) date: Option<Day>,

    /// Only puzzles of this level: novice, casual, skilled, expert or perfect.
    #[arg(long, value_name = "LEVEL", value_parser = level, add = completion::level())]
    pub(crate) level: Option<Level>,

    /// The number of puzzles.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = whole(1..=u32::MAX))]
    pub(crate) count: u32,

    /// Use the full screen.
    #[arg(long, conflicts_with_all = ["json", "count"])]
    pub(crate) tui: bool,

    /// Print the puzzles as JSON, one per line.
    #[arg(long)]
    pub(crate) json: bool,
}
