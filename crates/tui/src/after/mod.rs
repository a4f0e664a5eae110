//! The screen after a game: who won and how, the score of the match, a review, and what to do next.

mod picture;

use std::path::{Path, PathBuf};

use ratatui::crossterm::event::KeyCode;
use skirmish_play::library::Effort;
use skirmish_play::{Plan, Review, review};
use skirmish_room::words::ABORTED;
use skirmish_rules::{Record, Side};
use skirmish_store::{Copies, Keeper, Overwrite};

use super::context::{Context, Known, named_file};
use super::overlay::pressed;
use super::parts::TextField;
use super::play::LocalPlay;
use super::replay::Replay;
use super::save::save;
use super::screen::{Go, Help, Hint, Press, Way};
use super::setup::SetupScreen;

pub(super) struct After {
    plan: Plan,
    record: Record,
    /// The player who reads the screen alone, if any.
    viewer: Option<Side>,
    /// The plan of the match's next game, and the keeper that saves it.
    next: Option<(Plan, Keeper)>,
    review: Option<Review>,
    /// The available actions; the ways to continue come first.
    items: Vec<AfterItem>,
    /// The selected item; initially `None`, so that a hasty Enter starts nothing.
    chosen: Option<usize>,
    /// The name of the file to save to, while it is being typed.
    file: Option<TextField>,
    /// The files to which the record has been saved.
    copies: Copies,
    /// The file to overwrite once the player confirms.
    replacing: Option<PathBuf>,
    message: Option<String>,
    /// The headline of a game without a result.
    unfinished: &'static str,
    /// The reason why no rematch is possible.
    closed: Option<&'static str>,
    /// The reason why the server cannot continue at the moment.
    outage: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterItem {
    Next,
    /// Play the same position again with the same seats.
    Again,
    Rematch,
    Review,
    Save,
    Setup,
    /// Return to the server's lobby.
    Lobby,
    /// Return to the screen that started the exercise.
    Back,
    Home,
}

/// The number of ways to continue, first in the list.
const WAYS: usize = 3;

/// Shown if the player presses Enter while nothing is selected.
const UNDECIDED: &str = "Press a listed key, or use ↑ and ↓.";

impl AfterItem {
    /// The item's key, its description in the list, and its shorter description in the footer.
    pub(super) const fn texts(self) -> [&'static str; 3] {
        match self {
            Self::Next => ["g", "Next game of the match", "next game"],
            Self::Again => ["p", "Again from the same position", "again"],
            Self::Rematch => ["r", "Rematch, seats swapped", "rematch"],
            Self::Review => ["v", "Review move by move", "review"],
            Self::Save => ["s", "Save the record", "save"],
            Self::Setup => ["n", "New game", "new"],
            Self::Lobby => ["Esc", "Lobby", "lobby"],
            Self::Back => ["Esc", "Back", "back"],
            Self::Home => ["Esc", "Home", "home"],
        }
    }

    pub(super) fn is_pressed(self, press: Press) -> bool {
        self.press() == Some(press)
    }

    /// The key press that opens the item.
    pub(super) fn press(self) -> Option<Press> {
        let [key, ..] = self.texts();
        pressed(key)
    }

    pub(super) const fn hint(self) -> Hint {
        let [key, _, hint] = self.texts();
        (key, hint)
    }

    /// The actions after a game at this terminal; the ways to continue come first.
    fn all(plan: &Plan, has_next: bool) -> Vec<Self> {
        use AfterItem::{Again, Back, Home, Next, Rematch, Review, Save, Setup};
        match (has_next, &plan.position) {
            (true, Some(_)) => vec![Next, Review, Back, Save],
            (true, None) => vec![Next, Review, Home, Save, Setup],
            (false, Some(_)) => vec![Again, Review, Back, Rematch, Save],
            (false, None) => vec![Rematch, Review, Setup, Save, Home],
        }
    }

    /// The ways to continue that are offered as soon as a game at this terminal has ended. Escape first leads to the screen
    /// after the game.
    pub(super) fn next_steps(plan: &Plan, has_next: bool) -> Vec<Self> {
        let mut steps = Self::all(plan, has_next);
        steps.truncate(WAYS);
        steps.retain(|step| step.press() != Some(Press::Key(KeyCode::Esc)));
        steps
    }
}

impl After {
    pub(super) fn new(
        plan: Plan,
        record: Record,
        next: Option<(Plan, Keeper)>,
        context: &mut Context,
    ) -> Self {
        let items = AfterItem::all(&plan, next.is_some());
        Self { next, ..Self::with(items, plan, record, context) }
    }

    /// The screen after a game on a server. The caller handles rematches.
    pub(super) fn online(
        plan: Plan,
        record: Record,
        viewer: Option<Side>,
        may_rematch: bool,
        context: &mut Context,
    ) -> Self {
        let mut items = vec![AfterItem::Review, AfterItem::Lobby, AfterItem::Save];
        if may_rematch {
            items.insert(0, AfterItem::Rematch);
        }
        Self { viewer, unfinished: ABORTED, ..Self::with(items, plan, record, context) }
    }

    /// Removes the rematch option and shows the reason.
    pub(super) fn close(&mut self, why: &'static str) {
        self.items.retain(|&item| item != AfterItem::Rematch);
        (self.chosen, self.closed) = (None, Some(why));
    }

    /// Sets the reason, shown with every message, why the server cannot continue at the moment.
    pub(super) fn wait_for(&mut self, outage: Option<&str>) {
        self.outage = outage.map(str::to_owned);
    }

    fn with(items: Vec<AfterItem>, plan: Plan, record: Record, context: &mut Context) -> Self {
        context.learn(&plan, Effort::Slight);
        let mut after = Self {
            viewer: plan.only_person(),
            plan,
            record,
            next: None,
            review: None,
            items,
            chosen: None,
            file: None,
            copies: Copies::default(),
            replacing: None,
            message: None,
            unfinished: "The game was not finished.",
            closed: None,
            outage: None,
        };
        after.judge(context);
        after
    }

    /// Reviews the game, if it is solved.
    pub(super) fn judge(&mut self, context: &Context) {
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
                    Go::replace(LocalPlay::open(plan, session, keeper, context))
                }
                None => Go::Stay,
            },
            AfterItem::Again => Go::replace(LocalPlay::begin(self.plan.again(), context)),
            AfterItem::Rematch => Go::replace(LocalPlay::begin(self.plan.rematch(), context)),
            AfterItem::Review => Go::to(Replay::new(self.record.clone(), true, context)),
            AfterItem::Save => {
                self.file = Some(TextField::new(
                    &free_name(self.plan.entry.id, &context.options.folder),
                    200,
                ));
                Go::Stay
            }
            AfterItem::Setup => Go::to(SetupScreen::new(self.plan.entry, context)),
            AfterItem::Lobby | AfterItem::Back => Go::Back,
            AfterItem::Home => Go::Home,
        }
    }

    pub(super) const fn is_typing(&self) -> bool {
        self.file.is_some()
    }

    /// Whether a file name is being typed, or a question about a file is open.
    pub(super) const fn is_asking(&self) -> bool {
        self.file.is_some() || self.replacing.is_some()
    }

    /// Additional help on the keys.
    pub(super) fn keys(&self) -> Vec<Help> {
        if self.is_asking() {
            return Vec::new();
        }
        let mut help: Vec<Help> = vec![("←↑→↓".into(), "move the cursor")];
        if self.chosen.is_none() {
            help.push(("Enter".into(), "says what to press"));
            help.push(("Space".into(), "like Enter"));
        }
        help
    }

    /// The keys for the footer.
    pub(super) fn hints(&self) -> Vec<Hint> {
        if self.is_typing() {
            return vec![("Enter", "save"), ("Esc", "cancel")];
        }
        if self.replacing.is_some() {
            return vec![("y", "replace the file"), ("n", "leave it")];
        }
        let enter = self.chosen.map(|_| ("Enter", "choose"));
        let keys = self.items.iter().map(|item| item.hint());
        enter.into_iter().chain(keys).collect()
    }

    pub(super) fn say(&mut self, text: String) {
        self.message = Some(text);
    }

    /// Handles a key. Returns the item to open, if any.
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
        let pressed = self.items.iter().position(|item| item.is_pressed(press));
        let wanted = match press {
            _ if pressed.is_some() => pressed,
            Press::Pick(number) => Some(number).filter(|number| *number < self.items.len()),
            press if press.is_enter() => {
                if self.chosen.is_none() {
                    self.say(UNDECIDED.to_owned());
                }
                self.chosen
            }
            _ => {
                let count = self.items.len();
                if let Some(way) = press.way() {
                    self.chosen = Some(match (self.chosen, way) {
                        (Some(chosen), _) => press.step(chosen, count).unwrap_or(chosen),
                        (None, Way::Down | Way::Right) => 0,
                        (None, Way::Up | Way::Left) => count - 1,
                    });
                    self.message = None;
                }
                None
            }
        }?;
        (self.chosen, self.message) = (Some(wanted), None);
        Some(self.items[wanted])
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

    /// Saves the record. Asks before overwriting a file with other contents.
    fn save(&mut self, file: &Path, overwrite: Overwrite) {
        let write = || self.copies.save(&self.record, file, overwrite);
        let (Ok(message) | Err(message)) = save(Some(file), &mut self.replacing, write);
        self.message = Some(message);
    }
}

/// An unused file name for a record: `base-battle.skr`, `base-battle-2.skr`, …
pub(super) fn free_name(game: &str, folder: &Path) -> String {
    let numbered = (2..).map(|number| format!("{game}-{number}.skr"));
    let mut names = std::iter::once(format!("{game}.skr")).chain(numbered);
    let is_free = |name: &String| folder.join(name).symlink_metadata().is_err();
    names.find(is_free).expect("there are more numbers than files")
}
