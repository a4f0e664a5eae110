//! Who sits where: players as the command line names them, what they are called, and the bots of a saved game.

use std::path::Path;

use anyhow::Result;
use skirmish_arena::bot::{is_command, parse_command};
use skirmish_play::player::{Level, Player, Sandbox};
use skirmish_play::{LETTERS, LONGEST_NAME, Plan, check_names};
use skirmish_present::shell::{absence, player_option as option};
use skirmish_rules::columns::{shorten, width};
use skirmish_rules::{Both, Entry, Names, Side, Starter, default_names, quotable};

use crate::args::PlayArgs;
use crate::exit::usage;

/// Who plays a new game.
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
            "{option} takes human, {levels}, or a bot's command, not \"{given}\""
        )));
    }
    parse_command(text).map(|command| Player::Bot(command.within(sandbox))).map_err(|error| {
        let possible = format!("human, {levels}, or a bot's command, such as \"python3 mybot.py\"");
        usage(format!("{option} takes {possible}: {error}"))
    })
}

/// The players' names. In a match in which people swap seats (R-ALL-5), "Player 1" would be somebody
/// else in every game, so there they have letters unless they have names.
pub(crate) fn names(
    given: Option<&str>,
    entry: &Entry,
    games: Option<u32>,
    players: &Both<Player>,
) -> Result<Names> {
    let Some(given) = given else {
        let swapping = entry.starter == Starter::PlayerOne && games.is_some_and(|games| games > 1);
        let names = if swapping { LETTERS.map(str::to_owned) } else { default_names() };
        return Ok(Both::from_fn(|side| name(&names[side], &players[side])));
    };
    let wrong = |why: &str| Err(usage(format!("--names takes two names, such as Ann,Bob: {why}")));
    let parts: Vec<&str> = given.split(',').collect();
    let [one, two] = *parts else { return wrong("put one comma between them") };
    check_names(Both::new(one, two)).or_else(|error| wrong(&error.to_string()))
}

/// The names that the settings give to people, as `--names` takes them; nothing if nobody has one.
pub(crate) fn given_names(names: &Both<Option<String>>, players: &Both<Player>) -> Option<String> {
    let is_named = Side::ALL.into_iter().any(|side| names[side].is_some());
    let name = |side: Side| match &names[side] {
        Some(name) if players[side].is_human() => name.clone(),
        Some(_) | None => name(&side.to_string(), &players[side]),
    };
    is_named.then(|| format!("{},{}", name(Side::One), name(Side::Two)))
}

/// What a player is called after the seat: `Player 2`, `Player 2 (skilled)` or `Player 2 (mybot.py)`.
fn name(seat: &str, player: &Player) -> String {
    let program = match player {
        Player::Human | Player::Absent(_) => return seat.to_owned(),
        Player::Computer(level) => level.to_string(),
        // A comma would be read as the end of the name.
        Player::Bot(command) => command.name.replace(',', "_"),
    };
    let room = LONGEST_NAME - width(seat) - "()".len() - " ".len();
    format!("{seat} ({})", shorten(&program, room))
}

/// Seats the bots of a saved game that the arguments name again, and no others.
pub(crate) fn summon(plan: &mut Plan, args: &PlayArgs, file: &Path) -> Result<()> {
    let sandbox = args.sandbox.sandbox()?;
    for side in Side::ALL {
        let (Some(given), option) = (args.player(side), option(side)) else { continue };
        let Player::Absent(before) = &plan.players[side] else {
            let player = &plan.players[side];
            return Err(usage(format!(
                "{option} cannot be given here: a saved game goes on with the same players, and {side} is \
                 {player}; only a bot has to be named again"
            )));
        };
        match player(option, given, sandbox)? {
            Player::Bot(bot) => plan.seat(side, bot),
            Player::Human | Player::Computer(_) | Player::Absent(_) => {
                let before = quotable(before);
                return Err(usage(format!(
                    "{option} takes a bot's command here: {side} is the bot \"{before}\""
                )));
            }
        }
    }
    absence(plan, file).map_or(Ok(()), |why| Err(usage(why)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bot(command: &str) -> Player {
        Player::Bot(parse_command(command).expect("there is a shell"))
    }

    #[test]
    fn players_are_called_after_their_seat_and_fit_the_limit() {
        let called = |player: &Player| name("Player 2", player);
        assert_eq!(called(&Player::Human), "Player 2");
        assert_eq!(called(&Player::Computer(Level::Skilled)), "Player 2 (skilled)");
        assert_eq!(called(&bot("sh mybot.sh")), "Player 2 (mybot.sh)");
        let long = called(&bot("sh a,really-quite-long-name.sh"));
        assert_eq!(long, "Player 2 (a_really-qui…)");
        assert_eq!(width(&long), LONGEST_NAME);
    }

    #[test]
    fn a_bot_keeps_its_name_beside_a_person_with_one() {
        let names = Both::new(Some("Ann".to_owned()), Some("Bob".to_owned()));
        let players = Both::new(Player::Human, bot("sh my,bot.sh"));
        let given = given_names(&names, &players).expect("Ann has a name");
        assert_eq!(given, "Ann,Player 2 (my_bot.sh)");
    }
}
