//! A proposed game: everything that the players choose, before the coin toss and the date are added. The command line,
//! the menu and the arcade all fill in a proposal.

use skirmish_rules::columns::{shorten, width};
use skirmish_rules::{
    Both, Entry, Names, Settings, Side, StartError, Starter, StartingPoint, default_names,
};

use crate::chance::Chance;
use crate::matches::{Plan, swaps_seats};
use crate::names::{LETTERS, LONGEST_NAME, NameError, check_names};
use crate::player::Player;

/// R-ALL-2: the turn limit of games without people.
const PROGRAMS_TURN_LIMIT: u32 = 200;

/// Who makes the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// This side.
    Side(Side),
    /// A coin toss decides.
    Toss,
}

/// A proposed game.
#[derive(Clone, Debug)]
pub struct Proposal {
    /// The game.
    pub entry: &'static Entry,
    /// The rule options.
    pub settings: Settings,
    /// Who plays.
    pub players: Both<Player>,
    /// The names the players chose, if any.
    pub names: Both<Option<String>>,
    /// Who starts; the game's default if `None`. A position determines its own side to move.
    pub first: Option<First>,
    /// The starting position; `None` for the rulebook's start.
    pub position: Option<String>,
    /// The number of games of a match.
    pub games: Option<u32>,
    /// The turn limit; the default if `None`.
    pub turn_limit: Option<u32>,
    /// The seed of all random choices.
    pub seed: Option<u64>,
}

/// Why a proposed game cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProposalError {
    /// This game has no coin toss.
    #[error("there is no coin toss in {0} (R-ALL-1)")]
    NoToss(&'static str),
    /// Player 2 cannot start.
    #[error("in {0} Player 1 always starts (R-ALL-1)")]
    PlayerOneStarts(&'static str),
    /// Nobody starts.
    #[error("nobody starts in {0}: both players act at once (R-ALL-1)")]
    NobodyStarts(&'static str),
    /// The position determines who moves, so there is no coin toss.
    #[error("{0} moves in the position {1}, so there is no coin toss")]
    TossedPosition(Side, String),
    /// The other side moves in the position.
    #[error("{moves} moves in the position {position}, not {asked}")]
    OtherMoves {
        /// The side to move.
        moves: Side,
        /// The proposed position.
        position: String,
        /// The requested side.
        asked: Side,
    },
    /// The game cannot start at the position.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The names are invalid.
    #[error(transparent)]
    Names(#[from] NameError),
}

impl Proposal {
    /// Proposes a game between two people with default options.
    #[must_use]
    pub fn new(entry: &'static Entry) -> Self {
        Self {
            entry,
            settings: Settings::defaults(entry.options),
            players: Both::default(),
            names: Both::default(),
            first: None,
            position: None,
            games: None,
            turn_limit: None,
            seed: None,
        }
    }

    /// Whether a coin toss decides who starts (R-ALL-1).
    #[must_use]
    pub fn is_tossed(&self) -> bool {
        self.entry.starter == Starter::Toss
            && self.position.is_none()
            && matches!(self.first, None | Some(First::Toss))
    }

    /// Whether the game needs a seed but has none.
    #[must_use]
    pub fn needs_seed(&self) -> bool {
        let has_computer = Side::ALL.iter().any(|&side| self.players[side].level().is_some());
        self.seed.is_none() && (self.is_tossed() || has_computer)
    }

    /// Turns the proposal into a plan with this date. A missing seed counts as 0.
    ///
    /// # Errors
    /// If the game cannot be played as proposed.
    pub fn plan(self, date: Option<String>) -> Result<Plan, ProposalError> {
        let StartingPoint { first, position } = self.starting_point()?;
        let names = self.resolved_names(position.is_some())?;
        let is_tossed = self.is_tossed();
        // R-ALL-2: no limit if a person plays.
        let has_person = Side::ALL.iter().any(|&side| self.players[side].is_human());
        let turn_limit = self.turn_limit.or((!has_person).then_some(PROGRAMS_TURN_LIMIT));
        Ok(Plan {
            entry: self.entry,
            settings: self.settings,
            names,
            players: self.players,
            first,
            is_tossed,
            position,
            standing: self.games.map(Plan::first_of),
            date,
            seed: self.seed,
            turn_limit,
        })
    }

    /// Returns the starting point of the game.
    fn starting_point(&self) -> Result<StartingPoint, ProposalError> {
        if let Some(position) = &self.position {
            return self.at(position);
        }
        let first = match self.first {
            _ if self.is_tossed() => Chance::from_seed(self.seed.unwrap_or_default()).toss(),
            None => Side::One,
            Some(First::Side(side)) => starter(self.entry, side)?,
            Some(First::Toss) => return Err(ProposalError::NoToss(self.entry.name)),
        };
        Ok(StartingPoint { first, position: None })
    }

    /// Starts from a position, unless the proposal names the other side as the first to move.
    fn at(&self, position: &str) -> Result<StartingPoint, ProposalError> {
        let start = StartingPoint::at(self.entry, &self.settings, position)?;
        let (moves, position) = (start.first, position.to_owned());
        match (self.entry.starter, self.first) {
            (_, None) => Ok(start),
            (Starter::PlayerOne | Starter::Nobody, Some(First::Toss)) => {
                Err(ProposalError::NoToss(self.entry.name))
            }
            (Starter::Toss, Some(First::Toss)) => {
                Err(ProposalError::TossedPosition(moves, position))
            }
            (Starter::Nobody, Some(First::Side(asked))) => {
                starter(self.entry, asked).map(|_| start)
            }
            (Starter::PlayerOne | Starter::Toss, Some(First::Side(asked))) => {
                if asked == moves {
                    return Ok(start);
                }
                Err(ProposalError::OtherMoves { moves, position, asked })
            }
        }
    }

    /// Returns the players' names. In a match with swapped seats (R-ALL-5), "Player 1" would be a different person in
    /// every game, so players without names get letters.
    fn resolved_names(&self, from_position: bool) -> Result<Names, NameError> {
        let is_named = Side::ALL.iter().any(|&side| self.names[side].is_some());
        let is_match = self.games.is_some_and(|games| games > 1);
        let swapping = !is_named && swaps_seats(self.entry, from_position) && is_match;
        let seats = if swapping { LETTERS.map(str::to_owned) } else { default_names() };
        let names = Both::from_fn(|side| match &self.names[side] {
            Some(name) => name.clone(),
            None => seat_name(&seats[side], &self.players[side]),
        });
        check_names(names.as_ref().map(String::as_str))
    }
}

/// Checks that the requested side may start, and returns the side that does.
///
/// # Errors
/// If the rulebook does not let this side start.
pub fn starter(entry: &Entry, first: Side) -> Result<Side, ProposalError> {
    match (entry.starter, first) {
        (Starter::Toss, _) | (_, Side::One) => Ok(first),
        (Starter::PlayerOne, Side::Two) => Err(ProposalError::PlayerOneStarts(entry.name)),
        (Starter::Nobody, Side::Two) => Err(ProposalError::NobodyStarts(entry.name)),
    }
}

/// Returns a player's default name: `Player 2`, `Player 2 (skilled)` or `Player 2 (mybot.py)`.
fn seat_name(seat: &str, player: &Player) -> String {
    let program = match player {
        Player::Human | Player::Absent(_) => return seat.to_owned(),
        Player::Computer(level) => level.to_string(),
        Player::Bot(command) => command.name.clone(),
    };
    let room = LONGEST_NAME - width(seat) - "()".len() - " ".len();
    format!("{seat} ({})", shorten(&program, room))
}

#[cfg(test)]
mod tests {
    use skirmish_rules::GAMES;

    use super::*;
    use crate::player::{BotCommand, Level};

    fn bot(name: &str) -> Player {
        Player::Bot(BotCommand::new("sh bot.sh", name.to_owned(), vec!["sh".to_owned()]))
    }

    fn proposal(game: &str) -> Proposal {
        Proposal::new(GAMES.find(game).expect("the game exists"))
    }

    #[test]
    fn seat_names_fit_the_length_limit() {
        let called = |player: &Player| seat_name("Player 2", player);
        assert_eq!(called(&Player::Human), "Player 2");
        assert_eq!(called(&Player::Computer(Level::Skilled)), "Player 2 (skilled)");
        assert_eq!(called(&bot("mybot.sh")), "Player 2 (mybot.sh)");
        let long = called(&bot("a,really-quite-long-name.sh"));
        assert_eq!(long, "Player 2 (a,really-qui…)");
        assert_eq!(width(&long), LONGEST_NAME);
    }

    #[test]
    fn a_bot_keeps_its_seat_name_beside_a_named_person() {
        let names = Both::new(Some("Ann, of Ghent".to_owned()), None);
        let players = Both::new(Player::Human, bot("my,bot.sh"));
        let plan = Proposal { players, names, ..proposal("base-battle") }.plan(None);
        let names = plan.expect("the game can be played").names;
        assert_eq!(names, Both::new("Ann, of Ghent".into(), "Player 2 (my,bot.sh)".into()));
    }

    #[test]
    fn a_starter_that_the_rulebook_excludes_is_refused() {
        let two = Some(First::Side(Side::Two));
        for (game, first, error) in [
            ("capture-the-line", two, "in Capture the Line Player 1 always starts (R-ALL-1)"),
            (
                "capture-the-line",
                Some(First::Toss),
                "there is no coin toss in Capture the Line (R-ALL-1)",
            ),
            (
                "command-clash",
                two,
                "nobody starts in Command Clash: both players act at once (R-ALL-1)",
            ),
        ] {
            let refused =
                Proposal { first, ..proposal(game) }.plan(None).expect_err("it is refused");
            assert_eq!(refused.to_string(), error);
        }
    }

    #[test]
    fn a_position_decides_who_starts_without_a_toss() {
        let at = |position: &str, first| {
            let position = Some(position.to_owned());
            Proposal { first, position, ..proposal("base-battle") }
        };
        let proposed = at("4/6/2", None);
        assert!(!proposed.is_tossed() && !proposed.needs_seed());
        let plan = proposed.plan(None).expect("it can be played");
        assert_eq!((plan.first, plan.position.as_deref()), (Side::Two, Some("4/6/2")));
        let plan = at("4/6/2", Some(First::Side(Side::Two))).plan(None);
        assert_eq!(plan.expect("it says the same").first, Side::Two);
        let start = at("0/10/2", None).plan(None).expect("it can be played");
        assert_eq!((start.first, start.position), (Side::Two, None), "the rulebook's start");
    }

    #[test]
    fn a_position_that_cannot_be_played_as_proposed_is_refused() {
        let one = Some(First::Side(Side::One));
        for (game, position, first, error) in [
            ("base-battle", "4/6/2", one, "Player 2 moves in the position 4/6/2, not Player 1"),
            (
                "base-battle",
                "4/6/2",
                Some(First::Toss),
                "Player 2 moves in the position 4/6/2, so there is no coin toss",
            ),
            (
                "capture-the-line",
                "4/8/2",
                Some(First::Toss),
                "there is no coin toss in Capture the Line (R-ALL-1)",
            ),
            (
                "command-clash",
                "2/3",
                Some(First::Side(Side::Two)),
                "nobody starts in Command Clash: both players act at once (R-ALL-1)",
            ),
            (
                "command-clash",
                "0/3",
                None,
                "0/3 is not a starting position: the game is over there",
            ),
            ("command-clash", "9/3", None, "9/3 is not a legal position: "),
        ] {
            let position = Some(position.to_owned());
            let refused = Proposal { first, position, ..proposal(game) }.plan(None);
            let refused = refused.expect_err("it is refused").to_string();
            assert!(refused.starts_with(error), "{refused}");
        }
    }

    #[test]
    fn nameless_players_of_a_match_from_a_position_get_letters() {
        let position = Some("4/6/2".to_owned());
        let of = |games| Proposal { position: position.clone(), games, ..proposal("base-battle") };
        let names = |games| of(games).plan(None).expect("it can be played").names;
        assert_eq!(names(Some(3)), LETTERS.map(str::to_owned));
        assert_eq!(names(None), default_names());
    }
}
