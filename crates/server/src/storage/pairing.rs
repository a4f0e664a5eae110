//! People who seek a game find each other.

use skirmish_room::{AccountId, Millis, SideWish, Terms};

use super::{Append, Result, Session, Storage, StorageError, accounts, fair_play, log, values};

/// How long a room that was found is kept for whoever found it.
const CLAIM: Millis = 10_000;

/// What came of seeking a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sought {
    /// A room of somebody else on the same terms, which is kept for the seeker for a few seconds.
    Found(String),
    /// There is none: the seeker's own room has been created.
    Created,
}

impl Storage {
    /// Finds a room for somebody who seeks a game: the oldest open one that is offered on the same terms by somebody else.
    /// It is kept for a few seconds. If there is none, `create` is appended, the first events of a room on these terms.
    ///
    /// # Errors
    /// As for [`Storage::append`]. If nobody could find a game on these terms, since it is not public or against the
    /// computer, [`StorageError::Damaged`].
    pub async fn seek(
        &self,
        terms: &Terms,
        account: AccountId,
        now: Millis,
        create: Append,
    ) -> Result<Sought> {
        let Some(wish) = Wish::of(terms)? else {
            let what = "nobody can find a game on these terms".to_owned();
            return Err(StorageError::Damaged { what });
        };
        let rows = create.rows()?;
        // Games of players who are barred from rated ones are not found meanwhile.
        let (aborted_since, barred_since) = if terms.rated {
            (now.saturating_sub(fair_play::WITHIN), now.saturating_sub(fair_play::BARRED))
        } else {
            (now, now)
        };
        let job = async move |session: &Session| {
            // Two who seek the same at the same time find each other: one comes after the other.
            if let Session::Postgres(client) = session {
                let lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))";
                client.query(lock, &values![&wish.terms]).await?;
            }
            let account = accounts::current(session, account).await?;
            // The toss might give the creator the seat that is sought.
            let found = session.first(
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
                ],
                |row| Ok((row.get::<i64>(0)?, row.get(1)?)),
            );
            let Some((room, code)) = found.await? else {
                return Ok(log::append(session, &rows).await?.map(|()| Sought::Created));
            };
            let sql = "UPDATE room SET claimed = $1 WHERE id = $2";
            session.execute(sql, values![now.saturating_add(CLAIM), room]).await?;
            Ok(Ok(Sought::Found(code)))
        };
        self.write(job).await?
    }

    /// Notes whether the creator of an open room is there, so that others find it. A new room is offered.
    pub async fn offer(&self, code: &str, is_offered: bool) -> Result<()> {
        let code = code.to_owned();
        let job = async move |session: &Session| {
            let sql = "UPDATE room SET offered = $1 WHERE code = $2";
            session.execute(sql, values![is_offered, &code]).await.map(drop)
        };
        self.write(job).await
    }
}

/// What a public room offers, or somebody seeks.
pub(super) struct Wish {
    /// The terms that both must want, as text.
    pub(super) terms: String,
    /// The seat of whoever wishes it.
    seat: SideWish,
}

impl Wish {
    /// What these terms offer; none if nobody can find them. They are in their one form.
    pub(super) fn of(terms: &Terms) -> Result<Option<Self>> {
        if !terms.public || terms.level.is_some() {
            return Ok(None);
        }
        let seat = terms.seat;
        // Whether others may watch is up to whoever creates the room.
        let shared = Terms { seat: SideWish::Toss, spectators: true, ..terms.clone() };
        Ok(Some(Self { terms: log::json(&shared)?, seat }))
    }

    pub(super) const fn seat(&self) -> &'static str {
        word(self.seat)
    }

    /// The creator's seat of the rooms that would do.
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
