//! The command line: one set of definitions for parser, help, man page and completions.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use skirmish_play::Theme;
use skirmish_rules::Side;

use crate::output::Manner;
use crate::tournament::TournamentArgs;

/// Examples before everything else, then what there is.
const TEMPLATE: &str =
    "{before-help}{about-with-newline}\n{usage-heading} {usage}\n\n{all-args}{after-help}";

/// Five two-player strategy games for the command line.
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
    /// When to use colour.
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    pub(crate) color: Color,

    #[command(flatten)]
    pub(crate) screen: ScreenArgs,

    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

impl Cli {
    /// How the screen is to be used, wherever on the command line that is said.
    pub(crate) fn screen(&self) -> ScreenArgs {
        match &self.command {
            Some(Command::Play(args)) => self.screen.clone().or(&args.screen),
            Some(Command::Replay(args)) => self.screen.clone().or(&args.screen),
            _ => self.screen.clone(),
        }
    }
}

/// How the screen is used.
#[derive(Clone, Debug, Default, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
pub(crate) struct ScreenArgs {
    /// Plain lines: no full screen, nothing that moves the cursor.
    #[arg(long)]
    pub(crate) plain: bool,

    /// Plain lines, and every picture as sentences.
    #[arg(long)]
    pub(crate) screen_reader: bool,

    /// The colours of the full screen: default, high-contrast or monochrome.
    #[arg(long, value_name = "NAME", value_parser = theme)]
    pub(crate) theme: Option<Theme>,

    /// Only letters that every terminal has.
    #[arg(long, env = "SKIRMISH_ASCII", value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) ascii: bool,

    /// Nothing moves on the full screen.
    #[arg(long, env = "SKIRMISH_NO_MOTION", value_parser = clap::builder::FalseyValueParser::new())]
    pub(crate) no_motion: bool,
}

fn theme(name: &str) -> Result<Theme, String> {
    Theme::named(name).ok_or_else(|| {
        let names = skirmish_rules::alternatives(Theme::ALL.map(Theme::name));
        format!("there is {names}")
    })
}

impl ScreenArgs {
    fn or(self, other: &Self) -> Self {
        Self {
            plain: self.plain || other.plain,
            screen_reader: self.screen_reader || other.screen_reader,
            theme: other.theme.or(self.theme),
            ascii: self.ascii || other.ascii,
            no_motion: self.no_motion || other.no_motion,
        }
    }

    /// How conversations in lines are held.
    pub(crate) const fn manner(&self) -> Manner {
        if self.screen_reader {
            Manner::Spoken
        } else if self.plain {
            Manner::Plain
        } else {
            Manner::Usual
        }
    }
}

/// When to use colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless `NO_COLOR` or `TERM=dumb` forbids it.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
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
    Review {
        /// The record; finished or not.
        record: PathBuf,
        /// Write the record to this file, with the marks as comments.
        #[arg(long, value_name = "FILE")]
        annotate: Option<PathBuf>,
        /// Print JSON.
        #[arg(long)]
        json: bool,
    },
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
  skirmish tournament --resume                 go on with the last one
")]
    Tournament(Box<TournamentArgs>),
    /// Play for other programs: a bot that speaks UGI over standard input and output.
    ///
    /// The protocol is described in docs/protocol.md; `ugi` lists the options, `d` shows the board, `quit` ends.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish engine
  printf 'ugi\\nquit\\n' | skirmish engine
")]
    Engine,
    /// Look after a bot: a program that plays.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish bot check \"python3 bots/python/bot.py\"
")]
    Bot {
        #[command(subcommand)]
        command: BotCommand,
    },
    /// Print a completion script for a shell.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish completions bash > ~/.local/share/bash-completion/completions/skirmish
  skirmish completions fish > ~/.config/fish/completions/skirmish.fish
")]
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish man | man -l -
")]
    Man,
}

#[derive(Debug, Subcommand)]
pub(crate) enum BotCommand {
    /// Tell whether a bot answers as it should, step by step.
    #[command(help_template = TEMPLATE, before_help = "Examples:
  skirmish bot check \"python3 bots/python/bot.py\"
  skirmish bot check \"python3 bots/python/ugi_bot.py\" --game capture-and-conquer
  skirmish bot check ugi:./bot --time 200ms --json
")]
    Check(CheckArgs),
}

#[derive(Debug, Args)]
pub(crate) struct CheckArgs {
    /// What starts the bot, in quotation marks; ugi: or json: before it names its protocol.
    pub(crate) command: String,

    /// A game to try it with, if it does not play or does not name all it plays; can be given again.
    #[arg(long = "game", value_name = "GAME")]
    pub(crate) games: Vec<String>,

    /// The time it is told that it has for a move; it fails when it takes five times that.
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = crate::bot::time)]
    pub(crate) time: Duration,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The game and its rule options, as several commands take them.
#[derive(Debug, Default, Args)]
pub(crate) struct GameArgs {
    /// Change a rule option (`skirmish rules GAME` lists them); can be given again.
    #[arg(long = "rule", value_name = "NAME=VALUE")]
    pub(crate) rules: Vec<String>,

    /// A named set of rule options (`skirmish rules GAME` lists them); --rule goes on top of it.
    #[arg(long, value_name = "NAME")]
    pub(crate) preset: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ReplayArgs {
    /// The record.
    pub(crate) record: PathBuf,

    /// Full screen.
    #[arg(long, conflicts_with_all = ["plain", "screen_reader", "json"])]
    pub(crate) tui: bool,

    #[command(flatten)]
    pub(crate) screen: ScreenArgs,

    /// Print JSON, an object per position.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Default, Args)]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
pub(crate) struct PlayArgs {
    /// The game; `skirmish games` lists them.
    #[arg(required_unless_present = "resume")]
    pub(crate) game: Option<String>,

    #[command(flatten)]
    pub(crate) options: GameArgs,

    /// Who plays Player 1: human (as without it), novice, casual, skilled, expert, perfect, or a bot's command.
    #[arg(long, value_name = "WHO")]
    pub(crate) p1: Option<String>,

    /// Who plays Player 2, likewise; with --resume, only the command of a bot that played here.
    #[arg(long, value_name = "WHO")]
    pub(crate) p2: Option<String>,

    /// Who starts, where the rulebook lets the players choose.
    #[arg(long, value_name = "WHO")]
    pub(crate) first: Option<First>,

    /// The players' names.
    #[arg(long, value_name = "ANN,BOB")]
    pub(crate) names: Option<String>,

    /// Play a match: the best of N games.
    #[arg(long = "match", value_name = "N", value_parser = clap::value_parser!(u32).range(1..=999))]
    pub(crate) games: Option<u32>,

    /// Call a game a draw after so many turns; 200 if only computers and bots play.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_turns: Option<u32>,

    /// Repeat the chance of another game.
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Go on with a saved game; without FILE, the last one.
    #[arg(
        long,
        value_name = "FILE",
        num_args = 0..=1,
        conflicts_with_all = ["rules", "preset", "first", "names", "games", "max_turns", "seed", "game"],
    )]
    #[allow(clippy::option_option)] // given or not, with a file or not
    pub(crate) resume: Option<Option<PathBuf>>,

    /// Write the record to this file too, after every turn.
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,

    /// Do not save the game.
    #[arg(long)]
    pub(crate) no_save: bool,

    /// Full screen.
    #[arg(long, conflicts_with_all = ["plain", "screen_reader", "json"])]
    pub(crate) tui: bool,

    #[command(flatten)]
    pub(crate) screen: ScreenArgs,

    /// Print JSON for programs, an object per event.
    #[arg(long)]
    pub(crate) json: bool,
}

impl PlayArgs {
    /// Who is to play a side, if that is said.
    pub(crate) fn player(&self, side: Side) -> Option<&str> {
        match side {
            Side::One => self.p1.as_deref(),
            Side::Two => self.p2.as_deref(),
        }
    }
}

/// Who makes the first move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum First {
    /// Player 1.
    P1,
    /// Player 2.
    P2,
    /// A coin toss decides.
    Toss,
}

/// A game with its rule options and its starter, as the commands take it that look at positions.
#[derive(Debug, Args)]
pub(crate) struct BoardArgs {
    /// The game.
    pub(crate) game: String,

    #[command(flatten)]
    pub(crate) options: GameArgs,

    /// Who starts, where the rulebook lets the players choose.
    #[arg(long, value_name = "WHO", value_parser = ["p1", "p2"], default_value = "p1")]
    pub(crate) first: String,
}

#[derive(Debug, Args)]
pub(crate) struct SolveArgs {
    #[command(flatten)]
    pub(crate) board: BoardArgs,

    /// Write every position that can arise to this file, as CSV.
    #[arg(long, value_name = "FILE")]
    pub(crate) table: Option<PathBuf>,

    /// Check every value and every mix again, independently of how they were found.
    #[arg(long)]
    pub(crate) verify: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MapArgs {
    #[command(flatten)]
    pub(crate) board: BoardArgs,

    /// The position to mark, as one token; in Command Clash the one whose mixes are shown.
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pub(crate) position: Option<String>,

    /// Write the map to this file, as an SVG picture.
    #[arg(long, value_name = "FILE")]
    pub(crate) svg: Option<PathBuf>,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[allow(clippy::struct_excessive_bools)] // flags of a command line
pub(crate) struct LabArgs {
    /// The game; with --levels, all games if none is named.
    pub(crate) game: Option<String>,

    #[command(flatten)]
    pub(crate) options: GameArgs,

    /// Try several values of a rule option: a range or a list; can be given again.
    #[arg(long, value_name = "NAME=VALUES")]
    pub(crate) vary: Vec<String>,

    /// Only variants in which neither side wins by force.
    #[arg(long)]
    pub(crate) fair: bool,

    /// Sort the variants.
    #[arg(long, value_name = "COLUMN")]
    pub(crate) sort: Option<crate::lab::Column>,

    /// Print the exact scores of the computer levels against each other.
    #[arg(long, conflicts_with_all = ["vary", "fair", "sort", "csv"])]
    pub(crate) levels: bool,

    /// Call a game between computers a draw after so many turns, instead of 200.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub(crate) max_turns: Option<u32>,

    /// Print CSV.
    #[arg(long, conflicts_with = "json")]
    pub(crate) csv: bool,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArgs {
    #[command(flatten)]
    pub(crate) board: BoardArgs,

    /// The position to begin with, as one token.
    #[arg(long, value_name = "P", allow_hyphen_values = true)]
    pub(crate) position: Option<String>,

    /// Moves to play from there, in notation, with spaces between them.
    #[arg(long, value_name = "MOVES", allow_hyphen_values = true)]
    pub(crate) moves: Option<String>,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
