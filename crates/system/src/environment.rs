//! What the environment variables say about the terminal.

use crate::terminal::{IS_CAPABLE, IS_UNICODE};

/// Whether the terminal can only print text.
#[must_use]
pub fn is_dumb() -> bool {
    let terminal = std::env::var_os("TERM").filter(|terminal| !terminal.is_empty());
    terminal.map_or(!IS_CAPABLE, |terminal| terminal == "dumb")
}

/// Whether the locale supports Unicode.
#[must_use]
pub fn speaks_unicode() -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    locale.map_or(IS_UNICODE, |locale| {
        let locale = locale.to_lowercase();
        locale.contains("utf-8") || locale.contains("utf8")
    })
}
