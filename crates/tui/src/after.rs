//! The screen after a game: the result, the accuracy, the turning point, and what next.

use std::path::{Path, PathBuf};

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use ratatui::text::Line;
use skirmish_play::library::{Effort, Knowledge};
use skirmish_play::{Plan, Review, Score, fault_of, review};
use skirmish_rules::{Ending, Outcome, Record, Side, Termination, columns};
use skirmish_store::{Copies, Keeper, Overwrite};

use super::analysis;
use super::app::is_roomy;
use super::context::{Context, Known, named_file};
use super::jobs::JobReport;
use super::look::Ink;
use super::parts::{Canvas, TextField, below, inset};
use super::play::{Play, result};
use super::replay::Replay;
use super::save::save;
use super::screen::{Go, Hint, Press, Screen};
use super::setup::SetupScreen;
use super::stage::{Stage, glyph};

pub(super) struct After {
    plan: Plan,
    record: Record,
    score: Option<Score>,
    /// The next game of the match, and its keeper.
    next: Option<(Plan, Keeper)>,
    review: Option<Review>,
    items: Vec<AfterItem>,
    chosen: usize,
    /// The file to save the record in, while it is typed.
    file: Option<TextField>,
    /// The files that the record has been saved in from here.
    copies: Copies,
    /// The file to overwrite, if the player says yes.
    replacing: Option<PathBuf>,
    message: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterItem {
    Next,
    /// The same position again, with the same seats.
    Again,
    Rematch,
    Review,
    Save,
    Setup,
    /// Back to the server's lobby.
    Lobby,
    /// Back to where an exercise came from.
    Back,
    Home,
}

impl AfterItem {
    const fn words(self) -> &'static str {
        match self {
            Self::Next => "Next game of the match",
            Self::Again => "Again from the same position",
            Self::Rematch => "Rematch, seats swapped",
            Self::Review => "Review move by move",
            Self::Save => "Save the record",
            Self::Setup => "New game",
            Self::Lobby => "Lobby",
            Self::Back => "Back",
            Self::Home => "Home",
        }
    }
}

impl After {
    pub(super) fn new(
        plan: Plan,
        record: Record,
        score: Option<Score>,
        next: Option<(Plan, Keeper)>,
        context: &mut Context,
    ) -> Self {
        let mut items = match (&next, &plan.position) {
            (Some(_), _) => vec![AfterItem::Next],
            (None, Some(_)) => vec![AfterItem::Again, AfterItem::Rematch],
            (None, None) => vec![AfterItem::Rematch],
        };
        items.extend([AfterItem::Review, AfterItem::Save]);
        match &plan.position {
            Some(_) => items.push(AfterItem::Back),
            None => items.extend([AfterItem::Setup, AfterItem::Home]),
        }
        Self { next, ..Self::with(items, plan, record, score, context) }
    }

    /// After a game on a server. Rematches are for the caller to handle.
    pub(super) fn online(
        plan: Plan,
        record: Record,
        score: Option<Score>,
        is_player: bool,
        context: &mut Context,
    ) -> Self {
        let mut items = vec![AfterItem::Review, AfterItem::Save, AfterItem::Lobby];
        if is_player {
            items.insert(0, AfterItem::Rematch);
        }
        Self::with(items, plan, record, score, context)
    }

    fn with(
        items: Vec<AfterItem>,
        plan: Plan,
        record: Record,
        score: Option<Score>,
        context: &mut Context,
    ) -> Self {
        context.learn(&plan, Effort::Slight);
        let mut after = Self {
            plan,
            record,
            score,
            next: None,
            review: None,
            items,
            chosen: 0,
            file: None,
            copies: Copies::default(),
            replacing: None,
            message: None,
        };
        after.judge(context);
        after
    }

    fn judge(&mut self, context: &Context) {
        if let Some(Known { solved, .. }) =
            context.known(&self.plan).filter(|_| self.review.is_none())
        {
            self.review = Some(review(&self.record, &solved));
        }
    }

    pub(super) fn open(&mut self, item: AfterItem, context: &mut Context) -> Go {
        match item {
            AfterItem::Next => match self.next.take() {
                Some((plan, keeper)) => {
                    let session = plan.begin();
                    Go::Replace(Box::new(Play::of(plan, session, keeper, context)))
                }
                None => Go::Stay,
            },
            AfterItem::Again => Go::Replace(Box::new(Play::begin(self.plan.again(), context))),
            AfterItem::Rematch => Go::Replace(Box::new(Play::begin(self.plan.rematch(), context))),
            AfterItem::Review => Go::To(Box::new(Replay::new(self.record.clone(), true, context))),
            AfterItem::Save => {
                self.file =
                    Some(TextField::new(&free_name(self.plan.entry.id, &context.folder), 200));
                Go::Stay
            }
            AfterItem::Setup => Go::To(Box::new(SetupScreen::new(self.plan.entry))),
            AfterItem::Lobby | AfterItem::Back => Go::Back,
            AfterItem::Home => Go::Home,
        }
    }

    /// Whether a file name is typed, or a question about one is open.
    pub(super) const fn is_asking(&self) -> bool {
        self.file.is_some() || self.replacing.is_some()
    }

    pub(super) fn say(&mut self, text: String) {
        self.message = Some(text);
    }

    /// Handles a key. Returns the item that is to be opened.
    pub(super) fn pick(&mut self, press: Press, context: &Context) -> Option<AfterItem> {
        if self.file.is_some() {
            self.type_key(press, context);
            return None;
        }
        if let Some(file) = self.replacing.take() {
            match press.answer() {
                Some(true) => self.save(&file, Overwrite::Allowed),
                Some(false) => self.message = Some("Not saved.".to_owned()),
                None => self.replacing = Some(file),
            }
            return None;
        }
        let wanted = match press {
            // The last item leads away.
            Press::Key(KeyCode::Esc) => return self.items.last().copied(),
            Press::Key(KeyCode::Char('p')) => AfterItem::Again,
            Press::Key(KeyCode::Char('r')) => AfterItem::Rematch,
            Press::Key(KeyCode::Char('v')) => AfterItem::Review,
            Press::Key(KeyCode::Char('s')) => AfterItem::Save,
            Press::Key(KeyCode::Char('n')) => AfterItem::Setup,
            Press::Pick(number) if number < self.items.len() => self.items[number],
            press if press.is_enter() => self.items[self.chosen],
            _ => {
                press.moves(&mut self.chosen, self.items.len());
                return None;
            }
        };
        self.chosen = self.items.iter().position(|item| *item == wanted)?;
        self.message = None;
        Some(wanted)
    }

    fn type_key(&mut self, press: Press, context: &Context) {
        match TextField::finish(&mut self.file, press) {
            None => {}
            Some(name) if name.is_empty() => {
                self.message = Some("Not saved: the file needs a name.".to_owned());
            }
            Some(name) => self.save(&named_file(&name, context), Overwrite::Refused),
        }
    }

    /// Saves the record. Asks before overwriting a file that holds something else.
    fn save(&mut self, file: &Path, overwrite: Overwrite) {
        let write = || self.copies.save(&self.record, file, overwrite);
        let (Ok(message) | Err(message)) = save(Some(file), &mut self.replacing, write);
        self.message = Some(message);
    }

    /// The lines about the game.
    fn facts(&self, canvas: &Canvas, context: &Context, roomy: bool) -> Vec<Line<'static>> {
        let names = &self.record.names;
        let mut lines = Vec::new();
        if let Some(ending) = self.record.ending {
            // In a small window, leave out how it happened.
            let told = if roomy { self.last_words() } else { Vec::new() };
            let style = canvas.look.ink(Ink::Title);
            let fault = fault_of(&self.record);
            lines.push(Line::styled(result(&told, names, ending, fault), style));
        } else {
            lines.push(Line::raw("The game was not finished."));
        }
        if let Some(score) = &self.score {
            let points = score.half_points.map(|half| f64::from(half) / 2.0);
            lines.push(Line::raw(format!(
                "Match: {} {} - {} {}",
                score.names.one, points.one, points.two, score.names.two
            )));
        }
        if roomy {
            lines.push(Line::raw(""));
        }
        match (&self.review, context.knowledge(&self.plan)) {
            (Some(review), _) => self.judged(review, canvas, &mut lines),
            (None, Knowledge::Working(_)) => {
                lines.push(Line::raw("The game is being reviewed…"));
            }
            (None, _) => lines.push(Line::raw("This board is too large for an automatic review.")),
        }
        lines
    }

    fn judged(&self, review: &Review, canvas: &Canvas, lines: &mut Vec<Line<'static>>) {
        let names = &self.record.names;
        for side in Side::ALL {
            let accuracy = review.accuracy[side];
            let text = accuracy.map_or("- (nothing at stake)".to_owned(), |it| format!("{it:.0}%"));
            let name = format!("{} {}", glyph(side), names[side]);
            lines.push(canvas.led(Ink::Side(side), name, format!("  accuracy {text}")));
        }
        let turning = match review.turning_point.map(|index| &review.choices[index]) {
            Some(choice) => {
                format!(
                    "Turning point: turn {}, {} played {} ({} would have kept it).",
                    choice.turn,
                    names[choice.side],
                    choice.played,
                    skirmish_rules::alternatives(&choice.keeping)
                )
            }
            None => match self.record.ending {
                Some(Ending {
                    outcome: Outcome::Won(winner),
                    termination: Termination::Resigned,
                }) => {
                    format!("Nothing was given away until {} resigned.", names[winner.other()])
                }
                _ => "Nobody gave anything away.".to_owned(),
            },
        };
        lines.push(Line::raw(turning));
    }

    fn last_words(&self) -> Vec<String> {
        let table = self.record.replay();
        let tellings = table.map(|table| table.last_turn()).unwrap_or_default();
        tellings.into_iter().map(|telling| telling.sentence).collect()
    }
}

/// An unused file name for a record: `base-battle.skr`, `base-battle-2.skr`, …
pub(super) fn free_name(game: &str, folder: &Path) -> String {
    let numbered = (2..).map(|number| format!("{game}-{number}.skr"));
    let mut names = std::iter::once(format!("{game}.skr")).chain(numbered);
    let is_free = |name: &String| folder.join(name).symlink_metadata().is_err();
    names.find(is_free).expect("there are more numbers than files")
}

impl Screen for After {
    fn title(&self) -> String {
        format!("{}: the game is over", self.plan.entry.name)
    }

    fn hints(&self) -> Vec<Hint> {
        if self.file.is_some() {
            return vec![("Enter", "save"), ("Esc", "cancel")];
        }
        if self.replacing.is_some() {
            return vec![("y", "replace the file"), ("n", "leave it")];
        }
        let mut hints = vec![("Enter", "choose")];
        if self.items.contains(&AfterItem::Again) {
            hints.push(("p", "again"));
        }
        if self.items.contains(&AfterItem::Rematch) {
            hints.push(("r", "rematch"));
        }
        hints.extend([("v", "review"), ("s", "save")]);
        if self.items.contains(&AfterItem::Setup) {
            hints.push(("n", "new"));
        }
        let away = match self.items.last() {
            Some(AfterItem::Lobby) => "lobby",
            Some(AfterItem::Back) => "back",
            _ => "home",
        };
        hints.push(("Esc", away));
        hints
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        match self.pick(press, context) {
            Some(item) => self.open(item, context),
            None => Go::Stay,
        }
    }

    fn on_report(&mut self, report: &JobReport, context: &mut Context) -> Go {
        if matches!(report, JobReport::Solved) {
            self.judge(context);
        }
        Go::Stay
    }

    fn is_typing(&self) -> bool {
        self.file.is_some()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        let roomy = is_roomy(area);
        let facts = self.facts(canvas, context, roomy);
        let mut left = inset(area);
        if roomy && let Ok(table) = self.record.replay() {
            let scene = table.scene();
            let rows = Stage::rows(&scene, left.width, (left.height / 2).saturating_sub(2).min(7));
            let stage = Stage::still(self.record.entry, &scene, &self.record.names);
            stage.draw(canvas, Rect { height: rows, ..left });
            left = below(left, rows);
        }
        let width = usize::from(left.width);
        let mut row = 0;
        // If not everything fits, the message comes first, and then the list.
        let said = self.message.as_ref().filter(|_| self.file.is_none());
        let said_rows = said.map_or(1, |said| columns::wrap(said, width).len());
        let said_rows = u16::try_from(said_rows).unwrap_or(u16::MAX).min(left.height);
        let list_rows = u16::try_from(self.items.len()).unwrap_or(u16::MAX);
        let list_rows = list_rows.min(left.height - said_rows);
        let most = left.height - said_rows - list_rows;
        let split = |line: Line<'static>| {
            if line.width() <= width {
                return vec![line];
            }
            let parts = columns::wrap(&line.to_string(), width).into_iter();
            parts.map(|part| Line::styled(part, line.style)).collect()
        };
        for line in facts.into_iter().flat_map(split).take(most.into()) {
            canvas.line(left, row, &line);
            row += 1;
        }
        left = below(left, row);
        let list = Rect { height: list_rows, ..left };
        let lines: Vec<Line> = self.items.iter().map(|item| Line::raw(item.words())).collect();
        canvas.menu(list, lines, self.chosen);
        left = below(left, list.height);
        if let Some(file) = &self.file {
            canvas.field(left, "File: ", file);
        } else if let Some(said) = said {
            canvas.prose(left, said, canvas.look.ink(Ink::Good));
        } else if roomy
            && left.height > 4
            && let Some(known) = context.known(&self.plan)
        {
            let place = Rect { height: (left.height - 1).min(7), ..below(left, 1) };
            let standings = analysis::standings(&known.solved, &self.record);
            let end = self.record.turns.len();
            analysis::graph(canvas, place, &standings, end, &self.record.names);
        }
    }
}
