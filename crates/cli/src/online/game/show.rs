//! Shows the events of an online game.

use std::sync::atomic::Ordering;

use anyhow::Result;
use skirmish_play::points;
use skirmish_present::json::EventObject;
use skirmish_room::Notice;
use skirmish_room::wire::Offer;
use skirmish_room::words::{ABORTED, CLOSED_BY_OPERATOR, PAUSED, offers};
use skirmish_rules::{Both, Side};

use super::super::invite;
use super::{CLOSED, Play, State, period};
use crate::line::Beginning;

/// The message to the players at the end of a rated game.
const RATED: &str = "The game was rated: history in the lobby shows your rating.";

impl Play<'_> {
    /// Shows a notice.
    pub(super) fn show(&mut self, notice: &Notice) -> Result<()> {
        let you = self.mirror.you();
        let session = self.mirror.session();
        let name = |side: Side| {
            let name = session.map(|session| &session.table().names()[side]);
            name.map_or_else(|| side.to_string(), String::clone)
        };
        let console = &mut self.client.console;
        match notice {
            // No message: the player is stopping their own server.
            Notice::Paused | Notice::Stuck { .. } if self.client.ends.load(Ordering::Relaxed) => {}
            Notice::Waiting => invite::show(console, &self.client.address, self.mirror.code())?,
            Notice::Closed if session.is_some() => {
                self.state.goes_on = false;
                console.note(CLOSED_BY_OPERATOR)?;
            }
            Notice::Closed => {
                self.state.is_closed = true;
                console.note(CLOSED)?;
            }
            Notice::Began { resumed, swapped } => self.show_beginning(*resumed, *swapped)?,
            Notice::Refused(rej) => console.refuse(&rej.text)?,
            Notice::Unrated(text) | Notice::Stuck { text, .. } | Notice::Unstuck(text) => {
                console.note(text)?;
            }
            Notice::Presence(present) => self.show_presence(*present)?,
            Notice::Chosen(side) if console.is_json() => console.waits(*side)?,
            Notice::Chosen(side) if you == Some(*side) => {}
            Notice::Chosen(side) => console.note(&format!("{} has chosen.", name(*side)))?,
            Notice::Turn => session.map_or(Ok(()), |session| console.turn(session))?,
            Notice::TakenBack => {
                (self.state.asked, self.state.told_to_wait) = (None, None);
                session.map_or(Ok(()), |session| console.taken_back(session))?;
            }
            Notice::Offered(side, what) => {
                let offer = offers(&name(*side), *what);
                if you.is_some_and(|you| you != *side) {
                    let text = format!("{offer} Do you accept (yes or no)?");
                    console.say(&text, || EventObject::Question { text: text.clone() })?;
                } else {
                    console.note(&offer)?;
                }
            }
            // An accepted draw is shown as the end of the game.
            Notice::Answered(_, Offer::Draw, true) | Notice::Accepted(_) => {}
            Notice::Answered(side, what, accepts) => {
                self.state.goes_on |= *what == Offer::Rematch && *accepts;
                let answer = if *accepts { "accepts" } else { "declines" };
                console.note(&format!("{} {answer}.", name(*side)))?;
            }
            Notice::Ended(_) => {
                self.state.confirms = false;
                match session.and_then(|session| Some((session, session.ending()?))) {
                    Some((session, ending)) => {
                        console.end(session, ending)?;
                        if you.is_some() && self.mirror.terms().is_some_and(|terms| terms.rated) {
                            console.note(RATED)?;
                        }
                    }
                    None => console.note(ABORTED)?,
                }
            }
            Notice::Score(score, over) => {
                self.state.goes_on = !over;
                console.score(score, *over)?;
            }
            Notice::Said(side, phrase) => {
                console.note(&format!("{}: {}", name(*side), phrase.text()))?;
            }
            Notice::Paused => console.note(PAUSED)?,
            Notice::Resumed => console.note("The game goes on.")?,
        }
        Ok(())
    }

    fn show_beginning(&mut self, resumed: bool, swapped: bool) -> Result<()> {
        let present = self.mirror.present();
        self.state = State {
            clock_at: self.state.clock_at,
            present,
            is_deserted: self.mirror.you().is_some_and(|you| !present[you.other()]),
            ..State::default()
        };
        let (Some(session), Some(plan)) = (self.mirror.session(), self.mirror.plan()) else {
            return Ok(());
        };
        if let Some(advisor) = &mut self.advisor {
            advisor.switch_to(plan);
        }
        let next = Beginning::Next { is_swapped: swapped };
        let beginning = if resumed { Beginning::Resumed } else { next };
        let console = &mut self.client.console;
        console.begin(session, beginning)?;
        let names = session.table().names();
        // The score was shown after each earlier game that this client has seen.
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        if let Some(standing) = plan.standing.filter(|standing| is_first && standing.game > 1) {
            let (one, two) = (points(standing.half_points.one), points(standing.half_points.two));
            console.note(&format!("Score: {} {one}, {} {two}", names.one, names.two))?;
        }
        console.note(&match self.mirror.you() {
            Some(side) => format!("You are {} ({}).", names[side], side.token()),
            None => format!("You are watching {} (P1) against {} (P2).", names.one, names.two),
        })?;
        if std::mem::take(&mut self.client.shows_address) {
            invite::show_again(console, &self.client.address, self.mirror.code())?;
        }
        if let Some(left) = self.mirror.clock().and_then(|clock| clock.abort) {
            let left = period(left.div_ceil(1000));
            console.note(&format!(
                "If a first move is not made within {left}, the game is aborted."
            ))?;
        }
        Ok(())
    }

    fn show_presence(&mut self, present: Both<bool>) -> Result<()> {
        let before = std::mem::replace(&mut self.state.present, present);
        let Some(session) = self.mirror.session() else { return Ok(()) };
        let you = self.mirror.you();
        self.state.is_deserted = you.is_some_and(|you| !present[you.other()]);
        for side in Side::ALL {
            if you == Some(side) || before[side] == present[side] {
                continue;
            }
            let name = &session.table().names()[side];
            let claim = self.mirror.claim_after();
            let claim = claim.filter(|_| you.is_some() && self.mirror.end().is_none());
            let text = match (present[side], claim) {
                (true, _) => format!("{name} is connected."),
                (false, None) => format!("{name} is not connected."),
                (false, Some(seconds)) => format!(
                    "{name} is not connected. After {} of absence in their turn you can claim the game.",
                    period(seconds)
                ),
            };
            self.client.console.note(&text)?;
        }
        Ok(())
    }
}
