//! Listening sockets, with and without TLS.

use std::fs::File;
use std::io::{self, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc::{self, Receiver};
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::server::{StartError, TlsFiles};

/// How long a client may take for the TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(5);

/// How long to wait after a failure to accept, for example if there are no file descriptors left.
const PAUSE: Duration = Duration::from_millis(100);

/// The address of a client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer(pub(crate) SocketAddr);

impl Connected<IncomingStream<'_, Plain>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Plain>) -> Self {
        Self(*stream.remote_addr())
    }
}

impl Connected<IncomingStream<'_, Tls>> for Peer {
    fn connect_info(stream: IncomingStream<'_, Tls>) -> Self {
        Self(*stream.remote_addr())
    }
}

/// Sockets without TLS.
pub(crate) struct Plain(pub(crate) TcpListener);

async fn accept(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                // With Nagle's algorithm a move would wait 40 ms for an acknowledgement.
                let _ = stream.set_nodelay(true);
                return (stream, address);
            }
            Err(_) => tokio::time::sleep(PAUSE).await,
        }
    }
}

impl Listener for Plain {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        accept(&self.0).await
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// Sockets with TLS. Handshakes run in tasks of their own, so that a slow one delays nobody.
pub(crate) struct Tls {
    address: SocketAddr,
    ready: Receiver<(TlsStream<TcpStream>, SocketAddr)>,
}

impl Tls {
    pub(crate) fn new(listener: TcpListener, config: Arc<ServerConfig>) -> io::Result<Self> {
        let address = listener.local_addr()?;
        let (sender, ready) = mpsc::channel(64);
        let acceptor = TlsAcceptor::from(config);
        tokio::spawn(async move {
            loop {
                let (stream, peer) = tokio::select! {
                    accepted = accept(&listener) => accepted,
                    () = sender.closed() => return,
                };
                let (acceptor, sender) = (acceptor.clone(), sender.clone());
                tokio::spawn(async move {
                    if let Ok(Ok(stream)) = timeout(HANDSHAKE, acceptor.accept(stream)).await {
                        let _ = sender.send((stream, peer)).await;
                    }
                });
            }
        });
        Ok(Self { address, ready })
    }
}

impl Listener for Tls {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        match self.ready.recv().await {
            Some(accepted) => accepted,
            // The runtime is shutting down.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(self.address)
    }
}

/// Reads a certificate and its key.
pub(crate) fn tls_config(files: &TlsFiles) -> Result<Arc<ServerConfig>, StartError> {
    let wrong = |path: &Path, why: String| StartError::Tls { path: path.to_owned(), why };
    let open = |path: &Path| {
        File::open(path).map(BufReader::new).map_err(|error| wrong(path, error.to_string()))
    };
    let certificates =
        CertificateDer::pem_reader_iter(open(&files.cert)?).collect::<Result<Vec<_>, _>>();
    let certificates = certificates.map_err(|error| wrong(&files.cert, error.to_string()))?;
    if certificates.is_empty() {
        return Err(wrong(&files.cert, "it has no certificate in PEM form".to_owned()));
    }
    let key = PrivateKeyDer::from_pem_reader(open(&files.key)?);
    let key = key.map_err(|error| wrong(&files.key, error.to_string()))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| wrong(&files.cert, error.to_string()))?
        .with_no_client_auth()
        .with_single_cert(certificates, key)
        .map_err(|error| wrong(&files.cert, error.to_string()))?;
    Ok(Arc::new(config))
}
