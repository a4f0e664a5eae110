//! A form: a first row that starts something, and rows with values to change.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::Line;
use skirmish_arena::bot::parse_command;
use skirmish_play::player::{BotCommand, Level};
use skirmish_rules::printable;

use super::app::is_roomy;
use super::context::Context;
use super::look::Ink;
use super::parts::{Canvas, TextField, below, inset};
use super::screen::{Help, Press, Way};

/// The effect of a key in a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Edit {
    /// Submits the form.
    Start,
    /// Changes the value of the selected row; numbers change by this amount.
    Change(Way, u8),
    /// No effect except perhaps on the cursor.
    Nothing,
}

impl Edit {
    /// Interprets a key or a click in a form of `count` rows, and moves the cursor.
    pub(super) fn of(press: Press, chosen: &mut usize, count: usize) -> Self {
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

/// A row of a form.
pub(super) struct FormRow {
    name: String,
    /// The value to change; empty in a row that starts something.
    value: String,
    /// The explanation below the form while the row is selected.
    pub(super) about: String,
}

impl FormRow {
    pub(super) fn new(
        name: impl Into<String>,
        value: impl Into<String>,
        about: impl Into<String>,
    ) -> Self {
        Self { name: name.into(), value: value.into(), about: about.into() }
    }
}

/// Draws a form, with the explanation of the selected row or, while a bot's command is being typed, its field.
pub(super) fn draw_rows(
    canvas: &mut Canvas,
    area: Rect,
    title: &str,
    rows: &[FormRow],
    chosen: usize,
    typed: Option<&TextField>,
) {
    let inside = canvas.panel(area, title);
    let line = |FormRow { name, value, .. }: &FormRow| match &**value {
        "" => Line::styled(name.clone(), canvas.look.ink(Ink::Title)),
        value => canvas.setting(name, value),
    };
    let lines = rows.iter().map(line).collect();
    let explained = if is_roomy(area) { 4 } else { 3 };
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
    format!("The computer: it {}.", level.about())
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
