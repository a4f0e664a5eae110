//! A TCP proxy in front of a server; tests can cut the connection and restore it.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread;

/// A proxied connection to a server, which tests can cut and restore.
#[derive(Clone)]
pub(crate) struct Line {
    address: SocketAddr,
    is_cut: Arc<AtomicBool>,
    ends: Arc<Mutex<Vec<TcpStream>>>,
}

impl Line {
    /// Starts a proxy to the server at this address.
    pub(crate) fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (is_cut, ends) = (Arc::new(AtomicBool::new(false)), Arc::<Mutex<Vec<_>>>::default());
        let line = Self { address, is_cut: Arc::clone(&is_cut), ends: Arc::clone(&ends) };
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if is_cut.load(SeqCst) {
                    continue;
                }
                let Ok(server) = TcpStream::connect(server) else { continue };
                let _ = (client.set_nodelay(true), server.set_nodelay(true));
                let clone = |stream: &TcpStream| stream.try_clone().expect("a socket");
                let mut ends = ends.lock().expect("no panic");
                // The line may have been cut in the meantime.
                if is_cut.load(SeqCst) {
                    continue;
                }
                ends.extend([clone(&client), clone(&server)]);
                drop(ends);
                let (from, to) = (clone(&client), clone(&server));
                thread::spawn(move || pass(from, to));
                thread::spawn(move || pass(server, client));
            }
        });
        line
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Cuts the line: existing connections break, and new ones fail.
    pub(crate) fn cut(&self) {
        self.is_cut.store(true, SeqCst);
        for end in self.ends.lock().expect("no panic").drain(..) {
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    /// Whether the line is cut.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut.load(SeqCst)
    }

    /// Restores the line.
    pub(crate) fn mend(&self) {
        self.is_cut.store(false, SeqCst);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    let _ = io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Both);
}
