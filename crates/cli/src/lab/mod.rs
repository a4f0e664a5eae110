//! `skirmish lab GAME`: how rule options change a game, and how the computer levels compare.

mod levels;
mod variants;

use std::sync::Arc;

use anyhow::Result;
use serde_json::{Value as Json, json};
use skirmish_play::player::{Level, Policy, versus};
use skirmish_play::{Answer, SolveError, Solved};
use skirmish_present::words::Class;
use skirmish_present::{json, words};
use skirmish_rules::{Both, Cancelled, Catalog, Entry, Settings, Side, Unwatched, columns};
use skirmish_solver::recursive::Stage;

use crate::args::LabArgs;
use crate::exit::{Exit, usage};
use crate::{lookup, output, solving};

pub(crate) fn run(args: &LabArgs, catalog: Catalog) -> Result<Exit> {
    if args.levels {
        return levels::run(args, catalog);
    }
    let Some(game) = &args.game else {
        return Err(usage("name a game to vary, or ask for --levels"));
    };
    let entry = lookup::game(catalog, game)?;
    let base = lookup::settings(entry, &args.options)?;
    let variants = variants::all(entry, &base, &args.vary)?;
    for rule in &args.options.rules {
        let name = rule.split('=').next().unwrap_or_default().trim();
        if args.vary.iter().any(|vary| vary.split('=').next().unwrap_or_default().trim() == name) {
            return Err(usage(format!("{name} is both set and varied")));
        }
    }
    let turns = args.max_turns.map_or(TURNS, |turns| turns as usize);
    let progress = solving::Steps::new(variants.len());
    let mut findings: Vec<Finding> = Vec::new();
    for settings in variants {
        let finding = Finding::of(entry, &settings, turns)?;
        progress.step();
        if !args.fair || finding.is_fair() {
            findings.push(finding);
        }
    }
    drop(progress);
    if let Some(column) = args.sort {
        findings.sort_by(|one, two| column.key(one).total_cmp(&column.key(two)));
    }
    if args.json {
        let objects: Vec<Json> = findings.iter().map(|finding| finding.object(entry)).collect();
        output::print_data_line(Json::from(objects))?;
    } else if args.csv {
        output::print_data(&csv(entry, &findings))?;
    } else {
        output::print(&table(entry, &findings, turns))?;
    }
    Ok(Exit::Done)
}

/// A column to sort by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Column {
    /// The number of positions.
    Positions,
    /// The length under best play; endless last.
    Length,
    /// The share of endless positions.
    Endless,
    /// The mean number of choices.
    Choices,
    /// What moving first is worth between equals.
    Edge,
}

impl Column {
    fn key(self, finding: &Finding) -> f64 {
        let Some(facts) = &finding.facts else { return f64::INFINITY };
        match self {
            Self::Positions => precise(facts.states),
            Self::Length => facts.plies.map_or(f64::INFINITY, f64::from),
            Self::Endless => facts.share(facts.endless),
            Self::Choices => facts.choices,
            Self::Edge => facts.edge.map_or(f64::INFINITY, f64::abs),
        }
    }
}

/// What the laboratory found out about one variant.
struct Finding {
    settings: Settings,
    /// Nothing if the variant is too large to be solved.
    facts: Option<Facts>,
}

struct Facts {
    states: usize,
    /// What the start is worth to whoever starts; to Player 1 where both act at once.
    value: Json,
    is_fair: bool,
    plies: Option<u16>,
    won: usize,
    lost: usize,
    drawn: usize,
    endless: usize,
    /// The mean number of choices where there is a choice to make.
    choices: f64,
    /// What moving first adds to the score between two skilled players, and their share of draws.
    edge: Option<f64>,
    draws: Option<f64>,
}

/// The level between whose equals the worth of moving first is computed.
const EQUALS: Level = Level::Skilled;

/// R-ALL-2: where only programs play, a game is a draw after so many turns.
const TURNS: usize = 200;

/// Larger games than this are not played out between equals.
const MOST_PLAYED: usize = 300_000;

impl Finding {
    fn of(entry: &'static Entry, settings: &Settings, turns: usize) -> Result<Self> {
        let facts = match solving::solve(entry, settings, Side::One) {
            Ok(solved) => Some(Facts::of(solved, turns)?),
            Err(SolveError::TooLarge { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(Self { settings: settings.clone(), facts })
    }

    /// Whether neither side wins by force.
    fn is_fair(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| facts.is_fair)
    }

    fn object(&self, entry: &Entry) -> Json {
        let mut object = json!({ "game": entry.id, "rules": json::rules(&self.settings) });
        object["solved"] = self.facts.is_some().into();
        if let Some(facts) = &self.facts {
            object["states"] = facts.states.into();
            object["value"] = facts.value.clone();
            object["fair"] = facts.is_fair.into();
            object["plies"] = facts.plies.into();
            object["won"] = facts.share(facts.won).into();
            object["lost"] = facts.share(facts.lost).into();
            object["drawn"] = facts.share(facts.drawn).into();
            object["endless"] = facts.share(facts.endless).into();
            object["choices"] = facts.choices.into();
            object["edge"] = facts.edge.into();
            object["draws"] = facts.draws.into();
        }
        object
    }

    /// Whether some positions are draws by the rules.
    fn has_draws(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| facts.drawn > 0)
    }

    /// The cells of a line, the rule options first.
    fn cells(&self) -> Vec<String> {
        let mut cells: Vec<String> =
            self.settings.iter().map(|(_, value)| value.to_string()).collect();
        let Some(facts) = &self.facts else {
            let columns = cells.len() + HEADS.len();
            cells.push("too large".to_owned());
            cells.resize(columns, String::new());
            return cells;
        };
        let percent = |count: usize| format!("{:.1}", 100.0 * facts.share(count));
        cells.extend([
            facts.states.to_string(),
            facts
                .value
                .as_f64()
                .map_or_else(|| facts.value.as_str().unwrap_or_default().to_owned(), signed),
            facts.plies.map_or("-".to_owned(), |plies| plies.to_string()),
            percent(facts.won),
            percent(facts.lost),
            percent(facts.endless),
            format!("{:.2}", facts.choices),
            facts.edge.map_or("-".to_owned(), signed),
            facts.draws.map_or("-".to_owned(), |draws| format!("{:.1}", 100.0 * draws.max(0.0))),
            percent(facts.drawn),
        ]);
        cells
    }
}

/// The last column tells of draws by the rules, and is left out of the table where there are none.
const HEADS: [&str; 10] = [
    "positions found",
    "start",
    "plies",
    "won %",
    "lost %",
    "endless %",
    "choices",
    "edge",
    "draws %",
    "drawn %",
];

impl Facts {
    fn of(solved: Solved, turns: usize) -> Result<Self, Cancelled> {
        let start = solved.graph().start();
        let mut facts = Self {
            states: 0,
            value: Json::Null,
            is_fair: false,
            plies: None,
            won: 0,
            lost: 0,
            drawn: 0,
            endless: 0,
            choices: 0.0,
            edge: None,
            draws: None,
        };
        match solved.answer() {
            Answer::Alternating(solution) => {
                let value = solution.value(start);
                facts.value = value.word().into();
                facts.is_fair = value.is_even();
                facts.plies = value.plies();
            }
            Answer::Simultaneous { solution, .. } => {
                let (value, error) = solution.bounds.value(start as usize);
                facts.value = value.into();
                facts.is_fair = value.abs() <= error;
            }
        }
        facts.count(&solved);
        if facts.states <= MOST_PLAYED {
            let solved = Arc::new(solved);
            let equal = Policy::new(EQUALS, Arc::clone(&solved));
            let result = versus(&solved, Both::new(&equal, &equal), turns, &Unwatched)?;
            facts.edge = Some(result.score(Side::One) - 0.5);
            facts.draws = Some(result.draw);
        }
        Ok(facts)
    }

    fn count(&mut self, solved: &Solved) {
        for node in solved.reached().iter() {
            self.states += 1;
            match words::class(solved, node) {
                Class::Won => self.won += 1,
                Class::Lost => self.lost += 1,
                Class::Drawn => self.drawn += 1,
                Class::Endless => self.endless += 1,
            }
        }
        let (choosing, choices) = match solved.answer() {
            Answer::Alternating(solution) => (self.states - solution.finished(), solution.turns()),
            Answer::Simultaneous { game, reached, .. } => {
                reached.iter().fold((0, 0), |sum, node| {
                    match &game.nodes[node as usize] {
                        Stage::Over(_) => sum,
                        // Who has one choice only, has none.
                        Stage::Open { columns: 1, next } => (sum.0 + 1, sum.1 + next.len()),
                        Stage::Open { columns, next } => {
                            (sum.0 + 2, sum.1 + next.len() / columns + columns)
                        }
                    }
                })
            }
        };
        self.choices = precise(choices) / precise(choosing).max(1.0);
    }

    fn share(&self, count: usize) -> f64 {
        precise(count) / precise(self.states)
    }
}

#[allow(clippy::cast_precision_loss)] // counts of positions stay far below 2^53
const fn precise(count: usize) -> f64 {
    count as f64
}

fn heads(entry: &Entry) -> Vec<String> {
    entry.options.iter().map(|option| option.name).chain(HEADS).map(str::to_owned).collect()
}

fn table(entry: &Entry, findings: &[Finding], turns: usize) -> String {
    let mut rows = vec![heads(entry)];
    rows.extend(findings.iter().map(Finding::cells));
    if !findings.iter().any(Finding::has_draws) {
        for row in &mut rows {
            row.pop();
        }
    }
    let text = aligned(&rows);
    let legend = format!(
        "start: for whoever starts; edge: what moving first adds to the score between two {EQUALS} players;\n\
         draws: their games that are drawn, at the latest after {turns} turns.\n"
    );
    let none = if findings.is_empty() { "No variant fits.\n" } else { "" };
    format!("{text}{none}\n{legend}")
}

/// A number with its sign, to three places; what rounds to nothing has none to lose.
fn signed(number: f64) -> String {
    let text = format!("{number:+.3}");
    if text == "-0.000" { "+0.000".to_owned() } else { text }
}

/// Rows under each other, every column as wide as its widest cell.
pub(super) fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| rows.iter().map(|row| columns::width(&row[column])).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells: Vec<String> =
            row.iter().zip(&widths).map(|(cell, width)| columns::pad_start(cell, *width)).collect();
        cells.join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

fn csv(entry: &Entry, findings: &[Finding]) -> String {
    let names = entry.options.iter().map(|option| option.name).chain([
        "states", "value", "plies", "won", "lost", "endless", "choices", "edge", "draws", "drawn",
    ]);
    let mut text = names.collect::<Vec<&str>>().join(",") + "\n";
    for finding in findings {
        let cells: Vec<String> = finding
            .cells()
            .into_iter()
            .map(|cell| if cell == "-" { String::new() } else { cell })
            .collect();
        text += &(cells.join(",") + "\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sixth::SIX_GAMES;

    #[test]
    fn a_game_that_the_rules_can_end_in_a_draw_is_fair_and_has_a_column_for_it() {
        let entry = SIX_GAMES.find("last-stone").unwrap();
        let found = |rules: &[&str]| {
            let settings = Settings::parse(entry.options, rules.iter().copied()).unwrap();
            Finding::of(entry, &settings, TURNS).unwrap()
        };
        let drawn = found(&["stones=4", "winner=most"]);
        let object = drawn.object(entry);
        assert_eq!((&object["value"], &object["fair"]), (&json!("draw"), &json!(true)));
        assert_eq!(object["endless"], 0.0);
        let shares = ["won", "lost", "drawn"].map(|kind| object[kind].as_f64().unwrap());
        assert!(shares[2] > 0.0 && (shares.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{shares:?}");
        assert!(object["draws"].as_f64().unwrap() > 0.0, "games between equals end drawn");
        assert!(table(entry, &[drawn], TURNS).contains("drawn %"));
        assert!(!table(entry, &[found(&[])], TURNS).contains("drawn %"));
    }
}
