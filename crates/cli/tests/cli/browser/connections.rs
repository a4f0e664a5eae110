//! Lost connections, killed servers, and two tabs: nothing is lost, and nothing is told twice.

use super::line::Line;
use super::page::Page;
use super::{begin, choose, log, player, stage};
use crate::online::Served;
use crate::support::Home;

/// How browsers report a connection that was lost.
fn expect_loss(page: &Page) {
    for words in ["WebSocket connection to", "net::ERR_"] {
        page.tolerate(words);
    }
}

/// Asserts that a page tells exactly these moves of Capture the Line, in this order.
#[track_caller]
fn tells(page: &Page, moves: &[&str]) {
    page.sees(moves.last().expect("there are moves"));
    let log = log(page);
    let told: Vec<&str> =
        log.iter().map(String::as_str).filter(|line| line.contains(" moves to Point ")).collect();
    assert_eq!(told, moves, "{log:#?}");
}

const MOVES: [&str; 5] = [
    "Ann moves to Point 3.",
    "Bob moves to Point 10.",
    "Ann moves to Point 5.",
    "Bob moves to Point 9.",
    "Ann moves to Point 6.",
];

#[test]
fn a_page_that_was_cut_off_catches_up() {
    let Some((browser, server)) = stage() else { return };
    let line = Line::to(&server.url);
    let game = begin(browser, &server.url, "Capture the Line");
    let (ann, bob) = (&game.ann.page, &game.bob.page);
    expect_loss(bob);
    // Bob comes in over a line that can be cut.
    bob.go(&format!("{}/g/{}", line.url, game.code));
    let token = game_token(&game.bob.page);
    drop(token);
    choose(ann, "2");
    tells(bob, &MOVES[..1]);
    line.cut();
    bob.sees("connection");
    line.mend();
    choose(bob, "1");
    tells(ann, &MOVES[..2]);
}

fn game_token(page: &Page) -> String {
    super::page::text(&page.evaluate("localStorage['skirmish.token']"))
}

#[test]
fn a_game_goes_on_in_the_page_after_the_server_was_killed() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Capture the Line");
    let (ann, bob, cat) = (&game.ann.page, &game.bob.page, &game.cat.page);
    [ann, bob, cat].into_iter().for_each(expect_loss);
    choose(ann, "2");
    tells(cat, &MOVES[..1]);
    let _server = server.crash();
    choose(bob, "1");
    tells(ann, &MOVES[..2]);
    choose(ann, "2");
    choose(bob, "1");
    choose(ann, "1");
    for page in [ann, bob, cat] {
        tells(page, &MOVES);
    }
}

#[test]
fn a_page_says_that_the_server_restarts() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Capture the Line");
    let (ann, bob) = (&game.ann.page, &game.bob.page);
    [ann, bob, &game.cat.page].into_iter().for_each(expect_loss);
    choose(ann, "2");
    tells(bob, &MOVES[..1]);
    let (home, address) = server.stop("TERM", 143);
    ann.sees("The server is restarting. Your games wait, and no clock runs.");
    let _server = Served::start(home, &address, &[]);
    ann.click("button", "Connect now");
    bob.click("button", "Connect now");
    choose(bob, "1");
    tells(ann, &MOVES[..2]);
}

#[test]
fn two_tabs_of_one_person_agree() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Capture the Line");
    let second = game.ann.person.open(&format!("{}/g/{}", server.url, game.code));
    choose(&second, "2");
    for page in [&game.ann.page, &second, &game.bob.page] {
        tells(page, &MOVES[..1]);
    }
    choose(&game.bob.page, "1");
    choose(&game.ann.page, "2");
    for page in [&game.ann.page, &second] {
        tells(page, &MOVES[..3]);
        page.sees("Ann");
    }
    // Nobody has become a third person.
    drop(player(browser, "Dan", &server.url));
    let _home = Home::new();
}
