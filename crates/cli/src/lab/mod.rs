//! `skirmish lab GAME`: how rule options change a game, and how the computer levels compare.

mod levels;
mod table;
mod variants;

use std::sync::Arc;

use anyhow::Result;
use skirmish_play::player::{Level, Policy, versus};
use skirmish_play::{Answer, SolveError, Solved};
use skirmish_present::json::{self, FactsObject, FindingObject, VariantObject};
use skirmish_present::words::{self, ClassCounts};
use skirmish_rules::{Both, Cancelled, Catalog, Entry, Settings, Side, Unwatched};
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
        output::print_data(&table::csv(entry, &findings))?;
    } else {
        output::print(&table::text(entry, &findings, turns, output::page_width()))?;
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
}

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
        edge: equals.as_ref().map(|result| result.edge()),
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
                    // Only one side has a real choice: the other side's single choice is not counted.
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

#[cfg(test)]
mod tests {
    use skirmish_present::json::WordOr;

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
        assert!(table::text(entry, &[drawn], TURNS, 80).contains("draws  drawn"));
        assert!(!table::text(entry, &[found(&[])], TURNS, 80).contains("drawn"));
    }
}
