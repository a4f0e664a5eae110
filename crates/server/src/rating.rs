//! Glicko-2 ratings. Every game is a separate rating period.

use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, glicko2_rating_period};
use skirmish_rules::{Both, Outcome};

/// A player's strength in one game, as Glicko-2 estimates it. The default is the rating before the first game.
pub(crate) use skillratings::glicko2::Glicko2Rating as Rating;

/// Returns both players' ratings after a game.
pub(crate) fn rate(before: Both<Rating>, outcome: Outcome) -> Both<Rating> {
    Both::from_fn(|side| {
        let result = match outcome {
            Outcome::Won(winner) if winner == side => Outcomes::WIN,
            Outcome::Won(_) => Outcomes::LOSS,
            Outcome::Draw => Outcomes::DRAW,
        };
        let games = [(before[side.other()], result)];
        glicko2_rating_period(&before[side], &games, &Glicko2Config::new())
    })
}

/// Rounds a rating or deviation for display.
#[allow(clippy::cast_possible_truncation)] // ratings are a few thousand, and the cast saturates
pub(crate) fn rounded(value: f64) -> i32 {
    value.round() as i32
}

#[cfg(test)]
mod tests {
    use skirmish_rules::Side;

    use super::*;

    fn rating(rating: f64, deviation: f64) -> Rating {
        Rating { rating, deviation, volatility: 0.06 }
    }

    fn is_near(value: f64, expected: f64, tolerance: f64) -> bool {
        (value - expected).abs() <= tolerance
    }

    #[test]
    fn the_example_of_glickmans_paper_comes_out() {
        // Mark E. Glickman, "Example of the Glicko-2 system", 2022.
        let games = [
            (rating(1400.0, 30.0), Outcomes::WIN),
            (rating(1550.0, 100.0), Outcomes::LOSS),
            (rating(1700.0, 300.0), Outcomes::LOSS),
        ];
        let config = Glicko2Config::new();
        let after = glicko2_rating_period(&rating(1500.0, 200.0), &games, &config);
        assert!(is_near(after.rating, 1464.06, 0.01), "{after:?}");
        assert!(is_near(after.deviation, 151.52, 0.01), "{after:?}");
        assert!(is_near(after.volatility, 0.059_99, 0.000_01), "{after:?}");
    }

    #[test]
    fn a_game_between_new_players_moves_both_by_the_same() {
        let new = Both::new(rating(1500.0, 350.0), Rating::default());
        let after = rate(new, Outcome::Won(Side::Two));
        assert_eq!((rounded(after.one.rating), rounded(after.two.rating)), (1338, 1662));
        assert_eq!(after.one.deviation.to_bits(), after.two.deviation.to_bits());
        assert!(after.one.deviation < new.one.deviation);
        let drawn = rate(new, Outcome::Draw);
        assert_eq!((rounded(drawn.one.rating), rounded(drawn.two.rating)), (1500, 1500));
    }

    #[test]
    fn a_thousand_wins_in_a_row_stay_finite() {
        let mut pair = Both::<Rating>::default();
        for _ in 0..1000 {
            pair = rate(pair, Outcome::Won(Side::One));
        }
        assert!(pair.one.rating > 2000.0 && pair.two.rating < 1000.0, "{pair:?}");
        assert!(pair.one.rating < 10_000.0 && pair.one.deviation > 0.0, "{pair:?}");
    }
}
