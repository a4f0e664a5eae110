//! Nodes that share a database: heartbeats, outages, and appends that race.

use futures_util::future::join_all;
use skirmish_room::{FinishedGame, NodeId, Outage};

use super::super::nodes::last_beat;
use super::super::{Alive, Beat, GAP, Guard, RoomStage};
use super::games::finished;
use super::*;

on_both![
    only_a_node_with_a_fresh_heartbeat_appends,
    only_a_node_that_knows_the_newest_outage_appends,
    the_first_heartbeat_after_a_gap_stores_one_outage,
    there_is_no_outage_while_one_node_writes_heartbeats,
    whoever_joins_after_a_crash_stores_the_outage,
    whoever_joins_after_the_last_node_has_left_stores_the_outage,
    a_node_that_has_left_neither_comes_back_nor_appends,
    a_node_that_was_forgotten_comes_back_under_its_number,
    nodes_that_have_been_dead_for_an_hour_are_forgotten,
    one_of_two_appends_at_the_same_version_wins,
    a_result_is_stored_with_the_event_that_ends_the_game_or_not_at_all,
    rooms_are_listed_when_something_is_due,
    rooms_that_are_not_over_are_listed_a_few_at_a_time,
    events_after_a_version_are_read_without_those_before,
];

/// A node, and the answer to its last heartbeat.
struct Node {
    storage: Storage,
    id: NodeId,
    outage: Outage,
}

impl Node {
    async fn join(storage: &Storage) -> Self {
        let now = storage.now().await.expect("a time");
        let id = storage.join("node", now).await.expect("a node");
        let mut node = Self { storage: storage.clone(), id, outage: Outage::default() };
        node.beat().await;
        node
    }

    async fn beat(&mut self) -> Beat {
        let now = self.storage.now().await.expect("a time");
        let beat = self.storage.beat(self.id, "node", now).await.expect("a heartbeat");
        self.outage = beat.outage;
        beat
    }

    /// Appends to a room, with the node's guard.
    async fn append_as(&self, append: Append) -> Result<(), StorageError> {
        let now = self.storage.now().await.expect("a time");
        let guard = Some(Guard { node: self.id, outage: self.outage.id, now });
        self.storage.append(append, guard).await
    }

    async fn append(&self, after: u64, events: Vec<Logged>) -> Result<(), StorageError> {
        self.append_as(appending("ABCDEF", after, events)).await
    }
}

fn appending(code: &str, after: u64, events: Vec<Logged>) -> Append {
    Append { code: code.to_owned(), after, events, finished: None }
}

/// Makes all heartbeats older by this many milliseconds.
fn age(home: &Home, millis: u64) {
    home.execute(&format!("UPDATE node SET beat = beat - {millis}"));
}

/// Returns all outages, oldest first.
async fn outages(storage: &Storage) -> Vec<Outage> {
    let job = async |backend: &Backend| {
        let sql = "SELECT id, began, ended FROM outage ORDER BY id";
        backend.query::<Outage>(sql, vec![]).await
    };
    storage.read(job).await.expect("outages")
}

async fn version(storage: &Storage) -> u64 {
    storage.version("ABCDEF").await.expect("a version")
}

async fn only_a_node_with_a_fresh_heartbeat_appends(home: Home) {
    let storage = home.open();
    let mut node = Node::join(&storage).await;
    node.append(0, room("ABCDEF", 1, 2)).await.expect("appended");
    node.append(3, vec![chose(1, 1)]).await.expect("appended");
    age(&home, GAP + 1);
    let closed = vec![logged(None, RoomEvent::Closed)];
    for append in [
        appending("ABCDEF", 4, vec![chose(1, 2)]),
        appending("ABCDEF", 4, vec![chose(1, 2), chose(1, 3)]),
        appending("ABCDEF", 4, closed),
        appending("GHIJKL", 0, room("GHIJKL", 1, 2)),
        // This append would also be a conflict.
        appending("ABCDEF", 3, vec![chose(1, 2)]),
    ] {
        let refused = node.append_as(append).await;
        assert!(matches!(refused, Err(StorageError::Stale)), "{refused:?}");
    }
    assert_eq!(version(&storage).await, 4);
    assert!(!storage.exists("GHIJKL").await.expect("read"));
    node.beat().await;
    node.append(4, vec![chose(1, 2)]).await.expect("appended");
    let late = node.append(4, vec![chose(1, 3)]).await;
    assert!(matches!(late, Err(StorageError::Conflict(4))), "{late:?}");
    let meter = storage.meter();
    assert_eq!((meter.stale.get(), meter.conflicts.get()), (5, 1));
}

async fn only_a_node_that_knows_the_newest_outage_appends(home: Home) {
    let storage = home.open();
    let mut one = Node::join(&storage).await;
    one.append(0, room("ABCDEF", 1, 2)).await.expect("appended");
    age(&home, 60_000);
    let before = one.outage;
    let after = one.beat().await.outage;
    assert_eq!(after.id, before.id + 1);
    let unaware = Node { storage: storage.clone(), id: one.id, outage: before };
    for append in
        [appending("ABCDEF", 3, vec![chose(1, 1)]), appending("GHIJKL", 0, room("GHIJKL", 1, 2))]
    {
        let refused = unaware.append_as(append).await;
        assert!(matches!(refused, Err(StorageError::Stale)), "{refused:?}");
    }
    one.append(3, vec![chose(1, 1)]).await.expect("appended");
}

async fn the_first_heartbeat_after_a_gap_stores_one_outage(home: Home) {
    let storage = home.open();
    let shared = home.share(&storage);
    for round in 0..5 {
        let mut nodes = Vec::new();
        for storage in [&storage, &shared, &storage, &shared] {
            nodes.push(Node::join(storage).await);
        }
        let stored = outages(&storage).await;
        age(&home, 5000);
        let last = nodes[0].storage.read(last_beat).await.expect("a time");
        let beats = join_all(nodes.iter_mut().map(Node::beat)).await;
        let all = outages(&storage).await;
        assert_eq!(all.len(), stored.len() + 1, "round {round}");
        let newest = all.last().expect("an outage");
        assert_eq!(newest.began, last);
        for beat in beats {
            assert_eq!(beat.outage, *newest);
            assert!(beat.before <= last && beat.before + 5000 <= beat.now, "{beat:?}");
            assert!(newest.ended >= newest.began + 5000, "{newest:?}");
        }
    }
}

async fn there_is_no_outage_while_one_node_writes_heartbeats(home: Home) {
    let storage = home.open();
    let (mut one, mut two) = (Node::join(&storage).await, Node::join(&storage).await);
    let stored = outages(&storage).await;
    home.execute(&format!("UPDATE node SET beat = beat - 30000 WHERE id = {}", one.id));
    let beat = two.beat().await;
    let ids: Vec<_> = beat.nodes.iter().map(|node| node.id).collect();
    assert_eq!(ids, [one.id, two.id]);
    assert_eq!(beat.nodes[1], Alive { id: two.id, name: "node".to_owned(), beat: beat.now });
    assert!(beat.nodes[0].beat + 20_000 < beat.now);
    let names = storage.nodes().await.expect("nodes");
    assert_eq!(names, [(two.id, "node".to_owned())]);
    let back = one.beat().await;
    assert!(back.before + 20_000 < back.now, "{back:?}");
    assert_eq!(outages(&storage).await, stored);
    home.execute(&format!("UPDATE node SET beat = beat - 90000 WHERE id = {}", one.id));
    assert_eq!(two.beat().await.nodes.len(), 1);
}

async fn whoever_joins_after_a_crash_stores_the_outage(home: Home) {
    let storage = home.open();
    let mut one = Node::join(&storage).await;
    assert_eq!(one.outage, Outage::default(), "nobody was there before");
    let last = one.beat().await.now;
    drop((one, storage));
    let left = home.after_crash();
    age(&left, 10_000);
    let storage = left.open();
    if matches!(left, Home::Folder(_)) {
        assert_eq!(storage.newest(), last - 10_000);
    }
    let two = Node::join(&storage).await;
    let Outage { id, began, ended } = two.outage;
    assert_eq!((id, began), (1, last - 10_000));
    assert!(ended >= last, "{:?}", two.outage);
    assert_eq!(outages(&storage).await, [two.outage]);
    // A node that joins others finds them alive. With a data folder, there are no others.
    if matches!(left, Home::Schema(_)) {
        assert_eq!(Node::join(&storage).await.outage, two.outage);
    }
}

async fn whoever_joins_after_the_last_node_has_left_stores_the_outage(home: Home) {
    let storage = home.open();
    let (mut one, two) = (Node::join(&storage).await, Node::join(&storage).await);
    storage.leave(two.id).await.expect("left");
    let last = one.beat().await.now;
    storage.leave(one.id).await.expect("left");
    let three = Node::join(&storage).await;
    assert_eq!(three.outage.began, last, "however short it was");
    assert_eq!(three.outage.id, two.outage.id + 1);
}

async fn a_node_that_has_left_neither_comes_back_nor_appends(home: Home) {
    let storage = home.open();
    for _ in 0..10 {
        let now = storage.now().await.expect("a time");
        let node = storage.join("one", now).await.expect("a node");
        let beats = || join_all((0..4).map(|_| storage.beat(node, "one", now)));
        let (before, left, after) = tokio::join!(beats(), storage.leave(node), beats());
        left.expect("left");
        for beat in before.into_iter().chain(after) {
            assert!(matches!(beat, Ok(_) | Err(StorageError::Stale)), "{beat:?}");
        }
        assert!(matches!(storage.beat(node, "one", now).await, Err(StorageError::Stale)));
        assert!(storage.nodes().await.expect("nodes").is_empty());
        let outage = outages(&storage).await.last().map_or(0, |outage| outage.id);
        let guard = Some(Guard { node, outage, now });
        let append = appending("ABCDEF", 0, room("ABCDEF", 1, 2));
        assert!(matches!(storage.append(append, guard).await, Err(StorageError::Stale)));
    }
}

async fn a_node_that_was_forgotten_comes_back_under_its_number(home: Home) {
    let storage = home.open();
    let mut one = Node::join(&storage).await;
    let two = Node::join(&storage).await;
    home.execute(&format!("DELETE FROM node WHERE id IN ({}, {})", one.id, two.id));
    let beat = one.beat().await;
    assert_eq!(beat.before, 0);
    assert_eq!(storage.nodes().await.expect("nodes"), [(one.id, "node".to_owned())]);
    assert!(Node::join(&storage).await.id > two.id, "numbers are not used twice");
}

async fn nodes_that_have_been_dead_for_an_hour_are_forgotten(home: Home) {
    let storage = home.open();
    Node::join(&storage).await;
    let mut two = Node::join(&storage).await;
    age(&home, 3_700_000);
    let last = two.storage.read(last_beat).await.expect("a time");
    let three = Node::join(&storage).await;
    assert_eq!(three.outage.began, last);
    let count =
        async |backend: &Backend| backend.first::<u64>("SELECT count(*) FROM node", vec![]).await;
    assert_eq!(storage.read(count).await.expect("read"), Some(1));
    assert_eq!(two.beat().await.before, 0);
}

async fn one_of_two_appends_at_the_same_version_wins(home: Home) {
    let storage = home.open();
    let shared = home.share(&storage);
    Node::join(&storage).await;
    let (mut one, two) = (Node::join(&storage).await, Node::join(&shared).await);
    one.beat().await;
    one.append(0, room("ABCDEF", 1, 2)).await.expect("appended");
    let mut log = Vec::new();
    for after in 3..60 {
        let events = [vec![chose(1, after)], vec![chose(2, after)]];
        let [first, second] = events.clone();
        let results = tokio::join!(one.append(after, first), two.append(after, second));
        let winner = match &results {
            (Ok(()), Err(StorageError::Conflict(at))) if *at == after => 0,
            (Err(StorageError::Conflict(at)), Ok(())) if *at == after => 1,
            _ => panic!("{results:?}"),
        };
        log.extend(events[winner].clone());
    }
    assert_eq!(storage.log_after("ABCDEF", 3).await.expect("a log"), log);
}

async fn a_result_is_stored_with_the_event_that_ends_the_game_or_not_at_all(home: Home) {
    let storage = home.open();
    let (ada, bob) = (registered(&storage, "Ada").await.id, registered(&storage, "Bob").await.id);
    let mut node = Node::join(&storage).await;
    node.append(0, room("ABCDEF", ada, bob)).await.expect("appended");
    let resigned = vec![logged(Some((bob, 1)), RoomEvent::Resigned { side: Side::Two })];
    let game =
        FinishedGame { is_last: true, ..finished("ABCDEF", 1, Both::new(Some(ada), Some(bob))) };
    let ending = |after| Append {
        finished: Some(game.clone()),
        ..appending("ABCDEF", after, resigned.clone())
    };
    let results = async || {
        let games = storage.history(ada).await.expect("games").len();
        let rating = storage.rating(ada, GAME).await.expect("a rating").map(|(rating, _)| rating);
        (games, rating, version(&storage).await)
    };
    let late = node.append_as(ending(2)).await;
    assert!(matches!(late, Err(StorageError::Conflict(_))), "{late:?}");
    age(&home, GAP + 1);
    let stale = node.append_as(ending(3)).await;
    assert!(matches!(stale, Err(StorageError::Stale)), "{stale:?}");
    node.beat().await;
    home.execute("ALTER TABLE rating RENAME TO elsewhere");
    node.append_as(ending(3)).await.expect_err("it cannot be rated");
    home.execute("ALTER TABLE elsewhere RENAME TO rating");
    assert_eq!(results().await, (0, None, 3));
    node.append_as(ending(3)).await.expect("appended");
    assert_eq!(results().await, (1, Some(1662), 4));
    assert_eq!(storage.stage("ABCDEF").await.expect("read"), Some(RoomStage::Over));
    storage.finish(game).await.expect("it was stored before");
    assert_eq!(results().await, (1, Some(1662), 4));
}

async fn rooms_are_listed_when_something_is_due(home: Home) {
    let storage = home.open();
    for (code, due) in
        [("ABCDEF", Some(30)), ("GHIJKL", Some(20)), ("MNOPQR", None), ("OVERXX", Some(1))]
    {
        append(&storage, code, 0, room(code, 1, 2)).await.expect("appended");
        storage.note_due(code, due).await.expect("noted");
    }
    append(&storage, "OVERXX", 3, vec![logged(None, RoomEvent::Closed)]).await.expect("closed");
    let due = async |now| storage.due(now).await.expect("rooms");
    assert!(due(19).await.is_empty());
    assert_eq!(due(20).await, ["GHIJKL"]);
    assert_eq!(due(99).await, ["GHIJKL", "ABCDEF"]);
    storage.note_due("GHIJKL", Some(40)).await.expect("noted");
    storage.note_due("ABCDEF", None).await.expect("noted");
    assert_eq!(due(99).await, ["GHIJKL"]);
}

async fn rooms_that_are_not_over_are_listed_a_few_at_a_time(home: Home) {
    let storage = home.open();
    let codes: Vec<_> = (0..250).map(|number| format!("ROOM{number:03}")).collect();
    let created = |code| append(&storage, code, 0, room(code, 1, 2).split_off(2));
    join_all(codes.iter().map(|code| created(code))).await.into_iter().for_each(|result| {
        result.expect("appended");
    });
    append(&storage, "ROOM007", 1, vec![logged(None, RoomEvent::Closed)]).await.expect("closed");
    let (mut found, mut after) = (Vec::new(), 0);
    loop {
        let rooms = storage.unfinished_after(after).await.expect("rooms");
        assert!(rooms.len() <= 200 && rooms.is_sorted());
        let Some((last, _)) = rooms.last() else { break };
        after = *last;
        found.extend(rooms.into_iter().map(|(_, code)| code));
    }
    found.sort_unstable();
    assert_eq!(found.len(), 249);
    assert!(!found.contains(&"ROOM007".to_owned()));
}

async fn events_after_a_version_are_read_without_those_before(home: Home) {
    let storage = home.open();
    assert_eq!(version(&storage).await, 0);
    let ada = registered(&storage, "Ada").await;
    let guest = guest(&storage, "Guest").await;
    append(&storage, "ABCDEF", 0, room("ABCDEF", ada.id, guest.id)).await.expect("appended");
    append(&storage, "ABCDEF", 3, vec![chose(guest.id, 1)]).await.expect("appended");
    assert_eq!(version(&storage).await, 4);
    let after = async |version| storage.log_after("ABCDEF", version).await.expect("a log");
    assert_eq!(after(3).await, [chose(guest.id, 1)]);
    assert_eq!(after(4).await, []);
    // By then, the guest was merged into another account.
    let bob = registered(&storage, "Bob").await;
    let code = Secret::link();
    storage.create_link(bob.id, &code, NOW).await.expect("a code");
    storage.redeem(&code, &Secret::token(), Some(guest.id), NOW).await.expect("redeemed");
    assert_eq!(after(3).await, [chose(bob.id, 1)]);
    assert_eq!(after(1).await, storage.log("ABCDEF").await.expect("a log")[1..]);
}
