//! The setup of a game on a server: a new game for a specific opponent or for anybody, or quick pairing.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_play::player::Level;
use skirmish_room::wire::{ClientMessage, MessageId, ServerMessage};
use skirmish_room::{RuleValue, SideWish, Terms, TimeControl};
use skirmish_rules::Catalog;

use super::super::context::Context;
use super::super::form::{self, Form, FormRow, capitalized, draw_rows};
use super::super::options::GameOptions;
use super::super::pages::rules_page;
use super::super::parts::Canvas;
use super::super::screen::{Go, Help, Hint, Press, Screen};
use super::{LinkEvent, OnlinePlay, send};

/// The purpose of the setup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Create,
    /// Quick pairing with anybody who wants the same terms.
    Seek,
}

pub(super) struct CreateScreen {
    purpose: Purpose,
    options: GameOptions,
    chosen: usize,
    /// The terms except for the game and its options.
    wish: Terms,
    /// The pending request.
    sent: Option<(MessageId, ClientMessage)>,
    /// The code of the game that the server created or found.
    code: Option<String>,
}

impl CreateScreen {
    pub(super) fn new(purpose: Purpose, games: Catalog) -> Self {
        let first = games.iter().next().expect("there are games");
        Self {
            purpose,
            options: GameOptions::new(first),
            chosen: 0,
            wish: match purpose {
                Purpose::Create => Terms::new(first),
                Purpose::Seek => {
                    Terms { clock: TimeControl::USUAL[5], public: true, ..Terms::new(first) }
                }
            },
            sent: None,
            code: None,
        }
    }

    fn terms(&self) -> Terms {
        let options = &self.options;
        Terms {
            game: options.entry.id.to_owned(),
            rules: RuleValue::changes(&options.settings),
            first: options.first().map(SideWish::from),
            games: options.games(),
            ..self.wish.clone()
        }
    }

    /// Opens the game once the server has created or found it.
    fn enter(&mut self, context: &mut Context) -> Go {
        match self.code.take() {
            Some(code) => Go::replace(OnlinePlay::new(&code, false, context)),
            None => Go::Stay,
        }
    }

    fn start_row(&self) -> FormRow<Self> {
        match self.purpose {
            Purpose::Create => FormRow::start("Create the game", self.options.entry.summary),
            Purpose::Seek => {
                let about = "You play against anybody who wants the same game, clock and rules.";
                FormRow::start("Find an opponent", about)
            }
        }
    }

    fn opponent_row(&self) -> FormRow<Self> {
        let (value, about) = match self.wish.opponent().ok().flatten() {
            None => {
                let about = "Whoever enters the code or opens the address that you get.";
                ("a person".to_owned(), about.to_owned())
            }
            Some(level) => {
                let about = format!("The computer on the server: it {}.", level.about());
                (format!("computer, {level}"), about)
            }
        };
        let levels = Level::ALL.map(|level| Some(level.to_string()));
        let all: Vec<Option<String>> = std::iter::once(None).chain(levels).collect();
        FormRow::choice("Opponent", value, about, all, |form: &mut Self| &mut form.wish.level)
    }

    fn clock_row(&self) -> FormRow<Self> {
        let about =
            "How much time each player has: for a move, or for the game and added after each move.";
        let (all, now) = (TimeControl::USUAL, self.wish.clock.words());
        FormRow::choice("Clock", now, about, all, |form: &mut Self| &mut form.wish.clock)
    }

    fn seat_row(&self) -> FormRow<Self> {
        let seat = self.wish.seat.side();
        let seat = seat.map_or("a coin toss decides".to_owned(), |side| side.to_string());
        let about = "Your seat. A rematch swaps the seats.";
        let all = [SideWish::Toss, SideWish::P1, SideWish::P2];
        FormRow::choice("Your seat", seat, about, all, |form: &mut Self| &mut form.wish.seat)
    }
}

impl Form for CreateScreen {
    fn rows(&self) -> Vec<FormRow<Self>> {
        let options: fn(&mut Self) -> &mut GameOptions = |form| &mut form.options;
        let wish = &self.wish;
        let about = "Whether the result counts for the players' ratings.";
        let rated =
            FormRow::flag("Rated", wish.rated, about, |form: &mut Self| &mut form.wish.rated);
        let mut rows = vec![self.start_row(), self.options.game_row().within(options)];
        match self.purpose {
            Purpose::Create => {
                rows.extend([self.opponent_row(), self.clock_row(), self.seat_row(), rated]);
                let about = "Whether anybody can find the game in the lobby and join.";
                rows.push(FormRow::flag("Public", wish.public, about, |form| {
                    &mut form.wish.public
                }));
                let about = "Whether others may watch.";
                rows.push(FormRow::flag("Spectators", wish.spectators, about, |form| {
                    &mut form.wish.spectators
                }));
            }
            Purpose::Seek => rows.extend([self.clock_row(), rated]),
        }
        let about = "Whether both players may use hints and the analysis.";
        rows.push(FormRow::flag("Hints", wish.hints, about, |form| &mut form.wish.hints));
        rows.extend(self.options.rows().into_iter().map(|row| row.within(options)));
        if self.sent.is_some() {
            for row in &mut rows {
                "Asking the server…".clone_into(&mut row.about);
            }
        }
        rows
    }

    fn chosen(&mut self) -> &mut usize {
        &mut self.chosen
    }

    fn start(&mut self, context: &mut Context) -> Go {
        let terms = self.terms();
        if let Err(why) = terms.proposal(context.catalog()) {
            return Go::refused(
                format!("{}.", capitalized(why.to_string().trim_end_matches('.'))),
                context,
            );
        }
        let Some(online) = &mut context.online else { return Go::Stay };
        if self.sent.is_some() {
            return Go::refused("The request has already been sent.", context);
        }
        let id = online.fresh_id();
        let message = match self.purpose {
            Purpose::Create => ClientMessage::Create { id: id.clone(), terms },
            Purpose::Seek => ClientMessage::Seek { id: id.clone(), terms },
        };
        online.send(message.clone());
        self.sent = Some((id, message));
        Go::Stay
    }
}

impl Screen for CreateScreen {
    fn title(&self) -> String {
        match self.purpose {
            Purpose::Create => "A new game on the server",
            Purpose::Seek => "Quick pairing",
        }
        .to_owned()
    }

    fn hints(&self) -> Vec<Hint> {
        let start = match self.purpose {
            Purpose::Create => "create",
            Purpose::Seek => "find",
        };
        vec![("Enter", start), ("↑↓", "move"), ("←→", "change"), ("r", "rules"), ("Esc", "back")]
    }

    fn more_help(&self) -> Vec<Help> {
        form::help()
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        match press {
            Press::Key(KeyCode::Esc) => Go::Back,
            Press::Key(KeyCode::Char('r')) => Go::to(rules_page(self.options.entry)),
            // While a request is pending, nothing can be changed; Enter says so.
            _ if self.sent.is_some() && press != Press::Key(KeyCode::Enter) => Go::Stay,
            _ => self.edit(press, context),
        }
    }

    fn on_link(&mut self, event: &LinkEvent, is_top: bool, context: &mut Context) -> Go {
        let Some((id, message)) = &self.sent else { return Go::Stay };
        match event {
            // Resending is safe: the server repeats its first answer.
            LinkEvent::Connected(_) => send(message.clone(), context),
            LinkEvent::Message(ServerMessage::Ack { id: answered, code: Some(code), .. })
                if answered == id =>
            {
                self.code = Some(code.clone());
                self.sent = None;
                // A page on top of this screen must be closed first.
                return if is_top { self.enter(context) } else { Go::Stay };
            }
            LinkEvent::Message(ServerMessage::Rej(rej)) if rej.id.as_ref() == Some(id) => {
                context.notice = Some(rej.text.clone());
                self.sent = None;
            }
            LinkEvent::Message(_)
            | LinkEvent::Record { .. }
            | LinkEvent::Lost { .. }
            | LinkEvent::Failed { .. } => {}
        }
        Go::Stay
    }

    fn resume(&mut self, context: &mut Context) -> Go {
        self.enter(context)
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, _context: &Context) {
        draw_rows(canvas, area, "Set up the game", &self.rows(), self.chosen, None);
    }
}
