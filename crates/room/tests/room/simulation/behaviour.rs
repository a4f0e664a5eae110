//! Client behaviour: clients play, offer, resign, claim, vanish and return, repeat messages, and finally finish the game.

use skirmish_room::wire::{ClientMessage, MessageId, Offer, Phrase, StageName};
use skirmish_room::{Mirror, Request};
use skirmish_rules::Side;

use super::client::{Answered, Client};
use super::judge::id_of;
use super::world::{Event, World};

/// After this many refusals, the server may have forgotten the first.
const MOST_REFUSALS: u64 = 50;

impl World {
    /// Lets a client act, and schedules its next action.
    pub(super) fn wake(&mut self, client: usize) {
        let pace = self.scenario.pace;
        let Client { mirror, connection, .. } = &self.clients[client];
        let is_away = connection.is_none();
        self.wakes += u64::from(!is_away);
        let is_alone = mirror.you().is_some_and(|you| !mirror.present()[you.other()]);
        if self.deserter == Some(self.clients[client].account) {
            return;
        }
        // The first moves must be made in time.
        let has_begun = mirror.session().is_some_and(|session| session.table().turns_played() > 1);
        let is_thoughtful = self.scenario.cluster.is_thoughtful && has_begun;
        let longest = match self.random.below(100) {
            _ if self.deserter.is_some() && mirror.asked().is_none() => {
                pace.max(mirror.claim_after().unwrap_or(0) * 1000 / 4)
            }
            _ if self.is_finale => pace,
            0..3 => 20 * pace,
            3..80 if is_thoughtful && !is_alone => 50 * pace,
            _ if is_away => 5 * pace,
            // Nothing happens until the opponent returns or the game can be claimed.
            3..60 if is_alone => pace.max(mirror.claim_after().unwrap_or(0) * 1000 / 2),
            _ => pace,
        };
        let after = self.random.below(longest) + 1;
        self.after(after, Event::Wake(client));
        self.show(client);
        self.check_order();
        self.check_up_to_date();
        self.sign_in_if_due();
        if self.is_finale {
            self.clients[client].finale += 1;
            self.end_game(client);
        } else {
            self.act(client);
        }
    }

    /// Makes a client leave, with or without a message, and schedules its return.
    fn vanish(&mut self, client: usize) {
        let Some(connection) = self.clients[client].connection else { return };
        let notices = self.random.pick(&[0, 30_000]);
        let is_long = self.random.percent(40) || self.scenario.is_restless;
        let longest = if self.nodes.len() > 1 { 150_000 } else { 1_000_000 };
        let away = self.random.pick(&[500, 90_000]) + if is_long { longest } else { 0 };
        self.tell(|| format!("client {client} vanishes for {away} ms"));
        self.judge.tally.count("client vanished");
        self.note_own_absence(client);
        self.sever(connection, 0, notices);
        self.clients[client].connection = None;
        self.clients[client].is_connecting = true;
        self.after(away, Event::Connect(client));
    }

    /// Makes a random request, while faults may occur.
    fn act(&mut self, client: usize) {
        let Client { mirror, .. } = &self.clients[client];
        let Some(you) = mirror.you() else {
            if self.random.percent(20) {
                self.client_sends(client, &ClientMessage::Ping);
            }
            return;
        };
        let offered = mirror.offers()[you.other()];
        let is_alone = !mirror.present()[you.other()];
        if let Some(side) = mirror.asked()
            && self.random.percent(70)
        {
            return self.choose(client, side);
        }
        if let Some(what) = offered
            && self.random.percent(60)
        {
            let yes = self.random.percent(50);
            return self.send(client, |mirror| mirror.answer(what, yes));
        }
        if self.scenario.is_restless && self.random.percent(6) {
            return self.vanish(client);
        }
        if is_alone && self.random.percent(30) {
            return self.send(client, Mirror::claim);
        }
        match self.random.below(28) {
            0 => {
                let text = self.random.pick(&["9", "", "xyzzy", "pass", "Schild", "1 1"]);
                self.send(client, |mirror| mirror.act(text));
            }
            1 => self.send(client, |mirror| mirror.offer(Offer::Draw)),
            2..=5 => self.send(client, |mirror| mirror.offer(Offer::Takeback)),
            6..=8 => self.send(client, |mirror| mirror.offer(Offer::Rematch)),
            9 if self.random.percent(30) => self.send(client, Mirror::resign),
            10 => self.send(client, |mirror| mirror.say(Phrase::Nice)),
            11 => {
                let what = self.random.pick(&[Offer::Draw, Offer::Takeback, Offer::Rematch]);
                self.send(client, |mirror| mirror.answer(what, true));
            }
            12..=13 => self.vanish(client),
            14..=15 => self.choose(client, you),
            16..=19 => self.send_again(client),
            20..=22 => self.client_sends(client, &ClientMessage::Ping),
            _ => {}
        }
    }

    /// Makes a choice, even if it is not the client's turn.
    fn choose(&mut self, client: usize, side: Side) {
        let session = self.clients[client].mirror.session();
        let choices = session.map(|session| session.table().choices(side)).unwrap_or_default();
        if choices.is_empty() {
            return;
        }
        let mut picked = self.random.index(choices.len());
        let style = self.random.below(4);
        if self.instead == Some(self.choices.len()) {
            picked = (picked + 1) % choices.len();
        }
        let choice = &choices[picked];
        let text = match style {
            0 => choice.words.clone(),
            1 => choice.notation.to_uppercase(),
            _ => choice.notation.clone(),
        };
        self.send(client, |mirror| mirror.act(&text));
    }

    fn send(&mut self, client: usize, make: impl FnOnce(&mut Mirror) -> ClientMessage) {
        let message = make(&mut self.clients[client].mirror);
        if let ClientMessage::Request(sent) = &message
            && matches!(sent.request, Request::Act { .. })
        {
            self.choices.push(sent.id.clone());
        }
        self.client_sends(client, &message);
    }

    /// Resends an earlier message of the account, as an impatient client might.
    pub(super) fn send_again(&mut self, client: usize) {
        let account = self.clients[client].account;
        let mine = self.judge.sent_by(account, &format!("c{client}-"));
        // A server remembers a limited number of refusals, and none after a restart.
        let remembers = self.truth.processes == 1
            && self.scenario.faults.drops == 0
            && self.truth.refusals < MOST_REFUSALS;
        let is_lasting = |id: &MessageId| {
            !matches!(self.clients[client].answers.get(id), Some(Answered::No(_))) || remembers
        };
        let mine = mine.into_iter().filter(|message| id_of(message).is_some_and(is_lasting));
        let mine: Vec<ClientMessage> = mine.collect();
        // The room remembers only the last refusals.
        let recent = mine.len().saturating_sub(4);
        if !mine.is_empty() {
            let message = self.random.pick(&mine[recent..]);
            self.judge.tally.count("message sent again");
            self.client_sends(client, &message);
        }
    }

    /// Acts to finish the game, once faults are over.
    fn end_game(&mut self, client: usize) {
        let Client { mirror, finale, connection, .. } = &self.clients[client];
        if connection.is_none() || mirror.is_waiting_for_answer() {
            return;
        }
        let is_on = mirror.stage() == StageName::Playing;
        match (mirror.asked(), mirror.you()) {
            (Some(side), _) if *finale < 12 || self.deserter.is_some() => self.choose(client, side),
            (_, Some(_)) if is_on && self.deserter.is_some() => self.send(client, Mirror::claim),
            (_, Some(_)) if is_on && *finale >= 12 => self.send(client, Mirror::resign),
            _ if finale % 4 == 0 => self.client_sends(client, &ClientMessage::Ping),
            _ => {}
        }
    }
}
