//! `skirmish games` and `skirmish rules GAME`: the catalogue.

use anyhow::Result;
use skirmish_present::json::{self, GameObject, RulesObject};
use skirmish_rules::Catalog;

use crate::exit::Exit;
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
    output::print_line("\nPlay one: skirmish play GAME. How it is played: skirmish rules GAME.")?;
    Ok(Exit::Done)
}

pub(crate) fn explain(catalog: Catalog, game: &str, json: bool) -> Result<Exit> {
    let entry = lookup::game(catalog, game)?;
    if json {
        let object = RulesObject { game: entry.into(), text: entry.rules_page() };
        output::print_data_line(json::text(&object))?;
    } else {
        output::print(&output::prose(&entry.rules_page()))?;
    }
    Ok(Exit::Done)
}
