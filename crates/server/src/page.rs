//! Serves the page. Its files are embedded in the program, and every known address leads to the page.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};

use axum::Router;
use axum::body::Bytes;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH,
    REFERRER_POLICY, USER_AGENT, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use sha2::{Digest, Sha256};

use crate::http;
use crate::hub::Hub;
use crate::lock::lock;

/// Names and contents of the files in the folder `page`, as found by `build.rs`.
const FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// The HTML file served at every address of the page.
const INDEX: &str = "index.html";

/// The template of the service worker.
const SERVICE_WORKER: &str = "sw.js";

/// The content security policy: the page loads nothing from other sites, and no inline scripts or styles.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
                      connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// The view shown at an address of the page.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PageView {
    /// The name of the view's module; empty if there is none.
    view: &'static str,
    /// The game that the view is about.
    game: Option<&'static str>,
    /// The first API question about the game, besides its description.
    question: &'static str,
}

impl PageView {
    pub(crate) const fn view(view: &'static str) -> Self {
        Self { view, game: None, question: "" }
    }

    /// Lists the files that the view needs: its module, the modules that this imports, and their styles.
    fn files(&self) -> Vec<String> {
        let mut files = vec!["app.js".to_owned()];
        if !self.view.is_empty() {
            files.push(format!("{}.js", self.view));
        }
        let mut at = 0;
        while let Some(text) = files.get(at).map(|file| content(file).unwrap_or_default()) {
            for mark in ["from \"./", "import \"./", "style(\""] {
                for name in text.split(mark).skip(1).filter_map(|rest| rest.split('"').next()) {
                    if !files.iter().any(|known| known == name) {
                        files.push(name.to_owned());
                    }
                }
            }
            at += 1;
        }
        // `app.js` loads this stylesheet for all other views.
        if ["", "home"].contains(&self.view) {
            files.retain(|name| name != "more.css");
        }
        files
    }

    /// Lists the API questions that the view asks at once. Browsers use a preloaded answer only for exactly the same URL.
    fn questions(&self) -> Vec<String> {
        let mut questions = Vec::new();
        match self.view {
            "" | "practice" => {}
            "room" => questions.push("phrases".to_owned()),
            _ => questions.push("games".to_owned()),
        }
        if let Some(game) = self.game {
            questions.push(format!("game?game={game}"));
            if !self.question.is_empty() {
                questions.push(format!("{}?game={game}", self.question));
            }
        }
        questions
    }

    /// Returns the page for this view.
    fn html(&self) -> String {
        let text = content(INDEX).expect("the page has its first file");
        text.replacen("</head>", &format!("{}</head>", self.preloads()), 1)
    }

    /// Returns preload tags for the page's head, so that no file waits until another one has been loaded and parsed.
    fn preloads(&self) -> String {
        let mut lines = String::new();
        for file in &self.files()[1..] {
            let kind = match file.rsplit_once('.') {
                Some((_, "css")) => "preload\" as=\"style",
                _ => "modulepreload",
            };
            _ = writeln!(lines, "<link rel=\"{kind}\" href=\"/static/{file}\">");
        }
        for question in self.questions() {
            _ = writeln!(
                lines,
                "<link rel=\"preload\" as=\"fetch\" crossorigin href=\"/api/{question}\">"
            );
        }
        lines
    }
}

/// Routes of the page, except for addresses that also serve programs.
pub(crate) fn router() -> Router<Arc<Hub>> {
    let mut router = Router::new()
        .route("/static/{name}", get(file))
        .route("/sw.js", get(service_worker))
        .fallback(elsewhere);
    for view in ["explore", "watch", "learn", "puzzle", "you"] {
        let show =
            async move |headers: HeaderMap| page(StatusCode::OK, PageView::view(view), &headers);
        router = router.route(&format!("/{view}"), get(show));
    }
    for (address, view, question) in [
        ("/practice/{game}", "practice", ""),
        ("/explore/{game}", "explore", ""),
        ("/puzzle/{game}", "puzzle", ""),
        ("/learn/{game}", "learn", "tutorial"),
        ("/rules/{game}", "learn", "rules"),
    ] {
        let show = async move |State(hub): State<Arc<Hub>>,
                               game: Result<Path<String>, PathRejection>,
                               headers: HeaderMap| {
            // A path that is not UTF-8 names no game.
            let game = game.map_or_else(|_| String::new(), |Path(game)| game);
            let game = hub.games.iter().map(|entry| entry.id).find(|id| *id == game);
            let status = if game.is_some() { StatusCode::OK } else { StatusCode::NOT_FOUND };
            page(status, PageView { view, game, question }, &headers)
        };
        router = router.route(address, get(show));
    }
    router
}

/// Splits a header into the items of its list.
pub(crate) fn listed(headers: &HeaderMap, name: HeaderName) -> impl Iterator<Item = &str> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(str::trim)
}

/// Whether the client prefers a page to plain text, as browsers do.
pub(crate) fn wants_page(headers: &HeaderMap) -> bool {
    let kind = |item: &str| item.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    listed(headers, ACCEPT).any(|item| kind(item) == "text/html")
}

/// How words end in the `User-Agent` of programs that show previews of links. Some send `Accept: */*`, so that their `Accept`
/// does not tell them apart.
const CRAWLERS: [&str; 8] =
    ["bot", "crawler", "spider", "preview", "facebookexternalhit", "whatsapp", "slack", "embedly"];

/// Whether the client shows previews of links.
pub(crate) fn is_crawler(headers: &HeaderMap) -> bool {
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let agent = agent.to_ascii_lowercase();
    let mut words = agent.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    // Cubot makes phones.
    words.any(|word| word != "cubot" && CRAWLERS.iter().any(|end| word.ends_with(end)))
}

/// Responds with the page and further tags in its head.
pub(crate) fn described(place: PageView, tags: &str) -> Response {
    let text = place.html().replacen("</head>", &format!("{tags}</head>"), 1);
    answer(StatusCode::OK, INDEX, Version::of(text.into()), &HeaderMap::new())
}

/// Responds with the page, which decides from its address what to show.
pub(crate) fn page(status: StatusCode, place: PageView, headers: &HeaderMap) -> Response {
    static PAGES: Built<PageView> = LazyLock::new(Mutex::default);
    let built = built(&PAGES, place, || place.html().into());
    answer(status, INDEX, built, headers)
}

/// Responds to an unknown address: with the page for browsers, and with a sentence for programs.
async fn elsewhere(headers: HeaderMap) -> Response {
    if wants_page(&headers) {
        page(StatusCode::NOT_FOUND, PageView::view(""), &headers)
    } else {
        missing()
    }
}

fn missing() -> Response {
    http::text(StatusCode::NOT_FOUND, "There is nothing at this address.\n")
}

/// Serves a file of the page.
async fn file(name: Result<Path<String>, PathRejection>, headers: HeaderMap) -> Response {
    static TEXTS: Built<String> = LazyLock::new(Mutex::default);
    let Ok(Path(name)) = name else { return missing() };
    let Some(text) = content(&name) else { return missing() };
    let built = built(&TEXTS, name.clone(), || text);
    answer(StatusCode::OK, &name, built, &headers)
}

/// Serves the service worker, from the root so that it may handle every address. Its text names the version of the page,
/// a hash of all files, and the files of the first screen.
async fn service_worker(headers: HeaderMap) -> Response {
    static TEXT: Built<()> = LazyLock::new(Mutex::default);
    let built = built(&TEXT, (), || {
        let all: String = FILES.iter().filter_map(|(name, _)| content(name)).collect();
        let files = PageView::view("home").files();
        let files = files.join("\", \"/static/");
        let text = content(SERVICE_WORKER).expect("the page has a service worker");
        let version = version(all.as_bytes());
        text.replace("VERSION", &version)
            .replace("/static/FILES", &format!("/static/{files}"))
            .into()
    });
    answer(StatusCode::OK, SERVICE_WORKER, built, &headers)
}

/// A text as sent, and its version.
#[derive(Clone)]
struct Version {
    text: Bytes,
    tag: HeaderValue,
}

impl Version {
    fn of(text: Cow<'static, str>) -> Self {
        let text = match text {
            Cow::Borrowed(text) => Bytes::from_static(text.as_bytes()),
            Cow::Owned(text) => text.into(),
        };
        Self { tag: tag(&text), text }
    }
}

/// A cache of texts. The number of keys is bounded.
type Built<K> = LazyLock<Mutex<HashMap<K, Version>>>;

/// Returns the text for a key. The text is built only once, unless the page's files are read from a folder.
fn built<K: Eq + std::hash::Hash>(
    known: &Built<K>,
    key: K,
    build: impl FnOnce() -> Cow<'static, str>,
) -> Version {
    let build = || Version::of(build());
    if folder().is_some() {
        return build();
    }
    lock(known).entry(key).or_insert_with(build).clone()
}

/// Returns the content of a file.
fn content(name: &str) -> Option<Cow<'static, str>> {
    if let Some(folder) = folder() {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'.';
        let is_name = name.bytes().all(is_plain) && !name.starts_with('.');
        let read = || std::fs::read_to_string(folder.join(name)).ok();
        return is_name.then(read).flatten().map(Cow::Owned);
    }
    FILES.iter().find(|(file, _)| *file == name).map(|(_, text)| Cow::Borrowed(*text))
}

/// The folder from which a debug build reads the page during development.
fn folder() -> Option<PathBuf> {
    let folder = || std::env::var_os("SKIRMISH_PAGE").map(PathBuf::from);
    cfg!(debug_assertions).then(folder).flatten()
}

fn content_type(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, ending)| ending) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("webmanifest") => "application/manifest+json",
        _ => "text/plain; charset=utf-8",
    }
}

fn answer(status: StatusCode, name: &str, version: Version, asked: &HeaderMap) -> Response {
    let Version { text, tag } = version;
    let is_known = status == StatusCode::OK && is_known(asked, &tag);
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(content_type(name))),
        // Browsers keep the files and ask whether they have changed: a new server may have a new page.
        (CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY)),
        (X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
        (REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        (ETAG, tag),
    ];
    if is_known {
        return (StatusCode::NOT_MODIFIED, headers).into_response();
    }
    (status, headers, text).into_response()
}

/// Responds with an SVG picture.
pub(crate) fn picture(svg: String) -> Response {
    let headers = [
        (CONTENT_TYPE, "image/svg+xml"),
        (CACHE_CONTROL, "public, max-age=3600"),
        (CONTENT_SECURITY_POLICY, POLICY),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (headers, svg).into_response()
}

/// Computes the version of a file, compressed or not.
fn tag(text: &[u8]) -> HeaderValue {
    format!("W/\"{}\"", version(text)).try_into().expect("digits are valid in a header")
}

/// The beginning of a text's hash.
fn version(text: &[u8]) -> String {
    let hash = Sha256::digest(text);
    let start: [u8; 8] = std::array::from_fn(|index| hash[index]);
    format!("{:016x}", u64::from_be_bytes(start))
}

/// Whether the client already has this version.
fn is_known(asked: &HeaderMap, tag: &HeaderValue) -> bool {
    listed(asked, IF_NONE_MATCH).any(|known| known == "*" || known == tag)
}

#[cfg(test)]
mod tests {
    use skirmish_room::words;

    use super::*;

    #[test]
    fn the_page_says_the_same_as_the_program() {
        let shared = [
            ("words.js", words::ABORTED),
            ("words.js", words::CLOSED_BY_OPERATOR),
            ("words.js", words::PAUSED),
            ("net.js", words::RECONNECTING),
        ];
        for (file, words) in shared {
            let (_, text) = FILES.iter().find(|(name, _)| *name == file).expect("the file");
            assert!(text.contains(&format!("\"{words}\"")), "{words}");
        }
    }

    #[test]
    fn a_text_is_built_once() {
        let known: Built<u8> = LazyLock::new(Mutex::default);
        let first = built(&known, 1, || Cow::Owned("text".to_owned()));
        let again = built(&known, 1, || panic!("it is known"));
        assert_eq!((first.text, first.tag), (again.text, again.tag));
    }

    #[tokio::test]
    async fn a_page_is_sent_without_building_it_again() {
        let sent = async || {
            let page = page(StatusCode::OK, PageView::view("explore"), &HeaderMap::new());
            axum::body::to_bytes(page.into_body(), usize::MAX).await.expect("a page")
        };
        let (first, again) = (sent().await, sent().await);
        assert_eq!(first.as_ptr(), again.as_ptr(), "the same bytes in memory");
    }
}
