//! Describes recorded games and their reviews in words.

use skirmish_play::{Mark, Review, ReviewedChoice, Verdict, Worth, opening_turns};
use skirmish_rules::columns::{pad, width};
use skirmish_rules::{Ending, Names, Outcome, Record, Side, Termination, alternatives};

use crate::words;

/// The heading of a review: the game, its players and the date.
#[must_use]
pub fn heading(record: &Record) -> String {
    let date = record.date.as_ref().map_or(String::new(), |date| format!(", {date}"));
    let from = record.position.as_ref().map_or(String::new(), |from| format!(", from {from}"));
    let (game, names) = (words::game(record.entry, &record.settings), &record.names);
    format!("{game}{from}: {} against {}{date}\n", names.one, names.two)
}

/// Describes the end of the game in sentences.
#[must_use]
pub fn conclusion(record: &Record) -> String {
    epilogue(record).unwrap_or_else(|| {
        let table = record.replay().ok();
        let last = table.and_then(|table| table.last_turn().pop());
        last.map_or(String::new(), |telling| one_line(&telling.sentence))
    })
}

/// Describes how the game ended; `None` if the rules ended it, because the report on the last turn says so.
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

/// The review without the list of choices, as paragraphs of sentences.
#[must_use]
pub fn remarks(record: &Record, review: &Review) -> Vec<Vec<String>> {
    let names = &record.names;
    let mistakes: Vec<String> = review
        .choices
        .iter()
        .filter_map(|choice| {
            let (turn, name) = (choice.turn, &names[choice.side]);
            let mistake = mistake(choice, Naming::Words)?;
            Some(format!("Turn {turn}, {name} played {}: {mistake}.", choice.words(&choice.played)))
        })
        .collect();
    let mut parts = vec![if !mistakes.is_empty() {
        mistakes
    } else if is_mixed(review) {
        // The reason follows as a paragraph of its own.
        vec![format!("{FLAWLESS_MIX}.")]
    } else {
        vec![FLAWLESS.to_owned()]
    }];
    let opening = match opening_turns(record) {
        0 => None,
        1 => Some("The tournament chose turn 1 at random. It is not judged.".to_owned()),
        turns => {
            Some(format!("The tournament chose turns 1 to {turns} at random. They are not judged."))
        }
    };
    parts.extend(opening.map(|text| vec![text]));
    if is_mixed(review) {
        let why = "A choice is judged by its value against the other side's best mix, not by how it turned\n\
                   out. A choice that belongs to a best mix is never a mistake.";
        parts.push(vec![why.to_owned()]);
    }
    parts.push(summary(record, review));
    parts
}

/// A sentence about the choice that decided the game, or about the lack of one.
#[must_use]
pub fn gist(record: &Record, review: &Review) -> String {
    let names = &record.names;
    if let Some(choice) = review.turning_point.map(|index| &review.choices[index]) {
        let (turn, name) = (choice.turn, &names[choice.side]);
        let played = choice.words(&choice.played);
        let keeping = Naming::Words.alternatives(choice, &choice.keeping);
        return format!(
            "Turning point: turn {turn}, {name} played {played} ({keeping} would have kept it)."
        );
    }
    match record.ending {
        Some(Ending { outcome: Outcome::Won(winner), termination: Termination::Resigned }) => {
            format!("Nothing was given away until {} resigned.", names[winner.other()])
        }
        _ if is_mixed(review) => {
            format!(
                "{FLAWLESS_MIX}: a choice is judged against the best mix, not by how it turned out."
            )
        }
        _ => FLAWLESS.to_owned(),
    }
}

/// The label that front ends show beside an opening turn.
pub const OPENING_LABEL: &str = "opening, chosen by the tournament";

/// The verdict on a game without mistakes, in which only results count.
const FLAWLESS: &str = "Nobody gave away a result. A slower win does not count as a mistake.";
const FLAWLESS_MIX: &str = "Nobody gave anything away";

/// Whether both sides choose simultaneously, so that the value of a choice is an expected value.
fn is_mixed(review: &Review) -> bool {
    review.choices.iter().any(|choice| matches!(choice.worth, Worth::Mixed(_)))
}

/// How a sentence names choices.
#[derive(Clone, Copy)]
enum Naming {
    /// In words, as shown to players.
    Words,
    /// In notation, as in records.
    Notation,
}

impl Naming {
    fn alternatives(self, choice: &ReviewedChoice, all: &[String]) -> String {
        match self {
            Self::Words => alternatives(all.iter().map(|notation| choice.words(notation))),
            Self::Notation => alternatives(all),
        }
    }
}

/// One line per choice: `3. Ann   1  ??  loss in 6`.
fn lines(names: &Names, choices: &[ReviewedChoice]) -> String {
    let name_width = width(&names.one).max(width(&names.two));
    let played = |choice: &ReviewedChoice| choice.words(&choice.played).to_owned();
    let move_width = choices.iter().map(|choice| width(&played(choice))).max().unwrap_or(0);
    let number_width = choices.last().map_or(0, |choice| choice.turn.to_string().len());
    let line = |choice: &ReviewedChoice| {
        let (turn, sign) = (choice.turn, choice.mark().map_or("", Mark::sign));
        let name = pad(&names[choice.side], name_width);
        let played = pad(&played(choice), move_width);
        format!("{turn:>number_width$}. {name}  {played} {sign:<2}  {}", remark(choice))
    };
    choices.iter().map(line).collect::<Vec<String>>().join("\n")
}

/// The verdict on a choice in one sentence.
#[must_use]
pub fn verdict(choice: &ReviewedChoice, names: &Names) -> String {
    let (name, played) = (&names[choice.side], choice.words(&choice.played));
    if choice.verdict == Verdict::Opening {
        return format!("{name}: {played} ({OPENING_LABEL}).");
    }
    let sign = choice.mark().map_or("", Mark::sign);
    let verdict = mistake(choice, Naming::Words).unwrap_or_else(|| remark(choice));
    format!("{name} played {played}{sign}: {verdict}.")
}

/// The value of a choice, with a remark if it was forced, part of a mix, or not the best.
fn remark(choice: &ReviewedChoice) -> String {
    let value = worth(choice.worth);
    match choice.verdict {
        Verdict::Opening => OPENING_LABEL.to_owned(),
        Verdict::Best | Verdict::Good | Verdict::GaveAway { .. } if choice.is_forced() => {
            format!("{value} (forced)")
        }
        Verdict::Best => match choice.mix.iter().find(|(action, _)| *action == choice.played) {
            Some((_, share)) if choice.mix.len() > 1 => {
                format!("{value} ({} of the best mix)", words::percent(*share, 1))
            }
            _ => value,
        },
        Verdict::Good => {
            let best = Naming::Words.alternatives(choice, &choice.best_choices);
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

/// Describes a mistake: the loss in value and the better choices. Names no player, because record comments use the text.
fn mistake(choice: &ReviewedChoice, naming: Naming) -> Option<String> {
    let Verdict::GaveAway { from, to } = choice.verdict else { return None };
    let keeping = naming.alternatives(choice, &choice.keeping);
    let (from, to) = (worth(from), worth(to));
    Some(format!("{from} became {to}; {keeping} would have kept it"))
}

/// Both players' accuracy, the turning point and the result.
fn summary(record: &Record, review: &Review) -> Vec<String> {
    let names = &record.names;
    let accuracy = |side: Side| format!("Accuracy of {}: {}", names[side], accuracy(review, side));
    let mut lines = Side::ALL.map(accuracy).to_vec();
    lines.extend(review.turning_point.map(|index| {
        let choice = &review.choices[index];
        let (turn, name) = (choice.turn, &names[choice.side]);
        format!("Turning point: turn {turn}, {name} played {}.", choice.words(&choice.played))
    }));
    lines.push(conclusion(record));
    lines
}

/// A player's accuracy in words; never `100.0%` after a mistake.
pub(crate) fn accuracy(review: &Review, side: Side) -> String {
    const ALMOST: f64 = 99.9;
    match review.accuracy[side] {
        None => no_accuracy(review, side).to_owned(),
        Some(percent) => {
            let shown = if percent < 100.0 { percent.min(ALMOST) } else { percent };
            format!("{shown:.1}% of all that was at stake")
        }
    }
}

/// Explains why a player has no accuracy.
#[must_use]
pub fn no_accuracy(review: &Review, side: Side) -> &'static str {
    if review.has_chosen(side) { "nothing was at stake" } else { "no turns of their own" }
}

/// Adds the marks to the record's comments. Idempotent.
#[must_use]
pub fn annotate(mut record: Record, review: &Review) -> Record {
    for choice in &review.choices {
        let Some(mark) = choice.mark() else { continue };
        let who = match choice.worth {
            Worth::Exact(_) => String::new(),
            // Do not use the name, which may contain a brace.
            Worth::Mixed(_) => format!("{}: ", choice.side),
        };
        let mistake =
            mistake(choice, Naming::Notation).map_or(String::new(), |text| format!(" {text}"));
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
