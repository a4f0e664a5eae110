//! A game at this terminal: asks people for their choices while programs think in the background.

mod turns;
mod view;
mod watching;

use std::path::Path;

use skirmish_play::driver::{Answers, Driver, Happened, Input, Question, Seat};
use skirmish_play::library::Effort;
use skirmish_play::{MatchState, Plan, Session, review};
use skirmish_present::words;
use skirmish_rules::{Both, Choice, Ending, Refusal, Side, Termination};
use skirmish_store::{GameResult, Keeper, Save, read_record_file, shell};

use self::watching::Watching;
pub(super) use self::watching::{across, bar};
use super::super::after::After;
use super::super::bots::bots_of;
use super::super::context::Context;
use super::super::log::Log;
use super::super::rival::Rival;
use super::super::screen::Go;
use super::picture::result;
use super::{ActiveGame, Pause, Paused, Turns, together};

pub(crate) type LocalPlay = ActiveGame<Local>;

/// The source of turns for a game at this terminal.
pub(crate) struct Local {
    plan: Plan,
    driver: Driver,
    keeper: Keeper,
    /// The programs that play: bots, and computer players once the game is solved.
    rivals: Both<Option<Rival>>,
    /// The state of the spectator, if only programs play.
    watching: Option<Watching>,
    stage: Stage,
    /// The programs' answers, held back until the pause ends.
    answers: Option<Answers>,
}

/// What the game is waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// A side's secret choice, behind the curtain.
    Veiled(Side),
    /// The secret choices of two people, each with keys of their own.
    Together,
    /// A side's choice.
    Choosing(Side),
    /// A program's choice.
    Thinking {
        asked: Both<bool>,
        ticket: u64,
    },
    /// The next turn to become due, if only programs play.
    Between,
    /// The solution of the game, which the computer needs to play.
    Solving,
    Over(Ending),
}

impl LocalPlay {
    /// Begins a game.
    pub(crate) fn begin(plan: Plan, context: &mut Context) -> Self {
        let session = plan.begin();
        let keeper = context.keeper(None);
        Self::open(plan, session, keeper, context)
    }

    /// Resumes a saved game in its file, unless another program is playing it.
    pub(crate) fn resume_file(file: &Path, context: &mut Context) -> Result<Self, String> {
        // Lock before reading: until then, another program may write the file.
        let save = Save::resume(file).map_err(|error| error.to_string())?;
        Self::from_file(file, Some(save), context)
    }

    /// Resumes a copy of a saved game.
    pub(crate) fn copy(file: &Path, context: &mut Context) -> Result<Self, String> {
        Self::from_file(file, None, context)
    }

    fn from_file(file: &Path, save: Option<Save>, context: &mut Context) -> Result<Self, String> {
        let record =
            read_record_file(file, context.catalog()).map_err(|error| error.to_string())?;
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
        Ok(Self::open(plan, session, keeper, context))
    }

    pub(crate) fn open(
        plan: Plan,
        session: Session,
        mut keeper: Keeper,
        context: &mut Context,
    ) -> Self {
        if let Some(warning) = keeper.begin(&plan, &session) {
            context.notice = Some(warning);
        }
        context.bots.start(bots_of(&plan.players), &context.options.folder);
        if plan.has_computer() {
            context.train(&plan);
        } else {
            context.learn(&plan, Effort::Slight);
        }
        let log = Log::new(&plan, &session, plan.only_person());
        let is_toss_shown = plan.is_tossed && session.table().turns_played() == 0;
        let driver = Driver::new(session, plan.players.as_ref().map(Seat::from));
        let local = Local {
            watching: Watching::of(&driver),
            driver,
            plan,
            keeper,
            rivals: Both::new(None, None),
            stage: Stage::Solving,
            answers: None,
        };
        let mut game = Self::of(local, log, context);
        game.seat(context);
        if is_toss_shown {
            game.pause = Some(Pause::new(Paused::Toss, context));
        }
        // If the game is already over, the first key shows the next screen.
        let _ = game.advance(context);
        game
    }

    /// Seats the programs: bots, and computer players if the game is solved.
    fn seat(&mut self, context: &Context) {
        for side in Side::ALL {
            if self.source.rivals[side].is_none() {
                self.source.rivals[side] = Rival::of(&self.source.plan, side, context);
            }
        }
    }

    /// Whether the programs of all sides in `asked` are ready.
    fn are_seated(&self, asked: Both<bool>) -> bool {
        Side::ALL.into_iter().all(|side| !asked[side] || self.source.rivals[side].is_some())
    }

    /// Asks programs for their choices, if the next turn is due.
    fn ask_programs(&mut self, asked: Both<bool>, context: &mut Context) {
        let local = &mut self.source;
        let now = context.now;
        if local.watching.as_mut().is_some_and(|watching| !watching.may_go_on(now)) {
            local.stage = Stage::Between;
            return;
        }
        let ticket = context.ticket();
        let session = local.driver.session();
        let (number, undone) = (session.number(), session.undone());
        let table = session.table().fork();
        // Set the stage first, in case the answer arrives immediately.
        local.stage = Stage::Thinking { asked, ticket };
        if std::mem::take(&mut self.is_unread) {
            self.pause = Some(Pause::new(Paused::Reading, context));
        }
        context.jobs.choose(ticket, &local.rivals, table, asked, number, undone);
    }

    /// Passes an input to the driver, and reacts to the result.
    fn enter(&mut self, input: Input, context: &mut Context) -> Go {
        let happened = self.drive(input, context);
        self.react(happened, context)
    }

    /// Passes an input to the driver, and shows the turn if one is complete.
    fn drive(&mut self, input: Input, context: &mut Context) -> Happened {
        let table = self.source.driver.session().table();
        let (before, turns) = (table.scene(), table.turns_played());
        let is_own = matches!(input, Input::Choice(..) | Input::Line(..));
        let happened = self.source.driver.enter(input);
        self.log.follow(self.source.driver.session());
        let table = self.source.driver.session().table();
        match happened {
            Happened::TakenBack => {
                let text = words::taken_back(turns.saturating_sub(table.turns_played()));
                self.log.note(text.clone());
                self.say(text, false);
            }
            Happened::Turn => {
                let last_turn = table.last_turn();
                self.show_turn(before, last_turn, is_own, context);
                if let Some(watching) = &mut self.source.watching {
                    watching.turn_played(context.now);
                }
            }
            Happened::Chosen(_) => (self.message, self.chosen) = (None, Some(0)),
            _ => {}
        }
        if self.source.driver.saves_after(&happened)
            && let Some(warning) = self.source.keeper.keep(self.source.driver.session())
        {
            context.notice = Some(warning);
        }
        happened
    }

    /// Reacts to the result of an input.
    fn react(&mut self, happened: Happened, context: &mut Context) -> Go {
        match happened {
            Happened::Nothing | Happened::Declined(Question::Offer(_) | Question::Resign(_)) => {
                Go::Stay
            }
            Happened::Chosen(_) | Happened::Turn | Happened::Ended => self.advance(context),
            Happened::TakenBack => self.taken_back(context),
            Happened::Refused(why) | Happened::Unknown(why) => self.say(why, true),
            Happened::Asked(question) => self.ask(question, context),
            Happened::Declined(Question::Draw(side)) => {
                let names = self.source.driver.session().table().names();
                self.say(format!("{} declines the draw.", names[side.other()]), false)
            }
            Happened::NoRoom(fault) => {
                self.source.stage = Stage::Solving;
                self.say(format!("A bot {fault}."), true)
            }
            Happened::Requested(request) => self.run_request(&request, context),
        }
    }

    /// Continues after one or more turns have been taken back.
    fn taken_back(&mut self, context: &mut Context) -> Go {
        (self.pause, self.source.answers) = (None, None);
        if let Stage::Thinking { asked, .. } = self.source.stage {
            for side in Side::ALL.into_iter().filter(|&side| asked[side]) {
                // Replace a bot that is thinking about an obsolete position: the protocols cannot cancel a request.
                self.source.rivals[side].take_if(|rival| rival.is_bot());
            }
            self.seat(context);
        }
        let message = self.message.take();
        let go = self.advance(context);
        self.message = message;
        go
    }

    /// Asks a question, which a program answers immediately.
    fn ask(&mut self, question: Question, context: &mut Context) -> Go {
        let side = question.answered_by();
        if self.source.driver.is_person(side) {
            return Go::Stay;
        }
        let table = self.source.driver.session().table();
        let rival = self.source.rivals[side].as_ref();
        let accepts = rival.is_some_and(|rival| rival.accepts_draw(table, side));
        self.answer(question, accepts, context)
    }

    fn end(&mut self, ending: Ending, context: &mut Context) {
        if self.source.stage == Stage::Over(ending) {
            return;
        }
        let local = &mut self.source;
        local.stage = Stage::Over(ending);
        (self.pause, local.answers) = (None, None);
        local.rivals = Both::new(None, None);
        let session = local.driver.session();
        if ending.termination != Termination::Rules {
            let viewer = local.plan.only_person();
            self.log.note(result(viewer, session.table().names(), ending, session.fault()));
        }
        let solved = context.known(&local.plan).map(|known| known.solved);
        let warning = local.keeper.end(session);
        let record = session.record();
        let counted = local.keeper.count(|| {
            let accuracy = solved.map(|solved| review(&record, &solved).accuracy);
            let accuracy = accuracy.unwrap_or(Both::new(None, None));
            GameResult::of(&local.plan, ending, record.turns.len(), accuracy)
        });
        let undelivered = local.keeper.deliver();
        if let Some(warning) = warning.or(undelivered).or(counted) {
            context.notice = Some(warning);
        }
    }

    /// Opens the screen after the game.
    fn conclude(&mut self, ending: Ending, context: &mut Context) -> Go {
        let local = &mut self.source;
        let next = match local.plan.after(ending.outcome) {
            None | Some(MatchState::Over(_)) => None,
            Some(MatchState::Next(_, next)) => Some(*next),
        };
        let keeper = std::mem::replace(&mut local.keeper, context.keeper(None));
        let next = next.map(|plan| (plan, keeper));
        let after = After::new(local.plan.clone(), local.driver.session().record(), next, context);
        self.after = Some(after);
        Go::Stay
    }

    /// The side whose player is typing: the side to choose or, if a program is to choose, the waiting person's. If two
    /// people choose at the same time, it is the first who is not ready.
    fn speaker(&self) -> Side {
        if let Stage::Choosing(side) | Stage::Veiled(side) = self.source.stage {
            return side;
        }
        let ready = self.ready();
        let may_speak = |side: &Side| {
            self.source.driver.is_person(*side) && !ready.is_some_and(|ready| ready[*side])
        };
        Side::ALL.into_iter().find(may_speak).unwrap_or(Side::One)
    }

    /// The stage in which people choose; `None` if the only choice left is forced.
    fn stage_for(&self, side: Side, context: &Context) -> Option<Stage> {
        let driver = &self.source.driver;
        if !driver.is_secret() {
            return Some(Stage::Choosing(side));
        }
        let table = driver.session().table();
        let has_begun = Side::ALL.into_iter().any(|side| table.has_chosen(side));
        let is_free = |side: &Side| table.choices(*side).len() > 1;
        let free: Vec<Side> = table.to_act().into_iter().filter(is_free).collect();
        let has_curtain = context.options.preferences.curtain || !together::has_keys(table);
        Some(match *free.as_slice() {
            [] if has_begun => return None,
            [] => Stage::Choosing(side),
            [..] if !has_curtain => Stage::Together,
            // What the other side will choose is known.
            [only] if !has_begun => Stage::Choosing(only),
            [first, ..] => Stage::Veiled(first),
        })
    }

    /// While two people choose at the same time: who has chosen, or has nothing to choose.
    fn ready(&self) -> Option<Both<bool>> {
        let table = self.source.driver.session().table();
        let is_ready = |side| table.has_chosen(side) || table.choices(side).len() <= 1;
        (self.source.stage == Stage::Together && self.motion.is_none())
            .then(|| Both::from_fn(is_ready))
    }

    /// Makes the choice of one of two people who choose at the same time.
    fn choose_together(&mut self, side: Side, action: &Choice, context: &mut Context) -> Go {
        let table = self.source.driver.session().table();
        let name = &table.names()[side];
        let refused = if table.has_chosen(side) {
            format!("{name} is ready; u takes the choice back.")
        } else {
            match table.check(side, &action.notation) {
                Ok(()) => {
                    self.log.follow_newest();
                    return self.play(side, &action.notation, context);
                }
                Err(Refusal::Illegal { why, .. }) => format!("{name}: {why}"),
                Err(refusal) => refusal.to_string(),
            }
        };
        self.say(refused, true)
    }

    /// The side that chooses behind the curtain, once the last turn has been shown.
    fn veiled(&self) -> Option<Side> {
        match self.source.stage {
            Stage::Veiled(side) if self.motion.is_none() => Some(side),
            _ => None,
        }
    }

    /// Whether the coin toss is shown.
    fn is_tossing(&self) -> bool {
        self.pause.is_some_and(|pause| pause.is_toss())
    }
}
