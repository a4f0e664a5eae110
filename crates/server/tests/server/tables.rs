//! Tests that the tables in docs/online.md list every message, field, code and word of the protocol, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use skirmish_present::json::{PerPlayer, PositionObject, TurnEventObject};
use skirmish_room::wire::{
    About, ClientMessage, ClockView, End, Ev, EventView, Finished, Hello, Leader, Lobby, LobbyGame,
    MatchView, MessageId, Offer, Phrase, Rej, RoomRequest, Seated, ServerMessage, Snap, StageName,
    Welcome,
};
use skirmish_room::{RejectionCode, Request, RuleValue, SideWish, Terms};
use skirmish_rules::{Both, GAMES, Side, Table};

use crate::dialogues::page;

/// A table's first column, mapped to its second column.
type Rows = BTreeMap<String, String>;

/// The rows of the table under `heading` in the given part of the page.
fn rows(page: &str, part: &str, heading: &str) -> Rows {
    let (_, part) = page.split_once(&format!("\n## {part}\n")).expect("the part exists");
    let part = part.split("\n## ").next().unwrap_or(part);
    let section = if heading.is_empty() {
        part.split("\n### ").next().expect("a part has a beginning")
    } else {
        let found = part.split("\n### ").find(|section| section.lines().next() == Some(heading));
        found.unwrap_or_else(|| panic!("there is no heading {heading}"))
    };
    let mut rows = Rows::new();
    for line in section.lines().filter(|line| line.starts_with("| `")) {
        let mut cells = line.trim_matches('|').split('|').map(str::trim);
        let name = cells.next().expect("a first cell").trim_matches('`').to_owned();
        let other = cells.next().expect("a second cell").to_owned();
        assert!(cells.all(|cell| !cell.is_empty()), "{heading}: {line}");
        assert_eq!(rows.insert(name, other), None, "{heading}: {line} is listed twice");
    }
    rows
}

fn headings(page: &str, part: &str) -> BTreeSet<String> {
    let (_, part) = page.split_once(&format!("\n## {part}\n")).expect("the part exists");
    let part = part.split("\n## ").next().unwrap_or(part);
    part.lines().filter_map(|line| line.strip_prefix("### ")).map(str::to_owned).collect()
}

/// The names of an enum's variants, taken from serde's error message for an unknown variant.
fn variants<T: DeserializeOwned + Debug>(wrong: &Value) -> BTreeSet<String> {
    let error = serde_json::from_value::<T>(wrong.clone()).expect_err("no variant is called so");
    let error = error.to_string();
    let (_, listed) = error.split_once("expected one of ").unwrap_or_else(|| panic!("{error}"));
    listed.split('`').skip(1).step_by(2).map(str::to_owned).collect()
}

fn words<T: DeserializeOwned + Debug>() -> BTreeSet<String> {
    variants::<T>(&json!("no such word"))
}

fn kinds<T: DeserializeOwned + Debug>() -> BTreeSet<String> {
    variants::<T>(&json!({"type": "no such message"}))
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Compares a table with two examples of an object: one with every possible field, one with as few as possible.
fn compare(rows: &Rows, most: &Value, least: &Value, what: &str) {
    let (Value::Object(most), Value::Object(least)) = (most, least) else {
        panic!("{what} is not an object")
    };
    let fields: BTreeSet<&str> =
        most.keys().map(String::as_str).filter(|it| *it != "type").collect();
    let told: BTreeSet<&str> = rows.keys().map(String::as_str).collect();
    assert_eq!(told, fields, "{what}");
    for (field, kind) in rows {
        for value in [most.get(field), least.get(field)].into_iter().flatten() {
            assert!(kind.contains(kind_of(value)), "{what}: {field} is {value}, not {kind}");
        }
        let is_optional = kind.ends_with(", optional");
        assert_eq!(is_optional, !least.contains_key(field), "{what}: {field} is {kind}");
    }
}

fn text(word: &str) -> String {
    word.to_owned()
}

fn id() -> MessageId {
    MessageId::Number(1)
}

fn base_battle() -> Box<dyn Table> {
    let entry = GAMES.find("base-battle").expect("the game exists");
    entry.open(entry.setup()).expect("the usual setup")
}

fn terms() -> Terms {
    Terms {
        game: text("base-battle"),
        preset: Some(text("long")),
        rules: [(text("positions"), RuleValue::Number(9))].into(),
        first: Some(SideWish::P1),
        seat: SideWish::Toss,
        games: Some(2),
        max_turns: Some(9),
        clock: skirmish_room::TimeControl::None,
        level: Some(text("novice")),
        rated: true,
        public: true,
        spectators: true,
        hints: true,
    }
}

/// Every client message, with every possible field.
fn client_messages() -> Vec<ClientMessage> {
    let (id, code, what) = (id(), text("ABC234"), Offer::Draw);
    let asks = |request| {
        ClientMessage::Request(RoomRequest::new(id.clone(), code.clone(), Some(1), request))
    };
    vec![
        ClientMessage::Hello(Hello {
            proto: 2,
            token: Some(text("t")),
            client: text("c"),
            name: Some(text("n")),
            device: Some(text("d")),
            link: Some(text("l")),
        }),
        ClientMessage::Create { id: id.clone(), terms: terms() },
        ClientMessage::Seek { id: id.clone(), terms: terms() },
        ClientMessage::Join {
            id: Some(id.clone()),
            code: code.clone(),
            have: Some(1),
            watch: true,
        },
        asks(Request::Act { v: 1, text: text("1") }),
        asks(Request::Offer { what }),
        asks(Request::Answer { what, yes: true }),
        asks(Request::Resign),
        asks(Request::Claim),
        asks(Request::Say { phrase: Phrase::Hello }),
        ClientMessage::Leave { code: code.clone() },
        ClientMessage::Lobby,
        ClientMessage::Leaders { game: text("base-battle") },
        ClientMessage::History,
        ClientMessage::Register { id: id.clone(), name: text("Ann") },
        ClientMessage::Link { id },
        ClientMessage::Ping,
    ]
}

fn value(object: &impl Serialize) -> Value {
    serde_json::to_value(object).expect("it is JSON")
}

/// An object without the fields that may be omitted on reading.
fn least_read<T: DeserializeOwned>(most: &Value) -> Value {
    let mut least = most.clone();
    for field in most.as_object().expect("an object").keys() {
        let mut without = most.clone();
        without.as_object_mut().expect("an object").remove(field);
        if serde_json::from_value::<T>(without).is_ok() {
            least.as_object_mut().expect("an object").remove(field);
        }
    }
    assert!(serde_json::from_value::<T>(least.clone()).is_ok(), "{least}");
    least
}

#[test]
fn every_message_of_a_client_is_described() {
    let page = page();
    let part = "Messages from clients";
    assert_eq!(headings(&page, part), ClientMessage::TYPES.map(text).into());
    let known = kinds::<ClientMessage>().into_iter().chain(kinds::<Request>());
    let inside = ["sit", "close"].map(text);
    assert_eq!(
        known.collect::<BTreeSet<_>>(),
        ClientMessage::TYPES.map(text).into_iter().chain(inside).collect()
    );
    let terms_fields = rows(&page, "Objects in messages", "Terms");
    for (message, expected) in client_messages().into_iter().zip(ClientMessage::TYPES) {
        let most = value(&message);
        let kind = most["type"].as_str().expect("a type").to_owned();
        assert_eq!(kind, expected);
        let mut rows = rows(&page, part, &kind);
        if matches!(message, ClientMessage::Create { .. } | ClientMessage::Seek { .. }) {
            rows.extend(terms_fields.clone());
        }
        compare(&rows, &most, &least_read::<ClientMessage>(&most), &kind);
    }
}

fn pair<T: Clone>(value: T) -> PerPlayer<T> {
    Both::new(value.clone(), value).into()
}

fn end() -> End {
    End::read("1-0", "rules").expect("an end")
}

fn clock(abort: Option<u64>) -> ClockView {
    ClockView { left: pair(1), running: vec![1], abort }
}

fn about(is_most: bool) -> About {
    About { code: text("ABC234"), over: is_most, clock: is_most.then(|| clock(None)) }
}

fn seated(is_most: bool) -> Seated {
    Seated {
        name: text("Ann"),
        guest: is_most,
        level: is_most.then(|| text("novice")),
        rating: is_most.then_some(1500),
        provisional: is_most,
    }
}

const MATCH: fn() -> MatchView = || MatchView { game: 1, of: 2, half_points: pair(0) };

fn snap(is_most: bool) -> Snap {
    Snap {
        code: text("ABC234"),
        v: 1,
        stage: StageName::Open,
        terms: terms(),
        unrated: is_most.then(|| text("why")),
        you: is_most.then_some(1),
        players: pair(is_most.then(|| seated(true))),
        number: 1,
        first: 1,
        standing: is_most.then(MATCH),
        date: is_most.then(|| text("2026.01.01")),
        turns: vec![pair(None)],
        undone: 0,
        chosen: vec![1],
        offers: pair(Some(Offer::Draw)),
        clock: is_most.then(|| clock(None)),
        claim_after: is_most.then_some(60),
        present: pair(true),
        claim_in: is_most.then_some(60),
        earlier: vec![end()],
        end: is_most.then(end),
        position: is_most.then(|| PositionObject::of(&*base_battle())),
    }
}

/// Every kind of event, with all possible fields or as few as possible.
fn events(is_most: bool) -> Vec<Value> {
    let mut table = base_battle();
    table.submit(Side::One, "1").expect("a legal choice");
    let (player, what) = (Side::One, Offer::Draw);
    let position = || Some(PositionObject::of(&*table));
    let told = TurnEventObject::last_turn(&*table).into_iter().collect();
    let events = vec![
        EventView::Chosen { player },
        EventView::Turn { player, turns: vec![pair(None)], told, position: position() },
        EventView::Undo { player, left: 0, position: position() },
        EventView::Offer { player, what },
        EventView::Answer { player, what, yes: true },
        EventView::End { player: is_most.then_some(player), closes: is_most },
        EventView::Say { player, phrase: Phrase::Hello },
        EventView::Paused,
        EventView::Resumed,
        EventView::Closed,
    ];
    let (end, clock) = (is_most.then(end), is_most.then(|| clock(None)));
    let event = |event| {
        let (code, clock) = (text("ABC234"), clock.clone());
        value(&ServerMessage::Ev(Box::new(Ev { code, v: 1, event, end, clock })))
    };
    events.into_iter().map(event).collect()
}

#[test]
fn every_kind_of_event_and_its_fields_are_described() {
    let page = page();
    let kinds = rows(&page, "Objects in messages", "Kinds of events");
    assert_eq!(kinds.keys().cloned().collect::<BTreeSet<_>>(), {
        variants::<EventView>(&json!({"event": "no such event"}))
    });
    let (most, least) = (events(true), events(false));
    assert_eq!(most.len(), kinds.len());
    let fields = |event: &Value| event.as_object().expect("an object").clone();
    let common = least.iter().map(fields).reduce(|mut common, fields| {
        common.retain(|field, _| fields.contains_key(field));
        common
    });
    let all = most.iter().flat_map(fields).collect();
    let rows = rows(&page, "Messages from the server", "ev");
    compare(&rows, &all, &Value::Object(common.expect("an event")), "ev");
    for event in most {
        let meaning = &kinds[event["event"].as_str().expect("a kind")];
        let is_own = |field: &str| !["type", "code", "v", "event", "end", "clock"].contains(&field);
        let own = rows.keys().filter(|field| is_own(field));
        for field in own {
            let is_named = meaning.contains(&format!("`{field}`"));
            assert_eq!(is_named, event.get(field).is_some(), "{field}: {meaning}");
        }
    }
}

fn lobby_game() -> LobbyGame {
    let code = text("ABC234");
    LobbyGame { code, terms: terms(), players: pair(None), turns: 0, your_turn: true }
}

fn leader() -> Leader {
    Leader { name: text("Ann"), rating: 1500, deviation: 90, games: 3 }
}

fn finished(is_most: bool) -> Finished {
    Finished {
        code: text("ABC234"),
        number: 1,
        game: text("base-battle"),
        names: pair(text("Ann")),
        you: 1,
        end: end(),
        date: is_most.then(|| text("2026.01.01")),
        rating: is_most.then_some(1500),
    }
}

/// Every server message except events, with all possible fields or as few as possible.
fn server_messages(is_most: bool) -> Vec<ServerMessage> {
    let (id, code, game) = (id(), text("ABC234"), text("base-battle"));
    vec![
        ServerMessage::Welcome(Welcome {
            proto: 2,
            server: text("s"),
            name: text("n"),
            guest: true,
            token: is_most.then(|| text("t")),
            url: is_most.then(|| text("u")),
            games: vec![code.clone()],
        }),
        ServerMessage::Snap(Box::new(snap(is_most))),
        ServerMessage::Ack {
            id: id.clone(),
            code: is_most.then(|| code.clone()),
            v: is_most.then_some(1),
        },
        ServerMessage::Rej(Rej {
            id: is_most.then(|| id.clone()),
            code: RejectionCode::Illegal,
            text: text("t"),
            legal: if is_most { vec![text("1")] } else { Vec::new() },
            seconds: is_most.then_some(1),
            notice: is_most.then(|| about(true)),
        }),
        ServerMessage::Presence { code, players: pair(true), watchers: 0 },
        ServerMessage::Pong { versions: BTreeMap::new() },
        ServerMessage::Restart { seconds: 5 },
        ServerMessage::Bye {
            code: RejectionCode::Limit,
            text: text("t"),
            seconds: is_most.then_some(1),
        },
        ServerMessage::Lobby(Lobby { open: vec![lobby_game()], live: vec![], yours: vec![] }),
        ServerMessage::Leaders { game, players: vec![leader()] },
        ServerMessage::History { games: vec![finished(is_most)] },
        ServerMessage::Registered { id: id.clone(), name: text("n"), recovery: text("r") },
        ServerMessage::Link { id, link: text("l"), seconds: 600 },
    ]
}

#[test]
fn every_message_of_the_server_is_described() {
    let page = page();
    let part = "Messages from the server";
    assert_eq!(headings(&page, part), kinds::<ServerMessage>());
    let (most, least) = (server_messages(true), server_messages(false));
    assert_eq!(most.len() + 1, kinds::<ServerMessage>().len(), "events are another test's");
    for (most, least) in most.iter().map(value).zip(least.iter().map(value)) {
        let kind = most["type"].as_str().expect("a type");
        compare(&rows(&page, part, kind), &most, &least, kind);
    }
}

#[test]
fn every_object_in_messages_is_described() {
    let page = page();
    let terms = value(&terms());
    let objects = [
        ("Terms", terms.clone(), least_read::<Terms>(&terms)),
        ("A player", value(&seated(true)), value(&seated(false))),
        ("An end", value(&end()), value(&end())),
        ("The clocks", value(&clock(Some(1))), value(&clock(None))),
        ("A notice", value(&about(true)), value(&about(false))),
        ("A match", value(&MATCH()), value(&MATCH())),
        ("A game in the lobby", value(&lobby_game()), value(&lobby_game())),
        ("A line of the leaderboard", value(&leader()), value(&leader())),
        ("A finished game", value(&finished(true)), value(&finished(false))),
    ];
    for (heading, most, least) in objects {
        compare(&rows(&page, "Objects in messages", heading), &most, &least, heading);
    }
}

#[test]
fn every_word_and_code_is_described() {
    let page = page();
    let first = |part: &str, heading: &str| -> BTreeSet<String> {
        rows(&page, part, heading).into_keys().collect()
    };
    assert_eq!(first("Refusals", ""), words::<RejectionCode>());
    assert_eq!(first("Objects in messages", "Stages"), words::<StageName>());
    let said = Phrase::ALL.map(|(_, word, sentence)| (text(word), text(sentence)));
    assert_eq!(rows(&page, "The protocol", "Phrases"), said.into());
    assert_eq!(words::<Phrase>(), Phrase::ALL.map(|(_, word, _)| text(word)).into());
    let offers = words::<Offer>().into_iter().chain(words::<SideWish>());
    for word in offers {
        assert!(page.contains(&format!("`{word}`")), "{word} is not described");
    }
}

/// All refusal codes.
pub(crate) fn codes() -> BTreeSet<String> {
    words::<RejectionCode>()
}
