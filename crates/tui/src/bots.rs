//! The bots that the arcade knows: those of this session, and those that the user has previously started in this folder.

use std::path::Path;

use skirmish_arena::Trust;
use skirmish_arena::tournament::Folder;
use skirmish_play::Plan;
use skirmish_play::player::{BotCommand, Player};
use skirmish_rules::{Both, Record, Side};

pub(super) struct Bots {
    /// Stores the commands that the user has started; `None` if nothing is stored.
    trust: Option<Trust>,
    /// The bots that the user has started in this session, most recent first.
    session: Vec<BotCommand>,
}

impl Bots {
    pub(super) const fn new(trust: Option<Trust>) -> Self {
        Self { trust, session: Vec::new() }
    }

    /// All known bots, most recent first.
    pub(super) fn known(&self, folder: &Path) -> Vec<BotCommand> {
        let mut known = self.session.clone();
        let before = self.trust.as_ref().map_or_else(Vec::new, |trust| trust.bots(folder));
        let is_new = |bot: &BotCommand| !self.session.iter().any(|it| it.text == bot.text);
        known.extend(before.into_iter().filter(is_new));
        known
    }

    /// Remembers bots that the user starts.
    pub(super) fn start<'a>(
        &mut self,
        bots: impl IntoIterator<Item = &'a BotCommand>,
        folder: &Path,
    ) {
        let bots: Vec<&BotCommand> = bots.into_iter().collect();
        if let Some(trust) = &self.trust {
            // Store them together, so that a tournament can be resumed. If this fails, resuming asks the user.
            drop(trust.add(folder, bots.iter().copied()));
        }
        for bot in bots {
            self.session.retain(|known| known.text != bot.text);
            self.session.insert(0, bot.clone());
        }
    }

    /// Remembers the folder of a tournament that the user starts. If this fails, resuming the tournament asks the user.
    pub(super) fn own(&self, folder: &Folder) {
        if let Some(trust) = &self.trust {
            drop(trust.own(folder));
        }
    }

    /// Seats those bots of a saved game that the user has started in this session. Others stay absent: a command from a file
    /// is never run.
    pub(super) fn reseat(&self, plan: &mut Plan) {
        let absent: Both<Option<BotCommand>> = plan.players.as_ref().map(|player| match player {
            Player::Absent(text) => {
                let is_it = |bot: &&BotCommand| Record::tag_value(&bot.text) == *text;
                self.session.iter().find(is_it).cloned()
            }
            Player::Human | Player::Computer(_) | Player::Bot(_) => None,
        });
        for side in Side::ALL {
            if let Some(bot) = absent[side].clone() {
                plan.seat(side, bot);
            }
        }
    }
}

/// The bots among the players.
pub(super) fn bots_of(players: &Both<Player>) -> impl Iterator<Item = &BotCommand> {
    Side::ALL.into_iter().filter_map(|side| match &players[side] {
        Player::Bot(bot) => Some(bot),
        Player::Human | Player::Computer(_) | Player::Absent(_) => None,
    })
}
