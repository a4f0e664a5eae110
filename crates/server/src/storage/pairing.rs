//! Creates rooms, and pairs people who seek a game.

use skirmish_room::{AccountId, Millis, SideWish, Terms};
use skirmish_rules::Both;

use super::log::Rows;
use super::meter::Appending;
use super::{
    Append, Backend, Guard, Result, Storage, StorageError, accounts, fair_play, log, rooms, values,
};

/// How long a found room is reserved for the seeker.
const CLAIM: Millis = 10_000;

/// The result of creating a room or seeking a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sought {
    /// Another player's room on the same terms, reserved for the seeker for a few seconds.
    Found(String),
    /// There was no such room, or none was sought: the account's own room has been created.
    Created(String),
    /// The unfinished room that an earlier copy of the message led to.
    Known(String),
    /// The account already has the maximum number of unfinished rooms.
    AtLimit,
}

impl Storage {
    /// Appends `create`, the first events of a room, unless an earlier copy of their message created one, or the account has
    /// `most` unfinished rooms.
    ///
    /// # Errors
    /// As for [`Storage::append`].
    pub async fn create(
        &self,
        create: Append,
        guard: Option<Guard>,
        most: usize,
    ) -> Result<Sought> {
        let appending = Appending::begin(&create.events);
        let rows = Rows::of(create, guard)?;
        let job = async move |backend: &Backend| match check(backend, &rows, most, false).await? {
            Some(instead) => Ok(Ok(instead)),
            None => store(backend, &rows).await,
        };
        let result = self.write(job).await.and_then(|stored| stored);
        if matches!(result, Ok(Sought::Created(_)) | Err(_)) {
            self.0.meter.appended(&appending, result.as_ref().err());
        }
        result
    }

    /// Finds the oldest open room that another player offers on the same terms, and reserves it for the seeker for a few
    /// seconds. If there is none, creates a room on these terms as in [`Storage::create`].
    ///
    /// # Errors
    /// As for [`Storage::append`]. [`StorageError::Damaged`] if nobody could find a game on these terms, because it is
    /// private or against the computer.
    pub async fn seek(
        &self,
        terms: &Terms,
        account: AccountId,
        now: Millis,
        create: Append,
        guard: Option<Guard>,
        most: usize,
    ) -> Result<Sought> {
        let Some(wish) = Wish::of(terms)? else {
            let what = "nobody can find a game on these terms".to_owned();
            return Err(StorageError::Damaged(what));
        };
        let rows = Rows::of(create, guard)?;
        // Skip games whose creators are currently barred from rated games.
        let (aborted_since, barred_since) = if terms.rated {
            (now.saturating_sub(fair_play::WITHIN), now.saturating_sub(fair_play::BARRED))
        } else {
            (now, now)
        };
        let job = async move |backend: &Backend| {
            // Serialise seekers of the same terms, so that two at the same time find each other.
            if let Backend::Postgres(client) = backend {
                let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
                client.query(lock, &[(&wish.terms).into()]).await?;
            }
            if let Some(instead) = check(backend, &rows, most, true).await? {
                return Ok(Ok(instead));
            }
            let account = accounts::current(backend, account).await?;
            // Exclude tosses if the seeker wants a certain seat: the toss might give it to the creator.
            let found = backend.first::<(i64, String)>(
                "SELECT id, code FROM room
                 WHERE terms = $1 AND stage = 'open' AND offered AND claimed <= $2
                    AND account_1 IS DISTINCT FROM $3 AND $4 IN ('any', seat)
                    AND NOT EXISTS (SELECT count(*) FROM aborted WHERE account = account_1 AND at > $5
                        HAVING count(*) >= $6 AND max(at) > $7)
                 ORDER BY id LIMIT 1",
                values![
                    &wish.terms,
                    now,
                    account,
                    wish.opposite(),
                    aborted_since,
                    fair_play::MOST_ABORTED,
                    barred_since,
                ]);
            let Some((room, code)) = found.await? else {
                return store(backend, &rows).await;
            };
            let sql = "UPDATE room SET claimed = $1 WHERE id = $2";
            backend.execute(sql, values![now.saturating_add(CLAIM), room]).await?;
            Ok(Ok(Sought::Found(code)))
        };
        self.write(job).await?
    }

    /// Records whether a room's creator is present, so that seekers can find the room. A new room is offered.
    pub async fn offer(&self, code: &str, is_offered: bool) -> Result<()> {
        let sql = "UPDATE room SET offered = $1 WHERE code = $2";
        self.0.writer.execute(sql, values![is_offered, code]).await.map(drop)
    }
}

/// Creates the account's own room.
async fn store(backend: &Backend, rows: &Rows) -> Result<Result<Sought>> {
    let stored = log::store(backend, rows).await?;
    Ok(stored.map(|()| Sought::Created(rows.code.clone())))
}

/// Returns the result for a message that must not create or find a room, because an earlier copy of it did, or the account
/// has `most` unfinished rooms. Locks the account, so that its concurrent requests take turns on all nodes.
async fn check(
    backend: &Backend,
    rows: &Rows,
    most: usize,
    seeking: bool,
) -> Result<Option<Sought>> {
    let Some((account, message)) = rows.origin() else { return Ok(None) };
    let locked = accounts::lock(backend, Both::new(Some(account), None)).await?;
    let account = locked.one.unwrap_or(account);
    let (known, count) = rooms::room_of_message(backend, account, message, seeking).await?;
    let at_limit = (count >= most).then_some(Sought::AtLimit);
    Ok(known.map(Sought::Known).or(at_limit))
}

/// The terms and the seat that a public room offers, or that somebody seeks.
pub(super) struct Wish {
    /// The terms on which both must agree, serialised.
    pub(super) terms: String,
    /// The seat wanted by the creator or seeker.
    seat: SideWish,
}

impl Wish {
    /// Returns the offer in these normalised terms; `None` if seekers cannot find it.
    pub(super) fn of(terms: &Terms) -> Result<Option<Self>> {
        if !terms.public || terms.level.is_some() {
            return Ok(None);
        }
        let seat = terms.seat;
        // The creator alone decides whether others may watch.
        let shared = Terms { seat: SideWish::Toss, spectators: true, ..terms.clone() };
        Ok(Some(Self { terms: log::json(&shared)?, seat }))
    }

    pub(super) const fn seat(&self) -> &'static str {
        word(self.seat)
    }

    /// Returns the creator's wish that would suit this seeker.
    const fn opposite(&self) -> &'static str {
        match self.seat {
            SideWish::P1 => word(SideWish::P2),
            SideWish::P2 => word(SideWish::P1),
            SideWish::Toss => "any",
        }
    }
}

const fn word(seat: SideWish) -> &'static str {
    match seat {
        SideWish::P1 => "p1",
        SideWish::P2 => "p2",
        SideWish::Toss => "toss",
    }
}
