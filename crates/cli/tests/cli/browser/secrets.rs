//! A choice in Command Clash stays secret until both have chosen.

use super::page::Page;
use super::{begin, choose, stage};

/// All data in a page: its document, its storage and the frames it has received.
fn knows(page: &Page) -> String {
    let document = page.evaluate(
        "document.documentElement.outerHTML + JSON.stringify({...localStorage}) + JSON.stringify({...sessionStorage}) + document.title",
    );
    format!("{document}{}", page.received().join("\n"))
}

#[test]
fn a_choice_is_in_no_other_page_until_both_have_chosen() {
    let Some((browser, server)) = stage() else { return };
    let mut seen = Vec::new();
    for choice in ["shield", "charge"] {
        let game = begin(browser, &server.url, "Command Clash");
        let others = [&game.bob.page, &game.cat.page];
        choose(&game.ann.page, choice);
        for page in others {
            page.sees("Ann has chosen");
        }
        for page in others {
            let known = knows(page);
            assert!(!known.contains("Ann shields") && !known.contains("Ann charges"), "{known}");
            let frames = page.received().into_iter().filter(|frame| frame.contains("\"ev\""));
            let frames: Vec<String> = frames.map(|it| it.replace(&game.code, "CODE")).collect();
            assert!(!frames.is_empty(), "the choice was told");
            seen.push(frames);
        }
        choose(&game.bob.page, "charge");
        for page in others {
            page.sees(if choice == "shield" { "Ann shields" } else { "Ann charges" });
        }
    }
    assert!(seen.iter().all(|it| *it == seen[0]), "the same bytes, whatever was chosen: {seen:#?}");
}

/// The buttons were once recreated when the opponent chose: a started click was lost, and the focus jumped.
#[test]
fn the_buttons_stay_where_they_are_when_the_other_chooses() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Command Clash");
    let bob = &game.bob.page;
    bob.find("button", "shield");
    bob.evaluate("document.querySelector('[data-move=shield]').focus(), 0");
    choose(&game.ann.page, "charge");
    bob.sees("Ann has chosen");
    assert_eq!(bob.evaluate("document.activeElement.dataset.move"), "shield");
    bob.press("Enter");
    bob.sees("You shield");
}

/// A page once showed the choice that it had made for an earlier turn.
#[test]
fn a_page_shows_no_choice_but_the_one_made_there_for_this_turn() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Command Clash");
    let page = &game.ann.page;
    choose(page, "shield");
    page.sees("You have chosen shield.");
    choose(&game.bob.page, "charge");
    page.sees("Your move.");
    let other = game.ann.person.open(&format!("{}/g/{}", server.url, game.code));
    choose(&other, "charge");
    other.sees("You have chosen charge.");
    page.sees("You have chosen. Waiting for Bob.");
}
