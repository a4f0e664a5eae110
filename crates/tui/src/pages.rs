//! Scrollable pages: the rules, and lists.

use std::cell::Cell;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::Line;
use skirmish_present::json::{BlockObject, blocks};
use skirmish_rules::{Entry, Record, Telling};
use skirmish_store::{as_started, command};

use super::context::Context;
use super::look::Look;
use super::markdown::{LaidOut, definitions, lay_out, table};
use super::parts::{Canvas, centred, inset};
use super::screen::{Go, Help, Hint, Press, Screen, Way};
use super::scroll::Scroll;

/// A screen with a scrollable text.
pub(super) struct PageScreen {
    title: String,
    form: Form,
    scroll: Scroll,
    /// The first visible column of code.
    shift: Cell<usize>,
    /// Number of columns of code that do not fit.
    hidden: Cell<usize>,
}

/// The format of a text.
enum Form {
    Markdown(Vec<BlockObject>),
    /// A list with one item per line.
    List(String),
    /// A table whose first row is the header.
    Table(Vec<Vec<String>>),
}

/// The rules of a game, with its rulings and options.
pub(super) fn rules_page(entry: &'static Entry) -> PageScreen {
    let text = blocks(&as_started(&entry.rules_page()));
    PageScreen::of(format!("{}: the rules", entry.name), Form::Markdown(text))
}

/// The commands that start a server for each game.
pub(super) fn host_page(context: &Context) -> PageScreen {
    let commands: Vec<String> = (context.catalog().iter())
        .map(|entry| command(&format!("host {} --tui", entry.id)))
        .collect();
    let text = format!(
        "To play with somebody on your network, leave the arcade with q and start a server for one game in your \
         shell:\n\n```\n{}\n```\n\nThe server prints an invitation. The other player enters it under \"Play online\", \
         or opens the address in a browser.",
        commands.join("\n")
    );
    PageScreen::of("Host a game".to_owned(), Form::Markdown(blocks(&text)))
}

/// A page with the turns of a game so far: the events and the resulting position of each.
pub(super) fn history_page(record: &Record) -> PageScreen {
    let mut table = record.table();
    let head = ["Turn", "What happened", "Position"].map(str::to_owned);
    let start = ["0".to_owned(), "The start.".to_owned(), table.position()];
    let mut rows = vec![head.to_vec(), start.to_vec()];
    for (number, turn) in (1_u32..).zip(&record.turns) {
        table.play(&turn.notation).expect("the record was checked");
        // One event per row: the first has the turn's number, the last its position.
        let mut events: Vec<Vec<String>> = table.last_turn().into_iter().map(event).collect();
        if let Some(first) = events.first_mut() {
            first[0] = number.to_string();
        }
        if let Some(last) = events.last_mut() {
            last[2] = table.position();
        }
        rows.extend(events);
    }
    let title = format!("{}: the turns so far", record.entry.name);
    PageScreen::of(title, Form::Table(rows))
}

fn event(telling: Telling) -> Vec<String> {
    vec![String::new(), telling.sentence, String::new()]
}

/// Maximum width of a page: longer lines are hard to read.
const WIDEST: u16 = 88;

/// Number of columns by which a key scrolls wide code.
const STEP: usize = 8;

impl PageScreen {
    fn of(title: String, form: Form) -> Self {
        let (shift, hidden) = (Cell::new(0), Cell::new(0));
        Self { title, form, scroll: Scroll::default(), shift, hidden }
    }

    /// A page with one list item per line.
    pub(super) fn list(title: &str, text: String) -> Self {
        Self::of(title.to_owned(), Form::List(text))
    }

    fn lines(&self, width: usize, look: Look) -> Vec<Line<'static>> {
        let LaidOut { lines, hidden } = match &self.form {
            Form::List(text) => LaidOut { lines: definitions(text, width, look), hidden: 0 },
            Form::Markdown(blocks) => lay_out(blocks, width, self.shift.get(), look),
            Form::Table(rows) => LaidOut { lines: table(rows, width, look), hidden: 0 },
        };
        self.hidden.set(hidden);
        lines
    }
}

impl Screen for PageScreen {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn hints(&self) -> Vec<Hint> {
        if self.scroll.place().is_none() && self.hidden.get() == 0 {
            return vec![("Esc", "back")];
        }
        let mut hints = vec![("↑↓", "line"), ("Space", "page"), ("Esc", "back")];
        if self.hidden.get() > 0 {
            hints.push(("←→", "move wide boards"));
        }
        hints.extend([("PgUp", "page back"), ("Home", "top"), ("End", "bottom")]);
        hints
    }

    fn more_help(&self) -> Vec<Help> {
        let mut help: Vec<Help> =
            vec![("Enter".into(), "like Esc"), ("Backspace".into(), "like Esc")];
        if self.scroll.place().is_none() {
            return help;
        }
        help.extend([
            ("PgDn".into(), "next page"),
            ("j k g G".into(), "down, up, top, bottom"),
            ("mouse".into(), "the wheel scrolls"),
        ]);
        help
    }

    fn press(&mut self, press: Press, _context: &mut Context) -> Go {
        if let Press::Key(KeyCode::Esc | KeyCode::Enter | KeyCode::Backspace) = press {
            return Go::Back;
        }
        if self.scroll.press(press) {
            return Go::Stay;
        }
        let shift = self.shift.get();
        match press.way() {
            Some(Way::Left) => self.shift.set(shift.saturating_sub(STEP)),
            Some(Way::Right) => self.shift.set((shift + STEP).min(self.hidden.get())),
            Some(Way::Up | Way::Down) | None => {}
        }
        Go::Stay
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, _context: &Context) {
        let inside = inset(canvas.panel(area, ""));
        let inside = match self.form {
            Form::Markdown(_) | Form::Table(_) => centred(inside, WIDEST, inside.height),
            Form::List(_) => inside,
        };
        let width = usize::from(inside.width);
        let mut lines = self.lines(width, canvas.look);
        // After the window was widened, less code may be hidden.
        if self.shift.get() > self.hidden.get() {
            self.shift.set(self.hidden.get());
            lines = self.lines(width, canvas.look);
        }
        let top = self.scroll.show(lines.len(), inside.height.into());
        for (row, line) in (0..inside.height).zip(lines.iter().skip(top)) {
            canvas.line(inside, row, line);
        }
        if let Some(place) = self.scroll.place() {
            canvas.footnote(area, &place);
        }
    }
}
