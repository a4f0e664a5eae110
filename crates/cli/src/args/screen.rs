//! How the screen is used, and when colour is.

use clap::{Args, ValueEnum};
use skirmish_play::Theme;

use crate::output::Manner;
use crate::tui::Mode;

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

/// Whether a game is played or shown on the full screen, and how the screen is used.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FrontArgs {
    /// Full screen.
    #[arg(long, conflicts_with_all = ["plain", "screen_reader", "json"])]
    tui: bool,

    #[command(flatten)]
    pub(crate) screen: ScreenArgs,
}

impl FrontArgs {
    /// Whether the full screen is asked for, and there is one.
    pub(crate) fn is_full_screen(&self) -> bool {
        self.tui && self.screen.mode() == Mode::Full
    }
}

fn theme(name: &str) -> Result<Theme, String> {
    Theme::named(name).ok_or_else(|| {
        let names = skirmish_rules::alternatives(Theme::ALL.map(Theme::name));
        format!("there is {names}")
    })
}

impl ScreenArgs {
    pub(super) fn or(self, other: &Self) -> Self {
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
