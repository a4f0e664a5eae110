//! What each message of a client leads to.

use std::sync::Arc;

use skirmish_play::check_name;
use skirmish_room::wire::{ClientMessage, Hello, Lobby, MessageId, PROTO, ServerMessage, Welcome};
use skirmish_room::{DeskInput, Origin, Person, RejectionCode, Request, SentRequest, Terms};
use tokio::sync::oneshot;

use super::Connection;
use crate::codes;
use crate::computer::Unplayable;
use crate::game::ToRoom;
use crate::outbox::CloseReason;
use crate::storage::{Account, LINK_SECONDS, Secret, StorageError};

/// What is said to whoever asks for anything before `hello`.
pub(super) const HELLO_FIRST: &str = "Say hello first.";

/// The most games that one connection follows.
const MOST_FOLLOWED: usize = 100;

impl Connection {
    pub(super) async fn handle(&mut self, message: ClientMessage) -> Result<(), CloseReason> {
        if let ClientMessage::Hello(hello) = message {
            return self.greet(hello).await;
        }
        if !self.is_greeted {
            self.refuse(message.id().cloned(), RejectionCode::Hello, HELLO_FIRST);
            return Ok(());
        }
        if !self.accepts(message.id()) {
            return Ok(());
        }
        match message {
            ClientMessage::Hello(_)
            | ClientMessage::Act { .. }
            | ClientMessage::Offer { .. }
            | ClientMessage::Answer { .. }
            | ClientMessage::Resign { .. }
            | ClientMessage::Claim { .. }
            | ClientMessage::Say { .. } => unreachable!("requests are handled elsewhere"),
            ClientMessage::Create { id, terms } => self.create(id, terms).await,
            ClientMessage::Seek { id, terms } => self.seek(id, terms).await,
            ClientMessage::Join { id, code, have, watch } => {
                self.join(id, &code, have, watch).await
            }
            ClientMessage::Leave { code } => self.leave(&code).await,
            ClientMessage::Lobby => self.lobby().await,
            ClientMessage::Leaders { game } => self.leaders(game).await,
            ClientMessage::History => self.history().await,
            ClientMessage::Register { id, name } => self.register(id, &name).await,
            ClientMessage::Link { id } => self.link(id).await,
            ClientMessage::Ping => {
                let version = |(code, handle): &(String, crate::hub::RoomHandle)| {
                    (code.clone(), handle.version.load(std::sync::atomic::Ordering::Relaxed))
                };
                let versions = self.follows.iter().map(version).collect();
                self.outbox.send(&ServerMessage::Pong { versions });
                Ok(())
            }
        }
    }

    /// Whether an id is short enough. Refuses it if not.
    fn accepts(&self, id: Option<&MessageId>) -> bool {
        let is_long = matches!(id, Some(MessageId::Text(text)) if text.len() > MessageId::LONGEST);
        if is_long {
            let text = format!("An id has at most {} bytes.", MessageId::LONGEST);
            self.refuse(None, RejectionCode::Malformed, text);
        }
        !is_long
    }

    async fn greet(&mut self, hello: Hello) -> Result<(), CloseReason> {
        if self.is_greeted {
            self.refuse(None, RejectionCode::Hello, "You have said hello already.");
            return Ok(());
        }
        if hello.proto != PROTO {
            let text =
                format!("This server speaks version {PROTO} of the protocol, not {}.", hello.proto);
            return Err(CloseReason::bye(RejectionCode::Proto, 1008, text));
        }
        let name = match hello.name.as_deref().map(check_name).transpose() {
            Ok(name) => name,
            Err(error) => {
                self.refuse(None, RejectionCode::Name, format!("The name is not valid: {error}."));
                return Ok(());
            }
        };
        let mut games = Vec::new();
        let known = match &hello.token {
            Some(token) => match self.hub.storage.sign_in(&Secret::parse(token)).await {
                Ok(Some((account, rooms))) => {
                    games = rooms;
                    Some(account)
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
        let is_guest = known.as_ref().is_none_or(|account| !account.registered);
        if let Some(name) = name.as_deref().filter(|_| is_guest)
            && self.hub.storage.is_taken(name).await.map_err(|error| self.failure(&error))?
        {
            let text = "This name belongs to an account: choose another one.";
            self.refuse(None, RejectionCode::Name, text);
            return Ok(());
        }
        self.account = known;
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
            if let Err(error) = self.hub.storage.rename_guest(account.id, name).await {
                return Err(self.failure(&error));
            }
            account.name.clone_from(name);
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
            return Err(CloseReason::bye(RejectionCode::Limit, 1008, reached.text()));
        }
        let token = Secret::token();
        let guest =
            self.account.as_ref().filter(|account| !account.registered).map(|account| account.id);
        match self.hub.storage.redeem(&Secret::parse(code), &token, guest, now).await {
            Ok(Some(account)) => {
                if guest.is_some() {
                    self.hub
                        .reload_rooms_of(account.id)
                        .await
                        .map_err(|error| self.failure(&error))?;
                }
                self.account = Some(account);
                Ok(Some(token.text().to_owned()))
            }
            Ok(None) => {
                let text = "This code is not valid, or not any more. Ask for a new one on your other device.";
                self.refuse(None, RejectionCode::Token, text);
                Ok(None)
            }
            Err(error) => Err(self.failure(&error)),
        }
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
    async fn account(&mut self) -> Result<Account, CloseReason> {
        if let Some(account) = &self.account {
            return Ok(account.clone());
        }
        let name = match &self.wanted_name {
            Some(name) => name.clone(),
            None => format!("Guest {}", codes::letters(4)),
        };
        let token = Secret::token();
        let created = self.hub.storage.create_guest(&name, &token, self.hub.now()).await;
        let account = created.map_err(|error| self.failure(&error))?;
        self.account = Some(account.clone());
        self.welcome(Some(token.text().to_owned()), Vec::new());
        Ok(account)
    }

    /// The person that the account is at a table of this game.
    async fn person(&mut self, game: Option<&str>) -> Result<Person, CloseReason> {
        let Account { id, name, registered } = self.account().await?;
        let rating = match game {
            Some(game) if registered => {
                self.hub.storage.rating(id, game).await.map_err(|error| self.failure(&error))?
            }
            _ => None,
        };
        Ok(Person { account: id, name, registered, rating })
    }

    /// Checks whether a game can be created. Refuses it if not.
    async fn check(&mut self, id: &MessageId, terms: &Terms) -> Result<bool, CloseReason> {
        if let Err(error) = terms.check() {
            self.refuse(
                Some(id.clone()),
                RejectionCode::Terms,
                format!("This game is not possible: {error}."),
            );
            return Ok(false);
        }
        if self.hub.is_pausing() {
            let text = "The server is stopping. Try again in a few seconds.";
            self.refuse(Some(id.clone()), RejectionCode::Paused, text);
            return Ok(false);
        }
        let account = self.account().await?;
        if terms.rated && !account.registered {
            let text = "Only accounts play rated games: register a name, or play an unrated one.";
            self.refuse(Some(id.clone()), RejectionCode::Account, text);
            return Ok(false);
        }
        let most = self.hub.ledger.limits().games_per_account;
        if self.games > 0 {
            // Some of them may be over by now, and other connections of the account may have created more.
            let rooms = self.hub.storage.rooms_of(account.id).await;
            self.games = rooms.map_err(|error| self.failure(&error))?.len();
        }
        if self.games >= most as usize {
            let text =
                format!("You have {most} games that are not over: finish or leave one first.");
            self.refuse(Some(id.clone()), RejectionCode::Limit, text);
            return Ok(false);
        }
        if let Err(reached) = self.hub.ledger.create(self.address, self.hub.now()) {
            self.refuse_for(Some(id.clone()), reached);
            return Ok(false);
        }
        if terms.level.is_some()
            && let (Ok(entry), Ok(settings)) = (terms.entry(), terms.settings())
            && let Err(why) = self.hub.computers.check(entry, settings).await
        {
            let (code, text) = match why {
                Unplayable::Busy => (
                    RejectionCode::Limit,
                    "The computer is busy: try again in a moment.".to_owned(),
                ),
                Unplayable::Unsolved(why) => (
                    RejectionCode::TooLarge,
                    format!(
                        "The computer cannot play on this board here: {why}. Choose a smaller one."
                    ),
                ),
            };
            self.refuse(Some(id.clone()), code, text);
            return Ok(false);
        }
        Ok(true)
    }

    /// The room that this message has led to before, if it is sent again. Returns whether there was one.
    async fn follow_again(&mut self, id: &MessageId, seeking: bool) -> Result<bool, CloseReason> {
        let Some(account) = self.account.as_ref().map(|account| account.id) else {
            return Ok(false);
        };
        let origin = Origin { account, id: id.clone() };
        let code = match self.hub.created_by(&origin) {
            // The server may have been started since then. An account that is as new as the connection was not there.
            None if self.is_back => {
                let code = self.hub.storage.led_to(&origin, seeking).await;
                code.map_err(|error| self.failure(&error))?
            }
            code => code,
        };
        let Some(code) = code else { return Ok(false) };
        let person = self.person(None).await?;
        self.attach(Some(id.clone()), &code, person, None, true).await;
        Ok(true)
    }

    async fn create(&mut self, id: MessageId, terms: Terms) -> Result<(), CloseReason> {
        let terms = terms.canonical().unwrap_or(terms);
        if self.follow_again(&id, false).await? || !self.check(&id, &terms).await? {
            return Ok(());
        }
        self.create_checked(id, terms).await
    }

    async fn create_checked(&mut self, id: MessageId, terms: Terms) -> Result<(), CloseReason> {
        let person = self.person(Some(&terms.game)).await?;
        let date = Some(skirmish_store::today());
        let game = terms.game.clone();
        let created = self.hub.create(person.clone(), id.clone(), terms, date).await;
        let code = created.map_err(|error| self.failure(&error))?;
        self.games += 1;
        (self.hub.log)(&format!("game {code} created: {game}"));
        self.attach(Some(id), &code, person, None, false).await;
        Ok(())
    }

    async fn seek(&mut self, id: MessageId, terms: Terms) -> Result<(), CloseReason> {
        let terms = terms.canonical().unwrap_or(terms);
        let terms = Terms { public: true, level: None, ..terms };
        if self.follow_again(&id, true).await? || !self.check(&id, &terms).await? {
            return Ok(());
        }
        if self.is_at_limit(Some(&id)) {
            return Ok(());
        }
        let account = self.account().await?.id;
        // Two people who seek at the same time find each other: the second waits until the first is listed.
        let hub = Arc::clone(&self.hub);
        let _pairing = hub.pairing.lock().await;
        match self.hub.board.claim(&terms, account) {
            Some(code) => {
                self.hub.remember(Origin { account, id: id.clone() }, &code);
                let person = self.person(Some(&terms.game)).await?;
                self.attach(Some(id), &code, person, None, false).await;
                Ok(())
            }
            None => self.create_checked(id, terms).await,
        }
    }

    async fn join(
        &mut self,
        id: Option<MessageId>,
        code: &str,
        have: Option<u64>,
        watch: bool,
    ) -> Result<(), CloseReason> {
        let Some(code) = self.code(id.as_ref(), code)? else { return Ok(()) };
        if self.account.is_none() && !self.exists(&code).await? {
            self.pay(super::WRONG)?;
            let text = format!("There is no game {code}. Check the code.");
            self.refuse(id, RejectionCode::NotFound, text);
            return Ok(());
        }
        let game = self.game_of(&code).await;
        let person = self.person(game.as_deref()).await?;
        self.attach(id, &code, person, have, watch).await;
        Ok(())
    }

    /// Whether there is such a room. Nobody gets an account by trying codes.
    async fn exists(&self, code: &str) -> Result<bool, CloseReason> {
        if self.hub.is_live(code) {
            return Ok(true);
        }
        self.hub.storage.exists(code).await.map_err(|error| self.failure(&error))
    }

    /// The id of a room's game, if the account has ratings.
    async fn game_of(&self, code: &str) -> Option<String> {
        let account = self.account.as_ref().filter(|account| account.registered)?.id;
        Some(self.hub.describe(code, account).await?.terms.game)
    }

    /// Reads a code, or refuses it. Guessing codes is expensive.
    fn code(&mut self, id: Option<&MessageId>, code: &str) -> Result<Option<String>, CloseReason> {
        if let Some(code) = codes::read_code(code) {
            return Ok(Some(code));
        }
        self.pay(super::WRONG)?;
        self.refuse(
            id.cloned(),
            RejectionCode::NotFound,
            "There is no such game. A code has 6 letters or digits.",
        );
        Ok(None)
    }

    async fn attach(
        &mut self,
        id: Option<MessageId>,
        code: &str,
        person: Person,
        have: Option<u64>,
        watch: bool,
    ) {
        let is_followed = self.follows.iter().any(|(other, _)| other == code);
        if !is_followed && self.is_at_limit(id.as_ref()) {
            return;
        }
        let (reply, attached) = oneshot::channel();
        let input = DeskInput::Attach { connection: self.id, person, id, have, watch };
        let message = ToRoom::Attach { input, outbox: self.outbox.clone(), reply };
        let handle = self.hub.send(code, message).await;
        self.follows.retain(|(other, _)| other != code);
        // Whoever was refused follows nothing.
        if attached.await.is_ok_and(|attached| attached) {
            self.follows.push((code.to_owned(), handle));
        }
    }

    /// Whether the connection follows as many games as it may. Refuses more.
    fn is_at_limit(&self, id: Option<&MessageId>) -> bool {
        let is_at_limit = self.follows.len() >= MOST_FOLLOWED;
        if is_at_limit {
            let text = format!("You follow {MOST_FOLLOWED} games: leave one first.");
            self.refuse(id.cloned(), RejectionCode::Limit, text);
        }
        is_at_limit
    }

    /// Passes a request to its room.
    pub(super) async fn request(&mut self, sent: SentRequest) -> Result<(), CloseReason> {
        let SentRequest { id, code, seen, request } = sent;
        if !self.accepts(Some(&id)) {
            return Ok(());
        }
        let Some(code) = self.code(Some(&id), &code)? else { return Ok(()) };
        let Some(account) = self.account.as_ref().map(|account| account.id) else {
            self.refuse(
                Some(id),
                RejectionCode::NotSeated,
                "You do not play in this game: join it first.",
            );
            return Ok(());
        };
        let (connection, id, lag) = (self.id, Some(id), self.lag());
        let input = DeskInput::Request { connection, account, id, seen, lag, request };
        self.hub.send(&code, ToRoom::Input { input, outbox: self.outbox.clone() }).await;
        Ok(())
    }

    async fn leave(&mut self, code: &str) -> Result<(), CloseReason> {
        let Some(code) = self.code(None, code)? else { return Ok(()) };
        let Some(account) = self.account.as_ref().map(|account| account.id) else { return Ok(()) };
        if !self.follows.iter().any(|(other, _)| *other == code) {
            return Ok(());
        }
        self.follows.retain(|(other, _)| *other != code);
        let close = DeskInput::Request {
            connection: self.id,
            account,
            id: None,
            seen: None,
            lag: 0,
            request: Request::Close,
        };
        // A game that has begun stays, and nobody needs to be told.
        self.hub.send(&code, ToRoom::Leave { close, connection: self.id }).await;
        Ok(())
    }

    async fn lobby(&mut self) -> Result<(), CloseReason> {
        let (open, live) = self.hub.board.lists();
        let yours = match &self.account {
            Some(account) => {
                self.hub.rooms_of(account.id).await.map_err(|error| self.failure(&error))?
            }
            None => Vec::new(),
        };
        self.outbox.send(&ServerMessage::Lobby(Lobby { open, live, yours }));
        Ok(())
    }

    async fn leaders(&mut self, game: String) -> Result<(), CloseReason> {
        let players =
            self.hub.storage.leaders(&game).await.map_err(|error| self.failure(&error))?;
        self.outbox.send(&ServerMessage::Leaders { game, players });
        Ok(())
    }

    async fn history(&mut self) -> Result<(), CloseReason> {
        let games = match &self.account {
            Some(account) => {
                self.hub.storage.history(account.id).await.map_err(|error| self.failure(&error))?
            }
            None => Vec::new(),
        };
        self.outbox.send(&ServerMessage::History { games });
        Ok(())
    }

    async fn register(&mut self, id: MessageId, name: &str) -> Result<(), CloseReason> {
        let name = match check_name(name) {
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
                "This name is taken: choose another one.",
            ),
        }
        Ok(())
    }

    async fn link(&mut self, id: MessageId) -> Result<(), CloseReason> {
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

    /// Ends the connection because the storage failed.
    fn failure(&self, error: &StorageError) -> CloseReason {
        (self.hub.log)(&format!("storage failed: {error}"));
        let text = "The server cannot store anything at the moment. Try again later.";
        CloseReason::bye(RejectionCode::Storage, 1011, text)
    }
}
