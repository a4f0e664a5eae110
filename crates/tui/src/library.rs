//! The screen of saved games: find, watch, continue and delete them.

mod listed;

use std::path::{Path, PathBuf};

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_store::{SavedGame, holder, read_record_file, saved_at};

use self::listed::Listed;
use super::context::Context;
use super::fuzzy;
use super::look::Ink;
use super::parts::{Canvas, TextField, Typing};
use super::play::LocalPlay;
use super::replay::Replay;
use super::screen::{Go, Help, Hint, Press, Screen};

pub(super) struct SavedGamesScreen {
    games: Vec<Listed>,
    /// The index of the selected game among those found.
    chosen: usize,
    /// The search text.
    wanted: String,
    typing: Option<LibraryField>,
    /// The file to delete once the player confirms.
    deleting: Option<PathBuf>,
}

/// The open text field.
#[derive(Clone)]
enum LibraryField {
    /// The name of a file.
    File(TextField),
    /// A search text.
    Find(TextField),
}

/// Maximum number of games to list.
const MOST: usize = 200;

impl SavedGamesScreen {
    pub(super) fn new(context: &Context) -> Self {
        let games = listed(context);
        Self { games, chosen: 0, wanted: String::new(), typing: None, deleting: None }
    }

    /// The games that match the search text, best first.
    fn found(&self) -> Vec<&Listed> {
        fuzzy::sorted(&self.games, &self.wanted, |listed| listed.words().into())
    }

    fn chosen(&self) -> Option<&Listed> {
        self.found().get(self.chosen).copied()
    }

    /// Opens the selected game, rereading it from disk because another program may be playing it.
    fn open(&self, context: &mut Context) -> Go {
        self.chosen().map_or(Go::Stay, |listed| show(&listed.path, context))
    }

    /// Resumes the selected game, or a copy of it.
    fn resume_game(&mut self, context: &mut Context, copy: bool) -> Go {
        let Some(Listed { path, record: Ok(record), .. }) = self.chosen() else { return Go::Stay };
        if record.ending.is_some() {
            return Go::refused("This game is over: Enter shows it again.", context);
        }
        let path = path.clone();
        let opened = if copy {
            LocalPlay::copy(&path, context)
        } else {
            LocalPlay::resume_file(&path, context)
        };
        let why = match opened {
            Ok(play) => return Go::replace(play),
            Err(why) => why,
        };
        let holder = holder(&path);
        let ways = if holder.is_some() { ": Enter watches it, p plays a copy." } else { "" };
        if let Some(listed) = self.games.iter_mut().find(|listed| listed.path == path) {
            listed.holder = holder;
        }
        Go::refused(format!("{why}{ways}"), context)
    }

    fn type_key(&mut self, press: Press, context: &mut Context) -> Go {
        match self.typing.take() {
            None => Go::Stay,
            Some(LibraryField::File(mut field)) => match field.press(press) {
                Typing::Cancelled => Go::Stay,
                Typing::Done(name) if name.is_empty() => Go::Stay,
                Typing::On => {
                    self.typing = Some(LibraryField::File(field));
                    Go::Stay
                }
                Typing::Done(name) => {
                    let go = show(&context.options.folder.join(name), context);
                    if matches!(go, Go::Stay) {
                        self.typing = Some(LibraryField::File(field));
                    }
                    go
                }
            },
            Some(LibraryField::Find(field)) => {
                self.find(field, press);
                Go::Stay
            }
        }
    }

    /// Handles a key while the search text is typed: letters update the search, and arrows move the cursor.
    fn find(&mut self, mut field: TextField, press: Press) {
        let count = self.found().len();
        match press {
            Press::Key(KeyCode::Up | KeyCode::Down) | Press::Wheel(_) => {
                press.moves(&mut self.chosen, count);
            }
            Press::Pick(number) => self.chosen = number.min(count.saturating_sub(1)),
            _ => match field.press(press) {
                Typing::Cancelled => {
                    self.wanted.clear();
                    self.chosen = 0;
                    return;
                }
                Typing::Done(_) => return,
                Typing::On => {
                    if self.wanted != field.text {
                        self.wanted.clone_from(&field.text);
                        self.chosen = 0;
                    }
                }
            },
        }
        self.typing = Some(LibraryField::Find(field));
    }

    /// Asks for confirmation to delete the selected game.
    fn ask(&mut self, context: &mut Context) {
        let Some(listed) = self.chosen() else { return };
        let (path, question) = (listed.path.clone(), format!("Delete {}? y or n", listed.title()));
        self.deleting = Some(path);
        context.notice = Some(question);
    }

    fn delete(&mut self, path: &Path, context: &mut Context) {
        let Some(store) = &context.options.store else { return };
        context.notice = Some(match store.delete(path) {
            Ok(()) => "The game is deleted.".to_owned(),
            Err(error) => format!("Not deleted: {error}."),
        });
        self.games = listed(context);
        self.chosen = self.chosen.min(self.found().len().saturating_sub(1));
    }

    fn answer(&mut self, path: &Path, press: Press, context: &mut Context) {
        match press.answer() {
            Some(true) => self.delete(path, context),
            Some(false) => context.notice = Some("The game is kept.".to_owned()),
            // Any other key repeats the question.
            None => self.ask(context),
        }
    }

    fn leap(&mut self, to: usize) {
        self.chosen = to.min(self.found().len().saturating_sub(1));
    }
}

fn listed(context: &Context) -> Vec<Listed> {
    let listed = |SavedGame { path, record }| {
        let (holder, saved) = (holder(&path), saved_at(&path));
        Listed { path, record, holder, saved }
    };
    context.options.store.as_ref().map_or_else(Vec::new, |store| {
        store.games(context.catalog()).filter(SavedGame::is_listed).take(MOST).map(listed).collect()
    })
}

fn show(file: &Path, context: &mut Context) -> Go {
    match read_record_file(file, context.catalog()) {
        Ok(record) => Go::to(Replay::new(record, false, context)),
        Err(error) => Go::refused(error.to_string(), context),
    }
}

impl Screen for SavedGamesScreen {
    fn title(&self) -> String {
        "Saved games".to_owned()
    }

    fn hints(&self) -> Vec<Hint> {
        match self.typing {
            Some(LibraryField::File(_)) => return vec![("Enter", "open"), ("Esc", "cancel")],
            Some(LibraryField::Find(_)) => {
                return vec![("Enter", "done"), ("↑↓", "move"), ("Esc", "all games")];
            }
            None => {}
        }
        if self.deleting.is_some() {
            return vec![("y", "delete"), ("n", "keep")];
        }
        let mut hints = Vec::new();
        if !self.games.is_empty() {
            hints.extend([("Enter", "watch"), ("↑↓", "move"), ("/", "find")]);
            hints.push(match self.chosen() {
                Some(Listed { holder: Some(_), .. }) => ("p", "play a copy"),
                Some(_) | None => ("c", "continue"),
            });
            hints.push(("d", "delete"));
        }
        hints.extend([("o", "open a file"), ("Esc", "back")]);
        hints
    }

    fn more_help(&self) -> Vec<Help> {
        if self.typing.is_some() || self.deleting.is_some() || self.games.is_empty() {
            return Vec::new();
        }
        let is_held = self.chosen().is_some_and(|listed| listed.holder.is_some());
        let other = if is_held { ("c", "continue") } else { ("p", "play a copy") };
        let plain = |(key, meaning): Hint| (key.into(), meaning);
        [other, ("Del", "like d"), ("PgUp PgDn", "ten games")].map(plain).to_vec()
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        if self.typing.is_some() {
            return self.type_key(press, context);
        }
        if let Some(path) = self.deleting.take() {
            self.answer(&path, press, context);
            return Go::Stay;
        }
        let count = self.found().len();
        match press {
            Press::Key(KeyCode::Esc) if !self.wanted.is_empty() => {
                self.wanted.clear();
                self.chosen = 0;
            }
            Press::Key(KeyCode::Esc) => return Go::Back,
            Press::Key(KeyCode::Char('/')) if !self.games.is_empty() => {
                self.typing = Some(LibraryField::Find(TextField::new(&self.wanted, 60)));
            }
            Press::Key(KeyCode::Char('o')) => {
                self.typing = Some(LibraryField::File(TextField::new("", 400)));
            }
            Press::Key(KeyCode::Char('c')) => return self.resume_game(context, false),
            Press::Key(KeyCode::Char('p')) => return self.resume_game(context, true),
            Press::Key(KeyCode::Char('d') | KeyCode::Delete) => self.ask(context),
            _ if press.opens_paged(&mut self.chosen, count) => return self.open(context),
            _ => {}
        }
        Go::Stay
    }

    fn resume(&mut self, context: &mut Context) -> Go {
        self.games = listed(context);
        self.leap(self.chosen);
        Go::Stay
    }

    fn is_typing(&self) -> bool {
        self.typing.is_some()
    }

    fn is_asking(&self) -> bool {
        self.deleting.is_some()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        let found = self.found();
        let title = if self.wanted.is_empty() {
            "Saved games".to_owned()
        } else {
            format!("Saved games: {} of {}", found.len(), self.games.len())
        };
        let inside = canvas.panel(area, &title);
        let mut list = inside;
        let mut bottom = |rows: u16| {
            list.height = list.height.saturating_sub(rows);
            Rect { y: list.y + list.height, height: rows, ..inside }
        };
        match &self.typing {
            Some(LibraryField::File(file)) => canvas.field(bottom(1), " File: ", file),
            Some(LibraryField::Find(find)) => canvas.field(bottom(1), " Find: ", find),
            None => {}
        }
        let now = (context.options.clock)();
        if let Some(listed) = self.chosen() {
            let place = bottom(2);
            let place = Rect { x: place.x + 2, width: place.width.saturating_sub(3), ..place };
            canvas.prose(place, &listed.about(now), canvas.look.ink(Ink::Faint));
        }
        if found.is_empty() {
            let text = match &*self.wanted {
                "" => "No game has been saved yet. Play one, or open a record with o.".to_owned(),
                wanted => format!("No saved game matches \"{wanted}\"."),
            };
            canvas.prose(list, &text, canvas.look.ink(Ink::Faint));
            return;
        }
        let room = usize::from(list.width).saturating_sub(2);
        let lines = listed::lines(&found, canvas, room, now);
        canvas.menu(list, lines, self.chosen);
    }
}
