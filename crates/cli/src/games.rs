//! `skirmish games` and `skirmish rules GAME`: the catalogue.

use anyhow::Result;
use skirmish_play::driver::SOLUTION;
use skirmish_present::json::{self, GameObject, RulesObject};
use skirmish_rules::{Catalog, Entry, RulesParts};
use skirmish_store::{as_started, command};

use crate::args::{RulesArgs, RulesPart};
use crate::exit::Exit;
use crate::line::Console;
use crate::{lookup, output};

pub(crate) fn list(catalog: Catalog, json: bool) -> Result<Exit> {
    if json {
        let games: Vec<GameObject> = catalog.iter().map(GameObject::from).collect();
        output::print_data_line(json::text(&games))?;
        return Ok(Exit::Done);
    }
    for entry in catalog.iter() {
        output::print_line(format_args!("{:<22} {}", entry.id, entry.summary))?;
    }
    let (play, rules) = (command("play GAME"), command("rules GAME"));
    output::print_line(format_args!("\nPlay one: {play}. How it is played: {rules}."))?;
    Ok(Exit::Done)
}

pub(crate) fn explain(catalog: Catalog, args: &RulesArgs) -> Result<Exit> {
    let entry = lookup::game(catalog, &args.game)?;
    if args.json {
        output::print_data_line(json::text(&RulesObject::from(entry)))?;
        return Ok(Exit::Done);
    }
    let RulesParts { basics, details, solution } = rules_parts(entry);
    let parts = match args.part {
        Some(RulesPart::Solution) => vec![solution],
        Some(RulesPart::All) => vec![basics, details, solution],
        None => {
            let ask = command(&format!("rules {} {SOLUTION}", entry.id));
            vec![basics, with_pointer(&details, &solution, &ask)]
        }
    };
    Console::open().pages(&parts)?;
    Ok(Exit::Done)
}

/// The output of `rules` during a game: the rules without the solution, or only the solution.
pub(crate) fn rules_in_game(entry: &Entry, is_solution: bool) -> Vec<String> {
    let RulesParts { basics, details, solution } = rules_parts(entry);
    if is_solution {
        let unknown = || "The rules do not say who wins with best play.".to_owned();
        return vec![if solution.is_empty() { unknown() } else { solution }];
    }
    vec![basics, with_pointer(&details, &solution, &format!("rules {SOLUTION}"))]
}

/// The rules, with commands that work as printed.
fn rules_parts(entry: &Entry) -> RulesParts {
    let parts = entry.rules_parts();
    RulesParts { details: as_started(&parts.details), ..parts }
}

/// The details of the rules, with a pointer to the solution if there is one.
fn with_pointer(details: &str, solution: &str, ask: &str) -> String {
    if solution.is_empty() {
        return details.to_owned();
    }
    format!("{details}\n\nTo find out who wins with best play: {ask}")
}
