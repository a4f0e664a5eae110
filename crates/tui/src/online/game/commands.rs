//! What a player can do besides choosing: offers, phrases, hints, and the words behind `:`.

use std::path::Path;

use skirmish_play::driver::{Meaning, Request, Word};
use skirmish_play::library::Effort;
use skirmish_present::words;
use skirmish_room::Mirror;
use skirmish_room::wire::{ClientMessage, Offer, StageName};
use skirmish_room::words::{self as online_words, CLOSED_BY_OPERATOR, OnlineWord};
use skirmish_rules::{Choice, Side};
use skirmish_store::Overwrite;

use super::super::super::after::{After, AfterItem, free_name};
use super::super::super::context::{Context, named_file};
use super::super::super::pages::{PageScreen, history_page, rules_page};
use super::super::super::palette::Command;
use super::super::super::play::judgement;
use super::super::super::replay::Replay;
use super::super::super::save::save;
use super::super::super::screen::Go;
use super::super::words::answered;
use super::OnlineGame;
use crate::Closed;

const PAUSED: &str = "The game is paused; enter it again when the server is back.";
const CHOSEN_ALREADY: &str = "You have chosen already, and cannot change it.";

impl OnlineGame {
    fn say(&mut self, text: impl Into<String>, is_alarm: bool) -> Go {
        match &mut self.after {
            Some(after) => after.say(text.into()),
            None => self.message = Some((text.into(), is_alarm)),
        }
        Go::Stay
    }

    /// Sends the choice with this number.
    pub(super) fn choose(
        &mut self,
        choices: &[Choice],
        number: usize,
        context: &mut Context,
    ) -> Go {
        match choices.get(number) {
            Some(choice) => self.act(&choice.notation, context),
            None => Go::Stay,
        }
    }

    fn act(&mut self, text: &str, context: &mut Context) -> Go {
        self.message = None;
        self.send(context, |mirror| mirror.act(text));
        Go::Stay
    }

    /// Enters a typed line, as in a local game.
    pub(super) fn type_line(&mut self, text: &str, context: &mut Context) -> Go {
        if let Some(word) = OnlineWord::read(text) {
            return self.run_word(word, context);
        }
        let Some(driver) = self.mirror.driver() else {
            return self.say("The game has not begun.", true);
        };
        let side = self.mirror.you().unwrap_or(Side::One);
        match driver.interpret(side, text) {
            Meaning::Nothing => Go::Stay,
            Meaning::Word(request, _) => self.run_request(&request, context),
            _ if self.mirror.you().is_none() => self.watching(),
            Meaning::Choice if self.asked().is_some() => self.act(text, context),
            Meaning::Choice | Meaning::Refused(_) | Meaning::Unknown(_) if self.is_paused() => {
                self.say(PAUSED, true)
            }
            Meaning::Choice => self.say(CHOSEN_ALREADY, true),
            Meaning::Refused(why) | Meaning::Unknown(why) => self.say(why, true),
        }
    }

    /// Says why a key plays nothing now, if the player may wonder.
    pub(super) fn refuse_key(&mut self) -> Go {
        let Some(side) = self.mirror.you().filter(|_| self.mirror.end().is_none()) else {
            return Go::Stay;
        };
        if self.is_paused() {
            return self.say(PAUSED, true);
        }
        let has_chosen = self.mirror.has_chosen(side);
        if has_chosen { self.say(CHOSEN_ALREADY, true) } else { Go::Stay }
    }

    fn is_paused(&self) -> bool {
        self.mirror.stage() == StageName::Paused
    }

    fn watching(&mut self) -> Go {
        let names = Side::ALL.map(|side| self.name(side)).join(" and ");
        self.say(format!("You are watching {names}."), true)
    }

    fn run_word(&mut self, word: OnlineWord, context: &mut Context) -> Go {
        match word {
            OnlineWord::Lobby => {
                self.leave(context);
                return Go::Back;
            }
            OnlineWord::Review => return self.review(context),
            _ if self.mirror.you().is_none() => return self.watching(),
            OnlineWord::Close if self.can_close() => return self.close(context),
            OnlineWord::Close => {
                return self.say("Only a game that nobody has joined can be closed.", true);
            }
            OnlineWord::Say(None) => {
                return self.say(format!("You can say {}.", online_words::phrases()), true);
            }
            OnlineWord::Say(Some(phrase)) => self.send(context, |mirror| mirror.say(phrase)),
            OnlineWord::Claim => self.send(context, Mirror::claim),
            OnlineWord::Rematch => return self.offer(Offer::Rematch, context),
            OnlineWord::Yes => return self.answer(true, context),
            OnlineWord::No => return self.answer(false, context),
        }
        Go::Stay
    }

    fn review(&mut self, context: &mut Context) -> Go {
        match self.mirror.session().filter(|_| self.is_over()) {
            Some(session) => Go::To(Box::new(Replay::new(session.record(), true, context))),
            None => self.say("The game can be reviewed when it is over.", true),
        }
    }

    /// Closes a game that nobody has joined.
    pub(super) fn close(&self, context: &mut Context) -> Go {
        if let Some(online) = &mut context.online {
            online.at = None;
            online.send(ClientMessage::Leave { code: self.mirror.code().to_owned() });
        }
        Go::Back
    }

    /// Makes an offer. The server refuses what is not possible, and says why.
    pub(super) fn offer(&mut self, what: Offer, context: &mut Context) -> Go {
        if self.mirror.you().is_none() {
            return self.watching();
        }
        self.message = None;
        self.send(context, |mirror| mirror.offer(what));
        Go::Stay
    }

    /// Answers the opponent's offer.
    pub(super) fn answer(&mut self, yes: bool, context: &mut Context) -> Go {
        match self.open_offer() {
            Some(what) => {
                self.send(context, |mirror| mirror.answer(what, yes));
                if yes {
                    return Go::Stay;
                }
                self.say(format!("You decline {}.", answered(what)), false)
            }
            None => self.say("Nothing is offered to you.", true),
        }
    }

    pub(super) fn resign(&mut self, yes: bool, context: &mut Context) -> Go {
        self.is_resigning = false;
        if yes {
            self.send(context, Mirror::resign);
        }
        Go::Stay
    }

    /// Carries out a word that works at every prompt.
    fn run_request(&mut self, request: &Request, context: &mut Context) -> Go {
        let (Some(driver), Some(plan)) = (self.mirror.driver(), self.mirror.plan()) else {
            return Go::Stay;
        };
        let page = |title: &str, text: String| Go::To(Box::new(PageScreen::list(title, text)));
        match request.word {
            Word::Help => {
                return page("Words to type behind :", online_words::listed(self.useful()));
            }
            Word::Rules => return Go::To(Box::new(rules_page(plan.entry))),
            Word::History => {
                return Go::To(Box::new(history_page(&driver.session().record())));
            }
            Word::Board => self.message = None,
            Word::Moves => {
                let text = match self.asked() {
                    Some(side) => format!("You can enter {}.", driver.choices(side)),
                    None => "It is not your turn.".to_owned(),
                };
                return self.say(text, false);
            }
            Word::Hint => return self.hint(context),
            Word::Analyze => return self.analyse(context),
            Word::Undo => return self.offer(Offer::Takeback, context),
            Word::Draw => return self.offer(Offer::Draw, context),
            Word::Resign if self.mirror.you().is_none() => return self.watching(),
            Word::Resign if self.mirror.end().is_some() => {
                return self.say("The game is over.", true);
            }
            Word::Resign => self.is_resigning = true,
            Word::Save => {
                let name = request.argument.clone();
                let name = name.unwrap_or_else(|| free_name(plan.entry.id, &context.folder));
                let file = named_file(&name, context);
                self.save(&file, Overwrite::if_forced(request.force));
            }
            Word::Quit => return Go::Leave(Closed::Left),
        }
        Go::Stay
    }

    /// Whether lines can be typed: there is a board, and the screen after the game is not open.
    pub(super) fn takes_lines(&self) -> bool {
        self.mirror.session().is_some() && self.refused.is_none() && self.after.is_none()
    }

    /// The words that are of use to this player or spectator in a game that has begun.
    fn useful(&self) -> impl Iterator<Item = (&'static str, String)> + use<> {
        let may_know = self.has_hints() || self.mirror.end().is_some();
        let (is_player, may_rematch) = (self.mirror.you().is_some(), self.mirror.may_rematch());
        let is_useful = move |word: &str| match word {
            "close" => false,
            "analyze" => may_know,
            "hint" => may_know && is_player,
            "moves" | "undo" | "draw" | "resign" | "yes, no" | "say" | "claim" => is_player,
            "rematch" => may_rematch,
            _ => true,
        };
        online_words::all().filter(move |(word, _)| is_useful(word))
    }

    /// The same for the palette.
    pub(super) fn words(&self) -> impl Iterator<Item = Command> + use<> {
        self.useful().flat_map(|(words, about)| {
            words.split(", ").map(move |word| Command::line(word, about.clone()))
        })
    }

    /// Saves the record. Asks before overwriting a file that holds something else.
    pub(super) fn save(&mut self, file: &Path, overwrite: Overwrite) {
        let Some(session) = self.mirror.session() else { return };
        let record = session.record();
        let write = || self.copies.save(&record, file, overwrite);
        self.message = Some(match save(Some(file), &mut self.replacing, write) {
            Ok(text) => (text, false),
            Err(text) => (text, true),
        });
    }

    /// Whether the players have agreed to hints; if not, the player is told.
    fn may_know(&mut self) -> bool {
        if !self.has_hints() && self.mirror.end().is_none() {
            self.say("Hints and analysis are not allowed in this game.", true);
            return false;
        }
        true
    }

    /// The best move, and what it leads to.
    pub(super) fn hint(&mut self, context: &mut Context) -> Go {
        if !self.may_know() {
            return Go::Stay;
        }
        let (Some(side), Some(session), Some(plan)) =
            (self.asked(), self.mirror.session(), self.mirror.plan())
        else {
            return self.say("It is not your turn.", false);
        };
        let text = match judgement(plan, session, context) {
            Ok(judgement) => words::hint(&judgement, side),
            Err(why) => why,
        };
        self.say(text, false)
    }

    /// Switches the analysis on or off.
    pub(super) fn analyse(&mut self, context: &mut Context) -> Go {
        if !self.is_analysing && !self.may_know() {
            return Go::Stay;
        }
        self.is_analysing = !self.is_analysing;
        if let Some(plan) = self.mirror.plan().filter(|_| self.is_analysing) {
            context.learn(plan, Effort::Full);
        }
        Go::Stay
    }

    /// Opens the screen after the game.
    pub(super) fn conclude(&mut self, context: &mut Context) -> Go {
        if let (Some(plan), Some(session)) = (self.mirror.plan(), self.mirror.session()) {
            let (plan, record) = (plan.clone(), session.record());
            let mut after = After::online(plan, record, self.mirror.may_rematch(), context);
            if self.mirror.stage() == StageName::Closed {
                after.close(CLOSED_BY_OPERATOR);
            }
            after.wait_for(self.mirror.outage());
            self.after = Some(after);
        }
        Go::Stay
    }

    /// Carries out an item of the screen after the game.
    pub(super) fn open_item(&mut self, item: AfterItem, context: &mut Context) -> Go {
        match (item, &mut self.after) {
            (AfterItem::Rematch, _) => self.offer(Offer::Rematch, context),
            (AfterItem::Lobby, _) | (_, None) => {
                self.leave(context);
                Go::Back
            }
            (item, Some(after)) => after.open(item, context),
        }
    }
}
