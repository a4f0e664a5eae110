//! The standard folders for files: the XDG base directories, or the known folders of Windows.

use std::path::PathBuf;

use etcetera::BaseStrategy;

/// The folder for data: `$XDG_DATA_HOME`. Without that variable, `~/.local/share`; on Windows, `%APPDATA%`.
#[must_use]
pub fn data() -> Option<PathBuf> {
    named("XDG_DATA_HOME").or_else(|| Some(usual()?.data_dir()))
}

/// The folder for settings: `$XDG_CONFIG_HOME`. Without that variable, `~/.config`; on Windows, `%APPDATA%`.
#[must_use]
pub fn config() -> Option<PathBuf> {
    named("XDG_CONFIG_HOME").or_else(|| Some(usual()?.config_dir()))
}

/// The user's home folder.
#[must_use]
pub fn home() -> Option<PathBuf> {
    etcetera::home_dir().ok()
}

/// The folder named by an environment variable. The XDG specification says to ignore relative paths.
fn named(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

fn usual() -> Option<impl BaseStrategy> {
    etcetera::base_strategy::choose_base_strategy().ok()
}
