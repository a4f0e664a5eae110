//! The game loop: asks whoever has to choose, plays the turn, and answers whatever else is asked.

use anyhow::Result;
use skirmish_play::{MatchState, Plan, Session};
use skirmish_rules::{Ending, PASS, Refusal, Side, Submitted, alternatives, quotable};

use super::command::{Begun, Command, Request};
use super::front::Front;
use super::input::Line;
use super::keeper::Keeper;
use crate::exit::{Exit, INTERRUPTED};
use crate::output;

/// How a game comes about, for the front end to tell.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Opening {
    /// The seed, where it is to be told.
    pub(crate) seed: Option<u64>,
    /// A coin toss decided who starts.
    pub(crate) tossed: bool,
    /// The people have swapped seats since the last game of the match.
    pub(crate) swapped: bool,
    /// The game goes on where it was left.
    pub(crate) resumed: bool,
}

/// What became of a game.
enum Played {
    Over(Ending),
    Left(Exit),
}

/// What becomes of a turn.
enum Step {
    /// Go on asking.
    On,
    /// Go on, and do not tell the whole situation again.
    Again,
    Left(Exit),
}

/// Plays a game, and the rest of its match.
pub(crate) fn play(
    mut plan: Plan,
    mut session: Session,
    mut opening: Opening,
    front: &mut dyn Front,
    keeper: &mut Keeper,
) -> Result<Exit> {
    loop {
        keeper.begin(&plan, &session)?;
        front.begin(&session, &opening)?;
        let ending = match play_game(&mut session, front, keeper)? {
            Played::Over(ending) => ending,
            Played::Left(exit) => {
                front.leave()?;
                keeper.say_farewell();
                return Ok(exit);
            }
        };
        keeper.end(&session);
        front.end(&session, ending)?;
        match plan.after(ending.outcome) {
            None => return Ok(Exit::Done),
            Some(MatchState::Over(score)) => {
                front.score(&score, true)?;
                return Ok(Exit::Done);
            }
            Some(MatchState::Next(score, next)) => {
                front.score(&score, false)?;
                let swapped = next.names != plan.names;
                opening = Opening { swapped, ..Opening::default() };
                plan = *next;
                session = plan.begin();
            }
        }
    }
}

fn play_game(session: &mut Session, front: &mut dyn Front, keeper: &mut Keeper) -> Result<Played> {
    let mut again = false;
    loop {
        if let Some(ending) = session.ending() {
            return Ok(Played::Over(ending));
        }
        let side =
            *session.table().to_act().first().expect("somebody can choose until the game ends");
        let step = if session.table().must_pass(side) && !session.is_stuck() {
            // R-ALL-3: nobody is asked where there is nothing to choose.
            session.submit(side, PASS).expect("a forced pass is legal");
            front.turn(session)?;
            keeper.keep(session);
            Step::On
        } else {
            if session.is_stuck() && !again {
                front
                    .note(session, "Neither player can move. Enter pass, draw, resign or quit.")?;
            }
            match front.ask(session, side, again)? {
                Line::Text(text) => answer(session, front, keeper, side, &text)?,
                Line::Unusable(why) => {
                    front.refuse(session, &format!("{why} Enter {}.", choices(session, side)))?;
                    Step::Again
                }
                Line::End => Step::Left(Exit::InputEnded),
                Line::Interrupted => Step::Left(INTERRUPTED),
            }
        };
        match step {
            Step::On => again = false,
            Step::Again => again = true,
            Step::Left(exit) => return Ok(Played::Left(exit)),
        }
    }
}

/// What a line typed by `side` does.
fn answer(
    session: &mut Session,
    front: &mut dyn Front,
    keeper: &mut Keeper,
    side: Side,
    text: &str,
) -> Result<Step> {
    if text.trim().is_empty() {
        return Ok(Step::Again);
    }
    if let Some(request) = Command::exact(text) {
        return obey(session, front, keeper, side, &request);
    }
    match session.submit(side, text) {
        Ok(Submitted::Waiting) => {
            front.waits(session, side)?;
            Ok(Step::On)
        }
        Ok(Submitted::Turn) => {
            front.turn(session)?;
            keeper.keep(session);
            Ok(Step::On)
        }
        Err(refusal @ Refusal::Unreadable { .. }) => match Command::begun(text) {
            Begun::One(request) => obey(session, front, keeper, side, &request),
            Begun::Several(commands) => {
                front.refuse(
                    session,
                    &format!("\"{}\" could be {commands}.", quotable(text.trim())),
                )?;
                Ok(Step::Again)
            }
            Begun::Nothing => {
                let wrong = objection(session, side, &refusal);
                front.refuse(
                    session,
                    &format!("{wrong} (\"help\" tells what else you can enter.)"),
                )?;
                Ok(Step::Again)
            }
        },
        Err(refusal) => {
            front.refuse(session, &objection(session, side, &refusal))?;
            Ok(Step::Again)
        }
    }
}

/// What is wrong with a line. Where both choose at once it is not repeated (R-CL-6): a slip such as
/// "atack" would give the choice away.
fn objection(session: &Session, side: Side, refusal: &Refusal) -> String {
    let secret = session.table().turn().len() > 1;
    match refusal {
        Refusal::Unreadable { .. } | Refusal::Ambiguous { .. } if secret => {
            format!("That does not name one of your actions: enter {}.", choices(session, side))
        }
        _ => refusal.to_string(),
    }
}

fn obey(
    session: &mut Session,
    front: &mut dyn Front,
    keeper: &mut Keeper,
    side: Side,
    request: &Request,
) -> Result<Step> {
    let table = session.table();
    let told = match request.command {
        Command::Help => {
            let choices = choices(session, side);
            format!("Enter your move: {choices}.\nOr, at any time:\n{}", Command::list())
        }
        Command::Rules => table.entry().rules_page(),
        Command::Board => table.board(output::width()),
        Command::Moves => format!("You can enter {}.", choices(session, side)),
        Command::History => history(session),
        Command::Save => match keeper.save_now(session, request.argument.as_deref()) {
            Ok(told) => told,
            Err(fault) => {
                front.refuse(session, &fault)?;
                return Ok(Step::Again);
            }
        },
        Command::Undo => return undo(session, front, keeper),
        Command::Draw => return offer_draw(session, front, side),
        Command::Resign => {
            session.resign(side);
            return Ok(Step::On);
        }
        Command::Quit => return Ok(Step::Left(Exit::Done)),
    };
    front.note(session, &told)?;
    Ok(Step::Again)
}

/// What a side may enter: words, with the notation where it differs.
fn choices(session: &Session, side: Side) -> String {
    let shown = session.table().choices(side).into_iter().map(|choice| {
        if choice.words.eq_ignore_ascii_case(&choice.notation) {
            choice.words
        } else {
            format!("{} ({})", choice.words, choice.notation)
        }
    });
    alternatives(shown)
}

fn history(session: &Session) -> String {
    let turns = session.table().history();
    if turns.is_empty() {
        return "No turn has been played yet.".to_owned();
    }
    let lines: Vec<String> =
        turns.iter().enumerate().map(|(index, turn)| format!("{}. {turn}", index + 1)).collect();
    lines.join("\n")
}

fn undo(session: &mut Session, front: &mut dyn Front, keeper: &mut Keeper) -> Result<Step> {
    if !session.undo() {
        front.refuse(session, "There is no turn to take back.")?;
        return Ok(Step::Again);
    }
    keeper.keep(session);
    let board = session.table().board(output::width());
    front.note(session, &format!("Taken back.\n\n{board}\n"))?;
    Ok(Step::On)
}

fn offer_draw(session: &mut Session, front: &mut dyn Front, side: Side) -> Result<Step> {
    let names = session.table().names().clone();
    let question = format!(
        "{} offers a draw. {}, do you accept (yes or no)? ",
        names[side],
        names[side.other()]
    );
    loop {
        let text = match front.ask_whether(session, &question)? {
            Line::Text(text) => text,
            Line::Unusable(why) => {
                front.refuse(session, why)?;
                continue;
            }
            Line::End => return Ok(Step::Left(Exit::InputEnded)),
            Line::Interrupted => return Ok(Step::Left(INTERRUPTED)),
        };
        match yes_or_no(&text) {
            Some(true) => {
                session.agree_on_draw();
                return Ok(Step::On);
            }
            Some(false) => {
                front.note(session, &format!("{} declines.", names[side.other()]))?;
                return Ok(Step::On);
            }
            None => front.refuse(session, "Enter yes or no.")?,
        }
    }
}

/// `yes`, `no`, or the beginning of either.
fn yes_or_no(text: &str) -> Option<bool> {
    let word = text.trim().to_lowercase();
    let begins = |whole: &str| !word.is_empty() && whole.starts_with(&word);
    match (begins("yes"), begins("no")) {
        (true, false) => Some(true),
        (false, true) => Some(false),
        _ => None,
    }
}
