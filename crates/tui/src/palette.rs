//! The command palette (`:`): all commands of the current screen, found by typing a few letters.

use std::borrow::Cow;

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_present::choice::caption;
use skirmish_rules::{Choice, Entry, Settings, columns};
use skirmish_store::Theme;

use super::context::Context;
use super::fuzzy::{self, Fit};
use super::library::SavedGamesScreen;
use super::look::Ink;
use super::map::MapScreen;
use super::pages::{host_page, rules_page};
use super::parts::{Canvas, TextField, Typing, extent, inset};
use super::puzzle::PuzzleScreen;
use super::score::Scores;
use super::screen::{Clip, Go, Press, Way};
use super::settings::SettingsScreen;
use super::setup::SetupScreen;
use super::tournament::TournamentScreen;
use super::tutorial::TutorialScreen;
use crate::Closed;

/// Maximum number of characters after `:`.
const MOST_TYPED: usize = 200;

/// Maximum height of the list.
const MOST_ROWS: u16 = 14;

/// Maximum width of the list.
const WIDEST: u16 = 90;

/// Number of entries by which a page key moves the cursor.
const PAGE: usize = 5;

/// A command that can be typed after `:`.
#[derive(Clone, Debug)]
pub(super) struct Command {
    /// The name, as typed.
    name: Cow<'static, str>,
    /// A short description.
    about: Cow<'static, str>,
    run: Run,
}

/// The effect of a command.
#[derive(Clone, Debug)]
pub(super) enum Run {
    /// Plays the move with this notation, but only if it is typed in full or selected.
    Move(String),
    /// Passes this line to the screen.
    Line(String),
    Press(Press),
    Place(Place),
    Copy(Clip),
}

/// A destination that is available on every screen.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    Home,
    Host,
    Puzzle,
    Tournament,
    SavedGames,
    Statistics,
    Settings,
    Quit,
    Theme(Theme),
    Setup(&'static Entry),
    Rules(&'static Entry),
    Tutorial(&'static Entry),
    Map(&'static Entry),
}

/// A command that exists for every game: its name, its description and its destination.
type Kind = (&'static str, &'static str, fn(&'static Entry) -> Place);

const KINDS: [Kind; 4] = [
    ("play", "set up a game of", Place::Setup),
    ("map", "explore", Place::Map),
    ("rules", "how to play", Place::Rules),
    ("tutorial", "learn", Place::Tutorial),
];

impl Command {
    pub(super) fn line(name: impl Into<String>, about: impl Into<Cow<'static, str>>) -> Self {
        let name = name.into();
        Self { run: Run::Line(name.clone()), name: name.into(), about: about.into() }
    }

    /// A command that copies a text to the clipboard.
    pub(super) fn copy(what: Clip) -> Self {
        let (name, _) = what.words();
        Self { name: name.into(), about: "to the clipboard".into(), run: Run::Copy(what) }
    }

    /// A command that presses a key of the screen.
    pub(super) fn key(key: &'static str, meaning: &'static str, press: Press) -> Self {
        let about = format!("the key {key}").into();
        Self { name: meaning.into(), about, run: Run::Press(press) }
    }

    /// Commands for a word to type, or for several separated by commas: `yes, no`.
    pub(super) fn words((words, about): (&'static str, String)) -> impl Iterator<Item = Self> {
        words.split(", ").map(move |word| Self::line(word, about.clone()))
    }

    /// Commands for the legal moves.
    pub(super) fn moves(choices: &[Choice]) -> impl Iterator<Item = Self> + '_ {
        choices.iter().map(|choice| Self {
            name: caption(choice).to_lowercase().into(),
            about: "play it".into(),
            run: Run::Move(choice.notation.clone()),
        })
    }

    /// Commands for the destinations available on every screen; those of the screen's own game come first.
    pub(super) fn places(context: &Context, own: Option<&'static Entry>) -> Vec<Self> {
        let place = |name: &'static str, about: &'static str, place: Place| Self {
            name: name.into(),
            about: about.into(),
            run: Run::Place(place),
        };
        let mut all: Vec<Self> = own.into_iter().flat_map(Self::of_game).collect();
        all.extend([
            place("home", "the home screen", Place::Home),
            place("host", "be the server of a game", Place::Host),
            place("puzzle", "today's puzzle", Place::Puzzle),
            place("tournament", "computers and bots against each other", Place::Tournament),
            place("games", "the saved games", Place::SavedGames),
            place("statistics", "won, lost and drawn, against everybody", Place::Statistics),
            place("settings", "colours, glyphs, motion and names", Place::Settings),
        ]);
        let is_own = |entry: &Entry| own.is_some_and(|own| own.id == entry.id);
        for kind in &KINDS {
            let others = context.catalog().iter().filter(|entry| !is_own(entry));
            all.extend(others.filter_map(|entry| Self::of_kind(entry, kind)));
        }
        all.extend(Theme::ALL.map(|theme| Self {
            name: format!("theme {}", theme.name()).into(),
            about: theme.about().into(),
            run: Run::Place(Place::Theme(theme)),
        }));
        all.push(place("quit", "leave", Place::Quit));
        all
    }

    /// Commands for the destinations of a game.
    fn of_game(entry: &'static Entry) -> impl Iterator<Item = Self> {
        KINDS.iter().filter_map(move |kind| Self::of_kind(entry, kind))
    }

    fn of_kind(entry: &'static Entry, (word, about, place): &Kind) -> Option<Self> {
        (*word != "tutorial" || entry.tutorial.is_some()).then(|| Self {
            name: format!("{word} {}", entry.id).into(),
            about: format!("{about} {}", entry.name).into(),
            run: Run::Place(place(entry)),
        })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    const fn is_move(&self) -> bool {
        matches!(self.run, Run::Move(_))
    }
}

impl Place {
    pub(super) fn go(self, context: &mut Context) -> Go {
        match self {
            Self::Home => Go::Home,
            Self::Host => Go::to(host_page(context)),
            Self::Puzzle => PuzzleScreen::go_to_daily(context),
            Self::Tournament => TournamentScreen::go(context),
            Self::SavedGames => Go::to(SavedGamesScreen::new(context)),
            Self::Statistics => Go::to(Scores::new(context)),
            Self::Settings => Go::to(SettingsScreen::new(context)),
            Self::Quit => Go::Leave(Closed::Left),
            Self::Theme(theme) => {
                context.adopt_theme(theme);
                Go::Stay
            }
            Self::Setup(entry) => Go::to(SetupScreen::new(entry, context)),
            Self::Rules(entry) => Go::to(rules_page(entry)),
            Self::Tutorial(entry) => TutorialScreen::go(entry),
            Self::Map(entry) => MapScreen::of(entry, &Settings::defaults(entry.options), context),
        }
    }
}

/// The result of a key press in the palette.
pub(super) enum PaletteResult {
    /// The palette stays open.
    Open,
    Closed,
    /// The command to run.
    Run(Run),
    /// No command matches: pass this line to the screen.
    Line(String),
}

/// The state of an open palette.
pub(super) struct Palette {
    field: TextField,
    /// The index of the entry selected with the cursor, among those that match.
    selected: Option<usize>,
    /// Whether to hide the typed text.
    is_secret: bool,
}

impl Palette {
    pub(super) fn new(is_secret: bool) -> Self {
        Self { field: TextField::new("", MOST_TYPED), selected: None, is_secret }
    }

    fn text(&self) -> &str {
        self.field.text.trim()
    }

    /// The commands that match the typed text, best first. In secret mode all commands, so as not to reveal the text.
    fn matching<'a>(&self, commands: &'a [Command]) -> Vec<&'a Command> {
        if self.is_secret {
            return commands.iter().collect();
        }
        fuzzy::sorted(commands, self.text(), |command| command.name().into())
    }

    /// The index of the entry that Enter runs.
    fn target(&self, found: &[&Command]) -> Option<usize> {
        let first = found.first()?;
        let text = self.text();
        if self.is_secret || text.is_empty() {
            return self.selected.filter(|_| !self.is_secret);
        }
        let usual = match fuzzy::fit(first.name(), text)? {
            Fit::Whole => true,
            // A move must be typed in full, so that an illegal move is not replaced by a legal one.
            Fit::Start | Fit::Word => !first.is_move() && !self.is_argument(found),
            // A scattered match may be unintended: require an explicit selection.
            Fit::Within | Fit::Scattered => false,
        };
        self.selected.or(usual.then_some(0))
    }

    /// Whether the text is a command with its argument: `save FILE`.
    fn is_argument(&self, found: &[&Command]) -> bool {
        let Some((word, _)) = self.text().split_once(char::is_whitespace) else { return false };
        let word = word.trim_end_matches('!');
        !found.iter().any(|command| command.name().starts_with(&format!("{word} ")))
    }

    pub(super) fn press(&mut self, press: Press, commands: &[Command]) -> PaletteResult {
        let found = self.matching(commands);
        match press {
            Press::Pick(number) => {
                let Some(command) = found.get(number) else { return PaletteResult::Open };
                return PaletteResult::Run(command.run.clone());
            }
            Press::Key(KeyCode::Enter) => return self.enter(&found, commands),
            Press::Key(KeyCode::Tab) if !self.is_secret => {
                let at = self.target(&found).unwrap_or(0);
                if let Some(command) = found.get(at) {
                    self.field = TextField::new(command.name(), MOST_TYPED);
                    self.selected = None;
                }
                return PaletteResult::Open;
            }
            Press::Key(KeyCode::Backspace) if self.field.text.is_empty() => {
                return PaletteResult::Closed;
            }
            _ => {}
        }
        if let Some(to) = self.moved(press, found.len()) {
            self.selected = Some(to).filter(|_| !self.is_secret && !found.is_empty());
            return PaletteResult::Open;
        }
        let before = self.field.text.len();
        match self.field.press(press) {
            Typing::Cancelled => PaletteResult::Closed,
            Typing::On | Typing::Done(_) => {
                if self.field.text.len() != before {
                    self.selected = None;
                }
                PaletteResult::Open
            }
        }
    }

    /// The index to which a key moves the cursor of the list.
    fn moved(&self, press: Press, count: usize) -> Option<usize> {
        let last = count.saturating_sub(1);
        Some(match (press, self.selected) {
            (Press::Key(KeyCode::Down) | Press::Wheel(_), None) => 0,
            (Press::Key(KeyCode::Down), Some(at)) => Way::Down.step(at, count),
            (Press::Key(KeyCode::Up | KeyCode::BackTab), None) => last,
            (Press::Key(KeyCode::Up | KeyCode::BackTab), Some(at)) => Way::Up.step(at, count),
            (Press::Wheel(_), Some(at)) => press.step(at, count)?,
            (Press::Key(KeyCode::PageDown), at) => (at.unwrap_or(0) + PAGE).min(last),
            (Press::Key(KeyCode::PageUp), at) => at.unwrap_or(0).saturating_sub(PAGE),
            _ => return None,
        })
    }

    fn enter(&self, found: &[&Command], commands: &[Command]) -> PaletteResult {
        let text = self.text();
        let whole = commands.iter().find(|command| command.name().eq_ignore_ascii_case(text));
        let chosen = self.target(found).and_then(|at| found.get(at).copied());
        match (self.selected.and(chosen), whole, chosen) {
            (Some(command), ..) | (None, Some(command), _) | (None, None, Some(command)) => {
                PaletteResult::Run(command.run.clone())
            }
            (None, None, None) if text.is_empty() => PaletteResult::Closed,
            (None, None, None) => PaletteResult::Line(text.to_owned()),
        }
    }

    /// Draws the input line in the footer, and the list above it.
    pub(super) fn draw(&self, canvas: &mut Canvas, body: Rect, foot: Rect, commands: &[Command]) {
        // Nothing behind the list is clickable.
        canvas.targets.clear();
        self.prompt(canvas, foot);
        let found = self.matching(commands);
        let rows = extent(found.len().max(1));
        let height = rows.min(MOST_ROWS).min(body.height.saturating_sub(3)).saturating_add(2);
        let place =
            Rect { y: body.bottom() - height, height, width: body.width.min(WIDEST), ..body };
        canvas.clear(place);
        let chosen = self.target(&found);
        let is_unclear = !self.text().is_empty() && chosen.is_none();
        let title = match (self.is_secret, found.len()) {
            (true, _) => "What is possible here (hidden while you type)".to_owned(),
            (false, count) if is_unclear && count > 0 => format!("Similar: ↓ selects ({count})"),
            (false, count) => format!("What is possible here ({count})"),
        };
        let inside = inset(canvas.panel(place, &title));
        if found.is_empty() {
            let text = "No command matches. Enter tries it anyway; Esc closes.";
            canvas.text(inside, 0, text, canvas.look.ink(Ink::Faint));
            return;
        }
        let rows = usize::from(inside.height);
        let first = chosen.unwrap_or(0).saturating_sub(rows.saturating_sub(1));
        let name = found.iter().map(|command| columns::width(command.name())).max().unwrap_or(0);
        let name = name.min(usize::from(inside.width) / 2);
        for (row, (index, command)) in (0..).zip(found.iter().enumerate().skip(first).take(rows)) {
            let place = Rect { y: inside.y + row, height: 1, ..inside };
            let room = usize::from(inside.width).saturating_sub(name + 2);
            let line = Line::from(vec![
                canvas.span(Ink::Key, columns::pad(&columns::shorten(command.name(), name), name)),
                Span::raw("  "),
                canvas.span(Ink::Faint, columns::shorten(&command.about, room)),
            ]);
            canvas.item(place, &line, index, chosen == Some(index));
        }
        let hidden = found.len().saturating_sub(first + rows);
        if hidden > 0 {
            let text = format!(" ↓ {hidden} more ");
            let width = columns::cells(&text);
            let foot = Rect { x: place.x + 2, y: place.bottom() - 1, width, height: 1 };
            canvas.text(foot.intersection(place), 0, &text, canvas.look.ink(Ink::Key));
        }
    }

    fn prompt(&self, canvas: &mut Canvas, area: Rect) {
        canvas.clear(area);
        let hint = " Tab complete  Esc close ";
        let room = usize::from(area.width).saturating_sub(3);
        let typed = if self.is_secret {
            "*".repeat(columns::width(&self.field.text))
        } else {
            self.field.text.clone()
        };
        // Show the end of a long line, which has the cursor.
        let shown = columns::tail(&typed, room).to_owned();
        if columns::width(&shown) + 2 + hint.len() <= area.width.into() {
            let width = columns::cells(hint);
            let right = Rect { x: area.right() - width, width, ..area };
            canvas.text(right, 0, hint, canvas.look.ink(Ink::Faint));
        }
        let column = columns::cells(&shown).saturating_add(1);
        let line = Line::from(vec![canvas.span(Ink::Key, ":"), Span::raw(shown)]);
        canvas.line(area, 0, &line);
        *canvas.cursor = Some((area.x + column.min(area.width.saturating_sub(1)), area.y).into());
    }
}

/// Explains that a line cannot be run. Suggests a similar command, or lists some commands.
pub(super) fn refusal(text: &str, commands: &[Command]) -> String {
    const SOME: usize = 6;
    let similar = fuzzy::sorted(commands, text, |command| command.name().into());
    let wrong = skirmish_rules::quotable(text);
    if let Some(best) = similar.first() {
        let name = best.name();
        return format!("\"{wrong}\" is not possible here. Did you mean {name}? Select it with ↓.");
    }
    let names = commands.iter().take(SOME).map(Command::name);
    let some = names.collect::<Vec<&str>>().join(", ");
    format!("\"{wrong}\" is not possible here. Try {some}, …; : lists everything.")
}
