//! The help of every screen lists exactly the keys that work, each once.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;
use skirmish_rules::columns;

use super::pictures::furnish;
use super::watching::watch;
use super::{Arcade, Press, USUAL};
use crate::ArcadeEvent;
use crate::overlay::{HELP_KEYS, keys, presses};

/// The keys from the home screen to each screen whose help is checked.
const WAYS: [&str; 30] = [
    "",
    "1",
    "1 Down Down Down Down Down",
    "Up Up Up Up Up Enter Down Down",
    "2 m",
    "3 Down Down Down Right Enter",
    "3 Down Down Down Right Enter 3 3 3",
    "3 Down Down Down Right Enter 3 3 3 a",
    "3 Down Down Down Right Enter 3 3 3 t",
    "3 Down Down Down Right Enter 3 3 1 1 3 3 3 Wait",
    "3 Down Down Down Right Enter 3 3 1 1 3 3 3 Wait Enter",
    "3 Down Down Down Right Enter 3 3 1 1 3 3 3 Wait Enter Down",
    "4 Down Down Left Left Enter",
    "4 Down Down Left Left Enter Enter",
    "1 Down Down Left Left Enter",
    "1 m",
    "4 m",
    "Down r",
    "Down t",
    "Down t Enter",
    "Up Up Up Up Enter",
    "Up Up Up Up Enter d",
    "Up Up Up Up Enter Enter",
    "Up Up Up Up Enter Enter a End",
    "Up Up Up Up Enter Enter Right p",
    "Up Up Up Enter",
    "Up Up Enter",
    "Up Up Up Up Up Enter",
    "Up Up Up Up Up Up Enter",
    "Up Up Up Up Up Up Enter g g g",
];

/// Every key that a screen might handle.
fn all_keys() -> Vec<Press> {
    let named = [
        KeyCode::Enter,
        KeyCode::Esc,
        KeyCode::Up,
        KeyCode::Down,
        KeyCode::Left,
        KeyCode::Right,
        KeyCode::Home,
        KeyCode::End,
        KeyCode::PageUp,
        KeyCode::PageDown,
        KeyCode::Tab,
        KeyCode::Backspace,
        KeyCode::Delete,
        KeyCode::Insert,
    ];
    let signs = (' '..='~').map(Press::letter);
    named.into_iter().map(Press::Key).chain(signs).collect()
}

/// A screen under test, and how to reach it again.
struct Spot {
    name: String,
    size: (u16, u16),
    open: Box<dyn Fn() -> Arcade>,
}

fn spots() -> Vec<Spot> {
    let mut spots: Vec<Spot> = Vec::new();
    for way in WAYS {
        let open = Box::new(move || {
            let mut arcade = Arcade::furnished(USUAL, furnish);
            arcade.press(way);
            arcade
        });
        spots.push(Spot { name: format!("home {way}"), size: (60, 16), open });
    }
    let watched = [
        ("base-battle", "Space"),
        ("base-battle", "Space Right Right Left"),
        ("base-battle", "Space t"),
        ("base-battle", "Space a"),
        ("base-battle", "+ + +"),
        ("command-clash", "Space a"),
    ];
    for (game, way) in watched {
        let open = Box::new(move || {
            let mut arcade = watch(game, USUAL);
            arcade.press(way);
            arcade.pass(Duration::from_secs(1));
            arcade
        });
        spots.push(Spot { name: format!("watching {game} {way}"), size: (100, 30), open });
    }
    spots
}

/// The keys that the help lists, in order.
pub(super) fn listed(arcade: &Arcade) -> Vec<Press> {
    let help = keys(arcade.app.top());
    help.iter().flat_map(|(label, _)| presses(label)).collect()
}

#[track_caller]
pub(super) fn are_listed_once(arcade: &Arcade, name: &str) {
    for (label, _) in keys(arcade.app.top()) {
        assert!(columns::width(&label) <= HELP_KEYS, "{label} does not fit on {name}");
    }
    let mut seen = Vec::new();
    for press in listed(arcade) {
        assert!(!seen.contains(&press), "{press:?} is listed twice on {name}");
        seen.push(press);
    }
}

/// The contents of the screen.
fn seen(arcade: &mut Arcade, spot: &Spot) -> Buffer {
    let (width, height) = spot.size;
    arcade.draw(width, height)
}

/// Whether a key has an effect, immediately or after another key of the same screen.
fn works(spot: &Spot, press: Press, all: &[Press]) -> bool {
    let mut arcade = (spot.open)();
    let title = arcade.app.top().title();
    if does_something(&mut arcade, spot, press) {
        return true;
    }
    // Some keys, such as "back", work only after another key.
    all.iter().filter(|other| !is_general(other)).any(|other| {
        let mut arcade = (spot.open)();
        seen(&mut arcade, spot);
        let is_left = arcade.take(ArcadeEvent::Press(*other)).is_some();
        seen(&mut arcade, spot);
        let is_same = arcade.app.top().title() == title && listed(&arcade).contains(&press);
        !is_left && is_same && does_something(&mut arcade, spot, press)
    })
}

/// Whether a key works on every screen.
const fn is_general(press: &Press) -> bool {
    matches!(press, Press::Key(KeyCode::Char('?' | ':' | 'q')))
}

fn does_something(arcade: &mut Arcade, spot: &Spot, press: Press) -> bool {
    let old = seen(arcade, spot);
    arcade.take(ArcadeEvent::Press(press)).is_some() || seen(arcade, spot) != old
}

#[test]
fn no_key_is_listed_twice() {
    for spot in spots() {
        let mut arcade = (spot.open)();
        seen(&mut arcade, &spot);
        are_listed_once(&arcade, &spot.name);
    }
}

#[test]
fn every_key_of_the_help_works() {
    let mut idle = Vec::new();
    for spot in spots() {
        let mut arcade = (spot.open)();
        seen(&mut arcade, &spot);
        let all = listed(&arcade);
        for &press in &all {
            if !works(&spot, press, &all) {
                idle.push(format!("{press:?} on {}", spot.name));
            }
        }
    }
    assert!(idle.is_empty(), "{}", idle.join("\n"));
}

#[test]
fn no_other_key_works() {
    let mut secret = Vec::new();
    for spot in spots() {
        let mut arcade = (spot.open)();
        let mut old = seen(&mut arcade, &spot);
        let has_digits = keys(arcade.app.top()).iter().any(|(label, _)| label.contains('…'));
        let listed = listed(&arcade);
        let is_listed = |press: &Press| match press {
            Press::Key(KeyCode::Char('0'..='9')) if has_digits => true,
            // A capital letter may be equivalent to the lower-case letter.
            Press::Key(KeyCode::Char(letter)) => [*letter, letter.to_ascii_lowercase()]
                .map(Press::letter)
                .iter()
                .any(|it| listed.contains(it)),
            press => listed.contains(press),
        };
        for press in all_keys().into_iter().filter(|press| !is_listed(press)) {
            let is_left = arcade.take(ArcadeEvent::Press(press)).is_some();
            if is_left || seen(&mut arcade, &spot) != old {
                secret.push(format!("{press:?} on {}", spot.name));
                arcade = (spot.open)();
                old = seen(&mut arcade, &spot);
            }
        }
    }
    assert!(secret.is_empty(), "{}", secret.join("\n"));
}
