//! The settings screen: theme, glyphs, motion, curtain, notification and names. Every change takes effect and is saved immediately.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_play::{LONGEST_NAME, check_name, check_names};
use skirmish_rules::{Both, Entry, Names, Scene, Side};
use skirmish_store::{Notify, Preferences, Theme};

use super::app::is_roomy;
use super::context::Context;
use super::exercise::names;
use super::look::Ink;
use super::parts::{Canvas, TextField, below, beside, extent, inset, split};
use super::screen::{Go, Hint, Press, Screen, Way};
use super::stage::{Stage, glyph};

pub(super) struct SettingsScreen {
    chosen: usize,
    /// The name being typed.
    name: Option<TextField>,
    /// A board in the middle of a game, to preview the colours.
    sample: (&'static Entry, Scene),
}

#[derive(Clone, Copy)]
enum SettingsRow {
    Theme,
    Ascii,
    Motion,
    Curtain,
    Notify,
    Name(Side),
}

const ROWS: [SettingsRow; 7] = [
    SettingsRow::Theme,
    SettingsRow::Ascii,
    SettingsRow::Motion,
    SettingsRow::Curtain,
    SettingsRow::Notify,
    SettingsRow::Name(Side::One),
    SettingsRow::Name(Side::Two),
];

/// Height of the explanation of a setting in a narrow window.
const ABOUT: u16 = 3;

/// Width of the list beside the preview.
const LIST: u16 = 40;

impl SettingsScreen {
    pub(super) fn new(context: &Context) -> Self {
        Self { chosen: 0, name: None, sample: sample(context) }
    }

    /// Draws the list of themes, with a board in the current theme below.
    fn preview(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        let themes = extent(Theme::ALL.len());
        let preferences = &context.options.preferences;
        let line = |theme: Theme| {
            let mark = if theme == preferences.theme { "● " } else { "○ " };
            Line::raw(format!("{mark}{}", theme.label()))
        };
        for (row, theme) in (0..).zip(Theme::ALL) {
            canvas.line(area, row, &line(theme));
            let place = Rect { y: area.y + row, height: 1, ..area }.intersection(area);
            canvas.target(place, Press::Pick(ROWS.len() + usize::from(row)));
        }
        let mut rest = below(area, themes);
        if context.look.theme != preferences.theme {
            let text = "Another theme is set by --theme or SKIRMISH_THEME.";
            rest = below(rest, canvas.prose(rest, text, canvas.look.ink(Ink::Alarm)));
        }
        let names = names(context);
        swatches(canvas, below(rest, 1), &names);
        let rest = below(rest, 3);
        let (entry, scene) = &self.sample;
        let rows = Stage::rows(entry, scene, rest.width, rest.height);
        Stage::still(entry, scene, &names).draw(canvas, Rect { height: rows, ..rest });
    }

    fn change(&mut self, way: Way, context: &mut Context) {
        let mut changed = context.options.preferences.clone();
        match ROWS[self.chosen] {
            SettingsRow::Theme => changed.theme = beside(&Theme::ALL, &changed.theme, way),
            SettingsRow::Ascii => changed.ascii ^= true,
            SettingsRow::Motion => changed.motion ^= true,
            SettingsRow::Curtain => changed.curtain ^= true,
            SettingsRow::Notify => changed.notify = beside(&Notify::ALL, &changed.notify, way),
            SettingsRow::Name(side) => {
                let name = changed.names[side].take().unwrap_or_default();
                self.name = Some(TextField::new(&name, LONGEST_NAME));
                return;
            }
        }
        context.adopt(changed);
    }

    fn type_key(&mut self, press: Press, context: &mut Context) {
        if let Some(name) = TextField::finish(&mut self.name, press)
            && let SettingsRow::Name(side) = ROWS[self.chosen]
        {
            rename(side, &name, context);
        }
    }
}

impl SettingsRow {
    /// The name of a row, its value, and an explanation.
    fn describe(self, context: &Context) -> (String, String, &'static str) {
        let Preferences { theme, ascii, motion, curtain, notify, .. } = context.options.preferences;
        let on_off = |on: bool| if on { "on" } else { "off" }.to_owned();
        match self {
            Self::Theme => ("Theme".to_owned(), theme.label().to_owned(), theme.about()),
            Self::Ascii => {
                let about = "Only characters that every terminal has.";
                ("Plain glyphs".to_owned(), on_off(ascii), about)
            }
            Self::Motion => {
                let about = "Pieces move step by step, and the home screen plays a demo.";
                ("Motion".to_owned(), on_off(motion), about)
            }
            Self::Curtain => {
                let about = "Two people choose in secret one after the other, behind a curtain.";
                ("Curtain".to_owned(), on_off(curtain), about)
            }
            Self::Notify => {
                let about = "The signal that it is your turn while you use another window.";
                ("Notification".to_owned(), notify.name().to_owned(), about)
            }
            Self::Name(side) => {
                let about = "The name of the person in this seat. Leave it empty for the default.";
                (side.to_string(), names(context)[side].clone(), about)
            }
        }
    }
}

/// Draws samples of all colours that have a meaning.
fn swatches(canvas: &mut Canvas, area: Rect, names: &Names) {
    let mut spans = Vec::new();
    for side in Side::ALL {
        let glyph = Span::styled(format!(" {} ", glyph(side)), canvas.look.piece(side));
        let name = canvas.span(Ink::Side(side), names[side].clone());
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
    let words = inks.into_iter().flat_map(|(ink, word)| [Span::raw(" "), canvas.span(ink, word)]);
    let words: Vec<Span> = words.collect();
    canvas.line(area, 1, &Line::from(words));
}

/// Sets a name; an empty one restores the default.
fn rename(side: Side, text: &str, context: &mut Context) {
    let name = if text.is_empty() { Ok(None) } else { check_name(text).map(Some) };
    let mut renamed = context.options.preferences.clone();
    let checked = name.and_then(|name| {
        renamed.names[side] = name;
        let name = |side: Side| renamed.names[side].clone().unwrap_or_else(|| side.to_string());
        check_names(Both::from_fn(name).as_ref().map(String::as_str))
    });
    match checked {
        Ok(_) => context.adopt(renamed),
        Err(error) => {
            context.notice = Some(format!("That name cannot be used: {error}."));
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
                    context.adopt_theme(*theme);
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
            let (name, value, _) = row.describe(context);
            canvas.setting(&name, &value)
        };
        let lines: Vec<Line> = ROWS.iter().map(line).collect();
        let rows = extent(ROWS.len()).min(inside.height.saturating_sub(ABOUT));
        canvas.menu(Rect { height: rows, ..inside }, lines, self.chosen);
        let mut about = inset(inset(below(inside, rows)));
        if let Some(typed) = &self.name {
            canvas.field(about, "Name: ", typed);
            about = below(about, 1);
        }
        let (.., text) = ROWS[self.chosen].describe(context);
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
            let rows = Stage::rows(entry, scene, rest.width, rest.height);
            let place = Rect { y: rest.bottom() - rows, height: rows, ..rest };
            Stage::still(entry, scene, &names(context)).draw(canvas, place);
        }
    }
}
