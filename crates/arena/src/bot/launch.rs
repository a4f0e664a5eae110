//! Starts a bot's program: as the leader of a session of its own, with three pipes and nothing else of ours.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::process::{ChildStderr, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{LazyLock, Mutex, PoisonError, mpsc};
use std::{io, thread};

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use rustix::process::Pid;
use skirmish_play::player::BotCommand;

use super::owned::{BOT_MARK, TOURNAMENT_MARK};
use super::sandbox;

/// What the processes of one bot carry in their environment.
#[derive(Debug)]
pub(super) struct Mark {
    bot: String,
    number: u32,
}

impl Mark {
    /// A mark that no other bot has, on this machine or on another.
    pub(super) fn fresh() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Relaxed);
        Self { bot: format!("{:016x}-{number}", program_id()), number }
    }

    pub(super) fn bot(&self) -> &str {
        &self.bot
    }

    /// The user that a bot becomes in a sandbox if we are root: one that nobody else is.
    pub(super) fn user(&self) -> u32 {
        const FIRST: u32 = 0x7000_0000;
        let program = u32::try_from(program_id() & 0xfff).unwrap_or_default();
        FIRST + (program << 16 | self.number & 0xffff)
    }
}

/// A number that tells this run of the program from all others.
fn program_id() -> u64 {
    static ID: LazyLock<u64> =
        LazyLock::new(|| getrandom::u64().unwrap_or_else(|_| std::process::id().into()));
    *ID
}

/// A program that has been started.
pub(super) struct Launched {
    child: Box<dyn ChildWrapper>,
    pub(super) input: Option<ChildStdin>,
    pub(super) output: Option<File>,
    pub(super) errors: Option<ChildStderr>,
}

impl Launched {
    pub(super) fn start(command: &BotCommand, mark: &Mark) -> io::Result<Self> {
        let mut starting = if let Some(sandbox) = command.sandbox {
            sandbox::command(sandbox, &command.words, mark.user())?
        } else {
            let (program, arguments) =
                command.words.split_first().expect("a command has a program");
            let mut starting = Command::new(program);
            starting.args(arguments);
            starting
        };
        starting.env(BOT_MARK, mark.bot());
        match command.tournament.as_deref() {
            Some(tournament) => starting.env(TOURNAMENT_MARK, tournament),
            None => starting.env_remove(TOURNAMENT_MARK),
        };
        starting.stdin(Stdio::piped()).stderr(Stdio::piped());
        let output = if let Ok((output, end)) = timed_pipe() {
            starting.stdout(end);
            Some(output)
        } else {
            starting.stdout(Stdio::piped());
            None
        };
        let mut child = spawn(starting)?;
        let piped = child.stdout().take().map(|output| File::from(OwnedFd::from(output)));
        let (input, errors) = (child.stdin().take(), child.stderr().take());
        Ok(Self { child, input, output: output.or(piped), errors })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(super) fn pid(&self) -> Pid {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        pid.expect("a process has a positive number")
    }

    /// Reaps the program if it has ended.
    pub(super) fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.child.try_wait()
    }
}

/// Starts a program on a thread that lives as long as ours: a sandbox ends when the thread ends that started it.
fn spawn(command: Command) -> io::Result<Box<dyn ChildWrapper>> {
    type Answer = io::Result<Box<dyn ChildWrapper>>;
    type Request = (Command, mpsc::Sender<Answer>);
    static SPAWNER: LazyLock<Mutex<mpsc::Sender<Request>>> = LazyLock::new(|| {
        let (sender, requests) = mpsc::channel::<Request>();
        let serve = move || {
            for (command, answer) in requests {
                // Whoever asked waits for the answer.
                let _ = answer.send(spawn_session(command));
            }
        };
        // If there is no room for a thread, nobody answers.
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
    // Descriptors that a shell has left us, such as those of `<(…)`, are not for bots.
    close_fds::set_fds_cloexec_threadsafe(3, &[]);
    let child = CommandWrap::from(command).wrap(ProcessSession).spawn()?;
    // The wrapper would wait for the whole process group.
    Ok(child.into_inner())
}

/// A pipe that tells when it was last written to: a FIFO without a name. Since Linux 6.15, anonymous pipes do not.
/// It lies where no sandbox can open it while it has a name.
#[cfg(target_os = "linux")]
fn timed_pipe() -> io::Result<(File, File)> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};

    let folder = tempfile::tempdir_in("/dev/shm")?;
    let path = folder.path().join("output");
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).map_err(io::Error::other)?;
    // Opened in this order, neither waits for the other.
    let output = File::options().read(true).custom_flags(flags).open(&path)?;
    let end = File::options().write(true).open(&path)?;
    Ok((output, end))
}

#[cfg(not(target_os = "linux"))]
fn timed_pipe() -> io::Result<(File, File)> {
    Err(io::ErrorKind::Unsupported.into())
}
