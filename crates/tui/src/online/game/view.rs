//! What the screen shows of a game on a server.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_play::{Plan, Session};
use skirmish_present::words;
use skirmish_room::Millis;
use skirmish_room::wire::{ClockView, StageName};
use skirmish_room::words::{ABORTED, CLOSED_BY_OPERATOR};
use skirmish_rules::{Side, Tempo, columns, quotable};

use super::super::super::app::is_roomy;
use super::super::super::context::Context;
use super::super::super::look::Ink;
use super::super::super::parts::{Canvas, below, inset};
use super::super::super::play::picture::{self, PlayView, Situation};
use super::super::super::play::result;
use super::super::super::screen::Screen;
use super::super::super::stage::glyph;
use super::super::Online;
use super::super::qr;
use super::super::words::{clock_time, game_name, offers, terms, you_offer};
use super::OnlineGame;

pub(super) fn title(game: &OnlineGame) -> String {
    let Some(plan) = game.mirror.plan() else {
        return match game.mirror.terms() {
            Some(terms) => {
                format!("{}: {}", game_name(terms, game.mirror.games()), game.mirror.code())
            }
            None => format!("Game {}", game.mirror.code()),
        };
    };
    let name = |side: Side| {
        let you = if game.mirror.you() == Some(side) { " (you)" } else { "" };
        format!("{}{you}", plan.names[side])
    };
    format!("{}: {} against {}", plan.entry.name, name(Side::One), name(Side::Two))
}

pub(super) fn draw(game: &OnlineGame, canvas: &mut Canvas, area: Rect, context: &Context) {
    if let Some(why) = &game.refused {
        let inside = inset(canvas.panel(area, game.mirror.code()));
        let rows = canvas.prose(inside, why, canvas.look.ink(Ink::Alarm));
        let text = "Esc goes back to the lobby.";
        canvas.prose(below(inside, rows + 1), text, canvas.look.ink(Ink::Plain));
        return;
    }
    match (&game.after, game.mirror.plan(), game.mirror.session()) {
        (Some(after), _, _) => after.draw(canvas, area, context),
        (None, Some(plan), Some(session)) => {
            draw_game(game, plan, session, canvas, area, context);
        }
        (None, _, _) => waiting(game, canvas, area, context),
    }
}

/// Before the second player has come.
fn waiting(game: &OnlineGame, canvas: &mut Canvas, area: Rect, context: &Context) {
    let mut inside = inset(canvas.panel(area, "Waiting"));
    let Some(online) = &context.online else { return };
    if let Some(terms) = game.mirror.terms().filter(|_| game.mirror.stage() != StageName::Open) {
        let name = quotable(&game_name(terms, game.mirror.games()));
        let text = format!("This program cannot show the game {name}: the server may be newer.");
        canvas.prose(inside, &text, canvas.look.ink(Ink::Alarm));
        return;
    }
    let Some(agreed) = game.mirror.terms() else {
        let text = online.trouble().or_else(|| game.mirror.outage().map(str::to_owned));
        let text = text.unwrap_or_else(|| "The server is asked…".to_owned());
        canvas.prose(inside, &text, canvas.look.ink(Ink::Faint));
        return;
    };
    let code = game.mirror.code();
    let address = online.invitation(code);
    inside.width -= qr::beside(canvas, inside, &address);
    let gap = u16::from(is_roomy(area));
    let mut left = below(inside, gap);
    let games = context.catalog;
    let what = format!("{}: {}.", game_name(agreed, games), terms(agreed, games));
    left = below(left, gap + canvas.prose(left, &what, canvas.look.ink(Ink::Plain)));
    let text = "Waiting for the second player.";
    left = below(left, gap + canvas.prose(left, text, canvas.look.ink(Ink::Title)));
    canvas.line(left, 0, &canvas.led(Ink::Faint, "Code     ", code.to_owned()));
    left = below(left, 1);
    let label = Line::from(Span::styled("Address  ", canvas.look.ink(Ink::Faint)));
    let used = canvas.line(left, 0, &label).min(left.width);
    // The address is easier to copy in one piece.
    let beside = if columns::cells(&address) > left.width - used {
        left = below(left, 1);
        left
    } else {
        Rect { x: left.x + used, width: left.width - used, ..left }
    };
    left = below(left, gap + canvas.prose(beside, &address, canvas.look.ink(Ink::Key)));
    let text = "The second player opens the address, or runs skirmish join with it.";
    left = below(left, canvas.prose(left, text, canvas.look.ink(Ink::Faint)));
    if game.can_close() {
        let text = if is_roomy(area) {
            "If you leave with Esc, the game stays open."
        } else {
            "The game stays open if you leave."
        };
        canvas.prose(left, text, canvas.look.ink(Ink::Faint));
    }
}

fn draw_game(
    game: &OnlineGame,
    plan: &Plan,
    session: &Session,
    canvas: &mut Canvas,
    area: Rect,
    context: &Context,
) {
    let motion = game.motion.as_ref();
    let choices = game.choices();
    let is_shown = game.is_analysing && motion.is_none();
    let analysis = if is_shown { picture::analysis(plan, session, context) } else { None };
    let view = PlayView {
        plan,
        session,
        motion,
        situation: situation(game, session),
        is_over: game.mirror.end().is_some(),
        watched: None,
        facts: facts(game, area, context),
        title: heading(game),
        question: game.is_resigning.then(|| match game.mirror.you() {
            Some(side) => format!("{}, do you resign? y or n", game.name(side)),
            None => String::new(),
        }),
        log: &game.log,
        said: said(game, context, session),
        asked: game.asked(),
        choices: &choices,
        chosen: Some(game.chosen),
        has_values: true,
        is_analysing: game.is_analysing,
        analysis,
        curtain: None,
    };
    picture::draw(&view, canvas, area, context);
}

/// The side that the game waits for: of two, the one that has not chosen, and rather the opponent's.
fn awaited(game: &OnlineGame, session: &Session) -> Option<Side> {
    let sides = session.table().turn();
    let waits = |side: &Side| sides.contains(side) && !game.mirror.has_chosen(*side);
    game.asked()
        .or_else(|| game.opponent().filter(waits))
        .or_else(|| Side::ALL.into_iter().find(waits))
}

fn situation(game: &OnlineGame, session: &Session) -> Situation {
    let plain = |side, text: &str| Situation { side, text: text.to_owned(), ink: Ink::Plain };
    if game.motion.is_some() {
        return plain(None, "");
    }
    if game.mirror.end().is_some() {
        return Situation { ink: Ink::Title, ..plain(None, "Game over") };
    }
    if game.mirror.stage() == StageName::Paused {
        return Situation { ink: Ink::Title, ..plain(None, "Paused") };
    }
    let Some(side) = awaited(game, session) else { return plain(None, "") };
    let is_away = !game.mirror.present()[side] && Some(side) != game.mirror.you();
    let is_program = game.mirror.plan().is_some_and(|plan| plan.players[side].level().is_some());
    match (is_program, is_away) {
        (true, _) => plain(Some(side), " thinks…"),
        (false, true) => plain(Some(side), " to move, away"),
        (false, false) => plain(Some(side), " to move"),
    }
}

/// Clocks and spectators.
fn facts(game: &OnlineGame, area: Rect, context: &Context) -> Vec<String> {
    let mut facts = Vec::new();
    let since = game.since(context.now);
    if let (Some(left), Some(clock)) = (game.mirror.time_left(since), game.mirror.clock()) {
        let time = |side: Side| format!("{} {}", glyph(side), clock_time(left[side]));
        facts.push(format!("{} {}", time(Side::One), time(Side::Two)));
        if let Some(left) = until_abort(game, clock, context) {
            facts.push(format!("first move in {}", clock_time(left)));
        }
    }
    if game.mirror.watchers() > 0 && is_roomy(area) {
        facts.push(format!("{} watching", game.mirror.watchers()));
    }
    facts
}

/// How long the first move may still take.
fn until_abort(game: &OnlineGame, clock: &ClockView, context: &Context) -> Option<Millis> {
    let abort = clock.abort.filter(|_| game.mirror.end().is_none())?;
    Some(abort.saturating_sub(game.since(context.now)))
}

/// What happens unless the player makes the first move in time.
fn first_move(game: &OnlineGame, context: &Context) -> Option<String> {
    game.asked()?;
    let left = until_abort(game, game.mirror.clock()?, context)?;
    Some(format!("Make your first move in {}, or the game is aborted.", clock_time(left)))
}

fn heading(game: &OnlineGame) -> String {
    if game.is_over() {
        return "The end".to_owned();
    }
    match (game.asked(), game.opponent()) {
        _ if game.motion.is_some() => String::new(),
        (Some(side), _) => format!("{}, your move", game.name(side)),
        (None, Some(_)) if game.mirror.stage() == StageName::Paused => "Paused".to_owned(),
        (None, Some(opponent)) => format!("Waiting for {}", game.name(opponent)),
        (None, None) => match game.mirror.session().and_then(|session| awaited(game, session)) {
            Some(side) => format!("You watch: {} to move", game.name(side)),
            None => "You watch".to_owned(),
        },
    }
}

/// What is said above the choices, most important first.
fn said(game: &OnlineGame, context: &Context, session: &Session) -> Vec<(String, Ink)> {
    let mut said = Vec::new();
    let online = context.online.as_ref();
    if let Some(why) = online.and_then(Online::failure) {
        said.push((why.to_owned(), Ink::Alarm));
    } else if !online.is_some_and(Online::is_connected) && game.mirror.is_waiting_for_answer() {
        let text = "What you entered is sent as soon as the connection is back.";
        said.push((text.to_owned(), Ink::Alarm));
    }
    said.extend(game.mirror.outage().map(|text| (text.to_owned(), Ink::Good)));
    if let Some((text, is_alarm)) = &game.message {
        said.push((text.clone(), if *is_alarm { Ink::Alarm } else { Ink::Good }));
    }
    if let (Some(what), Some(opponent)) = (game.open_offer(), game.opponent()) {
        let text = format!("{} Do you accept? y or n", offers(&game.name(opponent), what));
        said.push((text, Ink::Alarm));
    }
    if let Some(side) = game.mirror.you()
        && let Some(what) = game.mirror.offers()[side]
    {
        let other = game.name(side.other());
        said.push((format!("{} {other} has not answered yet.", you_offer(what)), Ink::Faint));
    }
    if game.is_over() {
        said.push((ending(game, session), Ink::Title));
        if game.mirror.stage() == StageName::Closed {
            said.push((CLOSED_BY_OPERATOR.to_owned(), Ink::Plain));
        }
    } else {
        said.extend(chosen(game, session).map(|text| (text, Ink::Good)));
    }
    said.extend(first_move(game, context).map(|text| (text, Ink::Alarm)));
    said.extend(absence(game, session).map(|text| (text, Ink::Faint)));
    said
}

/// That a choice waits for the other side's, as long as it does.
fn chosen(game: &OnlineGame, session: &Session) -> Option<String> {
    let waits = |side: &Side| game.mirror.has_chosen(*side);
    let is_secret = session.table().tempo() == Tempo::Simultaneous;
    let side = Side::ALL.into_iter().find(waits).filter(|_| is_secret && game.motion.is_none())?;
    Some(if game.mirror.you() == Some(side) {
        format!("You have chosen. Waiting for {}.", game.name(side.other()))
    } else {
        format!("{} has chosen.", game.name(side))
    })
}

/// Who is away, and what can be done about it.
fn absence(game: &OnlineGame, session: &Session) -> Option<String> {
    let plan = game.mirror.plan().filter(|_| game.mirror.end().is_none())?;
    let is_away = |side: &Side| {
        let is_person = plan.players[*side].level().is_none();
        is_person && !game.mirror.present()[*side] && Some(*side) != game.mirror.you()
    };
    let away = Side::ALL.into_iter().find(is_away)?;
    let is_away = format!("{} is not connected.", game.name(away));
    let is_awaited = awaited(game, session) == game.opponent();
    Some(match game.mirror.claim_after().filter(|_| is_awaited && game.opponent().is_some()) {
        Some(seconds) => {
            let time = waiting_time(seconds);
            format!("{is_away} After {time} of absence you can enter :claim.")
        }
        None => is_away,
    })
}

fn waiting_time(seconds: u64) -> String {
    match seconds {
        60 => "a minute".to_owned(),
        minutes if minutes % 60 == 0 => format!("{} minutes", minutes / 60),
        seconds => format!("{seconds} seconds"),
    }
}

/// How the game ended, and what comes next.
pub(super) fn ending(game: &OnlineGame, session: &Session) -> String {
    let Some(ending) = session.ending() else {
        return ABORTED.to_owned();
    };
    let text = result(session.table().names(), ending, session.fault());
    match &game.score {
        Some(score) => format!("{text} Match: {}", words::score(score)),
        None => text,
    }
}
