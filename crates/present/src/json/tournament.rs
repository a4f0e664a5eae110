//! JSON objects for tournament results.

use super::VariantObject;
use super::object::objects;

objects! {
    /// The JSON output of `tournament`.
    pub struct TournamentObject {
        ..variant: VariantObject,
        format: &'static str = "the format, such as `round-robin`",
        seed: u64 = "the seed",
        games: usize = "the number of games played",
        standings: Vec<StandingObject> = "one object for each player, by place",
        encounters: Vec<EncounterObject> = "one object for each encounter",
        sprt: Option<SprtObject> = "the sequential test; null without one",
        folder: String = "the folder of the tournament",
    }

    /// The standing of a player.
    pub struct StandingObject {
        place: usize = "the place; tied players share one",
        player: String = "the name",
        program: String = "the level or the bot's command",
        games: u32 = "the number of games",
        won: u32 = "games won",
        drawn: u32 = "games drawn",
        lost: u32 = "games lost",
        points: f64 = "the points, including those of byes",
        score: f64 = "the mean score of a game",
        interval: [f64; 2] = "the 95 % interval of `score`, its lower and its upper end",
        elo: f64 = "the rating",
        error: Option<f64> = "half the width of the rating's 95 % interval; null for a player without games",
        pairs: [u32; 5] = "the numbers of pairs of games that scored 0, ½, 1, 1½ and 2 points",
        distinct: u32 = "the number of different pairs among them",
        bye: f64 = "the points of byes",
        faults: u32 = "the number of games that the player lost by a fault",
        reasons: Vec<ReasonObject> = "the faults by reason, the most frequent first",
    }

    /// A reason for faults, and how often it occurred.
    pub struct ReasonObject {
        reason: String = "the reason",
        games: u32 = "the number of games",
    }

    /// An encounter between two players.
    pub struct EncounterObject {
        round: usize = "the round, from 1",
        players: [String; 2] = "their names",
        won: u32 = "games won by the first of them",
        drawn: u32 = "games drawn",
        lost: u32 = "games lost by the first of them",
    }

    /// The sequential probability ratio test.
    pub struct SprtObject {
        elo0: f64 = "the difference in rating under the first hypothesis",
        elo1: f64 = "the difference under the second",
        alpha: f64 = "the accepted risk of accepting the second hypothesis although the first is true",
        beta: f64 = "the accepted risk of the opposite error",
        llr: f64 = "the log-likelihood ratio",
        bounds: [f64; 2] = "the values of `llr` at which a hypothesis is accepted",
        accepted: Option<&'static str> = "`elo0`, `elo1` or null while the test is open",
        text: Option<String> = "the result in a sentence",
    }
}
