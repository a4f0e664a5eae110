//! Accessibility of the page: keyboard, screen readers, touch and reduced motion.

use super::page::{Page, Person};
use super::{accept, begin, choose, create, player, stage};

#[test]
fn a_game_is_created_and_played_with_the_keyboard_alone() {
    let Some((browser, server)) = stage() else { return };
    let ann = player(browser, "Ann", &format!("{}/", server.url));
    let page = &ann.page;
    page.tab_to("radio", "Base Battle");
    page.press("ArrowDown");
    page.press("ArrowDown");
    page.sees("Be the first to land on the centre of the line.");
    page.tab_to("button", "Create a game");
    page.press("Enter");
    page.tab_to("radio", "Coin toss");
    page.press("ArrowRight");
    page.tab_to("button", "Create");
    page.press("Enter");
    page.wait("location.pathname.startsWith('/g/')");
    page.find("textbox", "The link to this game");

    let address = page.evaluate("location.href");
    let bob = player(browser, "Bob", address.as_str().expect("an address"));
    bob.page.tab_to("button", "Join and play");
    bob.page.press("Space");
    // Choose by key, by button and by typing.
    page.find("group", "Choices");
    page.find("button", "2 steps");
    page.press("2");
    bob.page.sees("Ann moves to Point 3.");
    bob.page.tab_to("button", "1 step");
    bob.page.press("Enter");
    page.sees("Bob moves to Point 10.");
    page.find("button", "1 step");
    page.tab_to("button", "Type a move");
    page.press("Enter");
    page.wait("document.activeElement.localName === 'input'");
    page.press("3");
    page.press("Enter");
    page.announces("\"3\" is not a move here: enter 1 or 2.");
    page.fill("Or type it", "2");
    page.press("Enter");
    bob.page.sees("Ann moves to Point 5.");
    bob.page.tab_to("button", "Resign");
    bob.page.press("Enter");
    bob.page.tab_to("button", "Resign");
    bob.page.press("Enter");
    page.announces("Bob resigns.");
}

/// The focus was once on an element around the game, so that the keys did not reach the choices.
#[test]
fn arrow_keys_reach_the_choices_of_a_game_that_was_just_started() {
    let Some((browser, server)) = stage() else { return };
    let ann = player(browser, "Ann", &format!("{}/", server.url));
    let page = &ann.page;
    let reaches = |key: &str| {
        page.wait("document.querySelector('.choice')");
        page.press(key);
        page.wait("document.activeElement.matches('.choice')");
    };
    page.click("radio", "Command Clash");
    page.click("button", "Novice");
    reaches("ArrowRight");
    page.click("link", "Play");
    page.click("link", "Practise");
    reaches("ArrowLeft");
    page.click("link", "Learn");
    page.click("link", "Start the tutorial: Capture the Line");
    page.click("button", "Continue");
    page.find("heading", "2.");
    reaches("ArrowDown");
}

#[test]
fn a_screen_reader_hears_every_move_once() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Capture the Line");
    let (ann, bob) = (&game.ann.page, &game.bob.page);
    let moves = [
        (ann, "2", " to Point 3."),
        (bob, "2", " to Point 9."),
        (ann, "2", " to Point 5."),
        (bob, "1", " to Point 8."),
        (ann, "1", " to Point 6."),
    ];
    for (page, choice, sentence) in moves {
        choose(page, choice);
        for page in [ann, bob, &game.cat.page] {
            page.announces(sentence);
        }
    }
    ann.announces("You have reached the center point! You win the game!");
    bob.announces("Ann has reached the center point! Ann wins the game!");
    for page in [ann, bob, &game.cat.page] {
        let announced = page.announced();
        for (_, _, sentence) in moves {
            let count = announced.iter().filter(|text| text.contains(sentence)).count();
            assert_eq!(count, 1, "{sentence}\n{announced:#?}");
        }
        // The board is an image whose name describes the position in sentences.
        page.until("the board", || page.names("image").iter().find(|it| it.contains('6')).cloned());
    }
}

/// Makes the page count how many elements move at once.
fn watch_motion(page: &Page) {
    page.evaluate(
        "window.moving = 0; (function look() {
            const running = document.getAnimations().filter(it => it.playState === 'running');
            window.moving = Math.max(window.moving, running.length);
            requestAnimationFrame(look);
        })()",
    );
}

#[test]
fn nothing_moves_for_those_who_want_less_motion() {
    let Some((browser, server)) = stage() else { return };
    let ann = player(browser, "Ann", &format!("{}/", server.url));
    let code = create(&ann.page, "Capture the Line");
    let bob = player(browser, "Bob", &format!("{}/g/{code}", server.url));
    ann.page.emulate(&[("prefers-reduced-motion", "reduce")]);
    // A headless browser prefers reduced motion by default.
    bob.page.emulate(&[("prefers-reduced-motion", "no-preference")]);
    accept(&bob.page);
    for page in [&ann.page, &bob.page] {
        page.find("group", "Choices");
        watch_motion(page);
    }
    choose(&ann.page, "2");
    ann.page.sees("You move to Point 3.");
    bob.page.sees("Ann moves to Point 3.");
    choose(&bob.page, "2");
    ann.page.find("button", "1 step");
    assert_eq!(ann.page.evaluate("moving"), 0);
    // The other player sees it move.
    bob.page.wait("moving > 0");
}

#[test]
fn a_finger_taps_and_drags_on_the_board() {
    let Some((browser, server)) = stage() else { return };
    let ann = player(browser, "Ann", &format!("{}/practice/capture-the-line", server.url));
    let page = &ann.page;
    page.resize((360, 640));
    page.find("button", "2 steps");
    page.tap("button", "2 steps");
    page.announces("Player 1 moves to Point 3.");
    page.find("button", "1 step");
    let place = |number: u32| {
        let place = page.evaluate(&format!(
            "(() => {{
                const number = [...document.querySelectorAll('svg[role=img] text')].find(it => it.textContent === '{number}');
                const box = number.getBoundingClientRect();
                return [box.left + box.width / 2, box.top - box.height];
            }})()"
        ));
        (place[0].as_f64().expect("a place"), place[1].as_f64().expect("a place"))
    };
    page.drag(place(11), place(10));
    page.announces("Player 2 moves to Point 10.");
}

/// A script that records the pitch of every sound.
const EAR: &str = "
    localStorage['skirmish.settings'] = JSON.stringify({sound: true});
    window.heard = [];
    const part = {connect: other => other, gain: {setValueAtTime() {}, exponentialRampToValueAtTime() {}}};
    window.AudioContext = class {
        createGain() { return part; }
        createOscillator() {
            const frequency = {};
            return {...part, frequency, start() { heard.push(frequency.value); }, stop() {}};
        }
    };
";

#[test]
fn a_blow_sounds_other_than_a_move() {
    let Some((browser, server)) = stage() else { return };
    let page = Person::new(browser).tab();
    page.before_scripts(EAR);
    page.go(&format!("{}/practice/base-battle", server.url));
    // Only the last turn has a blow.
    for (turn, choice) in ["3", "2", "2", "1", "1"].into_iter().enumerate() {
        choose(&page, choice);
        page.wait(&format!("heard.length > {turn}"));
    }
    assert_eq!(page.evaluate("heard"), serde_json::json!([440, 440, 440, 440, 180]));
}
