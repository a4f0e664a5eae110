//! Lost connections, killed servers, and two tabs: nothing is lost, and nothing is told twice.

use super::line::Line;
use super::page::{Page, Person};
use super::{begin, begin_over, choose, log, stage};
use crate::online::Served;

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
    let game = begin_over(browser, &server.url, &line.url, "Capture the Line");
    let (ann, bob) = (&game.ann.page, &game.bob.page);
    expect_loss(bob);
    line.cut();
    bob.announces("The connection was lost.");
    choose(ann, "2");
    tells(ann, &MOVES[..1]);
    assert!(!bob.text().contains(MOVES[0]), "no word reaches Bob");
    line.mend();
    tells(bob, &MOVES[..1]);
    bob.announces(MOVES[0]);
    choose(bob, "1");
    tells(ann, &MOVES[..2]);
    // A choice that cannot be sent is sent when that is possible again.
    choose(ann, "2");
    bob.find("button", "move 1");
    line.cut();
    choose(bob, "1");
    line.mend();
    tells(ann, &MOVES[..4]);
    tells(bob, &MOVES[..4]);
    drop(game);
}

/// A browser that says that it is offline.
#[test]
fn a_page_that_is_offline_goes_on_when_it_is_online_again() {
    let Some((browser, server)) = stage() else { return };
    let line = Line::to(&server.url);
    let game = begin_over(browser, &server.url, &line.url, "Capture the Line");
    let (ann, bob) = (&game.ann.page, &game.bob.page);
    expect_loss(bob);
    bob.offline(true);
    line.cut();
    bob.announces("The connection was lost.");
    bob.sees("This device is offline.");
    choose(ann, "2");
    line.mend();
    bob.offline(false);
    tells(bob, &MOVES[..1]);
    choose(bob, "1");
    tells(ann, &MOVES[..2]);
}

#[test]
fn a_game_goes_on_in_the_page_after_the_server_was_killed() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Capture the Line");
    let (ann, bob, cat) = (&game.ann.page, &game.bob.page, &game.cat.page);
    [ann, bob, cat].into_iter().for_each(expect_loss);
    choose(ann, "2");
    tells(cat, &MOVES[..1]);
    let server = server.crash();
    choose(bob, "1");
    tells(ann, &MOVES[..2]);
    choose(ann, "2");
    choose(bob, "1");
    choose(ann, "1");
    for page in [ann, bob, cat] {
        tells(page, &MOVES);
    }
    drop(game);
    drop(server);
}

/// The server was killed after it had told of a turn, and before it could draw the board: the page was stuck.
#[test]
fn a_board_that_cannot_be_loaded_is_asked_for_again() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Capture the Line");
    let (ann, bob) = (&game.ann.page, &game.bob.page);
    expect_loss(bob);
    bob.block(&["*://*/api/*"]);
    choose(ann, "2");
    tells(bob, &MOVES[..1]);
    bob.block(&[]);
    choose(bob, "1");
    tells(ann, &MOVES[..2]);
}

/// The first modules were not there: the page was empty.
#[test]
fn a_page_that_is_not_loaded_completely_says_so_with_a_way_on() {
    let Some((browser, server)) = stage() else { return };
    let ann = Person::new(browser).tab();
    expect_loss(&ann);
    ann.block(&["*://*/static/net.js"]);
    ann.go(&server.url);
    ann.sees("The page could not be loaded completely.");
    ann.block(&[]);
    ann.click("button", "Try again");
    ann.find("button", "Create a game");
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
    let server = Served::start(home, &address, &[]);
    ann.click("button", "Connect now");
    bob.click("button", "Connect now");
    choose(bob, "1");
    tells(ann, &MOVES[..2]);
    drop(game);
    drop(server);
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
}
