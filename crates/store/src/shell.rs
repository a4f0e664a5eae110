//! Shell commands for the user to type, such as the one that resumes a saved game.

use std::path::Path;

use skirmish_play::Plan;
use skirmish_play::player::{Player, Sandbox};
use skirmish_rules::{Side, is_printable, quotable};
use skirmish_system::words;

use crate::command;

/// Quotes a path or a command as one word for the user's shell. For a POSIX shell, invisible characters are escaped.
#[must_use]
pub fn quoted(path: &str) -> String {
    words::quoted(path, is_printable(path))
}

/// The option that selects the player for a side.
#[must_use]
pub const fn player_option(side: Side) -> &'static str {
    match side {
        Side::One => "--p1",
        Side::Two => "--p2",
    }
}

/// Explains why a saved game cannot be resumed yet if a bot played in it: commands from a file are never run.
#[must_use]
pub fn absence(plan: &Plan, file: &Path, screen: Screen) -> Option<String> {
    let absent = plan.absent();
    if absent.is_empty() {
        return None;
    }
    let bots: Vec<String> = absent
        .iter()
        .map(|(side, command)| format!("{side} is the bot \"{}\"", quotable(command)))
        .collect();
    Some(format!(
        "{}, and commands found in a file are not run. To go on: {}",
        bots.join(" and "),
        resume(file, &options(plan, screen))
    ))
}

/// The command that resumes the game saved in `file`.
#[must_use]
pub fn resume(file: &Path, options: &str) -> String {
    command(&format!("play --resume {}{options}", quoted(&file.to_string_lossy())))
}

/// The command that shows the game recorded in `file` again.
#[must_use]
pub fn replay(file: &Path) -> String {
    command(&format!("replay {}", quoted(&file.to_string_lossy())))
}

/// How a command shows a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    /// As lines of text.
    Lines,
    /// On the full screen.
    Full,
}

impl Screen {
    /// The option that selects this screen, with a leading space.
    #[must_use]
    pub const fn option(self) -> &'static str {
        match self {
            Self::Lines => "",
            Self::Full => " --tui",
        }
    }
}

impl From<bool> for Screen {
    fn from(is_full: bool) -> Self {
        if is_full { Self::Full } else { Self::Lines }
    }
}

/// The options that `--resume FILE` needs to restore the bots of a game and to show it on this screen.
#[must_use]
pub fn options(plan: &Plan, screen: Screen) -> String {
    let option = |side: Side| {
        let command = match &plan.players[side] {
            Player::Human | Player::Computer(_) => return String::new(),
            Player::Bot(command) => quoted(&command.to_string()),
            // Repeat a command from a file only if all of it is visible.
            Player::Absent(command) if is_plain(command) => quoted(command),
            Player::Absent(_) => "COMMAND".to_owned(),
        };
        format!(" {} {command}", player_option(side))
    };
    let sandbox = Side::ALL.into_iter().find_map(|side| match &plan.players[side] {
        Player::Bot(command) => command.sandbox,
        Player::Human | Player::Computer(_) | Player::Absent(_) => None,
    });
    let sandbox = sandbox.map(sandbox_options).unwrap_or_default();
    option(Side::One) + &option(Side::Two) + &sandbox + screen.option()
}

/// Whether a command is complete and fully visible.
fn is_plain(command: &str) -> bool {
    // Invisible characters were already replaced when the record was read.
    !command.ends_with('…')
        && !command.contains(char::REPLACEMENT_CHARACTER)
        && is_printable(command)
}

/// The options that request this sandbox.
fn sandbox_options(sandbox: Sandbox) -> String {
    let Sandbox { memory, processes } = sandbox;
    let is_usual = (memory == Sandbox::USUAL_MEMORY, processes == Sandbox::USUAL_PROCESSES);
    let memory = if is_usual.0 { String::new() } else { format!(" --bot-memory {memory}") };
    let processes =
        if is_usual.1 { String::new() } else { format!(" --bot-processes {processes}") };
    format!(" --sandbox{memory}{processes}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sandbox_options_reproduce_the_sandbox() {
        assert_eq!(sandbox_options(Sandbox::USUAL), " --sandbox");
        let other = Sandbox { memory: 1 << 20, processes: 5 };
        assert_eq!(sandbox_options(other), " --sandbox --bot-memory 1048576 --bot-processes 5");
    }

    #[test]
    fn a_command_from_a_file_is_repeated_only_if_all_of_it_is_visible() {
        for (command, plain) in [
            ("python3 mybot.py", true),
            ("sh -c 'read -r line; echo 1'", true),
            ("sh \u{202e}yp.tob", false),
            ("sh \u{fffd}yp.tob", false),
            ("sh -c 'cut short…", false),
        ] {
            assert_eq!(is_plain(command), plain, "{command:?}");
        }
    }
}
