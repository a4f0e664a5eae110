//! Nodes that share a database: leases, takeovers and races.

use futures_util::future::join_all;
use skirmish_room::{Acquired, Lease, NodeId, Stopped};

use super::*;
use crate::metrics::Counter;

on_both![
    a_room_has_one_owner,
    the_rooms_of_a_node_that_is_gone_can_be_taken_over,
    a_node_that_leaves_gives_up_its_rooms,
    a_room_that_is_over_is_free_when_its_node_has_left,
    a_node_that_was_forgotten_comes_back_under_its_number,
    a_dead_node_is_forgotten_when_its_games_are_over,
    a_heartbeat_does_not_bring_back_a_node_that_leaves,
    a_room_that_a_node_has_got_back_is_not_lost,
    what_a_node_has_lost_that_does_not_come_back_is_forgotten,
    the_rooms_of_a_node_are_listed_a_few_at_a_time,
    a_room_of_a_server_alone_can_be_leased_later,
    events_after_a_version_are_read_without_those_before,
    two_owners_never_write_at_the_same_time,
];

async fn append_as(
    storage: &Storage,
    lease: Lease,
    after: u64,
    events: Vec<Logged>,
) -> Result<(), StorageError> {
    let append = Append { code: "ABCDEF".to_owned(), after, lease: Some(lease), events };
    storage.append(append).await
}

async fn acquire(storage: &Storage, node: NodeId, force: bool) -> Acquired {
    storage.acquire("ABCDEF", node, force).await.expect("an answer").expect("a room")
}

/// The rooms that nobody owns.
async fn orphans(storage: &Storage) -> Vec<String> {
    let orphans = storage.orphans(0).await.expect("rooms");
    orphans.into_iter().map(|(_, code)| code).collect()
}

/// The rooms that a node has lost, without those that it has got back.
async fn lost(storage: &Storage, node: NodeId) -> Vec<String> {
    let lost = storage.lost(node).await.expect("rooms");
    lost.into_iter().filter_map(|(_, code)| code).collect()
}

/// A room of a new node, with three events.
async fn leased(storage: &Storage, name: &str) -> (NodeId, Lease) {
    let node = storage.join(name).await.expect("a node");
    let lease = Lease::first(node);
    append_as(storage, lease, 0, room("ABCDEF", 1, 2)).await.expect("appended");
    (node, lease)
}

async fn a_room_has_one_owner(home: Home) {
    let storage = home.open();
    let (one, first) = leased(&storage, "one").await;
    let two = storage.join("two").await.expect("a node");
    let written = storage.meter().commits.count();
    assert_eq!(acquire(&storage, two, false).await, Acquired::HeldBy(first));
    assert_eq!(storage.meter().commits.count(), written, "whoever gets nothing writes nothing");
    append_as(&storage, first, 3, vec![chose(1, 1)]).await.expect("appended");
    let second = Lease { node: two, epoch: 2 };
    let taken = acquire(&storage, two, true).await;
    assert!(
        matches!(taken, Acquired::Mine { lease, stopped: Some(Stopped { v: 4, .. }), beat: Some(_) }
            if lease == second),
        "{taken:?}"
    );
    for _ in 0..2 {
        assert_eq!(lost(&storage, one).await, ["ABCDEF"], "it is told until it knows");
    }
    let rooms = storage.lost(one).await.expect("rooms");
    storage.note_told(one, rooms).await.expect("noted");
    assert!(storage.lost(one).await.expect("rooms").is_empty(), "it is told once");
    let stale = append_as(&storage, first, 4, vec![chose(1, 2)]).await;
    assert!(matches!(stale, Err(StorageError::Fenced)), "{stale:?}");
    append_as(&storage, second, 4, vec![chose(1, 3)]).await.expect("appended");
    let late = append_as(&storage, second, 4, vec![chose(1, 4)]).await;
    assert!(matches!(late, Err(StorageError::Conflict { .. })), "{late:?}");
    // A lease that is not valid any more gives nothing up.
    storage.release("ABCDEF", first).await.expect("ignored");
    assert_eq!(acquire(&storage, one, false).await, Acquired::HeldBy(second));
    storage.release("ABCDEF", second).await.expect("released");
    let third = Lease { node: one, epoch: 3 };
    assert_eq!(
        acquire(&storage, one, false).await,
        Acquired::Mine { lease: third, stopped: None, beat: None }
    );
    let missing = storage.acquire("NOSUCH", one, true).await.expect("an answer");
    assert_eq!(missing, None);
    assert_eq!(storage.log("ABCDEF").await.expect("a log").len(), 5);
    // A free lease is nobody's loss, even if it would have been taken by force.
    storage.release("ABCDEF", third).await.expect("released");
    acquire(&storage, two, true).await;
    let meter = storage.meter();
    let counted = [&meter.acquired, &meter.forced, &meter.lost, &meter.fenced].map(Counter::get);
    assert_eq!(counted, [4, 1, 1, 1]);
}

async fn the_rooms_of_a_node_that_is_gone_can_be_taken_over(home: Home) {
    let storage = home.open();
    let (one, first) = leased(&storage, "one").await;
    let two = storage.join("two").await.expect("a node");
    let beat = storage.renew(one, "one").await.expect("renewed");
    assert!(orphans(&storage).await.is_empty());
    home.execute(&format!("UPDATE node SET beat = {} WHERE id = {one}", beat - 7000));
    assert_eq!(orphans(&storage).await, ["ABCDEF"]);
    let names: Vec<_> = storage.nodes().await.expect("nodes");
    assert_eq!(names, [(two, "two".to_owned())]);
    let lease = Lease { node: two, epoch: 2 };
    let (until, v) = (beat - 7000, storage.version("ABCDEF").await.expect("a version"));
    let taken = Acquired::Mine { lease, stopped: Some(Stopped { until, v }), beat: Some(until) };
    assert_eq!(acquire(&storage, two, false).await, taken);
    assert!(orphans(&storage).await.is_empty());
    // It was only slow, and goes on with what it has left.
    storage.renew(one, "one").await.expect("renewed");
    let stale = append_as(&storage, first, 3, vec![chose(1, 1)]).await;
    assert!(matches!(stale, Err(StorageError::Fenced)), "{stale:?}");
    let gap = storage.now().await.expect("a time").abs_diff(beat);
    assert!(gap < 600_000, "the database's clock jumps by {gap} ms");
}

async fn a_node_that_leaves_gives_up_its_rooms(home: Home) {
    let storage = home.open();
    let (one, first) = leased(&storage, "one").await;
    storage.release_all(one).await.expect("released");
    assert_eq!(orphans(&storage).await, ["ABCDEF"]);
    let stale = append_as(&storage, first, 3, vec![chose(1, 1)]).await;
    assert!(matches!(stale, Err(StorageError::Fenced)), "{stale:?}");
    assert!(matches!(storage.renew(one, "one").await, Err(StorageError::Fenced)));
    let two = storage.join("two").await.expect("a node");
    assert_ne!(one, two);
    // The game was not paused: no clock runs until it has an owner again.
    let taken = acquire(&storage, two, false).await;
    let Acquired::Mine { lease, stopped: Some(stopped), beat: None } = taken else {
        panic!("{taken:?}");
    };
    assert_eq!(lease, Lease { node: two, epoch: 2 });
    assert_eq!(stopped.v, 3);
    // Nor if that one gives it up as well before it has gone on.
    storage.release_all(two).await.expect("released");
    let three = storage.join("three").await.expect("a node");
    let lease = Lease { node: three, epoch: 3 };
    let again = Acquired::Mine { lease, stopped: Some(stopped), beat: None };
    assert_eq!(acquire(&storage, three, false).await, again);
}

async fn a_room_that_is_over_is_free_when_its_node_has_left(home: Home) {
    let storage = home.open();
    let (one, first) = leased(&storage, "one").await;
    append_as(&storage, first, 3, vec![logged(None, RoomEvent::Closed)]).await.expect("appended");
    storage.release_all(one).await.expect("released");
    // Its lease is not touched: a node has those of all games that have ended on it.
    assert!(storage.holds("ABCDEF", first).await.expect("read"));
    let two = storage.join("two").await.expect("a node");
    let taken = acquire(&storage, two, false).await;
    let Acquired::Mine { lease, .. } = taken else { panic!("{taken:?}") };
    assert_eq!(lease, Lease { node: two, epoch: 2 });
    let stale = append_as(&storage, first, 4, vec![chose(1, 1)]).await;
    assert!(matches!(stale, Err(StorageError::Fenced)), "{stale:?}");
    // Nobody knows until when it was served, which does not matter: clocks begin with the next game.
    append_as(&storage, lease, 4, vec![logged(None, RoomEvent::Began)]).await.expect("appended");
    storage.release("ABCDEF", lease).await.expect("released");
    let lease = Lease { node: two, epoch: 3 };
    let again = Acquired::Mine { lease, stopped: None, beat: None };
    assert_eq!(acquire(&storage, two, false).await, again);
}

async fn a_node_that_was_forgotten_comes_back_under_its_number(home: Home) {
    let storage = home.open();
    let one = storage.join("one").await.expect("a node");
    home.execute("UPDATE node SET beat = 0");
    let two = storage.join("two").await.expect("a node");
    home.execute(&format!("UPDATE node SET beat = 0 WHERE id = {two}"));
    assert!(storage.nodes().await.expect("nodes").is_empty());
    storage.renew(one, "one").await.expect("renewed");
    assert_eq!(storage.nodes().await.expect("nodes"), [(one, "one".to_owned())]);
    let three = storage.join("three").await.expect("a node");
    assert!(three > two, "numbers are not used twice");
}

async fn a_dead_node_is_forgotten_when_its_games_are_over(home: Home) {
    let storage = home.open();
    let (_, lease) = leased(&storage, "one").await;
    // Whoever is still known then looks alive.
    let known = async || {
        home.execute("UPDATE node SET beat = 9000000000000");
        storage.nodes().await.expect("nodes").into_iter().map(|(_, name)| name).collect::<Vec<_>>()
    };
    home.execute("UPDATE node SET beat = 0");
    storage.join("two").await.expect("a node");
    assert_eq!(known().await, ["one", "two"], "a game goes on from its last heartbeat");
    append_as(&storage, lease, 3, vec![logged(None, RoomEvent::Closed)]).await.expect("appended");
    home.execute("UPDATE node SET beat = 0");
    storage.join("three").await.expect("a node");
    assert_eq!(known().await, ["three"]);
}

async fn a_heartbeat_does_not_bring_back_a_node_that_leaves(home: Home) {
    let storage = home.open();
    for _ in 0..20 {
        let node = storage.join("one").await.expect("a node");
        let beats = || join_all((0..4).map(|_| storage.renew(node, "one")));
        let (before, released, after) = tokio::join!(beats(), storage.release_all(node), beats());
        released.expect("released");
        for beat in before.into_iter().chain(after) {
            assert!(matches!(beat, Ok(_) | Err(StorageError::Fenced)), "{beat:?}");
        }
        assert!(matches!(storage.renew(node, "one").await, Err(StorageError::Fenced)));
        assert!(storage.nodes().await.expect("nodes").is_empty());
    }
}

async fn a_room_that_a_node_has_got_back_is_not_lost(home: Home) {
    let storage = home.open();
    let (one, _) = leased(&storage, "one").await;
    append(&storage, "GHIJKL", 0, room("GHIJKL", 1, 2)).await.expect("appended");
    // As an earlier version left it, or somebody who takes the room at this moment.
    home.execute(&format!("INSERT INTO lost (node, room) SELECT {one}, id FROM room"));
    assert_eq!(lost(&storage, one).await, ["GHIJKL"]);
    let rooms = storage.lost(one).await.expect("rooms");
    assert_eq!(rooms.len(), 2, "what it has got back is forgotten with the others: {rooms:?}");
}

async fn what_a_node_has_lost_that_does_not_come_back_is_forgotten(home: Home) {
    let storage = home.open();
    let (one, _) = leased(&storage, "one").await;
    let two = storage.join("two").await.expect("a node");
    acquire(&storage, two, true).await;
    storage.join("three").await.expect("a node");
    assert_eq!(lost(&storage, one).await, ["ABCDEF"]);
    // It has been dead for long, and its row is there only because it has another lease.
    append(&storage, "GHIJKL", 0, room("GHIJKL", 1, 2)).await.expect("appended");
    storage.acquire("GHIJKL", one, false).await.expect("an answer").expect("a room");
    home.execute(&format!("UPDATE node SET beat = 0 WHERE id = {one}"));
    storage.join("four").await.expect("a node");
    assert!(storage.lost(one).await.expect("rooms").is_empty());
}

async fn the_rooms_of_a_node_are_listed_a_few_at_a_time(home: Home) {
    let storage = home.open();
    let (one, _) = leased(&storage, "one").await;
    append(&storage, "GHIJKL", 0, room("GHIJKL", 1, 2)).await.expect("appended");
    let owned = storage.owned(one, 0).await.expect("rooms");
    let [(first, code, 1)] = &owned[..] else { panic!("{owned:?}") };
    assert_eq!(code, "ABCDEF");
    storage.acquire("GHIJKL", one, false).await.expect("an answer").expect("a room");
    let owned = storage.owned(one, *first).await.expect("rooms");
    let [(second, code, 1)] = &owned[..] else { panic!("{owned:?}") };
    assert_eq!(code, "GHIJKL");
    assert!(storage.owned(one, *second).await.expect("rooms").is_empty());
    home.execute("UPDATE room SET stage = 'over' WHERE code = 'ABCDEF'");
    assert_eq!(storage.owned(one, 0).await.expect("rooms").len(), 1);
}

async fn a_room_of_a_server_alone_can_be_leased_later(home: Home) {
    let storage = home.open();
    append(&storage, "ABCDEF", 0, room("ABCDEF", 1, 2)).await.expect("appended");
    assert_eq!(orphans(&storage).await, ["ABCDEF"]);
    let node = storage.join("one").await.expect("a node");
    let lease = Lease::first(node);
    assert_eq!(
        acquire(&storage, node, false).await,
        Acquired::Mine { lease, stopped: None, beat: None }
    );
    append(&storage, "GHIJKL", 0, room("GHIJKL", 1, 2)).await.expect("appended");
    let (second, _) = storage.orphans(0).await.expect("rooms").remove(0);
    assert!(storage.orphans(second).await.expect("rooms").is_empty(), "there are no more");
    storage.acquire("GHIJKL", node, false).await.expect("an answer").expect("a room");
    let closed = vec![logged(None, RoomEvent::Closed)];
    append(&storage, "GHIJKL", 3, closed.clone()).await.expect("appended");
    append_as(&storage, lease, 3, closed).await.expect("appended");
    storage.release_all(node).await.expect("released");
    assert!(orphans(&storage).await.is_empty(), "the rooms are over");
}

async fn events_after_a_version_are_read_without_those_before(home: Home) {
    let storage = home.open();
    assert_eq!(storage.version("ABCDEF").await.expect("a version"), 0);
    let ada = registered(&storage, "Ada").await;
    let guest = guest(&storage, "Guest").await;
    append(&storage, "ABCDEF", 0, room("ABCDEF", ada.id, guest.id)).await.expect("appended");
    append(&storage, "ABCDEF", 3, vec![chose(guest.id, 1)]).await.expect("appended");
    assert_eq!(storage.version("ABCDEF").await.expect("a version"), 4);
    let after = async |version| storage.log_after("ABCDEF", version).await.expect("a log");
    assert_eq!(after(3).await, [chose(guest.id, 1)]);
    assert_eq!(after(4).await, []);
    // The guest is somebody else by now.
    let bob = registered(&storage, "Bob").await;
    let code = Secret::link();
    storage.create_link(bob.id, &code, NOW).await.expect("a code");
    storage.redeem(&code, &Secret::token(), Some(guest.id), NOW).await.expect("redeemed");
    assert_eq!(after(3).await, [chose(bob.id, 1)]);
    assert_eq!(after(1).await, storage.log("ABCDEF").await.expect("a log")[1..]);
}

async fn two_owners_never_write_at_the_same_time(home: Home) {
    const EVENTS: u64 = 150;
    let storage = home.open();
    leased(&storage, "creator").await;
    let mut owners = Vec::new();
    for owner in [1, 2] {
        let storage = home.share(&storage);
        owners.push(tokio::spawn(async move {
            let node = storage.join("owner").await.expect("a node");
            let mut lease = Lease { node, epoch: 0 };
            let (mut after, mut fenced) = (3, 0);
            let mut acknowledged = Vec::new();
            for id in 1..=EVENTS {
                loop {
                    match append_as(&storage, lease, after, vec![chose(owner, id)]).await {
                        Ok(()) => break,
                        Err(StorageError::Fenced) => fenced += 1,
                        Err(error) => panic!("owner {owner}: {error}"),
                    }
                    let Acquired::Mine { lease: mine, .. } = acquire(&storage, node, true).await
                    else {
                        panic!("force takes any room")
                    };
                    lease = mine;
                    after = storage.version("ABCDEF").await.expect("a version");
                }
                after += 1;
                acknowledged.push((after, chose(owner, id)));
                if id % 7 == 0 {
                    tokio::task::yield_now().await;
                }
            }
            (acknowledged, fenced)
        }));
    }
    let mut acknowledged = Vec::new();
    let mut fenced = 0;
    for owner in owners {
        let (events, refusals) = owner.await.expect("no conflict");
        acknowledged.extend(events);
        fenced += refusals;
    }
    acknowledged.sort_by_key(|(version, _)| *version);
    let log = storage.log_after("ABCDEF", 3).await.expect("a log");
    assert_eq!(acknowledged.into_iter().map(|(_, event)| event).collect::<Vec<_>>(), log);
    assert!(fenced >= 2, "each has to acquire the room");
}
