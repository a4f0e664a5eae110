//! Asks before running commands from a folder that may be somebody else's.

use std::io::{self, IsTerminal};
use std::path::Path;

use anyhow::Result;
use skirmish_arena::tournament::{Folder, Tournament};
use skirmish_rules::quotable;

use crate::exit::{Exit, usage};
use crate::{line, output};

/// Succeeds if the user has run the commands of a tournament before, or agrees to run them now.
pub(super) fn confirm(
    tournament: &Tournament,
    folder: &Folder,
    directory: &Path,
    is_trusted: bool,
) -> Result<()> {
    if !is_trusted && !tournament.is_trusted(directory) {
        let path = folder.path().display();
        let commands: Vec<String> =
            tournament.bots().map(|bot| format!("  {}", visible(&bot.to_string()))).collect();
        let sandbox = match tournament.sandbox() {
            Some(_) => "in a sandbox",
            None => "without a sandbox",
        };
        let warning = format!(
            "You have not run the tournament in {path} with these commands before. It runs them in {}, \
             {sandbox}:\n{}\n",
            visible(&directory.to_string_lossy()),
            commands.join("\n")
        );
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Err(usage(format!("{warning}To run them, add --trust")));
        }
        output::eprint_line(warning.trim_end());
        let refused = |error: anyhow::Error| match error.downcast::<Exit>() {
            Ok(_) => anyhow::anyhow!("nothing was run"),
            Err(error) => error,
        };
        line::confirm("Run them (yes or no)? ").map_err(refused)?;
    }
    // If this fails, the user is asked again.
    drop(tournament.trust(directory));
    Ok(())
}

/// The whole text, with invisible and reordering characters escaped.
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
