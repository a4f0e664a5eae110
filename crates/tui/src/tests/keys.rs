//! The help of every screen: each key once, every key that works, and no other.

use ratatui::buffer::Buffer;
use ratatui::crossterm::event::KeyCode;

use super::pictures::furnish;
use super::watching::watch;
use super::{Arcade, Press, USUAL};
use crate::ArcadeEvent;
use crate::overlay::{keys, presses};

/// The keys that lead to the screens whose help is checked, from the home screen.
const WAYS: [&str; 30] = [
    "",
    "1",
    "1 Down Down Down Down Down",
    "Up Up Up Up Up Enter Down Down",
    "2 m",
    "3 Down Down Left Left Down Right Enter",
    "3 Down Down Left Left Down Right Enter 3 3 3",
    "3 Down Down Left Left Down Right Enter 3 3 3 a",
    "3 Down Down Left Left Down Right Enter 3 3 3 t",
    "3 Down Down Left Left Down Right Enter 3 3 1 1 3 3 3",
    "3 Down Down Left Left Down Right Enter 3 3 1 1 3 3 3 Enter",
    "3 Down Down Left Left Down Right Enter 3 3 1 1 3 3 3 Enter Down",
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

/// Every key that could mean something.
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

/// A screen to look at, and how to get there again.
struct Spot {
    name: String,
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
        spots.push(Spot { name: format!("home {way}"), open });
    }
    for game in ["base-battle", "command-clash"] {
        for way in ["Space", "Space Right Right Left", "Space t", "Space a", "+ + +"] {
            let open = Box::new(move || {
                let mut arcade = watch(game, USUAL);
                arcade.press(way);
                arcade.pass(std::time::Duration::from_secs(1));
                arcade
            });
            spots.push(Spot { name: format!("watching {game} {way}"), open });
        }
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
    let mut seen = Vec::new();
    for press in listed(arcade) {
        assert!(!seen.contains(&press), "{press:?} is listed twice on {name}");
        seen.push(press);
    }
}

/// What can be seen, in a large and in a small window.
fn seen(arcade: &mut Arcade) -> [Buffer; 2] {
    [arcade.draw(100, 30), arcade.draw(40, 12)]
}

/// Whether a key does something after others.
fn does_something(spot: &Spot, before: &[Press], press: Press) -> bool {
    let mut arcade = (spot.open)();
    seen(&mut arcade);
    for press in before {
        if arcade.take(ArcadeEvent::Press(*press)).is_some() {
            return false;
        }
        seen(&mut arcade);
    }
    let old = seen(&mut arcade);
    arcade.take(ArcadeEvent::Press(press)).is_some() || seen(&mut arcade) != old
}

#[test]
fn no_key_is_listed_twice() {
    for spot in spots() {
        let mut arcade = (spot.open)();
        seen(&mut arcade);
        are_listed_once(&arcade, &spot.name);
    }
}

#[test]
fn every_key_of_the_help_works() {
    let mut idle = Vec::new();
    for spot in spots() {
        let mut arcade = (spot.open)();
        seen(&mut arcade);
        let all = listed(&arcade);
        for &press in &all {
            // Some keys need another one before them: there is a way back only after a step.
            let works = does_something(&spot, &[], press)
                || all.iter().any(|other| does_something(&spot, &[*other], press));
            if !works {
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
        let mut old = seen(&mut arcade);
        let has_digits = keys(arcade.app.top()).iter().any(|(label, _)| label.contains('…'));
        let listed = listed(&arcade);
        let is_listed = |press: &Press| match press {
            Press::Key(KeyCode::Char('0'..='9')) if has_digits => true,
            // A capital letter may count as a small one.
            Press::Key(KeyCode::Char(letter)) => [*letter, letter.to_ascii_lowercase()]
                .map(Press::letter)
                .iter()
                .any(|it| listed.contains(it)),
            press => listed.contains(press),
        };
        for press in all_keys().into_iter().filter(|press| !is_listed(press)) {
            let is_left = arcade.take(ArcadeEvent::Press(press)).is_some();
            if is_left || seen(&mut arcade) != old {
                secret.push(format!("{press:?} on {}", spot.name));
                arcade = (spot.open)();
                old = seen(&mut arcade);
            }
        }
    }
    assert!(secret.is_empty(), "{}", secret.join("\n"));
}
