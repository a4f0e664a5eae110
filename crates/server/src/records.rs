//! The records of a room's games, for those who may see them.

use std::net::IpAddr;

use axum::http::StatusCode;
use skirmish_room::Room;
use skirmish_rules::Record;

use crate::api::Refused;
use crate::hub::Hub;

/// What is said of a game that does not exist.
pub(crate) const MISSING: &str = "There is no such game here. Check the code.";

/// How many events of a room cost a credit of the address that asks: all of them are read.
const EVENTS_PER_CREDIT: usize = 100;

/// The record of a game of a room, the last one if no number is given, and whether the game is over. A game that nobody
/// may watch has none until it is over; a choice that is still secret is in none.
pub(crate) async fn find(
    hub: &Hub,
    address: IpAddr,
    code: &str,
    number: Option<usize>,
) -> Result<(Record, bool), Refused> {
    let log = match hub.storage.log(code).await {
        Ok(log) if log.is_empty() => return Err(Refused::new(StatusCode::NOT_FOUND, MISSING)),
        Ok(log) => log,
        Err(error) => {
            hub.log.storage_failed(&error);
            let why = "The server cannot read this game. Try again later.";
            return Err(Refused::new(StatusCode::SERVICE_UNAVAILABLE, why));
        }
    };
    let cost = u32::try_from(log.len() / EVENTS_PER_CREDIT).unwrap_or(u32::MAX);
    hub.ledger.request(address, cost, hub.now())?;
    let Ok((room, mut records)) = Room::with_records(hub.games, &log) else {
        let why = "The server cannot read this game.";
        return Err(Refused::new(StatusCode::INTERNAL_SERVER_ERROR, why));
    };
    let count = records.len();
    let number = number.unwrap_or(count);
    let is_running = number == count && room.end().is_none();
    if is_running && !room.terms().spectators {
        let why = "Only its players may see this game until it is over.";
        return Err(Refused::new(StatusCode::FORBIDDEN, why));
    }
    if !(1..=count).contains(&number) {
        let why = format!("This room has had {count} games.");
        return Err(Refused::new(StatusCode::NOT_FOUND, why));
    }
    Ok((records.swap_remove(number - 1), !is_running))
}
