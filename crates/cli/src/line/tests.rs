//! A sixth game, known to no other file of this crate, goes through the catalogue and the game loop.

use std::collections::VecDeque;
use std::io;

#[cfg(unix)]
use skirmish_arena::bot::parse_command;
use skirmish_play::{Plan, Score, Session};
use skirmish_present::json::{self, PositionObject};
use skirmish_rules::{Both, Ending, Outcome, Record, Settings, Side, Termination};
use skirmish_store::{ExitHook, Keeper};

use super::front::FrontEnd;
use super::game::{Opening, play};
use super::input::InputLine;
use crate::advisor::Advisor;
use crate::args::{BoardArgs, GameArgs, ShowArgs};
use crate::exit::Exit;
use crate::sixth::SIX_GAMES;
use crate::{lookup, show};

/// A front end that reads its answers from a list and writes down what it is told.
struct Script {
    answers: VecDeque<&'static str>,
    told: Vec<String>,
}

impl Script {
    fn new(answers: impl IntoIterator<Item = &'static str>) -> Self {
        Self { answers: answers.into_iter().collect(), told: Vec::new() }
    }

    fn tell(&mut self, text: impl Into<String>) {
        self.told.push(text.into());
    }

    fn answer(&mut self, question: &str) -> InputLine {
        let answer = self.answers.pop_front();
        self.tell(format!("{question}{}", answer.unwrap_or_default()));
        answer.map_or(InputLine::End, |text| InputLine::Text(text.to_owned()))
    }
}

impl FrontEnd for Script {
    fn begin(&mut self, session: &Session, _opening: &Opening) -> io::Result<()> {
        let table = session.table();
        self.tell(format!("{}\n{}", table.welcome(), table.board(usize::MAX)));
        Ok(())
    }

    fn ask(&mut self, session: &Session, side: Side, _again: bool) -> io::Result<InputLine> {
        Ok(self.answer(&session.table().prompt(side).ask))
    }

    fn is_person(&self) -> bool {
        true
    }

    fn ask_whether(&mut self, _session: &Session, question: &str) -> io::Result<InputLine> {
        Ok(self.answer(question))
    }

    fn waits(&mut self, _session: &Session, _side: Side) -> io::Result<()> {
        unreachable!("nobody waits in an alternating game")
    }

    fn chose(&mut self, _session: &Session, side: Side, choice: &str) -> io::Result<()> {
        self.tell(format!("{side} chooses {choice}."));
        Ok(())
    }

    fn taken_back(&mut self, session: &Session) -> io::Result<()> {
        self.tell(format!("Back at {}.", session.table().position()));
        Ok(())
    }

    fn turn(&mut self, session: &Session) -> io::Result<()> {
        self.tell(session.table().report(usize::MAX));
        Ok(())
    }

    fn note(&mut self, _session: &Session, text: &str) -> io::Result<()> {
        self.tell(text);
        Ok(())
    }

    fn refuse(&mut self, _session: &Session, text: &str) -> io::Result<()> {
        self.tell(text);
        Ok(())
    }

    fn end(&mut self, session: &Session, ending: Ending) -> io::Result<()> {
        assert_eq!(session.ending(), Some(ending));
        self.tell(format!("The end: {}.", ending.termination));
        Ok(())
    }

    fn score(&mut self, score: &Score, over: bool) -> io::Result<()> {
        let (one, two) = (score.points(Side::One), score.points(Side::Two));
        self.tell(format!("{one} to {two}, over: {over}"));
        Ok(())
    }

    fn leave(&mut self) -> io::Result<()> {
        self.tell("Left.");
        Ok(())
    }
}

/// Four stones; Player 1 starts the first game of a match of two.
fn plan() -> Plan {
    let entry = lookup::game(SIX_GAMES, "last").expect("its beginning is enough");
    let options = GameArgs { rules: vec!["stones=4".to_owned()], preset: None };
    Plan {
        entry,
        settings: lookup::settings(entry, &options).expect("it has that option"),
        names: Both::new("Ann".to_owned(), "Bob".to_owned()),
        players: Both::default(),
        first: Side::One,
        is_tossed: false,
        position: None,
        standing: Some(Plan::first_of(2)),
        date: None,
        seed: None,
        turn_limit: None,
    }
}

/// Plays a match with these answers, and gives what was told.
fn told(answers: impl IntoIterator<Item = &'static str>) -> (Exit, Vec<String>) {
    told_of(plan(), answers)
}

/// The same against a bot.
#[cfg(unix)]
fn told_against(bot: &str, answers: impl IntoIterator<Item = &'static str>) -> (Exit, Vec<String>) {
    let mut plan = plan();
    plan.seat(Side::Two, parse_command(bot).expect("there is a shell"));
    told_of(plan, answers)
}

fn told_of(plan: Plan, answers: impl IntoIterator<Item = &'static str>) -> (Exit, Vec<String>) {
    let mut script = Script::new(answers);
    let mut keeper = Keeper::new(None, ExitHook::default());
    let session = plan.begin();
    let mut advisor = Advisor::new(&plan);
    let exit = play(plan, session, Opening::default(), &mut script, &mut keeper, &mut advisor);
    (exit.expect("a script never fails"), script.told)
}

#[test]
fn a_sixth_game_is_played_through_the_game_loop() {
    let (exit, told) = told(["2", "moves", "3", "take 1", "2", "1", "resign", "yes"]);
    assert_eq!(exit, Exit::Done);
    let told = told.join("\n");
    for text in [
        "Welcome to Last Stone!\nAnn takes the first stones.\n",
        "Ann, how many stones (1 or 2)? 2\nAnn takes 2 stones.",
        "Bob, how many stones (1 or 2)? moves\nYou can enter take 1 (1) or take 2 (2).",
        "\"3\" is not a move here: enter take 1 or take 2.",
        "There is only 1 stone left. Enter take 1.",
        "Ann has taken the last stone and wins!",
        "The end: rules.\n1 to 0, over: false",
        "Bob takes the first stones.",
        "The end: resigned.",
    ] {
        assert!(told.contains(text), "missing: {text}\n{told}");
    }
}

#[test]
fn a_sixth_game_can_be_taken_back_drawn_and_left() {
    let (exit, told) = told(["2", "undo", "draw", "yes", "1"]);
    assert_eq!(exit, Exit::InputEnded);
    let told = told.join("\n");
    assert!(told.contains("Back at "), "{told}");
    assert!(told.contains("The end: agreed.\n½ to ½, over: false"), "{told}");
    assert!(told.ends_with("Left."), "{told}");
}

#[test]
#[cfg(unix)]
fn a_sixth_game_is_played_against_a_bot() {
    let bot = "json: sh -c 'while read -r line; do echo 1; done'";
    let (exit, told) = told_against(bot, ["draw", "yes", "2", "undo", "2", "1", "resign", "yes"]);
    assert_eq!(exit, Exit::Done);
    let told = told.join("\n");
    for text in [
        "Bob declines.",
        "Player 2 chooses 1.\nBob takes 1 stone.",
        "Back at ",
        "The end: rules.\n1 to 0, over: false",
        "The end: resigned.",
    ] {
        assert!(told.contains(text), "missing: {text}\n{told}");
    }
}

#[test]
#[cfg(unix)]
fn a_bot_that_fails_ends_its_game_and_the_match_goes_on() {
    let bot = "json: sh -c 'while read -r line; do echo 7; done'";
    let (exit, told) = told_against(bot, ["2"]);
    assert_eq!(exit, Exit::Done);
    let told = told.join("\n");
    let second = "The end: illegal move.\n1 to 0, over: false\nWelcome";
    assert!(told.contains(second), "{told}");
    assert!(told.ends_with("The end: illegal move.\n2 to 0, over: true"), "{told}");
}

#[test]
fn a_sixth_game_is_found_shown_and_recorded() {
    let slip = lookup::game(SIX_GAMES, "lost-stone").expect_err("there is no such game");
    assert!(slip.to_string().contains("did you mean last-stone?"), "{slip}");
    let arguments = ShowArgs {
        board: BoardArgs {
            game: "Last Stone".to_owned(),
            options: crate::args::GameArgs::default(),
            first: "p2".to_owned(),
        },
        position: None,
        moves: Some("2 1".to_owned()),
        json: false,
    };
    let table = show::table(&arguments, SIX_GAMES).expect("these moves are legal");
    let shown = show::describe(&*table);
    assert!(shown.ends_with("Position: 1/2/2\nPlayer 2 moves.\nLegal for Player 2: 1 or 2"));
    let object = json::text(&PositionObject::of(&*table));
    assert!(object.contains(r#""rules":{"stones":7,"#), "{object}");

    let text = "[Game \"last-stone\"]\n[Rules \"stones=2\"]\n[Result \"1-0\"]\n\n1. 2\n";
    let record = Record::parse(text, SIX_GAMES).expect("the record is valid");
    let ending = Ending { outcome: Outcome::Won(Side::One), termination: Termination::Rules };
    assert_eq!(record.ending, Some(ending));
    assert_eq!(record.settings.changes(), "stones=2");
    assert_ne!(record.settings, Settings::defaults(record.entry.options));
}
