//! Tournaments in the arcade: setting them up and watching their games. A tournament continues in the background while the
//! player does something else.

mod live;
mod setup;
mod view;

use std::sync::Arc;

use live::LiveState;
pub use live::TournamentRun;
pub(crate) use live::{CurrentTournament, LiveTournament};
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
pub(crate) use setup::TournamentSetup;
use skirmish_arena::tournament::{Board, GameId, PlayedGame, Standings};
use skirmish_present::words;
use skirmish_rules::{Both, Names};
use skirmish_store::command;
use skirmish_store::shell::quoted;

use crate::context::Context;
use crate::jobs::JobReport;
use crate::parts::Canvas;
use crate::replay::Replay;
use crate::screen::{Go, Help, Hint, Press, Screen};

/// The screen of a tournament. Closing the screen does not stop the tournament.
pub(crate) struct TournamentScreen {
    live: Arc<LiveTournament>,
    seen: Seen,
    /// The index of the selected game.
    chosen: usize,
    /// Whether the screen is asking for confirmation to stop the tournament.
    is_asking: bool,
}

/// A snapshot of a tournament.
struct Seen {
    state: LiveState,
    standings: Standings,
    /// The number of games played, and the total number of games known so far.
    progress: (usize, usize),
    /// The games in progress, then the finished games, most recent first.
    games: Vec<ListedGame>,
}

struct ListedGame {
    id: GameId,
    /// The indices of the entrants, by seat.
    seats: Both<usize>,
    state: GameState,
}

enum GameState {
    /// In progress, with the number of turns.
    Playing(usize),
    Finished(PlayedGame),
}

impl Seen {
    fn of(live: &LiveTournament) -> Self {
        // Read this before the board, so that a game that ends in between is not missed.
        let playing = live.progress.playing();
        let board = live.progress.board();
        let is_playing = |id: GameId| playing.iter().find(|(playing, _)| *playing == id);
        let mut games: Vec<ListedGame> = Vec::new();
        for (id, seats, finished) in listed(&board) {
            let state = match (finished, is_playing(id)) {
                (Some(played), _) => GameState::Finished(played.clone()),
                (None, Some((_, turns))) => GameState::Playing(*turns),
                (None, None) => continue,
            };
            games.push(ListedGame { id, seats, state });
        }
        games.reverse();
        games.sort_by_key(|game| matches!(game.state, GameState::Finished(_)));
        Self {
            state: live.state(),
            standings: Standings::of(&live.played.tournament, &board),
            progress: board.progress(),
            games,
        }
    }
}

/// The games of all rounds so far, in the order of the schedule.
fn listed(board: &Board) -> impl Iterator<Item = (GameId, Both<usize>, Option<&PlayedGame>)> {
    board.rounds().iter().enumerate().flat_map(|(round, meetings)| {
        meetings.iter().enumerate().flat_map(move |(meeting, met)| {
            met.games.iter().enumerate().map(move |(game, played)| {
                let id = GameId { round, meeting, game };
                let seats = Both::new(met.encounter.one, met.encounter.two);
                let seats = if id.is_swapped() { seats.swapped() } else { seats };
                (id, seats, played.as_ref())
            })
        })
    })
}

impl TournamentScreen {
    /// Starts a tournament in the background.
    pub(crate) fn new(played: TournamentRun, context: &mut Context) -> Self {
        let live = Arc::new(LiveTournament::new(played, context.catalog()));
        context.options.exit_hook.set_background(Some(way_back(&live)));
        let current = CurrentTournament { live: Arc::clone(&live), is_end_known: false };
        context.tournament = Some(current);
        context.jobs.play_tournament(&live);
        Self::of(live)
    }

    fn of(live: Arc<LiveTournament>) -> Self {
        Self { seen: Seen::of(&live), live, chosen: 0, is_asking: false }
    }

    /// Opens the arcade's tournament, if there is one.
    pub(crate) fn go_to_current(context: &mut Context) -> Option<Go> {
        let current = context.tournament.as_mut()?;
        current.is_end_known = !current.is_running();
        Some(Go::to(Self::of(Arc::clone(&current.live))))
    }

    /// Opens the running tournament, or the setup of a new one.
    pub(crate) fn go(context: &mut Context) -> Go {
        let is_running = context.is_tournament_running();
        let current = if is_running { Self::go_to_current(context) } else { None };
        current.unwrap_or_else(|| Go::to(TournamentSetup::new(context)))
    }

    const fn is_running(&self) -> bool {
        self.seen.state.is_running()
    }

    /// Whether this is still the arcade's tournament.
    fn is_current(&self, context: &Context) -> bool {
        let current = context.tournament.as_ref();
        current.is_some_and(|current| Arc::ptr_eq(&current.live, &self.live))
    }

    /// Updates the snapshot. The cursor stays on its game, unless it is at the top.
    fn refresh(&mut self, context: &mut Context) {
        let before = self.seen.games.get(self.chosen).map(|game| game.id);
        self.seen = Seen::of(&self.live);
        if self.chosen > 0 {
            let kept = self.seen.games.iter().position(|game| Some(game.id) == before);
            self.chosen = kept.unwrap_or(0);
        }
        self.is_asking &= self.is_running();
        let is_over = !self.is_running() && self.is_current(context);
        if let Some(current) = context.tournament.as_mut().filter(|_| is_over) {
            current.is_end_known = true;
        }
    }

    /// Opens the selected game at its last turn.
    fn open(&self, context: &mut Context) -> Go {
        let Some(game) = self.seen.games.get(self.chosen) else { return Go::Stay };
        match self.live.record(game.id) {
            Ok(record) => {
                let live = Arc::clone(&self.live);
                Go::to(Replay::of_tournament(record, live, game.id, context))
            }
            Err(why) => Go::refused(why, context),
        }
    }

    /// Closes the screen. A running tournament continues.
    fn leave(&self, context: &mut Context) -> Go {
        if self.is_running() {
            let text = "The tournament goes on. The home screen and :tournament lead back to it.";
            context.notice = Some(text.to_owned());
        } else if self.is_current(context) {
            context.tournament = None;
        }
        Go::Back
    }

    /// Stops the tournament and goes back.
    fn stop(&self, context: &mut Context) -> Go {
        context.options.exit_hook.set_background(None);
        context.notice = Some(way_back(&self.live));
        context.tournament = None;
        Go::Back
    }

    fn names(&self, seats: &Both<usize>) -> Names {
        let entrants = &self.live.played.tournament.entrants;
        seats.as_ref().map(|entrant| entrants[*entrant].name.clone())
    }
}

/// Explains how to resume a stopped tournament.
fn way_back(live: &LiveTournament) -> String {
    let path = quoted(&live.played.folder.path().to_string_lossy());
    let command = command(&format!("tournament --resume {path} --tui"));
    format!("The finished games are kept. To go on: {command}")
}

impl Screen for TournamentScreen {
    fn title(&self) -> String {
        let tournament = &self.live.played.tournament;
        format!("{}: {}", words::game(tournament.entry, &tournament.settings), tournament.format)
    }

    fn hints(&self) -> Vec<Hint> {
        if self.is_asking {
            return vec![("y", "stop it"), ("n", "let it run")];
        }
        let mut hints = vec![("Enter", "open a game"), ("↑↓", "move")];
        hints.extend(self.is_running().then_some(("s", "stop")));
        hints.push(("Esc", "back"));
        hints
    }

    fn more_help(&self) -> Vec<Help> {
        if self.is_asking {
            return Vec::new();
        }
        vec![("PgUp PgDn".into(), "ten games"), ("mouse".into(), "click a game twice")]
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        if self.is_asking {
            return match press.answer() {
                Some(true) => self.stop(context),
                Some(false) => {
                    self.is_asking = false;
                    Go::Stay
                }
                None => Go::Stay,
            };
        }
        let count = self.seen.games.len();
        match press {
            Press::Key(KeyCode::Char('s')) if self.is_running() => self.is_asking = true,
            Press::Key(KeyCode::Esc) => return self.leave(context),
            _ if press.opens_paged(&mut self.chosen, count) => return self.open(context),
            _ => {}
        }
        Go::Stay
    }

    fn on_report(&mut self, report: &JobReport, context: &mut Context) -> Go {
        if matches!(report, JobReport::Tournament) {
            self.refresh(context);
        }
        Go::Stay
    }

    fn is_asking(&self) -> bool {
        self.is_asking
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, _context: &Context) {
        view::draw(self, canvas, area);
    }
}
