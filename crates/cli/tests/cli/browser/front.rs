//! The front page: what a newcomer sees, and plays with one tap.

use super::page::{Page, Person};
use super::{LOG, stage};

/// The page on the smallest phone, as a newcomer sees it.
fn newcomer(browser: &'static super::Browser, url: &str) -> Page {
    let page = Person::new(browser).tab();
    // A headless browser prefers reduced motion by default.
    page.emulate(&[("prefers-reduced-motion", "no-preference")]);
    page.resize((360, 640));
    page.go(url);
    page
}

#[test]
fn a_newcomer_sees_a_game_being_played_and_plays_it_with_one_tap() {
    let Some((browser, server)) = stage() else { return };
    let page = newcomer(browser, &server.url);
    page.find("heading", "Quick strategy games for two");
    page.wait(
        "['.hero h1', '.hero .primary', '.hero .demo .figure', '.cards .demo .figure'].every(it => {
            const {top, bottom} = document.querySelector(it).getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight;
        })",
    );
    let places =
        "[...document.querySelectorAll('.hero .figure')].map(it => it.style.transform).join()";
    page.evaluate(&format!("window.before = {places}"));
    page.wait(&format!("{places} !== before"));
    page.click("button", "Pause");
    page.find("button", "Resume");
    page.click("button", "Play now");
    page.find("list", LOG);
    page.find("heading", "Base Battle");
    page.sees("Casual");
}

#[test]
fn a_friend_is_invited_with_one_tap() {
    let Some((browser, server)) = stage() else { return };
    let page = newcomer(browser, &server.url);
    page.click("radio", "Command Clash");
    page.click("button", "Invite a friend");
    page.find("textbox", "The link to this game");
    page.find("heading", "Command Clash");
    // In a lecture hall, the code fills the screen.
    page.resize((1280, 800));
    page.click("button", "Show it large");
    page.wait("document.querySelector('.projected img').clientHeight > 500");
    page.click("button", "Close");
    page.wait("!document.querySelector('.projected')");
}

#[test]
fn games_to_continue_leave_room_for_a_new_one() {
    let Some((browser, server)) = stage() else { return };
    let page = newcomer(browser, &server.url);
    for shown in [1, 2, 2] {
        page.click("button", "Invite a friend");
        page.find("textbox", "The link to this game");
        page.go(&server.url);
        // The list moves the buttons.
        page.wait(&format!("document.querySelectorAll('.item .code').length === {shown}"));
    }
    page.find("button", "Show all 3");
    page.wait(
        "document.querySelector('.hero .primary').getBoundingClientRect().bottom <= innerHeight",
    );
}

#[test]
fn the_computer_plays_against_itself_for_spectators() {
    let Some((browser, server)) = stage() else { return };
    let page = newcomer(browser, &format!("{}/watch", server.url));
    page.find("heading", "Computer against computer");
    page.wait("document.querySelectorAll('.demos .demo').length === 5");
    let places =
        "[...document.querySelectorAll('.demos .figure')].map(it => it.style.transform).join()";
    page.evaluate(&format!("window.before = {places}"));
    page.wait(&format!("{places} !== before"));
}

#[test]
fn boards_stand_still_for_those_who_want_less_motion() {
    let Some((browser, server)) = stage() else { return };
    let page = newcomer(browser, &server.url);
    page.emulate(&[("prefers-reduced-motion", "reduce")]);
    page.go(&server.url);
    page.wait("document.querySelectorAll('.demo .figure').length > 6");
    assert!(!page.has("button", "Pause"), "there is nothing to pause");
    assert_eq!(page.evaluate("document.querySelectorAll('.demo[class*=lost]').length"), 0);
}
