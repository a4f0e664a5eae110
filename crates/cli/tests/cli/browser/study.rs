//! Exploring solved games, learning by playing, and reviewing a finished game.

use serde_json::json;

use super::page::Page;
use super::{Three, begin, choose, player, stage, text};

/// Waits until the explorer shows this position.
#[track_caller]
fn stands_at(page: &Page, position: &str) {
    let shown = "document.querySelector('.verdict .token')?.textContent";
    page.wait(&format!("{shown} === {}", json!(position)));
}

#[test]
fn a_walk_through_a_game_goes_on_and_back() {
    let Some((browser, server)) = stage() else { return };
    let ann = player(browser, "Ann", &format!("{}/explore/capture-the-line", server.url));
    let page = &ann.page;
    stands_at(page, "1/11/1");
    page.sees("win in 5");
    for (choice, position) in [("move 2", "3/11/2"), ("move 1", "3/10/1"), ("move 2", "5/10/2")] {
        page.click("link", &format!("{choice} {position}"));
        stands_at(page, position);
    }
    assert_eq!(page.evaluate("new URLSearchParams(location.search).get('position')"), "5/10/2");
    for position in ["3/10/1", "3/11/2"] {
        page.evaluate("history.back()");
        stands_at(page, position);
    }
    page.evaluate("history.forward()");
    stands_at(page, "3/10/1");
    // The arrow keys follow the same path, up to its end.
    page.press("ArrowRight");
    stands_at(page, "5/10/2");
    page.press("Home");
    stands_at(page, "1/11/1");
}

#[test]
fn a_tile_of_the_map_is_chosen_with_the_keyboard() {
    let Some((browser, server)) = stage() else { return };
    let ann = player(browser, "Ann", &format!("{}/explore/base-battle?position=1/9/1", server.url));
    let page = &ann.page;
    page.tab_to("gridcell", "Player 1's position 1, Player 2's position 9: win in 7");
    page.press("ArrowLeft");
    page.press("Enter");
    stands_at(page, "1/8/1");
    page.announces("Player 1 to move");
}

#[test]
fn the_pairs_of_choices_are_reached_with_the_keyboard() {
    let Some((browser, server)) = stage() else { return };
    let ann = player(browser, "Ann", &format!("{}/explore/command-clash", server.url));
    let page = &ann.page;
    page.tab_to("link", "special against shield: 2/4");
    page.press("Enter");
    stands_at(page, "2/4");
}

/// A choice that best play makes in 1.3 games of a million once had 1%.
#[test]
fn only_a_choice_that_is_never_or_always_made_has_0_or_100_percent() {
    let Some((browser, server)) = stage() else { return };
    let address = "explore/command-clash?rules=points=20&position=14/3";
    let ann = player(browser, "Ann", &format!("{}/{address}", server.url));
    let page = &ann.page;
    stands_at(page, "14/3");
    let shares =
        "[...document.querySelectorAll('.matrix thead .share')].map(it => it.textContent.trim())";
    page.wait(&format!("{shares}.length > 0"));
    assert_eq!(page.evaluate(shares), json!(["<1%", "0%", "0%", ">99%"]));
}

#[test]
fn a_rule_is_changed_live_and_too_large_a_board_says_why() {
    let Some((browser, server)) = stage() else { return };
    let ann = player(browser, "Ann", &format!("{}/explore/base-battle", server.url));
    let page = &ann.page;
    stands_at(page, "0/10/1");
    page.evaluate("document.querySelector('.options summary').click()");
    page.sees("landing one past the opponent pushes it towards its base");
    let change = |name: &str, value: &str| {
        page.evaluate(&format!(
            "{{ const input = document.getElementById('rule-{name}'); input.value = '{value}';
                input.dispatchEvent(new Event('change', {{bubbles: true}})); }}"
        ));
    };
    change("positions", "9");
    stands_at(page, "0/8/1");
    assert_eq!(page.evaluate("location.search"), "?rules=positions=9");
    change("positions", "300");
    page.tolerate("the server responded with a status of 400");
    page.announces("positions=300 is not possible: expected a whole number from 3 to 255.");
    page.click("link", "Go to the start of the usual game");
    stands_at(page, "0/10/1");

    page.tolerate("the server responded with a status of 413");
    page.go(&format!("{}/explore/command-line-conquer?rules=positions=255,units=8", server.url));
    page.sees("Choose a smaller one.");
    page.click("link", "move 0");
    page.sees("There is no map of this board.");
    page.wait("location.search.includes('position=')");
}

#[test]
fn a_lesson_takes_the_right_move_and_advises_after_a_wrong_one() {
    let Some((browser, server)) = stage() else { return };
    let address = format!("{}/learn/capture-the-line?lesson=5", server.url);
    let ann = player(browser, "Ann", &address);
    let page = &ann.page;
    page.find("heading", "5. Count your moves");
    choose(page, "1");
    page.announces("From 3 away you would still need two moves, and Player 2 would win the race.");
    choose(page, "2");
    page.announces("Two points to go.");
    page.click("button", "Continue");
    page.find("heading", "6. The centre");
    page.wait("document.querySelectorAll('.lesson-list .done').length === 1");
    choose(page, "2");
    page.sees("You land on the centre, and the game is over.");
}

/// The button for the next lesson is below the board and the text, so the lesson used to begin out of sight.
#[test]
fn the_next_lesson_is_in_view_on_a_phone() {
    let Some((browser, server)) = stage() else { return };
    let ann = player(browser, "Ann", &format!("{}/learn/capture-the-line?lesson=5", server.url));
    let page = &ann.page;
    page.resize((390, 640));
    choose(page, "2");
    page.click("button", "Continue");
    page.find("heading", "6. The centre");
    page.wait(
        "['.stage', '.lesson h2'].every(it => {
            const {top, bottom} = document.querySelector(it).getBoundingClientRect();
            return top >= 0 && bottom <= innerHeight;
        })",
    );
}

#[test]
fn a_finished_game_is_replayed_with_what_its_choices_were_worth() {
    let Some((browser, server)) = stage() else { return };
    let Three { ann, bob, code, .. } = begin(browser, &server.url, "Capture the Line");
    let pages = [&ann.page, &bob.page];
    for (turn, choice) in ["2", "1", "1", "2", "1", "1"].into_iter().enumerate() {
        choose(pages[turn % 2], choice);
    }
    choose(pages[0], "1");
    let page = pages[0];
    page.click("link", "Review");
    page.find("slider", "Turn");
    page.sees("Ann has reached the center point! Ann wins the game!");
    let turn_is = |turn: usize| {
        page.wait(&format!("document.querySelector('input[type=range]')?.value === '{turn}'"));
    };
    page.sees("Accuracy of Ann:");
    page.press("Home");
    turn_is(0);
    page.sees("The start.");
    page.press("ArrowRight");
    turn_is(1);
    page.announces("Ann moves to Point 3.");
    page.tab_to("slider", "Turn");
    page.press("ArrowRight");
    turn_is(2);

    page.sees("The turning point.");
    let turning = text(&page.evaluate(
        "[...document.querySelectorAll('.turning li')].find(item => item.innerText.includes('turning')).querySelector('a').innerText",
    ));
    page.click("link", &turning);
    let turn: usize = turning.replace("Turn ", "").parse().expect("a turn");
    turn_is(turn);
    // Another person who opens the link sees the same turn.
    let address = text(&page.evaluate("location.href"));
    assert!(address.ends_with(&format!("/g/{code}?game=1&ply={turn}")), "{address}");
    let cat = player(browser, "Cat", &address);
    cat.page.wait(&format!("document.querySelector('input[type=range]')?.value === '{turn}'"));
    let told = "document.querySelector('.turn-told').innerText";
    assert_eq!(cat.page.evaluate(told), page.evaluate(told));
}
