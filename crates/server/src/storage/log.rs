//! The logs of rooms.

use rusqlite::{Connection, ErrorCode, OptionalExtension};
use skirmish_room::{AccountId, Logged, RoomEvent};
use skirmish_rules::{Both, Side};

use super::accounts;
use super::error::StorageError;
use super::rooms::{self, Listing};

/// Events to append to the log of a room.
#[derive(Clone, Debug, PartialEq)]
pub struct Append {
    /// The room.
    pub code: String,
    /// The version at which the log ends, 0 for a new room.
    pub after: u64,
    /// The events. The first gets the version after `after`.
    pub events: Vec<Logged>,
}

/// Events as they are stored.
pub(super) struct Rows {
    code: String,
    after: i64,
    events: Vec<Row>,
    listing: Listing,
}

struct Row {
    body: String,
    account: Option<AccountId>,
    message: Option<String>,
}

impl Append {
    /// The events as they are stored. This is the larger part of the work, and done before the writer's thread has it.
    pub(super) fn rows(self) -> Result<Rows, StorageError> {
        let Self { code, after, events } = self;
        let mut last = None;
        let mut rows = Vec::with_capacity(events.len());
        for event in &events {
            // A message can lead to several events; the first one has its id.
            let origin = event.by.as_ref().filter(|origin| last != Some(*origin));
            last = event.by.as_ref().or(last);
            rows.push(Row {
                body: json(event)?,
                account: origin.map(|origin| origin.account),
                message: origin.map(|origin| json(&origin.id)).transpose()?,
            });
        }
        let listing = Listing::of(&events);
        let Ok(after) = i64::try_from(after) else {
            return Err(StorageError::Conflict { code, after });
        };
        Ok(Rows { code, after, events: rows, listing })
    }
}

pub(super) fn json(value: &impl serde::Serialize) -> Result<String, StorageError> {
    serde_json::to_string(value)
        .map_err(|error| StorageError::Damaged { what: format!("an event has no JSON: {error}") })
}

/// Appends events and changes the lists accordingly.
pub(super) fn append(connection: &Connection, rows: &Rows) -> Result<(), StorageError> {
    let Rows { code, after, events, listing } = rows;
    let conflict = || StorageError::Conflict { code: code.clone(), after: after.unsigned_abs() };
    let room = if *after == 0 {
        rooms::add(connection, code, listing)?
    } else {
        // The condition finds gaps, and the key below what exists already.
        let mut find = connection.prepare_cached(
            "SELECT id FROM room JOIN event ON room = id AND seq = ?2 WHERE code = ?1",
        )?;
        find.query_row((code, after), |row| row.get(0)).optional()?
    };
    let room: i64 = room.ok_or_else(conflict)?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO event (room, seq, body, account, message) VALUES (?, ?, ?, ?, ?)",
    )?;
    for (after, row) in (*after..).zip(events) {
        match insert.execute((room, after + 1, &row.body, row.account, &row.message)) {
            Ok(_) => {}
            Err(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) => {
                return Err(conflict());
            }
            Err(error) => return Err(error.into()),
        }
    }
    rooms::list(connection, room, listing)
}

/// The log of a room.
pub(super) fn read(connection: &Connection, code: &str) -> Result<Vec<Logged>, StorageError> {
    let mut query = connection.prepare_cached(
        "SELECT seq, body, room FROM event JOIN room ON room = id WHERE code = ? ORDER BY seq",
    )?;
    let mut rows = query.query([code])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        let seq: i64 = row.get(0)?;
        // The operator is told of this: a number is not a code, with which anybody could join.
        let room: i64 = row.get(2)?;
        let damaged =
            |why: &str| StorageError::Damaged { what: format!("room {room}, event {seq}: {why}") };
        if usize::try_from(seq) != Ok(events.len() + 1) {
            return Err(damaged("the event before it is missing"));
        }
        let body = row.get_ref(1)?.as_str().map_err(|_| damaged("the event is not text"))?;
        // The error itself could quote a choice.
        let event = serde_json::from_str(body).map_err(|_| damaged("it is not an event"))?;
        events.push(event);
    }
    merge(connection, &mut events)?;
    Ok(events)
}

/// Replaces accounts that were merged since they sat down.
fn merge(connection: &Connection, events: &mut [Logged]) -> Result<(), StorageError> {
    let mut seats = Both::<Option<AccountId>>::default();
    for logged in &*events {
        match &logged.event {
            RoomEvent::Created { creator, .. } => seats.one = Some(creator.account),
            RoomEvent::Seated { person } => seats.two = Some(person.account),
            _ => {}
        }
    }
    let current = accounts::current_pair(connection, seats)?;
    if current == seats {
        return Ok(());
    }
    let replace = |account: &mut AccountId| {
        let seat = Side::ALL.into_iter().find(|&side| seats[side] == Some(*account));
        *account = seat.and_then(|side| current[side]).unwrap_or(*account);
    };
    for logged in events {
        if let Some(origin) = &mut logged.by {
            replace(&mut origin.account);
        }
        match &mut logged.event {
            RoomEvent::Created { creator, .. } => replace(&mut creator.account),
            RoomEvent::Seated { person } => replace(&mut person.account),
            _ => {}
        }
    }
    Ok(())
}
