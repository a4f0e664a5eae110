//! Describes puzzles in words.

use skirmish_play::puzzle::{Goal, Guess, Hint, Puzzle, Refutation, Trial};
use skirmish_play::{BestLine, seen_from};
use skirmish_rules::{Entry, Names, Settings, conjunction, counted};
use skirmish_solver::Value;

use crate::words;

/// States the task of a puzzle: `Player 1 to move and win in 5: find the only move.`
#[must_use]
pub fn task(puzzle: &Puzzle, names: &Names) -> String {
    let player = &names[puzzle.player];
    match puzzle.goal {
        Goal::Win { plies } => format!("{player} to move and win in {plies}: find the only move."),
        Goal::Mix { value, .. } => {
            let worth = words::points(seen_from(puzzle.player, value));
            format!("Both choose at once: find {player}'s best mix, worth {worth} to {player}.")
        }
    }
}

/// States the task for the current turn of an attempt.
#[must_use]
pub fn current_task(trial: &Trial, names: &Names) -> String {
    let puzzle = trial.puzzle();
    match trial {
        Trial::Win(attempt) if attempt.winning_moves() != 1 => {
            let player = &names[puzzle.player];
            format!("{player} to move and win in {}: find a winning move.", attempt.plies())
        }
        Trial::Win(attempt) => {
            let goal = Goal::Win { plies: attempt.plies() };
            task(&Puzzle { goal, ..puzzle.clone() }, names)
        }
        Trial::Mix(_) => task(puzzle, names),
    }
}

/// Explains why a move is wrong: `2 lets Player 2 win in 4. Best play from there: 3 1 2 1`
#[must_use]
pub fn refutation(refutation: &Refutation, puzzle: &Puzzle, names: &Names) -> String {
    let Refutation { notation, value, line } = refutation;
    format!("{notation} {}.{}", consequence(*value, puzzle, names), continuation(line))
}

/// The predicate of a sentence about a wrong move with this value.
fn consequence(value: Value, puzzle: &Puzzle, names: &Names) -> String {
    let opponent = &names[puzzle.player.other()];
    match value {
        Value::Loss(..=1) => "loses at once".to_owned(),
        // Count from the position after the move, as the opponent does.
        Value::Loss(plies) => format!("lets {opponent} win in {}", plies.saturating_sub(1)),
        Value::Draw(plies) => {
            format!(
                "gives the win away: {opponent} can force a draw in {}",
                plies.saturating_sub(1)
            )
        }
        Value::Endless => "gives the win away: the game is endless if both play well".to_owned(),
        Value::Win(plies) => format!("wins in {plies}"),
    }
}

/// Maximum number of turns of a line shown beside a board.
const MOST_TURNS: usize = 12;

/// The best play after a mistake, possibly truncated; empty if the game is over.
fn continuation(line: &BestLine) -> String {
    let turns: Vec<&str> = line.turns.iter().map(|(_, turn)| turn.as_str()).collect();
    let shown = &turns[..turns.len().min(MOST_TURNS)];
    let is_cut = shown.len() < turns.len() || line.repeats.is_some();
    match (turns.is_empty(), is_cut) {
        (true, _) => String::new(),
        (false, true) => format!(" Best play from there: {} …", shown.join(" ")),
        (false, false) => format!(" Best play from there: {}.", shown.join(" ")),
    }
}

/// The message after a move that keeps the win.
#[must_use]
pub const fn right(is_only: bool) -> &'static str {
    if is_only { "Right: no other move wins." } else { "Right: this keeps the win." }
}

/// The warning before help with the puzzle of the day, which ends the streak.
pub const COST_OF_HELP: &str = "With a hint or the solution, today does not count for your streak.";

/// Gives a hint: a wrong move, or the actions of the best mix. Afterwards the attempt no longer counts as clean.
#[must_use]
pub fn hint(trial: &mut Trial, names: &Names) -> String {
    match trial {
        Trial::Win(attempt) => match attempt.hint() {
            Some(Hint::Wrong(wrong)) => refutation(&wrong, attempt.progress().puzzle(), names),
            Some(Hint::Consequence(value)) => {
                let consequence = consequence(value, attempt.progress().puzzle(), names);
                format!("One of the two moves {consequence}. Another hint names it.")
            }
            None => "No other move is wrong.".to_owned(),
        },
        Trial::Mix(attempt) => format!("The best mix has {}.", conjunction(attempt.hint())),
    }
}

/// Reveals the solution, which ends the attempt.
#[must_use]
pub fn solution(trial: &mut Trial) -> String {
    match trial {
        Trial::Win(attempt) => format!("The solution: {}", attempt.give_up().join(" ")),
        Trial::Mix(attempt) => best_mix(attempt.give_up()),
    }
}

/// The best mix.
#[must_use]
pub fn best_mix(mix: &[(String, f64)]) -> String {
    format!("The best mix: {}", words::shares(mix))
}

/// Assesses a mix: `This mix gives away 0.123: 80 of 100 marks. The best answer to it is attack.`
#[must_use]
pub fn guess(guess: &Guess) -> String {
    let Guess { given_away, answer, marks, is_solved } = guess;
    if *marks == 100 {
        let praise = match format!("{given_away:.3}").as_str() {
            "0.000" => "This mix gives nothing away",
            _ => "This is the best mix, rounded",
        };
        return format!("{praise}: 100 of 100 marks.");
    }
    let enough = if *is_solved { ", which is good enough" } else { "" };
    format!(
        "This mix gives away {given_away:.3}: {marks} of 100 marks{enough}. The best answer to it is {answer}."
    )
}

/// The message after solving a puzzle.
#[must_use]
pub fn solved(trial: &Trial) -> String {
    match (trial.progress().mistakes(), trial.progress().is_clean()) {
        (0, true) => "Solved.".to_owned(),
        (0, false) => "Solved, with help.".to_owned(),
        (mistakes, _) => format!("Solved, after {}.", counted(mistakes, "mistake")),
    }
}

/// The progress on a board: `You have solved 3 of the 8 puzzles of Base Battle.`
#[must_use]
pub fn tally(solved: usize, total: usize, entry: &Entry, settings: &Settings) -> String {
    let game = words::game(entry, settings);
    match total {
        1 => format!("You have solved the only puzzle of {game}."),
        _ => format!("You have solved {solved} of the {total} puzzles of {game}."),
    }
}

/// The current and the longest streak: `Streak: 3 days; the longest is 5.`
#[must_use]
pub fn streak(days: u32, best: u32) -> String {
    match (days, best) {
        (0, 0) => "No streak yet.".to_owned(),
        (0, best) => format!("No streak now; the longest is {}.", counted(best, "day")),
        (days, best) if days == best => {
            format!("Streak: {}, the longest so far.", counted(days, "day"))
        }
        (days, best) => format!("Streak: {}; the longest is {best}.", counted(days, "day")),
    }
}

#[cfg(test)]
mod tests {
    use skirmish_play::player::Level;
    use skirmish_rules::{Outcome, Side, default_names};

    use super::*;

    fn puzzle() -> Puzzle {
        let goal = Goal::Win { plies: 5 };
        Puzzle { position: "2/6/1".to_owned(), player: Side::One, goal, level: Level::Casual }
    }

    #[test]
    fn a_refutation_counts_from_the_opponents_turn_and_shows_the_line() {
        let line = |turns: &[&str]| BestLine {
            turns: turns.iter().map(|turn| (None, (*turn).to_owned())).collect(),
            repeats: None,
            outcome: Some(Outcome::Won(Side::Two)),
        };
        let notation = "2".to_owned();
        let wrong = Refutation { notation, value: Value::Loss(4), line: line(&["3", "1", "2"]) };
        let text = refutation(&wrong, &puzzle(), &default_names());
        assert_eq!(text, "2 lets Player 2 win in 3. Best play from there: 3 1 2.");
        let repeats = Some("3/6/2".to_owned());
        let circle = BestLine { repeats, outcome: None, ..line(&["1"; 20]) };
        let endless = Refutation { value: Value::Endless, line: circle, ..wrong.clone() };
        let text = refutation(&endless, &puzzle(), &default_names());
        let told =
            "2 gives the win away: the game is endless if both play well. Best play from there: ";
        assert_eq!(text, format!("{told}{}…", "1 ".repeat(MOST_TURNS)));
        let over = Refutation { value: Value::Loss(1), line: line(&[]), ..wrong };
        let text = refutation(&over, &puzzle(), &default_names());
        assert_eq!(text, "2 loses at once.");
    }

    #[test]
    fn a_task_names_the_player_and_what_to_find() {
        let text = task(&puzzle(), &default_names());
        assert_eq!(text, "Player 1 to move and win in 5: find the only move.");
        let goal = Goal::Mix { value: 0.554_6, error: 0.0 };
        let text = task(&Puzzle { player: Side::Two, goal, ..puzzle() }, &default_names());
        let told = "find Player 2's best mix, worth -0.55 to Player 2.";
        assert!(text.ends_with(told), "{text}");
    }

    #[test]
    fn full_marks_are_for_mixes_that_give_nothing_away() {
        let full =
            Guess { given_away: 1e-12, answer: "attack".to_owned(), marks: 100, is_solved: true };
        assert_eq!(guess(&full), "This mix gives nothing away: 100 of 100 marks.");
        let shown = Guess { given_away: 0.0006, ..full.clone() };
        assert_eq!(guess(&shown), "This is the best mix, rounded: 100 of 100 marks.");
        let near = Guess { given_away: 0.0123, marks: 97, ..full };
        let text = "This mix gives away 0.012: 97 of 100 marks, which is good enough. The best answer to it is attack.";
        assert_eq!(guess(&near), text);
    }
}
