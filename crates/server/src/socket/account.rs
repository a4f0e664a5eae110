//! Who somebody is: `hello`, guests, accounts and their devices.

use skirmish_play::check_name;
use skirmish_room::wire::{Hello, MessageId, OLDEST_PROTO, PROTO, ServerMessage, Welcome};
use skirmish_room::{Person, RejectionCode};

use super::Connection;
use crate::codes;
use crate::limits::customer;
use crate::naming::check_account_name;
use crate::notices;
use crate::outbox::CloseReason;
use crate::storage::{Account, LINK_SECONDS, Redeemed, Secret};

impl Connection {
    pub(super) async fn greet(&mut self, hello: Hello) -> Result<(), CloseReason> {
        if self.is_greeted {
            self.refuse(None, RejectionCode::Hello, "You have said hello already.");
            return Ok(());
        }
        if !(OLDEST_PROTO..=PROTO).contains(&hello.proto) {
            let text = format!(
                "This server speaks versions {OLDEST_PROTO} to {PROTO} of the protocol, and your client version {}.",
                hello.proto
            );
            return Err(CloseReason::bye(RejectionCode::Proto, 1008, text));
        }
        let name = match hello.name.as_deref().map(check_name).transpose() {
            Ok(name) => name,
            Err(error) => {
                self.refuse(None, RejectionCode::Name, format!("The name is not valid: {error}."));
                return Ok(());
            }
        };
        self.device = hello.device.and_then(|device| self.hub.storage.device_hash(&device));
        let mut games = Vec::new();
        let known = match hello.token.as_deref().map(Secret::parse) {
            Some(token) => match self.hub.storage.sign_in(&token).await {
                Ok(Some((account, rooms))) => {
                    games = rooms;
                    Some((account, token))
                }
                Ok(None) => {
                    let text = "Nobody has this token here. Say hello without one to be a guest.";
                    self.refuse(None, RejectionCode::Token, text);
                    return Ok(());
                }
                Err(error) => return Err(self.failure(&error)),
            },
            None => None,
        };
        let is_guest = known.as_ref().is_none_or(|(account, _)| !account.registered);
        let name = match name.filter(|_| is_guest).as_deref().map(check_account_name).transpose() {
            Ok(name) => name,
            Err(error) => {
                self.refuse(None, RejectionCode::Name, format!("The name is not valid: {error}."));
                return Ok(());
            }
        };
        if let Some(name) = &name
            && self.hub.storage.is_taken(name).await.map_err(|error| self.failure(&error))?
        {
            let text = "This name belongs to an account, or looks like the name of one: choose another one.";
            self.refuse(None, RejectionCode::Name, text);
            return Ok(());
        }
        if let Some((account, token)) = known {
            self.enter(account, &token)?;
        }
        let mut new_token = None;
        if let Some(code) = &hello.link {
            match self.redeem(code).await? {
                Some(token) => new_token = Some(token),
                None => return Ok(()),
            }
            if let Some(account) = &self.account {
                let rooms = self.hub.storage.rooms_of(account.id).await;
                games = rooms.map_err(|error| self.failure(&error))?;
            }
        }
        if let (Some(account), Some(name)) = (&mut self.account, &name)
            && !account.registered
            && account.name != *name
        {
            let renamed = self.hub.storage.rename_guest(account.id, name).await;
            match renamed {
                Ok(name) => account.name = name,
                Err(error) => return Err(self.failure(&error)),
            }
        }
        self.is_greeted = true;
        self.is_back = self.account.is_some();
        self.wanted_name = name;
        self.games = games.len();
        self.welcome(new_token, games);
        Ok(())
    }

    /// Joins the account that a link or recovery code belongs to. Returns the new token.
    async fn redeem(&mut self, code: &str) -> Result<Option<String>, CloseReason> {
        let now = self.hub.now();
        if let Err(reached) = self.hub.ledger.try_link(self.address, now) {
            return Err(CloseReason::limit(reached));
        }
        let (code, token) = (Secret::parse(code), Secret::token());
        let guest =
            self.account.as_ref().filter(|account| !account.registered).map(|account| account.id);
        let redeemed = self.hub.storage.redeem(&code, &token, guest, now).await;
        match redeemed.map_err(|error| self.failure(&error))? {
            Redeemed::Account(account) => {
                // The guest's other connections come back, but not this one.
                let entered = self.enter(account, &token);
                if let Some(guest) = guest {
                    let merged = self.hub.merge_everywhere(guest).await;
                    merged.map_err(|error| self.failure(&error))?;
                }
                entered?;
                Ok(Some(token.text().to_owned()))
            }
            Redeemed::Playing(game) => {
                // Nobody could play the guest's seat any more.
                let text = format!(
                    "You are playing against this account in game {game}. Finish that game or resign it, and then sign in."
                );
                self.refuse(None, RejectionCode::Account, text);
                Ok(None)
            }
            Redeemed::Invalid => {
                let text =
                    "This code is invalid or has expired. Ask for a new one on your other device.";
                self.refuse(None, RejectionCode::Token, text);
                Ok(None)
            }
        }
    }

    /// Belongs to an account from now on, unless it was banned.
    fn enter(&mut self, account: Account, token: &Secret) -> Result<(), CloseReason> {
        if let Some(reason) = &account.ban {
            return Err(notices::banned(reason));
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

    /// The account of the connection. A guest gets one with the first game, and a second `welcome` with the token.
    pub(super) async fn account(&mut self) -> Result<Account, CloseReason> {
        if let Some(account) = &self.account {
            let renames = self.hub.people.renames();
            if self.renames == renames {
                return Ok(account.clone());
            }
            let read = self.hub.storage.account(account.id).await;
            let name = read.map_err(|error| self.failure(&error))?.map(|current| current.name);
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
        if let Err(reached) = self.hub.ledger.welcome(self.address, self.hub.now()) {
            return Err(CloseReason::limit(reached));
        }
        let token = Secret::token();
        let created = self.hub.storage.create_guest(&name, &token, self.hub.now()).await;
        let account = created.map_err(|error| self.failure(&error))?;
        self.enter(account.clone(), &token)?;
        self.welcome(Some(token.text().to_owned()), Vec::new());
        Ok(account)
    }

    /// The person that the account is at a table of this game.
    pub(super) async fn person(&mut self, game: Option<&str>) -> Result<Person, CloseReason> {
        let Account { id, name, registered, ban: _ } = self.account().await?;
        let standing = match game {
            Some(game) if registered => {
                self.hub.storage.rating(id, game).await.map_err(|error| self.failure(&error))?
            }
            _ => None,
        };
        let (rating, provisional) = standing.unzip();
        let provisional = provisional.unwrap_or(false);
        let network = self.hub.storage.network_hash(customer(self.address));
        let device = self.device;
        Ok(Person { account: id, name, registered, rating, provisional, network, device })
    }

    pub(super) async fn register(&mut self, id: MessageId, name: &str) -> Result<(), CloseReason> {
        // An account may keep a name that later rules forbid.
        let is_own = |account: &&Account| account.registered && account.name == name.trim();
        let own = self.account.as_ref().filter(is_own).map(|account| account.name.clone());
        let name = match own.map_or_else(|| check_account_name(name), Ok) {
            Ok(name) => name,
            Err(error) => {
                self.refuse(
                    Some(id),
                    RejectionCode::Name,
                    format!("The name is not valid: {error}."),
                );
                return Ok(());
            }
        };
        let account = self.account().await?;
        // Whoever did not get the answer can ask again, and gets another recovery code.
        if account.registered && !account.name.eq_ignore_ascii_case(&name) {
            self.refuse(Some(id), RejectionCode::Account, "You have an account already.");
            return Ok(());
        }
        let recovery = Secret::recovery();
        let registered = self.hub.storage.register(account.id, &name, &recovery).await;
        match registered.map_err(|error| self.failure(&error))? {
            Ok(account) => {
                self.account = Some(account);
                let recovery = recovery.text().to_owned();
                self.outbox.send(&ServerMessage::Registered { id, name, recovery });
            }
            Err(_) => self.refuse(
                Some(id),
                RejectionCode::Name,
                "This name is taken, or looks like one that is: choose another one.",
            ),
        }
        Ok(())
    }

    pub(super) async fn link(&mut self, id: MessageId) -> Result<(), CloseReason> {
        let Some(account) = self.account.clone() else {
            let text = "There is nothing to link yet: play a game or register a name first.";
            self.refuse(Some(id), RejectionCode::Account, text);
            return Ok(());
        };
        let link = Secret::link();
        let created = self.hub.storage.create_link(account.id, &link, self.hub.now()).await;
        created.map_err(|error| self.failure(&error))?;
        let link = link.text().to_owned();
        self.outbox.send(&ServerMessage::Link { id, link, seconds: LINK_SECONDS });
        Ok(())
    }
}
