//! Tests of the driver.

use skirmish_rules::{GAMES, Outcome, Termination};

use super::*;

fn driver(game: &str, seats: Both<Seat>) -> Driver {
    let entry = GAMES.find(game).expect("the game exists");
    let table = entry.open(entry.setup()).expect("no position is set");
    Driver::new(Session::begin(table), seats)
}

const PEOPLE: Both<Seat> = Both::new(Seat::Person, Seat::Person);
const AGAINST_BOT: Both<Seat> = Both::new(Seat::Person, Seat::Bot);

fn line(driver: &mut Driver, text: &str) -> Happened {
    let side = match driver.waiting() {
        Waiting::Person(side) => side,
        other => panic!("no person is asked: {other:?}"),
    };
    driver.enter(Input::Line(side, text))
}

#[test]
fn a_game_between_people_asks_them_in_turn() {
    let mut game = driver("base-battle", PEOPLE);
    assert_eq!(game.waiting(), Waiting::Person(Side::One));
    assert_eq!(line(&mut game, "2"), Happened::Turn);
    assert_eq!(game.waiting(), Waiting::Person(Side::Two));
    let refused = line(&mut game, "9");
    assert!(
        matches!(&refused, Happened::Refused(why) if why.contains("not a move")),
        "{refused:?}"
    );
    assert_eq!(line(&mut game, "undo"), Happened::TakenBack);
    assert_eq!(game.waiting(), Waiting::Person(Side::One));
    assert_eq!(line(&mut game, " "), Happened::Nothing);
}

#[test]
fn a_draw_is_offered_and_answered() {
    let mut game = driver("base-battle", PEOPLE);
    let question = Question::Draw(Side::One);
    assert_eq!(line(&mut game, "draw"), Happened::Asked(question));
    assert_eq!(game.waiting(), Waiting::Answer(question));
    assert_eq!(question.answered_by(), Side::Two);
    assert_eq!(game.enter(Input::Answer(false)), Happened::Declined(question));
    assert_eq!(line(&mut game, "draw"), Happened::Asked(question));
    assert_eq!(game.enter(Input::Answer(true)), Happened::Ended);
    let ending = Ending { outcome: Outcome::Draw, termination: Termination::Agreed };
    assert_eq!(game.waiting(), Waiting::Nothing(ending));
}

#[test]
fn resigning_is_confirmed_or_typed_in_full() {
    let mut asked = driver("base-battle", PEOPLE);
    assert_eq!(line(&mut asked, "resi"), Happened::Asked(Question::Resign(Side::One)));
    assert_eq!(asked.enter(Input::Answer(true)), Happened::Ended);
    let mut unasked = driver("base-battle", PEOPLE).without_confirmation();
    assert!(matches!(line(&mut unasked, "resi"), Happened::Refused(_)));
    assert_eq!(line(&mut unasked, "resign"), Happened::Ended);
}

#[test]
fn a_person_chooses_before_a_program_and_the_choice_stays_secret() {
    let mut game = driver("command-clash", AGAINST_BOT);
    assert!(!game.is_secret(), "nobody looks over the person's shoulder");
    assert_eq!(line(&mut game, "atack"), Happened::Refused(
        "That does not name one of your actions: enter Charge, Attack, Special Attack (special) or Shield. \
         (\"help\" lists what else you can enter.)".to_owned()
    ));
    assert_eq!(line(&mut game, "charge"), Happened::Chosen(Side::One));
    assert_eq!(game.waiting(), Waiting::Program(Side::Two));
    assert_eq!(game.enter(Input::Choice(Side::Two, "attack")), Happened::Turn);
    assert!(driver("command-clash", PEOPLE).is_secret());
}

#[test]
fn a_waiting_person_can_use_words_but_not_move() {
    let mut game = driver("base-battle", AGAINST_BOT);
    assert_eq!(line(&mut game, "1"), Happened::Turn);
    assert_eq!(game.waiting(), Waiting::Program(Side::Two));
    let refused = game.enter(Input::Line(Side::One, "2"));
    assert_eq!(refused, Happened::Refused("It is not your turn.".to_owned()));
    assert_eq!(game.enter(Input::Line(Side::One, "undo")), Happened::TakenBack);
    assert_eq!(game.waiting(), Waiting::Person(Side::One));
}

#[test]
fn a_program_that_fails_forfeits() {
    let mut game = driver("base-battle", AGAINST_BOT);
    assert_eq!(line(&mut game, "1"), Happened::Turn);
    let faults = Both::new(None, Some(Fault::Deaf));
    assert_eq!(game.enter(Input::Faults(faults)), Happened::Ended);
    assert!(matches!(
        game.waiting(),
        Waiting::Nothing(Ending { outcome: Outcome::Won(Side::One), .. })
    ));
}

#[test]
fn only_games_between_computers_are_not_saved_every_turn() {
    let computers = driver("base-battle", Both::new(Seat::Computer, Seat::Computer));
    assert!(!computers.saves_after(&Happened::Turn));
    assert!(driver("base-battle", AGAINST_BOT).saves_after(&Happened::Turn));
}

/// R-ALL-3: a pass is played without asking, but not for ever.
#[test]
fn nobody_is_asked_to_pass_until_neither_can_move() {
    for entry in GAMES.iter() {
        let mut game = driver(entry.id, Both::new(Seat::Computer, Seat::Bot));
        for turn in 0..300 {
            match game.waiting() {
                Waiting::Pass(side) => {
                    assert!(game.session().table().must_pass(side));
                    assert_eq!(game.enter(Input::Pass), Happened::Turn);
                }
                Waiting::Program(side) => {
                    let choices = game.session().table().choices(side);
                    let choice = choices[turn % choices.len()].notation.clone();
                    let happened = game.enter(Input::Choice(side, &choice));
                    assert!(matches!(happened, Happened::Turn | Happened::Chosen(_)));
                }
                Waiting::Nothing(_) => break,
                Waiting::Person(_) | Waiting::Answer(_) => unreachable!("only programs play"),
            }
        }
    }
}
