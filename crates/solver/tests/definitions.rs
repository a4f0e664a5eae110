//! Compares the values of small random games with their definitions, by trying every strategy.

mod toy;

use skirmish_rules::graph::NodeOutcome;
use skirmish_solver::pressure::{Pressure, Pressures, Victim};
use skirmish_solver::retrograde::{self, Solution};
use skirmish_solver::{Edges, Unwatched, Value};
use toy::{Stage, Toy, random};

/// The size of games with few enough strategies to try them all.
const TINY: u32 = 7;

fn solved(toy: &Toy) -> Solution {
    retrograde::solve(toy, &Unwatched).expect("nobody cancels")
}

/// The choices of one side: for each position in which it moves, the index of its move.
type Strategy = Vec<usize>;

/// Every strategy.
fn strategies(toy: &Toy) -> Vec<Strategy> {
    let mut all: Vec<Strategy> = vec![Vec::new()];
    for stage in &toy.stages {
        let moves = match stage {
            Stage::Over(_) => 1,
            Stage::Open(next) => next.len(),
        };
        all = all
            .into_iter()
            .flat_map(|chosen| {
                (0..moves).map(move |choice| {
                    let mut chosen = chosen.clone();
                    chosen.push(choice);
                    chosen
                })
            })
            .collect();
    }
    all
}

/// The goal of a side.
#[derive(Clone, Copy, PartialEq)]
enum Goal {
    Win,
    /// Finish the game without losing.
    NoLoss,
}

/// The plies in which a side reaches its goal with its strategy, whatever the other side does; `None` if the game may
/// never end or may end differently. `own` says whether the side moves here. Replies excluded by `may_reply` do not
/// count towards the plies, but must still lead to the goal.
fn worst(
    toy: &Toy,
    (node, own): (u32, bool),
    strategy: &Strategy,
    goal: Goal,
    may_reply: &dyn Fn(u32) -> bool,
    path: &mut Vec<(u32, bool)>,
) -> Option<u16> {
    if path.contains(&(node, own)) {
        return None;
    }
    match &toy.stages[node as usize] {
        Stage::Over(verdict) => {
            let is_won =
                matches!((verdict, own), (NodeOutcome::Won, true) | (NodeOutcome::Lost, false));
            let is_wanted = is_won || (goal == Goal::NoLoss && *verdict == NodeOutcome::Drawn);
            is_wanted.then_some(0)
        }
        Stage::Open(next) => {
            path.push((node, own));
            let mut most = Some(0);
            for (index, &next) in next.iter().enumerate() {
                if own && index != strategy[node as usize] {
                    continue;
                }
                let plies = worst(toy, (next, !own), strategy, goal, may_reply, path);
                let counts = own || may_reply(next);
                most = match (most, plies) {
                    (Some(most), Some(plies)) if counts => Some(plies.max(most)),
                    (Some(most), Some(_)) => Some(most),
                    _ => None,
                };
            }
            path.pop();
            most.map(|plies| plies + 1)
        }
    }
}

/// The fewest plies in which a side can force its goal, over all strategies.
fn forced(
    toy: &Toy,
    all: &[Strategy],
    start: (u32, bool),
    goal: Goal,
    may_reply: &dyn Fn(u32) -> bool,
) -> Option<u16> {
    all.iter()
        .filter_map(|strategy| worst(toy, start, strategy, goal, may_reply, &mut Vec::new()))
        .min()
}

#[test]
fn values_match_their_definitions() {
    let (mut seen, mut forced_by_one, mut forced_by_both) = ([0; 4], 0, 0);
    for seed in 0..400 {
        let toy = random(seed, TINY, 3);
        let solution = solved(&toy);
        assert_eq!(solution.verify(&toy, &Unwatched), Ok(()), "seed {seed}");
        let all = strategies(&toy);
        let any = |_: u32| true;
        let mut classes = Vec::new();
        for node in 0..TINY {
            let win = forced(&toy, &all, (node, true), Goal::Win, &any);
            let loss = forced(&toy, &all, (node, false), Goal::Win, &any);
            classes.push((win, loss));
        }
        for node in solution.reached().iter() {
            let (win, loss) = classes[node as usize];
            // The length of a draw counts only replies that do not give it away.
            let is_even = |node: u32| classes[node as usize] == (None, None);
            let (mine, theirs) = if is_even(node) {
                (
                    forced(&toy, &all, (node, true), Goal::NoLoss, &is_even),
                    forced(&toy, &all, (node, false), Goal::NoLoss, &is_even),
                )
            } else {
                (None, None)
            };
            let expected = match (win, loss, mine.into_iter().chain(theirs).min()) {
                (Some(plies), _, _) => Value::Win(plies),
                (None, Some(plies), _) => Value::Loss(plies),
                (None, None, Some(plies)) => Value::Draw(plies),
                (None, None, None) => Value::Endless,
            };
            assert_eq!(solution.value(node), expected, "seed {seed}, position {node}");
            assert_eq!(solution.forced_draw(node), (mine, theirs), "seed {seed}, position {node}");
            let kind = ["win", "loss", "draw", "endless"];
            seen[kind.iter().position(|&word| word == expected.word()).expect("a kind")] += 1;
            forced_by_one += usize::from(mine.is_some() != theirs.is_some());
            forced_by_both += usize::from(mine.is_some() && theirs.is_some());
        }
    }
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
    assert!(forced_by_one > 50 && forced_by_both > 50, "{forced_by_one} {forced_by_both}");
}

/// The levels of pressure by definition: iterate over all positions until nothing changes.
fn pressures_by_definition(toy: &Toy, solution: &Solution) -> Vec<Option<Pressure>> {
    let size = toy.stages.len();
    let is_even = |node: u32| solution.reached().contains(node) && solution.value(node).is_even();
    let moves = |node: usize| match &toy.stages[node] {
        Stage::Over(_) => &[][..],
        Stage::Open(next) => next.as_slice(),
    };
    let mut found: Vec<Option<Pressure>> = vec![None; size];
    let open: Vec<usize> =
        (0..size).filter(|&node| is_even(toy_number(node)) && !moves(node).is_empty()).collect();
    for level in 0..=u8::MAX {
        let earlier = found.clone();
        // A mistake loses, or puts its own side under pressure at an earlier level.
        let is_error = |next: u32| {
            let favours = earlier[next as usize].is_some_and(|it| it.on == Victim::Other);
            if level == 0 { !is_even(next) } else { favours }
        };
        for &node in open.iter().filter(|&&node| earlier[node].is_none()) {
            if moves(node).iter().any(|&next| is_error(next)) {
                found[node] = Some(Pressure { level, on: Victim::Mover, plies: 0 });
            }
        }
        let is_level = |it: Option<Pressure>| it.filter(|it| it.level == level);
        for plies in 1.. {
            let now = found.clone();
            for &node in open.iter().filter(|&&node| now[node].is_none()) {
                let after = moves(node).iter().filter(|&&next| is_even(next));
                let mut after = after.map(|&next| now[next as usize]);
                if after.clone().any(|it| is_level(it).is_some_and(|it| it.on == Victim::Mover)) {
                    found[node] = Some(Pressure { level, on: Victim::Other, plies });
                } else if after.all(|it| it.is_some_and(|it| it.on == Victim::Other)) {
                    found[node] = Some(Pressure { level, on: Victim::Mover, plies });
                }
            }
            if found == now {
                break;
            }
        }
        if found == earlier {
            break;
        }
    }
    found
}

fn toy_number(node: usize) -> u32 {
    u32::try_from(node).expect("a toy is small")
}

#[test]
fn pressure_matches_its_definition() {
    let (mut levels, mut beside_draws) = ([0; 4], 0);
    // Some games are large enough to span several blocks of memory.
    for (seed, size) in (0..600).map(|seed| (seed, 24)).chain((600..602).map(|seed| (seed, 10_000)))
    {
        let toy = random(seed, size, 1);
        let solution = solved(&toy);
        let expected = pressures_by_definition(&toy, &solution);
        let found = Pressures::of(&toy, &solution, &Unwatched).expect("nobody cancels");
        for (node, expected) in expected.into_iter().enumerate() {
            let node = toy_number(node);
            assert_eq!(found.get(node), expected, "seed {seed}, position {node}");
            if let Some(pressure) = expected {
                levels[usize::from(pressure.level.min(3))] += 1;
                beside_draws += usize::from(matches!(solution.value(node), Value::Draw(_)));
            }
        }
    }
    assert!(levels.iter().all(|&count| count > 20), "{levels:?}");
    assert!(beside_draws > 20, "{beside_draws}");
}

#[test]
fn a_drawn_end_is_a_way_out_of_a_trap() {
    let open = |next: &[u32]| Stage::Open(next.to_vec());
    let won = Stage::Over(NodeOutcome::Won);
    // Position 0 must move to 1, where the other side can only move to the trap 2 or, in the second game, end the game
    // as a draw.
    let trapped = [open(&[1]), open(&[2]), open(&[0, 3]), won.clone()];
    let toy = Toy { stages: trapped.to_vec(), columns: 1 };
    let pressures = Pressures::of(&toy, &solved(&toy), &Unwatched).expect("nobody cancels");
    let on = |node| pressures.get(node).map(|it| (it.on, it.plies));
    assert_eq!(on(2), Some((Victim::Mover, 0)));
    assert_eq!(on(1), Some((Victim::Other, 1)));
    assert_eq!(on(0), Some((Victim::Mover, 2)));
    let free = [open(&[1, 4]), open(&[2]), open(&[0, 3]), won, Stage::Over(NodeOutcome::Drawn)];
    let toy = Toy { stages: free.to_vec(), columns: 1 };
    let pressures = Pressures::of(&toy, &solved(&toy), &Unwatched).expect("nobody cancels");
    assert_eq!(pressures.get(0).map(|it| it.level), Some(1), "only a move to 1 is an error");
}

#[test]
fn distances_that_do_not_fit_are_clamped() {
    const LONG: u32 = 17_000;
    for (verdict, forced) in [(NodeOutcome::Lost, None), (NodeOutcome::Drawn, Some(16_319))] {
        let mut stages: Vec<Stage> = (1..LONG).map(|next| Stage::Open(vec![next])).collect();
        stages.push(Stage::Over(verdict));
        let toy = Toy { stages, columns: 1 };
        let solution = solved(&toy);
        assert_eq!(solution.value(LONG - 4).plies(), Some(3));
        assert_eq!(solution.value(0).plies(), Some(16_319));
        assert_eq!(solution.forced_draw(0), (forced, forced));
        assert_eq!(solution.verify(&toy, &Unwatched), Ok(()));
    }
}

#[test]
fn a_false_claim_is_refuted_wherever_it_is() {
    // The values of one game rarely fit another; if they do, the second game has the same values.
    let mut refuted = 0;
    for seed in 0..4000 {
        let (toy, other) = (random(seed, 6, 4), random(seed + 10_000, 6, 4));
        let (mine, theirs) = (solved(&toy), solved(&other));
        if (0..6).any(|node| mine.reached().contains(node) != theirs.reached().contains(node)) {
            continue;
        }
        let same = mine.reached().iter().all(|node| {
            mine.value(node) == theirs.value(node)
                && mine.forced_draw(node) == theirs.forced_draw(node)
        });
        assert_eq!(theirs.verify(&toy, &Unwatched).is_ok(), same, "seed {seed}");
        refuted += usize::from(!same);
    }
    assert!(refuted > 100, "{refuted}");
}

#[test]
fn moves_and_finished_positions_are_counted() {
    let stages = vec![
        Stage::Open(vec![1, 2, 3]),
        Stage::Open(vec![0, 2]),
        Stage::Over(NodeOutcome::Lost),
        Stage::Over(NodeOutcome::Drawn),
        Stage::Open(vec![0]),
    ];
    let solution = solved(&Toy { stages, columns: 1 });
    assert_eq!((solution.turns(), solution.finished(), solution.most_choices()), (5, 2, 3));
    assert_eq!(solution.reached().iter().collect::<Vec<u32>>(), [0, 1, 2, 3]);
    assert_eq!((solution.start(), solution.size()), (0, 5));
    // Per position: two bytes for the value, one bit for reachability, and two bytes per side for forced draws.
    assert_eq!(solution.bytes(), 5 * 2 + 5 * 4);
    assert_eq!(Pressures::bytes_needed(&solution), 5 * 8 + 5 * 11);
    let without_draws = solved(&ring());
    assert_eq!(without_draws.bytes(), 16 * 2 + 2);
}

/// A ring of sixteen positions with one way out, which loses.
fn ring() -> Toy {
    let mut stages: Vec<Stage> = (0..15).map(|at| Stage::Open(vec![(at + 1) % 15])).collect();
    stages[7] = Stage::Open(vec![8, 15]);
    stages.push(Stage::Over(NodeOutcome::Won));
    Toy { stages, columns: 1 }
}

#[test]
fn the_watcher_counts_every_position_once() {
    use std::ops::ControlFlow;
    use std::sync::Mutex;
    let mut toy = random(1, 10_000, 1);
    // Add unreachable nodes with much larger numbers.
    toy.stages.extend(vec![Stage::Over(NodeOutcome::Won); 10_000]);
    let batches = Mutex::new(Vec::new());
    let watch = |positions: u64| {
        batches.lock().expect("nobody fails").push(positions);
        ControlFlow::Continue(())
    };
    let told = |batches: &Mutex<Vec<u64>>| {
        let told = std::mem::take(&mut *batches.lock().expect("nobody fails"));
        usize::try_from(told.iter().sum::<u64>()).expect("a toy is small")
    };
    let solution = retrograde::solve(&toy, &watch).expect("nobody cancels");
    assert_eq!(told(&batches), solution.reached().count());
    assert!(Pressures::of(&toy, &solution, &watch).is_ok());
    assert_eq!(told(&batches), solution.even().count());
    assert_eq!(solution.verify(&toy, &watch), Ok(()));
    assert_eq!(told(&batches), solution.reached().count());
}

/// The matrices have the maximum size for two lists of actions, and span more than one block.
#[test]
fn the_largest_matrices_are_explored() {
    for side in [5, skirmish_rules::MAX_ACTIONS] {
        let size: u32 = 5_000;
        let cells = u32::try_from(side * side).expect("a matrix");
        let stage = |node: u32| {
            if node == size - 1 {
                return Stage::Over(NodeOutcome::Won);
            }
            Stage::Open((1..=cells).map(|step| (node + step).min(size - 1)).collect())
        };
        let toy = Toy { stages: (0..size).map(stage).collect(), columns: side };
        let edges = Edges::explore(&toy, &Unwatched).expect("nobody cancels");
        assert_eq!(edges.reached().count(), size as usize);
        assert_eq!(edges.turns(), (size as usize - 1) * side * side);
        assert_eq!((edges.most_choices(), edges.over().count()), (side * side, 1));
    }
}

/// The tree has three moves in each position, and is wide enough for its levels to be distributed over cores.
#[test]
fn a_wide_game_is_solved_like_a_narrow_one() {
    const SIZE: u32 = 60_000;
    let mut dice = toy::Dice::new(7);
    let stage = |node: u32| {
        let moves: Vec<u32> =
            (1..=3).map(|child| 3 * node + child).filter(|&at| at < SIZE).collect();
        if moves.is_empty() {
            let verdicts = [NodeOutcome::Lost, NodeOutcome::Won, NodeOutcome::Drawn];
            return Stage::Over(verdicts[dice.below(3) as usize]);
        }
        Stage::Open(moves)
    };
    let toy = Toy { stages: (0..SIZE).map(stage).collect(), columns: 1 };
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let solution = solved(&toy);
            assert_eq!(solution.verify(&toy, &Unwatched), Ok(()));
            let even = solution.even();
            assert!(even.count() > 1000);
            let is_even = |&node: &u32| solution.value(node).is_even();
            let expected: Vec<u32> = solution.reached().iter().filter(is_even).collect();
            assert_eq!(even.iter().collect::<Vec<u32>>(), expected);
        });
    }
}
