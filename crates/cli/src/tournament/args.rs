//! The arguments of a tournament.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use skirmish_play::referee::Timing;
use skirmish_play::tournament::schedule::Format;
use skirmish_play::tournament::sprt::{Sprt, SprtError};
use skirmish_rules::alternatives;

use crate::args::GameArgs;

#[derive(Debug, Args)]
pub(crate) struct TournamentArgs {
    /// The game; `skirmish games` lists them.
    #[arg(required_unless_present = "resume")]
    pub(super) game: Option<String>,

    /// Who takes part, the best seed first: a level or a bot's command, with NAME= before it if it is to have a
    /// name.
    #[arg(value_name = "PLAYER", required_unless_present = "resume")]
    pub(super) players: Vec<String>,

    #[command(flatten)]
    pub(super) options: GameArgs,

    /// Who meets whom: round-robin (all meet all), gauntlet (the first meets all others), knockout or swiss.
    #[arg(long, value_name = "NAME", default_value = "round-robin", value_parser = format)]
    pub(super) format: Format,

    /// The rounds of a Swiss tournament, or how often all meet all in a round-robin.
    #[arg(long, value_name = "N")]
    pub(super) rounds: Option<u32>,

    /// The games of each encounter, in pairs with the seats swapped.
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(super) games: u32,

    /// How many games are played at once; without it, half as many as the machine has cores.
    #[arg(short, long, value_name = "N", value_parser = jobs)]
    pub(super) jobs: Option<usize>,

    /// A bot's time for each move, such as 500ms or 2s.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    pub(super) time: Duration,

    /// A bot's time for a whole game beyond that.
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = duration)]
    pub(super) bank: Duration,

    /// What is not counted of a bot's time: the delays of the machine.
    #[arg(long, value_name = "TIME", default_value = "100ms", value_parser = duration)]
    pub(super) margin: Duration,

    /// A bot's time to start, and for its first move in a game.
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    pub(super) first_move: Duration,

    /// Call a game a draw after so many turns.
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) max_turns: u32,

    /// The random turns that each pair of games begins with.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(..=100))]
    pub(super) opening: u32,

    /// Repeat the chance of another tournament.
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,

    /// Stop as soon as it is clear whether the first player is at most ELO0 or at least ELO1 stronger than the
    /// second.
    #[arg(
        long,
        value_name = "ELO0,ELO1",
        value_delimiter = ',',
        num_args = 1,
        allow_hyphen_values = true
    )]
    pub(super) sprt: Vec<f64>,

    /// How often --sprt may take the lesser difference for the greater.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "sprt")]
    pub(super) alpha: f64,

    /// How often --sprt may take the greater difference for the lesser.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, requires = "sprt")]
    pub(super) beta: f64,

    /// Keep the tournament in this folder.
    #[arg(long, value_name = "DIR")]
    pub(super) folder: Option<PathBuf>,

    /// Keep what bots say, on standard error too.
    #[arg(long)]
    pub(super) log: bool,

    /// Go on with a tournament that was stopped; without DIR, the last one.
    #[arg(
        long,
        value_name = "DIR",
        num_args = 0..=1,
        conflicts_with_all = ["game", "players", "rules", "preset", "format", "rounds", "games", "time", "bank",
            "margin", "first_move", "max_turns", "opening", "seed", "sprt", "alpha", "beta", "folder"],
    )]
    #[allow(clippy::option_option)] // given or not, with a folder or not
    pub(super) resume: Option<Option<PathBuf>>,

    /// Print the standings as CSV.
    #[arg(long, conflicts_with = "json")]
    pub(super) csv: bool,

    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

impl TournamentArgs {
    pub(super) const fn timing(&self) -> Timing {
        Timing {
            per_move: self.time,
            bank: self.bank,
            margin: self.margin,
            first_move: self.first_move,
        }
    }

    pub(super) fn sprt(&self) -> Result<Option<Sprt>, String> {
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

fn format(name: &str) -> Result<Format, String> {
    Format::named(name).ok_or_else(|| format!("there is {}", alternatives(Format::ALL)))
}

fn jobs(text: &str) -> Result<usize, String> {
    const MOST: usize = 256;
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| format!("give a number from 1 to {MOST}"))
}

/// `500ms`, `2s`, `1.5s` or `1m`; a number alone counts seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    const LONGEST: f64 = 86_400.0;
    let end = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let seconds = match unit {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" => 60.0,
        _ => f64::NAN,
    };
    let time = number.trim().parse::<f64>().map_or(f64::NAN, |number| number * seconds);
    if (0.0..=LONGEST).contains(&time) {
        Ok(Duration::from_secs_f64(time))
    } else {
        Err("give a time such as 500ms, 2s or 1m, at most a day".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, milliseconds) in
            [("500ms", 500), ("2s", 2_000), ("1.5s", 1_500), ("3", 3_000), ("0", 0), ("1m", 60_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "s", "-1s", "1h", "1 day", "inf", "nan", "1e9", "2m3s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
