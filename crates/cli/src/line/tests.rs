//! Runs a test-only sixth game through the catalogue and the game loop.

use std::collections::VecDeque;

#[cfg(unix)]
use skirmish_arena::bot::parse_command;
use skirmish_play::Plan;
use skirmish_present::json::{self, PositionObject};
use skirmish_rules::{Both, Ending, Outcome, Record, Settings, Side, Termination};
use skirmish_store::{ExitHook, Keeper};

use super::console::Console;
use super::input::InputLine;
use super::local::LocalTurns;
use super::show::Beginning;
use crate::advisor::Advisor;
use crate::args::{BoardArgs, GameArgs, ShowArgs};
use crate::exit::Exit;
use crate::sixth::SIX_GAMES;
use crate::{lookup, show};

/// The scripted input lines, and all resulting output.
pub(super) struct Script {
    answers: VecDeque<&'static str>,
    pub(super) told: String,
}

impl Script {
    pub(super) fn next_line(&mut self) -> InputLine {
        let Some(answer) = self.answers.pop_front() else { return InputLine::End };
        self.told.extend([answer, "\n"]);
        InputLine::Text(answer.to_owned())
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

/// Plays a match with these answers; returns the exit code and the output.
fn told(answers: impl IntoIterator<Item = &'static str>) -> (Exit, String) {
    told_of(plan(), answers)
}

/// Like [`told`], but against a bot.
#[cfg(unix)]
fn told_against(bot: &str, answers: impl IntoIterator<Item = &'static str>) -> (Exit, String) {
    let mut plan = plan();
    plan.seat(Side::Two, parse_command(bot).expect("there is a shell"));
    told_of(plan, answers)
}

fn told_of(plan: Plan, answers: impl IntoIterator<Item = &'static str>) -> (Exit, String) {
    let script = Script { answers: answers.into_iter().collect(), told: String::new() };
    let mut console = Console::scripted(script);
    let mut keeper = Keeper::new(None, ExitHook::default());
    let session = plan.begin();
    let mut advisor = Advisor::new(&plan);
    let beginning = Beginning::New { seed: None, is_tossed: false };
    let mut game =
        LocalTurns::begin(plan, session, beginning, &mut console, &mut keeper, &mut advisor)
            .expect("a script never fails");
    let exit = super::play(&mut game).expect("a script never fails");
    (exit, anstream::adapter::strip_str(&console.script.expect("a script").told).to_string())
}

#[track_caller]
fn assert_told(told: &str, texts: &[&str]) {
    for text in texts {
        assert!(told.contains(text), "missing: {text}\n{told}");
    }
}

#[test]
fn a_sixth_game_is_played_through_the_game_loop() {
    let (exit, told) = told(["2", "moves", "3", "take 1", "2", "1", "resign", "yes"]);
    assert_eq!(exit, Exit::Done);
    assert_told(
        &told,
        &[
            "Welcome to Last Stone!\nAnn takes the first stones.\n",
            "Ann, how many stones (1 or 2)? 2\n\nAnn takes 2 stones.",
            "Bob, how many stones (1 or 2)? moves\nYou can enter take 1 (1) or take 2 (2).",
            "\"3\" is not a move here: enter take 1 or take 2.",
            "There is only 1 stone left. Enter take 1.",
            "Ann has taken the last stone and wins!",
            "Score: Ann 1, Bob 0\n\nGame 2 of 2\n",
            "Bob takes the first stones.",
            "Bob resigns.\nAnn wins the game!\nFinal score: Ann 2, Bob 0\n",
        ],
    );
}

#[test]
fn a_sixth_game_can_be_taken_back_drawn_and_left() {
    let (exit, told) = told(["2", "undo", "draw", "perhaps", "yes", "1"]);
    assert_eq!(exit, Exit::InputEnded);
    let drawn = "The players agree on a draw.\nScore: Ann ½, Bob ½\n";
    let answered = "Bob, do you accept (yes or no)? yes\n";
    assert_told(&told, &["Taken back.\n\n", "Enter yes or no.\n", answered, drawn]);
}

#[test]
#[cfg(unix)]
fn a_sixth_game_is_played_against_a_bot() {
    let bot = "json: sh -c 'while read -r line; do echo 1; done'";
    let (exit, told) = told_against(bot, ["draw", "yes", "2", "undo", "2", "1", "resign", "yes"]);
    assert_eq!(exit, Exit::Done);
    assert_told(
        &told,
        &[
            "Bob declines.",
            "Bob, how many stones (1 or 2)? 1\n\nBob takes 1 stone.",
            "Taken back.",
            "Score: Ann 1, Bob 0\n",
            "resigns.\n",
        ],
    );
}

#[test]
#[cfg(unix)]
fn a_bot_that_fails_ends_its_game_and_the_match_goes_on() {
    let bot = "json: sh -c 'while read -r line; do echo 7; done'";
    let (exit, told) = told_against(bot, ["2"]);
    assert_eq!(exit, Exit::Done);
    assert_told(&told, &["Bob played \"7\": it could play 1 or 2."]);
    let second = "Ann wins the game!\nScore: Ann 1, Bob 0\n\nGame 2 of 2\n";
    assert_told(&told, &[second, "Ann wins the game!\nFinal score: Ann 2, Bob 0\n"]);
}

#[test]
fn a_sixth_game_is_found_shown_and_recorded() {
    let slip = lookup::game(SIX_GAMES, "lost-stone").expect_err("there is no such game");
    assert!(slip.to_string().contains("did you mean last-stone?"), "{slip}");
    let arguments = ShowArgs {
        board: BoardArgs {
            game: "Last Stone".to_owned(),
            options: crate::args::GameArgs::default(),
            first: Side::Two,
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
