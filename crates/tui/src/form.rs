//! A form: a first row that starts something, and rows with values to change.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::Line;
use skirmish_arena::bot::parse_command;
use skirmish_play::player::{BotCommand, Level};
use skirmish_rules::{Table, printable};

use super::app::is_roomy;
use super::context::Context;
use super::facts::{self, Fact};
use super::look::Ink;
use super::parts::{Canvas, TextField, below, beside, inset, split};
use super::screen::{Go, Help, Press, Way};
use super::stage::{Stage, draw_table};

/// A screen with a form.
pub(super) trait Form: Sized {
    /// The rows; the first submits the form.
    fn rows(&self) -> Vec<FormRow<Self>>;

    /// The index of the selected row.
    fn chosen(&mut self) -> &mut usize;

    /// Submits the form.
    fn start(&mut self, context: &mut Context) -> Go;

    /// Handles a key or a click in the form.
    fn edit(&mut self, press: Press, context: &mut Context) -> Go {
        let mut rows = self.rows();
        let edit = Edit::of(press, self.chosen(), rows.len());
        let row = rows.swap_remove(*self.chosen());
        match edit {
            Edit::Start if *self.chosen() > 0 && row.value.is_empty() => {
                (row.change)(self, Way::Right, 1, context);
            }
            Edit::Start => return self.start(context),
            Edit::Change(way, leap) => (row.change)(self, way, leap, context),
            Edit::Nothing => {}
        }
        Go::Stay
    }
}

/// The effect of a key in a form.
enum Edit {
    Start,
    /// Changes the value of the selected row; numbers change by this amount.
    Change(Way, u8),
    /// No effect except perhaps on the cursor.
    Nothing,
}

impl Edit {
    /// Interprets a key or a click in a form of `count` rows, and moves the cursor.
    fn of(press: Press, chosen: &mut usize, count: usize) -> Self {
        match press {
            Press::Key(KeyCode::Enter) => Self::Start,
            Press::Key(KeyCode::Char(' ')) => Self::Change(Way::Right, 1),
            Press::Key(KeyCode::PageUp) => Self::Change(Way::Left, 10),
            Press::Key(KeyCode::PageDown) => Self::Change(Way::Right, 10),
            Press::Pick(number) if number < count => {
                let is_again = std::mem::replace(chosen, number) == number;
                match number {
                    0 => Self::Start,
                    _ if is_again => Self::Change(Way::Right, 1),
                    _ => Self::Nothing,
                }
            }
            _ => match press.way() {
                Some(way @ (Way::Left | Way::Right)) => Self::Change(way, 1),
                Some(Way::Up | Way::Down) | None => {
                    press.moves(chosen, count);
                    Self::Nothing
                }
            },
        }
    }
}

/// Additional help on the keys of a form with numbers.
pub(super) fn help() -> Vec<Help> {
    vec![
        ("Space".into(), "the next value"),
        ("PgUp PgDn".into(), "change a number by ten"),
        ("mouse".into(), "click a row, or ‹ and ›"),
    ]
}

/// A row of the form `F`.
pub(super) struct FormRow<F> {
    name: String,
    /// The value to change; empty in the first row, and in a row that opens something.
    value: String,
    /// The explanation below the form while the row is selected.
    pub(super) about: String,
    change: Box<Change<F>>,
}

/// Changes a value in this direction, a number by this amount.
type Change<F> = dyn FnOnce(&mut F, Way, u8, &Context);

impl<F: 'static> FormRow<F> {
    pub(super) fn new(
        name: impl Into<String>,
        value: impl Into<String>,
        about: impl Into<String>,
        change: impl FnOnce(&mut F, Way, u8, &Context) + 'static,
    ) -> Self {
        let (name, value, about) = (name.into(), value.into(), about.into());
        Self { name, value, about, change: Box::new(change) }
    }

    /// The row that submits the form.
    pub(super) fn start(name: &str, about: impl Into<String>) -> Self {
        Self::new(name, "", about, |_, _, _, _| {})
    }

    /// A row that selects one of several values of a field.
    pub(super) fn choice<T: Clone + PartialEq + 'static>(
        name: &str,
        value: impl Into<String>,
        about: impl Into<String>,
        all: impl AsRef<[T]> + 'static,
        field: fn(&mut F) -> &mut T,
    ) -> Self {
        Self::new(name, value, about, move |form, way, _, _| {
            let field = field(form);
            *field = beside(all.as_ref(), field, way);
        })
    }

    /// A row that switches a field on or off.
    pub(super) fn flag(
        name: &str,
        is_on: bool,
        about: &str,
        field: fn(&mut F) -> &mut bool,
    ) -> Self {
        let value = if is_on { "yes" } else { "no" };
        Self::new(name, value, about, move |form, _, _, _| *field(form) ^= true)
    }

    /// The same row in a larger form.
    pub(super) fn within<G: 'static>(self, part: fn(&mut G) -> &mut F) -> FormRow<G> {
        let Self { name, value, about, change } = self;
        let change = move |form: &mut G, way, leap, context: &Context| {
            change(part(form), way, leap, context);
        };
        FormRow { name, value, about, change: Box::new(change) }
    }
}

/// The board of the game being set up, and facts about its players.
pub(super) struct Preview {
    pub(super) table: Box<dyn Table>,
    pub(super) title: &'static str,
    pub(super) facts: Vec<Fact>,
}

/// Width of a form beside the board.
const FORM: u16 = 44;

/// Minimum height of an area with the board above the form.
const TALL: u16 = 34;

impl Preview {
    /// Draws the preview in a large window. Returns the area that is left for the form.
    pub(super) fn draw(&self, canvas: &mut Canvas, area: Rect) -> Rect {
        if !is_roomy(area) {
            return area;
        }
        // The height of the board with its frame.
        let (entry, scene) = (self.table.entry(), self.table.scene());
        let rows = |width: u16, most: u16| Stage::rows(entry, &scene, width - 4, most - 2) + 2;
        let (form, board, facts) = if area.height < TALL {
            let (form, right) = split(area, FORM);
            let rows = rows(right.width, right.height / 2);
            (form, Rect { height: rows, ..right }, below(right, rows))
        } else {
            let rows = rows(area.width, area.height * 2 / 5);
            let (form, facts) = split(below(area, rows), area.width / 2);
            (form, Rect { height: rows, ..area }, facts)
        };
        let inside = inset(canvas.panel(board, entry.name));
        draw_table(canvas, inside, &*self.table, &[], None);
        let inside = inset(canvas.panel(facts, self.title));
        facts::draw(canvas, inside, &self.facts);
        form
    }
}

/// Draws a form, with the explanation of the selected row or, while a bot's command is being typed, its field.
pub(super) fn draw_rows<F>(
    canvas: &mut Canvas,
    area: Rect,
    title: &str,
    rows: &[FormRow<F>],
    chosen: usize,
    typed: Option<&TextField>,
) {
    let inside = canvas.panel(area, title);
    let line = |FormRow { name, value, .. }: &FormRow<F>| match &**value {
        "" => Line::styled(name.clone(), canvas.look.ink(Ink::Title)),
        value => canvas.setting(name, value),
    };
    let lines = rows.iter().map(line).collect();
    let explained = if area.height < LOW { 3 } else { 5 };
    let list = Rect { height: inside.height.saturating_sub(explained), ..inside };
    canvas.menu(list, lines, chosen);
    let below = inset(below(inside, list.height));
    let about = typed.map_or(&*rows[chosen].about, |_| COMMAND_HELP);
    canvas.prose(below, about, canvas.look.ink(Ink::Faint));
    if let Some(field) = typed {
        let y = area.y + area.height.saturating_sub(2);
        canvas.field(Rect { y, height: 1, ..inset(inset(area)) }, "Command: ", field);
    }
}

/// Maximum height of a form with a short explanation.
const LOW: u16 = 20;

/// Maximum number of characters of a typed command.
const LONGEST_COMMAND: usize = 400;

/// The explanation shown while a bot's command is being typed.
const COMMAND_HELP: &str = "As in a shell, such as: python3 mybot.py";

/// An empty field for the command of a bot.
pub(super) fn command_field() -> TextField {
    TextField::new("", LONGEST_COMMAND)
}

/// Handles a key while a bot's command is being typed. Returns the bot once the command is complete. If the command is
/// invalid, says why and keeps the field open. Runs nothing.
pub(super) fn type_command(
    open: &mut Option<TextField>,
    press: Press,
    context: &mut Context,
) -> Option<BotCommand> {
    let before = open.clone();
    let text = TextField::finish(open, press).filter(|text| !text.is_empty())?;
    match parse_command(&text) {
        Ok(bot) => Some(bot),
        Err(error) => {
            *open = before;
            context.notice = Some(format!("{}. Esc goes back.", capitalized(&error.to_string())));
            None
        }
    }
}

/// Describes a computer player as an opponent.
pub(super) fn about_level(level: Level) -> String {
    format!("{} The computer: it {}.", stars(level), level.about())
}

/// The strength of a computer player, such as `★★☆☆☆`.
pub(super) fn stars(level: Level) -> String {
    Level::ALL.map(|other| if other <= level { '★' } else { '☆' }).iter().collect()
}

/// Describes a bot as an opponent.
pub(super) fn about_bot(bot: &BotCommand) -> String {
    let sandbox = if bot.sandbox.is_some() { ", in a sandbox" } else { "" };
    format!("Runs {}{sandbox}.", printable(&bot.text))
}

/// Capitalizes the first letter of a text.
pub(super) fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
