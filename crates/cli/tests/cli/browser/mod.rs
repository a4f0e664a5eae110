//! The page in a real browser: people find elements by role and name, and use mouse, touch and keyboard.

mod acts;
mod connections;
mod devtools;
mod everybody;
mod front;
mod games;
pub(crate) mod line;
mod offers;
mod page;
mod puzzles;
mod returning;
mod secrets;
mod sixth;
mod speed;
mod steady;
mod strangers;
mod study;
mod views;

use std::rc::Rc;

use devtools::Browser;
use page::{Page, Person, text};
use serde_json::json;

use crate::online::Served;

/// A named person who has opened a page.
struct Player {
    person: Rc<Person>,
    page: Page,
}

/// Opens an address as a new person with this name.
fn player(browser: &'static Browser, name: &str, address: &str) -> Player {
    let person = Person::new(browser);
    let page = person.tab();
    page.before_scripts(&format!("localStorage['skirmish.name'] ??= {}", json!(name)));
    page.go(address);
    Player { person, page }
}

/// Two players in a game that has begun, and a spectator.
struct Three {
    ann: Player,
    bob: Player,
    cat: Player,
    code: String,
}

/// Ann creates a game as Player 1, Bob follows the invitation, and Cat watches.
fn begin(browser: &'static Browser, url: &str, game: &str) -> Three {
    begin_over(browser, url, url, game)
}

/// Like [`begin`], but Bob connects through another line.
fn begin_over(browser: &'static Browser, url: &str, line: &str, game: &str) -> Three {
    let (ann, bob, code) = begin_alone(browser, url, line, game);
    let cat = player(browser, "Cat", &format!("{url}/g/{code}"));
    cat.page.find("list", LOG);
    Three { ann, bob, cat, code }
}

/// Like [`begin_over`], but without a spectator.
fn begin_alone(
    browser: &'static Browser,
    url: &str,
    line: &str,
    game: &str,
) -> (Player, Player, String) {
    let ann = player(browser, "Ann", &format!("{url}/"));
    let code = create(&ann.page, game);
    let bob = player(browser, "Bob", &format!("{line}/g/{code}"));
    accept(&bob.page);
    ann.page.sees("Bob");
    (ann, bob, code)
}

/// The accessible name of the log.
const LOG: &str = "What has happened";

/// Creates a game for a friend, as Player 1, who also starts; returns its code.
fn create(page: &Page, game: &str) -> String {
    page.click("radio", game);
    page.click("button", "Create a game");
    page.click_in("Your seat", "radio", "Player 1");
    if page.has("group", "Who starts") {
        page.click_in("Who starts", "radio", "Player 1");
    }
    page.click("button", "Create");
    page.wait("location.pathname.startsWith('/g/')");
    text(&page.evaluate("location.pathname.slice(3)"))
}

/// Takes the seat that an invitation offers.
fn accept(page: &Page) {
    page.click("button", "Join and play");
}

/// Makes a choice, given in notation, by clicking its button.
#[track_caller]
fn choose(page: &Page, choice: &str) {
    page.click_in("Choices", "button", &words(choice));
}

/// The beginning of the label of a choice's button.
fn words(choice: &str) -> String {
    match (choice, choice.strip_prefix('m')) {
        ("r", _) => "recruit at".to_owned(),
        ("special", _) => "special attack".to_owned(),
        (_, Some(position)) => format!("unit on {position}"),
        ("1", _) => "1 step".to_owned(),
        _ if choice.parse::<u32>().is_ok() => format!("{choice} steps"),
        _ => choice.to_owned(),
    }
}

/// The lines of the log, without numbers.
fn log(page: &Page) -> Vec<String> {
    let lines = page.evaluate(
        "[...document.querySelectorAll('ol[aria-label=\"What has happened\"] p')].map(line => line.textContent)",
    );
    lines.as_array().expect("a list").iter().map(text).collect()
}

/// The browser and a new server; `None` if there is no browser.
fn stage() -> Option<(&'static Browser, Served)> {
    Some((Browser::get()?, Served::new()))
}
