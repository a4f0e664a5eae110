//! What a room's task turns to when it is told something.

use skirmish_room::Attendance;
use skirmish_rules::GAMES;

use super::*;
use crate::bus::Bus;
use crate::hub::{new_handle, trial};
use crate::log::Log;
use crate::nodes::Nodes;
use crate::storage::Storage;

const CODE: &str = "ABC234";

/// The lease that the room had.
const LEASE: Lease = Lease { node: 1, epoch: 2 };

fn owner(hub: Arc<Hub>, room: Room, handle: RoomHandle) -> Role {
    Role::Owner(Box::new(Owner::new(hub, room, handle, Some(LEASE), Served::default())))
}

fn away(hub: Arc<Hub>, room: Room, handle: RoomHandle) -> Role {
    let (replica, outboxes) = (Replica::new(room), Outboxes::default());
    Role::Away(Box::new(Away::new(hub, handle, replica, outboxes, LEASE)))
}

fn bell(epoch: i64) -> ToRoom {
    let lease = Lease { node: 2, epoch };
    ToRoom::Bell(Bell { code: CODE.to_owned(), v: 3, lease, attendance: Attendance::default() })
}

/// What a room turns to that is told this. Nothing if nobody can tell it anything any more before it has turned to something else.
fn next(
    role: fn(Arc<Hub>, Room, RoomHandle) -> Role,
    told: impl IntoIterator<Item = ToRoom>,
) -> Next {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let storage = Storage::open(folder.path()).expect("the database opens");
        let nodes = Nodes::new(1, String::new(), Bus::none());
        let hub = trial::hub(storage, Log::none(), Some(nodes));
        let room = Room::fold(GAMES, &trial::left_over(CODE).events).expect("a game");
        let (handle, _) = new_handle();
        let role = role(hub, room, handle);
        let (sender, mut mailbox) = mailbox();
        for message in told {
            sender.send(Box::new(message)).await.expect("room for it");
        }
        drop(sender);
        match role {
            Role::Owner(owner) => owner.run(&mut mailbox, Waiting::new()).await,
            Role::Following(following) => following.run(&mut mailbox, Waiting::new()).await,
            Role::Away(away) => away.run(&mut mailbox, Waiting::new()).await,
        }
    })
}

/// Players of a node that was cut off saw clocks stand still that ran.
#[test]
fn a_room_that_another_node_has_taken_is_followed_and_what_waits_is_passed_on() {
    let (role, mut waiting) = next(away, [ToRoom::Shut, bell(3)]).expect("another role");
    assert!(matches!(role, Role::Following(_)));
    let [ToRoom::Bell(heard), ToRoom::Shut] = waiting.make_contiguous() else {
        panic!("the bell comes first, then what waits");
    };
    assert_eq!(heard.lease.epoch, 3);
}

/// An owner that had not noticed yet that the database was away forgot who had said so, and could ask nobody.
#[test]
fn an_owner_follows_the_node_that_says_that_it_has_taken_the_room() {
    let (role, mut waiting) = next(owner, [bell(3)]).expect("another role");
    let Role::Following(following) = role else { panic!("it is another node's") };
    assert_eq!(following.owner, Lease { node: 2, epoch: 3 });
    assert!(matches!(waiting.make_contiguous(), [ToRoom::Bell(_)]), "it says who is there");
}

#[test]
fn the_word_of_an_earlier_owner_changes_nothing() {
    for role in [away, owner] {
        assert!(next(role, [bell(1), bell(2)]).is_none());
    }
}
