//! The variants that `--vary` asks for: every combination of the values named.

use anyhow::Result;
use skirmish_rules::{Entry, OptionKind, RuleOption, Settings};

use crate::exit::usage;

/// More combinations than anybody wants to read.
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
            return Err(usage(format!("{option} is varied twice: name all its values at once")));
        }
        varied.push(option);
        if variants.len() * values.len() > MOST_VARIANTS {
            return Err(usage(format!("that makes more than {MOST_VARIANTS} variants")));
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

/// `positions=7..15`, `steps=1,2,3` or `push=facing,onward`.
fn parse(
    entry: &'static Entry,
    base: &Settings,
    text: &str,
) -> Result<(&'static str, Vec<String>)> {
    let Some((name, values)) = text.split_once('=') else {
        return Err(usage(format!(
            "--vary takes NAME=VALUES, such as positions=7..15, not \"{text}\""
        )));
    };
    let option = entry.options.iter().find(|option| option.name.eq_ignore_ascii_case(name.trim()));
    let Some(option) = option else {
        // The settings know best what there is.
        let error = base.clone().set(&format!("{name}=")).expect_err("there is no such option");
        return Err(usage(error));
    };
    let listed: Vec<String> = match values.split_once("..") {
        Some((from, to)) => range(option, from, to)?,
        None => values.split(',').map(|value| value.trim().to_owned()).collect(),
    };
    let mut values: Vec<String> = Vec::new();
    for value in listed {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Ok((option.name, values))
}

/// The numbers from one to another that the option can have.
fn range(option: &RuleOption, from: &str, to: &str) -> Result<Vec<String>> {
    let OptionKind::Number { min, max, odd, .. } = option.kind else {
        return Err(usage(format!("{} has no range: it is {}", option.name, option.possible())));
    };
    let bound = |text: &str| {
        let number = text.trim().trim_start_matches('=').parse::<u8>().ok();
        number.filter(|number| (min..=max).contains(number))
    };
    let (Some(from), Some(to)) = (bound(from), bound(to)) else {
        return Err(usage(format!("{} is {}", option.name, option.possible())));
    };
    let numbers: Vec<String> = (from..=to)
        .filter(|number| !odd || number % 2 == 1)
        .map(|number| number.to_string())
        .collect();
    if numbers.is_empty() {
        return Err(usage(format!(
            "there is nothing from {from} to {to}: {} is {}",
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
    fn a_range_leaves_out_what_cannot_be() {
        let made = variants("capture-the-line", &["positions=6..9"]).expect("in range");
        assert_eq!(made, ["positions=7", "positions=9"]);
    }

    #[test]
    fn a_value_named_again_is_one_variant_and_an_option_named_again_is_refused() {
        assert_eq!(variants("base-battle", &["positions=7,7,7"]).expect("in range").len(), 1);
        let error = variants("base-battle", &["positions=7", "positions=8"]).expect_err("twice");
        assert!(error.to_string().contains("positions is varied twice"), "{error}");
    }

    #[test]
    fn what_cannot_be_varied_is_refused_with_what_can() {
        for (vary, told) in [
            ("positions=2..4", "positions is a whole number from 3 to 255"),
            ("size=3", "it has positions, steps and push"),
            ("push=1..2", "push has no range: it is facing, behind or onward"),
            ("push=sideways", "push is facing, behind or onward"),
            ("positions", "--vary takes NAME=VALUES"),
            ("positions=9..7", "there is nothing from 9 to 7"),
        ] {
            let error = variants("base-battle", &[vary]).expect_err(vary).to_string();
            assert!(error.contains(told), "{error}");
        }
    }
}
