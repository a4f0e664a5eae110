//! Glicko-2 ratings. Every game is a rating period of its own.

use skillratings::Outcomes;
use skillratings::glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period};
use skirmish_rules::{Both, Outcome};

/// A player's strength in one game, as Glicko-2 estimates it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Rating {
    /// The estimate.
    pub(crate) value: f64,
    /// How uncertain it is.
    pub(crate) deviation: f64,
    /// How much the player's strength fluctuates.
    pub(crate) volatility: f64,
}

impl Rating {
    /// The rating before the first game.
    pub(crate) const NEW: Self = Self { value: 1500.0, deviation: 350.0, volatility: 0.06 };

    /// The rating after one rating period with these opponents and results.
    fn after(self, games: &[(Self, Outcomes)]) -> Self {
        let games: Vec<_> =
            games.iter().map(|(opponent, result)| (opponent.into(), *result)).collect();
        let after = glicko2_rating_period(&(&self).into(), &games, &Glicko2Config::new());
        Self { value: after.rating, deviation: after.deviation, volatility: after.volatility }
    }
}

impl From<&Rating> for Glicko2Rating {
    fn from(rating: &Rating) -> Self {
        let Rating { value, deviation, volatility } = *rating;
        Self { rating: value, deviation, volatility }
    }
}

/// Both players' ratings after a game.
pub(crate) fn rate(before: Both<Rating>, outcome: Outcome) -> Both<Rating> {
    Both::from_fn(|side| {
        let result = match outcome {
            Outcome::Won(winner) if winner == side => Outcomes::WIN,
            Outcome::Won(_) => Outcomes::LOSS,
            Outcome::Draw => Outcomes::DRAW,
        };
        before[side].after(&[(before[side.other()], result)])
    })
}

/// A rating or deviation as it is shown.
#[allow(clippy::cast_possible_truncation)] // ratings are a few thousand, and the cast saturates
pub(crate) fn rounded(value: f64) -> i32 {
    value.round() as i32
}

#[cfg(test)]
mod tests {
    use skirmish_rules::Side;

    use super::*;

    fn rating(value: f64, deviation: f64) -> Rating {
        Rating { value, deviation, volatility: 0.06 }
    }

    fn is_near(value: f64, expected: f64, tolerance: f64) -> bool {
        (value - expected).abs() <= tolerance
    }

    #[test]
    fn the_example_of_glickmans_paper_comes_out() {
        // Mark E. Glickman, "Example of the Glicko-2 system", 2022.
        let after = rating(1500.0, 200.0).after(&[
            (rating(1400.0, 30.0), Outcomes::WIN),
            (rating(1550.0, 100.0), Outcomes::LOSS),
            (rating(1700.0, 300.0), Outcomes::LOSS),
        ]);
        assert!(is_near(after.value, 1464.06, 0.01), "{after:?}");
        assert!(is_near(after.deviation, 151.52, 0.01), "{after:?}");
        assert!(is_near(after.volatility, 0.059_99, 0.000_01), "{after:?}");
    }

    #[test]
    fn a_game_between_new_players_moves_both_by_the_same() {
        let new = Both::new(Rating::NEW, Rating::NEW);
        let after = rate(new, Outcome::Won(Side::Two));
        assert_eq!((rounded(after.one.value), rounded(after.two.value)), (1338, 1662));
        assert_eq!(after.one.deviation.to_bits(), after.two.deviation.to_bits());
        assert!(after.one.deviation < Rating::NEW.deviation);
        let drawn = rate(new, Outcome::Draw);
        assert_eq!((rounded(drawn.one.value), rounded(drawn.two.value)), (1500, 1500));
    }

    #[test]
    fn a_thousand_wins_in_a_row_stay_finite() {
        let mut pair = Both::new(Rating::NEW, Rating::NEW);
        for _ in 0..1000 {
            pair = rate(pair, Outcome::Won(Side::One));
        }
        assert!(pair.one.value > 2000.0 && pair.two.value < 1000.0, "{pair:?}");
        assert!(pair.one.value < 10_000.0 && pair.one.deviation > 0.0, "{pair:?}");
    }
}
