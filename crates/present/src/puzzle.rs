//! Puzzles in words.

use skirmish_play::puzzle::{Goal, Guess, Puzzle, Refutation, Trial};
use skirmish_rules::{Names, conjunction, counted};
use skirmish_solver::Value;

use crate::words;

/// What to find: `Player 1 to move and win in 5: find the only move.`
#[must_use]
pub fn task(puzzle: &Puzzle, names: &Names) -> String {
    let player = &names[puzzle.player];
    match puzzle.goal {
        Goal::Win { plies } => format!("{player} to move and win in {plies}: find the only move."),
        Goal::Mix { value, .. } => {
            let worth = words::points(value);
            format!("Both choose at once: find {player}'s best mix, which is worth {worth}.")
        }
    }
}

/// What to find now: in the first turn of a puzzle or a later one.
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

/// Why a move is wrong: `2 lets Player 2 win in 6. The best answer is 3.`
#[must_use]
pub fn refutation(refutation: &Refutation, puzzle: &Puzzle, names: &Names) -> String {
    let Refutation { notation, value, answer } = refutation;
    let opponent = &names[puzzle.player.other()];
    let consequence = match value {
        // Counted from the position after the move, which the opponent sees.
        Value::Loss(plies) => format!("lets {opponent} win in {}", plies.saturating_sub(1)),
        Value::Draw(plies) => {
            format!(
                "gives the win away: {opponent} can force a draw in {}",
                plies.saturating_sub(1)
            )
        }
        Value::Endless => "gives the win away: the game is endless if both play well".to_owned(),
        Value::Win(plies) => format!("wins in {plies}"),
    };
    let answer = answer.as_ref().map_or(String::new(), |it| format!(" The best answer is {it}."));
    format!("{notation} {consequence}.{answer}")
}

/// That a move keeps the win.
#[must_use]
pub const fn right(is_only: bool) -> &'static str {
    if is_only { "Right: no other move wins." } else { "Right: this keeps the win." }
}

/// A hint: a wrong move, or the actions of the best mix. Afterwards the attempt is no longer clean.
#[must_use]
pub fn hint(trial: &mut Trial, names: &Names) -> String {
    match trial {
        Trial::Win(attempt) => match attempt.hint() {
            Some(wrong) => refutation(&wrong, attempt.puzzle(), names),
            None => "No other move is wrong.".to_owned(),
        },
        Trial::Mix(attempt) => format!("The best mix has {}.", conjunction(attempt.hint())),
    }
}

/// The solution, which ends the attempt.
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

/// How good a mix is: `This mix gives away 0.123: 80 of 100 marks. The best answer to it is attack.`
#[must_use]
pub fn guess(guess: &Guess) -> String {
    let Guess { given_away, answer, marks, is_solved } = guess;
    if *marks == 100 {
        return "This mix gives nothing away: 100 of 100 marks.".to_owned();
    }
    let enough = if *is_solved { ", which is good enough" } else { "" };
    format!(
        "This mix gives away {given_away:.3}: {marks} of 100 marks{enough}. The best answer to it is {answer}."
    )
}

/// That a puzzle is solved.
#[must_use]
pub fn solved(trial: &Trial) -> String {
    match (trial.mistakes(), trial.is_clean()) {
        (0, true) => "Solved.".to_owned(),
        (0, false) => "Solved, with help.".to_owned(),
        (mistakes, _) => format!("Solved, after {}.", counted(mistakes, "mistake")),
    }
}

/// How long the streak is: `3 days in a row; the longest streak is 5.`
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
    use skirmish_rules::{Side, default_names};

    use super::*;

    fn puzzle() -> Puzzle {
        let goal = Goal::Win { plies: 5 };
        Puzzle { position: "2/6/1".to_owned(), player: Side::One, goal, level: Level::Casual }
    }

    #[test]
    fn a_refutation_counts_from_the_opponents_turn() {
        let wrong = Refutation {
            notation: "2".to_owned(),
            value: Value::Loss(7),
            answer: Some("3".to_owned()),
        };
        let text = refutation(&wrong, &puzzle(), &default_names());
        assert_eq!(text, "2 lets Player 2 win in 6. The best answer is 3.");
        let endless = Refutation { value: Value::Endless, answer: None, ..wrong };
        let text = refutation(&endless, &puzzle(), &default_names());
        assert_eq!(text, "2 gives the win away: the game is endless if both play well.");
    }

    #[test]
    fn a_task_names_the_player_and_the_plies() {
        let text = task(&puzzle(), &default_names());
        assert_eq!(text, "Player 1 to move and win in 5: find the only move.");
    }

    #[test]
    fn full_marks_are_for_mixes_that_give_nothing_away() {
        let full =
            Guess { given_away: 1e-12, answer: "attack".to_owned(), marks: 100, is_solved: true };
        assert_eq!(guess(&full), "This mix gives nothing away: 100 of 100 marks.");
        let near = Guess { given_away: 0.0123, marks: 97, ..full };
        let text = "This mix gives away 0.012: 97 of 100 marks, which is good enough. The best answer to it is attack.";
        assert_eq!(guess(&near), text);
    }
}
