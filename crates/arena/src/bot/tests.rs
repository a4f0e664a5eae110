#[cfg(target_os = "linux")]
mod fairness;

use std::path::Path;
use std::time::Duration;

use skirmish_play::Fault;
use skirmish_play::player::Dialect;
use skirmish_rules::{GAMES, Side, Table};

use super::{Bot, ThinkingTime};
use crate::bot::parse_command;

/// Long enough even on a slow machine.
const LONG: Duration = Duration::from_mins(1);

/// Short, for bots that never answer.
const SHORT: Duration = Duration::from_millis(100);

const SOON: ThinkingTime = ThinkingTime { time: Duration::from_secs(1), banks: None };

fn table(game: &str) -> Box<dyn Table> {
    let entry = GAMES.find(game).expect("the game exists");
    entry.open(entry.setup()).expect("no position is set")
}

fn bot(command: &str) -> Bot {
    Bot::new(parse_command(command).expect("there is a shell"), LONG, None)
}

/// The answer of a JSON bot, written in shell, to the question for its first move.
fn asked(script: &str, limit: Duration) -> Result<String, Fault> {
    let mut bot = bot(&format!("json: sh -c '{script}'"));
    bot.choose(&*table("base-battle"), Side::One, &SOON, limit)
}

fn fault(script: &str, limit: Duration) -> Fault {
    asked(script, limit).expect_err("the bot fails")
}

#[test]
fn a_line_in_and_a_line_out_is_a_bot() {
    assert_eq!(asked("read -r line; echo 2; read -r line", LONG).as_deref(), Ok("2"));
    assert_eq!(asked(r#"read -r line; printf "3\r\n"; read -r line"#, LONG).as_deref(), Ok("3"));
}

#[test]
fn a_bot_may_answer_and_end_at_once() {
    assert_eq!(asked("echo 2", LONG).as_deref(), Ok("2"));
}

#[test]
fn a_crash_is_reported_with_the_last_line_of_stderr() {
    let fault = fault("read -r line; echo oh >&2; echo no! >&2; exit 3", LONG);
    assert_eq!(fault.to_string(), "ended with exit code 3 (no!)");
    let killed = self::fault("kill -SEGV $$", LONG);
    assert_eq!(killed.to_string(), "was ended by signal 11");
}

#[test]
fn a_bot_whose_child_holds_its_output_has_ended_all_the_same() {
    let fault = fault("read -r line; sleep 60 & exit 3", LONG);
    assert_eq!(fault.to_string(), "ended with exit code 3");
}

#[test]
fn an_answer_is_logged_only_when_the_next_question_is_asked() {
    let place = tempfile::tempdir().expect("a folder for the test");
    let path = place.path().join("bot.log");
    let log = super::Log::to(std::fs::File::create(&path).expect("writing succeeds"));
    let command = parse_command("json: sh -c 'while read -r line; do echo 3; done'");
    let mut bot = Bot::new(command.expect("there is a shell"), LONG, Some(log));
    let table = table("base-battle");
    let answers = || {
        let text = std::fs::read_to_string(&path).expect("it exists");
        text.matches(" < 3").count()
    };
    for asked in 0..3 {
        bot.choose(&*table, Side::One, &SOON, LONG).expect("it plays");
        // Otherwise, in a simultaneous game, the other bot could read the choice in the log.
        assert_eq!(answers(), asked);
    }
    bot.quit();
    assert_eq!(answers(), 3);
}

#[test]
fn a_bot_that_never_answers_is_late() {
    let fault = fault("while :; do sleep 60; done", SHORT);
    assert_eq!(fault.to_string(), "gave no move within 100 ms");
}

#[test]
fn a_bot_that_does_not_end_its_line_is_late() {
    // Both answers arrive together; the second line is unterminated.
    let mut bot = bot(r#"json: sh -c 'printf "1\n2"; sleep 60'"#);
    let table = table("base-battle");
    assert_eq!(bot.choose(&*table, Side::One, &SOON, LONG).as_deref(), Ok("1"));
    let fault = bot.choose(&*table, Side::One, &SOON, SHORT).expect_err("the line is not ended");
    assert_eq!(
        fault.to_string(),
        "gave no move within 100 ms; it said \"2\" without ending the line"
    );
}

#[test]
fn an_endless_line_is_a_fault() {
    let fault = fault("while :; do printf 1111111111111111; done", LONG);
    assert_eq!(fault.to_string(), "sent more than 64 KiB without ending the line");
}

#[test]
fn an_illegal_answer_is_reported_with_the_legal_moves() {
    let fault = fault("echo 9; read -r line", LONG);
    assert_eq!(fault.to_string(), "played \"9\": it could play 1, 2 or 3");
    for said in ["", "1 2", "01", "one"] {
        let fault = self::fault(&format!("echo \"{said}\"; sleep 60"), LONG);
        assert!(matches!(fault, Fault::Illegal { .. }), "{said:?}: {fault}");
    }
}

#[test]
fn bytes_that_are_not_text_are_not_an_answer() {
    assert_eq!(fault(r#"printf "\377\n"; sleep 60"#, LONG), Fault::NotText);
}

#[test]
fn a_bot_that_does_not_read_cannot_block_us() {
    let mut bot = bot("json: sh -c 'while :; do echo 1; done'");
    let table = table("base-battle");
    let fault = (0..10_000).find_map(|_| bot.choose(&*table, Side::One, &SOON, LONG).err());
    assert_eq!(fault, Some(Fault::Deaf));
}

#[test]
fn endless_output_is_not_an_answer() {
    let mut bot =
        bot("ugi: sh -c 'echo ugiok; echo readyok; while :; do echo info string so; done'");
    let answer = bot.choose(&*table("base-battle"), Side::One, &SOON, LONG);
    assert!(matches!(answer, Err(Fault::Flood(_))), "{answer:?}");
}

#[test]
fn the_protocol_is_detected() {
    let table = table("base-battle");
    for (command, dialect) in [
        ("sh -c 'while read -r line; do echo 1; done'", Dialect::Json),
        // Exits on any line that is not JSON.
        (
            "sh -c 'while read -r line; do case $line in {*) echo 1;; *) exit 1; esac; done'",
            Dialect::Json,
        ),
        ("sh -c 'while read -r line; do case $line in ugi) echo ugiok; esac; done'", Dialect::Ugi),
        // Exits on any line that is not UGI.
        (
            "sh -c 'while read -r line; do case $line in ugi) echo ugiok;; *) exit 1; esac; done'",
            Dialect::Ugi,
        ),
        (
            "sh -c 'while read -r line; do echo what is $line; case $line in ugi) echo ugiok; esac; done'",
            Dialect::Ugi,
        ),
    ] {
        assert_eq!(bot(command).detect(&*table), Ok(dialect), "{command}");
    }
}

#[test]
fn a_silent_program_does_not_block_detection() {
    let command = parse_command("sleep 60").expect("the program exists");
    let mut bot = Bot::new(command, SHORT, None);
    assert_eq!(bot.detect(&*table("base-battle")), Ok(Dialect::Json));
}

#[test]
fn a_bot_says_which_games_it_plays() {
    let script = "while read -r line; do case $line in ugi) echo id name Me; \
                  echo option name Game type combo default go var go var hex; echo ugiok; esac; done";
    let mut bot = bot(&format!("ugi: sh -c '{script}'"));
    let fault = bot.begin(&*table("base-battle"), Side::One).expect_err("it plays other games");
    assert_eq!(fault.to_string(), "does not play base-battle: it plays go or hex");
}

/// The number of processes whose command line contains a text.
fn processes(text: &str) -> usize {
    let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let lines = processes.filter_map(|process| std::fs::read(process.path().join("cmdline")).ok());
    lines.filter(|line| String::from_utf8_lossy(line).contains(text)).count()
}

#[test]
fn the_children_of_a_bot_are_killed_with_it() {
    if !Path::new("/proc/self/environ").exists() {
        return;
    }
    // Sleep durations that no other process uses.
    for (script, sleeps) in [
        ("sleep 86431 & echo 1; wait", "86431"),
        ("setsid sleep 86432 & echo 1; wait", "86432"),
        ("(setsid sleep 86433 &) ; echo 1", "86433"),
    ] {
        let mut bot = bot(&format!("json: sh -c '{script}'"));
        bot.choose(&*table("base-battle"), Side::One, &SOON, LONG).expect("it plays");
        bot.quit();
        // A killed process may take a moment to vanish.
        let killed = std::time::Instant::now();
        while processes(&format!("sleep\0{sleeps}")) > 0 {
            assert!(killed.elapsed() < LONG, "{script} is still there");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn a_bot_that_ignores_quit_is_killed() {
    let mut stubborn =
        bot(r#"json: sh -c 'trap "" TERM HUP INT; echo 1; while :; do sleep 60; done'"#);
    stubborn.choose(&*table("base-battle"), Side::One, &SOON, LONG).expect("it plays");
    assert!(!stubborn.quit(), "it does not exit");
    let mut polite = bot("json: sh -c 'while read -r line; do echo 1; done'");
    polite.choose(&*table("base-battle"), Side::One, &SOON, LONG).expect("it plays");
    assert!(polite.quit());
}

/// Killing a bot once missed programs that had not started yet, such as the one for the second detection attempt.
#[test]
fn a_bot_that_is_killed_from_elsewhere_ends_and_never_starts_again() {
    let mut bot = bot("sh -c 'while :; do sleep 60; done'");
    let handle = bot.kill_handle();
    let asked = std::thread::spawn(move || {
        let answer = bot.choose(&*table("base-battle"), Side::One, &SOON, LONG);
        (answer, bot.choose(&*table("base-battle"), Side::One, &SOON, LONG))
    });
    handle.kill();
    let (first, second) = asked.join().expect("it does not panic");
    assert!(first.is_err(), "{first:?}");
    let never = Fault::NotStarted("it is no longer needed".to_owned());
    assert_eq!(second, Err(never));
}
