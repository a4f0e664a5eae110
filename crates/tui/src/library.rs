//! The saved games, for replay.

use std::path::{Path, PathBuf};

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_rules::{Record, counted, quotable};
use skirmish_store::{Holder, SavedGame, StoreError, holder, is_begun, read_record_file};

use super::context::Context;
use super::look::Ink;
use super::parts::{Canvas, TextField};
use super::play::Play;
use super::replay::Replay;
use super::screen::{Go, Hint, Press, Screen};

pub(super) struct SavedGamesScreen {
    games: Vec<Listed>,
    chosen: usize,
    /// The name of a file, while it is typed.
    file: Option<TextField>,
}

/// A file in the folder of saved games.
struct Listed {
    path: PathBuf,
    /// The game, or what is wrong with the file.
    record: Result<Record, StoreError>,
    /// Who is playing it.
    holder: Option<Holder>,
}

/// The most games to list.
const MOST: usize = 200;

impl SavedGamesScreen {
    pub(super) fn new(context: &Context) -> Self {
        let listed = |SavedGame { path, record }| {
            let holder = holder(&path);
            Listed { path, record, holder }
        };
        let is_shown = |game: &SavedGame| game.record.as_ref().map_or(true, is_begun);
        let games = context.store.as_ref().map_or_else(Vec::new, |store| {
            store.games(context.catalog).filter(is_shown).take(MOST).map(listed).collect()
        });
        Self { games, chosen: 0, file: None }
    }

    fn chosen(&self) -> Option<&Listed> {
        self.games.get(self.chosen)
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
        let chosen = &mut self.games[self.chosen];
        chosen.holder = holder(&path);
        let ways = if chosen.holder.is_some() { ": Enter watches it, p plays a copy." } else { "" };
        Go::refused(format!("{why}{ways}"), context)
    }

    fn type_key(&mut self, press: Press, context: &mut Context) -> Go {
        let typed = self.file.clone();
        let name = TextField::finish(&mut self.file, press);
        let Some(name) = name.filter(|name| !name.is_empty()) else { return Go::Stay };
        let go = show(&context.folder.join(name), context);
        if matches!(go, Go::Stay) {
            self.file = typed;
        }
        go
    }
}

fn show(file: &Path, context: &mut Context) -> Go {
    match read_record_file(file, context.catalog) {
        Ok(record) => Go::To(Box::new(Replay::new(record, false, context))),
        Err(error) => Go::refused(error.to_string(), context),
    }
}

fn line(listed: &Listed, canvas: &Canvas) -> Line<'static> {
    let record = match &listed.record {
        Ok(record) => record,
        Err(error) => {
            let file = listed.path.file_name().unwrap_or_default().to_string_lossy();
            let text = format!("{}: damaged, {}", quotable(&file), quotable(&error.reason()));
            return Line::styled(text, canvas.look.ink(Ink::Alarm));
        }
    };
    let result = match (record.ending, &listed.holder) {
        (None, Some(_)) => "being played".to_owned(),
        (None, None) => "unfinished".to_owned(),
        (Some(ending), _) => match ending.outcome.winner() {
            Some(side) => format!("{} won", record.names[side]),
            None => "a draw".to_owned(),
        },
    };
    Line::from(vec![
        canvas.span(Ink::Faint, format!("{:<11}", record.date.clone().unwrap_or_default())),
        canvas.span(Ink::Title, format!("{:<21}", record.entry.name)),
        Span::raw(format!("{:>9}, {result}", counted(record.turns.len() as u64, "turn"))),
    ])
}

impl Screen for SavedGamesScreen {
    fn title(&self) -> String {
        "Replay a game".to_owned()
    }

    fn hints(&self) -> Vec<Hint> {
        if self.file.is_some() {
            return vec![("Enter", "open"), ("Esc", "cancel")];
        }
        let mut hints = Vec::new();
        if !self.games.is_empty() {
            hints.extend([("Enter", "watch"), ("↑↓", "move")]);
            hints.push(match self.chosen() {
                Some(Listed { holder: Some(_), .. }) => ("p", "play a copy"),
                Some(_) | None => ("c", "continue an unfinished one"),
            });
        }
        hints.extend([("o", "open a file"), ("Esc", "back")]);
        hints
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        if self.file.is_some() {
            return self.type_key(press, context);
        }
        match press {
            Press::Key(KeyCode::Esc) => return Go::Back,
            Press::Key(KeyCode::Char('o')) => self.file = Some(TextField::new("", 400)),
            Press::Key(KeyCode::Char('c')) => return self.resume_game(context, false),
            Press::Key(KeyCode::Char('p')) => return self.resume_game(context, true),
            _ if press.opens(&mut self.chosen, self.games.len()) => return self.open(context),
            _ => {}
        }
        Go::Stay
    }

    fn is_typing(&self) -> bool {
        self.file.is_some()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, _context: &Context) {
        let inside = canvas.panel(area, "Saved games");
        let mut list = inside;
        if let Some(file) = &self.file {
            list.height = list.height.saturating_sub(1);
            let row = Rect { y: list.y + list.height, height: 1, ..inside };
            canvas.field(row, " File: ", file);
        }
        if self.games.is_empty() {
            let text = "No game has been saved yet. Play one, or open a record with o.";
            canvas.prose(list, text, canvas.look.ink(Ink::Faint));
            return;
        }
        let lines: Vec<Line> = self.games.iter().map(|listed| line(listed, canvas)).collect();
        canvas.menu(list, lines, self.chosen);
    }
}
