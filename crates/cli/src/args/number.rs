//! Whole numbers on the command line.

use std::ops::RangeInclusive;

use clap::builder::TypedValueParser;

/// Parses a whole number in a range. The error states the range.
pub(super) fn whole<T>(range: RangeInclusive<T>) -> impl TypedValueParser<Value = T>
where
    T: Clone + Into<u64> + TryFrom<u64> + Send + Sync + 'static,
{
    let (least, most): (u64, u64) = (range.start().clone().into(), range.end().clone().into());
    move |text: &str| {
        let number = text.trim().parse::<u64>().ok().filter(|it| (least..=most).contains(it));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| format!("expected a whole number from {least} to {most}"))
    }
}

#[cfg(test)]
mod tests {
    use clap::{Arg, Command};

    use super::*;

    #[test]
    fn a_number_outside_the_range_is_refused_with_the_range() {
        let read = |text: &str| {
            let number = Arg::new("n").allow_negative_numbers(true).value_parser(whole(1..=99_u32));
            let read = Command::new("test").arg(number).try_get_matches_from(["test", text]);
            read.map(|it| it.get_one::<u32>("n").copied())
        };
        assert_eq!(read(" 99 ").expect("in range"), Some(99));
        for text in ["0", "100", "-1", "+-1", "1.5", "one", "", "99999999999999999999"] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains("expected a whole number from 1 to 99\n"), "{error}");
        }
    }
}
