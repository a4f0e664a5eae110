//! Whole games: two pages, or a page and the program, and somebody who watches.

use super::page::text;
use super::{accept, begin, choose, create, log, player, stage};
use crate::support::Home;

/// Each game with choices that end it, as both players make them in turn. Where both choose at once, `|` is between them.
pub(crate) const GAMES: [(&str, &str, &str); 5] = [
    (
        "command-line-conquer",
        "Command Line Conquer",
        "m0 r m1 m10 m2 r m3 m9 m4 m10 m5 m9 m6 m8 m7 r m8 r m9",
    ),
    ("capture-and-conquer", "Capture and Conquer", "2 2 1 2 2 2 2 2 2 2"),
    ("base-battle", "Base Battle", "3 2 2 1 3 1 2"),
    ("command-clash", "Command Clash", "attack|special charge|attack"),
    ("capture-the-line", "Capture the Line", "2 2 2 1 1"),
];

#[test]
fn two_pages_play_command_line_conquer_and_a_third_one_watches() {
    play(&GAMES[..1]);
}

#[test]
fn two_pages_play_the_other_games_and_a_third_one_watches() {
    play(&GAMES[1..]);
}

/// Plays games to their end. All three pages must tell what the program tells.
fn play(games: &[(&str, &str, &str)]) {
    let Some((browser, server)) = stage() else { return };
    for (id, name, moves) in games {
        let game = begin(browser, &server.url, name);
        let pages = [&game.ann.page, &game.bob.page];
        for (turn, choices) in moves.split(' ').enumerate() {
            match choices.split_once('|') {
                Some((one, two)) => {
                    choose(pages[0], one);
                    choose(pages[1], two);
                }
                None => choose(pages[turn % 2], choices),
            }
        }
        let told = told(id, moves);
        let winner = usize::from(told.last().is_some_and(|line| line.starts_with("Bob")));
        let wins = ["Ann wins", "Bob wins"][winner];
        pages[winner].find("heading", "You win");
        pages[1 - winner].find("heading", wins);
        game.cat.page.find("heading", wins);
        for page in [pages[0], pages[1], &game.cat.page] {
            let log = log(page);
            let turns = log.iter().skip_while(|line| **line != told[0]);
            let turns: Vec<_> = turns.filter(|line| !line.ends_with(" has chosen.")).collect();
            assert_eq!(turns[..told.len()], told.iter().collect::<Vec<_>>()[..], "{id}");
        }
    }
}

/// What the program tells of the same game.
fn told(game: &str, moves: &str) -> Vec<String> {
    let input = moves.replace([' ', '|'], "\n") + "\n";
    let mut arguments = vec!["play", game, "--names", "Ann,Bob", "--json"];
    if matches!(game, "capture-and-conquer" | "base-battle") {
        arguments.extend(["--first", "p1"]);
    }
    let ran = Home::new().run(&arguments, input).exits(0);
    let events = ran.out.lines().map(|line| serde_json::from_str(line).expect("an object"));
    let told = events
        .filter(|event: &serde_json::Value| !event["turn"].is_null() && event["text"].is_string());
    told.flat_map(|event| {
        event["text"].as_str().unwrap_or_default().lines().map(str::to_owned).collect::<Vec<_>>()
    })
    .collect()
}

#[test]
fn a_page_plays_with_the_program() {
    let Some((browser, server)) = stage() else { return };
    let home = Home::new();
    let ann = player(browser, "Ann", &format!("{}/", server.url));
    let code = create(&ann.page, "Capture the Line");
    let mut bob = server.guest(&home, &code, &["--json"]);
    choose(&ann.page, "2");
    bob.hear("Ann moves to Point 3.");
    bob.say("1\n");
    ann.page.sees("Bob moves to Point 10.");
    choose(&ann.page, "2");
    bob.say("1\n");
    ann.page.sees("Bob moves to Point 9.");
    choose(&ann.page, "1");
    bob.hear("Ann wins the game!");
    ann.page.sees("Ann wins the game!");
    bob.end().exits(0);

    // And the other way round.
    let home = Home::new();
    let (mut ann, code) = server.creator(&home, "capture-the-line --seat p1");
    let bob = player(browser, "Bob", &format!("{}/g/{code}", server.url));
    accept(&bob.page);
    ann.say("2\n");
    bob.page.sees("Ann moves to Point 3.");
    choose(&bob.page, "1");
    ann.hear("Bob moves to Point 10.");
    ann.say("resign\n");
    bob.page.sees("Ann resigns.");
    ann.end().exits(0);
}

/// The coin was tossed before there was a stage to show it on: the page showed an error instead.
#[test]
fn both_see_the_coin_toss_that_decides_who_starts() {
    let Some((browser, server)) = stage() else { return };
    let ann = player(browser, "Ann", &format!("{}/", server.url));
    ann.page.click("radio", "Base Battle");
    ann.page.click("button", "Create a game");
    ann.page.click("button", "Create");
    ann.page.wait("location.pathname.startsWith('/g/')");
    let path = text(&ann.page.evaluate("location.pathname"));
    let bob = player(browser, "Bob", &format!("{}{path}", server.url));
    accept(&bob.page);
    for page in [&ann.page, &bob.page] {
        page.sees("The coin toss decides:");
        page.wait("document.querySelector('.stage .coin')");
        assert!(!page.has("button", "Try again"));
    }
}

#[test]
fn whoever_resigns_on_a_phone_sees_the_result() {
    let Some((browser, server)) = stage() else { return };
    let (_, name, moves) = GAMES[0];
    let game = begin(browser, &server.url, name);
    let (ann, bob) = (&game.ann.page, &game.bob.page);
    ann.resize((360, 640));
    for (turn, choice) in moves.split(' ').take(8).enumerate() {
        choose([ann, bob][turn % 2], choice);
    }
    ann.find("button", "recruit");
    ann.click("button", "Resign");
    ann.click("button", "Resign");
    ann.find("heading", "Bob wins");
    ann.wait(
        "(() => {
            const {top, bottom} = document.querySelector('.ending').getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight;
        })()",
    );
    ann.wait("document.activeElement.textContent.includes('Bob wins')");
}

#[test]
fn the_winner_takes_the_stage_and_hides_nobody() {
    let Some((browser, server)) = stage() else { return };
    for (place, is_apart) in [(7, false), (8, true)] {
        let position = format!("5/{place}/1");
        let address = format!("{}/practice/capture-the-line?position={position}", server.url);
        let ann = player(browser, "Ann", &address);
        choose(&ann.page, "1");
        ann.page.find("heading", "Player 1 wins");
        ann.page.wait(
            "(() => {
                const box = document.querySelector('.piece.p2 .mark').getBoundingClientRect();
                const at = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
                return at?.closest('.piece.p2');
            })()",
        );
        if is_apart {
            ann.page.wait(
                "(() => {
                    const [one, two] = ['.p1', '.p2'].map(it => document.querySelector(`${it} .plate`).getBoundingClientRect());
                    return one.width > two.width && one.right <= two.left;
                })()",
            );
        }
    }
}
