//! What a player can enter in an online game.

use std::path::PathBuf;

use anyhow::Result;
use skirmish_play::driver::{Meaning, Request, Word, yes_or_no};
use skirmish_present::json::{self, ReviewObject};
use skirmish_present::review::describe;
use skirmish_room::wire::{ClientMessage, Offer, StageName};
use skirmish_room::words::{self, OnlineWord};
use skirmish_rules::{Side, Tempo};

use super::{After, Play, what_is_left};
use crate::advisor::Advisor;
use crate::exit::{Exit, INTERRUPTED};
use crate::line::InputLine;
use crate::{games, output, solving};

impl Play<'_> {
    /// Handles a line. Returns what comes after the game if the player leaves it.
    pub(super) fn enter(&mut self, line: InputLine) -> Result<Option<After>> {
        let text = match line {
            InputLine::Text(text) => text,
            InputLine::Unusable(why) => {
                self.client.voice.echo("")?;
                self.state.is_asked = false;
                self.refused(why)?;
                return Ok(None);
            }
            InputLine::End if self.is_over() => return self.leave(Exit::Done),
            InputLine::End => return self.leave(Exit::InputEnded),
            InputLine::Interrupted => return self.leave(INTERRUPTED),
        };
        self.client.voice.echo(&text)?;
        if self.state.confirms {
            return self.confirm(&text);
        }
        let word = OnlineWord::read(&text);
        // An answer to an offer does not answer the question for a choice.
        if !matches!(word, Some(OnlineWord::Yes | OnlineWord::No)) {
            self.state.is_asked = false;
        }
        match word {
            Some(word) => self.enter_online(word),
            None => self.enter_usual(&text),
        }
    }

    fn confirm(&mut self, text: &str) -> Result<Option<After>> {
        match yes_or_no(text) {
            Some(true) => {
                self.state.confirms = false;
                let message = self.mirror.resign();
                self.client.send(message);
            }
            Some(false) => self.state.confirms = false,
            None => self.refused("Enter yes or no.")?,
        }
        Ok(None)
    }

    fn enter_online(&mut self, word: OnlineWord) -> Result<Option<After>> {
        let you = self.mirror.you();
        let offered = you.and_then(|side| self.mirror.offers()[side.other()]);
        let message = match word {
            OnlineWord::Lobby => {
                self.say_how_to_come_back();
                return Ok(Some(After::Lobby));
            }
            OnlineWord::Review => return self.review().map(|()| None),
            OnlineWord::Close => {
                if self.mirror.stage() == StageName::Open {
                    let code = self.mirror.code().to_owned();
                    self.client.send(ClientMessage::Leave { code });
                    // The answer says whether somebody has joined meanwhile.
                    self.state.closes = true;
                    self.join();
                    return Ok(None);
                }
                self.refused("Only a game that nobody has joined can be closed.")?;
                return Ok(None);
            }
            _ if you.is_none() => {
                self.refused("You are watching: enter board, history, rules, lobby or quit.")?;
                return Ok(None);
            }
            OnlineWord::Yes | OnlineWord::No => {
                let Some(what) = offered else {
                    self.refused("Nothing is offered to you.")?;
                    return Ok(None);
                };
                self.mirror.answer(what, word == OnlineWord::Yes)
            }
            OnlineWord::Say(Some(phrase)) => self.mirror.say(phrase),
            OnlineWord::Say(None) => {
                self.refused(&format!("You can say {}.", words::phrases()))?;
                return Ok(None);
            }
            OnlineWord::Claim => self.mirror.claim(),
            OnlineWord::Rematch => self.mirror.offer(Offer::Rematch),
        };
        self.client.send(message);
        Ok(None)
    }

    fn enter_usual(&mut self, text: &str) -> Result<Option<After>> {
        let you = self.mirror.you();
        let Some(driver) = self.mirror.driver() else {
            // Nobody has joined yet.
            if text.trim().eq_ignore_ascii_case(Word::Quit.text()) {
                return self.leave(Exit::Done);
            }
            self.refused("The game has not begun yet: wait, or enter close, lobby or quit.")?;
            return Ok(None);
        };
        let why = match driver.interpret(you.unwrap_or(Side::One), text) {
            Meaning::Nothing => return Ok(None),
            Meaning::Word(request, is_whole) => return self.answer(&request, is_whole),
            _ if you.is_none() => {
                "You are watching: enter board, history, rules, lobby or quit.".to_owned()
            }
            _ if self.is_over() => {
                format!("The game is over: enter {}.", what_is_left(&self.mirror))
            }
            Meaning::Choice if self.mirror.asked().is_some() => {
                let message = self.mirror.act(text);
                self.client.send(message);
                return Ok(None);
            }
            Meaning::Choice => self.why_not_now().to_owned(),
            Meaning::Refused(why) => why,
            Meaning::Unknown(why) => {
                format!("{why} (\"help\" lists what else you can enter.)")
            }
        };
        self.refused(&why)?;
        Ok(None)
    }

    /// Why a choice cannot be made.
    fn why_not_now(&self) -> &'static str {
        let has_chosen = self.mirror.you().is_some_and(|side| self.mirror.has_chosen(side));
        if self.mirror.stage() == StageName::Paused {
            "The game is paused; enter it again when the server is back."
        } else if !self.client.is_connected {
            "There is no connection; enter it again when it is back."
        } else if has_chosen {
            "You have chosen already, and cannot change it."
        } else {
            "It is not your turn."
        }
    }

    /// The words for `help` that can be used now.
    fn words(&self, may_advise: bool) -> String {
        let (is_player, is_over) = (self.mirror.you().is_some(), self.is_over());
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

    /// Answers a word of every game.
    fn answer(&mut self, request: &Request, is_whole: bool) -> Result<Option<After>> {
        let (Some(driver), Some(session)) = (self.mirror.driver(), self.mirror.session()) else {
            return Ok(None);
        };
        let you = self.mirror.you();
        let side = you.unwrap_or(Side::One);
        let is_asked = self.mirror.asked().is_some();
        let may_advise = self.mirror.terms().is_some_and(|terms| terms.hints);
        let table = session.table();
        let text = match request.word {
            Word::Help => {
                let words = self.words(may_advise);
                let text = if is_asked {
                    let choices = driver.choices(side);
                    format!("Enter your move: {choices}.\nOr, at any time:\n{words}")
                } else {
                    format!("You can enter:\n{words}")
                };
                if self.client.voice.is_json() { text } else { output::wrapped(&text) }
            }
            Word::Rules => {
                let parts = games::rules_in_game(table.entry(), request.argument.is_some());
                let text = parts.join("\n\n");
                if self.client.voice.is_json() { text } else { output::prose(&text) }
            }
            Word::Board => output::board(table),
            Word::Moves if is_asked => format!("You can enter {}.", driver.choices(side)),
            Word::Moves => return self.refused("It is not your turn.").map(|()| None),
            Word::History => driver.history(),
            Word::Hint | Word::Analyze if you.is_some() && !may_advise && !self.is_over() => {
                let why = "Hints and analysis are not allowed in this game.";
                return self.refused(why).map(|()| None);
            }
            Word::Hint | Word::Analyze if session.ending().is_some() => {
                return self.refused("The game is over: enter review.").map(|()| None);
            }
            Word::Hint | Word::Analyze if you.is_none() && !may_advise => {
                let why = "You can analyze the game with review, when it is over.";
                return self.refused(why).map(|()| None);
            }
            Word::Hint | Word::Analyze => {
                let Some(plan) = self.mirror.plan() else { return Ok(None) };
                let advisor = self.advisor.get_or_insert_with(|| Advisor::new(plan));
                // The values are those of whoever is to move.
                let is_alternating = table.tempo() == Tempo::Alternating;
                let mover = table.turn().first().copied().filter(|_| is_alternating);
                let mover = mover.unwrap_or(side);
                let has_own = you.is_some() || is_alternating;
                match request.word {
                    Word::Hint if you == Some(mover) => advisor.hint(table, mover),
                    Word::Hint if has_own => {
                        let name = &table.names()[mover];
                        format!("{name} is to move. {}", advisor.hint(table, mover))
                    }
                    _ => advisor.analysis(table, mover),
                }
            }
            Word::Save => return self.save(request).map(|()| None),
            Word::Quit => return self.leave(Exit::Done),
            Word::Undo | Word::Draw | Word::Resign => {
                return self.propose(request.word, is_whole).map(|()| None);
            }
        };
        self.client.voice.front()?.note(session, &text)?;
        Ok(None)
    }

    /// Offers a takeback or a draw, or resigns.
    fn propose(&mut self, word: Word, is_whole: bool) -> Result<()> {
        if self.mirror.you().is_none() {
            return self.refused("You are watching: enter board, history, rules, lobby or quit.");
        }
        let message = match word {
            Word::Undo => self.mirror.offer(Offer::Takeback),
            Word::Draw if !is_whole => {
                return self.refused("To offer a draw, type the whole word: draw.");
            }
            Word::Draw => self.mirror.offer(Offer::Draw),
            _ if self.mirror.end().is_some() => return self.refused("The game is over."),
            _ if self.client.voice.is_terminal() => {
                self.state.confirms = true;
                return Ok(());
            }
            _ if !is_whole => return self.refused("To resign, type the whole word: resign."),
            _ => self.mirror.resign(),
        };
        self.client.send(message);
        Ok(())
    }

    /// Writes the record so far.
    fn save(&mut self, request: &Request) -> Result<()> {
        let Some(session) = self.mirror.session() else { return Ok(()) };
        let record = session.record();
        let usual = || format!("{}-{}.skr", self.mirror.code(), self.mirror.number());
        let path = PathBuf::from(request.argument.clone().unwrap_or_else(usual));
        self.client.voice.save(&record, &path, request.force, "save! FILE")
    }

    fn review(&mut self) -> Result<()> {
        let Some(session) = self.mirror.session().filter(|_| self.mirror.end().is_some()) else {
            return self.refused("The game can be reviewed when it is over.");
        };
        let record = session.record();
        let solved = match solving::solve_record(&record) {
            Ok(solved) => solved,
            Err(error) => {
                return self.refused(&format!("This game cannot be solved here: {error}."));
            }
        };
        let review = skirmish_play::review(&record, &solved);
        if self.client.voice.is_json() {
            output::print_data_line(json::text(&ReviewObject::of(&record, &review)))?;
            return Ok(());
        }
        Ok(self.client.voice.front()?.note(session, describe(&record, &review).trim_end())?)
    }

    fn leave(&mut self, exit: Exit) -> Result<Option<After>> {
        self.client.voice.leave(!self.is_over())?;
        self.say_how_to_come_back();
        Ok(Some(After::Leave(exit)))
    }

    /// Says how to come back to a game that is not over.
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
