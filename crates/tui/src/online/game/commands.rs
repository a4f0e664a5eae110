//! Player commands other than choices: offers, phrases, hints, and commands typed after `:`.

use skirmish_room::Mirror;
use skirmish_room::wire::{ClientMessage, Offer, StageName};
use skirmish_room::words::{CLOSED_BY_OPERATOR, OnlineWord, phrases};
use skirmish_rules::Side;

use super::super::super::after::After;
use super::super::super::context::Context;
use super::super::super::play::Turns;
use super::super::super::replay::Replay;
use super::super::super::screen::Go;
use super::super::send;
use super::super::words::answered;
use super::OnlinePlay;

impl OnlinePlay {
    pub(super) fn ask_to_resign(&mut self) -> Go {
        if self.mirror().you().is_none() {
            return self.watching();
        }
        if self.mirror().end().is_some() {
            return self.say("The game is over.", true);
        }
        self.source.is_resigning = true;
        Go::Stay
    }

    pub(super) fn is_paused(&self) -> bool {
        self.mirror().stage() == StageName::Paused
    }

    pub(super) fn watching(&mut self) -> Go {
        let names = Side::ALL.map(|side| self.name(side)).join(" and ");
        self.say(format!("You are watching {names}."), true)
    }

    pub(super) fn run_word(&mut self, word: OnlineWord, context: &mut Context) -> Go {
        match word {
            OnlineWord::Lobby => return self.leave(context),
            OnlineWord::Review => return self.review(context),
            _ if self.mirror().you().is_none() => return self.watching(),
            OnlineWord::Close if self.can_close() => return self.depart(true, context),
            OnlineWord::Close => {
                return self.say("Only a game that nobody has joined can be closed.", true);
            }
            OnlineWord::Say(None) => return self.say(format!("You can say {}.", phrases()), true),
            OnlineWord::Say(Some(phrase)) => self.send(context, |mirror| mirror.say(phrase)),
            OnlineWord::Claim => self.send(context, Mirror::claim),
            OnlineWord::Rematch => return self.offer(Offer::Rematch, context),
            OnlineWord::Yes => return self.answer_offer(true, context),
            OnlineWord::No => return self.answer_offer(false, context),
        }
        Go::Stay
    }

    fn review(&mut self, context: &mut Context) -> Go {
        match self.mirror().session().filter(|_| self.is_over()) {
            Some(session) => Go::to(Replay::new(session.record(), true, context)),
            None => self.say("The game can be reviewed when it is over.", true),
        }
    }

    /// Goes back to the lobby. If the server is told, it closes a game that nobody has joined.
    pub(super) fn depart(&self, is_told: bool, context: &mut Context) -> Go {
        if let Some(online) = &mut context.online {
            online.at = None;
        }
        if is_told {
            send(ClientMessage::Leave { code: self.mirror().code().to_owned() }, context);
        }
        Go::Back
    }

    /// Makes an offer. The server rejects an impossible offer with a reason.
    pub(super) fn offer(&mut self, what: Offer, context: &mut Context) -> Go {
        if self.mirror().you().is_none() {
            return self.watching();
        }
        self.message = None;
        self.send(context, |mirror| mirror.offer(what));
        Go::Stay
    }

    /// Answers the opponent's offer.
    pub(super) fn answer_offer(&mut self, yes: bool, context: &mut Context) -> Go {
        match self.open_offer() {
            Some(what) => {
                self.send(context, |mirror| mirror.answer(what, yes));
                if yes {
                    return Go::Stay;
                }
                self.respond(format!("You decline {}.", answered(what)), false)
            }
            None => self.respond("Nothing is offered to you.", true),
        }
    }

    /// Opens the screen after the game.
    pub(super) fn conclude(&mut self, context: &mut Context) -> Go {
        if let (Some(plan), Some(session)) = (self.mirror().plan(), self.mirror().session()) {
            let (plan, record) = (plan.clone(), session.record());
            let (you, may_rematch) = (self.mirror().you(), self.mirror().may_rematch());
            let mut after = After::online(plan, record, you, may_rematch, context);
            if self.mirror().stage() == StageName::Closed {
                after.close(CLOSED_BY_OPERATOR);
            }
            after.wait_for(self.mirror().outage());
            self.after = Some(after);
        }
        Go::Stay
    }
}
