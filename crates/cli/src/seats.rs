//! The players that the command line names, their names, and the bots of a saved game.

use std::path::Path;

use anyhow::Result;
use skirmish_arena::Trust;
use skirmish_arena::bot::{is_command, parse_command};
use skirmish_play::Plan;
use skirmish_play::player::{Level, Player, Sandbox};
use skirmish_rules::{Both, Side, quotable};
use skirmish_store::shell::{absence, player_option as option};

use crate::args::PlayArgs;
use crate::exit::usage;

/// The players of a new game.
pub(crate) fn players(args: &PlayArgs) -> Result<Both<Player>> {
    let sandbox = args.sandbox.sandbox()?;
    let player = |side: Side| match args.player(side) {
        Some(text) => player(option(side), text, sandbox),
        None => Ok(Player::Human),
    };
    Ok(Both::new(player(Side::One)?, player(Side::Two)?))
}

fn player(option: &str, text: &str, sandbox: Option<Sandbox>) -> Result<Player> {
    if let Some(player) = Player::named(text) {
        return Ok(player);
    }
    let levels = Level::ALL.map(|level| level.to_string()).join(", ");
    if !is_command(text) {
        let given = quotable(text);
        return Err(usage(format!(
            "invalid value '{given}' for '{option}': expected human, {levels}, or a bot's command"
        )));
    }
    let bot = parse_command(text).map_err(|error| usage(format!("{option}: {error}")))?;
    Ok(Player::Bot(bot.within(sandbox)))
}

/// Remembers the commands of bots that the user starts, for the arcade's setup.
pub(crate) fn remember(players: &Both<Player>) {
    let (Ok(trust), Ok(directory)) = (Trust::locate(), std::env::current_dir()) else { return };
    for side in Side::ALL {
        if let Player::Bot(bot) = &players[side] {
            // If this fails, the arcade does not offer the bot.
            drop(trust.add(&directory, [bot]));
        }
    }
}

/// The names given with `--names`.
pub(crate) fn names(given: &str) -> Result<Both<Option<String>>> {
    let parts: Vec<&str> = given.split(',').collect();
    match *parts {
        [one, two] => Ok(Both::new(Some(one.to_owned()), Some(two.to_owned()))),
        _ => Err(wrong_names("put one comma between them")),
    }
}

/// The error for a wrong `--names`.
pub(crate) fn wrong_names(why: &str) -> anyhow::Error {
    usage(format!("--names: expected two names, such as Ann,Bob: {why}"))
}

/// Seats the bots of a saved game. Only commands from the arguments are run, never those in the file.
pub(crate) fn seat_bots(plan: &mut Plan, args: &PlayArgs, file: &Path) -> Result<()> {
    let sandbox = args.sandbox.sandbox()?;
    for side in Side::ALL {
        let (Some(given), option) = (args.player(side), option(side)) else { continue };
        let Player::Absent(before) = &plan.players[side] else {
            let player = &plan.players[side];
            return Err(usage(format!(
                "{option} cannot be used here: a resumed game keeps its players, and {side} is {player}; only a \
                 bot has to be named again"
            )));
        };
        match player(option, given, sandbox)? {
            Player::Bot(bot) => plan.seat(side, bot),
            Player::Human | Player::Computer(_) | Player::Absent(_) => {
                let before = quotable(before);
                return Err(usage(format!(
                    "{option}: expected a bot's command, because {side} is the bot \"{before}\""
                )));
            }
        }
    }
    absence(plan, file, args.tui.into()).map_or(Ok(()), |why| Err(usage(why)))
}
