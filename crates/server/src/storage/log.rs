//! The logs of rooms.

use std::collections::BTreeMap;

use futures_util::future::{try_join, try_join_all};
use skirmish_room::{AccountId, Append, FinishedGame, Logged, RoomEvent};
use skirmish_rules::Both;

use super::games;
use super::listing::{self, Listing};
use super::meter::Appending;
use super::worker::Grouping;
use super::{Backend, Guard, Result, Seats, Storage, StorageError, accounts, rooms, values};

/// The database rows of an append.
pub(super) struct Rows {
    pub(super) code: String,
    after: i64,
    events: Vec<EventRow>,
    listing: Listing,
    finished: Option<FinishedGame>,
    guard: Option<Guard>,
}

struct EventRow {
    body: String,
    account: Option<AccountId>,
    message: Option<String>,
}

impl Rows {
    /// Converts events to rows. This is most of the work, so it is done outside the writer's thread.
    pub(super) fn of(append: Append, guard: Option<Guard>) -> Result<Self> {
        let Append { code, after, events, finished } = append;
        let mut last = None;
        let mut rows = Vec::with_capacity(events.len());
        for event in &events {
            // One message can cause several events; only the first one has the message's id.
            let origin = event.by.as_ref().filter(|origin| last != Some(*origin));
            last = event.by.as_ref().or(last);
            rows.push(EventRow {
                body: event.to_json(),
                account: origin.map(|origin| origin.account),
                message: origin.map(|origin| json(&origin.id)).transpose()?,
            });
        }
        let listing = Listing::of(&events)?;
        let Ok(after) = i64::try_from(after) else {
            return Err(StorageError::Conflict(after));
        };
        Ok(Self { code, after, events: rows, listing, finished, guard })
    }

    /// Returns the account and the id of the message that led to the first event.
    pub(super) fn origin(&self) -> Option<(AccountId, &str)> {
        let first = self.events.first()?;
        Some((first.account?, first.message.as_deref()?))
    }

    /// Whether only the log of an existing room changes.
    const fn is_log_only(&self) -> bool {
        self.after > 0 && !self.listing.is_news() && self.finished.is_none()
    }

    fn conflict(&self) -> StorageError {
        StorageError::Conflict(self.after.unsigned_abs())
    }
}

pub(super) fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value)
        .map_err(|error| StorageError::Damaged(format!("it has no JSON: {error}")))
}

impl Storage {
    /// Appends events to the log of a room. When this returns, the events are durable and the lists are up to date. If a game
    /// has finished, so are its result and ratings. Without a guard, appends unconditionally.
    ///
    /// # Errors
    /// [`StorageError::Stale`] if the guard does not hold: write a heartbeat first. [`StorageError::Conflict`] if the log
    /// does not end at `after`, or already contains the message of an event.
    pub async fn append(&self, append: Append, guard: Option<Guard>) -> Result<()> {
        let appending = Appending::begin(&append.events);
        let rows = Rows::of(append, guard)?;
        let is_statement = rows.events.len() == 1;
        let grouping = Some(Grouping { key: rows.code.clone(), is_statement });
        let is_log_only = rows.is_log_only();
        let job = async move |backend: &Backend| store(backend, &rows).await;
        let result = match &self.0.appender {
            Some(appender) if is_log_only => appender.run_grouped(grouping, job).await,
            // Other appends wait for locks on accounts, and must not delay those that only change a log.
            _ => self.write(job).await,
        };
        let result = result.and_then(|appended| appended);
        self.0.meter.appended(&appending, result.as_ref().err());
        result
    }

    /// Returns the log of a room; empty if there is no such room. Merged accounts are replaced by the accounts they were
    /// merged into.
    pub async fn log(&self, code: &str) -> Result<Vec<Logged>> {
        self.log_after(code, 0).await
    }

    /// Returns the events of a room after this version, as in [`Storage::log`].
    pub async fn log_after(&self, code: &str, version: u64) -> Result<Vec<Logged>> {
        let code = code.to_owned();
        self.read(async move |backend: &Backend| read(backend, &code, version).await).await
    }
}

/// Appends events, and updates lists and ratings accordingly. After the inner error, nothing was written and the transaction
/// can go on.
///
/// To avoid deadlocks, every transaction locks accounts in ascending order, then appends, and then changes rooms.
/// Transactions that append to several rooms lock nothing else, and append in the order of the rooms' codes.
pub(super) async fn store(backend: &Backend, rows: &Rows) -> Result<Result<()>> {
    let Rows { code, after, events, listing, finished, guard } = rows;
    // An account that takes a seat in a game that ends is among the game's players, which are locked first.
    let lock = async || {
        let players = finished.as_ref().map(|game| game.accounts).unwrap_or_default();
        let players = accounts::lock(backend, players).await?;
        Ok((accounts::lock(backend, listing.accounts()).await?, players))
    };
    let ((seated, players), room, seq, rest) = if *after == 0 {
        let locked: (Seats, Seats) = lock().await?;
        if let Some(guard) = guard
            && !guard.holds(backend).await?
        {
            return Ok(Err(StorageError::Stale));
        }
        let Some(room) = listing::add(backend, code, listing, locked.0.one).await? else {
            return Ok(Err(rows.conflict()));
        };
        (locked, room, 1, &**events)
    } else {
        let Some((first, rest)) = events.split_first() else { return Ok(Ok(())) };
        // Pipeline both statements.
        let (locked, is_appended) = try_join(lock(), append_first(backend, rows, first)).await?;
        if !is_appended {
            return Ok(Err(match guard {
                Some(guard) if !guard.holds(backend).await? => StorageError::Stale,
                _ => rows.conflict(),
            }));
        }
        if rest.is_empty() && rows.is_log_only() {
            return Ok(Ok(()));
        }
        let room = rooms::find(backend, code).await?;
        (locked, room.ok_or_else(|| rows.conflict())?, after + 2, rest)
    };
    let insert = async |(seq, row): (i64, &EventRow)| {
        let is_new = backend.insert(
            "INSERT INTO event (room, seq, body, account, message) VALUES ($1, $2, $3, $4, $5)",
            values![room, seq, &row.body, row.account, &row.message],
        );
        if is_new.await? { Ok(()) } else { Err(rows.conflict()) }
    };
    // These statements are also independent of each other: pipeline them.
    let inserts = try_join_all((seq..).zip(rest).map(insert));
    let (_, is_listed) =
        try_join(inserts, listing::list(backend, room, listing, seated.two)).await?;
    if !is_listed {
        return Err(rows.conflict());
    }
    if let Some(game) = finished {
        games::finish(backend, game, players).await?;
    }
    Ok(Ok(()))
}

/// Appends an event to a log that contains the event `after`, if the guard holds. Returns false if there is no such log, the
/// event conflicts with existing ones, or the guard does not hold.
async fn append_first(backend: &Backend, rows: &Rows, row: &EventRow) -> Result<bool> {
    let mut values = values![&row.body, row.account, &row.message, rows.after, &rows.code];
    let condition = match &rows.guard {
        None => "TRUE".to_owned(),
        Some(guard) => {
            let (condition, parameters) = guard.condition(backend, ["$6", "$7", "$8"]);
            values.extend(parameters);
            condition
        }
    };
    let sql = format!(
        "INSERT INTO event (body, account, message, seq, room)
         SELECT $1, $2, $3, event.seq + 1, room.id
         FROM room JOIN event ON event.room = room.id AND event.seq = $4
         WHERE code = $5 AND {condition} ON CONFLICT DO NOTHING"
    );
    Ok(backend.execute(&sql, values).await? > 0)
}

/// Reads the log of a room after a version.
pub(super) async fn read(backend: &Backend, code: &str, after: u64) -> Result<Vec<Logged>> {
    let sql = "SELECT event.seq, event.body, room.id, room.account_1, room.account_2
         FROM event JOIN room ON event.room = room.id
         WHERE room.code = $1 AND event.seq > $2 ORDER BY event.seq";
    let mut players = Both::default();
    let mut events = Vec::new();
    for (version, row) in (after + 1..).zip(backend.rows(sql, values![code, after]).await?) {
        let seq: u64 = row.get(0)?;
        // The error is logged: use the room's number, since anyone could join with the code.
        let room: i64 = row.get(2)?;
        let damaged = |why: &str| StorageError::Damaged(format!("room {room}, event {seq}: {why}"));
        if seq != version {
            return Err(damaged("the event before it is missing"));
        }
        players = Both::new(row.get(3)?, row.get(4)?);
        let body: String = row.get(1).map_err(|_| damaged("the event is not text"))?;
        // The parser's error could quote a choice.
        events.push(Logged::from_json(&body).map_err(|_| damaged("it is not an event"))?);
    }
    merge(backend, &mut events, players).await?;
    Ok(events)
}

/// Replaces accounts that were merged after they sat down with the room's current players.
async fn merge(backend: &Backend, events: &mut [Logged], players: Seats) -> Result<()> {
    let is_player = |account| players.one == Some(account) || players.two == Some(account);
    let mut merged = BTreeMap::new();
    for account in events.iter_mut().flat_map(accounts_of).filter(|account| !is_player(**account)) {
        if !merged.contains_key(account) {
            merged.insert(*account, accounts::current(backend, *account).await?);
        }
        *account = merged.get(account).copied().filter(|&now| is_player(now)).unwrap_or(*account);
    }
    Ok(())
}

/// Returns the accounts that an event names.
fn accounts_of(logged: &mut Logged) -> impl Iterator<Item = &mut AccountId> {
    let person = match &mut logged.event {
        RoomEvent::Created { creator: person, .. } | RoomEvent::Seated { person } => Some(person),
        _ => None,
    };
    let origin = logged.by.as_mut().map(|origin| &mut origin.account);
    origin.into_iter().chain(person.map(|person| &mut person.account))
}
