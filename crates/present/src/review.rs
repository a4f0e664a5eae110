//! A recorded game and its review, in words.

use skirmish_play::{Mark, Review, ReviewedChoice, Verdict, Worth};
use skirmish_rules::columns::{pad, width};
use skirmish_rules::{Names, Record, Side, alternatives};

use crate::words;

/// The game, who played it and when.
#[must_use]
pub fn heading(record: &Record) -> String {
    let date = record.date.as_ref().map_or(String::new(), |date| format!(", {date}"));
    let from = record.position.as_ref().map_or(String::new(), |from| format!(", from {from}"));
    let (game, names) = (words::game(record.entry, &record.settings), &record.names);
    format!("{game}{from}: {} against {}{date}\n", names.one, names.two)
}

/// How the game ended, in sentences.
#[must_use]
pub fn conclusion(record: &Record) -> String {
    epilogue(record).unwrap_or_else(|| {
        let table = record.replay().ok();
        let last = table.and_then(|table| table.last_turn().pop());
        last.map_or(String::new(), |telling| one_line(&telling.sentence))
    })
}

/// How the game ended, unless the rules ended it: then the last turn's report says so.
#[must_use]
pub fn epilogue(record: &Record) -> Option<String> {
    match record.ending {
        None => Some("The game is not finished.".to_owned()),
        Some(ending) => {
            let text = words::ending(ending, &record.names, record.turn_limit)?;
            Some(one_line(&text))
        }
    }
}

fn one_line(text: &str) -> String {
    text.replace('\n', " ")
}

/// The whole review as text.
#[must_use]
pub fn describe(record: &Record, review: &Review) -> String {
    let mut parts = vec![heading(record).trim_end().to_owned()];
    let names = &record.names;
    parts.extend((!review.choices.is_empty()).then(|| lines(names, &review.choices)));
    parts.extend(remarks(record, review).into_iter().map(|paragraph| paragraph.join("\n")));
    parts.join("\n\n")
}

/// What the review says besides the list of choices: paragraphs of sentences.
#[must_use]
pub fn remarks(record: &Record, review: &Review) -> Vec<Vec<String>> {
    let names = &record.names;
    let mistakes: Vec<String> = review
        .choices
        .iter()
        .filter_map(|choice| {
            let (turn, name, played) = (choice.turn, &names[choice.side], &choice.played);
            Some(format!("Turn {turn}, {name} played {played}: {}.", mistake(choice)?))
        })
        .collect();
    let mut parts = vec![if mistakes.is_empty() {
        vec!["Nobody gave anything away.".to_owned()]
    } else {
        mistakes
    }];
    if review.choices.iter().any(|choice| matches!(choice.worth, Worth::Mixed(_))) {
        let why = "A choice is judged by its value against the other side's best mix, not by how it turned\n\
                   out. A choice that belongs to a best mix is never a mistake.";
        parts.push(vec![why.to_owned()]);
    }
    parts.push(summary(record, review));
    parts
}

/// A line for every choice: `3. Ann   1  ??  loss in 6`.
fn lines(names: &Names, choices: &[ReviewedChoice]) -> String {
    let name_width = width(&names.one).max(width(&names.two));
    let move_width = choices.iter().map(|choice| width(&choice.played)).max().unwrap_or(0);
    let number_width = choices.last().map_or(0, |choice| choice.turn.to_string().len());
    let line = |choice: &ReviewedChoice| {
        let (turn, name, played) = (choice.turn, &names[choice.side], &choice.played);
        let sign = choice.mark().map_or("", Mark::sign);
        let (name, played) = (pad(name, name_width), pad(played, move_width));
        format!("{turn:>number_width$}. {name}  {played} {sign:<2}  {}", remark(choice))
    };
    choices.iter().map(line).collect::<Vec<String>>().join("\n")
}

/// The verdict on a choice in one sentence.
#[must_use]
pub fn verdict(choice: &ReviewedChoice, names: &Names) -> String {
    let sign = choice.mark().map_or("", Mark::sign);
    let verdict = mistake(choice).unwrap_or_else(|| remark(choice));
    format!("{} played {}{sign}: {verdict}.", names[choice.side], choice.played)
}

/// The value of a choice, with a remark if it was forced, one of a mix, or not the best.
fn remark(choice: &ReviewedChoice) -> String {
    let value = worth(choice.worth);
    if choice.is_forced() {
        return format!("{value} (forced)");
    }
    match choice.verdict {
        Verdict::Best => match choice.mix.iter().find(|(action, _)| *action == choice.played) {
            Some((_, share)) if choice.mix.len() > 1 => {
                format!("{value} ({:.1}% of the best mix)", share * 100.0)
            }
            _ => value,
        },
        Verdict::Good => {
            let best = alternatives(&choice.best_choices);
            format!("{value} (best: {best}, {})", worth(choice.best))
        }
        Verdict::GaveAway { .. } => value,
    }
}

fn worth(worth: Worth) -> String {
    match worth {
        Worth::Exact(value) => words::value(value),
        Worth::Mixed(points) => words::points(points),
    }
}

/// What a choice gave away and what would have kept it, if it was a mistake. Names no player, because record comments
/// contain it.
fn mistake(choice: &ReviewedChoice) -> Option<String> {
    let Verdict::GaveAway { from, to } = choice.verdict else { return None };
    let keeping = alternatives(&choice.keeping);
    let (from, to) = (worth(from), worth(to));
    Some(format!("{from} became {to}; {keeping} would have kept it"))
}

/// Both players' accuracy, the turning point and the result.
fn summary(record: &Record, review: &Review) -> Vec<String> {
    let names = &record.names;
    let accuracy =
        |side: Side| format!("Accuracy of {}: {}", names[side], accuracy(review.accuracy[side]));
    let mut lines = Side::ALL.map(accuracy).to_vec();
    lines.extend(review.turning_point.map(|index| {
        let choice = &review.choices[index];
        let (turn, name, played) = (choice.turn, &names[choice.side], &choice.played);
        format!("Turning point: turn {turn}, {name} played {played}.")
    }));
    lines.push(conclusion(record));
    lines
}

/// A player's accuracy in words; never `100.0%` after a mistake.
pub(crate) fn accuracy(accuracy: Option<f64>) -> String {
    const ALMOST: f64 = 99.9;
    match accuracy {
        None => "nothing was at stake".to_owned(),
        Some(percent) => {
            let shown = if percent < 100.0 { percent.min(ALMOST) } else { percent };
            format!("{shown:.1}% of all that was at stake")
        }
    }
}

/// Adds the marks to the record's comments. Idempotent.
#[must_use]
pub fn annotate(mut record: Record, review: &Review) -> Record {
    for choice in &review.choices {
        let Some(mark) = choice.mark() else { continue };
        let who = match choice.worth {
            Worth::Exact(_) => String::new(),
            // Not by name: a name may contain a brace.
            Worth::Mixed(_) => format!("{}: ", choice.side),
        };
        let mistake = mistake(choice).map_or(String::new(), |text| format!(" {text}"));
        let added = format!("{who}{}{mistake}", mark.sign());
        let turn = &mut record.turns[choice.turn - 1];
        turn.comment = Some(match turn.comment.take() {
            None => added,
            Some(before) if before.split(" | ").any(|part| part == added) => before,
            Some(before) => format!("{before} | {added}"),
        });
    }
    record
}
