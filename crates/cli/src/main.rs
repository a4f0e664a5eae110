//! `skirmish`: five two-player command-line strategy games in one program.

mod admin;
mod advisor;
mod analyze;
mod arcade;
mod args;
mod bot;
mod completion;
mod destination;
mod doctor;
mod engine;
mod exit;
mod find;
mod games;
mod lab;
mod line;
mod lookup;
mod manual;
mod map;
mod menu;
mod online;
mod output;
mod play;
mod puzzle;
mod replay;
mod review;
mod saves;
mod seats;
mod show;
mod signals;
mod solve;
mod solving;
mod table;
mod tournament;

/// A test-only game that exercises every part of the program.
#[cfg(test)]
#[path = "../../rules/tests/sixth/mod.rs"]
mod sixth;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use anyhow::Result;
use skirmish_rules::{Catalog, GAMES, printable};

use crate::args::{BotCliCommand, Cli, CliCommand, Color};
use crate::exit::{Exit, HUNG_UP};

/// Ends all bots on drop, however `main` returns.
struct BotGuard;

impl Drop for BotGuard {
    fn drop(&mut self) {
        skirmish_arena::bot::end_all();
    }
}

fn main() -> ExitCode {
    if let Some(exit) = completion::answer() {
        return exit.into();
    }
    let _bots = BotGuard;
    skirmish_store::remember_program();
    let cli = match Cli::read() {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version count as success, even if the pipe is closed.
            drop(error.print());
            return if error.use_stderr() { Exit::Usage } else { Exit::Done }.into();
        }
    };
    output::remember_terminals();
    output::set_presentation(&cli.screen);
    match run(cli, GAMES).or_else(anyhow::Error::downcast::<Exit>) {
        // A closed terminal shows as end of input or as a failed read or write, with or without a SIGHUP.
        Ok(Exit::InputEnded) | Err(_) if output::is_hung_up() => HUNG_UP.into(),
        Ok(exit) => exit.into(),
        Err(error) if output::is_closed_pipe(&error) => Exit::Done.into(),
        Err(error) => {
            let lines: Vec<String> = format!("{error:#}").lines().map(told).collect();
            output::eprint_line(format_args!("error: {}", lines.join("\n")));
            Exit::of(&error).into()
        }
    }
}

fn run(cli: Cli, catalog: Catalog) -> Result<Exit> {
    if cli.wants_full_screen() {
        arcade::check_terminal()?;
    }
    match cli.command {
        None if cli.screen.is_full() => arcade::home(&cli.screen, catalog),
        None if is_interactive() => menu::run(&cli.screen, catalog),
        None => {
            let color = if cli.screen.color == Color::Never {
                clap::ColorChoice::Never
            } else {
                clap::ColorChoice::Auto
            };
            output::eprint_line(Cli::command_as_started().color(color).render_help());
            Ok(Exit::Usage)
        }
        Some(CliCommand::Play(args)) => play::run(&args, &cli.screen, catalog),
        Some(CliCommand::Host(args)) => online::host(&args, &cli.screen, catalog),
        Some(CliCommand::Join(args)) => online::join(&args, &cli.screen, catalog),
        Some(CliCommand::Serve(args)) => online::serve(&args, catalog),
        Some(CliCommand::Admin(args)) => admin::run(&args, catalog),
        Some(CliCommand::Games { json }) => games::list(catalog, json),
        Some(CliCommand::Rules(args)) => games::explain(catalog, &args),
        Some(CliCommand::Show(args)) => show::run(&args, catalog),
        Some(CliCommand::Analyze(args)) => analyze::run(&args, catalog),
        Some(CliCommand::Solve(args)) => solve::run(&args, catalog),
        Some(CliCommand::Find(args)) => find::run(&args, catalog),
        Some(CliCommand::Puzzle(args)) => puzzle::run(&args, &cli.screen, catalog),
        Some(CliCommand::Map(args)) => map::run(&args, catalog),
        Some(CliCommand::Saves(args)) => saves::run(&args, catalog),
        Some(CliCommand::Replay(args)) => replay::run(&args, &cli.screen, catalog),
        Some(CliCommand::Review(args)) => review::run(&args, catalog),
        Some(CliCommand::Lab(args)) => lab::run(&args, catalog),
        Some(CliCommand::Tournament(args)) => tournament::play(&args, &cli.screen, catalog),
        Some(CliCommand::Engine(args)) => engine::run(&args, catalog),
        Some(CliCommand::Bot { command: BotCliCommand::Check(args) }) => bot::check(&args, catalog),
        Some(CliCommand::Doctor) => doctor::run(&cli.screen),
        Some(CliCommand::Completions { shell }) => completion::script(&shell),
        Some(CliCommand::Man) => manual::print(),
    }
}

/// Makes a line of an error message safe to print, and cuts the middle out of a very long one.
fn told(line: &str) -> String {
    const LONGEST: usize = 500;
    let mut letters = line.char_indices().map(|(index, _)| index);
    let (head, tail) = (letters.nth(LONGEST / 2), letters.nth_back(LONGEST / 2));
    match (head, tail) {
        (Some(head), Some(tail)) => printable(&format!("{}…{}", &line[..head], &line[tail..])),
        _ => printable(line),
    }
}

/// Whether both standard input and standard output are a terminal.
fn is_interactive() -> bool {
    io::stdin().is_terminal() && io::stdout().is_terminal()
}
