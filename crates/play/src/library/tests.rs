//! Tests of the library without threads: each test runs the orders itself.

use skirmish_rules::{GAMES, Unwatched};
use skirmish_solver::pressure::Pressures;
use skirmish_solver::retrograde::BYTES_PER_POSITION;

use super::*;
use crate::solved::Answer;

const ROOMY: Budget = Budget { bytes: 1 << 30 };

fn subject(game: &str, rules: &[&str]) -> Subject {
    let entry = GAMES.find(game).expect("the game exists");
    let settings = Settings::parse(entry.options, rules.iter().copied()).expect("in range");
    Subject::start(entry, settings, Side::One)
}

fn conquer(positions: u8) -> Subject {
    subject("capture-and-conquer", &[&format!("positions={positions}")])
}

fn run(order: Order) -> Finished {
    order.run(ROOMY, &Unwatched)
}

/// Returns the memory used by all solutions.
fn bytes(library: &Library) -> u64 {
    library.cache.iter().map(|cached| cached.solved.bytes()).sum()
}

fn obtain(library: &mut Library, subject: &Subject) -> Result<Arc<Solved>, SolveError> {
    library.obtain(Wish::values(subject.clone()), run)
}

#[test]
fn a_wish_is_met_by_one_order() {
    let mut library = Library::new(ROOMY);
    let wish = Wish::values(conquer(9));
    assert!(matches!(library.knowledge(&wish.subject), Knowledge::Nothing));
    let order = library.want(wish.clone()).expect("work to be done");
    assert!(library.want(wish.clone()).is_none(), "it is already in progress");
    assert!(matches!(library.knowledge(&wish.subject), Knowledge::Working(Effort::Full)));
    assert!(library.take(run(order)).is_none());
    assert!(library.want(wish.clone()).is_none(), "it is already solved");
    assert!(matches!(library.knowledge(&wish.subject), Knowledge::Known(_)));
    assert!(library.want(Wish::players(wish.subject)).is_some(), "it has no computer players yet");
}

#[test]
fn there_is_one_order_at_a_time() {
    let mut library = Library::new(ROOMY);
    let order = library.want(Wish::values(conquer(9))).expect("work to be done");
    assert!(library.want(Wish::players(conquer(11))).is_none(), "it waits");
    assert!(matches!(library.knowledge(&conquer(11)), Knowledge::Working(_)));
    let next = library.take(run(order)).expect("now it is its turn");
    assert!(library.take(run(next)).is_none());
    assert!(library.solved(&conquer(9)).is_some() && library.solved(&conquer(11)).is_some());
}

#[test]
fn cancelled_work_ends_early_and_can_be_repeated() {
    let mut library = Library::new(ROOMY);
    let order = library.want(Wish::values(conquer(9))).expect("work to be done");
    library.give_up();
    assert!(matches!(library.knowledge(&conquer(9)), Knowledge::Nothing));
    assert!(library.want(Wish::values(conquer(9))).is_none(), "the first order is still running");
    let cancelled = run(order);
    assert!(cancelled.solved().is_none());
    let again = library.take(cancelled).expect("it was requested again");
    assert!(library.take(run(again)).is_none());
    assert!(library.solved(&conquer(9)).is_some());
}

#[test]
fn the_watcher_of_an_order_can_cancel_it_too() {
    let mut library = Library::new(ROOMY);
    let cancelled = AtomicBool::new(true);
    let wish = Wish::values(conquer(9));
    let result = library.obtain(wish.clone(), |order| order.run(ROOMY, &cancelled));
    assert!(matches!(result, Err(SolveError::Cancelled(_))));
    assert!(library.obtain(wish, run).is_ok(), "nothing prevents it");
}

/// Returns the peak memory while a game is being solved, and its memory use afterwards.
fn sizes(subject: &Subject) -> (u64, u64) {
    let solved = obtain(&mut Library::new(ROOMY), subject).expect("it fits");
    (solved.graph().size() as u64 * BYTES_PER_POSITION, solved.bytes())
}

/// Returns games that use the same amount of memory.
fn alike() -> [Subject; 3] {
    ["steps=2", "steps=3", "steps=4"]
        .map(|steps| subject("capture-and-conquer", &["positions=41", steps]))
}

#[test]
fn the_least_recently_used_solution_is_evicted() {
    let [one, two, three] = alike();
    let (peak, kept) = sizes(&one);
    // Two games fit, and a third does not.
    let mut library = Library::new(Budget { bytes: peak + kept + kept / 2 });
    for game in [&one, &two] {
        assert!(obtain(&mut library, game).is_ok());
    }
    assert!(library.want(Wish::values(one.clone())).is_none(), "it is used again");
    assert!(obtain(&mut library, &three).is_ok());
    assert!(library.solved(&two).is_none(), "it is the least recently used");
    assert!(library.solved(&one).is_some() && library.solved(&three).is_some());
    assert!(bytes(&library) <= peak + kept + kept / 2);
}

#[test]
fn solutions_in_use_are_counted_and_never_evicted() {
    let [one, two, three] = alike();
    let (peak, kept) = sizes(&one);
    let mut library = Library::new(Budget { bytes: peak + kept / 2 });
    let held = obtain(&mut library, &one).expect("it fits");
    for _ in 0..2 {
        assert!(matches!(obtain(&mut library, &two), Err(SolveError::TooLarge { .. })));
    }
    assert!(library.want(Wish::values(two.clone())).is_none(), "there is no more room than before");
    assert!(library.solved(&one).is_some(), "it is in use");
    drop(held);
    assert!(obtain(&mut library, &three).is_ok(), "now it can be evicted");
    assert!(library.solved(&one).is_none());
    assert!(obtain(&mut library, &two).is_ok(), "a refusal ends when there is room");
}

#[test]
fn nothing_is_evicted_for_a_game_that_does_not_fit_anyway() {
    let (peak, _) = sizes(&conquer(21));
    let mut library = Library::new(Budget { bytes: peak });
    assert!(obtain(&mut library, &conquer(21)).is_ok());
    assert!(matches!(obtain(&mut library, &conquer(200)), Err(SolveError::TooLarge { .. })));
    assert!(library.solved(&conquer(21)).is_some());
    assert!(matches!(library.knowledge(&conquer(200)), Knowledge::Refused(Effort::Full, _)));
    assert!(library.want(Wish::values(conquer(200))).is_none(), "it is not tried again");
}

#[test]
fn a_game_refused_at_slight_effort_is_tried_again_at_full_effort() {
    let mut library = Library::new(ROOMY);
    let large = subject("command-line-conquer", &["positions=15", "units=4"]);
    let slight = Wish { effort: Effort::Slight, ..Wish::values(large.clone()) };
    assert!(matches!(library.obtain(slight.clone(), run), Err(SolveError::TooLarge { .. })));
    assert!(library.want(slight).is_none());
    assert!(obtain(&mut library, &large).is_ok());
}

#[test]
fn free_memory_limits_the_budget() {
    let mut library = Library::new(ROOMY);
    let wish = Wish::values(conquer(41));
    let result = library.obtain(wish, |order| order.run(Budget { bytes: 1000 }, &Unwatched));
    assert!(matches!(result, Err(SolveError::TooLarge { free: 1000, .. })));
}

/// Regression: solutions were kept if evicting all of them would not have freed enough memory.
#[test]
fn no_game_is_refused_for_lack_of_free_memory_while_unused_solutions_are_kept() {
    let [one, two, three] = alike();
    let (peak, kept) = sizes(&one);
    let mut library = Library::new(ROOMY);
    assert!(obtain(&mut library, &one).is_ok());
    // The system has too little free memory until the cached solution is evicted.
    let scarce = |order: Order| order.run(Budget { bytes: peak - 3 * kept }, &Unwatched);
    let held = library.solved(&one);
    let refused = library.obtain(Wish::values(two), scarce);
    assert!(matches!(refused, Err(SolveError::TooLarge { .. })), "nothing can be evicted");
    drop(held);
    let order = library.want(Wish::values(three.clone())).expect("work to be done");
    let again = library.take(scarce(order)).expect("it is tried again");
    assert!(library.solved(&one).is_none(), "nobody uses it");
    assert!(library.take(run(again)).is_none());
    assert!(library.solved(&three).is_some());
}

#[test]
fn an_unreachable_position_is_solved_from_where_play_began() {
    let entry = GAMES.find("capture-the-line").expect("the game exists");
    let mut library = Library::new(ROOMY);
    let mut table = entry.open(entry.setup()).expect("a table");
    table.play("2").expect("a legal move");
    let starts = entry.starter.sides().len();
    for _ in 0..starts {
        let subject = library.subject_of(&*table, None);
        assert!(obtain(&mut library, &subject).is_ok());
    }
    let found = library.find(&*table).expect("it is reachable from a start");
    assert!(found.solved.reached().contains(found.node) && !found.solved.has_players());
    let subject = library.subject_of(&*table, None);
    assert!(library.solved(&subject).is_some(), "nothing else has to be solved");
}

#[test]
fn a_solved_game_grows_with_what_is_computed() {
    for (game, has_pressures) in [("capture-and-conquer", true), ("command-clash", false)] {
        let mut library = Library::new(ROOMY);
        let values = obtain(&mut library, &subject(game, &[])).expect("it fits").bytes();
        let wish = Wish { pressures: true, ..Wish::values(subject(game, &[])) };
        let pressures = library.obtain(wish, run).expect("it fits").bytes();
        let players = library.obtain(Wish::players(subject(game, &[])), run).expect("it fits");
        assert!(values > 0 && players.bytes() > pressures, "{game}");
        assert_eq!(pressures > values, has_pressures, "{game}");
        assert_eq!(bytes(&library), players.bytes());
    }
}

fn with_pressures(subject: &Subject, effort: Effort) -> Wish {
    Wish { pressures: true, effort, ..Wish::values(subject.clone()) }
}

#[test]
fn pressures_without_room_at_slight_effort_are_made_at_full_effort() {
    // With slight effort there is enough memory for the values, but not for the pressures.
    let large = subject("capture-and-conquer", &["positions=255", "steps=9"]);
    let mut library = Library::new(ROOMY);
    let solved = library.obtain(with_pressures(&large, Effort::Slight), run).expect("it fits");
    let start = solved.graph().start();
    assert!(solved.pressure(start).is_err());
    assert!(library.want(with_pressures(&large, Effort::Slight)).is_none(), "it is not repeated");
    let order = library.want(with_pressures(&large, Effort::Full)).expect("pressures are missing");
    assert!(matches!(library.knowledge(&large), Knowledge::Known(_)), "its values are solved");
    assert!(library.take(run(order)).is_none());
    assert!(solved.pressure(start).is_ok());
    assert!(library.want(with_pressures(&large, Effort::Full)).is_none());
}

#[test]
fn the_memory_of_a_solution_counts_once() {
    let game = subject("capture-and-conquer", &["positions=40", "steps=9"]);
    let mut roomy = Library::new(ROOMY);
    let values = obtain(&mut roomy, &game).expect("it fits");
    let Answer::Alternating(solution) = values.answer() else { panic!("a game of turns") };
    let needed = values.bytes() + Pressures::bytes_needed(solution);
    for (bytes, fits) in [(needed - 1, false), (needed, true)] {
        let mut library = Library::new(Budget { bytes });
        assert!(obtain(&mut library, &game).is_ok());
        let solved = library.obtain(with_pressures(&game, Effort::Full), run).expect("it fits");
        assert_eq!(solved.pressure(solved.graph().start()).is_ok(), fits);
        assert!(library.want(with_pressures(&game, Effort::Full)).is_none(), "it is not repeated");
    }
}

#[test]
fn reading_computes_nothing() {
    let solved = obtain(&mut Library::new(ROOMY), &conquer(9)).expect("it fits");
    let bytes = solved.bytes();
    for node in solved.reached().iter() {
        assert_eq!(solved.pressure(node), Ok(None));
    }
    assert_eq!(solved.bytes(), bytes);
    assert!(!solved.has_players());
}

/// Regression: the solutions for the two starts kept evicting each other.
#[test]
fn a_position_outside_starts_that_do_not_fit_together_is_solved_on_its_own() {
    let one = subject("base-battle", &["positions=41", "steps=1"]);
    let two = Subject { root: Root::Start(Side::Two), ..one.clone() };
    let (peak, kept) = sizes(&one);
    let (settings, position) = (one.settings.clone(), Some("5/13/1".to_owned()));
    let setup = skirmish_rules::Setup { settings, position, ..one.entry.setup() };
    let table = one.entry.open(setup).expect("a position");
    for known in [None, Some(one), Some(two)] {
        let mut library = Library::new(Budget { bytes: peak + kept / 2 });
        assert!(known.is_none_or(|start| obtain(&mut library, &start).is_ok()));
        for _ in 0..3 {
            let subject = library.subject_of(&*table, None);
            assert!(library.obtain(Wish::players(subject), run).is_ok());
        }
        assert!(library.find(&*table).is_some());
    }
}

/// A position of Base Battle with default rules, as a subject.
fn exercise(position: &str) -> Subject {
    let root = Root::Position(position.to_owned());
    Subject { root, ..subject("base-battle", &[]) }
}

#[test]
fn a_solution_answers_for_the_positions_that_it_contains() {
    let mut library = Library::new(ROOMY);
    let start = obtain(&mut library, &subject("base-battle", &[])).expect("it is small");
    let wish = Wish::players(exercise("3/9/1"));
    assert!(matches!(library.knowledge(&wish.subject), Knowledge::Known(_)));
    let solved = library.obtain(wish, run).expect("it is solved");
    assert!(Arc::ptr_eq(&solved, &start), "nothing is solved twice");
    assert!(start.has_players(), "the players are added to it");
    assert_eq!(library.cache.len(), 1);
}

#[test]
fn an_unreachable_position_is_solved_on_its_own() {
    let mut library = Library::new(ROOMY);
    let start = obtain(&mut library, &subject("base-battle", &[])).expect("it is small");
    // Player 2 has not moved, yet it is Player 1's turn again.
    let unreachable = exercise("3/10/1");
    assert!(start.judge_position("3/10/1").expect("it is a position").is_none());
    assert!(matches!(library.knowledge(&unreachable), Knowledge::Nothing));
    let solved = library.obtain(Wish::players(unreachable), run).expect("it is small");
    assert!(!Arc::ptr_eq(&solved, &start));
    assert!(solved.judge_position("3/10/1").expect("it is a position").is_some());
}

#[test]
fn a_position_that_waits_takes_the_solution_that_comes_first() {
    let mut library = Library::new(ROOMY);
    let order = library.want(Wish::values(subject("base-battle", &[]))).expect("work to be done");
    let wish = Wish::values(exercise("3/9/1"));
    assert!(library.want(wish.clone()).is_none(), "it waits");
    assert!(matches!(library.knowledge(&wish.subject), Knowledge::Working(_)));
    assert!(library.take(run(order)).is_none(), "there is nothing left to solve");
    assert!(matches!(library.knowledge(&wish.subject), Knowledge::Known(_)));
}
