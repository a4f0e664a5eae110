//! Rated games between accounts: their entries in the history in every mode, and their records.

use serde_json::Value;

use super::{Served, code, own_address};
use crate::browser::line::Line;
use crate::support::{Home, read};
use crate::terminal::Terminal;

#[test]
fn two_accounts_of_one_installation_play_unrated() {
    let server = Served::start(Home::new(), &own_address(), &["--trusted-proxy", "loopback"]);
    let far = Line::from("192.0.2.7", &server.url);
    let home = Home::new();
    let mut ann = home.talk(&["join", &server.url]);
    ann.say("register Annie\ncreate capture-the-line --rated --seat p1\n");
    let code = code(&ann);
    // To the program, this is another server, so it plays as somebody else.
    let mut bob = home.talk(&["join", &far.url]);
    bob.say(format!("register Robert\njoin {code}\n"));
    bob.hear("This game is not rated: both players use the same address or device.");
    bob.say("quit\n");
    ann.say("quit\n");
    bob.end();
    ann.end();
}

#[test]
fn the_history_has_the_rating_after_each_rated_game_and_its_record() {
    let server = Served::start(Home::new(), &own_address(), &["--trusted-proxy", "loopback"]);
    // A game between two people at one address would not be rated.
    let far = Line::from("192.0.2.7", &server.url);
    let (ann_home, bob_home) = (Home::new(), Home::new());
    let mut ann = ann_home.talk(&["join", &server.url, "--name", "Ann"]);
    ann.say("register Annie\ncreate capture-the-line --rated --seat p1\n");
    let code = code(&ann);
    let mut bob = bob_home.talk(&["join", &far.url, "--json", "--name", "Bob"]);
    bob.say(format!("register Robert\njoin {code}\n"));
    // In the rematch, Robert is Player 1, and resigns.
    ann.say("2\n2\n1\nrematch\n");
    bob.say("1\n1\n");
    bob.hear("offers a rematch");
    bob.say("yes\n1\n");
    ann.hear("Robert moves to Point 2.");
    ann.say("1\n");
    bob.hear("Annie moves to Point 10.");
    bob.say("resign\nlobby\nhistory\nquit\n");
    let again = "The game was rated: history in the lobby shows your rating.";
    ann.hear("Robert resigns");
    assert_eq!(super::count(&ann.hear(again), "Final score"), 0, "no match");
    ann.say(format!(
        "lobby\nhistory\nrecord {code} 1\nrecord {code} old.skr\nrecord {code} 1 old.skr\n\
         record! {code} 1 old.skr\nrecord {code} 3\nrecord ZZZZZZ\nrecord\nquit\n"
    ));
    let ann = ann.end().exits(0);
    let ratings = |text: &str| -> Vec<i32> {
        let numbers = text.lines().filter_map(|line| line.rsplit_once("rating "));
        numbers.filter_map(|(_, rating)| rating.trim().parse().ok()).collect()
    };
    let (_, history) = ann.out.rsplit_once("history\n").expect("it is echoed");
    let [second, first] = ratings(history)[..] else { panic!("two rated games\n{history}") };
    assert!(first > 1500 && second > first, "{history}");
    let ann = ann.says(&[
        &format!(
            "{code} 2  Capture the Line  Robert against Annie  0-1 (resigned)  rating {second}"
        ),
        &format!(
            "{code} 1  Capture the Line  Annie against Robert  1-0 (rules)     rating {first}"
        ),
        "[Player1 \"Annie\"]",
        "3. 2",
        "Saved in ",
        "old.skr exists already. Enter record! ",
        "Saved in ",
        "This room has had 2 games.",
        "There is no such game here. Check the code.",
        "Enter record and the code of a game",
    ]);
    assert!(read(&ann_home.file("old.skr")).contains("[Player1 \"Annie\"]"), "{}", ann.out);
    // Programs get the server's message unchanged.
    let out = bob.end().exits(0).out;
    let history: Value = out
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .find(|object: &Value| object["type"] == "history")
        .expect("it was asked for");
    let games = history["games"].as_array().expect("a list");
    assert_eq!(games.len(), 2);
    assert_eq!((&games[0]["you"], &games[1]["you"]), (&1.into(), &2.into()));
    let rating = |game: &Value| game["rating"].as_i64().expect("it was rated");
    assert!(rating(&games[1]) < 1500 && rating(&games[0]) < rating(&games[1]), "{history}");
    // The full screen shows the ratings too, and replays the game.
    let arguments = ["join", &server.url, "--tui", "--no-motion"];
    let variables = [("TERM", "xterm-256color")];
    let mut screen = Terminal::sized(&ann_home, &arguments, (100, 30), &variables);
    screen.see("find an opponent");
    screen.press("f");
    let picture = screen.see(&format!("won, rating {second}"));
    assert!(picture.contains(&format!("won, rating {first}")), "{picture}");
    screen.press("j\r");
    screen.see("Turn 0 of 5");
    screen.press("\u{3}");
    screen.ends(130);
}
