//! Tests of the library without threads: each test runs the orders itself.

use skirmish_rules::{GAMES, Unwatched};
use skirmish_solver::retrograde::BYTES_PER_POSITION;

use super::*;

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

fn obtain(library: &mut Library, subject: &Subject) -> Result<Arc<Solved>, SolveError> {
    library.obtain(Wish::values(subject.clone()), run)
}

#[test]
fn a_wish_is_met_by_one_order() {
    let mut library = Library::new(ROOMY);
    let wish = Wish::values(conquer(9));
    assert!(matches!(library.knowledge(&wish.subject), Knowledge::Nothing));
    let order = library.want(wish.clone()).expect("work to be done");
    assert!(library.want(wish.clone()).is_none(), "it is under way");
    assert!(matches!(library.knowledge(&wish.subject), Knowledge::Working(Effort::Full)));
    assert!(library.take(run(order)).is_none());
    assert!(library.want(wish.clone()).is_none(), "it is known");
    assert!(matches!(library.knowledge(&wish.subject), Knowledge::Known(_)));
    assert!(library.want(Wish::players(wish.subject)).is_some(), "more is wanted of it");
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
    assert!(library.want(Wish::values(conquer(9))).is_none(), "the first order is still out");
    let cancelled = run(order);
    assert!(cancelled.solved().is_none());
    let again = library.take(cancelled).expect("it was asked for again");
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
    assert!(library.obtain(wish, run).is_ok(), "nothing stands in its way");
}

/// The memory of a game while it is solved, and afterwards.
fn sizes(subject: &Subject) -> (u64, u64) {
    let solved = obtain(&mut Library::new(ROOMY), subject).expect("it fits");
    (solved.graph().size() as u64 * BYTES_PER_POSITION, solved.bytes())
}

/// Games that use the same memory.
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
    assert!(library.want(Wish::values(one.clone())).is_none(), "it is wanted again");
    assert!(obtain(&mut library, &three).is_ok());
    assert!(library.solved(&two).is_none(), "nobody has wanted it for longest");
    assert!(library.solved(&one).is_some() && library.solved(&three).is_some());
    assert!(library.bytes() <= peak + kept + kept / 2);
}

#[test]
fn solutions_in_use_are_counted_and_never_evicted() {
    let [one, two, three] = alike();
    let (peak, kept) = sizes(&one);
    let mut library = Library::new(Budget { bytes: peak + kept / 2 });
    let held = obtain(&mut library, &one).expect("it fits");
    assert!(matches!(obtain(&mut library, &two), Err(SolveError::TooLarge { .. })));
    assert!(library.solved(&one).is_some(), "it is in use");
    drop(held);
    assert!(obtain(&mut library, &three).is_ok(), "now it makes room");
    assert!(library.solved(&one).is_none());
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
    let found = library.find(&*table).expect("it arises from a start");
    assert!(found.solved.reached().contains(found.node) && !found.has_players);
    let subject = library.subject_of(&*table, None);
    assert!(library.solved(&subject).is_some(), "nothing more has to be solved");
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
        assert_eq!(library.bytes(), players.bytes());
    }
}
