//! Tests of the page: the addresses that lead to it, and how its files are sent.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};

use crate::support::TestServer;

const BROWSER: &str = "Accept: text/html,application/xhtml+xml,*/*;q=0.8\r\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("page")
}

fn file(name: &str) -> String {
    fs::read_to_string(folder().join(name)).expect("a file of the page")
}

/// The header section and the body of a response.
fn parts(response: &str) -> (String, &str) {
    let (head, body) = response.split_once("\r\n\r\n").expect("a head and a body");
    (head.to_ascii_lowercase(), body)
}

#[test]
fn every_address_of_the_page_leads_to_it() {
    let server = TestServer::start();
    let index = file("index.html");
    for (target, expected) in [
        ("/", 200),
        ("/watch", 200),
        ("/you", 200),
        ("/learn", 200),
        ("/learn/base-battle", 200),
        ("/rules/command-clash", 200),
        ("/practice/capture-the-line", 200),
        ("/explore/command-line-conquer?rules=positions=9&position=0/8/1", 200),
        ("/g/abc234", 200),
        ("/g/ABC234?game=2&ply=7", 200),
        ("/g/ABC234?game=x", 200),
        ("/g/nonsense", 404),
        ("/learn/chess", 404),
        ("/practice/chess", 404),
        ("/nowhere", 404),
        ("/a/b/c", 404),
        ("/explore/%E0%A4%A", 404),
        ("/learn/%FF", 404),
        ("/g/%FF", 404),
    ] {
        let (status, response) = server.get_with(target, BROWSER);
        let (head, body) = parts(&response);
        let line = |line: &&str| {
            !line.starts_with("<link rel=\"modulepreload\"")
                && !line.starts_with("<link rel=\"preload\"")
        };
        let rest: Vec<&str> = body.lines().filter(line).collect();
        assert_eq!((status, rest), (expected, index.lines().collect()), "{target}");
        assert!(head.contains("content-type: text/html; charset=utf-8"), "{target}: {head}");
    }
}

#[test]
fn programs_get_text() {
    let server = TestServer::start();
    for (target, expected) in [
        ("/", 200),
        ("/g/ABC234", 200),
        ("/nowhere", 404),
        ("/g/x", 404),
        ("/g/%FF", 404),
        ("/static/%FF", 404),
    ] {
        for headers in ["", "Accept: */*\r\n", "Accept: text/plain\r\n"] {
            let (status, response) = server.get_with(target, headers);
            let (head, body) = parts(&response);
            assert_eq!(status, expected, "{target}");
            assert!(head.contains("content-type: text/plain"), "{target}: {head}");
            assert_eq!(body.lines().count(), 1, "{target}: {body}");
        }
    }
}

#[test]
fn files_have_their_type_and_a_strict_policy() {
    let server = TestServer::with(skirmish_server::Limits::none());
    for entry in folder().read_dir().expect("the folder") {
        let name = entry.expect("a file").file_name().into_string().expect("a plain name");
        let (status, response) = server.get(&format!("/static/{name}"));
        let (head, body) = parts(&response);
        assert_eq!(status, 200, "{name}");
        let source = file(&name);
        let is_comment =
            |line: &&str| ["//", "/*", "* ", "*/"].iter().any(|mark| line.trim().starts_with(mark));
        if ["js", "css"].iter().any(|kind| name.ends_with(kind)) {
            assert!(body.lines().eq(source.lines().filter(|line| !is_comment(line))), "{name}");
        } else {
            assert_eq!(body, source, "{name}");
        }
        let kind = match name.rsplit('.').next() {
            Some("html") => "text/html; charset=utf-8",
            Some("css") => "text/css; charset=utf-8",
            Some("js") => "text/javascript; charset=utf-8",
            Some("svg") => "image/svg+xml",
            Some("webmanifest") => "application/manifest+json",
            _ => panic!("{name} has no type"),
        };
        for header in [
            &format!("content-type: {kind}\r\n") as &str,
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "etag: w/\"",
            "vary: accept-encoding",
        ] {
            assert!(head.contains(header), "{name}: {header} is not in {head}");
        }
        assert!(!head.contains("unsafe"), "{head}");
    }
    for target in ["/static/", "/static/none.js", "/static/..%2fCargo.toml", "/static/%2e%2e/x"] {
        assert_eq!(server.get(target).0, 404, "{target}");
    }
}

#[test]
fn a_browser_that_has_a_file_is_not_sent_it_again() {
    let server = TestServer::start();
    for target in ["/static/app.js", "/"] {
        let (_, response) = server.get_with(target, BROWSER);
        let tag = response.lines().find_map(|line| line.strip_prefix("etag: ")).expect("a tag");
        for known in [tag.to_owned(), format!("\"x\", {tag}"), "*".to_owned()] {
            let headers = format!("{BROWSER}If-None-Match: {known}\r\n");
            let (status, response) = server.get_with(target, &headers);
            assert_eq!((status, parts(&response).1), (304, ""), "{known}");
        }
        let headers = format!("{BROWSER}If-None-Match: \"x\"\r\n");
        assert_eq!(server.get_with(target, &headers).0, 200);
    }
}

#[test]
fn the_page_names_what_its_view_takes() {
    let server = TestServer::start();
    let preloads = |target: &str| {
        let (_, response) = server.get_with(target, BROWSER);
        let lines = response.lines().filter(|line| line.contains("preload\""));
        lines
            .filter_map(|line| Some(line.split("href=\"").nth(1)?.split('"').next()?.to_owned()))
            .collect::<Vec<_>>()
    };
    let rules = preloads("/rules/base-battle");
    for name in [
        "/static/learn.js",
        "/static/markdown.js",
        "/static/study.css",
        "/api/rules?game=base-battle",
    ] {
        assert!(rules.iter().any(|it| it == name), "{name} is not in {rules:?}");
    }
    for target in [
        "/",
        "/nowhere",
        "/learn/chess",
        "/g/ABC234",
        "/practice/command-clash",
        "/explore",
        "/you",
    ] {
        let named = preloads(target);
        for (at, name) in named.iter().enumerate() {
            assert_eq!(server.get(name).0, 200, "{target}: {name}");
            assert!(!named[..at].contains(name), "{target}: {name}, twice");
        }
    }
    assert!(!preloads("/").iter().any(|name| name.contains(".css")), "the first screen has one");
}

#[test]
fn what_a_client_can_unpack_is_packed() {
    let server = TestServer::start();
    let length = |response: &str| -> usize {
        let text = response.lines().find_map(|line| line.strip_prefix("content-length: "));
        text.and_then(|text| text.parse().ok()).expect("a length")
    };
    // The second time, the file is already compressed.
    for target in
        ["/static/app.js", "/static/app.js", "/api/games", "/api/rules?game=base-battle", "/watch"]
    {
        let (_, whole) = server.get_with(target, BROWSER);
        let headers = format!("{BROWSER}Accept-Encoding: gzip, deflate, br\r\n");
        let (status, packed) = server.get_with(target, &headers);
        assert_eq!(status, 200);
        assert!(packed.contains("content-encoding: deflate\r\n"), "{target}");
        assert!(length(&packed) < length(&whole) * 2 / 3, "{target}: {packed}");
    }
    for (target, accepted) in
        [("/health", "deflate"), ("/static/app.js", "gzip"), ("/static/app.js", "deflate;q=0")]
    {
        let (_, response) = server.get_with(target, &format!("Accept-Encoding: {accepted}\r\n"));
        assert!(!response.contains("content-encoding"), "{target}: {response}");
    }
}

#[test]
fn a_head_request_gets_the_head_alone() {
    let server = TestServer::start();
    for target in ["/", "/watch", "/static/app.js"] {
        let mut stream = TcpStream::connect(server.address()).expect("the server listens");
        let request =
            format!("HEAD {target} HTTP/1.1\r\nHost: x\r\n{BROWSER}Connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).expect("it is sent");
        let mut response = String::new();
        stream.read_to_string(&mut response).expect("a response");
        assert!(response.starts_with("HTTP/1.1 200"), "{response}");
        assert!(response.ends_with("\r\n\r\n"), "{response}");
    }
}

#[test]
fn nothing_comes_from_elsewhere_or_is_written_as_markup() {
    for entry in folder().read_dir().expect("the folder") {
        let name = entry.expect("a file").file_name().into_string().expect("a plain name");
        let text = file(&name);
        for part in text.split("://").skip(1) {
            let is_namespace = part.starts_with("www.w3.org/");
            assert!(
                is_namespace || part.starts_with(['$', '"', '\'', '`', ' ']),
                "{name}: {part:.40}"
            );
        }
        for unsafe_word in
            ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("]
        {
            assert!(!text.contains(unsafe_word), "{name} has {unsafe_word}");
        }
        if name == "index.html" {
            assert!(!text.contains(" style=") && !text.contains("<style"), "styles are in files");
            assert!(
                !text.contains(" onclick")
                    && text.matches("<script").count() == text.matches("src=\"/static/").count()
            );
        }
    }
}
