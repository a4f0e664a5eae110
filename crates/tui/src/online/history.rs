//! One's finished games on the server.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_room::wire::{ClientMessage, Finished, ServerMessage};
use skirmish_rules::columns::{pad, shorten};
use skirmish_rules::{Both, GAMES, Side};

use super::super::context::Context;
use super::super::look::Ink;
use super::super::parts::{Canvas, inset};
use super::super::screen::{Go, Hint, Press, Screen};
use super::LinkEvent;

pub(super) struct HistoryScreen {
    games: Option<Vec<Finished>>,
    top: usize,
}

impl HistoryScreen {
    pub(super) fn new(context: &mut Context) -> Self {
        ask(context);
        Self { games: None, top: 0 }
    }
}

fn ask(context: &mut Context) {
    if let Some(online) = &mut context.online {
        online.send(ClientMessage::History);
    }
}

/// A finished game in a line.
fn line(game: &Finished, roomy: bool) -> String {
    let names: Both<String> = game.names.clone().into();
    let you = Side::from_number(game.you).unwrap_or(Side::One);
    let result = match (game.end.result.as_str(), you) {
        ("1-0", Side::One) | ("0-1", Side::Two) => "won",
        ("1-0", Side::Two) | ("0-1", Side::One) => "lost",
        ("1/2-1/2", _) => "drawn",
        _ => "aborted",
    };
    let name = GAMES.find(&game.game).map_or(game.game.as_str(), |entry| entry.name);
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
        vec![("↑↓", "scroll"), ("Esc", "back")]
    }

    fn press(&mut self, press: Press, _context: &mut Context) -> Go {
        if press == Press::Key(KeyCode::Esc) {
            return Go::Back;
        }
        let last = self.games.as_ref().map_or(0, |games| games.len().saturating_sub(1));
        self.top = press.scrolled(self.top).unwrap_or(self.top).min(last);
        Go::Stay
    }

    fn on_link(&mut self, event: &LinkEvent, _is_top: bool, context: &mut Context) -> Go {
        match event {
            LinkEvent::Connected(_) => ask(context),
            LinkEvent::Message(ServerMessage::History { games }) => {
                self.games = Some(games.clone());
            }
            LinkEvent::Message(_) | LinkEvent::Lost { .. } | LinkEvent::Failed { .. } => {}
        }
        Go::Stay
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, _context: &Context) {
        let inside = inset(canvas.panel(area, "Newest first"));
        let text = match &self.games {
            None => "The server is asked…",
            Some(games) if games.is_empty() => "You have not finished a game on this server yet.",
            Some(games) => {
                let roomy = inside.width >= 70;
                for (row, game) in (0..inside.height).zip(games.iter().skip(self.top)) {
                    canvas.text(inside, row, &line(game, roomy), canvas.look.ink(Ink::Plain));
                }
                return;
            }
        };
        canvas.prose(inside, text, canvas.look.ink(Ink::Faint));
    }
}
