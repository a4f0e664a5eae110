//! The arguments of a tournament.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use skirmish_arena::referee::Timing;
use skirmish_arena::tournament::Tournament;
use skirmish_play::tournament::schedule::Format;
use skirmish_play::tournament::sprt::{Sprt, SprtError};

use super::number::whole;
use super::time::{duration, nonzero_duration};
use super::{GameArgs, SandboxArgs};
use crate::completion;

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
pub(crate) struct TournamentArgs {
    /// The game; `skirmish games` lists them.
    #[arg(required_unless_present = "resume", add = completion::games())]
    pub(crate) game: Option<String>,

    /// The entrants, best seed first: a level or a bot's command, optionally with NAME= before it.
    #[arg(value_name = "PLAYER", required_unless_present = "resume", add = completion::entrants())]
    pub(crate) players: Vec<String>,

    #[command(flatten)]
    pub(crate) options: GameArgs,

    /// The format: round-robin (everyone plays everyone), gauntlet (the first plays all others), knockout or swiss.
    #[arg(long, value_name = "NAME", default_value = "round-robin", value_parser = formats(), ignore_case = true)]
    pub(crate) format: Format,

    /// Rounds of a Swiss tournament, or repetitions of a round-robin.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=u32::MAX))]
    pub(crate) rounds: Option<u32>,

    /// Games per encounter, in pairs with swapped seats.
    #[arg(long, value_name = "N", default_value_t = Tournament::USUAL_GAMES, allow_negative_numbers = true, value_parser = whole(1..=1_000_000_u32))]
    pub(crate) games: u32,

    /// Games played in parallel [default: half the number of cores].
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,

    /// A bot's time for each move, such as 500ms or 2s.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = nonzero_duration)]
    pub(crate) time: Duration,

    /// A bot's extra time for a whole game.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    pub(crate) bank: Duration,

    /// Grace time per move, to allow for system delays.
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = duration)]
    pub(crate) margin: Duration,

    /// A bot's time limit for starting and for its first move in a game.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = nonzero_duration)]
    pub(crate) first_move: Duration,

    /// End a game as a draw after N turns.
    #[arg(long, value_name = "N", default_value_t = Tournament::USUAL_TURNS, allow_negative_numbers = true, value_parser = whole(1..=u32::MAX))]
    pub(crate) max_turns: u32,

    /// Random turns at the start of each pair of games.
    #[arg(long, value_name = "N", default_value_t = Tournament::USUAL_OPENING, allow_negative_numbers = true, value_parser = whole(0..=100_u32))]
    pub(crate) opening: u32,

    /// The seed of all random choices; the same seed repeats them.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(0..=u64::MAX))]
    pub(crate) seed: Option<u64>,

    /// Stop as soon as a sequential test shows that the first player is stronger than the second by at most ELO0 or by
    /// at least ELO1.
    #[arg(
        long,
        value_name = "ELO0,ELO1",
        value_delimiter = ',',
        num_args = 1,
        allow_hyphen_values = true
    )]
    pub(crate) sprt: Vec<f64>,

    /// The maximum probability that --sprt accepts ELO1 although ELO0 is true.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "sprt")]
    pub(crate) alpha: f64,

    /// The maximum probability that --sprt accepts ELO0 although ELO1 is true.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "sprt")]
    pub(crate) beta: f64,

    /// Store the tournament in this folder.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: Option<PathBuf>,

    /// Log the output of the bots, including standard error.
    #[arg(long)]
    pub(crate) log: bool,

    /// Resume a tournament that was stopped; without DIR, the last one.
    #[arg(
        long,
        value_name = "DIR",
        num_args = 0..=1,
        add = completion::tournaments(),
        conflicts_with_all = ["game", "players", "rules", "preset", "format", "rounds", "games", "time", "bank",
            "margin", "first_move", "max_turns", "opening", "seed", "sprt", "alpha", "beta", "folder"],
    )]
    #[allow(clippy::option_option)] // given or not, with a folder or not
    pub(crate) resume: Option<Option<PathBuf>>,

    /// Resume without asking, even if the tournament may be somebody else's; this runs its commands.
    #[arg(long, requires = "resume")]
    pub(crate) trust: bool,

    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,

    /// Use the full screen, where any game can be opened.
    #[arg(long, conflicts_with_all = ["plain", "screen_reader", "json", "csv"])]
    pub(crate) tui: bool,

    /// Print the standings as CSV.
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

impl TournamentArgs {
    pub(crate) const fn timing(&self) -> Timing {
        Timing {
            per_move: self.time,
            bank: self.bank,
            margin: self.margin,
            first_move: self.first_move,
        }
    }

    pub(crate) fn sprt(&self) -> Result<Option<Sprt>, String> {
        match *self.sprt {
            [] => Ok(None),
            [elo0, elo1] => {
                let test = Sprt::new(elo0, elo1, self.alpha, self.beta);
                test.map(Some).map_err(|error: SprtError| format!("--sprt: {error}"))
            }
            _ => Err("--sprt: expected two Elo differences, such as 0,50".to_owned()),
        }
    }
}

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name))
        .map(|name| Format::named(&name).expect("clap checked the name"))
}

fn jobs(text: &str) -> Result<usize, String> {
    const MOST: usize = 256;
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("expected a number from 1 to {MOST}"))
}
