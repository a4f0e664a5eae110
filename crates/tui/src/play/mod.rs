//! The playing screen: asks people for their choices, lets programs think in the background, and shows every turn before
//! the next one begins.

mod choices;
mod commands;
pub(super) mod pace;
pub(super) mod picture;
mod screen;
mod view;
mod watching;

use std::path::{Path, PathBuf};
use std::time::Instant;

pub(super) use commands::judgement;
use skirmish_play::driver::{Answers, Driver, Happened, Input, Question, Seat, Waiting};
use skirmish_play::library::Effort;
use skirmish_play::{MatchState, Plan, Session, review};
use skirmish_present::words;
use skirmish_rules::{Both, Choice, Ending, Side, Termination};
use skirmish_store::{GameResult, Keeper, Save, read_record_file, shell};
pub(super) use view::result;
use watching::Watching;

use self::pace::{Pause, Paused};

use super::after::After;
use super::bots::bots_of;
use super::context::Context;
use super::log::Log;
use super::motion::Motion;
use super::rival::Rival;
use super::screen::Go;

pub(super) struct Play {
    plan: Plan,
    driver: Driver,
    keeper: Keeper,
    /// The programs that play: bots, and computers once the game is solved.
    rivals: Both<Option<Rival>>,
    /// How the game is watched, if only programs play.
    watching: Option<Watching>,
    stage: PlayStage,
    /// The number of the selected choice.
    /// Nothing until the player moves the cursor, once the curtain has been lifted.
    chosen: Option<usize>,
    motion: Option<Motion>,
    /// When to draw the next frame of a moving piece.
    frame: Instant,
    /// Whether the last turn is a person's own, and has just been shown.
    is_unread: bool,
    /// What delays the next turn, so that the last one can be read.
    pause: Option<Pause>,
    /// The programs' answers, which wait for the end of the pause.
    answers: Option<Answers>,
    log: Log,
    /// The message about the last input.
    message: Option<Message>,
    is_analysing: bool,
    /// The file to overwrite, if the player says yes.
    replacing: Option<PathBuf>,
}

/// What the screen waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PlayStage {
    /// A side's secret choice, behind the curtain.
    Veiled(Side),
    /// A side's choice.
    Choosing(Side),
    /// A program's choice.
    Thinking {
        asked: Both<bool>,
        ticket: u64,
    },
    /// Time to pass before the next turn, where only programs play.
    Between,
    /// The solution of the game, which the computer needs to play.
    Solving,
    Over(Ending),
}

/// A message to the player.
#[derive(Clone, Debug)]
struct Message {
    text: String,
    is_alarm: bool,
}

impl Play {
    /// Begins a game.
    pub(super) fn begin(plan: Plan, context: &mut Context) -> Self {
        let session = plan.begin();
        let keeper = context.keeper(None);
        Self::of(plan, session, keeper, context)
    }

    /// Resumes a saved game in its file, unless another program is playing it.
    pub(super) fn resume(file: &Path, context: &mut Context) -> Result<Self, String> {
        // Lock before reading: until then, another program may write the file.
        let save = Save::resume(file).map_err(|error| error.to_string())?;
        Self::from_file(file, Some(save), context)
    }

    /// Resumes a copy of a saved game.
    pub(super) fn copy(file: &Path, context: &mut Context) -> Result<Self, String> {
        Self::from_file(file, None, context)
    }

    fn from_file(file: &Path, save: Option<Save>, context: &mut Context) -> Result<Self, String> {
        let record = read_record_file(file, context.catalog).map_err(|error| error.to_string())?;
        let mut plan = Plan::of(&record);
        context.bots.reseat(&mut plan);
        if let Some(why) = shell::absence(&plan, file, shell::Screen::Full) {
            return Err(why);
        }
        if record.ending.is_some() {
            return Err("This game has been finished meanwhile.".to_owned());
        }
        let session = plan.resume(record).map_err(|error| error.to_string())?;
        let keeper = context.keeper(save);
        Ok(Self::of(plan, session, keeper, context))
    }

    pub(super) fn of(
        plan: Plan,
        session: Session,
        mut keeper: Keeper,
        context: &mut Context,
    ) -> Self {
        if let Some(warning) = keeper.begin(&plan, &session) {
            context.notice = Some(warning);
        }
        context.bots.start(bots_of(&plan.players), &context.folder);
        if plan.has_computer() {
            context.train(&plan);
        } else {
            context.learn(&plan, Effort::Slight);
        }
        let log = Log::new(&plan, &session);
        let driver = Driver::new(session, plan.players.as_ref().map(Seat::from));
        let mut game = Self {
            log,
            watching: Watching::of(&driver),
            driver,
            plan,
            keeper,
            rivals: Both::new(None, None),
            stage: PlayStage::Solving,
            chosen: Some(0),
            motion: None,
            frame: context.now,
            is_unread: false,
            pause: None,
            answers: None,
            message: None,
            is_analysing: false,
            replacing: None,
        };
        game.seat(context);
        if game.plan.is_tossed && game.session().table().turns_played() == 0 {
            game.pause = Some(Pause::new(Paused::Toss, context));
        }
        // If the game is already over, the first key shows the next screen.
        let _ = game.advance(context);
        game
    }

    /// Seats the programs: bots, and computers if the game is solved.
    fn seat(&mut self, context: &Context) {
        for side in Side::ALL {
            if self.rivals[side].is_none() {
                self.rivals[side] = Rival::of(&self.plan, side, context);
            }
        }
    }

    const fn session(&self) -> &Session {
        self.driver.session()
    }

    /// The open yes-or-no question, if any.
    fn question(&self) -> Option<Question> {
        match self.driver.waiting() {
            Waiting::Answer(question) => Some(question),
            Waiting::Pass(_) | Waiting::Person(_) | Waiting::Programs(_) | Waiting::Nothing(_) => {
                None
            }
        }
    }

    /// Advances to whatever the game waits for now.
    fn advance(&mut self, context: &mut Context) -> Go {
        while self.motion.is_none() {
            match self.driver.turn() {
                Waiting::Nothing(ending) => {
                    self.end(ending, context);
                    break;
                }
                Waiting::Pass(_) => {
                    self.enter(Input::Pass, context);
                    continue;
                }
                Waiting::Person(side) => {
                    if self.session().is_stuck() && self.message.is_none() {
                        self.show_message(
                            "Neither player can move: pass, or :draw, :resign.",
                            true,
                        );
                    }
                    let is_secret = self.driver.is_secret();
                    self.stage =
                        if is_secret { PlayStage::Veiled(side) } else { PlayStage::Choosing(side) };
                }
                Waiting::Programs(asked) if self.are_seated(asked) => {
                    let now = context.now;
                    if self.watching.as_mut().is_some_and(|watching| !watching.may_go_on(now)) {
                        self.stage = PlayStage::Between;
                        break;
                    }
                    let ticket = context.ticket();
                    let (number, undone) = (self.session().number(), self.session().undone());
                    let table = self.session().table().fork();
                    // Set the stage first, in case the answer arrives at once.
                    self.stage = PlayStage::Thinking { asked, ticket };
                    if std::mem::take(&mut self.is_unread) {
                        self.pause = Some(Pause::new(Paused::Reading, context));
                    }
                    context.jobs.choose(ticket, &self.rivals, table, asked, number, undone);
                    break;
                }
                Waiting::Programs(_) => self.stage = PlayStage::Solving,
                Waiting::Answer(_) => unreachable!("a question is not a turn"),
            }
            self.chosen = Some(0);
            break;
        }
        Go::Stay
    }

    /// Whether all programs that are asked are there.
    fn are_seated(&self, asked: Both<bool>) -> bool {
        Side::ALL.into_iter().all(|side| !asked[side] || self.rivals[side].is_some())
    }

    /// Enters an input into the driver, and shows the turn if it completes one.
    fn enter(&mut self, input: Input, context: &mut Context) -> Happened {
        let table = self.session().table();
        let (before, turns) = (table.scene(), table.turns_played());
        let is_own = matches!(input, Input::Choice(..) | Input::Line(..));
        let happened = self.driver.enter(input);
        self.log.follow(self.driver.session());
        if happened == Happened::TakenBack {
            let left = self.session().table().turns_played();
            let text = words::taken_back(turns.saturating_sub(left));
            self.log.note(text.clone());
            self.show_message(text, false);
        }
        if matches!(happened, Happened::Turn | Happened::Chosen(_)) {
            self.message = None;
            self.chosen = Some(0);
        }
        if let Some(watching) = self.watching.as_mut().filter(|_| happened == Happened::Turn) {
            watching.turn_played(context.now);
        }
        if happened == Happened::Turn && !self.looks_back() {
            let last_turn = self.session().table().last_turn();
            let moves = context.look.motion;
            self.motion = moves.then(|| Motion::of(before, last_turn, context.now)).flatten();
            self.frame = context.now;
            self.is_unread = is_own;
        }
        if self.driver.saves_after(&happened) {
            self.save(context);
        }
        happened
    }

    /// Reacts to the result of an input.
    fn react(&mut self, happened: Happened, context: &mut Context) -> Go {
        match happened {
            Happened::Nothing => Go::Stay,
            Happened::Chosen(_) | Happened::Turn | Happened::Ended => self.advance(context),
            Happened::TakenBack => self.taken_back(context),
            Happened::Refused(why) | Happened::Unknown(why) => {
                self.show_message(why, true);
                Go::Stay
            }
            Happened::Asked(question) => self.ask(question, context),
            Happened::Declined(question) => {
                if let Question::Draw(side) = question {
                    let name = self.session().table().names()[side.other()].clone();
                    self.show_message(format!("{name} declines the draw."), false);
                }
                Go::Stay
            }
            Happened::NoRoom(fault) => {
                self.stage = PlayStage::Solving;
                self.show_message(format!("A bot {fault}."), true);
                Go::Stay
            }
            Happened::Requested(request) => self.run_request(&request, context),
        }
    }

    fn save(&mut self, context: &mut Context) {
        if let Some(warning) = self.keeper.keep(self.driver.session()) {
            context.notice = Some(warning);
        }
    }

    fn end(&mut self, ending: Ending, context: &mut Context) {
        if self.stage == PlayStage::Over(ending) {
            return;
        }
        self.stage = PlayStage::Over(ending);
        (self.pause, self.answers) = (None, None);
        self.rivals = Both::new(None, None);
        if ending.termination != Termination::Rules {
            let names = self.session().table().names();
            let text = result(names, ending, self.session().fault());
            self.log.note(text);
        }
        let solved = context.known(&self.plan).map(|known| known.solved);
        let warning = self.keeper.end(self.driver.session());
        let record = self.session().record();
        let counted = self.keeper.count(|| {
            let accuracy = solved.map(|solved| review(&record, &solved).accuracy);
            let accuracy = accuracy.unwrap_or(Both::new(None, None));
            GameResult::of(&self.plan, ending, record.turns.len(), accuracy)
        });
        let undelivered = self.keeper.deliver();
        if let Some(warning) = warning.or(undelivered).or(counted) {
            context.notice = Some(warning);
        }
    }

    /// The screen after the end.
    fn leave_table(&mut self, ending: Ending, context: &mut Context) -> Go {
        let next = match self.plan.after(ending.outcome) {
            None | Some(MatchState::Over(_)) => None,
            Some(MatchState::Next(_, next)) => Some(*next),
        };
        let keeper = std::mem::replace(&mut self.keeper, context.keeper(None));
        let next = next.map(|plan| (plan, keeper));
        let after = After::new(self.plan.clone(), self.session().record(), next, context);
        Go::Replace(Box::new(after))
    }

    /// The side that chooses behind the curtain, once the last turn has been shown.
    fn veiled(&self) -> Option<Side> {
        match self.stage {
            PlayStage::Veiled(side) if self.motion.is_none() => Some(side),
            _ => None,
        }
    }

    /// Whether the coin toss is shown.
    fn is_tossing(&self) -> bool {
        self.pause.is_some_and(|pause| pause.is_toss())
    }

    /// The side of the person who is asked, if any.
    const fn asked(&self) -> Option<Side> {
        match self.stage {
            PlayStage::Choosing(side) if self.pause.is_none() => Some(side),
            PlayStage::Choosing(_)
            | PlayStage::Veiled(_)
            | PlayStage::Thinking { .. }
            | PlayStage::Between
            | PlayStage::Solving
            | PlayStage::Over(_) => None,
        }
    }

    fn choices(&self) -> Vec<Choice> {
        self.asked().map_or_else(Vec::new, |side| self.session().table().choices(side))
    }

    fn show_message(&mut self, text: impl Into<String>, is_alarm: bool) {
        self.message = Some(Message { text: text.into(), is_alarm });
    }

    /// Plays a choice by its number.
    fn choose(&mut self, number: usize, context: &mut Context) -> Go {
        let (Some(side), Some(choice)) = (self.asked(), self.choices().get(number).cloned()) else {
            return Go::Stay;
        };
        self.log.follow_newest();
        let happened = self.enter(Input::Choice(side, &choice.notation), context);
        self.react(happened, context)
    }

    fn lift_curtain(&mut self, side: Side) -> Go {
        self.stage = PlayStage::Choosing(side);
        (self.message, self.chosen) = (None, None);
        Go::Stay
    }

    fn skip(&mut self, context: &mut Context) -> Go {
        self.motion = None;
        self.advance(context)
    }

    /// Ends the pause, and shows the programs' turn if they have chosen.
    fn go_on(&mut self, context: &mut Context) -> Go {
        self.pause = None;
        match self.answers.take() {
            Some(answers) => {
                let happened = self.enter(Input::Programs(answers), context);
                self.react(happened, context)
            }
            None => Go::Stay,
        }
    }
}
