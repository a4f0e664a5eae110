//! A hub and a game for tests.

use std::sync::Arc;

use skirmish_room::{Logged, Person, RoomEvent, Terms};
use skirmish_rules::GAMES;

use super::{Clock, Hub};
use crate::bus::Bus;
use crate::computer::Computers;
use crate::limits::{Ledger, Limits};
use crate::log::Log;
use crate::nodes::Nodes;
use crate::storage::{Append, Storage};

/// Returns the hub of a server without other nodes.
pub(crate) async fn hub(storage: Storage, log: Log) -> Arc<Hub> {
    let computers = Computers::start(0).expect("a thread");
    let (ledger, url) = (Ledger::new(Limits::default()), String::new());
    let clock = Clock::start(None, storage.newest());
    let id = storage.join("trial", clock.asks()).await.expect("a node");
    let nodes = Nodes::new(id, "trial".to_owned(), Bus::none());
    let hub = Hub::new(GAMES, storage, computers, ledger, log, url, (nodes, clock));
    hub.beat().await.expect("a heartbeat");
    Arc::new(hub)
}

/// Returns a game between two people that began long ago and was interrupted by a crash.
pub(crate) fn left_over(code: &str) -> Append {
    let person = |account| Person {
        account,
        name: format!("Guest {account}"),
        registered: false,
        ..Person::default()
    };
    let created = RoomEvent::Created {
        code: code.to_owned(),
        terms: Box::new(Terms::new(GAMES.find("base-battle").expect("a game"))),
        creator: person(1),
        seed: 1,
        date: None,
    };
    let events = [created, RoomEvent::Seated { person: person(2) }, RoomEvent::Began];
    let events = events.map(|event| Logged { at: 1, by: None, left: None, event });
    Append { code: code.to_owned(), after: 0, events: events.into(), finished: None }
}
