//! The settings screen: theme, glyphs, motion and names. Every change takes effect and is saved immediately.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_play::{LONGEST_NAME, check_name, check_names};
use skirmish_rules::{Both, Entry, Names, Scene, Side};
use skirmish_store::{Preferences, Theme};

use super::app::is_roomy;
use super::context::Context;
use super::look::Ink;
use super::parts::{Canvas, TextField, below, beside, extent, inset, split};
use super::screen::{Go, Hint, Press, Screen, Way};
use super::stage::{Stage, glyph};

pub(super) struct SettingsScreen {
    chosen: usize,
    /// The name being typed.
    name: Option<TextField>,
    preferences: Preferences,
    /// A board in the middle of a game, to preview the colours.
    sample: (&'static Entry, Scene),
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

/// Width of the list beside the preview.
const LIST: u16 = 40;

impl SettingsScreen {
    pub(super) fn new(context: &Context) -> Self {
        let sample = sample(context);
        Self { chosen: 0, name: None, preferences: context.options.preferences.clone(), sample }
    }

    /// Applies a theme.
    fn adopt(&mut self, theme: Theme, context: &mut Context) {
        self.preferences.theme = theme;
        context.adopt(self.preferences.clone());
    }

    /// Draws the list of themes, with a board in the current theme below.
    fn preview(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        let themes = extent(Theme::ALL.len());
        let line = |theme: Theme| {
            let mark = if theme == self.preferences.theme { "● " } else { "○ " };
            Line::raw(format!("{mark}{}", theme.label()))
        };
        for (row, theme) in (0..).zip(Theme::ALL) {
            canvas.line(area, row, &line(theme));
            let place = Rect { y: area.y + row, height: 1, ..area }.intersection(area);
            canvas.target(place, Press::Pick(ROWS.len() + usize::from(row)));
        }
        let mut rest = below(area, themes);
        if context.look.theme != self.preferences.theme {
            let text = "Another theme is set by --theme or SKIRMISH_THEME.";
            rest = below(rest, canvas.prose(rest, text, canvas.look.ink(Ink::Alarm)));
        }
        self.swatches(canvas, below(rest, 1));
        let rest = below(rest, 3);
        let (entry, scene) = &self.sample;
        let rows = Stage::rows(scene, rest.width, rest.height);
        Stage::still(entry, scene, &self.names()).draw(canvas, Rect { height: rows, ..rest });
    }

    /// Draws samples of all colours that have a meaning.
    fn swatches(&self, canvas: &mut Canvas, area: Rect) {
        let mut spans = Vec::new();
        for side in Side::ALL {
            let glyph = Span::styled(format!(" {} ", glyph(side)), canvas.look.piece(side));
            let name = canvas.span(Ink::Side(side), self.names()[side].clone());
            spans.extend([glyph, Span::raw(" "), name, Span::raw("  ")]);
        }
        canvas.line(area, 0, &Line::from(spans));
        let inks = [
            (Ink::Good, "good"),
            (Ink::Bad, "bad"),
            (Ink::Even, "even"),
            (Ink::Faint, "less important"),
            (Ink::Alarm, "alarm"),
        ];
        let words =
            inks.into_iter().flat_map(|(ink, word)| [Span::raw(" "), canvas.span(ink, word)]);
        let words: Vec<Span> = words.collect();
        canvas.line(area, 1, &Line::from(words));
    }

    fn names(&self) -> Names {
        Both::from_fn(|side| self.label(SettingsRow::Name(side)).1)
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

    const fn about(row: SettingsRow, theme: Theme) -> &'static str {
        match row {
            SettingsRow::Theme => theme.about(),
            SettingsRow::Ascii => "Only characters that every terminal has.",
            SettingsRow::Motion => "Pieces move step by step, and the home screen plays a demo.",
            SettingsRow::Name(_) => {
                "The name of the person in this seat. Leave it empty for the default."
            }
        }
    }
}

/// The first game in the catalogue, and a scene a few turns after its start.
fn sample(context: &Context) -> (&'static Entry, Scene) {
    const TURNS: usize = 4;
    let entry = context.catalog().iter().next().expect("there are games");
    let mut table = entry.open(entry.setup()).expect("the default start is valid");
    for turn in 0..TURNS {
        let choices = table.turn().first().map_or_else(Vec::new, |side| table.choices(*side));
        let at = turn % choices.len().max(1);
        let played = choices.get(at).map(|choice| table.play(&choice.notation));
        if !matches!(played, Some(Ok(()))) {
            break;
        }
    }
    (entry, table.scene())
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
            Press::Pick(number) if number >= ROWS.len() => {
                if let Some(theme) = Theme::ALL.get(number - ROWS.len()) {
                    self.chosen = 0;
                    self.adopt(*theme, context);
                }
            }
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
        let is_roomy = is_roomy(area);
        let (list, right) = split(area, if is_roomy { LIST } else { area.width });
        let inside = canvas.panel(list, "Settings");
        let line = |row: &SettingsRow| {
            let (name, value) = self.label(*row);
            canvas.setting(&name, &value)
        };
        let lines: Vec<Line> = ROWS.iter().map(line).collect();
        let rows = extent(ROWS.len()).min(inside.height);
        canvas.menu(Rect { height: rows, ..inside }, lines, self.chosen);
        let mut about = inset(inset(below(inside, rows)));
        if let Some(typed) = &self.name {
            canvas.field(about, "Name: ", typed);
            about = below(about, 1);
        }
        let text = Self::about(ROWS[self.chosen], self.preferences.theme);
        let used = canvas.prose(about, text, canvas.look.ink(Ink::Faint));
        let mut rest = below(about, used);
        if context.options.settings_file.is_none() {
            let text = "There is no folder to save settings in.";
            rest = below(rest, canvas.prose(rest, text, canvas.look.ink(Ink::Alarm)));
        }
        if is_roomy {
            let inside = inset(canvas.panel(right, "Themes"));
            self.preview(canvas, inside, context);
        } else if self.name.is_none() {
            let (entry, scene) = &self.sample;
            let rows = Stage::rows(scene, rest.width, rest.height);
            let place = Rect { y: rest.bottom() - rows, height: rows, ..rest };
            Stage::still(entry, scene, &self.names()).draw(canvas, place);
        }
    }
}
