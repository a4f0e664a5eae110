//! Lost connections, killed servers and two tabs: nothing is lost, and nothing is shown twice.

use serde_json::{Value, json};

use super::line::Line;
use super::page::{Page, Person, text};
use super::{accept, begin, begin_over, choose, log, player, stage};
use crate::online::Served;
use crate::support::Home;

/// Tolerates the errors that browsers report for a lost connection.
fn expect_loss(page: &Page) {
    for words in ["WebSocket connection to", "net::ERR_"] {
        page.tolerate(words);
    }
}

/// Asserts that a page's log has exactly these moves of Capture the Line, in this order. Each page names its own player "you".
#[track_caller]
fn tells(page: &Page, moves: &[&str]) {
    page.sees(moves.last().expect("there are moves"));
    let log = log(page);
    let told: Vec<&str> =
        log.iter().filter_map(|line| Some(&line[line.find(" to Point ")?..])).collect();
    assert_eq!(told, moves, "{log:#?}");
}

const MOVES: [&str; 5] =
    [" to Point 3.", " to Point 10.", " to Point 5.", " to Point 9.", " to Point 6."];

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
    // A choice made without a connection is sent after reconnecting.
    choose(ann, "2");
    bob.find("button", "1 step");
    line.cut();
    choose(bob, "1");
    line.mend();
    tells(ann, &MOVES[..4]);
    tells(bob, &MOVES[..4]);
    drop(game);
}

/// A hung node once cost its players 25 seconds on their clocks.
#[test]
fn a_page_leaves_a_node_that_hangs_while_a_clock_runs() {
    let Some((browser, server)) = stage() else { return };
    let line = Line::to(&server.url);
    let home = Home::new();
    let (mut ann, code) = server.creator(&home, "capture-the-line --seat p1 --clock 5+3");
    let bob = player(browser, "Bob", &format!("{}/g/{code}", line.url)).page;
    accept(&bob);
    bob.sees("Waiting for Ann.");
    let is_hurried = "import('/static/net.js').then(({ net }) => net.isClockRunning())";
    bob.until("a clock", || (bob.evaluate(is_hurried) == true).then_some(()));
    line.freeze();
    ann.say("2\n");
    ann.hear(MOVES[0]);
    bob.announces("The server does not answer.");
    tells(&bob, &MOVES[..1]);
    choose(&bob, "1");
    ann.hear(MOVES[1]);
}

/// The verdicts of a page's connection watchdog at these times, in seconds.
fn watch(tab: &Page, pace: &str, times: &[f32]) -> Value {
    tab.evaluate(&format!(
        "import('/static/watchdog.js').then(({{ Watchdog, {pace} }}) => {{
            const dog = new Watchdog(0);
            return {}.map((time) => dog.look(time * 1000, {pace}));
        }})",
        json!(times)
    ))
}

#[test]
fn a_page_asks_before_it_leaves() {
    let Some((browser, server)) = stage() else { return };
    let page = Person::new(browser).open(&server.url);
    page.find("button", "Create a game");
    // Looks every half second; keeps the verdicts other than "wait".
    let often = |pace| {
        let times: Vec<f32> = (1..80_u8).map(|half| f32::from(half) / 2.0).collect();
        let said = watch(&page, pace, &times);
        let said = said.as_array().expect("a list").iter().zip(times);
        let told = said.filter(|(word, _)| *word != "wait").map(|(word, time)| (text(word), time));
        let mut told: Vec<(String, f32)> = told.collect();
        told.truncate(1 + told.iter().position(|(word, _)| word == "leave").expect("it leaves"));
        told
    };
    let told = |list: &[(&str, f32)]| -> Vec<(String, f32)> {
        list.iter().map(|&(word, time)| (word.to_owned(), time)).collect()
    };
    assert_eq!(often("HURRIED"), told(&[("ask", 3.0), ("leave", 6.0)]));
    assert_eq!(often("CALM"), told(&[("ask", 10.0), ("ask", 20.0), ("leave", 25.0)]));
    // A device that slept, before and after the watchdog asked.
    let [ask, wait, leave] = ["ask", "wait", "leave"];
    let slept = watch(&page, "HURRIED", &[1.0, 3600.0, 3602.0, 3603.0]);
    assert_eq!(slept, json!([wait, ask, wait, leave]));
    let slept = watch(&page, "HURRIED", &[1.5, 3.0, 3600.0, 3602.0, 3603.0]);
    assert_eq!(slept, json!([wait, ask, ask, wait, leave]));
    // A hidden tab looks once a minute.
    assert_eq!(watch(&page, "HURRIED", &[60.0, 120.0, 180.0]), json!([ask, ask, leave]));
    // The clock was set back.
    assert_eq!(
        watch(&page, "HURRIED", &[1.0, -3600.0, -3598.5, -3597.0]),
        json!([wait, ask, wait, leave])
    );
}

/// Opens an address, and exposes the page's connection to [`hand`].
fn tap(page: &Page, address: &str) {
    page.before_scripts(
        "window.WebSocket = class extends WebSocket { constructor(url) { super(url); window.line = this; } }",
    );
    page.go(address);
}

/// Hands a message to a page as if it came from the server.
fn hand(page: &Page, message: &Value) {
    page.evaluate(&format!("line.onmessage({{data: {}}}), 0", json!(message.to_string())));
}

/// The end of the game and the closing of the room are two messages: a rematch was once offered between them.
#[test]
fn the_end_of_a_game_says_that_the_operator_closes_it() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Capture the Line");
    let bob = &game.bob.page;
    tap(bob, &format!("{}/g/{}", server.url, game.code));
    bob.sees("Waiting for Ann.");
    let end = json!({"result": "*", "termination": "unfinished"});
    let ev = json!({"type": "ev", "code": game.code, "v": 4, "event": "end", "end": end, "closes": true});
    hand(bob, &ev);
    bob.wait("document.querySelector('.ending')");
    bob.sees("The operator of this server has closed this game: there is no rematch.");
    assert!(!bob.has("button", "Rematch"));
    hand(bob, &json!({"type": "ev", "code": game.code, "v": 5, "event": "closed", "end": end}));
    let closed = |line: &&String| line.contains("has closed this game");
    assert_eq!(log(bob).iter().filter(closed).count(), 1, "it is told once");
}

/// The waiting time was once parsed from the sentence.
#[test]
fn a_page_comes_back_after_the_seconds_that_a_bye_names() {
    let Some((browser, server)) = stage() else { return };
    let page = Person::new(browser).tab();
    tap(&page, &server.url);
    page.find("button", "Create a game");
    let text = "Too much was asked.";
    hand(&page, &json!({"type": "bye", "code": "limit", "text": text, "seconds": 3600}));
    page.announces(text);
    page.wait("/Reconnecting in (3[5-9]|4[0-3])\\d\\d s/.test(document.body.innerText)");
    page.click("button", "Connect now");
    page.until("it is back", || (!page.text().contains(text)).then_some(()));
}

/// A notice without a remedy was once an alarm with a button, and stayed after the game continued.
#[test]
fn a_notice_that_needs_nobody_goes_away_when_the_game_goes_on() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Capture the Line");
    let (ann, bob) = (&game.ann.page, &game.bob.page);
    tap(bob, &format!("{}/g/{}", server.url, game.code));
    bob.sees("Waiting for Ann.");
    let shown = || {
        let notices = "[...document.querySelectorAll('.notice')].map(notice => notice.innerText)";
        bob.evaluate(notices).to_string()
    };
    let send = |message: &Value| hand(bob, message);
    let tell = |code: &str, text: &str, about: &Value| {
        send(&json!({"type": "rej", "code": code, "text": text, "notice": about}));
        bob.until(text, || shown().contains(text).then_some(()));
        bob.announces(text);
    };
    let (this, other) = (json!({"code": game.code}), json!({"code": "GHJKLM"}));
    let elsewhere = "Another game waits.";
    send(&json!({"type": "rej", "code": "storage", "text": elsewhere, "notice": other}));
    tell("storage", "The server cannot reach its database.", &this);
    assert!(!bob.has("button", "Try again"));
    assert!(!shown().contains(elsewhere), "only games on the screen");
    tell("storage", "The servers cannot hear each other.", &this);
    assert!(!shown().contains("cannot reach its database"), "only the last one is true");
    choose(ann, "2");
    tells(bob, &MOVES[..1]);
    bob.until("the notice is gone", || (!shown().contains("hear each other")).then_some(()));
    // The end of a problem is reported in the log.
    tell("storage", "The server cannot reach its database.", &this);
    let (over, text) = (json!({"code": game.code, "over": true}), "It is over.");
    send(&json!({"type": "rej", "code": "storage", "text": text, "notice": over}));
    bob.until(text, || log(bob).iter().any(|line| line == text).then_some(()));
    assert!(!shown().contains("cannot reach its database"));
    // A problem with a remedy has a button, which asks the server again.
    tell("too_large", "The computer cannot play on.", &this);
    bob.click("button", "Try again");
    bob.until("the alarm is gone", || (!shown().contains("cannot play on")).then_some(()));
    choose(bob, "1");
    tells(ann, &MOVES[..2]);
}

/// A page whose time can be moved on, and which counts how often it has drawn the clocks.
const SKIPPED: &str = "
    const [now, every] = [performance.now.bind(performance), setInterval];
    window.skipped = window.ticks = window.seen = 0;
    performance.now = () => now() + skipped;
    window.setInterval = (act, time) => every(() => { act(); ticks += time === 250; }, time);";

#[test]
fn clocks_stand_still_while_a_notice_says_so() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Capture the Line");
    let bob = &game.bob.page;
    bob.before_scripts(SKIPPED);
    tap(bob, &format!("{}/g/{}", server.url, game.code));
    bob.sees("Waiting for Ann.");
    let tell = |text: &str, over: bool, left: u64, running: &[u8]| {
        let clock = json!({"left": {"1": left, "2": 60_000}, "running": running});
        let about = json!({"code": game.code, "over": over, "clock": clock});
        hand(bob, &json!({"type": "rej", "code": "storage", "text": text, "notice": about}));
    };
    let shown = || text(&bob.evaluate("document.querySelector('.clock').textContent"));
    tell("It runs.", true, 125_500, &[1]);
    bob.until("it runs", || (!["", "2:05"].contains(&&*shown())).then_some(()));
    tell("It stands still.", false, 95_500, &[]);
    bob.until("it is told", || (shown() == "1:35").then_some(()));
    bob.evaluate("skipped = 90_000, seen = ticks");
    bob.wait("ticks >= seen + 2");
    assert_eq!(shown(), "1:35");
    tell("It runs again.", true, 95_500, &[1]);
    bob.evaluate("skipped += 90_000");
    bob.until("it runs again", || (shown() != "1:35").then_some(()));
}

/// The connection itself may seem alive for half a minute.
#[test]
fn a_page_says_at_once_that_it_is_offline_and_goes_on_when_it_is_online_again() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Capture the Line");
    let (ann, bob) = (&game.ann.page, &game.bob.page);
    expect_loss(bob);
    bob.sees("Waiting for Ann.");
    let top = || bob.evaluate("document.querySelector('.stage').getBoundingClientRect().top");
    let before = top();
    bob.offline(true);
    bob.announces("This device is offline.");
    assert_eq!(top(), before, "a finger may be on its way to a choice");
    assert!(!bob.announced().iter().any(|it| it.contains("The server does not answer.")));
    choose(ann, "2");
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

/// A page once got stuck if the server was killed after it announced a turn and before it served the board.
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

/// The page was once empty if its first modules failed to load.
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
fn a_page_says_that_it_reconnects_because_the_server_wants_it() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Capture the Line");
    let (ann, bob) = (&game.ann.page, &game.bob.page);
    [ann, bob, &game.cat.page].into_iter().for_each(expect_loss);
    choose(ann, "2");
    tells(bob, &MOVES[..1]);
    let (home, address) = server.stop("TERM", 143);
    // Check this first: the message changes once the page tries to connect.
    ann.announces("Reconnecting at the server's request. Nothing is lost.");
    ann.sees("The game is paused, and no clock runs. It goes on by itself.");
    let shown = "document.querySelector('main').innerText.split('The game is paused').length - 1";
    assert_eq!(ann.evaluate(shown), 1, "once, not also in the log");
    let server = Served::start(home, &address, &[]);
    choose(bob, "1");
    tells(ann, &MOVES[..2]);
    drop(game);
    drop(server);
}

#[test]
fn a_page_goes_on_without_a_word_after_a_guest_has_signed_in_elsewhere() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Capture the Line");
    let (ann, bob) = (&game.ann.page, &game.bob.page);
    choose(ann, "2");
    tells(bob, &MOVES[..1]);
    let mut phone = server.home.talk(&["join", &server.url]);
    phone.say("register Annie\nlink\nquit\n");
    let out = phone.end().exits(0).out;
    let (_, link) = out.rsplit_once("--link ").expect("there is a code");
    let link = json!(link.split_whitespace().next().expect("there is a code"));
    // Sign in from another client with the same token.
    ann.evaluate(&format!(
        "{{
            const ws = new WebSocket(`${{location.origin.replace(/^http/, 'ws')}}/ws`);
            const token = localStorage.getItem('skirmish.token');
            const hello = {{type: 'hello', proto: 2, client: 'another', token, link: {link}}};
            window.banners = [];
            const banner = document.querySelector('#link');
            new MutationObserver(() => banners.push(banner.innerText)).observe(banner, {{childList: true}});
            ws.onopen = () => ws.send(JSON.stringify(hello));
            0
        }}"
    ));
    ann.sees("Annie");
    choose(bob, "1");
    choose(ann, "2");
    tells(ann, &MOVES[..3]);
    tells(bob, &MOVES[..3]);
    assert_eq!(ann.evaluate("banners.filter(Boolean)"), json!([]));
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
