//! Tests of the features that a session adds to a table: endings, takebacks and tags.

use std::time::Duration;

use skirmish_rules::{GAMES, Setup};

use super::*;

fn session() -> Session {
    of("base-battle", "", None)
}

/// Starts a game with these rule options, from `position` if given.
fn of(game: &str, rules: &str, position: Option<&str>) -> Session {
    let entry = GAMES.find(game).expect("the game exists");
    let settings = skirmish_rules::Settings::parse(entry.options, rules.split_whitespace());
    let settings = settings.expect("the rules are possible");
    let setup = Setup { settings, position: position.map(str::to_owned), ..entry.setup() };
    Session::begin(entry.open(setup).expect("it is a position"))
}

/// Makes these choices, each for the side to act.
fn play(session: &mut Session, choices: &[&str]) {
    for choice in choices {
        let side = session.table().to_act()[0];
        session.submit(side, choice).expect("it is legal");
    }
}

fn reread(session: &Session) -> Session {
    let record = Record::parse(&session.record().to_string(), GAMES);
    Session::resume(record.expect("it can be read again")).expect("its turns are legal")
}

fn late() -> Fault {
    Fault::Late { what: "move", limit: Duration::from_secs(1), unfinished: None }
}

const fn ending(outcome: Outcome, termination: Termination) -> Ending {
    Ending { outcome, termination }
}

#[test]
fn a_resigned_game_is_over() {
    let mut session = session();
    play(&mut session, &["3"]);
    session.resign(Side::Two);
    let mut read = reread(&session);
    assert_eq!(read.ending(), Some(ending(Outcome::Won(Side::One), Termination::Resigned)));
    assert_eq!(read.submit(Side::Two, "3"), Err(Refusal::Over));
    assert_eq!(read.record().to_string(), session.record().to_string());
}

#[test]
fn a_won_game_continues_after_its_last_turn_is_taken_back() {
    let mut session = session();
    play(&mut session, &["3", "1", "3", "1", "3", "1", "1"]);
    let mut read = reread(&session);
    assert_eq!(read.ending(), Some(ending(Outcome::Won(Side::One), Termination::Rules)));
    assert!(read.undo());
    assert_eq!(read.ending(), None);
}

#[test]
fn an_agreed_draw_ends_the_game() {
    let mut session = session();
    session.agree_on_draw();
    assert_eq!(session.ending(), Some(ending(Outcome::Draw, Termination::Agreed)));
    assert_eq!(session.check(Side::One, "3"), Err(Refusal::Over));
    assert_eq!(session.submit(Side::One, "3"), Err(Refusal::Over));
}

#[test]
fn the_end_of_a_game_withdraws_a_waiting_choice() {
    let mut session = of("command-clash", "", None);
    session.submit(Side::Two, "charge").expect("it is legal");
    session.resign(Side::One);
    assert_eq!(session.table().to_act(), Side::ALL);
}

#[test]
fn the_record_has_the_date_match_seed_and_limit() {
    let standing = Standing { game: 2, of: 3, half_points: Both::new(2, 0) };
    let date = Some("2025.01.31".to_owned());
    let session = session().noting(date.clone(), Some(standing), Some(7), Some(9));
    let record = session.record();
    assert_eq!((record.date, record.seed, record.turn_limit), (date, Some(7), Some(9)));
    assert_eq!(record.standing, Some(standing));
    assert_eq!((session.number(), session.turn_limit()), (2, Some(9)));
}

#[test]
fn a_single_game_is_the_first_and_has_no_limit() {
    let session = session();
    assert_eq!((session.number(), session.turn_limit()), (1, None));
}

#[test]
fn a_game_is_a_draw_when_it_reaches_its_turn_limit_and_not_before() {
    let mut session = session().noting(None, None, None, Some(2));
    play(&mut session, &["1"]);
    assert_eq!(session.ending(), None);
    play(&mut session, &["1"]);
    assert_eq!(session.ending(), Some(ending(Outcome::Draw, Termination::TurnLimit)));
    assert_eq!(session.submit(Side::One, "1"), Err(Refusal::Over));
    assert!(session.undo());
    assert_eq!(session.ending(), None);
}

#[test]
fn a_win_in_the_last_turn_of_the_limit_is_a_win() {
    let mut session = session().noting(None, None, None, Some(7));
    play(&mut session, &["3", "1", "3", "1", "3", "1", "1"]);
    assert_eq!(session.ending(), Some(ending(Outcome::Won(Side::One), Termination::Rules)));
}

#[test]
fn comments_stay_with_their_turns() {
    let text = "[Game \"base-battle\"]\n\n1. 3 {bold}\n2. 1 {careful}\n";
    let record = Record::parse(text, GAMES).expect("it is a record");
    let mut session = Session::resume(record).expect("its turns are legal");
    assert!(session.undo());
    play(&mut session, &["2", "1"]);
    let comments: Vec<Option<String>> =
        session.record().turns.into_iter().map(|turn| turn.comment).collect();
    assert_eq!(comments, [Some("bold".to_owned()), None, None]);
}

#[test]
fn tags_are_appended() {
    let tag = |name: &str| (name.to_owned(), "x".to_owned());
    let session = session().tagged(vec![tag("One")]).tagged(vec![tag("Two")]);
    assert_eq!(session.record().other_tags, [tag("One"), tag("Two")]);
}

#[test]
fn the_side_without_a_fault_wins() {
    for side in Side::ALL {
        let mut session = session();
        session.forfeit(&Both::seen_from(side, Some(late()), None));
        assert_eq!(session.ending(), Some(ending(Outcome::Won(side.other()), Termination::Time)));
        let told = format!("{side} gave no move within 1 s");
        assert_eq!(session.fault(), Some(told.as_str()));
    }
}

#[test]
fn if_both_fail_it_is_a_draw_with_both_reasons() {
    let mut session = session();
    session.forfeit(&Both::new(Some(Fault::Deaf), Some(late())));
    assert_eq!(session.ending(), Some(ending(Outcome::Draw, Termination::IllegalMove)));
    let told = "Player 1 does not read its input; Player 2 gave no move within 1 s";
    assert_eq!(session.fault(), Some(told));
}

/// Regression: two long error messages made a record that could not be parsed.
#[test]
fn any_fault_leaves_a_valid_record() {
    let mut session = session();
    let fault = Fault::Unwilling { game: "base-battle", plays: "chess\u{7} or ".repeat(50) };
    session.forfeit(&Both::new(None, Some(fault)));
    let record = Record::parse(&session.record().to_string(), GAMES);
    let record = record.expect("it can be read again");
    assert!(session.fault().is_some_and(|told| told.starts_with("Player 2 does not play")));
    assert_eq!(fault_of(&record), session.fault());
    assert_eq!(record.ending, session.ending());
}

#[test]
fn a_fault_tag_counts_only_if_a_fault_ended_the_game() {
    let tags = vec![(FAULT.to_owned(), "Player 1 cheated".to_owned())];
    let mut session = session().tagged(tags);
    assert_eq!(session.fault(), None);
    session.resign(Side::One);
    assert_eq!(session.fault(), None);
    assert_eq!(fault_of(&session.record()), None);
}

#[test]
fn undone_turns_are_counted_and_removed_ones_are_not() {
    let mut session = session();
    assert!(!session.undo());
    play(&mut session, &["3", "1"]);
    session.take_back();
    assert_eq!((session.table().turns_played(), session.undone()), (1, 0));
    assert!(session.undo());
    assert_eq!((session.table().turns_played(), session.undone()), (0, 1));
    play(&mut session, &["2"]);
    assert!(session.undo());
    assert_eq!(session.undone(), 2);
    let undone = session.record().other_tags;
    assert_eq!(undone, [(UNDONE.to_owned(), "2".to_owned())]);
}

#[test]
fn a_waiting_choice_is_taken_back_alone() {
    let mut session = of("command-clash", "", None);
    play(&mut session, &["charge", "charge", "attack"]);
    assert!(session.undo());
    assert_eq!((session.table().turns_played(), session.undone()), (1, 0));
    assert_eq!(session.table().to_act(), Side::ALL);
}

/// Starts a game on a board so short that one step blocks both sides.
fn blocked() -> Session {
    let mut session = of("base-battle", "positions=3 steps=1", None);
    assert!(!session.is_stuck());
    play(&mut session, &["1"]);
    assert!(!session.is_stuck(), "only one side has been found unable to move");
    play(&mut session, &["pass"]);
    session
}

#[test]
fn a_pass_after_a_pass_is_stuck() {
    assert!(blocked().is_stuck());
    let mut session = of("base-battle", "", Some("9/10/1"));
    play(&mut session, &["pass"]);
    assert!(!session.is_stuck(), "Player 2 can move");
}

#[test]
fn forced_passes_are_taken_back_with_the_turn_before_them() {
    let mut session = blocked();
    play(&mut session, &["pass"]);
    assert!(session.undo());
    assert_eq!((session.table().turns_played(), session.undone()), (0, 1));
    let mut session = of("base-battle", "", Some("9/10/1"));
    play(&mut session, &["pass"]);
    assert!(!session.undo(), "nobody has chosen anything");
    assert_eq!(session.table().turns_played(), 1);
}

const FIRST: Both<bool> = Both::new(true, false);
const SECOND: Both<bool> = Both::new(false, true);

/// Plays these turns and takes back a person's last choice. Returns whether that was possible, and the number of turns
/// left.
fn taken_back(game: &str, choices: &[&str], people: Both<bool>) -> (bool, usize) {
    let mut session = of(game, "", None);
    play(&mut session, choices);
    let done = session.undo_choice_of(people);
    (done, session.table().turns_played())
}

#[test]
fn a_persons_choice_is_taken_back_with_the_computers_answer() {
    let taken_back = |choices: &[&str], people| taken_back("base-battle", choices, people);
    assert_eq!(taken_back(&["3", "1"], FIRST), (true, 0));
    assert_eq!(taken_back(&["3", "1", "2", "1"], FIRST), (true, 2));
    assert_eq!(taken_back(&["3", "1", "2"], SECOND), (true, 1));
    assert_eq!(taken_back(&["3"], FIRST), (true, 0), "before the computer has answered");
    assert_eq!(taken_back(&["3", "1"], Both::new(true, true)), (true, 1));
}

#[test]
fn without_a_persons_choice_nothing_is_taken_back() {
    let taken_back = |choices: &[&str], people| taken_back("base-battle", choices, people);
    assert_eq!(taken_back(&[], FIRST), (false, 0));
    assert_eq!(taken_back(&["3"], SECOND), (false, 1));
    assert_eq!(taken_back(&["3", "1"], Both::new(false, false)), (false, 2));
}

#[test]
fn in_a_simultaneous_game_the_first_turn_has_a_persons_choice() {
    let people = Both::new(false, true);
    assert_eq!(taken_back("command-clash", &["charge", "charge"], people), (true, 0));
}

#[test]
fn a_count_of_undone_turns_never_wraps() {
    for (times, read) in [("4294967295", u32::MAX), ("99999999999", u32::MAX), ("-1", 0)] {
        let tags = vec![(UNDONE.to_owned(), times.to_owned())];
        let mut session = session().tagged(tags);
        assert_eq!(session.undone(), read, "{times}");
        play(&mut session, &["3"]);
        assert!(session.undo());
        assert_eq!(session.undone(), read.saturating_add(1), "{times}");
    }
}

#[test]
fn a_game_from_a_position_goes_back_to_it_and_not_further() {
    let mut session = of("base-battle", "", Some("4/6/2"));
    assert_eq!(session.record().first, Side::Two);
    play(&mut session, &["3", "1"]);
    assert_eq!(session.record().turns.len(), 2);
    let mut read = reread(&session);
    assert!(read.undo() && read.undo());
    assert_eq!(read.table().position(), "4/6/2");
    assert!(!read.undo());
    assert_eq!(read.record().position.as_deref(), Some("4/6/2"));
}

#[test]
fn a_computers_first_move_from_a_position_is_not_taken_back() {
    // Player 2, the computer, moves first, although the table was opened with Player 1 first.
    let mut session = of("base-battle", "", Some("4/6/2"));
    play(&mut session, &["3"]);
    assert!(!session.undo_choice_of(Both::new(true, false)));
    assert!(session.undo_choice_of(Both::new(false, true)));
}
