//! The engine's options: listing and setting them.

use skirmish_play::Chance;
use skirmish_play::player::Level;
use skirmish_rules::{Catalog, Entry, SettingError, Settings, Side, alternatives, quotable};

use crate::args::EngineArgs;
use crate::lookup;

/// The engine's options. Only their last values matter, not the order in which they are set.
pub(super) struct EngineOptions {
    catalog: Catalog,
    /// The lines that declare the options.
    listed: Vec<String>,
    pub(super) entry: &'static Entry,
    /// The rule options as given. They need not be valid until the game is set too.
    rules: Vec<String>,
    /// The rule options in force.
    pub(super) settings: Settings,
    /// Why `rules` are not valid for the game, until that is reported.
    rules_error: Option<String>,
    pub(super) level: Level,
    pub(super) chance: Chance,
    /// The side to choose for, in a simultaneous game.
    pub(super) side: Side,
    /// The turn limit, if any.
    pub(super) max_turns: Option<usize>,
}

/// What a new option value affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Touched {
    /// The game or its rules.
    Game,
    /// The level.
    Level,
    /// The random choices.
    Luck,
    /// Nothing that must be recomputed.
    Nothing,
}

const NAMES: [&str; 6] = ["Game", "Rules", "Level", "Seed", "Side", "MaxTurns"];

/// R-ALL-2: the turn limit of games between programs.
const USUAL_TURNS: usize = 200;

/// The largest turn limit.
const MOST_TURNS: usize = 1_000_000;

/// UGI's notation for an empty string.
const EMPTY: &str = "<empty>";

/// The value of `Seed` for a fresh random seed.
const RANDOM: &str = "random";

impl EngineOptions {
    /// The options with the defaults that the command line sets. Without arguments: the first game of the catalogue, its
    /// rulebook's options, the level perfect and `chance`.
    pub(super) fn new(args: &EngineArgs, catalog: Catalog, chance: Chance) -> anyhow::Result<Self> {
        let entry = match &args.game {
            Some(name) => lookup::game(catalog, name)?,
            None => catalog.iter().next().expect("there is a game"),
        };
        let settings = lookup::settings(entry, &args.options)?;
        let mut options = Self {
            catalog,
            listed: Vec::new(),
            entry,
            rules: settings.changes().split_whitespace().map(str::to_owned).collect(),
            settings,
            rules_error: None,
            level: args.level.unwrap_or(Level::Perfect),
            chance: args.seed.map_or(chance, Chance::from_seed),
            side: Side::One,
            max_turns: Some(USUAL_TURNS),
        };
        options.listed = options.declarations(args.seed);
        Ok(options)
    }

    /// The lines that declare the options with their present values as defaults.
    fn declarations(&self, seed: Option<u64>) -> Vec<String> {
        let combo = |name, default: &str, values: Vec<&str>| {
            let values = values.join(" var ");
            format!("option name {name} type combo default {default} var {values}")
        };
        let text =
            |name, default: &str| format!("option name {name} type string default {default}");
        let changes = self.settings.changes();
        let default_seed = seed.map_or(RANDOM.to_owned(), |seed| seed.to_string());
        let [game, rules, level, seed, side, turns] = NAMES;
        vec![
            combo(game, self.entry.id, self.catalog.iter().map(|entry| entry.id).collect()),
            text(rules, if changes.is_empty() { EMPTY } else { &changes }),
            combo(level, self.level.name(), Level::ALL.map(Level::name).to_vec()),
            text(seed, &default_seed),
            combo(side, "1", vec!["1", "2"]),
            format!("option name {turns} type spin default {USUAL_TURNS} min 0 max {MOST_TURNS}"),
        ]
    }

    /// The lines that declare the options.
    pub(super) fn listed(&self) -> &[String] {
        &self.listed
    }

    /// Takes the error for rule options that are not valid for the game. Call this when both should be set.
    pub(super) fn take_rules_error(&mut self) -> Option<String> {
        let reason = self.rules_error.take()?;
        let (rules, game) = (self.rules.join(" "), self.entry.id);
        Some(format!("Rules {rules} are not valid for {game}, using its rulebook: {reason}"))
    }

    /// Sets an option from the rest of a `setoption` line.
    ///
    /// # Errors
    /// If there is no such option, or the value is invalid; nothing changes then.
    pub(super) fn set(&mut self, text: &str) -> Result<Touched, String> {
        let (name, value) = parts(text).ok_or("setoption: expected name NAME value VALUE")?;
        match name.to_lowercase().as_str() {
            "game" => {
                // `quotable` never changes the name of a game: none is that long.
                let found = lookup::game(self.catalog, &quotable(&value));
                self.entry = found.map_err(|error| error.to_string())?;
                self.apply_rules();
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
                Err(format!("unknown option \"{name}\": expected {}", alternatives(NAMES)))
            }
        }
    }

    /// Accepts rule options that are valid for at least one game: `Game` may be set later.
    fn set_rules(&mut self, value: &str) -> Result<Touched, String> {
        let value = if value == EMPTY { "" } else { value };
        // Make errors safe to print. This changes no valid option.
        let rules: Vec<String> = value.split_whitespace().map(quotable).collect();
        let here = parse(self.entry, &rules);
        let fits = |entry: &'static Entry| parse(entry, &rules).is_ok();
        if let Err(error) = here
            && !self.catalog.iter().any(fits)
        {
            // The error of a game that has these options is the clearest.
            let mut errors = self.catalog.iter().filter_map(|entry| parse(entry, &rules).err());
            let is_known = |error: &SettingError| !matches!(error, SettingError::Unknown { .. });
            let clearest = if is_known(&error) { None } else { errors.find(is_known) };
            return Err(clearest.unwrap_or(error).to_string());
        }
        self.rules = rules;
        self.apply_rules();
        Ok(Touched::Game)
    }

    /// Applies the given rule options, if they are valid for the game.
    fn apply_rules(&mut self) {
        match parse(self.entry, &self.rules) {
            Ok(settings) => (self.settings, self.rules_error) = (settings, None),
            Err(error) => {
                self.settings = Settings::defaults(self.entry.options);
                self.rules_error = Some(error.to_string());
            }
        }
    }

    fn set_seed(&mut self, value: &str) -> Result<Touched, String> {
        self.chance = if value.eq_ignore_ascii_case(RANDOM) {
            skirmish_store::fresh_chance().map_err(|error| error.to_string())?
        } else {
            let seed = value.parse();
            Chance::from_seed(seed.map_err(|_| {
                wrong("Seed", value, &format!("{RANDOM} or a whole number up to {}", u64::MAX))
            })?)
        };
        Ok(Touched::Luck)
    }
}

fn parse(entry: &'static Entry, rules: &[String]) -> Result<Settings, SettingError> {
    Settings::parse(entry.options, rules.iter().map(String::as_str))
}

fn wrong(option: &str, value: &str, possible: &str) -> String {
    format!("invalid value \"{}\" for {option}: expected {possible}", quotable(value))
}

/// The name and the value in `name NAME value VALUE`; each may be several words.
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
    use skirmish_rules::GAMES;

    use super::*;

    fn options() -> EngineOptions {
        let options = EngineOptions::new(&EngineArgs::default(), GAMES, Chance::from_seed(1));
        options.expect("there are games")
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

    /// cutegames sends options in hash-table order.
    #[test]
    fn game_and_rules_mean_the_same_in_any_order() {
        let lines = ["name Game value base-battle", "name Rules value positions=13 push=onward"];
        for order in [[0, 1], [1, 0]] {
            let mut options = options();
            for index in order {
                assert_eq!(options.set(lines[index]), Ok(Touched::Game));
            }
            assert_eq!(options.entry.id, "base-battle");
            assert_eq!(options.settings.changes(), "positions=13 push=onward");
            assert_eq!(options.take_rules_error(), None);
        }
    }

    #[test]
    fn rules_outlive_a_change_of_game_and_are_reported_once_if_invalid() {
        let mut options = options();
        options.set("name Game value base").expect("there is just one");
        options.set("name Rules value positions=13 push=onward").expect("it is possible");
        options.set("name Game value capture-the-line").expect("it exists");
        assert_eq!(options.settings.changes(), "");
        assert_eq!(
            options.take_rules_error().as_deref(),
            Some(
                "Rules positions=13 push=onward are not valid for capture-the-line, using its rulebook: \
                 there is no rule option \"push\" in this game: it has positions and steps"
            )
        );
        assert_eq!(options.take_rules_error(), None);
        options.set("name Game value base").expect("there is just one");
        assert_eq!(options.settings.changes(), "positions=13 push=onward");
        assert_eq!(options.take_rules_error(), None);
    }

    #[test]
    fn rules_valid_for_no_game_are_refused_with_the_clearest_reason() {
        let mut options = options();
        let refused = options.set("name Rules value push=hard");
        let reason = "push=hard is not possible: expected facing, behind or onward";
        assert_eq!(refused, Err(reason.to_owned()));
        let refused = options.set("name Rules value size=3");
        assert!(refused.is_err_and(|it| it.starts_with("there is no rule option \"size\"")));
        assert_eq!((options.settings.changes().as_str(), options.take_rules_error()), ("", None));
    }

    #[test]
    fn invalid_options_change_nothing_and_give_one_printable_line() {
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
