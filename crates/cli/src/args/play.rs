//! The arguments of playing a game and of showing one again.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use skirmish_rules::Side;

use super::{GameArgs, SandboxArgs};
use crate::completion;

#[derive(Debug, Default, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
pub(crate) struct PlayArgs {
    /// The game; `skirmish games` lists them.
    #[arg(required_unless_present = "resume", add = completion::games())]
    pub(crate) game: Option<String>,

    #[command(flatten)]
    pub(crate) options: GameArgs,

    /// Who plays Player 1: human (as without it), novice, casual, skilled, expert, perfect, or a bot's command.
    #[arg(long, value_name = "WHO", add = completion::players())]
    pub(crate) p1: Option<String>,

    /// Who plays Player 2, likewise; with --resume, only the command of a bot that played here.
    #[arg(long, value_name = "WHO", add = completion::players())]
    pub(crate) p2: Option<String>,

    /// Who starts, where the rulebook lets the players choose.
    #[arg(long, value_name = "WHO")]
    pub(crate) first: Option<FirstArg>,

    /// The players' names.
    #[arg(long, value_name = "ANN,BOB")]
    pub(crate) names: Option<String>,

    /// Play a match: the best of N games.
    #[arg(long = "match", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=999))]
    pub(crate) games: Option<u32>,

    /// Call a game a draw after so many turns; 200 if only computers and bots play.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_turns: Option<u32>,

    /// Repeat the chance of another game.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Go on with a saved game; without FILE, the last one.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        add = completion::records(),
        conflicts_with_all = ["rules", "preset", "first", "names", "games", "max_turns", "seed", "game"],
    )]
    #[allow(clippy::option_option)] // given or not, with a file or not
    pub(crate) resume: Option<Option<PathBuf>>,

    /// Go on with a copy of the saved game, which stays as it is.
    #[arg(long, requires = "resume", conflicts_with = "no_save")]
    pub(crate) copy: bool,

    /// Write the record to this file too, after every turn; - is standard output, at the end.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,

    /// Let --record replace a file that is not this game's.
    #[arg(long, requires = "record")]
    pub(crate) force: bool,

    /// Do not save the game.
    #[arg(long)]
    pub(crate) no_save: bool,

    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,

    /// Full screen.
    #[arg(long, conflicts_with_all = ["plain", "screen_reader", "json"])]
    pub(crate) tui: bool,

    /// Print JSON for programs, an object per event.
    #[arg(long)]
    pub(crate) json: bool,
}

impl PlayArgs {
    /// Who is to play a side, if that is said.
    pub(crate) fn player(&self, side: Side) -> Option<&str> {
        match side {
            Side::One => self.p1.as_deref(),
            Side::Two => self.p2.as_deref(),
        }
    }
}

/// Who makes the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum FirstArg {
    /// Player 1.
    P1,
    /// Player 2.
    P2,
    /// A coin toss decides.
    Toss,
}

impl From<FirstArg> for skirmish_play::First {
    fn from(first: FirstArg) -> Self {
        match first {
            FirstArg::P1 => Self::Side(Side::One),
            FirstArg::P2 => Self::Side(Side::Two),
            FirstArg::Toss => Self::Toss,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// The record; finished or not.
    #[arg(add = completion::records())]
    pub(crate) record: PathBuf,

    /// Write the record to this file, with the marks as comments; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) annotate: Option<PathBuf>,

    /// Let --annotate replace a file that is not this game's.
    #[arg(long, requires = "annotate")]
    pub(crate) force: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The record.
    #[arg(add = completion::records())]
    pub(crate) record: PathBuf,

    /// Full screen.
    #[arg(long, conflicts_with_all = ["plain", "screen_reader", "json"])]
    pub(crate) tui: bool,

    /// Print JSON, an object per position.
    #[arg(long)]
    pub(crate) json: bool,
}
