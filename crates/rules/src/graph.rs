//! The game as a graph: its positions and the turns that join them.

use std::collections::HashSet;

use crate::game::Game;
use crate::side::{Both, Side};

/// Every turn that can be played in a position.
pub fn turns<G: Game>(game: &G, state: &G::State) -> Vec<Both<Option<G::Action>>> {
    let options = |side| {
        let actions = game.actions(state, side);
        if actions.is_empty() { vec![None] } else { actions.into_iter().map(Some).collect() }
    };
    let Both { one, two } = Both::from_fn(options);
    let pairs =
        one.iter().flat_map(|&first| two.iter().map(move |&second| Both::new(first, second)));
    pairs.filter(|turn| turn.one.is_some() || turn.two.is_some()).collect()
}

/// Every position that can arise from the start, finished ones included, nearest first.
pub fn reachable<G: Game>(game: &G, first: Side) -> Vec<G::State> {
    let start = game.start(first);
    let mut seen = HashSet::from([start]);
    let mut found = vec![start];
    let mut next = 0;
    while let Some(&state) = found.get(next) {
        next += 1;
        for turn in turns(game, &state) {
            let after = game.resolve(&state, turn, |_event| {});
            if seen.insert(after) {
                found.push(after);
            }
        }
    }
    found
}
