//! What a player can ask for beside choosing: hints, undo, and the words of the line mode behind `:`.

use std::path::PathBuf;

use ratatui::crossterm::event::KeyCode;
use skirmish_play::Judgement;
use skirmish_present::words;
use skirmish_rules::{Both, Refusal, Side, quotable};
use skirmish_store::{NotSaved, Overwrite};

use super::super::hall::{Hall, Knowledge, is_screen, named_file};
use super::super::jobs::Effort;
use super::super::pages::{Page, rules_page};
use super::super::parts::Typing;
use super::super::rival::Rival;
use super::super::screen::{Go, Press};
use super::{Play, Question, Stage};
use crate::exit::Exit;
use crate::line::{self, Begun, Command, Request};

impl Play {
    pub(super) fn type_key(&mut self, press: Press, hall: &mut Hall) -> Go {
        let Some(typed) = &mut self.typed else { return Go::Stay };
        let is_rubbed_out = typed.text.is_empty() && press == Press::Key(KeyCode::Backspace);
        match typed.press(press) {
            Typing::On if !is_rubbed_out => Go::Stay,
            Typing::On | Typing::Left => {
                self.typed = None;
                Go::Stay
            }
            Typing::Done(text) => {
                self.typed = None;
                self.say(&text, hall)
            }
        }
    }

    /// The side that speaks: the one that is asked, or the person who waits.
    fn speaker(&self) -> Side {
        let person = Side::ALL.into_iter().find(|&side| self.is_person(side));
        match self.stage {
            Stage::Choosing(side) | Stage::Veiled(side) => side,
            Stage::Thinking { .. } | Stage::Solving | Stage::Over(_) => person.unwrap_or(Side::One),
        }
    }

    /// Does what a line says, as the line mode would.
    pub(super) fn say(&mut self, text: &str, hall: &mut Hall) -> Go {
        if text.trim().is_empty() {
            return Go::Stay;
        }
        if let Some(request) = Command::exact(text) {
            return self.obey(&request, hall);
        }
        let Some(side) = self.asked() else {
            return match Command::begun(text) {
                Begun::One(request) => self.obey(&request, hall),
                Begun::Several(_) | Begun::Nothing => {
                    self.tell("It is not your turn.", true);
                    Go::Stay
                }
            };
        };
        let refusal = match self.submit(side, text, hall) {
            Ok(()) => return self.go_on(hall),
            Err(refusal) => refusal,
        };
        let wrong = line::objection(&self.session, side, &refusal);
        if matches!(refusal, Refusal::Unreadable { .. }) {
            match Command::begun(text) {
                Begun::One(request) => return self.obey(&request, hall),
                Begun::Several(commands) => {
                    self.tell(format!("\"{}\" could be {commands}.", quotable(text.trim())), true);
                    return Go::Stay;
                }
                Begun::Nothing => {}
            }
        }
        self.tell(wrong, true);
        Go::Stay
    }

    fn obey(&mut self, request: &Request, hall: &mut Hall) -> Go {
        let side = self.speaker();
        let page = |title: &str, text: String| Go::To(Box::new(Page::new(title.to_owned(), text)));
        match request.command {
            Command::Help => return page("Words to type behind :", Command::list()),
            Command::Rules => return Go::To(Box::new(rules_page(self.plan.entry))),
            Command::Board => self.says = None,
            Command::Moves => self.tell(
                match self.asked() {
                    Some(side) => format!("You can enter {}.", line::choices(&self.session, side)),
                    None => "It is not your turn.".to_owned(),
                },
                false,
            ),
            Command::History => return page("The turns so far", line::history(&self.session)),
            Command::Hint => self.hint(hall),
            Command::Analyze => self.analyse(hall),
            Command::Save => {
                let file = request.argument.as_ref().map(|name| named_file(name, hall));
                self.save_now(file, Overwrite::if_forced(request.force));
            }
            Command::Undo => return self.undo(hall),
            Command::Draw => return self.offer_draw(side, hall),
            Command::Resign => self.question = Some(Question::Resign(side)),
            Command::Quit => return Go::Leave(Exit::Done),
        }
        Go::Stay
    }

    /// Saves now. A file that holds something else is replaced only after a yes.
    fn save_now(&mut self, file: Option<PathBuf>, overwrite: Overwrite) {
        if file.as_deref().is_some_and(is_screen) {
            return self.tell("Not saved: the screen is no place for a record. Name a file.", true);
        }
        match self.keeper.save_now(&self.session, file.as_deref(), overwrite) {
            Ok(told) => self.tell(told, false),
            Err(NotSaved::Because(fault)) => self.tell(fault, true),
            Err(NotSaved::StandardOutput) => self.tell("Not saved: name a file.", true),
            Err(NotSaved::Exists(shown)) => {
                self.tell(format!("{shown} exists already. Replace it? (y or n)"), true);
                self.replacing = file;
            }
        }
    }

    pub(super) fn answer_replacing(&mut self, file: PathBuf, press: Press) -> Go {
        match press {
            Press::Key(KeyCode::Char('y' | 'Y')) => {
                self.save_now(Some(file), Overwrite::Allowed);
            }
            Press::Key(KeyCode::Char('n' | 'N') | KeyCode::Esc) => self.tell("Not saved.", false),
            Press::Key(_) | Press::Control(_) | Press::Pick(_) => self.replacing = Some(file),
        }
        Go::Stay
    }

    /// The best move, and what it leads to.
    pub(super) fn hint(&mut self, hall: &mut Hall) {
        let Some(side) = self.asked() else { return };
        match self.judgement(hall) {
            Ok(judgement) => self.tell(words::hint(&judgement, side), false),
            Err(why) => self.tell(why, false),
        }
    }

    /// Switches the analysis on or off.
    pub(super) fn analyse(&mut self, hall: &mut Hall) {
        self.is_analysing = !self.is_analysing;
        if self.is_analysing {
            hall.learn(&self.plan, Effort::Full);
        }
    }

    /// What is known of the position, or why nothing is.
    pub(super) fn judgement(&self, hall: &mut Hall) -> Result<Judgement, String> {
        hall.learn(&self.plan, Effort::Full);
        match hall.knowledge(&self.plan) {
            Some(Knowledge::Known(known)) => {
                let judgement = known.solved.judge_position(&self.session.table().position());
                let nothing = || "Nothing is known of this position.".to_owned();
                judgement.ok().flatten().ok_or_else(nothing)
            }
            Some(Knowledge::Refused(_, why)) => {
                Err(format!("This game cannot be solved here: {why}."))
            }
            Some(Knowledge::Working(_)) | None => {
                Err("The game is being solved; ask again in a moment.".to_owned())
            }
        }
    }

    /// Takes back the last choice of a person, and what programs did since.
    pub(super) fn undo(&mut self, hall: &mut Hall) -> Go {
        let people = Both::from_fn(|side| self.is_person(side));
        if !self.session.undo_choice_of(people) {
            self.tell("There is no turn to take back.", true);
            return Go::Stay;
        }
        if let Stage::Thinking { side, .. } = self.stage
            && self.rivals[side].as_ref().is_some_and(Rival::is_bot)
        {
            // What it thinks about is no more, and it cannot be told so: it is ended, and another one takes its seat.
            self.rivals[side] = None;
            self.seat(hall);
        }
        self.save(hall);
        self.tell("The last turn has been taken back.", false);
        let says = self.says.take();
        let go = self.go_on(hall);
        self.says = says;
        go
    }

    fn offer_draw(&mut self, side: Side, hall: &mut Hall) -> Go {
        let other = side.other();
        if self.is_person(other) {
            self.question = Some(Question::Draw(side));
            return Go::Stay;
        }
        let accepts = self.rivals[other]
            .as_ref()
            .is_some_and(|rival| rival.accepts_draw(self.session.table(), other));
        self.settle_offer(other, accepts, hall)
    }

    pub(super) fn answer(&mut self, question: Question, press: Press, hall: &mut Hall) -> Go {
        let agrees = match press {
            Press::Key(KeyCode::Char('y' | 'Y')) => true,
            Press::Key(KeyCode::Char('n' | 'N') | KeyCode::Esc) => false,
            Press::Key(_) | Press::Control(_) | Press::Pick(_) => return Go::Stay,
        };
        self.question = None;
        match question {
            Question::Draw(side) => self.settle_offer(side.other(), agrees, hall),
            Question::Resign(side) if agrees && self.session.ending().is_none() => {
                self.session.resign(side);
                self.save(hall);
                self.go_on(hall)
            }
            Question::Resign(_) => Go::Stay,
        }
    }

    fn settle_offer(&mut self, answering: Side, accepts: bool, hall: &mut Hall) -> Go {
        if accepts {
            self.session.agree_on_draw();
            self.save(hall);
            return self.go_on(hall);
        }
        let name = self.session.table().names()[answering].clone();
        self.tell(format!("{name} declines the draw."), false);
        Go::Stay
    }
}
