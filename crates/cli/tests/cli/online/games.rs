//! Whole games between two clients.

use super::{Served, code, record};
use crate::support::{Home, skirmish};

#[test]
fn two_clients_have_the_same_record() {
    let server = Served::new();
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let (mut ann, code) = server.creator(&ann_home, "capture-the-line --seat p1");
    let mut bob = server.guest(&bob_home, &code, &[]);
    ann.say("2\n2\n1\n");
    bob.say("1\n1\n");
    for (mut talk, seat) in [(ann, "You are Ann (P1)."), (bob, "You are Bob (P2).")] {
        talk.hear("Ann wins the game!");
        talk.say("save game.skr\n");
        talk.end().exits(0).says(&[seat, "Ann wins the game!"]);
    }
    let record = record(&ann_home, "game.skr");
    assert_eq!(record, self::record(&bob_home, "game.skr"));
    assert!(
        record.contains("[Player1 \"Ann\"]") && record.contains("[Result \"1-0\"]"),
        "{record}"
    );
}

/// Programs get the same objects as in a local game.
#[test]
fn programs_play_with_the_objects_of_a_local_game() {
    let server = Served::new();
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let (mut ann, code) = server.creator(&ann_home, "capture-the-line --seat p1");
    let mut bob = server.guest(&bob_home, &code, &["--json"]);
    ann.say("2\n2\n1\n");
    bob.say("1\n1\n");
    ann.end().exits(0);
    let heard = bob.end().exits(0).out;
    let local = skirmish(&["play", "capture-the-line", "--json"], "2\n1\n2\n1\n1\n").exits(0).out;
    let event = |line: &str| -> serde_json::Value {
        let mut object: serde_json::Value = serde_json::from_str(line).expect("an object");
        object["names"] = serde_json::Value::Null;
        object["text"] = serde_json::Value::Null;
        object["seed"] = serde_json::Value::Null;
        object
    };
    let is_own = |object: &serde_json::Value| object["event"] == "prompt" && object["player"] == 1;
    let local: Vec<_> = local.lines().map(event).filter(|object| !is_own(object)).collect();
    let heard: Vec<_> = heard.lines().map(event).filter(|it| it["event"] != "note").collect();
    assert_eq!(heard, local, "the same but for the opponent's prompts");
}

#[test]
fn spectators_see_the_game_and_cannot_play() {
    let server = Served::new();
    let (ann_home, bob_home, cat_home) = (Home::new(), Home::new(), Home::new());
    let (mut ann, code) = server.creator(&ann_home, "capture-the-line --seat p1");
    let mut bob = server.guest(&bob_home, &code, &[]);
    bob.hear("You are Bob (P2).");
    let mut cat = server.guest(&cat_home, &code, &["--watch"]);
    cat.hear("You are watching Ann (P1) against Bob (P2).");
    cat.hear("Waiting for Ann.");
    cat.say("help\nyes\n");
    let help = cat.hear("You are watching: enter board");
    assert!(help.contains("  lobby  ") && !help.contains("resign"), "{help}");
    cat.say("1\n");
    ann.say("2\n2\n2\n");
    bob.say("1\n1\n");
    cat.end().exits(0).says(&["Ann moves to Point 3.", "Ann wins the game!"]);
    ann.end().exits(0);
    bob.end().exits(0);
}

#[test]
fn programs_get_the_lobby_as_the_server_sends_it() {
    let server = Served::new();
    let home = Home::new();
    let input = "leaders base\nfly\ncreate base-battle --public\nquit\n";
    let ran = home.run(&["join", &server.url, "--json", "--name", "Ann"], input).exits(0);
    let lines: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let kind = |line: &serde_json::Value| {
        let kind = line["type"].as_str().or_else(|| line["event"].as_str());
        kind.expect("a kind").to_owned()
    };
    let kinds: Vec<String> = lines.iter().map(kind).collect();
    assert_eq!(kinds, ["lobby", "leaders", "error", "invitation", "leave"]);
    let code = lines[3]["code"].as_str().expect("a code");
    assert_eq!(lines[3]["url"], format!("{}/g/{code}", server.url));
    let ran = home.run(&["join", &server.url, "--json"], "").exits(0);
    let lobby: serde_json::Value = serde_json::from_str(ran.out.trim()).expect("an object");
    assert_eq!(lobby["yours"][0]["code"], code);
}

/// The lobby lists games, finds opponents, and refuses unknown games.
#[test]
fn the_lobby_lists_games_and_finds_opponents() {
    let server = Served::new();
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let mut ann = ann_home.talk(&["join", &server.url, "--name", "Ann"]);
    ann.say("join 7\nleaders base\nhistory\nfly\nseek capture-the-line --clock 5+3\n");
    let code = code(&ann);
    let mut bob = bob_home.talk(&["join", &server.url, "--name", "Bob"]);
    bob.hear(&format!("  1  {code}  Capture the Line, clock 5+3  Ann"));
    bob.say("join ZZZZZZ\nseek capture-the-line --clock 5+3\n");
    bob.hear("You are Bob");
    bob.hear("If a first move is not made within 30 seconds, the game is aborted.");
    ann.hear("You are Ann");
    ann.say("resign\nlobby\nhistory\nquit\n");
    ann.end().exits(0).says(&[
        "Enter the code of a game",
        "Nobody has played enough rated games of Base Battle yet.",
        "You have not finished any games here yet.",
        "Enter join N",
        "The game was aborted. Nobody has lost it.",
        "Lobby: history",
    ]);
    bob.end().exits(0).says(&["There is no game ZZZZZZ. Check the code."]);
}

/// A player's own public game was once also in the list of games to watch.
#[test]
fn the_lobby_lists_ones_own_games_once() {
    let server = Served::new();
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let (mut ann, code) = server.creator(&ann_home, "capture-the-line --public");
    let bob = server.guest(&bob_home, &code, &[]);
    ann.hear("You are Ann");
    ann.say("lobby\nquit\n");
    let ran = ann.end().exits(0).says(&["Your games (join N):\n  1  "]);
    assert!(!ran.out.contains("Live games"), "{}", ran.out);
    drop(bob);
}

/// Lines that have no effect do not keep a script from ending.
#[test]
fn an_answer_to_nothing_is_refused_after_the_game() {
    let server = Served::new();
    // The second move waits for the computer's first move, without which the game would be aborted.
    let input = "create base --level novice --seat p1\n3\n1\nresign\nyes\n";
    let ran = Home::new().run(&["join", &server.url], input).exits(0);
    // If the computer has not moved yet, the resignation aborts the game.
    let ends = ["wins the game!", "The game was aborted."];
    assert!(ends.iter().any(|end| ran.out.contains(end)), "{}", ran.out);
    ran.says(&["Nothing is offered to you."]);
    let objects = Home::new().run(&["join", &server.url, "--json"], input).exits(0).out;
    let (_, after) = objects.rsplit_once("\"event\":\"position\"").expect("turns were played");
    let prompts = after.lines().filter(|line| line.contains("\"event\":\"prompt\""));
    // The resignation may arrive before the prompt.
    assert!(prompts.count() <= 1, "{objects}");
}

#[test]
fn without_input_nobody_waits_for_a_second_player() {
    let server = Served::new();
    let ran = Home::new().run(&["join", &server.url], "create base\n").exits(3);
    assert!(ran.err.contains("To come back: skirmish join http"), "{}", ran.err);
    let ran = Home::new().run(&["host", "base-battle", "--listen", "127.0.0.1:0"], "").exits(3);
    assert!(
        ran.err.contains("To go on: skirmish host --resume --listen 127.0.0.1:0"),
        "{}",
        ran.err
    );
}

#[test]
fn the_lobby_says_what_to_enter() {
    let server = Served::new();
    let input = "attack\ncreate\nleaders\nseek base --level novice\n";
    Home::new().run(&["join", &server.url], input).exits(0).says(&[
        "If ATTACK is the code of a game, enter join ATTACK.",
        "Enter create and a game: command-line-conquer, ",
        "Enter leaders and a game: command-line-conquer, ",
        "Seek finds people; for the computer enter create base-battle --level novice.",
    ]);
}

#[test]
fn an_account_can_be_used_on_a_second_device() {
    let server = Served::new();
    let (first, second) = (Home::new(), Home::new());
    let mut ann = first.talk(&["join", &server.url]);
    ann.say("register Annika\nlink\nrefresh\n");
    let out = ann.hear("Lobby: refresh\n");
    let (_, link) = out.split_once(" --link ").expect("the command is told");
    let link = link.split_whitespace().next().expect("it ends with the code").to_owned();
    let mut other = second.talk(&["join", &server.url, "--link", &link]);
    other.say("quit\n");
    other.end().exits(0).says(&["you are Annika."]);
    second.run(&["join", &server.url], "quit\n").exits(0).says(&["you are Annika."]);
    second.run(&["join", &server.url, "--link", &link], "quit\n").exits(1);
    ann.say("quit\n");
    ann.end().exits(0).says(&["You are Annika now.", "recovery code"]);
}
