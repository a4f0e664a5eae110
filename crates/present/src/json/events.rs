//! JSON objects for the events of a game in progress.

use skirmish_play::{Score, Session};
use skirmish_rules::{Both, Change, Ending, Piece, Side, Table, Telling, Tempo};

use super::object::objects;
use super::types::{Optional, PerPlayer};
use super::{OutcomeObject, PositionObject, VariantObject, legal};
use crate::you;

objects! {
    /// An event in the stream of a game.
    #[serde(tag = "event", rename_all = "lowercase")]
    pub enum EventObject {
        /// a game begins
        Start(StartObject),
        /// a saved game continues
        Resume(StartObject),
        /// after `start`, `resume` or `undo`, and after each turn
        Position(PositionObject),
        /// a person has to choose; a line is read
        Prompt {
            player: u8 = "who chooses",
            text: String = "the question",
            legal: Vec<String> = "the legal choices",
        },
        /// a choice has been made and waits for the other player's
        Waiting { player: u8 = "who has chosen" },
        /// the computer or a bot moves; not sent in simultaneous games
        Choice { player: u8 = "who moves", r#move: String = "the move in notation" },
        /// turns are taken back; a `position` follows
        Undo { turns: Vec<String> = "the remaining turns" },
        /// a hosted game waits for a second player, or is resumed
        Invitation { code: String = "the code of the game", url: String = "the address to join it" },
        /// a draw, a takeback or a rematch is offered; a line is read, `yes` or `no`
        Question { text: String = "the question" },
        /// an answer to `help`, `rules`, `board`, `moves`, `history`, `hint`, `analyze` or `save`, or news such as a declined draw
        Note { text: String = "the answer" },
        /// a line was rejected; nothing has changed
        Error { text: String = "the reason" },
        /// the game has ended
        End {
            outcome: OutcomeObject = "the outcome",
            result: &'static str = "the result as in [records](records.md#tags)",
            termination: String = "the reason as in records",
            turns: usize = "the number of turns played",
            fault: Option<String> =
                "the fault of a bot that ended the game, as in the tag `Fault`, or null",
        },
        /// a game of a match has ended
        Score {
            names: PerPlayer<String> = "the players' names",
            score: PerPlayer<f64> = "their points",
            over: bool = "whether the match is over",
        },
        /// the game ends early: `quit`, or the end of the input
        Leave,
    }
}

objects! {
    /// A change on the board. Pieces are described as they were before it.
    #[serde(untagged)]
    pub enum ChangeObject {
        /// a new piece appears on the board
        Appears { appears: PieceObject = "the piece" },
        /// a piece moves to another place
        Moves { moves: PieceObject = "the piece before the move", to: u8 = "the new place" },
        /// a piece's strength changes
        Strengthens { strengthens: PieceObject = "the piece before the change", to: u8 = "the new strength" },
        /// a piece leaves the board
        Vanishes { vanishes: PieceObject = "the piece" },
        /// a player's points change
        Gauge { gauge: u8 = "the player", to: u8 = "the player's new points" },
    }
}

objects! {
    /// The start or resumption of a game.
    pub struct StartObject {
        ..variant: VariantObject,
        names: PerPlayer<String> = "the players' names",
        first: Option<u8> = "who makes the first move; null in simultaneous games",
        from: Option<String> = "the starting position; null for the rulebook's start",
        tossed: bool = "whether a coin toss has just decided who starts",
        seed: Option<u64> = "the seed, in the game in which it was used or given",
        r#match: Option<MatchObject> = "the state of the match; null for a single game",
        turns: Vec<String> = "the turns played before, in notation",
    }

    /// The state of a match before a game.
    pub struct MatchObject {
        game: u32 = "the number of this game in the match, from 1",
        of: u32 = "the number of games in the match",
        score: PerPlayer<f64> = "the points of each player before this game",
    }

    /// An event within a turn.
    pub struct TurnEventObject {
        event: &'static str = "the kind of event",
        turn: usize = "the turn it belongs to, from 1",
        text: String = "the sentence for the players; it may have several lines",
        you: Optional<PerPlayer<Option<String>>> = "online and for the page, if it differs: the sentence addressed to each player, or null",
        changes: Vec<ChangeObject> = "the changes on the board, in order",
    }

    /// A piece on the board.
    pub struct PieceObject {
        player: u8 = "the owner of the piece",
        at: u8 = "the place of the piece",
        strength: Option<u8> = "the strength; null in games without strengths",
    }
}

impl StartObject {
    /// Describes a game that begins or continues.
    #[must_use]
    pub fn of(session: &Session, tossed: bool, seed: Option<u64>) -> Self {
        let table = session.table();
        let starts = table.tempo() == Tempo::Alternating;
        let record = session.record();
        let standing = record.standing.map(|standing| MatchObject {
            game: standing.game,
            of: standing.of,
            score: points(standing.half_points),
        });
        Self {
            variant: VariantObject::of(table.entry(), table.settings()),
            names: table.names().clone().into(),
            first: starts.then(|| table.first().number()),
            from: record.position,
            tossed,
            seed,
            r#match: standing,
            turns: table.history(),
        }
    }
}

impl EventObject {
    /// Describes a side's prompt.
    #[must_use]
    pub fn prompt(table: &dyn Table, side: Side) -> Self {
        let text = table.prompt(side).ask.trim_end().to_owned();
        Self::Prompt { player: side.number(), text, legal: legal(table, side) }
    }

    /// Describes the end of a game.
    #[must_use]
    pub fn end(session: &Session, ending: Ending) -> Self {
        Self::End {
            outcome: ending.outcome.into(),
            result: ending.outcome.score(),
            termination: ending.termination.to_string(),
            turns: session.table().turns_played(),
            fault: session.fault().map(str::to_owned),
        }
    }

    /// Describes the score of a match.
    #[must_use]
    pub fn score(score: &Score, over: bool) -> Self {
        let (names, score) = (score.names.clone().into(), points(score.half_points));
        Self::Score { names, score, over }
    }
}

impl TurnEventObject {
    /// Describes an event of turn `turn`.
    #[must_use]
    pub fn of(turn: usize, telling: Telling) -> Self {
        let Telling { kind, sentence, changes } = telling;
        let changes = changes.into_iter().map(ChangeObject::from).collect();
        Self { event: kind, turn, text: sentence, you: Optional(None), changes }
    }

    /// Describes the events of the last turn at a table.
    #[must_use]
    pub fn last_turn(table: &dyn Table) -> Vec<Self> {
        let turn = table.turns_played();
        table.last_turn().into_iter().map(|telling| Self::of(turn, telling)).collect()
    }

    /// The same events, also addressed to each player.
    #[must_use]
    pub fn addressed(table: &dyn Table) -> Vec<Self> {
        let mut events = Self::last_turn(table);
        for (event, you) in events.iter_mut().zip(you::sentences(table)) {
            let you = you.map(|sentence| sentence.filter(|sentence| *sentence != event.text));
            event.you = Optional((you != Both::default()).then(|| you.into()));
        }
        events
    }
}

impl From<Change> for ChangeObject {
    fn from(change: Change) -> Self {
        match change {
            Change::Appears(piece) => Self::Appears { appears: piece.into() },
            Change::Moves { piece, to } => Self::Moves { moves: piece.into(), to },
            Change::Strengthens { piece, to } => {
                Self::Strengthens { strengthens: piece.into(), to }
            }
            Change::Vanishes(piece) => Self::Vanishes { vanishes: piece.into() },
            Change::Gauge { side, to } => Self::Gauge { gauge: side.number(), to },
        }
    }
}

impl From<Piece> for PieceObject {
    fn from(Piece { at, side, strength }: Piece) -> Self {
        Self { player: side.number(), at, strength }
    }
}

fn points(half_points: Both<u32>) -> PerPlayer<f64> {
    half_points.map(|half| f64::from(half) / 2.0).into()
}
