//! The game as a transcript for people, like the rulebooks' sample interactions.

use std::io;

use skirmish_play::{Score, Session};
use skirmish_present::words;
use skirmish_rules::{Ending, Names, Side, Tempo, quotable};

use super::front::FrontEnd;
use super::game::{Beginning, Opening};
use super::input::{InputLine, LineReader};
use super::show_pages;
use crate::output::{self, paint};

/// A transcript on standard output, input from standard input.
pub(crate) struct Transcript {
    input: LineReader,
    /// Whether the player has been told about `help`.
    is_introduced: bool,
    is_secret: bool,
    secret: Secret,
}

/// Shown in place of a secret choice.
const HIDDEN: &str = "(hidden)";

/// Secret choices from a pipe. Each is echoed after its prompt, as in the rulebook, but only once both are known
/// (R-CL-6).
#[derive(Debug, Default)]
struct Secret {
    /// The line just read, not echoed yet.
    typed: Option<String>,
    /// Its prompt, not printed yet because the line above is still open.
    question: Option<String>,
    /// The first side's line, to be echoed after its prompt, which is the last thing on the screen.
    held: Option<String>,
}

impl Transcript {
    pub(crate) fn new(input: LineReader) -> Self {
        Self { input, is_introduced: false, is_secret: false, secret: Secret::default() }
    }

    /// Asks, and echoes input from a pipe.
    pub(crate) fn ask_openly(&mut self, question: &str) -> io::Result<InputLine> {
        let line = self.input.ask(question)?;
        match &line {
            InputLine::Text(text) if !self.input.is_terminal() => {
                output::print_line(quotable(text.trim()))?;
            }
            InputLine::Unusable(_) if !self.input.is_terminal() => output::print("\n")?,
            _ => {}
        }
        Ok(line)
    }

    /// Asks for a choice that the other player must not see.
    fn ask_secretly(
        &mut self,
        names: &Names,
        side: Side,
        ask: &str,
        again: bool,
    ) -> io::Result<InputLine> {
        if self.input.is_terminal() {
            if side == Side::Two && !again {
                let ready = format!("{}, press Enter when ready.", names[side]);
                match self.input.ask(&paint(&ready, names))? {
                    InputLine::Text(_) | InputLine::Unusable(_) => {}
                    end @ (InputLine::End | InputLine::Interrupted) => return Ok(end),
                }
            }
            if !again {
                output::print_line("What you type stays hidden.")?;
            }
            return self.input.ask(&paint(ask, names));
        }
        if self.secret.held.is_some() {
            self.secret.question = Some(ask.to_owned());
        } else {
            output::print(&paint(ask, names))?;
        }
        let line = self.input.read()?;
        self.secret.typed = match &line {
            InputLine::Text(text) => Some(quotable(text.trim())),
            InputLine::Unusable(_) => Some(String::new()),
            InputLine::End | InputLine::Interrupted => None,
        };
        Ok(line)
    }

    /// Completes the open line without revealing the first side's choice.
    fn close_line(&mut self) -> io::Result<()> {
        if let Some(held) = &mut self.secret.held {
            HIDDEN.clone_into(held);
        }
        self.reveal()
    }

    /// Echoes both choices after their prompts.
    fn reveal(&mut self) -> io::Result<()> {
        let Secret { typed, question, held } = std::mem::take(&mut self.secret);
        if let Some(held) = held {
            output::print_line(held)?;
        }
        if let Some(question) = question {
            output::print(&question)?;
        }
        typed.map_or(Ok(()), output::print_line)
    }
}

fn print(names: &Names, text: &str) -> io::Result<()> {
    output::print_line(paint(text, names))
}

impl FrontEnd for Transcript {
    fn begin(&mut self, session: &Session, opening: &Opening) -> io::Result<()> {
        let table = session.table();
        let names = table.names();
        self.is_secret = opening.secret;
        self.input.hide(self.is_secret);
        if let Some(seed) = opening.seed {
            print(names, &format!("Seed: {seed}"))?;
        }
        if opening.beginning == Beginning::Tossed {
            print(names, &words::toss(names, table.first()))?;
        }
        let standing = session.record().standing;
        if let Some(standing) = standing {
            print(names, &format!("Game {} of {}", standing.game, standing.of))?;
            if opening.beginning == Beginning::Swapped {
                let (one, two) = (&names.one, &names.two);
                let seats = format!("The players swap seats: {one} is P1 now, and {two} is P2.");
                print(names, &seats)?;
            }
        }
        if opening.seed.is_some() || standing.is_some() {
            output::print("\n")?;
        }
        if opening.beginning == Beginning::Resumed {
            let turns = table.history().len();
            print(names, &format!("Going on with {} after turn {turns}.", table.entry().name))?;
        } else {
            print(names, &words::welcome(table))?;
        }
        print(names, &format!("\n{}\n", output::board(table)))
    }

    fn ask(&mut self, session: &Session, side: Side, again: bool) -> io::Result<InputLine> {
        let table = session.table();
        let prompt = table.prompt(side);
        if !std::mem::replace(&mut self.is_introduced, true) && self.input.is_terminal() {
            output::print_line("Enter \"help\" to list everything you can enter.\n")?;
        }
        if !prompt.lead.is_empty() && !again {
            print(table.names(), &prompt.lead)?;
        }
        if self.is_secret {
            return self.ask_secretly(table.names(), side, &prompt.ask, again);
        }
        self.ask_openly(&prompt.ask)
    }

    fn is_person(&self) -> bool {
        self.input.is_terminal()
    }

    fn ask_whether(&mut self, _session: &Session, question: &str) -> io::Result<InputLine> {
        self.close_line()?;
        self.ask_openly(question)
    }

    fn waits(&mut self, _session: &Session, _side: Side) -> io::Result<()> {
        self.secret.held = self.secret.typed.take();
        Ok(())
    }

    fn chose(&mut self, session: &Session, side: Side, choice: &str) -> io::Result<()> {
        let table = session.table();
        if table.tempo() == Tempo::Simultaneous {
            return Ok(());
        }
        let prompt = table.prompt(side);
        print(table.names(), &format!("{}\n{}{choice}", prompt.lead, prompt.ask))
    }

    fn taken_back(&mut self, session: &Session) -> io::Result<()> {
        let board = output::board(session.table());
        self.note(session, &format!("Taken back.\n\n{board}\n"))
    }

    fn turn(&mut self, session: &Session) -> io::Result<()> {
        self.reveal()?;
        let table = session.table();
        print(table.names(), &format!("\n{}\n", output::report(table)))
    }

    fn note(&mut self, session: &Session, text: &str) -> io::Result<()> {
        self.close_line()?;
        print(session.table().names(), text)
    }

    fn pages(&mut self, _session: &Session, parts: &[String]) -> io::Result<()> {
        self.close_line()?;
        show_pages(&mut self.input, parts)
    }

    fn refuse(&mut self, session: &Session, text: &str) -> io::Result<()> {
        if let Some(typed) = &mut self.secret.typed {
            // A typing error can reveal the intended choice.
            HIDDEN.clone_into(typed);
        }
        self.note(session, text)
    }

    fn end(&mut self, session: &Session, ending: Ending) -> io::Result<()> {
        self.close_line()?;
        self.input.hide(false);
        let names = session.table().names();
        if let Some(fault) = session.fault() {
            return print(names, &words::forfeit(fault, names, ending.outcome));
        }
        match words::ending(ending, names, session.turn_limit()) {
            Some(text) => print(names, &text),
            None => Ok(()),
        }
    }

    fn score(&mut self, score: &Score, over: bool) -> io::Result<()> {
        let names = &score.names;
        let (one, two) = (score.points(Side::One), score.points(Side::Two));
        let tally = format!("{} {one}, {} {two}", names.one, names.two);
        let text = match (over, score.leader()) {
            (false, _) => format!("Score: {tally}\n"),
            (true, Some(winner)) => {
                format!("Final score: {tally}\n{} wins the match!", names[winner])
            }
            (true, None) => format!("Final score: {tally}\nThe match is drawn."),
        };
        print(names, &text)
    }

    fn leave(&mut self) -> io::Result<()> {
        let open = self.secret.held.is_some();
        self.secret = Secret::default();
        self.input.hide(false);
        if open || !self.input.is_terminal() { output::print("\n") } else { Ok(()) }
    }
}
