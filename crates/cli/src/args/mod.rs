//! The command line: one set of definitions for parser, help, man page and completions.

mod admin;
mod boards;
mod bot;
mod engine;
mod find;
mod number;
mod online;
mod play;
mod puzzle;
mod rules;
mod sandbox;
mod saves;
mod screen;
mod time;
mod tournament;

use std::ffi::OsString;

pub(crate) use admin::{AdminArgs, AdminCommand, CommonArgs, DatabaseArgs, WhoArgs};
pub(crate) use boards::{AnalyzeArgs, BoardArgs, GameArgs, LabArgs, MapArgs, ShowArgs, SolveArgs};
pub(crate) use bot::CheckArgs;
use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command, CommandFactory, FromArgMatches, Parser, Subcommand};
pub(crate) use engine::EngineArgs;
pub(crate) use find::FindArgs;
pub(crate) use online::{HostArgs, JoinArgs, ServeArgs, TermsArgs};
pub(crate) use play::{PlayArgs, ReplayArgs, ReviewArgs};
pub(crate) use puzzle::PuzzleArgs;
pub(crate) use rules::{RulesArgs, RulesPart};
pub(crate) use sandbox::SandboxArgs;
pub(crate) use saves::SavesArgs;
pub(crate) use screen::{Color, ScreenArgs};
use skirmish_rules::{GAMES, conjunction, quotable};
use skirmish_store::{as_started, program};
pub(crate) use tournament::TournamentArgs;

use crate::{completion, lookup};

/// The help layout: examples first, then the description, usage and options.
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
  skirmish play --resume                       the last saved game
  skirmish host base-battle                    with somebody on your network
  skirmish rules capture-the-line              how to play it
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

    fn read_from<T: Into<OsString>>(
        words: impl IntoIterator<Item = T>,
    ) -> Result<Self, clap::Error> {
        let mut words: Vec<OsString> = words.into_iter().map(Into::into).collect();
        let cli = loop {
            let mut command = Self::command_as_started();
            let matches = command.try_get_matches_from_mut(&words);
            match matches.and_then(|matches| Self::from_arg_matches(&matches)) {
                Ok(cli) => break cli,
                Err(error) => {
                    words = meant(words, &error).ok_or_else(|| shortened(with_tip(error)))?;
                }
            }
        };
        // clap does not detect conflicts between arguments before and after a command's name.
        if let (true, Some(flag)) = (cli.wants_full_screen(), cli.screen.lines_flag()) {
            let clash = format!("the argument '--tui' cannot be used with '{flag}'");
            return Err(Self::command().error(ErrorKind::ArgumentConflict, clash));
        }
        Ok(cli)
    }

    /// The definitions whose usage and examples begin with the words that started this process.
    pub(crate) fn command_as_started() -> Command {
        restarting(Self::command().bin_name(program()))
    }

    /// Whether the command was given `--tui`.
    pub(crate) const fn wants_full_screen(&self) -> bool {
        match &self.command {
            Some(CliCommand::Play(args)) => args.tui,
            Some(CliCommand::Replay(args)) => args.tui,
            Some(CliCommand::Puzzle(args)) => args.tui,
            Some(CliCommand::Host(args)) => args.tui,
            Some(CliCommand::Join(args)) => args.tui,
            Some(CliCommand::Tournament(args)) => args.tui,
            _ => false,
        }
    }
}

/// Replaces the program's standard name in the help texts of a command and its subcommands.
fn restarting(command: Command) -> Command {
    let examples = command.get_before_help().map(|help| as_started(&help.to_string()));
    let command = match examples {
        Some(examples) => command.before_help(examples),
        None => command,
    };
    let argument = |argument: Arg| match argument.get_help().map(ToString::to_string) {
        Some(help) => argument.help(as_started(&help)),
        None => argument,
    };
    command.mut_args(argument).mut_subcommands(restarting)
}

/// The word in place of a command, if it is not a command.
fn unknown_command(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(name)) => Some(name),
        _ => None,
    }
}

/// The intended command line: `--help` for `help`, and with `play` inserted if it names a game instead of a command.
fn meant(mut words: Vec<OsString>, error: &clap::Error) -> Option<Vec<OsString>> {
    let name = unknown_command(error)?;
    let place = words.iter().position(|word| word == name)?;
    if name == "help" {
        words.remove(place);
        words.push("--help".into());
    } else {
        GAMES.find(name).ok()?;
        words.insert(place, "play".into());
    }
    Some(words)
}

/// Adds a tip to the error if a mistyped command resembles the name of a game, or if a game or a record is missing.
fn with_tip(mut error: clap::Error) -> clap::Error {
    let tip = match unknown_command(&error) {
        Some(name) => lookup::tip(GAMES, name),
        None => missing(&error),
    };
    if let Some(tip) = tip {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// What can be given for a missing argument.
fn missing(error: &clap::Error) -> Option<String> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let is_missing = |name: &str| missing.iter().any(|argument| argument == name);
    if is_missing("<GAME>") {
        return Some(format!("the games are {}", conjunction(GAMES.iter().map(|entry| entry.id))));
    }
    let saves = skirmish_store::command("saves");
    is_missing("<RECORD>").then(|| format!("name a file or a saved game: {saves} lists them"))
}

/// Maximum length of a tip in an error, in bytes.
const LONGEST_TIP: usize = 200;

/// Shortens the long arguments that an error repeats.
fn shortened(mut error: clap::Error) -> clap::Error {
    let shorter = |value: &ContextValue| match value {
        ContextValue::String(text) => Some(ContextValue::String(quotable(text))),
        // Tips repeat the argument too.
        ContextValue::StyledStrs(tips) => {
            let short = tips.iter().filter(|tip| tip.to_string().len() <= LONGEST_TIP);
            Some(ContextValue::StyledStrs(short.cloned().collect()))
        }
        _ => None,
    };
    let texts: Vec<_> = error
        .context()
        .filter_map(|(kind, value)| shorter(value).map(|value| (kind, value)))
        .collect();
    for (kind, text) in texts {
        error.insert(kind, text);
    }
    error
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
    /// Host a game on your network: start a server, create a game and take your seat.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish host base-battle
  skirmish host command-clash --match 5 --name Ann --clock 5+3
  skirmish host capture-the-line --seat p2 --tui
  skirmish host --resume                       the last game hosted here
")]
    Host(Box<HostArgs>),
    /// Play on a server: join a game or visit the lobby.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish join http://192.168.1.5:7777/g/ABC234
  skirmish join ABC234                         on the last server
  skirmish join --server example.org           the lobby
  skirmish join ABC234 --watch
")]
    Join(JoinArgs),
    /// Run a server for online games.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish serve                               for this machine
  skirmish serve --listen 0.0.0.0:7777         for the network
  skirmish serve --listen 0.0.0.0:443 --url https://example.org --tls-cert chain.pem --tls-key key.pem
  skirmish serve --url https://example.org --trusted-proxy loopback
")]
    Serve(ServeArgs),
    /// Manage a server's data: backups, accounts and games. The server may be running.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish admin status
  skirmish admin backup skirmish-2026-11-16.db --data /var/lib/skirmish/skirmish/server
  skirmish admin restore skirmish-2026-11-16.db --data new-folder
  skirmish admin export skirmish-2026-11-16.jsonl
  skirmish admin ban ABC234/2 --reason \"insults in names\"
  skirmish admin prune --days 60 --dry-run
")]
    Admin(AdminArgs),
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
    /// Explain a game: its rules, rulings and rule options.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish rules command-clash
  skirmish rules base-battle solution          who wins with best play
  skirmish rules base-battle --json
")]
    Rules(RulesArgs),
    /// Show a position: the board, whose turn it is and the legal moves.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish show capture-and-conquer --moves \"2 2 1\"
  skirmish show command-line-conquer --position 0,2,2/7,10/1
  skirmish show command-clash --moves \"charge|attack\" --json
")]
    Show(ShowArgs),
    /// Show the exact value of a position and of every move.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish analyze base-battle --moves \"3 2\"
  skirmish analyze command-clash --position 3/1
  skirmish analyze capture-and-conquer --line --against casual
  skirmish analyze command-line-conquer --position 0,2,2/7,10/1 --json
")]
    Analyze(AnalyzeArgs),
    /// Solve a game: count the positions that are won, lost or endless.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish solve capture-and-conquer
  skirmish solve command-line-conquer --rule positions=13 --rule units=4 --verify
  skirmish solve base-battle --table base-battle.csv
  skirmish solve base-battle --table - | sort
")]
    Solve(SolveArgs),
    /// Find the positions of a solved game that match a query.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish find base-battle 'win in 5 and one winning move'
  skirmish find capture-and-conquer 'endless and not player 1 on 3..5' --map
  skirmish find command-line-conquer 'loss in at least 6 and player 1 has 2 units' --csv
  skirmish find command-clash 'value between 0.3 and 0.9 and player 1 mixes'
")]
    Find(FindArgs),
    /// Solve puzzles: find the only winning move, or guess the best mix.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish puzzle                              today's
  skirmish puzzle base-battle --level expert
  skirmish puzzle command-line-conquer --preset fair --seed 7
  skirmish puzzle capture-and-conquer --seed 1 --count 5 --json
")]
    Puzzle(PuzzleArgs),
    /// Draw a map of the solved game.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish map capture-and-conquer
  skirmish map command-clash --position 4/1    with the best mixes there
  skirmish map base-battle --rule positions=15 --svg base-battle.svg
")]
    Map(MapArgs),
    /// Replay a recorded game, turn by turn.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish replay my-game.skr                  Enter steps forward, b back, q ends
  skirmish replay my-game.skr | less
  skirmish replay my-game.skr --tui            full screen
")]
    Replay(ReplayArgs),
    /// Review a recorded game: every mistake, and the better move.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish review my-game.skr
  skirmish review my-game.skr --annotate my-game-reviewed.skr
  skirmish review my-game.skr --json
")]
    Review(ReviewArgs),
    /// List the saved games, or delete some.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish saves
  skirmish saves base-battle
  skirmish saves --json
")]
    Saves(SavesArgs),
    /// Compare variants of a game, or the computer levels.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish lab base-battle --vary positions=7..15 --vary push=facing,behind,onward
  skirmish lab capture-and-conquer --vary positions=7..15 --vary steps=1..3 --fair --sort edge
  skirmish lab --levels                        all games
  skirmish lab command-clash --levels
")]
    Lab(LabArgs),
    /// Run a tournament between bots and computer levels.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish tournament base-battle novice casual skilled --games 100
  skirmish tournament command-clash \"python3 mybot.py\" expert --time 200ms -j 2
  skirmish tournament capture-and-conquer new=./bot2 old=./bot1 --sprt 0,20 --games 10000
  skirmish tournament base-battle a=./a b=./b c=./c d=./d --format knockout
  skirmish tournament command-clash ./mine ./theirs --sandbox
  skirmish tournament --resume                 the last one that was stopped
")]
    Tournament(Box<TournamentArgs>),
    /// Run as a bot for other programs, speaking UGI over standard input and output.
    ///
    /// The protocol is described in docs/protocol.md; `ugi` lists the options, `d` shows the board, `quit` exits.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish engine
  skirmish engine --game base-battle --rule positions=13 --level expert
  printf 'ugi\\nquit\\n' | skirmish engine
")]
    Engine(EngineArgs),
    /// Tools for authors of bots.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish bot check \"python3 bots/python/bot.py\"
")]
    Bot {
        #[command(subcommand)]
        command: BotCliCommand,
    },
    /// Report on this installation: version, system, terminal, folders, sandbox, memory.
    ///
    /// Include this output when you report a problem. It names neither you nor your computer.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish doctor
")]
    Doctor,
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
    /// Check, step by step, that a bot follows the protocol.
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

    /// An example command line for every command.
    const COMMANDS: [&[&str]; 27] = [
        &["play", "base"],
        &["play", "base", "--tui"],
        &["host", "base"],
        &["host", "base", "--tui"],
        &["join"],
        &["join", "ABC234", "--tui"],
        &["serve"],
        &["games"],
        &["rules", "base"],
        &["show", "base"],
        &["analyze", "base"],
        &["solve", "base"],
        &["find", "base", "win in 5"],
        &["puzzle"],
        &["puzzle", "base", "--tui"],
        &["map", "base"],
        &["saves"],
        &["replay", "x.skr"],
        &["review", "x.skr"],
        &["lab", "base"],
        &["tournament", "base", "novice", "casual"],
        &["engine"],
        &["bot", "check", "./bot"],
        &["doctor"],
        &["completions", "bash"],
        &["man"],
        &[],
    ];

    type IsSet = fn(&ScreenArgs) -> bool;

    /// The screen flags, each with a check that it was set.
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
    fn screen_flags_work_before_and_after_every_command() {
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
    fn a_game_in_place_of_a_command_is_played() {
        for words in [
            &["base-battle", "--p2", "perfect"][..],
            &["--plain", "Base Battle", "--p2", "perfect"],
        ] {
            let cli = read(&[words]).expect("the game is understood");
            let Some(CliCommand::Play(args)) = cli.command else { panic!("{words:?}") };
            assert_eq!(args.p2.as_deref(), Some("perfect"));
        }
        assert!(read(&[&["chess"]]).is_err());
    }

    #[test]
    fn help_in_place_of_a_command_is_the_help() {
        for (words, flag) in [
            (&["help"][..], &["--help"][..]),
            (&["help", "play"], &["play", "--help"]),
            (&["help", "base-battle"], &["play", "--help"]),
            (&["admin", "help"], &["admin", "--help"]),
        ] {
            let [help, expected] = [words, flag].map(|words| read(&[words]).expect_err("help"));
            assert_eq!(help.kind(), ErrorKind::DisplayHelp, "{words:?}");
            assert_eq!(help.to_string(), expected.to_string(), "{words:?}");
        }
    }

    #[test]
    fn a_mistyped_command_or_game_is_answered_with_the_nearest_one() {
        for (word, tip) in [
            ("tournamnt", "a similar subcommand exists: 'tournament'"),
            ("base-batle", "did you mean base-battle?"),
            ("capture", "\"capture\" could be capture-and-conquer or capture-the-line"),
        ] {
            let error = read(&[&[word]]).expect_err("no command").to_string();
            assert!(error.contains(&format!("\n  tip: {tip}\n")), "{error}");
        }
        let error = read(&[&["xyzzy"]]).expect_err("no command").to_string();
        assert!(!error.contains("tip:"), "{error}");
    }

    #[test]
    fn a_missing_game_or_record_is_answered_with_what_there_is() {
        for (command, tip) in [
            ("analyze", "tip: the games are command-line-conquer, "),
            ("review", "tip: name a file or a saved game: skirmish saves lists them"),
        ] {
            let error = read(&[&[command]]).expect_err("an argument is missing").to_string();
            assert!(error.contains(tip), "{error}");
        }
    }

    #[test]
    fn a_flag_after_the_command_overrides_one_before_it() {
        let cli = read(&[&["--color", "always", "games", "--color", "never"]]);
        assert_eq!(cli.expect("both are possible").screen.color, Color::Never);
    }

    #[test]
    fn tui_and_plain_lines_conflict_wherever_they_are_given() {
        for command in [
            &["play", "base", "--tui"],
            &["replay", "x.skr", "--tui"],
            &["puzzle", "base", "--tui"],
            &["host", "base", "--tui"],
            &["join", "ABC234", "--tui"],
        ] {
            for flag in ["--plain", "--screen-reader"] {
                for words in [[&[flag][..], command], [command, &[flag][..]]] {
                    let error = read(&words).expect_err("they conflict");
                    assert_eq!(error.kind(), ErrorKind::ArgumentConflict, "{words:?}");
                    let text = error.to_string();
                    assert!(text.contains("'--tui' cannot be used with"), "{text}");
                }
            }
        }
    }
}
