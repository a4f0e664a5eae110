//! The lobby: the player's own games, open games, live games, and ways to start a new game.

use std::time::{Duration, Instant};

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_room::wire::{ClientMessage, Lobby, LobbyGame, ServerMessage};
use skirmish_rules::columns::{pad, shorten};
use skirmish_rules::{Catalog, counted};

use super::super::app::is_roomy;
use super::super::context::Context;
use super::super::look::Ink;
use super::super::parts::{Canvas, TextField, below, inset};
use super::super::screen::{Go, Hint, Press, Screen};
use super::account::AccountScreen;
use super::create::{CreateScreen, Purpose};
use super::history::HistoryScreen;
use super::leaders::LeadersScreen;
use super::words::{game_name, players, terms};
use super::{LinkEvent, OnlinePlay};

pub(in super::super) struct LobbyScreen {
    lobby: Option<Lobby>,
    /// The selected game, which stays selected when the list changes.
    chosen: Option<(Group, String)>,
    /// The code being typed.
    code: Option<TextField>,
    /// When to request the lobby again.
    next: Option<Instant>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Yours,
    Open,
    Live,
}

enum LobbyRow<'a> {
    Heading(&'static str),
    Empty(&'static str),
    Game(Group, &'a LobbyGame),
}

/// Interval between requests for the lobby while it is shown.
const INTERVAL: Duration = Duration::from_secs(4);

/// Number of characters in a code.
const CODE: usize = 6;

/// Maximum length of an address.
const LONGEST: usize = 200;

impl LobbyScreen {
    pub(in super::super) fn new(context: &mut Context) -> Self {
        let mut screen = Self { lobby: None, chosen: None, code: None, next: None };
        screen.ask(context);
        screen
    }

    fn ask(&mut self, context: &mut Context) {
        let now = context.now;
        if let Some(online) = context.online.as_mut().filter(|online| online.is_connected()) {
            online.send(ClientMessage::Lobby);
            self.next = Some(now + INTERVAL);
        }
    }

    fn rows(&self) -> Vec<LobbyRow<'_>> {
        let Some(lobby) = &self.lobby else { return Vec::new() };
        let is_others = |game: &&LobbyGame| lobby.yours.iter().all(|own| own.code != game.code);
        let open: Vec<&LobbyGame> = lobby.open.iter().filter(is_others).collect();
        let live: Vec<&LobbyGame> = lobby.live.iter().filter(is_others).collect();
        let groups = [
            (Group::Yours, "Your games", lobby.yours.iter().collect(), None),
            (Group::Open, "Open games", open, Some("Nobody waits. Press c or s.")),
            (Group::Live, "Live games", live, Some("Nobody plays in public now.")),
        ];
        let mut rows = Vec::new();
        for (group, heading, games, empty) in groups {
            if games.is_empty() && empty.is_none() {
                continue;
            }
            rows.push(LobbyRow::Heading(heading));
            rows.extend(empty.filter(|_| games.is_empty()).map(LobbyRow::Empty));
            rows.extend(games.into_iter().map(|game| LobbyRow::Game(group, game)));
        }
        rows
    }

    /// The games in list order.
    fn games(&self) -> Vec<(Group, &LobbyGame)> {
        let game = |row| match row {
            LobbyRow::Game(group, game) => Some((group, game)),
            LobbyRow::Heading(_) | LobbyRow::Empty(_) => None,
        };
        self.rows().into_iter().filter_map(game).collect()
    }

    fn is_chosen(&self, group: Group, game: &LobbyGame) -> bool {
        self.chosen.as_ref().is_some_and(|(of, code)| *of == group && *code == game.code)
    }

    fn chosen(&self) -> Option<(Group, &LobbyGame)> {
        self.games().into_iter().find(|(group, game)| self.is_chosen(*group, game))
    }

    fn choose(&mut self, number: usize) {
        let game = self.games().get(number).map(|(group, game)| (*group, game.code.clone()));
        self.chosen = game.or(self.chosen.take());
    }

    fn step(&mut self, press: Press) {
        let games = self.games();
        let chosen = games.iter().position(|(group, game)| self.is_chosen(*group, game));
        let mut chosen = chosen.unwrap_or(0);
        press.moves(&mut chosen, games.len());
        self.choose(chosen);
    }

    fn open(&self, context: &mut Context) -> Go {
        let chosen = self.chosen().map(|(group, game)| (group, game.code.clone()));
        match chosen {
            Some((group, code)) => enter(&code, group == Group::Live, context),
            None => Go::Stay,
        }
    }

    fn type_key(&mut self, press: Press, context: &mut Context) -> Go {
        let Some(text) = TextField::finish(&mut self.code, press) else { return Go::Stay };
        match read_code(&text) {
            Some(code) => enter(&code, false, context),
            None if text.is_empty() => Go::Stay,
            None => {
                let why = format!(
                    "That is not a code: a code has {CODE} letters and digits, and an address ends with one."
                );
                Go::refused(why, context)
            }
        }
    }

    /// Formats a game as a line.
    fn line(
        group: Group,
        game: &LobbyGame,
        width: usize,
        canvas: &Canvas,
        games: Catalog,
    ) -> Line<'static> {
        let name = game_name(&game.terms, games);
        let state = match group {
            Group::Yours if game.your_turn => "your turn".to_owned(),
            Group::Yours | Group::Live if game.turns > 0 => counted(game.turns as u64, "turn"),
            Group::Yours | Group::Open | Group::Live => game.terms.clock.words(),
        };
        let ink = if game.your_turn { Ink::Good } else { Ink::Plain };
        let roomy = width >= 60;
        let mut spans = Vec::new();
        if roomy {
            spans.push(Span::styled(pad(&game.code, 8), canvas.look.ink(Ink::Key)));
        }
        spans.push(Span::raw(pad(&name, 21)));
        if roomy {
            spans.push(Span::raw(pad(&shorten(&players(game), 28), 30)));
        }
        spans.push(Span::styled(state, canvas.look.ink(ink)));
        Line::from(spans)
    }

    /// Describes the selected game in sentences.
    fn about(&self, is_roomy: bool, games: Catalog) -> String {
        let Some((group, game)) = self.chosen() else {
            return if is_roomy {
                "c creates a game, s finds an opponent, o opens a game by its code.".to_owned()
            } else {
                "c creates a game, s finds an opponent, o opens a code.".to_owned()
            };
        };
        let who = players(game);
        let what = match group {
            Group::Yours if game.turns == 0 => format!("{who}: Enter opens it."),
            Group::Yours => format!("{who}: Enter goes on."),
            Group::Open => format!("{who} waits for an opponent: Enter joins."),
            Group::Live => format!("{who} are playing: Enter watches."),
        };
        let (name, terms) = (game_name(&game.terms, games), terms(&game.terms, games));
        let terms = format!("{} {name}, {terms}.", game.code);
        // In a small window, the end may be cut off.
        if is_roomy { format!("{terms} {what}") } else { format!("{what} {terms}") }
    }
}

fn enter(code: &str, watch: bool, context: &mut Context) -> Go {
    Go::to(OnlinePlay::new(code, watch, context))
}

/// Extracts the code from a text that is a code, or an address that ends with a code.
fn read_code(text: &str) -> Option<String> {
    let code = text.trim().trim_end_matches('/').rsplit('/').next()?;
    let is_code = code.len() == CODE && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_code.then(|| code.to_ascii_uppercase())
}

impl Screen for LobbyScreen {
    fn title(&self) -> String {
        "Lobby".to_owned()
    }

    fn hints(&self) -> Vec<Hint> {
        if self.code.is_some() {
            return vec![("Enter", "open"), ("Esc", "cancel")];
        }
        let mut hints = match self.chosen() {
            Some((Group::Yours, _)) => vec![("Enter", "go on")],
            Some((Group::Open, _)) => vec![("Enter", "join"), ("w", "watch")],
            Some((Group::Live, _)) => vec![("Enter", "watch")],
            None => Vec::new(),
        };
        hints.extend([
            ("c", "create"),
            ("s", "find an opponent"),
            ("o", "code"),
            ("b", "best players"),
            ("f", "finished"),
            ("a", "account"),
            ("Esc", "home"),
        ]);
        hints
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        if self.code.is_some() {
            return self.type_key(press, context);
        }
        match press {
            Press::Key(KeyCode::Esc) => return Go::Back,
            Press::Key(KeyCode::Char('c')) => {
                return Go::to(CreateScreen::new(Purpose::Create, context.catalog()));
            }
            Press::Key(KeyCode::Char('s')) => {
                return Go::to(CreateScreen::new(Purpose::Seek, context.catalog()));
            }
            Press::Key(KeyCode::Char('o')) => self.code = Some(TextField::new("", LONGEST)),
            Press::Key(KeyCode::Char('a')) => return Go::to(AccountScreen::default()),
            Press::Key(KeyCode::Char('b')) => return Go::to(LeadersScreen::new(context)),
            Press::Key(KeyCode::Char('f')) => return Go::to(HistoryScreen::new(context)),
            Press::Key(KeyCode::Char('w')) => {
                let chosen = self.chosen().map(|(_, game)| game.code.clone());
                return chosen.map_or(Go::Stay, |code| enter(&code, true, context));
            }
            Press::Pick(row) => {
                let is_game = |row: &LobbyRow| matches!(row, LobbyRow::Game(..));
                let rows = self.rows();
                if rows.get(row).is_some_and(is_game) {
                    let number = rows[..row].iter().filter(|row| is_game(row)).count();
                    let before = self.chosen.clone();
                    self.choose(number);
                    if self.chosen == before {
                        return self.open(context);
                    }
                }
            }
            press if press.is_enter() => return self.open(context),
            _ => self.step(press),
        }
        Go::Stay
    }

    fn on_link(&mut self, event: &LinkEvent, is_top: bool, context: &mut Context) -> Go {
        let summons = context.online.as_ref().and_then(|online| online.summons(event));
        if let Some(code) = summons.filter(|_| is_top) {
            context.notice = None;
            return enter(&code, false, context);
        }
        match event {
            LinkEvent::Connected(_) => self.ask(context),
            LinkEvent::Lost { .. } | LinkEvent::Failed { .. } => self.next = None,
            LinkEvent::Message(ServerMessage::Lobby(lobby)) => {
                self.lobby = Some(lobby.clone());
                if self.chosen().is_none() {
                    self.chosen = None;
                    self.choose(0);
                }
            }
            LinkEvent::Message(ServerMessage::Rej(rej)) if is_top => {
                context.notice = Some(rej.text.clone());
            }
            LinkEvent::Message(_) | LinkEvent::Record { .. } => {}
        }
        Go::Stay
    }

    fn wake(&mut self, context: &mut Context) -> Go {
        if self.next.is_some_and(|next| next <= context.now) {
            self.next = None;
            self.ask(context);
        }
        Go::Stay
    }

    fn due(&self) -> Option<Instant> {
        self.next
    }

    fn resume(&mut self, context: &mut Context) -> Go {
        self.ask(context);
        Go::Stay
    }

    fn is_typing(&self) -> bool {
        self.code.is_some()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        let Some(online) = &context.online else { return };
        let title = match online.name() {
            Some(name) if is_roomy(area) => format!("{}: {name}", online.server),
            Some(name) => name,
            None => online.server.clone(),
        };
        let inside = canvas.panel(area, &title);
        let explained = if is_roomy(area) { 3 } else { 2 };
        let list = Rect { height: inside.height.saturating_sub(explained), ..inside };
        let lower = inset(below(inside, list.height));
        match (&self.code, online.trouble()) {
            (Some(code), _) => canvas.field(lower, "Code or address: ", code),
            (None, Some(trouble)) => {
                canvas.prose(lower, &trouble, canvas.look.ink(Ink::Alarm));
            }
            (None, None) => {
                let about = self.about(is_roomy(area), context.catalog());
                canvas.prose(lower, &about, canvas.look.ink(Ink::Faint));
            }
        }
        if self.lobby.is_none() {
            let text = if online.is_connected() { "Asking the server…" } else { "" };
            canvas.prose(inset(list), text, canvas.look.ink(Ink::Faint));
            return;
        }
        let rows = self.rows();
        let is_chosen = |row: &LobbyRow| match row {
            LobbyRow::Game(group, game) => self.is_chosen(*group, game),
            LobbyRow::Heading(_) | LobbyRow::Empty(_) => false,
        };
        let chosen = rows.iter().position(is_chosen);
        let line = |row: &LobbyRow| match row {
            LobbyRow::Heading(text) => Line::styled(*text, canvas.look.ink(Ink::Title)),
            LobbyRow::Empty(text) => Line::styled(format!("  {text}"), canvas.look.ink(Ink::Faint)),
            LobbyRow::Game(group, game) => {
                Self::line(*group, game, list.width.into(), canvas, context.catalog())
            }
        };
        let lines: Vec<Line> = rows.iter().map(line).collect();
        canvas.menu(list, lines, chosen.unwrap_or(rows.len()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_stands_alone_or_at_the_end_of_an_address() {
        for text in ["abc234", " ABC234 ", "https://example.org/g/Abc234", "x.org:80/g/ABC234/"] {
            assert_eq!(read_code(text).as_deref(), Some("ABC234"), "{text}");
        }
        for text in ["", "ABC23", "ABC2345", "AB C34", "https://example.org/", "ÄBC23"] {
            assert_eq!(read_code(text), None, "{text}");
        }
    }
}
