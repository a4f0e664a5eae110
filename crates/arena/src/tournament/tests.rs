mod progress;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use skirmish_play::library::{Finished, Library, Order};
use skirmish_play::player::{Level, Policy, versus};
use skirmish_play::tournament::schedule::Format;
use skirmish_play::tournament::sprt::{Decision, Sprt};
use skirmish_play::{Budget, Solved, review};
#[cfg(unix)]
use skirmish_rules::Termination;
use skirmish_rules::{Both, Catalog, GAMES, Settings, Side, Unwatched};
use skirmish_store::read_record;

use super::{Board, Cast, Entrant, Folder, Progress, Standings, Tournament, run};
use crate::referee::Timing;

/// Long enough even on a slow machine.
const LONG: Duration = Duration::from_mins(1);

/// More memory than the default games need.
const BUDGET: Budget = Budget { bytes: 1 << 30 };

fn tournament(game: &str, players: &[&str], games: u32) -> Tournament {
    let entry = GAMES.find(game).expect("the game exists");
    Tournament {
        entry,
        settings: Settings::defaults(entry.options),
        format: Format::RoundRobin,
        rounds: None,
        entrants: Entrant::parse_all(players.iter().copied()).expect("all can play"),
        pairs: games / 2,
        seed: 1,
        timing: Timing { per_move: LONG, first_move: LONG, ..Timing::default() },
        max_turns: 200,
        opening: 4,
        sprt: None,
    }
}

fn solve(order: Order) -> Finished {
    order.run(BUDGET, &Unwatched)
}

fn cast(tournament: &Tournament) -> Cast {
    let mut library = Library::new(BUDGET);
    let cast = Cast::prepare::<Box<dyn std::error::Error>>(tournament, None, &mut library, solve);
    cast.expect("the default games are small")
}

fn played(tournament: &Tournament, jobs: usize) -> Board {
    board(tournament, &cast(tournament), None, jobs)
}

/// The results of a tournament, once played.
fn board(
    tournament: &Tournament,
    cast: &Cast,
    records: Option<(&Folder, Catalog)>,
    jobs: usize,
) -> Board {
    let progress = Progress::new(tournament);
    run(tournament, cast, records, jobs, &progress).expect("the folder can be written");
    progress.into_board()
}

/// The relevant state of a board, as comparable text.
fn summary(tournament: &Tournament, board: &Board) -> String {
    let lines = Standings::of(tournament, board).lines;
    let games: Vec<_> = board.meetings().map(|meeting| &meeting.games).collect();
    format!("{lines:?} {games:?}")
}

#[test]
fn the_same_seed_gives_the_same_tournament_with_any_number_of_workers() {
    for format in Format::ALL {
        let tournament = Tournament {
            format,
            ..tournament("base-battle", &["expert", "novice", "casual", "skilled", "perfect"], 4)
        };
        let alone = summary(&tournament, &played(&tournament, 1));
        assert_eq!(alone, summary(&tournament, &played(&tournament, 4)), "{format}");
        let other = Tournament { seed: 2, ..tournament };
        assert_ne!(alone, summary(&other, &played(&other, 1)), "{format}");
    }
}

#[test]
fn a_stopped_tournament_resumes_to_the_same_end() {
    for format in Format::ALL {
        let tournament = Tournament {
            format,
            ..tournament("capture-and-conquer", &["casual", "novice", "skilled", "expert"], 4)
        };
        let whole = tempfile::tempdir().expect("a folder for the test");
        let folder = Folder::at(whole.path()).expect("the folder is empty");
        folder.begin(&tournament).expect("the folder can be written");
        let cast = cast(&tournament);
        let expected = summary(&tournament, &board(&tournament, &cast, Some((&folder, GAMES)), 2));

        // Remove some games, including one that others depend on, and truncate one.
        let games = whole.path().join("games");
        let mut files: Vec<_> = std::fs::read_dir(&games)
            .expect("there are games")
            .map(|file| file.expect("the folder can be read").path())
            .collect();
        files.sort();
        for file in files.iter().step_by(3) {
            std::fs::remove_file(file).expect("the folder can be written");
        }
        std::fs::write(&files[1], "[Game \"capture-and-con").expect("the folder can be written");

        drop(folder);
        let begun = Folder::begun(Some(whole.path())).expect("there is a tournament");
        let again = begun.read(GAMES).expect("the file is valid");
        let count = Mutex::new(0);
        let watch = |_: &Board| *count.lock().expect("nobody panics") += 1;
        let progress = Progress::new(&again).watched(watch);
        let resumed = run(&again, &cast, Some((&begun, GAMES)), 2, &progress);
        resumed.expect("the folder can be written");
        assert_eq!(summary(&again, &progress.board()), expected, "{format}");
        drop(progress);
        let missing = files.len().div_ceil(3) + 1;
        assert_eq!(count.into_inner().expect("nobody panics"), missing, "only these are played");
    }
}

#[test]
fn two_tournaments_do_not_share_a_folder() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let folder = Folder::at(place.path()).expect("the folder is empty");
    folder.begin(&tournament("base-battle", &["novice", "casual"], 2)).expect("writing succeeds");
    let error = Folder::at(place.path()).expect_err("there is a tournament").to_string();
    assert!(error.ends_with("continue it with --resume"), "{error}");
    let error = Folder::begun(Some(place.path())).expect_err("it is being played").to_string();
    let holder = format!("is being played by process {}", std::process::id());
    assert!(error.contains(&holder), "{error}");
    drop(folder);
    Folder::begun(Some(place.path())).expect("it is unlocked again");
}

#[test]
fn two_entrants_never_share_a_name() {
    let error = tournament("base-battle", &["Ann=perfect", "ann=novice"], 2).check();
    let error = error.expect_err("equal names are invalid").to_string();
    assert_eq!(error, "two entrants have the name \"ann\": give them names, such as Ann=perfect");
}

#[test]
fn an_invalid_file_is_refused() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let folder = Folder::at(place.path()).expect("the folder is empty");
    folder.begin(&tournament("base-battle", &["novice", "casual"], 2)).expect("writing succeeds");
    let path = place.path().join("tournament.json");
    let text = std::fs::read_to_string(&path).expect("it exists");
    for (part, other) in [
        ("\"max_turns\": 200", "\"max_turns\": 0"),
        ("\"max_turns\": 200", "\"max_turns\": 4294967295"),
        ("\"rounds\": null,\n  \"pairs\": 1", "\"rounds\": 1000,\n  \"pairs\": 500000"),
        ("\"pairs\": 1", "\"pairs\": 4000000000"),
        ("\"pairs\": 1", "\"pairs\": 0"),
        ("\"game\": \"base-battle\"", "\"game\": \"chess\""),
        ("\"format\": \"round-robin\"", "\"format\": 7"),
        ("\"sprt\": null", "\"sprt\": [50, 0, 0.05, 0.05]"),
        ("\"program\": \"novice\"", "\"program\": \"./no-bot\""),
        ("\"seed\": 1", "\"sead\": 1"),
    ] {
        let changed = text.replace(part, other);
        assert_ne!(changed, text, "{part} in {text}");
        std::fs::write(&path, changed).expect("writing succeeds");
        assert!(folder.read(GAMES).is_err(), "{other}");
    }
}

#[test]
fn pairs_share_their_opening_and_swap_the_seats() {
    let tournament = tournament("base-battle", &["novice", "casual"], 8);
    let place = tempfile::tempdir().expect("a folder for the test");
    let folder = Folder::at(place.path()).expect("the folder is empty");
    folder.begin(&tournament).expect("writing succeeds");
    board(&tournament, &cast(&tournament), Some((&folder, GAMES)), 1);
    let record = |game: usize| {
        let path = place.path().join(format!("games/01-01-{game:05}.skr"));
        read_record(&path, GAMES).expect("a game is written when it ends")
    };
    let opening = |game: usize| {
        let record = record(game);
        let turns = record.turns.iter().take(4).map(|turn| turn.notation.clone());
        (record.first, turns.collect::<Vec<String>>())
    };
    for game in [1, 3, 5, 7] {
        assert_eq!(opening(game), opening(game + 1));
        assert_eq!(record(game).names, record(game + 1).names.swapped());
    }
    assert!((1..8).any(|game| opening(game) != opening(game + 1)), "openings differ");
}

/// Regression: the random opening turns of a game were counted as the player's own mistakes.
#[test]
fn a_review_finds_no_mistake_of_the_perfect_player() {
    for entry in GAMES.iter() {
        let tournament = tournament(entry.id, &["perfect", "perfect"], 10);
        let place = tempfile::tempdir().expect("a folder for the test");
        let folder = Folder::at(place.path()).expect("the folder is empty");
        folder.begin(&tournament).expect("writing succeeds");
        board(&tournament, &cast(&tournament), Some((&folder, GAMES)), 1);
        for file in std::fs::read_dir(place.path().join("games")).expect("there are games") {
            let path = file.expect("the folder can be read").path();
            let record = read_record(&path, GAMES).expect("a game is written when it ends");
            let settings = &record.settings;
            let solved = Solved::of(entry, settings, record.first, BUDGET, &Unwatched);
            let review = review(&record, &solved.expect("the default games are small"));
            let accuracy = Side::ALL.map(|side| review.accuracy[side].unwrap_or(100.0));
            assert_eq!((accuracy, review.turning_point), ([100.0; 2], None), "{record}");
        }
    }
}

#[test]
#[cfg(unix)]
fn repeated_games_do_not_shrink_the_error_bars() {
    // Without an opening, these two play the same pair of games over and over.
    let still = "sh -c 'while read -r line; do echo 1; done'";
    let once = Tournament { opening: 0, ..tournament("capture-the-line", &[still, still], 2) };
    let often = Tournament { pairs: 30, ..once.clone() };
    let interval = |tournament: &Tournament| {
        let standings = Standings::of(tournament, &played(tournament, 2));
        standings.lines[0].tally.interval()
    };
    assert_eq!(interval(&often), interval(&once));
    let in_rounds = Tournament { rounds: Some(10), ..once.clone() };
    assert_eq!(interval(&in_rounds), interval(&once));
}

/// The exact score of the first level against the second, averaged over both seats, without a random opening.
fn exact(tournament: &Tournament, levels: [Level; 2]) -> f64 {
    let mut scores = Vec::new();
    for &first in tournament.entry.starter.sides() {
        let Tournament { entry, settings, .. } = tournament;
        let solved = Solved::of(entry, settings, first, BUDGET, &Unwatched);
        let solved = Arc::new(solved.expect("it is small"));
        solved.prepare_players(&Unwatched).expect("nobody cancels");
        let [one, two] = &levels.map(|level| Policy::new(level, Arc::clone(&solved)));
        let turns = tournament.max_turns as usize;
        for (players, side) in [(Both::new(one, two), Side::One), (Both::new(two, one), Side::Two)]
        {
            let results = versus(&solved, players, turns, &Unwatched).expect("nobody cancels");
            scores.push(results.score(side));
        }
    }
    scores.iter().sum::<f64>() / f64::from(u8::try_from(scores.len()).expect("there are four"))
}

#[test]
fn the_error_bars_contain_the_true_strength_in_about_95_of_100_tournaments() {
    // Plays real games between levels whose exact score is known.
    const TOURNAMENTS: u64 = 60;
    let mut held = 0;
    let mut all = 0;
    for (game, levels) in [
        ("base-battle", [Level::Expert, Level::Casual]),
        ("capture-the-line", [Level::Skilled, Level::Novice]),
        ("command-clash", [Level::Expert, Level::Expert]),
    ] {
        let players = levels.map(Level::name);
        let plan = Tournament { opening: 0, ..tournament(game, &players, 60) };
        let truth = exact(&plan, levels);
        let cast = cast(&plan);
        for seed in 0..TOURNAMENTS {
            let plan = Tournament { seed, ..plan.clone() };
            let board = board(&plan, &cast, None, 1);
            let standings = Standings::of(&plan, &board);
            let line = standings.lines.iter().find(|line| line.entrant == 0).expect("it plays");
            let interval = line.tally.interval();
            held += u32::from((interval.low..=interval.high).contains(&truth));
            all += 1;
        }
    }
    let share = f64::from(held) / f64::from(all);
    assert!(share > 0.91, "{held} of {all}");
}

#[test]
fn a_level_is_within_its_error_bars_of_itself() {
    for entry in GAMES.iter() {
        let plan = tournament(entry.id, &["skilled", "skilled"], 200);
        let standings = Standings::of(&plan, &played(&plan, 2));
        for line in standings.lines {
            let error = line.rating.error.expect("the entrant has played");
            assert!(line.rating.elo.abs() < error, "{}: {:?}", entry.id, line.rating);
        }
    }
}

#[test]
fn a_test_ends_the_tournament_as_soon_as_it_has_decided() {
    let plan = Tournament {
        sprt: Some(Sprt::new(0.0, 50.0, 0.05, 0.05).expect("valid bounds")),
        ..tournament("base-battle", &["perfect", "novice"], 2_000)
    };
    let board = played(&plan, 2);
    let (decision, pairs) = board.decision().expect("the test needs far fewer games");
    assert_eq!(decision, Decision::Second);
    assert!(pairs < 500, "{pairs} pairs");
    assert!(board.is_over());
    assert_eq!(board.progress().0, 2 * pairs as usize, "games after the decision do not count");
}

#[test]
fn a_test_gives_the_same_result_with_any_number_of_workers_and_when_resumed() {
    // A test that is slow to decide: its bounds are close together, and so are the players.
    let sprt = Some(Sprt::new(0.0, 50.0, 0.2, 0.2).expect("valid bounds"));
    for seed in 0..8 {
        let plan =
            Tournament { seed, sprt, ..tournament("base-battle", &["perfect", "expert"], 400) };
        let alone = summary(&plan, &played(&plan, 1));
        assert_eq!(alone, summary(&plan, &played(&plan, 8)), "seed {seed}");
        let place = tempfile::tempdir().expect("a folder for the test");
        let folder = Folder::at(place.path()).expect("the folder is empty");
        folder.begin(&plan).expect("writing succeeds");
        let cast = cast(&plan);
        for _ in 0..2 {
            let board = board(&plan, &cast, Some((&folder, GAMES)), 8);
            assert_eq!(alone, summary(&plan, &board), "seed {seed}");
        }
    }
}

#[test]
fn a_test_follows_the_entrants_when_their_seats_change() {
    let plan = Tournament {
        rounds: Some(500),
        sprt: Some(Sprt::new(0.0, 50.0, 0.05, 0.05).expect("valid bounds")),
        ..tournament("base-battle", &["perfect", "novice"], 2)
    };
    let decision = played(&plan, 2).decision().map(|(decision, _)| decision);
    assert_eq!(decision, Some(Decision::Second));
}

#[test]
#[cfg(unix)]
fn a_knockout_has_a_winner_even_after_a_tie() {
    let still = "sh -c 'while read -r line; do echo 1; done'";
    let plan = Tournament {
        format: Format::Knockout,
        ..tournament("capture-the-line", &[still, still, still], 2)
    };
    let board = played(&plan, 2);
    assert!(board.is_over());
    let places: Vec<usize> =
        Standings::of(&plan, &board).lines.iter().map(|line| line.place).collect();
    assert_eq!(places, [1, 2, 3]);
}

/// Plays a tournament between a bot, given as a shell script, and a level.
#[cfg(unix)]
fn against_a_level(script: &str, timing: Timing) -> (Tournament, Board) {
    let bot = format!("json: sh -c '{script}'");
    let plan = Tournament { timing, ..tournament("base-battle", &[&bot, "casual"], 4) };
    let board = played(&plan, 2);
    (plan, board)
}

#[test]
#[cfg(unix)]
fn a_faulty_bot_forfeits_alone_and_the_tournament_ends() {
    let patient = Timing { per_move: LONG, first_move: LONG, ..Timing::default() };
    // A short time limit, only for bots that never answer.
    let brief = Duration::from_millis(50);
    let hurried = Timing { per_move: brief, bank: brief, margin: brief, first_move: brief };
    for (script, timing, termination) in [
        ("exit 1", patient, Termination::IllegalMove),
        ("read -r line; kill -SEGV $$", patient, Termination::IllegalMove),
        ("while :; do sleep 60; done", hurried, Termination::Time),
        ("printf 1; sleep 60", hurried, Termination::Time),
        ("sleep 60; while read -r line; do echo 1; done", hurried, Termination::Time),
        ("while read -r line; do sleep 60; echo 1; done", hurried, Termination::Time),
        ("while :; do echo flood; done", patient, Termination::IllegalMove),
        ("while :; do printf flood; done", patient, Termination::IllegalMove),
        ("while read -r line; do echo 7; done", patient, Termination::IllegalMove),
        ("trap \"\" TERM; echo 9; sleep 60", patient, Termination::IllegalMove),
        ("sleep 60 & echo 9; wait", patient, Termination::IllegalMove),
    ] {
        let (plan, board) = against_a_level(script, timing);
        let meeting = &board.rounds()[0][0];
        assert!(meeting.games.iter().all(Option::is_some), "{script}");
        for (side, game) in meeting.played() {
            let bot = if meeting.encounter.one == 0 { side } else { side.other() };
            assert_eq!(game.termination, termination, "{script}");
            assert!(game.faults[bot].is_some() && game.faults[bot.other()].is_none(), "{script}");
            assert_eq!(game.half_points(bot), 0, "{script}");
        }
        let standings = Standings::of(&plan, &board);
        assert_eq!((standings.lines[1].entrant, standings.lines[1].faults), (0, 4), "{script}");
    }
}

#[test]
#[cfg(unix)]
fn a_bot_that_fails_once_is_restarted_for_the_next_game() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mark = place.path().join("failed");
    let script = format!(
        "test -e {0} || {{ touch {0}; exit 1; }}; while read -r line; do echo 1; done",
        mark.display()
    );
    let bot = format!("json: sh -c '{script}'");
    let plan = tournament("base-battle", &[&bot, "casual"], 4);
    let board = played(&plan, 1);
    let faults: u32 = Standings::of(&plan, &board).lines.iter().map(|line| line.faults).sum();
    assert_eq!(faults, 1);
}

#[test]
#[cfg(unix)]
fn both_bots_are_asked_before_either_choice_is_revealed() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let folder = place.path().display();
    // Each bot answers only after the other has been asked, and writes its question to a file.
    let bot = |me: u8, other: u8| {
        format!(
            "json: sh -c 'n=0; while read -r line; do n=$((n+1)); echo \"$line\" >> {folder}/told{me}; \
             touch {folder}/asked{me}.$n; while ! test -e {folder}/asked{other}.$n; do sleep 0.01; done; \
             echo charge; done'"
        )
    };
    let plan = Tournament {
        opening: 0,
        max_turns: 3,
        ..tournament("command-clash", &[&bot(1, 2), &bot(2, 1)], 2)
    };
    let board = played(&plan, 1);
    let standings = Standings::of(&plan, &board);
    assert!(standings.lines.iter().all(|line| line.faults == 0));
    for bot in [1, 2] {
        let told = std::fs::read_to_string(place.path().join(format!("told{bot}")));
        let told = told.expect("it was asked");
        let first = told.lines().next().expect("it was asked");
        assert!(first.contains("\"position\":\"5/5\""), "{first}");
        assert_eq!(
            told.matches("charge").count(),
            2 * told.lines().count(),
            "as legal, nowhere else"
        );
    }
}
