//! In a game: nothing jumps, no key does more than it says, and everything is within reach.

use super::page::Page;
use super::{begin, choose, log, player, stage};

/// Adds up the layout shifts in a page from now on.
const WATCH: &str = "window.shift = []; new PerformanceObserver(list => list.getEntries().forEach(it => shift.push(it.value)))
    .observe({type: 'layout-shift'}); 0";

/// Waits until the page shows a number of turns and has drawn them.
fn shows(page: &Page, turns: usize) {
    page.wait(&format!("document.querySelectorAll('.log .turn').length === {turns}"));
    page.wait("!document.querySelector('.prompt').textContent.startsWith('Sending')");
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))");
}

/// A game, the sizes of its two windows, and the moves.
type Line = (&'static str, [(u32, u32); 2], &'static [&'static str]);

#[test]
fn nothing_jumps_from_turn_to_turn() {
    let Some((browser, server)) = stage() else { return };
    let lines: [Line; 2] = [
        (
            "Command Line Conquer",
            [(360, 640), (844, 390)],
            &["m0", "r", "m1", "m10", "r", "m9", "m0"],
        ),
        ("Command Clash", [(1280, 800), (2560, 1440)], &["charge", "shield", "attack", "charge"]),
    ];
    for (name, sizes, moves) in lines {
        let game = begin(browser, &server.url, name);
        let pages = [&game.ann.page, &game.bob.page];
        for (page, size) in pages.into_iter().zip(sizes) {
            page.resize(size);
            page.find("group", "Choices");
            page.evaluate(WATCH);
        }
        let is_at_once = name == "Command Clash";
        for (turn, choice) in moves.iter().enumerate() {
            // A click through the browser would scroll the page first.
            let button = format!("document.querySelector('.choice[data-move=\"{choice}\"]')");
            pages[turn % 2].wait(&button);
            pages[turn % 2].evaluate(&format!("{button}.click()"));
            let turns = if is_at_once { turn.div_ceil(2) } else { turn + 1 };
            for page in pages {
                shows(page, turns);
            }
        }
        for (page, size) in pages.into_iter().zip(sizes) {
            assert_eq!(page.evaluate("shift"), serde_json::json!([]), "{name} at {size:?}");
        }
    }
}

#[test]
fn a_phone_on_its_side_shows_the_board_and_the_choices() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Command Line Conquer");
    let ann = &game.ann.page;
    ann.resize((844, 390));
    ann.wait(
        "['.stage', '.choice:last-child'].every(it => {
            const {top, bottom} = document.querySelector(it).getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight;
        })",
    );
}

#[test]
fn a_player_sees_their_own_choice_before_the_turn_is_played() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Command Clash");
    let (ann, bob) = (&game.ann.page, &game.bob.page);
    choose(ann, "shield");
    ann.sees("You have chosen shield. Waiting for Bob.");
    ann.wait("document.querySelector('.stage .shown.word').textContent === 'Shield'");
    bob.sees("Ann has chosen");
    assert_eq!(bob.evaluate("document.querySelector('.stage .shown')"), serde_json::Value::Null);
}

#[test]
fn the_rules_open_over_the_game() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Capture the Line");
    let (ann, bob) = (&game.ann.page, &game.bob.page);
    bob.click("button", "Rules");
    bob.find("heading", "Capture the Line");
    choose(ann, "2");
    bob.announces("Ann moves to Point 3.");
    bob.press("Escape");
    choose(bob, "1");
    ann.sees("Bob moves to Point 10.");
}

/// The letter s once played Special Attack, although the text field called it ambiguous.
#[test]
fn a_letter_chooses_only_on_the_board_and_only_if_it_is_unambiguous() {
    let Some((browser, server)) = stage() else { return };
    let ann = player(browser, "Ann", &format!("{}/practice/command-clash", server.url));
    let page = &ann.page;
    page.tab_to("button", "attack");
    page.press("s");
    page.tab_to("button", "Rules");
    page.press("a");
    page.evaluate("document.querySelector('.play').focus(), 0");
    page.press("c");
    page.click("button", "Player 2 is ready");
    choose(page, "charge");
    page.announces("Player 1 charges");
    assert!(!log(page).iter().any(|line| line.contains("attack")), "{:#?}", log(page));
    // With the setting, letters work everywhere.
    page.evaluate("localStorage['skirmish.settings'] = JSON.stringify({keys: true})");
    page.go(&format!("{}/practice/command-clash", server.url));
    page.tab_to("button", "Rules");
    page.press("a");
    page.find("button", "Player 2 is ready");
}
