//! Processes messages from the server: updates the mirror, and queues the news to show.

use skirmish_rules::{Both, Side};

use super::{Mirror, Notice, Update};
use crate::rejection::RejectionCode;
use crate::terms::Terms;
use crate::wire::{About, Ev, EventView, MessageId, Offer, Rej, ServerMessage, Snap, StageName};

impl Mirror {
    /// Processes a message from the server. [`Mirror::advance`] then returns its news.
    pub fn receive(&mut self, message: ServerMessage) {
        match message {
            ServerMessage::Snap(snap) if snap.code == self.code => self.receive_snap(&snap),
            ServerMessage::Ev(ev) if ev.code == self.code => self.receive_ev(*ev),
            ServerMessage::Ack { id, v, .. } if self.forget(&id) => {
                self.answered_v = self.answered_v.max(v.unwrap_or(0));
                self.show(Notice::Accepted(id));
            }
            ServerMessage::Rej(rej) if rej.id.as_ref().is_some_and(|id| self.forget(id)) => {
                self.show(Notice::Refused(rej));
            }
            ServerMessage::Rej(rej) if rej.is_notice() => self.receive_notice(rej),
            ServerMessage::Presence { code, players, watchers } if code == self.code => {
                let present: Both<bool> = players.into();
                if present != self.present {
                    self.show(Notice::Presence(present));
                }
                (self.present, self.watchers) = (present, watchers);
            }
            ServerMessage::Pong { versions } => {
                self.out_of_step |= versions.get(&self.code).is_some_and(|&v| v > self.v);
            }
            _ => {}
        }
    }

    /// Processes a notice that the computer or the server cannot continue, or can continue again.
    fn receive_notice(&mut self, rej: Rej) {
        let Rej { code, text, notice, .. } = rej;
        let is_over = notice.as_ref().is_some_and(|notice| notice.over);
        if let Some(About { code, clock, .. }) = notice {
            if code != self.code {
                return;
            }
            // Without a snapshot, there are no clocks to replace.
            if clock.is_some() && self.v > 0 {
                (self.clock, self.is_clock_noticed) = (clock, true);
            }
        }
        let waits = code == RejectionCode::Storage;
        if is_over || waits {
            self.outage = Some(text.clone()).filter(|_| !is_over);
        }
        self.show(if is_over { Notice::Unstuck(text) } else { Notice::Stuck { text, waits } });
    }

    fn forget(&mut self, id: &MessageId) -> bool {
        let before = self.unanswered.len();
        self.unanswered.retain(|sent| sent.id != *id);
        self.unanswered.len() < before
    }

    fn receive_snap(&mut self, snap: &Snap) {
        if snap.v < self.v {
            return;
        }
        let is_news = snap.v > self.v;
        self.v = snap.v;
        self.you = snap.you.and_then(Side::from_number);
        let rated = snap.terms.rated && snap.unrated.is_none();
        self.terms = Some(Terms { rated, ..snap.terms.clone() });
        self.claim_after = snap.claim_after;
        self.present = snap.present.into();
        (self.clock, self.is_clock_noticed) = (snap.clock.clone(), false);
        self.chosen = sides(&snap.chosen);
        let offers: Both<Option<Offer>> = snap.offers.into();
        let before = std::mem::replace(&mut self.stage, snap.stage);
        self.outage = None;
        match snap.stage {
            StageName::Open if is_news => self.show(Notice::Waiting),
            StageName::Playing if before == StageName::Paused => self.show(Notice::Resumed),
            _ => {}
        }
        if snap.number > 0 {
            self.follow(snap);
            if let Some(end) = snap.end.filter(|_| !self.known_end) {
                self.known_end = true;
                self.updates.push_back(Update::End(end));
            }
        }
        if snap.stage == StageName::Closed && before != StageName::Closed {
            self.show(Notice::Closed);
        }
        for side in Side::ALL {
            if let Some(what) = offers[side].filter(|_| offers[side] != self.offers[side]) {
                self.show(Notice::Offered(side, what));
            }
        }
        self.offers = offers;
    }

    /// Updates the mirror from its current state to that of a snapshot.
    fn follow(&mut self, snap: &Snap) {
        if snap.number != self.known.0 {
            if self.known.0 > 0
                && !self.known_end
                && let Some(end) = snap.earlier.get(self.known.0 as usize - 1)
            {
                self.updates.push_back(Update::End(*end));
            }
            self.known = (snap.number, snap.turns.clone());
            self.known_end = false;
            self.updates.push_back(Update::Begin(Box::new(snap.clone())));
            if let Some(why) = &snap.unrated {
                self.show(Notice::Unrated(why.clone()));
            }
            return;
        }
        let known = &mut self.known.1;
        let same = known.iter().zip(&snap.turns).take_while(|(one, two)| one == two).count();
        if same < known.len() {
            known.truncate(same);
            self.updates.push_back(Update::Undo(same));
        }
        for turn in &snap.turns[same..] {
            known.push(turn.clone());
            self.updates.push_back(Update::Turn(turn.clone()));
        }
    }

    fn show(&mut self, notice: Notice) {
        self.updates.push_back(Update::Show(notice));
    }

    fn receive_ev(&mut self, ev: Ev) {
        if ev.v <= self.v {
            return;
        }
        if ev.v != self.v + 1 {
            self.out_of_step = true;
            return;
        }
        self.v = ev.v;
        self.outage = None;
        if ev.clock.is_some() {
            (self.clock, self.is_clock_noticed) = (ev.clock, false);
        }
        let closes = matches!(ev.event, EventView::End { closes: true, .. });
        match ev.event {
            EventView::Chosen { player } => {
                self.chosen[player] = true;
                self.show(Notice::Chosen(player));
            }
            EventView::Turn { turns, .. } => {
                self.chosen = Both::default();
                self.offers = Both::default();
                for turn in turns {
                    self.known.1.push(turn.clone());
                    self.updates.push_back(Update::Turn(turn));
                }
            }
            EventView::Undo { player, left, .. } => {
                self.chosen = Both::default();
                self.offers = Both::default();
                self.known.1.truncate(left);
                self.show(Notice::Answered(player, Offer::Takeback, true));
                self.updates.push_back(Update::Undo(self.known.1.len()));
            }
            EventView::Offer { player, what } => {
                self.offers[player] = Some(what);
                self.show(Notice::Offered(player, what));
            }
            EventView::Answer { player, what, yes } => {
                self.offers[player.other()] = None;
                self.show(Notice::Answered(player, what, yes));
            }
            EventView::Say { player, phrase } => self.show(Notice::Said(player, phrase)),
            EventView::Paused => {
                self.stage = StageName::Paused;
                self.show(Notice::Paused);
            }
            EventView::Resumed => {
                self.stage = StageName::Playing;
                self.show(Notice::Resumed);
            }
            EventView::Closed => {
                self.offers = Both::default();
                self.close();
            }
            EventView::End { .. } => {}
        }
        if let Some(end) = ev.end.filter(|_| !self.known_end) {
            self.known_end = true;
            self.stage = StageName::Over;
            self.offers = Both::default();
            self.chosen = Both::default();
            self.updates.push_back(Update::End(end));
            // The closing event always follows. Closing now avoids offering a rematch in between.
            if closes {
                self.close();
            }
        }
    }

    /// Marks the room as permanently closed, and reports it once.
    fn close(&mut self) {
        if std::mem::replace(&mut self.stage, StageName::Closed) != StageName::Closed {
            self.show(Notice::Closed);
        }
    }
}

fn sides(numbers: &[u8]) -> Both<bool> {
    Both::from_fn(|side| numbers.contains(&side.number()))
}
