//! Finished games and ratings.

use rusqlite::{Connection, OptionalExtension};
use skirmish_room::AccountId;
use skirmish_room::wire::{End, Finished, Leader};
use skirmish_rules::{Both, Side};

use super::error::StorageError;
use super::{accounts, rooms};
use crate::rating::{self, Rating};

/// How many players a leaderboard has.
const LEADERS: u32 = 20;

/// Whose rating is more uncertain than this is not on the leaderboard.
const LEADERS_DEVIATION: f64 = 200.0;

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
    /// Whether the room is over with it.
    pub is_last: bool,
}

/// Notes and rates a finished game, unless that has been done before.
pub(super) fn finish(connection: &Connection, game: &FinishedGame) -> Result<(), StorageError> {
    if !rooms::finish(connection, &game.code, game.number, game.is_last)? {
        return Ok(());
    }
    let accounts = accounts::current_pair(connection, game.accounts)?;
    let mut insert = connection.prepare_cached(
        "INSERT INTO finished (code, number, game, name_1, name_2, account_1, account_2, result,
            termination, date)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    insert.execute((
        &game.code,
        game.number,
        &game.game,
        &game.names.one,
        &game.names.two,
        accounts.one,
        accounts.two,
        &game.end.result,
        &game.end.termination,
        &game.date,
    ))?;
    if !game.rated {
        return Ok(());
    }
    let id = connection.last_insert_rowid();
    let Some(outcome) = rating::outcome(&game.end.result) else { return Ok(()) };
    let Both { one: Some(one), two: Some(two) } = accounts else { return Ok(()) };
    let is_registered = |account| accounts::is_registered(connection, account);
    if one == two || !is_registered(one)? || !is_registered(two)? {
        return Ok(());
    }
    let before = Both::new(
        rating_of(connection, one, &game.game)?.unwrap_or(Rating::NEW),
        rating_of(connection, two, &game.game)?.unwrap_or(Rating::NEW),
    );
    let after = rating::rate(before, outcome);
    store_rating(connection, one, &game.game, after.one)?;
    store_rating(connection, two, &game.game, after.two)?;
    let mut update =
        connection.prepare_cached("UPDATE finished SET rating_1 = ?, rating_2 = ? WHERE id = ?")?;
    update.execute((after.one.value, after.two.value, id))?;
    Ok(())
}

fn rating_of(
    connection: &Connection,
    account: AccountId,
    game: &str,
) -> Result<Option<Rating>, StorageError> {
    let mut query = connection.prepare_cached(
        "SELECT rating, deviation, volatility FROM rating WHERE account = ? AND game = ?",
    )?;
    let found = query.query_row((account, game), |row| {
        Ok(Rating { value: row.get(0)?, deviation: row.get(1)?, volatility: row.get(2)? })
    });
    Ok(found.optional()?)
}

fn store_rating(
    connection: &Connection,
    account: AccountId,
    game: &str,
    after: Rating,
) -> Result<(), StorageError> {
    let mut upsert = connection.prepare_cached(
        "INSERT INTO rating (account, game, rating, deviation, volatility, games)
         VALUES (?, ?, ?, ?, ?, 1)
         ON CONFLICT (account, game) DO UPDATE SET rating = excluded.rating,
            deviation = excluded.deviation, volatility = excluded.volatility, games = games + 1",
    )?;
    upsert.execute((account, game, after.value, after.deviation, after.volatility))?;
    Ok(())
}

/// The rating of an account in a game, rounded.
pub(super) fn rating(
    connection: &Connection,
    account: AccountId,
    game: &str,
) -> Result<Option<i32>, StorageError> {
    let account = accounts::current(connection, account)?;
    let rating = rating_of(connection, account, game)?;
    Ok(rating.map(|rating| rating::rounded(rating.value)))
}

/// The best players of a game.
pub(super) fn leaders(connection: &Connection, game: &str) -> Result<Vec<Leader>, StorageError> {
    let mut query = connection.prepare_cached(
        "SELECT name, rating, deviation, games FROM rating JOIN account ON id = account
         WHERE game = ? AND deviation <= ? ORDER BY rating DESC, id LIMIT ?",
    )?;
    let leaders = query.query_map((game, LEADERS_DEVIATION, LEADERS), |row| {
        Ok(Leader {
            name: row.get(0)?,
            rating: rating::rounded(row.get(1)?),
            deviation: rating::rounded(row.get(2)?),
            games: row.get(3)?,
        })
    })?;
    Ok(leaders.collect::<Result<_, _>>()?)
}

/// The newest games of an account.
pub(super) fn history(
    connection: &Connection,
    account: AccountId,
) -> Result<Vec<Finished>, StorageError> {
    let account = accounts::current(connection, account)?;
    // Each half reads the newest rows of its index, however many games there are.
    let mut query = connection.prepare_cached(
        "SELECT 1 AS side, * FROM
            (SELECT * FROM finished WHERE account_1 = ?1 ORDER BY id DESC LIMIT ?2)
         UNION ALL
         SELECT 2 AS side, * FROM
            (SELECT * FROM finished WHERE account_2 = ?1 AND account_1 IS NOT ?1
             ORDER BY id DESC LIMIT ?2)
         ORDER BY id DESC LIMIT ?2",
    )?;
    let games = query.query_map((account, HISTORY), |row| {
        let you = if row.get::<_, u8>("side")? == 1 { Side::One } else { Side::Two };
        let ratings: Both<Option<f64>> = Both::new(row.get("rating_1")?, row.get("rating_2")?);
        Ok(Finished {
            code: row.get("code")?,
            number: row.get("number")?,
            game: row.get("game")?,
            names: Both::new(row.get("name_1")?, row.get("name_2")?).into(),
            you: you.number(),
            end: End { result: row.get("result")?, termination: row.get("termination")? },
            date: row.get("date")?,
            rating: ratings[you].map(rating::rounded),
        })
    })?;
    Ok(games.collect::<Result<_, _>>()?)
}
