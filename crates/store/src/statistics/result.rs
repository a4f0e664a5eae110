//! The result of a game from one person's point of view, and its CSV line.

use std::borrow::Cow;
use std::fmt;

use skirmish_play::player::{Level, Player};
use skirmish_play::{Plan, own_name};
use skirmish_rules::{Both, Ending, Outcome, Side};

use super::Contest;

/// The outcome of a game for one person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finish {
    /// The person won.
    Won,
    /// The person lost.
    Lost,
    /// The game was drawn.
    Drawn,
}

impl Finish {
    /// All outcomes.
    pub const ALL: [Self; 3] = [Self::Won, Self::Lost, Self::Drawn];

    /// The outcome's word in the file. No word is a prefix of another, so a torn line never parses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Lost => "lost",
            Self::Drawn => "drawn",
        }
    }

    fn of(outcome: Outcome, side: Side) -> Self {
        match outcome {
            Outcome::Won(winner) if winner == side => Self::Won,
            Outcome::Won(_) => Self::Lost,
            Outcome::Draw => Self::Drawn,
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|finish| finish.name() == name)
    }

    /// The same outcome for the opponent.
    const fn other(self) -> Self {
        match self {
            Self::Won => Self::Lost,
            Self::Lost => Self::Won,
            Self::Drawn => Self::Drawn,
        }
    }
}

/// The opponent in a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Opponent {
    /// A person.
    Human,
    /// A computer player.
    Computer(Level),
    /// Any bot: a bot's name and command do not identify it reliably.
    Bot,
}

impl Opponent {
    pub(super) const BOT: &str = "bot";

    fn named(name: &str) -> Option<Self> {
        if name == Self::BOT {
            return Some(Self::Bot);
        }
        Player::named(name).map(|player| Self::from(&player))
    }
}

impl From<&Player> for Opponent {
    fn from(player: &Player) -> Self {
        match player {
            Player::Human => Self::Human,
            Player::Computer(level) => Self::Computer(*level),
            Player::Bot(_) | Player::Absent(_) => Self::Bot,
        }
    }
}

impl fmt::Display for Opponent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Human => Player::Human.fmt(formatter),
            Self::Computer(level) => level.fmt(formatter),
            Self::Bot => formatter.write_str(Self::BOT),
        }
    }
}

/// The stored result of a finished game.
#[derive(Clone, Debug, PartialEq)]
pub struct GameResult {
    /// The day the game began, as `YYYY.MM.DD`.
    pub date: Option<String>,
    /// The game's ID.
    pub game: String,
    /// The rule options that differ from the defaults, as in records.
    pub rules: String,
    /// The name of the person whose result this is, if known.
    pub player: Option<String>,
    /// The opponent.
    pub opponent: Opponent,
    /// The opponent's name, if the opponent is a named person.
    pub other: Option<String>,
    /// The number of turns.
    pub turns: usize,
    /// The person's accuracy in percent, if known.
    pub accuracy: Option<f64>,
    /// The other person's accuracy in percent, if known.
    pub other_accuracy: Option<f64>,
    /// The person's result.
    pub finish: Finish,
}

impl GameResult {
    /// The result for the person who played the game, or for Player 1 if both sides are people. `None` if only programs
    /// played, or the game started from a custom position: an exercise says little about a person's strength.
    #[must_use]
    pub fn of(
        plan: &Plan,
        ending: Ending,
        turns: usize,
        accuracy: Both<Option<f64>>,
    ) -> Option<Self> {
        if plan.position.is_some() {
            return None;
        }
        let side = Side::ALL.into_iter().find(|&side| plan.players[side].is_human())?;
        let is_person = |side: &Side| plan.players[*side].is_human();
        let name = |side: Side| own_name(&plan.names[side]).map(str::to_owned);
        let accuracy = accuracy.map(|known| known.map(|percent| percent.clamp(0.0, 100.0)));
        let other = Some(side.other()).filter(is_person);
        Some(Self {
            // Records are read without validating the date; only a valid date may enter the file.
            date: plan.date.clone().filter(|date| is_date(date)),
            game: plan.entry.id.to_owned(),
            rules: plan.settings.changes(),
            player: name(side),
            opponent: Opponent::from(&plan.players[side.other()]),
            other: other.and_then(name),
            turns,
            accuracy: accuracy[side],
            other_accuracy: other.and_then(|other| accuracy[other]),
            finish: Finish::of(ending.outcome, side),
        })
    }

    /// Parses a line, including lines of version 0.1: `date,game,rules,opponent,turns,accuracy,result`.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let columns = split(line.trim_end_matches('\r'))?;
        let columns: Vec<&str> = columns.iter().map(String::as_str).collect();
        let [date, game, rules, player, opponent, other, turns, accuracy, other_accuracy, finish] =
            match *columns {
                [date, game, rules, opponent, turns, accuracy, finish] => {
                    [date, game, rules, "", opponent, "", turns, accuracy, "", finish]
                }
                _ => columns.try_into().ok()?,
            };
        let name = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        Some(Self {
            date: is_date(date).then(|| date.to_owned()),
            game: game.to_owned(),
            rules: rules.to_owned(),
            player: name(player),
            opponent: Opponent::named(opponent)?,
            other: name(other),
            turns: turns.parse().ok()?,
            accuracy: percent(accuracy)?,
            other_accuracy: percent(other_accuracy)?,
            finish: Finish::named(finish)?,
        })
    }

    /// The contests in which the game counts, with the result and the accuracy in each.
    #[must_use]
    pub fn contests(&self) -> Vec<(Contest, Finish, Option<f64>)> {
        let (finish, accuracy) = (self.finish, self.accuracy);
        match self.opponent {
            Opponent::Computer(level) => vec![(Contest::Computer(level), finish, accuracy)],
            Opponent::Bot => vec![(Contest::Bot, finish, accuracy)],
            Opponent::Human => {
                let person = |name: &Option<String>| name.clone().map(Contest::Person);
                let one = person(&self.player).map(|it| (it, finish, accuracy));
                let two = person(&self.other).map(|it| (it, finish.other(), self.other_accuracy));
                let people: Vec<_> = one.into_iter().chain(two).collect();
                if people.is_empty() { vec![(Contest::People, finish, None)] } else { people }
            }
        }
    }
}

/// An optional percentage; the outer `None` if the column is invalid.
#[allow(clippy::option_option)] // an invalid column differs from an empty one
fn percent(text: &str) -> Option<Option<f64>> {
    if text.is_empty() {
        return Some(None);
    }
    text.parse().ok().filter(|it| (0.0..=100.0).contains(it)).map(Some)
}

/// The columns of a CSV line; `None` if a quotation mark is missing or out of place.
fn split(line: &str) -> Option<Vec<String>> {
    let (mut columns, mut column, mut is_quoted) = (Vec::new(), String::new(), false);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '"' if is_quoted && letters.next_if_eq(&'"').is_some() => column.push('"'),
            '"' if is_quoted => {
                is_quoted = false;
                if letters.peek().is_some_and(|&next| next != ',') {
                    return None;
                }
            }
            '"' if column.is_empty() => is_quoted = true,
            ',' if !is_quoted => columns.push(std::mem::take(&mut column)),
            _ => column.push(letter),
        }
    }
    columns.push(column);
    (!is_quoted).then_some(columns)
}

/// A field of a CSV line, quoted if necessary.
#[must_use]
pub fn csv_field(text: &str) -> Cow<'_, str> {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\"")).into()
    } else {
        text.into()
    }
}

/// Formats the result as a CSV line.
impl fmt::Display for GameResult {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { game, rules, opponent, turns, finish, .. } = self;
        let date = self.date.as_deref().unwrap_or_default();
        let [player, other] =
            [&self.player, &self.other].map(|name| csv_field(name.as_deref().unwrap_or_default()));
        let [accuracy, other_accuracy] = [self.accuracy, self.other_accuracy]
            .map(|percent| percent.map(|percent| percent.to_string()).unwrap_or_default());
        let finish = finish.name();
        write!(
            formatter,
            "{date},{game},{rules},{player},{opponent},{other},{turns},{accuracy},{other_accuracy},{finish}"
        )
    }
}

fn is_date(text: &str) -> bool {
    text.len() == "YYYY.MM.DD".len()
        && text.bytes().enumerate().all(|(index, byte)| match index {
            4 | 7 => byte == b'.',
            _ => byte.is_ascii_digit(),
        })
}
