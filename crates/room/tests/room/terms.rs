//! Canonical terms, and which terms can be rated.

use skirmish_room::{RuleValue, SideWish, Terms, TermsError};
use skirmish_rules::{GAMES, OptionKind, OptionValue, Settings};

fn word(text: &str) -> RuleValue {
    RuleValue::Word(text.to_owned())
}

fn with(game: &str, rules: &[(&str, RuleValue)]) -> Terms {
    let entry = GAMES.find("base-battle").expect("the game exists");
    let rules = rules.iter().map(|(name, value)| ((*name).to_owned(), value.clone()));
    Terms { game: game.to_owned(), rules: rules.collect(), ..Terms::new(entry) }
}

fn canonical(terms: &Terms) -> Terms {
    terms.canonical(&terms.proposal(GAMES).expect("the terms are possible"))
}

#[test]
fn the_same_options_in_other_words_are_the_same_terms() {
    let number = RuleValue::Number(13);
    let plain = canonical(&with("base-battle", &[("positions", number.clone())]));
    for other in [
        with("Base Battle", &[("positions", number.clone())]),
        with("base-b", &[("positions", word("13"))]),
        with("base-battle", &[("positions", number.clone()), ("steps", word("3"))]),
    ] {
        assert_ne!(other, plain, "the spelling differs");
        assert_eq!(canonical(&other), plain, "{other:?}");
    }
    assert_ne!(canonical(&with("base-battle", &[("positions", word("12"))])), plain);
    assert_eq!(canonical(&plain), plain, "it is in one form already");
}

/// A preset becomes the options it stands for, and an option at its default value is omitted.
#[test]
fn presets_and_usual_values_are_resolved_in_every_game() {
    let mut presets = 0;
    for entry in GAMES.iter() {
        let bare = Terms::new(entry);
        let usual = Settings::defaults(entry.options);
        let spelled = usual.iter().map(|(option, value)| {
            let value = match value {
                OptionValue::Number(number) => word(&number.to_string()),
                OptionValue::Word(name) => word(name),
            };
            (option.name.to_owned(), value)
        });
        let spelled = Terms { rules: spelled.collect(), ..bare.clone() };
        assert_eq!(canonical(&spelled), bare, "{}", entry.id);
        for preset in entry.presets {
            let named = Terms { preset: Some(preset.name.to_owned()), ..bare.clone() };
            let rules = preset.rules.split_whitespace().map(|rule| {
                let (name, value) = rule.split_once('=').expect("an option and its value");
                (name.to_owned(), word(value))
            });
            let spelled = Terms { rules: rules.collect(), ..bare.clone() };
            assert_eq!(canonical(&named), canonical(&spelled), "{}", preset.name);
            presets += 1;
        }
    }
    assert!(presets > 0);
}

#[test]
fn any_unusual_option_makes_a_game_unrated() {
    for entry in GAMES.iter() {
        let rated = Terms { rated: true, ..Terms::new(entry) };
        assert_eq!(rated.proposal(GAMES).err(), None, "{}", entry.id);
        let usual = Settings::defaults(entry.options);
        for (option, value) in usual.iter() {
            let others: Vec<String> = match &option.kind {
                OptionKind::Number { min, max, .. } => {
                    (*min..=*max).map(|it| it.to_string()).collect()
                }
                OptionKind::Word(words) => {
                    words.iter().map(|(name, _)| (*name).to_owned()).collect()
                }
            };
            let rules = |text: &str| [(option.name.to_owned(), word(text))].into();
            for text in others {
                let unrated = Terms { rules: rules(&text), ..Terms::new(entry) };
                if unrated.proposal(GAMES).is_err() {
                    continue;
                }
                let is_usual = value.to_string() == text;
                let expected = (!is_usual).then_some(TermsError::Unrateable);
                let terms = Terms { rules: rules(&text), ..rated.clone() };
                let refused = terms.proposal(GAMES).err();
                assert_eq!(refused, expected, "{}: {}={text}", entry.id, option.name);
            }
        }
        for terms in [
            Terms { max_turns: Some(500), ..rated.clone() },
            Terms { hints: true, ..rated.clone() },
            Terms { level: Some("novice".to_owned()), ..rated.clone() },
            Terms { first: Some(SideWish::P1), ..rated.clone() },
        ] {
            assert_eq!(terms.proposal(GAMES).err(), Some(TermsError::Unrateable), "{terms:?}");
        }
    }
}
