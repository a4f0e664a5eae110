//! Checks every puzzle against the solver, a plain search of the game tree, and its own properties.

use std::collections::HashSet;
use std::sync::Arc;

use skirmish_rules::{
    Catalog, Catalogued, Choice, Entry, GAMES, Names, Outcome, Settings, Setup, Side, Table, Tempo,
    Unwatched, default_names,
};
use skirmish_solver::Value;

use super::*;
use crate::sixth::{LastStone, SIX_GAMES};
use crate::{Budget, Day, Judgement, seen_from};

/// The games and rule options whose puzzles are checked; of all other games, those of the default board.
const BOARDS: [(&str, &str); 13] = [
    ("command-line-conquer", "positions=5 units=2"),
    ("command-line-conquer", "positions=7 units=2"),
    ("capture-and-conquer", ""),
    ("capture-and-conquer", "positions=9 steps=3"),
    ("base-battle", ""),
    ("base-battle", "positions=9 push=behind"),
    ("base-battle", "positions=13 push=onward"),
    ("capture-the-line", ""),
    ("capture-the-line", "positions=21 steps=3"),
    ("command-clash", ""),
    ("command-clash", "points=3"),
    ("last-stone", ""),
    ("last-stone", "stones=6 winner=most"),
];

fn boards() -> impl Iterator<Item = (&'static str, &'static str)> {
    let others = SIX_GAMES.iter().map(|entry| (entry.id, ""));
    BOARDS.into_iter().chain(others.filter(|(id, _)| BOARDS.iter().all(|(game, _)| game != id)))
}

fn variant(game: &str, rules: &str) -> (&'static Entry, Settings) {
    let entry = SIX_GAMES.find(game).unwrap();
    (entry, Settings::parse(entry.options, rules.split_whitespace()).unwrap())
}

fn deck(game: &str, rules: &str, seed: u64) -> PuzzleDeck {
    deck_from(Side::One, game, rules, seed)
}

/// Returns each board with each side that may start on it.
fn starts() -> impl Iterator<Item = (&'static str, &'static str, Side)> {
    boards().flat_map(|(game, rules)| {
        let (entry, _) = variant(game, rules);
        let may_start = move |first: &Side| crate::starter(entry, *first).is_ok();
        Side::ALL.into_iter().filter(may_start).map(move |first| (game, rules, first))
    })
}

/// Returns the puzzles of a game that `first` starts.
fn deck_from(first: Side, game: &str, rules: &str, seed: u64) -> PuzzleDeck {
    let (entry, settings) = variant(game, rules);
    let solved =
        Solved::of(entry, &settings, first, Budget { bytes: 1 << 30 }, &Unwatched).unwrap();
    PuzzleDeck::of(Arc::new(solved), Chance::from_seed(seed), &Unwatched).unwrap()
}

fn all(deck: &mut PuzzleDeck) -> Vec<Puzzle> {
    std::iter::from_fn(|| deck.draw(None)).collect()
}

fn names() -> Names {
    default_names()
}

/// Opens a table at a position.
fn table(entry: &'static Entry, settings: &Settings, position: &str) -> Box<dyn Table> {
    let position = Some(position.to_owned());
    let setup = Setup { settings: settings.clone(), position, ..entry.setup() };
    entry.open(setup).unwrap()
}

#[test]
fn exactly_one_move_keeps_the_win_by_the_solver() {
    let mut seen = 0;
    for (game, rules, first) in starts() {
        let mut deck = deck_from(first, game, rules, 1);
        let solved = Arc::clone(deck.solved());
        for puzzle in all(&mut deck) {
            let Goal::Win { plies } = puzzle.goal else { continue };
            let judged = solved.judge_position(&puzzle.position).unwrap().expect("reachable");
            let Judgement::Alternating { value, moves, .. } = judged else { panic!("turns") };
            assert_eq!(value, Value::Win(plies), "{game} {rules}: {puzzle:?}");
            let winning = moves.iter().filter(|it| it.value.word() == "win").count();
            assert!(winning == 1 && moves.len() > 1 && plies >= 3, "{game} {rules}: {puzzle:?}");
            seen += 1;
        }
    }
    assert!(seen > 90, "{seen} puzzles");
}

/// Whether a side can force a win within `plies`, found by brute force.
fn forces(table: &dyn Table, side: Side, plies: u16) -> bool {
    let [mover] = table.turn()[..] else { return table.outcome() == Some(Outcome::Won(side)) };
    let forces_after = |choice: &Choice| {
        let mut after = table.fork();
        after.play(&choice.notation).unwrap();
        forces(&*after, side, plies - 1)
    };
    let choices = table.choices(mover);
    plies > 0
        && if mover == side {
            choices.iter().any(forces_after)
        } else {
            choices.iter().all(forces_after)
        }
}

/// The maximum depth of the plain search, in plies.
const AHEAD: u16 = 7;

#[test]
fn exactly_one_move_keeps_the_win_by_brute_force() {
    let mut seen = 0;
    for (game, rules, first) in starts() {
        let (entry, settings) = variant(game, rules);
        for puzzle in all(&mut deck_from(first, game, rules, 1)) {
            let Goal::Win { plies } = puzzle.goal else { continue };
            if plies > AHEAD {
                continue;
            }
            let table = table(entry, &settings, &puzzle.position);
            assert_eq!(table.turn(), [puzzle.player]);
            let in_plies = |plies| forces(&*table, puzzle.player, plies);
            assert!(in_plies(plies) && !in_plies(plies - 1), "{game}: {puzzle:?}");
            let wins = table.choices(puzzle.player).into_iter().filter(|choice| {
                let mut after = table.fork();
                after.play(&choice.notation).unwrap();
                // Search beyond the quickest win: no other move may win shortly afterwards either.
                forces(&*after, puzzle.player, AHEAD + 2)
            });
            assert_eq!(wins.count(), 1, "{game} {rules}: {puzzle:?}");
            seen += 1;
        }
    }
    assert!(seen > 40, "{seen} puzzles");
}

/// The best moves solve every puzzle in the stated number of plies; every other first move is refuted.
#[test]
fn puzzles_are_followed_to_the_end() {
    for (game, rules) in boards() {
        let mut deck = deck(game, rules, 3);
        let solved = Arc::clone(deck.solved());
        for puzzle in std::iter::from_fn(|| deck.draw(None)).take(60) {
            let Goal::Win { plies } = puzzle.goal else { continue };
            let mut attempt = Attempt::new(Arc::clone(&solved), puzzle.clone(), names()).unwrap();
            let line = {
                let mut shown = Attempt::new(Arc::clone(&solved), puzzle.clone(), names()).unwrap();
                let line = shown.give_up();
                assert!(shown.is_over() && !shown.is_solved() && !shown.progress().is_clean());
                line
            };
            assert_eq!(line.len(), usize::from(plies), "{game} {rules}: {puzzle:?}");
            for choice in attempt.progress().table().choices(puzzle.player) {
                if choice.notation == line[0] {
                    continue;
                }
                let Ok(Tried::Wrong(refutation)) = attempt.submit(&choice.notation) else {
                    panic!("{game} {rules}: {puzzle:?} {choice:?}")
                };
                assert_eq!(refutation.notation, choice.notation);
                assert!(!matches!(refutation.value, Value::Win(_)));
                assert_eq!(
                    attempt.progress().table().position(),
                    puzzle.position,
                    "nothing was played"
                );
            }
            let mistakes = attempt.progress().table().choices(puzzle.player).len() - 1;
            assert_eq!(
                (attempt.progress().mistakes() as usize, attempt.progress().is_clean()),
                (mistakes, false)
            );
            let mut left = plies;
            for notation in &line {
                assert_eq!(attempt.plies(), left);
                if attempt.advance() {
                    assert_eq!(attempt.progress().table().history().last(), Some(notation));
                } else {
                    let is_only = attempt.winning_moves() == 1;
                    let tried = attempt.submit(notation).unwrap();
                    let expected = match left {
                        1 => Tried::Won,
                        _ => Tried::Kept { plies: left - 1, is_only },
                    };
                    assert_eq!(tried, expected, "{game} {rules}: {puzzle:?}");
                }
                left -= 1;
            }
            assert!(attempt.is_solved() && attempt.is_over());
        }
    }
}

#[test]
fn a_refutation_is_the_best_play_after_the_mistake() {
    let mut deck = deck("base-battle", "", 1);
    let solved = Arc::clone(deck.solved());
    for puzzle in all(&mut deck) {
        let mut attempt = Attempt::new(Arc::clone(&solved), puzzle.clone(), names()).unwrap();
        let count = attempt.progress().table().choices(puzzle.player).len();
        let mut hints: Vec<Hint> = std::iter::from_fn(|| attempt.hint()).collect();
        assert!(!attempt.progress().is_clean());
        // With two moves, the first hint would be the answer if it named the wrong one.
        if count == 2 {
            assert!(matches!(hints.remove(0), Hint::Consequence(_)));
        }
        let named = hints.into_iter().map(|hint| match hint {
            Hint::Wrong(refutation) => refutation,
            Hint::Consequence(_) => panic!("only the first hint names nothing"),
        });
        let named: Vec<Refutation> = named.collect();
        let others: HashSet<&String> = named.iter().map(|it| &it.notation).collect();
        assert_eq!(others.len(), count - 1, "every wrong move is named once");
        let hint = &named[0];
        assert_eq!(attempt.submit(&hint.notation), Ok(Tried::Wrong(hint.clone())));
        let mut after = attempt.progress().table().fork();
        after.play(&hint.notation).unwrap();
        let judged = solved.judge_position(&after.position()).unwrap().unwrap();
        let Judgement::Alternating { value, moves, .. } = judged else { panic!("turns") };
        assert_eq!(value.before(), hint.value);
        let (_, answer) = &hint.line.turns[0];
        let answer = moves.iter().find(|it| it.notation == *answer).unwrap();
        assert_eq!(answer.value, value, "it is as good as the position");
        let line = solved.line(&after.position()).unwrap();
        assert_eq!(Some(&hint.line), line.as_ref(), "as analyze shows it");
    }
}

#[test]
fn what_is_not_legal_is_neither_a_try_nor_a_mistake() {
    let mut deck = deck("base-battle", "", 1);
    let puzzle = deck.draw(None).unwrap();
    let mut attempt = Attempt::new(Arc::clone(deck.solved()), puzzle, names()).unwrap();
    assert!(attempt.submit("9").is_err() && attempt.submit("fly").is_err());
    assert!(attempt.progress().is_clean() && !attempt.advance());
}

#[test]
fn a_stronger_level_solves_a_puzzle_more_often_and_a_longer_line_is_harder() {
    for (game, rules) in boards() {
        let mut deck = deck(game, rules, 1);
        for puzzle in all(&mut deck).into_iter().take(200) {
            let Goal::Win { .. } = puzzle.goal else { continue };
            let odds = Level::ALL.map(|level| deck.odds(&puzzle, level).unwrap());
            assert!(odds.is_sorted_by(|weak, strong| weak < strong), "{game}: {puzzle:?} {odds:?}");
            assert!((odds[4] - 1.0).abs() < 1e-12, "perfect always solves it");
            let weakest = Level::ALL.into_iter().zip(odds).find(|(_, odds)| *odds >= 0.5 - 1e-9);
            assert_eq!(weakest.map(|(level, _)| level), Some(puzzle.level), "{puzzle:?} {odds:?}");
            // A puzzle includes all of its moves, so it is at least as hard as its continuation.
            let mut attempt =
                Attempt::new(Arc::clone(deck.solved()), puzzle.clone(), names()).unwrap();
            let first = attempt.give_up().remove(0);
            let mut after = attempt.progress().table().fork();
            after.play(&first).unwrap();
            let rest = Puzzle { position: after.position(), ..puzzle.clone() };
            assert!(deck.odds(&rest, Level::Novice) > Some(odds[0]), "{game}: {puzzle:?}");
        }
    }
}

#[test]
fn the_seed_determines_the_order_and_nothing_is_drawn_twice() {
    for (game, rules) in boards() {
        let order = |seed| all(&mut deck(game, rules, seed));
        let (one, again, two) = (order(1), order(1), order(2));
        assert_eq!(one, again, "{game} {rules}");
        let positions = |puzzles: &[Puzzle]| -> HashSet<(String, Side)> {
            puzzles.iter().map(|it| (it.position.clone(), it.player)).collect()
        };
        assert_eq!(positions(&one).len(), one.len());
        assert_eq!(positions(&one), positions(&two));
        assert!(one.len() < 8 || one != two, "{game} {rules}");
    }
}

#[test]
fn a_level_draws_only_its_own_puzzles() {
    let mut total = 0;
    for level in Level::ALL {
        let mut deck = deck("capture-and-conquer", "positions=9 steps=3", 5);
        let count = deck.count();
        let drawn: Vec<Puzzle> = std::iter::from_fn(|| deck.draw(Some(level))).collect();
        assert!(drawn.iter().all(|puzzle| puzzle.level == level));
        total += drawn.len();
        assert!(drawn.len() < count, "not all are {level}");
    }
    assert_eq!(total, deck("capture-and-conquer", "positions=9 steps=3", 5).count());
}

/// Otherwise, some days would have no puzzle.
#[test]
fn every_game_has_a_puzzle() {
    for entry in SIX_GAMES.iter() {
        assert!(deck(entry.id, "", 1).count() > 0, "{}", entry.id);
    }
}

#[test]
fn a_board_without_choices_has_no_puzzle() {
    assert_eq!(deck("capture-and-conquer", "steps=1", 1).count(), 0);
}

/// People compare their daily puzzles, so the puzzle of a date must never change.
#[test]
fn the_puzzle_of_a_day_never_changes() {
    let day = |text: &str| text.parse::<Day>().unwrap();
    let of = |text: &str| {
        let (game, seed) = (daily_game(GAMES, day(text)).id, daily_seed(day(text)));
        let puzzle = deck(game, "", seed).draw(None).unwrap();
        format!("{game} {seed} {} {}", puzzle.position, puzzle.level)
    };
    let days = ["2026-11-16", "2026-11-17", "2026-11-18", "2026-11-19", "2026-11-20"];
    assert_eq!(days.map(of), EXPECTED);
    assert_eq!(daily_game(GAMES, day("2026-11-21")).id, daily_game(GAMES, day("2026-11-16")).id);
    // A seed without a game must not change its game either.
    let games = [0, 1, 2, 3].map(|seed| game_of_seed(GAMES, seed).id);
    let expected =
        ["command-line-conquer", "capture-the-line", "capture-the-line", "capture-and-conquer"];
    assert_eq!(games, expected);
}

/// The first games in the rotation, in order.
const ROTATION: [&str; 5] = [
    "command-line-conquer",
    "capture-and-conquer",
    "base-battle",
    "command-clash",
    "capture-the-line",
];

/// Regression: adding a game changed the game of every date and every seed.
#[test]
fn another_game_changes_no_date_before_it_joins_the_rotation_and_no_seed() {
    let mut later = Entry::of::<LastStone>();
    later.daily_since = Some("2027-03-01");
    let first = ROTATION.map(|id| GAMES.find(id).unwrap());
    let games: Vec<&Entry> = std::iter::once(&*Box::leak(Box::new(later))).chain(first).collect();
    let later_games = Catalog(games.leak());
    let never = Catalog(first.into_iter().chain([LastStone::ENTRY]).collect::<Vec<_>>().leak());
    let join = "2027-03-01".parse::<Day>().unwrap().number();
    for number in 0..60_000 {
        let [never, later] =
            [never, later_games].map(|it| daily_game(it, Day::since_1970(number)).id);
        let before = ROTATION[number as usize % ROTATION.len()];
        assert_eq!(never, before, "day {number}");
        assert!(later == before || number >= join, "day {number}");
    }
    let joined = (join..join + 6).map(|number| daily_game(later_games, Day::since_1970(number)).id);
    assert_eq!(joined.filter(|id| *id == "last-stone").count(), 1, "then it has its turn");
    for seed in 0..1_000 {
        let games = [GAMES, SIX_GAMES, later_games].map(|it| game_of_seed(it, seed).id);
        assert_eq!(games, [games[0]; 3], "seed {seed}");
    }
}

const EXPECTED: [&str; 5] = [
    "command-clash 20261116 5/2 expert",
    "capture-the-line 20261117 3/10/2 skilled",
    "command-line-conquer 20261118 0,0,4/8,9,9/1 skilled",
    "capture-and-conquer 20261119 5/6/2 skilled",
    "base-battle 20261120 2/7/1 skilled",
];

#[test]
fn a_mix_is_judged_against_the_best_answer_to_it() {
    let mut deck = deck("command-clash", "", 1);
    let solved = Arc::clone(deck.solved());
    let mut seen = 0;
    for puzzle in all(&mut deck) {
        let Goal::Mix { value, error } = puzzle.goal else { panic!("a mix") };
        let value = seen_from(puzzle.player, value);
        let mut attempt = MixAttempt::new(&solved, puzzle.clone(), names()).unwrap();
        let actions = attempt.actions();
        let share = |best: &[(String, f64)], notation: &str| {
            best.iter().find(|(action, _)| action == notation).map_or(0.0, |(_, share)| *share)
        };
        let best: Vec<f64> = {
            let mut shown = MixAttempt::new(&solved, puzzle.clone(), names()).unwrap();
            assert!(shown.best().is_none(), "it is not shown before");
            let best = shown.give_up().to_vec();
            assert!(shown.is_over() && !shown.progress().is_clean() && !shown.is_solved());
            actions.iter().map(|choice| share(&best, &choice.notation)).collect()
        };
        // Compute the value of a mix against each answer from the values of the successors.
        let table = attempt.progress().table();
        let other = table.choices(puzzle.player.other());
        let worth = |mix: &[f64]| {
            let against = |answer: &str| -> f64 {
                let cell = |mine: &str| {
                    let mut after = table.fork();
                    after.submit(puzzle.player, mine).unwrap();
                    after.submit(puzzle.player.other(), answer).unwrap();
                    let judged = solved.judge_position(&after.position()).unwrap().unwrap();
                    let Judgement::Simultaneous { value, .. } = judged else { panic!("mixes") };
                    if puzzle.player == Side::One { value } else { -value }
                };
                actions.iter().zip(mix).map(|(mine, share)| share * cell(&mine.notation)).sum()
            };
            other.iter().map(|it| against(&it.notation)).fold(f64::INFINITY, f64::min)
        };
        let part = 1.0 / f64::from(u32::try_from(actions.len()).unwrap());
        let uniform = vec![part; actions.len()];
        let pure: Vec<f64> = (0..actions.len()).map(|index| f64::from(index == 0)).collect();
        let by_hand = [&best, &uniform, &pure].map(|mix| (value - worth(mix)).max(0.0));
        let judged = [&best, &uniform, &pure].map(|mix| attempt.guess(mix));
        for (guess, given) in judged.iter().zip(by_hand) {
            assert!((guess.given_away - given).abs() < 1e-12, "{puzzle:?} {guess:?} {given}");
            assert_eq!(guess.is_solved, given <= 0.05);
        }
        assert_eq!(judged[0].marks, 100, "{puzzle:?} {:?}", judged[0]);
        assert!(judged[0].given_away <= error + 1e-12);
        assert!(judged[1].marks < 100 && judged[2].marks < 100);
        assert!(attempt.is_solved());
        seen += 1;
    }
    assert_eq!(seen, 12);
}

#[test]
fn mixes_are_read_as_people_write_them() {
    let mut deck = deck("command-clash", "", 1);
    let puzzle = std::iter::from_fn(|| deck.draw(None)).find(|it| it.position == "4/2").unwrap();
    let puzzle = Puzzle { player: Side::One, ..puzzle };
    let attempt = MixAttempt::new(deck.solved(), puzzle, names()).unwrap();
    let read = |text: &str| attempt.read(text);
    assert_eq!(read("charge 50 shield 50"), Ok(vec![0.5, 0.0, 0.0, 0.5]));
    assert_eq!(read(" Special Attack 25%, c=75 "), Ok(vec![0.75, 0.0, 0.25, 0.0]));
    assert_eq!(read("spec att 25 c 75"), Ok(vec![0.75, 0.0, 0.25, 0.0]));
    assert_eq!(read("shield"), Ok(vec![0.0, 0.0, 0.0, 1.0]));
    let thirds = read("c 33.3 a 33.3 sp 33.3").unwrap();
    assert!((thirds.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let told = |text: &str| read(text).unwrap_err().to_string();
    assert_eq!(told(""), "Enter a mix, such as charge 50 attack 50.");
    assert_eq!(told("50"), "Enter a mix, such as charge 50 attack 50.");
    assert_eq!(told("charge 50 shield 40"), "The shares add up to 90, not to 100.");
    assert_eq!(told("charge 50 c 50"), "charge occurs twice.");
    assert_eq!(
        told("charge 150 shield -50"),
        "charge needs a share from 0 to 100, such as charge 50."
    );
    assert_eq!(told("charge 100 shield"), "shield needs a share from 0 to 100, such as shield 50.");
    let unknown = "\"s\" is not an action here: expected charge, attack, special or shield.";
    assert_eq!(told("s 100"), unknown);
    assert_eq!(told("nan 100"), unknown.replace("\"s\"", "\"nan\""));
}

#[test]
fn mixes_are_asked_only_where_a_careless_one_costs_something() {
    let mut deck = deck("command-clash", "points=3", 1);
    let solved = Arc::clone(deck.solved());
    assert_eq!(solved.graph().tempo(), Tempo::Simultaneous);
    for puzzle in all(&mut deck) {
        let mut attempt = MixAttempt::new(&solved, puzzle.clone(), names()).unwrap();
        assert!(attempt.hint().len() > 1, "{puzzle:?}");
        let count = attempt.actions().len();
        let pure = |index| (0..count).map(|at| f64::from(at == index)).collect::<Vec<f64>>();
        let worst = (0..count).map(|index| attempt.guess(&pure(index)).marks).min();
        assert_eq!(worst, Some(0), "{puzzle:?}");
    }
}
