//! The public views of a room. Events are byte-identical for all receivers and reveal no choice before its turn is
//! played.

use skirmish_present::json::{PerPlayer, PositionObject, TurnEventObject};
use skirmish_rules::{Both, Side};

use super::{Moves, Room};
use crate::clock::Millis;
use crate::event::{AccountId, Logged, RoomEvent};
use crate::wire::{ClockView, Ev, EventView, LobbyGame, MatchView, Offer, Seated, Snap};

fn numbers(sides: Both<bool>) -> Vec<u8> {
    Side::ALL.into_iter().filter(|&side| sides[side]).map(Side::number).collect()
}

impl Room {
    /// Returns an event that was just applied in its public form; `None` if clients need a snapshot instead. `turns` is
    /// the number of turns before it.
    pub(crate) fn show(
        &self,
        logged: &Logged,
        turns: usize,
        told: Vec<TurnEventObject>,
    ) -> Option<Box<Ev>> {
        let new = self.moves.as_ref().and_then(|moves| moves.turns.get(turns..));
        let new = new.unwrap_or_default();
        let event = match logged.event {
            RoomEvent::Created { .. } | RoomEvent::Seated { .. } | RoomEvent::Began => {
                return None;
            }
            RoomEvent::Chose { side: player, .. } if new.is_empty() => EventView::Chosen { player },
            RoomEvent::Chose { side: player, .. } => {
                let turns = new.iter().cloned().map(PerPlayer::from).collect();
                EventView::Turn { player, turns, told, position: self.position() }
            }
            RoomEvent::Offered { side: player, what } => EventView::Offer { player, what },
            RoomEvent::Answered { side: player, what: Offer::Takeback, yes: true } => {
                let (left, position) = (self.turns_played(), self.position());
                EventView::Undo { player, left, position }
            }
            RoomEvent::Answered { side: player, what, yes } => {
                EventView::Answer { player, what, yes }
            }
            RoomEvent::Resigned { side } | RoomEvent::Claimed { side } => {
                EventView::End { player: Some(side), closes: false }
            }
            RoomEvent::Aborted { side: player, closes, .. } => EventView::End { player, closes },
            RoomEvent::Flagged { .. } => EventView::End { player: None, closes: false },
            RoomEvent::Said { side: player, phrase } => EventView::Say { player, phrase },
            RoomEvent::Paused => EventView::Paused,
            RoomEvent::Resumed => EventView::Resumed,
            RoomEvent::Closed => EventView::Closed,
        };
        let (code, v, end, clock) = (self.code.clone(), self.v, self.end(), self.clock(logged.at));
        Some(Box::new(Ev { code, v, event, end, clock }))
    }

    fn position(&self) -> Option<PositionObject> {
        self.table().map(PositionObject::of)
    }

    /// Returns a snapshot of the room as the account may see it at `now`.
    #[must_use]
    pub fn snap(&self, account: AccountId, now: Millis) -> Snap {
        let moves = self.moves.as_deref();
        let standing = moves.and_then(|moves| moves.plan.standing);
        Snap {
            code: self.code.clone(),
            v: self.v,
            stage: self.stage,
            terms: self.terms.clone(),
            unrated: self.unrated().map(str::to_owned),
            you: self.side_of(account).map(Side::number),
            players: self.seated(),
            number: self.number,
            first: moves.map_or(1, |moves| moves.plan.first.number()),
            standing: standing.map(|standing| MatchView {
                game: standing.game,
                of: standing.of,
                half_points: standing.half_points.into(),
            }),
            date: self.date.clone(),
            turns: moves.map_or_else(Vec::new, |moves| {
                moves.turns.iter().cloned().map(PerPlayer::from).collect()
            }),
            undone: moves.map_or(0, |moves| moves.driver.session().undone()),
            chosen: moves.map_or_else(Vec::new, |moves| {
                numbers(moves.pending.as_ref().map(Option::is_some))
            }),
            offers: moves.map_or_else(Default::default, |moves| moves.offers).into(),
            clock: moves.and_then(|moves| moves.clock(now)),
            claim_after: self.terms.clock.claim_after().map(|after| after / 1000),
            present: self.present().into(),
            claim_in: self
                .side_of(account)
                .and_then(|side| self.claimable_in(side, now).ok())
                .map(|left| left.div_ceil(1000)),
            earlier: self.earlier.clone(),
            end: self.end(),
            position: self.position(),
        }
    }

    /// Returns the clocks at `now`.
    #[must_use]
    pub fn clock(&self, now: Millis) -> Option<ClockView> {
        self.moves.as_ref()?.clock(now)
    }

    /// Returns the clocks of a game in progress as of `time`, if only outages have followed.
    #[must_use]
    pub fn clock_at(&self, time: Millis) -> Option<ClockView> {
        self.clock(time.max(self.last_event())).filter(|_| self.is_playing())
    }

    /// Returns the clocks of a game in progress, stopped at `since`.
    #[must_use]
    pub fn stopped_clock(&self, since: Millis) -> Option<ClockView> {
        let clock = self.clock_at(since)?;
        Some(ClockView { running: Vec::new(), abort: None, ..clock })
    }

    /// Returns the players as others see them.
    #[must_use]
    pub fn seated(&self) -> PerPlayer<Option<Seated>> {
        let seated = |side: Side| {
            let level = self.level_of(side);
            let person = self.people[side].as_ref();
            let name = match (person, level) {
                (Some(person), _) => person.name.clone(),
                (None, Some(level)) => self.computer_name(level),
                (None, None) => return None,
            };
            let rating = person.and_then(|person| person.rating);
            let guest = person.is_some_and(|person| !person.registered);
            let provisional = person.is_some_and(|person| person.provisional);
            let level = level.map(|level| level.to_string());
            Some(Seated { name, guest, level, rating, provisional })
        };
        Both::from_fn(seated).into()
    }

    /// Returns the room's lobby entry.
    #[must_use]
    pub fn lobby_game(&self, account: AccountId) -> LobbyGame {
        let moves = self.moves.as_deref();
        let asked = moves.map_or(Both::default(), Moves::asked);
        LobbyGame {
            code: self.code.clone(),
            terms: self.terms.clone(),
            players: self.seated(),
            turns: moves.map_or(0, |moves| moves.turns.len()),
            your_turn: self.side_of(account).is_some_and(|side| asked[side]),
        }
    }
}

impl Moves {
    /// Returns the clocks at `now`.
    fn clock(&self, now: Millis) -> Option<ClockView> {
        self.clocks.control.initial()?;
        let running = self.running();
        let mut clocks = self.clocks;
        clocks.charge(running, now);
        let wait = clocks.wait(now);
        let left = Both::from_fn(|side| clocks.left[side] + if running[side] { wait } else { 0 });
        let asked = self.asked();
        let waits = |side: &Side| asked[*side] && !self.moved[*side];
        let abort =
            Side::ALL.into_iter().filter(waits).filter_map(|side| self.deadline(side)).min();
        Some(ClockView {
            left: left.into(),
            running: numbers(running),
            abort: abort.map(|at| at.saturating_sub(now)),
        })
    }
}
