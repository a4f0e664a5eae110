//! Formats numbers for people.

/// Formats the rounded value of a position or choice: `+0.45`. Only exact values become `+1`, `0` or `-1`.
#[must_use]
pub fn points(points: f64) -> String {
    /// Smaller differences are rounding errors.
    const SLIGHT: f64 = 1e-9;
    match [-1.0, 0.0, 1.0].into_iter().find(|sure| (points - sure).abs() <= SLIGHT) {
        Some(0.0) => "0".to_owned(),
        Some(sure) => signed(sure, 0),
        None if points.abs() < 1.0 => signed(points.abs().clamp(0.01, 0.99).copysign(points), 2),
        None => signed(points, 2),
    }
}

/// Formats a number with a sign and this many decimals; `0` if it rounds to zero.
#[must_use]
pub fn signed(number: f64, decimals: usize) -> String {
    let text = format!("{number:+.decimals$}");
    if text.contains(|digit| matches!(digit, '1'..='9')) { text } else { "0".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_that_rounds_to_zero_has_no_sign() {
        for (number, decimals, text) in [
            (-0.0, 3, "0"),
            (-1e-12, 3, "0"),
            (-0.000_49, 3, "0"),
            (-0.000_6, 3, "-0.001"),
            (0.000_49, 3, "0"),
            (-1e-10, 9, "0"),
            (-0.001, 2, "0"),
            (-1.0, 0, "-1"),
        ] {
            assert_eq!(signed(number, decimals), text, "{number}");
        }
    }

    #[test]
    fn what_a_position_is_worth_is_written_in_one_way() {
        for (number, text) in [
            (-0.554_6, "-0.55"),
            (0.445_4, "+0.45"),
            (0.0, "0"),
            (-1e-12, "0"),
            (0.000_4, "+0.01"),
            (-0.000_4, "-0.01"),
            (0.999, "+0.99"),
            (1.0 - 1e-12, "+1"),
            (-1.0, "-1"),
        ] {
            assert_eq!(points(number), text, "{number}");
        }
    }
}
