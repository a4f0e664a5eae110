use std::fs::OpenOptions;
use std::thread;

use skirmish_play::player::{BotCommand, Player};
use skirmish_play::{LETTERS, Plan};
use skirmish_rules::{Both, Ending, GAMES, Outcome, Settings, Side, Termination, default_names};

use super::*;

const PERFECT: Player = Player::Computer(Level::Perfect);
const NOVICE: Player = Player::Computer(Level::Novice);

fn bot() -> Player {
    Player::Bot(BotCommand::new(
        "sh bot.sh",
        "bot.sh".to_owned(),
        vec!["sh".to_owned(), "bot.sh".to_owned()],
    ))
}

fn statistics() -> (tempfile::TempDir, Statistics) {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let statistics = Statistics::at(&folder.path().join("not").join("there"));
    (folder, statistics)
}

fn plan(players: Both<Player>) -> Plan {
    let entry = GAMES.find("base-battle").expect("the game exists");
    Plan {
        entry,
        settings: Settings::defaults(entry.options),
        names: Both::new("Ann".to_owned(), "Bob".to_owned()),
        players,
        first: Side::One,
        is_tossed: false,
        position: None,
        standing: None,
        date: Some("2026.11.15".to_owned()),
        seed: None,
        turn_limit: None,
    }
}

/// The result of a game with this outcome, with accuracies of 75 and 50 percent.
fn result(players: Both<Player>, outcome: Outcome) -> Option<GameResult> {
    let ending = Ending { outcome, termination: Termination::Rules };
    GameResult::of(&plan(players), ending, 9, Both::new(Some(75.0), Some(50.0)))
}

fn against(opponent: Player, finish: Finish, accuracy: Option<f64>) -> GameResult {
    let players = Both::new(Player::Human, opponent);
    let result = result(players, Outcome::Draw).expect("a person plays");
    GameResult { accuracy, finish, ..result }
}

fn tally(statistics: &Statistics) -> Tally {
    let tallies = statistics.tallies(GAMES).expect("the file can be read");
    assert_eq!(tallies.len(), 1, "{tallies:?}");
    tallies[0].clone()
}

fn content(statistics: &Statistics) -> String {
    fs::read_to_string(statistics.path()).expect("the file is there")
}

#[test]
fn a_result_is_that_of_the_person_who_plays() {
    for (players, opponent, finish, accuracy) in [
        (Both::new(Player::Human, PERFECT), PERFECT, Finish::Won, 75.0),
        (Both::new(NOVICE, Player::Human), NOVICE, Finish::Lost, 50.0),
        (Both::new(Player::Human, Player::Human), Player::Human, Finish::Won, 75.0),
        (Both::new(Player::Human, bot()), bot(), Finish::Won, 75.0),
    ] {
        let result = result(players, Outcome::Won(Side::One)).expect("a person plays");
        assert_eq!(
            (result.opponent, result.finish, result.accuracy),
            (Opponent::from(&opponent), finish, Some(accuracy))
        );
    }
    assert_eq!(result(Both::new(NOVICE, PERFECT), Outcome::Draw), None);
    assert_eq!(result(Both::new(bot(), PERFECT), Outcome::Draw), None);
}

#[test]
fn a_game_from_a_position_has_no_result() {
    let exercise = Plan {
        position: Some("4/6/2".to_owned()),
        first: Side::Two,
        ..plan(Both::new(Player::Human, NOVICE))
    };
    let ending = Ending { outcome: Outcome::Won(Side::One), termination: Termination::Rules };
    assert_eq!(GameResult::of(&exercise, ending, 3, Both::default()), None);
}

#[test]
fn a_result_is_read_as_it_was_written() {
    let mut played = against(PERFECT, Finish::Drawn, Some(200.0 / 3.0));
    played.rules = "positions=9 steps=2".to_owned();
    assert_eq!(GameResult::parse(&played.to_string()), Some(played));
    let plain = against(Player::Human, Finish::Lost, None);
    assert_eq!(plain.to_string(), "2026.11.15,base-battle,,Ann,human,Bob,9,,50,lost");
    assert_eq!(GameResult::parse(&plain.to_string()), Some(plain));
    let bots = against(bot(), Finish::Won, None);
    assert_eq!(bots.to_string(), "2026.11.15,base-battle,,Ann,bot,,9,,,won");
    assert_eq!(GameResult::parse(&bots.to_string()), Some(bots.clone()));
    for name in ["a,b", "\"", "Ann \"the\" great, I", "won", "李雷"] {
        let named = GameResult { player: Some(name.to_owned()), ..bots.clone() };
        assert_eq!(GameResult::parse(&named.to_string()), Some(named));
    }
}

#[test]
fn an_invalid_date_is_left_out() {
    let ending = Ending { outcome: Outcome::Draw, termination: Termination::Agreed };
    for date in ["1,2\n3", "soon", "2026-11-15", "2026.11.1é"] {
        let players = Both::new(Player::Human, NOVICE);
        let plan = Plan { date: Some(date.to_owned()), ..plan(players) };
        let result = GameResult::of(&plan, ending, 1, Both::default());
        assert_eq!(result.expect("a person plays").date, None, "{date}");
    }
}

#[test]
fn no_torn_line_parses() {
    for finish in Finish::ALL {
        let human = against(Player::Human, finish, Some(87.5));
        let [strange, quoted] = ["won", "a,\"won"].map(|name| {
            let name = Some(name.to_owned());
            GameResult { player: name.clone(), other: name, ..human.clone() }
        });
        for line in [against(PERFECT, finish, Some(87.5)), human, strange, quoted] {
            let line = line.to_string();
            for end in 0..line.len() {
                assert_eq!(GameResult::parse(&line[..end]), None, "{}", &line[..end]);
            }
        }
    }
    for head in [HEAD, "date,game,rules,opponent,turns,accuracy,result\n"] {
        for end in 0..head.len() {
            assert_eq!(GameResult::parse(&head[..end]), None, "the header is not a result");
        }
    }
}

#[test]
fn without_a_file_nothing_has_been_played() {
    let (_folder, statistics) = statistics();
    assert!(statistics.tallies(GAMES).expect("no file is no error").is_empty());
}

#[test]
fn a_tally_counts_results_streaks_and_the_best_accuracy() {
    use Finish::{Drawn, Lost, Won};
    let (_folder, statistics) = statistics();
    for (finish, accuracy, streak, best) in [
        (Won, None, 1, 1),
        (Won, Some(60.0), 2, 2),
        (Lost, Some(90.0), -1, 2),
        (Lost, None, -2, 2),
        (Won, Some(80.0), 1, 2),
        (Drawn, None, 0, 2),
        (Won, None, 1, 2),
        (Won, None, 2, 2),
        (Won, None, 3, 3),
    ] {
        statistics.note(&against(PERFECT, finish, accuracy)).expect("the folder can be made");
        let tally = tally(&statistics);
        assert_eq!((tally.streak, tally.best_streak), (streak, best));
    }
    let tally = tally(&statistics);
    assert_eq!((tally.played, tally.won, tally.lost, tally.drawn), (9, 6, 2, 1));
    assert_eq!(tally.best_accuracy, Some(90.0));
}

#[test]
fn tallies_follow_the_catalogue_and_then_the_contests() {
    let (_folder, statistics) = statistics();
    for game in ["capture-the-line", "base-battle", "no-such-game"] {
        for opponent in [bot(), PERFECT, NOVICE, Player::Human] {
            let result = against(opponent, Finish::Won, None);
            let result = GameResult { game: game.to_owned(), ..result };
            statistics.note(&result).expect("the folder can be made");
        }
    }
    let tallies = statistics.tallies(GAMES).expect("the file can be read");
    let listed = tallies.iter().map(|tally| format!("{} {}", tally.entry.id, tally.contest));
    let contests = ["Ann", "Bob", "novice", "perfect", "bot"];
    let expected = ["base-battle", "capture-the-line"]
        .into_iter()
        .flat_map(|game| contests.map(|contest| format!("{game} {contest}")));
    assert_eq!(listed.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    assert!(content(&statistics).contains("no-such-game"), "unknown games are kept");
}

#[test]
fn a_torn_line_is_skipped_and_ended() {
    let (_folder, statistics) = statistics();
    let result = against(PERFECT, Finish::Won, Some(87.5));
    statistics.note(&result).expect("the folder can be made");
    let whole = content(&statistics);
    let torn = format!("{whole}{}", &result.to_string()[..30]);
    fs::write(statistics.path(), &torn).expect("the file can be written");
    assert_eq!(tally(&statistics).played, 1);
    statistics.note(&result).expect("the file can be written");
    assert_eq!(tally(&statistics).played, 2);
    assert_eq!(content(&statistics), format!("{torn}\n{result}\n"));
}

#[test]
fn garbage_is_skipped_and_kept() {
    let (_folder, statistics) = statistics();
    let result = against(NOVICE, Finish::Lost, None);
    statistics.note(&result).expect("the folder can be made");
    let garbage = b"\n\0\xff\xfe\n,,,,,,\n,,,,,,,,won\n2026.11.15,base-battle,,human,-1,,won\n\
        2026.11.15,base-battle,,wizard,1,,won\n2026.11.15,base-battle,,human,1,NaN,won\n\
        2026.11.15,base-battle,,human,1,101,won\n2026.11.15,base-battle,,\"Ann,human,Bob,1,,,won\n\
        2026.11.15,base-battle,,Ann,human,Bob,1,,101,won\n";
    let mut file = OpenOptions::new().append(true).open(statistics.path()).expect("it exists");
    file.write_all(garbage).expect("the file can be written");
    drop(file);
    statistics.note(&result).expect("the file can be written");
    assert_eq!(tally(&statistics).lost, 2);
    let bytes = fs::read(statistics.path()).expect("the file is there");
    assert!(bytes.windows(garbage.len()).any(|part| part == garbage));
}

/// Each thread opens the file separately, as separate programs would, and so has its own lock.
#[test]
fn concurrent_results_are_never_lost() {
    const WRITERS: usize = 8;
    const GAMES_EACH: usize = 25;
    let (_folder, statistics) = statistics();
    thread::scope(|scope| {
        for _ in 0..WRITERS {
            scope.spawn(|| {
                for _ in 0..GAMES_EACH {
                    let result = against(PERFECT, Finish::Won, Some(100.0));
                    statistics.note(&result).expect("the folder can be made");
                    statistics.tallies(GAMES).expect("the file can be read");
                }
            });
        }
    });
    assert_eq!(tally(&statistics).played as usize, WRITERS * GAMES_EACH);
    let content = content(&statistics);
    assert_eq!(content.lines().count(), WRITERS * GAMES_EACH + 1);
    assert_eq!(content.matches(HEAD).count(), 1, "there is one header line");
}

#[test]
fn an_error_names_the_file() {
    let (_folder, statistics) = statistics();
    fs::create_dir_all(statistics.path()).expect("a folder can be made in its place");
    let result = against(PERFECT, Finish::Won, None);
    assert!(matches!(statistics.note(&result), Err(StoreError::Write(..))));
    assert!(matches!(statistics.tallies(GAMES), Err(StoreError::Read(..))));
}

/// Plays a match of three games that Ann wins 2 to 1, with the seats swapped after each game.
#[test]
fn between_two_people_names_are_counted_and_not_seats() {
    let (_folder, statistics) = statistics();
    let ending = |side| Ending { outcome: Outcome::Won(side), termination: Termination::Rules };
    for (one, two, winner) in
        [("Ann", "Bob", Side::One), ("Bob", "Ann", Side::One), ("ann", "Bob", Side::One)]
    {
        let names = Both::new(one.to_owned(), two.to_owned());
        let plan = Plan { names, ..plan(Both::default()) };
        let accuracy = Both::new(Some(90.0), Some(60.0));
        let result = GameResult::of(&plan, ending(winner), 9, accuracy).expect("people play");
        statistics.note(&result).expect("the folder can be made");
    }
    let tallies = statistics.tallies(GAMES).expect("the file can be read");
    let counts = tallies.iter().map(|it| (it.contest.to_string(), it.played, it.won, it.lost));
    let expected = [("Ann".to_owned(), 3, 2, 1), ("Bob".to_owned(), 3, 1, 2)];
    assert_eq!(counts.collect::<Vec<_>>(), expected);
    assert_eq!((tallies[0].streak, tallies[1].streak), (1, -1));
    assert!(tallies.iter().all(|tally| tally.best_accuracy == Some(90.0)));
}

#[test]
fn games_between_people_without_names_have_no_winner() {
    let (_folder, statistics) = statistics();
    for names in [default_names(), LETTERS.map(str::to_owned)] {
        let plan = Plan { names, ..plan(Both::default()) };
        for outcome in [Outcome::Won(Side::One), Outcome::Draw] {
            let ending = Ending { outcome, termination: Termination::Rules };
            let result = GameResult::of(&plan, ending, 9, Both::default()).expect("people play");
            assert_eq!((&result.player, &result.other), (&None, &None));
            statistics.note(&result).expect("the folder can be made");
        }
    }
    let tally = tally(&statistics);
    assert_eq!(tally.contest, Contest::People);
    assert_eq!((tally.played, tally.won, tally.lost, tally.drawn), (4, 0, 0, 2));
}

#[test]
fn a_guest_without_a_name_leaves_the_other_persons_count_alone() {
    let (_folder, statistics) = statistics();
    let names = Both::new("Player 1".to_owned(), "Bob".to_owned());
    let plan = Plan { names, ..plan(Both::default()) };
    let ending = Ending { outcome: Outcome::Won(Side::One), termination: Termination::Rules };
    let result = GameResult::of(&plan, ending, 9, Both::default()).expect("people play");
    statistics.note(&result).expect("the folder can be made");
    let tally = tally(&statistics);
    assert_eq!((tally.contest.to_string(), tally.lost), ("Bob".to_owned(), 1));
}

#[test]
fn lines_without_names_are_still_read() {
    let (_folder, statistics) = statistics();
    fs::create_dir_all(statistics.path().parent().expect("it has a parent")).expect("made");
    let old = "date,game,rules,opponent,turns,accuracy,result\n\
        2026.11.15,base-battle,,human,5,,won\n2026.11.16,base-battle,steps=2,expert,14,87.5,won\n";
    fs::write(statistics.path(), old).expect("the file can be written");
    statistics.note(&against(NOVICE, Finish::Lost, None)).expect("the file can be written");
    let tallies = statistics.tallies(GAMES).expect("the file can be read");
    let counts = tallies.iter().map(|it| (it.contest.to_string(), it.played, it.won, it.lost));
    let expected = [("people", 1, 0, 0), ("novice", 1, 0, 1), ("expert", 1, 1, 0)];
    assert!(counts.eq(expected.map(|(who, played, won, lost)| (
        who.to_owned(),
        played,
        won,
        lost
    ))));
    assert!(content(&statistics).starts_with(old), "old lines are unchanged");
}
