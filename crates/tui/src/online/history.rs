//! The player's finished games on the server.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::Line;
use skirmish_room::wire::{ClientMessage, Finished, ServerMessage};
use skirmish_rules::columns::{pad, shorten};
use skirmish_rules::{Both, Catalog, Outcome, Record, Side};

use super::super::context::Context;
use super::super::look::Ink;
use super::super::parts::{Canvas, inset};
use super::super::replay::Replay;
use super::super::screen::{Go, Hint, Press, Screen};
use super::{LinkEvent, send};

pub(super) struct HistoryScreen {
    games: Option<Vec<Finished>>,
    chosen: usize,
    /// The code and number of the game whose record has been requested.
    asked: Option<(String, u32)>,
}

impl HistoryScreen {
    pub(super) fn new(context: &mut Context) -> Self {
        send(ClientMessage::History, context);
        Self { games: None, chosen: 0, asked: None }
    }

    /// Requests the record of the selected game.
    fn open(&mut self, context: &mut Context) -> Go {
        let game = self.games.as_ref().and_then(|games| games.get(self.chosen));
        if let (Some(game), Some(online), None) = (game, &mut context.online, &self.asked) {
            online.link.fetch(&game.code, game.number);
            self.asked = Some((game.code.clone(), game.number));
            context.notice = Some("Fetching the record…".to_owned());
        }
        Go::Stay
    }

    /// Shows a fetched record, or why it is not available. Does nothing if the player has left the list.
    fn show(&mut self, text: &Result<String, String>, is_top: bool, context: &mut Context) -> Go {
        self.asked = None;
        if !is_top {
            return Go::Stay;
        }
        let record = text.clone().and_then(|text| {
            Record::parse(&text, context.catalog())
                .map_err(|error| format!("the server sent a record that cannot be read: {error}"))
        });
        match record {
            Ok(record) => {
                context.notice = None;
                Go::to(Replay::new(record, false, context))
            }
            Err(why) => Go::refused(format!("The game cannot be shown: {why}"), context),
        }
    }
}

/// Formats a finished game as a line.
fn line(game: &Finished, roomy: bool, games: Catalog) -> String {
    let names: Both<String> = game.names.clone().into();
    let you = Side::from_number(game.you).unwrap_or(Side::One);
    let result = match game.end.outcome() {
        Some(Outcome::Won(winner)) if winner == you => "won",
        Some(Outcome::Won(_)) => "lost",
        Some(Outcome::Draw) => "drawn",
        None => "aborted",
    };
    let name = games.find(&game.game).map_or(game.game.as_str(), |entry| entry.name);
    let against = shorten(&names[you.other()], 18);
    if !roomy {
        return format!("{} {result}", pad(&shorten(&against, 16), 17));
    }
    let date = game.date.as_deref().unwrap_or("");
    let rating = game.rating.map_or(String::new(), |rating| format!(", rating {rating}"));
    let (name, against, code) = (pad(name, 21), pad(&against, 19), &game.code);
    format!("{} {code} {name} {against} {result}{rating}", pad(date, 10))
}

impl Screen for HistoryScreen {
    fn title(&self) -> String {
        "Your finished games".to_owned()
    }

    fn hints(&self) -> Vec<Hint> {
        let mut hints = vec![("Esc", "back")];
        if self.games.as_ref().is_some_and(|games| !games.is_empty()) {
            hints.splice(0..0, [("Enter", "watch it again"), ("↑↓", "move")]);
        }
        hints
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        if press == Press::Key(KeyCode::Esc) {
            return Go::Back;
        }
        let count = self.games.as_ref().map_or(0, Vec::len);
        if press.opens(&mut self.chosen, count) {
            return self.open(context);
        }
        Go::Stay
    }

    fn on_link(&mut self, event: &LinkEvent, is_top: bool, context: &mut Context) -> Go {
        match event {
            LinkEvent::Connected(_) => send(ClientMessage::History, context),
            LinkEvent::Message(ServerMessage::History { games }) => {
                self.chosen = self.chosen.min(games.len().saturating_sub(1));
                self.games = Some(games.clone());
            }
            LinkEvent::Record { code, number, text }
                if self.asked == Some((code.clone(), *number)) =>
            {
                return self.show(text, is_top, context);
            }
            LinkEvent::Message(_)
            | LinkEvent::Record { .. }
            | LinkEvent::Lost { .. }
            | LinkEvent::Failed { .. } => {}
        }
        Go::Stay
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        let inside = canvas.panel(area, "Newest first");
        let text = match &self.games {
            None => "Asking the server…",
            Some(games) if games.is_empty() => "You have not finished a game on this server yet.",
            Some(games) => {
                let roomy = inside.width >= 70;
                let line = |game| Line::raw(line(game, roomy, context.catalog()));
                let lines = games.iter().map(line).collect();
                canvas.menu(inside, lines, self.chosen);
                return;
            }
        };
        canvas.prose(inset(inside), text, canvas.look.ink(Ink::Faint));
    }
}
