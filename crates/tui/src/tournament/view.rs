//! Draws a tournament: the progress, the standings and the games.

use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use skirmish_arena::tournament::StandingsRow;
use skirmish_play::points;
use skirmish_rules::columns::{self, pad, shorten};
use skirmish_rules::{Both, Outcome, Side, counted};

use super::live::LiveState;
use super::{GameState, ListedGame, TournamentScreen};
use crate::app::is_roomy;
use crate::look::Ink;
use crate::parts::{Canvas, below, extent, inset, split};

/// Maximum width of the progress bar.
const BAR: usize = 20;

/// Minimum and maximum width of the standings, if the games stand beside them.
const STANDINGS: (u16, u16) = (40, 72);

/// The titles and widths of the numeric columns, most important first.
const NUMBERS: [(&str, usize); 7] =
    [("points", 7), ("won", 5), ("drawn", 6), ("lost", 5), ("score", 8), ("Elo", 6), ("faults", 7)];

pub(super) fn draw(screen: &TournamentScreen, canvas: &mut Canvas, area: Rect) {
    progress(screen, canvas, Rect { height: 1, ..area });
    let area = below(area, 1);
    if is_roomy(Rect { height: area.height + 1, ..area }) {
        let width = (area.width * 9 / 20).clamp(STANDINGS.0, STANDINGS.1);
        let (left, right) = split(area, width);
        let left = canvas.panel(left, "Standings");
        standings(screen, canvas, inset(left));
        let right = canvas.panel(right, "Games");
        games(screen, canvas, right);
        return;
    }
    let lines = extent(screen.seen.standings.lines.len());
    let rows = lines.saturating_add(1).min(area.height / 2 + 1);
    standings(screen, canvas, Rect { height: rows, ..inset(area) });
    games(screen, canvas, below(area, rows));
}

/// Draws the progress of the tournament, or the question whether to stop it.
fn progress(screen: &TournamentScreen, canvas: &mut Canvas, area: Rect) {
    if screen.is_asking {
        let text = " Stop the tournament? y or n";
        return canvas.text(area, 0, text, canvas.look.ink(Ink::Alarm));
    }
    let (played, all) = screen.seen.progress;
    let cells = BAR.min(usize::from(area.width) / 5);
    let filled = (cells * played).checked_div(all).unwrap_or(0).min(cells);
    let (state, ink) = match &screen.seen.state {
        LiveState::Preparing => ("preparing…", Ink::Faint),
        LiveState::Playing => ("running", Ink::Good),
        LiveState::Finished => ("finished", Ink::Title),
        LiveState::Failed(_) => ("stopped", Ink::Alarm),
    };
    let line = Line::from(vec![
        Span::raw(" "),
        canvas.span(Ink::Good, "█".repeat(filled)),
        canvas.span(Ink::Faint, "░".repeat(cells - filled)),
        Span::raw(format!(" {played} of {}  ", counted(all as u64, "game"))),
        canvas.span(ink, state),
    ]);
    canvas.line(area, 0, &line);
}

/// The numbers of an entrant, in the order of [`NUMBERS`].
fn numbers(line: &StandingsRow) -> [String; 7] {
    let games = line.total.games();
    let score = match games {
        0 => "-".to_owned(),
        _ => format!("{:.1}%", 50.0 * f64::from(line.total.half_points()) / f64::from(games)),
    };
    [
        points(line.half_points),
        line.total.wins.to_string(),
        line.total.draws.to_string(),
        line.total.losses.to_string(),
        score,
        // Adding zero avoids `-0`.
        format!("{:+}", line.rating.elo.round() + 0.0),
        line.faults.to_string(),
    ]
}

fn standings(screen: &TournamentScreen, canvas: &mut Canvas, area: Rect) {
    let entrants = &screen.live.played.tournament.entrants;
    let longest = entrants.iter().map(|entrant| columns::width(&entrant.name));
    let name = longest.max().unwrap_or(0).clamp(6, 24);
    let room = usize::from(area.width).saturating_sub(4 + name);
    let mut used = 0;
    let fits = |(_, width): &&(&str, usize)| {
        used += width;
        used <= room
    };
    let shown: Vec<(&str, usize)> = NUMBERS.iter().take_while(fits).copied().collect();
    let head = shown.iter().fold(format!("    {}", pad("player", name)), |line, (head, width)| {
        line + &format!("{head:>width$}")
    });
    canvas.text(area, 0, &head, canvas.look.ink(Ink::Faint));
    for (row, line) in (1..area.height).zip(&screen.seen.standings.lines) {
        let who = pad(&shorten(&entrants[line.entrant].name, name), name);
        let numbers = numbers(line);
        let named = format!("{:>2}. {who}", line.place);
        let text = shown
            .iter()
            .zip(&numbers)
            .fold(named, |line, ((_, width), number)| line + &format!("{number:>width$}"));
        let ink = if line.place == 1 { Ink::Title } else { Ink::Plain };
        canvas.text(area, row, &text, canvas.look.ink(ink));
    }
}

fn games(screen: &TournamentScreen, canvas: &mut Canvas, area: Rect) {
    let mut area = area;
    if let LiveState::Failed(why) = &screen.seen.state {
        let text = format!("The tournament cannot go on: {why}.");
        let rows = canvas.prose(inset(area), &text, canvas.look.ink(Ink::Alarm));
        area = below(area, rows);
    }
    let listed = &screen.seen.games;
    if listed.is_empty() {
        let text = match screen.seen.state {
            LiveState::Preparing => "The game is being solved, and the bots are tried.",
            _ => "No game has begun.",
        };
        canvas.prose(inset(area), text, canvas.look.ink(Ink::Faint));
        return;
    }
    // Format only the visible lines, because there may be thousands.
    let rows = usize::from(area.height);
    let first = screen.chosen.saturating_sub(rows.saturating_sub(1));
    for (row, (index, game)) in (0..).zip(listed.iter().enumerate().skip(first).take(rows)) {
        let place = Rect { y: area.y + row, height: 1, ..area };
        let is_chosen = index == screen.chosen;
        let line = line(screen, canvas, game, is_chosen, usize::from(area.width));
        canvas.item(place, &line, index, is_chosen);
    }
}

fn line(
    screen: &TournamentScreen,
    canvas: &Canvas,
    game: &ListedGame,
    is_chosen: bool,
    width: usize,
) -> Line<'static> {
    let names = screen.names(&game.seats);
    let id = game.id;
    let number = format!("{}.{}.{}", id.round + 1, id.meeting + 1, id.game + 1);
    let (result, ink, length) = match &game.state {
        GameState::Playing(turns) => (" - ", Ink::Good, format!("playing, turn {}", turns + 1)),
        GameState::Finished(played) => {
            let result = match played.outcome {
                Outcome::Won(Side::One) => " 1-0 ",
                Outcome::Won(Side::Two) => " 0-1 ",
                Outcome::Draw => " 1/2 ",
            };
            let turns = counted(played.turns as u64, "turn");
            let is_faulty = Side::ALL.into_iter().any(|side| played.faults[side].is_some());
            let faults = if is_faulty { ", forfeited" } else { "" };
            (result, Ink::Faint, format!("{turns}{faults}"))
        }
    };
    let mark = if is_chosen { "▶ " } else { "  " };
    let number = format!("{number:<6} ");
    let room = width.saturating_sub(2 + columns::width(&number) + columns::width(result));
    let (names, length) = fitted(&names, &length, room);
    Line::from(vec![
        canvas.span(Ink::Key, mark),
        canvas.span(Ink::Faint, number),
        canvas.span(Ink::Side(Side::One), names.one),
        canvas.span(Ink::Title, result),
        canvas.span(Ink::Side(Side::Two), names.two),
        canvas.span(ink, length),
    ])
}

/// Minimum width of a name beside the length of a game.
const LEAST_NAME: usize = 6;

/// Fits two names and the length of their game into `room` columns. Shortens long names, and drops the length if there is
/// no room for it.
fn fitted(names: &Both<String>, length: &str, room: usize) -> (Both<String>, String) {
    let length = format!("  {length}");
    let widths = names.as_ref().map(|name| columns::width(name));
    let least = widths.one.min(LEAST_NAME) + widths.two.min(LEAST_NAME);
    let is_roomy = least + columns::width(&length) <= room;
    let length = if is_roomy { length } else { String::new() };
    let room = room.saturating_sub(columns::width(&length));
    let one = widths.one.min((room / 2).max(room.saturating_sub(widths.two)));
    let two = room.saturating_sub(one);
    (Both::new(shorten(&names.one, one), shorten(&names.two, two)), length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_game_fits_into_its_row_or_says_what_is_cut() {
        let names = Both::new("skilled".to_owned(), "a very long name".to_owned());
        for room in 14..60 {
            let (Both { one, two }, length) = fitted(&names, "162 turns", room);
            let all = format!("{one}{two}{length}");
            assert!(columns::width(&all) <= room, "{all}");
            assert!(length.is_empty() || length == "  162 turns");
            assert!(one == names.one || one.ends_with('…'), "{one}");
            assert!(two == names.two || two.ends_with('…'), "{two}");
        }
        let (short, length) = fitted(&names, "162 turns", 26);
        assert_eq!((&*short.one, &*short.two, &*length), ("skilled", "a very …", "  162 turns"));
    }
}
