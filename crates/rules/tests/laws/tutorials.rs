//! The laws of tutorials: every game has a tutorial, all its moves are legal, and the last move wins.

use skirmish_rules::{
    Entry, Lesson, Outcome, Setup, Side, Submitted, Table, Task, Tempo, Tutorial,
};

use crate::sixth::SIX_GAMES;

/// The number of lessons in a tutorial of about five minutes.
const LESSONS: std::ops::RangeInclusive<usize> = 8..=12;

/// The minimum number of lessons that ask for a move.
const FEWEST_MOVES: usize = 5;

/// Maximum number of characters in a title, to fit a small terminal.
const LONGEST_TITLE: usize = 30;
const LONGEST_TEXT: usize = 220;
const LONGEST_REMARK: usize = 120;

fn lessons(entry: &Entry) -> Vec<Lesson> {
    let text = entry.tutorial.unwrap_or_else(|| panic!("{} has no tutorial", entry.id));
    let tutorial = Tutorial::parse(text).unwrap_or_else(|error| panic!("{}: {error}", entry.id));
    assert_eq!(entry.lessons().as_ref(), Some(&tutorial));
    tutorial.lessons
}

#[test]
fn every_game_has_a_tutorial_of_about_five_minutes() {
    for entry in SIX_GAMES.iter() {
        let lessons = lessons(entry);
        let asking = lessons.iter().filter(|lesson| lesson.task != Task::Read).count();
        assert!(LESSONS.contains(&lessons.len()), "{}: {} lessons", entry.id, lessons.len());
        assert!(asking >= FEWEST_MOVES, "{}: only {asking} moves", entry.id);
    }
}

#[test]
fn every_lesson_fits_a_small_terminal() {
    for entry in SIX_GAMES.iter() {
        for lesson in lessons(entry) {
            let about = format!("{}, {}", entry.id, lesson.title);
            for (text, most) in [
                (&lesson.title, LONGEST_TITLE),
                (&lesson.text, LONGEST_TEXT),
                (&lesson.praise, LONGEST_REMARK),
                (&lesson.advice, LONGEST_REMARK),
            ] {
                let length = text.chars().count();
                assert!(length <= most, "{about}: {length} characters instead of {most}: {text}");
                assert!(!text.contains(['*', '`', '_']), "{about}: markup in {text}");
            }
        }
    }
}

#[test]
fn every_right_move_is_praised_and_every_other_one_is_answered() {
    for entry in SIX_GAMES.iter() {
        walk(entry, |table, lesson| {
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
    for entry in SIX_GAMES.iter() {
        let lessons = lessons(entry);
        let last = lessons.iter().rposition(|lesson| lesson.task != Task::Read).unwrap();
        assert_eq!(last + 1, lessons.len(), "{} ends with a move", entry.id);
        let ends = walk(entry, |table, lesson| {
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
fn walk(entry: &'static Entry, mut look: impl FnMut(&dyn Table, &Lesson)) -> Vec<Box<dyn Table>> {
    let mut tables = vec![open(entry, None)];
    for lesson in lessons(entry) {
        if lesson.position.is_some() {
            tables = vec![open(entry, lesson.position.clone())];
        }
        if lesson.task == Task::Read {
            continue;
        }
        let mut after = Vec::new();
        for table in &tables {
            look(&**table, &lesson);
            for right in right_moves(&**table, &lesson) {
                after.push(played(&**table, &lesson, &right));
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
