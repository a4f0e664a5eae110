//! People who seek a game find each other, wherever they are connected.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use skirmish_room::{SideWish, TimeControl};

use super::super::postgres::Address;
use super::super::schema::Empty;
use super::super::{Sought, rooms, schema};
use super::home::Schema;
use super::*;

on_both![
    a_seeker_gets_a_room_on_the_same_terms_once,
    two_seekers_cannot_both_be_player_1,
    whoever_has_waited_longest_is_found_first,
    a_room_whose_creator_is_away_is_not_found,
    a_room_that_is_taken_is_not_found,
    seekers_at_the_same_moment_make_pairs,
    copies_of_a_message_at_the_same_moment_create_one_room,
    the_limit_of_rooms_also_holds_for_messages_at_the_same_moment,
];

/// The maximum number of an account's unfinished rooms.
const MOST: usize = 50;

fn terms() -> Terms {
    Terms { public: true, ..Terms::new(GAMES.find(GAME).expect("a game")) }
}

fn creation(code: &str, account: AccountId, terms: &Terms) -> Append {
    let created = RoomEvent::Created {
        code: code.to_owned(),
        terms: Box::new(terms.clone()),
        creator: person(account),
        seed: 7,
        date: None,
    };
    let events = vec![logged(None, created)];
    Append { code: code.to_owned(), after: 0, events, finished: None }
}

/// Returns the creation of a room by a message of this account.
fn sent_creation(code: &str, account: AccountId, id: u64, terms: &Terms) -> Append {
    let mut create = creation(code, account, terms);
    create.events[0].by = Some(Origin { account, id: MessageId::Number(id) });
    create
}

/// Seeks a game at a given time. `code` is for the room created if none is found.
async fn seek_at(
    storage: &Storage,
    code: &str,
    account: AccountId,
    terms: &Terms,
    now: u64,
) -> Sought {
    let create = creation(code, account, terms);
    storage.seek(terms, account, now, create, None, MOST).await.expect("an answer")
}

async fn seek(storage: &Storage, code: &str, account: AccountId, terms: &Terms) -> Sought {
    seek_at(storage, code, account, terms, NOW).await
}

fn created(code: &str) -> Sought {
    Sought::Created(code.to_owned())
}

fn found(code: &str) -> Sought {
    Sought::Found(code.to_owned())
}

async fn a_seeker_gets_a_room_on_the_same_terms_once(home: Home) {
    let storage = home.open();
    let fast = Terms { clock: TimeControl::Game { seconds: 60, increment: 0 }, ..terms() };
    assert_eq!(seek(&storage, "FASTXX", 1, &fast).await, created("FASTXX"));
    assert_eq!(seek(&storage, "SLOWXX", 2, &terms()).await, created("SLOWXX"), "the clocks differ");
    // A seeker does not care whether others may watch.
    let unwatched = Terms { spectators: false, ..fast.clone() };
    assert_eq!(seek(&storage, "SECOND", 2, &unwatched).await, found("FASTXX"));
    assert_eq!(seek(&storage, "THREEX", 3, &fast).await, created("THREEX"), "it is taken");
    assert_eq!(seek(&storage, "MINEXX", 3, &fast).await, created("MINEXX"), "it is one's own");
    // The player who found the room has not joined.
    assert_eq!(seek_at(&storage, "FOURXX", 4, &fast, NOW + 10_000).await, found("FASTXX"));
    let private = Terms { public: false, ..terms() };
    let refused = storage.seek(&private, 1, NOW, creation("ABCDEF", 1, &private), None, MOST).await;
    assert!(matches!(refused, Err(StorageError::Damaged(_))), "{refused:?}");
}

async fn two_seekers_cannot_both_be_player_1(home: Home) {
    let storage = home.open();
    let seat = |seat| Terms { seat, ..terms() };
    assert_eq!(seek(&storage, "FIRSTX", 1, &seat(SideWish::P1)).await, created("FIRSTX"));
    assert_eq!(seek(&storage, "SECOND", 2, &seat(SideWish::P1)).await, created("SECOND"));
    assert_eq!(seek(&storage, "THIRDX", 3, &seat(SideWish::P2)).await, found("FIRSTX"));
    assert_eq!(seek(&storage, "FOURTH", 4, &seat(SideWish::Toss)).await, found("SECOND"));
    assert_eq!(seek(&storage, "FIFTHX", 5, &seat(SideWish::Toss)).await, created("FIFTHX"));
    // The toss might give the creator the seat that the seeker wants.
    assert_eq!(seek(&storage, "SIXTHX", 6, &seat(SideWish::P2)).await, created("SIXTHX"));
}

async fn whoever_has_waited_longest_is_found_first(home: Home) {
    let storage = home.open();
    for (code, account) in [("ZZZZZZ", 1), ("AAAAAA", 2), ("MMMMMM", 3)] {
        storage.append(creation(code, account, &terms()), None).await.expect("appended");
    }
    assert_eq!(seek(&storage, "SEEKER", 1, &terms()).await, found("AAAAAA"));
    assert_eq!(seek(&storage, "SEEKER", 4, &terms()).await, found("ZZZZZZ"));
    assert_eq!(seek(&storage, "SEEKER", 5, &terms()).await, found("MMMMMM"));
    assert_eq!(seek(&storage, "SEEKER", 6, &terms()).await, created("SEEKER"));
}

async fn a_room_whose_creator_is_away_is_not_found(home: Home) {
    let storage = home.open();
    storage.append(creation("ABCDEF", 1, &terms()), None).await.expect("appended");
    storage.offer("ABCDEF", false).await.expect("noted");
    assert_eq!(seek(&storage, "SECOND", 2, &terms()).await, created("SECOND"));
    storage.offer("ABCDEF", true).await.expect("noted");
    assert_eq!(seek(&storage, "THIRDX", 3, &terms()).await, found("ABCDEF"));
    let private = Terms { public: false, ..terms() };
    storage.append(creation("SECRET", 4, &private), None).await.expect("appended");
    storage.offer("SECRET", true).await.expect("noted");
    assert_eq!(seek(&storage, "FIFTHX", 5, &terms()).await, found("SECOND"));
    assert_eq!(seek(&storage, "SIXTHX", 6, &terms()).await, created("SIXTHX"));
}

async fn a_room_that_is_taken_is_not_found(home: Home) {
    let storage = home.open();
    storage.append(creation("ABCDEF", 1, &terms()), None).await.expect("appended");
    let seated = room("ABCDEF", 1, 2).split_off(1);
    append(&storage, "ABCDEF", 1, seated).await.expect("appended");
    assert_eq!(seek(&storage, "THIRDX", 3, &terms()).await, created("THIRDX"));
    append(&storage, "THIRDX", 1, vec![logged(None, RoomEvent::Closed)]).await.expect("closed");
    assert_eq!(seek(&storage, "FOURTH", 4, &terms()).await, created("FOURTH"));
}

async fn seekers_at_the_same_moment_make_pairs(home: Home) {
    const SEEKERS: i64 = 40;
    let storage = home.open();
    let other = home.share(&storage);
    let seekers: Vec<_> = (0..SEEKERS)
        .map(|account| {
            let storage = if account % 2 == 0 { storage.clone() } else { other.clone() };
            tokio::spawn(async move {
                seek(&storage, &format!("ROOM{account}"), account, &terms()).await
            })
        })
        .collect();
    let (mut created, mut codes) = (0, BTreeSet::new());
    for seeker in seekers {
        match seeker.await.expect("no panic") {
            Sought::Created(_) => created += 1,
            Sought::Found(code) => assert!(codes.insert(code), "a room was found twice"),
            Sought::Known(_) | Sought::AtLimit => unreachable!("the messages have no id"),
        }
    }
    assert_eq!((created, codes.len()), (SEEKERS / 2, 20));
}

async fn copies_of_a_message_at_the_same_moment_create_one_room(home: Home) {
    let storage = home.open();
    let other = home.share(&storage);
    let ann = guest(&storage, "Ann").await.id;
    for (round, seeking) in (0..20).zip([false, true].into_iter().cycle()) {
        let copies = [&storage, &other].into_iter().zip(["ONE", "TWO"]);
        let answers = copies.map(async |(storage, name)| {
            let code = format!("{name}{round}");
            let create = sent_creation(&code, ann, round, &terms());
            let answer = if seeking {
                storage.seek(&terms(), ann, NOW, create, None, MOST).await
            } else {
                storage.create(create, None, MOST).await
            };
            answer.expect("an answer")
        });
        let answers = join_all(answers).await;
        let is_once = match &answers[..] {
            [Sought::Created(new), Sought::Known(code)]
            | [Sought::Known(code), Sought::Created(new)] => new == code,
            _ => false,
        };
        assert!(is_once, "round {round}: {answers:?}");
    }
}

async fn the_limit_of_rooms_also_holds_for_messages_at_the_same_moment(home: Home) {
    const REQUESTS: u64 = 20;
    let storage = home.open();
    let other = home.share(&storage);
    for round in 0..5 {
        let ann = guest(&storage, "Ann").await.id;
        let answers = (0..REQUESTS).map(async |number| {
            let storage = if number % 2 == 0 { &storage } else { &other };
            let create = sent_creation(&format!("R{round}N{number}"), ann, number, &terms());
            storage.create(create, None, 7).await.expect("an answer")
        });
        let answers = join_all(answers).await;
        let is_created = |answer: &Sought| matches!(answer, Sought::Created(_));
        let created = answers.iter().filter(|answer| is_created(answer)).count();
        let refused = answers.iter().filter(|answer| **answer == Sought::AtLimit).count();
        assert_eq!((created, refused), (7, 13), "round {round}");
        // A copy of a message that was carried out still gets its first answer.
        let carried_out = answers.iter().position(is_created);
        let number = carried_out.expect("at least one") as u64;
        let copy = sent_creation("COPY", ann, number, &terms());
        let answer = storage.create(copy, None, 7).await.expect("an answer");
        assert_eq!(answer, Sought::Known(format!("R{round}N{number}")));
    }
}

/// A server prepares statements while its database is new, and `PostgreSQL` keeps the plans when there are many games.
#[tokio::test]
async fn a_plan_for_an_empty_database_reads_few_events_when_there_are_many() {
    let Some(home) = Schema::create() else { return };
    let address = Address::parse(&home.url()).expect("an address");
    let backend = schema::prepare(&address, Empty::Fill).await.expect("tables");
    let led_to = async || rooms::room_of_message(&backend, 1, "7", true).await.expect("read").0;
    backend.batch("SET plan_cache_mode = force_generic_plan").await.expect("a setting");
    assert_eq!(led_to().await, None);
    let fill = "INSERT INTO room (code, stage, public, watchable, account_1)
            SELECT 'ROOM' || i, 'playing', true, true, i FROM generate_series(1, 1000) AS i;
        INSERT INTO event (room, seq, body, account, message)
            SELECT i, 1, '{}', i, '7' FROM generate_series(1, 1000) AS i;
        BEGIN";
    backend.batch(fill).await.expect("valid SQL");
    assert_eq!(led_to().await.as_deref(), Some("ROOM1"));
    let sql = "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_xact_user_tables
               WHERE relid = 'event'::regclass";
    let read: Option<i64> = backend.first(sql, vec![]).await.expect("a count");
    assert!(read.is_some_and(|read| read < 10), "{read:?}");
}
