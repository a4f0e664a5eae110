//! Tests of the driver.

use skirmish_rules::{Ending, GAMES, Outcome, Termination};

use super::*;

fn driver(game: &str, seats: Both<Seat>) -> Driver {
    let entry = GAMES.find(game).expect("the game exists");
    let table = entry.open(entry.setup()).expect("no position is set");
    Driver::new(Session::begin(table), seats)
}

const PEOPLE: Both<Seat> = Both::new(Seat::Person, Seat::Person);
const AGAINST_BOT: Both<Seat> = Both::new(Seat::Person, Seat::Bot);
const SECOND: Both<bool> = Both::new(false, true);

fn answer(side: Side, answer: Result<&str, Fault>) -> Input<'static> {
    let mut answers: Answers = Both::new(None, None);
    answers[side] = Some(answer.map(str::to_owned));
    Input::Programs(answers)
}

fn line(driver: &mut Driver, text: &str) -> Happened {
    let side = match driver.waiting() {
        Waiting::Person(side) => side,
        other => panic!("no person chooses: {other:?}"),
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
        matches!(&refused, Happened::Unknown(why) if why.contains("not a move")),
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
    assert_eq!(game.enter(Input::Answer(Side::Two, false)), Happened::Declined(question));
    assert_eq!(line(&mut game, "draw"), Happened::Asked(question));
    assert_eq!(game.enter(Input::Answer(Side::Two, true)), Happened::Ended);
    let ending = Ending { outcome: Outcome::Draw, termination: Termination::Agreed };
    assert_eq!(game.waiting(), Waiting::Nothing(ending));
}

#[test]
fn resigning_is_confirmed_or_typed_in_full() {
    let mut asked = driver("base-battle", PEOPLE);
    assert_eq!(line(&mut asked, "resi"), Happened::Asked(Question::Resign(Side::One)));
    assert_eq!(asked.enter(Input::Answer(Side::One, true)), Happened::Ended);
    let mut unasked = driver("base-battle", PEOPLE).without_confirmation();
    assert!(matches!(line(&mut unasked, "resi"), Happened::Refused(_)));
    assert_eq!(line(&mut unasked, "resign"), Happened::Ended);
}

#[test]
fn a_person_chooses_before_a_program_and_the_choice_stays_secret() {
    let mut game = driver("command-clash", AGAINST_BOT);
    assert!(!game.is_secret(), "there is no second person who could watch");
    assert_eq!(line(&mut game, "atack"), Happened::Unknown("That does not name one of your actions: enter Charge, Attack, Special Attack (special) or Shield.".to_owned()
    ));
    assert_eq!(line(&mut game, "charge"), Happened::Chosen(Side::One));
    assert_eq!(game.waiting(), Waiting::Programs(SECOND));
    assert_eq!(game.enter(answer(Side::Two, Ok("attack"))), Happened::Turn);
    assert!(driver("command-clash", PEOPLE).is_secret());
}

#[test]
fn a_waiting_person_can_use_words_but_not_move() {
    let mut game = driver("base-battle", AGAINST_BOT);
    assert_eq!(line(&mut game, "1"), Happened::Turn);
    assert_eq!(game.waiting(), Waiting::Programs(SECOND));
    let refused = game.enter(Input::Line(Side::One, "2"));
    assert_eq!(refused, Happened::Refused("It is not your turn.".to_owned()));
    assert_eq!(game.enter(Input::Line(Side::One, "undo")), Happened::TakenBack);
    assert_eq!(game.waiting(), Waiting::Person(Side::One));
}

#[test]
fn a_program_that_fails_forfeits() {
    let mut game = driver("base-battle", AGAINST_BOT);
    assert_eq!(line(&mut game, "1"), Happened::Turn);
    let room = game.enter(answer(Side::Two, Err(Fault::NoRoom("full".to_owned()))));
    assert!(matches!(room, Happened::NoRoom(_)));
    assert_eq!(game.waiting(), Waiting::Programs(SECOND), "a full machine is nobody's fault");
    assert_eq!(game.enter(answer(Side::Two, Err(Fault::Deaf))), Happened::Ended);
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

/// R-ALL-3: a forced pass is played without asking, but not forever.
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
                Waiting::Programs(asked) => {
                    let table = game.session().table();
                    let answers = Both::from_fn(|side| {
                        let choices = table.choices(side);
                        asked[side].then(|| Ok(choices[turn % choices.len()].notation.clone()))
                    });
                    assert_eq!(game.enter(Input::Programs(answers)), Happened::Turn);
                }
                Waiting::Nothing(_) => break,
                Waiting::Person(_) | Waiting::Answer(_) => unreachable!("only programs play"),
            }
        }
    }
}

#[test]
fn a_game_that_is_over_refuses_everything() {
    let mut game = driver("base-battle", PEOPLE).without_confirmation();
    assert_eq!(line(&mut game, "1"), Happened::Turn);
    assert_eq!(line(&mut game, "resign"), Happened::Ended);
    let before = game.session().record().to_string();
    for text in ["undo", "draw", "resign", "1", "help"] {
        let over = Happened::Refused("The game is over.".to_owned());
        assert_eq!(game.enter(Input::Line(Side::Two, text)), over, "{text}");
    }
    assert!(matches!(game.enter(answer(Side::Two, Ok("1"))), Happened::Refused(_)));
    assert_eq!(game.session().record().to_string(), before);
}

#[test]
fn an_open_question_is_answered_first_and_by_the_side_that_was_asked() {
    let mut game = driver("base-battle", PEOPLE);
    assert_eq!(line(&mut game, "1"), Happened::Turn);
    let question = Question::Draw(Side::Two);
    assert_eq!(line(&mut game, "draw"), Happened::Asked(question));
    for input in [
        Input::Line(Side::Two, "undo"),
        Input::Line(Side::One, "draw"),
        Input::Choice(Side::Two, "1"),
        Input::Answer(Side::Two, true),
    ] {
        assert!(matches!(game.enter(input.clone()), Happened::Refused(_)), "{input:?}");
    }
    assert_eq!(game.enter(Input::Answer(Side::One, false)), Happened::Declined(question));
}

#[test]
fn two_programs_that_fail_at_once_draw() {
    let mut game = driver("command-clash", Both::new(Seat::Bot, Seat::Bot));
    assert_eq!(game.waiting(), Waiting::Programs(Both::new(true, true)));
    let answers = Both::new(Some(Err(Fault::Deaf)), Some(Ok("jump".to_owned())));
    assert_eq!(game.enter(Input::Programs(answers)), Happened::Ended);
    let draw = Waiting::Nothing(game.session().ending().expect("it has ended"));
    assert_eq!(game.waiting(), draw);
    assert_eq!(game.session().ending().map(|ending| ending.outcome), Some(Outcome::Draw));
}

/// On a server, either of two players may choose first.
#[test]
fn people_who_choose_at_once_choose_in_any_order() {
    let mut game = driver("command-clash", PEOPLE);
    assert_eq!(game.enter(Input::Line(Side::Two, "charge")), Happened::Chosen(Side::Two));
    assert_eq!(game.enter(Input::Choice(Side::One, "shield")), Happened::Turn);
}

#[test]
fn a_program_goes_on_behind_an_open_question() {
    let mut game = driver("base-battle", AGAINST_BOT);
    assert_eq!(line(&mut game, "1"), Happened::Turn);
    let question = Question::Resign(Side::One);
    assert_eq!(game.enter(Input::Line(Side::One, "resign")), Happened::Asked(question));
    assert_eq!(game.turn(), Waiting::Programs(SECOND));
    assert_eq!(game.enter(answer(Side::Two, Ok("1"))), Happened::Turn);
    assert_eq!(
        (game.waiting(), game.turn()),
        (Waiting::Answer(question), Waiting::Person(Side::One))
    );
    assert_eq!(game.enter(Input::Answer(Side::One, false)), Happened::Declined(question));
    assert_eq!(line(&mut game, "1"), Happened::Turn);
}

/// Regression: typing `d` ended a game against a computer as a draw.
#[test]
fn a_draw_with_a_program_needs_the_whole_word_and_a_confirmation() {
    let mut game = driver("base-battle", AGAINST_BOT);
    assert!(matches!(line(&mut game, "d"), Happened::Refused(why) if why.contains("whole word")));
    let offer = Question::Offer(Side::One);
    assert_eq!(line(&mut game, "draw"), Happened::Asked(offer));
    assert_eq!(game.enter(Input::Answer(Side::One, false)), Happened::Declined(offer));
    assert_eq!(line(&mut game, "draw"), Happened::Asked(offer));
    let draw = Question::Draw(Side::One);
    assert_eq!(game.enter(Input::Answer(Side::One, true)), Happened::Asked(draw));
    assert_eq!(game.enter(Input::Answer(Side::Two, true)), Happened::Ended);
    let mut unattended = driver("base-battle", AGAINST_BOT).without_confirmation();
    assert!(matches!(line(&mut unattended, "dra"), Happened::Refused(_)));
    assert_eq!(line(&mut unattended, "draw"), Happened::Asked(draw));
}

#[test]
fn a_line_is_interpreted_without_changing_anything() {
    let game = driver("base-battle", PEOPLE);
    assert_eq!(game.interpret(Side::One, " "), Meaning::Nothing);
    assert_eq!(game.interpret(Side::One, "2"), Meaning::Choice(()));
    assert!(matches!(game.interpret(Side::Two, "2"), Meaning::Refused(_)));
    assert!(matches!(
        game.interpret(Side::Two, "dr"),
        Meaning::Word(Request { word: Word::Draw, .. }, false)
    ));
    assert!(matches!(game.interpret(Side::One, "9"), Meaning::Unknown(_)));
    assert_eq!(game.session().table().turns_played(), 0);
}

#[test]
fn what_players_decide_elsewhere_is_carried_out_without_a_question() {
    let mut game = driver("base-battle", PEOPLE);
    line(&mut game, "2");
    line(&mut game, "1");
    let decided = |game: &mut Driver, decision| game.enter(Input::Decided(decision));
    assert_eq!(decided(&mut game, Decision::TakeBack(Side::One)), Happened::TakenBack);
    assert_eq!(game.session().table().turns_played(), 0);
    assert!(matches!(decided(&mut game, Decision::TakeBack(Side::Two)), Happened::Refused(_)));
    let both = Decision::TimeUp(Both::new(true, true));
    assert_eq!(decided(&mut game, both), Happened::Ended);
    let ending = Ending { outcome: Outcome::Draw, termination: Termination::Time };
    assert_eq!(game.waiting(), Waiting::Nothing(ending));
    assert!(matches!(decided(&mut game, Decision::Resign(Side::One)), Happened::Refused(_)));
}

#[test]
fn a_waiting_choice_is_withdrawn_when_a_turn_is_taken_back() {
    let mut game = driver("command-clash", PEOPLE);
    for (side, choice) in [(Side::One, "charge"), (Side::Two, "charge"), (Side::One, "attack")] {
        game.enter(Input::Choice(side, choice));
    }
    assert_eq!(
        game.session().check(Side::One, "attack"),
        Err(Refusal::AlreadyChosen("Player 1".to_owned()))
    );
    assert_eq!(game.enter(Input::Decided(Decision::TakeBack(Side::Two))), Happened::TakenBack);
    assert!(!game.session().table().has_chosen(Side::One));
    assert_eq!(game.session().table().turns_played(), 0);
}
