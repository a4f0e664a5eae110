//! `skirmish lab GAME`: how rule options change a game, and how the computer levels compare.

mod levels;
mod variants;

use std::sync::Arc;

use anyhow::Result;
use skirmish_play::player::{Level, Policy, versus};
use skirmish_play::{Answer, SolveError, Solved};
use skirmish_present::json::{self, FactsObject, FindingObject, VariantObject, WordOr};
use skirmish_present::words::{self, ClassCounts};
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
        return Err(usage("expected a game or --levels"));
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
        let objects: Vec<FindingObject> = findings.into_iter().map(|it| it.object(entry)).collect();
        output::print_data_line(json::text(&objects))?;
    } else if args.csv {
        output::print_data(&csv(entry, &findings))?;
    } else {
        output::print(&table(entry, &findings, turns, output::page_width()))?;
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
    /// The advantage of moving first between equals.
    Edge,
}

impl Column {
    fn key(self, finding: &Finding) -> f64 {
        let Some(facts) = &finding.facts else { return f64::INFINITY };
        match self {
            Self::Positions => precise(facts.states),
            Self::Length => facts.plies.map_or(f64::INFINITY, f64::from),
            Self::Endless => facts.endless,
            Self::Choices => facts.choices,
            Self::Edge => facts.edge.map_or(f64::INFINITY, f64::abs),
        }
    }
}

/// The facts about one variant.
struct Finding {
    settings: Settings,
    /// `None` if the variant is too large to solve.
    facts: Option<FactsObject>,
}

/// The level of both players when the advantage of moving first is computed.
const EQUALS: Level = Level::Skilled;

/// R-ALL-2: the turn limit of games between programs.
const TURNS: usize = 200;

/// The advantage of moving first is not computed for larger games.
const MOST_PLAYED: usize = 300_000;

impl Finding {
    fn of(entry: &'static Entry, settings: &Settings, turns: usize) -> Result<Self> {
        let facts = match solving::solve(entry, settings, Side::One) {
            Ok(solved) => Some(facts(solved, turns)?),
            Err(SolveError::TooLarge { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        Ok(Self { settings: settings.clone(), facts })
    }

    /// Whether neither side wins by force.
    fn is_fair(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| facts.fair)
    }

    fn object(self, entry: &Entry) -> FindingObject {
        let Self { settings, facts } = self;
        let variant = VariantObject::of(entry, &settings);
        FindingObject { variant, solved: facts.is_some(), facts }
    }

    /// Whether the rules can end the game in a draw.
    fn has_draws(&self) -> bool {
        self.facts.as_ref().is_some_and(|facts| facts.drawn > 0.0)
    }

    /// The cells of a row, rule options first.
    fn cells(&self) -> Vec<String> {
        let mut cells: Vec<String> =
            self.settings.iter().map(|(_, value)| value.to_string()).collect();
        let Some(facts) = &self.facts else {
            let columns = cells.len() + HEADS.len();
            cells.push("too large".to_owned());
            cells.resize(columns, String::new());
            return cells;
        };
        let percent = |share: f64| format!("{:.1}", 100.0 * share);
        cells.extend([
            facts.states.to_string(),
            match facts.value {
                WordOr::Word(word) => word.to_owned(),
                WordOr::Number(number) => words::points(number),
            },
            facts.plies.map_or("-".to_owned(), |plies| plies.to_string()),
            percent(facts.won),
            percent(facts.lost),
            percent(facts.endless),
            format!("{:.2}", facts.choices),
            facts.edge.map_or("-".to_owned(), |edge| words::signed(edge, 3)),
            facts.draws.map_or("-".to_owned(), |draws| format!("{:.1}", 100.0 * draws.max(0.0))),
            percent(facts.drawn),
        ]);
        cells
    }
}

/// The headings. The last column, draws by the rules, is omitted if there are none.
const HEADS: [&str; 10] =
    ["found", "start", "plies", "won", "lost", "endless", "choices", "edge", "draws", "drawn"];

/// The facts about a variant. The value of the start is for the side that starts, or Player 1 in a simultaneous game.
fn facts(solved: Solved, turns: usize) -> Result<FactsObject, Cancelled> {
    let start = solved.graph().start();
    let fair = match solved.answer() {
        Answer::Alternating(solution) => solution.value(start).is_even(),
        Answer::Simultaneous { solution, .. } => {
            let (value, error) = solution.bounds.value(start as usize);
            value.abs() <= error
        }
    };
    let mut counts = ClassCounts::default();
    solved.reached().iter().for_each(|node| counts.add(words::class(&solved, node)));
    let states = counts.total() as usize;
    let share = |count: u32| f64::from(count) / precise(states);
    let (value, plies) = json::value(&solved, start);
    let choices = choices(&solved, states);
    let play = || {
        let solved = Arc::new(solved);
        solved.prepare_players(&Unwatched)?;
        let equal = Policy::new(EQUALS, Arc::clone(&solved));
        versus(&solved, Both::new(&equal, &equal), turns, &Unwatched)
    };
    let equals = (states <= MOST_PLAYED).then(play).transpose()?;
    Ok(FactsObject {
        states,
        value,
        fair,
        plies,
        won: share(counts.won),
        lost: share(counts.lost),
        drawn: share(counts.drawn),
        endless: share(counts.endless),
        choices,
        edge: equals.as_ref().map(|result| result.score(Side::One) - 0.5),
        draws: equals.map(|result| result.draw),
    })
}

/// The mean number of choices of a side that has a choice.
fn choices(solved: &Solved, states: usize) -> f64 {
    let (choosing, choices) = match solved.answer() {
        Answer::Alternating(solution) => (states - solution.finished(), solution.turns()),
        Answer::Simultaneous { game, reached, .. } => {
            reached.iter().fold((0, 0), |sum, node| {
                match &game.nodes[node as usize] {
                    Stage::Over(_) => sum,
                    // A single choice is no choice.
                    Stage::Open { columns: 1, next } => (sum.0 + 1, sum.1 + next.len()),
                    Stage::Open { columns, next } => {
                        (sum.0 + 2, sum.1 + next.len() / columns + columns)
                    }
                }
            })
        }
    };
    precise(choices) / precise(choosing).max(1.0)
}

#[allow(clippy::cast_precision_loss)] // counts of positions stay far below 2^53
const fn precise(count: usize) -> f64 {
    count as f64
}

fn heads(entry: &Entry) -> Vec<String> {
    entry.options.iter().map(|option| option.name).chain(HEADS).map(str::to_owned).collect()
}

/// The findings for people, in lines of at most `width` columns. Rule options that all variants share are named once.
fn table(entry: &Entry, findings: &[Finding], turns: usize, width: usize) -> String {
    let mut rows = vec![heads(entry)];
    rows.extend(findings.iter().map(Finding::cells));
    if !findings.iter().any(Finding::has_draws) {
        for row in &mut rows {
            row.pop();
        }
    }
    let options = entry.options.len();
    let is_varied =
        |column: usize| rows[2.min(rows.len())..].iter().any(|row| row[column] != rows[1][column]);
    let (varied, shared): (Vec<usize>, Vec<usize>) =
        (0..options).partition(|&column| is_varied(column));
    let mut title = entry.name.to_owned();
    if !findings.is_empty() && !shared.is_empty() {
        let shared =
            shared.iter().map(|&column| format!("{}={}", rows[0][column], rows[1][column]));
        title = format!("{title}: {}", shared.collect::<Vec<String>>().join(", "));
    }
    for row in &mut rows {
        let kept = varied.iter().copied().chain(options..row.len());
        *row = kept.map(|column| row[column].clone()).collect();
    }
    let text = match findings {
        [] => "No variant matches.\n".to_owned(),
        _ => output::fitted(&rows, varied.len(), width),
    };
    let drawn = if findings.iter().any(Finding::has_draws) { ", drawn" } else { "" };
    let legend = format!(
        "found: how many positions can arise; start: for the side that starts; won, lost, endless{drawn}: positions, \
         in percent; edge: what moving first adds to the score between two {EQUALS} players; draws: their games that \
         end in a draw, at the latest after {turns} turns, in percent."
    );
    let lines = |text: &str| columns::wrap(text, width.min(80)).join("\n");
    format!("{}\n\n{text}\n{}\n", lines(&title), lines(&legend))
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
    use skirmish_rules::OptionKind;

    use super::*;
    use crate::sixth::SIX_GAMES;

    #[test]
    fn draws_by_the_rules_make_a_game_fair_and_add_a_column() {
        let entry = SIX_GAMES.find("last-stone").unwrap();
        let found = |rules: &[&str]| {
            let settings = Settings::parse(entry.options, rules.iter().copied()).unwrap();
            Finding::of(entry, &settings, TURNS).unwrap()
        };
        let drawn = found(&["stones=4", "winner=most"]);
        let object = drawn.facts.as_ref().unwrap();
        assert_eq!((&object.value, object.fair), (&WordOr::Word("draw"), true));
        let shares = [object.won, object.lost, object.drawn, object.endless];
        assert!(
            shares[2] > 0.0 && shares[3] <= 0.0 && (shares.iter().sum::<f64>() - 1.0).abs() < 1e-12,
            "{shares:?}"
        );
        assert!(object.draws.unwrap() > 0.0, "games between equals end drawn");
        assert!(table(entry, &[drawn], TURNS, 80).contains("draws  drawn"));
        assert!(!table(entry, &[found(&[])], TURNS, 80).contains("drawn"));
    }

    #[test]
    fn every_table_fits_80_columns_whatever_is_varied() {
        for entry in SIX_GAMES.iter() {
            let settings = Settings::defaults(entry.options);
            let mut finding = Finding::of(entry, &settings, TURNS).unwrap();
            // As wide as numbers get.
            let facts = finding.facts.as_mut().unwrap();
            (facts.states, facts.drawn, facts.won) = (4_294_967_295, 1.0, 1.0);
            (facts.lost, facts.endless, facts.plies) = (1.0, 1.0, Some(10_000));
            // A variant that differs in every option.
            let other = entry.options.iter().fold(settings, |settings, option| {
                let changed = |value: String| {
                    let mut changed = settings.clone();
                    changed.set(&format!("{}={value}", option.name)).is_ok().then_some(changed)
                };
                let values: Vec<String> = match option.kind {
                    OptionKind::Word(words) => {
                        words.iter().map(|(word, _)| (*word).to_owned()).collect()
                    }
                    OptionKind::Number { max, .. } => vec![max.to_string()],
                };
                values.into_iter().rev().find_map(changed).unwrap_or(settings)
            });
            let facts = finding.facts.clone();
            let findings = [
                finding,
                Finding { settings: other.clone(), facts },
                Finding { settings: other, facts: None },
            ];
            for width in [80, 120, 200] {
                let text = table(entry, &findings, TURNS, width);
                for line in text.lines() {
                    assert!(columns::width(line) <= width, "{width}: {line}\n{text}");
                }
            }
        }
    }
}
