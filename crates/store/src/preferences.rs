//! Preferences for the full-screen mode, stored in a settings file that users may edit.

use std::path::Path;

use skirmish_play::{NameError, check_name, check_names};
use skirmish_rules::{Both, Side, alternatives, default_names, quotable};
use toml::{Table, Value};

use crate::StoreError;
use crate::store::settings_folder;
use crate::toml_file::{TomlFile, look_up};

/// The largest settings file that is read.
const LARGEST_SETTINGS: u64 = 64 * 1024;

/// The header of the settings file.
const HEAD: &str =
    "# Settings of Skirmish. Your own comments are lost when the program writes this file.\n";

const THEME: &str = "theme";
const ASCII: &str = "ascii";
const MOTION: &str = "motion";
const CURTAIN: &str = "curtain";
const NOTIFY: &str = "notify";
const NAMES: Both<&str> = Both::new("player1", "player2");

/// The colour theme of the full-screen mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Theme {
    /// Blue and orange, which nearly everybody can distinguish, on the terminal's own background.
    #[default]
    Default,
    /// Blue and orange on a dark background.
    Dark,
    /// Blue and orange on a light background.
    Light,
    /// Strong colours on black.
    HighContrast,
    /// The terminal's own sixteen colours.
    Terminal,
    /// No colours.
    Monochrome,
}

impl Theme {
    /// All themes.
    pub const ALL: [Self; 6] = [
        Self::Default,
        Self::Dark,
        Self::Light,
        Self::HighContrast,
        Self::Terminal,
        Self::Monochrome,
    ];

    /// The theme's name in the settings file, its name for people, and a sentence that describes it.
    const fn words(self) -> [&'static str; 3] {
        match self {
            Self::Default => [
                "default",
                "Blue and orange",
                "Blue and orange on your terminal's background, dark or light.",
            ],
            Self::Dark => ["dark", "Dark", "Blue and orange on a dark background."],
            Self::Light => ["light", "Light", "Blue and orange on a light background."],
            Self::HighContrast => ["high-contrast", "High contrast", "Strong colours on black."],
            Self::Terminal => {
                ["terminal", "The terminal's own", "Only your terminal's sixteen colours."]
            }
            Self::Monochrome => {
                ["monochrome", "Monochrome", "No colour: bold, underlined and reversed text."]
            }
        }
    }

    /// The theme's name in the settings file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.words()[0]
    }

    /// The theme's name for people.
    #[must_use]
    pub const fn label(self) -> &'static str {
        self.words()[1]
    }

    /// A sentence that describes the theme.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.words()[2]
    }

    /// The theme that has this name in the settings file.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name().eq_ignore_ascii_case(name))
    }
}

/// How to tell a player who uses another window that it is their turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Notify {
    /// Not at all.
    Off,
    /// The terminal's bell.
    #[default]
    Bell,
    /// A notification on the desktop, if the terminal supports it.
    Desktop,
}

impl Notify {
    /// All ways to notify.
    pub const ALL: [Self; 3] = [Self::Off, Self::Bell, Self::Desktop];

    /// The name in the settings file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Bell => "bell",
            Self::Desktop => "desktop",
        }
    }

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|notify| notify.name().eq_ignore_ascii_case(name))
    }
}

/// A user's preferences for the full-screen mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preferences {
    /// The colour theme.
    pub theme: Theme,
    /// Whether to draw only ASCII characters.
    pub ascii: bool,
    /// Whether to show animations.
    pub motion: bool,
    /// Whether two people at one screen make secret choices one after the other, behind a curtain.
    pub curtain: bool,
    /// How to tell a player who uses another window that it is their turn.
    pub notify: Notify,
    /// The players' names, if set.
    pub names: Both<Option<String>>,
}

impl Default for Preferences {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            ascii: false,
            motion: true,
            curtain: false,
            notify: Notify::default(),
            names: Both::default(),
        }
    }
}

/// The settings file.
#[derive(Clone, Debug)]
pub struct PreferencesFile(TomlFile);

impl PreferencesFile {
    /// The default file: `$XDG_CONFIG_HOME/skirmish/settings.toml`.
    ///
    /// # Errors
    /// If no home directory is known.
    pub fn locate() -> Result<Self, StoreError> {
        Ok(Self::at(&settings_folder()?))
    }

    /// The settings file in `folder`.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self(TomlFile { path: folder.join("settings.toml"), head: HEAD, largest: LARGEST_SETTINGS })
    }

    /// The path of the settings file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// Reads the file, using defaults for missing and invalid settings. Returns an error if settings are invalid, but
    /// not if the file is missing.
    #[must_use]
    pub fn read(&self) -> (Preferences, Option<StoreError>) {
        self.0.read(Preferences::read)
    }

    /// Writes the preferences atomically. Settings unknown to this program are preserved.
    ///
    /// # Errors
    /// If a name is invalid, the file cannot be written, or an existing file cannot be read and is therefore left
    /// alone.
    pub fn write(&self, preferences: &Preferences) -> Result<(), StoreError> {
        let names = checked(preferences.names.as_ref().map(Option::as_deref))?;
        let mut table = self
            .0
            .table()
            .map_err(|error| StoreError::WouldDestroy(Box::new(error), "save settings"))?;
        table.insert(THEME.to_owned(), preferences.theme.name().into());
        table.insert(ASCII.to_owned(), preferences.ascii.into());
        table.insert(MOTION.to_owned(), preferences.motion.into());
        table.insert(CURTAIN.to_owned(), preferences.curtain.into());
        table.insert(NOTIFY.to_owned(), preferences.notify.name().into());
        for side in Side::ALL {
            match &names[side] {
                Some(name) => table.insert(NAMES[side].to_owned(), name.as_str().into()),
                None => table.remove(NAMES[side]),
            };
        }
        self.0.write(&table)
    }
}

impl Preferences {
    /// Reads the preferences from a table, and adds a message to `faults` for each invalid setting.
    fn read(table: &Table, faults: &mut Vec<String>) -> Self {
        let default = Self::default();
        let themes = alternatives(Theme::ALL.map(Theme::name));
        let theme =
            look_up(table, THEME, &themes, faults, |value| value.as_str().and_then(Theme::named));
        let ways = alternatives(Notify::ALL.map(Notify::name));
        let notify =
            look_up(table, NOTIFY, &ways, faults, |value| value.as_str().and_then(Notify::named));
        let mut whether = |key| look_up(table, key, "true or false", faults, Value::as_bool);
        let (ascii, motion, curtain) = (whether(ASCII), whether(MOTION), whether(CURTAIN));
        Self {
            theme: theme.unwrap_or(default.theme),
            ascii: ascii.unwrap_or(default.ascii),
            motion: motion.unwrap_or(default.motion),
            curtain: curtain.unwrap_or(default.curtain),
            notify: notify.unwrap_or(default.notify),
            names: names(table, faults),
        }
    }
}

/// The valid player names; none if the two are indistinguishable.
fn names(table: &Table, faults: &mut Vec<String>) -> Both<Option<String>> {
    let names = Both::from_fn(|side| {
        let value = table.get(NAMES[side])?;
        let Some(name) = value.as_str() else {
            let given = quotable(&value.to_string());
            faults
                .push(format!("{}: expected a name in quotation marks, not {given}", NAMES[side]));
            return None;
        };
        check_name(name)
            .inspect_err(|error| faults.push(format!("{} cannot be used: {error}", NAMES[side])))
            .ok()
    });
    checked(names.as_ref().map(Option::as_deref)).unwrap_or_else(|error| {
        faults.push(format!("{} and {} cannot be used: {error}", NAMES.one, NAMES.two));
        Both::default()
    })
}

/// Checks that the names are valid and distinct, also from the default name of an unnamed player.
fn checked(names: Both<Option<&str>>) -> Result<Both<Option<String>>, NameError> {
    let usual = default_names();
    let called = check_names(Both::from_fn(|side| names[side].unwrap_or(&usual[side])))?;
    Ok(Both::from_fn(|side| names[side].map(|_| called[side].clone())))
}

#[cfg(test)]
mod tests;
