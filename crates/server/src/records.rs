//! The records of a room's games, for those who may see them.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::StatusCode;
use skirmish_room::Room;
use skirmish_rules::{Record, counted};

use crate::api::Refused;
use crate::hub::Hub;
use crate::limits::Use;
use crate::socket::WRONG;
use crate::storage::{RoomStage, StorageError};

/// The reply for a game that does not exist.
pub(crate) const MISSING: &str = "There is no such game here. Check the code.";

/// Number of a room's events that cost one credit of the requesting address. All events of the room are read.
const EVENTS_PER_CREDIT: usize = 100;

/// Returns the record of a room's game, by default the last one, and whether the game is over. A game without spectators has
/// no record until it is over. A choice that is still secret is never included.
pub(crate) async fn find(
    hub: &Arc<Hub>,
    address: IpAddr,
    code: &str,
    number: Option<usize>,
) -> Result<(Record, bool), Refused> {
    if let Err(refused) = check(hub, address, code, number).await {
        // A room in memory answers only after it has stored the result of a game that has just ended.
        if refused.status != StatusCode::FORBIDDEN || hub.describe_live(code).await.is_none() {
            return Err(refused);
        }
        check(hub, address, code, number).await?;
    }
    let (room, mut records) = read(hub, address, code).await?;
    let count = records.len();
    let number = number.unwrap_or(count);
    let is_running = number == count && room.end().is_none();
    may_see(count, number, is_running && !room.terms().spectators)?;
    Ok((records.swap_remove(number - 1), !is_running))
}

/// Returns a room with the records of its games.
async fn read(hub: &Hub, address: IpAddr, code: &str) -> Result<(Room, Vec<Record>), Refused> {
    let log = hub.storage.log(code).await.map_err(unreadable(hub))?;
    pay(hub, address, u32::try_from(log.len() / EVENTS_PER_CREDIT).unwrap_or(u32::MAX))?;
    Room::with_records(hub.games, &log).map_err(|_| {
        let why = "The server cannot read this game.";
        Refused::new(StatusCode::INTERNAL_SERVER_ERROR, why)
    })
}

/// Returns a room for a preview. Only those who may see its record may see more than its terms.
pub(crate) async fn room(hub: &Hub, address: IpAddr, code: &str) -> Result<Room, Refused> {
    if hub.storage.games(code).await.map_err(unreadable(hub))?.is_none() {
        pay(hub, address, WRONG)?;
        return Err(Refused::new(StatusCode::NOT_FOUND, MISSING));
    }
    Ok(read(hub, address, code).await?.0)
}

/// Parses the number of a game in a query. An empty text means the last game.
pub(crate) fn read_number(text: &str) -> Result<Option<usize>, Refused> {
    if text.is_empty() {
        return Ok(None);
    }
    text.parse().map(Some).map_err(|_| not_a_number())
}

pub(crate) fn not_a_number() -> Refused {
    Refused::new(StatusCode::BAD_REQUEST, "The parameter game is the number of a game, from 1.")
}

/// Refuses access to games that may not be seen, without reading events.
async fn check(
    hub: &Hub,
    address: IpAddr,
    code: &str,
    number: Option<usize>,
) -> Result<(), Refused> {
    let Some(games) = hub.storage.games(code).await.map_err(unreadable(hub))? else {
        pay(hub, address, WRONG)?;
        return Err(Refused::new(StatusCode::NOT_FOUND, MISSING));
    };
    let is_playing = games.stage == RoomStage::Playing;
    let finished = games.finished as usize;
    let count = finished + usize::from(is_playing);
    let number = number.unwrap_or(count);
    may_see(count, number, number > finished && is_playing && !games.watchable)
}

/// Refuses access to a game that does not exist, or that only its players may see.
fn may_see(count: usize, number: usize, is_secret: bool) -> Result<(), Refused> {
    if !(1..=count).contains(&number) {
        let why = format!("This room has had {}.", counted(count as u64, "game"));
        return Err(Refused::new(StatusCode::NOT_FOUND, why));
    }
    if is_secret {
        let why = "Only its players may see this game until it is over.";
        return Err(Refused::new(StatusCode::FORBIDDEN, why));
    }
    Ok(())
}

fn pay(hub: &Hub, address: IpAddr, cost: u32) -> Result<(), Refused> {
    Ok(hub.ledger.charge(address, Use::Requests, cost, hub.now())?)
}

fn unreadable(hub: &Hub) -> impl FnOnce(StorageError) -> Refused {
    |error| {
        hub.log.storage_failed(&error);
        let why = "The server cannot read this game. Try again later.";
        Refused::new(StatusCode::SERVICE_UNAVAILABLE, why)
    }
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;

    use skirmish_room::RoomEvent;

    use super::*;
    use crate::hub::trial;
    use crate::log::Log;
    use crate::storage::Storage;

    #[tokio::test]
    async fn a_record_is_refused_without_reading_events() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let storage = Storage::open(folder.path()).expect("the database opens");
        let mut private = trial::left_over("ABC234");
        let Some(RoomEvent::Created { terms, .. }) =
            private.events.first_mut().map(|first| &mut first.event)
        else {
            panic!("a room is created first")
        };
        terms.spectators = false;
        storage.append(private, None).await.expect("a private game");
        let hub = trial::hub(storage, Log::none()).await;
        let database = rusqlite::Connection::open(folder.path().join("skirmish.db"));
        let database = database.expect("a database");
        database.execute_batch("ALTER TABLE event RENAME TO unread").expect("valid SQL");
        for (code, number, status) in [
            ("ABC234", None, StatusCode::FORBIDDEN),
            ("ABC234", Some(1), StatusCode::FORBIDDEN),
            ("ABC234", Some(2), StatusCode::NOT_FOUND),
            ("GHJKMN", None, StatusCode::NOT_FOUND),
        ] {
            let refused = find(&hub, Ipv4Addr::LOCALHOST.into(), code, number).await;
            assert_eq!(refused.err().map(|refused| refused.status), Some(status), "{code}");
        }
    }
}
