//! Nonblocking pipes. Each pipe has a bounded buffer, and a thread that reads or writes.

use std::collections::VecDeque;
use std::io::{self, Read, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The capacity of a buffer; a reading thread waits while it is full.
const BUFFER_SIZE: usize = 64 << 10;

/// The number of events so far at all pipes.
static EVENTS: Mutex<u64> = Mutex::new(0);

/// Notified when `EVENTS` changes.
static HAPPENED: Condvar = Condvar::new();

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn notify() {
    *lock(&EVENTS) += 1;
    HAPPENED.notify_all();
}

/// Waits until `is_ready` returns true or the timeout has passed.
pub(super) fn wait_until(is_ready: impl Fn() -> bool, timeout: Duration) {
    let deadline = Instant::now() + timeout;
    loop {
        // Read the counter before the check, so that no event in between is missed.
        let seen = *lock(&EVENTS);
        let left = deadline.saturating_duration_since(Instant::now());
        if is_ready() || left.is_zero() {
            return;
        }
        let waited = HAPPENED.wait_timeout_while(lock(&EVENTS), left, |events| *events == seen);
        drop(waited);
    }
}

/// A pipe to read from.
#[derive(Debug)]
pub struct ChildOutput(Arc<OutputBuffer>);

/// The data that a thread has read from a pipe.
#[derive(Debug, Default)]
pub(super) struct OutputBuffer(Mutex<Incoming>, Condvar);

#[derive(Debug, Default)]
struct Incoming {
    bytes: VecDeque<u8>,
    last_written: Option<Instant>,
    /// Whether the pipe is closed.
    is_over: bool,
    /// Whether the reader is gone.
    is_abandoned: bool,
}

impl OutputBuffer {
    /// Whether no more data will arrive for the reader.
    pub(super) fn is_final(&self) -> bool {
        let incoming = lock(&self.0);
        incoming.is_over || incoming.is_abandoned
    }
}

impl ChildOutput {
    pub(super) fn read_from(mut pipe: impl Read + Send + 'static) -> io::Result<Self> {
        let output = Self(Arc::default());
        let shared = Arc::clone(&output.0);
        thread::Builder::new().name("pipe reader".to_owned()).spawn(move || {
            let OutputBuffer(incoming, changed) = &*shared;
            let mut chunk = [0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut chunk) {
                let written = Instant::now();
                let is_full = |incoming: &mut Incoming| {
                    incoming.bytes.len() >= BUFFER_SIZE && !incoming.is_abandoned
                };
                let waited = changed.wait_while(lock(incoming), is_full);
                let mut incoming = waited.unwrap_or_else(PoisonError::into_inner);
                if incoming.is_abandoned {
                    break;
                }
                incoming.bytes.extend(&chunk[..count]);
                incoming.last_written = Some(written);
                drop(incoming);
                notify();
            }
            lock(incoming).is_over = true;
            notify();
        })?;
        Ok(output)
    }

    pub(super) fn buffer(&self) -> Arc<OutputBuffer> {
        Arc::clone(&self.0)
    }

    /// The time when data last arrived.
    #[must_use]
    pub fn last_written(&self) -> Option<Instant> {
        lock(&self.0.0).last_written
    }

    pub(super) fn is_ready(&self) -> bool {
        let incoming = lock(&self.0.0);
        incoming.is_over || !incoming.bytes.is_empty()
    }
}

impl Read for ChildOutput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let OutputBuffer(incoming, changed) = &*self.0;
        let mut incoming = lock(incoming);
        if incoming.bytes.is_empty() && !incoming.is_over {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        changed.notify_all();
        // Reading a ring buffer stops at the wrap-around, but a short read must mean that the pipe is empty.
        incoming.bytes.make_contiguous();
        incoming.bytes.read(buffer)
    }
}

impl Drop for ChildOutput {
    fn drop(&mut self) {
        lock(&self.0.0).is_abandoned = true;
        self.0.1.notify_all();
    }
}

/// A pipe to write to.
#[derive(Debug)]
pub struct ChildInput(Arc<(Mutex<Outgoing>, Condvar)>);

#[derive(Debug, Default)]
struct Outgoing {
    bytes: Vec<u8>,
    /// Whether the reader is gone.
    is_broken: bool,
    /// Whether the writer is gone: the pipe is closed once the buffer has been written.
    is_over: bool,
}

impl ChildInput {
    pub(super) fn write_to(mut pipe: impl Write + Send + 'static) -> io::Result<Self> {
        let input = Self(Arc::default());
        let shared = Arc::clone(&input.0);
        thread::Builder::new().name("pipe writer".to_owned()).spawn(move || {
            let (outgoing, changed) = &*shared;
            loop {
                let is_idle =
                    |outgoing: &mut Outgoing| outgoing.bytes.is_empty() && !outgoing.is_over;
                let waited = changed.wait_while(lock(outgoing), is_idle);
                let bytes =
                    std::mem::take(&mut waited.unwrap_or_else(PoisonError::into_inner).bytes);
                if bytes.is_empty() {
                    return;
                }
                let written = pipe.write_all(&bytes).and_then(|()| pipe.flush());
                lock(outgoing).is_broken = written.is_err();
                notify();
                if written.is_err() {
                    return;
                }
            }
        })?;
        Ok(input)
    }

    pub(super) fn is_ready(&self) -> bool {
        let outgoing = lock(&self.0.0);
        outgoing.is_broken || outgoing.bytes.len() < BUFFER_SIZE
    }
}

impl Write for ChildInput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let (outgoing, changed) = &*self.0;
        let mut outgoing = lock(outgoing);
        if outgoing.is_broken {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let count = bytes.len().min(BUFFER_SIZE.saturating_sub(outgoing.bytes.len()));
        if count == 0 && !bytes.is_empty() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        outgoing.bytes.extend(&bytes[..count]);
        changed.notify_all();
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for ChildInput {
    fn drop(&mut self) {
        lock(&self.0.0).is_over = true;
        self.0.1.notify_all();
    }
}
