//! Passing requests on to the owner of a room, and becoming the owner.

use serde::de::DeserializeOwned;
use skirmish_room::{Acquired, DeskInput, Forward, Reply, Served};

use super::telling::Told;
use super::{Following, Mine, Passed};
use crate::bus::Unreachable;
use crate::game::away::Away;
use crate::game::owner::Owner;
use crate::game::{Role, ToRoom, Waiting, damaged, give_up};
use crate::nodes::Letter;
use crate::storage::StorageError;

/// How often a request is passed on, since the owner may change meanwhile.
const ATTEMPTS: u32 = 5;

/// Why a request waits that the owner cannot carry out.
fn owner_away() -> StorageError {
    StorageError::Away { why: "the owner of the game cannot reach it".to_owned() }
}

impl Following {
    /// Asks the owner. None if only the database knows who that is.
    pub(super) async fn ask<T: DeserializeOwned>(
        &mut self,
        letter: &Letter,
    ) -> Option<Result<T, Unreachable>> {
        let nodes = self.nodes();
        if self.owner.node == nodes.id {
            return None;
        }
        if nodes.others.is_silent(self.owner.node, self.hub.now()) {
            return Some(Err(Unreachable));
        }
        Some(nodes.bus.ask(self.owner.node, letter).await)
    }

    /// Asks the room's owner.
    pub(super) async fn ask_owner(&mut self, letter: &Letter) -> Result<Reply, Unreachable> {
        self.ask(letter).await.unwrap_or(Ok(Reply::NotOwner))
    }

    /// Whoever has signed in may come to a seat of which this node has not heard. Requests are the owner's business.
    pub(super) async fn recognise(&mut self, input: DeskInput) -> Result<DeskInput, StorageError> {
        let Some(stranger) = input.stranger_in(self.replica.room()) else { return Ok(input) };
        let code = self.replica.room().code().to_owned();
        let now = match self.hub.storage.seated(&code, stranger).await {
            Ok(Some(now)) => now,
            Ok(None) => return Ok(input),
            // Whoever watches need not wait for the database.
            Err(error) if error.is_away() => return Ok(input),
            Err(error) => return Err(error),
        };
        if self.replica.room().side_of(now).is_none() {
            self.reload().await?;
        }
        Ok(input.with_account(now))
    }

    /// Handles an input here, or passes it on to the owner.
    pub(super) async fn handle(&mut self, input: &DeskInput) -> Passed {
        // Somebody who has seen more has seen it on another node.
        if input.version() > self.replica.room().version()
            && let Err(error) = self.read().await
        {
            return Passed::Failed(error);
        }
        let handled = self.replica.handle(self.hub.now(), input);
        self.deliver(handled.send);
        match handled.forward {
            Some(forward) => self.pass(input, &forward).await,
            None => Passed::Answered,
        }
    }

    /// Passes a request on to the owner.
    async fn pass(&mut self, input: &DeskInput, forward: &Forward) -> Passed {
        let code = self.replica.room().code().to_owned();
        let is_attaching = matches!(input, DeskInput::Attach { .. });
        for _ in 0..ATTEMPTS {
            let asked = self.owner;
            let (epoch, forward) = (asked.epoch, forward.clone());
            let letter = Letter::Forward { code: code.clone(), epoch, forward };
            let reply = self.ask_owner(&letter).await;
            let is_owner_away = matches!(reply, Ok(Reply::Away));
            let is_forced = match reply {
                Ok(Reply::Handled { bell, answer }) => {
                    let after = self.replica.room().version();
                    let read = match self.read_after(after).await {
                        Ok(read) => Some(read),
                        // The answer is known. What it is about comes when the database is back.
                        Err(error) if error.is_away() && !is_attaching => None,
                        Err(error) => return Passed::Failed(error),
                    };
                    let log = read.as_ref().map_or(&[][..], |read| &read.log);
                    let now = self.hub.now();
                    let heard = self.replica.hear(now, &bell);
                    // Whoever sits down is told with the answer who is there.
                    self.deliver(heard.send);
                    return match self.replica.answered(now, input, answer, after, log) {
                        Ok(send) => {
                            self.note_version();
                            self.deliver(send);
                            if let Some(read) = &read {
                                self.note_read(read);
                            }
                            self.tell_owner_is_back().await;
                            Passed::Answered
                        }
                        Err(error) => Passed::Failed(damaged(error)),
                    };
                }
                // It is alive, and goes on by itself as soon as it reaches the database, if it still can.
                Ok(Reply::Away) if !self.hub.is_settled() => {
                    self.tell_stopped();
                    return Passed::Failed(owner_away());
                }
                Ok(Reply::NotOwner | Reply::Away) => false,
                // Nobody knows whether it has heard. A message that was carried out is recognised by its id.
                Err(Unreachable) => true,
            };
            let node = self.nodes().id;
            let mut acquired = self.hub.storage.acquire(&code, node, is_forced).await;
            if matches!(acquired, Ok(Some(Acquired::HeldBy(owner))) if owner == asked) {
                if is_owner_away {
                    // Its players cannot see what happens before they are sent to other nodes, when its lease ends.
                    self.tell_stopped();
                    return Passed::Failed(owner_away());
                }
                // It has the lease, and does not serve the room: it is about to stop.
                acquired = self.hub.storage.acquire(&code, node, true).await;
            }
            match acquired {
                Ok(Some(Acquired::Mine { lease, stopped, beat })) => {
                    return Passed::Mine(lease, Served { stopped, outage: None, beat });
                }
                Ok(Some(Acquired::HeldBy(owner))) => self.owner = owner,
                Ok(None) => return Passed::Missing,
                Err(error) => {
                    if error.is_away() && is_owner_away {
                        self.tell_stopped();
                    }
                    return Passed::Failed(error);
                }
            }
        }
        Passed::Failed(StorageError::Fenced)
    }

    /// Goes on as the owner. The log is read to its end first. Returns also what is to be handled first.
    pub(super) async fn own(mut self: Box<Self>, mine: Mine) -> Result<(Role, Waiting), Box<Self>> {
        let Mine { lease, served, first } = mine;
        // The first event of the new owner may say that the game goes on.
        let told = std::mem::replace(&mut self.told, Told::Nothing);
        let read = self.read().await;
        if let Err(error) = &read
            && !error.is_away()
        {
            self.complain(error);
            self.told = told;
            first.into_iter().for_each(give_up);
            // Another node may be able to read it.
            let _ = self.hub.storage.release(self.replica.room().code(), lease).await;
            return Err(self);
        }
        let Self { hub, handle, replica, outboxes, kept, is_outdated, .. } = *self;
        let outdated = is_outdated.then_some(ToRoom::Reload);
        let first = outdated.into_iter().chain(first).chain(kept).collect();
        if read.is_err() {
            let away = Away::new(hub, handle, replica, outboxes, lease);
            return Ok((Role::Away(Box::new(away)), first));
        }
        let served = Served { outage: hub.reach.outage(replica.room()), ..served };
        let is_waiting = told != Told::Nothing;
        let owner = Owner::go_on(hub, handle, replica, outboxes, (lease, served), is_waiting);
        Ok((Role::Owner(Box::new(owner)), first))
    }
}
