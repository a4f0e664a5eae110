//! Tests of the page's HTTP requests.

mod matches;

use serde_json::{Value, json};
use skirmish_rules::{GAMES, conjunction};
use skirmish_server::{Credits, Limits};

use crate::sixth::SIX_GAMES;
use crate::support::TestServer;

fn server() -> TestServer {
    TestServer::with(Limits::none())
}

/// The status and the JSON object of a response.
fn ask(server: &TestServer, question: &str) -> (u16, Value) {
    let (status, response) = server.get(&format!("/api/{question}"));
    let (head, body) = response.split_once("\r\n\r\n").expect("a body");
    assert!(head.to_ascii_lowercase().contains("content-type: application/json"), "{head}");
    (
        status,
        serde_json::from_str(body).unwrap_or_else(|error| panic!("{question}: {error}: {body}")),
    )
}

pub(crate) fn answer(server: &TestServer, question: &str) -> Value {
    let (status, object) = ask(server, question);
    assert_eq!(status, 200, "{question}: {object}");
    object
}

#[track_caller]
fn is_refused(server: &TestServer, question: &str, status: u16, why: &str) {
    assert_eq!(ask(server, question), (status, json!({"error": why})), "{question}");
}

#[test]
fn games_come_with_all_that_the_page_needs_to_offer_and_draw_them() {
    let server = server();
    let listed = answer(&server, "games");
    let games = listed["games"].as_array().expect("games");
    assert_eq!(games.len(), GAMES.iter().count());
    for entry in games {
        let id = entry["game"].as_str().expect("an id");
        let game = answer(&server, &format!("game?game={id}"));
        for field in ["game", "name", "summary"] {
            assert_eq!(entry[field], game[field]);
        }
        let drawings = game["drawings"].as_object().expect("drawings");
        assert!(!drawings.is_empty(), "{game}");
        for (name, rows) in drawings {
            let rows: Vec<&str> =
                rows.as_array().expect("rows").iter().filter_map(Value::as_str).collect();
            assert!(rows.iter().all(|row| row.len() == rows[0].len()), "{name}: {rows:?}");
        }
        assert!(drawings.values().any(|rows| *rows == entry["sign"]), "{entry}");
        for effect in game["effects"].as_object().expect("effects").values() {
            let name = effect.as_str().expect("a name");
            assert!(drawings.contains_key(name) && drawings.contains_key(&format!("{name}-small")));
        }
        let tempo = if game["game"] == "command-clash" { "simultaneous" } else { "turns" };
        assert_eq!(game["tempo"], tempo);
    }
    assert_eq!(listed["levels"][1]["level"], "casual");
    assert_eq!(listed["levels"].as_array().map(Vec::len), Some(5));
    assert!(
        listed["clocks"]
            .as_array()
            .expect("clocks")
            .contains(&json!({"clock": "5+3", "name": "5 min + 3 s"}))
    );
    let listed = answer(&server, "phrases");
    assert_eq!(listed["phrases"][0], json!({"phrase": "hello", "text": "Hello!"}));
    assert_eq!(listed["phrases"].as_array().map(Vec::len), Some(8));
}

#[test]
fn every_game_plays_itself_to_the_end() {
    let server = server();
    let demos = answer(&server, "demos");
    let demos = demos.as_array().expect("a list");
    assert!(demos.iter().map(|demo| &demo["game"]).eq(GAMES.iter().map(|entry| entry.id)));
    for demo in demos {
        let board =
            answer(&server, &format!("board?game={}", demo["game"].as_str().expect("an id")));
        assert_eq!(demo["scenes"][0], board["scene"], "it begins at the start");
        assert!(demo["scenes"].as_array().is_some_and(|scenes| scenes.len() > 3), "{demo}");
        assert!(demo["winner"].is_number(), "{demo}");
        let name = demo["scenes"][0]["drawings"]["1"]["piece"].as_str().expect("a drawing");
        for size in ["", "-small"] {
            assert!(demo["drawings"][format!("{name}{size}")].is_array(), "{demo}");
        }
    }
}

#[test]
fn a_puzzle_is_that_of_a_day_or_of_a_seed() {
    let server = server();
    let daily = answer(&server, "puzzle?date=2026-11-19");
    assert_eq!(daily["puzzle"]["game"], "capture-and-conquer");
    assert_eq!(daily["task"], "Player 2 to move and win in 5: find the only move.");
    assert_eq!(daily, answer(&server, "puzzle?game=capture-and-conquer&seed=20261119"));
    let second = answer(&server, "puzzle?game=base-battle&seed=1&level=casual&number=2");
    assert_eq!((&second["puzzle"]["level"], &second["number"]), (&json!("casual"), &json!(2)));
    assert_ne!(
        second["puzzle"],
        answer(&server, "puzzle?game=base-battle&seed=1&level=casual")["puzzle"]
    );
    let none = "Base Battle has no puzzle 99 at the casual level.";
    is_refused(&server, "puzzle?game=base-battle&seed=1&level=casual&number=99", 404, none);
    is_refused(
        &server,
        "puzzle?game=base-battle&seed=1&level=chess",
        400,
        "There is no level chess.",
    );
    is_refused(&server, "puzzle?game=base-battle&seed=x", 400, "The seed must be a whole number.");
    is_refused(
        &server,
        "puzzle?game=base-battle&seed=1&number=0",
        400,
        "The number must be from 1 to 1000.",
    );
}

#[test]
fn a_board_has_its_scene_and_where_each_choice_leads() {
    let server = server();
    let board = answer(&server, "board?game=base-battle&rules=positions=9&first=2");
    assert_eq!(board["position"], "0/8/2");
    assert_eq!((&board["first"], &board["turn"]), (&json!(2), &json!([2])));
    assert_eq!(board["rules"], json!({"positions": 9, "steps": 3, "push": "facing"}));
    assert_eq!(board["scene"]["track"], json!({"first": 0, "last": 8, "goal": {"1": 8, "2": 0}}));
    let pieces =
        json!([{"player": 1, "at": 0, "strength": null}, {"player": 2, "at": 8, "strength": null}]);
    assert_eq!(board["scene"]["pieces"], pieces);
    assert_eq!(
        board["scene"]["drawings"]["2"],
        json!({"piece": "wrestler", "base": "base", "goal": null})
    );
    let choice = json!({
        "move": "2", "words": "2", "label": "2 steps → 6", "fate": null, "loses": false,
        "piece": pieces[1], "to": 6, "position": "0/6/1",
    });
    assert_eq!(
        board["choices"],
        json!({"2": [board["choices"]["2"][0], choice, board["choices"]["2"][2]]})
    );
    assert!(
        board["text"]
            .as_str()
            .expect("sentences")
            .starts_with("Player 1 has a piece on position 0;")
    );
    assert!(board["prompt"]["2"].as_str().is_some_and(|ask| !ask.ends_with(' ')));
    assert_eq!(board.get("analysis"), None);

    // A recruited unit appears; no move leads to it.
    let board = answer(&server, "board?game=command-line-conquer&position=0,2/9,10/1");
    let choices = &board["choices"]["1"];
    assert_eq!((&choices[1]["piece"]["at"], &choices[1]["to"]), (&json!(2), &json!(3)));
    assert_eq!(
        choices[2],
        json!({
            "move": "r", "words": "recruit", "label": "Recruit at 0", "fate": null, "loses": false,
            "piece": null, "to": 0, "position": "0,0,2/9,10/2",
        })
    );

    // In a simultaneous game, a single choice does not lead to a position.
    let board = answer(&server, "board?game=command-clash&position=3/4");
    assert_eq!(board["first"], Value::Null);
    assert_eq!(board["scene"]["gauges"]["2"], json!({"label": "CP", "value": 4, "max": 5}));
    let choice = json!({
        "move": "special", "words": "Special Attack",
        "label": "Special Attack −3: leaves 0, hits for 3",
        "fate": "you lose unless Player 2 plays Attack or Special Attack", "loses": false,
        "piece": null, "to": null, "position": null,
    });
    assert_eq!(board["choices"]["1"][2], choice);

    let over = answer(&server, "board?game=capture-the-line&position=6/9/2");
    assert_eq!((&over["turn"], &over["choices"]), (&json!([]), &json!({})));
    assert_eq!(over["outcome"], json!({"winner": 1}));
}

#[test]
fn a_browser_may_keep_a_board_but_no_error() {
    let server = server();
    let head = |target: &str| server.get(target).1.to_ascii_lowercase();
    assert!(head("/api/board?game=base-battle").contains("cache-control: public, max-age="));
    assert!(head("/api/board?game=chess").contains("cache-control: no-store"));
    assert!(head("/api/games").contains("x-content-type-options: nosniff"));
}

#[test]
fn values_are_those_of_the_program() {
    let server = server();
    let analysis = &answer(&server, "board?game=base-battle&position=3/8/1&values=1")["analysis"];
    assert_eq!(
        (&analysis["value"], &analysis["plies"], &analysis["reachable"]),
        (&json!("win"), &json!(5), &json!(true))
    );
    assert_eq!(
        analysis["moves"][0],
        json!({"move": "1", "position": "4/8/2", "value": "loss", "plies": 6})
    );
    let mixes = &answer(&server, "board?game=command-clash&position=4/1&values=1")["analysis"];
    assert!(mixes["strategy"]["1"]["special"].as_f64().is_some_and(|share| share > 0.3), "{mixes}");
    // A position that cannot arise in play is solved separately.
    let found = answer(&server, "board?game=capture-the-line&position=1/7/1&values=1");
    assert_eq!(found["analysis"]["reachable"], json!(false), "{found}");
    assert!(found["analysis"]["value"].is_string());
}

#[test]
fn a_turn_is_told_and_leads_to_the_next_board() {
    let server = server();
    let played = answer(&server, "turn?game=capture-and-conquer&position=4/5/1&p1=1");
    let kinds: Vec<&str> = played["told"]
        .as_array()
        .expect("events")
        .iter()
        .filter_map(|it| it["event"].as_str())
        .collect();
    assert_eq!(kinds, ["move", "battle"]);
    assert_eq!(
        played["told"][0]["text"], "Player 1 moves to position 5.",
        "nobody has another name"
    );
    assert_eq!(
        played["told"][1]["changes"],
        json!([{"moves": {"player": 2, "at": 5, "strength": null}, "to": 10}])
    );
    assert_eq!(played["board"]["position"], "5/10/2");
    let both = answer(&server, "turn?game=command-clash&p1=special&p2=shield");
    assert_eq!(both["board"]["position"], "2/4");
    let several = answer(&server, "turn?game=base-battle&turns=1/,/2,3/");
    assert_eq!(several["board"]["position"], "4/8/2");
    let turns: Vec<_> = several["told"].as_array().expect("events").iter().collect();
    assert_eq!(turns.iter().filter_map(|it| it["turn"].as_u64()).collect::<Vec<_>>(), [1, 2, 3]);
    let both = answer(&server, "turn?game=command-clash&turns=charge/charge,special/shield");
    assert_eq!(both["board"]["position"], "2/4");
    for (question, why) in [
        ("turn?game=base-battle&turns=1/,2/", "It is not Player 1's turn."),
        ("turn?game=command-clash&p1=charge", "It is Player 2's turn: add p2 and the move."),
        ("turn?game=base-battle&p2=1", "It is Player 1's turn: add p1 and the move."),
        ("turn?game=base-battle&p1=1&p2=1", "It is not Player 2's turn."),
        ("turn?game=base-battle&p1=9", "\"9\" is not a move here: enter 1, 2 or 3."),
        ("turn?game=capture-the-line&position=6/9/2&p2=1", "The game is over."),
    ] {
        let (status, object) = ask(&server, question);
        assert_eq!(status, 400, "{question}: {object}");
        assert_eq!(object["error"], why, "{question}");
    }
}

#[test]
fn a_forced_pass_is_played_without_asking() {
    let server = server();
    for entry in GAMES.iter() {
        // Games are played to the end: the page is never left with a pass as the only choice.
        let mut position = answer(&server, &format!("board?game={}", entry.id))["position"].clone();
        for turn in 0..40 {
            let at = position.as_str().expect("a position").to_owned();
            let board = answer(&server, &format!("board?game={}&position={at}", entry.id));
            let sides: Vec<u64> =
                board["turn"].as_array().expect("sides").iter().filter_map(Value::as_u64).collect();
            if sides.is_empty() {
                break;
            }
            let mut question = format!("turn?game={}&position={at}", entry.id);
            for side in sides {
                let choices =
                    board["choices"][side.to_string()].as_array().expect("choices").clone();
                assert!(
                    choices.iter().all(|choice| choice["move"] != "pass"),
                    "{}: {at}",
                    entry.id
                );
                let choice = &choices[turn % choices.len()];
                let choice = choice["move"].as_str().expect("a move");
                question = format!("{question}&p{side}={choice}");
            }
            position = answer(&server, &question)["board"]["position"].clone();
        }
    }
}

#[test]
fn a_map_that_is_too_large_to_be_drawn_is_refused_with_a_way_on() {
    let server = server();
    let question = |map: &str, positions: u8| {
        format!("{map}?game=capture-and-conquer&rules=positions={positions}")
    };
    let (status, drawn) = ask(&server, &question("picture", 100));
    assert_eq!(status, 200);
    assert!(drawn.to_string().len() < 500_000);
    let why = "A map of 101 by 101 is too large for the page, which draws up to 100 by 100. Choose a smaller board, or \
               draw it in a terminal with skirmish map --svg FILE.";
    for map in ["map", "picture"] {
        is_refused(&server, &question(map, 101), 413, why);
    }
}

#[test]
fn maps_rules_and_tutorials_are_those_of_the_program() {
    let server = server();
    let outcomes = answer(&server, "map?game=capture-the-line&rules=positions=7&position=3/7/2");
    assert_eq!((&outcomes["map"], &outcomes["chosen"]), (&json!("outcomes"), &json!("3/7/2")));
    assert_eq!(answer(&server, "map?game=command-clash")["map"], "values");
    // A census does not depend on a single position: it is the same from any position.
    let census =
        answer(&server, "map?game=command-line-conquer&rules=positions=7,units=2&position=0/6/1");
    assert_eq!(census["map"], "census");
    is_refused(
        &server,
        "map?game=capture-the-line&position=1/7/1",
        400,
        "1/7/1 cannot arise in play and is not on the map.",
    );
    let rules = answer(&server, "rules?game=base-battle");
    assert_eq!(rules["text"], GAMES.find("base-battle").expect("a game").rules_page());
    assert_eq!(rules["blocks"][0]["text"][0]["text"], "Base Battle");
    for entry in GAMES.iter() {
        let tutorial = answer(&server, &format!("tutorial?game={}", entry.id));
        let lessons = tutorial["lessons"].as_array().expect("lessons");
        assert!(lessons.len() > 3, "{}", entry.id);
        assert!(lessons.iter().any(|lesson| lesson["task"] == "read"), "{}", entry.id);
        assert!(lessons.iter().any(|lesson| lesson["task"].is_array()), "{}", entry.id);
    }
}

#[test]
fn boards_that_are_too_large_are_refused_with_a_reason() {
    let server = server();
    for question in ["map", "board"] {
        let rules = "rules=positions=99,units=8";
        let (status, object) =
            ask(&server, &format!("{question}?game=command-line-conquer&{rules}&values=1"));
        assert_eq!(status, 413, "{object}");
        let why = object["error"].as_str().expect("a sentence");
        assert!(why.starts_with("This board has more than a trillion positions"), "{why}");
        assert!(why.ends_with("Choose a smaller one."), "{why}");
    }
    answer(&server, "board?game=command-line-conquer&rules=positions=99,units=8");
}

#[test]
fn a_bad_question_gets_a_sentence() {
    let server = server();
    let known = conjunction(GAMES.iter().map(|entry| entry.id));
    let (unnamed, unknown) = (
        format!("Name a game: there are {known}."),
        format!("There is no game \"chess\". There are {known}."),
    );
    for question in ["board", "turn", "map", "rules", "tutorial"] {
        is_refused(&server, question, 400, &unnamed);
        is_refused(&server, &format!("{question}?game=chess"), 404, &unknown);
    }
    is_refused(
        &server,
        "board?game=base-battle&first=3",
        400,
        "The parameter first must be 1 or 2.",
    );
    for (question, part) in [
        ("board?game=base-battle&rules=positions", "positions"),
        ("board?game=base-battle&rules=positions=9,positions=9", "twice"),
        ("board?game=base-battle&rules=colour=9", "positions, steps and push"),
        ("board?game=base-battle&rules=positions=9999", "3 to 255"),
        ("board?game=base-battle&position=x", "such as"),
        ("board?game=base-battle&position=3/3/1", "not a legal position"),
        ("board?game=command-clash&first=2", "Command Clash"),
        ("board?game=base-battle&game=base-battle", "duplicate"),
        ("nothing", "There is no such question here."),
        ("", "There is no such question here."),
        ("board/x", "There is no such question here."),
    ] {
        let (status, object) = ask(&server, question);
        assert!((400..405).contains(&status), "{question}: {object}");
        let why = object["error"].as_str().expect("a sentence");
        assert!(why.contains(part), "{question}: {why}");
        assert!(why.ends_with('.') && !why.contains('\n'), "{question}: {why}");
    }
}

#[test]
fn junk_does_no_harm() {
    let server = server();
    let long = "9".repeat(5000);
    for junk in
        ["%ff%fe", "%00", "%3Cscript%3E", "..%2f..%2f", "%E2%80%AE", "=", "&&&", "+", long.as_str()]
    {
        for (question, field) in [
            ("board?", "game"),
            ("board?game=base-battle&", "rules"),
            ("board?game=base-battle&", "position"),
            ("board?game=base-battle&values=1&", "position"),
            ("board?game=base-battle&", "first"),
            ("turn?game=base-battle&", "p1"),
            ("turn?game=command-clash&p2=charge&", "p1"),
            ("map?game=base-battle&", "position"),
            ("review?", "code"),
            ("review?code=ABC234&", "game"),
        ] {
            let (status, object) = ask(&server, &format!("{question}{field}={junk}"));
            assert!(
                status == 200 || (400..500).contains(&status),
                "{question}{field}={junk:.20}: {object}"
            );
            let why = object["error"].as_str().unwrap_or_default();
            assert!(!why.contains(['\0', '\u{202e}', '\n']), "{why:?}");
            assert!(why.len() < 800, "{why}");
        }
    }
    assert_eq!(server.get("/health").0, 200);
}

#[test]
fn questions_cost_credits_of_the_address() {
    // A socket costs one credit, each request one credit, and a solved board nine more.
    let requests = Credits { most: 23, per_second: 0 };
    let server = TestServer::with(Limits { requests, ..Limits::default() });
    answer(&server, "board?game=base-battle&values=1");
    answer(&server, "map?game=base-battle");
    let (status, object) = ask(&server, "map?game=base-battle");
    assert_eq!(status, 429);
    let why = object["error"].as_str().expect("a sentence");
    assert!(why.starts_with("Too many requests from your address: try again in "), "{why}");
}

#[test]
fn a_sixth_game_needs_nothing_of_the_page() {
    let server = TestServer::with_games(SIX_GAMES);
    let games = answer(&server, "games");
    let sixth = games["games"].as_array().and_then(|games| games.last()).expect("games");
    assert_eq!((&sixth["game"], &sixth["sign"]), (&json!("last-stone"), &Value::Null));
    assert_eq!(answer(&server, "game?game=last-stone")["drawings"], json!({}));
    let board = answer(&server, "board?game=last-stone&values=1");
    assert_eq!(board["scene"]["drawings"]["1"], json!({"piece": null, "base": null, "goal": null}));
    assert_eq!(board["choices"]["1"][0]["to"], Value::Null);
    assert_eq!(board["choices"]["1"][0]["position"], "1/0/2");
    assert_eq!(board["analysis"]["value"], "win");
    assert_eq!(answer(&server, "turn?game=last-stone&p1=2")["board"]["position"], "2/0/2");
    assert!(
        !answer(&server, "tutorial?game=last-stone")["lessons"]
            .as_array()
            .expect("lessons")
            .is_empty()
    );
    assert_eq!(server.get_with("/practice/last-stone", "Accept: text/html\r\n").0, 200);
}
