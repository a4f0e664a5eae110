//! Tests that words and JSON agree about a position.

use serde_json::{Value as Json, json};
use skirmish_play::{Analysis, Budget, Chance, Solved};
use skirmish_rules::{
    Entry, OptionKind, Record, Settings, Setup, Side, Table, Unwatched, default_names,
};

use crate::sixth::SIX_GAMES;
use crate::{Manner, json, review, words};

fn solved(game: &str, rules: &[&str], budget: Budget) -> Solved {
    let entry = SIX_GAMES.find(game).unwrap();
    let settings = Settings::parse(entry.options, rules.iter().copied()).unwrap();
    let solved = Solved::of(entry, &settings, Side::One, budget, &Unwatched).unwrap();
    solved.prepare_pressures(&Unwatched).unwrap();
    solved
}

/// The analysis of a position, and its JSON.
pub(crate) fn analysed(solved: &Solved, position: &str) -> (Analysis, Json) {
    let analysis = solved.analyse(solved.find(position).unwrap().unwrap());
    let (settings, position) = (solved.settings().clone(), Some(position.to_owned()));
    let setup = Setup { settings, first: Side::One, names: default_names(), position };
    let table = solved.entry().open(setup).unwrap();
    let object = json::AnalysisObject::of(&*table, analysis.clone());
    (analysis, serde_json::to_value(object).unwrap())
}

/// Calls `each` with every position of random games with random options.
pub(crate) fn random_positions(mut each: impl FnMut(&dyn Table)) {
    /// The number of random games of each kind, and their maximum length.
    const GAMES: u32 = 40;
    const TURNS: usize = 60;
    for entry in SIX_GAMES.iter() {
        for game in 0..GAMES {
            let mut table = entry.open(case(entry, game)).unwrap();
            for turn in 0..TURNS {
                each(&*table);
                for side in table.turn() {
                    let choices = table.choices(side);
                    let number = Chance::from_seed(1).pick(choices.len(), game, turn, side);
                    table.submit(side, &choices[number].notation).unwrap();
                }
            }
        }
    }
}

/// Random rule options, often extreme ones.
fn case(entry: &'static Entry, game: u32) -> Setup {
    let pick =
        |count: usize, number: usize| Chance::from_seed(7).pick(count, game, number, Side::One);
    let value = |number: usize| match entry.options[number].kind {
        OptionKind::Number { min, max, odd, default } => {
            let any = min + u8::try_from(pick(usize::from(max - min), number + 9)).unwrap();
            let value = [min, max, default, any][pick(4, number)];
            if odd && value % 2 == 0 { (value - 1).to_string() } else { value.to_string() }
        }
        OptionKind::Word(words) => words[pick(words.len(), number)].0.to_owned(),
    };
    let rules = (0..entry.options.len())
        .map(|number| format!("{}={}", entry.options[number].name, value(number)));
    let rules: Vec<String> = rules.collect();
    println!("{} {rules:?}", entry.id);
    let settings = Settings::parse(entry.options, rules.iter().map(String::as_str)).unwrap();
    let first = skirmish_play::starter(entry, Side::One).unwrap();
    Setup { settings, first, names: skirmish_rules::default_names(), position: None }
}

#[test]
fn a_draw_by_the_rules_names_who_can_force_it() {
    let budget = Budget { bytes: 1 << 30 };
    let solved = solved("last-stone", &["stones=4", "winner=most"], budget);
    let (analysis, object) = analysed(&solved, "0/0/1");
    assert_eq!(
        words::analysis(&analysis, Some(Side::One), &default_names(), Manner::Usual),
        "Player 1: draw in 2\n  * 1     to 1/0/2        draw in 3\n  * 2     to 2/0/2        \
         draw in 2\nPlayer 1 can force a draw in 2 plies. Player 2 can force a draw in 3 plies.\n\
         Player 1 can steer Player 2 in 1 ply to a position in which a mistake lets Player 1 force a win."
    );
    assert_eq!(object["value"], "draw");
    assert_eq!(object["plies"], 2);
    assert_eq!(object["moves"][0]["value"], "draw");
    assert_eq!(object["forced"], json!({ "mover": 2, "other": 3 }));
    assert_eq!(object["draw"], json!({ "pressure": "other", "plies": 1, "level": 0 }));
    let over = solved.analyse(solved.find("2/2/1").unwrap().unwrap());
    assert_eq!(
        words::analysis(&over, None, &default_names(), Manner::Usual),
        "The side to move: drawn"
    );
}

#[test]
fn without_memory_for_pressure_the_values_remain() {
    // Enough memory to solve the game, but not to classify its endless positions.
    let (game, rules) = ("capture-and-conquer", ["positions=40", "steps=9"]);
    let roomy = solved(game, &rules, Budget { bytes: 1 << 30 });
    let tight = Budget { bytes: 40 * 40 * 2 * 33 };
    let tight = solved(game, &rules, tight);
    let position = "0/39/1";
    let [(analysis, known), (without, unknown)] =
        [&roomy, &tight].map(|solved| analysed(solved, position));
    assert!(analysis.pressure.is_ok());
    let text = words::analysis(&without, Some(Side::One), &default_names(), Manner::Usual);
    assert!(text.contains("Cannot determine who is under pressure: that would need"), "{text}");
    assert_eq!((&known["value"], &known["moves"]), (&unknown["value"], &unknown["moves"]));
    assert_eq!(unknown["draw"], Json::Null);
}

/// Regression: "Nobody gave anything away" used to puzzle the loser of a game of Command Clash.
#[test]
fn a_flawless_simultaneous_game_says_what_a_choice_is_judged_against() {
    let solved = solved("command-clash", &[], Budget { bytes: 1 << 30 });
    let actions = ["charge", "attack", "special", "shield"];
    let gists = actions.map(|action| {
        let text = format!("[Game \"command-clash\"]\n\n1. {action}|{action}\n");
        let record = Record::parse(&text, SIX_GAMES).unwrap();
        let review = skirmish_play::review(&record, &solved);
        (review.turning_point.is_none(), review::gist(&record, &review))
    });
    for (is_flawless, gist) in &gists {
        let explains = gist.contains("a choice is judged against the best mix");
        assert_eq!(*is_flawless, explains, "{gist}");
    }
    assert!(gists.iter().any(|(is_flawless, _)| *is_flawless));
}

#[test]
fn only_what_is_impossible_has_0_percent_and_only_what_is_certain_100() {
    for (share, decimals, text) in [
        (0.0, 1, "0.0%"),
        (1e-12, 1, "0.0%"),
        (8e-6, 1, "<0.1%"),
        (8e-6, 0, "<1%"),
        (0.0006, 1, "0.1%"),
        (0.357, 1, "35.7%"),
        (0.999_99, 1, ">99.9%"),
        (0.999_99, 0, ">99%"),
        (1.0 - 1e-12, 1, "100.0%"),
        (1.0, 0, "100%"),
    ] {
        assert_eq!(words::percent(share, decimals), text, "{share}");
    }
}
