//! Rooms in lists, finished games, ratings and leaderboards.

use skirmish_room::FinishedGame;
use skirmish_room::wire::End;

use super::super::RoomStage;
use super::*;

on_both![
    lists_have_the_rooms_that_are_not_over,
    rooms_are_in_lists_as_soon_as_they_are_in_the_log,
    a_game_is_rated_once,
    games_that_do_not_count_leave_ratings_alone,
    a_history_has_the_newest_fifty_games,
    the_leaderboard_has_the_best_whose_ratings_are_certain,
    a_network_has_the_same_hash_on_all_handles_of_a_database_only,
];

/// Returns a finished game that Player 1 has won.
pub(super) fn finished(code: &str, number: u32, accounts: Both<Option<AccountId>>) -> FinishedGame {
    FinishedGame {
        code: code.to_owned(),
        number,
        game: GAME.to_owned(),
        names: Both::new("Ada".to_owned(), "Bob".to_owned()),
        accounts,
        end: End::read("1-0", "rules").expect("an end"),
        date: Some("2026.11.15".to_owned()),
        rated: true,
        aborted_by: Both::default(),
        at: 0,
        is_last: false,
    }
}

/// Adds rooms in which games can be finished.
pub(super) async fn add_rooms(storage: &Storage, codes: &[&str]) {
    for code in codes {
        append(storage, code, 0, room(code, 1, 2)).await.expect("appended");
    }
}

async fn lists_have_the_rooms_that_are_not_over(home: Home) {
    let storage = home.open();
    let open_room = RoomIndex {
        stage: RoomStage::Open,
        public: true,
        watchable: false,
        accounts: Both::new(None, Some(5)),
    };
    for code in ["ZZZZZZ", "AAAAAA", "MMMMMM"] {
        storage.index(code, open_room).await.expect("indexed");
    }
    let playing =
        RoomIndex { stage: RoomStage::Playing, accounts: Both::new(Some(6), Some(5)), ..open_room };
    storage.index("ZZZZZZ", playing).await.expect("indexed");
    storage.index("AAAAAA", RoomIndex { stage: RoomStage::Over, ..open_room }).await.expect("over");
    drop(storage);
    let storage = home.open();
    let expected = [("ZZZZZZ".to_owned(), playing), ("MMMMMM".to_owned(), open_room)];
    assert_eq!(unfinished(&storage).await, expected);
    assert_eq!(storage.rooms_of(5).await.expect("rooms"), ["ZZZZZZ", "MMMMMM"]);
    assert_eq!(storage.rooms_of(6).await.expect("rooms"), ["ZZZZZZ"]);
    assert!(storage.rooms_of(7).await.expect("rooms").is_empty());
}

async fn rooms_are_in_lists_as_soon_as_they_are_in_the_log(home: Home) {
    let storage = home.open();
    let mut events = room("ABCDEF", 5, 6).into_iter();
    let index = RoomIndex {
        stage: RoomStage::Open,
        public: false,
        watchable: true,
        accounts: Both::new(Some(5), None),
    };
    let mut add = async |after| {
        append(&storage, "ABCDEF", after, events.next().into_iter().collect())
            .await
            .expect("appended");
        let left = home.after_crash();
        let crashed = left.open();
        let rooms = unfinished(&crashed).await;
        rooms.into_iter().map(|(_, index)| index).collect::<Vec<_>>()
    };
    assert_eq!(add(0).await, [index]);
    let seated = RoomIndex { accounts: Both::new(Some(5), Some(6)), ..index };
    assert_eq!(add(1).await, [seated]);
    assert_eq!(add(2).await, [RoomIndex { stage: RoomStage::Playing, ..seated }]);
    // A refused append does not change the lists.
    let refused = append(&storage, "ABCDEF", 0, vec![logged(None, RoomEvent::Closed)]).await;
    assert!(matches!(refused, Err(StorageError::Conflict(_))), "{refused:?}");
    assert_eq!(storage.rooms_of(6).await.expect("rooms"), ["ABCDEF"]);
    append(&storage, "ABCDEF", 3, vec![logged(None, RoomEvent::Closed)]).await.expect("appended");
    assert!(unfinished(&storage).await.is_empty());
}

async fn a_game_is_rated_once(home: Home) {
    let storage = home.open();
    let (ada, bob) = (registered(&storage, "Ada").await.id, registered(&storage, "Bob").await.id);
    let accounts = Both::new(Some(ada), Some(bob));
    add_rooms(&storage, &["ABCDEF"]).await;
    assert_eq!(storage.rating(ada, GAME).await.expect("a rating"), None);
    for _ in 0..3 {
        storage.finish(finished("ABCDEF", 1, accounts)).await.expect("finished");
    }
    assert_eq!(storage.rating(ada, GAME).await.expect("a rating"), Some((1662, true)));
    assert_eq!(storage.rating(bob, GAME).await.expect("a rating"), Some((1338, true)));
    assert_eq!(storage.rating(ada, "command-clash").await.expect("a rating"), None);
    storage.finish(finished("ABCDEF", 2, accounts.swapped())).await.expect("finished");
    let history = storage.history(ada).await.expect("a history");
    assert_eq!(history.len(), 2);
    let newest = &history[0];
    assert_eq!((newest.number, newest.you, newest.end.result()), (2, 2, "1-0"));
    let shown = storage.rating(ada, GAME).await.expect("a rating");
    assert_eq!(newest.rating, shown.map(|(rating, _)| rating));
    assert!(newest.rating < history[1].rating, "{history:?}");
    assert_eq!((history[1].you, history[1].rating), (1, Some(1662)));
    assert_eq!(history[1].date.as_deref(), Some("2026.11.15"));
}

async fn games_that_do_not_count_leave_ratings_alone(home: Home) {
    let storage = home.open();
    let (ada, bob) = (registered(&storage, "Ada").await.id, registered(&storage, "Bob").await.id);
    let visitor = guest(&storage, "Guest").await.id;
    let both = Both::new(Some(ada), Some(bob));
    add_rooms(&storage, &["UNRATED", "ABORTED", "GUEST", "COMPUTER", "SELF"]).await;
    let aborted = End::ABORTED;
    for game in [
        FinishedGame { rated: false, ..finished("UNRATED", 1, both) },
        FinishedGame { end: aborted, ..finished("ABORTED", 1, both) },
        finished("GUEST", 1, Both::new(Some(ada), Some(visitor))),
        finished("COMPUTER", 1, Both::new(Some(ada), None)),
        finished("SELF", 1, Both::new(Some(ada), Some(ada))),
    ] {
        let code = game.code.clone();
        storage.finish(game).await.expect("finished");
        assert_eq!(storage.rating(ada, GAME).await.expect("a rating"), None, "{code}");
        assert_eq!(storage.rating(bob, GAME).await.expect("a rating"), None, "{code}");
    }
    let history = storage.history(ada).await.expect("a history");
    assert!(history.iter().all(|game| game.rating.is_none()), "{history:?}");
    let codes: Vec<_> = history.iter().map(|game| &*game.code).collect();
    assert_eq!(codes, ["SELF", "COMPUTER", "GUEST", "ABORTED", "UNRATED"]);
}

async fn a_history_has_the_newest_fifty_games(home: Home) {
    let storage = home.open();
    add_rooms(&storage, &["ABCDEF"]).await;
    for number in 1..=120 {
        let seats = Both::new(Some(1), Some(2));
        let accounts = if number % 3 == 0 { seats.swapped() } else { seats };
        storage.finish(finished("ABCDEF", number, accounts)).await.expect("finished");
    }
    let history = storage.history(1).await.expect("a history");
    let numbers: Vec<_> = history.iter().map(|game| game.number).collect();
    assert_eq!(numbers, (71..=120).rev().collect::<Vec<_>>());
    assert!(history.iter().all(|game| (game.you == 2) == (game.number % 3 == 0)));
}

async fn the_leaderboard_has_the_best_whose_ratings_are_certain(home: Home) {
    let storage = home.open();
    add_rooms(&storage, &["ABCDEF", "NEWONE"]).await;
    let mut players = Vec::new();
    for number in 0..23 {
        players.push(registered(&storage, &format!("Player {number}")).await.id);
    }
    // Everybody plays the next twenty players, and the one with the lower number wins.
    let mut number = 0;
    for round in 1..=20 {
        for index in 0..players.len() {
            let other = (index + round) % players.len();
            let (winner, loser) = (index.min(other), index.max(other));
            let accounts = Both::new(Some(players[winner]), Some(players[loser]));
            number += 1;
            storage.finish(finished("ABCDEF", number, accounts)).await.expect("finished");
        }
    }
    let newcomer = registered(&storage, "Newcomer").await.id;
    let accounts = Both::new(Some(newcomer), Some(players[0]));
    storage.finish(finished("NEWONE", 1, accounts)).await.expect("finished");

    let leaders = storage.leaders(GAME).await.expect("leaders");
    assert_eq!(leaders.len(), 20);
    assert!(leaders.is_sorted_by(|one, two| one.rating >= two.rating), "{leaders:?}");
    assert!(leaders.iter().all(|leader| leader.deviation <= 150 && leader.games >= 40));
    assert!(leaders.iter().all(|leader| leader.name != "Newcomer"), "provisional");
    let shown = storage.rating(players[0], GAME).await.expect("a rating");
    let first = leaders.iter().find(|leader| leader.name == "Player 0").expect("a leader");
    assert_eq!((Some((first.rating, false)), first.games), (shown, 41));
    assert!(storage.leaders("command-clash").await.expect("leaders").is_empty());
    // However often somebody beats the same few opponents, the rating stays provisional.
    let clique = registered(&storage, "Clique").await.id;
    for opponent in (0..4).cycle().take(40) {
        number += 1;
        let accounts = Both::new(Some(clique), Some(players[opponent]));
        storage.finish(finished("ABCDEF", number, accounts)).await.expect("finished");
    }
    let leaders = storage.leaders(GAME).await.expect("leaders");
    assert!(leaders.iter().all(|leader| leader.name != "Clique"), "{leaders:?}");
    let shown = storage.rating(clique, GAME).await.expect("a rating");
    assert!(shown.is_some_and(|(rating, provisional)| rating > 1800 && provisional), "{shown:?}");
}

async fn a_network_has_the_same_hash_on_all_handles_of_a_database_only(home: Home) {
    let [one, two] = ["192.0.2.1", "192.0.2.2"].map(|text| text.parse().expect("an address"));
    let storage = home.open();
    let hash = storage.network_hash(one);
    assert_ne!(hash, storage.network_hash(two));
    drop(storage);
    assert_eq!(hash, home.open().network_hash(one));
    let folder = tempfile::tempdir().expect("a temporary folder");
    let other = Storage::open(folder.path()).expect("the database opens");
    assert_ne!(hash, other.network_hash(one), "nobody can look up the hashes of addresses");
}
