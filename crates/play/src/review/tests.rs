//! Reviews of games with known mistakes.

use skirmish_rules::{Both, GAMES, Record, Side, Unwatched};
use skirmish_solver::Value;

use super::{Mark, NOISE, RatedOptions, Review, ReviewedChoice, Verdict, Worth, review};
use crate::{Budget, Solved};

/// Reviews a game with these tags and turns.
fn reviewed(game: &str, tags: &str, turns: &str) -> Review {
    let text = format!("[Game \"{game}\"]\n{tags}\n\n{turns}\n");
    let record = Record::parse(&text, GAMES).expect("the test's record is legal");
    let budget = Budget { bytes: 1 << 30 };
    let solved = Solved::of(record.entry, &record.settings, record.first, budget, &Unwatched);
    review(&record, &solved.expect("small games fit"))
}

/// Returns the annotation signs of all choices, with `.` for none.
fn signs(review: &Review) -> String {
    let sign = |choice: &ReviewedChoice| choice.mark().map_or(".", Mark::sign);
    review.choices.iter().map(sign).collect::<Vec<&str>>().join(" ")
}

fn is_close(one: f64, two: f64) -> bool {
    (one - two).abs() <= NOISE
}

#[test]
fn a_win_given_away_is_named_with_the_moves_that_keep_it() {
    let review = reviewed("base-battle", "", "3 2 1 3 1");
    assert_eq!(signs(&review), ". . ?? ! .");
    let blunder = &review.choices[2];
    let (from, to) = (Worth::Exact(Value::Win(5)), Worth::Exact(Value::Loss(6)));
    assert_eq!(blunder.verdict, Verdict::GaveAway { from, to });
    assert_eq!((blunder.turn, blunder.side, blunder.position.as_str()), (3, Side::One, "3/8/1"));
    assert_eq!(blunder.keeping, ["2", "3"]);
    assert!(is_close(blunder.given_away(), 2.0));
    assert_eq!(review.turning_point, Some(2));
    assert_eq!(review.choices[3].keeping, ["3"], "the only move that punishes it");
    // Two points were at stake at the start and on turn 3, but nothing on the last move, which was lost anyway.
    assert_eq!(review.accuracy.one, Some(50.0));
    assert_eq!(review.accuracy.two, Some(100.0));
}

#[test]
fn a_longer_win_is_good_but_not_best_and_costs_nothing() {
    let review = reviewed("base-battle", "", "2");
    let choice = &review.choices[0];
    assert_eq!(choice.verdict, Verdict::Good);
    assert_eq!(
        (choice.worth, choice.best),
        (Worth::Exact(Value::Win(9)), Worth::Exact(Value::Win(7)))
    );
    assert_eq!(choice.best_choices, ["3"]);
    assert_eq!(choice.keeping, ["3", "2"], "the best first");
    assert_eq!((review.accuracy.one, review.turning_point), (Some(100.0), None));
}

#[test]
fn an_endless_game_can_be_given_away() {
    let review = reviewed("capture-and-conquer", "", "1 2 2 2 2");
    assert_eq!(signs(&review), ". . . . ??");
    let error = &review.choices[4];
    let (from, to) = (Worth::Exact(Value::Endless), Worth::Exact(Value::Loss(6)));
    assert_eq!(error.verdict, Verdict::GaveAway { from, to });
    assert_eq!(error.keeping, ["1"]);
    assert!(is_close(error.given_away(), 1.0));
}

#[test]
fn accuracy_is_0_if_every_choice_is_the_worst() {
    let review = reviewed("base-battle", "", "1 1");
    assert_eq!(signs(&review), "?? ??");
    assert_eq!((review.accuracy.one, review.accuracy.two), (Some(0.0), Some(0.0)));
    assert_eq!(review.turning_point, Some(1), "of equals the last");
}

#[test]
fn accuracy_is_100_if_nothing_is_given_away() {
    let review = reviewed("base-battle", "[Result \"1-0\"]\n[Termination \"resigned\"]", "3 2 2");
    assert_eq!(review.accuracy.one, Some(100.0));
    assert_eq!(review.accuracy.two, None, "all of Player 2's moves lose alike");
    assert_eq!(review.turning_point, None);
}

#[test]
fn forced_moves_do_not_count() {
    let turns = "2 1 2 1 2 1 2 1 1 1 1";
    let review = reviewed("capture-and-conquer", "[Result \"1-0\"]", turns);
    let last = review.choices.last().expect("there are turns");
    assert!(last.is_forced() && last.verdict == Verdict::Best && last.mark().is_none());
    assert!(is_close(last.at_stake, 0.0));

    let review = reviewed("command-clash", "", "special|special charge|charge");
    let [.., one, two] = review.choices.as_slice() else { panic!("both chose twice") };
    assert!(one.position == "0/0" && one.is_forced() && two.is_forced());
    assert!(one.mark().is_none() && is_close(one.at_stake, 0.0));
}

#[test]
fn in_command_clash_a_choice_is_judged_by_the_mix_and_not_by_its_result() {
    let turns = "charge|special charge|shield charge|charge shield|attack";
    let review = reviewed("command-clash", "", turns);
    let [.., blocked, attack] = review.choices.as_slice() else { panic!("both chose") };
    assert_eq!(blocked.position, "4/2");
    // The shield blocked the attack, but it was a mistake: no optimal mix contains it.
    assert!(matches!(blocked.verdict, Verdict::GaveAway { .. }));
    assert_eq!(blocked.mark(), Some(Mark::Mistake));
    assert_eq!(blocked.keeping, ["special", "charge", "attack"], "by their share in the mix");
    // The attack failed, but it was right: its share of the mix is one third.
    assert_eq!(attack.verdict, Verdict::Best);
    assert!(attack.mix.iter().any(|(action, share)| action == "attack" && *share < 0.4));
    assert!(is_close(attack.given_away(), 0.0));
    assert!(is_close(attack.worth.points(), attack.best.points()), "{attack:?}");
    assert!(is_close(attack.best.points(), -blocked.best.points()), "one's gain, the other's loss");
}

#[test]
fn rounding_is_never_a_mistake_in_command_clash() {
    let review = reviewed("command-clash", "", "charge|charge attack|charge charge|charge");
    for choice in &review.choices {
        assert!(choice.at_stake == 0.0 || choice.at_stake > 1e-3, "{choice:?}");
        assert_eq!(choice.verdict, Verdict::Best, "{choice:?}");
    }
}

#[test]
fn the_rules_and_the_starter_come_from_the_record() {
    let tags = "[Rules \"push=onward\"]\n[First \"p2\"]";
    let review = reviewed("base-battle", tags, "3 2");
    assert_eq!(review.choices[0].side, Side::Two);
    assert_eq!(review.choices[0].worth, Worth::Exact(Value::Win(7)));
}

#[test]
fn a_game_without_turns_has_an_empty_review() {
    let review = reviewed("capture-the-line", "", "");
    assert!(review.choices.is_empty());
    assert_eq!((review.accuracy.one, review.turning_point), (None, None));
}

/// Regression: tournaments start with random turns, for which players were blamed.
#[test]
fn opening_turns_of_a_tournament_are_not_judged() {
    let review = reviewed("base-battle", "[Opening \"3\"]", "3 2 1 3 1");
    assert_eq!(signs(&review), ". . . ! .", "without the tag, turn 3 is a blunder");
    let opening = |choice: &ReviewedChoice| choice.verdict == Verdict::Opening;
    assert_eq!(
        review.choices.iter().map(opening).collect::<Vec<_>>(),
        [true, true, true, false, false]
    );
    assert_eq!((review.accuracy.one, review.accuracy.two), (None, Some(100.0)));
    assert_eq!(review.turning_point, None);
    assert!(review.has_chosen(Side::One));

    // Try a tag that exceeds the number of turns, and one that is not a number, as in records of chess games.
    let review = reviewed("command-clash", "[Opening \"9\"]", "charge|special shield|shield");
    assert_eq!(signs(&review), ". . . .");
    assert!(
        review.accuracy == Both::new(None, None)
            && !Side::ALL.iter().any(|&it| review.has_chosen(it))
    );
    assert_eq!(signs(&reviewed("base-battle", "[Opening \"Sicilian\"]", "1 1")), "?? ??");
}

/// Returns the options of a side in a position of Command Clash.
fn options(position: &str, side: Side) -> RatedOptions {
    let entry = GAMES.find("command-clash").expect("the game exists");
    let budget = Budget { bytes: 1 << 30 };
    let solved = Solved::of(entry, &entry.setup().settings, Side::One, budget, &Unwatched);
    RatedOptions::at(&solved.expect("small games fit"), position, side)
}

#[test]
fn the_side_behind_can_give_away_more() {
    for (position, side) in [("2/5", Side::One), ("5/2", Side::Two)] {
        let RatedOptions { best, rated, .. } = options(position, side);
        assert!(best.points() < -0.5, "{best:?}");
        let attack = rated.iter().find(|option| option.notation == "attack");
        let attack = attack.expect("it is legal");
        assert!(!attack.keeps && attack.worth.points() < best.points() - NOISE, "{position}");
    }
}

#[test]
fn nothing_is_worth_minus_zero() {
    for side in Side::ALL {
        let RatedOptions { best, rated, .. } = options("5/5", side);
        let worth = rated.iter().map(|option| option.worth).chain([best]);
        for points in worth.map(Worth::points) {
            assert!(points.is_sign_positive() || points < -NOISE, "{points}");
        }
    }
}
