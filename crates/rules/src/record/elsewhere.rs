//! Whether a record that these rules do not allow belongs to others.

use super::{Record, RecordError, Termination};
use crate::settings::{OptionKind, OptionValue, RuleOption, Settings};
use crate::table::Refusal;

/// The longest record that is tried under other rules; a longer one would take a while.
const MOST_TURNS: usize = 1_000;

/// Adds to what is wrong with a record that it may belong to other rules, and to which, where one can tell.
pub(super) fn explain(record: &Record, error: RecordError) -> RecordError {
    let refusal = record.play_through().err().map(|(_, refusal)| refusal);
    let by_rules = record.ending.is_some_and(|it| it.termination == Termination::Rules);
    if refusal.is_none() && !by_rules {
        return error; // All its turns are legal, and it does not claim more: the tags are wrong.
    }
    let hint = match fitting(record) {
        Some(change) => format!(": it is right with {change}"),
        // The move exists in the game and is not legal where it stands.
        None if matches!(refusal, Some(Refusal::Illegal { .. })) => String::new(),
        None => return error,
    };
    let cause = format!("{} (the record may belong to other rules{hint})", error.cause);
    RecordError { cause, ..error }
}

/// The change of a single rule option, as small as possible, under which the whole record is right.
fn fitting(record: &Record) -> Option<String> {
    if record.turns.len() > MOST_TURNS {
        return None;
    }
    record.settings.iter().find_map(|(option, value)| {
        others(option, value).into_iter().map(|other| format!("{}={other}", option.name)).find(
            |change| {
                let settings = with(&record.settings, change);
                settings
                    .is_some_and(|settings| Record { settings, ..record.clone() }.check(0).is_ok())
            },
        )
    })
}

/// These settings with one of them changed, if that is possible.
fn with(settings: &Settings, change: &str) -> Option<Settings> {
    let mut settings = settings.clone();
    settings.set(change).ok().map(|_| settings)
}

/// What else an option could be: of numbers those that are near first.
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
