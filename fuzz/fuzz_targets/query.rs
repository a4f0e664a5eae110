//! Treats arbitrary text as a query: any accepted query can be printed, and parses again to the same query; errors
//! point into the text.

#![no_main]

use libfuzzer_sys::fuzz_target;
use skirmish_play::query::{Query, Vocabulary};
use skirmish_rules::GAMES;

fuzz_target!(|text: &str| {
    for entry in GAMES.iter() {
        let table = entry.open(entry.setup()).expect("the default setup is valid");
        let vocabulary = Vocabulary::of(entry, &table.scene());
        match Query::parse(text, &vocabulary) {
            Ok(query) => {
                let printed = query.to_string();
                assert_eq!(Query::parse(&printed, &vocabulary), Ok(query), "{printed}");
            }
            Err(error) => {
                assert!(text.contains(error.wrong()));
                let told = error.to_string();
                assert_eq!(told.lines().count(), 3, "{told}");
                assert!(!told.replace('\n', "").contains(char::is_control), "{told:?}");
            }
        }
    }
});
