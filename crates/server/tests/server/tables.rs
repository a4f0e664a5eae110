//! The tables of docs/online.md name every message, field, code and word of the protocol, and no others.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use skirmish_present::json::{PerPlayer, PositionObject, TurnEventObject};
use skirmish_room::wire::{
    About, ClientMessage, ClockView, End, Ev, EvKind, Finished, Hello, Leader, Lobby, LobbyGame,
    MatchView, MessageId, Offer, Phrase, Rej, Seated, ServerMessage, Snap, StageName, Welcome,
};
use skirmish_room::{RejectionCode, RuleValue, SideWish, Terms};
use skirmish_rules::{Both, GAMES, Side, Table};

use crate::dialogues::page;

/// The first column of a section's table, with the second one.
type Rows = BTreeMap<String, String>;

/// The rows of the table in a section, which begins with this heading after another one.
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
        assert_eq!(rows.insert(name, other), None, "{heading}: {line} is there twice");
    }
    rows
}

fn headings(page: &str, part: &str) -> BTreeSet<String> {
    let (_, part) = page.split_once(&format!("\n## {part}\n")).expect("the part exists");
    let part = part.split("\n## ").next().unwrap_or(part);
    part.lines().filter_map(|line| line.strip_prefix("### ")).map(str::to_owned).collect()
}

/// The names of an enum's variants, which serde lists if it is given another one.
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

/// Compares a table with two examples of an object: one with everything that can be in it, one with as little as possible.
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

/// Every message of a client with everything that can be in it.
fn client_messages() -> Vec<ClientMessage> {
    let (id, code, v, what) = (id(), text("ABC234"), Some(1), Offer::Draw);
    vec![
        ClientMessage::Hello(Hello {
            proto: 1,
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
        ClientMessage::Act { id: id.clone(), code: code.clone(), v: 1, choice: text("1") },
        ClientMessage::Offer { id: id.clone(), code: code.clone(), v, what },
        ClientMessage::Answer { id: id.clone(), code: code.clone(), v, what, yes: true },
        ClientMessage::Resign { id: id.clone(), code: code.clone(), v },
        ClientMessage::Claim { id: id.clone(), code: code.clone(), v },
        ClientMessage::Say { id: id.clone(), code: code.clone(), phrase: Phrase::Hello },
        ClientMessage::Leave { code },
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

/// An object without the fields that can be left out when it is read.
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
    assert_eq!(headings(&page, part), kinds::<ClientMessage>());
    assert_eq!(kinds::<ClientMessage>(), ClientMessage::TYPES.map(text).into());
    let terms_fields = rows(&page, "Objects in messages", "Terms");
    let messages = client_messages();
    assert_eq!(messages.len(), ClientMessage::TYPES.len());
    for message in messages {
        let most = value(&message);
        let kind = most["type"].as_str().expect("a type").to_owned();
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
    End { result: text("1-0"), termination: text("rules") }
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

fn ev(is_most: bool) -> Ev {
    let mut table = base_battle();
    table.submit(Side::One, "1").expect("a legal choice");
    let told = TurnEventObject::last_turn(&*table);
    Ev {
        code: text("ABC234"),
        v: 1,
        event: EvKind::Turn,
        player: is_most.then_some(1),
        what: is_most.then_some(Offer::Draw),
        yes: is_most.then_some(true),
        phrase: is_most.then_some(Phrase::Hello),
        turns: if is_most { vec![pair(None)] } else { Vec::new() },
        left: is_most.then_some(0),
        end: is_most.then(end),
        closes: is_most,
        clock: is_most.then(|| clock(None)),
        told: if is_most { told.into_iter().collect() } else { Vec::new() },
        position: is_most.then(|| PositionObject::of(&*table)),
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

/// Every message of a server, with everything that can be in it or with as little as possible.
fn server_messages(is_most: bool) -> Vec<ServerMessage> {
    let (id, code, game) = (id(), text("ABC234"), text("base-battle"));
    vec![
        ServerMessage::Welcome(Welcome {
            proto: 1,
            server: text("s"),
            name: text("n"),
            guest: true,
            token: is_most.then(|| text("t")),
            url: is_most.then(|| text("u")),
            games: vec![code.clone()],
        }),
        ServerMessage::Snap(Box::new(snap(is_most))),
        ServerMessage::Ev(Box::new(ev(is_most))),
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
        ServerMessage::Bye { code: RejectionCode::Slow, text: text("t") },
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
    assert_eq!(most.len(), kinds::<ServerMessage>().len());
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
    assert_eq!(first("Objects in messages", "Kinds of events"), words::<EvKind>());
    let said = Phrase::ALL.map(|(_, word, sentence)| (text(word), text(sentence)));
    assert_eq!(rows(&page, "The protocol", "Phrases"), said.into());
    assert_eq!(words::<Phrase>(), Phrase::ALL.map(|(_, word, _)| text(word)).into());
    let offers = words::<Offer>().into_iter().chain(words::<SideWish>());
    for word in offers {
        assert!(page.contains(&format!("`{word}`")), "{word} is not described");
    }
}

/// All codes of refusals.
pub(crate) fn codes() -> BTreeSet<String> {
    words::<RejectionCode>()
}
