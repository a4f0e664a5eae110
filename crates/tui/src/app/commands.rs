//! The palette's commands on the current screen, and how they run.

use super::super::event::TerminalRequest;
use super::super::overlay::pressed;
use super::super::palette::{Command, Palette, PaletteResult, Run, refusal};
use super::super::screen::{Clip, Press};
use super::App;
use crate::Closed;

impl App {
    /// All commands that can be typed after `:` on this screen.
    pub(super) fn commands(&self) -> Vec<Command> {
        let mut all = self.top().commands();
        let has = |what: &Clip| self.top().clip(*what, &self.context).is_some();
        all.extend(Clip::ALL.into_iter().filter(has).map(Command::copy));
        let game = self.screens.iter().rev().find_map(|screen| screen.game());
        let keys = self.top().hints().into_iter().chain([("?", "keys"), ("?", "help")]);
        let letters = keys.filter(|(key, _)| key.len() == 1 && *key != ":");
        let keys =
            letters.filter_map(|(key, meaning)| Some(Command::key(key, meaning, pressed(key)?)));
        for command in keys.chain(Command::places(&self.context, game)) {
            if !all.iter().any(|known| known.name() == command.name()) {
                all.push(command);
            }
        }
        all
    }

    pub(super) fn press_palette(&mut self, mut palette: Palette, press: Press) -> Option<Closed> {
        let commands = self.commands();
        let line = match palette.press(press, &commands) {
            PaletteResult::Open => {
                self.palette = Some(palette);
                return None;
            }
            PaletteResult::Closed => return None,
            PaletteResult::Run(Run::Press(press)) => return self.press(press),
            PaletteResult::Run(Run::Copy(what)) => {
                self.copy(what);
                return None;
            }
            PaletteResult::Run(Run::Place(place)) => {
                let go = place.go(&mut self.context);
                return self.go(go);
            }
            PaletteResult::Run(Run::Move(line) | Run::Line(line)) | PaletteResult::Line(line) => {
                line
            }
        };
        let Self { screens, context, .. } = self;
        let gone = screens.last_mut().and_then(|screen| screen.enter_line(&line, context));
        if gone.is_none() {
            self.context.notice = Some(refusal(&line, &commands));
        }
        gone.and_then(|go| self.go(go))
    }

    /// Copies a text to the clipboard, and says so.
    fn copy(&mut self, what: Clip) {
        let Some(text) = self.top().clip(what, &self.context) else { return };
        let (_, name) = what.words();
        self.context.notice = Some(match what {
            Clip::Position | Clip::Code => format!("Copied {name} to the clipboard: {text}"),
            Clip::Record => format!("Copied {name} to the clipboard."),
        });
        self.context.requests.push(TerminalRequest::Copy(text));
    }
}
