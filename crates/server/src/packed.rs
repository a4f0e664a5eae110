//! Answers take fewer bytes on the way if the client can unpack them. Nothing secret is in what can be asked for here.

use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};

use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE, ETAG, VARY,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use miniz_oxide::deflate::compress_to_vec_zlib;
use tokio::task::spawn_blocking;

use crate::lock::lock;
use crate::page::listed;

/// Below this length, in bytes, it is not worth it.
const SHORT: usize = 1000;

/// From this length on it takes too long for the thread that serves everybody.
const LONG: usize = 50_000;

/// What zlib does by default: more takes longer and gains next to nothing.
const LEVEL: u8 = 6;

/// Packed files of the page, by their versions: there are only so many.
static FILES: LazyLock<Mutex<HashMap<HeaderValue, Bytes>>> = LazyLock::new(Mutex::default);

/// Packs what a browser asks for.
pub(crate) async fn packed(request: Request, next: Next) -> Response {
    let can_unpack = accepts(request.headers());
    let (mut head, body) = next.run(request).await.into_parts();
    if !is_text(&head.headers) {
        return Response::from_parts(head, body);
    }
    head.headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    if !can_unpack {
        return Response::from_parts(head, body);
    }
    let Ok(whole) = to_bytes(body, usize::MAX).await else {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    };
    if whole.len() < SHORT {
        return Response::from_parts(head, Body::from(whole));
    }
    let packed = match head.headers.get(ETAG) {
        Some(tag) => pack_once(tag, &whole),
        None if whole.len() < LONG => pack(&whole),
        None => match spawn_blocking(move || pack(&whole)).await {
            Ok(packed) => packed,
            Err(_) => return StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        },
    };
    head.headers.remove(CONTENT_LENGTH);
    head.headers.insert(CONTENT_ENCODING, HeaderValue::from_static("deflate"));
    Response::from_parts(head, Body::from(packed))
}

/// A file of the page with this version, packed for the first client that asks for it.
fn pack_once(tag: &HeaderValue, file: &[u8]) -> Bytes {
    lock(&FILES).entry(tag.clone()).or_insert_with(|| pack(file)).clone()
}

fn pack(bytes: &[u8]) -> Bytes {
    compress_to_vec_zlib(bytes, LEVEL).into()
}

/// Whether the client takes `deflate`. One that ranks it, even as unwanted, gets everything as it is.
fn accepts(headers: &HeaderMap) -> bool {
    listed(headers, ACCEPT_ENCODING).any(|name| name == "deflate")
}

fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    kind.starts_with("text/") || kind == "application/json" || kind == "image/svg+xml"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_packed_once() {
        let tag = HeaderValue::from_static("W/\"a version that no file has\"");
        let first = pack_once(&tag, b"text");
        assert_eq!(first.as_ptr(), pack_once(&tag, b"text").as_ptr(), "the same bytes in memory");
    }
}
