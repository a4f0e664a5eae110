//! Every view: no errors, accessible, usable at every size, and in screenshots.

use std::path::{Path, PathBuf};

use super::devtools::{Browser, moment};
use super::page::Page;
use super::{LOG, Three, begin, choose, create, player, stage};
use crate::support::{read, skipped};

const SIZES: [(u32, u32); 4] = [(320, 568), (360, 640), (820, 1180), (1440, 900)];
const THEMES: [&str; 2] = ["light", "dark"];

/// The public views: name, path, and the role and name of an element that shows when the view is ready.
const VIEWS: [[&str; 4]; 15] = [
    ["home", "/", "button", "Create a game"],
    ["watch", "/watch", "heading", "Leaderboard"],
    ["you", "/you", "heading", ""],
    ["learn", "/learn", "heading", "Learn"],
    ["tutorial", "/learn/command-line-conquer", "heading", "Command Line Conquer"],
    ["tutorial-clash", "/learn/command-clash", "heading", "Command Clash"],
    ["rules", "/rules/base-battle", "heading", "Base Battle"],
    ["practice", "/practice/command-line-conquer", "list", LOG],
    ["practice-clash", "/practice/command-clash", "list", LOG],
    ["practice-line", "/practice/capture-the-line", "list", LOG],
    ["explore", "/explore/command-line-conquer", "heading", "Command Line Conquer"],
    ["explore-clash", "/explore/command-clash", "heading", "Command Clash"],
    ["explore-line", "/explore/capture-the-line", "heading", "Capture the Line"],
    ["no-game", "/g/ZZZZZZ", "heading", "There is no such game"],
    ["nowhere", "/nowhere", "heading", "There is no such page"],
];

/// Opens a view and waits until it is ready.
fn open(page: &Page, url: &str, [_, path, role, name]: [&str; 4]) {
    if path == "/nowhere" {
        // The browser reports this status as an error.
        page.tolerate("the server responded with a status of 404");
    }
    page.go(&format!("{url}{path}"));
    page.find(role, name);
    page.wait("document.title.includes('Skirmish') && !document.querySelector('[aria-busy=true]')");
}

/// An expression for whether all prompts and verdicts are shown, and nothing is being sent.
const SETTLED: &str = "[...document.querySelectorAll('.prompt, .verdict')]
    .every(it => it.hidden || !['', 'Sending …'].includes(it.textContent))";

/// An expression for whether the list of open games and the small boards, if there are any, have been filled.
const LISTED: &str =
    "document.querySelector('[aria-labelledby=open] ul:empty, .demo:empty') === null";

/// Calls `look` with every view: the public ones, and those of a game between people.
fn visit(browser: &'static Browser, url: &str, mut look: impl FnMut(&str, &Page)) {
    let mut look = |name: &str, page: &Page| {
        page.wait(SETTLED);
        page.wait(LISTED);
        look(name, page);
    };
    let ann = player(browser, "Ann", url);
    for view in VIEWS {
        open(&ann.page, url, view);
        look(view[0], &ann.page);
    }
    ann.page.go(&format!("{url}/"));
    ann.page.click("button", "Create a game");
    ann.page.find("button", "Create");
    look("create", &ann.page);
    ann.page.click("button", "Cancel");
    let code = create(&ann.page, "Capture and Conquer");
    ann.page.find("textbox", "The link to this game");
    look("waiting", &ann.page);
    let dan = player(browser, "Dan", &format!("{url}/g/{code}"));
    dan.page.find("button", "Join and play");
    look("invitation", &dan.page);

    for (name, first, rest) in [
        ("line", "2", &["1", "2", "1", "1"][..]),
        ("conquer", "m0", &["r", "m1"][..]),
        ("clash", "charge", &[][..]),
    ] {
        let game = match name {
            "line" => "Capture the Line",
            "conquer" => "Command Line Conquer",
            _ => "Command Clash",
        };
        let Three { ann, bob, cat, .. } = begin(browser, url, game);
        let pages = [&ann.page, &bob.page];
        choose(pages[0], first);
        pages[1].wait("document.querySelector('.choices button')");
        look(&format!("game-{name}"), pages[1]);
        for (turn, choice) in rest.iter().enumerate() {
            choose(pages[(turn + 1) % 2], choice);
        }
        if name != "clash" {
            let turns = rest.len() + 1;
            cat.page.wait(&format!("document.querySelectorAll('.log .turn').length === {turns}"));
        }
        look(&format!("watching-{name}"), &cat.page);
        if name == "line" {
            pages[0].find("heading", "You win");
            look("over", pages[0]);
            pages[0].click("link", "Review");
            pages[0].find("slider", "");
            look("review", pages[0]);
        }
    }
    ann.page.go(&format!("{url}/"));
    ann.page.find("heading", "Continue your games");
    look("home-again", &ann.page);
}

/// Takes pictures of a view, for `scripts/screenshots`.
fn take_pictures(folder: &Path, name: &str, page: &Page) {
    for theme in THEMES {
        page.emulate(&[("prefers-color-scheme", theme), ("prefers-reduced-motion", "reduce")]);
        for (width, height) in &SIZES[1..] {
            page.resize((*width, *height));
            page.evaluate(
                "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))",
            );
            (0..10).for_each(|_| moment());
            let file = folder.join(format!("{name}-{width}x{height}-{theme}.png"));
            std::fs::write(file, page.picture()).expect("the folder can be written");
        }
    }
}

#[test]
fn every_view_opens_without_an_error_and_fits() {
    let Some((browser, server)) = stage() else { return };
    let pictures = std::env::var_os("SKIRMISH_SCREENSHOTS").map(PathBuf::from);
    let mut faults = Vec::new();
    visit(browser, &server.url, |name, page| {
        for size in SIZES {
            page.resize(size);
            let wide = page.evaluate("document.documentElement.scrollWidth - innerWidth");
            if wide.as_i64() > Some(0) {
                faults.push(format!("{name} is {wide} pixels wider than {size:?}"));
            }
            let is_clipped = "[...document.querySelectorAll('.map .scroll')].some(it => it.scrollWidth > it.clientWidth)";
            if size.0 >= 360 && page.evaluate(is_clipped) == true {
                faults.push(format!("{name} has a map that is clipped at {size:?}"));
            }
        }
        let errors = page.errors();
        if !errors.is_empty() {
            faults.push(format!("{name}: {errors:#?}"));
        }
        if let Some(folder) = &pictures {
            take_pictures(folder, name, page);
        }
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn an_error_is_no_wider_than_a_phone() {
    let Some((browser, server)) = stage() else { return };
    let ann = player(browser, "Ann", &server.url);
    ann.page.resize((360, 640));
    ann.page.fill("Join by code or link", "nonsense");
    ann.page.click("button", "Join");
    ann.page.sees("A game's code has six letters and digits.");
    let right = ann.page.evaluate("document.getElementById('alarm').getBoundingClientRect().right");
    assert!(right.as_f64() < Some(360.0), "{right}");
}

/// An expression for the computed styles in a view, once for each kind of element.
const LOOK: &str = "[...new Set([...document.querySelectorAll('main *')].map(it => {
    const {color, fill, display, fontSize, padding, textAlign, justifyContent, minHeight} = getComputedStyle(it);
    const look = {color, fill, display, fontSize, padding, textAlign, justifyContent, minHeight};
    return `${it.localName}.${it.getAttribute('class')} ${JSON.stringify(look)}`;
}))].sort()";

/// The pieces on the board once lost their colours after a visit to Explore, whose style sheet stays loaded.
#[test]
fn no_view_changes_how_another_one_looks() {
    let Some((browser, server)) = stage() else { return };
    let ann = player(browser, "Ann", &server.url);
    let page = &ann.page;
    page.emulate(&[("prefers-reduced-motion", "reduce")]);
    page.resize((360, 640));
    let show = |[_, path, role, name]: [&str; 4]| {
        page.wait("document.title.includes('Skirmish')");
        page.evaluate(&format!("import('/static/app.js').then(it => it.go('{path}'))"));
        page.find(role, name);
        page.wait(SETTLED);
        page.wait(LISTED);
        page.evaluate(LOOK)
    };
    let looked_at = ["home", "practice-line", "practice-clash"];
    let looked_at = || VIEWS.into_iter().filter(|view| looked_at.contains(&view[0]));
    let before: Vec<_> = looked_at().map(show).collect();
    for view in VIEWS.into_iter().filter(|[name, ..]| !name.starts_with("no")) {
        show(view);
    }
    for (view, before) in looked_at().zip(before) {
        assert_eq!(show(view), before, "{view:?}");
    }
}

#[test]
fn no_view_has_barriers() {
    let Ok(axe) = std::env::var("SKIRMISH_AXE") else {
        skipped("SKIRMISH_AXE NAMES NO axe.min.js, SO THE PAGE IS NOT CHECKED FOR BARRIERS");
        return;
    };
    let Some((browser, server)) = stage() else { return };
    let axe = read(Path::new(&axe));
    let mut faults = Vec::new();
    visit(browser, &server.url, |name, page| {
        if page.evaluate("typeof axe") != "object" {
            page.evaluate(&format!("{axe}; 0"));
        }
        for theme in THEMES {
            page.emulate(&[("prefers-color-scheme", theme), ("prefers-reduced-motion", "reduce")]);
            let found = page.evaluate(
                "axe.run(document, {resultTypes: ['violations']}).then(({violations}) => violations.flatMap(it =>
                    it.nodes.map(node => `${it.id}: ${it.help}: ${node.target} ${node.failureSummary}`)))",
            );
            let found = found.as_array().expect("a list");
            faults.extend(found.iter().map(|it| format!("{name}, {theme}: {it}")));
        }
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
