//! Tests of the metrics that Prometheus reads.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::support::{TestServer, get_from};

/// The value of a sample.
fn value(metrics: &str, sample: &str) -> u64 {
    let line = metrics.lines().find_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    line.unwrap_or_else(|| panic!("{sample} is missing: {metrics}")).parse().expect("a number")
}

#[test]
fn moves_and_refusals_are_counted() {
    let server = TestServer::start();
    let mut pair = server.pair(&json!({"game": "base-battle", "first": "p1"}));
    let before = server.metrics();
    pair.act(1, "1");
    pair.act(2, "1");
    let after = server.metrics();
    let grown = |sample: &str| value(&after, sample) - value(&before, sample);
    assert_eq!(grown("skirmish_moves_total"), 2);
    assert!(grown("skirmish_events_total") >= 2);
    assert_eq!(grown("skirmish_acknowledgement_seconds_count"), 2);
    assert_eq!(grown("skirmish_append_seconds_count"), 2);
    let bucket = "skirmish_commit_jobs_bucket{le=\"+Inf\"}";
    assert_eq!(grown(bucket), grown("skirmish_commits_total"));
    assert_eq!(value(&after, "skirmish_connections"), 2);
    assert_eq!(value(&after, "skirmish_rooms"), 1);
    assert_eq!(value(&after, "skirmish_database_unavailable"), 0);

    let mut stranger = server.connect();
    stranger.send(&json!({"type": "lobby"}));
    stranger.until("rej");
    assert_eq!(value(&server.metrics(), "skirmish_rejections_total{code=\"hello\"}"), 1);
}

#[test]
fn metrics_have_a_port_of_their_own() {
    let server = TestServer::start();
    let (status, response) = server.get("/metrics");
    assert_eq!(status, 404, "{response}");
    let answers = "skirmish_http_responses_total{class=\"4xx\"}";
    assert_eq!(value(&server.metrics(), answers), 1);
    let metrics = server.metrics_address();
    let (status, response) = get_from(metrics, "/", "");
    assert_eq!(status, 404, "{response}");
    assert!(response.contains("The metrics are at /metrics."), "{response}");
}

#[test]
fn an_answer_has_the_id_of_its_request() {
    let server = TestServer::start();
    let id = |response: &str| {
        let head = response.to_ascii_lowercase();
        let line = head.lines().find_map(|line| line.strip_prefix("x-request-id: "));
        line.unwrap_or_else(|| panic!("no id: {response}")).to_owned()
    };
    let (one, two) = (id(&server.get("/health").1), id(&server.get("/health").1));
    assert_eq!((one.len(), two.len()), (16, 16));
    assert_ne!(one, two);
    let (_, response) = server.get_with("/health", "X-Request-Id: mine\r\n");
    assert_ne!(id(&response), "mine", "only a trusted proxy names requests");
}

#[test]
fn the_log_names_the_connection_that_something_is_about() {
    let server = TestServer::start();
    let _pair = server.pair(&json!({"game": "base-battle"}));
    let log = server.log();
    let version = format!(" version={} ", env!("CARGO_PKG_VERSION"));
    let address = format!(" address={} ", server.address());
    for part in [" info  started ", &version, &address, " database="] {
        assert!(log[0].contains(part), "{part}: {log:#?}");
    }
    let created = log.iter().find(|line| line.contains("game_created")).expect("a line");
    let (_, rest) = created.split_once(" request=").expect("an id");
    let id = rest.split(' ').next().expect("an id");
    assert!(created.contains(" info  game_created A game was created."), "{created}");
    assert!(created.contains("code=private") && created.contains("game=base-battle"), "{created}");
    let opened = |line: &&String| line.contains("connection_opened") && line.contains(id);
    assert_eq!(log.iter().filter(opened).count(), 1, "{log:#?}");
}

/// The names of the metrics mentioned in a text.
fn named(text: &str) -> BTreeSet<&str> {
    let is_part = |letter: char| letter.is_ascii_lowercase() || letter == '_';
    let words = text.split(|letter| !is_part(letter));
    words.filter(|word| word.starts_with("skirmish_")).collect()
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn the_dashboard_shows_metrics_that_exist() {
    let metrics = TestServer::start().metrics();
    let dashboard = read("deploy/grafana.json");
    let there_is = named(&metrics);
    let shown = named(&dashboard);
    assert!(shown.len() > 10, "{shown:?}");
    for name in shown {
        assert!(there_is.contains(name), "there is no {name}");
    }
}

#[test]
fn every_metric_is_documented_and_no_other() {
    let metrics = TestServer::start().metrics();
    let there_is: BTreeSet<&str> = metrics
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split(' ').next())
        .collect();
    let page = read("docs/operating.md");
    let documented: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| `skirmish_"))
        .filter_map(|line| line.split(['`', '{']).next())
        .collect();
    let there_is: BTreeSet<&str> =
        there_is.into_iter().filter_map(|name| name.strip_prefix("skirmish_")).collect();
    assert_eq!(documented, there_is);
}
