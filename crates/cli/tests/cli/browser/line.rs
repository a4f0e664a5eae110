//! A network link between a client and the server that can be cut or frozen.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// Forwards connections until it is cut.
pub(crate) struct Line {
    pub(crate) url: String,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    is_cut: bool,
    open: Vec<TcpStream>,
    /// Whether the currently open connections are frozen.
    is_frozen: Arc<AtomicBool>,
}

impl Line {
    /// A line to the server at this address.
    pub(crate) fn to(server: &str) -> Self {
        Self::with(server, "")
    }

    /// A line for a client at another address: a proxy that forwards this address. The server must trust the proxy.
    pub(crate) fn from(client: &str, server: &str) -> Self {
        Self::with(server, &format!("X-Forwarded-For: {client}\r\n"))
    }

    /// A line that adds this header to the first request of a connection.
    fn with(server: &str, header: &str) -> Self {
        let header = header.to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}", listener.local_addr().expect("it is bound"));
        let address = server.split("//").nth(1).expect("an address").to_owned();
        let state: Arc<Mutex<State>> = Arc::default();
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let mut state = shared.lock().expect("nobody panics with it");
                if let (false, Ok(far)) = (state.is_cut, TcpStream::connect(&address))
                    && let Ok(copies) = pass_on(&near, &far, &header, &state.is_frozen)
                {
                    state.open.extend(copies);
                }
            }
        });
        Self { url, state }
    }

    /// Cuts all connections, and allows no new ones.
    pub(crate) fn cut(&self) {
        let mut state = self.state.lock().expect("nobody panics with it");
        state.is_cut = true;
        for stream in state.open.drain(..) {
            // The stream may be closed already.
            drop(stream.shutdown(Shutdown::Both));
        }
    }

    /// Freezes the open connections without closing them, as if their node had hung. New connections reach another node.
    pub(crate) fn freeze(&self) {
        let mut state = self.state.lock().expect("nobody panics with it");
        std::mem::take(&mut state.is_frozen).store(true, Ordering::SeqCst);
    }

    pub(crate) fn mend(&self) {
        self.state.lock().expect("nobody panics with it").is_cut = false;
    }
}

fn pass_on(
    near: &TcpStream,
    far: &TcpStream,
    header: &str,
    is_frozen: &Arc<AtomicBool>,
) -> io::Result<[TcpStream; 2]> {
    for (from, to, header) in [(near, far, header), (far, near, "")] {
        let (mut from, mut to) = (from.try_clone()?, to.try_clone()?);
        to.set_nodelay(true)?;
        let (header, is_frozen) = (header.to_owned(), Arc::clone(is_frozen));
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            if !header.is_empty() {
                let count = from.read(&mut buffer).unwrap_or(0);
                let line =
                    buffer[..count].iter().position(|&byte| byte == b'\n').map_or(0, |at| at + 1);
                let head = [&buffer[..line], header.as_bytes(), &buffer[line..count]].concat();
                drop(to.write_all(&head));
            }
            while let Ok(count @ 1..) = from.read(&mut buffer) {
                if is_frozen.load(Ordering::SeqCst) {
                    // The copies in the line's state keep the connection open.
                    return;
                }
                if to.write_all(&buffer[..count]).is_err() {
                    break;
                }
            }
            drop(to.shutdown(Shutdown::Both));
            drop(from.shutdown(Shutdown::Both));
        });
    }
    Ok([near.try_clone()?, far.try_clone()?])
}
