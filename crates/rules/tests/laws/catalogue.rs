//! Tests that games are found by name, and that a sixth game needs only its catalogue entry.

use skirmish_rules::games::base_battle::BaseBattle;
use skirmish_rules::games::capture_and_conquer::CaptureAndConquer;
use skirmish_rules::games::capture_the_line::{self, CaptureTheLine};
use skirmish_rules::games::command_clash::CommandClash;
use skirmish_rules::{
    Catalog, Catalogued, Entry, GAMES, LONGEST_GAME_NAME, LONGEST_SUMMARY, OptionKind, OptionValue,
    Outcome, Record, Settings, Setup, SetupError, Side, Submitted, Table,
};

use crate::sixth::SIX_GAMES;

#[test]
fn every_name_and_summary_is_well_formed_and_fits() {
    for Entry { id, name, summary, .. } in SIX_GAMES.iter() {
        let is_word = |word: &str| {
            !word.is_empty() && word.chars().all(|letter| letter.is_ascii_alphanumeric())
        };
        assert!(name.split(' ').all(is_word), "{name} is not words of ASCII letters and digits");
        assert_eq!(*id, name.to_lowercase().replace(' ', "-"), "the ID follows from the name");
        assert!(name.len() <= LONGEST_GAME_NAME, "{name} is longer than {LONGEST_GAME_NAME}");
        let length = summary.chars().count();
        assert!(length <= LONGEST_SUMMARY, "{name}: {length} characters, not {LONGEST_SUMMARY}");
        assert!(summary.ends_with('.') && !summary.contains('\n'), "{name}: {summary}");
    }
}

#[test]
fn every_game_is_found_by_its_id_and_its_name() {
    for entry in SIX_GAMES.iter() {
        for name in [entry.id, entry.name, &entry.name.to_uppercase(), &entry.id.replace('-', "_")]
        {
            assert_eq!(SIX_GAMES.find(name).unwrap().id, entry.id, "{name}");
        }
    }
}

#[test]
fn a_game_is_found_by_a_unique_prefix() {
    // Another game may share a prefix with these.
    let games = Catalog(
        const {
            &[
                BaseBattle::ENTRY,
                CommandClash::ENTRY,
                CaptureAndConquer::ENTRY,
                CaptureTheLine::ENTRY,
            ]
        },
    );
    for (name, id) in [
        ("base", "base-battle"),
        ("command cl", "command-clash"),
        ("capture the", "capture-the-line"),
        ("capture-a", "capture-and-conquer"),
        ("b", "base-battle"),
    ] {
        assert_eq!(games.find(name).unwrap().id, id, "{name}");
    }
    let message = |name| games.find(name).unwrap_err().to_string();
    assert_eq!(message("capture"), "\"capture\" could be capture-and-conquer or capture-the-line");
    assert_eq!(message("chess"), "there is no game \"chess\"");
    assert_eq!(message(" - "), "there is no game \" - \"");
}

#[test]
fn every_rules_page_lists_every_option_value() {
    for entry in SIX_GAMES.iter() {
        let page = entry.rules_page();
        for option in entry.options {
            let line = format!("- `{}={}`: {}", option.name, option.default(), option.about);
            assert!(page.contains(&line), "{line}\n{page}");
            if let OptionKind::Word(words) = option.kind {
                for (word, meaning) in words {
                    assert!(page.contains(&format!("  - `{word}`: {meaning}")), "{word}\n{page}");
                }
            }
        }
        assert!(page.contains(&format!("`skirmish play {} --rule NAME=VALUE`", entry.id)));
    }
}

#[test]
fn every_option_accepts_its_bounds_and_nothing_beyond() {
    for entry in SIX_GAMES.iter() {
        for option in entry.options {
            let set = |value: u16| {
                let rule = format!("{}={value}", option.name);
                Settings::parse(entry.options, [rule.as_str()])
            };
            let OptionKind::Number { min, max, default, odd } = option.kind else { continue };
            for value in [min, max, default] {
                let (_, found) = set(value.into())
                    .unwrap()
                    .iter()
                    .find(|(set, _)| set.name == option.name)
                    .unwrap();
                assert_eq!(found, OptionValue::Number(value));
            }
            assert!(set(u16::from(min) - 1).is_err(), "{} below {min}", option.name);
            assert!(set(u16::from(max) + 1).is_err(), "{} above {max}", option.name);
            assert_eq!(set(u16::from(min) + 1).is_err(), odd, "{}", option.name);
        }
    }
}

#[test]
fn a_table_is_opened_only_with_rule_options_of_its_own() {
    for entry in SIX_GAMES.iter() {
        for other in SIX_GAMES.iter() {
            let settings = Settings::defaults(other.options);
            let opened = entry.open(Setup { settings: settings.clone(), ..entry.setup() });
            match opened {
                Ok(table) => assert_eq!(table.settings(), &entry.setup().settings),
                Err(SetupError::Settings { game, .. }) => {
                    assert_eq!(game, entry.id);
                    assert_ne!(settings, entry.setup().settings, "{}", other.id);
                }
                Err(error) => panic!("{error}"),
            }
        }
    }
    // The same option names are not enough: an even line has no centre.
    let [conquer, line] =
        ["capture-and-conquer", "capture-the-line"].map(|id| GAMES.find(id).expect("it exists"));
    let settings = Settings::parse(conquer.options, ["positions=10"]).expect("it is possible");
    let error = line.open(Setup { settings, ..line.setup() }).err().expect("it is refused");
    let told = "these are not the rule options of capture-the-line: it has positions and steps";
    assert_eq!(error.to_string(), told);
}

#[test]
fn typed_options_have_the_same_bounds_as_words() {
    let error = |positions| {
        let options = capture_the_line::Options { positions, ..Default::default() };
        CaptureTheLine::new(options).err().map(|error| error.to_string())
    };
    assert_eq!(error(9), None);
    let message = "positions=10 is not possible: expected an odd number from 3 to 255";
    assert_eq!(error(10).as_deref(), Some(message));
}

#[test]
fn the_sixth_game_is_played_recorded_and_explained_like_the_others() {
    let entry = SIX_GAMES.find("last stone").unwrap();
    let mut table = entry.open(entry.setup()).unwrap();
    assert_eq!(table.prompt(Side::One).ask, "Player 1, how many stones (1 or 2)? ");
    for turn in ["2", "2", "1", "1"] {
        table.play(turn).unwrap();
    }
    let refusal = table.submit(Side::One, "2").unwrap_err();
    assert_eq!(refusal.to_string(), "There is only 1 stone left. Enter take 1.");
    assert_eq!(table.submit(Side::One, "t 1"), Ok(Submitted::Turn));
    assert_eq!(table.outcome(), Some(Outcome::Won(Side::One)));
    assert_eq!(
        table.report(80),
        "Player 1 takes 1 stone.\nPlayer 1 has taken the last stone and wins!\nStones left: 0"
    );

    let text = Record::of(&*table).to_string();
    assert!(Record::parse(&text, SIX_GAMES).is_ok());
    assert!(Record::parse(&text, GAMES).is_err(), "it is not in the catalogue");
    assert_eq!(
        entry.rules_page(),
        "# Last Stone\n\nTake one stone or two. The last one wins.\n\n## Rule options\n\n\
         - `stones=7`: The number of stones on the pile.\n  \
         It can be a whole number from 1 to 50.\n\
         - `winner=last`: Who wins when the pile is empty.\n  \
         - `last`: Whoever took the last stone.\n  \
         - `most`: Whoever has taken most; nobody if both have taken the same.\n\n\
         To play with another value: `skirmish play last-stone --rule NAME=VALUE`.\n"
    );
}

/// Opens a table at a position.
fn from_position(game: &str, position: &str) -> Box<dyn Table> {
    let entry = GAMES.find(game).unwrap();
    entry.open(Setup { position: Some(position.to_owned()), ..entry.setup() }).unwrap()
}

#[test]
fn a_move_can_be_typed_in_several_ways() {
    for (game, position, texts, notation) in [
        (
            "base-battle",
            "3/8/1",
            &["2", "move 2", "Forward 2", "move forward 2", "move 3 to 5"][..],
            "2",
        ),
        ("capture-and-conquer", "0/10/2", &["move 1", "forward 1", "move 10 to 9"], "1"),
        ("capture-the-line", "3/9/1", &["move 2", "forward 2", "move 3 to 5"], "2"),
        ("command-line-conquer", "0/10/2", &["m10", "move 10", "move 10 to 9", "m 10"], "m10"),
    ] {
        for text in texts {
            let mut table = from_position(game, position);
            let side = table.turn()[0];
            table.submit(side, text).unwrap_or_else(|error| panic!("{game}: {text}: {error}"));
            assert_eq!(table.history(), [notation], "{game}: {text}");
        }
    }
    let mut table = from_position("command-line-conquer", "0/10/2");
    assert!(table.submit(Side::Two, "move 10 to 8").is_err(), "units move one position");
}
