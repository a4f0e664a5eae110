//! The arguments of `serve`, `host` and `join`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueHint};
use skirmish_play::player::Level;
use skirmish_play::{First, LONGEST_NAME, NameError};
use skirmish_room::{ClockError, TimeControl};
use skirmish_server::{Level as LogLevel, LogFormat, Proxy};

use super::engine::level;
use super::number::whole;
use super::play::side_or_toss;
use super::{DatabaseArgs, GameArgs};
use crate::completion;

#[allow(clippy::doc_markdown)] // the help is plain text
#[derive(Debug, Args)]
pub(crate) struct ServeArgs {
    /// The address and port to listen on; 0.0.0.0 is all networks, port 0 any free port.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7777", value_parser = listen)]
    pub(crate) listen: SocketAddr,

    #[command(flatten)]
    pub(crate) database: DatabaseArgs,

    /// The NATS server that instantly notifies servers sharing a database of each other's moves [env: SKIRMISH_NATS].
    #[arg(long, value_name = "URL")]
    pub(crate) nats: Option<String>,

    /// The server's address as players see it, for invitations.
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// The address and port that serve metrics to Prometheus, such as 127.0.0.1:9777; none by default.
    #[arg(long, value_name = "ADDRESS", value_parser = listen)]
    pub(crate) metrics: Option<SocketAddr>,

    /// Let --metrics listen on an address that other machines can reach. Anyone who reaches it can read the metrics.
    #[arg(long, requires = "metrics")]
    pub(crate) metrics_public: bool,

    /// The format of the log on standard error: text for people, or one JSON object per line.
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = log_formats())]
    pub(crate) log: LogFormat,

    /// The least important events to log: every connection and request, normal operation, or only problems.
    #[arg(long, value_name = "LEVEL", default_value = "info", value_parser = log_levels())]
    pub(crate) log_level: LogLevel,

    /// The certificate chain for TLS, as PEM.
    #[arg(long, value_name = "FILE", requires = "tls_key", value_hint = ValueHint::FilePath)]
    pub(crate) tls_cert: Option<PathBuf>,

    /// The private key of the certificate, as PEM.
    #[arg(long, value_name = "FILE", requires = "tls_cert", value_hint = ValueHint::FilePath)]
    pub(crate) tls_key: Option<PathBuf>,

    /// The IP address of a reverse proxy whose X-Forwarded-For is trusted, or loopback for any on this machine; can be
    /// repeated.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) trusted_proxy: Vec<Proxy>,
}

/// The formats of the log.
fn log_formats() -> impl TypedValueParser<Value = LogFormat> {
    PossibleValuesParser::new(["text", "json"]).map(|name| match name.as_str() {
        "json" => LogFormat::Json,
        _ => LogFormat::Text,
    })
}

/// The levels of the log.
fn log_levels() -> impl TypedValueParser<Value = LogLevel> {
    PossibleValuesParser::new(["debug", "info", "warn", "error"]).map(|name| match name.as_str() {
        "debug" => LogLevel::Debug,
        "warn" => LogLevel::Warn,
        "error" => LogLevel::Error,
        _ => LogLevel::Info,
    })
}

/// The terms of a game, for `host` and for `create` and `seek` in the lobby.
#[derive(Debug, Args)]
pub(crate) struct TermsArgs {
    #[command(flatten)]
    pub(crate) options: GameArgs,

    /// Who starts, if the rulebook lets the players choose.
    #[arg(long, value_name = "WHO", value_parser = side_or_toss())]
    pub(crate) first: Option<First>,

    /// Your seat.
    #[arg(long, value_name = "SEAT", default_value = "toss", value_parser = side_or_toss())]
    pub(crate) seat: First,

    /// Play a match: the best of N games.
    #[arg(long = "match", value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=99_u32))]
    pub(crate) games: Option<u32>,

    /// End a game as a draw after N turns.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole(1..=u32::MAX))]
    pub(crate) max_turns: Option<u32>,

    /// The time control: none, seconds per move (30s), minutes per game and seconds added per move (5+3), or days per
    /// move (2d).
    #[arg(long, value_name = "TIME", default_value = "none", value_parser = clock)]
    pub(crate) clock: TimeControl,

    /// Play against the computer: novice, casual, skilled, expert or perfect.
    #[arg(long, value_name = "LEVEL", value_parser = level, add = completion::level())]
    pub(crate) level: Option<Level>,

    /// Allow hints and analysis.
    #[arg(long)]
    pub(crate) hints: bool,

    /// Do not allow spectators.
    #[arg(long)]
    pub(crate) no_spectators: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HostArgs {
    /// The game; `skirmish games` lists them.
    #[arg(required_unless_present = "resume", add = completion::games())]
    pub(crate) game: Option<String>,

    #[command(flatten)]
    pub(crate) terms: TermsArgs,

    /// Your name.
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) name: Option<String>,

    /// Resume the last game that was hosted here.
    #[arg(
        long,
        conflicts_with_all = ["game", "rules", "preset", "first", "seat", "games", "max_turns", "clock", "level", "hints",
            "no_spectators"],
    )]
    pub(crate) resume: bool,

    /// The address and port to listen on [default: all networks, port 7777 or any free one].
    #[arg(long, value_name = "ADDRESS", value_parser = listen)]
    pub(crate) listen: Option<SocketAddr>,

    /// The server's data folder [default: skirmish/host in your data folder].
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) data: Option<PathBuf>,

    /// Use the full screen.
    #[arg(long, conflicts_with_all = ["plain", "screen_reader", "json"])]
    pub(crate) tui: bool,

    /// Print JSON for programs, one object per event.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct JoinArgs {
    /// An invitation, a server's address or a game's code [default: the lobby of the last server].
    #[arg(value_name = "URL or CODE")]
    pub(crate) invitation: Option<String>,

    /// The address of the server.
    #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
    pub(crate) server: Option<String>,

    /// Your name, if you are a guest.
    #[arg(long, value_name = "NAME", value_parser = name)]
    pub(crate) name: Option<String>,

    /// Watch even if a seat is free.
    #[arg(long)]
    pub(crate) watch: bool,

    /// Link this device to your account, with a code from `link` in the lobby or your recovery code.
    #[arg(long, value_name = "CODE")]
    pub(crate) link: Option<String>,

    /// Use the full screen.
    #[arg(long, conflicts_with_all = ["plain", "screen_reader", "json"])]
    pub(crate) tui: bool,

    /// Print JSON for programs, one object per event.
    #[arg(long)]
    pub(crate) json: bool,
}

fn name(text: &str) -> Result<String, String> {
    skirmish_play::check_name(text).map_err(|error| match error {
        NameError::Length => {
            format!("a name has 1 to {LONGEST_NAME} characters; ideographs and emoji count twice")
        }
        error => error.to_string(),
    })
}

fn listen(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "expected an IP address and a port, such as 127.0.0.1:7777 for this machine or 0.0.0.0:7777 for all networks"
            .to_owned()
    })
}

fn clock(text: &str) -> Result<TimeControl, String> {
    text.parse().map_err(|error: ClockError| {
        format!("{error}; at most 86400s, 180+180 (0.5+0 is the shortest game with minutes) or 14d")
    })
}
