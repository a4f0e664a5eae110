//! Size and speed: the bytes of the first screen and of a move, and the time from a tap until both pages show the move.

use std::fmt::Write as _;

use serde_json::json;

use super::devtools::Browser;
use super::page::Page;
use super::{LOG, begin, begin_alone, player, stage, words};
use crate::online::Served;

#[test]
fn the_first_screen_and_a_move_take_few_bytes() {
    let Some((browser, server)) = stage() else { return };
    let ann = player(browser, "Ann", &format!("{}/", server.url));
    ann.page.find("button", "Create a game");
    ann.page.sees("connection");
    // The page's API requests fetch data and are not part of its size.
    let loaded = ann.page.evaluate(
        "performance.getEntries().filter(it => 'decodedBodySize' in it)
            .map(it => [it.name.replace(location.origin, ''), it.decodedBodySize])
            .filter(([name]) => !name.startsWith('/api/'))",
    );
    let loaded = loaded.as_array().expect("a list");
    let sum: u64 = loaded.iter().filter_map(|it| it[1].as_u64()).sum();
    assert!((10_000..60_000).contains(&sum), "{sum} bytes: {loaded:#?}");

    let game = begin(browser, &server.url, "Command Line Conquer");
    super::choose(&game.ann.page, "m0");
    game.bob.page.sees("Ann moves a unit from position 0 to 1.");
    let frames = game.bob.page.received();
    let turn = frames.iter().find(|frame| frame.contains("\"event\":\"turn\"")).expect("the turn");
    assert!(turn.len() < 1024, "{} bytes: {turn}", turn.len());
}

/// Settles once the page has drawn everything so far.
const FRAMES: &str =
    "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))";

const CLOCK: &str = "performance.timeOrigin + performance.now()";

/// Records, in the page, the time of the first frame that shows this text.
fn watch(page: &Page, text: &str) {
    page.evaluate(&format!(
        "window.shown = new Promise(done => (function look() {{
            if (document.body.textContent.includes({})) requestAnimationFrame(() => done({CLOCK}));
            else requestAnimationFrame(look);
        }})()), 0",
        json!(text)
    ));
}

fn shown(page: &Page) -> f64 {
    page.evaluate("window.shown").as_f64().expect("a time")
}

/// Taps a button in the first page; returns the milliseconds until both pages show the text.
fn tap_to_both(pages: [&Page; 2], button: &str, text: &str) -> f64 {
    pages[0].place("button", button);
    for page in pages {
        // The page may still be drawing the last move.
        page.evaluate(FRAMES);
        watch(page, text);
    }
    pages[0].evaluate(&format!(
        "addEventListener('pointerdown', () => window.tapped = {CLOCK}, {{capture: true, once: true}})"
    ));
    pages[0].click("button", button);
    let last = pages.iter().map(|page| shown(page)).fold(0.0, f64::max);
    last - pages[0].evaluate("window.tapped").as_f64().expect("a time")
}

fn summary(name: &str, mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    let at = |percent: usize| times[(times.len() - 1) * percent / 100];
    let mut text = format!("{name}: {} moves", times.len());
    for (label, share) in [("p50", 50), ("p90", 90), ("p99", 99)] {
        write!(text, ", {label} {:.1} ms", at(share)).expect("a string takes everything");
    }
    text
}

/// Plays a match of nine moves of one step each; returns the time of each move.
fn our_match(browser: &'static Browser, server: &Served) -> Vec<f64> {
    let (ann, bob, _) = begin_alone(browser, &server.url, &server.url, "Capture the Line");
    let pages = [&ann.page, &bob.page];
    for page in pages {
        page.find("list", LOG);
        page.emulate(&[("prefers-reduced-motion", "reduce")]);
    }
    let mut times = Vec::new();
    for turn in 0..9 {
        let (mover, step) = (turn % 2, turn / 2);
        let text = match mover {
            0 => format!(" to Point {}.", 2 + step),
            _ => format!(" to Point {}.", 10 - step),
        };
        times.push(tap_to_both([pages[mover], pages[1 - mover]], &words("1"), &text));
    }
    times
}

/// Plays the match of [`our_match`] in boardgame.io's React client.
fn their_match(browser: &'static Browser, url: &str) -> Vec<f64> {
    let ann = player(browser, "Ann", &format!("{url}/page"));
    let create = "fetch('/games/capture/create', {method: 'POST', headers: {'content-type': 'application/json'},
        body: '{\"numPlayers\":2}'}).then(it => it.json()).then(it => it.matchID)";
    let id = ann.page.evaluate(create);
    let id = id.as_str().expect("a match");
    let bob = player(browser, "Bob", &format!("{url}/page#{id}/1"));
    ann.page.go(&format!("{url}/page?#{id}/0"));
    let pages = [&ann.page, &bob.page];
    for page in pages {
        page.tolerate("favicon.ico");
        page.sees("turn 1: 1 and 11");
    }
    let mut times = Vec::new();
    let mut places = [1, 11];
    for turn in 0..9 {
        let mover = turn % 2;
        places[mover] = if mover == 0 { places[0] + 1 } else { places[1] - 1 };
        let state = if places[0] == 6 { "over".to_owned() } else { format!("turn {}", turn + 2) };
        let text = format!("{state}: {} and {}", places[0], places[1]);
        times.push(tap_to_both([pages[mover], pages[1 - mover]], "1", &text));
    }
    times
}

/// `scripts/compare-pages` asks for more matches, and prints how long the moves took.
#[test]
fn a_move_that_one_player_taps_is_in_both_pages() {
    let Some((browser, server)) = stage() else { return };
    let other = std::env::var("SKIRMISH_BOARDGAME_IO").ok();
    let matches = if other.is_some() { 20 } else { 1 };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..matches {
        ours.extend(our_match(browser, &server));
        theirs.extend(other.iter().flat_map(|url| their_match(browser, url)));
    }
    println!("{}", summary("skirmish", ours));
    if !theirs.is_empty() {
        println!("{}", summary("boardgame.io", theirs));
    }
}
