//! The saved games: find, watch, continue and delete them.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_play::Plan;
use skirmish_rules::{Record, columns, counted, quotable};
use skirmish_store::{
    Holder, SavedGame, StoreError, ago, holder, is_begun, read_record_file, saved_at,
};

use super::context::Context;
use super::fuzzy;
use super::look::Ink;
use super::parts::{Canvas, TextField, Typing};
use super::play::Play;
use super::replay::Replay;
use super::screen::{Go, Hint, Press, Screen};

pub(super) struct SavedGamesScreen {
    games: Vec<Listed>,
    /// The selected one of the games that are found.
    chosen: usize,
    /// What the listed games must contain.
    wanted: String,
    typing: Option<LibraryField>,
    /// The game to delete, if the player says yes.
    deleting: Option<PathBuf>,
}

/// What is being typed.
#[derive(Clone)]
enum LibraryField {
    /// The name of a file.
    File(TextField),
    /// What to look for.
    Find(TextField),
}

/// A file in the folder of saved games.
struct Listed {
    path: PathBuf,
    /// The game, or what is wrong with the file.
    record: Result<Record, StoreError>,
    /// Who is playing it.
    holder: Option<Holder>,
    saved: Option<SystemTime>,
}

/// The most games to list.
const MOST: usize = 200;

/// Games that a page key moves the cursor by.
const PAGE: usize = 10;

impl SavedGamesScreen {
    pub(super) fn new(context: &Context) -> Self {
        let games = listed(context);
        Self { games, chosen: 0, wanted: String::new(), typing: None, deleting: None }
    }

    /// The games that are found, best first.
    fn found(&self) -> Vec<&Listed> {
        fuzzy::sorted(&self.games, &self.wanted, |listed| listed.words().into())
    }

    fn chosen(&self) -> Option<&Listed> {
        self.found().get(self.chosen).copied()
    }

    /// Shows the selected game as it is on disk now: another program may be playing it.
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
        let opened = if copy { Play::copy(&path, context) } else { Play::resume(&path, context) };
        let why = match opened {
            Ok(play) => return Go::Replace(Box::new(play)),
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
                    let go = show(&context.folder.join(name), context);
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

    /// Looks for games while letters are typed; arrows move the cursor meanwhile.
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

    /// Asks whether to delete the selected game.
    fn ask(&mut self, context: &mut Context) {
        let Some(listed) = self.chosen() else { return };
        let (path, question) = (listed.path.clone(), format!("Delete {}? y or n", listed.title()));
        self.deleting = Some(path);
        context.notice = Some(question);
    }

    fn delete(&mut self, path: &Path, context: &mut Context) {
        let Some(store) = &context.store else { return };
        context.notice = Some(match store.delete(path) {
            Ok(()) => "The game is deleted.".to_owned(),
            Err(error) => format!("Not deleted: {error}."),
        });
        self.games = listed(context);
        self.chosen = self.chosen.min(self.found().len().saturating_sub(1));
    }

    fn answer(&mut self, path: PathBuf, press: Press, context: &mut Context) {
        match press.answer() {
            Some(true) => self.delete(&path, context),
            Some(false) => context.notice = Some("The game is kept.".to_owned()),
            None => {
                self.deleting = Some(path);
                context.notice = Some("Delete it? y or n".to_owned());
            }
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
    let is_shown = |game: &SavedGame| game.record.as_ref().map_or(true, is_begun);
    context.store.as_ref().map_or_else(Vec::new, |store| {
        store.games(context.catalog).filter(is_shown).take(MOST).map(listed).collect()
    })
}

fn show(file: &Path, context: &mut Context) -> Go {
    match read_record_file(file, context.catalog) {
        Ok(record) => Go::To(Box::new(Replay::new(record, false, context))),
        Err(error) => Go::refused(error.to_string(), context),
    }
}

impl Listed {
    fn file(&self) -> String {
        quotable(&self.path.file_name().unwrap_or_default().to_string_lossy())
    }

    /// What one can look for.
    fn words(&self) -> String {
        match &self.record {
            Ok(record) => {
                let date = record.date.as_deref().unwrap_or_default();
                format!("{} {} {date}", self.title(), self.result(record))
            }
            Err(_) => format!("{} damaged", self.file()),
        }
    }

    /// The game and who plays it.
    fn title(&self) -> String {
        match &self.record {
            Ok(record) => {
                let names = &record.names;
                format!("{}, {} against {}", record.entry.name, names.one, names.two)
            }
            Err(_) => self.file(),
        }
    }

    fn result(&self, record: &Record) -> String {
        match (record.ending, &self.holder) {
            (None, Some(_)) => "being played".to_owned(),
            (None, None) => "unfinished".to_owned(),
            (Some(ending), _) => match ending.outcome.winner() {
                Some(side) => format!("{} won", record.names[side]),
                None => "a draw".to_owned(),
            },
        }
    }

    fn when(&self, now: SystemTime) -> String {
        self.saved.map_or_else(String::new, |saved| ago(saved, now))
    }

    fn line(&self, canvas: &Canvas, room: usize, now: SystemTime) -> Line<'static> {
        const WHEN: usize = 15;
        const GAME: usize = 21;
        const TURNS: usize = 10;
        let record = match &self.record {
            Ok(record) => record,
            Err(error) => {
                let text = format!("{}: damaged, {}", self.file(), quotable(&error.reason()));
                return Line::styled(text, canvas.look.ink(Ink::Alarm));
            }
        };
        let turns = counted(record.turns.len() as u64, "turn");
        let result = self.result(record);
        let game = canvas.span(Ink::Title, columns::pad(record.entry.name, GAME));
        let left = room.saturating_sub(WHEN + GAME + TURNS);
        if left < 30 {
            let rest = format!("{turns}, {result}");
            let rest = columns::shorten(&rest, room.saturating_sub(GAME));
            return Line::from(vec![game, Span::raw(rest)]);
        }
        let when = columns::pad(&self.when(now), WHEN);
        let (share, last) = (left * 3 / 5, left - left * 3 / 5);
        let opponents = columns::shorten(&opponents(record), share.saturating_sub(1));
        Line::from(vec![
            canvas.span(Ink::Faint, when),
            game,
            Span::raw(columns::pad(&opponents, share)),
            Span::raw(columns::pad(&turns, TURNS)),
            Span::raw(columns::shorten(&result, last)),
        ])
    }

    /// Everything about it, for below the list.
    fn about(&self, now: SystemTime) -> String {
        let (title, when, file) = (self.title(), self.when(now), self.file());
        match &self.record {
            Ok(record) => {
                let turns = counted(record.turns.len() as u64, "turn");
                let holder = self.holder.as_ref().map_or(String::new(), |it| format!(" by {it}"));
                let result = self.result(record);
                format!("{title}, {turns}, {result}{holder}. Saved {when} as {file}.")
            }
            Err(error) => format!("{file} is damaged: {}.", quotable(&error.reason())),
        }
    }
}

/// Whom a person played against; both names if two people played, or nobody.
fn opponents(record: &Record) -> String {
    let names = &record.names;
    let is_human = Plan::of(record).players.map(|player| player.is_human());
    match (is_human.one, is_human.two) {
        (true, false) => format!("against {}", names.two),
        (false, true) => format!("against {}", names.one),
        (true, true) | (false, false) => format!("{} – {}", names.one, names.two),
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

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        if self.typing.is_some() {
            return self.type_key(press, context);
        }
        if let Some(path) = self.deleting.take() {
            self.answer(path, press, context);
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
            Press::Key(KeyCode::Home) => self.leap(0),
            Press::Key(KeyCode::End) => self.leap(usize::MAX),
            Press::Key(KeyCode::PageUp) => self.leap(self.chosen.saturating_sub(PAGE)),
            Press::Key(KeyCode::PageDown) => self.leap(self.chosen + PAGE),
            _ if press.opens(&mut self.chosen, count) => return self.open(context),
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
        let now = (context.clock)();
        if let Some(listed) = self.chosen() {
            let place = bottom(2);
            let place = Rect { x: place.x + 2, width: place.width.saturating_sub(3), ..place };
            canvas.prose(place, &listed.about(now), canvas.look.ink(Ink::Faint));
        }
        if found.is_empty() {
            let text = match &*self.wanted {
                "" => "No game has been saved yet. Play one, or open a record with o.".to_owned(),
                wanted => format!("No saved game is like \"{wanted}\"."),
            };
            canvas.prose(list, &text, canvas.look.ink(Ink::Faint));
            return;
        }
        let room = usize::from(list.width).saturating_sub(2);
        let lines = found.iter().map(|listed| listed.line(canvas, room, now)).collect();
        canvas.menu(list, lines, self.chosen);
    }
}
