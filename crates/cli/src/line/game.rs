//! The game loop: shows turns, asks for input and answers requests.

use anyhow::Result;
use skirmish_play::driver::{Driver, Request, Word, yes_or_no};
use skirmish_rules::{Side, Table, Tempo};

use super::console::Console;
use super::input::InputLine;
use crate::advisor::Advisor;
use crate::exit::{Exit, INTERRUPTED};
use crate::{games, output};

/// A source of turns for the game loop: a local game, or the mirror of a game on a server.
pub(crate) trait Turns {
    /// What the program does after the game.
    type After;

    fn console(&mut self) -> &mut Console;

    /// The game, if it has begun.
    fn driver(&self) -> Option<&Driver>;

    /// The side whose player enters the input. `None` for a spectator.
    fn you(&self) -> Option<Side>;

    /// The side to choose now, if its player enters the input.
    fn asked(&self) -> Option<Side>;

    /// Advances the game until input is needed, and shows events. Returns what follows if the game is over.
    fn advance(&mut self) -> Result<Option<Self::After>>;

    /// Asks for input and waits for a line, or until something else happens.
    fn next_line(&mut self) -> Result<Option<InputLine>>;

    /// Whether the next line answers a yes-or-no question.
    fn is_questioned(&self) -> bool;

    /// Handles the answer to a yes-or-no question.
    fn answer(&mut self, yes: bool) -> Result<Step<Self::After>>;

    /// Handles a line of input.
    fn enter(&mut self, text: &str) -> Result<Step<Self::After>>;

    /// The words that can be entered at any time, as `help` lists them.
    fn words(&self) -> String;

    /// The advisor for hints, and the table. The error says why there are no hints.
    fn advice(&mut self) -> std::result::Result<(&mut Advisor, &dyn Table), &'static str>;

    /// Saves the game.
    fn save(&mut self, request: &Request) -> Result<Step<Self::After>>;

    /// Leaves the game at the player's request.
    fn quit(&mut self) -> Result<Step<Self::After>>;

    /// Leaves the game with this exit code.
    fn leave(&mut self, exit: Exit) -> Result<Step<Self::After>>;

    /// Refuses an input, which changes nothing.
    fn refuse(&mut self, why: &str) -> Result<Step<Self::After>> {
        self.console().refuse(why)?;
        Ok(Step::Continue)
    }
}

/// The effect of an input.
pub(crate) enum Step<A> {
    Continue,
    /// A request that every game answers in the same way.
    Answer(Request),
    /// The loop ends.
    Leave(A),
}

/// Appended to the message about an input that was not understood.
pub(crate) const HELP: &str = "(\"help\" lists what else you can enter.)";

/// The message to players who can only pass.
pub(crate) const STUCK: &str = "Neither player can move. Enter pass, draw, resign or quit.";

/// Plays until the game is over or left.
pub(crate) fn play<T: Turns>(turns: &mut T) -> Result<T::After> {
    loop {
        if let Some(after) = turns.advance()? {
            return Ok(after);
        }
        let Some(line) = turns.next_line()? else { continue };
        let step = match line {
            InputLine::Text(text) if turns.is_questioned() => match yes_or_no(&text) {
                Some(answer) => turns.answer(answer)?,
                None => turns.refuse("Enter yes or no.")?,
            },
            InputLine::Text(text) => turns.enter(&text)?,
            InputLine::Unusable(why) => {
                let choices = match (turns.asked(), turns.driver()) {
                    (Some(side), Some(driver)) => format!(" Enter {}.", driver.choices(side)),
                    _ => String::new(),
                };
                turns.refuse(&format!("{why}{choices}"))?
            }
            InputLine::End => turns.leave(Exit::InputEnded)?,
            InputLine::Interrupted => turns.leave(INTERRUPTED)?,
        };
        let step = match step {
            Step::Answer(request) => answer(turns, &request)?,
            step => step,
        };
        if let Step::Leave(after) = step {
            return Ok(after);
        }
    }
}

/// Answers a request.
fn answer<T: Turns>(turns: &mut T, request: &Request) -> Result<Step<T::After>> {
    let (asked, you) = (turns.asked(), turns.you());
    let Some(driver) = turns.driver() else { return Ok(Step::Continue) };
    let table = driver.session().table();
    let text = match request.word {
        Word::Help => match asked.map(|side| driver.choices(side)) {
            Some(choices) => {
                format!("Enter your move: {choices}.\nOr, at any time:\n{}", turns.words())
            }
            None => format!("You can enter:\n{}", turns.words()),
        },
        Word::Rules => {
            let parts = games::rules_in_game(table.entry(), request.argument.is_some());
            turns.console().pages(&parts)?;
            return Ok(Step::Continue);
        }
        Word::Board => output::board(table),
        Word::Moves => match asked {
            Some(side) => format!("You can enter {}.", driver.choices(side)),
            None => return turns.refuse("It is not your turn."),
        },
        Word::History => driver.history(),
        Word::Hint | Word::Analyze => match turns.advice() {
            Ok((advisor, table)) => advise(request.word, you, advisor, table),
            Err(why) => return turns.refuse(why),
        },
        Word::Save => return turns.save(request),
        Word::Quit => return turns.quit(),
        Word::Undo | Word::Draw | Word::Resign => {
            unreachable!("each kind of game does these itself")
        }
    };
    turns.console().note(&text)?;
    Ok(Step::Continue)
}

/// A hint or an analysis, with values for the side to move.
fn advise(word: Word, you: Option<Side>, advisor: &mut Advisor, table: &dyn Table) -> String {
    let is_alternating = table.tempo() == Tempo::Alternating;
    let mover = table.turn().first().copied().filter(|_| is_alternating).or(you);
    match (word, mover) {
        (Word::Hint, Some(mover)) if you == Some(mover) => advisor.hint(table, mover),
        (Word::Hint, Some(mover)) => {
            let name = &table.names()[mover];
            format!("{name} is to move. {}", advisor.hint(table, mover))
        }
        _ => advisor.analysis(table, mover.unwrap_or(Side::One)),
    }
}
