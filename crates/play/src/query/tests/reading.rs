//! Accepted and rejected queries, with the error messages.

use skirmish_rules::{Catalog, GAMES, Side};

use super::super::{Amount, Fact, OutcomeKind, Query, QueryError, Vocabulary};
use crate::sixth::SIX_GAMES;

pub(super) fn vocabulary(catalog: Catalog, game: &str) -> Vocabulary {
    let entry = catalog.find(game).unwrap();
    Vocabulary::of(entry, &entry.open(entry.setup()).unwrap().scene())
}

fn read(game: &str, text: &str) -> Result<Query, QueryError> {
    Query::parse(text, &vocabulary(SIX_GAMES, game))
}

fn fact(game: &str, text: &str) -> Fact {
    match read(game, text) {
        Ok(Query::Fact(fact)) => fact,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn a_fact_can_be_asked_for_in_many_words() {
    let one = Amount::Exactly(1.0);
    let three = Amount::AtLeast(3.0);
    let win = |plies| Fact::Outcome(OutcomeKind::Win, plies);
    let units = Fact::Units(Some(Side::One), Amount::Exactly(2.0));
    let asked: [(Fact, &[&str]); 12] = [
        (win(None), &["win", "wins", "won", "WIN", "  Win\n"]),
        (win(Some(Amount::Exactly(5.0))), &["win in 5", "won in five plies", "win in exactly 5"]),
        (
            win(Some(Amount::Between(3.0, 7.0))),
            &["win in 3..7", "win in 3 to 7", "win in between 3 and 7 plies", "win in 3..=7"],
        ),
        (
            Fact::Outcome(OutcomeKind::Loss, Some(Amount::AtLeast(6.0))),
            &["loss in at least 6", "lost in 6 or more", "loss in >= 6", "loss in ≥6 plies"],
        ),
        (Fact::WinningMoves(one), &["one winning move", "1 winning move", "winning moves = 1"]),
        (Fact::WinningMoves(Amount::Exactly(0.0)), &["no winning move", "0 winning moves"]),
        (Fact::WinningMoves(three), &["at least 3 winning moves", "winning moves >= 3"]),
        (
            Fact::Moves(Amount::LessThan(3.0)),
            &["fewer than 3 moves", "moves < 3", "less than 3 moves"],
        ),
        (Fact::Units(None, three), &["units >= 3", "three or more units", "units are at least 3"]),
        (units, &["player 1 has 2 units", "p1 has two units", "Player1 has exactly 2 units"]),
        (Fact::On(Side::Two, Amount::Exactly(3.0)), &["player 2 on 3", "player two on 3"]),
        (Fact::ToMove(Side::Two), &["player 2 to move", "p2 to move"]),
    ];
    for (expected, texts) in asked {
        for text in texts {
            assert_eq!(fact("command-line-conquer", text), expected, "{text}");
        }
    }
    let five = Amount::Exactly(5.0);
    assert_eq!(fact("command-clash", "player 1 has 5 cp"), Fact::Gauge(Side::One, "CP", five));
    assert_eq!(fact("last-stone", "p2 has 5 stone"), Fact::Gauge(Side::Two, "stones", five));
    let value = Fact::Value(Amount::Between(-0.5, 0.25));
    assert_eq!(fact("command-clash", "value between -0.5 and 0.25"), value);
    assert_eq!(fact("command-clash", "value -0.5..0.25"), value);
    assert_eq!(fact("command-clash", "player 2 mixes"), Fact::Mixes(Side::Two));
}

#[test]
fn not_binds_more_tightly_than_and_and_and_than_or() {
    let text = "not win and over or endless and (draw or loss)";
    let query = read("base-battle", text).unwrap();
    assert_eq!(query.to_string(), text);
    let Query::Any(parts) = query else { panic!("{query:?}") };
    assert!(matches!(&parts[..], [Query::All(_), Query::All(_)]), "{parts:?}");
}

#[test]
fn or_after_a_number_can_begin_another_fact() {
    let query = read("base-battle", "win in 3 or less than 2 moves").unwrap();
    assert!(matches!(query, Query::Any(_)), "{query:?}");
    let query = read("base-battle", "win in 3 or less").unwrap();
    assert!(matches!(query, Query::Fact(_)), "{query:?}");
}

#[test]
fn an_error_points_at_the_wrong_word() {
    let refused: [(&str, &str, &str); 17] = [
        ("win in 5 or 7", "7", "repeat \"win in\" before \"7\": win in 7"),
        ("win in 5 plies or 7 or over", "7", "repeat \"win in\""),
        ("(loss in 2 or at least 7) and over", "at least 7", "repeat \"loss in\""),
        ("win in 5 and one wining move", "wining", "expected winning moves, moves, plies or units"),
        ("win an over", "an", "expected and, or, or the end of the query"),
        ("(win or loss", "", "expected and, or, or a closing parenthesis"),
        ("win in", "", "expected a number"),
        ("win in soon", "soon", "expected a number"),
        ("win in 5.5", "5.5", "expected a whole number"),
        ("win in -5", "-5", "expected a whole number"),
        ("win in 7..3", "7..3", "expected 3..7"),
        ("plies >= 99999999999", "99999999999", "up to 1000000"),
        ("player 3 to move", "3", "expected 1 or 2"),
        ("player 1 at 3", "at", "expected to move, on or has"),
        ("player 1 has 3 CP", "CP", "expected units"),
        ("win & over", "&", "expected and, or,"),
        ("", "", "expected a fact, such as win, loss in 4"),
    ];
    for (text, wrong, why) in refused {
        let error = read("command-line-conquer", text).unwrap_err();
        assert_eq!(error.wrong(), wrong, "{text}");
        assert!(error.why().contains(why), "{text}: {}", error.why());
    }
    let error = read("base-battle", "win and\tünd 日本 over").unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    assert_eq!(lines[1..], ["  win and ünd 日本 over", "          ^^^"], "{error}");
    let error = read("base-battle", "日本").unwrap_err().to_string();
    assert!(error.ends_with("\n  日本\n  ^^^^"), "a mark is as wide as the word: {error}");
}

#[test]
fn an_error_shows_a_long_query_in_part() {
    let (many, long) = ("win or ".repeat(20_000), "x".repeat(100_000));
    let text = format!("{many}wan or {}", "loss or ".repeat(9));
    let error = read("base-battle", &text).unwrap_err().to_string();
    let lines: Vec<&str> = error.lines().collect();
    let expected = [
        "  …r win or win or win or win or wan or loss or loss or…",
        "                                 ^^^",
    ];
    assert_eq!(lines[1..], expected, "{error}");
    for text in [format!("{many}{long} or {many}"), long.clone(), format!("win {long}"), many] {
        let error = read("base-battle", &text).unwrap_err().to_string();
        assert!(error.lines().skip(1).all(|line| line.chars().count() < 80), "{error}");
        assert!(error.lines().count() == 3 && error.contains('…') && error.len() < 800, "{error}");
    }
}

#[test]
fn what_means_nothing_in_a_game_is_refused_with_what_is_possible() {
    for text in
        ["win", "loss in 4", "draw", "endless", "plies >= 4", "one winning move", "moves = 2"]
    {
        let error = read("command-clash", text).unwrap_err();
        assert!(error.why().contains("means nothing in Command Clash"), "{text}: {}", error.why());
        assert!(error.why().contains("value >= 0.3"), "{text}: {}", error.why());
    }
    for (game, text) in [
        ("command-clash", "player 1 to move"),
        ("command-clash", "units = 1"),
        ("command-clash", "player 1 on 3"),
        ("base-battle", "value >= 0.3"),
        ("base-battle", "player 1 mixes"),
        ("command-clash", "player 1 has 3 units"),
    ] {
        let error = read(game, text).unwrap_err();
        assert!(error.why().contains("means nothing in"), "{game}, {text}: {}", error.why());
    }
    let error = read("command-clash", "5 CP").unwrap_err();
    assert!(error.why().contains("player 1 has 5 CP"), "{}", error.why());
}

#[test]
fn what_no_position_can_have_is_refused_with_what_it_can() {
    for (game, text, wrong, possible) in [
        ("base-battle", "player 1 on 30", "30", "positions range from 0 to 10"),
        ("base-battle", "win and p2 on more than 10 or over", "more than 10", "from 0 to 10"),
        ("base-battle", "player 1 on 11..20", "11..20", "from 0 to 10"),
        ("capture-the-line", "not p1 on at least 12", "at least 12", "from 1 to 11"),
        ("command-clash", "player 2 has 6 CP", "6", "CP range from 0 to 5"),
        ("command-clash", "player 2 has > 5 CP and over", "> 5", "CP range from 0 to 5"),
        ("command-clash", "value > 1", "> 1", "values range from -1 to 1"),
        ("command-clash", "value is -3..-2", "is -3..-2", "values range from -1 to 1"),
    ] {
        let error = read(game, text).unwrap_err();
        assert_eq!(error.wrong(), wrong, "{text}");
        let expected = format!("\"{wrong}\" is out of range: ");
        assert!(error.why().starts_with(&expected), "{text}: {}", error.why());
        assert!(error.why().ends_with(possible), "{text}: {}", error.why());
    }
    for (game, text) in [
        ("base-battle", "player 1 on at least 10"),
        ("base-battle", "player 1 on 8..20"),
        ("command-clash", "value >= 1"),
        ("command-clash", "player 1 has 5 CP"),
    ] {
        assert!(read(game, text).is_ok(), "{text}");
    }
}

#[test]
fn every_example_of_a_vocabulary_is_a_query() {
    for entry in GAMES.iter() {
        let vocabulary = vocabulary(GAMES, entry.id);
        for example in vocabulary.examples() {
            let query = Query::parse(&example, &vocabulary);
            assert!(matches!(query, Ok(Query::Fact(_))), "{}, {example}: {query:?}", entry.id);
        }
    }
}

#[test]
fn deep_nesting_is_refused_and_does_not_exhaust_the_stack() {
    for text in ["(".repeat(100_000), "not ".repeat(100_000)] {
        let error = read("base-battle", &text).unwrap_err();
        assert!(error.why().contains("at most 50 levels"), "{}", error.why());
    }
    assert!(read("base-battle", &format!("{}win{}", "(".repeat(49), ")".repeat(49))).is_ok());
}
