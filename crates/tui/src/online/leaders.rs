//! The leaderboard of each game.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_room::wire::{ClientMessage, Leader, ServerMessage};
use skirmish_rules::Entry;
use skirmish_rules::columns::{pad, shorten};

use super::super::context::Context;
use super::super::look::Ink;
use super::super::parts::{Canvas, below, inset};
use super::super::screen::{Go, Help, Hint, Press, Screen, Way};
use super::{LinkEvent, send};

pub(super) struct LeadersScreen {
    /// The index of the game in the catalogue.
    game: usize,
    players: Option<Vec<Leader>>,
    top: usize,
}

impl LeadersScreen {
    pub(super) fn new(context: &mut Context) -> Self {
        let screen = Self { game: 0, players: None, top: 0 };
        screen.ask(context);
        screen
    }

    fn entry(&self, context: &Context) -> &'static Entry {
        context.catalog().iter().nth(self.game).expect("the number is that of a game")
    }

    fn ask(&self, context: &mut Context) {
        let game = self.entry(context).id.to_owned();
        send(ClientMessage::Leaders { game }, context);
    }
}

impl Screen for LeadersScreen {
    fn title(&self) -> String {
        "The best players".to_owned()
    }

    fn hints(&self) -> Vec<Hint> {
        vec![("←→", "another game"), ("↑↓", "scroll"), ("Esc", "back")]
    }

    fn more_help(&self) -> Vec<Help> {
        vec![("PgUp PgDn".into(), "ten rows"), ("Space".into(), "like PgDn")]
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        if press == Press::Key(KeyCode::Esc) {
            return Go::Back;
        }
        if let Some(way @ (Way::Left | Way::Right)) = press.way() {
            let game = way.step(self.game, context.catalog().iter().count());
            *self = Self { game, players: None, top: 0 };
            self.ask(context);
            return Go::Stay;
        }
        let last = self.players.as_ref().map_or(0, |players| players.len().saturating_sub(1));
        self.top = press.scrolled(self.top).unwrap_or(self.top).min(last);
        Go::Stay
    }

    fn on_link(&mut self, event: &LinkEvent, _is_top: bool, context: &mut Context) -> Go {
        match event {
            LinkEvent::Connected(_) => self.ask(context),
            LinkEvent::Message(ServerMessage::Leaders { game, players })
                if *game == self.entry(context).id =>
            {
                self.players = Some(players.clone());
            }
            LinkEvent::Message(_)
            | LinkEvent::Record { .. }
            | LinkEvent::Lost { .. }
            | LinkEvent::Failed { .. } => {}
        }
        Go::Stay
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        let inside = inset(canvas.panel(area, &format!("‹ {} ›", self.entry(context).name)));
        let Some(players) = &self.players else {
            canvas.prose(inside, "Asking the server…", canvas.look.ink(Ink::Faint));
            return;
        };
        if players.is_empty() {
            let text = "Nobody has a rating in this game yet: play a rated one.";
            canvas.prose(inside, text, canvas.look.ink(Ink::Faint));
            return;
        }
        let head = format!("   # {} {:>6} {:>5}", pad("name", 16), "rating", "games");
        canvas.text(inside, 0, &head, canvas.look.ink(Ink::Faint));
        let rows = below(inside, 1);
        let listed = players.iter().enumerate().skip(self.top);
        for (row, (index, leader)) in (0..rows.height).zip(listed) {
            let name = pad(&shorten(&leader.name, 16), 16);
            let line = format!("{:>4} {name} {:>6} {:>5}", index + 1, leader.rating, leader.games);
            let ink = if index == 0 { Ink::Title } else { Ink::Plain };
            canvas.text(rows, row, &line, canvas.look.ink(ink));
        }
    }
}
