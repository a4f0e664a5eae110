//! The arcade: a stack of screens between a header and a footer, the help, and the confirmation before leaving a game.

mod commands;

use std::time::Instant;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use skirmish_rules::{columns, printable};
use skirmish_store::Notify;

use super::context::Context;
use super::event::{ArcadeEvent, TerminalRequest};
use super::home::Home;
use super::jobs::JobReport;
use super::look::{CHOSEN, Ink};
use super::online::LinkEvent;
use super::overlay::{self, hint};
use super::palette::Palette;
use super::parts::{Canvas, Target, rows_of};
use super::screen::{Fate, Go, Press, Screen, Way};
use super::scroll::Scroll;
use crate::{Closed, Start};

/// The smallest usable window.
pub(super) const SMALLEST: (u16, u16) = (40, 12);

/// The smallest window with the full layout.
pub(super) const FULL: (u16, u16) = (80, 24);

/// Maximum number of characters of pasted text.
const LONGEST_PASTE: usize = 500;

/// The arcade: its screens and overlays.
pub struct App {
    pub(super) context: Context,
    screens: Vec<Box<dyn Screen>>,
    overlay: Option<Overlay>,
    /// The navigation to perform once the player has agreed to lose an unsaved game.
    pending: Option<Go>,
    /// The command palette (`:`), while it is open.
    palette: Option<Palette>,
    targets: Vec<Target>,
    /// Whether the window shows only its own size. Keys do nothing then, except Ctrl-C.
    is_too_small: bool,
    /// Whether the window has the focus, as far as the terminal reports it.
    has_focus: bool,
}

/// An overlay on top of a screen.
enum Overlay {
    /// The help.
    Help(Scroll),
    /// The confirmation before leaving.
    Leaving,
}

/// Whether an area has room for the full layout.
pub(super) const fn is_roomy(area: Rect) -> bool {
    // The area excludes the header and the footer.
    area.width >= FULL.0 && area.height + 2 >= FULL.1
}

impl App {
    /// Creates an arcade with these screens in front of the home screen.
    pub(super) fn new(mut context: Context, front: Vec<Box<dyn Screen>>) -> Self {
        let home: Box<dyn Screen> = Box::new(Home::new(&mut context));
        Self {
            context,
            screens: std::iter::once(home).chain(front).collect(),
            overlay: None,
            pending: None,
            palette: None,
            targets: Vec::new(),
            is_too_small: false,
            has_focus: true,
        }
    }

    fn screen(&mut self) -> &mut dyn Screen {
        &mut **self.screens.last_mut().expect("the home screen is never popped")
    }

    pub(super) fn top(&self) -> &dyn Screen {
        &**self.screens.last().expect("the home screen is never popped")
    }

    /// When to call [`App::wake`] if no event arrives first.
    #[must_use]
    pub fn due(&self) -> Option<Instant> {
        self.top().due()
    }

    /// The title for the terminal's window.
    #[must_use]
    pub fn title(&self) -> String {
        match self.screens.len() {
            1 => "Skirmish".to_owned(),
            _ => printable(&format!("Skirmish: {}", self.top().title())),
        }
    }

    /// Whether a game is being played.
    pub(super) fn in_game(&self) -> bool {
        self.screens.iter().any(|screen| screen.in_game())
    }

    /// Handles an event. If this closes the arcade, returns how.
    pub fn take(&mut self, event: ArcadeEvent, now: Instant) -> Option<Closed> {
        self.context.now = now;
        let was_awaited = self.awaits_you();
        let closed = self.handle(event);
        self.notify(was_awaited);
        closed
    }

    fn handle(&mut self, event: ArcadeEvent) -> Option<Closed> {
        match event {
            ArcadeEvent::Focus(has_focus) => {
                self.has_focus = has_focus;
                None
            }
            ArcadeEvent::Press(press) if press != Press::Control('c') && self.is_too_small => None,
            ArcadeEvent::Wheel(_) | ArcadeEvent::Paste(_) if self.is_too_small => None,
            ArcadeEvent::Press(press) => self.press(press),
            ArcadeEvent::Click { column, row } => {
                let at = Position { x: column, y: row };
                let found = self.targets.iter().rev().find(|target| target.area.contains(at));
                self.click(found?.presses.clone())
            }
            ArcadeEvent::Wheel(way) => self.wheel(way),
            ArcadeEvent::Paste(text) => self.paste(&text),
            ArcadeEvent::JobReport(report) => self.report(&report),
            ArcadeEvent::Solved(finished, chart) => {
                self.context.take(finished, chart);
                self.report(&JobReport::Solved)
            }
            ArcadeEvent::Mapped(solved, chart) => {
                self.context.take_map(&solved, chart);
                self.report(&JobReport::Solved)
            }
            ArcadeEvent::Link(event) => self.link(&event),
            ArcadeEvent::Joined { asked, result } => {
                self.joined(&asked, result);
                None
            }
            ArcadeEvent::Signal(number) => Some(Closed::Signal(number)),
            ArcadeEvent::Gone => Some(Closed::HUNG_UP),
            ArcadeEvent::Broken => {
                self.context.notice = Some("Something went wrong in the background.".to_owned());
                None
            }
            ArcadeEvent::Resized | ArcadeEvent::Redraw | ArcadeEvent::Suspend => None,
        }
    }

    /// Wakes the top screen at the time that [`App::due`] returned.
    pub fn wake(&mut self, now: Instant) -> Option<Closed> {
        self.context.now = now;
        let was_awaited = self.awaits_you();
        let Self { screens, context, .. } = self;
        let go = screens.last_mut().map_or(Go::Stay, |screen| screen.wake(context));
        let closed = self.go(go);
        self.notify(was_awaited);
        closed
    }

    /// What to ask of the terminal after drawing.
    pub fn requests(&mut self) -> Vec<TerminalRequest> {
        std::mem::take(&mut self.context.requests)
    }

    fn awaits_you(&self) -> bool {
        self.screens.iter().any(|screen| screen.awaits_you())
    }

    /// Tells a player who uses another window that it has become their turn.
    fn notify(&mut self, was_awaited: bool) {
        if self.has_focus || was_awaited || !self.awaits_you() {
            return;
        }
        self.context.requests.extend(match self.context.options.preferences.notify {
            Notify::Off => None,
            Notify::Bell => Some(TerminalRequest::Bell),
            Notify::Desktop => {
                Some(TerminalRequest::Notify("Skirmish: it is your turn.".to_owned()))
            }
        });
    }

    fn report(&mut self, report: &JobReport) -> Option<Closed> {
        let Self { screens, context, .. } = self;
        // A game continues below other screens, but only the top screen can navigate.
        let gone = screens.iter_mut().map(|screen| screen.on_report(report, context)).last();
        if matches!(report, JobReport::Tournament) {
            context.follow_tournament();
        }
        gone.and_then(|go| self.go(go))
    }

    /// Opens the server that has been joined, unless the player has given up waiting.
    fn joined(&mut self, asked: &str, result: Result<Box<Start>, String>) {
        if self.context.joining.take_if(|joining| joining == asked).is_none() {
            return;
        }
        match result {
            Ok(start) => {
                let front = start.screens(&mut self.context);
                self.screens.truncate(1);
                self.screens.extend(front);
            }
            Err(why) => self.context.notice = Some(why),
        }
    }

    fn link(&mut self, event: &LinkEvent) -> Option<Closed> {
        let Self { screens, context, .. } = self;
        if let Some(online) = &mut context.online {
            let said = online.take(event);
            let outdated = online.outdated(event);
            let before = context.notice.take().filter(|notice| Some(notice) != outdated.as_ref());
            context.notice = said.or(before);
        }
        let top = screens.len() - 1;
        let told = screens.iter_mut().enumerate();
        let gone = told.map(|(index, screen)| screen.on_link(event, index == top, context)).last();
        gone.and_then(|go| self.go(go))
    }

    /// Performs the key presses that a click stands for. A click on a key in the help closes the help first; a click
    /// outside the help only closes it.
    fn click(&mut self, presses: Vec<Press>) -> Option<Closed> {
        let closes = presses == [Press::Key(KeyCode::Esc)];
        self.overlay.take_if(|overlay| !closes && matches!(overlay, Overlay::Help(_)));
        presses.into_iter().find_map(|press| self.press(press))
    }

    fn press(&mut self, press: Press) -> Option<Closed> {
        if press == Press::Control('c') {
            return Some(Closed::INTERRUPTED);
        }
        match self.overlay.take() {
            Some(Overlay::Help(scroll)) => {
                if scroll.press(press) {
                    self.overlay = Some(Overlay::Help(scroll));
                }
                return None;
            }
            Some(Overlay::Leaving) => {
                let pending = self.pending.take();
                if !is_yes(press) {
                    return None;
                }
                return pending.map_or(Some(Closed::Left), |go| self.follow(go));
            }
            None => {}
        }
        self.context.notice = None;
        if let Some(palette) = self.palette.take() {
            return self.press_palette(palette, press);
        }
        if !self.screen().is_typing() {
            match press {
                Press::Key(KeyCode::Char(':')) if !self.top().is_asking() => {
                    self.palette = Some(Palette::new(self.top().is_secret()));
                    return None;
                }
                Press::Key(KeyCode::Char('?') | KeyCode::F(1)) => {
                    self.overlay = Some(Overlay::Help(Scroll::default()));
                    return None;
                }
                Press::Key(KeyCode::Char('q')) => return self.quit(),
                _ => {}
            }
        }
        let Self { screens, context, .. } = self;
        let go = screens.last_mut().map_or(Go::Stay, |screen| screen.press(press, context));
        self.go(go)
    }

    fn wheel(&mut self, way: Way) -> Option<Closed> {
        let is_scrolled = match &self.overlay {
            Some(Overlay::Leaving) => true,
            Some(Overlay::Help(_)) => false,
            None => self.palette.is_none() && self.screen().wheel(way),
        };
        if is_scrolled { None } else { self.press(Press::Wheel(way)) }
    }

    /// Types pasted text into the open field as one line. Rejects it elsewhere, where its letters would act as keys.
    fn paste(&mut self, text: &str) -> Option<Closed> {
        let is_typing = |app: &Self| app.palette.is_some() || app.top().is_typing();
        if self.overlay.is_some() || !is_typing(self) {
            self.context.notice = Some("Text can be pasted only where you type.".to_owned());
            return None;
        }
        let line = text.split_whitespace().collect::<Vec<&str>>().join(" ");
        let letters = line.chars().filter(|letter| !letter.is_control()).take(LONGEST_PASTE);
        letters.map(Press::letter).find_map(
            |press| {
                if is_typing(self) { self.press(press) } else { None }
            },
        )
    }

    /// Leaves the program, after confirmation during a game or a tournament.
    fn quit(&mut self) -> Option<Closed> {
        if self.in_game() || self.context.is_tournament_running() {
            self.overlay = Some(Overlay::Leaving);
            return None;
        }
        Some(Closed::Left)
    }

    /// Performs a screen's navigation, after confirmation if it would lose a game.
    fn go(&mut self, go: Go) -> Option<Closed> {
        let is_lost = match go {
            Go::Back | Go::Replace(_) => self.top().is_at_risk(),
            Go::Home | Go::Anew(_) => self.screens.iter().any(|screen| screen.is_at_risk()),
            Go::Stay | Go::To(_) | Go::Leave(_) => false,
        };
        if is_lost {
            self.overlay = Some(Overlay::Leaving);
            self.pending = Some(go);
            return None;
        }
        self.follow(go)
    }

    fn follow(&mut self, go: Go) -> Option<Closed> {
        match go {
            Go::Stay => return None,
            Go::Leave(Closed::Left) => return self.quit(),
            Go::Leave(exit) => return Some(exit),
            Go::To(screen) => {
                self.screens.push(screen);
                return None;
            }
            Go::Replace(screen) => {
                self.screens.pop();
                self.screens.push(screen);
                return None;
            }
            Go::Anew(screen) => {
                self.screens.truncate(1);
                self.screens.push(screen);
                return None;
            }
            Go::Back => {
                if self.screens.len() == 1 {
                    return None;
                }
                self.screens.pop();
            }
            Go::Home => self.screens.truncate(1),
        }
        if self.screens.len() == 1 {
            self.context.cancel_solving();
        }
        if !self.in_game() {
            self.context.options.exit_hook.set(None);
        }
        let Self { screens, context, .. } = self;
        let go = screens.last_mut().map_or(Go::Stay, |screen| screen.resume(context));
        self.go(go)
    }

    /// Draws everything. Returns the cursor's position if the cursor is visible.
    pub fn draw(&mut self, buffer: &mut Buffer) -> Option<Position> {
        let area = buffer.area;
        self.targets.clear();
        let mut targets = Vec::new();
        let mut cursor = None;
        let look = self.context.look;
        self.is_too_small = area.width < SMALLEST.0 || area.height < SMALLEST.1;
        let mut canvas = Canvas { buffer, look, targets: &mut targets, cursor: &mut cursor };
        if self.is_too_small {
            too_small(&mut canvas, area);
        } else {
            let head = Rect { height: 1, ..area };
            let body = Rect { y: area.y + 1, height: area.height - 2, ..area };
            let foot = Rect { y: area.y + area.height - 1, height: 1, ..area };
            self.head(&mut canvas, head);
            self.top().draw(&mut canvas, body, &self.context);
            self.foot(&mut canvas, foot);
            if self.overlay.is_some() {
                // Only the overlay can be clicked; a click outside closes it.
                canvas.targets.clear();
                canvas.target(area, Press::Key(KeyCode::Esc));
            }
            match &self.overlay {
                Some(Overlay::Help(scroll)) => overlay::help(&mut canvas, body, scroll, self.top()),
                Some(Overlay::Leaving) => overlay::leaving(&mut canvas, body, self.fate()),
                None => {}
            }
            if let Some(palette) = &self.palette {
                palette.draw(&mut canvas, body, foot, &self.commands());
            }
        }
        look.finish(canvas.buffer);
        self.targets = targets;
        cursor
    }

    /// The fate of the game in progress if the player leaves the program.
    fn fate(&self) -> Fate {
        let fates = self.screens.iter().map(|screen| screen.fate());
        let tournament = self.context.is_tournament_running().then_some(Fate::Stops);
        fates.chain(tournament).find(|fate| *fate != Fate::Saved).unwrap_or(Fate::Saved)
    }

    fn head(&self, canvas: &mut Canvas, area: Rect) {
        const NAME: &str = " SKIRMISH ";
        let title = self.top().title();
        let mut room = usize::from(area.width).saturating_sub(NAME.len() + 1);
        if let Some(online) = &self.context.online {
            let (status, ink) = online.status(area.width < FULL.0);
            let status = format!(" {status} ");
            let width = canvas.right(area, 0, &status, canvas.look.ink(ink));
            room = room.saturating_sub(width.into());
        }
        let title = columns::shorten(&title, room);
        let title = Line::from(vec![
            Span::styled(NAME, CHOSEN),
            Span::raw(" "),
            Span::styled(title, canvas.look.ink(Ink::Title)),
        ]);
        canvas.line(area, 0, &title);
    }

    /// Draws the footer: the keys, or a message.
    fn foot(&self, canvas: &mut Canvas, area: Rect) {
        if let Some(notice) = &self.context.notice {
            let rows = rows_of(notice, area.width).clamp(1, 4);
            let place = Rect { y: area.y + 1 - rows, height: rows, ..area };
            canvas.clear(place);
            canvas.prose(place, notice, canvas.look.ink(Ink::Alarm));
            return;
        }
        let mut left = area;
        if !self.top().is_typing() {
            // The key for help is always shown.
            let width = hint(canvas, Rect { width: 0, ..left }, ("?", "help"));
            let place = Rect { x: area.x + area.width - width, width, ..area };
            hint(canvas, place, ("?", "help"));
            left.width -= width;
        }
        for each in self.top().hints() {
            let used = hint(canvas, left, each);
            if used <= left.width {
                left = Rect { x: left.x + used, width: left.width - used, ..left };
            }
        }
    }
}

/// Whether a key confirms leaving.
const fn is_yes(press: Press) -> bool {
    matches!(press, Press::Key(KeyCode::Char('y' | 'Y' | 'q') | KeyCode::Enter))
}

fn too_small(canvas: &mut Canvas, area: Rect) {
    let (width, height) = SMALLEST;
    let text =
        format!("Skirmish needs {width}x{height}; this window is {}x{}.", area.width, area.height);
    canvas.prose(area, &text, canvas.look.ink(Ink::Plain));
}
