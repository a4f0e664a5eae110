//! Screen contents specific to a game at this terminal.

use ratatui::layout::Rect;
use skirmish_play::Analysis;
use skirmish_play::library::{Effort, Knowledge};
use skirmish_present::{words, you};
use skirmish_rules::{Names, Side, Tempo};

use super::super::super::analysis;
use super::super::super::app::is_roomy;
use super::super::super::context::Context;
use super::super::super::look::Ink;
use super::super::super::stage::glyph;
use super::super::Turns;
use super::super::picture::{self, Curtain, Outlook, Situation, result};
use super::{LocalPlay, Stage};

const BOTH_CHOOSE: &str = "Both choose";

pub(super) fn outlook(
    game: &LocalPlay,
    area: Rect,
    analysis: Option<&Analysis>,
    context: &Context,
) -> Outlook {
    Outlook {
        viewer: game.source.plan.only_person(),
        situation: situation(game),
        result: ending(game),
        facts: facts(game, area, analysis, context),
        title: heading(game),
        said: announcements(game, analysis, context),
        curtain: curtain(game, context),
        ready: game.ready(),
        watched: game.spectacle(context),
    }
}

fn situation(game: &LocalPlay) -> Situation {
    let standstill = game.standstill();
    let table = game.source.driver.session().table();
    let both = || Side::ALL.to_vec();
    let (movers, text) = match game.source.stage {
        _ if game.motion.is_some() => (game.shown_movers(), ""),
        Stage::Choosing(_) | Stage::Thinking { .. } if game.is_tossing() => (vec![], "Coin toss"),
        _ if standstill.is_some() => (vec![], standstill.unwrap_or_default()),
        Stage::Between if table.tempo() == Tempo::Simultaneous => (both(), BOTH_CHOOSE),
        Stage::Together => (both(), BOTH_CHOOSE),
        Stage::Between => (table.turn(), " to move"),
        Stage::Choosing(side) | Stage::Veiled(side) => (vec![side], " to move"),
        Stage::Thinking { asked, .. } => {
            (vec![if asked.one { Side::One } else { Side::Two }], " thinks…")
        }
        Stage::Solving => (vec![], "The computer is not ready"),
        Stage::Over(_) => (vec![], "Game over"),
    };
    let ink = if game.is_over() || standstill.is_some() { Ink::Title } else { Ink::Plain };
    Situation { movers, text: text.to_owned(), ink }
}

fn facts(
    game: &LocalPlay,
    area: Rect,
    analysis: Option<&Analysis>,
    context: &Context,
) -> Vec<String> {
    let mut facts = game.watched_facts(area.width, context);
    if let Some(analysis) = analysis.filter(|_| game.is_secret() && !is_roomy(area)) {
        // The choices must not show their values, and there is no room for an analysis.
        let table = game.looked_at().table();
        let mover = table.turn().first().copied();
        facts.push(analysis::title(&analysis.verdict, mover, table.names()));
    }
    facts
}

fn heading(game: &LocalPlay) -> String {
    match game.source.stage {
        _ if game.source.watching.is_some() => "Moves".to_owned(),
        Stage::Choosing(side) if game.pause.is_none() => {
            let names = game.source.driver.session().table().names();
            let text = |names: &Names| format!("{}, your move", names[side]);
            you::told(game.source.plan.only_person(), names, text)
        }
        Stage::Together if game.motion.is_none() => BOTH_CHOOSE.to_owned(),
        Stage::Over(_) => "The end".to_owned(),
        Stage::Choosing(_)
        | Stage::Veiled(_)
        | Stage::Together
        | Stage::Thinking { .. }
        | Stage::Between
        | Stage::Solving => String::new(),
    }
}

fn curtain(game: &LocalPlay, context: &Context) -> Option<Curtain> {
    // Both players may read a question, and it hides the choices anyway.
    let side = game.veiled().filter(|_| game.question().is_none())?;
    let session = game.looked_at();
    // Show the last turn only to the first player who chooses.
    let is_first = session.table().to_act().len() > 1;
    let told = || picture::told(session, game.motion.as_ref(), context).join(" ");
    let message = game.message.as_ref().map(|message| message.text.clone());
    Some(Curtain { side, message, told: if is_first { told() } else { String::new() } })
}

/// How the game on the screen has ended.
fn ending(game: &LocalPlay) -> Option<String> {
    let Stage::Over(ending) = game.source.stage else { return None };
    let session = game.source.driver.session();
    let is_shown = game.motion.is_none() && game.looked_at().ending().is_some();
    let viewer = game.source.plan.only_person();
    is_shown.then(|| result(viewer, session.table().names(), ending, session.fault()))
}

/// The messages above the choices.
fn announcements(
    game: &LocalPlay,
    analysis: Option<&Analysis>,
    context: &Context,
) -> Vec<(String, Ink)> {
    let session = game.source.driver.session();
    let (table, names) = (session.table(), session.table().names());
    if ending(game).is_some() {
        return Vec::new();
    }
    if let Some((up, is_still)) =
        game.pause.and_then(|pause| pause.coin(table.first(), context.now))
    {
        let text = if is_still {
            let toss = |names: &Names| words::toss(names, table.first());
            you::told(game.source.plan.only_person(), names, toss)
        } else {
            "A coin toss decides who starts.".to_owned()
        };
        return vec![(format!("({}) {text}", glyph(up)), Ink::Title)];
    }
    if let Some(message) = &game.message {
        return vec![message.inked()];
    }
    let pressure = analysis
        .zip(game.chooser())
        .and_then(|(analysis, side)| words::pressure(&analysis.pressure, side, names));
    solver(game, context).into_iter().chain(pressure.map(|text| (text, Ink::Plain))).collect()
}

/// The state of the solver, if the game or the analysis is waiting for it.
fn solver(game: &LocalPlay, context: &Context) -> Option<(String, Ink)> {
    let is_solving = game.source.stage == Stage::Solving;
    match context.knowledge(&game.source.plan) {
        Knowledge::Refused(Effort::Full, why) if is_solving => Some((
            format!("The computer cannot play here: {why}. Press n for another game."),
            Ink::Alarm,
        )),
        Knowledge::Known(_) | Knowledge::Working(_) if is_solving => {
            Some(("The computer solves the game before it plays.".to_owned(), Ink::Faint))
        }
        Knowledge::Working(Effort::Full) if game.is_analysing => {
            Some(("The game is being solved…".to_owned(), Ink::Faint))
        }
        Knowledge::Refused(Effort::Full, why) if game.is_analysing => {
            Some((format!("No analysis: {why}."), Ink::Alarm))
        }
        _ => None,
    }
}
