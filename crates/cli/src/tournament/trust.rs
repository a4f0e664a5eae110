//! Asks before resuming a tournament from a folder that may be somebody else's.

use std::io::{self, IsTerminal};
use std::path::Path;

use anyhow::Result;
use skirmish_arena::Trust;
use skirmish_arena::tournament::{Folder, Tournament};
use skirmish_rules::quotable;

use crate::exit::{Exit, usage};
use crate::{line, output};

/// Succeeds if the user has started or resumed this tournament before, with the same commands, or agrees to resume it.
pub(super) fn confirm(
    tournament: &Tournament,
    folder: &Folder,
    directory: &Path,
    is_trusted: bool,
) -> Result<()> {
    let trust = Trust::locate().ok();
    let is_own = trust.as_ref().is_some_and(|trust| trust.owns(folder));
    let is_known = trust.is_some_and(|trust| trust.covers(directory, tournament.bots()));
    if !(is_trusted || is_own && is_known) {
        let question = question(tournament, folder, directory, is_own);
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Err(usage(format!("{question}\nTo resume it, add --trust")));
        }
        output::eprint_line(question);
        let refused = |error: anyhow::Error| match error.downcast::<Exit>() {
            Ok(_) => anyhow::anyhow!("the tournament was not resumed"),
            Err(error) => error,
        };
        line::confirm("Resume it (yes or no)? ").map_err(refused)?;
    }
    remember(tournament, folder, directory);
    Ok(())
}

/// Records that the user trusts a tournament. If this fails, resuming it asks again.
pub(super) fn remember(tournament: &Tournament, folder: &Folder, directory: &Path) {
    if let Ok(trust) = Trust::locate() {
        drop(trust.own(folder));
        drop(trust.add(directory, tournament.bots()));
    }
}

/// Why the user is asked, and what resuming would do.
fn question(tournament: &Tournament, folder: &Folder, directory: &Path, is_own: bool) -> String {
    let path = visible(&folder.path().to_string_lossy());
    let why = if is_own {
        format!("You have not run the tournament in {path} with these commands before.")
    } else {
        format!(
            "You have not run the tournament in {path} before: it may be somebody else's, or it was moved or copied."
        )
    };
    let commands: Vec<String> =
        tournament.bots().map(|bot| format!("  {}", visible(&bot.to_string()))).collect();
    if commands.is_empty() {
        return format!("{why} Resuming it plays games and writes their records into that folder.");
    }
    let sandbox = match tournament.sandbox() {
        Some(_) => "in a sandbox",
        None => "without a sandbox",
    };
    let directory = visible(&directory.to_string_lossy());
    format!(
        "{why} Resuming it writes records into that folder and runs these commands in {directory}, {sandbox}:\n{}",
        commands.join("\n")
    )
}

/// Escapes the invisible and reordering characters of a text.
fn visible(text: &str) -> String {
    let show = |letter: char| {
        let shown = quotable(letter.encode_utf8(&mut [0; 4]));
        if shown.chars().eq([letter]) { shown } else { letter.escape_unicode().to_string() }
    };
    text.chars().map(show).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invisible_characters_of_a_command_are_shown() {
        assert_eq!(visible("sh -c 'echo 1'"), "sh -c 'echo 1'");
        assert_eq!(visible("sh \u{202e}x\u{1b}[2J\n"), "sh \\u{202e}x\\u{1b}[2J\\u{a}");
        assert_eq!(visible(&"x".repeat(500)), "x".repeat(500));
    }
}
