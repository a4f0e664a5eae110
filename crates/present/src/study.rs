//! Describes best lines, payoff matrices and forecasts in words.

use skirmish_play::player::Against;
use skirmish_play::{BestLine, Payoffs};
use skirmish_rules::{Both, Names, Outcome, Side, alternatives, columns};
use skirmish_solver::dominance::Dominated;
use skirmish_solver::response::Forecast;

use crate::Manner;
use crate::words::{percent, points, shares};

/// A payoff matrix as lines of text: the table, the dominated choices, and whether the best mixes are unique.
/// `strategy` contains the best mixes shown with the matrix.
#[must_use]
pub fn payoffs(
    payoffs: &Payoffs,
    strategy: &Both<Vec<(String, f64)>>,
    names: &Names,
    manner: Manner,
) -> String {
    let Payoffs { actions, values, .. } = payoffs;
    let intro =
        format!("What each pair of choices is worth to {} if both play on perfectly", names.one);
    let table = match manner {
        Manner::Usual | Manner::Plain => {
            let head = [String::new()].into_iter().chain(actions.two.iter().cloned()).collect();
            let rows = actions.one.iter().zip(values).map(|(action, row)| {
                [action.clone()].into_iter().chain(row.iter().map(|value| points(*value))).collect()
            });
            let rows: Vec<Vec<String>> = [head].into_iter().chain(rows).collect();
            format!("\n{intro}\n({}: rows, {}: columns):\n{}", names.one, names.two, grid(&rows))
        }
        Manner::Spoken => {
            let cells =
                actions.one.iter().zip(values).flat_map(|(one, row)| {
                    actions.two.iter().zip(row).map(move |(two, value)| {
                        format!("{one} against {two}: {}.", points(*value))
                    })
                });
            format!("{intro}:\n{}", cells.collect::<Vec<String>>().join("\n"))
        }
    };
    let mut lines = vec![table];
    lines.extend(Side::ALL.into_iter().flat_map(|side| dominated(payoffs, strategy, side, names)));
    lines.push(uniqueness(payoffs, names));
    lines.push(format!("(Differences up to {:.0e} count as none.)", Payoffs::EQUAL));
    lines.join("\n")
}

/// Formats rows with aligned columns; only the first column is left-aligned.
fn grid(rows: &[Vec<String>]) -> String {
    let widest =
        |column: usize| rows.iter().map(|row| columns::width(&row[column])).max().unwrap_or(0);
    let line = |row: &Vec<String>| {
        let cells = row.iter().enumerate().map(|(column, cell)| match column {
            0 => format!("  {}", columns::pad(cell, widest(0))),
            _ => format!("  {}", columns::pad_start(cell, widest(column))),
        });
        cells.collect::<String>()
    };
    rows.iter().map(line).collect::<Vec<String>>().join("\n")
}

fn dominated(
    payoffs: &Payoffs,
    strategy: &Both<Vec<(String, f64)>>,
    side: Side,
    names: &Names,
) -> Vec<String> {
    let actions = &payoffs.actions[side];
    let is_played = |choice: usize| strategy[side].iter().any(|(it, _)| *it == actions[choice]);
    let sentence = |Dominated { choice, strictly, by: by_shares }: &Dominated| {
        let kind = if *strictly { "strictly" } else { "weakly" };
        let mix: Vec<(String, f64)> =
            actions.iter().cloned().zip(by_shares.iter().copied()).collect();
        let used: Vec<(String, f64)> = mix.into_iter().filter(|(_, share)| *share > 0.0).collect();
        let by = match used.as_slice() {
            [(only, _)] => only.clone(),
            mix => format!("the mix {}", shares(mix)),
        };
        // A weakly dominated choice in a best mix is worse only against choices in no best mix of the other side.
        let why = if is_played(*choice) {
            let worse = payoffs.worse_against(side, *choice, by_shares);
            let are = if worse.len() == 1 { "is" } else { "are" };
            let (worse, other) = (alternatives(worse), &names[side.other()]);
            format!(
                "; a best mix may contain it, as it is worse only against {worse}, which {are} in no best mix of {other}"
            )
        } else {
            String::new()
        };
        format!("{}: {} is {kind} dominated by {by}{why}.", names[side], actions[*choice])
    };
    payoffs.dominated[side].iter().map(sentence).collect()
}

fn uniqueness(payoffs: &Payoffs, names: &Names) -> String {
    let others = match (payoffs.unique.one, payoffs.unique.two) {
        (true, true) => return "The equilibrium of this matrix is unique.".to_owned(),
        (false, false) => "both have".to_owned(),
        (true, false) => format!("{} has", names.two),
        (false, true) => format!("{} has", names.one),
    };
    format!("The equilibrium of this matrix is not unique: {others} other best mixes.")
}

/// A best line, wrapped to `width` columns.
#[must_use]
pub fn line(line: &BestLine, names: &Names, width: usize) -> String {
    let turn = |(number, (mover, text)): (usize, &(Option<Side>, String))| match mover {
        Some(side) => format!("{number}. {}: {text}", names[*side]),
        None => format!("{number}. {text}"),
    };
    let mut lines: Vec<String> = Vec::new();
    for turn in (1..).zip(&line.turns).map(turn) {
        let fits = |last: &&mut String| columns::width(last) + 2 + columns::width(&turn) <= width;
        match lines.last_mut().filter(fits) {
            Some(last) => last.extend(["  ", &turn]),
            None => lines.push(turn),
        }
    }
    let is_mixed = line.turns.iter().any(|(mover, _)| mover.is_none());
    let head = if is_mixed { "The likeliest choices of the best mixes:" } else { "Best play:" };
    lines.insert(0, head.to_owned());
    lines.push(match (&line.repeats, line.outcome) {
        (Some(position), _) => {
            format!("Then the position is {position} again: the game can go on like this forever.")
        }
        (None, Some(Outcome::Won(side))) => format!("{} wins.", names[side]),
        (None, _) => "The game is a draw.".to_owned(),
    });
    lines.join("\n")
}

/// The value of every choice against a level, one per line; the best choices are starred.
#[must_use]
pub fn against(against: &Against, names: &Names, manner: Manner) -> String {
    let part = |side: Side| {
        let choices = &against.choices[side];
        let widest = choices.iter().map(|(choice, _)| columns::width(choice)).max().unwrap_or(0);
        let lines = choices.iter().map(|(choice, forecast)| {
            let is_best = !choices.iter().any(|(_, other)| is_better(other, forecast));
            match manner {
                Manner::Usual | Manner::Plain => {
                    let star = if is_best { "*" } else { " " };
                    let choice = columns::pad(choice, widest.max(5));
                    format!("  {star} {choice}  {}", row(forecast))
                }
                Manner::Spoken => {
                    let best = if is_best { ", the best" } else { "" };
                    let words: Vec<String> =
                        row(forecast).split_whitespace().map(str::to_owned).collect();
                    format!("{choice}: {}{best}.", words.join(" "))
                }
            }
        });
        let (name, level) = (&names[side], against.level);
        let head = format!("{name} against {level}, with the best response after this turn:");
        [head].into_iter().chain(lines).collect::<Vec<String>>().join("\n")
    };
    let sides = Side::ALL.into_iter().filter(|&side| !against.choices[side].is_empty());
    sides.map(part).collect::<Vec<String>>().join("\n")
}

/// Tolerance within which chances and lengths count as equal.
const SAME_CHANCE: f64 = 1e-9;
const SAME_LENGTH: f64 = 1e-6;

/// Whether forecast `one` is better than `two`: by the chance of winning minus the chance of losing, then by the sooner
/// win or the later loss.
fn is_better(one: &Forecast, two: &Forecast) -> bool {
    let score = |forecast: &Forecast| forecast.win - forecast.loss;
    let cost = |forecast: &Forecast| forecast.turns.unwrap_or(0.0) * score(forecast);
    let gain = score(one) - score(two);
    gain > SAME_CHANCE || (gain.abs() <= SAME_CHANCE && cost(one) < cost(two) - SAME_LENGTH)
}

/// A forecast in a line: `win  83.2%, draw   0.0%, loss  16.8%,   12.4 turns`.
fn row(forecast: &Forecast) -> String {
    let Forecast { win, loss, draw, turns } = *forecast;
    let share = |share: f64| format!("{:>6}", percent(share, 1));
    let length = turns.map_or("  may never end".to_owned(), |turns| format!("{turns:6.1} turns"));
    format!("win {}, draw {}, loss {}, {length}", share(win), share(draw), share(loss))
}
