use std::path::Path;
use std::time::Duration;

use skirmish_rules::GAMES;

use super::{Check, CheckLimits, CheckReport, CheckVerdict};
use crate::bot::parse_command;
use crate::referee::Timing;

/// Long enough for any machine.
const LONG: Duration = Duration::from_mins(1);

/// Shell code that extracts a legal move from the question.
const FIND: &str = r#"player=${line##*:}; player=${player%?}; moves=${line#*legal};
    moves=${moves#*\"$player\":\[\"}; move=${moves%%\"*};"#;

fn check(command: &str, games: &[&str], limit: Duration) -> CheckReport {
    let command = parse_command(command).expect("there is a shell");
    let named = games.iter().map(|game| GAMES.find(game).expect("the game exists")).collect();
    let limits = CheckLimits { told: LONG, margin: LONG, granted: limit, start: limit };
    Check { command, catalog: GAMES, named, limits }.run(|_| ())
}

/// Checks a JSON bot in shell that runs `each` for every question, and `after` at the end.
fn checked(games: &[&str], before: &str, each: &str, after: &str) -> CheckReport {
    let script = format!("{before} while read -r line; do {FIND} {each} done; {after}");
    check(&format!("json: sh -c '{script}'"), games, LONG)
}

/// Checks a UGI bot in shell: `claims` answers `ugi`, and `cases` answer the other commands.
fn checked_in_ugi(games: &[&str], claims: &str, cases: &str, limit: Duration) -> CheckReport {
    let script = format!(
        "while read -r word rest; do case $word in ugi) {claims} echo ugiok;; \
         isready) echo readyok;; quit) exit;; {cases} esac; done"
    );
    check(&format!("ugi: sh -c '{script}'"), games, limit)
}

fn verdict<'a>(report: &'a CheckReport, name: &str) -> &'a CheckVerdict {
    let step = report.steps.iter().find(|step| step.name == name);
    &step.expect("the step exists").verdict
}

/// The names of the steps that failed.
fn failed(report: &CheckReport) -> Vec<&'static str> {
    let has_failed = |verdict: &CheckVerdict| matches!(verdict, CheckVerdict::Fail(_));
    report.steps.iter().filter(|step| has_failed(&step.verdict)).map(|step| step.name).collect()
}

/// The detail of a failed step.
#[track_caller]
fn detail(report: &CheckReport, name: &str) -> String {
    match verdict(report, name) {
        CheckVerdict::Fail(failure) => failure.detail.clone(),
        CheckVerdict::Pass(_) | CheckVerdict::Skipped(_) => {
            panic!("{name} did not fail: {report:#?}")
        }
    }
}

#[test]
fn a_bot_that_plays_what_is_legal_passes_every_step_of_every_game() {
    let report = checked(&[], "", "echo $move;", "");
    assert_eq!(failed(&report), [""; 0], "{report:#?}");
    assert_eq!(verdict(&report, "Handshake"), &CheckVerdict::Pass("speaks JSON lines".into()));
    assert_eq!(
        verdict(&report, "Games"),
        &CheckVerdict::Pass(format!("all {}", GAMES.iter().count()))
    );
}

#[test]
fn a_bot_that_speaks_ugi_is_tried_with_the_games_it_claims() {
    let claims = "echo id name Me; echo option name Game type combo default command-clash \
                  var command-clash;";
    let report = checked_in_ugi(&[], claims, "go) echo bestmove charge;;", LONG);
    assert_eq!(failed(&report), [""; 0], "{report:#?}");
    assert_eq!(report.name.as_deref(), Some("Me"));
    assert_eq!(verdict(&report, "Games"), &CheckVerdict::Pass("command-clash".into()));
    let CheckVerdict::Pass(seen) = verdict(&report, "Odd positions") else { panic!("{report:#?}") };
    assert!(seen.ends_with("; default rules only: it has no option Rules"), "{seen}");
}

#[test]
fn a_bot_that_does_not_claim_games_needs_named_ones() {
    let report = checked_in_ugi(&[], "", "go) echo bestmove charge;;", LONG);
    assert_eq!(detail(&report, "Games"), "it does not say which games it plays");
    assert!(matches!(verdict(&report, "Move in time"), CheckVerdict::Skipped(_)));
    let report = checked_in_ugi(&["command-clash"], "", "go) echo bestmove charge;;", LONG);
    assert_eq!(failed(&report), [""; 0], "{report:#?}");
}

#[test]
fn a_game_that_a_bot_does_not_claim_is_not_tried() {
    let claims = "echo option name Game type combo default go var go var hex;";
    let report = checked_in_ugi(&["base-battle"], claims, "", LONG);
    assert_eq!(detail(&report, "Games"), "it does not play base-battle: it plays go or hex");
    let report = checked_in_ugi(&[], claims, "", LONG);
    let detail = detail(&report, "Games");
    assert_eq!(detail, "it claims to play go or hex, which are not games of Skirmish");
}

#[test]
fn a_bot_that_exits_at_the_start_is_not_asked_again() {
    let report = check("json: sh -c 'echo no! >&2; exit 3'", &[], LONG);
    assert_eq!(failed(&report), ["Handshake"]);
    assert_eq!(detail(&report, "Handshake"), "it ended with exit code 3 (no!)");
    assert!(report.steps[1..].iter().all(|it| matches!(it.verdict, CheckVerdict::Skipped(_))));
}

#[test]
fn a_bot_that_never_answers_is_late_at_the_handshake() {
    let report = check("json: sleep 600", &[], Duration::from_millis(100));
    assert_eq!(failed(&report), ["Handshake"]);
    assert_eq!(detail(&report, "Handshake"), "it gave no move within 100 ms");
}

#[test]
fn a_bot_that_was_late_in_two_steps_is_not_waited_for_again() {
    // Long enough for a shell to answer `isready`, the only command it answers.
    let report = checked_in_ugi(&["base-battle"], "", "", Duration::from_secs(1));
    assert_eq!(failed(&report), ["Move in time", "Only when asked"], "{report:#?}");
    assert_eq!(verdict(&report, "Ending"), &CheckVerdict::Skipped("it timed out in two steps"));
}

#[test]
fn a_bot_that_takes_longer_than_a_tournament_allows_is_late() {
    let command = parse_command(&format!(
        "json: sh -c 'while read -r line; do {FIND} sleep 0.05; echo $move; done'"
    ));
    let limits = CheckLimits {
        told: Duration::from_millis(10),
        margin: Duration::from_millis(5),
        granted: LONG,
        start: LONG,
    };
    let named = vec![GAMES.find("base-battle").expect("the game exists")];
    let command = command.expect("there is a shell");
    let report = Check { command, catalog: GAMES, named, limits }.run(|_| ());
    assert_eq!(failed(&report), ["Move in time"], "{report:#?}");
    let told = detail(&report, "Move in time");
    assert!(told.starts_with("in 0/10/1 of base-battle as Player 1 it took "), "{told}");
    let CheckVerdict::Fail(failure) = verdict(&report, "Move in time") else { panic!("it fails") };
    let expected = "at most 10 ms, with a margin of 5 ms, as in a tournament";
    assert_eq!(failure.expected, expected);
}

#[test]
fn the_limits_are_those_of_a_tournament() {
    let timing = Timing { per_move: Duration::from_secs(3), ..Timing::default() };
    let limits = CheckLimits::for_moves_of(timing.per_move);
    assert_eq!(limits.in_tournament(), timing.per_move + timing.margin);
    assert_eq!(limits.start, timing.first_move);
    assert!(limits.granted > limits.in_tournament());
    assert_eq!(CheckLimits::for_moves_of(LONG).start, LONG);
}

/// Checks a UGI bot in shell that plays 1 and answers queries with `responses`.
fn answering(claims: &str, responses: &str) -> CheckReport {
    let cases = format!("query) {responses};; go) echo bestmove 1;;");
    checked_in_ugi(&["capture-the-line"], claims, &cases, LONG)
}

#[test]
fn ignored_queries_are_reported() {
    let report = answering("", ":");
    assert_eq!(failed(&report), ["Queries"], "{report:#?}");
    assert_eq!(
        detail(&report, "Queries"),
        "in 1/11/1 of capture-the-line it did not answer \"query gameover\": other runners \
         would wait forever"
    );
    assert!(matches!(verdict(&report, "Ending"), CheckVerdict::Pass(_)));
}

#[test]
fn wrong_responses_are_reported() {
    let report = answering("", "[ $rest = result ] && echo response none || echo response false");
    assert_eq!(failed(&report), ["Queries"], "{report:#?}");
    let told = detail(&report, "Queries");
    assert!(told.ends_with("it answered \"query p1turn\" with \"false\""), "{told}");
    let CheckVerdict::Fail(failure) = verdict(&report, "Queries") else { panic!("it fails") };
    let (said, expected) = (failure.said.as_deref(), failure.expected.as_str());
    assert_eq!((said, expected), (Some("false"), "response true"));
    let asked = ["> query p1turn", "> isready", "< response false", "< readyok"];
    assert!(failure.dialogue.ends_with(&asked.map(str::to_owned)), "{:?}", failure.dialogue);
}

#[test]
fn a_json_bot_gets_no_queries() {
    let report = checked(&["base-battle"], "", "echo $move;", "");
    assert!(report.steps.iter().all(|step| step.name != "Queries"));
    let numbers: Vec<usize> = report.steps.iter().map(|step| step.number).collect();
    assert_eq!(numbers, (1..=8).collect::<Vec<usize>>());
}

/// The IDs in a report's list of games that the bot plays.
fn only(report: &CheckReport) -> Option<Vec<&'static str>> {
    report.plays_only.as_ref().map(|games| games.iter().map(|entry| entry.id).collect())
}

#[test]
fn a_bot_that_plays_only_some_games_gets_a_list_of_them() {
    let crashes = "case $line in *base-battle*) echo $move;; *) exit 1;; esac;";
    let report = checked(&[], "", crashes, "");
    assert_eq!(failed(&report), ["Handshake"], "{report:#?}");
    assert_eq!(only(&report), Some(vec!["base-battle"]));
    let errs = "case $line in *capture-*) echo $move;; *) echo 0;; esac;";
    let report = checked(&[], "", errs, "");
    assert_eq!(only(&report), Some(vec!["capture-and-conquer", "capture-the-line"]));
}

#[test]
fn a_bot_that_plays_all_games_or_none_or_named_ones_gets_no_list() {
    assert_eq!(only(&checked(&[], "", "echo $move;", "sleep 600")), None);
    assert_eq!(only(&checked(&[], "", "echo 0;", "")), None);
    assert_eq!(only(&checked(&["base-battle"], "", "echo 0;", "")), None);
    assert_eq!(only(&check("json: sh -c 'exit 1'", &[], LONG)), None);
}

#[test]
fn an_illegal_move_is_reported_with_the_question() {
    let wrong = r#"case $line in *\"positions\":22*) move=9;; esac; echo $move;"#;
    let report = checked(&["capture-and-conquer"], "", wrong, "");
    assert_eq!(failed(&report), ["Odd positions"]);
    let CheckVerdict::Fail(failure) = verdict(&report, "Odd positions") else { panic!("it fails") };
    assert!(
        failure.detail.contains(" of capture-and-conquer with positions=22 as Player ")
            && failure.detail.ends_with(" it said \"9\""),
        "{failure:?}"
    );
    assert_eq!((failure.said.as_deref(), failure.expected.as_str()), (Some("9"), "1 or 2"));
    assert_eq!(failure.dialogue.last().map(String::as_str), Some("< 9"));
    let question = &failure.dialogue[failure.dialogue.len() - 2];
    assert!(question.starts_with("> {\"game\":\"capture-and-conquer\""), "{question}");
}

#[test]
fn a_bot_that_plays_only_as_player_1_fails() {
    let report = checked(&["base-battle"], "", "[ $player = 1 ] || exit 4; echo $move;", "");
    assert_eq!(failed(&report), ["Both seats", "Second game", "Odd positions"]);
    let detail = detail(&report, "Both seats");
    assert_eq!(detail, "in 0/10/2 of base-battle as Player 2 it ended with exit code 4");
}

#[test]
fn a_bot_that_exits_at_its_second_game_fails() {
    let cases = "uginewgame) count=x$count; [ $count != xx ] || exit 5;; \
                 go) echo bestmove charge;;";
    let report = checked_in_ugi(&["command-clash"], "", cases, LONG);
    assert!(!failed(&report).contains(&"Both seats"), "{report:#?}");
    let detail = detail(&report, "Second game");
    assert_eq!(
        detail,
        "in the second game, 5/5 of command-clash as Player 2 it ended with exit code 5"
    );
}

#[test]
fn a_bot_that_answers_twice_fails_and_is_not_asked_further() {
    let report = checked(&["base-battle"], "", "echo 1; echo 2;", "");
    assert_eq!(failed(&report), ["Only when asked"], "{report:#?}");
    let detail = detail(&report, "Only when asked");
    assert_eq!(detail, "it was asked twice and also sent \"1\"");
    assert!(matches!(verdict(&report, "Both seats"), CheckVerdict::Skipped(_)));
    assert!(matches!(verdict(&report, "Ending"), CheckVerdict::Pass(_)));
    let report =
        checked_in_ugi(&["base-battle"], "", "go) echo bestmove 1; echo bestmove 1;;", LONG);
    assert_eq!(failed(&report), ["Only when asked"], "{report:#?}");
}

#[test]
fn a_greeting_is_not_an_answer() {
    let report = checked(&["base-battle"], "echo Hello;", "echo $move;", "");
    assert_eq!(failed(&report), ["Move in time", "Only when asked"], "{report:#?}");
    assert!(detail(&report, "Move in time").ends_with("it said \"Hello\""));
}

#[test]
fn a_bot_that_does_not_exit_fails() {
    let report = checked(&["base-battle"], "", "echo $move;", "sleep 600");
    assert_eq!(failed(&report), ["Ending"], "{report:#?}");
    assert_eq!(detail(&report, "Ending"), "it does not end when its input ends");
}

#[test]
fn an_orphaned_process_is_found() {
    if !Path::new("/proc/self/environ").exists() {
        return;
    }
    let report = checked(&["base-battle"], "sleep 600 &", "echo $move;", "");
    assert_eq!(failed(&report), ["Ending"], "{report:#?}");
    assert_eq!(detail(&report, "Ending"), "it leaves a process running that it has started");
}

#[test]
fn steps_are_reported_as_they_complete() {
    let command = parse_command("json: sh -c 'exit 1'").expect("there is a shell");
    let limits = CheckLimits::for_moves_of(Duration::from_secs(1));
    let mut numbers = Vec::new();
    let check = Check { command, catalog: GAMES, named: Vec::new(), limits };
    let report = check.run(|step| numbers.push(step.number));
    assert_eq!(numbers, (1..=report.steps.len()).collect::<Vec<usize>>());
}
