//! Aids for studying a position: best lines, payoff matrices, and the values of moves against a level.

use std::sync::Arc;

use skirmish_play::player::{Level, Policy, against, best_against};
use skirmish_play::{Answer, Budget, Judgement, Payoffs, Solved};
use skirmish_rules::graph::{Expansion, Node, NodeOutcome};
use skirmish_rules::{Both, Settings, Side, Unwatched};
use skirmish_solver::Value;
use skirmish_solver::response::Forecast;

#[path = "../../rules/tests/sixth/mod.rs"]
mod sixth;

use sixth::SIX_GAMES;

/// Small boards, and one game with draws by the rules; of all other games, the default board is studied.
const BOARDS: [(&str, &str); 8] = [
    ("command-line-conquer", "positions=5"),
    ("capture-and-conquer", ""),
    ("base-battle", ""),
    ("base-battle", "positions=10 steps=2 push=behind"),
    ("capture-the-line", ""),
    ("last-stone", "stones=4 winner=most"),
    ("command-clash", ""),
    ("command-clash", "points=3 defeat=damage"),
];

fn solved(game: &str, rules: &str, budget: u64) -> Arc<Solved> {
    let entry = SIX_GAMES.find(game).expect("the game exists");
    let settings = Settings::parse(entry.options, rules.split_whitespace()).expect("in range");
    let solved = Solved::of(entry, &settings, Side::One, Budget { bytes: budget }, &Unwatched);
    let solved = solved.expect("the board is small");
    solved.prepare_players(&Unwatched).expect("nobody cancels");
    Arc::new(solved)
}

fn boards() -> impl Iterator<Item = (String, Arc<Solved>)> {
    let others = SIX_GAMES.iter().map(|entry| (entry.id, ""));
    let others = others.filter(|(id, _)| BOARDS.iter().all(|(game, _)| game != id));
    BOARDS
        .into_iter()
        .chain(others)
        .map(|(game, rules)| (format!("{game} {rules}"), solved(game, rules, 1 << 30)))
}

/// Returns the node after a turn.
fn after(solved: &Solved, node: u32, turn: &str) -> u32 {
    let actions = solved.graph().actions(node);
    let mut expansion = Expansion::default();
    solved.graph().expand(node, &mut expansion);
    let place = |side: Side, text: &str| {
        let found = actions[side].iter().position(|action| action == text);
        found.unwrap_or_else(|| panic!("{text} is not legal in {}", solved.graph().position(node)))
    };
    let index = match (solved.graph().mover(node), turn.split_once('|')) {
        (Some(side), _) => place(side, turn),
        (None, Some((one, two))) => {
            place(Side::One, one) * expansion.columns + place(Side::Two, two)
        }
        (None, None) => panic!("{turn} is half a turn"),
    };
    expansion.next[index]
}

#[test]
fn every_step_of_a_line_is_best() {
    for (board, solved) in boards() {
        let Answer::Alternating(solution) = solved.answer() else { continue };
        for start in solved.reached().iter() {
            let line = solved.line(&solved.graph().position(start)).unwrap().expect("reachable");
            let value = solution.value(start);
            let mut node = start;
            let mut seen = vec![start];
            for (index, (mover, turn)) in line.turns.iter().enumerate() {
                assert_eq!(*mover, solved.graph().mover(node), "{board}");
                let next = after(&solved, node, turn);
                let (before, worth) = (solution.value(node), solution.value(next).before());
                assert_eq!(worth.rank(), before.rank(), "{board}: {line:?} gives something away");
                let is_last = index + 1 == line.turns.len();
                let is_new = !seen.contains(&next);
                assert!(is_new || (is_last && line.repeats.is_some()), "{board}: {line:?}");
                seen.push(next);
                node = next;
            }
            let length = u16::try_from(line.turns.len()).unwrap();
            match value {
                Value::Win(plies) | Value::Loss(plies) => {
                    assert_eq!((plies, &line.repeats), (length, &None), "{board}");
                    assert_eq!(solution.value(node).plies(), Some(0), "{board}");
                }
                Value::Draw(plies) => {
                    assert!(length <= plies && line.repeats.is_none(), "{board}: {line:?}");
                    assert_eq!(solution.value(node), Value::Draw(0), "{board}");
                }
                Value::Endless => {
                    assert_eq!(line.repeats, Some(solved.graph().position(node)), "{board}");
                    assert!(seen[..seen.len() - 1].contains(&node), "{board}: {line:?}");
                }
            }
        }
    }
}

#[test]
fn a_line_of_mixes_makes_the_likeliest_choices() {
    let solved = solved("command-clash", "", 1 << 30);
    for start in solved.reached().iter() {
        let line = solved.line(&solved.graph().position(start)).unwrap().expect("reachable");
        let mut node = start;
        for (mover, turn) in &line.turns {
            assert_eq!(*mover, None);
            let Judgement::Simultaneous { strategy, .. } = solved.judge(node) else {
                panic!("both choose at once")
            };
            let (one, two) = turn.split_once('|').expect("two choices");
            for (mix, chosen) in [(&strategy.one, one), (&strategy.two, two)] {
                let share =
                    |name: &str| mix.iter().find(|(action, _)| action == name).map(|it| it.1);
                let most = mix.iter().map(|it| it.1).fold(0.0, f64::max);
                assert!(share(chosen) >= Some(most), "{turn}: {mix:?}");
            }
            node = after(&solved, node, turn);
        }
        let is_over = solved.graph().expand(node, &mut Expansion::default()) != Node::Open;
        assert_eq!(is_over, line.repeats.is_none(), "{line:?}");
    }
}

#[test]
fn a_payoff_matrix_holds_the_values_of_the_next_positions() {
    const CLOSE: f64 = 1e-8;
    for rules in ["", "points=3 defeat=damage", "points=7"] {
        let solved = solved("command-clash", rules, 1 << 30);
        let mut expansion = Expansion::default();
        for node in solved.reached().iter() {
            let is_open = solved.graph().expand(node, &mut expansion) == Node::Open;
            let Some(payoffs) = solved.payoffs(node) else {
                assert!(!is_open, "only a finished game has no matrix");
                continue;
            };
            let value = |node| match solved.judge(node) {
                Judgement::Simultaneous { value, .. } => value,
                Judgement::Alternating { .. } => panic!("both choose at once"),
            };
            let expected: Vec<f64> = expansion.next.iter().map(|&next| value(next)).collect();
            assert_eq!(payoffs.values.concat(), expected);
            assert_eq!(payoffs.actions, solved.graph().actions(node));
            // The published mixes are an equilibrium of the matrix.
            let Judgement::Simultaneous { value, strategy, .. } = solved.judge(node) else {
                panic!()
            };
            let mix = Both::from_fn(|side: Side| shares(&payoffs, &strategy[side], side));
            for row in &payoffs.values {
                let gets: f64 = row.iter().zip(&mix.two).map(|(cell, share)| cell * share).sum();
                assert!(gets <= value + CLOSE, "{}", solved.graph().position(node));
            }
            for column in 0..mix.two.len() {
                let cells = payoffs.values.iter().map(|row| row[column]);
                let gets: f64 = cells.zip(&mix.one).map(|(cell, share)| cell * share).sum();
                assert!(gets >= value - CLOSE, "{}", solved.graph().position(node));
            }
            check_dominated(&payoffs, &mix);
        }
    }
}

fn shares(payoffs: &Payoffs, strategy: &[(String, f64)], side: Side) -> Vec<f64> {
    let share = |action: &String| {
        strategy.iter().find(|(name, _)| name == action).map_or(0.0, |(_, share)| *share)
    };
    payoffs.actions[side].iter().map(share).collect()
}

/// Checks that every reported choice is dominated as stated, and that no best mix contains a strictly dominated choice.
fn check_dominated(payoffs: &Payoffs, mix: &Both<Vec<f64>>) {
    for side in Side::ALL {
        let gets = |own: usize, other: usize| match side {
            Side::One => payoffs.values[own][other],
            Side::Two => -payoffs.values[other][own],
        };
        let others = payoffs.actions[side.other()].len();
        for found in &payoffs.dominated[side] {
            assert!(found.by[found.choice] <= 0.0, "no choice dominates itself");
            assert!((found.by.iter().sum::<f64>() - 1.0).abs() < 1e-9);
            let gains: Vec<f64> = (0..others)
                .map(|other| {
                    let mixed =
                        found.by.iter().enumerate().map(|(own, share)| share * gets(own, other));
                    mixed.sum::<f64>() - gets(found.choice, other)
                })
                .collect();
            let equal = Payoffs::EQUAL;
            if found.strictly {
                assert!(gains.iter().all(|gain| *gain > equal), "{found:?}: {gains:?}");
                assert!(mix[side][found.choice] < 1e-6, "{found:?}: {mix:?}");
            } else {
                assert!(gains.iter().all(|gain| *gain >= -equal), "{found:?}: {gains:?}");
                assert!(gains.iter().any(|gain| *gain > equal), "{found:?}: {gains:?}");
                // A choice in a best mix is worse only against choices that no best mix of the other side contains.
                let worse = payoffs.worse_against(side, found.choice, &found.by);
                let is_worse = |other: &usize| gains[*other] > equal;
                assert_eq!(worse.len(), (0..others).filter(is_worse).count());
                let answered = (0..others).filter(is_worse).map(|other| mix[side.other()][other]);
                let share = mix[side][found.choice];
                assert!(share <= 0.0 || answered.sum::<f64>() <= 0.0, "{found:?}: {mix:?}");
            }
        }
    }
}

fn forecasts(policy: &Policy, position: &str, side: Side) -> Vec<Forecast> {
    let found = against(policy, position, &Unwatched).expect("the board is small");
    assert_eq!(found.level, policy.level());
    found.choices[side].iter().map(|(_, forecast)| *forecast).collect()
}

/// Compares forecasts by score, then by how soon they win or how late they lose.
fn is_better(one: Forecast, two: Forecast) -> bool {
    let score = |forecast: Forecast| forecast.win - forecast.loss;
    if (score(one) - score(two)).abs() > 1e-9 {
        return score(one) > score(two);
    }
    let turns = |forecast: Forecast| forecast.turns.unwrap_or(0.0) * score(forecast);
    turns(one) < turns(two) - 1e-7
}

/// R-ALL-2: with such a high turn limit that hardly any game reaches it, the best response scores the same. Against the
/// perfect player, who may take very long, nobody scores more than the value of the game.
#[test]
fn the_best_move_scores_what_the_best_response_does() {
    const LATE: usize = 3_000;
    for (board, solved) in boards() {
        let start = solved.graph().start();
        for level in Level::ALL {
            let policy = Policy::new(level, Arc::clone(&solved));
            for side in Side::ALL {
                let found = forecasts(&policy, &solved.graph().position(start), side);
                if found.is_empty() {
                    continue;
                }
                let best = found.iter().map(|it| it.win + it.draw / 2.0).fold(0.0, f64::max);
                let expected = match (level, solved.judge(start)) {
                    (Level::Perfect, Judgement::Alternating { value, .. }) => {
                        f64::midpoint(f64::from(value.rank().signum()), 1.0)
                    }
                    (Level::Perfect, Judgement::Simultaneous { value, .. }) => {
                        let mine = if side == Side::One { value } else { -value };
                        f64::midpoint(mine, 1.0)
                    }
                    _ => best_against(&solved, &policy, side, LATE, &Unwatched)
                        .expect("nobody cancels"),
                };
                assert!((best - expected).abs() < 1e-5, "{board}, {level}: {best}, {expected}");
            }
        }
    }
}

/// Always playing the move with the best forecast gives exactly the forecast results and length.
#[test]
fn a_forecast_comes_true() {
    const ROUNDS: usize = 4_000;
    for (game, rules) in [BOARDS[1], BOARDS[2], BOARDS[5], BOARDS[6]] {
        let solved = solved(game, rules, 1 << 30);
        for (level, side) in [(Level::Casual, Side::One), (Level::Expert, Side::Two)] {
            let policy = Policy::new(level, Arc::clone(&solved));
            let chain = Followed::of(&solved, &policy, side);
            let mut totals = vec![[0.0; 3]; chain.steps.len()];
            for _ in 0..ROUNDS {
                let step = |row: &FollowedStep| {
                    let mut total = row.gains;
                    for &(next, chance) in &row.next {
                        (0..3).for_each(|kind| total[kind] += chance * totals[next][kind]);
                    }
                    total
                };
                totals = chain.steps.iter().map(step).collect();
            }
            for (&(node, forecast), [win, loss, turns]) in chain.forecasts.iter().zip(&totals) {
                let Some(forecast) = forecast else { continue };
                let place = solved.graph().position(node);
                let close = |one: f64, two: f64, what: &str| {
                    assert!(
                        (one - two).abs() < 1e-5,
                        "{game} {place}, {level}: {what} {one}, {two}"
                    );
                };
                close(forecast.win, *win, "win");
                close(forecast.loss, *loss, "loss");
                close(forecast.win + forecast.loss + forecast.draw, 1.0, "all");
                if let Some(expected) = forecast.turns {
                    close(expected, *turns, "turns");
                }
            }
        }
    }
}

/// The Markov chain of a game in which one side follows the forecasts and the other plays by a policy.
struct Followed {
    /// The open positions, each with the best forecast if the side can choose there.
    forecasts: Vec<(u32, Option<Forecast>)>,
    steps: Vec<FollowedStep>,
}

struct FollowedStep {
    next: Vec<(usize, f64)>,
    /// The chances of winning and losing immediately, and one turn.
    gains: [f64; 3],
}

impl Followed {
    fn of(solved: &Solved, policy: &Policy, side: Side) -> Self {
        let mut expansion = Expansion::default();
        let graph = solved.graph();
        let open: Vec<u32> = solved
            .reached()
            .iter()
            .filter(|&node| graph.expand(node, &mut expansion) == Node::Open)
            .collect();
        let (mut listed, mut steps) = (Vec::new(), Vec::new());
        for &node in &open {
            let found = forecasts(policy, &graph.position(node), side);
            let mut best = 0;
            for index in 1..found.len() {
                if is_better(found[index], found[best]) {
                    best = index;
                }
            }
            graph.expand(node, &mut expansion);
            let theirs = policy.shares(node, side.other());
            let cells: Vec<(usize, f64)> = match (graph.mover(node), side) {
                (Some(mover), _) if mover == side => vec![(best, 1.0)],
                (Some(_), _) => theirs.into_iter().enumerate().collect(),
                (None, Side::One) => {
                    let cells = theirs.into_iter().enumerate();
                    cells.map(|(it, share)| (best * expansion.columns + it, share)).collect()
                }
                (None, Side::Two) => {
                    let cells = theirs.into_iter().enumerate();
                    cells.map(|(it, share)| (it * expansion.columns + best, share)).collect()
                }
            };
            let cells: Vec<(u32, f64)> =
                cells.into_iter().map(|(cell, share)| (expansion.next[cell], share)).collect();
            let mut step = FollowedStep { next: Vec::new(), gains: [0.0, 0.0, 1.0] };
            for (next, share) in cells {
                if let Ok(place) = open.binary_search(&next) {
                    step.next.push((place, share));
                    continue;
                }
                let Node::Over(verdict) = graph.expand(next, &mut expansion) else {
                    panic!("every open position is listed")
                };
                let is_mine = graph.mover(next).unwrap_or(Side::One) == side;
                match (verdict, is_mine) {
                    (NodeOutcome::Drawn, _) => {}
                    (NodeOutcome::Won, true) | (NodeOutcome::Lost, false) => step.gains[0] += share,
                    (NodeOutcome::Won, false) | (NodeOutcome::Lost, true) => step.gains[1] += share,
                }
            }
            listed.push((node, found.get(best).copied()));
            steps.push(step);
        }
        Self { forecasts: listed, steps }
    }
}

#[test]
fn without_memory_there_is_no_forecast() {
    let budget = 60 * 60 * 2 * 40;
    let solved = solved("capture-and-conquer", "positions=60", budget);
    let policy = Policy::new(Level::Casual, Arc::clone(&solved));
    let error = against(&policy, "0/59/1", &Unwatched).expect_err("there is too little memory");
    assert!(error.to_string().starts_with("that would need about"), "{error}");
}
