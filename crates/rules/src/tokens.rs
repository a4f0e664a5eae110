//! What the three games with one token each share: where the tokens stand, who moves, how far, and what that does.

use std::fmt;

use crate::event::Narrate;
use crate::game::{Actions, Game, Outcome, PASS};
use crate::graph::Index;
use crate::line::{Line, Shift};
use crate::notation::{Notation, PositionError, plain_number};
use crate::scene::{Change, Piece, Scene, Track};
use crate::settings::{RuleOption, Settings, TypedOptions, alternatives};
use crate::side::{Both, Names, Side};

/// What one of these games adds to the rules they share. Whoever implements it has [`Game`] and [`Notation`] too.
pub trait OneToken: Copy + Send + Sync + 'static {
    /// Its own events, and its words for the shared ones.
    type Own: Wording;

    /// The line the tokens cross.
    fn line(&self) -> Line;

    /// The longest move.
    fn steps(&self) -> u8;

    /// Who starts, if the players chose `first`.
    fn starter(&self, first: Side) -> Side {
        first
    }

    /// The place a side has to reach.
    fn goal(&self, side: Side) -> u8 {
        self.line().base(side.other())
    }

    /// Where a move of that many steps takes the side to move, if it is legal.
    fn landing(&self, state: &Tokens, steps: u8) -> Option<u8>;

    /// What a move that ends on `to`, short of the goal, does to the opponent: the event, and where it stands then.
    fn impact(&self, _state: &Tokens, _to: u8) -> Option<(Self::Own, u8)> {
        None
    }

    /// Why a move of that many steps is not legal, as a sentence for the player.
    fn obstruction(&self, state: &Tokens, side: Side, steps: u8, names: &Names) -> String;

    /// The length of the move that is played instead of an illegal one, with the event that says so.
    fn shortened(&self, _state: &Tokens, _side: Side, _steps: u8) -> Option<(u8, Self::Own)> {
        None
    }

    /// Why a position on this line makes no sense, if it does not.
    fn fault(&self, state: &Tokens) -> Option<String>;
}

/// The events that only one of the games has, and that game's words for those that all have.
pub trait Wording: Narrate + Copy + fmt::Debug + Send + Sync {
    /// A token went forward.
    fn moved(shift: Shift, names: &Names) -> String;

    /// A side could not move.
    fn passed(side: Side, names: &Names) -> String {
        let (name, other) = (&names[side], &names[side.other()]);
        format!("{name} has no valid move: the turn passes to {other}.")
    }

    /// A token reached its goal.
    fn won(side: Side, names: &Names) -> String;
}

/// One step of a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event<E> {
    /// A token went forward.
    Moved(Shift),
    /// Something that only this game knows.
    Own(E),
    /// A side could not move.
    Passed {
        /// Which.
        side: Side,
    },
    /// A token reached its goal.
    Won {
        /// The winner.
        side: Side,
    },
}

impl<E: Wording> Narrate for Event<E> {
    fn kind(&self) -> &'static str {
        match self {
            Self::Moved(_) => "move",
            Self::Own(own) => own.kind(),
            Self::Passed { .. } => "pass",
            Self::Won { .. } => "win",
        }
    }

    fn sentence(&self, names: &Names) -> String {
        match *self {
            Self::Moved(shift) => E::moved(shift, names),
            Self::Own(own) => own.sentence(names),
            Self::Passed { side } => E::passed(side, names),
            Self::Won { side } => E::won(side, names),
        }
    }

    fn changes(&self) -> Vec<Change> {
        match self {
            Self::Moved(shift) => moves(*shift),
            Self::Own(own) => own.changes(),
            Self::Passed { .. } | Self::Won { .. } => Vec::new(),
        }
    }
}

impl<T: OneToken> Game for T {
    type State = Tokens;
    type Action = Step;
    type Event = Event<T::Own>;

    const PASS: Option<Step> = Some(Step::Pass);

    fn start(&self, first: Side) -> Tokens {
        Tokens::start(self.line(), self.starter(first))
    }

    fn outcome(&self, state: &Tokens) -> Option<Outcome> {
        // R-BB-6: only the side that has just moved can have won; being sent home is not a win.
        let moved = state.to_move.other();
        (state.at[moved] == self.goal(moved)).then_some(Outcome::Won(moved))
    }

    fn actions(&self, state: &Tokens, side: Side) -> Actions<Step> {
        if side != state.to_move || self.outcome(state).is_some() {
            return Actions::new();
        }
        Step::legal(self.steps(), |steps| self.landing(state, steps).is_some())
    }

    fn resolve(
        &self,
        state: &Tokens,
        turn: Both<Option<Step>>,
        mut tell: impl FnMut(Event<T::Own>),
    ) -> Tokens {
        let side = state.to_move;
        let Step::Forward(steps) = turn[side].expect("the mover has chosen") else {
            tell(Event::Passed { side });
            return state.after(state.mover(), state.waiter());
        };
        let to = self.landing(state, steps).expect("a legal move has a landing");
        tell(Event::Moved(Shift { side, from: state.mover(), to }));
        if to == self.goal(side) {
            tell(Event::Won { side });
            return state.after(to, state.waiter());
        }
        let Some((own, waiter)) = self.impact(state, to) else {
            return state.after(to, state.waiter());
        };
        tell(Event::Own(own));
        state.after(to, waiter)
    }

    fn mover(&self, state: &Tokens) -> Option<Side> {
        Some(state.to_move)
    }

    fn index(&self) -> Option<impl Index<Tokens> + 'static> {
        Some(TokenIndex(*self))
    }

    fn scene(&self, state: &Tokens) -> Scene {
        let track = Track { goal: Both::from_fn(|side| self.goal(side)), ..self.line().track() };
        Scene::on_track(track, Side::ALL.map(|side| token(side, state.at[side])).to_vec())
    }

    fn mirror(&self, state: &Tokens) -> Tokens {
        state.mirror(self.line())
    }

    fn mirror_action(&self, action: Step) -> Step {
        action
    }
}

impl<T: OneToken> Notation for T {
    fn vocabulary(&self) -> Vec<Step> {
        (1..=self.steps()).map(Step::Forward).collect()
    }

    fn objection(&self, state: &Tokens, side: Side, action: Step, names: &Names) -> String {
        let Step::Forward(steps) = action else { unreachable!("a pass is not in the vocabulary") };
        self.obstruction(state, side, steps, names)
    }

    fn adjust(&self, state: &Tokens, side: Side, action: Step) -> Option<(Step, Self::Event)> {
        let Step::Forward(steps) = action else { return None };
        let (steps, own) = self.shortened(state, side, steps)?;
        Some((Step::Forward(steps), Event::Own(own)))
    }

    fn position(&self, state: &Tokens) -> String {
        state.to_string()
    }

    fn parse_position(&self, text: &str) -> Result<Tokens, PositionError> {
        let state = Tokens::parse(text, self.line())?;
        match self.fault(&state) {
            Some(why) => Err(PositionError::impossible(text, why)),
            None => Ok(state),
        }
    }
}

/// The longest line the games offer.
pub const MAX_POSITIONS: u8 = 255;

/// The rulebooks' line.
pub(crate) const USUAL_POSITIONS: u8 = 11;

/// The farthest a token may be allowed to go in one turn: a move is one digit.
pub const MAX_STEPS: u8 = 9;

/// The option for the length of the line.
#[must_use]
pub const fn positions_option(about: &'static str) -> RuleOption {
    RuleOption::number("positions", about, USUAL_POSITIONS, 3, MAX_POSITIONS)
}

/// The option for the longest move.
#[must_use]
pub const fn steps_option(default: u8) -> RuleOption {
    RuleOption::number("steps", "The farthest one move can go.", default, 1, MAX_STEPS)
}

/// The rule options of a game that has no others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The length of the line.
    pub positions: u8,
    /// The longest move.
    pub steps: u8,
}

impl Default for Options {
    fn default() -> Self {
        Self { positions: USUAL_POSITIONS, steps: 2 }
    }
}

impl TypedOptions for Options {
    fn read(settings: &Settings) -> Self {
        Self { positions: settings.number("positions"), steps: settings.number("steps") }
    }

    fn values(&self) -> Vec<u8> {
        vec![self.positions, self.steps]
    }
}

/// A position: one token each, and the side to move. The side to move changes after every move, the
/// winning one included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tokens {
    /// Where each side's token stands.
    pub at: Both<u8>,
    /// Who moves next.
    pub to_move: Side,
}

/// A choice: how far to go, or nothing because nothing else is legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Go forward that many places.
    Forward(u8),
    /// R-ALL-3: stay, because every move is illegal.
    Pass,
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Forward(steps) => steps.fmt(formatter),
            Self::Pass => PASS.fmt(formatter),
        }
    }
}

impl Step {
    /// The moves of up to `longest` that are legal, or a pass if there are none.
    pub fn legal(longest: u8, is_legal: impl Fn(u8) -> bool) -> Actions<Self> {
        let mut actions: Actions<Self> =
            (1..=longest).filter(|&steps| is_legal(steps)).map(Self::Forward).collect();
        if actions.is_empty() {
            actions.push(Self::Pass);
        }
        actions
    }

    /// `1, 2 or 3`: the moves a prompt offers.
    #[must_use]
    pub fn choices(longest: u8) -> String {
        alternatives(1..=longest)
    }
}

impl Tokens {
    /// Both tokens at their ends of the line.
    #[must_use]
    pub const fn start(line: Line, first: Side) -> Self {
        Self { at: Both::new(line.first, line.last), to_move: first }
    }

    /// The place of the side to move.
    #[must_use]
    pub fn mover(&self) -> u8 {
        self.at[self.to_move]
    }

    /// The place of the side that waits.
    #[must_use]
    pub fn waiter(&self) -> u8 {
        self.at[self.to_move.other()]
    }

    /// The position after the side to move went to one place and the other was put on another.
    #[must_use]
    pub fn after(&self, mover: u8, waiter: u8) -> Self {
        Self { at: Both::seen_from(self.to_move, mover, waiter), to_move: self.to_move.other() }
    }

    /// The same position with the sides exchanged.
    #[must_use]
    pub fn mirror(&self, line: Line) -> Self {
        Self {
            at: self.at.swapped().map(|place| line.mirror(place)),
            to_move: self.to_move.other(),
        }
    }

    /// What is wrong with a position in which the side to move stands on the opponent's base already.
    pub(crate) fn overdue(&self, line: Line) -> Option<String> {
        let side = self.to_move;
        (self.mover() == line.base(side.other())).then(|| {
            format!("{side} has reached the opponent's base, so it is {}'s turn", side.other())
        })
    }

    /// Reads a position such as `0/10/1` on this line.
    ///
    /// # Errors
    /// When it has another form or a place is not on the line.
    pub fn parse(text: &str, line: Line) -> Result<Self, PositionError> {
        let form = format!("P1/P2/MOVER, such as {}/{}/1", line.first, line.last);
        let numbers: Option<Vec<u8>> = text.split('/').map(plain_number).collect();
        let Some([one, two, mover]) = numbers.as_deref() else {
            return Err(PositionError::malformed(text, form));
        };
        let Some(to_move) = Side::from_number(*mover) else {
            return Err(PositionError::malformed(text, form));
        };
        for place in [*one, *two] {
            if !line.contains(place) {
                let why = format!("the board goes from {} to {}", line.first, line.last);
                return Err(PositionError::impossible(text, why));
            }
        }
        Ok(Self { at: Both::new(*one, *two), to_move })
    }
}

impl fmt::Display for Tokens {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}/{}", self.at.one, self.at.two, self.to_move.number())
    }
}

/// A dense numbering of the positions that make sense to a game.
struct TokenIndex<T>(T);

impl<T: OneToken> TokenIndex<T> {
    fn places(&self) -> u32 {
        u32::from(self.0.line().span()) + 1
    }

    fn sensible(&self, state: Tokens) -> Option<Tokens> {
        self.0.fault(&state).is_none().then_some(state)
    }
}

impl<T: OneToken> Index<Tokens> for TokenIndex<T> {
    fn size(&self) -> u64 {
        2 * u64::from(self.places()).pow(2)
    }

    fn of(&self, state: &Tokens) -> Option<u32> {
        let Both { one, two } = state.at.map(|place| u32::from(place - self.0.line().first));
        let side = u32::from(state.to_move.number() - 1);
        self.sensible(*state).map(|_| (side * self.places() + one) * self.places() + two)
    }

    fn state(&self, index: u32) -> Option<Tokens> {
        let places = self.places();
        let place = |offset: u32| {
            self.0.line().first + u8::try_from(offset % places).expect("the line is short")
        };
        let to_move = if index < places * places { Side::One } else { Side::Two };
        self.sensible(Tokens { at: Both::new(place(index / places), place(index)), to_move })
    }
}

/// A token as a piece of a picture.
#[must_use]
pub const fn token(side: Side, at: u8) -> Piece {
    Piece { at, side, strength: None }
}

/// What a picture shows of a token that goes elsewhere.
pub(crate) fn moves(Shift { side, from, to }: Shift) -> Vec<Change> {
    vec![Change::Moves { piece: token(side, from), to }]
}
