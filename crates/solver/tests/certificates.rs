//! Solves every game under many rule options, and verifies every value independently.

use skirmish_rules::graph::{Expansion, Graph};
use skirmish_rules::{Entry, GAMES, OptionKind, Settings, Side, SurveyError, Tempo};
use skirmish_solver::pressure::{Pressures, Victim};
use skirmish_solver::recursive::{Recursive, TOLERANCE};
use skirmish_solver::retrograde::{self, Solution};
use skirmish_solver::{Edges, Unwatched, Value};

fn graph(game: &str, rules: &str) -> Box<dyn Graph> {
    let entry = GAMES.find(game).expect("the game exists");
    let settings = Settings::parse(entry.options, rules.split_whitespace()).expect("in range");
    entry.survey(&settings, Side::One, 10_000_000, &Unwatched).expect("a small board")
}

fn solved(game: &str, rules: &str) -> (Box<dyn Graph>, Solution) {
    let graph = graph(game, rules);
    let solution = retrograde::solve(&*graph, &Unwatched).expect("nobody cancels");
    (graph, solution)
}

/// Boards that are quick to solve, with every value of every word option.
fn variants(entry: &Entry) -> Vec<String> {
    let mut variants = vec![String::new()];
    for option in entry.options {
        let values: Vec<String> = match option.kind {
            OptionKind::Number { .. } => {
                let few: &[u8] = match option.name {
                    "positions" => &[3, 5, 7, 9],
                    "strength" => &[1, 3],
                    "points" => &[1, 2, 3, 6, 9],
                    _ => &[1, 2, 3],
                };
                few.iter().map(u8::to_string).collect()
            }
            OptionKind::Word(words) => words.iter().map(|(word, _)| (*word).to_owned()).collect(),
        };
        variants = variants
            .iter()
            .flat_map(|rules| {
                values.iter().map(move |value| format!("{rules} {}={value}", option.name))
            })
            .collect();
    }
    variants
}

#[test]
fn every_value_of_every_variant_is_certified() {
    let mut checked = 0;
    for entry in GAMES.iter() {
        for rules in variants(entry) {
            let graph = graph(entry.id, &rules);
            if graph.tempo() == Tempo::Alternating {
                let solution = retrograde::solve(&*graph, &Unwatched).expect("nobody cancels");
                assert_eq!(solution.verify(&*graph, &Unwatched), Ok(()), "{} {rules}", entry.id);
            } else {
                let game = Recursive::of(&*graph);
                let solution =
                    game.solve(&Unwatched).unwrap_or_else(|error| panic!("{rules}: {error}"));
                let gap =
                    game.judge(solution.mixes, &Unwatched).expect("nobody cancels").bounds.gap();
                assert!(gap < TOLERANCE / 2.0, "{rules}: {gap}");
            }
            checked += 1;
        }
    }
    assert!(checked > 100, "{checked} variants");
}

/// The checkpoints: the number of positions, and the value for the side that starts.
#[test]
fn the_rulings_checkpoints_hold() {
    for (game, rules, states, value) in [
        ("capture-the-line", "", 30, Value::Win(5)),
        ("capture-and-conquer", "", 181, Value::Endless),
        ("base-battle", "", 116, Value::Win(7)),
        ("base-battle", "push=onward", 114, Value::Win(7)),
        ("command-line-conquer", "", 17_764, Value::Endless),
    ] {
        let (graph, solution) = solved(game, rules);
        assert_eq!(solution.reached().count(), states, "{game} {rules}");
        assert_eq!(solution.value(graph.start()), value, "{game} {rules}");
        assert_eq!(solution.start(), graph.start());
        assert_ne!(solution.start(), 0, "{game}: with start 0, the test would prove nothing");
    }
    let clash = graph("command-clash", "");
    let undecided = (0..clash.size()).filter(|&node| {
        let node = u32::try_from(node).expect("a small game");
        !clash.actions(node).one.is_empty()
    });
    assert_eq!(undecided.count(), 26);
}

#[test]
fn a_wrong_value_is_refuted() {
    let (graph, _) = solved("base-battle", "");
    let (_, other) = solved("base-battle", "push=onward");
    assert!(other.verify(&*graph, &Unwatched).is_err(), "the values of another game are refuted");
}

#[test]
fn endless_positions_of_capture_and_conquer_have_pressure() {
    let (graph, solution) = solved("capture-and-conquer", "");
    let endless: Vec<u32> =
        solution.reached().iter().filter(|&node| solution.value(node) == Value::Endless).collect();
    assert_eq!(endless.len(), 81);
    let pressures = Pressures::of(&*graph, &solution, &Unwatched).expect("nobody cancels");
    let mut expansion = Expansion::default();
    let (mut trapped, mut leading, mut led) = (0, 0, 0);
    for node in endless {
        graph.expand(node, &mut expansion);
        let errs = expansion.next.iter().any(|&next| matches!(solution.value(next), Value::Win(_)));
        let pressure = pressures.get(node).expect("somebody is under pressure everywhere");
        assert_eq!(pressure.level, 0);
        match (pressure.on, pressure.plies) {
            (Victim::Mover, 0) => trapped += 1,
            (Victim::Mover, plies) => led += usize::from(plies % 2 == 0),
            (Victim::Other, plies) => leading += usize::from(plies % 2 == 1),
        }
        assert_eq!(errs, (pressure.on, pressure.plies) == (Victim::Mover, 0));
    }
    assert_eq!((trapped, leading, led), (26, 37, 18), "as docs/solving.md says");
    assert_eq!(
        pressures.get(
            solution
                .reached()
                .iter()
                .find(|&node| solution.value(node).plies().is_some())
                .expect("a win")
        ),
        None
    );
}

#[test]
fn exploring_on_one_core_and_on_all_finds_the_same() {
    let graph = graph("command-line-conquer", "positions=9");
    let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let alone = one
        .install(|| Edges::explore(&*graph, &Unwatched).expect("nobody cancels").reached().count());
    let four = rayon::ThreadPoolBuilder::new().num_threads(4).build().expect("threads");
    let (together, solution) = four.install(|| {
        let found = Edges::explore(&*graph, &Unwatched).expect("nobody cancels").reached().count();
        (found, retrograde::solve(&*graph, &Unwatched).expect("nobody cancels"))
    });
    assert_eq!(alone, together);
    assert_eq!(solution.verify(&*graph, &Unwatched), Ok(()));
}

#[test]
fn a_board_too_large_to_be_numbered_is_refused() {
    let entry = GAMES.find("command-line-conquer").expect("the game exists");
    let settings = Settings::parse(entry.options, ["positions=255", "units=8"]).expect("in range");
    let refused = entry.survey(&settings, Side::One, u64::MAX, &Unwatched);
    let Err(SurveyError::TooMany(error)) = refused else { panic!("it is too large") };
    assert!(error.found > error.most);
}
