//! The command line: one set of definitions for parser, help, man page and completions.

mod boards;
mod bot;
mod engine;
mod play;
mod sandbox;
mod screen;
mod time;
mod tournament;

use std::ffi::OsString;

pub(crate) use boards::{BoardArgs, GameArgs, LabArgs, MapArgs, ShowArgs, SolveArgs};
pub(crate) use bot::CheckArgs;
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{CommandFactory, Parser, Subcommand};
pub(crate) use engine::EngineArgs;
pub(crate) use play::{PlayArgs, ReplayArgs, ReviewArgs};
pub(crate) use sandbox::SandboxArgs;
pub(crate) use screen::{Color, ScreenArgs};
pub(crate) use tournament::TournamentArgs;

use crate::completion;

/// Examples before everything else, then what there is.
const TEMPLATE: &str =
    "{before-help}{about-with-newline}\n{usage-heading} {usage}\n\n{all-args}{after-help}";

/// Two-player strategy games for the command line.
#[derive(Debug, Parser)]
#[command(
    name = "skirmish",
    version,
    help_template = TEMPLATE,
    before_help = "Examples:
  skirmish                                     the arcade, full screen
  skirmish play base-battle                    two players at this terminal
  skirmish play command-clash --p2 skilled     against the computer
  skirmish play base-battle --p2 \"python3 mybot.py\"
  skirmish play command-clash --match 5 --names Ann,Bob
  skirmish play --resume                       go on with the last saved game
  skirmish rules capture-the-line              how it is played
  skirmish analyze capture-and-conquer --moves \"2 2 1\"
",
    disable_help_subcommand = true,
    propagate_version = true
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) screen: ScreenArgs,

    #[command(subcommand)]
    pub(crate) command: Option<CliCommand>,
}

impl Cli {
    /// Reads the command line of this process.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        Self::read_from(std::env::args_os())
    }

    fn read_from<T: Into<OsString> + Clone>(
        words: impl IntoIterator<Item = T>,
    ) -> Result<Self, clap::Error> {
        let cli = Self::try_parse_from(words)?;
        // clap looks for conflicts on either side of a command's name, but not across it.
        if let (true, Some(flag)) = (cli.wants_full_screen(), cli.screen.lines_flag()) {
            let clash = format!("the argument '--tui' cannot be used with '{flag}'");
            return Err(Self::command().error(ErrorKind::ArgumentConflict, clash));
        }
        Ok(cli)
    }

    const fn wants_full_screen(&self) -> bool {
        match &self.command {
            Some(CliCommand::Play(args)) => args.tui,
            Some(CliCommand::Replay(args)) => args.tui,
            _ => false,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum CliCommand {
    /// Play a game.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish play base-battle --first p1
  skirmish play command-clash --p2 skilled     against the computer
  skirmish play base-battle --p2 \"python3 mybot.py\"
  skirmish play base-battle --tui              full screen
  skirmish play capture-and-conquer --p1 expert --p2 perfect --seed 1
  skirmish play command-line-conquer --rule units=4 --rule positions=13
  skirmish play capture-and-conquer --match 3 --names Ann,Bob --seed 7
  skirmish play --resume                       the last saved game
  skirmish play --resume my-game.skr
  skirmish play --resume my-game.skr --copy    while it is being played elsewhere
")]
    Play(PlayArgs),
    /// List the games.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish games
  skirmish games --json
")]
    Games {
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Explain a game: its rules, its rulings and its rule options.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish rules command-clash
  skirmish rules base-battle --json
")]
    Rules {
        /// The game.
        #[arg(add = completion::games())]
        game: String,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
    /// Show a position: the board, whose turn it is, what is legal.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish show capture-and-conquer --moves \"2 2 1\"
  skirmish show command-line-conquer --position 0,2,2/7,10/1
  skirmish show command-clash --moves \"charge|attack\" --json
")]
    Show(ShowArgs),
    /// Tell the exact value of a position and of every move in it.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish analyze base-battle --moves \"3 2\"
  skirmish analyze command-clash --position 3/1
  skirmish analyze command-line-conquer --position 0,2,2/7,10/1 --json
")]
    Analyze(ShowArgs),
    /// Solve a game from its start: every position won, lost or endless.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish solve capture-and-conquer
  skirmish solve command-line-conquer --rule positions=13 --rule units=4 --verify
  skirmish solve base-battle --table base-battle.csv
  skirmish solve base-battle --table - | sort
")]
    Solve(SolveArgs),
    /// Draw a map of the solved game.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish map capture-and-conquer
  skirmish map command-clash --position 4/1    with the best mixes there
  skirmish map base-battle --rule positions=15 --svg base-battle.svg
")]
    Map(MapArgs),
    /// Show a recorded game again, turn by turn.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish replay my-game.skr                  Enter steps forward, b back, q ends
  skirmish replay my-game.skr | less
  skirmish replay my-game.skr --tui            full screen
")]
    Replay(ReplayArgs),
    /// Name every move of a recorded game that gave something away, and what would have kept it.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish review my-game.skr
  skirmish review my-game.skr --annotate my-game-reviewed.skr
  skirmish review my-game.skr --json
")]
    Review(ReviewArgs),
    /// Find out how rule options change a game, or how the computer levels compare.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish lab base-battle --vary positions=7..15 --vary push=facing,behind,onward
  skirmish lab capture-and-conquer --vary positions=7..15 --vary steps=1..3 --fair --sort edge
  skirmish lab --levels                        all games
  skirmish lab command-clash --levels
")]
    Lab(LabArgs),
    /// Let programs play against each other: bots and computer levels, in any mix.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish tournament base-battle novice casual skilled --games 100
  skirmish tournament command-clash \"python3 mybot.py\" expert --time 200ms -j 2
  skirmish tournament capture-and-conquer new=./bot2 old=./bot1 --sprt 0,20 --games 10000
  skirmish tournament base-battle a=./a b=./b c=./c d=./d --format knockout
  skirmish tournament command-clash ./mine ./theirs --sandbox
  skirmish tournament --resume                 go on with the last one
")]
    Tournament(Box<TournamentArgs>),
    /// Play for other programs: a bot that speaks UGI over standard input and output.
    ///
    /// The protocol is described in docs/protocol.md; `ugi` lists the options, `d` shows the board, `quit` ends.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish engine
  skirmish engine --game base-battle --rule positions=13 --level expert
  printf 'ugi\\nquit\\n' | skirmish engine
")]
    Engine(EngineArgs),
    /// Look after a bot: a program that plays.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish bot check \"python3 bots/python/bot.py\"
")]
    Bot {
        #[command(subcommand)]
        command: BotCliCommand,
    },
    /// Print a completion script for a shell.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish completions bash > ~/.local/share/bash-completion/completions/skirmish
  skirmish completions fish > ~/.config/fish/completions/skirmish.fish
")]
    Completions {
        /// The shell.
        #[arg(value_parser = PossibleValuesParser::new(completion::SHELLS.names()))]
        shell: String,
    },
    /// Print the manual page.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish man | man -l -
")]
    Man,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BotCliCommand {
    /// Tell whether a bot answers as it should, step by step.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish bot check \"python3 bots/python/bot.py\"
  skirmish bot check \"python3 bots/python/ugi_bot.py\" --game capture-and-conquer
  skirmish bot check ugi:./bot --time 200ms --json
")]
    Check(CheckArgs),
}

#[cfg(test)]
mod tests {
    use skirmish_store::Theme;

    use super::*;

    /// A command line for every command.
    const COMMANDS: [&[&str]; 17] = [
        &["play", "base"],
        &["play", "base", "--tui"],
        &["games"],
        &["rules", "base"],
        &["show", "base"],
        &["analyze", "base"],
        &["solve", "base"],
        &["map", "base"],
        &["replay", "x.skr"],
        &["review", "x.skr"],
        &["lab", "base"],
        &["tournament", "base", "novice", "casual"],
        &["engine"],
        &["bot", "check", "./bot"],
        &["completions", "bash"],
        &["man"],
        &[],
    ];

    type IsSet = fn(&ScreenArgs) -> bool;

    /// The flags of the screen, each with what it sets.
    const FLAGS: [(&[&str], IsSet); 6] = [
        (&["--color", "always"], |screen| screen.color == Color::Always),
        (&["--plain"], |screen| screen.plain),
        (&["--screen-reader"], |screen| screen.screen_reader),
        (&["--theme", "Monochrome"], |screen| screen.theme == Some(Theme::Monochrome)),
        (&["--ascii"], |screen| screen.ascii),
        (&["--no-motion"], |screen| screen.no_motion),
    ];

    fn read(words: &[&[&str]]) -> Result<Cli, clap::Error> {
        Cli::read_from([&["skirmish"], words.concat().as_slice()].concat())
    }

    #[test]
    fn the_flags_of_the_screen_count_before_and_behind_every_command() {
        for command in COMMANDS {
            for (flag, is_set) in FLAGS {
                if command.contains(&"--tui") && ["--plain", "--screen-reader"].contains(&flag[0]) {
                    continue;
                }
                for words in [[flag, command], [command, flag]] {
                    let cli = read(&words).unwrap_or_else(|error| panic!("{words:?}: {error}"));
                    assert!(is_set(&cli.screen), "{words:?}");
                }
            }
            let cli = read(&[command]).expect("a command line without flags");
            assert!(FLAGS.iter().all(|(_, is_set)| !is_set(&cli.screen)), "{command:?}");
        }
    }

    #[test]
    fn the_flag_behind_the_command_wins_over_the_one_before_it() {
        let cli = read(&[&["--color", "always", "games", "--color", "never"]]);
        assert_eq!(cli.expect("both are possible").screen.color, Color::Never);
    }

    #[test]
    fn the_full_screen_and_plain_lines_exclude_each_other_wherever_they_are_said() {
        for command in [&["play", "base", "--tui"], &["replay", "x.skr", "--tui"]] {
            for flag in ["--plain", "--screen-reader"] {
                for words in [[&[flag][..], command], [command, &[flag][..]]] {
                    let error = read(&words).expect_err("this makes no sense");
                    assert_eq!(error.kind(), ErrorKind::ArgumentConflict, "{words:?}");
                    let told = error.to_string();
                    assert!(told.contains("'--tui' cannot be used with"), "{told}");
                }
            }
        }
    }
}
