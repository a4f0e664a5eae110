//! Coming back: waiting games in the title, notifications, sounds, and the page without a connection.

use serde_json::json;

use super::page::{Page, Person};
use super::{begin, choose, player, stage};

/// Runs before the page's scripts: records notifications, and lets a test look away.
const WITNESS: &str = "
    window.told = [];
    window.Notification = class {
        static permission = 'default';
        static async requestPermission() { return this.permission = 'granted'; }
        constructor(title, { body }) { told.push(`${title}: ${body}`); }
    };
    Object.defineProperty(document, 'hidden', { get: () => window.away ?? false });
    if (localStorage['skirmish.settings']?.includes('\"notify\":true')) Notification.permission = 'granted';";

#[test]
fn the_title_and_the_icon_count_the_games_that_wait() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Capture the Line");
    let page = &game.ann.page;
    page.click("link", "Learn");
    page.wait("document.title.startsWith('(1) Learn')");
    let icon = "document.querySelector('link[rel=icon]').href";
    page.wait(&format!("{icon}.startsWith('data:image/svg+xml')"));
    // Also after the page has been loaded again.
    page.go(&format!("{}/watch", server.url));
    page.wait("document.title.startsWith('(1) Watch')");
    page.go(&format!("{}/g/{}", server.url, game.code));
    choose(page, "2");
    page.wait("document.title.startsWith('Capture the Line')");
    page.wait(&format!("{icon}.endsWith('/static/icon.svg')"));
}

#[test]
fn only_those_who_want_notifications_get_them() {
    let Some((browser, server)) = stage() else { return };
    let game = begin(browser, &server.url, "Capture the Line");
    let (ann, bob) = (&game.ann.page, &game.bob.page);
    let address = format!("{}/g/{}", server.url, game.code);
    let open = |page: &Page| {
        page.go(&address);
        page.sees("Waiting for Ann.");
        page.evaluate("window.away = true");
    };
    bob.before_scripts(WITNESS);
    open(bob);
    choose(ann, "2");
    bob.wait("document.title.startsWith('(1)')");
    assert_eq!(bob.evaluate("told"), json!([]));
    choose(bob, "1");
    bob.go(&format!("{}/you", server.url));
    bob.click("checkbox", "Notify me when it is my turn");
    bob.wait("JSON.parse(localStorage['skirmish.settings']).notify");
    open(bob);
    choose(ann, "1");
    bob.wait("told.length");
    assert_eq!(bob.evaluate("told"), json!([format!("It is your turn: Game {}", game.code)]));
}

#[test]
fn sounds_have_a_switch_in_the_game() {
    let Some((browser, server)) = stage() else { return };
    let ann = player(browser, "Ann", &format!("{}/practice/base-battle", server.url));
    ann.page.click("button", "Sounds");
    ann.page.wait("document.querySelector('[aria-pressed=true]').textContent === 'Sounds'");
    assert_eq!(ann.page.evaluate("JSON.parse(localStorage['skirmish.settings']).sound"), true);
}

#[test]
fn the_page_opens_without_a_connection() {
    let Some((browser, server)) = stage() else { return };
    let page = Person::new(browser).tab();
    for words in
        ["WebSocket connection to", "net::ERR_", "Failed to fetch", "The server cannot be reached."]
    {
        page.tolerate(words);
    }
    page.go(&server.url);
    page.wait("navigator.serviceWorker.controller");
    page.wait("caches.keys().then(names => names.length === 1)");
    let (_home, address) = server.stop("TERM", 143);
    page.go(&format!("http://{address}/watch"));
    page.sees("Skirmish");
    page.go(&format!("http://{address}/"));
    page.find("heading", "Quick strategy games for two");
    page.sees("The server cannot be reached.");
}
