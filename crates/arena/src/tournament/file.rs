//! The format of `tournament.json`, from which a tournament is resumed.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use skirmish_play::player::Sandbox;
use skirmish_play::tournament::schedule::Format;
use skirmish_play::tournament::sprt::Sprt;
use skirmish_rules::{Catalog, Settings};

use super::Tournament;
use super::entrant::Entrant;
use crate::referee::Timing;

/// The contents of `tournament.json`. Times are in milliseconds.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TournamentFile {
    /// The directory in which the tournament was started, and in which its bots run.
    pub(super) directory: PathBuf,
    game: String,
    rules: String,
    format: String,
    rounds: Option<u32>,
    pairs: u32,
    seed: u64,
    time: u64,
    bank: u64,
    margin: u64,
    first_move: u64,
    max_turns: u32,
    opening: u32,
    sprt: Option<[f64; 4]>,
    sandbox: Option<SandboxLimits>,
    entrants: Vec<EntrantEntry>,
}

#[derive(Debug, Serialize, Deserialize)]
struct SandboxLimits {
    memory: u64,
    processes: u32,
}

#[derive(Debug, Serialize, Deserialize)]
struct EntrantEntry {
    name: String,
    program: String,
}

impl TournamentFile {
    /// The file contents for a tournament.
    pub(super) fn of(tournament: &Tournament) -> Self {
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let entrant = |entrant: &Entrant| EntrantEntry {
            name: entrant.name.clone(),
            program: entrant.program.to_string(),
        };
        let directory = std::env::current_dir().unwrap_or_default();
        Self {
            directory: directory.to_string_lossy().into_owned().into(),
            game: tournament.entry.id.to_owned(),
            rules: tournament.settings.changes(),
            format: tournament.format.name().to_owned(),
            rounds: tournament.rounds,
            pairs: tournament.pairs,
            seed: tournament.seed,
            time: milliseconds(tournament.timing.per_move),
            bank: milliseconds(tournament.timing.bank),
            margin: milliseconds(tournament.timing.margin),
            first_move: milliseconds(tournament.timing.first_move),
            max_turns: tournament.max_turns,
            opening: tournament.opening,
            sprt: tournament.sprt.map(Sprt::parameters),
            sandbox: tournament
                .sandbox()
                .map(|Sandbox { memory, processes }| SandboxLimits { memory, processes }),
            entrants: tournament.entrants.iter().map(entrant).collect(),
        }
    }

    /// The text of the file.
    pub(super) fn to_text(&self) -> String {
        let text =
            serde_json::to_string_pretty(self).expect("every field can be represented in JSON");
        text + "\n"
    }

    /// Parses the text of a file. The error describes the problem.
    pub(super) fn from_text(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    /// The tournament, if it is valid and the catalogue has its game. The error names the invalid field.
    pub(super) fn tournament(self, catalog: Catalog) -> Result<Tournament, String> {
        let wrong = |field, why: &str| format!("its \"{field}\" cannot be used: {why}");
        let unknown = |field, value: &str| wrong(field, &format!("it is \"{value}\""));
        let time = Duration::from_millis;
        let entry = catalog.find(&self.game).map_err(|_| unknown("game", &self.game))?;
        let entrants = self.entrants.iter().map(|it| Entrant::read(&it.name, &it.program));
        let sprt = self.sprt.map(|[elo0, elo1, alpha, beta]| Sprt::new(elo0, elo1, alpha, beta));
        let tournament = Tournament {
            entry,
            settings: Settings::parse(entry.options, self.rules.split_whitespace())
                .map_err(|_| unknown("rules", &self.rules))?,
            format: Format::named(&self.format).ok_or_else(|| unknown("format", &self.format))?,
            rounds: self.rounds,
            entrants: entrants
                .collect::<Result<_, _>>()
                .map_err(|error| wrong("entrants", &error.to_string()))?,
            pairs: self.pairs,
            seed: self.seed,
            timing: Timing {
                per_move: time(self.time),
                bank: time(self.bank),
                margin: time(self.margin),
                first_move: time(self.first_move),
            },
            max_turns: self.max_turns,
            opening: self.opening,
            sprt: sprt.transpose().map_err(|error| wrong("sprt", &error.to_string()))?,
        };
        tournament.check().map_err(|error| wrong("entrants", &error.to_string()))?;
        let limits = |SandboxLimits { memory, processes }| Sandbox { memory, processes };
        Ok(tournament.within(self.sandbox.map(limits)))
    }
}
