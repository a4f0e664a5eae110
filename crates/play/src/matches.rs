//! Matches: best of N, with alternating starts or swapped seats (R-ALL-5).

#[cfg(test)]
mod tests;

use skirmish_rules::{
    Both, Entry, Names, Outcome, Record, RecordError, Settings, Setup, Side, Standing, Starter,
};

use crate::player::{BotCommand, Player};
use crate::session::{Session, tag};

/// A game about to be played, alone or as part of a match.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The game.
    pub entry: &'static Entry,
    /// The rule options.
    pub settings: Settings,
    /// The players' names.
    pub names: Names,
    /// Who plays each side.
    pub players: Both<Player>,
    /// Who makes the first move.
    pub first: Side,
    /// Whether a coin toss decided who starts (R-ALL-1).
    pub is_tossed: bool,
    /// The starting position, as in [`StartingPoint`]; `None` for the rulebook's start.
    ///
    /// [`StartingPoint`]: skirmish_rules::StartingPoint
    pub position: Option<String>,
    /// The game's number in its match, and the score before it.
    pub standing: Option<Standing>,
    /// The date.
    pub date: Option<String>,
    /// The seed, if the game uses random numbers.
    pub seed: Option<u64>,
    /// The turn limit of each game.
    pub turn_limit: Option<u32>,
}

/// The score of a match, in the seats of its last game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// The players' names.
    pub names: Names,
    /// The players' half points.
    pub half_points: Both<u32>,
}

/// The state of a match after a game.
#[derive(Clone, Debug)]
pub enum MatchState {
    /// The match continues with this game.
    Next(Score, Box<Plan>),
    /// The match is over: it is decided, or all its games have been played.
    Over(Score),
}

impl MatchState {
    /// Returns the score after the game.
    #[must_use]
    pub fn into_score(self) -> Score {
        match self {
            Self::Next(score, _) | Self::Over(score) => score,
        }
    }
}

impl Plan {
    /// Restores the plan of a recorded game. Its bots are [`Player::Absent`]; see [`Plan::seat`].
    #[must_use]
    pub fn of(record: &Record) -> Self {
        Self {
            entry: record.entry,
            settings: record.settings.clone(),
            names: record.names.clone(),
            players: Both::from_fn(|side| match tag(record, &bot_tag(side)) {
                Some(command) => Player::Absent(command.to_owned()),
                None => tag(record, &level_tag(side)).and_then(Player::named).unwrap_or_default(),
            }),
            first: record.first,
            is_tossed: false,
            position: record.position.clone(),
            standing: record.standing,
            date: record.date.clone(),
            seed: record.seed,
            turn_limit: record.turn_limit,
        }
    }

    /// Returns the standing before the first of `games` games.
    #[must_use]
    pub const fn first_of(games: u32) -> Standing {
        Standing { game: 1, of: games, half_points: Both::new(0, 0) }
    }

    /// Starts a session for the plan's game.
    ///
    /// # Panics
    /// If the position does not belong to the game, which [`Proposal::plan`](crate::Proposal::plan) and records rule
    /// out.
    #[must_use]
    pub fn begin(&self) -> Session {
        let setup = Setup {
            settings: self.settings.clone(),
            first: self.first,
            names: self.names.clone(),
            position: self.position.clone(),
        };
        let table = self.entry.open(setup).expect("the position is one of the game");
        let levels = Side::ALL.into_iter().filter_map(|side| {
            let level = self.players[side].level()?;
            Some((level_tag(side), level.to_string()))
        });
        Session::begin(table)
            .noting(self.date.clone(), self.standing, self.seed, self.turn_limit)
            .tagged(levels.chain(self.bot_tags()).collect())
    }

    /// Resumes the game of a record with the bots of this plan.
    ///
    /// # Errors
    /// If a turn of the record is not legal.
    pub fn resume(&self, mut record: Record) -> Result<Session, RecordError> {
        for (name, command) in self.bot_tags() {
            let before = record.other_tags.iter_mut().find(|(other, _)| *other == name);
            if let Some((_, value)) = before {
                *value = command;
            }
        }
        Session::resume(record)
    }

    /// Gives a side a bot.
    pub fn seat(&mut self, side: Side, bot: BotCommand) {
        self.players[side] = Player::Bot(bot);
    }

    /// Returns the sides whose bots are absent, with their commands from the record.
    #[must_use]
    pub fn absent(&self) -> Vec<(Side, &str)> {
        let absent = Side::ALL.into_iter().filter_map(|side| match &self.players[side] {
            Player::Absent(command) => Some((side, command.as_str())),
            Player::Human | Player::Computer(_) | Player::Bot(_) => None,
        });
        absent.collect()
    }

    /// The side of the only person who plays, if there is just one.
    #[must_use]
    pub fn only_person(&self) -> Option<Side> {
        let people = Side::ALL.into_iter().filter(|&side| self.players[side].is_human());
        people.collect::<Vec<Side>>().try_into().map(|[side]: [Side; 1]| side).ok()
    }

    /// Whether a side has a computer player, which needs the solved game.
    #[must_use]
    pub fn has_computer(&self) -> bool {
        self.players.one.level().is_some() || self.players.two.level().is_some()
    }

    fn bot_tags(&self) -> impl Iterator<Item = (String, String)> {
        Side::ALL.into_iter().filter_map(|side| {
            let command = self.players[side].bot()?;
            Some((bot_tag(side), Record::tag_value(&command)))
        })
    }

    /// Returns the state of the match after this game; `None` if the game is not part of a match.
    #[must_use]
    pub fn after(&self, outcome: Outcome) -> Option<MatchState> {
        let standing = self.standing?;
        let mut half_points = standing.half_points;
        match outcome {
            Outcome::Won(side) => half_points[side] += 2,
            Outcome::Draw => half_points = half_points.map(|half| half + 1),
        }
        let score = Score { names: self.names.clone(), half_points };
        if half_points.one.max(half_points.two) > standing.of || standing.game == standing.of {
            return Some(MatchState::Over(score));
        }
        let standing = Standing { game: standing.game + 1, half_points, ..standing };
        let next = Self { standing: Some(standing), is_tossed: false, ..self.clone() };
        Some(MatchState::Next(score, Box::new(next.change_over())))
    }

    /// Returns the plan of the same game or match with the same seats.
    #[must_use]
    pub fn again(&self) -> Self {
        Self {
            standing: self.standing.map(|standing| Self::first_of(standing.of)),
            // The same seed would produce the same game.
            seed: self.seed.map(|seed| seed.wrapping_add(1)),
            is_tossed: false,
            ..self.clone()
        }
    }

    /// Returns the plan of the same game or match with the seats swapped. A game from a position starts from that
    /// position again, so that each player plays both sides.
    #[must_use]
    pub fn rematch(&self) -> Self {
        // A default name, which names the seat, becomes the new seat's default name.
        let name = |side: Side| {
            let before = side.other();
            match self.names[before].strip_prefix(&before.to_string()) {
                Some(rest) => format!("{side}{rest}"),
                None => self.names[before].clone(),
            }
        };
        Self { names: Both::from_fn(name), players: self.players.clone().swapped(), ..self.again() }
    }

    /// R-ALL-5: alternates the starter. If Player 1 always starts, or a position determines who moves, the players swap
    /// seats.
    fn change_over(self) -> Self {
        if swaps_seats(self.entry, self.position.is_some()) {
            return Self {
                names: self.names.swapped(),
                players: self.players.swapped(),
                standing: self.standing.map(|standing| Standing {
                    half_points: standing.half_points.swapped(),
                    ..standing
                }),
                ..self
            };
        }
        match self.entry.starter {
            Starter::Toss => Self { first: self.first.other(), ..self },
            Starter::PlayerOne | Starter::Nobody => self,
        }
    }
}

/// R-ALL-5: whether the players of a match swap seats between games. They always do if the games start from a position,
/// because the position's two sides differ.
pub(crate) fn swaps_seats(entry: &Entry, from_position: bool) -> bool {
    from_position || entry.starter == Starter::PlayerOne
}

/// Returns the record tag for the level of a side's computer player.
#[must_use]
pub fn level_tag(side: Side) -> String {
    format!("Level{}", side.number())
}

/// Returns the record tag for the command of a side's bot.
#[must_use]
pub fn bot_tag(side: Side) -> String {
    format!("Bot{}", side.number())
}

impl Score {
    /// Returns the side in the lead; `None` if the score is level.
    #[must_use]
    pub fn leader(&self) -> Option<Side> {
        Side::ALL.into_iter().find(|&side| self.half_points[side] > self.half_points[side.other()])
    }

    /// Formats a side's points as `1½` or `2`.
    #[must_use]
    pub fn points(&self, side: Side) -> String {
        points(self.half_points[side])
    }
}

/// Formats half points as `1½` or `2`.
#[must_use]
pub fn points(half_points: u32) -> String {
    match (half_points / 2, half_points % 2) {
        (whole, 0) => whole.to_string(),
        (0, _) => "½".to_owned(),
        (whole, _) => format!("{whole}½"),
    }
}
