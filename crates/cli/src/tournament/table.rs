//! The result of a tournament as text: standings, cross-table and the sequential test.

use std::fmt::Write;

use skirmish_arena::tournament::{Board, Standings, StandingsRow, Tournament};
use skirmish_play::points;
use skirmish_play::tournament::schedule::{Encounter, Format};
use skirmish_play::tournament::sprt::Decision;
use skirmish_present::words;
use skirmish_rules::{counted, printable};
use skirmish_store::csv_field;

use crate::output::aligned;

/// The maximum number of entrants in a cross-table.
const MOST_CROSSED: usize = 20;

/// The maximum number of fault reasons shown per bot.
const MOST_REASONS: usize = 3;

/// The complete result of a tournament.
pub(super) fn page(tournament: &Tournament, board: &Board, tables: &Standings) -> String {
    let (played, _) = board.progress();
    let mut page = format!(
        "{}, {}: {} entrants, {played} games, seed {}\n\n",
        words::game(tournament.entry, &tournament.settings),
        tournament.format,
        tournament.entrants.len(),
        tournament.seed,
    );
    page.push_str(&standings(tournament, tables));
    if tables.lines.len() <= MOST_CROSSED {
        page.push_str("\nPoints of each row against each column:\n\n");
        page.push_str(&crosses(tournament, tables));
    }
    if matches!(tournament.format, Format::Knockout | Format::Swiss) {
        page.push_str(&rounds(tournament, board));
    }
    page.push_str(&remarks(tournament, tables));
    if let Some(repeats) = repeats(board) {
        let _ = write!(page, "\n{repeats}\n");
    }
    if tables.lines.len() == 2 {
        let _ = write!(page, "\n{}\n", difference(tournament, tables));
    }
    if let Some(verdict) = verdict(tournament, board) {
        let _ = write!(page, "\n{verdict}\n");
    }
    page
}

/// The standings as a table.
pub(super) fn standings(tournament: &Tournament, tables: &Standings) -> String {
    let head =
        ["", "player", "won", "drawn", "lost", "points", "score", "95 %", "Elo", "±", "faults"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(tables.lines.iter().map(|line| {
        let interval = line.tally.interval();
        let error = line.rating.error.map_or("?".to_owned(), |error| format!("{error:.0}"));
        vec![
            format!("{}.", line.place),
            tournament.entrants[line.entrant].name.clone(),
            line.total.wins.to_string(),
            line.total.draws.to_string(),
            line.total.losses.to_string(),
            points(line.half_points),
            format!("{:.1} %", 100.0 * score(line)),
            format!("{:.1}–{:.1}", 100.0 * interval.low, 100.0 * interval.high),
            elo(line.rating.elo),
            error,
            line.faults.to_string(),
        ]
    }));
    aligned(&rows, 2)
}

/// Elo with its sign; never `-0`.
fn elo(elo: f64) -> String {
    format!("{:+}", elo.round() + 0.0)
}

/// The share of points in the games played.
pub(super) fn score(line: &StandingsRow) -> f64 {
    let games = line.total.games().max(1);
    f64::from(line.total.half_points()) / f64::from(2 * games)
}

fn crosses(tournament: &Tournament, tables: &Standings) -> String {
    let number = |index: usize| (index + 1).to_string();
    let mut rows = vec![vec![String::new(), String::new()]];
    rows[0].extend((0..tables.lines.len()).map(number));
    for (index, line) in tables.lines.iter().enumerate() {
        let name = tournament.entrants[line.entrant].name.clone();
        let mut row = vec![number(index), name];
        row.extend(tables.lines.iter().map(|other| {
            let cell = tables.against(line.entrant, other.entrant);
            match cell.games() {
                _ if line.entrant == other.entrant => "·".to_owned(),
                0 => String::new(),
                _ => points(cell.half_points()),
            }
        }));
        rows.push(row);
    }
    aligned(&rows, 2)
}

/// The rating difference between two entrants.
fn difference(tournament: &Tournament, tables: &Standings) -> String {
    let names = [0, 1].map(|line| &tournament.entrants[tables.lines[line].entrant].name);
    let difference = tables.lines[0].tally.elo();
    let end =
        |bound: f64, never: &str| if bound.is_finite() { elo(bound) } else { never.to_owned() };
    format!(
        "{} against {}: {} Elo (95 %: {} to {})",
        names[0],
        names[1],
        elo(difference.elo),
        end(difference.low, "no bound"),
        end(difference.high, "no bound"),
    )
}

/// The encounters, round by round.
fn rounds(tournament: &Tournament, board: &Board) -> String {
    let name = |entrant: usize| &tournament.entrants[entrant].name;
    let mut text = String::new();
    for (index, meetings) in board.rounds().iter().enumerate() {
        let _ = write!(text, "\nRound {}:\n", index + 1);
        for meeting in meetings {
            let (cell, Encounter { one, two }) = (meeting.cell(), meeting.encounter);
            let (won, lost) = (cell.half_points(), cell.reversed().half_points());
            let decided = match tournament.format {
                Format::Knockout if won == lost => {
                    format!(", {} goes on as the better seed", name(one.min(two)))
                }
                _ => String::new(),
            };
            let score = format!("{}–{}", points(won), points(lost));
            let _ = writeln!(text, "  {} {score} {}{decided}", name(one), name(two));
        }
        for entrant in resting(tournament, board, index) {
            let _ = writeln!(text, "  {} has a bye", name(entrant));
        }
    }
    text
}

/// Who had a bye in a round.
fn resting(tournament: &Tournament, board: &Board, round: usize) -> Vec<usize> {
    let plays = |round: usize, entrant: usize| {
        let meetings = board.rounds().get(round).into_iter().flatten();
        meetings.map(|meeting| meeting.encounter).any(|it| it.one == entrant || it.two == entrant)
    };
    let is_in = |entrant: &usize| match tournament.format {
        // An entrant that plays in the next round was not eliminated.
        Format::Knockout => plays(round + 1, *entrant),
        Format::Swiss | Format::RoundRobin | Format::Gauntlet => true,
    };
    let entrants = 0..tournament.entrants.len();
    entrants.filter(|&entrant| !plays(round, entrant)).filter(is_in).collect()
}

/// Byes and faults.
fn remarks(tournament: &Tournament, tables: &Standings) -> String {
    let mut text = String::new();
    let name = |line: &StandingsRow| &tournament.entrants[line.entrant].name;
    let byes: Vec<String> = tables
        .lines
        .iter()
        .filter(|line| line.bye() > 0)
        .map(|line| format!("{} {}", name(line), points(line.bye())))
        .collect();
    if !byes.is_empty() {
        let _ = write!(text, "\nPoints from byes: {}.\n", byes.join(", "));
    }
    for line in tables.lines.iter().filter(|line| line.faults > 0) {
        let _ = write!(text, "\n{} forfeited {}:\n", name(line), counted(line.faults, "game"));
        for (reason, count) in line.reasons.iter().take(MOST_REASONS) {
            let _ = writeln!(text, "  {count} × {reason}");
        }
        if line.reasons.len() > MOST_REASONS {
            let _ = writeln!(text, "  … see the records for the rest");
        }
    }
    text
}

/// Tells how many pairs of games were repeats, if any.
fn repeats(board: &Board) -> Option<String> {
    let pairs = board.pairs();
    let repeats = pairs.iter().filter(|pair| pair.is_repeat).count();
    let text = format!(
        "{repeats} of {} pairs of games repeat earlier ones; the error bars count them once.",
        pairs.len()
    );
    let is_mostly = 2 * repeats > pairs.len();
    let hint = if is_mostly { " A longer --opening avoids that." } else { "" };
    (repeats > 0).then(|| text + hint)
}

/// The result of the sequential test in words.
pub(super) fn verdict(tournament: &Tournament, board: &Board) -> Option<String> {
    let sprt = tournament.sprt?;
    let (decision, pairs) = board.decision().unwrap_or((Decision::Open, 0));
    let names = [0, 1].map(|entrant| tournament.entrants[entrant].name.as_str());
    let sentence = sprt.sentence(decision, names[0], names[1]);
    Some(match decision {
        Decision::Open => format!("{sentence} More games are needed."),
        Decision::First | Decision::Second => {
            format!("{sentence} (Decided after {} games.)", 2 * pairs)
        }
    })
}

/// The standings as CSV.
pub(super) fn csv(tournament: &Tournament, tables: &Standings) -> String {
    let mut text =
        "place,player,program,games,won,drawn,lost,points,score,low,high,elo,error,faults\n"
            .to_owned();
    for line in &tables.lines {
        let entrant = &tournament.entrants[line.entrant];
        let interval = line.tally.interval();
        let error = line.rating.error.map_or(String::new(), |error| format!("{error:.1}"));
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{},{:.4},{:.4},{:.4},{:.1},{error},{}",
            line.place,
            csv_field(&entrant.name),
            csv_field(&printable(&entrant.program.to_string())),
            line.total.games(),
            line.total.wins,
            line.total.draws,
            line.total.losses,
            f64::from(line.half_points) / 2.0,
            score(line),
            interval.low,
            interval.high,
            line.rating.elo,
            line.faults,
        );
    }
    text
}
