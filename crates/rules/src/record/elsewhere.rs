//! Checks whether an illegal record would be legal under other rule options.

use super::{Record, RecordError, Termination};
use crate::settings::{OptionKind, OptionValue, RuleOption, Settings};
use crate::starting_point::StartingPoint;
use crate::table::Refusal;

/// The longest record that is tried under other rule options; longer records would take too long.
const MOST_TURNS: usize = 1_000;

/// Adds a remark to an error that the record may have been played under other rules, and names such rules if any are
/// found.
pub(super) fn explain(record: &Record, error: RecordError) -> RecordError {
    let refusal = record.play_through().err().map(|(_, refusal)| refusal);
    let by_rules = record.ending.is_some_and(|it| it.termination == Termination::Rules);
    if refusal.is_none() && !by_rules {
        return error; // All turns are legal, and the rules did not end the game, so the tags are wrong.
    }
    let hint = match fitting(record) {
        Some(change) => format!(": it is valid with {change}"),
        // The game has this move, but it is not legal in this position.
        None if matches!(refusal, Some(Refusal::Illegal { .. })) => String::new(),
        None => return error,
    };
    let cause = format!("{} (it may have been played under other rules{hint})", error.cause);
    RecordError { cause, ..error }
}

/// The smallest change to a single rule option that makes the whole record valid.
fn fitting(record: &Record) -> Option<String> {
    if record.turns.len() > MOST_TURNS {
        return None;
    }
    record.settings.iter().find_map(|(option, value)| {
        others(option, value).into_iter().map(|other| format!("{}={other}", option.name)).find(
            |change| {
                let settings = with(&record.settings, change);
                let other = settings.and_then(|settings| under(record, settings));
                other.is_some_and(|other| other.check(0).is_ok())
            },
        )
    })
}

/// The record with other rule options, if they allow the same starting position.
fn under(record: &Record, settings: Settings) -> Option<Record> {
    let record = record.clone();
    let Some(position) = &record.position else { return Some(Record { settings, ..record }) };
    let StartingPoint { first, position } =
        StartingPoint::at(record.entry, &settings, position).ok()?;
    Some(Record { settings, first, position, ..record })
}

/// The settings with one option changed, if the value is allowed.
fn with(settings: &Settings, change: &str) -> Option<Settings> {
    let mut settings = settings.clone();
    settings.set(change).ok().map(|_| settings)
}

/// The other values of an option; numbers are sorted by distance, nearest first.
fn others(option: &RuleOption, value: OptionValue) -> Vec<String> {
    match (&option.kind, value) {
        (&OptionKind::Number { min, max, .. }, OptionValue::Number(now)) => {
            let mut numbers: Vec<u8> = (min..=max).filter(|&number| number != now).collect();
            numbers.sort_by_key(|number| number.abs_diff(now));
            numbers.iter().map(u8::to_string).collect()
        }
        (OptionKind::Word(words), _) => words.iter().map(|(word, _)| (*word).to_owned()).collect(),
        (OptionKind::Number { .. }, OptionValue::Word(_)) => Vec::new(),
    }
}
