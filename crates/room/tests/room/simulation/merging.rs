//! A guest signs in: from then on the log names the account, and nodes that have the room in memory reread it.

use skirmish_room::{AccountId, HostInput, Logged, Millis, RoomEvent};

use super::sabotage::Sabotage;
use super::world::{Event, World};

/// The guest who signs in. The seat then belongs to [`MEMBER`].
pub(super) const GUEST: AccountId = 2;
pub(super) const MEMBER: AccountId = 8;

/// How often nodes check which guests have signed in.
const INTERVAL: Millis = 2_000;

/// Replaces the guest's account in an event.
pub(super) fn rename(logged: &mut Logged) {
    let person = match &mut logged.event {
        RoomEvent::Created { creator: person, .. } | RoomEvent::Seated { person } => Some(person),
        _ => None,
    };
    let accounts = person.map(|person| &mut person.account);
    for account in accounts.into_iter().chain(logged.by.as_mut().map(|by| &mut by.account)) {
        *account = renamed(*account);
    }
}

/// Returns the account that an account was merged into, or itself.
pub(super) const fn renamed(account: AccountId) -> AccountId {
    if account == GUEST { MEMBER } else { account }
}

impl World {
    /// Signs the guest in when due, if the guest plays.
    pub(super) fn sign_in_if_due(&mut self) {
        let is_due = self.scenario.signs_in.is_some_and(|wakes| wakes <= self.wakes);
        let is_possible = !self.is_finale && !self.database.is_away;
        if !is_due || !is_possible || self.judge.side_of(GUEST).is_none() {
            return;
        }
        self.tell(|| format!("account {GUEST} signs in as {MEMBER}"));
        self.judge.tally.count("guest signed in");
        self.database.is_merged = true;
        self.database.log.iter_mut().for_each(rename);
        self.judge.merge();
        self.truth.note_signed_in(self.now);
        for client in 0..self.clients.len() {
            if self.clients[client].account != GUEST {
                continue;
            }
            self.clients[client].account = MEMBER;
            if let Some(connection) = self.clients[client].connection.take() {
                let notices = self.random.pick(&[0, 500, 30_000]);
                self.sever(connection, 0, notices);
            }
            self.connect_later(client, 500);
        }
        for slot in 0..self.nodes.len() {
            let after = 1 + self.random.below(INTERVAL);
            let process = self.nodes[slot].id;
            if self.sabotage != Some(Sabotage::NeverReload) {
                self.after(after, Event::Input(slot, process, HostInput::Reload));
            }
        }
        self.changed = self.now;
    }

    /// Looks up an account without a seat in the database. Returns its merged account if that has a seat.
    pub(super) fn recognise(&self, account: AccountId) -> Option<AccountId> {
        let now = if self.database.is_merged { renamed(account) } else { account };
        let is_seated = now == MEMBER && self.judge.side_of(now).is_some();
        (is_seated && self.sabotage != Some(Sabotage::NeverReload)).then_some(now)
    }
}
