//! The settings screen: theme, glyphs, motion and names. Every change applies and is saved at once.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_play::{LONGEST_NAME, check_name, check_names};
use skirmish_rules::{Both, Side};
use skirmish_store::{Preferences, Theme};

use super::context::Context;
use super::look::Ink;
use super::parts::{Canvas, TextField, below, beside, inset};
use super::screen::{Go, Hint, Press, Screen, Way};
use super::stage::glyph;

pub(super) struct SettingsScreen {
    chosen: usize,
    /// A name, while it is typed.
    name: Option<TextField>,
    preferences: Preferences,
}

#[derive(Clone, Copy)]
enum SettingsRow {
    Theme,
    Ascii,
    Motion,
    Name(Side),
}

const ROWS: [SettingsRow; 5] = [
    SettingsRow::Theme,
    SettingsRow::Ascii,
    SettingsRow::Motion,
    SettingsRow::Name(Side::One),
    SettingsRow::Name(Side::Two),
];

impl SettingsScreen {
    pub(super) fn new(context: &Context) -> Self {
        Self { chosen: 0, name: None, preferences: context.preferences.clone() }
    }

    fn change(&mut self, way: Way, context: &mut Context) {
        match ROWS[self.chosen] {
            SettingsRow::Theme => {
                self.preferences.theme = beside(&Theme::ALL, &self.preferences.theme, way);
            }
            SettingsRow::Ascii => self.preferences.ascii ^= true,
            SettingsRow::Motion => self.preferences.motion ^= true,
            SettingsRow::Name(side) => {
                let name = self.preferences.names[side].clone().unwrap_or_default();
                self.name = Some(TextField::new(&name, LONGEST_NAME));
                return;
            }
        }
        context.adopt(self.preferences.clone());
    }

    fn type_key(&mut self, press: Press, context: &mut Context) {
        if let Some(name) = TextField::finish(&mut self.name, press)
            && let SettingsRow::Name(side) = ROWS[self.chosen]
        {
            self.rename(side, &name, context);
        }
    }

    /// Sets a name; an empty one restores the default.
    fn rename(&mut self, side: Side, text: &str, context: &mut Context) {
        let name = if text.is_empty() { Ok(None) } else { check_name(text).map(Some) };
        let mut renamed = self.preferences.clone();
        let checked = name.and_then(|name| {
            renamed.names[side] = name;
            let name = |side: Side| renamed.names[side].clone().unwrap_or_else(|| side.to_string());
            check_names(Both::from_fn(name).as_ref().map(String::as_str))
        });
        match checked {
            Ok(_) => {
                self.preferences = renamed.clone();
                context.adopt(renamed);
            }
            Err(error) => {
                context.notice = Some(format!("That name cannot be used: {error}."));
            }
        }
    }

    fn label(&self, row: SettingsRow) -> (String, String) {
        let on_off = |on: bool| if on { "on" } else { "off" }.to_owned();
        match row {
            SettingsRow::Theme => ("Theme".to_owned(), self.preferences.theme.label().to_owned()),
            SettingsRow::Ascii => ("Plain glyphs".to_owned(), on_off(self.preferences.ascii)),
            SettingsRow::Motion => ("Motion".to_owned(), on_off(self.preferences.motion)),
            SettingsRow::Name(side) => {
                let name = self.preferences.names[side].clone();
                (side.to_string(), name.unwrap_or_else(|| side.to_string()))
            }
        }
    }

    const fn about(row: SettingsRow) -> &'static str {
        match row {
            SettingsRow::Theme => "Nearly everybody can distinguish blue and orange.",
            SettingsRow::Ascii => "Only characters that every terminal has.",
            SettingsRow::Motion => "Pieces move step by step, and the home screen plays a demo.",
            SettingsRow::Name(_) => {
                "The name of the person in this seat. Leave it empty for the default."
            }
        }
    }
}

impl Screen for SettingsScreen {
    fn title(&self) -> String {
        "Settings".to_owned()
    }

    fn hints(&self) -> Vec<Hint> {
        if self.name.is_some() {
            return vec![("Enter", "save"), ("Esc", "cancel")];
        }
        vec![("Enter", "change"), ("←→", "change"), ("↑↓", "move"), ("Esc", "back")]
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        if self.name.is_some() {
            self.type_key(press, context);
            return Go::Stay;
        }
        match press {
            Press::Key(KeyCode::Esc) => return Go::Back,
            _ => match press.way() {
                Some(way @ (Way::Left | Way::Right)) => self.change(way, context),
                Some(Way::Up | Way::Down) | None => {
                    if press.opens(&mut self.chosen, ROWS.len()) {
                        self.change(Way::Right, context);
                    }
                }
            },
        }
        Go::Stay
    }

    fn is_typing(&self) -> bool {
        self.name.is_some()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        let inside = canvas.panel(area, "Settings");
        let line = |row: &SettingsRow| {
            let (name, value) = self.label(*row);
            canvas.setting(&name, &value)
        };
        let lines: Vec<Line> = ROWS.iter().map(line).collect();
        let rows = u16::try_from(ROWS.len()).unwrap_or(u16::MAX).min(inside.height);
        canvas.menu(Rect { height: rows, ..inside }, lines, self.chosen);
        let mut about = inset(inset(below(inside, rows)));
        if let Some(typed) = &self.name {
            canvas.field(about, "Name: ", typed);
            about = below(about, 1);
        }
        let used = canvas.prose(about, Self::about(ROWS[self.chosen]), canvas.look.ink(Ink::Faint));
        let sample = below(about, used + 1);
        for (row, side) in (0..).zip(Side::ALL) {
            let (_, name) = self.label(SettingsRow::Name(side));
            let line = Line::from(vec![
                Span::styled(format!(" {} ", glyph(side)), canvas.look.piece(side)),
                Span::raw(" "),
                Span::styled(name, canvas.look.ink(Ink::Side(side))),
            ]);
            canvas.line(sample, row, &line);
        }
        if context.settings_file.is_none() {
            let text = "There is no folder to save settings in.";
            canvas.text(sample, 3, text, canvas.look.ink(Ink::Alarm));
        }
    }
}
