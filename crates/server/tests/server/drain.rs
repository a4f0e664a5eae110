//! Nodes that stop, cannot reach their database, or are told something by the operator.

use serde_json::{Value, json};
use skirmish_server::admin::{Admin, Closing};
use skirmish_server::{Cluster, Database};

use crate::cluster::{Ground, Node};
use crate::support::{Pair, get_from};

/// Whether a node is ready, and otherwise why not.
fn readiness(node: &Node) -> (u16, Value) {
    let (status, response) = get_from(node.address(), "/health/ready", "");
    let (_, body) = response.split_once("\r\n\r\n").expect("a body");
    let object: Value = serde_json::from_str(body).expect("JSON");
    (status, object["why"].clone())
}

#[test]
fn a_node_that_stops_sends_its_clients_to_another_one_soon() {
    let Some(ground) = Ground::new() else { return };
    let mut nodes = [0, 1].map(|_| Node::start(&ground));
    let mut clients = [0, 1, 2, 3].map(|number| nodes[0].guest(&format!("Guest {number}")));
    nodes[0].stop();
    let mut told = clients.each_mut().map(|client| client.until("restart")["seconds"].clone());
    told.sort_by_key(Value::as_u64);
    assert_eq!(told, [json!(1), json!(1), json!(2), json!(2)], "not all in the same moment");
    assert_eq!(readiness(&nodes[1]), (200, Value::Null));
}

#[test]
fn a_node_without_its_database_is_alive_and_not_ready() {
    let Some(ground) = Ground::new() else { return };
    let node = Node::start(&ground);
    assert_eq!(readiness(&node), (200, Value::Null));
    node.database.cut();
    while readiness(&node) != (503, json!("database")) {}
    assert_eq!(get_from(node.address(), "/health/live", "").0, 200);
    assert_eq!(get_from(node.address(), "/health", "").0, 200);
    node.database.mend();
    while readiness(&node).0 != 200 {}
}

#[test]
fn the_operator_reaches_whichever_node_is_concerned() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    let terms = json!({"game": "capture-the-line", "seat": "p1"});
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms);
    pair.act(1, "1");
    let (_line, database) = ground.database_line();
    let database = Database::Postgres(Cluster { database, nats: None });
    let admin = Admin::open(&database, skirmish_rules::GAMES).expect("the database opens");
    assert_eq!(admin.holdings().expect("counted").nodes.len(), 2);
    assert_eq!(admin.close(&pair.code).expect("closed"), Closing::Closed);
    for client in [&mut pair.one, &mut pair.two] {
        loop {
            let event = client.next();
            if event["end"]["result"] == "*" {
                break;
            }
        }
    }
    let (bob, _) =
        admin.find(&format!("{}/2", pair.code).parse().expect("a player")).expect("an account");
    assert_eq!(bob.name, "Bob");
    admin.ban(&bob, "").expect("banned");
    assert_eq!(pair.two.closed().text, "This account has been banned from this server.");
}
