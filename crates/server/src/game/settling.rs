//! Updates after a room has changed: the lists, and the computer player's work.

use std::sync::atomic::Ordering::Relaxed;

use skirmish_rules::History;

use super::LiveRoom;
use crate::storage::{RoomStage, StorageError};

/// A room's state in the lists: its stage, whether it is shown, and the number of its game.
pub(super) type LobbyState = (RoomStage, bool, u32);

impl LiveRoom {
    /// Updates the lists and the computer player's work.
    pub(super) async fn settle(&mut self) -> Result<(), StorageError> {
        self.list().await?;
        self.think();
        Ok(())
    }

    async fn list(&mut self) -> Result<(), StorageError> {
        let room = self.host.room();
        let stage = if room.is_open() {
            RoomStage::Open
        } else if room.is_over() {
            RoomStage::Over
        } else {
            RoomStage::Playing
        };
        let terms = room.terms();
        // Show an open room only while its creator is present: nobody should wait in vain.
        let present = room.present();
        let is_shown = match stage {
            RoomStage::Open => terms.public && (present.one || present.two),
            RoomStage::Playing => terms.public && terms.spectators,
            RoomStage::Over => false,
        };
        self.handle.turns.store(room.table().map_or(0, History::turns_played), Relaxed);
        let listed = (stage, is_shown, room.number());
        if self.listed.replace(listed) == Some(listed) {
            return Ok(());
        }
        if is_shown {
            let people = room.people().as_ref();
            let creator = people.one.as_ref().or(people.two.as_ref());
            let creator = creator.map_or(0, |person| person.account);
            let is_open = stage == RoomStage::Open;
            self.hub.board.show(room.lobby_game(0), creator, is_open, &self.handle);
        } else {
            self.hub.board.remove(room.code());
        }
        if stage == RoomStage::Open && terms.public && self.offered != Some(is_shown) {
            let code = room.code().to_owned();
            match self.hub.storage.offer(&code, is_shown).await {
                Ok(()) => self.offered = Some(is_shown),
                // Try again after the next change.
                Err(error) if error.is_unavailable() => self.listed = None,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}
