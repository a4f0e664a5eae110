//! The laws of tutorials: all moves are legal and answered, and the last move wins. [`Tutorial::parse`] checks the rest.

use skirmish_rules::{
    Entry, Lesson, Outcome, Setup, Side, Submitted, Table, Task, Tempo, Tutorial,
};

use crate::sixth::SIX_GAMES;

/// The games that have a tutorial, with its lessons.
fn taught() -> Vec<(&'static Entry, Vec<Lesson>)> {
    let parsed = |entry: &'static Entry| {
        let tutorial = Tutorial::parse(entry.tutorial?);
        let tutorial = tutorial.unwrap_or_else(|error| panic!("{}: {error}", entry.id));
        assert_eq!(entry.lessons().as_ref(), Some(&tutorial));
        Some((entry, tutorial.lessons))
    };
    let taught: Vec<_> = SIX_GAMES.iter().filter_map(parsed).collect();
    assert!(!taught.is_empty(), "there are games with tutorials");
    taught
}

#[test]
fn every_right_move_is_praised_and_every_other_one_is_answered() {
    for (entry, lessons) in taught() {
        walk(entry, &lessons, |table, lesson| {
            let right = right_moves(table, lesson);
            let others = table.choices(Side::One).len() - right.len();
            let about = format!("{}, {}", entry.id, lesson.title);
            assert!(!lesson.praise.is_empty(), "{about}: no praise");
            assert_eq!(lesson.advice.is_empty(), others == 0, "{about}: {others} other moves");
        });
    }
}

#[test]
fn every_tutorial_can_be_played_and_ends_with_a_win() {
    for (entry, lessons) in taught() {
        let last = lessons.iter().rposition(|lesson| lesson.task != Task::Read).unwrap();
        assert_eq!(last + 1, lessons.len(), "{} ends with a move", entry.id);
        let ends = walk(entry, &lessons, |table, lesson| {
            let about = format!("{}, {}", entry.id, lesson.title);
            assert!(table.turn().contains(&Side::One), "{about}: it is not Player 1's turn");
            assert!(!table.must_pass(Side::One), "{about}: Player 1 has no move");
        });
        for end in ends {
            assert_eq!(end.outcome(), Some(Outcome::Won(Side::One)), "{}", entry.id);
        }
    }
}

/// Follows a tutorial along every correct move, calls `look` with every table at which the learner has to move, and
/// returns the final tables.
fn walk(
    entry: &'static Entry,
    lessons: &[Lesson],
    mut look: impl FnMut(&dyn Table, &Lesson),
) -> Vec<Box<dyn Table>> {
    let mut tables = vec![open(entry, None)];
    for lesson in lessons {
        if lesson.position.is_some() {
            tables = vec![open(entry, lesson.position.clone())];
        }
        if lesson.task == Task::Read {
            continue;
        }
        let mut after = Vec::new();
        for table in &tables {
            look(&**table, lesson);
            for right in right_moves(&**table, lesson) {
                after.push(played(&**table, lesson, &right));
            }
        }
        after.dedup_by_key(|table| table.position());
        tables = after;
    }
    tables
}

fn open(entry: &'static Entry, position: Option<String>) -> Box<dyn Table> {
    let setup = Setup { position, ..entry.setup() };
    entry.open(setup).unwrap_or_else(|error| panic!("{}: {error}", entry.id))
}

fn right_moves(table: &dyn Table, lesson: &Lesson) -> Vec<String> {
    let legal: Vec<String> =
        table.choices(Side::One).into_iter().map(|choice| choice.notation).collect();
    match &lesson.task {
        Task::Read => Vec::new(),
        Task::PlayAny => legal,
        Task::Play(moves) => {
            for right in moves {
                let about = format!("{}, {}", table.entry().id, lesson.title);
                assert!(legal.contains(right), "{about}: {right} in {}", table.position());
            }
            moves.clone()
        }
    }
}

/// The table after the learner's move and its replies.
fn played(table: &dyn Table, lesson: &Lesson, right: &str) -> Box<dyn Table> {
    let entry = table.entry();
    let about = format!("{}, {}: after {right} in {}", entry.id, lesson.title, table.position());
    let mut table = open(entry, Some(table.position()));
    let at_once = entry.tempo() == Tempo::Simultaneous;
    let submitted = table.submit(Side::One, right).unwrap();
    let expected = if at_once { Submitted::Waiting } else { Submitted::Turn };
    assert_eq!(submitted, expected, "{about}");
    if at_once {
        assert_eq!(lesson.replies.len(), 1, "{about} Player 2 chooses once");
    }
    for reply in &lesson.replies {
        let [side] = table.to_act()[..] else { panic!("{about} nobody can play {reply}") };
        let choices = table.choices(side);
        assert!(choices.iter().any(|choice| choice.notation == *reply), "{about}: no {reply}");
        assert!(side == Side::Two || table.must_pass(side), "{about}: {reply} is not a reply");
        assert_eq!(table.submit(side, reply), Ok(Submitted::Turn), "{about}: {reply}");
    }
    table
}
