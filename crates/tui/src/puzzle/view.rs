//! Draws a puzzle: the board, the task, the verdict, and the choices or the shares of a mix.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_play::puzzle::{MixAttempt, PuzzleRequest, Trial};
use skirmish_present::puzzle as say;
use skirmish_rules::Choice;

use super::super::app::is_roomy;
use super::super::context::Context;
use super::super::keys::lines;
use super::super::look::Ink;
use super::super::parts::{Canvas, bar, below, extent, inset};
use super::super::stage::{draw_above, targets};
use super::{PuzzleScreen, PuzzleStage};

/// Maximum width of the bar that shows a share.
const BAR: u16 = 20;

pub(super) fn draw(screen: &PuzzleScreen, canvas: &mut Canvas, area: Rect, context: &Context) {
    let trial = match &screen.stage {
        PuzzleStage::Open(opened) => &opened.trial,
        PuzzleStage::Solving => {
            canvas.prose(inset(area), "Looking for puzzles …", canvas.look.ink(Ink::Faint));
            return;
        }
        PuzzleStage::Nothing(why) => {
            canvas.prose(inset(area), why, canvas.look.ink(Ink::Alarm));
            return;
        }
    };
    let (table, choices) = (trial.table(), screen.choices());
    let targets = targets(table, trial.puzzle().player, &choices, Some(screen.chosen));
    let moment = screen.motion.as_ref().and_then(|motion| motion.moment(context.now));
    let lower = draw_above(canvas, area, table, &targets, moment);
    let title = match screen.request.level {
        Some(level) => format!("Only level {level}"),
        None => format!("Level {}", trial.puzzle().level),
    };
    let inside = if is_roomy(area) { canvas.panel(lower, &title) } else { lower };
    let left = words(screen, trial, canvas, inset(inside), context);
    let lines = match trial {
        Trial::Win(_) => lines(table, trial.puzzle().player, &choices, canvas),
        Trial::Mix(attempt) => share_lines(screen, attempt, canvas, left.width),
    };
    if !trial.is_over() {
        canvas.list(left, &lines, screen.chosen);
        return;
    }
    for (row, line) in (0..left.height).zip(&lines) {
        canvas.line(left, row, line);
    }
}

/// Draws the task, the last turns and the verdict. Returns the area below, which has room for the choices.
fn words(
    screen: &PuzzleScreen,
    trial: &Trial,
    canvas: &mut Canvas,
    area: Rect,
    context: &Context,
) -> Rect {
    let choices = match trial {
        Trial::Win(_) => screen.choices().len(),
        Trial::Mix(_) => screen.shares.len() + 1,
    };
    let roomy = area.height > 8;
    let choices = extent(choices);
    let reserved = if roomy { choices } else { choices.min(3) };
    // Once the puzzle is over, there is nothing to choose.
    let reserved = if trial.is_over() { 0 } else { reserved };
    let mut texts = Vec::new();
    if !trial.is_over() && screen.motion.is_none() {
        texts.push((say::current_task(trial, &screen.names), Ink::Title));
    }
    let (verdict, ink) = screen.verdict.clone().unwrap_or((String::new(), Ink::Plain));
    // A small window shows only the last turn, after the verdict, which says what to do next.
    let last = screen.told.len().saturating_sub(if roomy { usize::MAX } else { 1 });
    let told = (screen.told[last..].join(" "), Ink::Plain);
    texts.extend(if roomy { [told, (verdict, ink)] } else { [(verdict, ink), told] });
    if roomy && screen.daily.is_some() {
        let streak = screen.score.streak((context.options.today)());
        texts.push((say::streak(streak, screen.score.best()), Ink::Faint));
    }
    if roomy && trial.is_solved() {
        let PuzzleRequest { entry, settings, .. } = &screen.request;
        let solved = screen.score.solved(entry, settings);
        // The count stays 0 if results cannot be saved.
        if solved > 0 {
            texts.push((say::tally(solved, screen.total(), entry, settings), Ink::Faint));
        }
    }
    let left = canvas.texts(area, texts, reserved);
    if roomy && left.height > reserved { below(left, 1) } else { left }
}

/// Formats a line for each action, with its share as a bar, and a line with the sum.
fn share_lines(
    screen: &PuzzleScreen,
    attempt: &MixAttempt,
    canvas: &Canvas,
    width: u16,
) -> Vec<Line<'static>> {
    let actions = attempt.actions();
    let longest = actions.iter().map(|choice| choice.words.chars().count()).max().unwrap_or(0);
    let most = width.saturating_sub(u16::try_from(longest).unwrap_or(0) + 12).min(BAR);
    let bar = |share: u8| bar(share.into(), 100, most);
    let line = |(choice, share): (&Choice, &u8)| {
        let value = canvas.span(Ink::Key, format!(" ‹ {share:>3}% › "));
        Line::from(vec![
            Span::raw(format!("{:<longest$}", choice.words)),
            value,
            Span::raw(bar(*share)),
        ])
    };
    let sum: u32 = screen.shares.iter().map(|share| u32::from(*share)).sum();
    let ink = if sum == 100 { Ink::Good } else { Ink::Faint };
    let total = Line::from(canvas.span(ink, format!("{:<longest$}   {sum:>3}%", "Sum")));
    actions.iter().zip(&screen.shares).map(line).chain([total]).collect()
}
