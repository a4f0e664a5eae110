//! The laws far from the default boards: random play under random options, from a seed of its own.

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use skirmish_rules::graph::turns;
use skirmish_rules::{Catalogued, Kind, RuleOption, Settings, Side};

use crate::dice::Dice;
use crate::sixth::SIX_GAMES;
use crate::{position, tables};

/// Games of each kind, and the longest of them.
const CASES: u32 = 48;
const TURNS: usize = 150;

/// The same for games at a table, which take longer: much is typed there and taken back.
const TABLE_CASES: u32 = 10;
const TABLE_TURNS: usize = 15;

/// Checks the laws in every position of some random games.
pub(crate) fn check<G: Catalogued>() {
    let variants = (rules(G::OPTIONS), select(&Side::ALL[..]), any::<u64>());
    let run = runner(CASES).run(&variants, |(rules, first, seed)| {
        let settings = Settings::parse(G::OPTIONS, rules.iter().map(String::as_str)).unwrap();
        let game = G::with(&settings);
        let mut dice = Dice::new(seed);
        let mut state = game.start(first);
        for _ in 0..TURNS {
            position::check(&game, &state);
            let turns = turns(&game, &state);
            if turns.is_empty() {
                break;
            }
            state = game.resolve(&state, *dice.pick(&turns), |_event| {});
        }
        Ok(())
    });
    run.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn tables_obey_their_laws_under_random_options() {
    for entry in SIX_GAMES.iter() {
        let variants = (rules(entry.options), select(&Side::ALL[..]), any::<u64>());
        let run = runner(TABLE_CASES).run(&variants, |(rules, first, seed)| {
            let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
            tables::check(entry, &rules, first, seed, TABLE_TURNS);
            Ok(())
        });
        run.unwrap_or_else(|failure| panic!("{}: {failure}", entry.id));
    }
}

/// A runner that tries the same cases every time and writes no files.
fn runner(cases: u32) -> TestRunner {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// A value for every option, the extreme ones often.
fn rules(options: &'static [RuleOption]) -> Vec<BoxedStrategy<String>> {
    options.iter().map(rule).collect()
}

fn rule(option: &'static RuleOption) -> BoxedStrategy<String> {
    match option.kind {
        Kind::Number { min, max, odd, default } => {
            let even_too = prop_oneof![Just(min), Just(max), Just(default), min..=max];
            let number = even_too
                .prop_map(move |number| if odd && number % 2 == 0 { number - 1 } else { number });
            number.prop_map(|number| format!("{}={number}", option.name)).boxed()
        }
        Kind::Word(words) => {
            let word = select(words).prop_map(|(word, _)| word);
            word.prop_map(|word| format!("{}={word}", option.name)).boxed()
        }
    }
}
