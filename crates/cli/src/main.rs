//! `skirmish`: five two-player command-line strategy games in one program.

mod advisor;
mod analyze;
mod args;
mod bot;
mod destination;
mod engine;
mod exit;
mod games;
mod json;
mod lab;
mod line;
mod lookup;
mod map;
mod menu;
mod output;
mod play;
mod replay;
mod review;
mod seats;
mod shell;
mod show;
mod signals;
mod solve;
mod solving;
mod speech;
mod tournament;
mod tui;
mod words;

/// A game that exists only in the tests: it goes through every part of the program.
#[cfg(test)]
#[path = "../../rules/tests/sixth/mod.rs"]
mod sixth;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use anyhow::Result;
use clap::{CommandFactory, Parser};
use skirmish_rules::{Catalog, GAMES};

use crate::args::{BotCommand, Cli, Color, Command};
use crate::exit::{Exit, UsageError};
use crate::tui::{Mode, Start};

/// However the program ends, no bot outlives it.
struct Bots;

impl Drop for Bots {
    fn drop(&mut self) {
        skirmish_play::bot::end_all();
    }
}

fn main() -> ExitCode {
    let _bots = Bots;
    skirmish_play::bot::adopt_orphans();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version are no failures, and a closed pipe is none of our business.
            drop(error.print());
            return if error.use_stderr() { Exit::Usage } else { Exit::Done }.into();
        }
    };
    output::set_color(cli.color);
    output::set_manner(cli.screen().manner());
    match run(cli, GAMES) {
        Ok(exit) => exit.into(),
        Err(error) if output::is_closed_pipe(&error) => Exit::Done.into(),
        Err(error) => {
            output::complain(format_args!("error: {error:#}"));
            if error.is::<UsageError>() { Exit::Usage } else { Exit::Failed }.into()
        }
    }
}

fn run(cli: Cli, catalog: Catalog) -> Result<Exit> {
    match cli.command {
        None if is_conversation() => match cli.screen.mode() {
            Mode::Full => tui::run(&cli.screen, cli.color, Start::Home, catalog),
            Mode::Lines => menu::run(catalog),
        },
        None => {
            let color = if cli.color == Color::Never {
                clap::ColorChoice::Never
            } else {
                clap::ColorChoice::Auto
            };
            output::complain(Cli::command().color(color).render_help());
            Ok(Exit::Usage)
        }
        Some(Command::Play(args)) => play::run(&args, cli.color, catalog),
        Some(Command::Games { json }) => games::list(catalog, json),
        Some(Command::Rules { game, json }) => games::explain(catalog, &game, json),
        Some(Command::Show(args)) => show::run(&args, catalog),
        Some(Command::Analyze(args)) => analyze::run(&args, catalog),
        Some(Command::Solve(args)) => solve::run(&args, catalog),
        Some(Command::Map(args)) => map::run(&args, catalog),
        Some(Command::Replay(args)) => replay::run(&args, cli.color, catalog),
        Some(Command::Review(args)) => review::run(&args, catalog),
        Some(Command::Lab(args)) => lab::run(&args, catalog),
        Some(Command::Tournament(args)) => tournament::play(&args, catalog),
        Some(Command::Engine) => engine::run(catalog),
        Some(Command::Bot { command: BotCommand::Check(args) }) => bot::check(&args, catalog),
        Some(Command::Completions { shell }) => shell::completions(shell),
        Some(Command::Man) => shell::manual(),
    }
}

/// Whether a person sits at both ends.
fn is_conversation() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}
