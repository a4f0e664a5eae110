//! The server's process: it starts from what is durable, is killed or stops, and drops a room that nobody follows.

use skirmish_room::{ConnectionId, Desk, DeskInput, Logged, Millis, Room};
use skirmish_rules::GAMES;

use super::sabotage::Sabotage;
use super::world::{Event, World};

/// How often the server notes that it is alive.
const ALIVE: Millis = 20_000;

impl World {
    /// The server starts.
    pub(super) fn start(&mut self) {
        if self.server.desk.is_some() {
            return;
        }
        self.server.process += 1;
        let room = if self.sabotage == Some(Sabotage::ForgetMessages) {
            let nameless = |logged: &Logged| Logged { by: None, ..logged.clone() };
            let log: Vec<Logged> = self.server.durable.iter().map(nameless).collect();
            Room::fold(GAMES, &log)
        } else {
            Room::fold(GAMES, &self.server.durable)
        };
        match room {
            Ok(room) => self.server.desk = Some(Desk::new(room)),
            Err(error) => return self.check(Err(format!("the log does not fold: {error}"))),
        }
        self.tell(|| format!("the server starts: process {}", self.server.process));
        self.server.refused.clear();
        (self.server.started, self.server.ran_until) = (self.now, self.server.alive);
        self.judge.restarted = self.server.process > 1;
        self.server.seen.clear();
        let now = self.server_now();
        for account in 1..=3 {
            self.server.seen.insert(account, (Vec::new(), now));
        }
        if self.server.process > 1 && self.sabotage != Some(Sabotage::ForgetToResume) {
            let until = match self.sabotage {
                Some(Sabotage::ChargeWhileAway) => now,
                Some(Sabotage::GiveTimeBack) => 0,
                _ => self.server.ran_until,
            };
            self.server.mailbox.push_back(DeskInput::Resume { until });
        }
        self.pump();
    }

    /// The process is gone, with everything that was not durable, and all connections.
    pub(super) fn kill(&mut self) {
        if self.server.desk.is_none() {
            return;
        }
        self.tell(|| "the server is killed".to_owned());
        self.judge.tally.count("kill");
        self.server.desk = None;
        self.server.process += 1;
        let noted = (self.now - self.server.started) / ALIVE * ALIVE;
        if noted > 0 {
            self.server.alive = (self.server.started + noted).saturating_sub(self.server.behind);
        }
        self.server.mailbox.clear();
        self.server.is_stopping = false;
        (self.server.thinking, self.server.due) = (None, None);
        if let Some(events) = self.server.writing.take() {
            if self.random.percent(50) {
                self.tell(|| "what it was writing is durable".to_owned());
                self.judge.tally.count("kill after the append was durable");
                for logged in events {
                    self.make_durable(logged);
                }
            } else {
                self.judge.tally.count("kill before the append was durable");
            }
        }
        if self.sabotage == Some(Sabotage::LoseAppend) && self.server.durable.len() > 4 {
            self.server.durable.pop();
            self.judge.forget();
            for logged in std::mem::take(&mut self.server.durable) {
                self.make_durable(logged);
            }
        }
        for connection in 1..=self.connections.len() as ConnectionId {
            let notices = self.random.below(3_000);
            self.sever(connection, notices, 0);
        }
        let away = self.random.pick(&[100, 2_000, 30_000, 200_000]);
        self.after(away, Event::Start);
    }

    /// The server is told to stop. It pauses the game first.
    pub(super) fn stop(&mut self) {
        if self.server.desk.is_some() && !self.server.is_stopping {
            self.tell(|| "the server stops".to_owned());
            self.server.is_stopping = true;
            self.server.mailbox.push_back(DeskInput::Stop);
            self.pump();
        }
    }

    /// Nobody follows the room: it is dropped, and folded from its log when it is needed.
    pub(super) fn drop_idle_room(&mut self) {
        let is_idle = self.server.writing.is_none() && self.server.mailbox.is_empty();
        let Some(desk) = self.server.desk.as_ref().filter(|_| is_idle) else { return };
        if desk.followers().next().is_none() {
            self.tell(|| "the room is dropped and folded".to_owned());
            self.judge.tally.count("room dropped");
            self.server.refused.clear();
            self.server.process += 1;
            (self.server.thinking, self.server.due) = (None, None);
            let room = Room::fold(GAMES, &self.server.durable);
            match room {
                Ok(room) => self.server.desk = Some(Desk::new(room)),
                Err(error) => self.check(Err(format!("the log does not fold: {error}"))),
            }
            self.pump();
        }
    }
}
