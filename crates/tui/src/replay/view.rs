//! Draws a replay: the number of the turn, the stage, the turns in words, and the analysis.

use std::ops::RangeInclusive;

use ratatui::layout::Rect;
use ratatui::text::Line;
use skirmish_play::library::Knowledge;
use skirmish_present::review::{OPENING_LABEL, epilogue, verdict};
use skirmish_rules::{Side, Tempo, columns};

use super::super::analysis;
use super::super::app::is_roomy;
use super::super::context::Context;
use super::super::look::{CHOSEN, Ink};
use super::super::parts::{Canvas, below, inset, split};
use super::super::screen::Press;
use super::super::stage::{Stage, glyph};
use super::{PACES, Replay};

/// Minimum width at which the list also shows turns in notation.
const NOTED: u16 = 60;

pub(super) fn draw(replay: &Replay, canvas: &mut Canvas, area: Rect, context: &Context) {
    let is_roomy = is_roomy(area);
    head(replay, canvas, Rect { height: 1, ..area }, context);
    let area = below(area, 1);
    let most = match area.height {
        height if !is_roomy => height.saturating_sub(1) / 2,
        // Leave room for the map.
        height if replay.is_analysing && height < 40 => height / 3,
        height => height.div_ceil(2),
    };
    let (scene, tellings) = &replay.frames[replay.at];
    let rows = Stage::rows(replay.record.entry, scene, area.width, most).max(1);
    let stage = Stage {
        last_turn: tellings,
        moment: replay.motion.as_ref().and_then(|motion| motion.moment(context.now)),
        ..Stage::still(replay.record.entry, scene, &replay.record.names)
    };
    stage.draw(canvas, Rect { height: rows, ..area });
    let lower = below(area, rows);
    if !is_roomy {
        return told(replay, canvas, inset(lower));
    }
    if !replay.is_analysing {
        let inside = inset(canvas.panel(lower, "Turns"));
        return told(replay, canvas, inside);
    }
    let (left, right) = analysis::halves(lower);
    let mut inside = inset(canvas.panel(left, "Turns"));
    if let Some(known) = context.known(&replay.plan) {
        inside = analysis::graph_below(canvas, inside, &known, &replay.record, replay.at);
    }
    told(replay, canvas, inside);
    analysed(replay, canvas, right, context);
}

/// Draws the first row: the turn, the playback speed, and the side to move.
fn head(replay: &Replay, canvas: &mut Canvas, area: Rect, context: &Context) {
    let (at, last) = (replay.at, replay.last());
    let turn = format!(" Turn {at} of {last} {}", replay.mark(at));
    let turn = Line::styled(turn, canvas.look.ink(Ink::Title));
    let used = canvas.line(area, 0, &turn);
    let mut facts = Vec::new();
    if replay.next.is_some() {
        facts.push(format!("speed {} of {}", replay.speed + 1, PACES.len()));
    } else if replay.followed.is_some() {
        facts.push("being played".to_owned());
    }
    let is_alternating = replay.record.entry.tempo() == Tempo::Alternating;
    let movers = match replay.movers[at] {
        Some(side) if is_alternating => {
            facts.push(format!("{} to move", glyph(side)));
            vec![side]
        }
        Some(_) => Side::ALL.to_vec(),
        None => Vec::new(),
    };
    if replay.is_analysing {
        facts.extend(worth(replay, area.width, context));
    }
    let mut text = facts.join(" · ");
    while columns::cells(&text).saturating_add(used + 2) > area.width && facts.pop().is_some() {
        text = facts.join(" · ");
    }
    canvas.right(area, 0, &format!("{text} "), canvas.look.ink(Ink::Faint));
    canvas.fill(area, &movers);
}

/// The value of the position, or why it is not known.
fn worth(replay: &Replay, width: u16, context: &Context) -> Option<String> {
    if let Some(known) = context.known(&replay.plan) {
        let judgement = known.solved.judge_position(&replay.positions[replay.at]).ok()??;
        let mover = replay.movers[replay.at]?;
        return Some(analysis::brief(&judgement, mover, &replay.record.names, width));
    }
    Some(match context.knowledge(&replay.plan) {
        Knowledge::Refused(..) => "cannot be solved".to_owned(),
        Knowledge::Known(_) | Knowledge::Working(_) | Knowledge::Nothing => {
            "being solved…".to_owned()
        }
    })
}

/// Draws the verdict on this turn, how the game ended, and the list of turns.
fn told(replay: &Replay, canvas: &mut Canvas, area: Rect) {
    let names = &replay.record.names;
    // The verdict takes precedence: even in a small window, the board shows the turn itself.
    let is_opening = replay.is_opening(replay.at);
    let opening = is_opening.then(|| (format!("This turn: {OPENING_LABEL}."), Ink::Key));
    let judged = replay.reviewed(replay.at).filter(|_| !is_opening);
    let remarks = judged.map(|choice| (verdict(choice, names), Ink::Key));
    let is_last = replay.at == replay.last() && replay.followed.is_none();
    let ending = epilogue(&replay.record).filter(|_| is_last);
    let remarks = opening.into_iter().chain(remarks);
    let left = canvas.texts(area, remarks.chain(ending.map(|text| (text, Ink::Title))), 0);
    turns(replay, canvas, left);
}

/// Draws all turns in full or, if they do not fit, one row for each turn around the current one, which stays in full.
fn turns(replay: &Replay, canvas: &mut Canvas, area: Rect) {
    let (last, current) = (replay.last(), replay.at.max(1));
    if last == 0 || area.height == 0 {
        return;
    }
    let rows = usize::from(area.height);
    let near = current.saturating_sub(rows).max(1)..=(current + rows).min(last);
    let label = |turn: usize| label(replay, turn, area.width);
    let labels = near.map(|turn| columns::cells(&label(turn))).max().unwrap_or(0) + 1;
    let (labels, texts) = split(area, labels);
    let room = usize::from(texts.width);
    let wrapped = |turn: usize| columns::wrap(&words(replay, turn), room).len();
    let is_whole = last <= rows && (1..=last).map(wrapped).sum::<usize>() <= rows;
    let shown = if is_whole { 1..=last } else { window(current, last, wrapped(current), rows) };
    let mut y = area.y;
    for turn in shown {
        let text = words(replay, turn);
        let is_full = is_whole || turn == current;
        let text = if is_full { text } else { columns::shorten(&text, room) };
        let ink = if turn > replay.at { Ink::Faint } else { Ink::Plain };
        let style = canvas.look.ink(ink);
        canvas.text(Rect { y, height: 1, ..labels }, 0, &label(turn), style);
        let place = Rect { y, height: area.bottom() - y, ..texts };
        let height = canvas.prose(place, &text, style).max(1);
        let place = Rect { y, height, ..area };
        if turn == replay.at {
            canvas.buffer.set_style(place, CHOSEN);
        }
        canvas.target(place, Press::Pick(turn));
        y += height;
    }
}

/// The range of turns that fit around the current one, which takes `own` rows. Prefers earlier turns.
fn window(current: usize, last: usize, own: usize, rows: usize) -> RangeInclusive<usize> {
    let room = rows.saturating_sub(own);
    let ahead = (last - current).min(room / 3);
    let before = (current - 1).min(room - ahead);
    let behind = (last - current).min(room - before);
    current - before..=current + behind
}

/// The number of a turn with the review's marks and, in a wide window, the notation.
fn label(replay: &Replay, turn: usize, width: u16) -> String {
    let mark = replay.mark(turn);
    let notation = &replay.record.turns[turn - 1].notation;
    if width < NOTED {
        return format!("{turn:>3}.{mark}");
    }
    format!("{turn:>3}. {}{mark}", notation.replace('|', " | "))
}

/// Describes the events of a turn, and whether the turn belongs to the opening.
fn words(replay: &Replay, turn: usize) -> String {
    let (_, tellings) = &replay.frames[turn];
    let sentences = tellings.iter().map(|telling| telling.sentence.as_str());
    let text = sentences.collect::<Vec<&str>>().join(" ");
    if replay.is_opening(turn) { format!("(opening) {text}") } else { text }
}

/// Draws the analysis of the position.
fn analysed(replay: &Replay, canvas: &mut Canvas, area: Rect, context: &Context) {
    let (record, at) = (&replay.record, replay.at);
    let known = context.known(&replay.plan);
    let judgement =
        known.and_then(|known| known.solved.judge_position(&replay.positions[at]).ok().flatten());
    let title = judgement.as_ref().map(|it| analysis::title(it, replay.movers[at], &record.names));
    if let Some((inside, known)) = analysis::panel(canvas, area, title, &replay.plan, context) {
        analysis::draw(canvas, inside, &known, record, at, judgement.as_ref());
    }
}
