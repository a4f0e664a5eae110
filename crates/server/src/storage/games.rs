//! Finished games and ratings.

use skirmish_room::wire::{End, Finished, Leader};
use skirmish_room::{AccountId, Millis};
use skirmish_rules::{Both, Side};

use super::error::StorageError;
use super::session::Session;
use super::value::values;
use super::{accounts, fair_play, rooms};
use crate::rating::{self, Rating};

/// How many players a leaderboard has.
const LEADERS: u32 = 20;

/// A rating is provisional if it is more uncertain than this, or comes from fewer opponents. It is not on the leaderboard.
const CERTAIN_DEVIATION: f64 = 150.0;
const CERTAIN_OPPONENTS: u32 = 5;

/// How many games a history has.
const HISTORY: u32 = 50;

/// A finished game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FinishedGame {
    /// The room.
    pub code: String,
    /// Which game of the room it was, from 1.
    pub number: u32,
    /// The game's id.
    pub game: String,
    /// The players' names.
    pub names: Both<String>,
    /// The players; none for the computer.
    pub accounts: Both<Option<AccountId>>,
    /// How it ended.
    pub end: End,
    /// The date, as in records.
    pub date: Option<String>,
    /// Whether it counts for ratings, if both players are registered.
    pub rated: bool,
    /// The players who have aborted it.
    pub aborted_by: Both<bool>,
    /// When it ended.
    pub at: Millis,
    /// Whether the room is over with it.
    pub is_last: bool,
}

/// Notes and rates a finished game, unless that has been done before.
pub(super) async fn finish(session: &Session, game: &FinishedGame) -> Result<(), StorageError> {
    if !rooms::finish(session, &game.code, game.number, game.is_last).await? {
        return Ok(());
    }
    let accounts = accounts::current_pair(session, game.accounts).await?;
    let id = session.add(
        "INSERT INTO finished (code, number, game, name_1, name_2, account_1, account_2, result,
            termination, date)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) RETURNING id",
        values![
            &game.code,
            game.number,
            &game.game,
            &game.names.one,
            &game.names.two,
            accounts.one,
            accounts.two,
            game.end.result(),
            game.end.termination(),
            &game.date,
        ],
    );
    let (Some(id), Both { one: Some(one), two: Some(two) }) = (id.await?, accounts) else {
        return Ok(());
    };
    if !game.rated || one == two {
        return Ok(());
    }
    let players = Both::new(one, two);
    for side in Side::ALL.into_iter().filter(|&side| game.aborted_by[side]) {
        fair_play::note_aborted(session, players[side], game.at).await?;
    }
    let Some(outcome) = game.end.outcome() else { return Ok(()) };
    if !are_registered(session, one, two).await? {
        return Ok(());
    }
    let before = Both::new(
        rating_of(session, one, &game.game).await?.unwrap_or(Rating::NEW),
        rating_of(session, two, &game.game).await?.unwrap_or(Rating::NEW),
    );
    let after = rating::rate(before, outcome);
    let is_new = !have_played(session, one, two, &game.game).await?;
    for side in Side::ALL {
        store_rating(session, players[side], &game.game, after[side], is_new).await?;
    }
    let sql = "UPDATE finished SET rating_1 = $1, rating_2 = $2 WHERE id = $3";
    session.execute(sql, values![after.one.value, after.two.value, id]).await?;
    Ok(())
}

/// Whether two accounts are registered. Both are locked until the commit, in the same order by everybody, so that no other
/// game changes their ratings meanwhile.
async fn are_registered(
    session: &Session,
    one: AccountId,
    two: AccountId,
) -> Result<bool, StorageError> {
    let lower = accounts::is_registered(session, one.min(two)).await?;
    Ok(accounts::is_registered(session, one.max(two)).await? && lower)
}

/// Whether two accounts have played a rated game of this kind before.
async fn have_played(
    session: &Session,
    one: AccountId,
    two: AccountId,
    game: &str,
) -> Result<bool, StorageError> {
    let found = session.first(
        "SELECT 1 FROM finished
         WHERE ((account_1 = $1 AND account_2 = $2) OR (account_1 = $2 AND account_2 = $1))
            AND game = $3 AND rating_1 IS NOT NULL LIMIT 1",
        values![one, two, game],
        |_| Ok(()),
    );
    Ok(found.await?.is_some())
}

async fn rating_of(
    session: &Session,
    account: AccountId,
    game: &str,
) -> Result<Option<Rating>, StorageError> {
    let found = session.first(
        "SELECT rating, deviation, volatility FROM rating WHERE account = $1 AND game = $2",
        values![account, game],
        |row| Ok(Rating { value: row.get(0)?, deviation: row.get(1)?, volatility: row.get(2)? }),
    );
    found.await
}

async fn store_rating(
    session: &Session,
    account: AccountId,
    game: &str,
    after: Rating,
    is_new_opponent: bool,
) -> Result<(), StorageError> {
    session
        .execute(
            "INSERT INTO rating (account, game, rating, deviation, volatility, games, opponents)
             VALUES ($1, $2, $3, $4, $5, 1, $6)
             ON CONFLICT (account, game) DO UPDATE SET rating = excluded.rating,
                deviation = excluded.deviation, volatility = excluded.volatility,
                games = rating.games + 1, opponents = rating.opponents + excluded.opponents",
            values![
                account,
                game,
                after.value,
                after.deviation,
                after.volatility,
                u32::from(is_new_opponent),
            ],
        )
        .await?;
    Ok(())
}

/// The rating of an account in a game, rounded, and whether it is provisional.
pub(super) async fn rating(
    session: &Session,
    account: AccountId,
    game: &str,
) -> Result<Option<(i32, bool)>, StorageError> {
    let account = accounts::current(session, account).await?;
    let found = session.first(
        "SELECT rating, deviation <= $1 AND opponents >= $2 FROM rating
         WHERE account = $3 AND game = $4",
        values![CERTAIN_DEVIATION, CERTAIN_OPPONENTS, account, game],
        |row| Ok((rating::rounded(row.get(0)?), !row.get::<bool>(1)?)),
    );
    found.await
}

/// The best players of a game.
pub(super) async fn leaders(session: &Session, game: &str) -> Result<Vec<Leader>, StorageError> {
    let leaders = session.query(
        "SELECT name, rating, deviation, games FROM rating JOIN account ON id = account
         WHERE game = $1 AND deviation <= $2 AND opponents >= $3
         ORDER BY rating DESC, id LIMIT $4",
        values![game, CERTAIN_DEVIATION, CERTAIN_OPPONENTS, LEADERS],
        |row| {
            Ok(Leader {
                name: row.get(0)?,
                rating: rating::rounded(row.get(1)?),
                deviation: rating::rounded(row.get(2)?),
                games: row.get(3)?,
            })
        },
    );
    leaders.await
}

/// The newest games of an account.
pub(super) async fn history(
    session: &Session,
    account: AccountId,
) -> Result<Vec<Finished>, StorageError> {
    let account = accounts::current(session, account).await?;
    // Each half reads the newest rows of its index, however many games there are.
    let games = session.query(
        "SELECT id, 1 AS side, code, number, game, name_1, name_2, result, termination, date, rating_1
         FROM (SELECT * FROM finished WHERE account_1 = $1 ORDER BY id DESC LIMIT $2) AS first
         UNION ALL
         SELECT id, 2 AS side, code, number, game, name_1, name_2, result, termination, date, rating_2
         FROM (SELECT * FROM finished WHERE account_2 = $1 AND account_1 IS DISTINCT FROM $1
            ORDER BY id DESC LIMIT $2) AS second
         ORDER BY id DESC LIMIT $2",
        values![account, HISTORY],
        |row| {
            let you = if row.get::<i64>(1)? == 1 { Side::One } else { Side::Two };
            Ok(Finished {
                code: row.get(2)?,
                number: row.get(3)?,
                game: row.get(4)?,
                names: Both::new(row.get(5)?, row.get(6)?).into(),
                you: you.number(),
                end: End::read(&row.get::<String>(7)?, &row.get::<String>(8)?)
                    .map_err(|what| StorageError::Damaged { what })?,
                date: row.get(9)?,
                rating: row.get::<Option<f64>>(10)?.map(rating::rounded),
            })
        },
    );
    games.await
}
