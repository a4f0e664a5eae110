//! The implementation of tables, shared by all games.

use std::sync::Arc;

use super::{Choice, History, Refusal, Submitted, Table, Words};
use crate::catalog::{Catalogued, Entry, Setup};
use crate::event::Telling;
use crate::game::{Actions, Outcome};
use crate::notation::{PositionError, Understood, is_same, understand};
use crate::printable::quotable;
use crate::scene::Scene;
use crate::settings::alternatives;
use crate::side::{Both, Names, Side};
use crate::text::{Page, Prompt};

/// The table of any game: its rules, and every turn since the start.
pub(crate) struct Seats<G: Catalogued> {
    fixed: Arc<Fixed<G>>,
    turns: Vec<Arc<PlayedTurn<G>>>,
    waiting: Both<Option<Pending<G>>>,
}

/// The parts of a table that do not change during a game.
struct Fixed<G: Catalogued> {
    game: G,
    setup: Setup,
    start: G::State,
}

struct PlayedTurn<G: Catalogued> {
    actions: Both<Option<G::Action>>,
    events: Vec<G::Event>,
    after: G::State,
}

/// A pending choice, with the event that reports its adjustment, if any.
struct Pending<G: Catalogued> {
    action: G::Action,
    preface: Option<G::Event>,
}

impl<G: Catalogued> Seats<G> {
    pub(crate) fn take(setup: Setup) -> Result<Self, PositionError> {
        let game = G::with(&setup.settings);
        let start = match &setup.position {
            Some(text) => game.parse_position(text)?,
            None => game.start(setup.first),
        };
        Ok(Self::at(Arc::new(Fixed { game, setup, start }), Vec::new()))
    }

    fn at(fixed: Arc<Fixed<G>>, turns: Vec<Arc<PlayedTurn<G>>>) -> Self {
        Self { fixed, turns, waiting: Both::new(None, None) }
    }

    fn game(&self) -> &G {
        &self.fixed.game
    }

    fn state(&self) -> &G::State {
        self.turns.last().map_or(&self.fixed.start, |played| &played.after)
    }

    fn events(&self) -> &[G::Event] {
        self.turns.last().map_or(&[], |played| &played.events)
    }

    fn page(&self, width: usize) -> Page<'_> {
        Page { names: &self.fixed.setup.names, width }
    }

    fn legal(&self, side: Side) -> Actions<G::Action> {
        self.game().actions(self.state(), side)
    }

    fn choice(&self, action: G::Action) -> Choice {
        Choice {
            notation: action.to_string(),
            words: self.game().words(action),
            is_pass: Some(action) == G::PASS,
        }
    }

    fn possible(&self, side: Side) -> String {
        alternatives(self.choices(side).iter().map(|choice| &choice.words))
    }

    /// The legal actions of a side, if it may choose now.
    fn choosing(&self, side: Side) -> Result<Actions<G::Action>, Refusal> {
        let name = || self.fixed.setup.names[side].clone();
        if self.outcome().is_some() {
            return Err(Refusal::Over);
        }
        let legal = self.legal(side);
        if legal.is_empty() {
            return Err(Refusal::NotYourTurn(name()));
        }
        if self.waiting[side].is_some() {
            return Err(Refusal::AlreadyChosen(name()));
        }
        Ok(legal)
    }

    fn read(&self, side: Side, text: &str) -> Result<Pending<G>, Refusal> {
        let legal = self.choosing(side)?;
        let mut known = self.game().vocabulary();
        known.extend(G::PASS.filter(|pass| legal.contains(pass)));
        let written: Vec<(String, String)> =
            known.iter().map(|&action| (action.to_string(), self.game().words(action))).collect();
        let action = match understand(text, &written) {
            Understood::One(index) => known[index],
            Understood::Many(several) => {
                // Only legal actions can make the text ambiguous.
                let legal: Vec<usize> = several
                    .iter()
                    .copied()
                    .filter(|&index| legal.contains(&known[index]))
                    .collect();
                let shown = if legal.is_empty() { several } else { legal };
                if let [only] = *shown {
                    return Ok(Pending { action: known[only], preface: None });
                }
                let candidates = alternatives(shown.iter().map(|&index| &written[index].1));
                return Err(Refusal::Ambiguous { text: quotable(text.trim()), candidates });
            }
            Understood::Nothing => {
                let is_meant = |&&action: &&G::Action| {
                    let synonyms = self.game().synonyms(self.state(), side, action);
                    synonyms.iter().any(|synonym| is_same(text, synonym))
                };
                *known.iter().find(is_meant).ok_or_else(|| {
                    let possible = self.possible(side);
                    Refusal::Unreadable { text: quotable(text.trim()), possible }
                })?
            }
        };
        if legal.contains(&action) {
            return Ok(Pending { action, preface: None });
        }
        let adjusted = self.game().adjust(self.state(), side, action);
        if let Some((action, event)) = adjusted {
            return Ok(Pending { action, preface: Some(event) });
        }
        Err(self.illegal(side, action, self.possible(side)))
    }

    fn illegal(&self, side: Side, action: G::Action, possible: String) -> Refusal {
        let why = self.game().objection(self.state(), side, action, &self.fixed.setup.names);
        Refusal::Illegal { why, possible }
    }

    /// The reason for refusing a token of a turn in exact notation.
    fn refusal(&self, side: Side, token: &str, legal: &[G::Action]) -> Refusal {
        let possible = alternatives(legal);
        let known = self.game().vocabulary().into_iter().find(|action| action.to_string() == token);
        match known {
            Some(action) => self.illegal(side, action, possible),
            None => Refusal::Unreadable { text: quotable(token), possible },
        }
    }

    fn resolve(&mut self, chosen: Both<Option<Pending<G>>>) {
        let mut events = Vec::new();
        let actions = chosen.map(|pending| {
            let Pending { action, preface } = pending?;
            events.extend(preface);
            Some(action)
        });
        let after = self.game().resolve(self.state(), actions, |event| events.push(event));
        self.turns.push(Arc::new(PlayedTurn { actions, events, after }));
    }
}

impl<G: Catalogued> Table for Seats<G> {
    fn entry(&self) -> &'static Entry {
        G::ENTRY
    }

    fn setup(&self) -> &Setup {
        &self.fixed.setup
    }

    fn position(&self) -> String {
        self.game().position(self.state())
    }

    fn scene(&self) -> Scene {
        self.game().scene(self.state())
    }

    fn outcome(&self) -> Option<Outcome> {
        self.game().outcome(self.state())
    }

    fn turn(&self) -> Vec<Side> {
        Side::ALL.into_iter().filter(|&side| !self.legal(side).is_empty()).collect()
    }

    fn has_chosen(&self, side: Side) -> bool {
        self.waiting[side].is_some()
    }

    fn choices(&self, side: Side) -> Vec<Choice> {
        self.legal(side).iter().map(|&action| self.choice(action)).collect()
    }

    fn vocabulary(&self) -> Vec<Choice> {
        self.game().vocabulary().into_iter().map(|action| self.choice(action)).collect()
    }

    fn submit(&mut self, side: Side, text: &str) -> Result<Submitted, Refusal> {
        self.waiting[side] = Some(self.read(side, text)?);
        if self.turn().into_iter().any(|side| self.waiting[side].is_none()) {
            return Ok(Submitted::Waiting);
        }
        let chosen = std::mem::replace(&mut self.waiting, Both::new(None, None));
        self.resolve(chosen);
        Ok(Submitted::Turn)
    }

    fn check(&self, side: Side, text: &str) -> Result<(), Refusal> {
        self.read(side, text).map(|_| ())
    }

    fn withdraw(&mut self, side: Side) -> bool {
        self.waiting[side].take().is_some()
    }

    fn play(&mut self, turn: &str) -> Result<(), Refusal> {
        let sides = self.turn();
        if sides.is_empty() {
            return Err(Refusal::Over);
        }
        let tokens: Vec<&str> = turn.split('|').collect();
        if tokens.len() != sides.len() {
            let legal = |&side: &Side| alternatives(&self.legal(side));
            let possible: Vec<String> = sides.iter().map(legal).collect();
            let possible = possible.join(", then |, then ");
            return Err(Refusal::Unreadable { text: quotable(turn), possible });
        }
        let mut chosen = Both::new(None, None);
        for (&side, token) in sides.iter().zip(tokens) {
            let legal = self.legal(side);
            let exact = legal.iter().find(|action| action.to_string() == token);
            let Some(&action) = exact else {
                return Err(self.refusal(side, token, &legal));
            };
            chosen[side] = Some(Pending { action, preface: None });
        }
        self.waiting = Both::new(None, None);
        self.resolve(chosen);
        Ok(())
    }

    fn fork(&self) -> Box<dyn Table> {
        Box::new(Self::at(Arc::clone(&self.fixed), self.turns.clone()))
    }
}

impl<G: Catalogued> History for Seats<G> {
    fn history(&self) -> Vec<String> {
        let token = |played: &Arc<PlayedTurn<G>>| {
            let Both { one, two } = played.actions.map(|action| action.map(|it| it.to_string()));
            one.into_iter().chain(two).collect::<Vec<String>>().join("|")
        };
        self.turns.iter().map(token).collect()
    }

    fn turns_played(&self) -> usize {
        self.turns.len()
    }

    fn was_pass(&self, turn: usize) -> bool {
        let Both { one, two } = self.turns[turn].actions;
        one.into_iter().chain(two).all(|action| Some(action) == G::PASS)
    }

    fn last_turn(&self) -> Vec<Telling> {
        self.last_turn_with(&self.fixed.setup.names)
    }

    fn last_turn_with(&self, names: &Names) -> Vec<Telling> {
        self.events().iter().map(|event| Telling::of(event, names)).collect()
    }

    fn undo(&mut self) -> bool {
        self.waiting = Both::new(None, None);
        self.turns.pop().is_some()
    }
}

impl<G: Catalogued> Words for Seats<G> {
    fn welcome(&self) -> String {
        self.game().welcome(self.state(), &self.page(usize::MAX))
    }

    fn board(&self, width: usize) -> String {
        self.game().board(self.state(), &self.page(width))
    }

    fn prompt(&self, side: Side) -> Prompt {
        self.game().prompt(self.state(), side, &self.page(usize::MAX))
    }

    fn report(&self, width: usize) -> String {
        self.game().report(self.state(), self.events(), &self.page(width))
    }
}
