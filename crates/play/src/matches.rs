//! Matches: best of N, with the start or the seats changing hands (R-ALL-5).

use skirmish_rules::{
    Both, Entry, Names, Outcome, Record, RecordError, Settings, Setup, Side, Standing, Starter,
};

use crate::bot::BotCommand;
use crate::player::Player;
use crate::session::{Session, tag};

/// A game that is going to be played, alone or as part of a match.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The game.
    pub entry: &'static Entry,
    /// The rule options.
    pub settings: Settings,
    /// Who sits where.
    pub names: Names,
    /// Which of them are computers or bots.
    pub players: Both<Player>,
    /// Who makes the first move.
    pub first: Side,
    /// The game's place in its match.
    pub standing: Option<Standing>,
    /// The day.
    pub date: Option<String>,
    /// The seed, where chance has a part in it.
    pub seed: Option<u64>,
    /// The turn limit of each game.
    pub turn_limit: Option<u32>,
}

/// The score of a match, for those who sit as Player 1 and Player 2 in its last game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Score {
    /// Who they are.
    pub names: Names,
    /// Their half points.
    pub half_points: Both<u32>,
}

/// What comes after a game.
#[derive(Clone, Debug)]
pub enum MatchState {
    /// The next game of the match.
    Next(Score, Box<Plan>),
    /// The match is decided, or all its games have been played.
    Over(Score),
}

impl Plan {
    /// The plan that a record follows. Its bots are absent: see [`Plan::seat`].
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
            standing: record.standing,
            date: record.date.clone(),
            seed: record.seed,
            turn_limit: record.turn_limit,
        }
    }

    /// The first of `games` games.
    #[must_use]
    pub const fn first_of(games: u32) -> Standing {
        Standing { game: 1, of: games, half_points: Both::new(0, 0) }
    }

    /// Sits down to play it.
    #[must_use]
    pub fn begin(&self) -> Session {
        let setup = Setup {
            settings: self.settings.clone(),
            first: self.first,
            names: self.names.clone(),
            position: None,
        };
        let table = self.entry.open(setup).unwrap_or_else(|_| unreachable!("no position is set"));
        let levels = Side::ALL.into_iter().filter_map(|side| {
            let level = self.players[side].level()?;
            Some((level_tag(side), level.to_string()))
        });
        Session::begin(table)
            .noting(self.date.clone(), self.standing, self.seed, self.turn_limit)
            .tagged(levels.chain(self.bot_tags()).collect())
    }

    /// Goes on with the game of a record, with the bots that are seated here.
    ///
    /// # Errors
    /// When a turn of the record is not legal.
    pub fn resume(&self, mut record: Record) -> Result<Session, RecordError> {
        for (name, command) in self.bot_tags() {
            let before = record.other_tags.iter_mut().find(|(other, _)| *other == name);
            if let Some((_, value)) = before {
                *value = command;
            }
        }
        Session::resume(record)
    }

    /// Seats a bot.
    pub fn seat(&mut self, side: Side, bot: BotCommand) {
        self.players[side] = Player::Bot(bot);
    }

    /// The seats whose bots are known from a record only, with the commands it has.
    #[must_use]
    pub fn absent(&self) -> Vec<(Side, &str)> {
        let absent = Side::ALL.into_iter().filter_map(|side| match &self.players[side] {
            Player::Absent(command) => Some((side, command.as_str())),
            Player::Human | Player::Computer(_) | Player::Bot(_) => None,
        });
        absent.collect()
    }

    /// Whether somebody takes part who has to know the game's solution.
    #[must_use]
    pub fn has_computer(&self) -> bool {
        self.players.one.level().is_some() || self.players.two.level().is_some()
    }

    /// Whether the game can be played again from its seed: only computers of ours take part.
    #[must_use]
    pub fn is_repeatable(&self) -> bool {
        self.players.one.level().is_some() && self.players.two.level().is_some()
    }

    fn bot_tags(&self) -> impl Iterator<Item = (String, String)> {
        Side::ALL.into_iter().filter_map(|side| {
            let command = self.players[side].bot()?;
            Some((bot_tag(side), Record::tag_value(&command)))
        })
    }

    /// What comes after this game, if it is part of a match.
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
        let next = Self { standing: Some(standing), ..self.clone() };
        Some(MatchState::Next(score, Box::new(next.change_over())))
    }

    /// The same game, or match, once more, with the seats swapped.
    #[must_use]
    pub fn rematch(&self) -> Self {
        // Whoever is called after a seat is called after the new one.
        let name = |side: Side| {
            let before = side.other();
            match self.names[before].strip_prefix(&before.to_string()) {
                Some(rest) => format!("{side}{rest}"),
                None => self.names[before].clone(),
            }
        };
        Self {
            names: Both::from_fn(name),
            players: self.players.clone().swapped(),
            standing: self.standing.map(|standing| Self::first_of(standing.of)),
            // The same chance again would be the same game again.
            seed: self.seed.map(|seed| seed.wrapping_add(1)),
            ..self.clone()
        }
    }

    /// R-ALL-5: who starts alternates; where Player 1 always starts, the people swap seats.
    fn change_over(self) -> Self {
        match self.entry.starter {
            Starter::Toss => Self { first: self.first.other(), ..self },
            Starter::Nobody => self,
            Starter::PlayerOne => Self {
                names: self.names.swapped(),
                players: self.players.swapped(),
                standing: self.standing.map(|standing| Standing {
                    half_points: standing.half_points.swapped(),
                    ..standing
                }),
                ..self
            },
        }
    }
}

/// The tag of a record that says at which level a computer plays a side.
pub(crate) fn level_tag(side: Side) -> String {
    format!("Level{}", side.number())
}

/// The tag of a record that says which bot plays a side.
pub(crate) fn bot_tag(side: Side) -> String {
    format!("Bot{}", side.number())
}

impl Score {
    /// Who leads, unless it is level.
    #[must_use]
    pub fn leader(&self) -> Option<Side> {
        Side::ALL.into_iter().find(|&side| self.half_points[side] > self.half_points[side.other()])
    }

    /// A side's points as people write them: `1½`, `2`.
    #[must_use]
    pub fn points(&self, side: Side) -> String {
        points(self.half_points[side])
    }
}

/// Half points as people write them: `1½`, `2`.
#[must_use]
pub fn points(half_points: u32) -> String {
    match (half_points / 2, half_points % 2) {
        (whole, 0) => whole.to_string(),
        (0, _) => "½".to_owned(),
        (whole, _) => format!("{whole}½"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use skirmish_rules::GAMES;

    fn plan(game: &str, games: u32) -> Plan {
        let entry = GAMES.find(game).expect("the game exists");
        Plan {
            entry,
            settings: Settings::defaults(entry.options),
            names: Both::new("Ann".to_owned(), "Bob".to_owned()),
            players: Both::default(),
            first: Side::One,
            standing: Some(Plan::first_of(games)),
            date: None,
            seed: None,
            turn_limit: None,
        }
    }

    fn next(state: Option<MatchState>) -> Plan {
        match state {
            Some(MatchState::Next(_, plan)) => *plan,
            other => panic!("the match goes on, not {other:?}"),
        }
    }

    #[test]
    fn who_starts_alternates() {
        let second = next(plan("base-battle", 3).after(Outcome::Draw));
        assert_eq!((second.first, second.names.one.as_str()), (Side::Two, "Ann"));
        assert_eq!(next(second.after(Outcome::Draw)).first, Side::One);
    }

    #[test]
    fn where_player_one_always_starts_the_people_swap_seats() {
        let second = next(plan("capture-the-line", 3).after(Outcome::Won(Side::One)));
        assert_eq!((second.first, second.names.one.as_str()), (Side::One, "Bob"));
        assert_eq!(second.standing.map(|it| it.half_points), Some(Both::new(0, 2)));
    }

    #[test]
    fn a_match_ends_when_nobody_can_catch_up() {
        let second = next(plan("command-clash", 3).after(Outcome::Won(Side::Two)));
        let Some(MatchState::Over(score)) = second.after(Outcome::Won(Side::Two)) else {
            panic!("two wins decide a best of three");
        };
        assert_eq!((score.leader(), score.points(Side::Two).as_str()), (Some(Side::Two), "2"));
    }

    #[test]
    fn a_match_can_end_level() {
        let second = next(plan("command-clash", 2).after(Outcome::Draw));
        let Some(MatchState::Over(score)) = second.after(Outcome::Draw) else {
            panic!("both games have been played");
        };
        assert_eq!((score.leader(), score.points(Side::One).as_str()), (None, "1"));
    }

    #[test]
    fn a_rematch_swaps_the_seats_and_begins_anew() {
        let third = Plan {
            names: Both::new("Player 1".to_owned(), "Bob".to_owned()),
            ..plan("base-battle", 3)
        };
        let again = next(third.after(Outcome::Draw)).rematch();
        assert_eq!((again.names.one.as_str(), again.names.two.as_str()), ("Bob", "Player 2"));
        assert_eq!(again.standing, Some(Plan::first_of(3)));
    }

    /// What is written in a file must never be run.
    #[test]
    fn a_bot_in_a_record_is_absent_until_somebody_gives_its_command() {
        let bot = BotCommand::parse("sh bot.sh").expect("there is a shell");
        let mut before = plan("capture-the-line", 3);
        before.seat(Side::Two, bot.clone());
        let record = before.begin().record();
        let mut read = Plan::of(&record);
        assert_eq!(read.players.two, Player::Absent("sh bot.sh".to_owned()));
        assert_eq!(read.absent(), [(Side::Two, "sh bot.sh")]);
        let swapped = next(read.after(Outcome::Draw));
        assert_eq!(swapped.absent(), [(Side::One, "sh bot.sh")]);
        read.seat(Side::Two, BotCommand::parse("sh other.sh").expect("there is a shell"));
        assert!(read.absent().is_empty());
        let session = read.resume(record).expect("no turn has been played");
        let tag = ("Bot2".to_owned(), "sh other.sh".to_owned());
        assert_eq!(session.record().other_tags, [tag]);
    }

    #[test]
    fn a_long_command_does_not_spoil_the_record() {
        let mut long = plan("base-battle", 3);
        let command = format!("sh -c '{}\n'", "echo 1;".repeat(50));
        long.seat(Side::One, BotCommand::parse(&command).expect("there is a shell"));
        let text = long.begin().record().to_string();
        let read = Record::parse(&text, GAMES).expect("it can be read again");
        assert!(Plan::of(&read).absent()[0].1.ends_with('…'), "{text}");
    }

    #[test]
    fn a_game_alone_has_nothing_after_it() {
        let alone = Plan { standing: None, ..plan("base-battle", 1) };
        assert!(alone.after(Outcome::Draw).is_none());
    }
}
