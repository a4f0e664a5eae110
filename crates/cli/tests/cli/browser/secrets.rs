//! A choice in Command Clash stays secret until both have chosen.

use super::page::Page;
use super::{begin, choose, stage};

/// Everything that a page knows: its document, its storage and what it has received.
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
        let before = others.map(|page| page.received().len());
        choose(&game.ann.page, choice);
        for page in others {
            page.sees("Ann has chosen");
        }
        let frames: Vec<String> = others
            .iter()
            .zip(before)
            .map(|(page, before)| page.received()[before..].join("\n").replace(&game.code, "CODE"))
            .collect();
        let documents = others.map(|page| knows(page).replace(&game.code, "CODE"));
        for document in &documents {
            assert!(
                !document.contains("Ann shields") && !document.contains("Ann charges"),
                "{document}"
            );
        }
        seen.push(frames);
        choose(&game.bob.page, "charge");
        for page in others {
            page.sees(if choice == "shield" { "Ann shields" } else { "Ann charges" });
        }
    }
    assert_eq!(seen[0], seen[1], "the bytes are the same, whatever was chosen");
}
