//! The engine's options: how they are listed, and how they are set.

use skirmish_play::Chance;
use skirmish_play::player::Level;
use skirmish_rules::{Catalog, Entry, Settings, Side, alternatives, conjunction, quotable};

use crate::lookup;

/// What can be set.
pub(super) struct Options {
    catalog: Catalog,
    pub(super) entry: &'static Entry,
    pub(super) settings: Settings,
    pub(super) level: Level,
    pub(super) chance: Chance,
    /// Whose choice is asked for, where both choose at once.
    pub(super) side: Side,
    /// After how many turns a runner is told that the game is a draw, if ever.
    pub(super) max_turns: Option<usize>,
}

/// What a new value touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touched {
    /// Another game is played, or other rules are.
    Game,
    /// Somebody else plays.
    Level,
    /// Luck begins again.
    Luck,
    /// Nothing that has to be seen to.
    Nothing,
}

const NAMES: [&str; 6] = ["Game", "Rules", "Level", "Seed", "Side", "MaxTurns"];

/// R-ALL-2: the turn limit where only programs play.
const USUAL_TURNS: usize = 200;

/// The largest turn limit.
const MOST_TURNS: usize = 1_000_000;

/// How the protocol writes a text without a letter.
const EMPTY: &str = "<empty>";

/// The seed that stands for one nobody knows.
const RANDOM: &str = "random";

impl Options {
    /// The first game of the catalogue, by its rulebook, played perfectly.
    pub(super) fn new(catalog: Catalog, chance: Chance) -> Self {
        let entry = catalog.iter().next().expect("there is a game");
        let settings = Settings::defaults(entry.options);
        Self {
            catalog,
            entry,
            settings,
            level: Level::Perfect,
            chance,
            side: Side::One,
            max_turns: Some(USUAL_TURNS),
        }
    }

    /// A line for each option, with its default.
    pub(super) fn list(catalog: Catalog) -> Vec<String> {
        let combo = |name, default: &str, values: Vec<&str>| {
            let values = values.join(" var ");
            format!("option name {name} type combo default {default} var {values}")
        };
        let text = |name, default| format!("option name {name} type string default {default}");
        let games: Vec<&str> = catalog.iter().map(|entry| entry.id).collect();
        let [game, rules, level, seed, side, turns] = NAMES;
        vec![
            combo(game, games[0], games.clone()),
            text(rules, EMPTY),
            combo(level, Level::Perfect.name(), Level::ALL.map(Level::name).to_vec()),
            text(seed, RANDOM),
            combo(side, "1", vec!["1", "2"]),
            format!("option name {turns} type spin default {USUAL_TURNS} min 0 max {MOST_TURNS}"),
        ]
    }

    /// Sets an option from what follows `setoption`.
    ///
    /// # Errors
    /// When there is no such option, or it cannot have this value; nothing changes then.
    pub(super) fn set(&mut self, text: &str) -> Result<Touched, String> {
        let (name, value) = parts(text).ok_or("setoption wants: name NAME value VALUE")?;
        match name.to_lowercase().as_str() {
            "game" => {
                // No game has a name so long that this would change it.
                let found = lookup::game(self.catalog, &quotable(&value));
                let entry = found.map_err(|error| error.to_string())?;
                if entry.id != self.entry.id {
                    self.settings = Settings::defaults(entry.options);
                }
                self.entry = entry;
                Ok(Touched::Game)
            }
            "rules" => self.set_rules(&value),
            "level" => {
                self.level = Level::named(&value).ok_or_else(|| {
                    wrong("Level", &value, &alternatives(Level::ALL.map(Level::name)))
                })?;
                Ok(Touched::Level)
            }
            "seed" => self.set_seed(&value),
            "side" => {
                let side = value.parse().ok().and_then(Side::from_number);
                self.side = side.ok_or_else(|| wrong("Side", &value, "1 or 2"))?;
                Ok(Touched::Nothing)
            }
            "maxturns" => {
                let turns = value.parse().ok().filter(|turns| *turns <= MOST_TURNS);
                let possible = format!("a whole number up to {MOST_TURNS}, 0 for no limit");
                let turns = turns.ok_or_else(|| wrong("MaxTurns", &value, &possible))?;
                self.max_turns = (turns > 0).then_some(turns);
                Ok(Touched::Nothing)
            }
            _ => {
                let name = quotable(&name);
                Err(format!("there is no option \"{name}\": there are {}", conjunction(NAMES)))
            }
        }
    }

    fn set_rules(&mut self, value: &str) -> Result<Touched, String> {
        let value = if value == EMPTY { "" } else { value };
        // What is quoted in an error must be harmless, and nothing possible is changed by that.
        let rules: Vec<String> = value.split_whitespace().map(quotable).collect();
        self.settings = Settings::parse(self.entry.options, rules.iter().map(String::as_str))
            .map_err(|error| error.to_string())?;
        Ok(Touched::Game)
    }

    fn set_seed(&mut self, value: &str) -> Result<Touched, String> {
        self.chance = if value.eq_ignore_ascii_case(RANDOM) {
            Chance::fresh().map_err(|error| error.to_string())?
        } else {
            let seed = value.parse();
            Chance::from_seed(seed.map_err(|_| {
                wrong("Seed", value, &format!("{RANDOM} or a whole number up to {}", u64::MAX))
            })?)
        };
        Ok(Touched::Luck)
    }
}

fn wrong(option: &str, value: &str, possible: &str) -> String {
    format!("\"{}\" is not possible: {option} is {possible}", quotable(value))
}

/// The name and the value in `name NAME value VALUE`; both may be several words.
fn parts(text: &str) -> Option<(String, String)> {
    let mut words = text.split_whitespace();
    if words.next() != Some("name") {
        return None;
    }
    let name: Vec<&str> = words.by_ref().take_while(|word| *word != "value").collect();
    let value: Vec<&str> = words.collect();
    (!name.is_empty()).then(|| (name.join(" "), value.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use skirmish_rules::GAMES;

    fn options() -> Options {
        Options::new(GAMES, Chance::from_seed(1))
    }

    #[test]
    fn names_are_taken_in_any_case_and_values_with_spaces() {
        let mut options = options();
        assert_eq!(options.set("name gAmE value Command Line Conquer"), Ok(Touched::Game));
        assert_eq!(options.set("name RULES value  positions=13   units=4"), Ok(Touched::Game));
        assert_eq!(options.settings.changes(), "positions=13 units=4");
        assert_eq!(options.set("name Level value NOVICE"), Ok(Touched::Level));
        assert_eq!(options.level, Level::Novice);
        assert_eq!(options.set("name Side value 2"), Ok(Touched::Nothing));
        assert_eq!(options.side, Side::Two);
        assert_eq!(options.set("name seed value 18446744073709551615"), Ok(Touched::Luck));
        assert_eq!(options.chance.seed(), u64::MAX);
    }

    #[test]
    fn empty_rules_are_the_rulebooks() {
        for empty in ["name Rules value <empty>", "name Rules value", "name Rules"] {
            let mut options = options();
            options.set("name Rules value positions=13").expect("it is possible");
            assert_eq!(options.set(empty), Ok(Touched::Game));
            assert_eq!(options.settings.changes(), "");
        }
    }

    #[test]
    fn another_game_has_rules_of_its_own() {
        let mut options = options();
        options.set("name Rules value positions=13").expect("it is possible");
        options.set("name Game value base").expect("there is just one");
        assert_eq!((options.entry.id, options.settings.changes().as_str()), ("base-battle", ""));
    }

    #[test]
    fn what_is_not_possible_changes_nothing_and_is_told_in_one_harmless_line() {
        let mut options = options();
        options.set("name Game value capture-the-line").expect("it exists");
        let long = "x".repeat(100_000);
        for text in [
            "",
            "name",
            "Game value base",
            "name value base",
            "name Hash value 16",
            "name Game value chess",
            "name Game value",
            "name Rules value size=3",
            "name Rules value positions",
            "name Rules value positions=2\u{1b}[2J",
            "name Rules value positions=13 positions=13",
            &format!("name Rules value {long}={long}"),
            &format!("name {long} value {long}"),
            "name Level value grandmaster",
            "name Seed value -1",
            "name Seed value 18446744073709551616",
            "name Side value 3",
            "name Side value 259",
        ] {
            let reason = options.set(text).expect_err(text);
            assert!(reason.len() < 500 && !reason.contains(char::is_control), "{reason}");
        }
        assert_eq!(options.entry.id, "capture-the-line");
        assert_eq!((options.settings.changes().as_str(), options.level), ("", Level::Perfect));
    }
}
