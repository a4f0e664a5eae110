//! Creating, finding, following and leaving games, and requests to them.

use skirmish_room::wire::{LobbyGame, MessageId, Rej, RoomRequest};
use skirmish_room::{AccountId, DeskInput, Origin, Person, RejectionCode, Request, Terms};
use skirmish_rules::Both;
use tokio::sync::oneshot;

use super::{Connection, Followed};
use crate::codes;
use crate::computer::{BUSY, Unplayable};
use crate::game::{ToRoom, missing};
use crate::hub::Creation;
use crate::limits::network;
use crate::log::Entry;
use crate::outbox::{COME_BACK, CloseReason};

/// The most games that one connection follows.
const MOST_FOLLOWED: usize = 100;

impl Connection {
    pub(super) async fn create(&mut self, id: MessageId, terms: Terms) -> Result<(), CloseReason> {
        if self.follow_again(&id, false).await? {
            return Ok(());
        }
        let Some(terms) = self.check(&id, &terms).await? else { return Ok(()) };
        let creation = self.creation(id, terms).await?;
        let created = self.hub.create(&creation).await;
        let code = created.map_err(|error| self.failure(&error))?;
        self.note_created(&creation, &code);
        self.attach(Some(creation.id), &code, creation.creator, None, false).await;
        Ok(())
    }

    pub(super) async fn seek(&mut self, id: MessageId, terms: Terms) -> Result<(), CloseReason> {
        if self.follow_again(&id, true).await? {
            return Ok(());
        }
        let terms = Terms { public: true, level: None, ..terms };
        let Some(terms) = self.check(&id, &terms).await? else { return Ok(()) };
        if self.is_at_limit(Some(&id)) {
            return Ok(());
        }
        let creation = self.creation(id, terms).await?;
        let sought = self.hub.seek(&creation).await;
        let (code, is_new) = sought.map_err(|error| self.failure(&error))?;
        if is_new {
            self.note_created(&creation, &code);
        }
        self.attach(Some(creation.id), &code, creation.creator, None, false).await;
        Ok(())
    }

    /// What is created for this connection on terms in their one form.
    async fn creation(&mut self, id: MessageId, terms: Terms) -> Result<Creation, CloseReason> {
        let creator = self.person(Some(&terms.game)).await?.in_game(terms.rated);
        let (network, date) = (network(self.address), Some(skirmish_store::today()));
        Ok(Creation { creator, network, id, terms, date })
    }

    fn note_created(&mut self, creation: &Creation, code: &str) {
        self.games += 1;
        let entry = Entry::info("game_created", "A game was created.").request(&self.request);
        let entry = entry.game(code, creation.terms.public);
        self.hub.log.write(&entry.with("game", creation.terms.game.as_str()));
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

    /// The terms in one form, if a game can be created on them. Refuses it if not.
    async fn check(&mut self, id: &MessageId, terms: &Terms) -> Result<Option<Terms>, CloseReason> {
        let proposal = match terms.proposal(self.hub.games) {
            Ok(proposal) => proposal,
            Err(error) => {
                let text = format!("This game is not possible: {error}.");
                self.refuse(Some(id.clone()), RejectionCode::Terms, text);
                return Ok(None);
            }
        };
        let terms = terms.canonical(&proposal);
        if self.hub.is_pausing() {
            let text = "The server is stopping. Try again in a few seconds.";
            self.refuse_for(COME_BACK, Rej::of(Some(id.clone()), RejectionCode::Paused, text));
            return Ok(None);
        }
        let account = self.account().await?;
        if terms.rated && !account.registered {
            let text = "Only accounts play rated games: register a name, or play an unrated one.";
            self.refuse(Some(id.clone()), RejectionCode::Account, text);
            return Ok(None);
        }
        if terms.rated && self.is_barred(account.id, Some(id)).await? {
            return Ok(None);
        }
        if self.unfinished_at_limit(account.id).await?.is_some() {
            self.refuse_games(Some(id.clone()));
            return Ok(None);
        }
        if let Err(reached) = self.hub.ledger.create(self.address, self.hub.now()) {
            self.refuse_at(Some(id.clone()), reached);
            return Ok(None);
        }
        if terms.level.is_some()
            && let Err(why) =
                self.hub.computers.check(self.address, proposal.entry, proposal.settings).await
        {
            match why {
                Unplayable::Busy => self.refuse_at(Some(id.clone()), BUSY),
                Unplayable::Unsolved(why) => {
                    let text = format!(
                        "The computer cannot play on this board here: {why}. Choose a smaller one."
                    );
                    self.refuse(Some(id.clone()), RejectionCode::TooLarge, text);
                }
            }
            return Ok(None);
        }
        Ok(Some(terms))
    }

    pub(super) async fn join(
        &mut self,
        id: Option<MessageId>,
        code: &str,
        have: Option<u64>,
        watch: bool,
    ) -> Result<(), CloseReason> {
        let Some(code) = self.code(id.as_ref(), code)? else { return Ok(()) };
        if self.is_guess(id.as_ref(), &code).await? {
            return Ok(());
        }
        if !watch && self.would_be_too_many(&code).await? {
            self.refuse_games(id);
            return Ok(());
        }
        let game = self.game_of(&code).await;
        let is_rated = |game: &LobbyGame| game.terms.rated && has_free_seat(game);
        if !watch
            && game.as_ref().is_some_and(is_rated)
            && let Some(account) = self.account.as_ref().map(|account| account.id)
            && !self.is_seated(&code, account).await?
            && self.is_barred(account, id.as_ref()).await?
        {
            return Ok(());
        }
        let game = game.map(|game| game.terms.game);
        let person = self.person(game.as_deref()).await?;
        self.attach(id, &code, person, have, watch).await;
        self.games += usize::from(!watch);
        Ok(())
    }

    /// Whether the account would sit down in a room although it has as many unfinished games as it may.
    async fn would_be_too_many(&mut self, code: &str) -> Result<bool, CloseReason> {
        let Some(account) = self.account.as_ref().map(|account| account.id) else {
            return Ok(false);
        };
        let Some(own) = self.unfinished_at_limit(account).await? else { return Ok(false) };
        if own.iter().any(|own| own == code) {
            return Ok(false);
        }
        let game = self.hub.describe(code, account).await;
        Ok(game.is_some_and(|game| has_free_seat(&game)))
    }

    async fn is_seated(&self, code: &str, account: AccountId) -> Result<bool, CloseReason> {
        let seated = self.hub.storage.seated(code, account).await;
        Ok(seated.map_err(|error| self.failure(&error))?.is_some())
    }

    /// Whether the account is barred from rated games at the moment. If so, refuses the message.
    async fn is_barred(
        &self,
        account: AccountId,
        id: Option<&MessageId>,
    ) -> Result<bool, CloseReason> {
        let now = self.hub.now();
        let until = self.hub.storage.barred_until(account, now).await;
        let Some(until) = until.map_err(|error| self.failure(&error))? else { return Ok(false) };
        let seconds = u32::try_from((until - now).div_ceil(1000)).unwrap_or(u32::MAX);
        let text = format!(
            "You have left too many rated games before your first move: you can play rated games again in {seconds} seconds, and others now."
        );
        self.refuse_for(seconds, Rej::of(id.cloned(), RejectionCode::Limit, text));
        Ok(true)
    }

    /// The unfinished games of the account, if it may not have more.
    async fn unfinished_at_limit(
        &mut self,
        account: AccountId,
    ) -> Result<Option<Vec<String>>, CloseReason> {
        if self.games == 0 {
            return Ok(None);
        }
        // Some of them may be over by now, and other connections of the account may have more.
        let rooms = self.hub.storage.rooms_of(account).await;
        let rooms = rooms.map_err(|error| self.failure(&error))?;
        self.games = rooms.len();
        let most = self.hub.ledger.limits().games_per_account as usize;
        Ok((rooms.len() >= most).then_some(rooms))
    }

    fn refuse_games(&self, id: Option<MessageId>) {
        let most = self.hub.ledger.limits().games_per_account;
        let text = format!("You have {most} games that are not over: finish or leave one first.");
        self.refuse(id, RejectionCode::Limit, text);
    }

    /// Whether there is no such room. If so, refuses the message, at the same cost for accounts and guests; guessing a code
    /// creates no account.
    async fn is_guess(&mut self, id: Option<&MessageId>, code: &str) -> Result<bool, CloseReason> {
        let is_known = self.hub.is_live(code) || self.follows.iter().any(|it| it.code == code);
        // If the database cannot be read, the room says so.
        if is_known || !matches!(self.hub.storage.exists(code).await, Ok(false)) {
            return Ok(false);
        }
        self.pay(super::WRONG)?;
        self.refuse(id.cloned(), RejectionCode::NotFound, missing(code));
        Ok(true)
    }

    /// What a room is about, if the account has ratings.
    async fn game_of(&self, code: &str) -> Option<LobbyGame> {
        let account = self.account.as_ref().filter(|account| account.registered)?.id;
        self.hub.describe(code, account).await
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
        let is_followed = self.follows.iter().any(|other| other.code == code);
        if !is_followed && self.is_at_limit(id.as_ref()) {
            return;
        }
        let (reply, attached) = oneshot::channel();
        let input = DeskInput::Attach { connection: self.id, person, id, have, watch };
        let message = ToRoom::Attach { input, outbox: self.outbox.clone(), reply };
        let handle = self.hub.send(code, message).await;
        self.follows.retain(|other| other.code != code);
        // Whoever was refused follows nothing.
        if attached.await.is_ok_and(|attached| attached) {
            let (code, have) = (code.to_owned(), have.unwrap_or(0));
            self.follows.push(Followed { code, handle, have });
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

    pub(super) async fn leave(&mut self, code: &str) -> Result<(), CloseReason> {
        let Some(code) = self.code(None, code)? else { return Ok(()) };
        let Some(account) = self.account.as_ref().map(|account| account.id) else { return Ok(()) };
        if !self.follows.iter().any(|other| other.code == code) {
            return Ok(());
        }
        self.follows.retain(|other| other.code != code);
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

    /// Passes a request to its room.
    pub(super) async fn request(&mut self, sent: RoomRequest) -> Result<(), CloseReason> {
        let RoomRequest { id, code, seen, request } = sent;
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
        if self.is_guess(Some(&id), &code).await? {
            return Ok(());
        }
        self.outbox.note_request();
        let (connection, id, lag) = (self.id, Some(id), self.lag());
        let input = DeskInput::Request { connection, account, id, seen, lag, request };
        self.hub.send(&code, ToRoom::Input { input, outbox: self.outbox.clone() }).await;
        Ok(())
    }
}

fn has_free_seat(game: &LobbyGame) -> bool {
    let players = Both::from(game.players.clone());
    players.one.is_none() || players.two.is_none()
}
