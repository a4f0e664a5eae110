//! Asks for a server to play on.

use ratatui::layout::Rect;
use skirmish_store::command;

use super::super::context::Context;
use super::super::look::Ink;
use super::super::parts::{Canvas, TextField, Typing, below, inset};
use super::super::screen::{Go, Hint, Press, Screen};

/// Maximum length of an address.
const LONGEST: usize = 200;

pub(in super::super) struct ConnectScreen {
    address: TextField,
}

impl ConnectScreen {
    /// Suggests the last server.
    pub(in super::super) fn new(context: &Context) -> Self {
        Self { address: TextField::new(&context.options.last_server, LONGEST) }
    }
}

impl Screen for ConnectScreen {
    fn title(&self) -> String {
        "Play online".to_owned()
    }

    fn hints(&self) -> Vec<Hint> {
        vec![("Enter", "connect"), ("Esc", "back"), ("Ctrl-U", "clear")]
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        match self.address.press(press) {
            Typing::On => {}
            Typing::Cancelled => {
                context.joining = None;
                return Go::Back;
            }
            Typing::Done(asked) => {
                if !asked.is_empty() && context.joining.as_ref() != Some(&asked) {
                    context.joining = Some(asked.clone());
                    (context.options.join)(asked);
                }
            }
        }
        Go::Stay
    }

    fn is_typing(&self) -> bool {
        true
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        let inside = inset(canvas.panel(area, "Server"));
        canvas.field(Rect { height: 1, ..inside }, "Address: ", &self.address);
        let lower = below(inside, 2);
        match &context.joining {
            Some(asked) => {
                canvas.prose(lower, &format!("Connecting to {asked} …"), canvas.look.ink(Ink::Good))
            }
            None => canvas.prose(lower, &about(), canvas.look.ink(Ink::Faint)),
        };
    }
}

fn about() -> String {
    format!(
        "Enter the address of a server, or the invitation that a friend sent you. To be the server yourself, start \
         \"{}\" in a shell: it prints an invitation for the other player.",
        command("host GAME")
    )
}
