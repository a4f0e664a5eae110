//! An online game in line mode.

mod enter;
mod show;

use std::time::Instant;

use anyhow::{Result, anyhow};
use skirmish_play::driver::{Meaning, Word};
use skirmish_room::Mirror;
use skirmish_room::wire::{Offer, Rej, ServerMessage, StageName};
use skirmish_room::words::OnlineWord;
use skirmish_rules::{Both, Catalog, Side, conjunction, quotable};

use super::Next;
use super::client::Client;
use crate::advisor::Advisor;
use crate::line::{self, InputLine, STUCK};

/// The message when a game is closed before anybody has joined it.
const CLOSED: &str = "The game is closed.";

/// Formats a period in the largest unit that fits about twice.
fn period(seconds: u64) -> String {
    let units = [(86_400, "days"), (3600, "hours"), (60, "minutes")];
    match units.into_iter().find(|(unit, _)| seconds + unit / 20 >= 2 * unit) {
        Some((unit, name)) => format!("{} {name}", (seconds + unit / 2) / unit),
        None if seconds == 1 => "1 second".to_owned(),
        None => format!("{seconds} seconds"),
    }
}

/// Formats the time left on a clock.
fn clock(milliseconds: u64) -> String {
    let seconds = milliseconds / 1000;
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes}:{:02}", seconds % 60),
        (0, _) => format!("{hours}:{minutes:02}:{:02}", seconds % 60),
        _ => format!("{days} d {hours} h"),
    }
}

/// Plays or watches a game until the player leaves it.
///
/// # Errors
/// If there is no such game, or the connection fails.
pub(super) fn play(
    client: &mut Client,
    catalog: Catalog,
    code: &str,
    watch: bool,
    come_back: &str,
) -> Result<Next> {
    let nonce = client.nonce();
    let mut play = Play {
        mirror: Mirror::new(catalog, code, &nonce),
        client,
        watch,
        come_back: come_back.to_owned(),
        advisor: None,
        has_begun: false,
        state: State::default(),
    };
    play.join();
    let after = line::play(&mut play);
    if after.is_err() && play.mirror.version() > 0 {
        play.say_how_to_come_back();
    }
    play.client.exit_hook.set(None);
    after
}

/// A room in line mode: the mirror of its game, and what the player has been told.
struct Play<'a> {
    client: &'a mut Client,
    mirror: Mirror,
    watch: bool,
    /// How to return to the game.
    come_back: String,
    advisor: Option<Advisor>,
    /// Whether the room's first game has been shown.
    has_begun: bool,
    state: State,
}

/// What the player has been told and asked in this game.
#[derive(Default)]
#[allow(clippy::struct_excessive_bools)] // each is a fact of its own
struct State {
    /// The game and turn in which the player was last asked, and whether the question still stands.
    asked: Option<(u32, usize)>,
    is_asked: bool,
    /// The game and turn in which the player was told to wait.
    told_to_wait: Option<(u32, usize)>,
    /// Whether the player is being asked to confirm a resignation.
    confirms: bool,
    /// Whether another game of the match or a rematch follows.
    goes_on: bool,
    /// Whether the player has been told what can be entered after the game.
    told_rest: bool,
    /// When the server last sent the clocks.
    clock_at: Option<Instant>,
    is_closed: bool,
    /// Whether the player has closed the game and the server has not confirmed it yet.
    closes: bool,
    /// Each player's connection, as last shown.
    present: Both<bool>,
    /// Whether the opponent is disconnected.
    is_deserted: bool,
}

impl Play<'_> {
    fn join(&mut self) {
        for message in self.mirror.connected(self.watch) {
            self.client.send(message);
        }
    }

    fn receive(&mut self, message: ServerMessage) -> Result<()> {
        if let ServerMessage::Rej(rej) = &message
            && rej.may_answer()
        {
            if self.mirror.version() == 0 {
                return Err(anyhow!("{}", rej.text));
            }
            if self.state.closes {
                self.state.is_closed = true;
                return Ok(self.client.console.note(CLOSED)?);
            }
            return Ok(self.client.console.refuse(&rej.text)?);
        }
        let clock = match &message {
            ServerMessage::Snap(snap) => Some((&snap.code, &snap.clock)),
            ServerMessage::Ev(ev) => Some((&ev.code, &ev.clock)),
            ServerMessage::Rej(Rej { notice: Some(about), .. }) => {
                Some((&about.code, &about.clock))
            }
            _ => None,
        };
        if clock.is_some_and(|(code, clock)| code == self.mirror.code() && clock.is_some()) {
            self.state.clock_at = Some(Instant::now());
        }
        self.mirror.receive(message);
        if let Some(message) = self.mirror.catch_up() {
            self.client.send(message);
        }
        let is_under_way = matches!(self.mirror.stage(), StageName::Playing | StageName::Paused);
        let come_back = (is_under_way || self.mirror.stage() == StageName::Open)
            .then(|| self.come_back.clone());
        self.client.exit_hook.set(come_back);
        Ok(())
    }

    fn show_all(&mut self) -> Result<()> {
        while let Some(notice) = self.mirror.advance() {
            self.show(&notice)?;
        }
        if self.mirror.stage() == StageName::Playing
            && self.mirror.is_up_to_date()
            && self.mirror.session().is_none()
        {
            let game = self.mirror.terms().map_or("", |terms| terms.game.as_str());
            let game = quotable(game);
            return Err(anyhow!(
                "this program does not know the game \"{game}\": get a later version"
            ));
        }
        Ok(())
    }

    /// The numbers of the game and the turn, which identify a question.
    fn moment(&self) -> (u32, usize) {
        let turns = self.mirror.session().map_or(0, |session| session.table().turns_played());
        (self.mirror.number(), turns)
    }

    /// Whether the game is over and no other has begun.
    fn is_over(&self) -> bool {
        matches!(self.mirror.stage(), StageName::Over | StageName::Closed)
            && self.mirror.end().is_some()
            && !self.state.goes_on
            && self.mirror.is_up_to_date()
    }

    /// Whether the next line can be taken. A person's lines are always taken. A line of a program or script waits for
    /// its turn, unless it is a word that works at any time.
    fn is_ready(&self) -> bool {
        let Some(line) = self.client.next_line() else { return false };
        if self.client.console.is_terminal() {
            return true;
        }
        let (you, offers) = (self.mirror.you(), self.mirror.offers());
        let waits_for_rematch =
            you.is_some_and(|side| offers[side] == Some(Offer::Rematch)) && !self.state.is_deserted;
        if *line == InputLine::End && self.is_over() {
            let is_answered = !self.mirror.is_waiting_for_answer() || !self.client.is_connected;
            return is_answered && !waits_for_rematch;
        }
        if !self.client.is_connected {
            // Leaving need not wait for the connection.
            return matches!(line, InputLine::Text(text) if text.trim() == Word::Quit.text());
        }
        if self.mirror.version() == 0 || self.mirror.is_waiting_for_answer() || self.state.closes {
            return false;
        }
        if self.mirror.asked().is_some() || self.state.confirms {
            return true;
        }
        let is_open = self.mirror.stage() == StageName::Open;
        let text = match line {
            InputLine::Text(text) => text,
            // Without further input, keep following the game while the opponent is connected.
            InputLine::End => return self.state.is_deserted || is_open && !self.state.closes,
            InputLine::Unusable(_) | InputLine::Interrupted => return self.is_over(),
        };
        match OnlineWord::read(text) {
            Some(OnlineWord::Yes | OnlineWord::No) => {
                // After the game an offer may never come, so an answer without one is refused at once.
                let is_offered = you.is_none_or(|side| offers[side.other()].is_some());
                return is_offered || self.is_over() && !waits_for_rematch;
            }
            Some(OnlineWord::Rematch | OnlineWord::Review) => return self.is_over(),
            Some(_) => return true,
            None => {}
        }
        let driver = self.mirror.driver();
        let meaning = driver.map(|driver| driver.interpret(you.unwrap_or(Side::One), text));
        match meaning {
            Some(Meaning::Word(_, true)) => true,
            _ if waits_for_rematch => false,
            Some(_) => self.is_over() || you.is_none(),
            // Nobody has joined yet.
            None => text.trim().eq_ignore_ascii_case(Word::Quit.text()),
        }
    }

    /// Asks for a choice, or says what the game waits for.
    fn ask(&mut self) -> Result<()> {
        let (moment, is_over) = (self.moment(), self.is_over());
        let Some(session) = self.mirror.session() else { return Ok(()) };
        let console = &mut self.client.console;
        if self.state.confirms {
            if !console.is_open() {
                console.prompt("Do you resign (yes or no)? ")?;
            }
            return Ok(());
        }
        if let Some(side) = self.mirror.asked() {
            let is_pending =
                if console.is_json() { self.state.is_asked } else { console.is_open() };
            let again = self.state.asked == Some(moment);
            // Ask again only once the server has answered.
            let is_answered_soon = self.mirror.is_waiting_for_answer();
            if is_pending && again || is_answered_soon {
                return Ok(());
            }
            if !again {
                let since = self.state.clock_at.map_or(0, |at| at.elapsed().as_millis());
                let since = u64::try_from(since).unwrap_or(u64::MAX);
                if let Some(left) = self.mirror.time_left(since) {
                    let names = session.table().names();
                    let [one, two] = Side::ALL.map(|side| clock(left[side]));
                    console.note(&format!("Clock: {} {one}, {} {two}.", names.one, names.two))?;
                }
                let abort = self.mirror.clock().and_then(|clock| clock.abort);
                if let Some(left) = abort.filter(|_| session.table().turns_played() > 0) {
                    let left = period(left.saturating_sub(since).div_ceil(1000));
                    console.note(&format!(
                        "If you do not make your first move within {left}, the game is aborted."
                    ))?;
                }
                if session.is_stuck() {
                    console.note(STUCK)?;
                }
            }
            console.prompt_choice(session, side, again)?;
            (self.state.asked, self.state.is_asked) = (Some(moment), true);
            return Ok(());
        }
        if is_over {
            if console.is_terminal() && !self.state.told_rest {
                console.note(&format!("Enter {}.", what_is_left(&self.mirror)))?;
                self.state.told_rest = true;
            }
            return Ok(());
        }
        let is_waiting = self.mirror.stage() == StageName::Playing
            && self.mirror.end().is_none()
            && !self.mirror.is_waiting_for_answer();
        if is_waiting && !console.is_json() && self.state.told_to_wait != Some(moment) {
            let names = session.table().names();
            let others = match self.mirror.you() {
                Some(side) => vec![side.other()],
                None => session.table().turn(),
            };
            let others = conjunction(others.into_iter().map(|side| &names[side]));
            console.note(&format!("Waiting for {others}."))?;
            self.state.told_to_wait = Some(moment);
        }
        Ok(())
    }
}

/// The words that can be entered when a game is over.
fn what_is_left(mirror: &Mirror) -> &'static str {
    if mirror.may_rematch() {
        "rematch, review, save FILE, lobby or quit"
    } else {
        "review, save FILE, lobby or quit"
    }
}

#[cfg(test)]
mod tests {
    use super::period;

    #[test]
    fn periods_are_told_in_their_largest_unit() {
        for (seconds, text) in [
            (1, "1 second"),
            (60, "60 seconds"),
            (600, "10 minutes"),
            (5400, "90 minutes"),
            (129_600, "36 hours"),
            (172_799, "2 days"),
        ] {
            assert_eq!(period(seconds), text);
        }
    }
}
