//! Before commands are run that the user has not asked for, because they stand in somebody else's folder.

use std::io::{self, IsTerminal};
use std::path::Path;

use anyhow::{Result, bail};
use skirmish_arena::tournament::{Folder, Tournament};
use skirmish_rules::quotable;

use crate::exit::usage;
use crate::{line, output};

/// Goes on if the user has asked for the commands of a tournament before, or agrees to them now.
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
        let told = format!(
            "You have not run the commands of the tournament in {path} like this before. It runs these in {}, \
             {sandbox}:\n{}\n",
            visible(&directory.to_string_lossy()),
            commands.join("\n")
        );
        if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
            return Err(usage(format!("{told}To run them: --trust")));
        }
        output::eprint_line(told.trim_end());
        if line::confirm("Run them (yes or no)? ")? != Ok(true) {
            bail!("nothing was run");
        }
    }
    // If it cannot be noted, the user is asked again.
    drop(tournament.trust(directory));
    Ok(())
}

/// All of a text, with the letters written out that cannot be seen or that reorder others.
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
    fn a_command_is_shown_with_everything_that_is_in_it() {
        assert_eq!(visible("sh -c 'echo 1'"), "sh -c 'echo 1'");
        assert_eq!(visible("sh \u{202e}x\u{1b}[2J\n"), "sh \\u{202e}x\\u{1b}[2J\\u{a}");
        assert_eq!(visible(&"x".repeat(500)), "x".repeat(500));
    }
}
