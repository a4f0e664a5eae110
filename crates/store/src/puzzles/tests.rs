use std::thread;

use skirmish_rules::GAMES;
use tempfile::TempDir;

use super::*;

fn day(text: &str) -> Day {
    text.parse().expect("a date")
}

fn entry() -> &'static Entry {
    GAMES.find("base-battle").expect("a game")
}

fn solved(text: &str) -> PuzzleResult {
    PuzzleResult { entry: entry(), daily: Some(day(text)), is_solved: true, is_clean: true }
}

fn home() -> (TempDir, PuzzleFile) {
    let home = tempfile::tempdir().expect("a folder for the test");
    let file = PuzzleFile::at(&home.path().join("skirmish"));
    (home, file)
}

#[test]
fn days_in_a_row_make_a_streak() {
    let (_home, file) = home();
    for (date, streak, best) in [
        ("2026-02-27", 1, 1),
        ("2026-02-28", 2, 2),
        ("2026-03-01", 3, 3),
        // A day later than that.
        ("2026-03-03", 1, 3),
        ("2026-03-04", 2, 3),
        // The same day counts once, and no day before it.
        ("2026-03-04", 2, 3),
        ("2026-03-03", 2, 3),
    ] {
        let score = file.note(&solved(date)).expect("it can be written");
        assert_eq!((score.streak, score.best()), (streak, best), "{date}");
    }
    let score = file.read();
    assert_eq!((score.solved(entry()), score.all_solved()), (5, 5));
    assert_eq!(score.streak(day("2026-03-05")), 2, "yesterday counts still");
    assert_eq!(score.streak(day("2026-03-06")), 0);
    assert!(score.has_solved(day("2026-03-04")) && !score.has_solved(day("2026-03-05")));
}

#[test]
fn a_mistake_spoils_the_day_for_good() {
    let (_home, file) = home();
    file.note(&solved("2026-03-01")).expect("it can be written");
    let spoilt = PuzzleResult { is_solved: false, is_clean: false, ..solved("2026-03-02") };
    let score = file.note(&spoilt).expect("it can be written");
    assert_eq!((score.streak(day("2026-03-02")), score.best()), (0, 1));
    // Once more, from the start and without a mistake.
    let score = file.note(&solved("2026-03-02")).expect("it can be written");
    assert!(!score.has_solved(day("2026-03-02")));
    let score = file.note(&solved("2026-03-03")).expect("it can be written");
    assert_eq!((score.streak(day("2026-03-03")), score.best()), (1, 1));
    // A day that has counted stays counted.
    let again = PuzzleResult { is_solved: false, is_clean: false, ..solved("2026-03-03") };
    let score = file.note(&again).expect("it can be written");
    assert_eq!(score.streak(day("2026-03-03")), 1);
}

#[test]
fn other_puzzles_count_but_make_no_streak() {
    let (_home, file) = home();
    let other = PuzzleResult { daily: None, is_clean: false, ..solved("2026-03-01") };
    let score = file.note(&other).expect("it can be written");
    assert_eq!((score.solved(entry()), score.best()), (1, 0));
    let open = PuzzleResult { is_solved: false, ..other };
    assert_eq!(file.note(&open).expect("nothing changes"), score);
}

#[test]
fn junk_in_the_file_is_skipped() {
    let (_home, file) = home();
    file.note(&solved("2026-03-01")).expect("it can be written");
    let text = fs::read_to_string(&file.path).expect("it is there");
    assert_eq!(PuzzleScore::parse(&text).to_string(), text, "it prints, parses and prints");
    let junk = format!(
        "streak = many\n\u{7}\n[x]\nbest\nlast = never\nsolved.\u{1b}[31m = 7\n{text}streak = -1\n"
    );
    fs::write(&file.path, junk).expect("the test's own folder");
    assert_eq!(file.read(), PuzzleScore::parse(&text));
    for junk in [b"\xff\xfe".to_vec(), vec![b'x'; 100_000]] {
        fs::write(&file.path, junk).expect("the test's own folder");
        assert_eq!(file.read(), PuzzleScore::default());
        file.note(&solved("2026-03-02")).expect("it is replaced");
        assert_eq!(file.read().best(), 1);
    }
}

#[test]
fn several_programs_lose_no_result() {
    let (_home, file) = home();
    let other = PuzzleResult { daily: None, ..solved("2026-03-01") };
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..5 {
                    // A lock that is held for long is an error, which is no loss.
                    while file.note(&other).is_err() {}
                }
            });
        }
    });
    assert_eq!(file.read().solved(entry()), 20);
}
