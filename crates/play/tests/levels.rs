//! Exact computations about computer players: the levels are ordered by strength in every game, the perfect player
//! gives nothing away in any position, and played games agree with the computed results.

use std::sync::Arc;

use skirmish_play::player::{Computer, Level, Policy, best_against, versus};
use skirmish_play::{Answer, Budget, Chance, Judgement, Mark, Solved, review};
use skirmish_rules::graph::Expansion;
use skirmish_rules::{Both, Entry, GAMES, Outcome, Record, Settings, Side, Unwatched};
use skirmish_solver::Value;
use skirmish_solver::recursive::{Mixes, TOLERANCE};

#[path = "../../rules/tests/sixth/mod.rs"]
mod sixth;

use sixth::SIX_GAMES;

/// R-ALL-2: if only programs play, a game is a draw after this many turns.
const TURNS: usize = 200;

/// The minimum score of a level against the previous level.
const CLEARLY: f64 = 0.53;

fn solved_with(entry: &'static Entry, rules: &str) -> Arc<Solved> {
    let settings = Settings::parse(entry.options, rules.split_whitespace()).expect("in range");
    let solved = Solved::of(entry, &settings, Side::One, Budget { bytes: 1 << 30 }, &Unwatched);
    prepared(solved.expect("the board is small"))
}

fn prepared(solved: Solved) -> Arc<Solved> {
    solved.prepare_players(&Unwatched).expect("nobody cancels");
    Arc::new(solved)
}

fn solved(game: &str) -> Arc<Solved> {
    solved_with(GAMES.find(game).expect("the game exists"), "")
}

/// Returns the first policy's score over two games, one in each seat.
fn score(solved: &Solved, one: &Policy, two: &Policy) -> f64 {
    let starting = versus(solved, Both::new(one, two), TURNS, &Unwatched)
        .expect("nobody cancels")
        .score(Side::One);
    let following = versus(solved, Both::new(two, one), TURNS, &Unwatched)
        .expect("nobody cancels")
        .score(Side::Two);
    f64::midpoint(starting, following)
}

#[test]
fn every_level_is_clearly_stronger_than_the_one_before() {
    for entry in GAMES.iter() {
        let solved = solved(entry.id);
        let policies = Level::ALL.map(|level| Policy::new(level, Arc::clone(&solved)));
        for pair in policies.windows(2) {
            let score = score(&solved, &pair[1], &pair[0]);
            let level = pair[1].level();
            assert!(score > CLEARLY, "{}: {level} scores {score}", entry.id);
        }
    }
}

#[test]
fn nobody_scores_more_against_perfect_than_the_value_of_the_game() {
    for game in GAMES.iter().map(|entry| entry.id) {
        let solved = solved(game);
        let starting = match solved.judge(solved.graph().start()) {
            Judgement::Alternating { value: Value::Win(_), .. } => 1.0,
            Judgement::Alternating { value: Value::Loss(_), .. } => 0.0,
            Judgement::Alternating { value: Value::Draw(_) | Value::Endless, .. } => 0.5,
            Judgement::Simultaneous { value, .. } => f64::midpoint(1.0, value),
        };
        let following = 1.0 - starting;
        let perfect = Policy::new(Level::Perfect, Arc::clone(&solved));
        for (side, most) in [(Side::One, starting), (Side::Two, following)] {
            let best =
                best_against(&solved, &perfect, side, TURNS, &Unwatched).expect("nobody cancels");
            assert!((best - most).abs() < 1e-6, "{game}, {side}: {best}");
        }
    }
}

#[test]
fn the_best_response_beats_a_novice() {
    for entry in GAMES.iter() {
        let solved = solved(entry.id);
        let novice = Policy::new(Level::Novice, Arc::clone(&solved));
        assert!(
            best_against(&solved, &novice, Side::One, TURNS, &Unwatched).expect("nobody cancels")
                > 0.9,
            "{}",
            entry.id
        );
    }
}

/// Follows every move of the opponent, but only the perfect player's best moves.
#[test]
fn perfect_gives_nothing_away_in_any_position() {
    for (game, rules) in [
        ("capture-the-line", ""),
        ("capture-and-conquer", ""),
        ("capture-and-conquer", "positions=8 steps=4"),
        ("base-battle", ""),
        ("base-battle", "push=behind positions=10 steps=2"),
        ("base-battle", "push=onward"),
        ("command-line-conquer", ""),
        ("command-line-conquer", "battle=arrival positions=8"),
    ] {
        let solved = solved_with(GAMES.find(game).expect("the game exists"), rules);
        let Answer::Alternating(solution) = solved.answer() else { panic!("{game} alternates") };
        let perfect = Policy::new(Level::Perfect, Arc::clone(&solved));
        let mut expansion = Expansion::default();
        for node in solved.reached().iter() {
            solved.graph().expand(node, &mut expansion);
            let side = solved.graph().mover(node).expect("somebody moves");
            let shares = perfect.shares(node, side);
            for (share, &next) in shares.iter().zip(&expansion.next) {
                let keeps = solution.value(next).before() == solution.value(node);
                assert!(
                    keeps || *share == 0.0,
                    "{game} {rules}: {}",
                    solved.graph().position(node)
                );
            }
        }
    }
}

/// In Command Clash, the perfect player plays an equilibrium, certified by the best response to it, and does not just
/// charge.
#[test]
fn perfect_plays_a_sharp_equilibrium() {
    for rules in ["", "defeat=damage", "points=3 defeat=damage", "points=8"] {
        let solved = solved_with(GAMES.find("command-clash").expect("the game exists"), rules);
        let Answer::Simultaneous { game, solution, .. } = solved.answer() else {
            panic!("both choose at once");
        };
        let perfect = Policy::new(Level::Perfect, Arc::clone(&solved));
        let mixes = |side| {
            let nodes = 0..u32::try_from(game.nodes.len()).expect("a small game");
            nodes.map(|node| perfect.shares(node, side)).collect::<Vec<Vec<f64>>>()
        };
        let judged = game
            .judge(Mixes { rows: mixes(Side::One), columns: mixes(Side::Two) }, &Unwatched)
            .expect("nobody cancels");
        for node in 0..game.nodes.len() {
            let (value, _) = solution.bounds.value(node);
            assert!(judged.bounds.lower[node] > value - 2.0 * TOLERANCE, "{rules}");
            assert!(judged.bounds.upper[node] < value + 2.0 * TOLERANCE, "{rules}");
        }
        let charge = perfect.shares(solved.graph().start(), Side::One)[0];
        assert!(charge < 1.0, "{rules}: perfect does not always charge");
    }
}

#[test]
fn played_games_agree_with_the_computed_results() {
    const GAMES_PLAYED: u32 = 400;
    for game in ["capture-and-conquer", "command-clash"] {
        let solved = solved(game);
        let levels = Both::new(Level::Skilled, Level::Casual);
        let policies = Both::from_fn(|side| Policy::new(levels[side], Arc::clone(&solved)));
        let expected = versus(&solved, policies.as_ref(), TURNS, &Unwatched)
            .expect("nobody cancels")
            .score(Side::One);
        let chance = Chance::from_seed(1);
        let players =
            Both::from_fn(|side| Computer::new(levels[side], Arc::clone(&solved), chance));
        let score: f64 = (1..=GAMES_PLAYED).map(|number| played(&solved, &players, number)).sum();
        let average = score / f64::from(GAMES_PLAYED);
        // Four standard errors of a score between 0 and 1.
        let error = 4.0 * 0.5 / f64::from(GAMES_PLAYED).sqrt();
        assert!((average - expected).abs() < error, "{game}: {average} instead of {expected}");
    }
}

/// Returns Player 1's score in one game.
fn played(solved: &Solved, players: &Both<Computer>, number: u32) -> f64 {
    let entry = solved.entry();
    let mut table = entry.open(entry.setup()).expect("no position is set");
    while table.outcome().is_none() && table.history().len() < TURNS {
        for side in table.to_act() {
            let choice = players[side].choose(&*table, side, number, 0);
            table.submit(side, &choice).expect("a computer's choice is legal");
        }
    }
    match table.outcome() {
        Some(Outcome::Won(Side::One)) => 1.0,
        Some(Outcome::Won(Side::Two)) => 0.0,
        Some(Outcome::Draw) | None => 0.5,
    }
}

#[test]
fn a_draw_is_accepted_exactly_if_nothing_is_better() {
    for entry in GAMES.iter() {
        let solved = solved(entry.id);
        let computer = Computer::new(Level::Novice, Arc::clone(&solved), Chance::from_seed(0));
        for node in solved.reached().iter().step_by(7) {
            let position = solved.graph().position(node);
            let setup = skirmish_rules::Setup { position: Some(position), ..entry.setup() };
            let table = entry.open(setup).expect("a position of this game");
            if table.outcome().is_some() {
                continue;
            }
            for side in Side::ALL {
                let better = match solved.judge(node) {
                    Judgement::Alternating { value, .. } if table.turn() == [side] => {
                        matches!(value, Value::Win(_))
                    }
                    Judgement::Alternating { value, .. } => matches!(value, Value::Loss(_)),
                    Judgement::Simultaneous { value, .. } if side == Side::One => value > 1e-9,
                    Judgement::Simultaneous { value, .. } => value < -1e-9,
                };
                assert_eq!(computer.accepts_draw(&*table, side), !better, "{}", table.position());
            }
        }
    }
}

/// A game of four stones, which is a draw unless a player makes a mistake.
#[test]
fn a_draw_by_the_rules_is_kept_offered_and_reviewed_like_an_endless_game() {
    let entry = SIX_GAMES.find("last-stone").expect("the tests' own game");
    let solved = solved_with(entry, "stones=4 winner=most");
    let perfect = Policy::new(Level::Perfect, Arc::clone(&solved));
    let results =
        versus(&solved, Both::new(&perfect, &perfect), TURNS, &Unwatched).expect("nobody cancels");
    assert_eq!((results.one, results.two, results.draw), (0.0, 0.0, 1.0));
    for side in Side::ALL {
        let most =
            best_against(&solved, &perfect, side, TURNS, &Unwatched).expect("nobody cancels");
        assert!((most - 0.5).abs() < 1e-12, "{side} gets {most}");
    }
    let shares = perfect.shares(solved.graph().start(), Side::One);
    assert_eq!(shares, [0.5, 0.5], "either way one of two answers is an error");

    let computer = Computer::new(Level::Perfect, Arc::clone(&solved), Chance::from_seed(1));
    let record = |turns: &str, result: &str| {
        let tags = "[Game \"last-stone\"]\n[Rules \"stones=4 winner=most\"]";
        let text = format!("{tags}\n[Result \"{result}\"]\n\n{turns}\n");
        Record::parse(&text, SIX_GAMES).expect("a legal record")
    };
    for (turns, takes) in [("", true), ("2 1", false)] {
        let table = record(turns, "*").replay().expect("a legal record");
        assert_eq!(computer.accepts_draw(&*table, Side::One), takes, "{turns}");
    }

    let drawn = review(&record("2 2", "1/2-1/2"), &solved);
    assert_eq!(drawn.accuracy, Both::new(None, Some(100.0)));
    let lost = review(&record("2 1 1", "1-0"), &solved);
    assert_eq!(lost.choices[1].mark(), Some(Mark::Blunder));
    assert_eq!((lost.choices[1].given_away(), lost.turning_point), (1.0, Some(1)));
}

#[test]
fn without_memory_for_traps_perfect_plays_any_of_the_best_moves() {
    let entry = GAMES.find("capture-and-conquer").expect("the game exists");
    let settings = Settings::parse(entry.options, ["positions=40", "steps=9"]).expect("in range");
    // Just enough for the values of 3200 nodes.
    let [tight, roomy] = [3200 * 33, 1 << 30].map(|bytes| {
        let solved = Solved::of(entry, &settings, Side::One, Budget { bytes }, &Unwatched);
        Policy::new(Level::Perfect, prepared(solved.expect("it fits")))
    });
    let solved = tight.solved();
    let Answer::Alternating(solution) = solved.answer() else { panic!("a game of turns") };
    let mut expansion = Expansion::default();
    let mut trapless = 0;
    for node in solved.reached().iter() {
        let Some(side) = solved.graph().mover(node) else { continue };
        let shares = tight.shares(node, side);
        solved.graph().expand(node, &mut expansion);
        let ranks = expansion.next.iter().map(|&next| solution.value(next).before().rank());
        let ranks: Vec<i32> = ranks.collect();
        let best = ranks.iter().max();
        for (share, rank) in shares.iter().zip(&ranks) {
            assert_eq!(*share > 0.0, Some(rank) == best, "{}", solved.graph().position(node));
        }
        trapless += usize::from(shares != roomy.shares(node, side));
    }
    assert!(trapless > 100, "with more memory it sets traps: {trapless}");
}
