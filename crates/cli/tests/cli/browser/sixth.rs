//! The page has no knowledge of any game: a test-only game can be learned, practised, explored and played in it.

use skirmish_server::{Config, Database, Limits, Server};
use tempfile::TempDir;

use super::devtools::Browser;
use super::page::Page;
use super::{Three, begin, log, player};

#[path = "../../../../rules/tests/sixth/mod.rs"]
mod last_stone;

/// Starts a server that also has Last Stone.
fn serve(folder: &TempDir) -> Server {
    let config = Config {
        games: last_stone::SIX_GAMES,
        listen: "127.0.0.1:0".parse().expect("an address"),
        database: Database::Folder(folder.path().to_owned()),
        url: None,
        tls: None,
        memory: 64 << 20,
        metrics: None,
        limits: Limits::default(),
        log: skirmish_server::Log::none(),
    };
    Server::start(config).expect("the server starts")
}

/// A game with seven stones: the number taken in each turn, the line in the log, and the same addressed to the player.
const TURNS: [(&str, &str, &str); 4] = [
    ("2", "takes 2 stones.", "You take 2 stones."),
    ("2", "takes 2 stones.", "You take 2 stones."),
    ("2", "takes 2 stones.", "You take 2 stones."),
    ("1", "has taken the last stone and wins!", "You have taken the last stone and win!"),
];

#[track_caller]
fn take(page: &Page, stones: &str) {
    page.click_in("Choices", "button", &format!("take {stones}"));
}

#[test]
fn a_sixth_game_works_in_the_page() {
    let Some(browser) = Browser::get() else { return };
    let folder = TempDir::new().expect("a temporary folder");
    let server = serve(&folder);
    let ann = player(browser, "Ann", &format!("{}/practice/last-stone", server.url()));
    let page = &ann.page;
    page.find("heading", "Practise Last Stone");
    for (turn, (stones, told, _)) in TURNS.into_iter().enumerate() {
        take(page, stones);
        page.announces(&format!("Player {} {told}", turn % 2 + 1));
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

#[test]
fn two_pages_play_a_sixth_game_a_third_one_watches_and_all_see_its_review() {
    let Some(browser) = Browser::get() else { return };
    let folder = TempDir::new().expect("a temporary folder");
    let server = serve(&folder);
    let Three { ann, bob, cat, .. } = begin(browser, server.url(), "Last Stone");
    let pages = [&ann.page, &bob.page, &cat.page];
    for (turn, (stones, told, addressed)) in TURNS.into_iter().enumerate() {
        let mover = turn % 2;
        take(pages[mover], stones);
        pages[mover].announces(addressed);
        for page in [pages[1 - mover], pages[2]] {
            page.announces(&format!("{} {told}", ["Ann", "Bob"][mover]));
        }
    }
    pages[0].find("heading", "You lose");
    pages[1].find("heading", "You win");
    pages[2].find("heading", "Bob wins");
    for page in pages {
        assert_eq!(
            log(page)
                .iter()
                .filter(|line| line.ends_with("stone.") || line.ends_with("stones."))
                .count(),
            4
        );
        // The game has no drawings, so plain tokens represent the players.
        page.wait("document.querySelectorAll('.stage .figures .figure').length === 2");
        page.click("link", "Review");
        page.find("slider", "Turn");
        page.sees("Accuracy of Ann:");
        page.press("Home");
        page.sees("The start.");
        page.press("ArrowRight");
        page.announces("Ann takes 2 stones.");
    }
}
