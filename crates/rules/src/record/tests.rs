//! Tests that printing, parsing and replaying records reproduces them, and that every error names its line.

mod positions;

use super::{Ending, Record, Standing, Termination};
use crate::catalog::Setup;
use crate::game::Outcome;
use crate::games::GAMES;
use crate::side::{Both, Side};

/// A finished game with everything that a record can contain.
const FULL: &str = r#"[Game "base-battle"]
[Rules "steps=4 push=onward"]
[Player1 "Ada \"the Axe\" \\ Löwe"]
[Player2 "名前 🎲"]
[First "p2"]
[Date "2025.01.31"]
[Match "game 3 of 5, score 1.5-0.5"]
[Seed "18446744073709551615"]
[TurnLimit "200"]
[Event "Club evening"]
[Round "7"]
[Result "0-1"]
[Termination "rules"]

1. 4 {bold}
2. 1
3. 4
4. 4 {too late, and he knew it}
5. 2
"#;

/// An unfinished game with only the required tags.
const BARE: &str = r#"[Game "capture-and-conquer"]
[Player1 "Player 1"]
[Player2 "Player 2"]
[First "p1"]
[Result "*"]
[Termination "unfinished"]

1. 2
2. 2
"#;

fn parse(text: &str) -> Record {
    Record::parse(text, GAMES).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The error for a malformed record.
fn fault(text: &str) -> String {
    match Record::parse(text, GAMES) {
        Ok(record) => panic!("a faulty record was accepted:\n{record}"),
        Err(error) => error.to_string(),
    }
}

/// A record of Capture and Conquer with these tags and turns.
fn with(tags: &str, turns: &str) -> String {
    format!("[Game \"capture-and-conquer\"]\n{tags}\n\n{turns}\n")
}

#[test]
fn a_record_prints_unchanged() {
    for text in [FULL, BARE] {
        assert_eq!(parse(text).to_string(), text);
    }
}

#[test]
fn every_tag_is_parsed() {
    let record = parse(FULL);
    assert_eq!(record.entry.id, "base-battle");
    assert_eq!(record.settings.changes(), "steps=4 push=onward");
    assert_eq!(record.names.one, "Ada \"the Axe\" \\ Löwe");
    assert_eq!(record.names.two, "名前 🎲");
    assert_eq!(record.first, Side::Two);
    assert_eq!(record.date.as_deref(), Some("2025.01.31"));
    let half_points = Both::new(3, 1);
    assert_eq!(record.standing, Some(Standing { game: 3, of: 5, half_points }));
    assert_eq!((record.seed, record.turn_limit), (Some(u64::MAX), Some(200)));
    let outcome = Outcome::Won(Side::Two);
    assert_eq!(record.ending, Some(Ending { outcome, termination: Termination::Rules }));
    let other = [("Event", "Club evening"), ("Round", "7")];
    assert_eq!(record.other_tags, other.map(|(name, value)| (name.to_owned(), value.to_owned())));
    assert_eq!(record.turns[3].comment.as_deref(), Some("too late, and he knew it"));
    assert_eq!(record.turns[3].line, 18);
}

#[test]
fn a_record_replays_to_itself() {
    let record = parse(FULL);
    assert_eq!(record.table().position(), "0/10/2");
    let table = record.replay().unwrap();
    assert_eq!(table.position(), "5/0/1");
    assert_eq!(table.history(), ["4", "1", "4", "4", "2"]);
    assert_eq!(table.names(), &record.names);
    let again = Record::of(&*table);
    assert_eq!(again.settings, record.settings);
    assert_eq!((again.first, again.ending), (record.first, record.ending));
}

#[test]
fn a_table_becomes_the_record_of_its_turns() {
    let entry = GAMES.find("command-clash").unwrap();
    let mut table = entry.open(Setup { first: Side::Two, ..entry.setup() }).unwrap();
    table.play("charge|attack").unwrap();
    let text = Record::of(&*table).to_string();
    assert_eq!(
        text,
        "[Game \"command-clash\"]\n[Player1 \"Player 1\"]\n[Player2 \"Player 2\"]\n\
         [Result \"*\"]\n[Termination \"unfinished\"]\n\n1. charge|attack\n"
    );
    assert_eq!(parse(&text).to_string(), text);
}

#[test]
fn player_2_never_starts_where_player_1_always_does() {
    for id in ["command-line-conquer", "capture-the-line"] {
        let entry = GAMES.find(id).unwrap();
        let table = entry.open(Setup { first: Side::Two, ..entry.setup() }).unwrap();
        assert_eq!(parse(&Record::of(&*table).to_string()).first, Side::One, "R-ALL-1");
    }
}

#[test]
fn line_ends_and_a_byte_order_mark_do_not_matter() {
    let windows = format!("\u{feff}{}", FULL.replace('\n', "\r\n"));
    assert_eq!(parse(&windows).to_string(), FULL);
    assert_eq!(parse(FULL.trim_end()).to_string(), FULL, "nor does the last line's end");
    assert_eq!(parse(&FULL.replace('\n', "  \n\n")).to_string(), FULL, "nor blank lines");
}

#[test]
fn numbers_and_layout_of_the_turns_are_free() {
    for turns in
        ["1. 2\n2. 2", "2 2", "1.2 2.2", "1. 2 2. 2", "2\n\n2", "1. 2 2", "  1.\n2 2.\n2 *"]
    {
        assert_eq!(parse(&with("", turns)).to_string(), BARE, "{turns}");
    }
}

#[test]
fn a_wrong_turn_number_is_an_error() {
    assert_eq!(fault(&with("", "1. 2\n3. 2")), "line 5: expected turn 2, found 3");
    assert_eq!(fault(&with("", "0. 2")), "line 4: expected turn 1, found 0");
    assert_eq!(fault(&with("", "x. 2")), "line 4: \"x.\" is not a turn");
}

#[test]
fn the_result_may_end_the_turns_and_nothing_follows_it() {
    assert_eq!(parse(&with("", "2 2 *")).turns.len(), 2);
    let resigned = "[Result \"0-1\"]\n[Termination \"resigned\"]";
    assert_eq!(parse(&with(resigned, "2 2 0-1 {thank you}")).turns.len(), 2);
    assert_eq!(fault(&with("", "2 2 *\n2")), "line 5: unexpected \"2\" after the result");
    assert_eq!(
        fault(&with(resigned, "2 2 1-0")),
        "line 5: turn 3: \"1-0\" is not a move here: enter 1 or 2."
    );
}

#[test]
fn comments_belong_to_the_turn_before_them() {
    let text = with("", "{hello} 1. 2{well\nplayed}{indeed}; not kept\n2. 2;neither {is this\n");
    let record = parse(&text);
    assert_eq!(record.turns[0].comment.as_deref(), Some("well played indeed"));
    assert_eq!(record.turns[1].comment, None);
    assert_eq!(parse(&record.to_string()).to_string(), record.to_string());
}

#[test]
fn a_comment_may_hold_what_looks_like_a_tag_or_a_turn() {
    let record = parse(&with("", "1. 2 {see\n[Game \"x\"]\n2. 9 } 2. 2"));
    assert_eq!(record.turns[0].comment.as_deref(), Some("see [Game \"x\"] 2. 9"));
    assert_eq!(parse(&record.to_string()).to_string(), record.to_string());
}

#[test]
fn a_brace_within_a_comment_leaves_no_second_space() {
    // Regression: a word that consists of braces left a space behind, so that printing changed the record.
    let record = parse(&with("", "1. 2 {a { b {} 2. 2"));
    assert_eq!(record.turns[0].comment.as_deref(), Some("a b"));
    assert_eq!(parse(&record.to_string()).to_string(), record.to_string());
}

#[test]
fn an_unclosed_comment_is_an_error() {
    assert_eq!(
        fault(&with("", "1. 2\n2. 2 {oh\nno")),
        "line 5: the comment that begins here is not closed: expected }"
    );
}

#[test]
fn every_termination_prints_and_parses() {
    for termination in Termination::ALL {
        let (outcome, turns) = match termination {
            Termination::Rules => (Outcome::Won(Side::One), "2 1 2 1 2 1 2 1 2"),
            Termination::Agreed | Termination::TurnLimit => (Outcome::Draw, "2 1"),
            Termination::Resigned | Termination::Time | Termination::IllegalMove => {
                (Outcome::Won(Side::Two), "2 1")
            }
        };
        let mut record = parse(&with("", ""));
        record.ending = Some(Ending { outcome, termination });
        record.turns = turns.split(' ').map(super::Turn::new).collect();
        assert_eq!(parse(&record.to_string()).ending, record.ending, "{termination}");
    }
}

#[test]
fn an_illegal_move_is_named_with_line_and_turn() {
    assert_eq!(
        fault(&with("", "1. 2\n2. x")),
        "line 5: turn 2: \"x\" is not a move here: enter 1 or 2."
    );
    let long = with("", "1. 2 2. 1 3. 2 4. 1 5. 2\n6. 1 7. 2 8. 1\n9. 1 10. 1\n11. 2");
    assert_eq!(
        fault(&long),
        "line 7: turn 11: Cannot move 2 positions; the enemy base is only 1 away. Enter 1. \
         (it may have been played under other rules: it is valid with positions=10)"
    );
    let over = with("", "2 1 2 1 2 1 2 1 2\n1\n1 x");
    assert_eq!(fault(&over), "line 5: turn 10: The game is over.");
}

#[test]
fn an_error_names_the_rules_that_would_fit() {
    let other = |change: &str| {
        format!(" (it may have been played under other rules: it is valid with {change})")
    };
    assert_eq!(
        fault(&with("", "1. 2\n2. 3")),
        format!("line 5: turn 2: \"3\" is not a move here: enter 1 or 2.{}", other("steps=3"))
    );
    let rules = "[Rules \"push=onward\"]\n";
    let legal = format!("[Game \"base-battle\"]\n{rules}\n3 2 2 2 2 1\n");
    assert_eq!(parse(&legal).turns.len(), 6);
    let error = fault(&legal.replace(rules, ""));
    assert!(error.starts_with("line 3: turn "), "{error}");
    assert!(
        error.contains("(it may have been played under other rules: it is valid with "),
        "{error}"
    );
    assert_eq!(
        fault(&with("[Result \"1-0\"]", "2 2 2 1 2")),
        format!(
            "line 2: the turns do not end the game, but the tags say that it ended by the rules{}",
            other("positions=7")
        )
    );
}

#[test]
fn the_hint_names_no_rules_if_no_single_change_fits() {
    let error = fault(&with("", "2 1 2 1 2 1 2 1 1 1 2 x"));
    assert_eq!(
        error,
        "line 4: turn 11: Cannot move 2 positions; the enemy base is only 1 away. Enter 1. \
         (it may have been played under other rules)"
    );
}

#[test]
fn a_result_that_contradicts_the_turns_is_an_error() {
    let won = "2 1 2 1 2 1 2 1 2";
    assert_eq!(
        fault(&with("[Result \"*\"]", won)),
        "line 2: the turns end the game, but the tags say that it is unfinished"
    );
    let otherwise = "line 2: the turns and the tags disagree on the result";
    assert_eq!(fault(&with("[Result \"0-1\"]", won)), otherwise);
    let resigned = "[Result \"1-0\"]\n[Termination \"resigned\"]";
    assert_eq!(fault(&with(resigned, won)), otherwise);
    assert_eq!(
        fault(&with("[Result \"1-0\"]", "2 1")),
        "line 2: the turns do not end the game, but the tags say that it ended by the rules"
    );
}

/// Tags, and the errors that they cause.
const FAULTY_TAGS: [(&str, &str); 24] = [
    ("[Player1 Ada]", "expected a tag [Name \"value\"], found [Player1 Ada]"),
    ("[Player1 \"Ada\"", "expected a tag [Name \"value\"], found [Player1 \"Ada\""),
    ("[Play-er \"Ada\"]", "expected a tag [Name \"value\"], found [Play-er \"Ada\"]"),
    ("[Note \"a \" b\"]", "expected a tag [Name \"value\"], found [Note \"a \" b\"]"),
    ("[Note \"a\\n\"]", "expected a tag [Name \"value\"], found [Note \"a\\n\"]"),
    (
        "[Note \"a\tb\"]",
        "the value of Note must be at most 200 characters, none of them a control character",
    ),
    ("[Game \"base-battle\"]", "the tag Game is given twice"),
    ("[Player2 \" \"]", "a player's name cannot be empty"),
    ("[First \"Ada\"]", "First is \"Ada\": expected p1 or p2"),
    ("[Seed \"-1\"]", "Seed is \"-1\": expected a number"),
    ("[TurnLimit \"many\"]", "TurnLimit is \"many\": expected a number"),
    (
        "[Rules \"speed=2\"]",
        "there is no rule option \"speed\" in this game: it has positions and steps",
    ),
    ("[Rules \"steps=10\"]", "steps=10 is not possible: expected a whole number from 1 to 9"),
    ("[Rules \"steps=1 steps=1\"]", "the rule option steps is given twice"),
    ("[Rules \"steps\"]", "\"steps\" is not a rule option: write NAME=VALUE, such as positions=11"),
    ("[Match \"2 of 5\"]", MATCH),
    ("[Match \"game 6 of 5, score 3-2\"]", MATCH),
    ("[Match \"game 0 of 5, score 0-0\"]", MATCH),
    ("[Match \"game 2 of 5, score 1-1\"]", MATCH),
    ("[Result \"2-0\"]", "Result is \"2-0\": expected 1-0, 0-1, 1/2-1/2 or *"),
    ("[Termination \"resigned\"]", "the Result tag is missing: expected 1-0, 0-1 or 1/2-1/2"),
    (
        "[Termination \"time\"]\n[Result \"*\"]",
        "a game with the result * cannot have ended: expected unfinished",
    ),
    (
        "[Termination \"agreed\"]\n[Result \"1-0\"]",
        "the termination \"agreed\" contradicts the result 1-0",
    ),
    (
        "[Termination \"boredom\"]\n[Result \"1-0\"]",
        "Termination is \"boredom\": expected rules, resigned, agreed, turn limit, time or \
         illegal move",
    ),
];

const MATCH: &str = "expected a Match such as \"game 2 of 5, score 1-0\", with a score that fits";

#[test]
fn every_bad_tag_is_named_with_its_line() {
    for (tags, cause) in FAULTY_TAGS {
        assert_eq!(fault(&with(tags, "1. 2")), format!("line 2: {cause}"), "{tags}");
    }
    let drawn = "[Result \"1/2-1/2\"]\n[Termination \"resigned\"]";
    assert_eq!(
        fault(&with(drawn, "")),
        "line 3: the termination \"resigned\" contradicts the result 1/2-1/2"
    );
}

#[test]
fn a_tag_has_at_most_200_characters() {
    let note = |length: usize| with(&format!("[Note \"{}\"]", "ß".repeat(length)), "");
    assert_eq!(parse(&note(200)).other_tags[0].1.chars().count(), 200);
    assert!(fault(&note(201)).starts_with("line 2: the value of Note must be at most 200"));
}

#[test]
fn a_record_has_at_most_1000_tags() {
    let tags = |count: usize| -> String {
        let tags: Vec<String> = (0..count).map(|number| format!("[T{number} \"x\"]")).collect();
        tags.join("\n")
    };
    // The Game tag is the thousandth.
    assert_eq!(parse(&with(&tags(999), "")).other_tags.len(), 999);
    assert_eq!(fault(&with(&tags(1000), "")), "line 1001: a record has at most 1000 tags");
    // Regression: parsing this number of tags took 22 seconds.
    assert_eq!(fault(&with(&tags(80_000), "")), "line 1001: a record has at most 1000 tags");
}

#[test]
fn hidden_characters_in_a_record_are_replaced() {
    let tags =
        "[Player1 \"An\u{202e}n\"]\n[Player2 \"👩\u{200d}👧\"]\n[Note \"a\u{2066}b\u{feff}\"]";
    let record = parse(&with(tags, "1. 2 {right\u{202e}\u{200b} to \u{1b}[2Jleft}\n"));
    assert_eq!(record.names, Both::new("An\u{fffd}n".to_owned(), "👩\u{200d}👧".to_owned()));
    assert_eq!(record.other_tags[0].1, "a\u{fffd}b\u{fffd}");
    let comment = record.turns[0].comment.as_deref();
    assert_eq!(comment, Some("right\u{fffd}\u{fffd} to \u{fffd}[2Jleft"));
    assert_eq!(parse(&record.to_string()).to_string(), record.to_string());
}

#[test]
fn tags_come_before_the_turns() {
    assert_eq!(fault(&with("", "1. 2\n[Seed \"1\"]")), "line 5: tags must come before the turns");
}

#[test]
fn a_record_names_its_game() {
    let ids: Vec<&str> = GAMES.iter().map(|entry| entry.id).collect();
    let (last, others) = ids.split_last().unwrap();
    let games = format!("{} or {last}", others.join(", "));
    let missing = format!("line 1: the Game tag is missing: expected [Game \"…\"] with {games}");
    for text in ["", "\n\n", "1. 2", "[Seed \"1\"]"] {
        assert_eq!(fault(text), missing);
    }
    let chess = "\n[Game \"chess\"]";
    assert_eq!(fault(chess), format!("line 2: there is no game \"chess\": expected {games}"));
}

#[test]
fn only_games_with_a_choice_record_who_starts() {
    let first = |id: &str| fault(&format!("[Game \"{id}\"]\n[First \"p2\"]"));
    assert_eq!(first("capture-the-line"), "line 2: in Capture the Line Player 1 always starts");
    assert_eq!(first("command-clash"), "line 2: in Command Clash nobody starts");
    let fixed = "[Game \"capture-the-line\"]\n[First \"p1\"]";
    assert_eq!(parse(fixed).first, Side::One);
}

#[test]
fn a_score_is_written_in_points_and_half_points() {
    let standing = |one, two| Standing { game: 4, of: 7, half_points: Both::new(one, two) };
    assert_eq!(standing(5, 1).to_string(), "game 4 of 7, score 2.5-0.5");
    assert_eq!(standing(6, 0).to_string(), "game 4 of 7, score 3-0");
}
