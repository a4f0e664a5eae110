//! What follows from a room: lists, results, and what other nodes are told.

use std::sync::atomic::Ordering::Relaxed;

use skirmish_room::{AccountId, Lease};
use skirmish_rules::{Both, History};

use super::owner::Owner;
use crate::nodes::Letter;
use crate::storage::{FinishedGame, RoomIndex, RoomStage, StorageError};

impl Owner {
    /// Brings what follows from the room up to date: lists, results, and what the computer has to do.
    pub(super) async fn settle(&mut self) -> Result<(), StorageError> {
        self.list().await?;
        self.store_result().await?;
        self.think();
        self.ring();
        Ok(())
    }

    async fn list(&mut self) -> Result<(), StorageError> {
        let room = self.desk.room();
        let stage = if room.is_open() {
            RoomStage::Open
        } else if room.is_over() {
            RoomStage::Over
        } else {
            RoomStage::Playing
        };
        let terms = room.terms();
        // An open room whose creator is gone keeps nobody waiting in the lobby.
        let present = room.present();
        let is_shown = match stage {
            RoomStage::Open => terms.public && (present.one || present.two),
            RoomStage::Playing => terms.public && terms.spectators,
            RoomStage::Over => false,
        };
        self.handle.turns.store(room.table().map_or(0, History::turns_played), Relaxed);
        if self.listed == Some((stage, is_shown, room.number())) {
            return Ok(());
        }
        let before = self.listed.replace((stage, is_shown, room.number()));
        let accounts =
            room.people().as_ref().map(|person| person.as_ref().map(|person| person.account));
        if is_shown {
            let creator = accounts.one.or(accounts.two).unwrap_or_default();
            let is_open = stage == RoomStage::Open;
            self.hub.board.show(room.lobby_game(0), creator, is_open, &self.handle);
        } else {
            self.hub.board.remove(room.code());
        }
        // The storage notes by itself that a room opens, that a game begins, and with a result that the room is over.
        if before.is_none() && stage == RoomStage::Over {
            let (public, watchable) = (terms.public, terms.spectators);
            let index = RoomIndex { stage, public, watchable, accounts };
            return self.hub.storage.index(room.code(), index).await;
        }
        if stage == RoomStage::Open && terms.public && self.offered != Some(is_shown) {
            self.offered = Some(is_shown);
            let code = self.desk.room().code().to_owned();
            return self.hub.storage.offer(&code, is_shown).await;
        }
        Ok(())
    }

    async fn store_result(&mut self) -> Result<(), StorageError> {
        let room = self.desk.room();
        let (Some(end), Some(plan)) = (room.end(), room.plan()) else { return Ok(()) };
        if self.finished == room.number() {
            return Ok(());
        }
        self.finished = room.number();
        let accounts: Both<Option<AccountId>> =
            room.people().as_ref().map(|person| person.as_ref().map(|person| person.account));
        let game = FinishedGame {
            code: room.code().to_owned(),
            number: room.number(),
            game: plan.entry.id.to_owned(),
            names: plan.names.clone(),
            accounts,
            end,
            date: plan.date.clone(),
            rated: room.is_rated(),
            aborted_by: room.aborted_by(),
            at: room.last_event(),
            is_last: room.is_over(),
        };
        self.hub.storage.finish(game).await
    }

    /// Tells the nodes on which somebody follows the room that no clock runs, because this one cannot reach the database.
    pub(super) fn tell_stopped(&self, lease: Lease) {
        let Some(nodes) = &self.hub.nodes else { return };
        let (code, since) = (self.desk.room().code().to_owned(), self.hub.reach.last());
        let letter = Letter::Away { code, lease, since };
        for node in self.desk.nodes() {
            nodes.bus.tell(node, &letter);
        }
    }

    /// Tells the nodes on which somebody follows the room what it has come to.
    fn ring(&mut self) {
        let (Some(lease), Some(nodes)) = (self.lease, &self.hub.nodes) else { return };
        let bell = self.desk.bell(lease);
        if self.rung.as_ref() == Some(&bell) {
            return;
        }
        let letter = Letter::Bell(bell.clone());
        if self.rung.is_none() && lease.epoch > 1 {
            // Nobody has reported to a new owner yet: those who follow the room anywhere hear of it at once.
            nodes.bus.tell_all(&letter);
        }
        for node in self.desk.nodes().filter(|&node| self.asking != Some(node)) {
            nodes.bus.tell(node, &letter);
        }
        self.rung = Some(bell);
    }
}
