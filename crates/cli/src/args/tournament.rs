//! The arguments of a tournament.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use skirmish_arena::referee::Timing;
use skirmish_play::tournament::schedule::Format;
use skirmish_play::tournament::sprt::{Sprt, SprtError};

use super::time::{duration, moment};
use super::{GameArgs, SandboxArgs};
use crate::completion;

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
pub(crate) struct TournamentArgs {
    /// The game; `skirmish games` lists them.
    #[arg(required_unless_present = "resume", add = completion::games())]
    pub(crate) game: Option<String>,

    /// Who takes part, the best seed first: a level or a bot's command, with NAME= before it if it is to have a
    /// name.
    #[arg(value_name = "PLAYER", required_unless_present = "resume", add = completion::entrants())]
    pub(crate) players: Vec<String>,

    #[command(flatten)]
    pub(crate) options: GameArgs,

    /// Who meets whom: round-robin (all meet all), gauntlet (the first meets all others), knockout or swiss.
    #[arg(long, value_name = "NAME", default_value = "round-robin", value_parser = formats(), ignore_case = true)]
    pub(crate) format: Format,

    /// The rounds of a Swiss tournament, or how often all meet all in a round-robin.
    #[arg(long, value_name = "N")]
    pub(crate) rounds: Option<u32>,

    /// The games of each encounter, in pairs with the seats swapped.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) games: u32,

    /// How many games are played at once; without it, half as many as the machine has cores.
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    pub(crate) jobs: Option<usize>,

    /// A bot's time for each move, such as 500ms or 2s.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = moment)]
    pub(crate) time: Duration,

    /// A bot's time for a whole game beyond that.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    pub(crate) bank: Duration,

    /// What is not counted of a bot's time: the delays of the machine.
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = duration)]
    pub(crate) margin: Duration,

    /// A bot's time to start, and for its first move in a game.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = moment)]
    pub(crate) first_move: Duration,

    /// Call a game a draw after so many turns.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_turns: u32,

    /// The random turns that each pair of games begins with.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(..=100))]
    pub(crate) opening: u32,

    /// Repeat the chance of another tournament.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Stop as soon as it is clear whether the first player is at most ELO0 or at least ELO1 stronger than the
    /// second.
    #[arg(
        long,
        value_name = "ELO0,ELO1",
        value_delimiter = ',',
        num_args = 1,
        allow_hyphen_values = true
    )]
    pub(crate) sprt: Vec<f64>,

    /// How often --sprt may take the lesser difference for the greater.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "sprt")]
    pub(crate) alpha: f64,

    /// How often --sprt may take the greater difference for the lesser.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "sprt")]
    pub(crate) beta: f64,

    /// Keep the tournament in this folder.
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: Option<PathBuf>,

    /// Keep what bots say, on standard error too.
    #[arg(long)]
    pub(crate) log: bool,

    /// Go on with a tournament that was stopped; without DIR, the last one.
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

    /// Run the commands of a tournament that somebody else began, without asking.
    #[arg(long, requires = "resume")]
    pub(crate) trust: bool,

    #[command(flatten)]
    pub(crate) sandbox: SandboxArgs,

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
            _ => Err("--sprt takes two differences in Elo, such as 0,50".to_owned()),
        }
    }
}

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name))
        .map(|name| Format::named(&name).expect("only names of formats are possible values"))
}

fn jobs(text: &str) -> Result<usize, String> {
    const MOST: usize = 256;
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("give a number from 1 to {MOST}"))
}
