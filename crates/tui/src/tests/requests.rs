//! What the arcade asks of the terminal: to notify a player who looks elsewhere, and to copy to the clipboard.

use skirmish_store::Notify;

use super::super::event::{ArcadeEvent, TerminalRequest};
use super::playing::{against_computer, entry, playing};
use super::{Arcade, USUAL};

/// Runs a command of the palette. Returns what the arcade asks of the terminal.
pub(super) fn requested(arcade: &mut Arcade, command: &str) -> Vec<TerminalRequest> {
    arcade.press(":");
    arcade.write(command);
    arcade.press("Enter");
    arcade.app.requests()
}

pub(super) fn copy(text: &str) -> [TerminalRequest; 1] {
    [TerminalRequest::Copy(text.to_owned())]
}

#[test]
fn the_kind_of_notification_is_a_setting() {
    let text = "Skirmish: it is your turn.".to_owned();
    let ways = [
        (Notify::Off, None),
        (Notify::Bell, Some(TerminalRequest::Bell)),
        (Notify::Desktop, Some(TerminalRequest::Notify(text))),
    ];
    for (notify, request) in ways {
        let mut arcade = against_computer(USUAL, "base-battle");
        arcade.app.context.options.preferences.notify = notify;
        arcade.take(ArcadeEvent::Focus(false));
        arcade.press("2 Wait");
        let told = arcade.app.requests();
        assert_eq!(told, request.into_iter().collect::<Vec<_>>());
    }
}

#[test]
fn two_people_at_one_keyboard_are_not_notified() {
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(3);
    arcade.take(ArcadeEvent::Focus(false));
    arcade.press("2 2 1");
    assert_eq!(arcade.app.requests(), []);
}

#[test]
fn a_position_and_a_record_are_requested() {
    let proposal = skirmish_play::Proposal::new(entry("command-clash"));
    let mut arcade = playing(USUAL, proposal.plan(None).expect("two people can play"));
    arcade.press("1 8 3");
    assert_eq!(requested(&mut arcade, "copy position"), copy("4/4"));
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("Copied the position to the clipboard: 4/4"), "{picture}");
    let [TerminalRequest::Copy(record)] = &requested(&mut arcade, "copy record")[..] else {
        panic!("one request")
    };
    assert!(record.ends_with("1. charge|attack\n"), "without the pending choice: {record}");
    assert!(arcade.picture(80, 24).contains("Copied the record to the clipboard."));
    assert_eq!(requested(&mut arcade, "copy code"), [], "the game is not online");
}
