//! Finished games and ratings.

use skirmish_room::wire::{End, Finished, Leader};
use skirmish_room::{AccountId, FinishedGame};
use skirmish_rules::{Both, Side};

use super::{
    Backend, FromRow, Result, Row, Seats, Storage, StorageError, accounts, fair_play, from_row,
    listing, values,
};
use crate::rating::{self, Rating};

/// Maximum number of players on a leaderboard.
const LEADERS: u32 = 20;

/// A rating with a larger deviation, or from fewer opponents, is provisional and does not appear on the leaderboard.
const CERTAIN_DEVIATION: f64 = 150.0;
const CERTAIN_OPPONENTS: u32 = 5;

/// Maximum number of games in a history.
const HISTORY: u32 = 50;

impl Storage {
    /// Returns an account's rounded rating in a game, and whether it is provisional. `None` before the first rated game.
    pub async fn rating(&self, account: AccountId, game: &str) -> Result<Option<(i32, bool)>> {
        let game = game.to_owned();
        let job = async move |backend: &Backend| {
            let account = accounts::current(backend, account).await?;
            let found = backend.first(
                "SELECT rating, NOT (deviation <= $1 AND opponents >= $2) FROM rating
                 WHERE account = $3 AND game = $4",
                values![CERTAIN_DEVIATION, CERTAIN_OPPONENTS, account, &game],
            );
            let found: Option<(f64, bool)> = found.await?;
            Ok(found.map(|(rating, is_provisional)| (rating::rounded(rating), is_provisional)))
        };
        self.read(job).await
    }

    /// Returns the best players of a game with ratings that are not provisional, best first.
    pub async fn leaders(&self, game: &str) -> Result<Vec<Leader>> {
        let sql = "SELECT name, rating, deviation, games FROM rating JOIN account ON id = account
            WHERE game = $1 AND deviation <= $2 AND opponents >= $3
            ORDER BY rating DESC, id LIMIT $4";
        let values = values![game, CERTAIN_DEVIATION, CERTAIN_OPPONENTS, LEADERS];
        self.0.reader.query(sql, values).await
    }

    /// Returns the most recently finished games of an account, newest first.
    pub async fn history(&self, account: AccountId) -> Result<Vec<Finished>> {
        let job = async move |backend: &Backend| {
            let account = accounts::current(backend, account).await?;
            // Each half reads the newest rows of its index, regardless of the number of games.
            let sql = "SELECT id, 1 AS side, code, number, game, name_1, name_2, result,
                    termination, date, rating_1
                FROM (SELECT * FROM finished WHERE account_1 = $1 ORDER BY id DESC LIMIT $2) AS first
                UNION ALL
                SELECT id, 2 AS side, code, number, game, name_1, name_2, result, termination,
                    date, rating_2
                FROM (SELECT * FROM finished
                    WHERE account_2 = $1 AND account_1 IS DISTINCT FROM $1
                    ORDER BY id DESC LIMIT $2) AS second
                ORDER BY id DESC LIMIT $2";
            backend.query(sql, values![account, HISTORY]).await
        };
        self.read(job).await
    }
}

/// Stores the result of a finished game, unless that has already been done. Updates the ratings if the game was rated, had an
/// outcome and was played by two registered accounts, and records who aborted it. The caller has locked the players' accounts.
pub(super) async fn finish(backend: &Backend, game: &FinishedGame, players: Seats) -> Result<()> {
    if !listing::finish(backend, &game.code, game.number, game.is_last).await? {
        return Ok(());
    }
    let accounts = accounts::distinct(game.accounts, players);
    let id = backend.first::<i64>(
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
    if one == two {
        return Ok(());
    }
    let players = Both::new(one, two);
    for side in Side::ALL.into_iter().filter(|&side| game.aborted_by[side]) {
        fair_play::note_aborted(backend, players[side], game.at).await?;
    }
    let Some(outcome) = game.end.outcome().filter(|_| game.rated) else { return Ok(()) };
    if !are_registered(backend, one, two).await? {
        return Ok(());
    }
    let before = Both::new(
        rating_of(backend, one, &game.game).await?,
        rating_of(backend, two, &game.game).await?,
    );
    let after = rating::rate(before, outcome);
    let is_new = !have_played(backend, one, two, &game.game).await?;
    for side in Side::ALL {
        store_rating(backend, players[side], &game.game, after[side], is_new).await?;
    }
    let sql = "UPDATE finished SET rating_1 = $1, rating_2 = $2 WHERE id = $3";
    backend.execute(sql, values![after.one.rating, after.two.rating, id]).await.map(drop)
}

/// Whether two accounts are registered. An account into which another was merged just before the lock is locked only here.
async fn are_registered(backend: &Backend, one: AccountId, two: AccountId) -> Result<bool> {
    let lower = accounts::is_registered(backend, one.min(two)).await?;
    Ok(accounts::is_registered(backend, one.max(two)).await? && lower)
}

/// Whether two accounts have played a rated match of this game before.
async fn have_played(
    backend: &Backend,
    one: AccountId,
    two: AccountId,
    game: &str,
) -> Result<bool> {
    let found = backend.first::<i64>(
        "SELECT 1 FROM finished
         WHERE ((account_1 = $1 AND account_2 = $2) OR (account_1 = $2 AND account_2 = $1))
            AND game = $3 AND rating_1 IS NOT NULL LIMIT 1",
        values![one, two, game],
    );
    Ok(found.await?.is_some())
}

async fn rating_of(backend: &Backend, account: AccountId, game: &str) -> Result<Rating> {
    let sql = "SELECT rating, deviation, volatility FROM rating WHERE account = $1 AND game = $2";
    Ok(backend.first(sql, values![account, game]).await?.unwrap_or_default())
}

async fn store_rating(
    backend: &Backend,
    account: AccountId,
    game: &str,
    after: Rating,
    is_new_opponent: bool,
) -> Result<()> {
    backend
        .execute(
            "INSERT INTO rating (account, game, rating, deviation, volatility, games, opponents)
             VALUES ($1, $2, $3, $4, $5, 1, $6)
             ON CONFLICT (account, game) DO UPDATE SET rating = excluded.rating,
                deviation = excluded.deviation, volatility = excluded.volatility,
                games = rating.games + 1, opponents = rating.opponents + excluded.opponents",
            values![
                account,
                game,
                after.rating,
                after.deviation,
                after.volatility,
                u32::from(is_new_opponent),
            ],
        )
        .await?;
    Ok(())
}

from_row!(Rating { rating, deviation, volatility });

impl FromRow for Leader {
    fn from_row(row: &Row) -> Result<Self> {
        Ok(Self {
            name: row.get(0)?,
            rating: rating::rounded(row.get(1)?),
            deviation: rating::rounded(row.get(2)?),
            games: row.get(3)?,
        })
    }
}

impl FromRow for Finished {
    fn from_row(row: &Row) -> Result<Self> {
        let you = if row.get::<i64>(1)? == 1 { Side::One } else { Side::Two };
        Ok(Self {
            code: row.get(2)?,
            number: row.get(3)?,
            game: row.get(4)?,
            names: Both::new(row.get(5)?, row.get(6)?).into(),
            you: you.number(),
            end: End::read(&row.get::<String>(7)?, &row.get::<String>(8)?)
                .map_err(StorageError::Damaged)?,
            date: row.get(9)?,
            rating: row.get::<Option<f64>>(10)?.map(rating::rounded),
        })
    }
}
