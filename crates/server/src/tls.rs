//! TLS: the server's certificate, and the certificates that it trusts.

use std::io::BufReader;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use skirmish_store::files::open_named;

use crate::server::{StartError, TlsFiles};

/// Reads a certificate and its private key.
pub(crate) fn tls_config(files: &TlsFiles) -> Result<Arc<ServerConfig>, StartError> {
    let wrong = |path: &Path, why: String| StartError::Tls { path: path.to_owned(), why };
    let open = |path: &Path| {
        open_named(path).map(BufReader::new).map_err(|error| wrong(path, error.to_string()))
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

/// Returns the settings of a client that trusts these certificates, unless none of them can be used.
pub(crate) fn client_config(trusted: Vec<CertificateDer<'static>>) -> Option<Arc<ClientConfig>> {
    let mut roots = RootCertStore::empty();
    if roots.add_parsable_certificates(trusted).0 == 0 {
        return None;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("the provider supports the default versions")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Some(Arc::new(config))
}
