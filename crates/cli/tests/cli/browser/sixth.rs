//! The page knows no game: one that exists only in the tests is learned, practised and explored in it.

use std::sync::Arc;

use skirmish_server::{Config, Limits, Server};
use tempfile::TempDir;

use super::devtools::Browser;
use super::player;

#[path = "../../../../rules/tests/sixth/mod.rs"]
mod last_stone;

/// A server that has Last Stone as well.
fn serve(folder: &TempDir) -> Server {
    let config = Config {
        games: last_stone::SIX_GAMES,
        listen: "127.0.0.1:0".parse().expect("an address"),
        data: folder.path().to_owned(),
        url: None,
        tls: None,
        memory: 64 << 20,
        limits: Limits::default(),
        log: Arc::new(|_| {}),
    };
    Server::start(config).expect("the server starts")
}

#[test]
fn a_sixth_game_works_in_the_page() {
    let Some(browser) = Browser::get() else { return };
    let folder = TempDir::new().expect("a temporary folder");
    let server = serve(&folder);
    let ann = player(browser, "Ann", &format!("{}/practice/last-stone", server.url()));
    let page = &ann.page;
    page.find("heading", "Practise Last Stone");
    // Seven stones: 2, 2, 2 and 1.
    for (choice, sentence) in [
        ("2", "Player 1 takes 2 stones."),
        ("2", "Player 2 takes 2 stones."),
        ("2", "Player 1 takes 2 stones."),
        ("1", "Player 2 has taken the last stone and wins!"),
    ] {
        page.click_in("Choices", "button", &format!("take {choice}"));
        page.announces(sentence);
    }
    page.find("heading", "Player 2 wins");
    page.go(&format!("{}/explore/last-stone", server.url()));
    page.find("heading", "Last Stone");
    page.go(&format!("{}/rules/last-stone", server.url()));
    page.find("heading", "Last Stone");
    page.go(&format!("{}/learn/last-stone", server.url()));
    page.find("heading", "Last Stone");
    page.go(&format!("{}/", server.url()));
    page.sees("Last Stone");
}
