//! A game in progress, whichever game it is: the one face of the rules that front ends see.

use std::sync::Arc;

use crate::catalog::{Catalogued, Entry, Setup, Tempo};
use crate::event::Telling;
use crate::game::{Actions, Outcome};
use crate::notation::{Meaning, PositionError, understand};
use crate::printable::quotable;
use crate::scene::Scene;
use crate::settings::{Settings, alternatives};
use crate::side::{Both, Names, Side};
use crate::text::{Page, Prompt};

/// A game in progress.
///
/// What of it is shown is in [`Words`], what has been played in [`History`]; both come with every table.
///
/// ```
/// use skirmish_rules::{GAMES, Side, Submitted};
///
/// let game = GAMES.find("command-clash").unwrap();
/// let mut table = game.open(game.setup()).unwrap();
/// assert_eq!(table.submit(Side::One, "charge"), Ok(Submitted::Waiting));
/// assert_eq!(table.position(), "5/5", "nothing has happened yet, and nothing tells the choice");
/// assert_eq!(table.submit(Side::Two, "attack"), Ok(Submitted::Turn));
/// assert_eq!(table.position(), "4/4");
/// ```
pub trait Table: History + Words + Send {
    /// The game's place in the catalogue.
    fn entry(&self) -> &'static Entry;
    /// How the table was laid.
    fn setup(&self) -> &Setup;

    /// The position as one token.
    fn position(&self) -> String;
    /// The position as a picture.
    fn scene(&self) -> Scene;
    /// The result, once the rules have decided.
    fn outcome(&self) -> Option<Outcome>;
    /// The sides whose turn it is, whether they have chosen already or not.
    fn turn(&self) -> Vec<Side>;
    /// Whether a side's choice is waiting for the other side's.
    fn has_chosen(&self, side: Side) -> bool;
    /// What a side may choose.
    fn choices(&self, side: Side) -> Vec<Choice>;

    /// Takes a side's choice as a player types it. The turn is played once all sides have chosen; until
    /// then nothing reveals the choice.
    ///
    /// # Errors
    /// When the text is no legal choice of that side; nothing changes then (R-ALL-4).
    fn submit(&mut self, side: Side, text: &str) -> Result<Submitted, Refusal>;
    /// Takes back a choice that is still waiting for the other side's. Says whether there was one.
    fn withdraw(&mut self, side: Side) -> bool;
    /// Plays a whole turn from its exact notation, as records and lists of moves have it.
    ///
    /// # Errors
    /// When it is not the notation of a legal turn; nothing changes then.
    fn play(&mut self, turn: &str) -> Result<(), Refusal>;

    /// A table with the same game on it, to try moves on. It is cheap, since the two share what has been
    /// played, and has no waiting choice: nobody finds out about one by playing on.
    fn fork(&self) -> Box<dyn Table>;
}

/// What has been played at a table.
pub trait History {
    /// The turns played so far, in notation.
    fn history(&self) -> Vec<String>;
    /// How many turns have been played.
    fn turns_played(&self) -> usize;
    /// Whether a turn, counted from 0, was a forced pass and nothing else.
    fn was_pass(&self, turn: usize) -> bool;
    /// What happened in the last turn.
    fn last_turn(&self) -> Vec<Telling>;
    /// Takes back the last turn, and whatever choice is waiting. Says whether there was one.
    fn undo(&mut self) -> bool;
}

/// What a table shows, in the rulebook's words.
pub trait Words {
    /// The greeting, without the board.
    fn welcome(&self) -> String;
    /// The board picture, in bands of at most `width` columns.
    fn board(&self, width: usize) -> String;
    /// What a side is asked.
    fn prompt(&self, side: Side) -> Prompt;
    /// What the last turn did, and the board after it.
    fn report(&self, width: usize) -> String;
}

/// What follows from the rest.
impl dyn Table + '_ {
    /// Whether the sides choose in turn.
    #[must_use]
    pub fn tempo(&self) -> Tempo {
        self.entry().tempo()
    }

    /// The rule options in force.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.setup().settings
    }

    /// Who made, or makes, the first move, where the players choose that.
    #[must_use]
    pub fn first(&self) -> Side {
        self.setup().first
    }

    /// What the players are called.
    #[must_use]
    pub fn names(&self) -> &Names {
        &self.setup().names
    }

    /// The sides that have not chosen yet.
    #[must_use]
    pub fn to_act(&self) -> Vec<Side> {
        self.turn().into_iter().filter(|&side| !self.has_chosen(side)).collect()
    }

    /// Whether all a side can do is to pass; front ends play that without asking (R-ALL-3).
    #[must_use]
    pub fn must_pass(&self, side: Side) -> bool {
        self.choices(side).iter().any(|choice| choice.is_pass)
    }
}

/// An action that is legal for a side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// One token.
    pub notation: String,
    /// As a player types it in full.
    pub words: String,
    /// Whether it is the pass, which is legal only where nothing else is (R-ALL-3).
    pub is_pass: bool,
}

/// What became of a choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Submitted {
    /// It waits for the other side's.
    Waiting,
    /// The turn has been played.
    Turn,
}

/// Why a choice was not taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// The game is over.
    #[error("The game is over.")]
    Over,
    /// The side waits for the other one.
    #[error("It is not {0}'s turn.")]
    NotYourTurn(String),
    /// The side has chosen already.
    #[error("{0} has chosen already.")]
    AlreadyChosen(String),
    /// The text means none of the game's actions.
    #[error("\"{text}\" is not a move here: enter {possible}.")]
    Unreadable {
        /// What was typed.
        text: String,
        /// What could be.
        possible: String,
    },
    /// The text is the beginning of several actions.
    #[error("\"{text}\" could be {candidates}.")]
    Ambiguous {
        /// What was typed.
        text: String,
        /// What it could mean.
        candidates: String,
    },
    /// The action exists but is not legal here.
    #[error("{why} Enter {possible}.")]
    Illegal {
        /// The reason, as a sentence.
        why: String,
        /// What is legal.
        possible: String,
    },
}

/// The table of any game: its rules, and all positions since the start.
pub(crate) struct Seats<G: Catalogued> {
    laid: Arc<Laid<G>>,
    turns: Vec<Arc<PlayedTurn<G>>>,
    waiting: Both<Option<Pending<G>>>,
}

/// What stays as it is while a game is played.
struct Laid<G: Catalogued> {
    game: G,
    setup: Setup,
    start: G::State,
}

struct PlayedTurn<G: Catalogued> {
    actions: Both<Option<G::Action>>,
    events: Vec<G::Event>,
    after: G::State,
}

/// A choice that waits for the other side's, with what must be said before it is played.
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
        Ok(Self::at(Arc::new(Laid { game, setup, start }), Vec::new()))
    }

    fn at(laid: Arc<Laid<G>>, turns: Vec<Arc<PlayedTurn<G>>>) -> Self {
        Self { laid, turns, waiting: Both::new(None, None) }
    }

    fn game(&self) -> &G {
        &self.laid.game
    }

    fn state(&self) -> &G::State {
        self.turns.last().map_or(&self.laid.start, |played| &played.after)
    }

    fn events(&self) -> &[G::Event] {
        self.turns.last().map_or(&[], |played| &played.events)
    }

    fn page(&self, width: usize) -> Page<'_> {
        Page { names: &self.laid.setup.names, width }
    }

    fn legal(&self, side: Side) -> Actions<G::Action> {
        self.game().actions(self.state(), side)
    }

    fn possible(&self, side: Side) -> String {
        alternatives(self.choices(side).iter().map(|choice| &choice.words))
    }

    /// Whether a side may choose now, and what.
    fn choosing(&self, side: Side) -> Result<Actions<G::Action>, Refusal> {
        let name = || self.laid.setup.names[side].clone();
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

    fn read(&self, side: Side, text: &str, legal: &[G::Action]) -> Result<Pending<G>, Refusal> {
        let mut known = self.game().vocabulary();
        known.extend(G::PASS.filter(|pass| legal.contains(pass)));
        let written: Vec<(String, String)> =
            known.iter().map(|&action| (action.to_string(), self.game().words(action))).collect();
        let action = match understand(text, &written) {
            Meaning::One(index) => known[index],
            Meaning::Many(several) => {
                // What is not legal here need not be told apart from what is.
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
            Meaning::Nothing => {
                let possible = self.possible(side);
                return Err(Refusal::Unreadable { text: quotable(text.trim()), possible });
            }
        };
        if legal.contains(&action) {
            return Ok(Pending { action, preface: None });
        }
        let adjusted = self.game().adjust(self.state(), side, action);
        if let Some((action, event)) = adjusted {
            return Ok(Pending { action, preface: Some(event) });
        }
        Err(Refusal::Illegal {
            why: self.game().objection(self.state(), side, action, &self.laid.setup.names),
            possible: self.possible(side),
        })
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
        &self.laid.setup
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
        let choice = |&action: &G::Action| Choice {
            notation: action.to_string(),
            words: self.game().words(action),
            is_pass: Some(action) == G::PASS,
        };
        self.legal(side).iter().map(choice).collect()
    }

    fn submit(&mut self, side: Side, text: &str) -> Result<Submitted, Refusal> {
        let legal = self.choosing(side)?;
        self.waiting[side] = Some(self.read(side, text, &legal)?);
        if self.turn().into_iter().any(|side| self.waiting[side].is_none()) {
            return Ok(Submitted::Waiting);
        }
        let chosen = std::mem::replace(&mut self.waiting, Both::new(None, None));
        self.resolve(chosen);
        Ok(Submitted::Turn)
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
        Box::new(Self::at(Arc::clone(&self.laid), self.turns.clone()))
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
        self.events().iter().map(|event| Telling::of(event, &self.laid.setup.names)).collect()
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

impl<G: Catalogued> Seats<G> {
    /// Why a token of a turn in exact notation is not taken.
    fn refusal(&self, side: Side, token: &str, legal: &[G::Action]) -> Refusal {
        let possible = alternatives(legal);
        let known = self.game().vocabulary().into_iter().find(|action| action.to_string() == token);
        match known {
            Some(action) => Refusal::Illegal {
                why: self.game().objection(self.state(), side, action, &self.laid.setup.names),
                possible,
            },
            None => Refusal::Unreadable { text: quotable(token), possible },
        }
    }
}
