//! Options for screen and colour.

use clap::builder::{FalseyValueParser, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use skirmish_present::Manner;
use skirmish_store::Theme;
use skirmish_system::speaks_unicode;

/// Options for the screen. They can be given before or after the name of a command.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Screen")]
#[allow(clippy::struct_excessive_bools)] // each is a flag of its own
pub(crate) struct ScreenArgs {
    /// When to use colour.
    #[arg(long, value_name = "WHEN", default_value = "auto", global = true)]
    pub(crate) color: Color,

    /// Print plain lines: no full screen, no cursor movement.
    #[arg(long, global = true)]
    pub(crate) plain: bool,

    /// Print plain lines, and describe boards in sentences.
    #[arg(long, global = true)]
    pub(crate) screen_reader: bool,

    /// The colour theme of the full screen.
    #[arg(long, value_name = "NAME", value_parser = themes(), ignore_case = true, global = true)]
    pub(crate) theme: Option<Theme>,

    /// Print only ASCII characters.
    #[arg(long, env = "SKIRMISH_ASCII", value_parser = FalseyValueParser::new(), global = true)]
    pub(crate) ascii: bool,

    /// Turn off animation on the full screen.
    #[arg(long, env = "SKIRMISH_NO_MOTION", value_parser = FalseyValueParser::new(), global = true)]
    pub(crate) no_motion: bool,
}

fn themes() -> impl TypedValueParser<Value = Theme> {
    PossibleValuesParser::new(Theme::ALL.map(Theme::name))
        .map(|name| Theme::named(&name).expect("clap checked the name"))
}

impl ScreenArgs {
    /// The flag that excludes the full screen, if given.
    pub(crate) const fn lines_flag(&self) -> Option<&'static str> {
        if self.screen_reader {
            Some("--screen-reader")
        } else if self.plain {
            Some("--plain")
        } else {
            None
        }
    }

    /// Whether output is limited to ASCII.
    pub(crate) fn is_ascii(&self) -> bool {
        self.ascii || !speaks_unicode()
    }

    /// The presentation style of line mode.
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
