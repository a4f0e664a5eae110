//! The variants of `--vary`: every combination of the given values.

use std::collections::HashSet;

use anyhow::Result;
use skirmish_rules::{Entry, OptionKind, RuleOption, Settings, quotable};

use crate::exit::usage;

/// The maximum number of combinations.
const MOST_VARIANTS: usize = 10_000;

/// Every combination of values, in the order in which the options are named.
pub(super) fn all(
    entry: &'static Entry,
    base: &Settings,
    vary: &[String],
) -> Result<Vec<Settings>> {
    let mut variants = vec![base.clone()];
    let mut varied = Vec::new();
    for text in vary {
        let (option, values) = parse(entry, base, text)?;
        if varied.contains(&option) {
            let why = format!("{option} is varied twice: list all its values in one --vary");
            return Err(usage(why));
        }
        varied.push(option);
        if variants.len() * values.len() > MOST_VARIANTS {
            return Err(usage(format!("too many variants: at most {MOST_VARIANTS}")));
        }
        let mut next = Vec::new();
        for variant in &variants {
            for value in &values {
                let mut settings = variant.clone();
                settings.set(&format!("{option}={value}")).map_err(usage)?;
                next.push(settings);
            }
        }
        variants = next;
    }
    Ok(variants)
}

/// Parses an argument such as `positions=7..15`, `steps=1,2,3` or `push=facing,onward`.
fn parse(
    entry: &'static Entry,
    base: &Settings,
    text: &str,
) -> Result<(&'static str, Vec<String>)> {
    let Some((name, values)) = text.split_once('=') else {
        return Err(usage(format!(
            "invalid value '{}' for '--vary': expected NAME=VALUES, such as positions=7..15",
            quotable(text)
        )));
    };
    let option = entry.options.iter().find(|option| option.name.eq_ignore_ascii_case(name.trim()));
    let Some(option) = option else {
        // Reuse the settings' error message.
        let error = base.clone().set(&format!("{name}=")).expect_err("there is no such option");
        return Err(usage(error));
    };
    let mut listed: Vec<String> = match values.split_once("..") {
        Some((from, to)) => range(option, from, to)?,
        None => values.split(',').map(|value| value.trim().to_owned()).collect(),
    };
    let mut seen = HashSet::new();
    listed.retain(|value| seen.insert(value.clone()));
    Ok((option.name, listed))
}

/// The valid values of a numeric option within a range.
fn range(option: &RuleOption, from: &str, to: &str) -> Result<Vec<String>> {
    let OptionKind::Number { min, max, odd, .. } = option.kind else {
        return Err(usage(format!("{} has no range: expected {}", option.name, option.possible())));
    };
    let bound = |text: &str| {
        let number = text.trim().trim_start_matches('=').parse::<u8>().ok();
        number.filter(|number| (min..=max).contains(number))
    };
    let (Some(from), Some(to)) = (bound(from), bound(to)) else {
        return Err(usage(format!("{}: expected {}", option.name, option.possible())));
    };
    let numbers: Vec<String> = (from..=to)
        .filter(|number| !odd || number % 2 == 1)
        .map(|number| number.to_string())
        .collect();
    if numbers.is_empty() {
        return Err(usage(format!(
            "the range from {from} to {to} is empty: {} is {}",
            option.name,
            option.possible()
        )));
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use skirmish_rules::GAMES;

    use super::*;

    fn variants(game: &str, vary: &[&str]) -> Result<Vec<String>> {
        let entry = GAMES.find(game).expect("the game exists");
        let vary: Vec<String> = vary.iter().map(|&text| text.to_owned()).collect();
        let all = all(entry, &Settings::defaults(entry.options), &vary)?;
        Ok(all.iter().map(Settings::changes).collect())
    }

    #[test]
    fn every_combination_is_made() {
        let made =
            variants("base-battle", &["positions=9..10", "push=facing,onward"]).expect("in range");
        let expected =
            ["positions=9", "positions=9 push=onward", "positions=10", "positions=10 push=onward"];
        assert_eq!(made, expected);
    }

    #[test]
    fn a_range_skips_invalid_values() {
        let made = variants("capture-the-line", &["positions=6..9"]).expect("in range");
        assert_eq!(made, ["positions=7", "positions=9"]);
    }

    #[test]
    fn a_repeated_value_is_one_variant_and_a_repeated_option_is_refused() {
        assert_eq!(variants("base-battle", &["positions=7,7,7"]).expect("in range").len(), 1);
        let error = variants("base-battle", &["positions=7", "positions=8"]).expect_err("twice");
        assert!(error.to_string().contains("positions is varied twice"), "{error}");
    }

    #[test]
    fn invalid_variations_are_refused_with_the_valid_values() {
        for (vary, reason) in [
            ("positions=2..4", "positions: expected a whole number from 3 to 255"),
            ("size=3", "it has positions, steps and push"),
            ("push=1..2", "push has no range: expected facing, behind or onward"),
            ("push=sideways", "push=sideways is not possible: expected facing, behind or onward"),
            ("positions", "expected NAME=VALUES"),
            ("positions=9..7", "the range from 9 to 7 is empty"),
        ] {
            let error = variants("base-battle", &[vary]).expect_err(vary).to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
