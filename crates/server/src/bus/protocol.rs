//! The client's side of the NATS protocol, without I/O: bytes and the time go in, events and bytes come out. The other end
//! may send anything: memory is bounded, and nonsense ends the connection.

use std::fmt::Write as _;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use serde::{Deserialize, Serialize};
use tokio::time::Instant;

use super::NatsAddress;

/// Maximum length of a line. A server of a large cluster lists the others in its greeting.
const MOST_LINE: usize = 32 << 10;

/// Maximum size of a message in bytes, in either direction: the default of NATS servers.
pub(super) const MOST_PAYLOAD: usize = 1 << 20;

/// How long the server may be silent before it is asked for a sign of life, and how long it has to answer.
const ASK_AFTER: Duration = Duration::from_millis(500);
const ANSWER_WITHIN: Duration = Duration::from_secs(1);

/// A connection to a server.
pub(super) struct Conversation {
    /// Received bytes that have not been parsed yet.
    pub(super) incoming: BytesMut,
    /// Whether to send PING and PONG. Flags, so that a server that floods us with PING does not fill our memory.
    owes: Owed,
    heard: Instant,
    /// When the server was asked for a sign of life, if it has not given one since.
    asked: Option<Instant>,
}

#[derive(Default)]
struct Owed {
    ping: bool,
    pong: bool,
}

/// Something that the server has sent.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Event {
    Info(Info),
    /// The server has handled everything sent before our PING.
    Pong,
    Message {
        subject: String,
        payload: Vec<u8>,
    },
    Refused(String),
}

/// The server's description of itself: its greeting, repeated when it changes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Info {
    #[serde(default)]
    pub(super) tls_required: bool,
    #[serde(default = "most_payload")]
    pub(super) max_payload: usize,
}

const fn most_payload() -> usize {
    MOST_PAYLOAD
}

/// Why a connection has failed. No text contains the address.
#[derive(Debug, thiserror::Error)]
pub(super) enum Failure {
    #[error("{0}")]
    Io(#[from] std::io::Error),
    #[error("the connection was closed")]
    Closed,
    #[error("it does not answer in time")]
    Silent,
    #[error("it refused: {0}")]
    Refused(String),
    #[error("it does not speak the protocol of NATS")]
    Malformed,
    #[error("it sent a line or a message that is too long")]
    TooLong,
    #[error("there is no trusted certificate: name a file with some in SSL_CERT_FILE")]
    NoRoots,
}

impl Conversation {
    pub(super) fn new(now: Instant) -> Self {
        Self { incoming: BytesMut::new(), owes: Owed::default(), heard: now, asked: None }
    }

    /// Records that bytes have arrived.
    pub(super) fn note_heard(&mut self, now: Instant) {
        (self.heard, self.asked) = (now, None);
    }

    /// Returns when to call [`Self::tick`].
    pub(super) fn due(&self) -> Instant {
        self.asked.map_or(self.heard + ASK_AFTER, |asked| asked + ANSWER_WITHIN)
    }

    /// Asks a silent server for a sign of life, or gives up on it.
    pub(super) fn tick(&mut self, now: Instant) -> Result<(), Failure> {
        if now < self.due() {
            return Ok(());
        }
        // If this call is late, this process did not run, and may not have read the answer yet.
        if self.asked.is_some() && now < self.due() + ASK_AFTER {
            return Err(Failure::Silent);
        }
        (self.asked, self.owes.ping) = (Some(now), true);
        Ok(())
    }

    /// Adds the signs of life that are owed. The time to answer starts only now.
    pub(super) fn write_to(&mut self, outgoing: &mut BytesMut, now: Instant) {
        let Owed { ping, pong } = std::mem::take(&mut self.owes);
        if ping {
            self.asked = Some(now);
            outgoing.extend_from_slice(b"PING\r\n");
        }
        if pong {
            outgoing.extend_from_slice(b"PONG\r\n");
        }
    }

    /// Removes and returns the next event that has arrived completely, if any.
    pub(super) fn next(&mut self) -> Result<Option<Event>, Failure> {
        loop {
            let Some(end) = self.incoming.iter().take(MOST_LINE).position(|&byte| byte == b'\n')
            else {
                let is_too_long = self.incoming.len() >= MOST_LINE;
                return if is_too_long { Err(Failure::TooLong) } else { Ok(None) };
            };
            let line = str::from_utf8(&self.incoming[..end]).map_err(|_| Failure::Malformed)?;
            let (word, rest) = line.trim_end().split_once([' ', '\t']).unwrap_or((line.trim(), ""));
            let event = match word {
                "MSG" => {
                    let (subject, size) = message(rest)?;
                    let (from, to) = (end + 1, end + 1 + size);
                    match self.incoming.get(to..to + 2) {
                        None => return Ok(None),
                        Some(b"\r\n") => {}
                        Some(_) => return Err(Failure::Malformed),
                    }
                    let payload = self.incoming[from..to].to_vec();
                    let event = Event::Message { subject: subject.to_owned(), payload };
                    self.incoming.advance(to + 2);
                    return Ok(Some(event));
                }
                "INFO" => {
                    let info = serde_json::from_str(rest).map_err(|_| Failure::Malformed)?;
                    Some(Event::Info(info))
                }
                "PING" => {
                    self.owes.pong = true;
                    None
                }
                "PONG" => Some(Event::Pong),
                "+OK" => None,
                "-ERR" => Some(Event::Refused(rest.trim().trim_matches('\'').to_owned())),
                _ => return Err(Failure::Malformed),
            };
            self.incoming.advance(end + 1);
            if event.is_some() {
                return Ok(event);
            }
        }
    }
}

/// Parses the fields of a message: its subject, the subscription, perhaps a subject for answers, and the size.
fn message(fields: &str) -> Result<(&str, usize), Failure> {
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let (&[subject, _, size] | &[subject, _, _, size]) = fields.as_slice() else {
        return Err(Failure::Malformed);
    };
    match size.parse() {
        Ok(size) if size <= MOST_PAYLOAD => Ok((subject, size)),
        Ok(_) => Err(Failure::TooLong),
        Err(_) => Err(Failure::Malformed),
    }
}

/// Adds a message to others.
pub(super) fn publish(outgoing: &mut BytesMut, subject: &str, payload: &[u8]) {
    outgoing.extend_from_slice(format!("PUB {subject} {}\r\n", payload.len()).as_bytes());
    outgoing.extend_from_slice(payload);
    outgoing.extend_from_slice(b"\r\n");
}

/// Returns the reply to the server's greeting: signs in, and subscribes. The server's answer is PONG.
pub(super) fn sign_in(address: &NatsAddress, subjects: &[String]) -> String {
    #[derive(Serialize)]
    #[allow(clippy::struct_excessive_bools)] // fields of the protocol
    struct SignIn<'a> {
        verbose: bool,
        pedantic: bool,
        tls_required: bool,
        name: &'a str,
        lang: &'a str,
        version: &'a str,
        protocol: u8,
        /// Whether we receive our own messages.
        echo: bool,
        user: Option<&'a str>,
        pass: Option<&'a str>,
        auth_token: Option<&'a str>,
    }
    let (user, pass) = (address.user.as_deref(), address.password.as_deref());
    let (user, pass, auth_token) = match pass {
        Some(_) => (Some(user.unwrap_or_default()), pass, None),
        None => (None, None, user),
    };
    let options = SignIn {
        verbose: false,
        pedantic: false,
        tls_required: address.is_tls,
        name: "skirmish",
        lang: "rust",
        version: env!("CARGO_PKG_VERSION"),
        protocol: 1,
        echo: false,
        user,
        pass,
        auth_token,
    };
    let mut text = format!("CONNECT {}\r\n", skirmish_present::json::text(&options));
    for (number, subject) in subjects.iter().enumerate() {
        let _ = write!(text, "SUB {subject} {number}\r\n");
    }
    text + "PING\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONVERSATION: &[u8] =
        b"INFO {\"server_id\":\"x\",\"max_payload\":2048,\"tls_required\":true}\r\n\
        +OK\r\nPONG\r\nMSG a.b 1 5\r\nx\r\ny\n\r\nMSG a.c 2 reply.to 0\r\n\r\nPING\r\n\
        -ERR 'Authorization Violation'\r\nMSG\ta.d\t1\t1\r\nz\r\n";

    fn expected() -> Vec<Event> {
        let message = |subject: &str, payload: &[u8]| Event::Message {
            subject: subject.to_owned(),
            payload: payload.to_vec(),
        };
        vec![
            Event::Info(Info { tls_required: true, max_payload: 2048 }),
            Event::Pong,
            message("a.b", b"x\r\ny\n"),
            message("a.c", b""),
            Event::Refused("Authorization Violation".to_owned()),
            message("a.d", b"z"),
        ]
    }

    /// Returns the events in these pieces, and what is sent afterwards.
    fn receive<'a>(
        pieces: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<(Vec<Event>, Vec<u8>), Failure> {
        let mut talk = Conversation::new(Instant::now());
        let mut events = Vec::new();
        for piece in pieces {
            talk.incoming.extend_from_slice(piece);
            while let Some(event) = talk.next()? {
                events.push(event);
            }
        }
        let mut sent = BytesMut::new();
        talk.write_to(&mut sent, Instant::now());
        Ok((events, sent.to_vec()))
    }

    #[test]
    fn a_conversation_means_the_same_however_it_is_cut() {
        for size in 1..=CONVERSATION.len() {
            let (events, sent) = receive(CONVERSATION.chunks(size)).expect("the protocol");
            assert_eq!(events, expected(), "pieces of {size} bytes");
            assert_eq!(sent, b"PONG\r\n");
        }
    }

    #[test]
    fn nonsense_is_an_error() {
        for text in [
            "HTTP/1.1 200 OK\r\n",
            "\r\n",
            "msg a 1 0\r\n\r\n",
            "INFO\r\n",
            "INFO {\r\n",
            "INFO {\"max_payload\":-1}\r\n",
            "MSG a 1\r\n",
            "MSG a 1 b c 0\r\n\r\n",
            "MSG a 1 x\r\n",
            "MSG a 1 -1\r\n",
            "MSG a 1 1\r\nabc",
            "\u{fffd}\r\n",
        ] {
            let error = receive([text.as_bytes()]).expect_err(text);
            assert!(matches!(error, Failure::Malformed), "{text}: {error}");
        }
        assert!(matches!(receive([b"PONG \xff\r\n".as_slice()]), Err(Failure::Malformed)));
    }

    #[test]
    fn what_is_too_long_is_refused_before_it_fills_the_memory() {
        let endless = vec![b'x'; MOST_LINE];
        assert!(matches!(receive([endless.as_slice()]), Err(Failure::TooLong)));
        for size in [MOST_PAYLOAD + 1, usize::MAX] {
            let line = format!("MSG a 1 {size}\r\n");
            assert!(matches!(receive([line.as_bytes()]), Err(Failure::TooLong)));
        }
        let line = format!("MSG a 1 {MOST_PAYLOAD}\r\n");
        assert_eq!(receive([line.as_bytes()]).expect("the rest is still to come").0, []);
    }

    #[test]
    fn no_input_panics() {
        let mut state = 1_u64;
        for length in 0..20_000 {
            // Xorshift; the alphabet makes lines that almost make sense.
            let mut random = || {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                usize::try_from(state % 16).expect("small")
            };
            let pieces = ["MSG ", "a ", "1 ", "7", "\r\n", "\n", "INFO ", "{", "}", "PING"];
            let more = ["-ERR ", "'", "\t", "+OK", "PONG", "\u{e9}"];
            let text: String = (0..length % 40)
                .map(|_| *pieces.iter().chain(&more).nth(random()).expect("16"))
                .collect();
            let _ = receive(text.as_bytes().chunks(1 + random()));
        }
    }

    #[test]
    fn many_pings_get_one_answer() {
        let (_, sent) = receive([b"PING\r\n".repeat(1000).as_slice()]).expect("the protocol");
        assert_eq!(sent, b"PONG\r\n");
    }

    #[test]
    fn a_silent_server_is_asked_and_then_given_up() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut talk = Conversation::new(start);
        let asks = |talk: &mut Conversation, millis| {
            let mut sent = BytesMut::new();
            talk.write_to(&mut sent, at(millis));
            !sent.is_empty()
        };
        talk.tick(at(499)).expect("not yet");
        assert!(!asks(&mut talk, 499));
        talk.tick(at(500)).expect("asked");
        assert!(asks(&mut talk, 500));
        // Any byte is a sign of life.
        talk.note_heard(at(1400));
        assert_eq!(talk.due(), at(1900));
        talk.tick(at(1900)).expect("asked");
        // An earlier write takes a while.
        assert!(asks(&mut talk, 2000));
        talk.tick(at(2999)).expect("may still answer");
        assert!(!asks(&mut talk, 2999), "once is enough");
        // This process does not run for a moment.
        talk.tick(at(3500)).expect("asked again");
        assert!(asks(&mut talk, 3500));
        assert!(matches!(talk.tick(at(4500)), Err(Failure::Silent)));
    }
}
