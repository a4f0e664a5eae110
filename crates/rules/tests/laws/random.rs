//! Checks the laws far from the default boards, in random play with random options and fixed seeds.

use skirmish_rules::graph::turns;
use skirmish_rules::{Catalogued, OptionKind, RuleOption, Settings, Side};

use crate::dice::Dice;
use crate::sixth::SIX_GAMES;
use crate::{position, tables};

/// The number of games of each kind, and their maximum length.
const CASES: u64 = 48;
const TURNS: usize = 150;

/// The number and maximum length of games at a table, which take longer because many choices are typed and withdrawn.
const TABLE_CASES: u64 = 10;
const TABLE_TURNS: usize = 15;

/// Checks the laws in every position of random games.
pub(crate) fn check<G: Catalogued>() {
    for seed in 0..CASES {
        let mut dice = Dice::new(seed);
        let (rules, first) = case(G::ID, G::OPTIONS, &mut dice);
        let settings = Settings::parse(G::OPTIONS, rules.iter().map(String::as_str)).unwrap();
        let game = G::with(&settings);
        let mut state = game.start(first);
        for _ in 0..TURNS {
            position::check(&game, &state);
            let turns = turns(&game, &state);
            if turns.is_empty() {
                break;
            }
            state = game.resolve(&state, *dice.pick(&turns), |_event| {});
        }
    }
}

#[test]
fn tables_obey_their_laws_under_random_options() {
    for entry in SIX_GAMES.iter() {
        for seed in 0..TABLE_CASES {
            let (rules, first) = case(entry.id, entry.options, &mut Dice::new(seed));
            let rules: Vec<&str> = rules.iter().map(String::as_str).collect();
            tables::check(entry, &rules, first, seed, TABLE_TURNS);
        }
    }
}

/// Random option values, and the side that starts. A failing test shows the last case printed.
fn case(id: &str, options: &[RuleOption], dice: &mut Dice) -> (Vec<String>, Side) {
    let rules = options.iter().map(|option| rule(option, dice)).collect();
    let first = *dice.pick(&Side::ALL);
    println!("{id} {rules:?}, {first:?} first");
    (rules, first)
}

/// An option with a random value, often an extreme one.
fn rule(option: &RuleOption, dice: &mut Dice) -> String {
    match option.kind {
        OptionKind::Number { min, max, odd, default } => {
            let any = *dice.pick(&(min..=max).collect::<Vec<u8>>());
            let number = *dice.pick(&[min, max, default, any]);
            let number = if odd && number.is_multiple_of(2) { number - 1 } else { number };
            format!("{}={number}", option.name)
        }
        OptionKind::Word(words) => format!("{}={}", option.name, dice.pick(words).0),
    }
}
