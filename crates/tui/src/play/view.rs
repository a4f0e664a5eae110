//! What the playing screen shows of a game at this terminal.

use ratatui::layout::Rect;
use skirmish_play::Analysis;
use skirmish_play::driver::Question;
use skirmish_play::library::{Effort, Knowledge};
use skirmish_present::words;
use skirmish_rules::{Ending, Names, Side};

use super::super::analysis;
use super::super::app::is_roomy;
use super::super::context::Context;
use super::super::look::Ink;
use super::super::parts::Canvas;
use super::super::stage::glyph;
use super::picture::{self, Curtain, PlayView, Situation};
use super::{Play, PlayStage};

pub(super) fn draw(play: &Play, canvas: &mut Canvas, area: Rect, context: &Context) {
    let session = play.looked_at();
    let motion = play.motion.as_ref();
    let told = picture::told(session, motion, context);
    let is_shown = play.is_analysing && motion.is_none();
    let analysis = if is_shown { picture::analysis(&play.plan, session, context) } else { None };
    let is_secret = play.driver.is_secret();
    let watched = play.watched(context);
    let choices = if watched.is_some() { play.watched_moves() } else { play.choices() };
    let mut facts = play.watched_facts(area.width, context);
    if let Some(analysis) = analysis.as_ref().filter(|_| is_secret && !is_roomy(area)) {
        // The choices do not show what they are worth, and there is no room for more.
        let table = session.table();
        let mover = table.turn().first().copied();
        facts.push(analysis::title(&analysis.verdict, mover, table.names()));
    }
    let view = PlayView {
        plan: &play.plan,
        session,
        motion,
        situation: situation(play),
        is_over: session.ending().is_some(),
        watched,
        facts,
        title: match play.stage {
            _ if watched.is_some() => "Moves".to_owned(),
            PlayStage::Choosing(_) if play.pause.is_some() => String::new(),
            PlayStage::Choosing(side) => format!("{}, your move", session.table().names()[side]),
            PlayStage::Over(_) => "The end".to_owned(),
            PlayStage::Veiled(_)
            | PlayStage::Thinking { .. }
            | PlayStage::Between
            | PlayStage::Solving => String::new(),
        },
        question: question(play),
        log: play.log(),
        said: announcement(play, context, analysis.as_ref()),
        asked: play.asked(),
        choices: &choices,
        chosen: play.chosen,
        has_values: !is_secret,
        is_analysing: play.is_analysing,
        analysis,
        // A question is for both to read, and hides the choices as well.
        curtain: play
            .veiled()
            .filter(|_| play.question().is_none())
            .map(|side| curtain(play, side, &told)),
    };
    picture::draw(&view, canvas, area, context);
}

fn situation(play: &Play) -> Situation {
    let (side, text) = match play.stage {
        _ if play.motion.is_some() => (None, ""),
        PlayStage::Choosing(_) | PlayStage::Thinking { .. } if play.is_tossing() => {
            (None, "Coin toss")
        }
        _ if play.standstill().is_some() => (None, play.standstill().unwrap_or_default()),
        PlayStage::Between => match *play.session().table().turn() {
            [side] => (Some(side), " to move"),
            _ => (None, "Both choose"),
        },
        PlayStage::Choosing(side) | PlayStage::Veiled(side) => (Some(side), " to move"),
        PlayStage::Thinking { asked, .. } => {
            (Some(if asked.one { Side::One } else { Side::Two }), " thinks…")
        }
        PlayStage::Solving => (None, "The computer is not ready"),
        PlayStage::Over(_) => (None, "Game over"),
    };
    let is_over = matches!(play.stage, PlayStage::Over(_));
    let ink = if is_over || play.standstill().is_some() { Ink::Title } else { Ink::Plain };
    Situation { side, text: text.to_owned(), ink }
}

fn question(play: &Play) -> Option<String> {
    let names = play.session().table().names();
    Some(match play.question()? {
        Question::Draw(side) => {
            let (one, other) = (&names[side], &names[side.other()]);
            format!("{one} offers a draw. {other}, do you accept? y or n")
        }
        Question::Offer(side) => format!("{}, do you offer a draw? y or n", names[side]),
        Question::Resign(side) => format!("{}, do you resign? y or n", names[side]),
    })
}

fn curtain(play: &Play, side: Side, told: &[String]) -> Curtain {
    // Show the last turn only to the first player who chooses.
    let is_first = play.session().table().to_act().len() > 1;
    let told = if is_first { told.join(" ") } else { String::new() };
    let message = play.message.as_ref().map(|message| message.text.clone());
    Curtain { side, message, told }
}

/// The texts above the choices.
fn announcement(play: &Play, context: &Context, analysis: Option<&Analysis>) -> Vec<(String, Ink)> {
    let table = play.session().table();
    if let PlayStage::Over(ending) = play.stage
        && play.motion.is_none()
        && play.looked_at().ending().is_some()
    {
        let text = result(table.names(), ending, play.session().fault());
        return vec![(text, Ink::Title)];
    }
    if let Some((up, is_still)) =
        play.pause.and_then(|pause| pause.coin(table.first(), context.now))
    {
        let text = if is_still {
            words::toss(table.names(), table.first())
        } else {
            "A coin toss decides who starts.".to_owned()
        };
        return vec![(format!("({}) {text}", glyph(up)), Ink::Title)];
    }
    if let Some(message) = &play.message {
        let ink = if message.is_alarm { Ink::Alarm } else { Ink::Good };
        return vec![(message.text.clone(), ink)];
    }
    let said = known(play, context);
    let pressure = analysis
        .zip(play.asked())
        .and_then(|(analysis, side)| words::pressure(&analysis.pressure, side, table.names()));
    said.into_iter().chain(pressure.map(|text| (text, Ink::Plain))).collect()
}

/// What the solver is doing, if somebody waits for it.
fn known(play: &Play, context: &Context) -> Option<(String, Ink)> {
    match context.knowledge(&play.plan) {
        Knowledge::Refused(Effort::Full, why) if play.stage == PlayStage::Solving => Some((
            format!("The computer cannot play here: {why}. Press n for another game."),
            Ink::Alarm,
        )),
        Knowledge::Known(_) | Knowledge::Working(_) if play.stage == PlayStage::Solving => {
            Some(("The computer solves the game before it plays.".to_owned(), Ink::Faint))
        }
        Knowledge::Working(Effort::Full) if play.is_analysing => {
            Some(("The game is being solved…".to_owned(), Ink::Faint))
        }
        Knowledge::Refused(Effort::Full, why) if play.is_analysing => {
            Some((format!("No analysis: {why}."), Ink::Alarm))
        }
        _ => None,
    }
}

/// How the game ended, in a sentence or two.
pub(in super::super) fn result(names: &Names, ending: Ending, fault: Option<&str>) -> String {
    if let Some(fault) = fault {
        return words::forfeit(fault, names, ending.outcome);
    }
    match (words::ending(ending, names, None), ending.outcome.winner()) {
        (Some(told), _) => told.replace('\n', " "),
        (None, Some(side)) => format!("{} wins!", names[side]),
        (None, None) => "A draw.".to_owned(),
    }
}
