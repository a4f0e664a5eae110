//! Handles a player's input in an online game.

use std::path::PathBuf;

use anyhow::Result;
use skirmish_play::driver::{Driver, Meaning, Request, Word};
use skirmish_present::json::{self, ReviewObject};
use skirmish_present::review::describe;
use skirmish_room::wire::{ClientMessage, Offer, StageName};
use skirmish_room::words::{self, OnlineWord};
use skirmish_rules::{Side, Table};
use skirmish_tui::online::{LinkEvent, OnlineGoal};

use super::{Play, what_is_left};
use crate::advisor::Advisor;
use crate::exit::Exit;
use crate::line::{Console, HELP, InputLine, Step, Turns};
use crate::online::{Next, record};
use crate::{output, solving};

/// The message while nobody has joined.
const NOT_BEGUN: &str = "The game has not begun yet: wait, or enter close, lobby or quit.";

/// Why a spectator's input is refused.
const WATCHING: &str = "You are watching: enter board, history, rules, lobby or quit.";

impl Turns for Play<'_> {
    type After = Next;

    fn console(&mut self) -> &mut Console {
        &mut self.client.console
    }

    fn driver(&self) -> Option<&Driver> {
        self.mirror.driver()
    }

    fn you(&self) -> Option<Side> {
        self.mirror.you()
    }

    fn asked(&self) -> Option<Side> {
        self.mirror.asked()
    }

    fn advance(&mut self) -> Result<Option<Next>> {
        self.show_all()?;
        Ok(self.state.is_closed.then_some(Next::Continue(OnlineGoal::Lobby)))
    }

    fn next_line(&mut self) -> Result<Option<InputLine>> {
        self.ask()?;
        if self.is_ready()
            && let Some(line) = self.client.take_line()?
        {
            // An answer to an offer does not answer the prompt for a choice.
            let is_answer = matches!(
                &line,
                InputLine::Text(text)
                    if matches!(OnlineWord::read(text), Some(OnlineWord::Yes | OnlineWord::No))
            );
            self.state.is_asked &= is_answer;
            return Ok(Some(line));
        }
        match self.client.wait()? {
            Some(LinkEvent::Connected(_)) => {
                // The opponent may reconnect shortly after this client.
                self.state.is_deserted = false;
                self.join();
            }
            Some(LinkEvent::Message(message)) => self.receive(message)?,
            _ => {}
        }
        Ok(None)
    }

    fn is_questioned(&self) -> bool {
        self.state.confirms
    }

    fn answer(&mut self, yes: bool) -> Result<Step<Next>> {
        self.state.confirms = false;
        if yes {
            let message = self.mirror.resign();
            self.client.send(message);
        }
        Ok(Step::Continue)
    }

    fn enter(&mut self, text: &str) -> Result<Step<Next>> {
        match OnlineWord::read(text) {
            Some(word) => self.enter_online(word),
            None => self.enter_usual(text),
        }
    }

    fn words(&self) -> String {
        let (is_player, is_over) = (self.mirror.you().is_some(), self.is_over());
        let may_advise = self.mirror.terms().is_some_and(|terms| terms.hints);
        let is_open = self.mirror.stage() == StageName::Open;
        let is_useful = |line: &&str| match line.split_whitespace().next() {
            Some("hint" | "analyze") => may_advise && !is_over,
            Some("close") => is_player && is_open,
            Some("moves" | "undo" | "draw" | "resign" | "claim") => is_player && !is_over,
            Some("rematch") => self.mirror.may_rematch(),
            Some("yes," | "say") => is_player,
            _ => true,
        };
        words::list().lines().filter(is_useful).collect::<Vec<&str>>().join("\n")
    }

    fn advice(&mut self) -> std::result::Result<(&mut Advisor, &dyn Table), &'static str> {
        let may_advise = self.mirror.terms().is_some_and(|terms| terms.hints);
        let (you, is_over) = (self.mirror.you(), self.is_over());
        let (Some(session), Some(plan)) = (self.mirror.session(), self.mirror.plan()) else {
            return Err(NOT_BEGUN);
        };
        if you.is_some() && !may_advise && !is_over {
            return Err("Hints and analysis are not allowed in this game.");
        }
        if session.ending().is_some() {
            return Err("The game is over: enter review.");
        }
        if you.is_none() && !may_advise {
            return Err("When the game is over, you can analyze it with review.");
        }
        Ok((self.advisor.get_or_insert_with(|| Advisor::new(plan)), session.table()))
    }

    /// Writes the record so far.
    fn save(&mut self, request: &Request) -> Result<Step<Next>> {
        if let Some(session) = self.mirror.session() {
            let record = session.record();
            let usual = || format!("{}-{}.skr", self.mirror.code(), self.mirror.number());
            let path = PathBuf::from(request.argument.clone().unwrap_or_else(usual));
            let console = &mut self.client.console;
            record::save(console, &record, &path, request.force, "save! FILE")?;
        }
        Ok(Step::Continue)
    }

    fn quit(&mut self) -> Result<Step<Next>> {
        self.leave(Exit::Done)
    }

    fn leave(&mut self, exit: Exit) -> Result<Step<Next>> {
        let is_over = self.is_over();
        self.client.console.leave(!is_over)?;
        self.say_how_to_come_back();
        let exit = if is_over && exit == Exit::InputEnded { Exit::Done } else { exit };
        Ok(Step::Leave(Next::Break(exit)))
    }
}

impl Play<'_> {
    fn enter_online(&mut self, word: OnlineWord) -> Result<Step<Next>> {
        let you = self.mirror.you();
        let offered = you.and_then(|side| self.mirror.offers()[side.other()]);
        let message = match word {
            OnlineWord::Lobby => {
                self.say_how_to_come_back();
                return Ok(Step::Leave(Next::Continue(OnlineGoal::Lobby)));
            }
            OnlineWord::Review => return self.review(),
            OnlineWord::Close if self.mirror.stage() == StageName::Open => {
                let code = self.mirror.code().to_owned();
                self.client.send(ClientMessage::Leave { code });
                // The response tells whether somebody has joined in the meantime.
                self.state.closes = true;
                self.join();
                return Ok(Step::Continue);
            }
            OnlineWord::Close => {
                return self.refuse("Only a game that nobody has joined can be closed.");
            }
            _ if you.is_none() => return self.refuse(WATCHING),
            OnlineWord::Yes | OnlineWord::No => match offered {
                Some(what) => self.mirror.answer(what, word == OnlineWord::Yes),
                None => return self.refuse("Nothing is offered to you."),
            },
            OnlineWord::Say(Some(phrase)) => self.mirror.say(phrase),
            OnlineWord::Say(None) => {
                return self.refuse(&format!("You can say {}.", words::phrases()));
            }
            OnlineWord::Claim => self.mirror.claim(),
            OnlineWord::Rematch => self.mirror.offer(Offer::Rematch),
        };
        self.client.send(message);
        Ok(Step::Continue)
    }

    fn enter_usual(&mut self, text: &str) -> Result<Step<Next>> {
        let you = self.mirror.you();
        let Some(driver) = self.mirror.driver() else {
            if text.trim().eq_ignore_ascii_case(Word::Quit.text()) {
                return self.quit();
            }
            return self.refuse(NOT_BEGUN);
        };
        let why = match driver.interpret(you.unwrap_or(Side::One), text) {
            Meaning::Nothing => return Ok(Step::Continue),
            Meaning::Word(request, is_whole) => {
                return match request.word {
                    Word::Undo | Word::Draw | Word::Resign => self.propose(request.word, is_whole),
                    _ => Ok(Step::Answer(request)),
                };
            }
            _ if you.is_none() => WATCHING.to_owned(),
            _ if self.is_over() => {
                format!("The game is over: enter {}.", what_is_left(&self.mirror))
            }
            Meaning::Choice(()) if self.mirror.asked().is_some() => {
                let message = self.mirror.act(text);
                self.client.send(message);
                return Ok(Step::Continue);
            }
            Meaning::Choice(()) => self.why_not_now().to_owned(),
            Meaning::Refused(why) => why,
            Meaning::Unknown(why) => format!("{why} {HELP}"),
        };
        self.refuse(&why)
    }

    /// Why a choice cannot be made.
    fn why_not_now(&self) -> &'static str {
        let has_chosen = self.mirror.you().is_some_and(|side| self.mirror.has_chosen(side));
        if self.mirror.stage() == StageName::Paused {
            "The game is paused; enter it again when the server is back."
        } else if !self.client.is_connected {
            "There is no connection; enter your choice again when it is back."
        } else if has_chosen {
            "You have chosen already, and cannot change it."
        } else {
            "It is not your turn."
        }
    }

    /// Offers a takeback or a draw, or resigns.
    fn propose(&mut self, word: Word, is_whole: bool) -> Result<Step<Next>> {
        if self.mirror.you().is_none() {
            return self.refuse(WATCHING);
        }
        let message = match word {
            Word::Undo => self.mirror.offer(Offer::Takeback),
            Word::Draw if !is_whole => {
                return self.refuse("To offer a draw, type the whole word: draw.");
            }
            Word::Draw => self.mirror.offer(Offer::Draw),
            _ if self.mirror.end().is_some() => return self.refuse("The game is over."),
            _ if self.client.console.is_terminal() => {
                self.state.confirms = true;
                return Ok(Step::Continue);
            }
            _ if !is_whole => return self.refuse("To resign, type the whole word: resign."),
            _ => self.mirror.resign(),
        };
        self.client.send(message);
        Ok(Step::Continue)
    }

    fn review(&mut self) -> Result<Step<Next>> {
        let Some(session) = self.mirror.session().filter(|_| self.mirror.end().is_some()) else {
            return self.refuse("The game can be reviewed when it is over.");
        };
        let record = session.record();
        let solved = match solving::solve_record(&record) {
            Ok(solved) => solved,
            Err(error) => {
                return self.refuse(&format!("This game cannot be solved here: {error}."));
            }
        };
        let review = skirmish_play::review(&record, &solved);
        if self.client.console.is_json() {
            output::print_data_line(json::text(&ReviewObject::of(&record, &review)))?;
        } else {
            self.client.console.note(describe(&record, &review).trim_end())?;
        }
        Ok(Step::Continue)
    }

    /// Prints how to return to an unfinished game.
    pub(super) fn say_how_to_come_back(&self) {
        match self.mirror.stage() {
            StageName::Open | StageName::Playing | StageName::Paused => {
                output::eprint_line(&self.come_back);
            }
            StageName::Over if self.state.goes_on => output::eprint_line(&self.come_back),
            StageName::Over | StageName::Closed => {}
        }
    }
}
