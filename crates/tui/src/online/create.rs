//! The setup of a game on a server: a new game for a specific opponent or for anybody, or quick pairing.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_play::player::Level;
use skirmish_room::wire::{ClientMessage, MessageId, ServerMessage};
use skirmish_room::{RuleValue, SideWish, Terms, TimeControl};
use skirmish_rules::Catalog;

use super::super::context::Context;
use super::super::form::{self, Edit, FormRow, capitalized, draw_rows};
use super::super::options::{GameOptions, OptionRow};
use super::super::pages::rules_page;
use super::super::parts::{Canvas, beside};
use super::super::screen::{Go, Help, Hint, Press, Screen, Way};
use super::{LinkEvent, OnlinePlay};

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
    /// The index of the game in the catalogue.
    game: usize,
    /// The terms except for the game and its options.
    wish: Terms,
    /// The pending request.
    sent: Option<(MessageId, ClientMessage)>,
    /// The code of the game that the server created or found.
    code: Option<String>,
}

#[derive(Clone, Copy)]
enum CreateRow {
    Start,
    Game,
    Opponent,
    Clock,
    Seat,
    Rated,
    Public,
    Spectators,
    Hints,
    Option(OptionRow),
}

impl CreateScreen {
    pub(super) fn new(purpose: Purpose, games: Catalog) -> Self {
        let first = games.iter().next().expect("there are games");
        Self {
            purpose,
            options: GameOptions::new(first),
            chosen: 0,
            game: 0,
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

    fn rows(&self) -> Vec<CreateRow> {
        let mut rows = vec![CreateRow::Start, CreateRow::Game];
        if self.purpose == Purpose::Create {
            rows.extend([CreateRow::Opponent, CreateRow::Clock, CreateRow::Seat]);
            rows.extend([CreateRow::Rated, CreateRow::Public, CreateRow::Spectators]);
        } else {
            rows.extend([CreateRow::Clock, CreateRow::Rated]);
        }
        rows.push(CreateRow::Hints);
        rows.extend(self.options.rows().into_iter().map(CreateRow::Option));
        rows
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

    fn start(&mut self, context: &mut Context) -> Go {
        let terms = self.terms();
        if let Err(why) = terms.proposal(context.catalog) {
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

    /// Opens the game once the server has created or found it.
    fn enter(&mut self, context: &mut Context) -> Go {
        match self.code.take() {
            Some(code) => Go::replace(OnlinePlay::new(&code, false, context)),
            None => Go::Stay,
        }
    }

    /// Changes the value of the selected row.
    fn change(&mut self, way: Way, leap: u8, games: Catalog) {
        match self.rows()[self.chosen] {
            CreateRow::Start => {}
            CreateRow::Game => {
                self.game = way.step(self.game, games.iter().count());
                let entry = games.iter().nth(self.game).expect("the number is that of a game");
                self.options = GameOptions::new(entry);
            }
            CreateRow::Opponent => {
                let levels = Level::ALL.map(|level| Some(level.to_string()));
                let all: Vec<Option<String>> = std::iter::once(None).chain(levels).collect();
                self.wish.level = beside(&all, &self.wish.level, way);
            }
            CreateRow::Clock => {
                self.wish.clock = beside(&TimeControl::USUAL, &self.wish.clock, way);
            }
            CreateRow::Seat => {
                let all = [SideWish::Toss, SideWish::P1, SideWish::P2];
                self.wish.seat = beside(&all, &self.wish.seat, way);
            }
            CreateRow::Rated => self.wish.rated ^= true,
            CreateRow::Public => self.wish.public ^= true,
            CreateRow::Spectators => self.wish.spectators ^= true,
            CreateRow::Hints => self.wish.hints ^= true,
            CreateRow::Option(row) => self.options.change(row, way, leap),
        }
    }

    fn describe(&self, row: CreateRow) -> FormRow {
        let (wish, entry) = (&self.wish, self.options.entry);
        let yes = |name: &str, it: bool, about: &str| {
            FormRow::new(name, if it { "yes" } else { "no" }, about)
        };
        let mut row = match row {
            CreateRow::Start if self.purpose == Purpose::Create => {
                FormRow::new("Create the game", "", entry.summary)
            }
            CreateRow::Start => {
                let about = "You play against anybody who wants the same game, clock and rules.";
                FormRow::new("Find an opponent", "", about)
            }
            CreateRow::Game => FormRow::new("Game", entry.name, entry.summary),
            CreateRow::Opponent => match wish.opponent().ok().flatten() {
                None => {
                    let about = "Whoever enters the code or opens the address that you get.";
                    FormRow::new("Opponent", "a person", about)
                }
                Some(level) => {
                    let about = format!("The computer on the server: it {}.", level.about());
                    FormRow::new("Opponent", format!("computer, {level}"), about)
                }
            },
            CreateRow::Clock => {
                let about = "How much time each player has: for a move, or for the game and added after each move.";
                FormRow::new("Clock", wish.clock.words(), about)
            }
            CreateRow::Seat => {
                let seat = wish.seat.side();
                let seat = seat.map_or("a coin toss decides".to_owned(), |side| side.to_string());
                FormRow::new("Your seat", seat, "Your seat. A rematch swaps the seats.")
            }
            CreateRow::Rated => {
                yes("Rated", wish.rated, "Whether the result counts for the players' ratings.")
            }
            CreateRow::Public => {
                let about = "Whether anybody can find the game in the lobby and join.";
                yes("Public", wish.public, about)
            }
            CreateRow::Spectators => {
                yes("Spectators", wish.spectators, "Whether others may watch.")
            }
            CreateRow::Hints => {
                yes("Hints", wish.hints, "Whether both players may use hints and the analysis.")
            }
            CreateRow::Option(row) => self.options.describe(row),
        };
        if self.sent.is_some() {
            "Asking the server…".clone_into(&mut row.about);
        }
        row
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
        let count = self.rows().len();
        match press {
            Press::Key(KeyCode::Esc) => return Go::Back,
            Press::Key(KeyCode::Char('r')) => return Go::to(rules_page(self.options.entry)),
            // While a request is pending, nothing can be changed; Enter says so.
            _ if self.sent.is_some() && press != Press::Key(KeyCode::Enter) => {}
            _ => match Edit::of(press, &mut self.chosen, count) {
                Edit::Start => return self.start(context),
                Edit::Change(way, leap) => self.change(way, leap, context.catalog),
                Edit::Nothing => {}
            },
        }
        Go::Stay
    }

    fn on_link(&mut self, event: &LinkEvent, is_top: bool, context: &mut Context) -> Go {
        let Some((id, message)) = &self.sent else { return Go::Stay };
        match event {
            // Resending is safe: the server repeats its first answer.
            LinkEvent::Connected(_) => {
                if let Some(online) = &mut context.online {
                    online.send(message.clone());
                }
            }
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
        let rows: Vec<FormRow> = self.rows().into_iter().map(|row| self.describe(row)).collect();
        draw_rows(canvas, area, "Set up the game", &rows, self.chosen, None);
    }
}
