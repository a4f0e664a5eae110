//! The player's account on the server: registering a name, and adding devices.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::Line;
use skirmish_play::LONGEST_NAME;
use skirmish_room::wire::{ClientMessage, MessageId, ServerMessage};

use super::super::context::Context;
use super::super::look::Ink;
use super::super::parts::{Canvas, TextField, below, extent, inset};
use super::super::screen::{Go, Hint, Press, Screen};
use super::{LinkEvent, Online};

#[derive(Default)]
pub(super) struct AccountScreen {
    chosen: usize,
    /// The name being typed.
    name: Option<TextField>,
    /// The id of the pending request.
    sent: Option<MessageId>,
    /// The server's answer, and whether it is a refusal.
    answer: Option<(String, bool)>,
}

/// The items: their names and explanations.
const ITEMS: [(&str, &str); 2] = [
    (
        "Register a name",
        "A guest becomes an account with a name that nobody else has. Rated games need one.",
    ),
    (
        "Use the account on another device",
        "The server gives you a code to enter on the other device.",
    ),
];

/// The index of the item that registers a name.
const REGISTER: usize = 0;

impl AccountScreen {
    fn open(&mut self, context: &mut Context) -> Go {
        if self.chosen == REGISTER {
            self.name = Some(TextField::new("", LONGEST_NAME));
        } else {
            self.send(context, |id| ClientMessage::Link { id });
        }
        Go::Stay
    }

    fn send(&mut self, context: &mut Context, make: impl FnOnce(MessageId) -> ClientMessage) {
        let Some(online) = context.online.as_mut().filter(|online| online.is_connected()) else {
            self.answer = Some(("There is no connection now: try again later.".to_owned(), true));
            return;
        };
        let id = online.fresh_id();
        online.send(make(id.clone()));
        self.sent = Some(id);
        self.answer = None;
    }

    fn hear(&mut self, message: &ServerMessage, online: &mut Online) {
        let is_ours = |id: &MessageId| self.sent.as_ref() == Some(id);
        let answer = match message {
            ServerMessage::Registered { id, name, recovery } if is_ours(id) => {
                online.rename(name);
                let text = format!(
                    "You are {name} now. If you lose this device, your recovery code brings the account back: \
                     {recovery} . Write it down: it is not shown again."
                );
                (text, false)
            }
            ServerMessage::Link { id, link, seconds } if is_ours(id) => {
                let server = &online.server;
                let text = format!(
                    "Enter this on your other device within {} minutes: skirmish join {server} --link {link}",
                    seconds / 60
                );
                (text, false)
            }
            ServerMessage::Rej(rej) if rej.id.as_ref().is_some_and(is_ours) => {
                (rej.text.clone(), true)
            }
            _ => return,
        };
        self.sent = None;
        self.answer = Some(answer);
    }
}

impl Screen for AccountScreen {
    fn title(&self) -> String {
        "Your account".to_owned()
    }

    fn hints(&self) -> Vec<Hint> {
        if self.name.is_some() {
            return vec![("Enter", "register"), ("Esc", "cancel")];
        }
        vec![("Enter", "choose"), ("↑↓", "move"), ("Esc", "back")]
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        if self.name.is_some() {
            let name = TextField::finish(&mut self.name, press).filter(|name| !name.is_empty());
            if let Some(name) = name {
                self.send(context, |id| ClientMessage::Register { id, name });
            }
            return Go::Stay;
        }
        if press == Press::Key(KeyCode::Esc) {
            return Go::Back;
        }
        if press.opens(&mut self.chosen, ITEMS.len()) {
            return self.open(context);
        }
        Go::Stay
    }

    fn on_link(&mut self, event: &LinkEvent, _is_top: bool, context: &mut Context) -> Go {
        match (event, &mut context.online) {
            (LinkEvent::Message(message), Some(online)) => self.hear(message, online),
            (LinkEvent::Lost { .. } | LinkEvent::Failed { .. }, _)
                if self.sent.take().is_some() =>
            {
                let text = "The connection was lost before the answer came: try again later.";
                self.answer = Some((text.to_owned(), true));
            }
            _ => {}
        }
        Go::Stay
    }

    fn is_typing(&self) -> bool {
        self.name.is_some()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        let name = context.online.as_ref().and_then(Online::name);
        let title = name.map_or_else(String::new, |name| format!("You are {name}"));
        let inside = canvas.panel(area, &title);
        let items: Vec<Line> = ITEMS.iter().map(|(name, _)| Line::raw(*name)).collect();
        let rows = extent(items.len()).min(inside.height);
        canvas.menu(Rect { height: rows, ..inside }, items, self.chosen);
        let lower = inset(below(inside, (rows + 1).min(inside.height)));
        match (&self.name, &self.answer) {
            (Some(name), _) => canvas.field(lower, "Name: ", name),
            (None, Some((text, is_refused))) => {
                let ink = if *is_refused { Ink::Alarm } else { Ink::Good };
                canvas.prose(lower, text, canvas.look.ink(ink));
            }
            (None, None) if self.sent.is_some() => {
                canvas.prose(lower, "Asking the server…", canvas.look.ink(Ink::Faint));
            }
            (None, None) => {
                canvas.prose(lower, ITEMS[self.chosen].1, canvas.look.ink(Ink::Faint));
            }
        }
    }
}
