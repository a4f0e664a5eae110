//! Lines, payoff matrices and forecasts in words.

use skirmish_play::player::Against;
use skirmish_play::{Line, Payoffs};
use skirmish_rules::{Names, Side, columns};
use skirmish_solver::dominance::Dominated;
use skirmish_solver::response::Forecast;

use crate::Manner;
use crate::words::{points, shares};

/// A payoff matrix in lines: the table, the dominated choices, and whether the best mixes are the only ones.
#[must_use]
pub fn payoffs(payoffs: &Payoffs, names: &Names, manner: Manner) -> String {
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
    let equal = format!("Differences up to {:.0e} count as none.", Payoffs::EQUAL);
    let mut lines = vec![table];
    lines.extend(Side::ALL.into_iter().flat_map(|side| dominated(payoffs, side, names)));
    lines.push(format!("{} {equal}", uniqueness(payoffs, names)));
    lines.join("\n")
}

/// Rows with aligned columns, the first to the left.
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

fn dominated(payoffs: &Payoffs, side: Side, names: &Names) -> Vec<String> {
    let actions = &payoffs.actions[side];
    let sentence = |Dominated { choice, strictly, by }: &Dominated| {
        let kind = if *strictly { "strictly" } else { "weakly" };
        let mix: Vec<(String, f64)> = actions.iter().cloned().zip(by.iter().copied()).collect();
        let used: Vec<(String, f64)> = mix.into_iter().filter(|(_, share)| *share > 0.0).collect();
        let by = match used.as_slice() {
            [(only, _)] => only.clone(),
            mix => format!("the mix {}", shares(mix)),
        };
        format!("{}: {} is {kind} dominated by {by}.", names[side], actions[*choice])
    };
    payoffs.dominated[side].iter().map(sentence).collect()
}

fn uniqueness(payoffs: &Payoffs, names: &Names) -> String {
    match (payoffs.unique.one, payoffs.unique.two) {
        (true, true) => "The equilibrium of this matrix is unique.".to_owned(),
        (false, false) => {
            "The equilibrium is not unique: both have other mixes that are as good here.".to_owned()
        }
        (one, _) => {
            let side = if one { Side::Two } else { Side::One };
            let (name, other) = (&names[side], &names[side.other()]);
            format!(
                "The equilibrium is not unique: {name} has other mixes that are as good here, {other} has none."
            )
        }
    }
}

/// A best line, wrapped to `width` columns.
#[must_use]
pub fn line(line: &Line, names: &Names, width: usize) -> String {
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
    lines.extend(line.repeats.iter().map(|position| {
        format!("Then the position is {position} again, and the game can go on like this for ever.")
    }));
    lines.join("\n")
}

/// Scores closer than this are equal.
const SAME_SCORE: f64 = 1e-9;

/// What every choice is worth against a level, in lines; the best are starred.
#[must_use]
pub fn against(against: &Against, names: &Names, manner: Manner) -> String {
    let score = |forecast: &Forecast| forecast.win - forecast.loss;
    let part = |side: Side| {
        let choices = &against.choices[side];
        let best =
            choices.iter().map(|(_, forecast)| score(forecast)).fold(f64::NEG_INFINITY, f64::max);
        let head = format!(
            "{} against {}, with the best response after this move:",
            names[side], against.level
        );
        let widest = choices.iter().map(|(choice, _)| columns::width(choice)).max().unwrap_or(0);
        let lines = choices.iter().map(|(choice, forecast)| {
            let is_best = score(forecast) > best - SAME_SCORE;
            match manner {
                Manner::Usual | Manner::Plain => {
                    let star = if is_best { "*" } else { " " };
                    format!("  {star} {}  {}", columns::pad(choice, widest.max(5)), row(forecast))
                }
                Manner::Spoken => {
                    let best = if is_best { ", the best" } else { "" };
                    format!(
                        "{choice}: {}{best}.",
                        row(forecast).split_whitespace().collect::<Vec<_>>().join(" ")
                    )
                }
            }
        });
        [head].into_iter().chain(lines).collect::<Vec<String>>().join("\n")
    };
    let sides = Side::ALL.into_iter().filter(|&side| !against.choices[side].is_empty());
    sides.map(part).collect::<Vec<String>>().join("\n")
}

/// `win  83.2%, draw   0.0%, loss  16.8%,  12.4 turns`.
fn row(forecast: &Forecast) -> String {
    let Forecast { win, loss, draw, turns } = *forecast;
    let share = |share: f64| format!("{:5.1}%", share * 100.0);
    let length = turns.map_or("  may never end".to_owned(), |turns| format!("{turns:6.1} turns"));
    format!("win {}, draw {}, loss {}, {length}", share(win), share(draw), share(loss))
}
