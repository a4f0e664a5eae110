//! Console control events as an iterator, for a thread that waits for them.

use std::future::poll_fn;
use std::io;
use std::task::Poll;

use tokio::runtime::{Builder, Runtime};
use tokio::signal::windows::{
    CtrlBreak, CtrlC, CtrlClose, CtrlLogoff, CtrlShutdown, ctrl_break, ctrl_c, ctrl_close,
    ctrl_logoff, ctrl_shutdown,
};

use crate::{HANG_UP, INTERRUPT, Signal, TERMINATE};

/// An iterator over all events received from now on. After the window is closed, the system grants a few seconds,
/// because Tokio's handler does not return.
#[derive(Debug)]
pub struct Signals {
    runtime: Runtime,
    interrupted: CtrlC,
    broken: CtrlBreak,
    closed: CtrlClose,
    logged_off: CtrlLogoff,
    shut_down: CtrlShutdown,
}

impl Signals {
    /// The events that end a program.
    ///
    /// # Errors
    /// If the system call fails.
    pub fn ending() -> io::Result<Self> {
        Ok(Self {
            runtime: Builder::new_current_thread().build()?,
            interrupted: ctrl_c()?,
            broken: ctrl_break()?,
            closed: ctrl_close()?,
            logged_off: ctrl_logoff()?,
            shut_down: ctrl_shutdown()?,
        })
    }

    /// The events that a full-screen program must handle: the same as [`Signals::ending`].
    ///
    /// # Errors
    /// If the system call fails.
    pub fn all() -> io::Result<Self> {
        Self::ending()
    }
}

impl Iterator for Signals {
    type Item = Signal;

    /// Waits for the next event.
    fn next(&mut self) -> Option<Signal> {
        let Self { runtime, interrupted, broken, closed, logged_off, shut_down } = self;
        let next = poll_fn(|context| {
            let number = if interrupted.poll_recv(context).is_ready()
                || broken.poll_recv(context).is_ready()
            {
                INTERRUPT
            } else if closed.poll_recv(context).is_ready() {
                HANG_UP
            } else if logged_off.poll_recv(context).is_ready()
                || shut_down.poll_recv(context).is_ready()
            {
                TERMINATE
            } else {
                return Poll::Pending;
            };
            Poll::Ready(Signal::End(number))
        });
        Some(runtime.block_on(next))
    }
}

/// Does nothing: Windows cannot suspend a program.
///
/// Never fails.
/// None.
pub const fn suspend() -> io::Result<()> {
    Ok(())
}
