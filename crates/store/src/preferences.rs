//! Preferences: how a person likes the full-screen mode, kept in a settings file that they may edit.

use std::path::{Path, PathBuf};
use std::{fs, io};

use skirmish_play::{NameError, check_name, check_names};
use skirmish_rules::{Both, Side, alternatives, default_names, quotable};
use skirmish_system::folders;
use toml::{Table, Value};

use crate::files::{self, Overwrite};

/// The largest file that is read as settings.
const LARGEST_SETTINGS: u64 = 64 * 1024;

/// What the file begins with.
const HEAD: &str =
    "# Settings of Skirmish. Comments of yours are lost when the program writes this file.\n";

const THEME: &str = "theme";
const ASCII: &str = "ascii";
const MOTION: &str = "motion";
const NAMES: Both<&str> = Both::new("player1", "player2");

/// The colours of the full-screen mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Theme {
    /// Blue and orange, which nearly everybody can tell apart.
    #[default]
    Default,
    /// Strong colours on black.
    HighContrast,
    /// No colour.
    Monochrome,
}

impl Theme {
    /// All themes.
    pub const ALL: [Self; 3] = [Self::Default, Self::HighContrast, Self::Monochrome];

    /// Its name in the file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::HighContrast => "high-contrast",
            Self::Monochrome => "monochrome",
        }
    }

    /// Its name for people.
    #[must_use]
    pub const fn label(self) -> &'static str {
        match self {
            Self::Default => "Blue and orange",
            Self::HighContrast => "High contrast",
            Self::Monochrome => "Monochrome",
        }
    }

    /// The theme of that name in the file.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name().eq_ignore_ascii_case(name))
    }
}

/// How a person likes the full-screen mode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preferences {
    /// The colours.
    pub theme: Theme,
    /// Whether only ASCII characters are drawn.
    pub ascii: bool,
    /// Whether anything moves that could stand still.
    pub motion: bool,
    /// What the players are called, where they have chosen a name.
    pub names: Both<Option<String>>,
}

impl Default for Preferences {
    fn default() -> Self {
        Self { theme: Theme::default(), ascii: false, motion: true, names: Both::default() }
    }
}

/// Why settings could not be read or written.
#[derive(Debug, thiserror::Error)]
pub enum PreferencesError {
    /// There is no home to keep settings in.
    #[error("there is no folder for settings: set HOME or XDG_CONFIG_HOME")]
    NoHome,
    /// The file cannot be read.
    #[error("cannot read {}: {cause}", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// The file is not TOML.
    #[error("{}, line {line}: {cause}", path.display())]
    Syntax {
        /// Which.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        cause: String,
    },
    /// Some settings have values that they cannot have.
    #[error("{}: {}", path.display(), faults.join("; "))]
    Values {
        /// In which file.
        path: PathBuf,
        /// What is wrong, for each of them.
        faults: Vec<String>,
    },
    /// Players cannot be called that.
    #[error("these names are not possible: {0}")]
    Names(#[from] NameError),
    /// Writing would destroy a file that cannot be read.
    #[error("{0}; mend or remove the file, and settings can be saved again")]
    WouldDestroy(#[source] Box<PreferencesError>),
    /// The file cannot be written.
    #[error("cannot save in {}: {cause}", path.display())]
    Write {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

/// The file that preferences are kept in.
#[derive(Clone, Debug)]
pub struct PreferencesFile {
    path: PathBuf,
}

impl PreferencesFile {
    /// The file that the XDG rules give: `$XDG_CONFIG_HOME/skirmish/settings.toml`.
    ///
    /// # Errors
    /// When there is no home.
    pub fn locate() -> Result<Self, PreferencesError> {
        let base = folders::config().ok_or(PreferencesError::NoHome)?;
        Ok(Self::at(&base.join("skirmish")))
    }

    /// The file in another folder.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self { path: folder.join("settings.toml") }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What the file says, with the default for everything that it does not say or that cannot be read; in
    /// the latter case also what is wrong with it. Without a file everything is the default.
    #[must_use]
    pub fn read(&self) -> (Preferences, Option<PreferencesError>) {
        let table = match self.table() {
            Ok(table) => table,
            Err(error) => return (Preferences::default(), Some(error)),
        };
        let mut faults = Vec::new();
        let preferences = Preferences::read(&table, &mut faults);
        if faults.is_empty() {
            return (preferences, None);
        }
        (preferences, Some(PreferencesError::Values { path: self.path.clone(), faults }))
    }

    /// Writes the preferences, whole or not at all. Settings unknown to this program are kept.
    ///
    /// # Errors
    /// When a name is not possible, the file cannot be written, or the file there is cannot be read: it
    /// is left alone then.
    pub fn write(&self, preferences: &Preferences) -> Result<(), PreferencesError> {
        let names = checked(preferences.names.as_ref().map(Option::as_deref))?;
        let refuse = |error| PreferencesError::WouldDestroy(Box::new(error));
        let mut table = self.table().map_err(refuse)?;
        table.insert(THEME.to_owned(), preferences.theme.name().into());
        table.insert(ASCII.to_owned(), preferences.ascii.into());
        table.insert(MOTION.to_owned(), preferences.motion.into());
        for side in Side::ALL {
            match &names[side] {
                Some(name) => table.insert(NAMES[side].to_owned(), name.as_str().into()),
                None => table.remove(NAMES[side]),
            };
        }
        self.replace(&format!("{HEAD}{table}"))
            .map_err(|cause| PreferencesError::Write { path: self.path.clone(), cause })
    }

    fn replace(&self, text: &str) -> io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        files::replace(&self.path, text, Overwrite::Allowed)
    }

    /// What the file says; nothing if there is none.
    fn table(&self) -> Result<Table, PreferencesError> {
        let failed = |cause| PreferencesError::Read { path: self.path.clone(), cause };
        let bytes = match files::read_regular(&self.path, LARGEST_SETTINGS) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Table::new()),
            Err(error) => return Err(failed(error)),
        };
        let text = String::from_utf8(bytes).map_err(|_| {
            failed(io::Error::new(io::ErrorKind::InvalidData, "it is not UTF-8 text"))
        })?;
        text.parse().map_err(|error: toml::de::Error| {
            let before = error.span().map_or(0, |span| span.start.min(text.len()));
            let line = text.as_bytes()[..before].iter().filter(|&&byte| byte == b'\n').count() + 1;
            let cause = error.message().replace(char::is_control, " ");
            PreferencesError::Syntax { path: self.path.clone(), line, cause }
        })
    }
}

impl Preferences {
    /// What a table says, with what is wrong with it.
    fn read(table: &Table, faults: &mut Vec<String>) -> Self {
        let default = Self::default();
        let theme = look_up(table, THEME, Theme::ALL.map(Theme::name), faults, |value| {
            value.as_str().and_then(Theme::named)
        });
        let mut whether = |key| look_up(table, key, ["true", "false"], faults, Value::as_bool);
        let (ascii, motion) = (whether(ASCII), whether(MOTION));
        Self {
            theme: theme.unwrap_or(default.theme),
            ascii: ascii.unwrap_or(default.ascii),
            motion: motion.unwrap_or(default.motion),
            names: names(table, faults),
        }
    }
}

/// The value of a setting, if it is there and possible.
fn look_up<T, const N: usize>(
    table: &Table,
    key: &str,
    possible: [&str; N],
    faults: &mut Vec<String>,
    read: impl Fn(&Value) -> Option<T>,
) -> Option<T> {
    let value = table.get(key)?;
    let read = read(value);
    if read.is_none() {
        let given = quotable(&value.to_string());
        faults.push(format!("{key} takes {}, not {given}", alternatives(possible)));
    }
    read
}

/// The names that are there and possible; none if they cannot be told apart.
fn names(table: &Table, faults: &mut Vec<String>) -> Both<Option<String>> {
    let names = Both::from_fn(|side| {
        let value = table.get(NAMES[side])?;
        let Some(name) = value.as_str() else {
            let given = quotable(&value.to_string());
            faults.push(format!("{} takes a name in quotation marks, not {given}", NAMES[side]));
            return None;
        };
        check_name(name)
            .inspect_err(|error| faults.push(format!("{} is not possible: {error}", NAMES[side])))
            .ok()
    });
    checked(names.as_ref().map(Option::as_deref)).unwrap_or_else(|error| {
        faults.push(format!("{} and {} are not possible: {error}", NAMES.one, NAMES.two));
        Both::default()
    })
}

/// Names that are possible and can be told apart, also from what a player without a name is called.
fn checked(names: Both<Option<&str>>) -> Result<Both<Option<String>>, NameError> {
    let usual = default_names();
    let called = check_names(Both::from_fn(|side| names[side].unwrap_or(&usual[side])))?;
    Ok(Both::from_fn(|side| names[side].map(|_| called[side].clone())))
}

#[cfg(test)]
mod tests;
