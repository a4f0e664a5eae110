//! Offers must not appear under a finger that is about to tap something else.

use serde_json::Value;

use super::{begin, stage};

/// The corners of everything that makes a choice when tapped: the buttons, and the highlighted positions of the board.
const CHOICES: &str = "[...document.querySelectorAll('.choice, .lit .column')].map(corners)";

/// Runs in the page that receives an offer. Clicks Accept the moment it appears, and adds up the layout shifts.
const HASTY: &str = "
    window.corners = it => {
        const {left, top, right, bottom} = it.getBoundingClientRect();
        return [left, top, right, bottom];
    };
    window.accept = () => [...document.querySelectorAll('button')].find(it => it.textContent === 'Accept');
    window.shift = 0;
    new PerformanceObserver(list => list.getEntries().forEach(it => shift += it.value)).observe({type: 'layout-shift'});
    new MutationObserver((_, observer) => {
        if (!accept()) return;
        observer.disconnect();
        accept().click();
        window.clicked = performance.now();
        new MutationObserver(() => window.works ??= performance.now() - clicked)
            .observe(accept(), {attributes: true, attributeFilter: ['aria-disabled']});
    }).observe(document, {subtree: true, childList: true});
    0";

fn intersect(one: &Value, other: &Value) -> bool {
    let at = |it: &Value, index: usize| it[index].as_f64().expect("a corner");
    (0..2).all(|axis| at(one, axis) < at(other, axis + 2) && at(other, axis) < at(one, axis + 2))
}

#[test]
fn an_offer_appears_where_no_choice_was_and_a_click_that_comes_at_once_does_nothing() {
    let Some((browser, server)) = stage() else { return };
    for (name, choice) in [("Command Clash", "attack"), ("Capture the Line", "2 steps")] {
        let game = begin(browser, &server.url, name);
        let (ann, bob) = (&game.ann.page, &game.bob.page);
        ann.resize((390, 844));
        ann.place("button", choice);
        ann.evaluate(
            "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))",
        );
        ann.evaluate(HASTY);
        let choices = ann.evaluate(CHOICES);
        bob.click("button", "Offer a draw");
        ann.wait("window.clicked");
        assert_eq!(ann.evaluate(CHOICES), choices, "{name}");
        let accept = ann.evaluate("corners(accept())");
        for choice in choices.as_array().expect("a list") {
            assert!(!intersect(&accept, choice), "{name}: {accept} {choice}");
        }
        let hit =
            "document.elementFromPoint((accept[0] + accept[2]) / 2, (accept[1] + accept[3]) / 2)";
        assert_eq!(
            ann.evaluate(&format!("{{ const accept = {accept}; {hit}.textContent }}")),
            "Accept"
        );
        ann.wait("accept()?.ariaDisabled !== 'true' && works");
        let settled = ann.evaluate("works").as_f64().expect("milliseconds");
        assert!(settled >= 690.0, "{name}: the button worked after {settled} ms");
        assert_eq!(ann.evaluate("shift"), 0, "{name}");
        assert!(!ann.text().contains("Ann accepts."), "{name}");
        ann.click("button", "Accept");
        ann.find("heading", "A draw");
        // An offer made before the page was loaded.
        bob.click("button", "Rematch");
        ann.sees("Bob offers a rematch.");
        ann.go(&format!("{}/g/{}", server.url, game.code));
        ann.click("button", "Accept");
        bob.sees("Game 2");
    }
}
