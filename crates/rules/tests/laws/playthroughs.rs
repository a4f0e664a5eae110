//! Golden playthroughs: one random game per game and option value, as shown to a player.
//!
//! `UPDATE_GOLDEN=1 cargo test -p skirmish-rules` rewrites them; read the diff as prose. Each file starts with the seed
//! of its playthrough. A new file gets the seed with the most kinds of events.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fmt::{Display, Write};
use std::path::{Path, PathBuf};
use std::{env, fs};

use skirmish_rules::{Entry, OptionKind, RuleOption, Settings, Setup, Side, Table};

use crate::dice::Dice;
use crate::sixth::SIX_GAMES;

/// The maximum number of turns of a playthrough.
const TURNS: usize = 12;

/// The number of turns before a player types nonsense.
const NONSENSE_TURN: usize = 1;

/// The seeds to try for a new playthrough.
const SEEDS: std::ops::Range<u64> = 0..500;

/// The width of a typical terminal.
const WIDTH: usize = 80;

/// A game with at most one option changed.
#[derive(Clone)]
struct Variant {
    entry: &'static Entry,
    rule: Option<String>,
}

#[test]
fn playthroughs_have_not_changed() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/laws/playthroughs");
    let update = env::var_os("UPDATE_GOLDEN").is_some_and(|value| value == "1");
    let mut known = BTreeSet::new();
    for variant in SIX_GAMES.iter().flat_map(variants) {
        let name = variant.file_name();
        let path = folder.join(&name);
        if update {
            let seed = written_seed(&path).unwrap_or_else(|| variant.richest_seed());
            fs::write(&path, variant.transcript(seed)).unwrap();
        }
        let golden = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
        let seed = written_seed(&path).unwrap_or_else(|| panic!("{name} begins with no seed"));
        assert_eq!(variant.transcript(seed), golden, "{name} (UPDATE_GOLDEN=1 rewrites it)");
        known.insert(name);
    }
    let found = fs::read_dir(&folder).unwrap();
    let found: BTreeSet<String> =
        found.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    assert_eq!(found, known, "every playthrough belongs to a game and an option value");
}

/// The seed in the first line of a playthrough.
fn written_seed(path: &Path) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().next()?.strip_prefix("Seed ")?.parse().ok()
}

/// The game with default options, and with each option changed separately.
fn variants(entry: &'static Entry) -> Vec<Variant> {
    let changed = entry.options.iter().flat_map(other_values).map(Some);
    [None].into_iter().chain(changed).map(|rule| Variant { entry, rule }).collect()
}

/// All other words of a word option, or one larger number.
fn other_values(option: &'static RuleOption) -> Vec<String> {
    let rule = |value: &dyn Display| format!("{}={value}", option.name);
    match option.kind {
        OptionKind::Number { default, .. } => vec![rule(&(default + 2))],
        OptionKind::Word(words) => words[1..].iter().map(|(word, _)| rule(word)).collect(),
    }
}

impl Variant {
    fn file_name(&self) -> String {
        let rule = self.rule.as_ref().map_or(String::new(), |rule| format!("_{rule}"));
        format!("{}{rule}.txt", self.entry.id)
    }

    fn table(&self) -> Box<dyn Table> {
        let settings = Settings::parse(self.entry.options, self.rule.as_deref()).unwrap();
        self.entry.open(Setup { settings, ..self.entry.setup() }).unwrap()
    }

    fn transcript(&self, seed: u64) -> String {
        let mut table = self.table();
        let mut dice = Dice::new(seed);
        let mut text = format!("Seed {seed}\n\n{}\n\n{}\n", table.welcome(), table.board(WIDTH));
        while goes_on(&*table) {
            text.push('\n');
            for side in table.to_act() {
                text += &choose(&mut *table, side, &mut dice);
            }
            write!(text, "\n{}\n", table.report(WIDTH)).unwrap();
        }
        text
    }

    /// The seed of the playthrough with the most kinds of events, preferably one that ends.
    fn richest_seed(&self) -> u64 {
        let told = |seed: &u64| {
            let mut table = self.table();
            let mut dice = Dice::new(*seed);
            let mut kinds = BTreeSet::new();
            while goes_on(&*table) {
                for side in table.to_act() {
                    choose(&mut *table, side, &mut dice);
                }
                kinds.extend(table.last_turn().iter().map(|telling| telling.kind));
            }
            (kinds.len(), table.outcome().is_some(), Reverse(*seed))
        };
        SEEDS.max_by_key(told).expect("there are seeds")
    }
}

fn goes_on(table: &dyn Table) -> bool {
    table.outcome().is_none() && table.history().len() < TURNS
}

/// Prompts one side and enters an answer. A pass is played without a prompt (R-ALL-3).
fn choose(table: &mut dyn Table, side: Side, dice: &mut Dice) -> String {
    let choice = dice.pick(&table.choices(side)).clone();
    let mut text = String::new();
    if !table.must_pass(side) {
        let prompt = table.prompt(side);
        if !prompt.lead.is_empty() {
            text = prompt.lead + "\n";
        }
        if table.history().len() == NONSENSE_TURN {
            let refusal = table.submit(side, "0").unwrap_err();
            writeln!(text, "{}0\n{refusal}", prompt.ask).unwrap();
        }
        writeln!(text, "{}{}", prompt.ask, choice.words).unwrap();
    }
    table.submit(side, &choice.words).unwrap();
    text
}
