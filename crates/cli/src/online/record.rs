//! Records of games on a server: fetching and saving them.

use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::Duration;

use skirmish_rules::Record;
use skirmish_store::{Copies, NotSaved, Overwrite};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::timeout;

use super::address::ServerAddress;
use super::wire::{self, ByteStream};
use crate::line::Console;

/// Maximum number of bytes read from a response, more than any record has.
const LONGEST_ANSWER: u64 = 8 << 20;

/// How long a response may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// Fetches a game's record; without a number, that of the room's last game.
///
/// # Errors
/// If the record cannot be fetched. The text says why.
pub(super) fn fetch(
    address: &ServerAddress,
    code: &str,
    number: Option<u32>,
) -> Result<String, String> {
    let lost = |error: io::Error| format!("no record from {address}: {error}");
    let path = address.record_path(code, number);
    // In HTTP/1.0 the response is not chunked and ends with the connection.
    let request = format!("GET {path} HTTP/1.0\r\nHost: {}\r\n\r\n", address.authority());
    let runtime = wire::runtime().map_err(lost)?;
    let answer = runtime.block_on(async {
        let stream = wire::connect(address, wire::PATIENCE).await?;
        timeout(PATIENCE, exchange(stream, &request))
            .await
            .unwrap_or_else(|late| Err(late.into()))
            .map_err(lost)
    })?;
    read(&String::from_utf8_lossy(&answer))
        .unwrap_or_else(|| Err(format!("{address} does not answer as a Skirmish server does")))
}

/// Sends a request and returns everything that the server sends back.
async fn exchange(mut stream: impl ByteStream, request: &str) -> io::Result<Vec<u8>> {
    stream.write_all(request.as_bytes()).await?;
    stream.flush().await?;
    let mut answer = Vec::new();
    match stream.take(LONGEST_ANSWER).read_to_end(&mut answer).await {
        // A server may close the connection without closing TLS. A truncated record would not parse.
        Err(error) if error.kind() != ErrorKind::UnexpectedEof => Err(error),
        _ => Ok(answer),
    }
}

/// Writes a record to a file, or shows it if that is `-`. `forced` is the command that overwrites a file.
pub(super) fn save(
    console: &mut Console,
    record: &Record,
    path: &Path,
    force: bool,
    forced: &str,
) -> io::Result<()> {
    match Copies::default().save(record, path, Overwrite::if_forced(force)) {
        Ok(message) => console.note(&message),
        Err(NotSaved::StandardOutput) => console.note(record.to_string().trim_end()),
        Err(NotSaved::Exists(path)) => console
            .refuse(&format!("Not saved: {path} exists already. Enter {forced} to replace it.")),
        Err(NotSaved::Because(why)) => console.refuse(&why),
    }
}

/// The body of a response, or the server's reason for refusing. `None` if this is not a Skirmish server's response.
fn read(answer: &str) -> Option<Result<String, String>> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.strip_prefix("HTTP/1.")?.split(' ').nth(1)?;
    let is_text = |line: &str| {
        let line = line.to_ascii_lowercase();
        line.starts_with("content-type:") && line.contains("text/plain")
    };
    if !head.lines().any(is_text) {
        return None;
    }
    Some(match status {
        "200" => Ok(body.to_owned()),
        _ => Err(wire::reason(body)),
    })
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn an_answer_is_a_record_or_the_reason_why_there_is_none() {
        let answer = |status: &str, kind: &str| {
            format!("HTTP/1.0 {status}\r\nContent-Type: {kind}\r\n\r\ntext\n")
        };
        let plain = "text/plain; charset=utf-8";
        assert_eq!(read(&answer("200 OK", plain)), Some(Ok("text\n".to_owned())));
        assert_eq!(read(&answer("404 Not Found", plain)), Some(Err("text".to_owned())));
        assert_eq!(read(&answer("404 Not Found", "text/html")), None);
        let huge =
            answer("503 Service Unavailable", plain).replace("text\n", &"\u{1b}x".repeat(9_000));
        let Some(Err(reason)) = read(&huge) else { panic!("a reason") };
        assert!(reason.len() < 1_000 && !reason.contains('\u{1b}'), "{reason}");
        assert_eq!(read("220 mail.example.org ESMTP\r\n"), None);
        assert_eq!(read(""), None);
    }
}
