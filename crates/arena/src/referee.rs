//! The referee: conducts a game between programs, keeps their clocks, and ends the game when one of them fails.

#[cfg(all(test, unix))]
mod tests;

use std::time::{Duration, Instant};

use skirmish_play::driver::{Answers, Driver, Happened, Input, Seat, Waiting};
use skirmish_play::player::{BotCommand, Computer};
use skirmish_play::{Fault, Session};
use skirmish_rules::{Both, Side, Table};

use crate::bot::{self, Bot, ThinkingTime};

/// A program that takes part in a game.
pub enum Contestant {
    /// A built-in computer player, which needs no clock.
    Computer(Computer),
    /// A bot.
    Bot(Box<Bot>),
}

/// The time control for bots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Time for each move.
    pub per_move: Duration,
    /// Extra time for the whole game.
    pub bank: Duration,
    /// Time that is not counted, to allow for our own delays and those of the machine.
    pub margin: Duration,
    /// Time for the first move of a game, if longer than for other moves: a program may have to start.
    pub first_move: Duration,
}

impl Timing {
    /// The time control for games with a person, who can wait a little.
    pub const FRIENDLY: Self = Self {
        per_move: Duration::from_secs(1),
        bank: Duration::ZERO,
        margin: Duration::from_secs(29),
        first_move: Duration::from_secs(30),
    };
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            per_move: Duration::from_secs(1),
            bank: Duration::from_secs(5),
            margin: Duration::from_millis(100),
            first_move: Duration::from_secs(10),
        }
    }
}

/// A bot's clock in a game.
#[derive(Clone, Copy, Debug)]
struct BotClock {
    timing: Timing,
    bank: Duration,
    has_moved: bool,
}

impl BotClock {
    const fn new(timing: Timing) -> Self {
        Self { timing, bank: timing.bank, has_moved: false }
    }

    /// How long the next move may take without drawing on the bank.
    fn allowance(&self) -> Duration {
        let Timing { per_move, first_move, .. } = self.timing;
        if self.has_moved { per_move } else { per_move.max(first_move) }
    }

    /// The longest time that the next move may take.
    fn limit(&self) -> Duration {
        self.allowance() + self.bank + self.timing.margin
    }

    /// Charges a move to the clock.
    fn charge(&mut self, taken: Duration) {
        let over = taken.saturating_sub(self.allowance() + self.timing.margin);
        self.bank = self.bank.saturating_sub(over);
        self.has_moved = true;
    }
}

/// Plays a game to its end, whatever the programs do. A bot that fails is stopped and forfeits. Calls `watch` after
/// every turn.
///
/// # Errors
/// If the machine lacks the resources to start a program: the game then has no result, and no bot is at fault.
pub fn conduct(
    session: Session,
    contestants: Both<&mut Contestant>,
    timing: Timing,
    watch: &dyn Fn(&Session),
) -> Result<Session, Fault> {
    let seats = contestants.as_ref().map(|contestant| contestant.seat());
    let mut driver = Driver::new(session, seats);
    let Both { one, two } = contestants;
    let mut seats = Both::new(
        ContestantSeat::new(Side::One, one, timing),
        ContestantSeat::new(Side::Two, two, timing),
    );
    let table = driver.session().table();
    let started = Both::new(seats.one.begin(table), seats.two.begin(table));
    let mut answers: Answers = started.map(|started| started.err().map(Err));
    loop {
        if answers != Both::new(None, None) {
            match driver.enter(Input::Programs(answers)) {
                Happened::NoRoom(fault) => return Err(fault),
                Happened::Turn => watch(driver.session()),
                _ => {}
            }
        }
        answers = match driver.waiting() {
            Waiting::Nothing(_) => return Ok(driver.into_session()),
            Waiting::Programs(asked) => ask(driver.session(), asked, &mut seats),
            // R-ALL-3: forced passes are played without asking anyone.
            Waiting::Pass(_) => {
                driver.enter(Input::Pass);
                Both::new(None, None)
            }
            Waiting::Person(_) | Waiting::Answer(_) => unreachable!("only programs play"),
        };
    }
}

/// Asks the programs that must choose in this turn, and waits for all of them.
fn ask(session: &Session, asked: Both<bool>, seats: &mut Both<ContestantSeat>) -> Answers {
    let sides = || Side::ALL.into_iter().filter(|&side| asked[side]);
    // Ask all bots before reading any answer. Built-in players choose first, so that they use none of the bots' time.
    for side in sides() {
        seats[side].decide(session);
    }
    let banks = Both::new(seats.one.clock.bank, seats.two.clock.bank);
    for side in sides() {
        seats[side].ask(session.table(), banks);
    }
    while let Some(until) = seats.one.deadline().into_iter().chain(seats.two.deadline()).min() {
        bot::wait(
            [&mut seats.one, &mut seats.two].into_iter().filter_map(ContestantSeat::pending),
            until,
        );
        // Use one time for both: examining one bot may take a while, which must not count against the other.
        let now = Instant::now();
        for side in sides() {
            seats[side].receive(session.table(), now);
        }
    }
    Both::new(seats.one.answer.take(), seats.two.answer.take())
}

/// A contestant at the table, with its clock.
struct ContestantSeat<'a> {
    side: Side,
    contestant: &'a mut Contestant,
    clock: BotClock,
    /// When the contestant was asked, while its answer is pending.
    asked: Option<Instant>,
    answer: Option<Result<String, Fault>>,
}

impl<'a> ContestantSeat<'a> {
    const fn new(side: Side, contestant: &'a mut Contestant, timing: Timing) -> Self {
        Self { side, contestant, clock: BotClock::new(timing), asked: None, answer: None }
    }

    fn begin(&mut self, table: &dyn Table) -> Result<(), Fault> {
        match self.contestant {
            Contestant::Computer(_) => Ok(()),
            Contestant::Bot(bot) => bot.begin(table, self.side),
        }
    }

    /// Chooses immediately, for a built-in player.
    fn decide(&mut self, session: &Session) {
        let table = session.table();
        if let Contestant::Computer(computer) = self.contestant {
            let (game, undone) = (session.number(), session.undone());
            self.answer = Some(Ok(computer.choose(table, self.side, game, undone)));
        }
    }

    /// Sends the question to a bot.
    fn ask(&mut self, table: &dyn Table, banks: Both<Duration>) {
        if let (None, Contestant::Bot(bot)) = (&self.answer, &mut *self.contestant) {
            let time = self.clock.timing.per_move;
            let banks = (!self.clock.timing.bank.is_zero()).then_some(banks);
            // Read the clock before sending: a bot that suspends us right then gains no time.
            let asked = Instant::now();
            match bot.ask(table, self.side, &ThinkingTime { time, banks }) {
                Ok(()) => self.asked = Some(asked),
                Err(fault) => self.answer = Some(Err(fault)),
            }
        }
    }

    /// The deadline for the answer, if one is pending.
    fn deadline(&self) -> Option<Instant> {
        Some(self.asked? + self.clock.limit())
    }

    /// The bot, if its answer is pending.
    fn pending(&mut self) -> Option<&mut Bot> {
        match self.contestant {
            Contestant::Bot(bot) if self.asked.is_some() => Some(bot),
            Contestant::Bot(_) | Contestant::Computer(_) => None,
        }
    }

    /// Takes the answer if it has arrived, and gives up if the deadline had passed at `now`.
    fn receive(&mut self, table: &dyn Table, now: Instant) {
        let (Some(asked), limit) = (self.asked, self.clock.limit()) else { return };
        let side = self.side;
        let Some(bot) = self.pending() else { return };
        let is_late = now.duration_since(asked) >= limit;
        let mut received = bot.answer();
        if is_late && matches!(received, Ok(None)) {
            // The answer may have arrived while we were busy.
            bot::wait(std::iter::once(&mut *bot), Instant::now());
            received = bot.answer();
        }
        // An answer that we read too late may have been written in time.
        let answered = if is_late { bot.answered_at(asked, now) } else { now };
        let is_late = answered.duration_since(asked) >= limit;
        let answer = match received {
            Ok(Some(_)) if is_late => Err(bot.give_up(limit)),
            Ok(Some(said)) => bot.checked(table, side, said),
            Ok(None) if now.duration_since(asked) >= limit => Err(bot.give_up(limit)),
            Ok(None) => return,
            Err(fault) => Err(fault),
        };
        self.clock.charge(answered.duration_since(asked));
        self.asked = None;
        self.answer = Some(answer);
    }
}

impl Contestant {
    /// The thinking time announced to a bot in a game against a person.
    const THINKING: ThinkingTime = ThinkingTime { time: Timing::FRIENDLY.per_move, banks: None };

    /// A bot for a game outside tournaments. The program is not started yet.
    #[must_use]
    pub fn bot(command: BotCommand) -> Self {
        Self::Bot(Box::new(Bot::new(command, bot::START_TIMEOUT, None)))
    }

    /// The kind of seat this contestant takes.
    #[must_use]
    pub const fn seat(&self) -> Seat {
        match self {
            Self::Computer(_) => Seat::Computer,
            Self::Bot(_) => Seat::Bot,
        }
    }

    /// Sends a bot the question for a side's choice, without waiting: in simultaneous games, all programs are asked
    /// first.
    pub fn ask_ahead(&mut self, table: &dyn Table, side: Side) {
        if let Self::Bot(bot) = self {
            bot.ask_ahead(table, side, &Self::THINKING);
        }
    }

    /// Chooses for a side, in game number `game` of a match, after `undone` turns have been taken back.
    ///
    /// # Errors
    /// If the contestant is a bot and fails; it is then stopped.
    pub fn choose(
        &mut self,
        table: &dyn Table,
        side: Side,
        game: u32,
        undone: u32,
    ) -> Result<String, Fault> {
        match self {
            Self::Computer(computer) => Ok(computer.choose(table, side, game, undone)),
            Self::Bot(bot) => {
                let Timing { per_move, margin, .. } = Timing::FRIENDLY;
                bot.choose(table, side, &Self::THINKING, per_move + margin)
            }
        }
    }

    /// Whether the contestant accepts a draw offer. A bot never does, because the protocols have no such question.
    #[must_use]
    pub fn accepts_draw(&self, table: &dyn Table, side: Side) -> bool {
        match self {
            Self::Computer(computer) => computer.accepts_draw(table, side),
            Self::Bot(_) => false,
        }
    }

    /// Ends the program of a bot. Call this when the game is over or abandoned.
    pub fn quit(&mut self) {
        match self {
            Self::Computer(_) => {}
            Self::Bot(bot) => drop(bot.quit()),
        }
    }
}
