//! The computer player in a room: asks for its answers, and retries if there is none.

use skirmish_play::library::Subject;
use skirmish_room::wire::Rej;
use skirmish_room::{ConnectionId, HostInput, Millis, RejectionCode, Task};
use tokio::sync::oneshot;

use super::LiveRoom;
use crate::computer::{Answer, MoveRequest, Thought, Unplayable};
use crate::storage::StorageError;

/// Delay before asking the computer again: first, and at most. Each failure doubles the delay.
const BUSY: (Millis, Millis) = (200, 10_000);

/// The same delays if the computer cannot play on the board. A server with more memory could.
const UNSOLVED: (Millis, Millis) = (10_000, 10 * 60_000);

/// The computer player's work in a room.
pub(super) enum Thinking {
    /// A question is waiting for its answer.
    Asked(oneshot::Receiver<Thought>),
    /// There was no answer: the time to ask again, and the explanation for the players, if any.
    Stuck(Millis, Option<String>),
}

impl LiveRoom {
    pub(super) fn think(&mut self) {
        let version = self.host.room().version();
        match &self.thinking {
            Some((asked, Thinking::Asked(_))) if *asked == version => return,
            Some((asked, Thinking::Stuck(again, _)))
                if *asked == version && *again > self.hub.now() =>
            {
                return;
            }
            _ => {}
        }
        // An answer to an older question would no longer fit.
        self.thinking = None;
        let Some(task) = self.host.task(self.hub.now(), &self.hub.cluster()) else { return };
        let (side, table, draw) = match task {
            Task::Choose(side, table) => (side, table, false),
            Task::AnswerDraw(side, table) => (side, table, true),
        };
        let room = self.host.room();
        let (Some(level), Some(plan), Some(chance)) =
            (room.level_of(side), room.plan(), room.chance())
        else {
            return;
        };
        let subject = Subject::of(plan);
        let question = MoveRequest { subject, level, side, table, chance, draw };
        let answer = self.hub.computers.ask(self.handle.network(), question);
        self.thinking = Some((version, Thinking::Asked(answer)));
    }

    pub(super) async fn take_thought(&mut self, thought: Thought) -> Result<(), StorageError> {
        self.thinking = None;
        // There is no task if the turn was taken back or the game is over.
        let task = self.host.task(self.hub.now(), &self.hub.cluster());
        let Some(Task::Choose(side, _) | Task::AnswerDraw(side, _)) = task else { return Ok(()) };
        let input = match thought {
            Ok(Answer::Choice(text)) => HostInput::Choice { side, text },
            Ok(Answer::Draw(yes)) => HostInput::DrawAnswer { side, yes },
            Err(why) => {
                self.be_stuck(why);
                return Ok(());
            }
        };
        (self.failures, self.has_told) = (0, false);
        self.enter(input).await
    }

    /// Asks the computer again later. Meanwhile the room goes on: its player can resign, for example.
    fn be_stuck(&mut self, why: Unplayable) {
        let ((first, most), text) = match why {
            Unplayable::Busy => (BUSY, None),
            Unplayable::Unsolved(why) => {
                let text = format!(
                    "The computer cannot play on this board at the moment: {why}. The game waits, and nothing is lost. \
                     You can resign, or leave and come back when the server has more memory."
                );
                (UNSOLVED, Some(text))
            }
        };
        let wait = first.saturating_mul(1 << self.failures.min(16)).min(most);
        let is_news = text.is_some() && !self.has_told;
        self.has_told |= is_news;
        self.failures = self.failures.saturating_add(1);
        let (version, again) = (self.host.room().version(), self.hub.now() + wait);
        self.thinking = Some((version, Thinking::Stuck(again, text)));
        if is_news {
            self.tell_players_stuck();
        }
    }

    /// If the computer is stuck, tells all players why.
    pub(super) fn tell_players_stuck(&self) {
        let players: Vec<ConnectionId> = self.host.players().collect();
        self.tell_stuck(|to| players.contains(&to));
    }

    /// If the computer is stuck, tells the selected connections why.
    pub(super) fn tell_stuck(&self, is_told: impl Fn(ConnectionId) -> bool) {
        let Some((_, Thinking::Stuck(_, Some(text)))) = &self.thinking else { return };
        let code = self.host.room().code();
        self.notify(Rej::about(code, RejectionCode::TooLarge, text), is_told);
    }
}
