//! Draws the playing screen, for games at this terminal and on a server.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_play::library::Knowledge;
use skirmish_play::{Analysis, Plan, Session};
use skirmish_rules::{Choice, Scene, Side, Tempo, columns};

use super::super::analysis;
use super::super::app::is_roomy;
use super::super::context::Context;
use super::super::keys::{caption, keys};
use super::super::look::{CHOSEN, Ink};
use super::super::motion::Motion;
use super::super::parts::{Canvas, centred};
use super::super::screen::Press;
use super::super::stage::{Stage, glyph, targets};

/// Columns of the history beside the board.
const BESIDE: u16 = 26;

/// A game as the playing screen shows it.
pub(in super::super) struct PlayView<'a> {
    pub(in super::super) plan: &'a Plan,
    pub(in super::super) session: &'a Session,
    pub(in super::super) motion: Option<&'a Motion>,
    pub(in super::super) situation: Situation,
    /// Whether the game has ended, by the rules or otherwise.
    pub(in super::super) is_over: bool,
    /// More facts for the first row.
    pub(in super::super) facts: Vec<String>,
    /// The title above the choices.
    pub(in super::super) title: String,
    /// The open yes-or-no question, which hides the choices.
    pub(in super::super) question: Option<String>,
    /// What is said above the choices, most important first.
    pub(in super::super) said: Vec<(String, Ink)>,
    /// The side that is asked.
    pub(in super::super) asked: Option<Side>,
    pub(in super::super) choices: &'a [Choice],
    /// The number of the selected choice.
    pub(in super::super) chosen: usize,
    /// Whether the choices show what they are worth.
    pub(in super::super) has_values: bool,
    /// The text after `:`, as it is shown.
    pub(in super::super) is_analysing: bool,
    pub(in super::super) analysis: Option<Analysis>,
    pub(in super::super) curtain: Option<Curtain>,
}

/// Whose turn it is, or something else in its place.
pub(in super::super) struct Situation {
    pub(in super::super) side: Option<Side>,
    pub(in super::super) text: String,
    pub(in super::super) ink: Ink,
}

/// The curtain before a secret choice.
pub(in super::super) struct Curtain {
    /// The side that chooses behind it.
    pub(in super::super) side: Side,
    /// What both may read.
    pub(in super::super) told: String,
}

/// What has happened in the last turn up to this moment.
pub(in super::super) fn told(
    session: &Session,
    motion: Option<&Motion>,
    context: &Context,
) -> Vec<String> {
    match motion.and_then(|motion| motion.moment(context.now)) {
        Some(moment) => moment.told.iter().map(|telling| telling.sentence.clone()).collect(),
        None => session.table().last_turn().into_iter().map(|telling| telling.sentence).collect(),
    }
}

/// The analysis of a position at rest, if the game is solved.
pub(in super::super) fn analysis(
    plan: &Plan,
    session: &Session,
    context: &Context,
) -> Option<Analysis> {
    context.known(plan)?.solved.analyse(&session.table().position()).ok()?
}

pub(in super::super) fn draw(view: &PlayView, canvas: &mut Canvas, area: Rect, context: &Context) {
    let scene = view.session.table().scene();
    if is_roomy(area) {
        roomy(view, canvas, area, context, &scene);
    } else {
        compact(view, canvas, area, context, &scene);
    }
}

fn roomy(view: &PlayView, canvas: &mut Canvas, area: Rect, context: &Context, scene: &Scene) {
    let head = Rect { height: 1, ..area };
    situation(view, canvas, head);
    let spare = area.height.saturating_sub(22);
    let board_rows = if view.is_analysing {
        6 + spare.min(3)
    } else {
        Stage::rows(scene, area.width - 2, (area.height / 2).max(12) - 2) + 2
    };
    let board_area = Rect { y: area.y + 1, height: board_rows, ..area };
    if view.is_analysing {
        bare_board(view, canvas, board_area, context, scene);
    } else {
        let inside = canvas.panel(board_area, "");
        bare_board(view, canvas, inside, context, scene);
    }
    let lower = Rect {
        y: board_area.y + board_area.height,
        height: area.height - 1 - board_area.height,
        ..area
    };
    if let Some(drawn) = &view.curtain {
        curtain(view, canvas, lower, drawn);
    } else if view.is_analysing {
        let (left, right) = analysis::halves(lower);
        asking(view, canvas, left, context);
        analysed(view, canvas, right, context);
    } else {
        let left = Rect { width: area.width - BESIDE, ..lower };
        let right = Rect { x: area.x + left.width, width: BESIDE, ..lower };
        asking(view, canvas, left, context);
        history(view.session, canvas, right);
    }
}

fn compact(view: &PlayView, canvas: &mut Canvas, area: Rect, context: &Context, scene: &Scene) {
    situation(view, canvas, Rect { height: 1, ..area });
    let rows = Stage::rows(scene, area.width, area.height / 2 - 1).max(1);
    let board_area = Rect { y: area.y + 1, height: rows, ..area };
    bare_board(view, canvas, board_area, context, scene);
    let lower = Rect { y: area.y + 1 + rows, height: area.height - 1 - rows, ..area };
    match &view.curtain {
        Some(drawn) => curtain(view, canvas, lower, drawn),
        None => lines(view, canvas, lower),
    }
}

/// Whose turn it is, and the score of the match.
fn situation(view: &PlayView, canvas: &mut Canvas, area: Rect) {
    let table = view.session.table();
    let names = table.names();
    let mut spans = vec![Span::raw(" ")];
    if let Some(side) = view.situation.side {
        let name = format!("{} {}", glyph(side), names[side]);
        spans.push(Span::styled(name, canvas.look.ink(Ink::Side(side))));
    }
    let Situation { text, ink, .. } = &view.situation;
    spans.push(Span::styled(text.clone(), canvas.look.ink(*ink)));
    let turn = table.history().len() + usize::from(!view.is_over);
    let mut facts = vec![format!("turn {turn}")];
    facts.extend(view.facts.iter().cloned());
    if let Some(standing) = view.plan.standing {
        let points = standing.half_points.map(|half| f64::from(half) / 2.0);
        facts.push(format!("game {} of {}", standing.game, standing.of));
        facts.push(format!("score {}-{}", points.one, points.two));
    }
    let used = canvas.line(area, 0, &Line::from(spans));
    // In a narrow window the number of the turn is the least important fact, then the last one.
    let width = |facts: &[String]| columns::cells(&facts.join(" · ")).saturating_add(2);
    while facts.len() > 1 && width(&facts) > area.width - used {
        let is_numbered = facts[0].starts_with("turn ");
        facts.remove(if is_numbered { 0 } else { facts.len() - 1 });
    }
    let facts = format!("{} ", facts.join(" · "));
    let width = columns::cells(&facts).min(area.width);
    let right = Rect { x: area.x + area.width - width, width, ..area };
    canvas.text(right, 0, &facts, canvas.look.ink(Ink::Faint));
}

fn bare_board(view: &PlayView, canvas: &mut Canvas, area: Rect, context: &Context, scene: &Scene) {
    let table = view.session.table();
    let is_moving = view.motion.is_some();
    let targets = match view.asked.filter(|_| !is_moving) {
        Some(side) => targets(table, side, view.choices, view.chosen),
        None => Vec::new(),
    };
    let stage = Stage {
        targets: &targets,
        last_turn: &table.last_turn(),
        moment: view.motion.and_then(|motion| motion.moment(context.now)),
        ..Stage::still(table.entry(), scene, table.names())
    };
    stage.draw(canvas, area);
}

/// What happened, and the choices.
fn asking(view: &PlayView, canvas: &mut Canvas, area: Rect, context: &Context) {
    let inside = canvas.panel(area, &view.title);
    let mut inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
    // If a map is on the right, the graph goes here.
    if let Some(known) = context.known(view.plan).filter(|_| view.is_analysing) {
        let record = view.session.record();
        inside = analysis::graph_below(canvas, inside, &known, &record, record.turns.len());
    }
    lines(view, canvas, inside);
}

fn lines(view: &PlayView, canvas: &mut Canvas, area: Rect) {
    let mut left = area;
    let mut take = |rows: u16| {
        let rows = rows.min(left.height);
        let place = Rect { height: rows, ..left };
        left = Rect { y: left.y + rows, height: left.height - rows, ..left };
        place
    };
    if let Some(question) = &view.question {
        canvas.prose(take(3), question, canvas.look.ink(Ink::Alarm));
        return;
    }
    let choices = view.choices;
    let wanted = u16::try_from(choices.len()).unwrap_or(u16::MAX);
    // A message must not push out the choices.
    let room = area.height.saturating_sub(wanted).max(2);
    let mut rows = 0;
    for (text, ink) in &view.said {
        let wrapped = columns::wrap(text, area.width.into()).len();
        let place = take(u16::try_from(wrapped).unwrap_or(room).min(room - rows));
        rows += canvas.prose(place, text, canvas.look.ink(*ink));
    }
    if view.motion.is_some() {
        return;
    }
    if rows + wanted < area.height && !choices.is_empty() {
        take(1);
    }
    let all_keys = keys(view.session.table(), choices);
    let width = choices.iter().map(|choice| columns::width(&caption(choice))).max();
    let width = width.unwrap_or(0) + 2;
    let room = usize::from(area.width).saturating_sub(width + 2);
    // A list that does not fit scrolls with the cursor.
    let visible = usize::from(area.height.saturating_sub(rows)).max(1);
    let first = view.chosen.saturating_sub(visible - 1);
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
            view.analysis.as_ref().filter(|_| view.has_values)
        {
            let side = view.asked.unwrap_or(Side::One);
            spans.extend(analysis::value_of(judgement, side, &choice.notation, canvas.look, room));
        }
        canvas.line(place, 0, &Line::from(spans));
        if number == view.chosen {
            canvas.buffer.set_style(place, CHOSEN);
        }
        canvas.target(place, Press::Pick(number));
    }
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
fn analysed(view: &PlayView, canvas: &mut Canvas, area: Rect, context: &Context) {
    let names = view.session.table().names();
    let mover = view.session.table().turn().first().copied();
    let judgement = view.analysis.as_ref().map(|analysis| &analysis.verdict);
    let title = judgement.map(|judgement| analysis::title(judgement, mover, names));
    let inside = canvas.panel(area, &title.unwrap_or_else(|| "Analysis".to_owned()));
    let inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(1), ..inside };
    let Some(known) = context.known(view.plan) else {
        let (text, ink) = match context.knowledge(view.plan) {
            Knowledge::Refused(_, why) => (why.to_string(), Ink::Alarm),
            Knowledge::Known(_) | Knowledge::Working(_) | Knowledge::Nothing => {
                ("The game is being solved…".to_owned(), Ink::Faint)
            }
        };
        canvas.prose(inside, &text, canvas.look.ink(ink));
        return;
    };
    let record = view.session.record();
    let turn = record.turns.len();
    analysis::draw(canvas, inside, &known, &record, turn, judgement);
}

/// The curtain: what happened, and who may look.
fn curtain(view: &PlayView, canvas: &mut Canvas, area: Rect, drawn: &Curtain) {
    let names = view.session.table().names();
    let Curtain { side, told } = drawn;
    let side = *side;
    let weave = "░".repeat(area.width.into());
    for row in 0..area.height {
        canvas.text(area, row, &weave, canvas.look.ink(Ink::Faint));
    }
    let width = 60.min(area.width);
    let said =
        if told.is_empty() { 0 } else { columns::wrap(told, usize::from(width) - 4).len() + 1 };
    let rows = u16::try_from(said).unwrap_or(0).saturating_add(6);
    let place = centred(area, width, rows);
    canvas.clear(place);
    let room = if rows <= area.height { canvas.panel(place, "") } else { place };
    let room = Rect { x: room.x + 1, width: room.width.saturating_sub(2), ..room };
    // Instructions take precedence over the message.
    let above = room.height.saturating_sub(if rows <= area.height { 4 } else { 2 });
    let used = canvas.prose(Rect { height: above, ..room }, told, canvas.look.ink(Ink::Plain));
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
