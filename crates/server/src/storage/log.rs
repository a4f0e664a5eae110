//! The logs of rooms.

use std::collections::BTreeMap;

use futures_util::future::{try_join_all, try_join3};
use skirmish_room::{AccountId, Lease, Logged, RoomEvent};
use skirmish_rules::Both;

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
    let conflict = || StorageError::Conflict { code: code.clone(), after: after.unsigned_abs() };
    let (room, first, rest) = if *after == 0 {
        (rooms::add(session, code, listing).await?, 1, &**events)
    } else {
        let Some((first, rest)) = events.split_first() else { return Ok(()) };
        if !append_first(session, code, *after, *lease, first).await? {
            return Err(conflict());
        }
        if rest.is_empty() && !listing.is_news() {
            return Ok(());
        }
        (rooms::find(session, code).await?, after + 2, rest)
    };
    let room = room.ok_or_else(conflict)?;
    let lease = async || match lease {
        Some(lease) if *after == 0 => leases::add(session, room, *lease).await,
        _ => Ok(()),
    };
    let insert = async |(seq, row): (i64, &EventRow)| {
        let is_new = session.insert(
            "INSERT INTO event (room, seq, body, account, message) VALUES ($1, $2, $3, $4, $5)",
            values![room, seq, &row.body, row.account, &row.message],
        );
        if is_new.await? { Ok(()) } else { Err(conflict()) }
    };
    // None of these needs the answer to another: they are sent together.
    let inserts = try_join_all((first..).zip(rest).map(insert));
    let (_, (), is_listed) =
        try_join3(inserts, lease(), rooms::list(session, room, listing)).await?;
    if is_listed { Ok(()) } else { Err(conflict()) }
}

/// Appends an event to a log that contains one at `after`. Returns false if there is no such log, or it contains what would be
/// appended.
async fn append_first(
    session: &Session,
    code: &str,
    after: i64,
    lease: Option<Lease>,
    row: &EventRow,
) -> Result<bool, StorageError> {
    let Some(lease) = lease else {
        // Without a number of the room, which has to have one, nothing is inserted.
        let append = session.insert(
            "INSERT INTO event (room, seq, body, account, message) VALUES
                ((SELECT room.id FROM room JOIN event ON event.room = room.id AND event.seq = $1
                  WHERE code = $2), $1 + 1, $3, $4, $5)",
            values![after, code, &row.body, row.account, &row.message],
        );
        return append.await;
    };
    // Locked until the commit, so that nobody takes the room over before.
    let sql = locking!(
        session,
        "INSERT INTO event (room, seq, body, account, message)
         SELECT room.id, event.seq + 1, $1, $2, $3
         FROM room JOIN event ON event.room = room.id AND event.seq = $4
            JOIN lease ON lease.room = room.id AND lease.node = $5 AND lease.epoch = $6
         WHERE code = $7",
        "FOR SHARE OF lease",
        "ON CONFLICT DO NOTHING"
    );
    let values =
        values![&row.body, row.account, &row.message, after, lease.node, lease.epoch, code];
    let is_new = session.execute(sql, values).await? > 0;
    if !is_new && !leases::is_held(session, code, lease).await? {
        return Err(StorageError::Fenced);
    }
    Ok(is_new)
}

/// The log of a room after a version.
pub(super) async fn read(
    session: &Session,
    code: &str,
    after: u64,
) -> Result<Vec<Logged>, StorageError> {
    let mut version = after;
    let mut players = Both::default();
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
        players = Both::new(row.get(3)?, row.get(4)?);
        let body: &str = row.get(1).map_err(|_| damaged("the event is not text"))?;
        // The error itself could quote a choice.
        serde_json::from_str(body).map_err(|_| damaged("it is not an event"))
    };
    let events = session.query(
        "SELECT event.seq, event.body, room.id, room.account_1, room.account_2
         FROM event JOIN room ON event.room = room.id
         WHERE room.code = $1 AND event.seq > $2 ORDER BY event.seq",
        values![code, after],
        read,
    );
    let mut events = events.await?;
    merge(session, &mut events, players).await?;
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

/// Replaces accounts that were merged since they sat down by the players that the room has now.
async fn merge(
    session: &Session,
    events: &mut [Logged],
    players: Both<Option<AccountId>>,
) -> Result<(), StorageError> {
    let is_player = |account| players.one == Some(account) || players.two == Some(account);
    let mut merged = BTreeMap::new();
    for account in events.iter_mut().flat_map(accounts_of).filter(|account| !is_player(**account)) {
        if !merged.contains_key(account) {
            merged.insert(*account, accounts::current(session, *account).await?);
        }
        *account = merged.get(account).copied().filter(|&now| is_player(now)).unwrap_or(*account);
    }
    Ok(())
}

/// The accounts that an event names.
fn accounts_of(logged: &mut Logged) -> impl Iterator<Item = &mut AccountId> {
    let person = match &mut logged.event {
        RoomEvent::Created { creator: person, .. } | RoomEvent::Seated { person } => Some(person),
        _ => None,
    };
    let origin = logged.by.as_mut().map(|origin| &mut origin.account);
    origin.into_iter().chain(person.map(|person| &mut person.account))
}
