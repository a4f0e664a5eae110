//! HTTP routes outside the page and its API: opening a `WebSocket`, and documents about a game.

use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Extension, Path, Query, Request, State, WebSocketUpgrade};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, HOST, ORIGIN, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use skirmish_room::Room;
use skirmish_room::wire::LONGEST_MESSAGE;
use skirmish_rules::Entry;

use crate::api::{self, Refused};
use crate::codes;
use crate::health;
use crate::hub::Hub;
use crate::limits::Use;
use crate::listener::ClientInfo;
use crate::origin::PageOrigin;
use crate::packed::packed;
use crate::page::{self, PageView};
use crate::preview::{self, Preview};
use crate::qr;
use crate::records;
use crate::socket;

/// Maximum number of bytes waiting to be written to a socket. The largest message is smaller.
const MOST_UNWRITTEN: usize = 2 << 20;

/// Messages up to this size are written together.
const WRITTEN_AT_ONCE: usize = 2 << 10;

/// Cost of every request.
const REQUEST: u32 = 1;

/// Extra cost of a request for a record.
const RECORD: u32 = 4;

/// The path at which clients open a `WebSocket`.
pub(crate) const SOCKET: &str = "/ws";

pub(crate) fn router(hub: Arc<Hub>) -> Router {
    page::router()
        .merge(api::router())
        .merge(health::router())
        .route("/", get(home))
        .route(SOCKET, get(open_socket))
        .route("/g/{file}", get(game))
        .layer(from_fn(packed))
        .layer(from_fn_with_state(Arc::clone(&hub), charged))
        .with_state(hub)
}

/// Charges the client's address for a request.
async fn charged(
    State(hub): State<Arc<Hub>>,
    Extension(ClientInfo { address, .. }): Extension<ClientInfo>,
    request: Request,
    next: Next,
) -> Response {
    match hub.ledger.charge(address, Use::Requests, REQUEST, hub.now()).map_err(Refused::from) {
        Ok(()) => next.run(request).await,
        Err(refused) if request.uri().path().starts_with("/api/") => refused.into_response(),
        Err(refused) => refused.into_text(),
    }
}

pub(crate) fn text(status: StatusCode, text: impl Into<String>) -> Response {
    (status, [(CONTENT_TYPE, "text/plain; charset=utf-8")], text.into()).into_response()
}

async fn home(State(hub): State<Arc<Hub>>, headers: HeaderMap) -> Response {
    if page::wants_page(&headers) {
        return page::page(StatusCode::OK, PageView::view("home"), &headers);
    }
    let url = &hub.url;
    text(StatusCode::OK, format!("This is a Skirmish server. To play on it: skirmish join {url}\n"))
}

/// Whether a client may connect: a browser's page only if it comes from this server, and programs, which send no origin,
/// always.
fn is_welcome(headers: &HeaderMap, is_secure: bool, url: &str) -> bool {
    let mut origins = headers.get_all(ORIGIN).iter();
    let (origin, None) = (origins.next(), origins.next()) else { return false };
    let Some(origin) = origin else { return true };
    let Some(origin) = origin.to_str().ok().and_then(PageOrigin::read) else { return false };
    // Somebody else's host name can be made to resolve to this server; an IP address cannot.
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    PageOrigin::of(url).is_some_and(|own| own == origin)
        || origin.is_address
            && origin.is_secure == is_secure
            && host.is_some_and(|host| host.eq_ignore_ascii_case(&origin.authority))
}

/// Admits a WebSocket, and counts it against the limits.
fn admit(hub: &Hub, address: IpAddr, is_secure: bool, headers: &HeaderMap) -> Result<(), Refused> {
    if !is_welcome(headers, is_secure, &hub.url) {
        let why = "Pages of other sites may not connect to this server.";
        return Err(Refused::new(StatusCode::FORBIDDEN, why));
    }
    if hub.is_pausing() || hub.is_stopping() {
        let why = "The server is stopping. Try again in a few seconds.";
        return Err(Refused::new(StatusCode::SERVICE_UNAVAILABLE, why));
    }
    if hub.is_cut_off() {
        let why = "The server cannot reach its database, but other nodes can. Try again in a few seconds.";
        return Err(Refused::new(StatusCode::SERVICE_UNAVAILABLE, why));
    }
    Ok(hub.ledger.enter(address, hub.now())?)
}

async fn open_socket(
    State(hub): State<Arc<Hub>>,
    Extension(client): Extension<ClientInfo>,
    headers: HeaderMap,
    upgrade: WebSocketUpgrade,
) -> Response {
    let ClientInfo { address, is_secure, request } = client;
    if let Err(refused) = admit(&hub, address, is_secure, &headers) {
        return refused.into_text();
    }
    let failed = Arc::clone(&hub);
    upgrade
        .read_buffer_size(512)
        .write_buffer_size(WRITTEN_AT_ONCE)
        .max_write_buffer_size(MOST_UNWRITTEN)
        .max_message_size(LONGEST_MESSAGE)
        .max_frame_size(LONGEST_MESSAGE)
        .on_failed_upgrade(move |_| failed.ledger.leave(address))
        .on_upgrade(move |socket| socket::serve(hub, (address, request), socket))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Which {
    /// The number of the game in the room. Empty for the last game.
    game: String,
}

/// Serves a game: `/g/CODE.skr` is its record, `/g/CODE.svg` its address as a QR code, `/g/CODE.png` a picture of its
/// position, and `/g/CODE` the page or, for programs, how to join the game.
async fn game(
    State(hub): State<Arc<Hub>>,
    Extension(ClientInfo { address, .. }): Extension<ClientInfo>,
    file: Result<Path<String>, PathRejection>,
    which: Result<Query<Which>, QueryRejection>,
    headers: HeaderMap,
) -> Response {
    // A path that is not UTF-8 is not a code either.
    let file = file.map_or_else(|_| String::new(), |Path(file)| file);
    if page::wants_page(&headers) && !page::is_crawler(&headers) && !file.contains('.') {
        let is_code = codes::read_code(&file).is_some();
        let status = if is_code { StatusCode::OK } else { StatusCode::NOT_FOUND };
        return page::page(status, PageView::view("room"), &headers);
    }
    if page::is_crawler(&headers)
        && let Some(code) = codes::read_code(&file)
    {
        return match described(&hub, address, &code).await {
            Ok(response) => response,
            Err(_) if page::wants_page(&headers) => {
                page::page(StatusCode::OK, PageView::view("room"), &headers)
            }
            Err(refused) => refused.into_text(),
        };
    }
    document(&hub, address, &file, which).await.unwrap_or_else(Refused::into_text)
}

/// Returns the page with a description of a game, for chat programs that show a preview of a link.
async fn described(hub: &Arc<Hub>, address: IpAddr, code: &str) -> Result<Response, Refused> {
    let (room, entry) = room(hub, address, code).await?;
    let tags = Preview::of(&room, entry).tags(&format!("{}/g/{code}", hub.url));
    Ok(page::described(PageView::view("room"), &tags))
}

/// Returns a room and its game.
async fn room(
    hub: &Arc<Hub>,
    address: IpAddr,
    code: &str,
) -> Result<(Room, &'static Entry), Refused> {
    hub.ledger.charge(address, Use::Requests, RECORD, hub.now())?;
    let room = records::room(hub, address, code).await?;
    let entry = hub.games.find(&room.terms().game);
    let missing = || Refused::new(StatusCode::NOT_FOUND, records::MISSING);
    Ok((room, entry.map_err(|_| missing())?))
}

/// Returns a document about a game, for programs.
async fn document(
    hub: &Arc<Hub>,
    address: IpAddr,
    file: &str,
    which: Result<Query<Which>, QueryRejection>,
) -> Result<Response, Refused> {
    let (name, ending) = file.split_once('.').unwrap_or((file, ""));
    if let (Some(code), "png") = (codes::read_code(name), ending) {
        let (room, entry) = room(hub, address, &code).await?;
        let headers = [
            (CONTENT_TYPE, "image/png"),
            (CACHE_CONTROL, "public, max-age=60"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        return Ok((headers, preview::picture(&room, entry)).into_response());
    }
    hub.ledger.charge(address, Use::Requests, RECORD, hub.now())?;
    let (Some(code), "" | "skr" | "svg") = (codes::read_code(name), ending) else {
        return Err(Refused::new(StatusCode::NOT_FOUND, records::MISSING));
    };
    let url = format!("{}/g/{code}", hub.url);
    match ending {
        "" => Ok(text(StatusCode::OK, format!("To play this game: skirmish join {url}\n"))),
        "svg" => qr::draw(&url).map(page::picture).ok_or_else(|| {
            Refused::new(StatusCode::NOT_FOUND, "The address is too long for a QR code.")
        }),
        _ => {
            let Query(which) = which.map_err(|_| records::not_a_number())?;
            let number = records::read_number(&which.game)?;
            let (record, _) = records::find(hub, address, &code, number).await?;
            let name = format!("attachment; filename=\"{code}.skr\"");
            let answer = text(StatusCode::OK, record.to_string());
            Ok(([(CONTENT_DISPOSITION, name)], answer).into_response())
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn a_page_from_elsewhere_is_not_welcome() {
        let is_welcome = |is_secure, origins: &[&'static str], host: &'static str| {
            let origins = origins.iter().map(|text| (ORIGIN, HeaderValue::from_static(text)));
            let headers = origins.chain([(HOST, HeaderValue::from_static(host))]).collect();
            is_welcome(&headers, is_secure, "https://Play.Example/skirmish")
        };
        assert!(is_welcome(false, &[], "play.example"), "programs send no origin");
        assert!(is_welcome(false, &["https://play.example"], "play.example"));
        for (origin, host) in [
            ("http://127.0.0.1:7777", "127.0.0.1:7777"),
            ("http://[::1]:7777", "[::1]:7777"),
            ("http://localhost", "localhost"),
            ("https://127.0.0.1:7777", "127.0.0.1:7777"),
        ] {
            let is_secure = origin.starts_with("https:");
            assert!(is_welcome(is_secure, &[origin], host), "{origin}");
            assert!(!is_welcome(!is_secure, &[origin], host), "{origin} over the other scheme");
        }
        for (origin, host) in [
            ("http://[evil", "[evil"),
            ("http://[evil]", "[evil]"),
            ("[evil", "[evil"),
            ("http://play.example", "play.example"),
            ("https://evil.example", "evil.example"),
            ("http://127.0.0.1:1", "127.0.0.1:7777"),
            ("null", "localhost"),
        ] {
            assert!(!is_welcome(false, &[origin], host), "{origin}");
        }
        let origin = "https://play.example";
        assert!(!is_welcome(false, &[origin, origin], "play.example"), "browsers send one");
    }
}
