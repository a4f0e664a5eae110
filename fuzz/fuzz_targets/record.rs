//! Treats arbitrary bytes as a record: any accepted record can be printed, parses again to the same text, and can be
//! replayed.

#![no_main]

use libfuzzer_sys::fuzz_target;
use skirmish_rules::{GAMES, Record};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let record = match Record::parse(text, GAMES) {
        Ok(record) => record,
        Err(error) => {
            let lines = text.lines().count().max(1);
            assert!((1..=lines).contains(&error.line), "{error}: there are {lines} lines");
            assert!(
                !error.cause.contains(char::is_control),
                "{error:?} repeats control characters"
            );
            return;
        }
    };

    let printed = record.to_string();
    let again = Record::parse(&printed, GAMES)
        .unwrap_or_else(|error| panic!("{error}, of what was printed:\n{printed}"));
    assert_eq!(again.to_string(), printed);
    assert_eq!((again.ending, again.standing), (record.ending, record.standing));
    assert_eq!((again.first, &again.position), (record.first, &record.position));
    assert_eq!((again.seed, again.turn_limit), (record.seed, record.turn_limit));

    let table = record.replay().expect("an accepted record has legal turns");
    let turns: Vec<&str> = record.turns.iter().map(|turn| turn.notation.as_str()).collect();
    assert_eq!(table.history(), turns);

    // A table's own record states where its game started and which turns were played.
    let of_table = Record::of(&*table);
    assert_eq!((of_table.first, of_table.position), (record.first, record.position));
});
