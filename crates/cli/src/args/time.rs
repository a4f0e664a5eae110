//! Times on the command line.

use std::time::Duration;

/// Parses a duration such as `500ms`, `2s`, `1.5s` or `1m`; a bare number is in seconds.
pub(super) fn duration(text: &str) -> Result<Duration, String> {
    const LONGEST: f64 = 86_400.0;
    let end = text.find(|letter: char| letter.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let seconds = match unit {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" => 60.0,
        _ => f64::NAN,
    };
    let time = number.trim().parse::<f64>().map_or(f64::NAN, |number| number * seconds);
    if (0.0..=LONGEST).contains(&time) {
        Ok(Duration::from_secs_f64(time))
    } else {
        Err("expected a time such as 500ms, 2s or 1m, at most a day".to_owned())
    }
}

/// Like [`duration`], but rejects zero.
pub(super) fn nonzero_duration(text: &str) -> Result<Duration, String> {
    let time = duration(text)?;
    if time.is_zero() {
        Err("expected a time greater than 0, such as 500ms or 2s".to_owned())
    } else {
        Ok(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, milliseconds) in
            [("500ms", 500), ("2s", 2_000), ("1.5s", 1_500), ("3", 3_000), ("0", 0), ("1m", 60_000)]
        {
            assert_eq!(duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        assert!(nonzero_duration("0s").is_err(), "zero");
        for text in ["", "s", "-1s", "1h", "1 day", "inf", "nan", "1e9", "2m3s"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
