//! Tests of the arcade without a terminal: keys go in, text pictures come out.

mod bots;
mod ending;
mod exercises;
mod files;
mod keys;
mod laws;
mod library;
mod maps;
mod online;
mod pages;
mod palette;
mod pictures;
mod playing;
mod puzzles;
mod requests;
mod stage;
mod themes;
mod together;
mod tournament;
mod two;
mod watching;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant, SystemTime};

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use skirmish_arena::Trust;
use skirmish_play::library::Effort;
use skirmish_play::{Budget, Day, Proposal};
use skirmish_store::{
    ExitHook, Preferences, PreferencesFile, PuzzleFile, Statistics, Store, Theme,
};
use tempfile::TempDir;

use super::app::App;
use super::context::Context;
use super::event::ArcadeEvent;
use super::jobs::Jobs;
use super::look::{Depth, Look};
use super::screen::Press;
use super::{ArcadeOptions, Start};
use crate::Closed;
use crate::sixth::SIX_GAMES;

/// An arcade with its own home directory, which runs jobs synchronously.
struct Arcade {
    app: App,
    heard: Receiver<ArcadeEvent>,
    now: Instant,
    home: TempDir,
}

pub(crate) const USUAL: Look =
    Look { theme: Theme::Default, depth: Depth::Many, ascii: false, motion: false };

const PLAIN: Look =
    Look { theme: Theme::Monochrome, depth: Depth::None, ascii: true, motion: false };

/// The current time in every test, as a Unix time: 16 November 2026, 12:00.
const NOW: Duration = Duration::from_hours(20_773 * 24 + 12);

/// More memory than the games of these tests need.
const fn budget() -> Budget {
    Budget { bytes: 1 << 30 }
}

/// The day of all tests, on which Base Battle has the puzzle of the day.
const fn today() -> Day {
    Day::since_1970(20_472)
}

/// A context with its own home directory.
fn context(look: Look, home: &Path) -> (Context, Receiver<ArcadeEvent>) {
    let (news, heard) = channel();
    let look_of = move |preferences: &Preferences| Look {
        theme: if preferences.theme == Theme::Default { look.theme } else { preferences.theme },
        ascii: look.ascii || preferences.ascii,
        ..look
    };
    let events = news.clone();
    let join = move |asked: String| {
        let result = Err(format!("There is no server at {asked}."));
        drop(events.send(ArcadeEvent::Joined { asked, result }));
    };
    let jobs = Jobs::new(news, true, budget);
    let options = ArcadeOptions {
        catalog: SIX_GAMES,
        preferences: Preferences::default(),
        look_of: Box::new(look_of),
        store: Some(Store::at(home.join("games"))),
        lacks_home: false,
        clock: || SystemTime::UNIX_EPOCH + NOW,
        statistics: Some(Statistics::at(home)),
        puzzles: Some(PuzzleFile::at(home)),
        today,
        settings_file: Some(PreferencesFile::at(home)),
        exit_hook: ExitHook::default(),
        folder: home.to_owned(),
        notice: None,
        trust: Some(Trust::at(home)),
        tournaments: home.join("tournaments"),
        free_memory: budget,
        join: Box::new(join),
        last_server: "localhost:7777".to_owned(),
    };
    (Context::new(options, jobs), heard)
}

/// Regression: a map drawn before the pressures were known stayed on screen.
#[test]
fn a_newer_map_of_a_game_replaces_the_older_one() {
    let home = tempfile::tempdir().expect("a folder for the test");
    let (mut context, heard) = context(USUAL, home.path());
    let entry = SIX_GAMES.find("base-battle").expect("the game exists");
    let plan = Proposal::new(entry).plan(None).expect("two people can play");
    let chart = |context: &mut Context| {
        let event = heard.try_recv().expect("the job is done");
        let ArcadeEvent::Solved(finished, chart) = event else { panic!("it was solved") };
        context.take(finished, chart);
        context.known(&plan).and_then(|known| known.chart).expect("it has a map")
    };
    context.learn(&plan, Effort::Slight);
    let older = chart(&mut context);
    context.train(&plan);
    assert!(!Arc::ptr_eq(&older, &chart(&mut context)));
}

impl Arcade {
    fn open(look: Look) -> Self {
        Self::furnished(look, |_| {})
    }

    /// An arcade that opens with this screen.
    fn starting(look: Look, start: Start) -> Self {
        let home = tempfile::tempdir().expect("a folder for the test");
        let (mut context, heard) = context(look, home.path());
        let (front, now) = (start.screens(&mut context), context.now);
        Self { app: App::new(context, front), heard, now, home }
    }

    /// An arcade whose home is prepared by `furnish`.
    fn furnished(look: Look, furnish: impl FnOnce(&Path)) -> Self {
        let home = tempfile::tempdir().expect("a folder for the test");
        furnish(home.path());
        let (context, heard) = context(look, home.path());
        let now = context.now;
        Self { app: App::new(context, Vec::new()), heard, now, home }
    }

    /// Presses keys: `Enter`, `Esc`, `Up`, … or letters, separated by spaces. `Wait` advances the clock by two seconds.
    fn press(&mut self, keys: &str) -> Option<Closed> {
        keys.split_whitespace().find_map(|name| {
            let code = match name {
                "Enter" => KeyCode::Enter,
                "Esc" => KeyCode::Esc,
                "Up" => KeyCode::Up,
                "Down" => KeyCode::Down,
                "Left" => KeyCode::Left,
                "Right" => KeyCode::Right,
                "Home" => KeyCode::Home,
                "End" => KeyCode::End,
                "Tab" => KeyCode::Tab,
                "PgUp" => KeyCode::PageUp,
                "PgDn" => KeyCode::PageDown,
                "Space" => KeyCode::Char(' '),
                "Wait" => {
                    self.pass(Duration::from_secs(2));
                    return None;
                }
                letter => KeyCode::Char(letter.chars().next().expect("a key has a name")),
            };
            self.take(ArcadeEvent::Press(Press::Key(code)))
        })
    }

    /// Makes secret choices happen behind a curtain.
    fn hang_curtain(&mut self) {
        self.app.context.options.preferences.curtain = true;
    }

    /// Types letters.
    fn write(&mut self, text: &str) {
        for letter in text.chars() {
            self.take(ArcadeEvent::Press(Press::letter(letter)));
        }
    }

    fn take(&mut self, news: ArcadeEvent) -> Option<Closed> {
        let mut exit = self.app.take(news, self.now);
        while let Ok(report) = self.heard.try_recv() {
            exit = exit.or(self.app.take(report, self.now));
        }
        exit
    }

    /// Advances the clock.
    fn pass(&mut self, time: Duration) {
        let until = self.now + time;
        while let Some(due) = self.app.due().filter(|due| *due <= until) {
            self.now = due.max(self.now + Duration::from_millis(1));
            self.app.wake(self.now);
            while let Ok(report) = self.heard.try_recv() {
                self.app.take(report, self.now);
            }
        }
        self.now = until;
    }

    /// Draws a screen of this size.
    fn draw(&mut self, width: u16, height: u16) -> Buffer {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a test terminal");
        terminal
            .draw(|frame| {
                self.app.draw(frame.buffer_mut());
            })
            .expect("a test terminal can be drawn on");
        terminal.backend().buffer().clone()
    }

    /// Draws a screen of this size and returns its text.
    fn picture(&mut self, width: u16, height: u16) -> String {
        let buffer = self.draw(width, height);
        let rows = buffer.content.chunks(width.into());
        let row = |cells: &[ratatui::buffer::Cell]| {
            let text: String = cells.iter().map(ratatui::buffer::Cell::symbol).collect();
            text.trim_end().to_owned()
        };
        rows.map(row).collect::<Vec<String>>().join("\n")
    }

    /// Begins a game between two people that Player 1 starts. Games are numbered as on the home screen.
    fn sit_down(&mut self, game: u8) {
        self.press(&format!("{game} Down Down"));
        // The setup suggests the opponent of the last saved game.
        while !self.picture(80, 24).contains("Player 2      ‹ human ›")
            && !self.picture(80, 24).contains("Player 2      < human >")
        {
            self.press("Left");
        }
        if self.picture(80, 24).contains("a coin toss decides") {
            self.press("Down Right");
        }
        self.press("Enter");
    }
}
