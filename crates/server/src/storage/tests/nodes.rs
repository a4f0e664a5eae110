//! Nodes that share a database: leases, takeovers and races.

use skirmish_room::{Acquired, Lease, NodeId, Stopped};

use super::*;

on_both![
    a_room_has_one_owner,
    the_rooms_of_a_node_that_is_gone_can_be_taken_over,
    a_node_that_leaves_gives_up_its_rooms,
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
    assert_eq!(acquire(&storage, two, false).await, Acquired::HeldBy(one));
    append_as(&storage, first, 3, vec![chose(1, 1)]).await.expect("appended");
    let second = Lease { node: two, epoch: 2 };
    let taken = acquire(&storage, two, true).await;
    assert!(
        matches!(taken, Acquired::Mine { lease, stopped: None, beat: Some(_) } if lease == second),
        "{taken:?}"
    );
    assert_eq!(storage.lost(one).await.expect("rooms"), ["ABCDEF"]);
    assert!(storage.lost(one).await.expect("rooms").is_empty(), "it is told once");
    let stale = append_as(&storage, first, 4, vec![chose(1, 2)]).await;
    assert!(matches!(stale, Err(StorageError::Fenced)), "{stale:?}");
    append_as(&storage, second, 4, vec![chose(1, 3)]).await.expect("appended");
    let late = append_as(&storage, second, 4, vec![chose(1, 4)]).await;
    assert!(matches!(late, Err(StorageError::Conflict { .. })), "{late:?}");
    // A lease that is not valid any more gives nothing up.
    storage.release("ABCDEF", first).await.expect("ignored");
    assert_eq!(acquire(&storage, one, false).await, Acquired::HeldBy(two));
    storage.release("ABCDEF", second).await.expect("released");
    let third = Lease { node: one, epoch: 3 };
    assert_eq!(
        acquire(&storage, one, false).await,
        Acquired::Mine { lease: third, stopped: None, beat: None }
    );
    let missing = storage.acquire("NOSUCH", one, true).await.expect("an answer");
    assert_eq!(missing, None);
    assert_eq!(storage.log("ABCDEF").await.expect("a log").len(), 5);
}

async fn the_rooms_of_a_node_that_is_gone_can_be_taken_over(home: Home) {
    let storage = home.open();
    let (one, first) = leased(&storage, "one").await;
    let two = storage.join("two").await.expect("a node");
    let beat = storage.renew(one).await.expect("renewed");
    assert!(storage.orphans().await.expect("rooms").is_empty());
    home.execute(&format!("UPDATE node SET beat = {} WHERE id = {one}", beat - 7000));
    assert_eq!(storage.orphans().await.expect("rooms"), ["ABCDEF"]);
    let names: Vec<_> = storage.nodes().await.expect("nodes");
    assert_eq!(names, [(two, "two".to_owned())]);
    let lease = Lease { node: two, epoch: 2 };
    let (until, v) = (beat - 7000, storage.version("ABCDEF").await.expect("a version"));
    let taken = Acquired::Mine { lease, stopped: Some(Stopped { until, v }), beat: Some(until) };
    assert_eq!(acquire(&storage, two, false).await, taken);
    assert!(storage.orphans().await.expect("rooms").is_empty());
    // It was only slow, and goes on with what it has left.
    storage.renew(one).await.expect("renewed");
    let stale = append_as(&storage, first, 3, vec![chose(1, 1)]).await;
    assert!(matches!(stale, Err(StorageError::Fenced)), "{stale:?}");
    let gap = storage.now().await.expect("a time").abs_diff(beat);
    assert!(gap < 600_000, "the database's clock jumps by {gap} ms");
}

async fn a_node_that_leaves_gives_up_its_rooms(home: Home) {
    let storage = home.open();
    let (one, first) = leased(&storage, "one").await;
    storage.release_all(one).await.expect("released");
    assert_eq!(storage.orphans().await.expect("rooms"), ["ABCDEF"]);
    let stale = append_as(&storage, first, 3, vec![chose(1, 1)]).await;
    assert!(matches!(stale, Err(StorageError::Fenced)), "{stale:?}");
    assert!(matches!(storage.renew(one).await, Err(StorageError::Fenced)));
    let two = storage.join("two").await.expect("a node");
    assert_ne!(one, two);
    let lease = Lease { node: two, epoch: 2 };
    assert_eq!(
        acquire(&storage, two, false).await,
        Acquired::Mine { lease, stopped: None, beat: None }
    );
}

async fn a_room_of_a_server_alone_can_be_leased_later(home: Home) {
    let storage = home.open();
    append(&storage, "ABCDEF", 0, room("ABCDEF", 1, 2)).await.expect("appended");
    assert_eq!(storage.orphans().await.expect("rooms"), ["ABCDEF"]);
    let node = storage.join("one").await.expect("a node");
    let lease = Lease::first(node);
    assert_eq!(
        acquire(&storage, node, false).await,
        Acquired::Mine { lease, stopped: None, beat: None }
    );
    append_as(&storage, lease, 3, vec![logged(None, RoomEvent::Closed)]).await.expect("appended");
    storage.release_all(node).await.expect("released");
    assert!(storage.orphans().await.expect("rooms").is_empty(), "the room is over");
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
