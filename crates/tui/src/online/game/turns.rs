//! The parts specific to a game on a server: keys, clocks, and the screens in front of the board.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_play::driver::{Driver, Meaning, Question, Word};
use skirmish_play::{Analysis, Plan};
use skirmish_room::Mirror;
use skirmish_room::wire::{Offer, StageName};
use skirmish_room::words::{OnlineWord, all};
use skirmish_rules::Side;
use skirmish_store::{NotSaved, Overwrite};

use super::super::super::after::{AfterItem, free_name};
use super::super::super::context::Context;
use super::super::super::parts::Canvas;
use super::super::super::play::Turns;
use super::super::super::play::picture::Outlook;
use super::super::super::screen::{Fate, Go, Help, Hint, Press};
use super::super::LinkEvent;
use super::super::words::next_tick;
use super::{OnlinePlay, view};

const PAUSED: &str = "The game is paused; enter it again when the server is back.";
const CHOSEN_ALREADY: &str = "You have chosen already, and cannot change it.";

impl OnlinePlay {
    /// Handles a key while there is no board: before the second player joins, or if the game cannot be entered.
    fn press_waiting(&mut self, press: Press, context: &mut Context) -> Go {
        match press {
            Press::Key(KeyCode::Esc) => self.leave(context),
            Press::Key(KeyCode::Char('x')) if self.can_close() => self.depart(true, context),
            Press::Key(_) | Press::Control(_) | Press::Pick(_) | Press::Wheel(_) => Go::Stay,
        }
    }

    fn has_board(&self) -> bool {
        self.session().is_some() && self.source.refused.is_none()
    }
}

impl Turns for OnlinePlay {
    fn game(&self) -> Option<(&Plan, &Driver)> {
        Some((self.mirror().plan()?, self.mirror().driver()?))
    }

    fn chooser(&self) -> Option<Side> {
        self.mirror().asked()
    }

    fn awaits_you(&self) -> bool {
        self.chooser().is_some() || self.open_offer().is_some()
    }

    fn invitation(&self, context: &Context) -> Option<String> {
        Some(context.online.as_ref()?.invitation(self.mirror().code()))
    }

    fn has_ended(&self) -> bool {
        self.mirror().end().is_some()
    }

    fn advance(&mut self, context: &mut Context) -> Go {
        self.show(true, context);
        Go::Stay
    }

    fn play(&mut self, _side: Side, text: &str, context: &mut Context) -> Go {
        self.message = None;
        self.send(context, |mirror| mirror.act(text));
        Go::Stay
    }

    fn type_line(&mut self, line: &str, context: &mut Context) -> Go {
        if let Some(word) = OnlineWord::read(line) {
            return self.run_word(word, context);
        }
        let Some(driver) = self.mirror().driver() else {
            return self.say("The game has not begun.", true);
        };
        let side = self.mirror().you().unwrap_or(Side::One);
        match driver.interpret(side, line) {
            Meaning::Nothing => Go::Stay,
            Meaning::Word(request, _) => match request.word {
                Word::Undo => self.offer(Offer::Takeback, context),
                Word::Draw => self.offer(Offer::Draw, context),
                Word::Resign => self.ask_to_resign(),
                _ => self.run_request(&request, context),
            },
            _ if self.mirror().you().is_none() => self.watching(),
            Meaning::Choice(()) if self.asked().is_some() => self.play(side, line, context),
            Meaning::Choice(()) | Meaning::Refused(_) | Meaning::Unknown(_) if self.is_paused() => {
                self.say(PAUSED, true)
            }
            Meaning::Choice(()) => self.say(CHOSEN_ALREADY, true),
            Meaning::Refused(why) | Meaning::Unknown(why) => self.say(why, true),
        }
    }

    fn takes_lines(&self) -> bool {
        !self.has_front()
    }

    /// The words that this player or spectator can type.
    fn words(&self) -> Vec<(&'static str, String)> {
        let may_know = self.has_hints() || self.mirror().end().is_some();
        let (is_player, may_rematch) = (self.mirror().you().is_some(), self.mirror().may_rematch());
        let is_useful = |word: &str| match word {
            "close" => false,
            "analyze" => may_know,
            "hint" => may_know && is_player,
            "moves" | "undo" | "draw" | "resign" | "yes, no" | "say" | "claim" => is_player,
            "rematch" => may_rematch,
            _ => true,
        };
        all().filter(|(word, _)| is_useful(word)).collect()
    }

    fn question(&self) -> Option<Question> {
        self.mirror().you().filter(|_| self.source.is_resigning).map(Question::Resign)
    }

    fn answer(&mut self, _question: Question, yes: bool, context: &mut Context) -> Go {
        self.source.is_resigning = false;
        if yes {
            self.send(context, Mirror::resign);
        }
        Go::Stay
    }

    fn usual_file(&self, context: &Context) -> Option<PathBuf> {
        let plan = self.mirror().plan()?;
        Some(context.options.folder.join(free_name(plan.entry.id, &context.options.folder)))
    }

    fn write(&mut self, file: Option<&Path>, overwrite: Overwrite) -> Result<String, NotSaved> {
        let (Some(session), Some(file)) = (self.mirror().session(), file) else {
            unreachable!("lines are typed only in a game, and it has a usual file")
        };
        self.source.copies.save(&session.record(), file, overwrite)
    }

    /// Leaves the game. A game that is waiting for its second player stays open.
    fn leave(&mut self, context: &mut Context) -> Go {
        let has_joined = self.mirror().version() > 0;
        self.depart(has_joined && !self.can_close(), context)
    }

    fn ban(&self) -> Option<&'static str> {
        let is_banned = !self.has_hints() && !self.has_ended();
        is_banned.then_some("Hints and analysis are not allowed in this game.")
    }

    fn press_first(&mut self, press: Press, context: &mut Context) -> Option<Go> {
        if !self.has_board() {
            return Some(self.press_waiting(press, context));
        }
        let is_free = self.after.as_ref().is_some_and(|after| !after.is_asking());
        let is_answered = is_free && is_answer(press) && self.open_offer().is_some();
        is_answered.then(|| self.answer_offer(press.answer() == Some(true), context))
    }

    fn press_own(&mut self, press: Press, context: &mut Context) -> Option<Go> {
        let is_over = self.is_over();
        match press {
            _ if is_answer(press) && self.open_offer().is_some() => {
                Some(self.answer_offer(press.answer() == Some(true), context))
            }
            Press::Key(KeyCode::Char('r')) if is_over => Some(self.offer(Offer::Rematch, context)),
            Press::Key(KeyCode::Enter | KeyCode::Char(' ')) | Press::Pick(_) if is_over => {
                Some(self.conclude(context))
            }
            _ => None,
        }
    }

    /// Explains why the key plays nothing, if the reason is not obvious.
    fn refuse_key(&mut self) {
        let Some(side) = self.mirror().you().filter(|_| !self.has_ended()) else { return };
        if self.is_paused() {
            self.say(PAUSED, true);
        } else if self.mirror().has_chosen(side) {
            self.say(CHOSEN_ALREADY, true);
        }
    }

    fn title(&self) -> String {
        view::title(self)
    }

    fn own_hints(&self) -> Vec<Hint> {
        if !self.has_board() {
            let close = self.can_close().then_some(("x", "close the game"));
            return std::iter::once(("Esc", "lobby")).chain(close).collect();
        }
        let mut hints = match self.open_offer() {
            Some(_) => vec![("y", "accept"), ("n", "decline")],
            None => Vec::new(),
        };
        if let Some(after) = &self.after {
            hints.extend(after.hints());
            return hints;
        }
        if self.is_over() {
            hints.insert(0, ("Enter", "continue"));
            hints.extend(self.next_steps().into_iter().map(AfterItem::hint));
        } else if self.mirror().you().is_some() {
            if self.asked().is_some() {
                hints.push(("Enter", "play"));
            }
            if self.has_hints() {
                hints.extend([("h", "hint"), ("a", "analysis")]);
            }
            if self.turns() > 0 {
                hints.push(("u", "take back"));
            }
        }
        hints.extend([("t", "log"), (":", "more"), ("Esc", "lobby")]);
        hints
    }

    fn adapt_help(&self, help: Vec<Help>) -> Vec<Help> {
        if self.has_board() { help } else { Vec::new() }
    }

    fn outlook(&self, area: Rect, _analysis: Option<&Analysis>, context: &Context) -> Outlook {
        view::outlook(self, area, context)
    }

    fn has_front(&self) -> bool {
        !self.has_board()
    }

    fn draw_front(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        view::draw_front(self, canvas, area, context);
    }

    /// When the display of a clock next changes.
    fn timer(&self) -> Option<Instant> {
        let mirror = &self.mirror();
        let clock = mirror.clock().filter(|_| mirror.stage() == StageName::Playing)?;
        let since = self.since(self.now);
        let left = mirror.time_left(since)?;
        let running = Side::ALL.into_iter().filter(|side| clock.running.contains(&side.number()));
        let running = running.map(|side| left[side]);
        let abort = clock.abort.map(|abort| abort.saturating_sub(since));
        let next = running.chain(abort).filter(|left| *left > 0).map(next_tick).min()?;
        Some(self.source.told_at + Duration::from_millis(since + next))
    }

    fn hear(&mut self, event: &LinkEvent, is_top: bool, context: &mut Context) {
        match event {
            LinkEvent::Connected(_) => self.join(context),
            LinkEvent::Record { .. } | LinkEvent::Lost { .. } | LinkEvent::Failed { .. } => {}
            LinkEvent::Message(message) => {
                self.receive(message, context);
                self.show(is_top, context);
            }
        }
        if let Some(after) = &mut self.after {
            after.wait_for(self.source.mirror.outage());
        }
    }

    fn open_own(&mut self, item: AfterItem, context: &mut Context) -> Option<Go> {
        match item {
            AfterItem::Rematch => Some(self.offer(Offer::Rematch, context)),
            AfterItem::Lobby => Some(self.leave(context)),
            _ => None,
        }
    }

    fn next_steps(&self) -> Vec<AfterItem> {
        let has_record = self.session().is_some_and(|session| session.ending().is_some());
        let steps = [
            (AfterItem::Rematch, self.mirror().may_rematch()),
            (AfterItem::Review, self.mirror().end().is_some() && has_record),
        ];
        steps.into_iter().filter(|(_, is_possible)| *is_possible).map(|(step, _)| step).collect()
    }

    fn fate(&self) -> Option<Fate> {
        let mirror = &self.mirror();
        let is_playing = matches!(mirror.stage(), StageName::Playing | StageName::Paused);
        let in_game = is_playing && mirror.you().is_some() && !self.has_ended();
        in_game.then(|| Fate::GoesOn { is_timed: mirror.clock().is_some() })
    }
}

/// Whether a key answers an offer. Esc does not, because it leaves the game.
const fn is_answer(press: Press) -> bool {
    matches!(press, Press::Key(KeyCode::Char('y' | 'Y' | 'n' | 'N')))
}
