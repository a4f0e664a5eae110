//! Redeems link codes and recovery codes, and merges guests into accounts.

use skirmish_room::wire::Offer;
use skirmish_room::{AccountId, Logged, Millis, RoomEvent};

use super::secret::Hash;
use super::{Backend, Order, Redeemed, Result, Secret, Storage, accounts, log, notices, values};

impl Storage {
    /// Makes `token` a credential of the account with this code. A link code is used up; a recovery code is not. If `guest`
    /// is not registered, its tokens, finished games and seats are merged into the account. If the two are playing each
    /// other, nothing changes.
    ///
    /// Where the two have played each other, the guest's seat remains the guest's, so that no account has both seats.
    pub async fn redeem(
        &self,
        code: &Secret,
        token: &Secret,
        guest: Option<AccountId>,
        now: Millis,
    ) -> Result<Redeemed> {
        let (code, token) = (code.hash(), token.hash());
        let job = async move |backend: &Backend| {
            if let Some(guest) = guest
                && let Some(game) = game_against(backend, &code, guest).await?
            {
                return Ok(Redeemed::Playing(game));
            }
            let Some(id) = redeemed(backend, &code, now).await? else {
                return Ok(Redeemed::Invalid);
            };
            accounts::add_credential(backend, id, &token).await?;
            if let Some(guest) = guest {
                let guest = accounts::current(backend, guest).await?;
                if guest != id && !accounts::is_registered(backend, guest).await? {
                    decline_rematches(backend, guest, id, now).await?;
                    merge(backend, guest, id).await?;
                }
            }
            Ok(accounts::with_id(backend, id).await?.map_or(Redeemed::Invalid, Redeemed::Account))
        };
        self.write(job).await
    }
}

/// Returns an unfinished game between the guest and the account with this code. Locks prevent either from taking a seat
/// before the commit.
async fn game_against(backend: &Backend, code: &Hash, guest: AccountId) -> Result<Option<String>> {
    let guest = accounts::current(backend, guest).await?;
    let lock = backend.locking(
        "SELECT id FROM account
         WHERE id = $1 OR recovery = $2 OR id IN (SELECT account FROM link WHERE hash = $2) ORDER BY id",
        "FOR UPDATE",
    );
    backend.query::<AccountId>(&lock, values![guest, code]).await?;
    let game = backend.first(
        "SELECT code FROM (SELECT account AS id FROM link WHERE hash = $1
                           UNION ALL SELECT id FROM account WHERE recovery = $1) AS holder
            JOIN room ON (account_1 = holder.id AND account_2 = $2)
                OR (account_1 = $2 AND account_2 = holder.id)
         WHERE stage <> 'over'",
        values![code, guest],
    );
    game.await
}

/// Returns the account with this link code or recovery code.
async fn redeemed(backend: &Backend, code: &Hash, now: Millis) -> Result<Option<AccountId>> {
    let linked = backend.first::<(AccountId, Millis)>(
        "DELETE FROM link WHERE hash = $1 RETURNING account, expires",
        values![code],
    );
    if let Some((account, expires)) = linked.await? {
        return Ok((now < expires).then_some(account));
    }
    let sql = "SELECT id FROM account WHERE recovery = $1";
    backend.first(sql, values![code]).await
}

/// Declines the rematches offered between a guest and an account: nobody could play the guest's seat.
async fn decline_rematches(
    backend: &Backend,
    guest: AccountId,
    account: AccountId,
    now: Millis,
) -> Result<()> {
    let codes = backend.query::<String>(
        "SELECT code FROM room
         WHERE (account_1 = $1 AND account_2 = $2) OR (account_1 = $2 AND account_2 = $1)",
        values![guest, account],
    );
    for code in codes.await? {
        let events = log::read(backend, &code, 0).await?;
        let is_news = |logged: &&Logged| !matches!(logged.event, RoomEvent::Said { .. });
        let Some(last) = events.iter().rfind(is_news) else { continue };
        if let RoomEvent::Offered { side, what: Offer::Rematch } = last.event {
            let event =
                RoomEvent::Answered { side: side.other(), what: Offer::Rematch, yes: false };
            let answer = Logged { at: now.max(last.at), by: None, left: None, event };
            let add = "INSERT INTO event (room, seq, body)
                SELECT id, $1, $2 FROM room WHERE code = $3 ON CONFLICT DO NOTHING";
            let (seq, body) = (events.len() as u64 + 1, answer.to_json());
            backend.execute(add, values![seq, &body, &code]).await?;
        }
    }
    Ok(())
}

/// Merges a locked guest into another account.
async fn merge(backend: &Backend, guest: AccountId, into: AccountId) -> Result<()> {
    for change in [
        // Avoid chains: `current` follows only one link.
        "UPDATE account SET merged_into = $1 WHERE merged_into = $2",
        "UPDATE account SET merged_into = $1 WHERE id = $2",
        "UPDATE credential SET account = $1 WHERE account = $2",
        // No account may get both seats of a room.
        "UPDATE room SET account_1 = $1 WHERE account_1 = $2 AND account_2 IS DISTINCT FROM $1",
        "UPDATE room SET account_2 = $1 WHERE account_2 = $2 AND account_1 IS DISTINCT FROM $1",
        "UPDATE finished SET account_1 = $1 WHERE account_1 = $2 AND account_2 IS DISTINCT FROM $1",
        "UPDATE finished SET account_2 = $1 WHERE account_2 = $2 AND account_1 IS DISTINCT FROM $1",
    ] {
        backend.execute(change, values![into, guest]).await?;
    }
    backend.execute("DELETE FROM link WHERE account = $1", values![guest]).await?;
    // The guest's connections return as the account's, and every node reloads its rooms.
    notices::post(backend, &Order::Merge(guest)).await
}
