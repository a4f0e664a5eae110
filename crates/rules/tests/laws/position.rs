//! The laws of a single position and of every turn in it.

use skirmish_rules::graph::turns;
use skirmish_rules::{Both, Catalogued, Change, Narrate, Outcome, Side, Tempo};

/// Checks all laws of one position.
pub(crate) fn check<G: Catalogued>(game: &G, state: &G::State) {
    choices_are_distinct_and_known(game, state);
    somebody_can_choose_unless_it_is_over(game, state);
    there_is_a_mover_unless_both_act_at_once(game, state);
    a_piece_on_its_goal_has_won(game, state);
    a_token_reads_back(game, state);
    the_mirror_image_is_the_same_game(game, state);
    for turn in turns(game, state) {
        events_describe_the_turn(game, state, turn);
        the_mirror_image_of_a_turn_is_its_mirror_image(game, state, turn);
    }
}

fn choices_are_distinct_and_known<G: Catalogued>(game: &G, state: &G::State) {
    for side in Side::ALL {
        let actions = game.actions(state, side);
        for (index, action) in actions.iter().enumerate() {
            let notation = action.to_string();
            let earlier = &actions[..index];
            assert!(!earlier.contains(action), "{notation} twice in {state:?}");
            assert!(
                earlier.iter().all(|other| other.to_string() != notation),
                "{notation} is two actions in {state:?}"
            );
            assert!(
                notation.chars().all(|letter| letter.is_ascii_alphanumeric())
                    && notation == notation.to_lowercase(),
                "{notation} is not one lower-case token"
            );
            if Some(*action) == G::PASS {
                assert_eq!(actions.len(), 1, "R-ALL-3: a pass beside other choices in {state:?}");
            } else {
                assert!(game.vocabulary().contains(action), "{notation} is not in the vocabulary");
            }
        }
    }
}

fn somebody_can_choose_unless_it_is_over<G: Catalogued>(game: &G, state: &G::State) {
    let choosing = Side::ALL.into_iter().any(|side| !game.actions(state, side).is_empty());
    assert_eq!(choosing, game.outcome(state).is_none(), "in {state:?}");
    if let (true, Some(mover)) = (choosing, game.mover(state)) {
        assert!(!game.actions(state, mover).is_empty(), "the mover waits in {state:?}");
        assert!(game.actions(state, mover.other()).is_empty(), "both choose in {state:?}");
    }
}

/// The law also holds in finished games. The mover changes with every turn.
fn there_is_a_mover_unless_both_act_at_once<G: Catalogued>(game: &G, state: &G::State) {
    let mover = game.mover(state);
    assert_eq!(mover.is_none(), G::STARTER.tempo() == Tempo::Simultaneous, "in {state:?}");
    for turn in turns(game, state) {
        let after = game.resolve(state, turn, |_event| {});
        assert_eq!(game.mover(&after), mover.map(Side::other), "after {turn:?} in {state:?}");
    }
}

fn a_piece_on_its_goal_has_won<G: Catalogued>(game: &G, state: &G::State) {
    let scene = game.scene(state);
    let Some(goal) = scene.track.and_then(|track| track.goal) else { return };
    for side in Side::ALL {
        let arrived = scene.pieces.iter().any(|piece| piece.side == side && piece.at == goal[side]);
        assert_eq!(arrived, game.outcome(state) == Some(Outcome::Won(side)), "{side} in {state:?}");
    }
}

/// This law also makes tokens unique, because a token parses to only one position.
fn a_token_reads_back<G: Catalogued>(game: &G, state: &G::State) {
    let token = game.position(state);
    assert!(!token.contains(char::is_whitespace), "\"{token}\" is not one token");
    assert_eq!(game.parse_position(&token).as_ref(), Ok(state), "{token}");
}

fn the_mirror_image_is_the_same_game<G: Catalogued>(game: &G, state: &G::State) {
    let image = game.mirror(state);
    assert_eq!(game.mirror(&image), *state, "the image of the image");
    let swapped = game.outcome(state).map(|outcome| match outcome {
        Outcome::Won(side) => Outcome::Won(side.other()),
        Outcome::Draw => Outcome::Draw,
    });
    assert_eq!(game.mover(&image), game.mover(state).map(Side::other), "the mover in the image");
    assert_eq!(game.outcome(&image), swapped, "the result of the image of {state:?}");
    for side in Side::ALL {
        let there = game.actions(&image, side.other());
        let here = game.actions(state, side);
        assert_eq!(there.len(), here.len(), "choices of {side} in {state:?}");
        for &action in &here {
            let image = game.mirror_action(action);
            assert!(there.contains(&image), "{image} of {side} is missing opposite {state:?}");
            assert_eq!(game.mirror_action(image), action, "the image of the image");
        }
    }
}

/// The changes of a turn's events lead from the old scene to the new one. There is a win or draw event exactly if the
/// game ends that way. Collecting the events does not affect the result.
fn events_describe_the_turn<G: Catalogued>(
    game: &G,
    state: &G::State,
    turn: Both<Option<G::Action>>,
) {
    let mut events = Vec::new();
    let after = game.resolve(state, turn, |event| events.push(event));
    assert_eq!(
        game.resolve(state, turn, |_event| {}),
        after,
        "without collecting: {turn:?} in {state:?}"
    );

    let mut scene = game.scene(state);
    for change in events.iter().flat_map(Narrate::changes) {
        let before = scene.clone();
        scene.apply(change).unwrap_or_else(|error| panic!("{error}: {turn:?} in {state:?}"));
        // A gauge may be set to its current value, as by a charge at the maximum (R-CL-5).
        let is_gauge = matches!(change, Change::Gauge { .. });
        assert!(is_gauge || scene != before, "{change:?} changes nothing: {turn:?} in {state:?}");
    }
    assert_eq!(scene, game.scene(&after), "{turn:?} in {state:?} reports {events:?}");

    assert!(!events.is_empty(), "{turn:?} in {state:?} reports nothing");
    let kinds = events.iter().map(Narrate::kind);
    let ends: Vec<&str> = kinds.filter(|&kind| kind == "win" || kind == "draw").collect();
    let expected: &[&str] = match game.outcome(&after) {
        None => &[],
        Some(Outcome::Won(_)) => &["win"],
        Some(Outcome::Draw) => &["draw"],
    };
    assert_eq!(ends, expected, "{turn:?} in {state:?} reports {events:?}");
}

fn the_mirror_image_of_a_turn_is_its_mirror_image<G: Catalogued>(
    game: &G,
    state: &G::State,
    turn: Both<Option<G::Action>>,
) {
    let after = game.resolve(state, turn, |_event| {});
    let image = turn.swapped().map(|action| action.map(|action| game.mirror_action(action)));
    let opposite = game.resolve(&game.mirror(state), image, |_event| {});
    assert_eq!(opposite, game.mirror(&after), "{turn:?} in {state:?}");
}
