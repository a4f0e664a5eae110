//! The Universal Game Interface (UGI), seen from the GUI's side.

use std::time::{Duration, Instant};

use skirmish_play::Fault;
use skirmish_rules::{Entry, Settings, Side, Table, Tempo, alternatives, printable};

use super::ThinkingTime;
use super::process::BotProcess;

/// A bot's claims about itself in answer to `ugi`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Claims {
    /// The bot's name.
    pub name: Option<String>,
    /// The games that the bot plays, if it lists them.
    pub games: Option<Vec<String>>,
    /// Whether the bot has the option `Rules`.
    pub takes_rules: bool,
    /// Whether the bot has the option `MaxTurns`, as Skirmish's own engine does.
    pub has_turn_limit: bool,
}

impl Claims {
    /// Parses one line of the bot's answer.
    fn read(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("id name ") {
            self.name = Some(printable(name.trim()));
        }
        if let Some(option) = line.strip_prefix("option name ")
            && let Some((name, kind)) = option.split_once(" type ")
        {
            self.read_option(name.trim(), kind);
        }
    }

    fn read_option(&mut self, name: &str, kind: &str) {
        self.takes_rules |= name.eq_ignore_ascii_case("rules");
        self.has_turn_limit |= name.eq_ignore_ascii_case("maxturns");
        if name.eq_ignore_ascii_case("game") {
            let mut words = kind.split_whitespace().skip_while(|word| *word != "var");
            let mut games = Vec::new();
            while let (Some("var"), Some(game)) = (words.next(), words.next()) {
                games.push(printable(game));
            }
            self.games = (!games.is_empty()).then_some(games);
        }
    }

    /// Whether the bot claims to play a game; true if it makes no claim.
    #[must_use]
    pub fn includes(&self, game: &str) -> bool {
        self.games.as_ref().is_none_or(|games| games.iter().any(|claimed| claimed == game))
    }
}

/// Sends `ugi` and collects the claims.
pub(super) fn handshake(process: &mut BotProcess, timeout: Duration) -> Result<Claims, Fault> {
    process.begin_question()?;
    process.send("ugi");
    let mut claims = Claims::default();
    expect(process, "ugiok", timeout, |line| claims.read(line))?;
    Ok(claims)
}

/// Announces a game, and waits until the program is ready.
pub(super) fn begin(
    process: &mut BotProcess,
    claims: &Claims,
    table: &dyn Table,
    side: Side,
    timeout: Duration,
) -> Result<(), Fault> {
    let entry = table.entry();
    if let Some(games) = claims.games.as_ref().filter(|_| !claims.includes(entry.id)) {
        return Err(Fault::Unwilling { game: entry.id, plays: alternatives(games) });
    }
    for line in options(claims, entry, table.settings(), side) {
        process.send(&line);
    }
    process.send("uginewgame");
    make_ready(process, timeout)
}

/// Waits until a program has processed all commands.
pub(super) fn make_ready(process: &mut BotProcess, timeout: Duration) -> Result<(), Fault> {
    process.begin_question()?;
    process.send("isready");
    expect(process, "readyok", timeout, |_| ())
}

/// The options to set for a game. Bots ignore options they do not know.
fn options(claims: &Claims, entry: &Entry, settings: &Settings, side: Side) -> Vec<String> {
    // Send all rule options, so that bots need not know the defaults.
    let rules = settings.iter().map(|(option, value)| format!("{}={value}", option.name));
    let rules = rules.collect::<Vec<String>>().join(" ");
    let mut lines = vec![
        format!("setoption name Game value {}", entry.id),
        format!("setoption name Rules value {rules}"),
    ];
    if entry.tempo() == Tempo::Simultaneous {
        // In a simultaneous game, the position does not tell which side the bot plays.
        lines.push(format!("setoption name Side value {}", side.number()));
    }
    if claims.has_turn_limit {
        // The referee enforces the turn limit; a bot that considered a game over earlier would stop answering.
        lines.push("setoption name MaxTurns value 0".to_owned());
    }
    lines
}

/// Sends a query about a position. `None` if the bot does not answer.
pub(super) fn query(
    process: &mut BotProcess,
    start: &str,
    table: &dyn Table,
    question: &str,
    timeout: Duration,
) -> Result<Option<String>, Fault> {
    process.begin_question()?;
    process.send(&position(start, table));
    process.send(&format!("query {question}"));
    // Commands are processed in order: `readyok` without a prior response means that the bot ignored the query.
    process.send("isready");
    let mut response = None;
    expect(process, "readyok", timeout, |line| {
        if let Some(answer) = line.trim().strip_prefix("response") {
            response.get_or_insert_with(|| answer.trim().to_owned());
        }
    })?;
    Ok(response)
}

/// Asks for a move.
pub(super) fn ask(
    process: &mut BotProcess,
    start: &str,
    table: &dyn Table,
    thinking: &ThinkingTime,
) {
    process.send(&position(start, table));
    let banks = thinking.banks.map_or(String::new(), |banks| {
        let (one, two) = (banks.one.as_millis(), banks.two.as_millis());
        format!(" p1time {one} p2time {two}")
    });
    process.send(&format!("go movetime {}{banks}", thinking.time.as_millis()));
}

/// The command that sets up the position on a table, in a game that began at `start`.
fn position(start: &str, table: &dyn Table) -> String {
    let turns = table.history();
    let from = match (&table.setup().position, table.first()) {
        (None, Side::One) => "startpos".to_owned(),
        // From `startpos`, Player 1 would move first.
        (None, Side::Two) | (Some(_), _) => format!("fen {start}"),
    };
    let moves =
        if turns.is_empty() { String::new() } else { format!(" moves {}", turns.join(" ")) };
    format!("position {from}{moves}")
}

/// The move in a `bestmove` line.
pub(super) fn answer(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let is_answer = words.next() == Some("bestmove");
    is_answer.then(|| words.next().unwrap_or_default().to_owned())
}

/// Waits for a line that consists of one given word.
fn expect(
    process: &mut BotProcess,
    word: &'static str,
    timeout: Duration,
    mut on_line: impl FnMut(&str),
) -> Result<(), Fault> {
    let until = Instant::now() + timeout;
    loop {
        let Some(line) = super::next_line(process, until)? else {
            let unfinished = process.unfinished();
            return Err(Fault::Late { what: word, limit: timeout, unfinished });
        };
        if line.trim() == word {
            return Ok(());
        }
        on_line(&line);
    }
}

#[cfg(test)]
mod tests {
    use skirmish_rules::{GAMES, Setup};

    use super::*;

    fn claims(lines: &[&str]) -> Claims {
        let mut claims = Claims::default();
        for line in lines {
            claims.read(line);
        }
        claims
    }

    /// Otherwise Skirmish's own engine would end a game that the tournament continues.
    #[test]
    fn a_bot_with_a_turn_limit_is_told_that_there_is_none() {
        let entry = GAMES.find("base-battle").expect("the game exists");
        let limit = "setoption name MaxTurns value 0".to_owned();
        let told = |claims: &Claims| options(claims, entry, &entry.setup().settings, Side::One);
        assert!(!told(&claims(&["option name Rules type string"])).contains(&limit));
        let limited = claims(&["option name MaxTurns type spin default 200 min 0 max 1000000"]);
        assert_eq!(told(&limited).last(), Some(&limit));
    }

    #[test]
    fn the_claims_of_a_bot_are_safe_to_print() {
        let heard =
            claims(&["id name An\u{202e}n\u{1b}[2J", "option name Game type combo var a\u{200b}"]);
        assert_eq!(heard.name.as_deref(), Some("An\u{fffd}n\u{fffd}[2J"));
        assert_eq!(heard.games, Some(vec!["a\u{fffd}".to_owned()]));
    }

    #[test]
    fn a_position_is_sent_from_where_the_game_started() {
        let entry = GAMES.find("base-battle").expect("the game exists");
        let sent = |first, from: Option<&str>| {
            let setup = Setup { first, position: from.map(str::to_owned), ..entry.setup() };
            let mut table = entry.open(setup).expect("it is a position");
            let start = crate::bot::start_of(&*table);
            let before = position(&start, &*table);
            table.play("3").expect("it is legal");
            [before, position(&start, &*table)]
        };
        let [before, after] = sent(Side::One, None);
        assert_eq!(
            (before.as_str(), after.as_str()),
            ("position startpos", "position startpos moves 3")
        );
        assert_eq!(sent(Side::Two, None)[1], "position fen 0/10/2 moves 3");
        for first in Side::ALL {
            let [before, after] = sent(first, Some("4/6/2"));
            assert_eq!(before, "position fen 4/6/2");
            assert_eq!(after, "position fen 4/6/2 moves 3");
        }
    }
}
