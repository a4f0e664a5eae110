//! What lists say about rooms.

use skirmish_room::{AccountId, Logged, Millis, RoomEvent};
use skirmish_rules::Both;

use super::accounts;
use super::error::StorageError;
use super::pairing::Wish;
use super::session::Session;
use super::value::{FromValue, Value, values};

/// What stage a room is in, as far as lists are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoomStage {
    /// It waits for the second player.
    Open,
    /// It is being played.
    Playing,
    /// It is over, or was closed.
    Over,
}

/// What lists say about a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomIndex {
    /// Its stage.
    pub stage: RoomStage,
    /// Whether anybody may join it.
    pub public: bool,
    /// Whether anybody may watch it.
    pub watchable: bool,
    /// The players; none for a free seat or the computer.
    pub accounts: Both<Option<AccountId>>,
}

/// The games of a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomGames {
    /// The stage of the room.
    pub stage: RoomStage,
    /// Whether anybody may watch them.
    pub watchable: bool,
    /// How many of them are over and stored.
    pub finished: u32,
}

impl RoomStage {
    const ALL: [(Self, &str); 3] =
        [(Self::Open, "open"), (Self::Playing, "playing"), (Self::Over, "over")];
}

impl From<RoomStage> for Value<'_> {
    fn from(stage: RoomStage) -> Self {
        Self::Text(RoomStage::ALL[stage as usize].1)
    }
}

impl<'a> FromValue<'a> for RoomStage {
    fn from_value(value: Value<'a>) -> Option<Self> {
        let text = <&str>::from_value(value)?;
        let found = Self::ALL.into_iter().find(|(_, word)| *word == text);
        found.map(|(stage, _)| stage)
    }
}

/// What events mean for lists. It is noted together with the events, so that no crash comes between them: a room that is
/// missing from the lists would not be woken when the server is back.
#[derive(Default)]
pub(super) struct Listing {
    public: bool,
    watchable: bool,
    creator: Option<AccountId>,
    wish: Option<Wish>,
    seated: Option<AccountId>,
    stage: Option<RoomStage>,
}

impl Listing {
    /// What events mean for lists. Only the room knows which events end a game; [`finish`] notes that later.
    pub(super) fn of(events: &[Logged]) -> Result<Self, StorageError> {
        let mut listing = Self::default();
        let aborts = events.iter().any(|it| matches!(it.event, RoomEvent::Aborted { .. }));
        for logged in events {
            match &logged.event {
                RoomEvent::Created { terms, creator, .. } => {
                    listing.public = terms.public;
                    listing.watchable = terms.spectators;
                    listing.creator = Some(creator.account);
                    listing.wish = Wish::of(terms)?;
                }
                RoomEvent::Seated { person } => listing.seated = Some(person.account),
                RoomEvent::Began => listing.stage = Some(RoomStage::Playing),
                // With a game that is aborted the room is over when its result is stored.
                RoomEvent::Closed if aborts => {}
                RoomEvent::Closed => listing.stage = Some(RoomStage::Over),
                RoomEvent::Chose { .. }
                | RoomEvent::Offered { .. }
                | RoomEvent::Answered { .. }
                | RoomEvent::Resigned { .. }
                | RoomEvent::Claimed { .. }
                | RoomEvent::Flagged { .. }
                | RoomEvent::Aborted { .. }
                | RoomEvent::Said { .. }
                | RoomEvent::Paused
                | RoomEvent::Resumed => {}
            }
        }
        Ok(listing)
    }

    /// Whether lists of a room that is not new change.
    pub(super) const fn is_news(&self) -> bool {
        self.seated.is_some() || self.stage.is_some()
    }
}

/// Adds a room, and returns its number; none if there is a room with this code already. Its creator is there.
pub(super) async fn add(
    session: &Session,
    code: &str,
    listing: &Listing,
) -> Result<Option<i64>, StorageError> {
    let Listing { public, watchable, creator, wish, .. } = listing;
    let creator = current(session, *creator).await?;
    let (terms, seat) = (wish.as_ref().map(Wish::terms), wish.as_ref().map(Wish::seat));
    let add = session.add(
        "INSERT INTO room (code, stage, public, watchable, account_1, terms, seat, offered)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (code) DO NOTHING RETURNING id",
        values![code, RoomStage::Open, *public, *watchable, creator, terms, seat, wish.is_some()],
    );
    add.await
}

/// Records who has taken a seat in a room, and its stage. Returns false if that account already has the other seat: two
/// accounts may have been merged in the meantime.
pub(super) async fn list(
    session: &Session,
    room: i64,
    listing: &Listing,
) -> Result<bool, StorageError> {
    let Listing { seated, stage, .. } = listing;
    if !listing.is_news() {
        return Ok(true);
    }
    // The creator has the first place.
    let seated = current(session, *seated).await?;
    let changed = session.execute(
        "UPDATE room SET account_2 = coalesce($1, account_2), stage = coalesce($2, stage)
         WHERE id = $3 AND coalesce(account_1, 0) IS DISTINCT FROM $1",
        values![seated, *stage, room],
    );
    Ok(changed.await? > 0)
}

/// Notes that a game of a room is finished, and whether the room is over with it. Returns whether that is news.
pub(super) async fn finish(
    session: &Session,
    code: &str,
    number: u32,
    is_last: bool,
) -> Result<bool, StorageError> {
    let stage = is_last.then_some(RoomStage::Over);
    let changed = session.execute(
        "UPDATE room SET finished = $1, stage = coalesce($2, stage)
         WHERE code = $3 AND finished < $1",
        values![number, stage, code],
    );
    Ok(changed.await? > 0)
}

/// The account that an account was merged into, and stays so until the commit.
async fn current(
    session: &Session,
    account: Option<AccountId>,
) -> Result<Option<AccountId>, StorageError> {
    match account {
        Some(account) => accounts::current_locked(session, account).await.map(Some),
        None => Ok(None),
    }
}

/// Whether there is such a room.
pub(super) async fn exists(session: &Session, code: &str) -> Result<bool, StorageError> {
    Ok(find(session, code).await?.is_some())
}

/// The account that an account is now, if it has a seat in a room.
pub(super) async fn seated(
    session: &Session,
    code: &str,
    account: AccountId,
) -> Result<Option<AccountId>, StorageError> {
    let seated = session.first(
        "SELECT now.id FROM (SELECT coalesce(merged_into, id) AS id FROM account WHERE id = $1) AS now
            JOIN room ON now.id = room.account_1 OR now.id = room.account_2
         WHERE code = $2",
        values![account, code],
        |row| row.get(0),
    );
    seated.await
}

/// The number of a room.
pub(super) async fn find(session: &Session, code: &str) -> Result<Option<i64>, StorageError> {
    session.first("SELECT id FROM room WHERE code = $1", values![code], |row| row.get(0)).await
}

/// The games of a room, as far as they are known without its log.
pub(super) async fn games(
    session: &Session,
    code: &str,
) -> Result<Option<RoomGames>, StorageError> {
    let sql = "SELECT stage, watchable, finished FROM room WHERE code = $1";
    let games = session.first(sql, values![code], |row| {
        Ok(RoomGames { stage: row.get(0)?, watchable: row.get(1)?, finished: row.get(2)? })
    });
    games.await
}

/// The stage of a room.
pub(super) async fn stage(
    session: &Session,
    code: &str,
) -> Result<Option<RoomStage>, StorageError> {
    session.first("SELECT stage FROM room WHERE code = $1", values![code], |row| row.get(0)).await
}

/// Notes when the server was running.
pub(super) async fn beat(session: &Session, now: Millis) -> Result<(), StorageError> {
    session
        .execute(
            "INSERT INTO heartbeat (id, at) VALUES (1, $1)
             ON CONFLICT (id) DO UPDATE SET at = excluded.at",
            values![now],
        )
        .await?;
    Ok(())
}

/// Until when the server was running; 0 if it never was.
pub(super) async fn ran_until(session: &Session) -> Result<Millis, StorageError> {
    let at = session.first("SELECT at FROM heartbeat", [], |row| row.get(0));
    Ok(at.await?.unwrap_or(0))
}

/// Writes something and removes it again, which fails if the disk is full or the database is read-only.
pub(super) async fn probe(session: &Session) -> Result<(), StorageError> {
    // More than a database page. No account has the number 0.
    const TEXT: &str = match str::from_utf8(&[b' '; 8192]) {
        Ok(text) => text,
        Err(_) => unreachable!(),
    };
    let add = "INSERT INTO ban (account, at, reason) VALUES (0, 0, $1)";
    session.execute(add, values![TEXT]).await?;
    session.execute("DELETE FROM ban WHERE account = 0", []).await?;
    Ok(())
}

/// The time of the newest event in a room that is not over, in `SQLite`; 0 if there is none.
pub(super) async fn newest(session: &Session) -> Result<Millis, StorageError> {
    let newest = session.first(
        "SELECT max(CASE WHEN json_valid(body) THEN body ->> 'at' END)
         FROM room JOIN event ON event.room = room.id
            AND event.seq = (SELECT max(seq) FROM event WHERE event.room = room.id)
         WHERE stage <> 'over'",
        [],
        |row| row.get::<Option<Millis>>(0),
    );
    Ok(newest.await?.flatten().unwrap_or(0))
}

/// Notes what lists say about a room.
pub(super) async fn index(
    session: &Session,
    code: &str,
    index: RoomIndex,
) -> Result<(), StorageError> {
    // A game that is going on may still name an account that was merged meanwhile.
    let accounts = accounts::current_pair(session, index.accounts).await?;
    let RoomIndex { stage, public, watchable, accounts: _ } = index;
    session
        .execute(
            "INSERT INTO room (code, stage, public, watchable, account_1, account_2)
             VALUES ($1, $2, $3, $4, $5, $6)
             ON CONFLICT (code) DO UPDATE SET stage = excluded.stage, public = excluded.public,
                watchable = excluded.watchable, account_1 = excluded.account_1,
                account_2 = excluded.account_2",
            values![code, stage, public, watchable, accounts.one, accounts.two],
        )
        .await?;
    Ok(())
}

/// The rooms that are not over.
pub(super) async fn unfinished(
    session: &Session,
) -> Result<Vec<(String, RoomIndex)>, StorageError> {
    let rooms = session.query(
        "SELECT code, stage, public, watchable, account_1, account_2 FROM room
         WHERE stage <> 'over' ORDER BY id",
        [],
        |row| {
            let index = RoomIndex {
                stage: row.get(1)?,
                public: row.get(2)?,
                watchable: row.get(3)?,
                accounts: Both::new(row.get(4)?, row.get(5)?),
            };
            Ok((row.get(0)?, index))
        },
    );
    rooms.await
}

/// The rooms with the account `$1` that are not over. Each half has an index of its own, so that games that are over, of which
/// there are ever more, cost nothing.
macro_rules! unfinished {
    () => {
        "SELECT id, code FROM room WHERE account_1 = $1 AND stage <> 'over'
         UNION ALL
         SELECT id, code FROM room
         WHERE account_2 = $1 AND account_1 IS DISTINCT FROM $1 AND stage <> 'over'"
    };
}

/// The room, not over yet, to which a message of this account led: as its creator, or by `seeking` as the second player.
pub(super) async fn led_to(
    session: &Session,
    account: AccountId,
    message: &str,
    seeking: bool,
) -> Result<Option<String>, StorageError> {
    let account = accounts::current(session, account).await?;
    // An account has few such rooms. Somebody sits down in the second event of a room at the earliest, and a message is
    // noted at its first event only. PostgreSQL never begins with a subquery here; a join that it planned for a database
    // that was still empty looked up the message in all rooms first.
    let rooms = session.query(
        concat!(
            "WITH own AS (",
            unfinished!(),
            ") SELECT code,
                 (SELECT account FROM event WHERE room = own.id AND seq = 1 AND message = $2),
                 (SELECT account FROM event WHERE room = own.id AND seq = 2 AND message = $2)
               FROM own ORDER BY id"
        ),
        values![account, message],
        |row| Ok((row.get(0)?, [row.get(1)?, row.get::<Option<AccountId>>(2)?])),
    );
    let seats = if seeking { 2 } else { 1 };
    for (code, senders) in rooms.await? {
        for sender in senders.into_iter().take(seats).flatten() {
            if accounts::current(session, sender).await? == account {
                return Ok(Some(code));
            }
        }
    }
    Ok(None)
}

/// The rooms with this account that are not over.
pub(super) async fn of(session: &Session, account: AccountId) -> Result<Vec<String>, StorageError> {
    of_current(session, accounts::current(session, account).await?).await
}

/// The same for an account that was not merged.
pub(super) async fn of_current(
    session: &Session,
    account: AccountId,
) -> Result<Vec<String>, StorageError> {
    let codes =
        session.query(concat!(unfinished!(), " ORDER BY id"), values![account], |row| row.get(1));
    codes.await
}

#[cfg(test)]
mod tests {
    use super::super::Storage;

    #[test]
    fn games_that_are_over_are_not_looked_at() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        drop(Storage::open(folder.path()).expect("the database opens"));
        let database = rusqlite::Connection::open(folder.path().join("skirmish.db"));
        let database = database.expect("a database");
        let sql = concat!("EXPLAIN QUERY PLAN ", unfinished!(), " ORDER BY id");
        let mut statement = database.prepare(sql).expect("valid SQL");
        let steps = statement.query_map([1], |row| row.get::<_, String>(3)).expect("a plan");
        let plan = steps.map(|step| step.expect("a step")).collect::<Vec<_>>().join("\n");
        for index in ["room_unfinished_1", "room_unfinished_2"] {
            assert!(plan.contains(&format!("USING INDEX {index} ")), "{plan}");
        }
        assert!(!plan.contains("SCAN") && !plan.contains("TEMP B-TREE"), "{plan}");
    }
}
