//! Tests of what the operator learns about the bus between nodes.

use serde_json::json;

use crate::cluster::{Ground, Node};
use crate::nodes::turn;
use crate::support::{Pair, get_from};

/// Waits until the node's metrics contain this line.
pub(crate) fn shows(node: &Node, line: &str) {
    while !node.metrics().lines().any(|shown| shown == line) {}
}

/// Waits until the node's readiness response contains `part`.
fn is_ready_with(node: &Node, part: &str) {
    says_at(node, "/health/ready", part);
}

/// Waits until the node's response for `target` contains `part`.
fn says_at(node: &Node, target: &str, part: &str) {
    loop {
        let (status, response) = get_from(node.address(), target, "");
        assert_eq!(status, 200, "a node without a bus serves: {response}");
        if response.contains(part) {
            return;
        }
    }
}

#[test]
fn a_bus_that_is_not_there_at_the_start_is_reported_and_so_is_its_coming() {
    let Some(ground) = Ground::new() else { return };
    let node = Node::start_cut_off(&ground);
    let line = node.log.wait_for("bus_disconnected");
    assert!(line.contains(" warn ") && line.contains("error="), "{line}");
    shows(&node, "skirmish_bus_connected 0");
    is_ready_with(&node, "\"why\":\"bus\",\"text\":\"No connection to NATS");
    node.bus.mend();
    node.log.wait_for("bus_connected");
    shows(&node, "skirmish_bus_connected 1");
    is_ready_with(&node, "{\"status\":\"ready\"}");
}

#[test]
fn a_node_counts_the_others() {
    let Some(ground) = Ground::new() else { return };
    let one = Node::start(&ground);
    says_at(&one, "/health", "\"games\":0}");
    let two = Node::start(&ground);
    for node in [&one, &two] {
        says_at(node, "/health", "\"games\":0,\"nodes\":2}");
        shows(node, "skirmish_nodes 2");
    }
}

#[test]
fn that_nodes_do_not_hear_each_other_is_logged_and_that_they_do_again() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start(&ground));
    nodes[0].bus.cut();
    for node in &nodes {
        node.log.wait_for("nodes_unheard");
    }
    nodes[0].bus.mend();
    for node in &nodes {
        node.log.wait_for("nodes_heard");
    }
}

#[test]
fn a_node_without_a_bus_says_so_at_its_start_and_when_there_are_others() {
    let Some(ground) = Ground::new() else { return };
    let alone = Node::start_without_bus(&ground);
    assert!(alone.log.wait_for("bus_missing").contains("Started without --nats"));
    let metrics = alone.metrics();
    assert!(metrics.contains("# TYPE skirmish_bus_connected gauge\n# HELP"), "{metrics}");
    let other = Node::start_without_bus(&ground);
    for node in [&alone, &other] {
        node.log.wait_for("Another");
    }
}

#[test]
fn people_play_across_nodes_without_a_bus() {
    let Some(ground) = Ground::new() else { return };
    let nodes = [0, 1].map(|_| Node::start_without_bus(&ground));
    let terms = json!({"game": "capture-the-line", "seat": "p1"});
    let mut pair = Pair::new(nodes[0].guest("Ann"), nodes[1].guest("Bob"), &terms);
    for number in [1, 2, 1] {
        let v = pair.version(number);
        let act = pair.about("act", &json!({"v": v, "move": "1"}));
        pair.player(number).does(&act);
        assert_eq!(turn(&mut pair.one)["told"], turn(&mut pair.two)["told"]);
    }
}
