//! What this node tells the owner of a room, and what it hears from it.

use skirmish_room::{Bell, Reply, Report};

use super::{Following, Taken};
use crate::game::ToRoom;
use crate::nodes::Letter;

impl Following {
    /// Asks the owner how things are, before this message: who is there is not in the log. If it does not answer, the log is
    /// read. Somebody who sits down asks the owner anyway.
    pub(super) async fn ask_how_it_is(&mut self, first: &ToRoom) {
        if matches!(first, ToRoom::Attach { input, .. } if self.replica.sits_down(input)) {
            return;
        }
        let (node, code) = (self.nodes().id, self.replica.room().code().to_owned());
        let report = self.replica.report_anyway(self.hub.now());
        let letter = Letter::Report { node, code, report };
        if let Ok(Reply::Handled { bell, .. }) = self.ask_owner(&letter).await {
            self.hear(&bell).await;
        } else if let Err(error) = self.read().await {
            self.complain(&error);
        }
    }

    /// Takes in the owner's word.
    pub(super) async fn hear(&mut self, bell: &Bell) {
        let heard = self.replica.hear(self.hub.now(), bell);
        self.deliver(heard.send);
        // It may be late, and the database may have named a later owner.
        if bell.lease.epoch > self.owner.epoch {
            self.owner = bell.lease;
        }
        if heard.read
            && let Err(error) = self.read().await
        {
            self.complain(&error);
        }
    }

    /// Tells the owner who follows the room here, if it is time. If it does not answer, it may be gone.
    pub(super) async fn report(&mut self) -> Taken {
        let now = self.hub.now();
        match self.replica.report(now) {
            Some(report) => self.send_report(report).await,
            None => Taken::Done,
        }
    }

    /// Tells the owner who follows the room here, and hears how things are there.
    pub(super) async fn send_report(&mut self, report: Report) -> Taken {
        let code = self.replica.room().code().to_owned();
        let node = self.nodes().id;
        let letter = Letter::Report { node, code, report };
        match self.ask_owner(&letter).await {
            Ok(Reply::Handled { bell, .. }) => {
                self.hear(&bell).await;
                self.tell_owner_is_back().await;
                Taken::Done
            }
            Ok(Reply::Away) => self.ask_for_lease(true).await,
            Ok(Reply::NotOwner) | Err(_) => self.ask_for_lease(false).await,
        }
    }
}
