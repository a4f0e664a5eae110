//! A game or match between remote players. A room decides the outcome of each request; its state is a fold over its event
//! log. It reads no clock: callers pass the current time.

mod decide;
mod fold;
mod foresee;
mod moves;
mod request;
mod time;
mod view;

use std::collections::HashMap;
use std::num::NonZeroU64;

use skirmish_play::driver::Waiting;
use skirmish_play::player::Level;
use skirmish_play::{Chance, MatchState, Plan, Proposal};
use skirmish_rules::{Both, Catalog, Ending, Record, Side, Starter, Table};

pub use self::fold::FoldError;
use self::moves::Moves;
pub use self::request::Request;
use crate::clock::Millis;
use crate::event::{AccountId, Origin, Person};
use crate::terms::Terms;
use crate::wire::{End, Offer, StageName};
use crate::words::SAME_PLACE;

/// A game or match between remote players.
pub struct Room {
    code: String,
    /// The catalogue of games that rooms can play.
    games: Catalog,
    terms: Terms,
    seed: u64,
    date: Option<String>,
    /// The number of events folded so far.
    v: u64,
    /// The time of the last event.
    at: Millis,
    stage: StageName,
    /// The player at each seat in the current game, or `None` for the computer or a free seat.
    people: Both<Option<Person>>,
    /// The number of the current game in this room, from 1; 0 before the first.
    number: u32,
    moves: Option<Box<Moves>>,
    /// The results of the room's earlier games.
    earlier: Vec<End>,
    /// The messages that led to events, with their versions. All are kept because the log rejects an id it already
    /// contains.
    answered: HashMap<Origin, u64>,
    /// When each player disconnected, if absent. Not logged: in a newly folded room everyone is absent.
    gone: Both<Option<Millis>>,
    /// Whether each player's node is unresponsive, which extends the player's deadline. Not logged.
    excused: Both<bool>,
}

impl Room {
    /// Returns the room code.
    #[must_use]
    pub fn code(&self) -> &str {
        &self.code
    }

    /// Returns the terms of the game.
    #[must_use]
    pub const fn terms(&self) -> &Terms {
        &self.terms
    }

    /// Returns the version: the number of events so far.
    #[must_use]
    pub const fn version(&self) -> u64 {
        self.v
    }

    /// Returns the time of the last event.
    pub(crate) const fn last_event(&self) -> Millis {
        self.at
    }

    /// Returns the number of the current game in this room, from 1; 0 before the first.
    #[must_use]
    pub const fn number(&self) -> u32 {
        self.number
    }

    /// Returns the player at each seat in the current game.
    #[must_use]
    pub const fn people(&self) -> &Both<Option<Person>> {
        &self.people
    }

    /// Returns an account's side in the current game.
    #[must_use]
    pub fn side_of(&self, account: AccountId) -> Option<Side> {
        let sits =
            |side: Side| self.people[side].as_ref().is_some_and(|person| person.account == account);
        Side::ALL.into_iter().find(|&side| sits(side))
    }

    /// Whether the room is waiting for its second player.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.stage == StageName::Open
    }

    /// Whether a game is being played.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        matches!(self.stage, StageName::Playing | StageName::Paused)
    }

    /// Whether the server has stopped and not yet resumed the game.
    #[must_use]
    pub fn is_paused(&self) -> bool {
        self.stage == StageName::Paused
    }

    /// Whether the room is finished, unless there is a rematch.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.stage, StageName::Over | StageName::Closed) && self.next_plan().is_none()
    }

    /// Whether the result of the current game counts for ratings.
    #[must_use]
    pub fn is_rated(&self) -> bool {
        self.terms.rated && self.unrated().is_none()
    }

    /// Why the game is unrated although its terms ask for a rated game.
    #[must_use]
    pub fn unrated(&self) -> Option<&'static str> {
        let Both { one: Some(one), two: Some(two) } = &self.people else { return None };
        let is_same = |one: Option<NonZeroU64>, two| one.is_some() && one == two;
        let is_one = is_same(one.network, two.network) || is_same(one.device, two.device);
        (self.terms.rated && is_one).then_some(SAME_PLACE)
    }

    /// Which players are to blame if the current game ended before both had moved.
    #[must_use]
    pub fn aborted_by(&self) -> Both<bool> {
        self.moves.as_ref().map_or(Both::default(), |moves| moves.aborted_by)
    }

    /// Returns the record of the current game.
    #[must_use]
    pub fn record(&self) -> Option<Record> {
        let moves = self.moves.as_ref()?;
        let mut record = moves.driver.session().record();
        // The seed would reveal the computer's future choices, including those in the next game.
        record.seed = None;
        Some(record)
    }

    /// Returns the plan of the current game.
    #[must_use]
    pub fn plan(&self) -> Option<&Plan> {
        self.moves.as_ref().map(|moves| &moves.plan)
    }

    /// Returns the table of the current game.
    #[must_use]
    pub fn table(&self) -> Option<&dyn Table> {
        self.moves.as_ref().map(|moves| moves.driver.session().table())
    }

    /// Returns the version at which the current game began; 0 before the first.
    pub(crate) fn game_version(&self) -> u64 {
        self.moves.as_ref().map_or(0, |moves| moves.game_v)
    }

    /// Returns the number of turns played in the current game.
    pub(crate) fn turns_played(&self) -> usize {
        self.moves.as_ref().map_or(0, |moves| moves.turns.len())
    }

    /// Returns how the current game ended; `None` while it is in progress or if it was aborted.
    #[must_use]
    pub fn ending(&self) -> Option<Ending> {
        self.moves.as_ref()?.driver.session().ending()
    }

    /// Returns how the current game ended, including an abort.
    #[must_use]
    pub fn end(&self) -> Option<End> {
        self.moves.as_ref()?.end()
    }

    /// Returns the version that a message led to, if it was carried out.
    #[must_use]
    pub fn answer_to(&self, origin: &Origin) -> Option<u64> {
        self.answered.get(origin).copied()
    }

    /// Copies presence from an earlier copy of the same room.
    pub(crate) fn keep_presence_of(&mut self, before: &Self) {
        self.gone = before.gone;
    }

    /// Records that a player connected or disconnected. Not logged.
    pub fn note_presence(&mut self, side: Side, is_present: bool, now: Millis) {
        self.gone[side] = match (is_present, self.gone[side]) {
            (true, _) => None,
            (false, since @ Some(_)) => since,
            (false, None) => Some(now),
        };
    }

    /// Restarts every absence at `now`, because absent players may have been connected elsewhere.
    pub(crate) fn note_absent_since(&mut self, now: Millis) {
        self.gone = self.gone.map(|gone| gone.map(|_| now));
    }

    /// Marks both players absent from now on: a newly read room does not know when they left.
    pub(crate) fn note_all_gone(&mut self, now: Millis) {
        self.gone = Both::new(Some(now), Some(now));
    }

    /// Records whether a player's node is unresponsive.
    pub(crate) fn note_excused(&mut self, side: Side, is_excused: bool) {
        self.excused[side] = is_excused;
    }

    /// Returns when the current turn began; `None` while no clock runs.
    pub(crate) fn turn_began(&self) -> Option<Millis> {
        self.moves.as_ref().filter(|moves| moves.is_timed()).and_then(|moves| moves.clocks.since)
    }

    /// Whether the game is waiting for this side's choice, and a person plays it.
    pub(crate) fn is_asked(&self, side: Side) -> bool {
        self.moves.as_ref().is_some_and(|moves| moves.asked()[side])
    }

    /// Returns the catalogue of games.
    pub(crate) const fn games(&self) -> Catalog {
        self.games
    }

    /// Whether each player is connected. The computer always counts as connected.
    #[must_use]
    pub fn present(&self) -> Both<bool> {
        Both::from_fn(|side| match self.level_of(side) {
            Some(_) => true,
            None => self.people[side].is_some() && self.gone[side].is_none(),
        })
    }

    /// Returns the computer's level if it plays this side.
    #[must_use]
    pub fn level_of(&self, side: Side) -> Option<Level> {
        match &self.moves {
            Some(moves) => moves.plan.players[side].level(),
            None if self.people[side].is_none() => self.terms.opponent().ok().flatten(),
            None => None,
        }
    }

    /// Returns the side for which the computer must choose now.
    pub(crate) fn asked_programs(&self) -> Option<Side> {
        let moves = self.moves.as_ref().filter(|_| self.stage == StageName::Playing)?;
        match moves.driver.waiting() {
            Waiting::Programs(asked) => Side::ALL.into_iter().find(|&side| asked[side]),
            Waiting::Pass(_) | Waiting::Person(_) | Waiting::Answer(_) | Waiting::Nothing(_) => {
                None
            }
        }
    }

    /// Returns the computer's side if it must answer a draw offer.
    pub(crate) fn asked_for_draw(&self) -> Option<Side> {
        let moves = self.moves.as_ref().filter(|_| self.stage == StageName::Playing)?;
        let is_asked = |side: Side| {
            self.level_of(side).is_some() && moves.offers[side.other()] == Some(Offer::Draw)
        };
        Side::ALL.into_iter().find(|&side| is_asked(side))
    }

    /// Returns the inputs of the computer's random choices: the seed, the game's number in its match, and the number of
    /// takebacks.
    #[must_use]
    pub fn chance(&self) -> Option<(u64, u32, u32)> {
        let moves = self.moves.as_ref()?;
        let session = moves.driver.session();
        Some((moves.plan.seed.unwrap_or_default(), session.number(), session.undone()))
    }

    /// Returns a name for the computer that differs from its opponent's.
    fn computer_name(&self, level: Level) -> String {
        let name = format!("{level} computer");
        let people = [&self.people.one, &self.people.two].into_iter().flatten();
        let is_taken = people.into_iter().any(|person| person.name.eq_ignore_ascii_case(&name));
        if is_taken { format!("the {name}") } else { name }
    }

    fn first_plan(&self) -> Result<Plan, String> {
        let creator = self.terms.creator_side(seat_toss(self.seed));
        let proposal = self.terms.proposal(self.games).map_err(|error| error.to_string())?;
        let players = Both::seen_from(creator, proposal.players.one, proposal.players.two);
        let names = Both::from_fn(|side| match (&self.people[side], players[side].level()) {
            (Some(person), _) => Some(person.name.clone()),
            (None, Some(level)) => Some(self.computer_name(level)),
            (None, None) => None,
        });
        if names.one.is_none() || names.two.is_none() {
            return Err("a seat is free".to_owned());
        }
        let proposal = Proposal { players, names, seed: Some(self.seed), ..proposal };
        proposal.plan(self.date.clone()).map_err(|error| error.to_string())
    }

    /// Returns the next game of the match, and whether the players swap seats for it (R-ALL-5).
    fn next_plan(&self) -> Option<(Plan, bool)> {
        let moves = self.moves.as_ref().filter(|_| self.stage == StageName::Over)?;
        let ending = moves.driver.session().ending().filter(|_| !moves.aborted)?;
        match moves.plan.after(ending.outcome)? {
            MatchState::Next(_, plan) => {
                let swaps = plan.entry.starter == Starter::PlayerOne;
                Some((*plan, swaps))
            }
            MatchState::Over(_) => None,
        }
    }
}

/// Tosses for the creator's seat. Independent of the toss for who starts.
fn seat_toss(seed: u64) -> Side {
    const SEATS: u64 = 1;
    Chance::from_seed(seed).branch(SEATS).toss()
}
