//! The identity of a client: `hello`, guests, accounts and their devices.

use skirmish_play::check_name;
use skirmish_room::wire::{Hello, MessageId, OLDEST_PROTO, PROTO, ServerMessage, Welcome};
use skirmish_room::{Person, RejectionCode};

use super::Connection;
use super::request::{Handled, refuse};
use crate::codes;
use crate::limits::{Use, customer};
use crate::naming::{AccountNameError, check_account_name};
use crate::notices;
use crate::outbox::CloseReason;
use crate::storage::{Account, LINK_SECONDS, Redeemed, Secret};

impl Connection {
    pub(super) async fn greet(&mut self, hello: Hello) -> Handled {
        if self.is_greeted {
            return refuse(RejectionCode::Hello, "You have said hello already.");
        }
        if !(OLDEST_PROTO..=PROTO).contains(&hello.proto) {
            let text = format!(
                "This server speaks versions {OLDEST_PROTO} to {PROTO} of the protocol, and your client version {}.",
                hello.proto
            );
            return Err(CloseReason::bye(RejectionCode::Proto, 1008, text).into());
        }
        let name = hello.name.as_deref().map(check_name).transpose();
        let name = name.map_err(AccountNameError::from)?;
        self.device = hello.device.and_then(|device| self.hub.storage.device_hash(&device));
        let (mut known, mut games) = (None, Vec::new());
        if let Some(token) = hello.token.as_deref().map(Secret::parse) {
            let Some((account, rooms)) = self.hub.storage.sign_in(&token).await? else {
                let text = "Nobody has this token here. Say hello without one to be a guest.";
                return refuse(RejectionCode::Token, text);
            };
            (known, games) = (Some((account, token)), rooms);
        }
        let is_guest = known.as_ref().is_none_or(|(account, _)| !account.registered);
        let name = name.filter(|_| is_guest).as_deref().map(check_account_name).transpose()?;
        if let Some(name) = &name
            && self.hub.storage.is_taken(name).await?
        {
            let text = "This name belongs to an account, or looks like the name of one: choose another one.";
            return refuse(RejectionCode::Name, text);
        }
        if let Some((account, token)) = known {
            self.enter(account, &token)?;
        }
        let mut new_token = None;
        if let Some(code) = &hello.link {
            new_token = Some(self.redeem(code).await?);
            if let Some(account) = &self.account {
                games = self.hub.storage.rooms_of(account.id).await?;
            }
        }
        if let (Some(account), Some(name)) = (&mut self.account, &name)
            && !account.registered
            && account.name != *name
        {
            account.name = self.hub.storage.rename_guest(account.id, name).await?;
        }
        self.is_greeted = true;
        self.is_back = self.account.is_some();
        self.wanted_name = name;
        self.games = games.len();
        self.welcome(new_token, games);
        Ok(())
    }

    /// Signs in to the account with this link or recovery code. Returns the new token.
    async fn redeem(&mut self, code: &str) -> Handled<String> {
        let now = self.hub.now();
        self.hub.ledger.charge(self.address, Use::Links, 1, now).map_err(CloseReason::limit)?;
        let (code, token) = (Secret::parse(code), Secret::token());
        let guest =
            self.account.as_ref().filter(|account| !account.registered).map(|account| account.id);
        match self.hub.storage.redeem(&code, &token, guest, now).await? {
            Redeemed::Account(account) => {
                // The guest's other connections must reconnect, but not this one.
                let entered = self.enter(account, &token);
                if let Some(guest) = guest {
                    self.hub.merge_everywhere(guest).await?;
                }
                entered?;
                Ok(token.text().to_owned())
            }
            Redeemed::Playing(game) => {
                // Nobody could play the guest's seat after the merge.
                let text = format!(
                    "You are playing against this account in game {game}. Finish that game or resign it, and then sign in."
                );
                refuse(RejectionCode::Account, text)
            }
            Redeemed::Invalid => {
                let text =
                    "This code is invalid or has expired. Ask for a new one on your other device.";
                refuse(RejectionCode::Token, text)
            }
        }
    }

    /// Assigns the connection to an account, unless the account is banned.
    fn enter(&mut self, account: Account, token: &Secret) -> Handled {
        if let Some(reason) = &account.ban {
            return Err(notices::banned(reason).into());
        }
        if let Some(before) = &self.account {
            self.hub.people.leave(before.id, self.id);
        }
        let (credential, outbox) = (token.credential(), self.outbox.clone());
        self.hub.people.enter(account.id, self.id, credential, outbox);
        self.account = Some(account);
        Ok(())
    }

    fn welcome(&self, token: Option<String>, games: Vec<String>) {
        let welcome = Welcome {
            proto: PROTO,
            server: concat!("skirmish ", env!("CARGO_PKG_VERSION")).to_owned(),
            name: match (&self.account, &self.wanted_name) {
                (Some(account), _) => account.name.clone(),
                (None, Some(name)) => name.clone(),
                (None, None) => "Guest".to_owned(),
            },
            guest: self.account.as_ref().is_none_or(|account| !account.registered),
            token,
            url: Some(self.hub.url.clone()),
            games,
        };
        self.outbox.send(&ServerMessage::Welcome(welcome));
    }

    /// Returns the connection's account. A guest gets one with the first game, and a second `welcome` with the token.
    pub(super) async fn account(&mut self) -> Handled<Account> {
        if let Some(account) = &self.account {
            let renames = self.hub.people.renames();
            if self.renames == renames {
                return Ok(account.clone());
            }
            let name = self.hub.storage.account(account.id).await?.map(|current| current.name);
            let account = account.clone();
            let account = Account { name: name.unwrap_or(account.name), ..account };
            self.renames = renames;
            self.account = Some(account.clone());
            return Ok(account);
        }
        let name = match &self.wanted_name {
            Some(name) => name.clone(),
            None => format!("Guest {}", codes::letters(4)),
        };
        let now = self.hub.now();
        self.hub.ledger.charge(self.address, Use::Guests, 1, now).map_err(CloseReason::limit)?;
        let token = Secret::token();
        let account = self.hub.storage.create_guest(&name, &token, now).await?;
        self.enter(account.clone(), &token)?;
        self.welcome(Some(token.text().to_owned()), Vec::new());
        Ok(account)
    }

    /// Returns the account as a person at a table of this game.
    pub(super) async fn person(&mut self, game: Option<&str>) -> Handled<Person> {
        let Account { id, name, registered, ban: _ } = self.account().await?;
        let standing = match game {
            Some(game) if registered => self.hub.storage.rating(id, game).await?,
            _ => None,
        };
        let (rating, provisional) = standing.unzip();
        let provisional = provisional.unwrap_or(false);
        let network = self.hub.storage.network_hash(customer(self.address));
        let device = self.device;
        Ok(Person { account: id, name, registered, rating, provisional, network, device })
    }

    pub(super) async fn register(&mut self, id: MessageId, name: &str) -> Handled {
        // An account may keep a name that later rules forbid.
        let is_own = |account: &&Account| account.registered && account.name == name.trim();
        let own = self.account.as_ref().filter(is_own).map(|account| account.name.clone());
        let name = own.map_or_else(|| check_account_name(name), Ok)?;
        let account = self.account().await?;
        // A client that missed the answer can ask again, and gets a new recovery code.
        if account.registered && !account.name.eq_ignore_ascii_case(&name) {
            return refuse(RejectionCode::Account, "You have an account already.");
        }
        let recovery = Secret::recovery();
        let Ok(account) = self.hub.storage.register(account.id, &name, &recovery).await? else {
            let text = "This name is taken, or looks like one that is: choose another one.";
            return refuse(RejectionCode::Name, text);
        };
        self.account = Some(account);
        let recovery = recovery.text().to_owned();
        self.outbox.send(&ServerMessage::Registered { id, name, recovery });
        Ok(())
    }

    pub(super) async fn link(&mut self, id: MessageId) -> Handled {
        let Some(account) = self.account_id() else {
            let text = "There is nothing to link yet: play a game or register a name first.";
            return refuse(RejectionCode::Account, text);
        };
        let link = Secret::link();
        self.hub.storage.create_link(account, &link, self.hub.now()).await?;
        let link = link.text().to_owned();
        self.outbox.send(&ServerMessage::Link { id, link, seconds: LINK_SECONDS });
        Ok(())
    }
}
