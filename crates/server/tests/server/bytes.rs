//! How much a browser has to load.

use std::collections::BTreeMap;

use crate::support::TestServer;

/// The files that a file needs at once: links, scripts and static imports.
fn needs(text: &str) -> Vec<String> {
    let text = text.replace('\'', "\"");
    let marks = ["src=\"/static/", "href=\"/static/", "from \"./", "import \"./"];
    let names = marks.iter().flat_map(|mark| text.split(mark).skip(1));
    names.filter_map(|rest| Some(rest.split('"').next()?.to_owned())).collect()
}

#[test]
fn the_first_screen_takes_at_most_60_kilobytes() {
    let server = TestServer::start();
    let load = |target: &str| {
        let (status, response) = server.get_with(target, "Accept: text/html\r\n");
        assert_eq!(status, 200, "{target}");
        response.split_once("\r\n\r\n").expect("a response has a body").1.to_owned()
    };
    // What the page asks for at once, besides its files.
    let questions = ["/api/games", "/health"];
    let mut loaded: BTreeMap<String, usize> =
        questions.map(|target| (target.to_owned(), load(target).len())).into();
    let index = load("/");
    loaded.insert("/".to_owned(), index.len());
    let mut missing = needs(&index);
    while let Some(name) = missing.pop() {
        let text = load(&format!("/static/{name}"));
        missing.extend(needs(&text).into_iter().filter(|name| !loaded.contains_key(name)));
        loaded.insert(name, text.len());
    }
    assert!(loaded.len() > 5, "the imports were found: {loaded:?}");
    let sum: usize = loaded.values().sum();
    assert!(sum < 60_000, "{sum} bytes: {loaded:#?}");
}
