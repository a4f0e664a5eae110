//! Properties of every log.

use serde_json::{from_str, to_string};
use skirmish_room::{Logged, Room, RoomEvent};
use skirmish_rules::GAMES;

use crate::conversation::same_room;
use crate::simulation::log_of;

/// The number of simulated logs to check.
const LOGS: u64 = 60;

#[test]
fn every_prefix_of_a_log_folds_to_what_it_was_and_is_the_same_as_json() {
    for seed in 0..LOGS {
        let log = log_of(seed);
        let lines: Vec<String> =
            log.iter().map(|logged| to_string(logged).expect("an event is JSON")).collect();
        let read: Vec<Logged> =
            lines.iter().map(|line| from_str(line).expect("an event parses")).collect();
        assert_eq!(read, log, "seed {seed}");
        let mut room = Room::created(GAMES, &log[0]).expect("a log begins with a creation");
        for (count, logged) in log.iter().enumerate().skip(1) {
            room.apply(logged, Some(&mut Vec::new())).expect("the log folds");
            // Checking every prefix is slow; those around every seventh event suffice.
            if count % 7 == usize::try_from(seed % 7).expect("small") {
                let folded = Room::fold(GAMES, &read[..=count]).expect("a prefix folds");
                same_room(&room, &folded, logged.at + 1_234);
            }
        }
    }
}

/// The lobby entry, the record so far and the next deadline are also independent of the secret choice.
#[test]
fn rooms_that_differ_by_a_secret_look_the_same() {
    let mut compared = 0;
    for seed in 0..LOGS {
        let mut log = log_of(seed);
        for count in 1..log.len() {
            let RoomEvent::Chose { side, text, lag } = &log[count].event else { continue };
            let (side, text, lag) = (*side, text.clone(), *lag);
            let room = Room::fold(GAMES, &log[..=count]).expect("a prefix folds");
            let before = Room::fold(GAMES, &log[..count]).expect("a prefix folds");
            let table = before.table().expect("a game");
            if room.table().expect("a game").turns_played() > table.turns_played() {
                continue;
            }
            for choice in table.choices(side) {
                let other = RoomEvent::Chose { side, text: choice.notation, lag };
                let original = std::mem::replace(&mut log[count].event, other);
                let folded =
                    Room::fold(GAMES, &log[..=count]).expect("another choice is legal too");
                same_room(&room, &folded, log[count].at + 777);
                log[count].event = original;
                compared += 1;
            }
            assert_eq!(log[count].event, RoomEvent::Chose { side, text, lag });
        }
    }
    assert!(compared > 50, "{compared} secrets");
}

#[test]
fn a_damaged_log_is_refused_and_nothing_panics() {
    for seed in 0..LOGS {
        let log = log_of(seed);
        for index in 0..log.len() {
            let mut damaged = log.clone();
            damaged.remove(index);
            let _ = Room::fold(GAMES, &damaged);
            damaged = log[..=index].to_vec();
            damaged.push(log[(index * 7 + 3) % log.len()].clone());
            let _ = Room::fold(GAMES, &damaged);
        }
        assert!(Room::fold(GAMES, &[]).is_err());
        assert!(Room::fold(GAMES, &log[1..]).is_err(), "a log begins with a creation");
    }
}
