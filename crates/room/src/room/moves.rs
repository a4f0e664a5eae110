//! The current or last game of a room.

use skirmish_play::Plan;
use skirmish_play::driver::{Answers, Decision, Driver, Happened, Input, Waiting};
use skirmish_present::json::TurnEventObject;
use skirmish_rules::{Both, Side};

use crate::clock::{Clocks, Millis};
use crate::wire::{End, Offer};

/// The current game of a room, or the last one if it is over.
pub(super) struct Moves {
    pub(super) plan: Plan,
    pub(super) driver: Driver,
    /// The submitted choices of each turn.
    pub(super) turns: Vec<Both<Option<String>>>,
    /// Choices that are waiting for the other side's choice.
    pub(super) pending: Both<Option<String>>,
    pub(super) clocks: Clocks,
    /// Whether each side has made a choice in this game, or in an earlier game of the match.
    pub(super) moved: Both<bool>,
    /// The version at which the game began.
    pub(super) game_v: u64,
    /// The version at which the current turn began.
    pub(super) turn_v: u64,
    /// For each side, the version at which its last choice was played or turns were taken back.
    pub(super) choice_v: Both<u64>,
    pub(super) offers: Both<Option<Offer>>,
    /// The versions at which the offers were made.
    pub(super) offer_v: Both<u64>,
    /// The offers of each side that were declined in this turn.
    pub(super) declined: Both<Vec<Offer>>,
    /// The number of phrases that each side has said in this turn.
    pub(super) said: Both<u8>,
    pub(super) aborted: bool,
    /// The players to blame if the game ended before both had moved.
    pub(super) aborted_by: Both<bool>,
}

impl Moves {
    /// Returns how the game ended.
    pub(super) fn end(&self) -> Option<End> {
        if self.aborted {
            return Some(End::ABORTED);
        }
        self.driver.session().ending().map(|ending| End(Some(ending)))
    }

    /// Returns which players must choose now, excluding the computer.
    pub(super) fn asked(&self) -> Both<bool> {
        let table = self.driver.session().table();
        let over = self.end().is_some();
        let sides = table.to_act();
        Both::from_fn(|side| !over && self.driver.is_person(side) && sides.contains(&side))
    }

    /// Returns the sides whose clocks are running.
    pub(super) fn running(&self) -> Both<bool> {
        let asked = self.asked();
        let is_timed = self.clocks.control.initial().is_some() && self.clocks.since.is_some();
        Both::from_fn(|side| is_timed && asked[side] && self.moved[side])
    }

    /// Whether both players have moved in this game; unlike `moved`, ignores earlier games of the match.
    pub(super) fn is_played(&self) -> bool {
        Side::ALL.into_iter().all(|side| self.moved[side] && self.choice_v[side] > self.game_v)
    }

    /// Records who ended the game, if both players have not yet moved.
    pub(super) fn blame(&mut self, sides: Both<bool>) {
        if !self.is_played() {
            self.aborted_by = sides;
        }
    }

    /// Returns the last turn in which a side chose, which a takeback by that side would undo.
    pub(super) fn last_choice_of(&self, side: Side) -> Option<usize> {
        let table = self.driver.session().table();
        let chose = |turn: usize| self.turns[turn][side].is_some() && !table.was_pass(turn);
        (0..self.turns.len()).rev().find(|&turn| chose(turn))
    }

    pub(super) fn submit(&mut self, side: Side, text: &str) -> Happened {
        if self.driver.is_person(side) {
            return self.driver.enter(Input::Choice(side, text));
        }
        let mut answers: Answers = Both::new(None, None);
        answers[side] = Some(Ok(text.to_owned()));
        self.driver.enter(Input::Programs(answers))
    }

    pub(super) fn choose(
        &mut self,
        side: Side,
        text: &str,
        at: Millis,
        v: u64,
        mut told: Option<&mut Vec<TurnEventObject>>,
    ) -> Result<(), String> {
        match self.submit(side, text) {
            Happened::Chosen(_) => self.pending[side] = Some(text.to_owned()),
            Happened::Turn => {
                let mut turn = std::mem::take(&mut self.pending);
                turn[side] = Some(text.to_owned());
                let chose = turn.as_ref().map(Option::is_some);
                self.turns.push(turn);
                self.tell(&mut told);
                self.pass(told)?;
                self.clocks.turn_played(chose, at);
                self.turn_v = v;
                for chooser in Side::ALL.into_iter().filter(|&side| chose[side]) {
                    self.choice_v[chooser] = v;
                }
                self.offers = Both::default();
                self.declined = Both::default();
                self.said = Both::default();
            }
            Happened::Refused(why) => return Err(why),
            other => return Err(format!("{other:?}")),
        }
        self.moved[side] = true;
        Ok(())
    }

    /// Plays forced passes (R-ALL-3).
    pub(super) fn pass(
        &mut self,
        mut told: Option<&mut Vec<TurnEventObject>>,
    ) -> Result<(), String> {
        while let Waiting::Pass(side) = self.driver.waiting() {
            if self.driver.enter(Input::Pass) != Happened::Turn {
                return Err("a forced pass must complete a turn".to_owned());
            }
            let mut turn = Both::default();
            turn[side] = Some("pass".to_owned());
            self.turns.push(turn);
            self.tell(&mut told);
        }
        Ok(())
    }

    fn tell(&self, told: &mut Option<&mut Vec<TurnEventObject>>) {
        if let Some(told) = told {
            told.extend(TurnEventObject::addressed(self.driver.session().table()));
        }
    }

    pub(super) fn answer(
        &mut self,
        side: Side,
        what: Offer,
        yes: bool,
        at: Millis,
        v: u64,
    ) -> Result<(), String> {
        let offering = side.other();
        self.offers[offering] = None;
        match what {
            _ if !yes => self.declined[offering].push(what),
            Offer::Draw => self.decided(Decision::Draw)?,
            Offer::Takeback => {
                self.pending = Both::default();
                self.decided(Decision::TakeBack(offering))?;
                self.turns.truncate(self.driver.session().table().turns_played());
                self.clocks.turn_taken_back(at);
                (self.turn_v, self.choice_v) = (v, Both::new(v, v));
                self.offers = Both::default();
                self.declined = Both::default();
            }
            // A `Began` event follows.
            Offer::Rematch => {}
        }
        Ok(())
    }

    pub(super) fn decided(&mut self, decision: Decision) -> Result<(), String> {
        match self.driver.enter(Input::Decided(decision)) {
            Happened::Ended | Happened::TakenBack => Ok(()),
            Happened::Refused(why) => Err(why),
            other => Err(format!("{other:?}")),
        }
    }
}
