//! The puzzle screen: a position, a task, and refutations of wrong answers.

mod screen;
mod view;

use ratatui::crossterm::event::KeyCode;
use skirmish_play::library::{Effort, Knowledge};
use skirmish_play::player::Level;
use skirmish_play::puzzle::{PuzzleDeck, PuzzleRequest, Trial, Tried};
use skirmish_play::{Chance, Day, First, Plan, Proposal};
use skirmish_present::puzzle as say;
use skirmish_rules::{Choice, Names, Scene, Settings, Side, Starter, Unwatched};
use skirmish_store::{PuzzleFile, PuzzleResult, PuzzleScore};

use super::context::Context;
use super::exercise::names;
use super::look::Ink;
use super::motion::Motion;
use super::screen::{Go, Press, Way};
use super::setup::plan;

pub(super) struct PuzzleScreen {
    request: PuzzleRequest,
    /// The plan of the game from which puzzles are taken.
    plan: Plan,
    names: Names,
    stage: PuzzleStage,
    /// The current day, if the puzzle of the day is on screen.
    daily: Option<Day>,
    score: PuzzleScore,
    /// The number of times that the puzzles have been reshuffled.
    shuffles: u64,
    /// The index of the selected choice, or of the selected share of a mix.
    chosen: usize,
    /// The shares of a mix, in percent.
    shares: Vec<u8>,
    motion: Option<Motion>,
    /// The turns since the last answer, as sentences.
    told: Vec<String>,
    verdict: Option<(String, Ink)>,
    /// Whether the player has been warned that help ends the streak.
    is_warned: bool,
}

enum PuzzleStage {
    /// The game is being solved.
    Solving,
    /// There is no puzzle, for the given reason.
    Nothing(String),
    Open(Box<OpenPuzzle>),
}

/// The puzzles of a game, and the attempt at the current puzzle.
struct OpenPuzzle {
    deck: PuzzleDeck,
    trial: Trial,
}

/// The amount by which an arrow key changes a share, in percent.
const SHARE: u8 = 5;

impl PuzzleScreen {
    /// Opens today's puzzle.
    pub(super) fn go_to_daily(context: &mut Context) -> Go {
        let request = PuzzleRequest::daily(context.catalog(), (context.options.today)());
        match Self::new(request, context) {
            Ok(screen) => Go::to(screen),
            Err(why) => Go::refused(why, context),
        }
    }

    /// A screen with puzzles of the requested game.
    ///
    /// # Errors
    /// If the game cannot be played.
    pub(super) fn new(request: PuzzleRequest, context: &mut Context) -> Result<Self, String> {
        let (score, fault) =
            context.options.puzzles.as_ref().map(PuzzleFile::read).unwrap_or_default();
        if let Some(fault) = fault {
            context.notice = Some(format!("Puzzles are not counted: {fault}."));
        }
        let mut screen = Self {
            plan: plan_of(&request)?,
            request,
            names: names(context),
            stage: PuzzleStage::Solving,
            daily: None,
            score,
            shuffles: 0,
            chosen: 0,
            shares: Vec::new(),
            motion: None,
            told: Vec::new(),
            verdict: None,
            is_warned: false,
        };
        screen.begin(context);
        Ok(screen)
    }

    /// Requests the solution of the game, and opens the first puzzle if the game is already solved.
    fn begin(&mut self, context: &mut Context) {
        self.stage = PuzzleStage::Solving;
        self.shuffles = 0;
        context.train(&self.plan);
        self.look_again(context);
    }

    /// Opens the first puzzle once the game is solved.
    fn look_again(&mut self, context: &Context) {
        let PuzzleStage::Solving = self.stage else { return };
        if let Knowledge::Refused(Effort::Full, why) = context.knowledge(&self.plan) {
            self.stage = PuzzleStage::Nothing(format!("There are no puzzles: {why}."));
            return;
        }
        let Some(known) = context.known(&self.plan).filter(|it| it.solved.has_players()) else {
            return;
        };
        let chance = Chance::from_seed(self.request.seed);
        let deck = PuzzleDeck::of(known.solved, chance, &Unwatched);
        let Ok(deck) = deck else { return };
        let today = (context.options.today)();
        self.deal(deck);
        self.daily = self.request.is_daily(context.catalog(), today).then_some(today);
    }

    /// Opens the next puzzle.
    fn deal(&mut self, mut deck: PuzzleDeck) {
        self.daily = None;
        self.motion = None;
        self.verdict = None;
        self.told.clear();
        let level = self.request.level;
        let drawn = deck.draw(level).or_else(|| {
            // All puzzles have been seen: reshuffle them.
            self.shuffles += 1;
            let chance = Chance::from_seed(self.request.seed).branch(self.shuffles);
            deck = PuzzleDeck::of(deck.solved().clone(), chance, &Unwatched).ok()?;
            deck.draw(level)
        });
        let game = self.request.entry.name;
        let trial = drawn.map(|puzzle| Trial::new(deck.solved(), puzzle, self.names.clone()));
        self.stage = match (trial, level) {
            (Some(Ok(trial)), _) => {
                self.chosen = 0;
                self.shares = match &trial {
                    Trial::Win(_) => Vec::new(),
                    Trial::Mix(attempt) => vec![0; attempt.actions().len()],
                };
                PuzzleStage::Open(Box::new(OpenPuzzle { deck, trial }))
            }
            (Some(Err(why)), _) => PuzzleStage::Nothing(format!("There is no puzzle: {why}.")),
            (None, Some(level)) => {
                PuzzleStage::Nothing(format!("{game} has no puzzle of the level {level}."))
            }
            (None, None) => PuzzleStage::Nothing(format!("{game} has no puzzles.")),
        };
    }

    /// Opens the next puzzle of this game.
    fn next(&mut self, context: &mut Context) {
        match std::mem::replace(&mut self.stage, PuzzleStage::Solving) {
            PuzzleStage::Open(opened) => self.deal(opened.deck),
            PuzzleStage::Solving | PuzzleStage::Nothing(_) => self.begin(context),
        }
    }

    /// Switches to the next game.
    fn change_game(&mut self, context: &mut Context) {
        let games = context.catalog().0;
        let now = games.iter().position(|entry| entry.id == self.request.entry.id);
        let entry = games[Way::Right.step(now.unwrap_or(0), games.len())];
        let settings = Settings::defaults(entry.options);
        let request = PuzzleRequest { entry, settings, first: Side::One, ..self.request.clone() };
        match plan_of(&request) {
            Ok(plan) => {
                (self.request, self.plan) = (request, plan);
                self.begin(context);
            }
            Err(why) => context.notice = Some(why),
        }
    }

    /// Switches to the next level; after the last, to all levels.
    fn change_level(&mut self, context: &mut Context) {
        let next = self.request.level.map_or(0, |level| level as usize + 1);
        self.request.level = Level::ALL.get(next).copied();
        self.begin(context);
    }

    fn trial(&self) -> Option<&Trial> {
        if let PuzzleStage::Open(opened) = &self.stage { Some(&opened.trial) } else { None }
    }

    fn trial_mut(&mut self) -> Option<&mut Trial> {
        if let PuzzleStage::Open(opened) = &mut self.stage { Some(&mut opened.trial) } else { None }
    }

    /// The number of puzzles of this game and its options.
    fn total(&self) -> usize {
        if let PuzzleStage::Open(opened) = &self.stage { opened.deck.count() } else { 0 }
    }

    fn is_over(&self) -> bool {
        self.trial().is_none_or(Trial::is_over)
    }

    /// The moves that the player can choose now.
    fn choices(&self) -> Vec<Choice> {
        match self.trial() {
            Some(Trial::Win(attempt)) if !attempt.is_over() && self.motion.is_none() => {
                attempt.progress().table().choices(attempt.progress().puzzle().player)
            }
            _ => Vec::new(),
        }
    }

    /// Tries a typed move.
    fn answer(&mut self, text: &str, context: &mut Context) {
        let names = self.names.clone();
        let Some(Trial::Win(attempt)) = self.trial_mut() else { return };
        let before = attempt.progress().table().scene();
        let (verdict, is_played) = match attempt.submit(text) {
            Ok(Tried::Wrong(refutation)) => {
                let why = say::refutation(&refutation, attempt.progress().puzzle(), &names);
                ((why, Ink::Alarm), false)
            }
            Ok(Tried::Kept { is_only, .. }) => ((say::right(is_only).to_owned(), Ink::Good), true),
            Ok(Tried::Won) => ((String::new(), Ink::Good), true),
            Err(refusal) => ((refusal.to_string(), Ink::Alarm), false),
        };
        self.verdict = Some(verdict);
        self.told.clear();
        if !is_played {
            self.note(context);
            return;
        }
        self.chosen = 0;
        self.tell(before, context);
        self.reply_unless_moving(context);
    }

    /// Shows the turn that was just played.
    fn tell(&mut self, before: Scene, context: &Context) {
        let Some(trial) = self.trial() else { return };
        let tellings = trial.table().last_turn();
        let sentences: Vec<String> = tellings.iter().map(|it| it.sentence.clone()).collect();
        if context.look.motion {
            self.motion = Motion::of(before, tellings, context.now);
        }
        self.told.push(sentences.join(" "));
    }

    /// Plays the turns that the player does not choose, until a turn is being animated.
    fn reply_unless_moving(&mut self, context: &mut Context) {
        while self.motion.is_none() {
            let Some(Trial::Win(attempt)) = self.trial_mut() else { return };
            let before = attempt.progress().table().scene();
            if !attempt.advance() {
                self.conclude(context);
                return;
            }
            self.tell(before, context);
        }
    }

    /// Praises the player if the puzzle is solved.
    fn conclude(&mut self, context: &mut Context) {
        let Some(trial) = self.trial().filter(|trial| trial.is_solved()) else { return };
        self.verdict = Some((say::solved(trial), Ink::Good));
        self.note(context);
    }

    /// Skips all animation.
    fn skip(&mut self, context: &mut Context) {
        while self.motion.take().is_some() {
            self.reply_unless_moving(context);
        }
    }

    /// Assesses the mix on the screen.
    fn guess(&mut self, context: &mut Context) {
        let sum: u32 = self.shares.iter().map(|share| u32::from(*share)).sum();
        if sum != 100 {
            let text = format!("The shares add up to {sum}, not to 100.");
            self.verdict = Some((text, Ink::Alarm));
            return;
        }
        let mix: Vec<f64> = self.shares.iter().map(|share| f64::from(*share) / 100.0).collect();
        let Some(trial) = self.trial_mut() else { return };
        let Trial::Mix(attempt) = trial else { return };
        let guess = attempt.guess(&mix);
        let mut text = say::guess(&guess);
        if let Some(best) = attempt.best() {
            text = format!("{text} {}. {}", say::best_mix(best), say::solved(trial));
        }
        let ink = if guess.is_solved { Ink::Good } else { Ink::Alarm };
        self.verdict = Some((text, ink));
        self.note(context);
    }

    /// Whether help may be given: it is free, or the player has been warned. Otherwise shows the warning.
    fn may_help(&mut self) -> bool {
        let is_clean = self.trial().is_some_and(|trial| trial.progress().is_clean());
        let is_free = self.daily.is_none() || self.is_over() || !is_clean;
        if is_free || std::mem::replace(&mut self.is_warned, true) {
            return true;
        }
        self.verdict =
            Some((say::COST_OF_HELP.to_owned() + " Press the key again for it.", Ink::Alarm));
        false
    }

    /// Shows a hint or the solution.
    fn help(&mut self, context: &mut Context, tell: impl FnOnce(&mut Trial, &Names) -> String) {
        if !self.may_help() {
            return;
        }
        let names = self.names.clone();
        let Some(trial) = self.trial_mut().filter(|trial| !trial.is_over()) else { return };
        let text = tell(trial, &names);
        self.verdict = Some((text, Ink::Key));
        self.note(context);
    }

    /// Stores the result of the puzzle.
    fn note(&mut self, context: &mut Context) {
        let (Some(file), Some(trial)) = (&context.options.puzzles, self.trial()) else { return };
        let PuzzleRequest { entry, settings, .. } = &self.request;
        let (is_solved, is_clean) = (trial.is_solved(), trial.progress().is_clean());
        let (puzzle, daily) = (trial.puzzle(), self.daily);
        match file.note(&PuzzleResult { entry, settings, puzzle, daily, is_solved, is_clean }) {
            Ok(score) => self.score = score,
            Err(error) => context.notice = Some(format!("Puzzles are not counted: {error}.")),
        }
    }

    /// Moves the cursor or changes a share of a mix.
    fn press_in_mix(&mut self, press: Press, context: &mut Context) {
        let step = |share: u8, by: i8| share.saturating_add_signed(by).min(100);
        let change = match press {
            Press::Pick(number) if number < self.shares.len() => {
                self.chosen = number;
                return;
            }
            Press::Key(KeyCode::Char('+')) => 1,
            Press::Key(KeyCode::Char('-')) => -1,
            _ if press.is_enter() => return self.guess(context),
            _ => match press.way() {
                Some(Way::Right) => SHARE.cast_signed(),
                Some(Way::Left) => -SHARE.cast_signed(),
                Some(Way::Up | Way::Down) | None => {
                    press.moves(&mut self.chosen, self.shares.len());
                    return;
                }
            },
        };
        if let Some(share) = self.shares.get_mut(self.chosen) {
            *share = step(*share, change);
        }
    }
}

/// The plan of the requested game.
fn plan_of(request: &PuzzleRequest) -> Result<Plan, String> {
    let first = (request.entry.starter == Starter::Toss).then_some(First::Side(request.first));
    let settings = request.settings.clone();
    plan(Proposal { settings, first, ..Proposal::new(request.entry) })
}
