//! Compresses responses for clients that support it. No response compressed here contains secrets.

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

/// Responses shorter than this, in bytes, are not worth compressing.
const SHORT: usize = 1000;

/// Compressing a response of this length or more takes too long for the main thread.
const LONG: usize = 50_000;

/// The default of zlib. Higher levels take longer and gain next to nothing.
const LEVEL: u8 = 6;

/// Compressed files of the page, by version. Their number is limited.
static FILES: LazyLock<Mutex<HashMap<HeaderValue, Bytes>>> = LazyLock::new(Mutex::default);

/// Compresses a text response, if the client accepts that.
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

/// Compresses a version of a page's file, once for all clients.
fn pack_once(tag: &HeaderValue, file: &[u8]) -> Bytes {
    lock(&FILES).entry(tag.clone()).or_insert_with(|| pack(file)).clone()
}

fn pack(bytes: &[u8]) -> Bytes {
    compress_to_vec_zlib(bytes, LEVEL).into()
}

/// Whether the client accepts `deflate`. A client that assigns `deflate` a weight gets uncompressed responses.
fn accepts(headers: &HeaderMap) -> bool {
    listed(headers, ACCEPT_ENCODING).any(|name| name == "deflate")
}

fn is_text(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    kind.starts_with("text/") || kind.ends_with("json") || kind == "image/svg+xml"
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
