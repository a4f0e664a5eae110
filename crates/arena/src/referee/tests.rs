//! Tests of answers that arrive in time or too late, and of how contestants choose.

use skirmish_rules::{GAMES, Unwatched};

use super::*;
use crate::bot::parse_command;

const BRIEF: Duration = Duration::from_millis(1);

/// A bot that has been asked, has answered, and has then created a file as a signal.
fn answered(script: &str, place: &std::path::Path) -> Contestant {
    let sign = place.join("answered");
    let command = format!("json: sh -c '{script}; touch {}; sleep 60'", sign.display());
    let command = parse_command(&command).expect("there is a shell");
    let mut bot = Bot::new(command, Duration::from_mins(1), None);
    let entry = GAMES.find("command-clash").expect("the game exists");
    let table = entry.open(entry.setup()).expect("no position is set");
    bot.begin(&*table, Side::One).expect("it starts");
    bot.ask(&*table, Side::One, &ThinkingTime { time: BRIEF, banks: None }).expect("it reads");
    while !sign.exists() {
        std::thread::sleep(BRIEF);
    }
    Contestant::Bot(Box::new(bot))
}

/// The answer received from a bot whose time counts either from before its start, or from after its answer.
fn received(script: &str, counts_from_start: bool) -> Option<Result<String, Fault>> {
    let place = tempfile::tempdir().expect("a folder for the test");
    let begun = Instant::now();
    let mut contestant = answered(script, place.path());
    let timing = Timing { per_move: BRIEF, bank: BRIEF, margin: BRIEF, first_move: BRIEF };
    let mut seat = ContestantSeat::new(Side::One, &mut contestant, timing);
    seat.asked = Some(if counts_from_start { begun } else { Instant::now() });
    let entry = GAMES.find("command-clash").expect("the game exists");
    let table = entry.open(entry.setup()).expect("no position is set");
    // Simulates having been busy with the other bot for a long time.
    seat.receive(&*table, Instant::now() + Duration::from_mins(1));
    seat.answer
}

#[test]
fn an_answer_written_while_we_were_busy_counts() {
    assert_eq!(received("echo charge", false), Some(Ok("charge".to_owned())));
}

#[test]
fn an_answer_read_before_we_were_busy_counts() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let mut contestant = answered("echo charge", place.path());
    let timing = Timing { per_move: BRIEF, bank: BRIEF, margin: BRIEF, first_move: BRIEF };
    let mut seat = ContestantSeat::new(Side::One, &mut contestant, timing);
    seat.asked = Some(Instant::now());
    bot::wait(seat.pending().into_iter(), Instant::now());
    seat.receive(&*table("command-clash"), Instant::now() + Duration::from_mins(1));
    assert_eq!(seat.answer, Some(Ok("charge".to_owned())));
}

/// A bot could otherwise suspend us, answer late, and resume us.
#[cfg(target_os = "linux")]
#[test]
fn a_late_answer_written_while_we_were_busy_is_late() {
    for script in ["sleep 0.1; echo charge", "sleep 0.1; echo charge; exec >&-"] {
        assert!(matches!(received(script, true), Some(Err(Fault::Late { .. }))), "{script}");
    }
}

#[test]
fn a_missing_answer_is_late() {
    assert!(matches!(received("true", false), Some(Err(Fault::Late { .. }))));
}

/// A deadline in the past would make the referee spin.
#[test]
fn an_answer_is_awaited_for_as_long_as_the_move_may_take() {
    let command = parse_command("json: sh").expect("there is a shell");
    let mut contestant = Contestant::bot(command);
    let mut seat = ContestantSeat::new(Side::One, &mut contestant, Timing::default());
    assert_eq!(seat.deadline(), None);
    assert!(seat.pending().is_none(), "no answer is pending");
    let asked = Instant::now();
    seat.asked = Some(asked);
    assert!(seat.pending().is_some());
    assert_eq!(seat.deadline(), Some(asked + seat.clock.limit()));
}

fn table(game: &str) -> Box<dyn Table> {
    let entry = GAMES.find(game).expect("the game exists");
    entry.open(entry.setup()).expect("no position is set")
}

fn perfect(game: &str) -> Contestant {
    let entry = GAMES.find(game).expect("the game exists");
    let budget = skirmish_play::Budget { bytes: 1 << 30 };
    let solved =
        skirmish_play::Solved::of(entry, &entry.setup().settings, Side::One, budget, &Unwatched);
    let solved = std::sync::Arc::new(solved.expect("a small game"));
    solved.prepare_players(&Unwatched).expect("nobody cancels");
    let chance = skirmish_play::Chance::from_seed(1);
    Contestant::Computer(Computer::new(skirmish_play::player::Level::Perfect, solved, chance))
}

#[test]
fn a_computer_and_a_bot_choose_by_themselves() {
    let computer = perfect("base-battle").choose(&*table("base-battle"), Side::One, 1, 0);
    assert_eq!(computer, Ok("3".to_owned()));
    let command = parse_command("json: sh -c 'read -r line; echo 2'");
    let mut bot = Contestant::bot(command.expect("there is a shell"));
    let line = table("capture-the-line");
    assert_eq!(bot.choose(&*line, Side::One, 1, 0), Ok("2".to_owned()));
}

#[test]
fn a_computer_that_cannot_do_better_accepts_a_draw_and_a_bot_never_does() {
    let (computer, table) = (perfect("base-battle"), table("base-battle"));
    assert!(!computer.accepts_draw(&*table, Side::One), "it wins");
    assert!(computer.accepts_draw(&*table, Side::Two), "it loses");
    let command = parse_command("json: sh").expect("there is a shell");
    assert!(!Contestant::bot(command).accepts_draw(&*table, Side::Two));
}

#[test]
fn a_bot_is_asked_ahead_and_ends_when_the_game_does() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let (asked, ended) = (place.path().join("asked"), place.path().join("ended"));
    let script = format!(
        "read -r line; touch {}; echo 1; read -r line; touch {}",
        asked.display(),
        ended.display()
    );
    let command = parse_command(&format!("json: sh -c '{script}'"));
    let mut bot = Contestant::bot(command.expect("there is a shell"));
    let line = table("capture-the-line");
    bot.ask_ahead(&*line, Side::One);
    while !asked.exists() {
        std::thread::sleep(BRIEF);
    }
    assert_eq!(bot.choose(&*line, Side::One, 1, 0), Ok("1".to_owned()));
    bot.quit();
    assert!(ended.exists(), "the bot has exited");
}

/// The time control announced to a UGI bot that has this bank.
fn told_of_time(bank: Duration) -> String {
    let place = tempfile::tempdir().expect("a folder for the test");
    let told = place.path().join("told");
    let script = format!(
        "while read -r word rest; do case $word in ugi) echo ugiok;; isready) echo readyok;; \
         go) echo $rest >{}; echo bestmove 1;; quit) exit;; esac; done",
        told.display()
    );
    let command = parse_command(&format!("ugi: sh -c '{script}'"));
    let bot = Bot::new(command.expect("there is a shell"), Duration::from_mins(1), None);
    let mut contestant = Contestant::Bot(Box::new(bot));
    let long = Duration::from_mins(1);
    let timing = Timing { per_move: long, bank, margin: long, first_move: long };
    let mut seat = ContestantSeat::new(Side::One, &mut contestant, timing);
    let entry = GAMES.find("capture-the-line").expect("the game exists");
    let table = entry.open(entry.setup()).expect("no position is set");
    seat.begin(&*table).expect("it starts");
    seat.ask(&*table, Both::new(bank, bank));
    while let Some(until) = seat.deadline() {
        bot::wait(seat.pending().into_iter(), until);
        seat.receive(&*table, Instant::now());
    }
    assert_eq!(seat.answer, Some(Ok("1".to_owned())));
    std::fs::read_to_string(told).expect("it was asked")
}

#[test]
fn a_bot_is_told_of_its_bank_if_there_is_one() {
    assert_eq!(told_of_time(Duration::ZERO), "movetime 60000\n");
    let banked = "movetime 60000 p1time 5000 p2time 5000\n";
    assert_eq!(told_of_time(Duration::from_secs(5)), banked);
}

#[test]
fn the_bank_pays_for_what_goes_beyond_the_move_and_the_margin() {
    let seconds = Duration::from_secs;
    let timing = Timing {
        per_move: seconds(2),
        bank: seconds(10),
        margin: seconds(1),
        first_move: seconds(5),
    };
    let mut clock = BotClock::new(timing);
    assert_eq!(clock.limit(), seconds(5 + 10 + 1));
    clock.charge(seconds(6));
    assert_eq!((clock.bank, clock.limit()), (seconds(10), seconds(2 + 10 + 1)));
    clock.charge(seconds(7));
    assert_eq!((clock.bank, clock.limit()), (seconds(6), seconds(2 + 6 + 1)));
    clock.charge(seconds(60));
    assert_eq!(clock.limit(), seconds(3));
}
