//! JSON objects for the contents of a map.

use serde::Serialize;

use super::object::objects;
use super::types::PerPlayer;
use super::{BoardObject, Mix, PressureObject};

objects! {
    /// The map of an alternating game with one token for each player.
    pub struct OutcomesObject {
        ..board: BoardObject,
        map: &'static str = "`outcomes`",
        axes: PerPlayer<AxisObject> = "for each player, the numbers along that side of the grid",
        chosen: String = "the marked position",
        cells: Vec<OutcomeCellObject> = "every reachable position",
    }

    /// The map of a simultaneous game.
    pub struct ValuesObject {
        ..board: BoardObject,
        map: &'static str = "`values`",
        axes: PerPlayer<AxisObject> = "as in `outcomes`",
        chosen: String = "the marked position",
        value: f64 = "its value for Player 1, as in `analyze`",
        error: f64 = "an upper bound on the error of `value`",
        strategy: PerPlayer<Mix> = "for each player, an optimal mix at that position, as in `analyze`",
        worth: PerPlayer<Mix> =
            "for each player, the value of each action at that position against the other player's mix",
        cells: Vec<ValueCellObject> = "every reachable position",
    }

    /// The map of a game with several units, which counts positions; finished games are left out.
    pub struct CensusObject {
        ..board: BoardObject,
        map: &'static str = "`census`",
        positions: u32 = "the number of positions that are counted",
        finished: u32 = "the number of finished games, which are left out",
        wins: u32 = "the number of `positions` that are won for the player to move",
        losses: u32 = "the number of lost positions",
        draws: u32 = "the number of drawn positions",
        endless: u32 = "the number of endless positions",
        by_units: Vec<TallyObject> = "the same four, by each player's number of units",
        by_steps_left: Vec<TallyObject> =
            "the same four, by the steps that each player's foremost unit has left to go; null for a player \
            without units",
        by_plies: Vec<PliesObject> = "wins, losses and draws by their plies",
    }

    /// The range of numbers along one side of a grid.
    pub struct AxisObject {
        label: &'static str = "the meaning of the numbers",
        first: u8 = "the first number",
        last: u8 = "the last number",
    }

    /// A position on the map of outcomes.
    pub struct OutcomeCellObject {
        position: String = "the position",
        turn: Option<u8> = "who is to move",
        at: [u8; 2] = "Player 1's number and Player 2's",
        value: &'static str = "as in `analyze`",
        plies: Option<u16> = "as in `analyze`",
        over: bool = "whether the game is over",
        draw: Option<PressureObject> = "who is under pressure, as in `analyze`",
    }

    /// A position on the map of values.
    pub struct ValueCellObject {
        position: String = "the position",
        at: [u8; 2] = "Player 1's number and Player 2's",
        value: f64 = "its value for Player 1",
        error: f64 = "an upper bound on the error of `value`",
        over: bool = "whether the game is over",
    }

    /// Counts of positions with the same number for each player.
    pub struct TallyObject {
        own: Option<u8> = "the number of the player to move",
        other: Option<u8> = "the number of the other player",
        wins: u32 = "positions won for the player to move",
        losses: u32 = "positions lost",
        draws: u32 = "positions drawn",
        endless: u32 = "endless positions",
    }

    /// Counts of positions at one distance from the end.
    pub struct PliesObject {
        plies: u16 = "the plies to the end",
        wins: u32 = "positions won for the player to move",
        losses: u32 = "positions lost",
        draws: u32 = "positions drawn",
    }
}

/// The JSON output of `map`.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum MapObject {
    /// The map of an alternating game on a plane.
    Outcomes(OutcomesObject),
    /// The map of a simultaneous game on a plane.
    Values(ValuesObject),
    /// Counts of positions.
    Census(CensusObject),
}
