//! The playing screen: choices, events, log and pace.

use std::time::Duration;

use ratatui::buffer::Cell;
use ratatui::crossterm::event::KeyCode;
use ratatui::style::Modifier;
use skirmish_play::player::{Level, Player};
use skirmish_play::{Plan, Proposal};
use skirmish_present::choice::{Consequence, consequences};
use skirmish_rules::{Both, Choice, Entry, OptionKind, Settings, Side, Table, Tempo};
use skirmish_store::{ExitHook, Keeper};

use super::super::event::ArcadeEvent;
use super::super::keys::keys;
use super::super::look::Look;
use super::super::play::together;
use super::super::screen::{Press, Way};
use super::super::stage::glyph;
use super::super::{Opened, Start};
use super::pictures::{SIX_SIZES as SIZES, is_golden};
use super::{Arcade, PLAIN, USUAL};
use crate::sixth::SIX_GAMES;

const MOVING: Look = Look { motion: true, ..USUAL };

pub(super) fn entry(id: &str) -> &'static Entry {
    SIX_GAMES.find(id).expect("the game exists")
}

/// An arcade at the start of a game.
pub(super) fn playing(look: Look, plan: Plan) -> Arcade {
    let session = plan.begin();
    let keeper = Keeper::new(None, ExitHook::default());
    Arcade::starting(look, Start::Play(Box::new(Opened { plan, session, keeper })))
}

/// A person against the computer in a game that Player 1 starts.
pub(super) fn against_computer(look: Look, id: &str) -> Arcade {
    let players = Both::new(Player::Human, Player::Computer(Level::Casual));
    let proposal = Proposal { players, seed: Some(1), ..Proposal::new(entry(id)) };
    let plan = Proposal { first: None, ..proposal }.plan(None).expect("it can be played");
    let mut arcade =
        playing(look, Plan { first: skirmish_rules::Side::One, is_tossed: false, ..plan });
    // Deliver the solution, which the computer needs.
    while let Ok(report) = arcade.heard.try_recv() {
        arcade.take(report);
    }
    arcade
}

/// The default rules, and variants with one option at a bound or another word.
fn variants(entry: &'static Entry) -> Vec<Settings> {
    let defaults = Settings::defaults(entry.options);
    let values = entry.options.iter().flat_map(|option| match option.kind {
        OptionKind::Number { min, max, .. } => {
            vec![format!("{}={min}", option.name), format!("{}={max}", option.name)]
        }
        OptionKind::Word(words) => {
            words.iter().map(|(word, _)| format!("{}={word}", option.name)).collect()
        }
    });
    let changed = values.filter_map(|value| {
        let mut settings = defaults.clone();
        settings.set(&value).ok().map(|_| settings)
    });
    std::iter::once(defaults.clone()).chain(changed).collect()
}

/// The key and the number for a click of a side's choice.
fn key_and_number(table: &dyn Table, side: Side, choice: usize) -> (char, usize) {
    let choices = table.choices(side);
    if table.tempo() == Tempo::Alternating {
        return (keys(table, &choices)[choice], choice);
    }
    let keys = together::keys(table);
    let is_it = |(of, _, action): &(Side, char, Choice)| {
        *of == side && action.notation == choices[choice].notation
    };
    let number = keys.iter().position(is_it).expect("every choice has a key");
    (keys[number].1, number)
}

/// Whether a side's choice at the same time as the other's is forced, so that it is made without a key.
fn is_forced(table: &dyn Table, side: Side) -> bool {
    let is_only = |side: Side| table.choices(side).len() == 1;
    let is_asked = side == Side::One && is_only(side.other());
    table.tempo() == Tempo::Simultaneous && is_only(side) && !is_asked
}

/// Plays a side's choice with a click, unless it is forced.
pub(super) fn choose(arcade: &mut Arcade, table: &dyn Table, side: Side, choice: usize) {
    if is_forced(table, side) {
        return;
    }
    let (_, number) = key_and_number(table, side, choice);
    arcade.take(ArcadeEvent::Press(Press::Pick(number)));
}

/// Whether a picture contains this text as whole words.
fn has(picture: &str, text: &str) -> bool {
    picture.match_indices(text).any(|(at, _)| {
        let is_apart = |letter: Option<char>| !letter.is_some_and(char::is_alphanumeric);
        is_apart(picture[..at].chars().next_back())
            && is_apart(picture[at + text.len()..].chars().next())
    })
}

/// The number of hidden choices according to the marks of the list.
fn counted(picture: &str) -> usize {
    let words: Vec<&str> = picture.split_whitespace().collect();
    let marks =
        words.windows(3).filter(|words| ["▲", "▼"].contains(&words[0]) && words[2] == "more");
    marks.map(|words| words[1].parse::<usize>().expect("a number")).sum()
}

#[track_caller]
fn every_choice_is_shown_or_counted(picture: &str, table: &dyn Table, side: Side) {
    let choices = table.choices(side);
    let all = consequences(table, side);
    let is_shown = |(number, consequence): &(usize, &Consequence)| {
        let (key, _) = key_and_number(table, side, *number);
        let shared = format!("{}{key} ", glyph(side));
        consequence.forms().iter().any(|form| has(picture, &format!("{key} {form}")))
            || picture.lines().any(|row| row.contains(&shared) && row.contains(&consequence.name))
    };
    let shown = all.iter().enumerate().filter(is_shown).count();
    assert_eq!(shown + counted(picture), choices.len(), "{choices:?}\n{picture}");
}

/// Regression: at 40x12, Command Clash lacked "4 Shield"; at 80x24, a list of nine moves lacked the last two.
#[test]
fn every_legal_choice_is_visible_or_counted_at_every_size() {
    for entry in SIX_GAMES.iter() {
        for settings in variants(entry) {
            let proposal = Proposal { settings, ..Proposal::new(entry) };
            let plan = proposal.plan(None).expect("two people can play");
            let mut session = plan.begin();
            let mut arcade = playing(USUAL, plan);
            arcade.press("Wait");
            for turn in 0..4 {
                for side in session.table().turn() {
                    let choices = session.table().choices(side);
                    if session.ending().is_some() || choices.iter().all(|choice| choice.is_pass) {
                        break;
                    }
                    let sizes = if is_forced(session.table(), side) { &[] } else { &SIZES[..] };
                    for &(width, height) in sizes {
                        let picture = arcade.picture(width, height);
                        every_choice_is_shown_or_counted(&picture, session.table(), side);
                    }
                    let number = (turn * 5 + 2) % choices.len();
                    choose(&mut arcade, session.table(), side, number);
                    session.submit(side, &choices[number].notation).expect("it is legal");
                }
            }
        }
    }
}

/// Base Battle with steps of up to nine positions.
fn nine_steps(look: Look) -> Arcade {
    let mut settings = Settings::defaults(entry("base-battle").options);
    settings.set("steps=9").expect("the game has that option");
    let proposal = Proposal { settings, ..Proposal::new(entry("base-battle")) };
    let mut arcade = playing(look, proposal.plan(None).expect("two people can play"));
    arcade.press("Wait");
    arcade
}

#[test]
fn nine_moves_fit_into_columns() {
    for (width, height) in SIZES {
        let picture = nine_steps(USUAL).picture(width, height);
        // Where there is no room for what a choice does, its notation is enough.
        let is_last = ["9 9 steps", "9 move 9"].iter().any(|last| picture.contains(last));
        assert!(is_last && counted(&picture) == 0, "{picture}");
    }
}

/// The words of a picture without frames.
pub(super) fn words(picture: &str) -> String {
    let words = picture.replace(['│', '▶', '◀', '·'], " ");
    words.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// The number of hidden lines according to the marks of the log.
fn hidden(picture: &str) -> usize {
    let words: Vec<&str> = picture.split_whitespace().collect();
    let marks = words
        .windows(3)
        .filter(|words| ["▲", "▼"].contains(&words[0]) && ["line", "lines"].contains(&words[2]));
    marks.map(|words| words[1].parse::<usize>().expect("a number")).sum()
}

/// The text of the log in a picture without frames, marks and numbers.
fn logged(picture: &str) -> String {
    let frame = picture.lines().find_map(|row| row.split_once("╭ Log "));
    let left = frame.map_or(0, |(before, _)| before.chars().count());
    let row = |row: &str| row.chars().skip(left).collect::<String>();
    let rows: Vec<String> = picture.lines().map(row).collect();
    let unmarked = rows.iter().map(|row| row.split("▲ ").next().unwrap_or_default());
    words(&unmarked.collect::<Vec<&str>>().join("\n"))
}

/// Regression: in a small window, older events disappeared without a mark.
#[test]
fn every_event_of_a_game_is_visible_or_counted_at_every_size() {
    for entry in SIX_GAMES.iter() {
        let plan = Proposal::new(entry).plan(None).expect("two people can play");
        let mut session = plan.begin();
        let mut arcade = playing(USUAL, plan.clone());
        arcade.press("Wait");
        let mut events = vec![entry.summary.to_owned()];
        if plan.is_tossed {
            events.push(skirmish_present::words::toss(&plan.names, plan.first));
        }
        for turn in 0..12 {
            if session.ending().is_some() {
                break;
            }
            for side in session.table().turn() {
                let choices = session.table().choices(side);
                let number = turn % choices.len();
                choose(&mut arcade, session.table(), side, number);
                session.submit(side, &choices[number].notation).expect("it is legal");
            }
            let told = session.table().last_turn().into_iter();
            events.extend(told.map(|it| it.sentence.replace('\n', " ")));
            for (width, height) in SIZES {
                let picture = arcade.picture(width, height);
                let (logged, hidden) = (logged(&picture), hidden(&picture));
                let is_lost = |event: &&String| !logged.contains(*event);
                let lost: Vec<&String> = events[hidden..].iter().filter(is_lost).collect();
                // A log with a single row may truncate a sentence.
                let cut = usize::from(picture.contains('…'));
                assert!(lost.len() <= cut, "{lost:?}\n{picture}");
            }
        }
    }
}

#[test]
fn the_log_keeps_everything_and_scrolls() {
    const SIZE: (u16, u16) = (120, 24);
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(4);
    for _ in 0..30 {
        arcade.press("1 7");
    }
    let mut see = |event: Option<ArcadeEvent>| {
        event.map(|event| arcade.take(event));
        arcade.picture(SIZE.0, SIZE.1)
    };
    let key = |code: KeyCode| Some(ArcadeEvent::Press(Press::Key(code)));
    let newest = see(None);
    assert!(newest.contains(" 30. ") && !newest.contains("  1. "), "{newest}");
    let oldest = see(key(KeyCode::Home));
    assert!(oldest.contains("· Charge, attack or shield") && oldest.contains("  1. "), "{oldest}");
    let later = see(key(KeyCode::PageDown));
    assert!(!later.contains("  1. ") && later.contains("▲") && later.contains("▼"), "{later}");
    assert_eq!(see(key(KeyCode::PageUp)), oldest, "a page on and a page back");
    assert_eq!(see(key(KeyCode::End)), newest);
    see(Some(ArcadeEvent::Wheel(Way::Up)));
    let scrolled = see(Some(ArcadeEvent::Wheel(Way::Up)));
    assert!(scrolled.contains("▼ 2 lines"), "{scrolled}");
    see(Some(ArcadeEvent::Wheel(Way::Down)));
    assert_eq!(see(Some(ArcadeEvent::Wheel(Way::Down))), newest);
}

#[test]
fn a_turn_that_is_taken_back_leaves_the_log() {
    let mut arcade = Arcade::open(USUAL);
    arcade.sit_down(3);
    arcade.press("3 2");
    assert!(arcade.picture(120, 30).contains("  2. ◀ Player 2 moves 2"));
    arcade.press("u");
    let picture = arcade.picture(120, 30);
    assert!(!picture.contains("Player 2 moves 2"), "{picture}");
    assert!(picture.contains("· The last turn has been taken back."), "{picture}");
    arcade.press("1");
    assert!(arcade.picture(120, 30).contains("  2. ◀ Player 2 moves 1"));
}

#[test]
fn a_players_own_turn_can_be_read_before_the_computers_appears() {
    let mut arcade = against_computer(MOVING, "base-battle");
    arcade.press("3");
    arcade.pass(Duration::from_millis(400));
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("You move 3") && picture.contains("thinks…"), "{picture}");
    assert!(!words(&picture).contains("Casual moves"), "{picture}");
    arcade.pass(Duration::from_secs(1));
    let picture = words(&arcade.picture(80, 24));
    let at = |text: &str| picture.find(text).unwrap_or_else(|| panic!("{text}: {picture}"));
    assert!(at("You move 3") < at("Casual moves"), "{picture}");
    arcade.pass(Duration::from_secs(2));
    assert!(arcade.app.due().is_none(), "nothing moves at rest");
}

#[test]
fn a_key_ends_the_pause_and_plays_nothing() {
    for key in ["Enter", "1", "Space"] {
        let mut arcade = against_computer(MOVING, "base-battle");
        arcade.press("3");
        arcade.pass(Duration::from_millis(250));
        assert!(arcade.picture(80, 24).contains("thinks…"), "it pauses");
        arcade.press(key);
        let picture = arcade.picture(80, 24);
        assert!(!picture.contains("thinks…"), "{key}\n{picture}");
        arcade.pass(Duration::from_secs(2));
        let picture = arcade.picture(80, 24);
        assert!(picture.contains("turn 3"), "{key}\n{picture}");
    }
}

#[test]
fn an_undo_in_the_pause_takes_the_answer_back_too() {
    let mut arcade = against_computer(MOVING, "base-battle");
    arcade.press("3");
    arcade.pass(Duration::from_millis(250));
    arcade.press("u");
    arcade.pass(Duration::from_secs(3));
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("turn 1") && picture.contains("Your move"), "{picture}");
}

/// Regression: without motion, the computer's turn appeared together with the player's own.
#[test]
fn without_motion_the_pace_is_the_same() {
    for (width, height) in SIZES {
        let mut arcade = against_computer(USUAL, "base-battle");
        arcade.press("3");
        for time in [0, 500] {
            arcade.pass(Duration::from_millis(time));
            let picture = words(&arcade.picture(width, height));
            assert!(picture.contains("You move 3"), "{picture}");
            assert!(picture.contains("thinks…") && !picture.contains("Casual moves"), "{picture}");
        }
        arcade.pass(Duration::from_secs(1));
        let picture = words(&arcade.picture(width, height));
        let at = |text: &str| picture.find(text).unwrap_or_else(|| panic!("{text}: {picture}"));
        assert!(at("You move 3") < at("Casual moves"), "{picture}");
        assert!(arcade.app.due().is_none(), "nothing moves at rest");
    }
}

/// A game between two people that began with a coin toss, and the toss's sentence.
fn tossed(look: Look) -> (Arcade, String) {
    let proposal = Proposal { seed: Some(2), ..Proposal::new(entry("base-battle")) };
    let plan = proposal.plan(None).expect("two people can play");
    let toss = format!("The coin toss decides: {} starts.", plan.first);
    assert!(plan.is_tossed);
    (playing(look, plan), toss)
}

/// R-ALL-1: in Base Battle a coin toss decides who starts.
#[test]
fn the_coin_toss_is_seen_before_the_first_move() {
    let (mut arcade, toss) = tossed(MOVING);
    let picture = arcade.picture(120, 30);
    assert!(picture.contains("A coin toss decides who starts."), "{picture}");
    assert!(!picture.contains("1 1 step"), "{picture}");
    arcade.pass(Duration::from_millis(600));
    let picture = arcade.picture(120, 30);
    assert!(picture.contains("(◀) The coin toss decides:"), "{picture}");
    assert!(!picture.contains("1 1 step"), "{picture}");
    arcade.pass(Duration::from_secs(1));
    let picture = arcade.picture(120, 30);
    assert!(picture.contains("1 1 step") && arcade.app.due().is_none(), "{picture}");
    // The result of the toss stays in the log.
    assert!(arcade.picture(120, 30).contains(&toss), "{picture}");
}

#[test]
fn a_key_ends_the_coin_toss_and_plays_nothing() {
    let (mut arcade, _) = tossed(MOVING);
    arcade.press("1");
    let picture = arcade.picture(80, 24);
    assert!(picture.contains("1 1 step") && picture.contains("turn 1"), "{picture}");
}

#[test]
fn without_motion_the_coin_toss_is_a_picture_that_stays_for_a_moment() {
    for (width, height) in SIZES {
        let (mut arcade, toss) = tossed(USUAL);
        for time in [0, 600] {
            arcade.pass(Duration::from_millis(time));
            let picture = arcade.picture(width, height);
            assert!(picture.contains("(◀) The coin toss"), "{picture}");
            assert!(!picture.contains("1 1 step"), "{picture}");
        }
        arcade.pass(Duration::from_secs(1));
        let picture = arcade.picture(width, height);
        assert!(picture.contains("1 1 step") && words(&picture).contains(&toss[..20]), "{picture}");
        assert!(arcade.app.due().is_none(), "nothing moves at rest");
    }
}

#[track_caller]
pub(super) fn pictures(name: &str, way: impl Fn(Look) -> Arcade) {
    let picture = |(width, height)| {
        let picture = way(USUAL).picture(width, height);
        format!("--- {width}x{height}\n{picture}\n")
    };
    let plain = way(PLAIN).picture(80, 24);
    assert!(plain.is_ascii(), "{plain}");
    is_golden(name, &format!("{}--- 80x24, plain\n{plain}\n", SIZES.map(picture).concat()));
}

#[test]
fn the_whole_log() {
    pictures("log", |look| {
        let mut arcade = Arcade::open(look);
        arcade.sit_down(1);
        arcade.press("1 1 r r 1 1 1 1 1 1 1 1 t");
        arcade
    });
}

#[test]
fn the_coin_toss() {
    pictures("toss", |look| {
        let (mut arcade, _) = tossed(Look { motion: true, ..look });
        arcade.pass(Duration::from_millis(600));
        arcade
    });
}

#[test]
fn nine_moves_with_their_values() {
    pictures("nine-moves", |look| {
        let mut arcade = nine_steps(look);
        arcade.press("a");
        arcade
    });
}

/// The sides whose colours fill the row below the title, cell by cell.
fn bar(arcade: &mut Arcade) -> Vec<Option<Side>> {
    let buffer = arcade.draw(80, 24);
    let look = arcade.app.context.look;
    let is_filled = |cell: &Cell, side| {
        cell.modifier.contains(Modifier::REVERSED) && Some(cell.fg) == look.filled(side).fg
    };
    let filler = |cell| Side::ALL.into_iter().find(|side| is_filled(cell, *side));
    buffer.content[80..160].iter().map(filler).collect()
}

#[test]
fn the_movers_colour_fills_a_row_until_the_turn_has_been_shown() {
    let (one, two) = (vec![Some(Side::One); 80], vec![Some(Side::Two); 80]);
    let mut arcade = Arcade::open(MOVING);
    arcade.sit_down(3);
    arcade.press("Wait");
    assert_eq!(bar(&mut arcade), one);
    arcade.press("3");
    assert_eq!(bar(&mut arcade), one, "the piece is still moving");
    arcade.press("Wait");
    assert_eq!(bar(&mut arcade), two);

    let mut arcade = Arcade::open(MOVING);
    arcade.sit_down(4);
    arcade.press("Enter 1 Enter 1");
    assert_eq!(bar(&mut arcade), [&one[..40], &two[..40]].concat(), "both have chosen");
}
