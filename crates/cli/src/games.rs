//! `skirmish games` and `skirmish rules GAME`: the catalogue.

use anyhow::Result;
use serde_json::{Value, json};
use skirmish_rules::{Catalog, Entry, Kind, Preset, RuleOption, Starter};

use crate::exit::Exit;
use crate::{lookup, output};

pub(crate) fn list(catalog: Catalog, json: bool) -> Result<Exit> {
    if json {
        let games: Vec<Value> = catalog.iter().map(describe).collect();
        output::print_data_line(Value::from(games))?;
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
        let mut object = describe(entry);
        object["text"] = entry.rules_page().into();
        output::print_data_line(object)?;
    } else {
        output::print(&entry.rules_page())?;
    }
    Ok(Exit::Done)
}

fn describe(entry: &Entry) -> Value {
    json!({
        "game": entry.id,
        "name": entry.name,
        "summary": entry.summary,
        "starts": match entry.starter {
            Starter::PlayerOne => "p1",
            Starter::Toss => "toss",
            Starter::Nobody => "nobody",
        },
        "options": entry.options.iter().map(option).collect::<Vec<Value>>(),
        "presets": entry.presets.iter().map(preset).collect::<Vec<Value>>(),
    })
}

fn preset(preset: &Preset) -> Value {
    json!({ "name": preset.name, "rules": preset.rules, "about": preset.about })
}

fn option(option: &RuleOption) -> Value {
    match option.kind {
        Kind::Number { min, max, default, odd } => json!({
            "name": option.name,
            "about": option.about,
            "default": default,
            "min": min,
            "max": max,
            "odd": odd,
        }),
        Kind::Word(words) => json!({
            "name": option.name,
            "about": option.about,
            "default": words[0].0,
            "values": words.iter().map(|(word, _)| *word).collect::<Vec<&str>>(),
        }),
    }
}
