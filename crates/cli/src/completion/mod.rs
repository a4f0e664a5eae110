//! Shell completion: the shell's script calls the program, which completes games, options, presets and saved games.

mod bash;
mod candidates;

use std::ffi::OsString;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

use anyhow::Result;
pub(crate) use candidates::{
    commands, entrants, games, level, players, presets, records, rules, saves, tournaments, varied,
};
use clap::CommandFactory;
use clap_complete::env::{Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};

use self::bash::Bash;
use crate::args::Cli;
use crate::exit::Exit;
use crate::output;

/// The environment variable with which a script requests candidates; its value is the shell.
const VARIABLE: &str = "SKIRMISH_COMPLETE";

/// The supported shells.
pub(crate) const SHELLS: Shells<'static> = Shells(&[&Bash, &Elvish, &Fish, &Powershell, &Zsh]);

/// The words of the command line to complete.
static TYPED: OnceLock<Vec<String>> = OnceLock::new();

/// `skirmish completions SHELL`: prints the shell's completion script.
pub(crate) fn script(shell: &str) -> Result<Exit> {
    let shell = SHELLS.completer(shell).expect("clap checked the shell");
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "skirmish", "skirmish", &program(), &mut script)?;
    output::print_data(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// The program as the script calls it, independent of the working directory.
fn program() -> String {
    let called = std::env::args().next().unwrap_or_default();
    let path = Path::new(&called);
    if path.components().count() > 1
        && let Ok(path) = std::path::absolute(path)
    {
        return path.to_string_lossy().into_owned();
    }
    "skirmish".to_owned()
}

/// Prints candidates if a completion script requests them.
pub(crate) fn answer() -> Option<Exit> {
    let shell = std::env::var(VARIABLE).ok()?;
    let Some(shell) = SHELLS.completer(&shell) else { return Some(Exit::Usage) };
    let asked: Vec<OsString> =
        std::env::args_os().skip_while(|word| word != "--").skip(1).collect();
    let exit = match candidates_for(shell, asked) {
        Ok(()) => Exit::Done,
        Err(_) => Exit::Failed,
    };
    Some(exit)
}

fn candidates_for(shell: &dyn EnvCompleter, asked: Vec<OsString>) -> io::Result<()> {
    let typed: Vec<String> = if shell.name() == Bash.name() {
        let line = asked.first().map(|line| line.to_string_lossy()).unwrap_or_default();
        bash::split(&line).0
    } else {
        asked.iter().map(|word| word.to_string_lossy().into_owned()).collect()
    };
    TYPED.get_or_init(|| typed);
    let mut candidates = Vec::new();
    let folder = std::env::current_dir().ok();
    shell.write_complete(&mut Cli::command(), asked, folder.as_deref(), &mut candidates)?;
    output::print_data(&String::from_utf8_lossy(&candidates))
}
