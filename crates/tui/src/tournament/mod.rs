//! Tournaments in the arcade: set up, and watched while they run. Any game can be opened.

mod live;
mod setup;
mod view;

use std::sync::Arc;

use live::LiveState;
pub(crate) use live::LiveTournament;
pub use live::TournamentRun;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::Rect;
pub(crate) use setup::TournamentSetup;
use skirmish_arena::tournament::{Board, GameId, PlayedGame, Standings};
use skirmish_present::words;
use skirmish_rules::{Both, Names};
use skirmish_store::shell::quoted;

use crate::context::Context;
use crate::jobs::JobReport;
use crate::parts::Canvas;
use crate::replay::Replay;
use crate::screen::{Fate, Go, Hint, Press, Screen};

/// Rows that the cursor moves with a key for a page.
const PAGE: usize = 10;

/// The screen of a tournament. Leaving it stops the tournament.
pub(crate) struct TournamentScreen {
    live: Arc<LiveTournament>,
    seen: Seen,
    /// The number of the selected game.
    chosen: usize,
    /// Whether it asks if the tournament should be stopped.
    is_asking: bool,
}

/// What was seen of a tournament at some moment.
struct Seen {
    state: LiveState,
    standings: Standings,
    /// The games played, and all games as far as known.
    progress: (usize, usize),
    /// The games in progress, then the finished ones, latest first.
    games: Vec<ListedGame>,
}

struct ListedGame {
    id: GameId,
    /// The numbers of the entrants in their seats.
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
        // Before the board: a game that ends in between is listed once, not left out.
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
        let live = Arc::new(LiveTournament::new(played, context.catalog));
        context.exit_hook.set(Some(way_back(&live)));
        context.jobs.play_tournament(&live);
        Self { seen: Seen::of(&live), live, chosen: 0, is_asking: false }
    }

    fn is_running(&self) -> bool {
        matches!(self.seen.state, LiveState::Preparing | LiveState::Playing)
    }

    /// Looks again. The cursor stays on its game, unless it is at the top.
    fn refresh(&mut self, context: &Context) {
        let before = self.seen.games.get(self.chosen).map(|game| game.id);
        self.seen = Seen::of(&self.live);
        if self.chosen > 0 {
            let kept = self.seen.games.iter().position(|game| Some(game.id) == before);
            self.chosen = kept.unwrap_or(0);
        }
        self.is_asking &= self.is_running();
        if self.seen.state == LiveState::Finished {
            context.exit_hook.set(None);
        }
    }

    /// Shows the selected game: a finished one from its start, one in progress from its last turn on.
    fn open(&self, context: &mut Context) -> Go {
        let Some(game) = self.seen.games.get(self.chosen) else { return Go::Stay };
        match self.live.record(game.id) {
            Ok(record) => {
                let live = Arc::clone(&self.live);
                Go::To(Box::new(Replay::of_tournament(record, live, game.id, context)))
            }
            Err(why) => Go::refused(why, context),
        }
    }

    /// Stops the tournament and goes back.
    fn leave(&self, context: &mut Context) -> Go {
        if self.is_running() {
            self.live.progress.stop();
            context.notice = Some(way_back(&self.live));
        }
        Go::Back
    }

    fn names(&self, seats: &Both<usize>) -> Names {
        let entrants = &self.live.played.tournament.entrants;
        seats.as_ref().map(|entrant| entrants[*entrant].name.clone())
    }
}

/// How to go on with a tournament that is left.
fn way_back(live: &LiveTournament) -> String {
    let path = quoted(&live.played.folder.path().to_string_lossy());
    format!("The finished games are kept. To go on: skirmish tournament --resume {path}")
}

impl Drop for TournamentScreen {
    fn drop(&mut self) {
        self.live.progress.stop();
    }
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
        let mut hints = vec![("Enter", "open a game"), ("↑↓", "move"), ("PgUp PgDn", "a page")];
        hints.push(("Esc", if self.is_running() { "stop" } else { "back" }));
        hints
    }

    fn press(&mut self, press: Press, context: &mut Context) -> Go {
        if self.is_asking {
            return match press.answer() {
                Some(true) => self.leave(context),
                Some(false) => {
                    self.is_asking = false;
                    Go::Stay
                }
                None => Go::Stay,
            };
        }
        let count = self.seen.games.len();
        match press {
            Press::Key(KeyCode::Esc) if self.is_running() => self.is_asking = true,
            Press::Key(KeyCode::Esc) => return self.leave(context),
            Press::Key(KeyCode::PageUp) => self.chosen = self.chosen.saturating_sub(PAGE),
            Press::Key(KeyCode::PageDown) => {
                self.chosen = (self.chosen + PAGE).min(count.saturating_sub(1));
            }
            Press::Key(KeyCode::Home) => self.chosen = 0,
            Press::Key(KeyCode::End) => self.chosen = count.saturating_sub(1),
            _ if press.opens(&mut self.chosen, count) => return self.open(context),
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

    fn fate(&self) -> Fate {
        if self.is_running() { Fate::Stops } else { Fate::Saved }
    }

    fn in_game(&self) -> bool {
        self.is_running()
    }

    fn draw(&self, canvas: &mut Canvas, area: Rect, _context: &Context) {
        view::draw(self, canvas, area);
    }
}
