//! TLS to `PostgreSQL`. Certificates are always verified, against the system's trusted roots or those in a file.

use std::error::Error;
use std::io::{self, BufReader};
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::ClientConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use skirmish_store::files::open_named;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::Socket;
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_rustls::{TlsConnector, client};

use crate::storage::error::{Result, StorageError};
use crate::tls::client_config;

type Failure = Box<dyn Error + Send + Sync>;

/// The TLS settings for connections.
#[derive(Clone)]
pub(super) struct Tls(Arc<ClientConfig>);

/// Removes `sslmode` and `sslrootcert` from a URL, since the driver does not support all their values. Also returns the TLS
/// settings, if connections are to be encrypted.
pub(super) fn take(url: &str) -> Result<(String, Option<Tls>)> {
    let (server, parameters) = url.rsplit_once('?').unwrap_or((url, ""));
    let (mut mode, mut file, mut others) = ("prefer", None, Vec::new());
    for parameter in parameters.split('&').filter(|parameter| !parameter.is_empty()) {
        match parameter.split_once('=') {
            Some(("sslmode", value)) => mode = value,
            Some(("sslrootcert", value)) => file = Some(value),
            _ => others.push(parameter),
        }
    }
    let separator = if others.is_empty() { "" } else { "?" };
    let url = format!("{server}{separator}{}", others.join("&"));
    let wrong = |why| Err(StorageError::Address(why));
    match (mode, file) {
        ("require" | "verify-full", file) => Ok((url, Some(Tls::new(file)?))),
        ("disable" | "prefer", None) => Ok((url, None)),
        ("disable" | "prefer", Some(_)) => wrong("sslrootcert needs sslmode=verify-full"),
        _ => {
            wrong("expected sslmode=disable, prefer (not encrypted either), require or verify-full")
        }
    }
}

impl Tls {
    /// Trusts the certificates in this file, or the system's root certificates.
    fn new(file: Option<&str>) -> Result<Self> {
        let certificates: Vec<CertificateDer<'static>> = match file {
            Some(file) => {
                let opened = open_named(Path::new(file)).map_err(StorageError::unusable(file))?;
                CertificateDer::pem_reader_iter(BufReader::new(opened))
                    .collect::<Result<_, _>>()
                    .map_err(|error| StorageError::unusable(file)(io::Error::other(error)))?
            }
            None => rustls_native_certs::load_native_certs().certs,
        };
        let why =
            "there is no trusted certificate: name a file with sslrootcert=, or in SSL_CERT_FILE";
        client_config(certificates).map(Self).ok_or(StorageError::Address(why))
    }
}

impl MakeTlsConnect<Socket> for Tls {
    type Stream = Encrypted;
    type TlsConnect = Handshake;
    type Error = Failure;

    fn make_tls_connect(&mut self, host: &str) -> Result<Handshake, Failure> {
        Ok(Handshake(Arc::clone(&self.0), ServerName::try_from(host.to_owned())?))
    }
}

/// The TLS handshake of one connection.
pub(super) struct Handshake(Arc<ClientConfig>, ServerName<'static>);

impl TlsConnect<Socket> for Handshake {
    type Stream = Encrypted;
    type Error = Failure;
    type Future = Pin<Box<dyn Future<Output = Result<Encrypted, Failure>> + Send>>;

    fn connect(self, socket: Socket) -> Self::Future {
        Box::pin(async move {
            let connected = TlsConnector::from(self.0).connect(self.1, socket).await;
            // A wrong certificate must not be reported as a lost connection.
            connected.map(Encrypted).map_err(|error| match error.downcast::<rustls::Error>() {
                Ok(error) => error.into(),
                Err(error) => error.into(),
            })
        })
    }
}

/// A TLS connection.
pub(super) struct Encrypted(client::TlsStream<Socket>);

impl TlsStream for Encrypted {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl AsyncRead for Encrypted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Encrypted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
