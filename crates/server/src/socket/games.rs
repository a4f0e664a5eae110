//! Creates, finds, follows and leaves games, and passes requests to them.

use skirmish_play::Proposal;
use skirmish_room::wire::{LobbyGame, MessageId, RoomRequest};
use skirmish_room::{AccountId, HostInput, Origin, Person, RejectionCode, Terms};
use skirmish_rules::Both;
use tokio::sync::oneshot;

use super::request::{Handled, refuse, refuse_at, refuse_for};
use super::{Connection, Followed};
use crate::codes;
use crate::computer::{BUSY, Unplayable};
use crate::game::{ToRoom, missing};
use crate::hub::Creation;
use crate::limits::{Use, network};
use crate::log::Entry;
use crate::outbox::COME_BACK;
use crate::storage::Sought;

/// Maximum number of games that one connection may follow.
const MOST_FOLLOWED: usize = 100;

fn player_barred(seconds: u32) -> String {
    format!(
        "You have left too many rated games before your first move: you can play rated games again in {seconds} seconds, and others now."
    )
}

fn creator_barred(seconds: u32) -> String {
    format!(
        "The player who offers this game has left too many rated games before their first move: it can be joined in {seconds} seconds."
    )
}

impl Connection {
    /// Creates a game on these terms. A client that seeks a game joins a matching one, if there is any.
    pub(super) async fn create(&mut self, id: MessageId, terms: Terms, seeking: bool) -> Handled {
        // A copy of this message on another connection waits: until this connection sits down, the database does not know which
        // room it found.
        let _turn = match self.account_id() {
            Some(account) => self.hub.people.turn(account).await,
            None => None,
        };
        if self.follow_again(&id, seeking).await? {
            return Ok(());
        }
        let terms = self.check(&terms).await?;
        self.check_follows()?;
        let creator = self.person(Some(&terms.game)).await?.in_game(terms.rated);
        let (network, date) = (network(self.address), Some(skirmish_store::today()));
        let creation = Creation { creator, network, id, terms, date };
        let sought = self.hub.create(&creation, seeking).await?;
        let Creation { creator, id, terms, .. } = creation;
        let (code, is_known) = match sought {
            Sought::Created(code) => {
                self.games += 1;
                let entry = Entry::info("game_created", "A game was created.");
                let entry = entry.request(&self.request).game(&code, terms.public);
                self.hub.log.write(&entry.with("game", terms.game));
                (code, false)
            }
            Sought::Found(code) => (code, false),
            Sought::Known(code) => (code, true),
            Sought::AtLimit => return self.refuse_games(),
        };
        self.attach(Some(id), &code, creator, None, is_known).await
    }

    /// Follows the room that an earlier copy of this message led to. Returns whether there was one.
    async fn follow_again(&mut self, id: &MessageId, seeking: bool) -> Handled<bool> {
        let Some(account) = self.account_id() else { return Ok(false) };
        let origin = Origin { account, id: id.clone() };
        let code = match self.hub.created_by(&origin) {
            // The server may have restarted since then. A new account cannot have sent the message before.
            None if self.is_back => self.hub.storage.led_to(&origin, seeking).await?,
            code => code,
        };
        let Some(code) = code else { return Ok(false) };
        let person = self.person(None).await?;
        self.attach(Some(id.clone()), &code, person, None, true).await?;
        Ok(true)
    }

    /// Normalises the terms, if a game can be created on them.
    async fn check(&mut self, terms: &Terms) -> Handled<Terms> {
        let proposal = match terms.proposal(self.hub.games) {
            Ok(proposal) => proposal,
            Err(error) => {
                let text = format!("This game is not possible: {error}.");
                return refuse(RejectionCode::Terms, text);
            }
        };
        let terms = terms.canonical(&proposal);
        if self.hub.is_pausing() {
            let text = "The server is stopping. Try again in a few seconds.";
            return refuse_for(COME_BACK, RejectionCode::Paused, text);
        }
        let account = self.account().await?;
        if terms.rated && !account.registered {
            let text = "Only accounts play rated games: register a name, or play an unrated one.";
            return refuse(RejectionCode::Account, text);
        }
        if terms.rated {
            self.check_barred(account.id, player_barred).await?;
        }
        if self.unfinished_at_limit(account.id).await?.is_some() {
            return self.refuse_games();
        }
        self.hub.ledger.charge(self.address, Use::Games, 1, self.hub.now()).or_else(refuse_at)?;
        if terms.level.is_some() {
            let Proposal { entry, settings, .. } = proposal;
            match self.hub.computers.check(self.address, entry, settings).await {
                Ok(()) => {}
                Err(Unplayable::Busy) => return refuse_at(BUSY),
                Err(Unplayable::Unsolved(why)) => {
                    let text = format!(
                        "The computer cannot play on this board here: {why}. Choose a smaller one."
                    );
                    return refuse(RejectionCode::TooLarge, text);
                }
            }
        }
        Ok(terms)
    }

    pub(super) async fn join(
        &mut self,
        id: Option<MessageId>,
        code: &str,
        have: Option<u64>,
        watch: bool,
    ) -> Handled {
        let code = self.code(code)?;
        self.check_known(&code).await?;
        if !watch && self.would_be_too_many(&code).await? {
            return self.refuse_games();
        }
        let game = self.game_of(&code).await;
        let is_rated = |game: &LobbyGame| game.terms.rated && has_free_seat(game);
        if !watch
            && game.as_ref().is_some_and(is_rated)
            && let Some(account) = self.account_id()
            && self.hub.storage.seated(&code, account).await?.is_none()
        {
            self.check_barred(account, player_barred).await?;
            if let Some(creator) = self.hub.storage.creator(&code).await? {
                self.check_barred(creator, creator_barred).await?;
            }
        }
        let game = game.map(|game| game.terms.game);
        let person = self.person(game.as_deref()).await?;
        self.attach(id, &code, person, have, watch).await?;
        self.games += usize::from(!watch);
        Ok(())
    }

    /// Whether the account would take a seat in a room despite having as many unfinished games as allowed.
    async fn would_be_too_many(&mut self, code: &str) -> Handled<bool> {
        let Some(account) = self.account_id() else { return Ok(false) };
        let Some(own) = self.unfinished_at_limit(account).await? else { return Ok(false) };
        if own.iter().any(|own| own == code) {
            return Ok(false);
        }
        let game = self.hub.describe(code, account).await;
        Ok(game.is_some_and(|game| has_free_seat(&game)))
    }

    /// Refuses the message if an account is currently barred from rated games. `text` says so, given the seconds left.
    async fn check_barred(&self, account: AccountId, text: fn(u32) -> String) -> Handled {
        let now = self.hub.now();
        let until = self.hub.storage.barred_until(account, now).await?;
        let Some(until) = until else { return Ok(()) };
        let seconds = u32::try_from((until - now).div_ceil(1000)).unwrap_or(u32::MAX);
        refuse_for(seconds, RejectionCode::Limit, text(seconds))
    }

    /// Returns the unfinished games of the account, if their number is at the limit.
    async fn unfinished_at_limit(&mut self, account: AccountId) -> Handled<Option<Vec<String>>> {
        if self.games == 0 {
            return Ok(None);
        }
        // Some games may be over by now, and other connections of the account may have created more.
        let rooms = self.hub.storage.rooms_of(account).await?;
        self.games = rooms.len();
        let most = self.hub.ledger.limits().games_per_account as usize;
        Ok((rooms.len() >= most).then_some(rooms))
    }

    fn refuse_games<T>(&self) -> Handled<T> {
        let most = self.hub.ledger.limits().games_per_account;
        let text = format!("You have {most} games that are not over: finish or leave one first.");
        refuse(RejectionCode::Limit, text)
    }

    /// Refuses the message if there is no such room, at the same cost for accounts and guests. Guessing a code creates no
    /// account.
    async fn check_known(&mut self, code: &str) -> Handled {
        // The next request needs the room in memory anyway.
        let is_known = self.follows.iter().any(|it| it.code == code)
            || self.hub.describe(code, 0).await.is_some();
        // If the database cannot be read, the room reports that.
        if is_known || !matches!(self.hub.storage.exists(code).await, Ok(false)) {
            return Ok(());
        }
        self.pay(super::WRONG)?;
        refuse(RejectionCode::NotFound, missing(code))
    }

    /// Returns the lobby entry of a room, if the account has ratings.
    async fn game_of(&self, code: &str) -> Option<LobbyGame> {
        let account = self.account.as_ref().filter(|account| account.registered)?.id;
        self.hub.describe(code, account).await
    }

    /// Parses a room's code, or refuses the message. Guessing codes is expensive.
    fn code(&mut self, code: &str) -> Handled<String> {
        if let Some(code) = codes::read_code(code) {
            return Ok(code);
        }
        self.pay(super::WRONG)?;
        let text = "There is no such game. A code has 6 letters or digits.";
        refuse(RejectionCode::NotFound, text)
    }

    async fn attach(
        &mut self,
        id: Option<MessageId>,
        code: &str,
        person: Person,
        have: Option<u64>,
        watch: bool,
    ) -> Handled {
        if !self.follows.iter().any(|other| other.code == code) {
            self.check_follows()?;
        }
        let (reply, attached) = oneshot::channel();
        let input = HostInput::Attach { connection: self.id, person, id, have, watch };
        let message = ToRoom::Attach { input, outbox: self.outbox.clone(), reply };
        let handle = self.hub.send(code, message).await;
        self.follows.retain(|other| other.code != code);
        // A connection that was refused does not follow the room.
        if attached.await.is_ok_and(|attached| attached) {
            let (code, have) = (code.to_owned(), have.unwrap_or(0));
            self.follows.push(Followed { code, handle, have });
        }
        Ok(())
    }

    /// Refuses the message if the connection already follows the maximum number of games.
    fn check_follows(&self) -> Handled {
        if self.follows.len() < MOST_FOLLOWED {
            return Ok(());
        }
        let text = format!("You follow {MOST_FOLLOWED} games: leave one first.");
        refuse(RejectionCode::Limit, text)
    }

    pub(super) async fn leave(&mut self, code: &str) -> Handled {
        let code = self.code(code)?;
        let Some(account) = self.account_id() else { return Ok(()) };
        if !self.follows.iter().any(|other| other.code == code) {
            return Ok(());
        }
        self.follows.retain(|other| other.code != code);
        let input = HostInput::Leave { connection: self.id, account };
        self.hub.send(&code, ToRoom::Input(input)).await;
        Ok(())
    }

    /// Passes a request to its room.
    pub(super) async fn request(&mut self, sent: RoomRequest) -> Handled {
        let RoomRequest { id, code, seen, request } = sent;
        let code = self.code(&code)?;
        let Some(account) = self.account_id() else {
            let text = "You do not play in this game: join it first.";
            return refuse(RejectionCode::NotSeated, text);
        };
        self.check_known(&code).await?;
        self.outbox.note_request();
        let (connection, id, lag) = (self.id, Some(id), self.lag());
        let input = HostInput::Request { connection, account, id, seen, lag, request };
        self.hub.send(&code, ToRoom::Request { input, outbox: self.outbox.clone() }).await;
        Ok(())
    }
}

fn has_free_seat(game: &LobbyGame) -> bool {
    let players = Both::from(game.players.clone());
    players.one.is_none() || players.two.is_none()
}
