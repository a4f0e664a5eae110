//! `skirmish lab --levels`: the exact scores of the computer levels against each other.

use std::sync::Arc;

use anyhow::Result;
use skirmish_play::Solved;
use skirmish_play::player::{Level, Policy, best_against, versus};
use skirmish_present::json::{self, LevelsObject};
use skirmish_present::words;
use skirmish_rules::{Both, Cancelled, Catalog, Entry, Side, Unwatched};

use super::TURNS;
use crate::args::LabArgs;
use crate::exit::Exit;
use crate::{lookup, output, solving};

pub(super) fn run(args: &LabArgs, catalog: Catalog) -> Result<Exit> {
    let entries: Vec<&'static Entry> = match &args.game {
        Some(game) => vec![lookup::game(catalog, game)?],
        None => catalog.iter().collect(),
    };
    let turns = args.max_turns.map_or(TURNS, |turns| turns as usize);
    let mut objects = Vec::new();
    for entry in entries {
        let settings = lookup::settings(entry, &args.options)?;
        let solved = Arc::new(solving::solve(entry, &settings, Side::One)?);
        solved.prepare_players(&Unwatched)?;
        let cross = CrossTable::of(&solved, turns)?;
        if args.json {
            objects.push(cross.object(entry));
        } else {
            output::print(&format!(
                "{}\n{}\n",
                words::game(entry, &settings),
                cross.text(output::page_width())
            ))?;
        }
    }
    if args.json {
        output::print_data_line(json::text(&objects))?;
    } else {
        output::print_line(output::paragraph(&format!(
            "Each number is the exact average score of the level on the left: 1 for a win, ½ for a draw. It \
             starts, or is Player 1, in half of the games; a game of {turns} turns is a draw. The last column is \
             the highest possible score against that level."
        )))?;
    }
    Ok(Exit::Done)
}

struct CrossTable {
    /// Each level's score against each level.
    scores: Vec<Vec<f64>>,
    /// The highest possible score against each level.
    best: Vec<f64>,
}

impl CrossTable {
    fn of(solved: &Arc<Solved>, turns: usize) -> Result<Self, Cancelled> {
        let policies = Level::ALL.map(|level| Policy::new(level, Arc::clone(solved)));
        let score = |one: &Policy, two: &Policy| {
            let starting = versus(solved, Both::new(one, two), turns, &Unwatched)?;
            let following = versus(solved, Both::new(two, one), turns, &Unwatched)?;
            Ok(f64::midpoint(starting.score(Side::One), following.score(Side::Two)))
        };
        let scores = policies
            .iter()
            .map(|one| policies.iter().map(|two| score(one, two)).collect())
            .collect::<Result<_, Cancelled>>()?;
        let best = policies
            .iter()
            .map(|policy| {
                let as_side = |side| best_against(solved, policy, side, turns, &Unwatched);
                Ok(f64::midpoint(as_side(Side::One)?, as_side(Side::Two)?))
            })
            .collect::<Result<_, Cancelled>>()?;
        Ok(Self { scores, best })
    }

    fn text(&self, width: usize) -> String {
        let mut rows = vec![vec![String::new()]];
        rows[0].extend(Level::ALL.map(|level| level.to_string()));
        rows[0].push("best against it".to_owned());
        for (level, (scores, best)) in Level::ALL.iter().zip(self.scores.iter().zip(&self.best)) {
            let mut row = vec![level.to_string()];
            row.extend(scores.iter().chain([best]).map(|score| format!("{score:.3}")));
            rows.push(row);
        }
        output::fitted(&rows, 1, width)
    }

    fn object(&self, entry: &Entry) -> LevelsObject {
        let levels = Level::ALL.map(Level::name);
        let row = |scores: &Vec<f64>| levels.into_iter().zip(scores.iter().copied()).collect();
        let scores = levels.into_iter().zip(self.scores.iter().map(row)).collect();
        LevelsObject { game: entry.id, scores, best: row(&self.best) }
    }
}
