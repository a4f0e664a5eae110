//! The connection to a NATS server: TCP or TLS, and a task that keeps it open. Nobody ever waits for this task.

use std::convert::Infallible;
use std::io;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::BytesMut;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, split};
use tokio::net::{TcpStream, lookup_host};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_rustls::TlsConnector;

use super::protocol::{Conversation, Event, Failure, MOST_PAYLOAD, publish, sign_in};
use super::{Listener, NatsAddress};
use crate::lock::lock;
use crate::tls::client_config;

/// How long connecting and signing in may take.
const ATTEMPT: Duration = Duration::from_secs(2);

/// How long connecting to one of the server's addresses may take.
const REACH: Duration = Duration::from_millis(500);

/// The delay before the first new attempt. It doubles with every attempt up to [`MOST_DOUBLINGS`] times, and is reset once
/// a connection has lasted for [`STEADY`].
const DELAY: Duration = Duration::from_millis(50);
const MOST_DOUBLINGS: u32 = 5;
const STEADY: Duration = Duration::from_secs(5);

/// Maximum number of bytes that wait to be sent. Further messages are dropped.
const MOST_OUTGOING: usize = 4 << 20;

/// How many bytes are read at a time.
const READ: usize = 16 << 10;

/// A connection that may currently be lost.
#[derive(Debug)]
pub(super) struct Link {
    is_connected: watch::Sender<bool>,
    /// The number of connections so far.
    connections: AtomicU64,
    /// The size of the largest message that the server takes.
    most_payload: AtomicUsize,
    /// Messages in the form in which they are sent.
    outgoing: Mutex<BytesMut>,
    has_outgoing: Notify,
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Keeps a [`Link`] connected.
pub(super) struct Keeper {
    pub(super) link: Arc<Link>,
    pub(super) address: NatsAddress,
    pub(super) subjects: Vec<String>,
    pub(super) listener: Listener,
    /// The TLS settings, once they are needed: reading the system's certificates takes time.
    pub(super) tls: Option<Arc<ClientConfig>>,
}

impl Link {
    pub(super) fn new() -> Self {
        Self {
            is_connected: watch::Sender::new(false),
            connections: AtomicU64::new(0),
            most_payload: AtomicUsize::new(MOST_PAYLOAD),
            outgoing: Mutex::default(),
            has_outgoing: Notify::new(),
        }
    }

    pub(super) fn is_connected(&self) -> bool {
        *self.is_connected.borrow()
    }

    /// Returns the number of connections so far. When it changes, messages may have been lost.
    pub(super) fn connections(&self) -> u64 {
        self.connections.load(Relaxed)
    }

    /// Waits until there is a connection.
    pub(super) async fn connected(&self) {
        // The sender lives as long as `self`.
        let _ = self.is_connected.subscribe().wait_for(|&is_connected| is_connected).await;
    }

    /// Sends a message soon. Returns false if there is no room for it, or the server would not take it.
    pub(super) fn publish(&self, subject: &str, payload: &[u8]) -> bool {
        let mut outgoing = lock(&self.outgoing);
        let fits = outgoing.len() + payload.len() <= MOST_OUTGOING;
        let may_send = fits && payload.len() <= self.most_payload.load(Relaxed);
        if may_send {
            publish(&mut outgoing, subject, payload);
            self.has_outgoing.notify_one();
        }
        may_send
    }
}

impl Keeper {
    /// Connects, and reconnects, for as long as the runtime lives.
    pub(super) async fn run(mut self) {
        let mut failures = 0;
        loop {
            let opened = timeout(ATTEMPT, self.open()).await.unwrap_or(Err(Failure::Silent));
            let began = Instant::now();
            let ended = match opened {
                Ok((stream, talk)) => self.converse(stream, talk).await,
                Err(why) => Err(why),
            };
            self.link.is_connected.send_replace(false);
            let Err(why) = ended;
            self.listener.failed(&why);
            if began.elapsed() > STEADY {
                failures = 0;
            }
            sleep(DELAY * 2_u32.pow(failures.min(MOST_DOUBLINGS))).await;
            failures += 1;
        }
    }

    /// Opens a connection, signs in and subscribes.
    async fn open(&mut self) -> Result<(Box<dyn Stream>, Conversation), Failure> {
        let mut socket = self.reach().await?;
        socket.set_nodelay(true)?;
        let mut talk = Conversation::new(Instant::now());
        let info = loop {
            match talk.next()? {
                Some(Event::Info(info)) => break info,
                Some(Event::Refused(why)) => return Err(Failure::Refused(why)),
                Some(_) => return Err(Failure::Malformed),
                None => read(&mut socket, &mut talk).await?,
            }
        };
        self.link.most_payload.store(info.max_payload.min(MOST_PAYLOAD), Relaxed);
        let mut stream: Box<dyn Stream> = if self.address.is_tls || info.tls_required {
            // Bytes that were not encrypted must not be taken for the server's.
            if !talk.incoming.is_empty() {
                return Err(Failure::Malformed);
            }
            Box::new(self.encrypt(socket).await?)
        } else {
            Box::new(socket)
        };
        stream.write_all(sign_in(&self.address, &self.subjects).as_bytes()).await?;
        stream.flush().await?;
        loop {
            match talk.next()? {
                Some(Event::Pong) => return Ok((stream, talk)),
                Some(Event::Refused(why)) => return Err(Failure::Refused(why)),
                Some(Event::Message { subject, payload }) => {
                    self.listener.message(subject, payload);
                }
                Some(Event::Info(_)) => {}
                None => read(&mut stream, &mut talk).await?,
            }
        }
    }

    /// Connects to the first address that answers. A name may belong to several servers, some of which may be down.
    async fn reach(&self) -> io::Result<TcpStream> {
        let mut failure = io::Error::from(io::ErrorKind::AddrNotAvailable);
        for address in lookup_host((self.address.host.as_str(), self.address.port)).await? {
            match timeout(REACH, TcpStream::connect(address)).await {
                Ok(Ok(socket)) => return Ok(socket),
                Ok(Err(error)) => failure = error,
                Err(_) => failure = io::ErrorKind::TimedOut.into(),
            }
        }
        Err(failure)
    }

    async fn encrypt(&mut self, socket: TcpStream) -> Result<impl Stream + use<>, Failure> {
        if self.tls.is_none() {
            let roots = rustls_native_certs::load_native_certs().certs;
            self.tls = client_config(roots);
        }
        let tls = self.tls.clone().ok_or(Failure::NoRoots)?;
        let name = ServerName::try_from(self.address.host.clone());
        let name = name.map_err(std::io::Error::other)?;
        Ok(TlsConnector::from(tls).connect(name, socket).await?)
    }

    /// Sends and receives until the connection fails.
    async fn converse(
        &mut self,
        stream: impl Stream,
        mut talk: Conversation,
    ) -> Result<Infallible, Failure> {
        let link = Arc::clone(&self.link);
        lock(&link.outgoing).clear();
        link.connections.fetch_add(1, Relaxed);
        link.is_connected.send_replace(true);
        self.listener.connected();
        let (mut reader, mut writer) = split(stream);
        let (mut sending, mut is_sending) = (BytesMut::new(), false);
        loop {
            while let Some(event) = talk.next()? {
                match event {
                    Event::Message { subject, payload } => self.listener.message(subject, payload),
                    Event::Info(info) => {
                        link.most_payload.store(info.max_payload.min(MOST_PAYLOAD), Relaxed);
                    }
                    // Report it now: the server may close the connection without repeating the reason.
                    Event::Refused(why) => return Err(Failure::Refused(why)),
                    Event::Pong => {}
                }
            }
            if !is_sending {
                sending = std::mem::take(&mut *lock(&link.outgoing));
                talk.write_to(&mut sending, Instant::now());
                is_sending = !sending.is_empty();
            }
            let write = async {
                writer.write_all_buf(&mut sending).await?;
                writer.flush().await
            };
            let due = talk.due();
            // Read before looking at the time: a process that was suspended must not blame the server.
            tokio::select! {
                biased;
                written = write, if is_sending => {
                    written?;
                    is_sending = false;
                }
                read = read(&mut reader, &mut talk) => read?,
                () = link.has_outgoing.notified(), if !is_sending => {}
                () = sleep_until(due) => talk.tick(Instant::now())?,
            }
        }
    }
}

/// Waits for bytes.
async fn read(
    stream: &mut (impl AsyncRead + Unpin),
    talk: &mut Conversation,
) -> Result<(), Failure> {
    talk.incoming.reserve(READ);
    if stream.read_buf(&mut talk.incoming).await? == 0 {
        return Err(Failure::Closed);
    }
    talk.note_heard(Instant::now());
    Ok(())
}
