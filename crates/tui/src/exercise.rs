//! The setup before a game from a given position: the opponent and the seat.

use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
use skirmish_play::player::{Level, Player};
use skirmish_play::{Plan, Proposal};
use skirmish_rules::{
    Both, Entry, Names, Scene, Settings, Setup, Side, StartError, StartingPoint, Tempo,
    default_names,
};

use super::app::is_roomy;
use super::context::Context;
use super::form::{Form, FormRow, about_level, draw_rows};
use super::parts::{Canvas, below};
use super::play::LocalPlay;
use super::screen::{Go, Help, Hint, Press, Screen};
use super::setup::plan;
use super::stage::Stage;

/// Number of rows of the board above the choices.
const BOARD: u16 = 7;

/// The setup screen for a game from a position. Leaving that game leads back to the screen below this one.
pub(super) struct Exercise {
    entry: &'static Entry,
    settings: Settings,
    position: String,
    scene: Scene,
    /// The side to move; `None` in simultaneous games.
    mover: Option<Side>,
    opponent: Player,
    /// The person's seat if the opponent is the computer.
    seat: Side,
    chosen: usize,
}

impl Exercise {
    /// Prepares a game from `position` with the rules and, as far as possible, the players of `played`.
    ///
    /// # Errors
    /// If `position` does not belong to the game, or the game is over there.
    fn of(played: &Plan, position: &str) -> Result<Self, StartError> {
        let (entry, settings) = (played.entry, played.settings.clone());
        let start = StartingPoint::at(entry, &settings, position)?;
        let position = Some(position.to_owned());
        let setup = Setup { settings: settings.clone(), position, ..entry.setup() };
        let table = entry.open(setup)?;
        let levels = played.players.as_ref().map(Player::level);
        let level = levels.one.or(levels.two).unwrap_or(Level::Casual);
        let seat = match (levels.one, levels.two) {
            (None, Some(_)) => Side::One,
            (Some(_), None) => Side::Two,
            (Some(_), Some(_)) | (None, None) => start.first,
        };
        Ok(Self {
            entry,
            settings,
            position: table.position(),
            scene: table.scene(),
            mover: (entry.tempo() == Tempo::Alternating).then_some(start.first),
            opponent: Player::Computer(level),
            seat,
            chosen: 0,
        })
    }

    /// Opens the setup of a game from `position`. If the game is over there, gives the advice `elsewhere`.
    pub(super) fn go(played: &Plan, position: &str, elsewhere: &str, context: &mut Context) -> Go {
        match Self::of(played, position) {
            Ok(exercise) => Go::to(exercise),
            Err(StartError::Over(_)) => {
                Go::refused(format!("The game is over here. {elsewhere}"), context)
            }
            Err(why) => Go::refused(why.to_string(), context),
        }
    }
}

impl Form for Exercise {
    fn rows(&self) -> Vec<FormRow<Self>> {
        let about = match self.mover {
            Some(mover) => format!("{mover} moves. The statistics do not count this game."),
            None => "The statistics do not count this game.".to_owned(),
        };
        let opponent = match self.opponent {
            Player::Computer(level) => about_level(level),
            Player::Human | Player::Bot(_) | Player::Absent(_) => {
                "Two people at this terminal.".to_owned()
            }
        };
        let opponents = std::iter::once(Player::Human).chain(Level::ALL.map(Player::Computer));
        let opponents: Vec<Player> = opponents.collect();
        let mut rows = vec![
            FormRow::start("Play on from here", about.clone()),
            FormRow::choice(
                "Opponent",
                self.opponent.to_string(),
                opponent,
                opponents,
                |form: &mut Self| &mut form.opponent,
            ),
        ];
        if let Player::Computer(_) = self.opponent {
            let seat = self.seat.to_string();
            rows.push(FormRow::choice("You are", seat, about, Side::ALL, |form| &mut form.seat));
        }
        rows
    }

    fn chosen(&mut self) -> &mut usize {
        &mut self.chosen
    }

    fn start(&mut self, context: &mut Context) -> Go {
        let mut players = Both::new(Player::Human, Player::Human);
        players[self.seat.other()] = self.opponent.clone();
        let names = &context.options.preferences.names;
        let proposal = Proposal {
            settings: self.settings.clone(),
            names: Both::from_fn(|side| names[side].clone().filter(|_| players[side].is_human())),
            players,
            position: Some(self.position.clone()),
            ..Proposal::new(self.entry)
        };
        match plan(proposal) {
            Ok(plan) => Go::replace(LocalPlay::begin(plan, context)),
            Err(why) => Go::refused(why, context),
        }
    }
}

/// The names of the people at this terminal.
pub(super) fn names(context: &Context) -> Names {
    let (preferred, seats) = (&context.options.preferences.names, default_names());
    Both::from_fn(|side| preferred[side].clone().unwrap_or_else(|| seats[side].clone()))
}

impl Screen for Exercise {
    fn title(&self) -> String {
        format!("{} from {}", self.entry.name, self.position)
    }

    fn game(&self) -> Option<&'static Entry> {
        Some(self.entry)
    }

    fn hints(&self) -> Vec<Hint> {
        vec![("Enter", "start"), ("↑↓", "move"), ("←→", "change"), ("Esc", "back")]
    }

    fn more_help(&self) -> Vec<Help> {
        vec![("Space".into(), "the next value"), ("mouse".into(), "click a row, or ‹ and ›")]
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        match press {
            Press::Key(KeyCode::Esc) => Go::Back,
            // There are no numbers to change.
            Press::Key(KeyCode::PageUp | KeyCode::PageDown) => Go::Stay,
            _ => self.edit(press, context),
        }
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, context: &Context) {
        let mut left = area;
        if is_roomy(area) {
            let board = Rect { height: BOARD, ..area };
            Stage::still(self.entry, &self.scene, &names(context)).draw(canvas, board);
            left = below(area, BOARD);
        }
        let title = format!("From the position {}", self.position);
        draw_rows(canvas, left, &title, &self.rows(), self.chosen, None);
    }
}
