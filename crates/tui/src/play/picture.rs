//! Draws the active game.

use std::borrow::Cow;

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_play::driver::Question;
use skirmish_play::{Analysis, Judgement, MatchState, Plan, Score, Session};
use skirmish_present::{glyphs, words, you};
use skirmish_rules::{Both, Choice, Ending, Names, Scene, Side, Standing, Termination, columns};

use super::super::after::AfterItem;
use super::super::analysis;
use super::super::app::{FULL, is_roomy};
use super::super::context::Context;
use super::super::log::{self, Log};
use super::super::look::Ink;
use super::super::motion::Motion;
use super::super::parts::{Canvas, below, centred, extent, inset, rows_of, split};
use super::super::screen::Press;
use super::super::stage::{Stage, draw_table, glyph, targets};
use super::choices::Choices;
use super::local::{across, bar};
use super::together;

/// Minimum width for choices, log and analysis side by side.
const WIDE: u16 = 110;

/// Maximum width of the analysis in a wide window.
const MOST_ANALYSIS: u16 = 70;

/// Maximum height of an analysis without a bar.
const BAR_ROWS: u16 = 8;

/// Minimum height of a small window with plates below the figures.
const LOW_FIGURES: u16 = 13;

/// The minimum and maximum width of the choices beside the log.
const ASKING: (u16, u16) = (28, 80);

/// The minimum width of the choices of two players beside the log.
const TOGETHER: u16 = 50;

/// The maximum number of half points that are drawn as marks.
const MOST_PIPS: u32 = 16;

/// Everything needed to draw a game.
pub(crate) struct PlayView<'a> {
    pub(super) plan: &'a Plan,
    pub(super) session: &'a Session,
    pub(super) motion: Option<&'a Motion>,
    /// Whether the game has ended, by the rules or otherwise.
    pub(super) is_over: bool,
    /// The ways to continue after the end.
    pub(super) next_steps: Vec<AfterItem>,
    /// The open yes-or-no question, which hides the choices.
    pub(super) question: Option<Question>,
    pub(super) log: &'a Log,
    /// The side that is to choose.
    pub(super) asked: Option<Side>,
    pub(super) choices: &'a [Choice],
    /// The index of the selected choice.
    pub(super) chosen: Option<usize>,
    /// Whether the choices show their values.
    pub(super) has_values: bool,
    pub(super) is_analysing: bool,
    pub(super) analysis: Option<Analysis>,
    pub(super) outlook: Outlook,
}

/// The information on screen besides the game itself.
pub(crate) struct Outlook {
    /// The player who looks at the screen alone and is addressed as "you", if any.
    pub(crate) viewer: Option<Side>,
    pub(crate) situation: Situation,
    /// How the game has ended, once the end has been shown.
    pub(crate) result: Option<String>,
    /// Additional facts for the first row, most important first.
    pub(crate) facts: Vec<String>,
    /// The title above the choices.
    pub(crate) title: String,
    /// The messages above the choices, most important first.
    pub(crate) said: Vec<(String, Ink)>,
    pub(crate) curtain: Option<Curtain>,
    /// While two people choose at the same time: who is ready.
    pub(crate) ready: Option<Both<bool>>,
    /// Additional information for a spectator of two programs.
    pub(crate) watched: Option<Watched>,
}

/// Additional information for a spectator of two programs.
pub(crate) struct Watched {
    /// Player 1's share of the bar that shows who is ahead, if the game is solved.
    pub(super) share: Option<f64>,
    /// The number of the latest turn, if an earlier one is shown.
    pub(super) latest_turn: Option<usize>,
    /// The legal moves, during analysis.
    pub(super) choices: Vec<Choice>,
}

/// Whose turn it is, or a status such as "Paused".
pub(crate) struct Situation {
    /// The sides whose colours fill the first row; a single one is also named.
    pub(crate) movers: Vec<Side>,
    pub(crate) text: String,
    pub(crate) ink: Ink,
}

/// The curtain before a secret choice.
pub(crate) struct Curtain {
    /// The side that is to choose.
    pub(crate) side: Side,
    /// The response to the last input, which both players may read.
    pub(crate) message: Option<String>,
    /// The events of the last turn; empty if both players have read them.
    pub(crate) told: String,
}

/// The events of the last turn that have been shown so far.
pub(crate) fn told(session: &Session, motion: Option<&Motion>, context: &Context) -> Vec<String> {
    match motion.and_then(|motion| motion.moment(context.now)) {
        Some(moment) => moment.told.iter().map(|telling| telling.sentence.clone()).collect(),
        None => session.table().last_turn().into_iter().map(|telling| telling.sentence).collect(),
    }
}

fn question_text(question: Question, names: &Names) -> String {
    match question {
        Question::Draw(side) => {
            let (one, other) = (&names[side], &names[side.other()]);
            format!("{one} offers a draw. {other}, do you accept? y or n")
        }
        Question::Offer(side) => format!("{}, do you offer a draw? y or n", names[side]),
        Question::Resign(side) => format!("{}, do you resign? y or n", names[side]),
    }
}

/// Describes how a game ended in one or two sentences, to `viewer` if one of the players reads them alone.
pub(crate) fn result(
    viewer: Option<Side>,
    names: &Names,
    ending: Ending,
    fault: Option<&str>,
) -> String {
    let text = |names: &Names| match (fault, words::ending(ending, names, None)) {
        (Some(fault), _) => words::forfeit(fault, names, ending.outcome),
        (None, Some(told)) => told.replace('\n', " "),
        (None, None) => match ending.outcome.winner() {
            Some(winner) if viewer == Some(winner.other()) => "You lose!".to_owned(),
            Some(winner) => format!("{} wins!", names[winner]),
            None => "A draw.".to_owned(),
        },
    };
    you::told(viewer, names, text)
}

/// The number of events of the last turn that have not been shown yet.
fn untold(view: &PlayView, context: &Context) -> usize {
    let moment = view.motion.and_then(|motion| motion.moment(context.now));
    let told = moment.map(|moment| moment.told.len());
    told.map_or(0, |told| view.session.table().last_turn().len().saturating_sub(told))
}

/// The analysis of the current position, if the game is solved.
pub(crate) fn analysis(plan: &Plan, session: &Session, context: &Context) -> Option<Analysis> {
    let solved = context.known(plan)?.solved;
    Some(solved.analyse(solved.find(&session.table().position()).ok()??))
}

/// The scene after the last turn, and what is still to be animated.
struct Shown {
    scene: Scene,
    /// The number of events of the last turn that have not been shown yet.
    untold: usize,
}

pub(crate) fn draw(view: &PlayView, canvas: &mut Canvas, area: Rect, context: &Context) {
    let at = Shown { scene: view.session.table().scene(), untold: untold(view, context) };
    situation(view, canvas, Rect { height: 1, ..area });
    let is_roomy = is_roomy(area);
    let area = below(area, 1);
    let area = match view.outlook.watched.as_ref().and_then(|watched| watched.share) {
        Some(share) => bar(canvas, area, share, is_roomy),
        None => area,
    };
    if view.log.is_open() {
        view.log.panel(canvas, area, at.untold);
        return;
    }
    let rows = stage_rows(view, area, &at, is_roomy);
    stage(view, canvas, Rect { height: rows, ..area }, context);
    let lower = below(area, rows);
    if is_roomy {
        roomy(view, canvas, lower, context, &at);
    } else if let Some(drawn) = &view.outlook.curtain {
        curtain(view, canvas, lower, drawn, false);
    } else {
        lines(view, canvas, lower, Some(at.untold));
    }
}

/// The height of the stage: as much as its drawings need, up to half of the window.
fn stage_rows(view: &PlayView, area: Rect, shown: &Shown, is_roomy: bool) -> u16 {
    let most = match area.height {
        height if !is_roomy && height >= LOW_FIGURES => height.div_ceil(2),
        height if !is_roomy => height.saturating_sub(1) / 2,
        // Leave room for the map.
        height if view.is_analysing && height < 40 => height / 3,
        height => height.div_ceil(2),
    };
    Stage::rows(view.plan.entry, &shown.scene, area.width, most).max(1)
}

/// Draws choices, log and analysis side by side below the stage. In a narrower window, the analysis replaces the log,
/// whose last lines then appear above the choices.
fn roomy(view: &PlayView, canvas: &mut Canvas, area: Rect, context: &Context, shown: &Shown) {
    let is_wide = area.width >= WIDE;
    if view.is_analysing && !is_wide {
        if let Some(drawn) = &view.outlook.curtain {
            curtain(view, canvas, area, drawn, false);
            return;
        }
        let (left, right) = analysis::halves(area);
        if has_choices(view) {
            let inside = asking_panel(view, canvas, left);
            let above = with_graph(view, canvas, inside, context);
            lines(view, canvas, above, Some(shown.untold));
        } else {
            logged(view, canvas, left, shown);
        }
        analysed(view, canvas, right, context);
        return;
    }
    let beside = if view.is_analysing { (area.width * 2 / 5).min(MOST_ANALYSIS) } else { 0 };
    let (area, beside) = split(area, area.width - beside);
    if !has_choices(view) {
        logged(view, canvas, area, shown);
        if beside.width > 0 {
            analysed(view, canvas, beside, context);
        }
        return;
    }
    let share = if view.is_analysing {
        area.width / 2
    } else {
        (area.width * 2 / 5).min(area.width.saturating_sub(log::PANEL))
    };
    // The log keeps enough room for words.
    let least = view.outlook.ready.map_or(ASKING.0, |_| TOGETHER.min(area.width * 5 / 8));
    let (left, right) = split(area, share.clamp(least, ASKING.1));
    if let Some(drawn) = &view.outlook.curtain {
        curtain(view, canvas, left, drawn, true);
    } else {
        let inside = asking_panel(view, canvas, left);
        lines(view, canvas, inside, None);
    }
    view.log.panel(canvas, right, shown.untold);
    if beside.width > 0 {
        analysed(view, canvas, beside, context);
    }
}

/// Whether the choices have a panel; a spectator sees it only during analysis.
const fn has_choices(view: &PlayView) -> bool {
    view.outlook.watched.is_none() || view.question.is_some() || !view.choices.is_empty()
}

/// Draws the messages above the log.
fn logged(view: &PlayView, canvas: &mut Canvas, area: Rect, shown: &Shown) {
    let result = view.outlook.result.iter().map(|result| (result.clone(), Ink::Title));
    let said = canvas.texts(inset(area), result.chain(view.outlook.said.iter().cloned()), 0);
    let left = Rect { y: said.y, height: said.height, ..area };
    view.log.panel(canvas, left, shown.untold);
}

/// Draws the first row, a bar in the mover's colour: whose turn it is, the players, and the score of the match.
fn situation(view: &PlayView, canvas: &mut Canvas, area: Rect) {
    let table = view.session.table();
    let names = table.names();
    let mut spans = vec![Span::raw(" ")];
    let Situation { movers, text, ink } = &view.outlook.situation;
    let mut text = Cow::Borrowed(text);
    if let [side] = **movers {
        let is_own = view.outlook.viewer == Some(side);
        let name = match view.outlook.viewer {
            Some(_) if is_own => "Your move".to_owned(),
            Some(viewer) => you::opponent(names, viewer),
            None => names[side].clone(),
        };
        if is_own {
            text = Cow::Owned(String::new());
        }
        let name = format!("{} {name}", glyph(side));
        spans.push(Span::styled(name, canvas.look.ink(Ink::Side(side))));
    }
    spans.push(Span::styled(text.into_owned(), canvas.look.ink(*ink)));
    let turn = table.history().len() + usize::from(!view.is_over);
    let latest_turn = view.outlook.watched.as_ref().and_then(|watched| watched.latest_turn);
    let mut facts = vec![match latest_turn {
        Some(latest) => format!("turn {turn} of {latest}"),
        None => format!("turn {turn}"),
    }];
    facts.extend(view.outlook.facts.iter().cloned());
    let used = canvas.line(area, 0, &Line::from(spans));
    let room = area.width - used;
    let (one, two) = (glyph(Side::One), glyph(Side::Two));
    let mut short = None;
    match view.plan.standing {
        Some(standing) => {
            let Standing { game, of, .. } = standing;
            let score = score(view, standing);
            let full = format!("{one} {} {two}", words::score(&score));
            let points = Both::from_fn(|side| score.points(side));
            let bare = format!("{}-{}", points.one, points.two);
            let fits = columns::cells(&full) < room / 2;
            facts.push(format!("game {game} of {of}"));
            facts.push(plain(canvas, if fits { full } else { format!("score {bare}") }));
            short = Some(plain(canvas, format!("game {game}/{of} · {bare}")));
        }
        None if area.width >= FULL.0 => {
            facts.push(format!("{one} {} - {} {two}", names.one, names.two));
        }
        None => {}
    }
    let width = |facts: &[String]| columns::cells(&facts.join(" · ")).saturating_add(2);
    // A narrow window drops facts from the end. In a match, it first drops the turn number (unless a spectator is looking
    // back), then shortens the score, and then drops all but the most important fact before the score.
    let is_match = view.plan.standing.is_some();
    while facts.len() > usize::from(latest_turn.is_some()) && width(&facts) > room {
        let turn = usize::from(facts[0].starts_with("turn "));
        if is_match && latest_turn.is_none() && turn > 0 {
            facts.remove(0);
        } else if let Some(short) = short.take() {
            facts.truncate(facts.len() - 2);
            facts.push(short);
        } else if is_match && facts.len() > turn + 2 {
            facts.remove(facts.len() - 2);
        } else {
            facts.pop();
        }
    }
    let facts = format!("{} ", facts.join(" · "));
    canvas.right(area, 0, &facts, canvas.look.ink(Ink::Faint));
    canvas.fill(area, movers);
}

/// The score of the match, including this game once its end has been shown.
fn score(view: &PlayView, standing: Standing) -> Score {
    let ended = view.session.ending().filter(|_| view.motion.is_none());
    let state = ended.and_then(|ending| view.plan.after(ending.outcome));
    let names = view.session.table().names().clone();
    let before = Score { names, half_points: standing.half_points };
    state.map_or(before, MatchState::into_score)
}

/// Converts a text to the glyphs it is drawn with, to measure it: `½` takes one column, but three in ASCII.
fn plain(canvas: &Canvas, text: String) -> String {
    if canvas.look.ascii { glyphs::ascii(&text).into_owned() } else { text }
}

fn stage(view: &PlayView, canvas: &mut Canvas, area: Rect, context: &Context) {
    let table = view.session.table();
    let is_moving = view.motion.is_some();
    let targets = match view.asked.filter(|_| !is_moving) {
        Some(side) => targets(table, side, view.choices, view.chosen),
        None => Vec::new(),
    };
    let moment = view.motion.and_then(|motion| motion.moment(context.now));
    draw_table(canvas, area, table, &targets, moment);
}

/// Draws the frame of the choices. Returns the area inside.
fn asking_panel(view: &PlayView, canvas: &mut Canvas, area: Rect) -> Rect {
    inset(canvas.panel(area, &view.outlook.title))
}

/// Draws the graph at the bottom of an area if the analysis shows a map. Returns the area above it.
fn with_graph(view: &PlayView, canvas: &mut Canvas, area: Rect, context: &Context) -> Rect {
    let Some(known) = context.known(view.plan) else { return area };
    let record = view.session.record();
    analysis::graph_below(canvas, area, &known, &record, record.turns.len())
}

/// Draws the question, or the messages, the end of the log (unless the log has a panel) and the choices.
fn lines(view: &PlayView, canvas: &mut Canvas, area: Rect, untold: Option<usize>) {
    if let Some(question) = view.question {
        let names = view.session.table().names();
        let text = you::told(view.outlook.viewer, names, |names| question_text(question, names));
        canvas.prose(area, &text, canvas.look.ink(Ink::Alarm));
        return;
    }
    let area = match &view.outlook.result {
        Some(result) if untold.is_none() => finale(view, canvas, area, result),
        Some(result) => below(area, canvas.prose(area, result, canvas.look.ink(Ink::Title))),
        None => below(area, watched_mixes(view, canvas, area)),
    };
    let said: u16 = view.outlook.said.iter().map(|(text, _)| rows_of(text, area.width)).sum();
    let recent = extent(untold.map_or(0, |untold| view.log.recent_rows(area.width, untold)));
    let text = said.saturating_add(recent);
    let choices = (!view.choices.is_empty() && view.motion.is_none())
        .then(|| Choices::of(view, canvas, area, text, text.min(1)));
    let table = view.session.table();
    let rows = match view.outlook.ready {
        Some(_) => together::rows(table),
        None => choices.as_ref().map_or(0, |choices| choices.rows),
    };
    let below_text = rows.min(area.height);
    let left = Rect { height: area.height - below_text, ..area };
    let mut left = canvas.texts(left, view.outlook.said.iter().cloned(), 0);
    let gap = u16::from(below_text > 0 && text > 0 && left.height > recent);
    if let Some(untold) = untold.filter(|_| left.height > 0) {
        let used = extent(view.log.all_rows(area.width, untold)).min(left.height - gap);
        view.log.tail(canvas, Rect { height: used, ..left }, untold);
        left = below(left, used);
    }
    let place = Rect { y: left.y + gap, height: below_text, ..area };
    if let Some(ready) = view.outlook.ready {
        together::draw(canvas, place, table, ready);
    } else if let Some(choices) = choices {
        choices.draw(canvas, place);
    }
}

/// Draws the end of the game: who won and how, the score of the match, and the ways to continue. Returns the area below.
fn finale(view: &PlayView, canvas: &mut Canvas, area: Rect, result: &str) -> Rect {
    let ending = view.session.ending();
    let winner = ending.and_then(|ending| ending.outcome.winner());
    let sign = winner.map_or(String::new(), |side| format!("{} ", glyph(side)));
    let rows = canvas.prose(area, &format!("{sign}{result}"), canvas.look.ink(Ink::Title));
    canvas.fill(Rect { height: rows, ..area }, winner.as_slice());
    let by_rules = ending.is_some_and(|ending| ending.termination == Termination::Rules);
    let tellings = you::last_turn(view.session.table(), view.outlook.viewer);
    let how =
        tellings.last().filter(|_| by_rules).map(|telling| telling.sentence.replace('\n', " "));
    let state = ending.and_then(|ending| view.plan.after(ending.outcome));
    let score = state.map(|state| (pips(&state), words::standing(&state)));
    let score = score.into_iter().flat_map(|(pips, text)| [(pips, Ink::Title), (text, Ink::Plain)]);
    let steps = extent(view.next_steps.len());
    // The log also says how the game ended.
    let texts = score.chain(how.map(|how| (how, Ink::Plain)));
    let texts = texts.map(|(text, ink)| (plain(canvas, text), ink)).collect::<Vec<_>>();
    let rest = canvas.texts(below(area, rows), texts, steps);
    let mut left = below(rest, u16::from(rest.height > steps));
    for (number, step) in view.next_steps.iter().enumerate() {
        let [key, words, _] = step.texts();
        let ink = if number == 0 { Ink::Key } else { Ink::Plain };
        let line =
            Line::from(vec![canvas.span(Ink::Key, key), canvas.span(ink, format!(" {words}"))]);
        let row = Rect { height: left.height.min(1), ..left };
        canvas.line(row, 0, &line);
        if let Some(press) = step.press() {
            canvas.target(row, press);
        }
        left = below(left, 1);
    }
    below(left, 1)
}

/// The points of a match: a filled mark for each full point, an empty one for half a point. A long match has no marks.
fn pips(state: &MatchState) -> String {
    let score = state.clone().into_score();
    if Side::ALL.into_iter().any(|side| score.half_points[side] > MOST_PIPS) {
        return String::new();
    }
    let marks = |side: Side| {
        let half_points = score.half_points[side];
        let full = "●".repeat(half_points as usize / 2);
        let half = if half_points % 2 == 1 { "○" } else { "" };
        if half_points == 0 { "0".to_owned() } else { full + half }
    };
    let shown = |side| format!("{} {}", glyph(side), marks(side));
    format!("{} · {}", shown(Side::One), shown(Side::Two))
}

/// Draws both sides' best mixes for a spectator. Returns the number of rows.
fn watched_mixes(view: &PlayView, canvas: &mut Canvas, area: Rect) -> u16 {
    let verdict =
        view.analysis.as_ref().filter(|_| view.outlook.watched.is_some()).map(|it| &it.verdict);
    match verdict {
        Some(Judgement::Simultaneous { strategy, .. }) => analysis::mixes(canvas, area, strategy),
        Some(Judgement::Alternating { .. }) | None => 0,
    }
}

/// Draws the analysis beside the choices.
fn analysed(view: &PlayView, canvas: &mut Canvas, area: Rect, context: &Context) {
    let names = view.session.table().names();
    let mover = view.session.table().turn().first().copied();
    let judgement = view.analysis.as_ref().map(|analysis| &analysis.verdict);
    let title = judgement.map(|judgement| analysis::title(judgement, mover, names));
    let panel = analysis::panel(canvas, area, title, view.plan, context);
    let Some((mut inside, known)) = panel else { return };
    let record = view.session.record();
    let turn = record.turns.len();
    if area.height > BAR_ROWS && canvas.buffer.area.width >= WIDE {
        let standing = analysis::standings(&known.solved, &record).pop();
        if let Some(standing) = standing.filter(|_| view.outlook.watched.is_none()) {
            across(canvas, Rect { height: 1, ..inside }, standing.share());
            inside = below(inside, 1);
        }
        inside = analysis::graph_below(canvas, inside, &known, &record, turn);
    }
    analysis::draw(canvas, inside, &known, &record, turn, judgement);
}

/// Draws the curtain, with the last events and who may look.
fn curtain(view: &PlayView, canvas: &mut Canvas, area: Rect, drawn: &Curtain, has_log: bool) {
    let names = view.session.table().names();
    let side = drawn.side;
    let told = match &drawn.message {
        Some(message) => message,
        None if has_log => "",
        None => &drawn.told,
    };
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
    // The instructions take precedence over the message.
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
    if !has_log {
        let is_told = drawn.message.is_none() && !drawn.told.is_empty();
        let mark = view.log.mark_before(is_told);
        if rows <= area.height && !mark.is_empty() {
            canvas.footnote(place, &mark);
        } else {
            canvas.mark(area, area.height.saturating_sub(1), &mark);
        }
    }
    canvas.target(area, Press::Pick(0));
}
