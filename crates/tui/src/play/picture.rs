//! Draws the playing screen.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_play::driver::Question;
use skirmish_play::library::{Effort, Knowledge};
use skirmish_play::{Analysis, Session};
use skirmish_present::words;
use skirmish_rules::{Names, Scene, Side, Tempo, Termination, columns};

use super::super::analysis;
use super::super::app::is_roomy;
use super::super::board::{BoardWidget, glyph};
use super::super::context::Context;
use super::super::keys::{caption, keys};
use super::super::look::{CHOSEN, Ink};
use super::super::motion::{Glide, touched};
use super::super::parts::{Canvas, centred};
use super::super::screen::Press;
use super::{Play, PlayStage};

/// Columns of the history beside the board.
const BESIDE: u16 = 26;

pub(super) fn draw(play: &Play, canvas: &mut Canvas, area: Rect, context: &Context) {
    let table = play.session().table();
    let scene = table.scene();
    let moment = play.motion.as_ref().and_then(|motion| motion.moment(context.now));
    let (shown, glide, tellings) = if let Some(moment) = &moment {
        (moment.scene, moment.glide, moment.told.iter().copied().cloned().collect())
    } else {
        (&scene, None, table.last_turn())
    };
    let told = tellings.into_iter().map(|telling| telling.sentence).collect();
    let view = PlayView { scene: shown, glide, told, analysis: analysis(play, context) };
    if is_roomy(area) {
        roomy(play, canvas, area, context, &view);
    } else {
        compact(play, canvas, area, context, &view);
    }
}

/// What to show at this moment.
struct PlayView<'a> {
    scene: &'a Scene,
    glide: Option<Glide>,
    told: Vec<String>,
    analysis: Option<Analysis>,
}

/// The analysis of the position, while it is on.
fn analysis(play: &Play, context: &Context) -> Option<Analysis> {
    let known = context.known(&play.plan).filter(|_| play.is_analysing && play.motion.is_none())?;
    known.solved.analyse(&play.session().table().position()).ok()?
}

fn roomy(play: &Play, canvas: &mut Canvas, area: Rect, context: &Context, view: &PlayView) {
    let head = Rect { height: 1, ..area };
    situation(play, canvas, head);
    let spare = area.height.saturating_sub(22);
    let board_rows = if play.is_analysing { 6 + spare.min(3) } else { 10 + (spare / 3).min(6) };
    let board_area = Rect { y: area.y + 1, height: board_rows, ..area };
    if play.is_analysing {
        bare_board(play, canvas, board_area, view);
    } else {
        let inside = canvas.panel(board_area, "");
        bare_board(play, canvas, inside, view);
    }
    let lower = Rect {
        y: board_area.y + board_area.height,
        height: area.height - 1 - board_area.height,
        ..area
    };
    if let Some(side) = play.veiled() {
        curtain(play, canvas, lower, side, view);
    } else if play.is_analysing {
        let (left, right) = analysis::halves(lower);
        asking(play, canvas, left, context, view);
        analysed(play, canvas, right, context, view);
    } else {
        let left = Rect { width: area.width - BESIDE, ..lower };
        let right = Rect { x: area.x + left.width, width: BESIDE, ..lower };
        asking(play, canvas, left, context, view);
        history(play.session(), canvas, right);
    }
}

fn compact(play: &Play, canvas: &mut Canvas, area: Rect, context: &Context, view: &PlayView) {
    situation(play, canvas, Rect { height: 1, ..area });
    let rows = BoardWidget::rows(view.scene, area.width).clamp(1, area.height / 2 - 1);
    let board_area = Rect { y: area.y + 1, height: rows, ..area };
    bare_board(play, canvas, board_area, view);
    let lower = Rect { y: area.y + 1 + rows, height: area.height - 1 - rows, ..area };
    match play.veiled() {
        Some(side) => curtain(play, canvas, lower, side, view),
        None => lines(play, canvas, lower, context, view),
    }
}

/// Whose turn it is, and the score of the match.
fn situation(play: &Play, canvas: &mut Canvas, area: Rect) {
    let table = play.session().table();
    let names = table.names();
    let mut spans = vec![Span::raw(" ")];
    let name = |side: Side| {
        Span::styled(format!("{} {}", glyph(side), names[side]), canvas.look.ink(Ink::Side(side)))
    };
    match play.stage {
        _ if play.motion.is_some() => {}
        PlayStage::Choosing(side) | PlayStage::Veiled(side) => {
            spans.extend([name(side), Span::raw(" to move")]);
        }
        PlayStage::Thinking { asked, .. } => {
            let side = if asked.one { Side::One } else { Side::Two };
            spans.extend([name(side), Span::raw(" thinks…")]);
        }
        PlayStage::Solving => spans.push(Span::raw("The computer is not ready")),
        PlayStage::Over(_) => spans.push(Span::styled("Game over", canvas.look.ink(Ink::Title))),
    }
    let turn = table.history().len() + usize::from(table.outcome().is_none());
    let mut facts = vec![format!("turn {turn}")];
    if let Some(standing) = play.plan.standing {
        let points = standing.half_points.map(|half| f64::from(half) / 2.0);
        facts.push(format!("game {} of {}", standing.game, standing.of));
        facts.push(format!("score {}-{}", points.one, points.two));
    }
    let facts = format!("{} ", facts.join(" · "));
    canvas.line(area, 0, &Line::from(spans));
    let width = columns::cells(&facts).min(area.width);
    let right = Rect { x: area.x + area.width - width, width, ..area };
    canvas.text(right, 0, &facts, canvas.look.ink(Ink::Faint));
}

fn bare_board(play: &Play, canvas: &mut Canvas, area: Rect, view: &PlayView) {
    let table = play.session().table();
    let (places, sides) = touched(&table.last_turn());
    let is_moving = play.motion.is_some();
    let targets = play.targets();
    let board = BoardWidget {
        scene: view.scene,
        names: table.names(),
        targets: &targets,
        touched: if is_moving { &[] } else { &places },
        shaken: if is_moving { &[] } else { &sides },
        glide: view.glide,
    };
    board.draw(canvas, area);
}

/// What happened, the choices, and the typed text.
fn asking(play: &Play, canvas: &mut Canvas, area: Rect, context: &Context, view: &PlayView) {
    let title = match play.stage {
        PlayStage::Choosing(side) => format!("{}, your move", play.session().table().names()[side]),
        PlayStage::Over(_) => "The end".to_owned(),
        PlayStage::Veiled(_) | PlayStage::Thinking { .. } | PlayStage::Solving => String::new(),
    };
    let inside = canvas.panel(area, &title);
    let mut inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
    // If a map is on the right, the graph goes here.
    if let Some(known) = context.known(&play.plan).filter(|_| play.is_analysing) {
        let record = play.session().record();
        inside = analysis::graph_below(canvas, inside, &known, &record, record.turns.len());
    }
    lines(play, canvas, inside, context, view);
}

fn lines(play: &Play, canvas: &mut Canvas, area: Rect, context: &Context, view: &PlayView) {
    let mut left = area;
    let used = typing(play, canvas, left);
    left.height -= used;
    let mut take = |rows: u16| {
        let rows = rows.min(left.height);
        let place = Rect { height: rows, ..left };
        left = Rect { y: left.y + rows, height: left.height - rows, ..left };
        place
    };
    if let Some(question) = play.question() {
        let names = play.session().table().names();
        let text = match question {
            Question::Draw(side) => {
                let (one, other) = (&names[side], &names[side.other()]);
                format!("{one} offers a draw. {other}, do you accept? y or n")
            }
            Question::Resign(side) => format!("{}, do you resign? y or n", names[side]),
        };
        canvas.prose(take(3), &text, canvas.look.ink(Ink::Alarm));
        return;
    }
    let choices = play.choices();
    let wanted = u16::try_from(choices.len()).unwrap_or(u16::MAX);
    // A message must not push out the choices.
    let room = area.height.saturating_sub(used).saturating_sub(wanted).max(2);
    let (text, ink) = announcement(play, context, view);
    let rows =
        u16::try_from(columns::wrap(&text, area.width.into()).len()).unwrap_or(room).min(room);
    canvas.prose(take(rows), &text, canvas.look.ink(ink));
    if play.motion.is_some() {
        return;
    }
    if rows + wanted < area.height.saturating_sub(used) && !choices.is_empty() {
        take(1);
    }
    let all_keys = keys(&choices);
    let width = choices.iter().map(|choice| columns::width(&caption(choice))).max();
    let width = width.unwrap_or(0) + 2;
    let room = usize::from(area.width).saturating_sub(width + 2);
    // A list that does not fit scrolls with the cursor.
    let visible = usize::from(area.height.saturating_sub(used).saturating_sub(rows)).max(1);
    let first = play.chosen.saturating_sub(visible - 1);
    for (number, choice) in choices.iter().enumerate().skip(first) {
        let place = take(1);
        if place.height == 0 {
            break;
        }
        let mut spans = vec![
            Span::styled(format!("{} ", all_keys[number]), canvas.look.ink(Ink::Key)),
            Span::raw(columns::pad(&caption(choice), width)),
        ];
        if let Some(Analysis { verdict: judgement, .. }) =
            view.analysis.as_ref().filter(|_| !play.driver.is_secret())
        {
            let side = play.asked().unwrap_or(Side::One);
            spans.extend(analysis::value_of(judgement, side, &choice.notation, canvas.look, room));
        }
        canvas.line(place, 0, &Line::from(spans));
        if number == play.chosen {
            canvas.buffer.set_style(place, CHOSEN);
        }
        canvas.target(place, Press::Pick(number));
    }
}

/// The text above the choices.
fn announcement(play: &Play, context: &Context, view: &PlayView) -> (String, Ink) {
    if let PlayStage::Over(ending) = play.stage
        && play.motion.is_none()
    {
        let names = play.session().table().names();
        return (result(&view.told, names, ending, play.session().fault()), Ink::Title);
    }
    if let Some(message) = &play.message {
        let ink = if message.is_alarm { Ink::Alarm } else { Ink::Good };
        return (message.text.clone(), ink);
    }
    match context.knowledge(&play.plan) {
        Knowledge::Refused(Effort::Full, why) if play.stage == PlayStage::Solving => {
            return (
                format!("The computer cannot play here: {why}. Press n for another game."),
                Ink::Alarm,
            );
        }
        Knowledge::Known(_) | Knowledge::Working(_) if play.stage == PlayStage::Solving => {
            return ("The computer solves the game before it plays.".to_owned(), Ink::Faint);
        }
        Knowledge::Working(Effort::Full) if play.is_analysing => {
            return ("The game is being solved…".to_owned(), Ink::Faint);
        }
        Knowledge::Refused(Effort::Full, why) if play.is_analysing => {
            return (format!("No analysis: {why}."), Ink::Alarm);
        }
        _ => {}
    }
    let told = if view.told.is_empty() && play.motion.is_none() {
        play.plan.entry.summary.to_owned()
    } else {
        view.told.join(" ")
    };
    let analysis = view.analysis.as_ref().filter(|_| play.asked().is_some());
    match analysis.and_then(|analysis| words::pressure(&analysis.pressure)) {
        Some(pressure) => (format!("{told} {pressure}"), Ink::Plain),
        None => (told, Ink::Plain),
    }
}

/// How the game ended, in a sentence or two.
pub(in super::super) fn result(
    told: &[String],
    names: &Names,
    ending: skirmish_rules::Ending,
    fault: Option<&str>,
) -> String {
    if let Some(fault) = fault {
        return words::forfeit(fault, names, ending.outcome);
    }
    let winner = match ending.outcome.winner() {
        Some(side) => format!("{} wins!", names[side]),
        None => "A draw.".to_owned(),
    };
    let told = told.join(" ").replace('\n', " ");
    match ending.termination {
        Termination::Rules if told.contains("win") => told,
        Termination::Rules => format!("{told} {winner}").trim().to_owned(),
        how => format!("{winner} ({how})"),
    }
}

/// The line after `:`.
fn typing(play: &Play, canvas: &mut Canvas, area: Rect) -> u16 {
    let Some(typed) = &play.typed else { return 0 };
    // Show the end of a long line, where the cursor is.
    let room = usize::from(area.width.saturating_sub(3));
    let shown = columns::tail(&typed.text, room).to_owned();
    // In a secret choice, hide what is typed.
    let shown = if play.driver.is_secret() { "*".repeat(columns::width(&shown)) } else { shown };
    let row = area.height.saturating_sub(1);
    let line =
        Line::from(vec![Span::styled(":", canvas.look.ink(Ink::Key)), Span::raw(shown.clone())]);
    canvas.line(area, row, &line);
    let column = columns::cells(&shown).saturating_add(1);
    *canvas.cursor = Some((area.x + column.min(area.width.saturating_sub(1)), area.y + row).into());
    1
}

fn history(session: &Session, canvas: &mut Canvas, area: Rect) {
    let inside = canvas.panel(area, "Turns");
    let turns = session.table().history();
    let rows = usize::from(inside.height);
    let first = turns.len().saturating_sub(rows);
    for (row, (index, turn)) in (0..).zip(turns.iter().enumerate().skip(first)) {
        let is_last = index + 1 == turns.len();
        let ink = if is_last { Ink::Title } else { Ink::Faint };
        let text = match session.table().tempo() {
            Tempo::Simultaneous => turn.replace('|', " | "),
            Tempo::Alternating => {
                // The players alternate.
                let first = session.table().first();
                let mover = if index % 2 == 0 { first } else { first.other() };
                format!("{} {turn}", glyph(mover))
            }
        };
        canvas.text(inside, row, &format!("{:>4}. {text}", index + 1), canvas.look.ink(ink));
    }
}

/// The analysis beside the choices.
fn analysed(play: &Play, canvas: &mut Canvas, area: Rect, context: &Context, view: &PlayView) {
    let names = play.session().table().names();
    let mover = play.session().table().turn().first().copied();
    let judgement = view.analysis.as_ref().map(|analysis| &analysis.verdict);
    let title = judgement.map(|judgement| analysis::title(judgement, mover, names));
    let inside = canvas.panel(area, &title.unwrap_or_else(|| "Analysis".to_owned()));
    let inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(1), ..inside };
    let Some(known) = context.known(&play.plan) else {
        let (text, ink) = match context.knowledge(&play.plan) {
            Knowledge::Refused(_, why) => (why.to_string(), Ink::Alarm),
            Knowledge::Known(_) | Knowledge::Working(_) | Knowledge::Nothing => {
                ("The game is being solved…".to_owned(), Ink::Faint)
            }
        };
        canvas.prose(inside, &text, canvas.look.ink(ink));
        return;
    };
    let record = play.session().record();
    let turn = record.turns.len();
    analysis::draw(canvas, inside, &known, &record, turn, judgement);
}

/// The curtain: what happened, and who may look.
fn curtain(play: &Play, canvas: &mut Canvas, area: Rect, side: Side, view: &PlayView) {
    let names = play.session().table().names();
    let weave = "░".repeat(area.width.into());
    for row in 0..area.height {
        canvas.text(area, row, &weave, canvas.look.ink(Ink::Faint));
    }
    // Show the last turn only to the first player who chooses.
    let is_first = play.session().table().to_act().len() > 1;
    let told = match &play.message {
        Some(message) => message.text.clone(),
        None if is_first => view.told.join(" "),
        None => String::new(),
    };
    let width = 60.min(area.width);
    let said =
        if told.is_empty() { 0 } else { columns::wrap(&told, usize::from(width) - 4).len() + 1 };
    let rows = u16::try_from(said).unwrap_or(0).saturating_add(6);
    let place = centred(area, width, rows);
    canvas.clear(place);
    let room = if rows <= area.height { canvas.panel(place, "") } else { place };
    let room = Rect { x: room.x + 1, width: room.width.saturating_sub(2), ..room };
    // Instructions take precedence over the message.
    let above = room.height.saturating_sub(if rows <= area.height { 4 } else { 2 });
    let used = canvas.prose(Rect { height: above, ..room }, &told, canvas.look.ink(Ink::Plain));
    let used = if used == 0 { 0 } else { (used + 1).min(above) };
    let below = Rect { y: room.y + used, height: room.height - used, ..room };
    let lines = [
        (format!("{} {} chooses.", glyph(side), names[side]), Ink::Side(side)),
        (format!("{}, look away.", names[side.other()]), Ink::Plain),
        (String::new(), Ink::Plain),
        ("Enter lifts the curtain.".to_owned(), Ink::Key),
    ];
    for (row, (text, ink)) in (0..).zip(lines) {
        canvas.text(below, row, &text, canvas.look.ink(ink));
    }
    canvas.target(area, Press::Pick(0));
}
