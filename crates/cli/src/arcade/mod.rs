//! Runs the arcade in a terminal: the event loop, and the look set by flags and environment.

mod escape;
mod listen;
mod terminal;

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Instant, SystemTime};

use anyhow::Result;
use skirmish_arena::Trust;
use skirmish_arena::tournament::tournaments;
use skirmish_rules::Catalog;
use skirmish_store::{
    ExitHook, Preferences, PreferencesFile, PuzzleFile, Statistics, Store, Theme, current_day,
};
use skirmish_system::is_dumb;
use skirmish_tui::{App, ArcadeEvent, ArcadeOptions, Closed, Depth, Look, Start};

use crate::args::{Color, ScreenArgs};
use crate::exit::{Exit, HUNG_UP, usage};
use crate::{is_interactive, online, output, solving};

impl ScreenArgs {
    /// Whether to use the full screen: unless a flag excludes it or the terminal does not support it.
    pub(crate) fn is_full(&self) -> bool {
        is_interactive() && !is_dumb() && self.lines_flag().is_none()
    }
}

/// Fails if there is no terminal for the full screen.
pub(crate) fn check_terminal() -> Result<()> {
    let why = match (is_interactive(), is_dumb()) {
        (false, _) => "standard input or output is not one",
        (true, true) => "TERM=dumb cannot move the cursor",
        (true, false) => return Ok(()),
    };
    Err(usage(format!("--tui needs a terminal: {why}. Leave --tui out for plain lines")))
}

/// Opens the arcade's home screen.
pub(crate) fn home(args: &ScreenArgs, catalog: Catalog) -> Result<Exit> {
    run(args, Start::Home, &ExitHook::default(), true, catalog)
}

/// Runs the arcade. If `is_kept`, games are saved and counted.
pub(crate) fn run(
    args: &ScreenArgs,
    start: Start,
    exit_hook: &ExitHook,
    is_kept: bool,
    catalog: Catalog,
) -> Result<Exit> {
    run_from(args, |_| Ok(start), exit_hook, is_kept, catalog)
}

/// Like [`run`], but builds the start with a sender for events of its own.
pub(crate) fn run_from(
    args: &ScreenArgs,
    start: impl FnOnce(&Sender<ArcadeEvent>) -> Result<Start>,
    exit_hook: &ExitHook,
    is_kept: bool,
    catalog: Catalog,
) -> Result<Exit> {
    let (sender, events) = channel();
    let (preferences, settings_file, fault) = settings();
    let store = Store::locate().ok().filter(|_| is_kept);
    let options = ArcadeOptions {
        catalog,
        preferences,
        look_of: look_of(args),
        lacks_home: is_kept && store.is_none(),
        clock: SystemTime::now,
        store,
        statistics: Statistics::locate().ok().filter(|_| is_kept),
        puzzles: PuzzleFile::locate().ok().filter(|_| is_kept),
        today: current_day,
        settings_file,
        exit_hook: exit_hook.clone(),
        folder: std::env::current_dir().unwrap_or_default(),
        notice: fault.or_else(unknown_theme),
        trust: Trust::locate().ok().filter(|_| is_kept),
        tournaments: tournaments().ok().filter(|_| is_kept).unwrap_or_else(std::env::temp_dir),
        free_memory: solving::free_memory,
        join: online::joiner(&sender),
        last_server: online::last_server(),
    };
    let mut app = App::open(options, start(&sender)?, sender.clone());
    let ended = {
        let mut screen = terminal::TerminalScreen::take()?;
        listen::start(&sender)?;
        run_loop(&mut app, &mut screen, &events)
    };
    drop(app);
    exit_hook.message().into_iter().for_each(output::eprint_line);
    Ok(ended)
}

/// Draws and handles events until the arcade closes.
fn run_loop(
    app: &mut App,
    screen: &mut terminal::TerminalScreen,
    events: &Receiver<ArcadeEvent>,
) -> Exit {
    loop {
        if screen.draw(app).is_err() {
            // The SIGHUP may not have arrived yet.
            return HUNG_UP;
        }
        if let Some(exit) = wait(app, screen, events) {
            return exit;
        }
    }
}

/// Waits for an event and handles all that are queued, so that a burst of events is drawn once.
fn wait(
    app: &mut App,
    screen: &mut terminal::TerminalScreen,
    events: &Receiver<ArcadeEvent>,
) -> Option<Exit> {
    let first = match app.due() {
        None => events.recv().ok(),
        Some(due) => match events.recv_timeout(due.saturating_duration_since(Instant::now())) {
            Ok(event) => Some(event),
            Err(RecvTimeoutError::Timeout) => return app.wake(Instant::now()).map(Exit::from),
            Err(RecvTimeoutError::Disconnected) => None,
        },
    };
    let first = first.unwrap_or(ArcadeEvent::Gone);
    for event in std::iter::once(first).chain(events.try_iter()) {
        let done = match event {
            ArcadeEvent::Suspend => screen.suspend(),
            ArcadeEvent::Redraw => screen.redraw(),
            _ => Ok(()),
        };
        if done.is_err() {
            return Some(Exit::Failed);
        }
        if let Some(closed) = app.take(event, Instant::now()) {
            return Some(closed.into());
        }
    }
    None
}

impl From<Closed> for Exit {
    fn from(closed: Closed) -> Self {
        match closed {
            Closed::Left => Self::Done,
            Closed::Signal(number) => Self::Signal(number),
        }
    }
}

/// A notice if the environment names an unknown theme.
fn unknown_theme() -> Option<String> {
    let named = std::env::var("SKIRMISH_THEME").ok().filter(|name| !name.is_empty())?;
    let themes = skirmish_rules::alternatives(Theme::ALL.map(Theme::name));
    let wrong = skirmish_rules::quotable(&named);
    Theme::named(&named)
        .is_none()
        .then(|| format!("SKIRMISH_THEME is \"{wrong}\": expected {themes}."))
}

/// The player's settings, their file, and a notice if the file has a fault.
fn settings() -> (Preferences, Option<PreferencesFile>, Option<String>) {
    match PreferencesFile::locate() {
        Ok(file) => {
            let (preferences, fault) = file.read();
            (preferences, Some(file), fault.map(|fault| fault.to_string()))
        }
        Err(_) => (Preferences::default(), None, None),
    }
}

/// Combines flags, environment and settings into the look.
fn look_of(args: &ScreenArgs) -> Box<dyn Fn(&Preferences) -> Look + Send> {
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

/// The colour depth that the environment declares.
pub(crate) fn depth(color: Color) -> Depth {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let wanted = match color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => set("NO_COLOR").is_none(),
    };
    if !wanted {
        return Depth::None;
    }
    // Windows Terminal sets neither COLORTERM nor TERM.
    let any = set("WT_SESSION").is_some()
        || set("COLORTERM").is_some_and(|it| it == "truecolor" || it == "24bit");
    let many = set("TERM").is_some_and(|it| it.contains("256color") || it.contains("kitty"));
    match (any, many) {
        (true, _) => Depth::True,
        (false, true) => Depth::Many,
        (false, false) => Depth::Sixteen,
    }
}
