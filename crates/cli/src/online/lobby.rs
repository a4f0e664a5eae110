//! A server's lobby in line mode.

use std::path::Path;

use anyhow::Result;
use skirmish_play::player::Level;
use skirmish_present::{json, words};
use skirmish_room::wire::{
    ClientMessage, Finished, Leader, Lobby, LobbyGame, Rej, Seated, ServerMessage,
};
use skirmish_room::{Terms, TimeControl};
use skirmish_rules::{Both, Catalog, Record, Side, alternatives};
use skirmish_tui::online::OnlineGoal;

use super::address::code;
use super::client::Client;
use super::{Next, record, terms};
use crate::exit::{Exit, INTERRUPTED};
use crate::line::InputLine;
use crate::{lookup, output};

/// The commands of the lobby, for `help`.
const WORDS: [(&str, &str); 13] = [
    ("join N", "take a seat in a game of the list; also with a code"),
    ("watch N", "watch a game of the list; also with a code"),
    ("create GAME", "create a game; options as for `skirmish host`, and --public and --rated"),
    ("seek GAME", "find somebody to play with on the same terms"),
    ("refresh", "the list again"),
    ("mine", "your games that are not over"),
    ("history", "your finished games"),
    ("record CODE", "the record of a finished game; also record CODE NUMBER FILE"),
    ("leaders GAME", "the best players"),
    ("register NAME", "turn this guest into an account"),
    ("link", "a code that joins another device to your account"),
    ("help", "this list"),
    ("quit", "leave"),
];

/// Stays in the lobby until a game is chosen.
///
/// # Errors
/// If the connection fails.
pub(super) fn visit(client: &mut Client, catalog: Catalog) -> Result<Next> {
    let mut visit = Visit { client, catalog, listed: Vec::new() };
    visit.refresh()?;
    loop {
        let text = match visit.client.line("Lobby: ")? {
            InputLine::Text(text) => text,
            InputLine::Unusable(why) => {
                visit.client.console.refuse(why)?;
                continue;
            }
            InputLine::End => {
                visit.client.console.leave(false)?;
                return Ok(Next::Break(Exit::Done));
            }
            InputLine::Interrupted => return Ok(Next::Break(INTERRUPTED)),
        };
        if let Some(next) = visit.enter(text.trim())? {
            return Ok(next);
        }
    }
}

struct Visit<'a> {
    client: &'a mut Client,
    catalog: Catalog,
    /// The codes of the games in the list, by their numbers.
    listed: Vec<String>,
}

impl Visit<'_> {
    /// Handles a line. Returns what follows if it ends the visit.
    fn enter(&mut self, text: &str) -> Result<Option<Next>> {
        let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let rest = rest.trim();
        match (word.to_ascii_lowercase().as_str(), rest) {
            ("", _) => {}
            ("join", game) => return self.choose(game, false),
            ("watch", game) => return self.choose(game, true),
            ("create", _) => return self.create(text, false),
            ("seek", _) => return self.create(text, true),
            ("refresh" | "lobby", "") => self.refresh()?,
            ("mine", "") => self.mine()?,
            ("history", "") => self.history()?,
            ("record", rest) => self.record(rest, false)?,
            ("record!", rest) => self.record(rest, true)?,
            ("leaders", game) => self.leaders(game)?,
            ("register", name) if !name.is_empty() => self.register(name)?,
            ("link", "") => self.link()?,
            ("help", "") => {
                let lines = WORDS.map(|(word, about)| format!("  {word:<14} {about}"));
                self.client.console.note(&format!("You can enter:\n{}", lines.join("\n")))?;
            }
            ("quit" | "q", "") => {
                self.client.console.leave(false)?;
                return Ok(Some(Next::Break(Exit::Done)));
            }
            _ if is_clearly_code(text) => return self.choose(text, false),
            _ => {
                let why = "Enter join N, watch N, create GAME, seek GAME, refresh, help or quit.";
                let why = match code(text) {
                    Some(code) => {
                        format!("{why} If {code} is the code of a game, enter join {code}.")
                    }
                    None => why.to_owned(),
                };
                self.client.console.refuse(&why)?;
            }
        }
        Ok(None)
    }

    fn choose(&mut self, game: &str, watch: bool) -> Result<Option<Next>> {
        let listed = game.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        let listed = listed.and_then(|index| self.listed.get(index).cloned());
        let Some(code) = listed.or_else(|| code(game)) else {
            let why = if self.listed.is_empty() {
                "Enter the code of a game, 6 letters and digits.".to_owned()
            } else {
                let count = self.listed.len();
                format!("Enter the number of a game, 1 to {count}, or its code.")
            };
            self.client.console.refuse(&why)?;
            return Ok(None);
        };
        // Check first, so that a mistyped code does not leave the lobby.
        let id = self.client.id();
        let join = ClientMessage::Join { id: Some(id), code: code.clone(), have: None, watch };
        match self.client.create(&join)? {
            Ok(code) => Ok(Some(Next::Continue(OnlineGoal::Game { code, watch }))),
            Err(rej) => self.refused(&rej).map(|()| None),
        }
    }

    fn create(&mut self, text: &str, is_sought: bool) -> Result<Option<Next>> {
        let words = skirmish_system::words::split(text).unwrap_or_default();
        let terms = match terms::typed(words, self.catalog) {
            Ok(terms) if is_sought && terms.level.is_some() => {
                let (game, level) = (terms.game, terms.level.unwrap_or_default());
                self.client.console.refuse(&format!(
                    "seek finds people; for the computer enter create {game} --level {level}."
                ))?;
                return Ok(None);
            }
            Ok(terms) => terms,
            Err(why) => {
                self.client.console.refuse(&why)?;
                return Ok(None);
            }
        };
        let id = self.client.id();
        let message = if is_sought {
            ClientMessage::Seek { id, terms }
        } else {
            ClientMessage::Create { id, terms }
        };
        match self.client.create(&message)? {
            Ok(code) => Ok(Some(Next::Continue(OnlineGoal::Game { code, watch: false }))),
            Err(rej) => self.refused(&rej).map(|()| None),
        }
    }

    fn refused(&mut self, rej: &Rej) -> Result<()> {
        Ok(self.client.console.refuse(&rej.text)?)
    }

    /// Sends a request and shows the response: to people as text, to programs unchanged. Returns `None` if the server
    /// refuses.
    fn show(
        &mut self,
        message: &ClientMessage,
        describe: impl Fn(&ServerMessage) -> Option<String>,
    ) -> Result<Option<ServerMessage>> {
        let answer = match self.client.request(message, |answer| describe(answer).is_some())? {
            Ok(answer) => answer,
            Err(rej) => return self.refused(&rej).map(|()| None),
        };
        if self.client.console.is_json() {
            output::print_data_line(json::text(&answer))?;
        } else {
            self.client.console.note(describe(&answer).unwrap_or_default().trim_end())?;
        }
        Ok(Some(answer))
    }

    /// Shows lists of games, with consecutive numbers.
    fn list(&mut self, describe: impl Fn(&Lobby) -> (String, Vec<LobbyGame>)) -> Result<()> {
        let text = |answer: &ServerMessage| match answer {
            ServerMessage::Lobby(lobby) => Some(describe(lobby).0),
            _ => None,
        };
        if let Some(ServerMessage::Lobby(lobby)) = self.show(&ClientMessage::Lobby, text)? {
            self.listed = describe(&lobby).1.into_iter().map(|game| game.code).collect();
        }
        Ok(())
    }

    fn refresh(&mut self) -> Result<()> {
        let catalog = self.catalog;
        let (server, name) = (&self.client.address, &self.client.welcome.name);
        let head = format!("{server}: you are {name}.");
        self.list(|lobby| {
            let games = lists(lobby).into_iter().flat_map(|(_, games)| games).collect();
            (format!("{head}\n{}", describe_lobby(lobby, catalog)), games)
        })
    }

    fn mine(&mut self) -> Result<()> {
        let catalog = self.catalog;
        self.list(|lobby| {
            let text = match &*lobby.yours {
                [] => "You have no unfinished games.".to_owned(),
                games => describe_games(games, 1, catalog),
            };
            (text, lobby.yours.clone())
        })
    }

    fn history(&mut self) -> Result<()> {
        let catalog = self.catalog;
        let describe = |answer: &ServerMessage| match answer {
            ServerMessage::History { games } if games.is_empty() => {
                Some("You have not finished any games here yet.".to_owned())
            }
            ServerMessage::History { games } => {
                let rows: Vec<_> = games.iter().map(|game| finished(game, catalog)).collect();
                Some(output::aligned(&rows, 5))
            }
            _ => None,
        };
        self.show(&ClientMessage::History, describe).map(drop)
    }

    /// Shows the record of a game, or writes it to a file.
    fn record(&mut self, typed: &str, force: bool) -> Result<()> {
        let (named, rest) = typed.split_once(char::is_whitespace).unwrap_or((typed, ""));
        let Some(code) = code(named) else {
            let why = "Enter record and the code of a game, 6 letters and digits; then, if you like, the number of the \
                       game in its room, and a file.";
            return Ok(self.client.console.refuse(why)?);
        };
        let rest = rest.trim();
        let (first, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        let (number, file) = match first.parse() {
            Ok(number) => (Some(number), after.trim()),
            Err(_) => (None, rest),
        };
        let record = self.client.record(&code, number).and_then(|text| {
            Record::parse(&text, self.catalog)
                .map_err(|error| format!("the server sent a record that cannot be read: {error}"))
        });
        let record = match record {
            Ok(record) => record,
            Err(why) => return Ok(self.client.console.refuse(&why)?),
        };
        let file = if file.is_empty() { "-" } else { file };
        let forced = format!("record! {typed}");
        Ok(record::save(&mut self.client.console, &record, Path::new(file), force, &forced)?)
    }

    fn leaders(&mut self, game: &str) -> Result<()> {
        if game.is_empty() {
            let games = alternatives(self.catalog.iter().map(|entry| entry.id));
            let why = format!("Enter leaders and a game: {games}.");
            return Ok(self.client.console.refuse(&why)?);
        }
        let entry = match lookup::game(self.catalog, game) {
            Ok(entry) => entry,
            Err(error) => return Ok(self.client.console.refuse(&error.to_string())?),
        };
        let describe = |answer: &ServerMessage| match answer {
            ServerMessage::Leaders { players, .. } if players.is_empty() => {
                Some(format!("Nobody has played enough rated games of {} yet.", entry.name))
            }
            ServerMessage::Leaders { players, .. } => {
                let rows: Vec<_> =
                    players.iter().enumerate().map(|(index, it)| leader(index, it)).collect();
                Some(output::aligned(&rows, 2))
            }
            _ => None,
        };
        let message = ClientMessage::Leaders { game: entry.id.to_owned() };
        self.show(&message, describe).map(drop)
    }

    fn register(&mut self, name: &str) -> Result<()> {
        let message = ClientMessage::Register { id: self.client.id(), name: name.to_owned() };
        let describe = |answer: &ServerMessage| match answer {
            ServerMessage::Registered { name, recovery, .. } => Some(format!(
                "You are {name} now. If you lose this device, your recovery code brings the account back: {recovery}\n\
                 Write it down: it is not shown again."
            )),
            _ => None,
        };
        if let Some(ServerMessage::Registered { name, .. }) = self.show(&message, describe)? {
            (self.client.welcome.name, self.client.welcome.guest) = (name, false);
        }
        Ok(())
    }

    fn link(&mut self) -> Result<()> {
        let server = self.client.address.to_string();
        let message = ClientMessage::Link { id: self.client.id() };
        let describe = |answer: &ServerMessage| match answer {
            ServerMessage::Link { link, seconds, .. } => Some(format!(
                "Enter this on your other device within {} minutes:\n  skirmish join {server} --link {link}",
                seconds / 60
            )),
            _ => None,
        };
        self.show(&message, describe).map(drop)
    }
}

/// Whether a line is a game code and unlikely to be a mistyped command.
fn is_clearly_code(text: &str) -> bool {
    let is_word = text.bytes().all(|letter| letter.is_ascii_lowercase());
    code(text).is_some() && !is_word
}

/// The lists of games, with titles. The user's own games appear only in the last.
fn lists(lobby: &Lobby) -> [(&'static str, Vec<LobbyGame>); 3] {
    let is_own = |game: &LobbyGame| lobby.yours.iter().any(|own| own.code == game.code);
    let others = |games: &[LobbyGame]| games.iter().filter(|game| !is_own(game)).cloned().collect();
    [
        ("Open games (join N):", others(&lobby.open)),
        ("Live games (watch N):", others(&lobby.live)),
        ("Your games (join N):", lobby.yours.clone()),
    ]
}

fn describe_lobby(lobby: &Lobby, catalog: Catalog) -> String {
    let mut described = String::new();
    let mut first = 1;
    for (title, games) in lists(lobby).into_iter().filter(|(_, games)| !games.is_empty()) {
        described.extend([title, "\n", &describe_games(&games, first, catalog)]);
        first += games.len();
    }
    if described.is_empty() {
        return "There are no games. Enter create GAME, seek GAME or help.".to_owned();
    }
    described
}

/// Lists games with their numbers, one per line.
fn describe_games(games: &[LobbyGame], first: usize, catalog: Catalog) -> String {
    let rows: Vec<Vec<String>> = games
        .iter()
        .enumerate()
        .map(|(index, game)| {
            let players: Both<Option<Seated>> = game.players.clone().into();
            let names: Vec<String> = Side::ALL
                .into_iter()
                .filter_map(|side| players[side].as_ref().map(Seated::with_rating))
                .collect();
            let state = match (game.turns, game.your_turn) {
                (_, true) => "your turn".to_owned(),
                (0, false) => String::new(),
                (turns, false) => format!("turn {turns}"),
            };
            vec![
                format!("  {}", first + index),
                game.code.clone(),
                described(&game.terms, catalog),
                names.join(" against "),
                state,
            ]
        })
        .collect();
    output::aligned(&rows, 5)
}

/// Describes the game and its unusual terms.
fn described(terms: &Terms, catalog: Catalog) -> String {
    let game = match terms.proposal(catalog) {
        Ok(proposal) => words::game(proposal.entry, &proposal.settings),
        Err(_) => terms.game.clone(),
    };
    let mut parts = vec![game];
    if terms.clock != TimeControl::None {
        parts.push(format!("clock {}", terms.clock));
    }
    if let Some(games) = terms.games {
        parts.push(format!("best of {games}"));
    }
    for (is_so, text) in [(terms.rated, "rated"), (terms.hints, "hints allowed")] {
        if is_so {
            parts.push(text.to_owned());
        }
    }
    if let Some(level) = terms.level.as_deref().and_then(Level::named) {
        parts.push(format!("{level} computer"));
    }
    parts.join(", ")
}

fn finished(game: &Finished, catalog: Catalog) -> Vec<String> {
    let names: Both<String> = game.names.clone().into();
    let name = catalog.find(&game.game).map_or(game.game.as_str(), |entry| entry.name);
    vec![
        format!("  {}", game.date.as_deref().unwrap_or("")),
        format!("{} {}", game.code, game.number),
        name.to_owned(),
        format!("{} against {}", names.one, names.two),
        format!("{} ({})", game.end.result(), game.end.termination()),
        game.rating.map_or_else(String::new, |rating| format!("rating {rating}")),
    ]
}

fn leader(index: usize, leader: &Leader) -> Vec<String> {
    vec![
        format!("  {}", index + 1),
        leader.name.clone(),
        format!("{} ± {}", leader.rating, 2 * leader.deviation),
        format!("{} games", leader.games),
    ]
}
