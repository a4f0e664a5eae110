//! Parses the terms of an online game.

use anyhow::Result;
use clap::error::{ContextKind, ErrorKind};
use clap::{Args, ColorChoice, Command, FromArgMatches};
use skirmish_room::{RuleValue, Terms};
use skirmish_rules::{Catalog, alternatives};

use crate::args::TermsArgs;
use crate::exit::usage;
use crate::{completion, lookup};

/// Parses the terms that arguments describe.
///
/// # Errors
/// If no game can be played on these terms.
pub(super) fn terms(game: &str, args: &TermsArgs, catalog: Catalog) -> Result<Terms> {
    let entry = lookup::game(catalog, game)?;
    // Checks the options first, because these errors include suggestions.
    lookup::settings(entry, &args.options)?;
    let preset = args.options.preset.as_deref().and_then(|name| {
        entry.presets.iter().find(|preset| preset.name.eq_ignore_ascii_case(name))
    });
    let rules = args.options.rules.iter().filter_map(|rule| rule.split_once('='));
    let rules = rules.map(|(name, value)| {
        let value = value.trim();
        let number = value.parse().map(RuleValue::Number);
        (name.trim().to_owned(), number.unwrap_or_else(|_| RuleValue::Word(value.to_owned())))
    });
    let terms = Terms {
        preset: preset.map(|preset| preset.name.to_owned()),
        rules: rules.collect(),
        first: args.first.map(Into::into),
        seat: args.seat.into(),
        games: args.games,
        max_turns: args.max_turns,
        clock: args.clock,
        level: args.level.map(|level| level.to_string()),
        spectators: !args.no_spectators,
        hints: args.hints,
        ..Terms::new(entry)
    };
    terms.proposal(catalog).map_err(usage)?;
    Ok(terms)
}

/// The arguments of `create` and `seek`.
#[derive(Debug, Args)]
struct LobbyTermsArgs {
    /// The game.
    #[arg(add = completion::games())]
    game: String,

    #[command(flatten)]
    terms: TermsArgs,

    /// List the game in the lobby, where anybody can join it.
    #[arg(long)]
    public: bool,

    /// Count the result for ratings.
    #[arg(long)]
    rated: bool,
}

/// The terms of a lobby command such as `create base-battle --clock 5+3`.
///
/// # Errors
/// If the terms are invalid; the message lists the valid ones.
pub(super) fn typed(words: Vec<String>, catalog: Catalog) -> Result<Terms, String> {
    let command =
        LobbyTermsArgs::augment_args(Command::new("create or seek")).color(ColorChoice::Never);
    let word = words.first().cloned().unwrap_or_default();
    let args = command
        .clone()
        .try_get_matches_from(words)
        .and_then(|matches| LobbyTermsArgs::from_arg_matches(&matches))
        .map_err(|error| match error.kind() {
            ErrorKind::MissingRequiredArgument => {
                let games = alternatives(catalog.iter().map(|entry| entry.id));
                format!("Enter {word} and a game: {games}.")
            }
            ErrorKind::UnknownArgument => {
                let unknown = error.get(ContextKind::InvalidArg).map(ToString::to_string);
                let options = command.get_arguments().filter_map(clap::Arg::get_long);
                let options = alternatives(options.map(|option| format!("--{option}")));
                format!(
                    "{} is not possible after {word} GAME: expected {options}.",
                    unknown.unwrap_or_default()
                )
            }
            _ => brief(&error.render().to_string()),
        })?;
    let terms = terms(&args.game, &args.terms, catalog).map_err(|error| error.to_string())?;
    let terms = Terms { public: args.public, rated: args.rated, ..terms };
    terms.proposal(catalog).map_err(|error| error.to_string())?;
    Ok(terms)
}

/// The parser's message without the parts meant for a shell.
fn brief(message: &str) -> String {
    let message = message.strip_prefix("error: ").unwrap_or(message);
    let is_frame = |line: &&str| line.starts_with("For more information");
    let lines: Vec<&str> = message.lines().filter(|line| !is_frame(line)).collect();
    lines.join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use skirmish_room::{SideWish, TimeControl};
    use skirmish_rules::GAMES;

    use super::*;

    fn read(line: &str) -> Result<Terms, String> {
        typed(line.split_whitespace().map(str::to_owned).collect(), GAMES)
    }

    #[test]
    fn typed_terms_are_those_of_the_command_line() {
        let line = "create base --rule positions=13 --rule push=behind --first p2 --seat p1 --match 3 \
                    --max-turns 90 --clock 5+3 --hints --no-spectators --public";
        let terms = read(line).expect("terms");
        assert_eq!(terms.game, "base-battle");
        assert_eq!(terms.rules["positions"], RuleValue::Number(13));
        assert_eq!(terms.rules["push"], RuleValue::Word("behind".to_owned()));
        assert_eq!((terms.first, terms.seat), (Some(SideWish::P2), SideWish::P1));
        assert_eq!((terms.games, terms.max_turns), (Some(3), Some(90)));
        assert_eq!(terms.clock, TimeControl::Game { seconds: 300, increment: 3 });
        assert!(terms.hints && !terms.spectators && terms.public && !terms.rated);
    }

    #[test]
    fn wrong_terms_say_what_is_possible() {
        for (line, expected) in [
            ("create", "Enter create and a game: command-line-conquer, "),
            ("create base --tui", "--tui is not possible after create GAME: expected --"),
            ("create base --clock 300+0", "at most 86400s, 180+180"),
            ("create chess", "The games are"),
            ("create base --clock 5", "minutes per game"),
            ("create base --seat north", "p1"),
            ("create base --rule colour=red", "positions"),
            ("create base --preset huge", "has no preset"),
            ("create base --rated --hints", "can be rated"),
            ("create base --level genius", "perfect"),
        ] {
            let error = read(line).expect_err(line);
            assert!(error.contains(expected), "{line}: {error}");
        }
    }
}
