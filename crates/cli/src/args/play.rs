//! The arguments of `play`, `replay` and `review`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use skirmish_play::First;
use skirmish_rules::Side;

use super::number::whole;
use super::{GameArgs, SandboxArgs};
use crate::completion;

#[derive(Debug, Default, PartialEq, Eq, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
pub(crate) struct PlayArgs {
    /// The game; `skirmish games` lists them. Without it and without options, a menu opens.
    #[arg(add = completion::games())]
    pub(crate) game: Option<String>,

    #[command(flatten)]
    pub(crate) options: GameArgs,

    /// Who plays Player 1: human (default), novice, casual, skilled, expert, perfect, or a bot's command.
    #[arg(long, value_name = "WHO", add = completion::players())]
    pub(crate) p1: Option<String>,

    /// Who plays Player 2, as for --p1; with --resume, only the command of a bot in the saved game.
    #[arg(long, value_name = "WHO", add = completion::players())]
    pub(crate) p2: Option<String>,

    /// Who starts, if the rulebook lets the players choose.
    #[arg(long, value_name = "WHO", value_parser = side_or_toss())]
    pub(crate) first: Option<First>,

    /// The position to start from, such as 0/10/1; such games do not count in the statistics.
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pub(crate) position: Option<String>,

    /// The players' names.
    #[arg(long, value_name = "ANN,BOB")]
    pub(crate) names: Option<String>,

    /// Play a match: the best of N games.
    #[arg(long = "match", value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=999_u32))]
    pub(crate) games: Option<u32>,

    /// End a game as a draw after N turns [default: 200 if only computers and bots play].
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=u32::MAX))]
    pub(crate) max_turns: Option<u32>,

    /// The seed of all random choices; the same seed repeats them.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(0..=u64::MAX))]
    pub(crate) seed: Option<u64>,

    /// Resume a saved game; without FILE, the last one.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        add = completion::records(),
        conflicts_with_all = ["rules", "preset", "first", "position", "names", "games", "max_turns", "seed", "game"],
    )]
    #[allow(clippy::option_option)] // given or not, with a file or not
    pub(crate) resume: Option<Option<PathBuf>>,

    /// Resume a copy of the saved game and leave the original unchanged.
    #[arg(long, requires = "resume", conflicts_with = "no_save")]
    pub(crate) copy: bool,

    /// Also write the record to this file after every turn; - writes it to standard output at the end.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,

    /// Let --record replace a file that is not a record of this game.
    #[arg(long, requires = "record")]
    pub(crate) force: bool,

    /// Do not save the game.
    #[arg(long)]
    pub(crate) no_save: bool,

    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,

    /// Use the full screen.
    #[arg(long, conflicts_with_all = ["plain", "screen_reader", "json"])]
    pub(crate) tui: bool,

    /// Print JSON for programs, one object per event.
    #[arg(long)]
    pub(crate) json: bool,
}

impl PlayArgs {
    /// The player given for a side.
    pub(crate) fn player(&self, side: Side) -> Option<&str> {
        match side {
            Side::One => self.p1.as_deref(),
            Side::Two => self.p2.as_deref(),
        }
    }
}

/// Parses a side or a coin toss.
pub(super) fn side_or_toss() -> impl TypedValueParser<Value = First> {
    let values = [("p1", "Player 1"), ("p2", "Player 2"), ("toss", "A coin toss decides")];
    let values = values.map(|(name, about)| PossibleValue::new(name).help(about));
    PossibleValuesParser::new(values).map(|name| match name.as_str() {
        "p1" => First::Side(Side::One),
        "p2" => First::Side(Side::Two),
        _ => First::Toss,
    })
}

#[derive(Debug, Args)]
pub(crate) struct ReviewArgs {
    /// The record of a game, finished or not.
    #[arg(add = completion::records())]
    pub(crate) record: PathBuf,

    /// Write the record to this file with mistakes marked in comments; - is standard output.
    #[arg(long, value_name = "FILE")]
    pub(crate) annotate: Option<PathBuf>,

    /// Let --annotate replace a file that is not a record of this game.
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

    /// Use the full screen.
    #[arg(long, conflicts_with_all = ["plain", "screen_reader", "json"])]
    pub(crate) tui: bool,

    /// Print JSON, one object per position.
    #[arg(long)]
    pub(crate) json: bool,
}
