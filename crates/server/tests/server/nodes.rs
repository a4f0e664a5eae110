//! Tests that people on different nodes can play each other, whatever happens to the nodes, the bus and the database.

use serde_json::{Value, json};

use crate::cluster::{Ground, Node, mend_all};
use crate::support::{Client, Pair, eventually};

/// The terms of a long game with clocks.
pub(crate) fn terms() -> Value {
    json!({"game": "capture-the-line", "rules": {"positions": 31}, "clock": "5+3"})
}

/// Makes a move for the player whose turn it is. All clients must see the same event, which is returned.
pub(crate) fn moves(pair: &mut Pair, number: u64, others: &mut [&mut Client]) -> Value {
    pair.act(number, "1");
    let event = pair.one.event("turn");
    assert_eq!(pair.two.event("turn")["told"], event["told"]);
    for other in others {
        assert_eq!(other.event("turn")["told"], event["told"]);
    }
    event
}

/// The time left on a player's clock.
pub(crate) fn left(event: &Value, number: &str) -> i64 {
    event["clock"]["left"][number].as_i64().expect("a clock")
}

#[test]
fn people_on_different_nodes_play_and_others_watch() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1, 2].map(|_| Node::start(&ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    let mut watcher = nodes[2].guest("Cleo");
    watcher.does(&json!({"type": "join", "code": pair.code, "watch": true}));
    let snap = watcher.until("snap");
    assert_eq!(snap["players"]["1"]["name"], "Ann", "{snap}");
    assert_eq!(snap["players"]["2"]["name"], "Bob", "{snap}");
    let all = json!({"1": true, "2": true});
    if snap["present"] != all {
        while watcher.until("presence")["players"] != all {}
    }
    for number in [1, 2, 1, 2] {
        moves(&mut pair, number, &mut [&mut watcher]);
    }
    pair.does(2, "offer", &json!({"what": "draw"}));
    pair.one.event("offer");
    pair.does(1, "answer", &json!({"what": "draw", "yes": true}));
    for client in [&mut pair.one, &mut pair.two, &mut watcher] {
        assert_eq!(client.event("answer")["end"]["result"], "1/2-1/2");
    }
}

#[test]
fn presence_is_known_on_all_nodes() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    let is_there = |client: &mut Client, number: &str, expected: bool| {
        while client.until("presence")["players"][number] != json!(expected) {}
    };
    let token = pair.two.token.clone().expect("a token");
    pair.two.vanish();
    is_there(&mut pair.one, "2", false);
    let mut back = nodes[1].connect();
    back.hello(&json!({"token": token}));
    back.does(&json!({"type": "join", "code": pair.code}));
    is_there(&mut pair.one, "2", true);
    pair.one.vanish();
    is_there(&mut back, "1", false);
}

/// Regression: a player who had just joined was reported as absent.
#[test]
fn whoever_sits_down_on_another_node_is_there() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    pair.act(1, "1");
    loop {
        let next = pair.two.next();
        if next["event"] == "turn" {
            break;
        }
        assert!(next["type"] != "presence" || next["players"]["2"] == true, "{next}");
    }
}

#[test]
fn two_who_seek_on_different_nodes_find_each_other() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let seek = json!({"type": "seek", "game": "base-battle"});
    let (mut one, mut two) = (nodes[0].guest("Ann"), nodes[1].guest("Bob"));
    let first = one.does(&seek);
    let second = two.does(&seek);
    assert_eq!(first["code"], second["code"]);
    assert_eq!(one.until("snap")["stage"], "open");
    assert_eq!(one.until("snap")["stage"], "playing");
    assert_eq!(two.until("snap")["stage"], "playing");
}

#[test]
fn a_rated_game_across_nodes_changes_both_ratings_on_all_nodes() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let [ann, bob] = [("Ann", &nodes[0]), ("Bob", &nodes[1])].map(|(name, node)| {
        let mut client = node.guest(name);
        client.register(name);
        client
    });
    let game = "capture-the-line";
    let mut pair = Pair::new(ann, bob, &json!({"game": game, "rated": true}));
    for number in 0..3 {
        // In a rematch, the players swap seats, and Player 1 starts.
        let (first, second) = if number % 2 == 0 { (1, 2) } else { (2, 1) };
        moves(&mut pair, first, &mut []);
        moves(&mut pair, second, &mut []);
        pair.does(2, "resign", &json!({}));
        pair.one.event("end");
        pair.does(1, "offer", &json!({"what": "rematch"}));
        pair.two.event("offer");
        pair.does(2, "answer", &json!({"what": "rematch", "yes": true}));
        pair.one.until("snap");
        pair.two.until("snap");
    }
    let [winner, loser] = [&mut pair.one, &mut pair.two].map(|client| {
        client.send(&json!({"type": "history"}));
        let games = client.until("history")["games"].clone();
        assert_eq!(games.as_array().map(Vec::len), Some(3), "{games}");
        games[0]["rating"].as_u64().expect("a rating")
    });
    assert!(winner > 1662 && loser < 1338, "{winner} {loser}: more than after one game");
    // The next opponents see the rating, whichever node they are on.
    let again = json!({"type": "create", "game": game, "seat": "p1"});
    let openings = [(pair.one.does(&again), winner), (pair.two.does(&again), loser)];
    for (created, rating) in openings {
        for node in &nodes {
            let mut guest = node.guest("Cleo");
            guest.does(&json!({"type": "join", "code": created["code"], "watch": true}));
            let snap = guest.until("snap");
            assert_eq!(snap["players"]["1"]["rating"], rating, "{snap}");
        }
    }
}

#[test]
fn an_open_game_is_listed_on_all_nodes() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let mut one = nodes[0].guest("Ann");
    let created = one.does(&json!({"type": "create", "game": "base-battle", "public": true}));
    let mut two = nodes[1].guest("Bob");
    eventually("the other node lists the game", || {
        two.send(&json!({"type": "lobby"}));
        let lobby = two.until("lobby");
        let open = lobby["open"].as_array().expect("a list");
        open.iter().any(|game| game["code"] == created["code"])
    });
}

#[test]
fn a_game_goes_on_on_other_nodes_while_one_is_cut_off() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    let mut watcher = nodes[1].guest("Cleo");
    watcher.does(&json!({"type": "join", "code": pair.code, "watch": true}));
    moves(&mut pair, 1, &mut [&mut watcher]);
    // The first node can no longer reach or hear the others, but its players are still connected.
    nodes[0].bus.cut();
    nodes[0].database.cut();
    let v = pair.version(2);
    let played = pair.about("act", &json!({"v": v, "move": "1"}));
    pair.two.does(&played);
    watcher.event("turn");
    // Requests on that node wait, and the players who sent them are told so.
    pair.one.send(&json!({"type": "say", "id": "wait", "code": pair.code, "phrase": "wait"}));
    let told = loop {
        let next = pair.one.next();
        if next["type"] == "rej" {
            break next;
        }
    };
    assert_eq!(told["code"], "storage", "{told}");
    nodes[0].database.mend();
    nodes[0].bus.mend();
    assert_eq!(turn(&mut pair.one)["told"], turn(&mut pair.two)["told"]);
    assert_eq!(pair.one.answer(&json!("wait"))["type"], "ack");
    assert_eq!(pair.two.event("say")["phrase"], "wait");
    moves(&mut pair, 1, &mut [&mut watcher]);
}

#[test]
fn without_a_bus_moves_arrive_when_the_log_is_read() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    for node in &nodes {
        node.bus.cut();
    }
    for number in [1, 2, 1] {
        let (code, v) = (pair.code.clone(), pair.version(number));
        // A notice that the servers cannot hear each other may arrive in between.
        pair.player(number).does(&json!({"type": "act", "code": code, "v": v, "move": "1"}));
        for client in [&mut pair.one, &mut pair.two] {
            turn(client);
        }
    }
    for node in &nodes {
        node.bus.mend();
    }
    for number in [2, 1] {
        let (code, v) = (pair.code.clone(), pair.version(number));
        pair.player(number).does(&json!({"type": "act", "code": code, "v": v, "move": "1"}));
        for client in [&mut pair.one, &mut pair.two] {
            turn(client);
        }
    }
}

/// The next turn event, skipping any notices before it.
pub(crate) fn turn(client: &mut Client) -> Value {
    loop {
        let next = client.next();
        if next["type"] == "ev" && next["event"] == "turn" {
            return next;
        }
        assert!(next["type"] != "bye", "{next}");
    }
}

/// The next turn event. By then, message `id` must have been acknowledged; it must never be refused.
fn turn_after(client: &mut Client, id: &str, mut is_acknowledged: bool) -> Value {
    loop {
        let next = client.next();
        assert!(next["type"] != "bye", "{next}");
        assert!(next["type"] != "rej" || next["id"] != id, "{next}");
        is_acknowledged |= next["type"] == "ack" && next["id"] == id;
        if next["type"] == "ev" && next["event"] == "turn" {
            assert!(is_acknowledged, "{next}");
            return next;
        }
    }
}

/// The text of a notice, which answers no request.
fn notice(client: &mut Client) -> String {
    loop {
        let next = client.next();
        assert!(next["type"] != "ack", "{next}");
        if next["type"] == "rej" {
            assert_eq!(next["id"], Value::Null, "{next}");
            assert_eq!(next["code"], "storage", "{next}");
            return next["text"].as_str().expect("a sentence").to_owned();
        }
    }
}

/// No node can reach the database for some seconds, and a move made during this time waits.
#[test]
fn without_a_database_no_move_is_accepted_and_no_clock_runs() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    for number in [1, 2, 1, 2] {
        moves(&mut pair, number, &mut []);
    }
    for node in &nodes {
        node.database.cut();
    }
    let (code, v) = (pair.code.clone(), pair.version(1));
    let act = json!({"type": "act", "id": "again", "code": code, "v": v, "move": "1"});
    pair.one.send(&act);
    // All players are told, on both nodes.
    for client in [&mut pair.one, &mut pair.two] {
        let text = notice(client);
        assert!(text.contains("cannot reach its database"), "{text}");
        assert!(text.contains("goes on by itself"), "{text}");
    }
    mend_all(&nodes);
    // Waiting requests are carried out once the database is back.
    let own = turn_after(&mut pair.one, "again", false);
    assert_eq!(turn(&mut pair.two)["v"], own["v"]);
    assert!(left(&own, "1") > 298_000, "{own}");
    assert!(left(&own, "2") > 298_000, "{own}");
    pair.two.send(&json!({"type": "ping"}));
    let pong = loop {
        let next = pair.two.next();
        if next["type"] == "pong" {
            break next;
        }
    };
    assert_eq!(pong["versions"][&code], own["v"], "the move was played only once");
}

/// Both nodes append at the same version, so one of them has to decide again.
#[test]
fn both_choices_of_a_turn_count_that_are_made_at_the_same_instant_on_different_nodes() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let terms = json!({"game": "command-clash", "clock": "5+3"});
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms);
    for turn_number in 0..30 {
        let v = pair.version(1);
        let act =
            |id| json!({"type": "act", "id": id, "code": pair.code, "v": v, "move": "charge"});
        let (one, two) = (act(2 * turn_number + 1000), act(2 * turn_number + 1001));
        pair.one.send(&one);
        pair.two.send(&two);
        assert_eq!(turn(&mut pair.one)["v"], v + 2);
        assert_eq!(turn(&mut pair.two)["v"], v + 2);
    }
}

#[test]
fn a_due_game_that_nobody_follows_is_woken_by_another_node() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let pair = Pair::new(nodes[0].guest("Ann"), nodes[0].guest("Bob"), &terms());
    let has_woken = || nodes[1].metrics().contains("\nskirmish_rooms 1\n");
    assert!(!has_woken(), "it is only on the players' node");
    drop(pair);
    ground.execute("UPDATE room SET due = 1");
    eventually("the other node wakes the game", has_woken);
}

#[test]
fn a_game_goes_on_when_one_of_its_nodes_stops() {
    let Some(ground) = Ground::new() else { return };
    let mut nodes = [0, 1].map(|_| Node::start(&ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    moves(&mut pair, 1, &mut []);
    moves(&mut pair, 2, &mut []);
    let token = pair.one.token.clone().expect("a token");
    moves(&mut pair, 1, &mut []);
    // The message is carried out whenever and wherever it arrives.
    let (code, v) = (pair.code.clone(), pair.version(2));
    pair.two.send(&json!({"type": "act", "id": "meanwhile", "code": code, "v": v, "move": "1"}));
    nodes[0].stop();
    turn_after(&mut pair.two, "meanwhile", false);
    pair.one = nodes[1].connect();
    pair.one.hello(&json!({"token": token}));
    pair.one.does(&json!({"type": "join", "code": pair.code}));
    pair.one.until("snap");
    moves(&mut pair, 1, &mut []);
    nodes[1].log.wait_for("node_gone");
    let errors = nodes[0].log.all().into_iter().filter(|line| line.contains(" error "));
    assert_eq!(errors.collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn a_rematch_is_played_although_the_node_of_the_game_before_is_gone() {
    let Some(ground) = Ground::new() else { return };
    let mut nodes = [0, 1].map(|_| Node::start(&ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    moves(&mut pair, 1, &mut []);
    moves(&mut pair, 2, &mut []);
    pair.does(2, "resign", &json!({}));
    pair.one.event("end");
    pair.two.event("end");
    let token = pair.one.token.clone().expect("a token");
    nodes[0].stop();
    pair.one = nodes[1].connect();
    pair.one.hello(&json!({"token": token}));
    pair.one.does(&json!({"type": "join", "code": pair.code}));
    assert_eq!(pair.one.until("snap")["stage"], "over");
    pair.does(1, "offer", &json!({"what": "rematch"}));
    pair.two.event("offer");
    pair.does(2, "answer", &json!({"what": "rematch", "yes": true}));
    assert_eq!(pair.one.until("snap")["stage"], "playing");
    assert_eq!(pair.two.until("snap")["stage"], "playing");
    // The players have swapped seats.
    moves(&mut pair, 2, &mut []);
    let event = moves(&mut pair, 1, &mut []);
    assert!(left(&event, "1") > 290_000 && left(&event, "2") > 290_000, "{event}");
}

#[test]
fn clocks_wait_for_a_player_whose_node_stops() {
    let Some(ground) = Ground::new() else { return };
    let mut nodes = [0, 1].map(|_| Node::start(&ground));
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms());
    moves(&mut pair, 1, &mut []);
    moves(&mut pair, 2, &mut []);
    let before = moves(&mut pair, 1, &mut []);
    nodes[1].stop();
    let resumed = pair.one.event("resumed");
    assert!(left(&resumed, "2") > left(&before, "2"), "{resumed}");
}
