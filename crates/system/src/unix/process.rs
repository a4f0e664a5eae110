//! Child programs: each leads its own session, has three nonblocking pipes, and inherits no other file descriptors.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::process::{ChildStdin, Command, ExitStatus, Stdio};
use std::sync::{LazyLock, Mutex, PoisonError, mpsc};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::ioctl_fionbio;
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use super::owned;
pub use super::owned::kill_marked;
use crate::{Started, Watched};

/// The polling interval for programs without a pidfd.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// A command that runs a program.
#[must_use]
pub fn command(program: &str) -> Command {
    Command::new(program)
}

/// Starts a program. The environment variable marks all its processes; its value must be unique to the program.
///
/// # Errors
/// If the program cannot be started.
pub fn start(mut command: Command, variable: &'static str, value: &str) -> io::Result<Started> {
    command.env(variable, value).stdin(Stdio::piped()).stderr(Stdio::piped());
    let timed = if let Ok((output, end)) = timed_pipe() {
        command.stdout(end);
        Some(output)
    } else {
        command.stdout(Stdio::piped());
        None
    };
    let mut child = spawn(command)?;
    let piped = child.stdout().take().map(|output| File::from(OwnedFd::from(output)));
    let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let (Some(leader), Some(input), Some(output), Some(errors)) =
        (leader, child.stdin().take(), timed.or(piped), child.stderr().take())
    else {
        unreachable!("a process has a positive number, and pipes that were asked for")
    };
    let tree = Tree { leader, variable, value: value.to_owned() };
    let started = Started {
        child: Child { process: child, pidfd: pidfd_of(leader), tree },
        input: ChildInput(input),
        output: ChildOutput(output),
        errors: ChildOutput(File::from(OwnedFd::from(errors))),
    };
    if let Err(error) = never_block(&started) {
        let Child { tree, mut process, .. } = started.child;
        tree.kill();
        drop(process.wait());
        return Err(error);
    }
    Ok(started)
}

fn never_block(Started { input, output, errors, .. }: &Started) -> io::Result<()> {
    ioctl_fionbio(&input.0, true)?;
    ioctl_fionbio(&output.0, true)?;
    Ok(ioctl_fionbio(&errors.0, true)?)
}

/// A started program.
#[derive(Debug)]
pub struct Child {
    process: Box<dyn ChildWrapper>,
    /// Becomes readable when the program ends, on systems with pidfds.
    pidfd: Option<OwnedFd>,
    tree: Tree,
}

impl Child {
    /// The PID.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// The program and all processes that it has started.
    #[must_use]
    pub fn tree(&self) -> Tree {
        self.tree.clone()
    }

    /// Reaps the program if it has ended.
    ///
    /// # Errors
    /// If waiting fails.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.process.try_wait()
    }
}

/// A program with all processes that it has started, killable from any thread. Do not use it after the program has been
/// reaped: its PID can be reused.
#[derive(Clone, Debug)]
pub struct Tree {
    leader: Pid,
    variable: &'static str,
    value: String,
}

impl Tree {
    /// Kills the program and all its processes.
    pub fn kill(&self) {
        owned::kill_tree(self.leader, self.variable, &self.value);
    }

    /// Whether any process started by the program is still running.
    #[must_use]
    pub fn has_members(&self) -> bool {
        owned::has_members(self.leader, self.variable, &self.value)
    }

    /// Whether the program has ended, without reaping it.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that the program has already been reaped.
        !matches!(waitid(WaitId::Pid(self.leader), options), Ok(None))
    }

    /// Reaps the program if it ends in time: not every container has an init process that would reap it later.
    pub fn reap(&self, until: Instant) {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG;
        while matches!(waitid(WaitId::Pid(self.leader), options), Ok(None))
            && Instant::now() < until
        {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

/// A program's standard input. Writing fails with `WouldBlock` while the pipe is full.
#[derive(Debug)]
pub struct ChildInput(ChildStdin);

impl Write for ChildInput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// A program's output. Reading fails with `WouldBlock` while the pipe is empty.
#[derive(Debug)]
pub struct ChildOutput(File);

impl Read for ChildOutput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl ChildOutput {
    /// The time of the program's last write, as far as the system knows. Based on the change time (ctime): unlike the
    /// modification time (mtime), the program cannot set it to the past.
    #[must_use]
    pub fn last_written(&self) -> Option<Instant> {
        let data = self.0.metadata().ok()?;
        let seconds = Duration::from_secs(data.ctime().try_into().ok()?);
        let fraction = Duration::from_nanos(data.ctime_nsec().try_into().ok()?);
        let now = Instant::now();
        // If the clock has since been set back, use the current time.
        let written = SystemTime::UNIX_EPOCH + seconds + fraction;
        now.checked_sub(written.elapsed().unwrap_or_default())
    }
}

/// Waits until one of these events has happened or the deadline has passed. May return early.
pub fn wait(watched: &[Watched], until: Instant) {
    let is_polling = watched.iter().any(|one| one.child.is_some_and(|child| child.pidfd.is_none()));
    let left = until.saturating_duration_since(Instant::now());
    let left = if is_polling { left.min(POLL_INTERVAL) } else { left };
    let timeout = Timespec::try_from(left).unwrap_or(Timespec { tv_sec: 60, tv_nsec: 0 });
    let mut descriptors = Vec::with_capacity(watched.len() * 4);
    for Watched { child, input, outputs } in watched {
        for output in outputs.iter().flatten() {
            descriptors.push(PollFd::new(&output.0, PollFlags::IN));
        }
        if let Some(pidfd) = child.and_then(|child| child.pidfd.as_ref()) {
            descriptors.push(PollFd::new(pidfd, PollFlags::IN));
        }
        if let Some(input) = input {
            descriptors.push(PollFd::new(&input.0, PollFlags::OUT));
        }
    }
    // An interrupted wait counts as an early return.
    let _ = poll(&mut descriptors, Some(&timeout));
}

/// The signal that ended a program.
#[must_use]
pub fn signal_of(status: ExitStatus) -> Option<i32> {
    status.signal()
}

/// Starts a program on a thread that lives as long as this process, because a sandbox ends with the thread that started
/// it.
fn spawn(command: Command) -> io::Result<Box<dyn ChildWrapper>> {
    type SpawnResult = io::Result<Box<dyn ChildWrapper>>;
    type SpawnRequest = (Command, mpsc::Sender<SpawnResult>);
    static SPAWNER: LazyLock<Mutex<mpsc::Sender<SpawnRequest>>> = LazyLock::new(|| {
        let (sender, requests) = mpsc::channel::<SpawnRequest>();
        let serve = move || {
            for (command, answer) in requests {
                // The requester is waiting, so sending cannot fail.
                let _ = answer.send(spawn_session(command));
            }
        };
        // If the thread cannot be started, the channel is closed.
        drop(thread::Builder::new().name("spawner".to_owned()).spawn(serve));
        Mutex::new(sender)
    });
    let (sender, answer) = mpsc::channel();
    let gone = || io::Error::from(io::ErrorKind::OutOfMemory);
    let spawner = SPAWNER.lock().unwrap_or_else(PoisonError::into_inner);
    spawner.send((command, sender)).map_err(|_| gone())?;
    answer.recv().map_err(|_| gone())?
}

fn spawn_session(command: Command) -> io::Result<Box<dyn ChildWrapper>> {
    // Bots must not inherit descriptors from a shell, such as those of `<(…)`.
    close_fds::set_fds_cloexec_threadsafe(3, &[]);
    let child = CommandWrap::from(command).wrap(ProcessSession).spawn()?;
    // Unwrap the child: the wrapper would wait for the entire process group.
    Ok(child.into_inner())
}

/// A pipe that records the time of the last write: an unlinked FIFO, because anonymous pipes no longer record it since
/// Linux 6.15. The FIFO is created where no sandbox can open it before it is unlinked.
#[cfg(target_os = "linux")]
fn timed_pipe() -> io::Result<(File, File)> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};

    let folder = tempfile::tempdir_in("/dev/shm")?;
    let path = folder.path().join("output");
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
    // Opened in this order, neither call blocks.
    let output = File::options().read(true).custom_flags(flags).open(&path)?;
    let end = File::options().write(true).open(&path)?;
    Ok((output, end))
}

#[cfg(not(target_os = "linux"))]
fn timed_pipe() -> io::Result<(File, File)> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(target_os = "linux")]
fn pidfd_of(program: Pid) -> Option<OwnedFd> {
    use rustix::process::{PidfdFlags, pidfd_open};
    pidfd_open(program, PidfdFlags::empty()).ok()
}

#[cfg(not(target_os = "linux"))]
fn pidfd_of(_program: Pid) -> Option<OwnedFd> {
    None
}
