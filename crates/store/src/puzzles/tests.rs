use std::thread;

use skirmish_play::player::Level;
use skirmish_play::puzzle::Goal;
use skirmish_rules::{GAMES, Side};
use tempfile::TempDir;

use super::*;

fn day(text: &str) -> Day {
    text.parse().expect("a date")
}

fn entry() -> &'static Entry {
    GAMES.find("base-battle").expect("a game")
}

fn settings() -> Settings {
    Settings::defaults(entry().options)
}

fn puzzle(position: &str) -> Puzzle {
    let goal = Goal::Win { plies: 5 };
    Puzzle { position: position.to_owned(), player: Side::One, goal, level: Level::Skilled }
}

/// Records in `file` that a puzzle was solved; `daily` is its day if it was a puzzle of the day.
fn solve(file: &PuzzleFile, position: &str, daily: Option<&str>) -> PuzzleScore {
    note(file, position, daily, true, true).expect("writing succeeds")
}

fn note(
    file: &PuzzleFile,
    position: &str,
    daily: Option<&str>,
    is_solved: bool,
    is_clean: bool,
) -> Result<PuzzleScore, StoreError> {
    let (entry, settings, puzzle, daily) =
        (entry(), &settings(), &puzzle(position), daily.map(day));
    file.note(&PuzzleResult { entry, settings, puzzle, daily, is_solved, is_clean })
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
        // One day was skipped.
        ("2026-03-03", 1, 3),
        ("2026-03-04", 2, 3),
        // The same day counts only once, and earlier days no longer count.
        ("2026-03-04", 2, 3),
        ("2026-03-03", 2, 3),
    ] {
        let score = solve(&file, date, Some(date));
        assert_eq!((score.streak, score.best()), (streak, best), "{date}");
    }
    let (score, error) = file.read();
    assert!(error.is_none());
    assert_eq!(score.solved(entry(), &settings()), 5);
    assert_eq!(score.streak(day("2026-03-05")), 2, "yesterday counts still");
    assert_eq!(score.streak(day("2026-03-06")), 0);
    assert!(score.has_solved(day("2026-03-04")) && !score.has_solved(day("2026-03-05")));
}

#[test]
fn a_week_shows_every_day_on_its_own() {
    let (_home, file) = home();
    // 1 March 2026 was a Sunday; the week from Monday the 2nd follows.
    for (date, is_clean) in
        [("2026-03-01", true), ("2026-03-02", true), ("2026-03-03", false), ("2026-03-05", true)]
    {
        note(&file, date, Some(date), is_clean, is_clean).expect("writing succeeds");
    }
    let (score, error) = file.read();
    assert!(error.is_none());
    let week = [Some(true), Some(false), None, Some(true), None, None, None];
    assert_eq!(score.week(day("2026-03-02")), week);
    assert_eq!(score.week(day("2026-03-08")), week);
    assert_eq!(score.week(day("2026-03-01"))[6], Some(true));
    assert_eq!(score.week(day("2026-03-09")), [None; 7]);
}

#[test]
fn a_mistake_spoils_the_day_for_good() {
    let (_home, file) = home();
    solve(&file, "2/6/1", Some("2026-03-01"));
    let spoil = |date| note(&file, "2/7/1", Some(date), false, false).expect("writing succeeds");
    let score = spoil("2026-03-02");
    assert_eq!((score.streak(day("2026-03-02")), score.best()), (0, 1));
    // Solve it again from the start, without a mistake.
    let score = solve(&file, "2/7/1", Some("2026-03-02"));
    assert!(!score.has_solved(day("2026-03-02")));
    let score = solve(&file, "2/8/1", Some("2026-03-03"));
    assert_eq!((score.streak(day("2026-03-03")), score.best()), (1, 1));
    // A day that has counted keeps counting.
    assert_eq!(spoil("2026-03-03").streak(day("2026-03-03")), 1);
}

#[test]
fn other_puzzles_count_but_make_no_streak() {
    let (_home, file) = home();
    let score = note(&file, "2/6/1", None, true, false).expect("writing succeeds");
    assert_eq!((score.solved(entry(), &settings()), score.best()), (1, 0));
    assert_eq!(note(&file, "3/6/1", None, false, true).expect("nothing changes"), score);
}

/// Regression: solving the same puzzle again raised the count.
#[test]
fn a_puzzle_counts_once_on_each_board() {
    let (_home, file) = home();
    for position in ["2/6/1", "4/7/2", "2/6/1"] {
        solve(&file, position, None);
    }
    let larger = Settings::parse(entry().options, ["positions=12"]).expect("valid");
    let result = PuzzleResult {
        entry: entry(),
        settings: &larger,
        puzzle: &puzzle("2/6/1"),
        daily: None,
        is_solved: true,
        is_clean: true,
    };
    let score = file.note(&result).expect("writing succeeds");
    assert_eq!((score.solved(entry(), &settings()), score.solved(entry(), &larger)), (2, 1));
    let clash = GAMES.find("command-clash").expect("a game");
    let settings = Settings::defaults(clash.options);
    let goal = Goal::Mix { value: 0.5, error: 0.0 };
    for player in Side::ALL {
        let puzzle = &Puzzle { player, goal, ..puzzle("5/2") };
        let result = PuzzleResult { entry: clash, settings: &settings, puzzle, ..result };
        file.note(&result).expect("writing succeeds");
    }
    let (score, error) = file.read();
    assert!(error.is_none(), "{error:?}");
    assert_eq!(score.solved(clash, &settings), 2, "one for each player");
    let text = fs::read_to_string(&file.0.path).expect("it exists");
    let told = "\n\n[solved]\nbase-battle = [\"2/6/1\", \"4/7/2\"]\n\"base-battle positions=12\" = [\"2/6/1\"]\n";
    assert!(text.contains(told), "{text}");
}

#[test]
fn an_invalid_file_is_reported_and_left_alone() {
    let (_home, file) = home();
    solve(&file, "2/6/1", Some("2026-03-01"));
    for (text, fault) in [
        ("best = 7\nstreak", ", line 2: "),
        ("streak = \"many\"\nbest = 3\n", ": streak: expected a number, not \"many\""),
        ("best = -1\n", ": best: expected a number, not -1"),
        ("last = 1969-12-31\n", ": last: expected a date such as 2026-11-16, not 1969-12-31"),
        ("solved = 3\n", ": solved: expected a table, not 3"),
        ("[solved]\nbase-battle = 3\n", ": base-battle: expected a list of positions, not 3"),
        ("\u{1b}[31m", ", line 1: "),
    ] {
        fs::write(&file.0.path, text).expect("the test's own folder");
        let (_, error) = file.read();
        let told = error.expect("it is invalid").to_string();
        let told =
            told.strip_prefix(&file.0.path.display().to_string()).expect("the file is named");
        assert!(told.starts_with(fault) && !told.contains('\u{1b}'), "{text:?}: {told}");
        let refused = note(&file, "2/7/1", None, true, true).expect_err("it is refused");
        assert!(matches!(refused, StoreError::WouldDestroy(..)), "{refused}");
        assert!(refused.to_string().ends_with("; fix or remove the file to count puzzles again"));
        assert_eq!(fs::read_to_string(&file.0.path).ok().as_deref(), Some(text));
    }
    for junk in [b"\xff\xfe".to_vec(), vec![b'#'; 2 << 20]] {
        fs::write(&file.0.path, &junk).expect("the test's own folder");
        assert!(file.read().1.is_some());
        assert!(note(&file, "2/7/1", None, true, true).is_err());
        assert_eq!(fs::read(&file.0.path).ok(), Some(junk));
    }
}

#[test]
fn what_else_the_file_has_is_kept() {
    let (_home, file) = home();
    fs::create_dir_all(file.0.path.parent().expect("a folder")).expect("the test's own folder");
    fs::write(&file.0.path, "best = 7\ncolour = \"red\"\n").expect("the test's own folder");
    let score = solve(&file, "2/6/1", Some("2026-03-01"));
    assert_eq!((score.streak, score.best()), (1, 7));
    let text = fs::read_to_string(&file.0.path).expect("it exists");
    assert!(text.contains("colour = \"red\"\n"), "{text}");
}

#[test]
fn several_programs_lose_no_result() {
    let (_home, file) = home();
    thread::scope(|scope| {
        for thread in 0..4 {
            let file = &file;
            scope.spawn(move || {
                for number in 0..5 {
                    let position = format!("{thread}/{number}/1");
                    // Failing to get a lock that is held for long is an error, but loses nothing.
                    while note(file, &position, None, true, true).is_err() {}
                }
            });
        }
    });
    assert_eq!(file.read().0.solved(entry(), &settings()), 20);
}
