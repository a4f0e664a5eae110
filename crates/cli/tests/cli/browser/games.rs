//! Whole games between a page and the program, and their beginning and end in a page.

use super::page::text;
use super::{accept, begin, choose, create, player, stage};
use crate::support::Home;

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
    ann.page.sees("You win the game!");
    bob.end().exits(0);

    // Now the program creates the game, and the page joins it.
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

/// The page once tossed the coin before it had a stage to show it on, and showed an error instead.
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
    let game = begin(browser, &server.url, "Command Line Conquer");
    let (ann, bob) = (&game.ann.page, &game.bob.page);
    ann.resize((360, 640));
    for (turn, choice) in ["m0", "r", "m1", "m10", "m2", "r", "m3", "m9"].into_iter().enumerate() {
        choose([ann, bob][turn % 2], choice);
    }
    ann.find("button", "recruit");
    ann.click("button", "Resign");
    ann.click("button", "Resign");
    ann.find("heading", "You lose");
    ann.wait(
        "(() => {
            const {top, bottom} = document.querySelector('.ending').getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight;
        })()",
    );
    ann.wait("document.activeElement.textContent.includes('You lose')");
}

#[test]
fn both_stand_on_their_squares_and_the_winner_hides_nobody() {
    let Some((browser, server)) = stage() else { return };
    for place in [7, 8] {
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
        let squares = format!(
            "[['.p1', 6], ['.p2', {place}]].every(([side, place]) => {{
                const middle = ({{ left, right }}) => (left + right) / 2;
                const box = (selector) => document.querySelector(selector).getBoundingClientRect();
                const tile = box(`.place[data-place='${{place}}'] .tile`);
                const body = box(`.piece${{side}} .drawing`);
                return Math.abs(middle(body) - middle(tile)) <= tile.width / 2
                    && box(`.piece${{side}} .plate`).width <= tile.width;
            }})"
        );
        ann.page.wait(&squares);
    }
}
