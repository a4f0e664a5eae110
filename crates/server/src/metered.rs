//! A socket with a limited read rate: messages cost credits, but some frames never become messages. While closing, the socket
//! briefly discards incoming data.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

use crate::limits::Credits;

/// How long a closing socket waits for the client to close too. Unread bytes would make the system reset the connection, and
/// the client might lose the last response.
const LINGER: Duration = Duration::from_secs(2);

/// Maximum number of bytes discarded while closing. A client that sends more is not waiting for the response.
const DRAINED: usize = 64 << 10;

/// A socket with a limited read rate.
pub(crate) struct Metered<S> {
    stream: S,
    rate: Credits,
    /// When the bytes read so far would have arrived at that rate.
    until: Instant,
    /// Set while reading is ahead of the rate. Most sockets never need it.
    pause: Option<Pin<Box<Sleep>>>,
    /// Set once writing has ended: a timer, and the number of bytes read since.
    linger: Option<(Pin<Box<Sleep>>, usize)>,
}

impl<S> Metered<S> {
    pub(crate) fn new(stream: S, rate: Credits) -> Self {
        Self { stream, rate, until: Instant::now(), pause: None, linger: None }
    }

    /// Counts bytes. Returns how long to wait before reading more, if at all.
    fn count(&mut self, bytes: usize) -> Option<Duration> {
        let seconds = |bytes: f64| Duration::from_secs_f64(bytes / f64::from(self.rate.per_second));
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let now = Instant::now();
        self.until = self.until.max(now) + seconds(bytes.into());
        let ahead = self.until - now;
        ahead.checked_sub(seconds(self.rate.most.into())).filter(|wait| !wait.is_zero())
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Some(pause) = &mut this.pause {
            ready!(pause.as_mut().poll(context));
            this.pause = None;
        }
        let before = buffer.filled().len();
        ready!(Pin::new(&mut this.stream).poll_read(context, buffer))?;
        let wait = this.count(buffer.filled().len() - before);
        this.pause = wait.map(|wait| Box::pin(sleep(wait)));
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.linger.is_none() {
            ready!(Pin::new(&mut self.stream).poll_shutdown(context))?;
        }
        let this = self.get_mut();
        let (linger, drained) = this.linger.get_or_insert_with(|| (Box::pin(sleep(LINGER)), 0));
        if linger.as_mut().poll(context).is_ready() {
            return Poll::Ready(Ok(()));
        }
        if *drained >= DRAINED {
            return Poll::Pending;
        }
        let mut rest = [0; 8 << 10];
        let mut rest = ReadBuf::new(&mut rest);
        if ready!(Pin::new(&mut this.stream).poll_read(context, &mut rest)).is_err()
            || rest.filled().is_empty()
        {
            return Poll::Ready(Ok(()));
        }
        *drained += rest.filled().len();
        // Let other tasks run first.
        context.waker().wake_by_ref();
        Poll::Pending
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use std::task::Waker;

    use tokio::io::{AsyncReadExt, Join, Repeat, Sink};

    use super::*;

    /// Measures how long it takes to read this many available bytes.
    fn time_for(bytes: u32, rate: Credits) -> Duration {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        runtime.block_on(async {
            let begun = std::time::Instant::now();
            let mut socket = Metered::new(tokio::io::repeat(0), rate);
            let mut part = [0; 512];
            for _ in 0..bytes / 512 {
                socket.read_exact(&mut part).await.expect("it never ends");
            }
            begun.elapsed()
        })
    }

    #[test]
    fn whoever_sends_more_than_messages_need_waits() {
        let rate = Credits { most: 10 << 10, per_second: 100 << 10 };
        assert!(time_for(40 << 10, rate) >= Duration::from_millis(250), "30 KiB too many");
        let generous = Credits { most: 1 << 30, per_second: 1 };
        assert!(time_for(1 << 20, generous) < Duration::from_mins(1), "nobody waits for nothing");
    }

    #[test]
    fn whoever_floods_a_socket_that_is_being_closed_is_soon_ignored() {
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        let _guard = runtime.enter();
        let flood: Join<Repeat, Sink> = tokio::io::join(tokio::io::repeat(0), tokio::io::sink());
        let mut socket = Metered::new(flood, Credits { most: 1, per_second: 1 });
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..100 {
            let closed = Pin::new(&mut socket).poll_shutdown(&mut context);
            assert!(closed.is_pending(), "the client gets time to read the response");
        }
        assert_eq!(socket.linger.map(|(_, drained)| drained), Some(DRAINED));
    }
}
