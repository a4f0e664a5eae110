//! Tests how much a browser has to load.

use std::collections::BTreeMap;

use crate::support::TestServer;

/// The files that a file needs immediately: links, scripts and static imports.
fn needs(text: &str) -> Vec<String> {
    let text = text.replace('\'', "\"");
    let marks = ["src=\"/static/", "href=\"/static/", "from \"./", "import \"./"];
    let names = marks.iter().flat_map(|mark| text.split(mark).skip(1));
    names.filter_map(|rest| Some(rest.split('"').next()?.to_owned())).collect()
}

#[test]
fn the_first_screen_takes_at_most_30_kilobytes() {
    let server = TestServer::start();
    let load = |target: &str| {
        let (status, response) = server.get_with(target, "Accept: text/html\r\n");
        assert_eq!(status, 200, "{target}");
        response.split_once("\r\n\r\n").expect("a response has a body").1.to_owned()
    };
    // The size that a browser transfers, since all browsers accept compressed files.
    let size = |target: &str| {
        let headers = "Accept: text/html\r\nAccept-Encoding: deflate\r\n";
        let (_, response) = server.get_with(target, headers);
        let head = response.to_ascii_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        length.expect("a length").parse::<usize>().expect("a number")
    };
    let index = load("/");
    // The page's initial requests, besides its files.
    let mut loaded: BTreeMap<String, usize> =
        ["/", "/api/games", "/health"].map(|target| (target.to_owned(), size(target))).into();
    let mut missing = needs(&index);
    while let Some(name) = missing.pop() {
        let target = format!("/static/{name}");
        missing.extend(needs(&load(&target)).into_iter().filter(|name| !loaded.contains_key(name)));
        loaded.insert(name, size(&target));
    }
    assert!(loaded.len() > 5, "the imports were found: {loaded:?}");
    let sum: usize = loaded.values().sum();
    assert!(sum < 30_000, "{sum} bytes: {loaded:#?}");
}
