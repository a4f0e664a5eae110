//! Screen contents specific to a game on a server.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_present::words;
use skirmish_room::Millis;
use skirmish_room::wire::{ClockView, StageName};
use skirmish_room::words::{ABORTED, CLOSED_BY_OPERATOR};
use skirmish_rules::{Side, Tempo, columns, quotable};

use super::super::super::app::is_roomy;
use super::super::super::context::Context;
use super::super::super::look::Ink;
use super::super::super::parts::{Canvas, below, inset};
use super::super::super::play::picture::{Outlook, Situation, result};
use super::super::super::play::{Message, Turns};
use super::super::super::stage::glyph;
use super::super::Online;
use super::super::qr;
use super::super::words::{clock_time, game_name, offers, terms, you_offer};
use super::OnlinePlay;

pub(super) fn title(game: &OnlinePlay) -> String {
    let Some(plan) = game.mirror().plan() else {
        return match game.mirror().terms() {
            Some(terms) => {
                format!("{}: {}", game_name(terms, game.mirror().games()), game.mirror().code())
            }
            None => format!("Game {}", game.mirror().code()),
        };
    };
    let name = |side: Side| {
        let you = if game.mirror().you() == Some(side) { " (you)" } else { "" };
        format!("{}{you}", plan.names[side])
    };
    format!("{}: {} against {}", plan.entry.name, name(Side::One), name(Side::Two))
}

/// Draws the reason why the game cannot be entered, or the invitation.
pub(super) fn draw_front(game: &OnlinePlay, canvas: &mut Canvas, area: Rect, context: &Context) {
    if let Some(why) = &game.source.refused {
        let inside = inset(canvas.panel(area, game.mirror().code()));
        let rows = canvas.prose(inside, why, canvas.look.ink(Ink::Alarm));
        let text = "Esc goes back to the lobby.";
        canvas.prose(below(inside, rows + 1), text, canvas.look.ink(Ink::Plain));
    } else {
        waiting(game, canvas, area, context);
    }
}

/// Draws the invitation, before the second player joins.
fn waiting(game: &OnlinePlay, canvas: &mut Canvas, area: Rect, context: &Context) {
    let mut inside = inset(canvas.panel(area, "Waiting"));
    let Some(online) = &context.online else { return };
    if let Some(terms) = game.mirror().terms().filter(|_| game.mirror().stage() != StageName::Open)
    {
        let name = quotable(&game_name(terms, game.mirror().games()));
        let text = format!("This program cannot show the game {name}: the server may be newer.");
        canvas.prose(inside, &text, canvas.look.ink(Ink::Alarm));
        return;
    }
    let Some(agreed) = game.mirror().terms() else {
        let text = online.trouble().or_else(|| game.mirror().outage().map(str::to_owned));
        let text = text.unwrap_or_else(|| "Asking the server…".to_owned());
        canvas.prose(inside, &text, canvas.look.ink(Ink::Faint));
        return;
    };
    let code = game.mirror().code();
    let address = online.invitation(code);
    inside.width -= qr::beside(canvas, inside, &address);
    let gap = u16::from(is_roomy(area));
    let mut left = below(inside, gap);
    let games = context.catalog();
    let what = format!("{}: {}.", game_name(agreed, games), terms(agreed, games));
    left = below(left, gap + canvas.prose(left, &what, canvas.look.ink(Ink::Plain)));
    let text = "Waiting for the second player.";
    left = below(left, gap + canvas.prose(left, text, canvas.look.ink(Ink::Title)));
    canvas.line(left, 0, &canvas.led(Ink::Faint, "Code     ", code.to_owned()));
    left = below(left, 1);
    let label = Line::from(Span::styled("Address  ", canvas.look.ink(Ink::Faint)));
    let used = canvas.line(left, 0, &label).min(left.width);
    // Keep the address on one line, which is easier to copy.
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

pub(super) fn outlook(game: &OnlinePlay, area: Rect, context: &Context) -> Outlook {
    Outlook {
        viewer: game.mirror().you(),
        situation: situation(game),
        result: game.is_over().then(|| ending(game)),
        facts: facts(game, area, context),
        title: heading(game),
        said: announcements(game, context),
        curtain: None,
        ready: None,
        watched: None,
    }
}

/// The side that the game is waiting for: preferably the player's own, then the opponent's.
fn awaited(game: &OnlinePlay) -> Option<Side> {
    let waits = |side: &Side| is_awaited(game, *side);
    game.asked()
        .or_else(|| game.opponent().filter(waits))
        .or_else(|| Side::ALL.into_iter().find(waits))
}

fn is_awaited(game: &OnlinePlay, side: Side) -> bool {
    let has_turn = game.session().is_some_and(|it| it.table().turn().contains(&side));
    has_turn && !game.mirror().has_chosen(side)
}

fn situation(game: &OnlinePlay) -> Situation {
    let plain = |movers, text: &str| Situation { movers, text: text.to_owned(), ink: Ink::Plain };
    if game.motion.is_some() {
        return plain(game.shown_movers(), "");
    }
    if game.has_ended() {
        return Situation { ink: Ink::Title, ..plain(vec![], "Game over") };
    }
    if game.mirror().stage() == StageName::Paused {
        return Situation { ink: Ink::Title, ..plain(vec![], "Paused") };
    }
    let is_watched = game.mirror().you().is_none();
    if is_watched && Side::ALL.into_iter().all(|side| is_awaited(game, side)) {
        return plain(Side::ALL.to_vec(), "Both choose");
    }
    // The player's own choice is being sent.
    let is_sent = |side: &Side| Some(*side) == game.mirror().you() && game.asked().is_none();
    let Some(side) = awaited(game).filter(|side| !is_sent(side)) else { return plain(vec![], "") };
    let is_away = !game.mirror().present()[side] && Some(side) != game.mirror().you();
    let is_program = game.mirror().plan().is_some_and(|plan| plan.players[side].level().is_some());
    match (is_program, is_away) {
        (true, _) => plain(vec![side], " thinks…"),
        (false, true) => plain(vec![side], " to move, away"),
        (false, false) => plain(vec![side], " to move"),
    }
}

/// Facts about clocks and spectators.
fn facts(game: &OnlinePlay, area: Rect, context: &Context) -> Vec<String> {
    let mut facts = Vec::new();
    let since = game.since(context.now);
    if let (Some(left), Some(clock)) = (game.mirror().time_left(since), game.mirror().clock()) {
        let time = |side: Side| format!("{} {}", glyph(side), clock_time(left[side]));
        facts.push(format!("{} {}", time(Side::One), time(Side::Two)));
        if let Some(left) = until_abort(game, clock, context) {
            facts.push(format!("first move in {}", clock_time(left)));
        }
    }
    if game.mirror().watchers() > 0 && is_roomy(area) {
        facts.push(format!("{} watching", game.mirror().watchers()));
    }
    facts
}

/// The time left for the first move, after which the game is aborted.
fn until_abort(game: &OnlinePlay, clock: &ClockView, context: &Context) -> Option<Millis> {
    let abort = clock.abort.filter(|_| !game.has_ended())?;
    Some(abort.saturating_sub(game.since(context.now)))
}

/// A warning to make the first move in time.
fn first_move(game: &OnlinePlay, context: &Context) -> Option<String> {
    game.asked()?;
    let left = until_abort(game, game.mirror().clock()?, context)?;
    Some(format!("Make your first move in {}, or the game is aborted.", clock_time(left)))
}

fn heading(game: &OnlinePlay) -> String {
    if game.is_over() {
        return "The end".to_owned();
    }
    match (game.asked(), game.opponent()) {
        _ if game.motion.is_some() => String::new(),
        (Some(_), _) => "Your move".to_owned(),
        (None, Some(_)) if game.mirror().stage() == StageName::Paused => "Paused".to_owned(),
        (None, Some(opponent)) => format!("Waiting for {}", game.name(opponent)),
        (None, None) => match awaited(game) {
            Some(side) => format!("You watch: {} to move", game.name(side)),
            None => "You watch".to_owned(),
        },
    }
}

/// The messages above the choices, most important first.
fn announcements(game: &OnlinePlay, context: &Context) -> Vec<(String, Ink)> {
    let mut said = Vec::new();
    let online = context.online.as_ref();
    if let Some(why) = online.and_then(Online::failure) {
        said.push((why.to_owned(), Ink::Alarm));
    } else if !online.is_some_and(Online::is_connected) && game.mirror().is_waiting_for_answer() {
        let text = "What you entered is sent as soon as the connection is back.";
        said.push((text.to_owned(), Ink::Alarm));
    }
    said.extend(game.mirror().outage().map(|text| (text.to_owned(), Ink::Good)));
    said.extend(game.message.as_ref().map(Message::inked));
    if let (Some(what), Some(opponent)) = (game.open_offer(), game.opponent()) {
        let text = format!("{} Do you accept? y or n", offers(&game.name(opponent), what));
        said.push((text, Ink::Alarm));
    }
    if let Some(side) = game.mirror().you()
        && let Some(what) = game.mirror().offers()[side]
    {
        let other = game.name(side.other());
        said.push((format!("{} {other} has not answered yet.", you_offer(what)), Ink::Faint));
    }
    if !game.is_over() {
        said.extend(chosen(game).map(|text| (text, Ink::Good)));
    } else if game.mirror().stage() == StageName::Closed {
        said.push((CLOSED_BY_OPERATOR.to_owned(), Ink::Plain));
    }
    said.extend(first_move(game, context).map(|text| (text, Ink::Alarm)));
    said.extend(absence(game).map(|text| (text, Ink::Faint)));
    said
}

/// Says which side has chosen in secret, while the other has not.
fn chosen(game: &OnlinePlay) -> Option<String> {
    let waits = |side: &Side| game.mirror().has_chosen(*side);
    let is_secret = game.session()?.table().tempo() == Tempo::Simultaneous;
    let side = Side::ALL.into_iter().find(waits).filter(|_| is_secret && game.motion.is_none())?;
    Some(if game.mirror().you() == Some(side) {
        format!("You have chosen. Waiting for {}.", game.name(side.other()))
    } else {
        format!("{} has chosen.", game.name(side))
    })
}

/// Says who is away, and when the game can be claimed.
fn absence(game: &OnlinePlay) -> Option<String> {
    let plan = game.mirror().plan().filter(|_| !game.has_ended())?;
    let is_away = |side: &Side| {
        let is_person = plan.players[*side].level().is_none();
        is_person && !game.mirror().present()[*side] && Some(*side) != game.mirror().you()
    };
    let away = Side::ALL.into_iter().find(is_away)?;
    let is_away = format!("{} is not connected.", game.name(away));
    let is_awaited = awaited(game) == game.opponent();
    Some(match game.mirror().claim_after().filter(|_| is_awaited && game.opponent().is_some()) {
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

/// Describes how the game ended, and the score of the match.
pub(super) fn ending(game: &OnlinePlay) -> String {
    let Some((session, ending)) = game.session().and_then(|it| Some((it, it.ending()?))) else {
        return ABORTED.to_owned();
    };
    let text = result(game.mirror().you(), session.table().names(), ending, session.fault());
    match &game.source.score {
        Some(score) => format!("{text} Match: {}", words::score(score)),
        None => text,
    }
}
