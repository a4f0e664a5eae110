//! The logs of rooms.

use skirmish_room::{AccountId, Lease, Logged, RoomEvent};
use skirmish_rules::{Both, Side};

use super::accounts;
use super::error::StorageError;
use super::leases;
use super::rooms::{self, Listing};
use super::session::{Row, Session, locking};
use super::value::values;

/// Events to append to the log of a room.
#[derive(Clone, Debug, PartialEq)]
pub struct Append {
    /// The room.
    pub code: String,
    /// The version at which the log ends, 0 for a new room.
    pub after: u64,
    /// The lease of the node that appends; none if it is the only one. A new room is leased to the node.
    pub lease: Option<Lease>,
    /// The events. The first gets the version after `after`.
    pub events: Vec<Logged>,
}

/// Events as they are stored.
pub(super) struct Rows {
    code: String,
    after: i64,
    lease: Option<Lease>,
    events: Vec<EventRow>,
    listing: Listing,
}

struct EventRow {
    body: String,
    account: Option<AccountId>,
    message: Option<String>,
}

impl Append {
    /// The events as they are stored. This is the larger part of the work, and done before the writer's thread has it.
    pub(super) fn rows(self) -> Result<Rows, StorageError> {
        let Self { code, after, lease, events } = self;
        let mut last = None;
        let mut rows = Vec::with_capacity(events.len());
        for event in &events {
            // A message can lead to several events; the first one has its id.
            let origin = event.by.as_ref().filter(|origin| last != Some(*origin));
            last = event.by.as_ref().or(last);
            rows.push(EventRow {
                body: json(event)?,
                account: origin.map(|origin| origin.account),
                message: origin.map(|origin| json(&origin.id)).transpose()?,
            });
        }
        let listing = Listing::of(&events)?;
        let Ok(after) = i64::try_from(after) else {
            return Err(StorageError::Conflict { code, after });
        };
        Ok(Rows { code, after, lease, events: rows, listing })
    }
}

pub(super) fn json(value: &impl serde::Serialize) -> Result<String, StorageError> {
    serde_json::to_string(value)
        .map_err(|error| StorageError::Damaged { what: format!("an event has no JSON: {error}") })
}

/// Appends events and changes the lists accordingly.
pub(super) async fn append(session: &Session, rows: &Rows) -> Result<(), StorageError> {
    let Rows { code, after, lease, events, listing } = rows;
    let room = if *after == 0 {
        let room = rooms::add(session, code, listing).await?;
        if let (Some(room), Some(lease)) = (room, lease) {
            leases::add(session, room, *lease).await?;
        }
        room
    } else {
        find(session, code, *after, *lease).await?
    };
    let conflict = || StorageError::Conflict { code: code.clone(), after: after.unsigned_abs() };
    let room: i64 = room.ok_or_else(conflict)?;
    for (after, row) in (*after..).zip(events) {
        let is_new = session.insert(
            "INSERT INTO event (room, seq, body, account, message) VALUES ($1, $2, $3, $4, $5)",
            values![room, after + 1, &row.body, row.account, &row.message],
        );
        if !is_new.await? {
            return Err(conflict());
        }
    }
    rooms::list(session, room, listing).await
}

/// The number of a room whose log contains the event at `after`; none if there is no such room. The key of the events finds
/// what comes after that already.
async fn find(
    session: &Session,
    code: &str,
    after: i64,
    lease: Option<Lease>,
) -> Result<Option<i64>, StorageError> {
    let Some(lease) = lease else {
        let find = session.first(
            "SELECT room.id FROM room JOIN event ON event.room = room.id AND event.seq = $1
             WHERE code = $2",
            values![after, code],
            |row| row.get(0),
        );
        return find.await;
    };
    // Locked until the commit, so that nobody takes the room over before.
    let sql = locking!(
        session,
        "SELECT room.id FROM room JOIN event ON event.room = room.id AND event.seq = $1
         JOIN lease ON lease.room = room.id AND lease.node = $2 AND lease.epoch = $3
         WHERE code = $4",
        "FOR SHARE OF lease"
    );
    let room = session.first(sql, values![after, lease.node, lease.epoch, code], |row| row.get(0));
    let room = room.await?;
    if room.is_none() && !leases::is_held(session, code, lease).await? {
        return Err(StorageError::Fenced);
    }
    Ok(room)
}

/// The log of a room after a version.
pub(super) async fn read(
    session: &Session,
    code: &str,
    after: u64,
) -> Result<Vec<Logged>, StorageError> {
    let mut version = after;
    let read = |row: &Row<'_>| {
        let seq: u64 = row.get(0)?;
        // The operator is told of this: a number is not a code, with which anybody could join.
        let room: i64 = row.get(2)?;
        let damaged =
            |why: &str| StorageError::Damaged { what: format!("room {room}, event {seq}: {why}") };
        version += 1;
        if seq != version {
            return Err(damaged("the event before it is missing"));
        }
        let body: &str = row.get(1).map_err(|_| damaged("the event is not text"))?;
        // The error itself could quote a choice.
        serde_json::from_str(body).map_err(|_| damaged("it is not an event"))
    };
    let events = session.query(
        "SELECT event.seq, event.body, room.id FROM event JOIN room ON event.room = room.id
         WHERE room.code = $1 AND event.seq > $2 ORDER BY event.seq",
        values![code, after],
        read,
    );
    let mut events = events.await?;
    if after == 0 {
        merge(session, &mut events).await?;
    } else if names_merged(session, &events).await? {
        // Who sits where is in the events before.
        let log = Box::pin(self::read(session, code, 0)).await?;
        events = log.into_iter().skip(usize::try_from(after).unwrap_or(usize::MAX)).collect();
    }
    Ok(events)
}

/// How many events the log of a room has.
pub(super) async fn version(session: &Session, code: &str) -> Result<u64, StorageError> {
    let version = session.first(
        "SELECT coalesce(max(seq), 0) FROM event WHERE room = (SELECT id FROM room WHERE code = $1)",
        values![code],
        |row| row.get(0),
    );
    Ok(version.await?.unwrap_or(0))
}

/// Whether events name an account that was merged into another one.
async fn names_merged(session: &Session, events: &[Logged]) -> Result<bool, StorageError> {
    let mut seen = Vec::new();
    for logged in events {
        let seated = match &logged.event {
            RoomEvent::Seated { person } => Some(person.account),
            _ => None,
        };
        for account in logged.by.as_ref().map(|origin| origin.account).into_iter().chain(seated) {
            if seen.contains(&account) {
                continue;
            }
            if accounts::current(session, account).await? != account {
                return Ok(true);
            }
            seen.push(account);
        }
    }
    Ok(false)
}

/// Replaces accounts that were merged since they sat down.
async fn merge(session: &Session, events: &mut [Logged]) -> Result<(), StorageError> {
    let mut seats = Both::<Option<AccountId>>::default();
    for logged in &*events {
        match &logged.event {
            RoomEvent::Created { creator, .. } => seats.one = Some(creator.account),
            RoomEvent::Seated { person } => seats.two = Some(person.account),
            _ => {}
        }
    }
    let current = accounts::current_pair(session, seats).await?;
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
