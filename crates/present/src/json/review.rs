//! JSON objects for reviews of recorded games.

use skirmish_play::{Mark, Review, ReviewedChoice, Verdict, Worth};
use skirmish_rules::Record;

use super::object::objects;
use super::types::{Named, Optional, PerPlayer, WordOr};
use super::{EndingObject, Mix, VariantObject};

objects! {
    /// The JSON output of `review`.
    pub struct ReviewObject {
        ..variant: VariantObject,
        names: PerPlayer<String> = "the players' names",
        choices: Vec<ReviewedChoiceObject> =
            "every choice in the order of play; in simultaneous games, Player 1's first",
        accuracy: PerPlayer<Option<f64>> = "for each player a number from 0 to 100, or null; see below",
        turning_point: Option<TurningPointObject> =
            "the choice that gave away the most, or the last such choice; null if none gave anything away",
        ; ..ending: EndingObject,
    }

    /// A reviewed choice.
    pub struct ReviewedChoiceObject {
        turn: usize = "the turn, from 1",
        player: u8 = "who chose",
        position: String = "the position before the choice",
        played: String = "the choice in notation",
        forced: bool = "whether it was the only legal choice",
        verdict: &'static str =
            "`opening`: a tournament chose it at random, and it is not judged; `best`; `good`: it gives nothing away, but there was a shorter win or a longer resistance; \
            `gave-away`",
        mark: Option<&'static str> =
            "`??`: it gave away one point or more, that is the win or the game; `?`: it gave away less; `!`: \
            it was the only one of several choices that gave nothing away",
        worth: WorthObject = "the value of the choice for the player",
        best: WorthObject = "the value of the best choice",
        best_moves: Vec<String> = "the best choices",
        keeping: Vec<String> = "all choices that give nothing away, best first",
        given_away: f64 = "the points that this choice gave away",
        at_stake: f64 = "the points that the worst choice would have given away; 0 in the opening",
        strategy: Optional<Mix> = "the player's optimal mix; only in Command Clash",
    }

    /// The value of a choice for the player who makes it.
    pub struct WorthObject {
        value: WordOr<f64> = "as in `analyze`; in Command Clash a number of points",
        plies: Optional<Option<u16>> = "as in `analyze`, counted from `position`; not in Command Clash",
    }

    /// The choice that gave away the most.
    pub struct TurningPointObject {
        turn: usize = "its turn",
        player: u8 = "who chose",
    }
}

impl ReviewObject {
    /// Combines a record with its review.
    #[must_use]
    pub fn of(record: &Record, review: &Review) -> Self {
        let turning_point = review.turning_point.map(|index| &review.choices[index]);
        Self {
            variant: VariantObject::of(record.entry, &record.settings),
            names: record.names.clone().into(),
            choices: review.choices.iter().map(ReviewedChoiceObject::from).collect(),
            accuracy: review.accuracy.into(),
            turning_point: turning_point
                .map(|it| TurningPointObject { turn: it.turn, player: it.side.number() }),
            ending: record.ending.into(),
        }
    }
}

impl From<&ReviewedChoice> for ReviewedChoiceObject {
    fn from(choice: &ReviewedChoice) -> Self {
        let is_mixed = matches!(choice.worth, Worth::Mixed(_));
        Self {
            turn: choice.turn,
            player: choice.side.number(),
            position: choice.position.clone(),
            played: choice.played.clone(),
            forced: choice.is_forced(),
            verdict: match choice.verdict {
                Verdict::Opening => "opening",
                Verdict::Best => "best",
                Verdict::Good => "good",
                Verdict::GaveAway { .. } => "gave-away",
            },
            mark: choice.mark().map(Mark::sign),
            worth: choice.worth.into(),
            best: choice.best.into(),
            best_moves: choice.best_choices.clone(),
            keeping: choice.keeping.clone(),
            given_away: choice.given_away(),
            at_stake: choice.at_stake,
            strategy: Optional(is_mixed.then(|| Named(choice.mix.clone()))),
        }
    }
}

impl From<Worth> for WorthObject {
    fn from(worth: Worth) -> Self {
        match worth {
            Worth::Exact(value) => {
                Self { value: WordOr::Word(value.word()), plies: Optional(Some(value.plies())) }
            }
            Worth::Mixed(points) => Self { value: WordOr::Number(points), plies: Optional(None) },
        }
    }
}
