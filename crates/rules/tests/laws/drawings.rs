//! Tests that every game's drawings are valid and used, and that effects belong to existing kinds of events.

use std::collections::BTreeSet;

use skirmish_rules::{Entry, GAMES, Gallery, Pose, Size};

use crate::dice::Dice;
use crate::sixth::SIX_GAMES;

/// The kinds of events in some random games.
fn kinds(entry: &Entry) -> BTreeSet<&'static str> {
    let mut dice = Dice::new(13);
    let mut kinds = BTreeSet::new();
    for _ in 0..100 {
        let mut table = entry.open(entry.setup()).unwrap();
        let first = table.choices(table.turn()[0]);
        while table.outcome().is_none() && table.turns_played() < 200 {
            for side in table.turn() {
                // Occasionally try a move that was legal at the start, which may be shortened.
                let wanted = &dice.pick(&first).notation;
                if table.submit(side, wanted).is_err() {
                    let choices = table.choices(side);
                    table.submit(side, &dice.pick(&choices).notation).unwrap();
                }
            }
            kinds.extend(table.last_turn().iter().map(|telling| telling.kind));
        }
    }
    kinds
}

#[test]
fn every_drawing_is_used_and_every_effect_belongs_to_an_event() {
    let drawn: Vec<(&Entry, &str)> =
        GAMES.iter().filter_map(|entry| Some((entry, entry.drawings?))).collect();
    assert!(!drawn.is_empty(), "there are games with drawings");
    for (entry, text) in drawn {
        let Gallery { piece, base, goal, effects, drawings } =
            Gallery::parse(text).unwrap_or_else(|error| panic!("{}: {error}", entry.id));
        assert!(piece.is_some(), "{}", entry.id);
        let names = effects.iter().map(|(_, name)| name);
        let used: BTreeSet<&String> =
            [&piece, &base, &goal].into_iter().flatten().chain(names).collect();
        for drawing in &drawings {
            let name = &drawing.name;
            assert!(used.contains(name), "{}: {name} is not used", entry.id);
            let is_drawn = |size| drawing.has(Pose::Stand, size);
            assert!(Size::ALL.into_iter().all(is_drawn), "{}: {name} lacks a size", entry.id);
        }
        let kinds = kinds(entry);
        for (kind, _) in &effects {
            assert!(kinds.contains(kind.as_str()), "{}: {kind} is not among {kinds:?}", entry.id);
        }
    }
}

#[test]
fn a_game_without_drawings_has_an_empty_gallery() {
    let entry = SIX_GAMES.find("last-stone").unwrap();
    assert_eq!(entry.gallery(), Gallery::default());
}
