//! The arcade: full screen, drawn only when something happens.

mod after;
mod analysis;
mod app;
mod board;
mod hall;
mod home;
mod jobs;
mod keys;
mod library;
mod look;
mod motion;
mod news;
mod pages;
mod parts;
mod play;
mod replay;
mod rival;
mod score;
mod screen;
mod settings;
mod setup;
mod terminal;
mod tutorial;

#[cfg(test)]
mod tests;

use std::io::{self, IsTerminal};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Instant;

use anyhow::Result;
use skirmish_play::{Plan, Session};
use skirmish_rules::{Catalog, Record};
use skirmish_store::{ExitHook, Keeper, Preferences, PreferencesFile, Statistics, Store, Theme};

use self::app::App;
use self::hall::Hall;
use self::jobs::Jobs;
use self::look::{Depth, Look};
use self::news::News;
use self::play::Play;
use self::replay::Replay;
use crate::args::{Color, ScreenArgs};
use crate::exit::{Exit, HUNG_UP};
use crate::output;

/// Whether the full screen can be had and is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Full,
    Lines,
}

impl ScreenArgs {
    /// The full screen needs a terminal that can do more than print.
    pub(crate) fn mode(&self) -> Mode {
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        let is_able =
            std::env::var_os("TERM").is_some_and(|name| !name.is_empty() && name != "dumb");
        if is_terminal && is_able && !self.plain && !self.screen_reader {
            Mode::Full
        } else {
            Mode::Lines
        }
    }
}

/// What the arcade opens with.
pub(crate) enum Start {
    Home,
    Play(Box<Opened>),
    Replay(Box<Record>),
}

/// A game that is ready to be played.
pub(crate) struct Opened {
    pub(crate) plan: Plan,
    pub(crate) session: Session,
    pub(crate) keeper: Keeper,
    pub(crate) exit_hook: ExitHook,
    /// Whether games are saved and counted.
    pub(crate) is_kept: bool,
}

/// Opens the arcade, until somebody leaves it.
pub(crate) fn run(args: &ScreenArgs, start: Start, catalog: Catalog) -> Result<Exit> {
    let (news, heard) = channel();
    let (preferences, settings_file, fault) = settings();
    let (exit_hook, is_kept) = match &start {
        Start::Play(opened) => (opened.exit_hook.clone(), opened.is_kept),
        Start::Home | Start::Replay(_) => (ExitHook::default(), true),
    };
    let jobs = Jobs::new(news.clone(), false);
    let mut hall = Hall::new(catalog, preferences, look_of(args), jobs);
    hall.store = Store::locate().ok().filter(|_| is_kept);
    hall.is_homeless = is_kept && hall.store.is_none();
    hall.statistics = Statistics::locate().ok().filter(|_| is_kept);
    hall.settings_file = settings_file;
    hall.exit_hook = exit_hook.clone();
    hall.folder = std::env::current_dir().unwrap_or_default();
    hall.notice = fault.or_else(unknown_theme);
    let front: Option<Box<dyn screen::Screen>> = match start {
        Start::Home => None,
        Start::Play(opened) => {
            let Opened { plan, session, keeper, .. } = *opened;
            Some(Box::new(Play::of(plan, session, keeper, &mut hall)))
        }
        Start::Replay(record) => Some(Box::new(Replay::new(*record, false, &mut hall))),
    };
    let mut app = App::new(hall, front);
    let ended = {
        let mut screen = terminal::Screen::take()?;
        news::listen(&news)?;
        attend(&mut app, &mut screen, &heard)
    };
    exit_hook.message().into_iter().for_each(output::complain);
    Ok(ended)
}

/// Takes in what happens, and draws what that changes.
fn attend(app: &mut App, screen: &mut terminal::Screen, heard: &Receiver<News>) -> Exit {
    loop {
        let drawn = screen.terminal.draw(|frame| {
            if let Some(cursor) = app.draw(frame.buffer_mut()) {
                frame.set_cursor_position(cursor);
            }
        });
        if drawn.is_err() {
            // A signal may be about to say so.
            return HUNG_UP;
        }
        if let Some(exit) = wait(app, screen, heard) {
            return exit;
        }
    }
}

/// Waits for news, and takes in all there is, so that a storm of it is drawn once.
fn wait(app: &mut App, screen: &mut terminal::Screen, heard: &Receiver<News>) -> Option<Exit> {
    let first = match app.due() {
        None => heard.recv().ok(),
        Some(due) => match heard.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(news) => Some(news),
            Err(RecvTimeoutError::Timeout) => return app.wake(Instant::now()),
            Err(RecvTimeoutError::Disconnected) => None,
        },
    };
    let first = first.unwrap_or(News::Gone);
    for news in std::iter::once(first).chain(heard.try_iter()) {
        if matches!(news, News::Suspend) {
            if screen.suspend().is_err() {
                return Some(Exit::Failed);
            }
            continue;
        }
        if let Some(exit) = app.take(news, Instant::now()) {
            return Some(exit);
        }
    }
    None
}

/// What to say of a theme in the environment that there is not.
fn unknown_theme() -> Option<String> {
    let named = std::env::var("SKIRMISH_THEME").ok().filter(|name| !name.is_empty())?;
    let themes = skirmish_rules::alternatives(Theme::ALL.map(Theme::name));
    let wrong = skirmish_rules::quotable(&named);
    Theme::named(&named)
        .is_none()
        .then(|| format!("SKIRMISH_THEME takes {themes}, not \"{wrong}\"."))
}

/// The player's settings, where they are kept, and what is wrong with them.
fn settings() -> (Preferences, Option<PreferencesFile>, Option<String>) {
    match PreferencesFile::locate() {
        Ok(file) => {
            let (preferences, fault) = file.read();
            (preferences, Some(file), fault.map(|fault| fault.to_string()))
        }
        Err(_) => (Preferences::default(), None, None),
    }
}

/// How flags, the environment and the player's settings together make the look.
fn look_of(args: &ScreenArgs) -> Box<dyn Fn(&Preferences) -> Look> {
    let depth = depth(args.color);
    let named = std::env::var("SKIRMISH_THEME").ok();
    let theme = args.theme.or_else(|| named.as_deref().and_then(Theme::named));
    let (ascii, no_motion) = (output::is_ascii(), args.no_motion);
    Box::new(move |preferences| Look {
        theme: theme.unwrap_or(preferences.theme),
        depth,
        ascii: ascii || preferences.ascii,
        motion: preferences.motion && !no_motion,
    })
}

/// How many colours the environment promises.
fn depth(color: Color) -> Depth {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let wanted = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => set("NO_COLOR").is_none(),
    };
    let many = set("COLORTERM").is_some_and(|it| it == "truecolor" || it == "24bit")
        || set("TERM").is_some_and(|it| it.contains("256color") || it.contains("kitty"));
    match (wanted, many) {
        (false, _) => Depth::None,
        (true, false) => Depth::Sixteen,
        (true, true) => Depth::Many,
    }
}
