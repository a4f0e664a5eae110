//! Child programs: each runs in its own job object with three nonblocking pipes. Job objects end with this process, so
//! no program outlives it, however it ends.

use std::io;
use std::os::windows::io::AsRawHandle;
use std::os::windows::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, CommandWrapper, JobObject};
use win32job::{ExtendedLimitInfo, Job};

use super::pipes::{self, OutputBuffer};
pub use super::pipes::{ChildInput, ChildOutput};
use crate::{Started, Watched, find_program};

/// The polling interval for the end of a program, which is not a pipe event.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The time to wait for the output of a program that has exited; one of its children may keep the pipes open.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

const SUSPENDED: u32 = 0x4;

/// A creation flag that gives the program its own invisible console, so that it receives no Ctrl-C and does not end
/// with ours.
const NO_WINDOW: u32 = 0x0800_0000;

/// A command that runs a program. The standard library does not find `.bat` and `.cmd` files by their bare names.
#[must_use]
pub fn command(program: &str) -> Command {
    Command::new(find_program(program).unwrap_or_else(|| program.into()))
}

/// Starts a program. The environment variable marks all its processes; its value must be unique to the program.
///
/// # Errors
/// If the program cannot be started.
pub fn start(mut command: Command, variable: &'static str, value: &str) -> io::Result<Started> {
    command.env(variable, value);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut limits = ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
    let job = Arc::new(job);
    let mut wrap = CommandWrap::from(command);
    wrap.wrap(AssignToJob(Arc::clone(&job))).wrap(JobObject).wrap(NoWindow);
    let mut child = wrap.spawn()?;
    let (Some(input), Some(output), Some(errors)) =
        (child.stdin().take(), child.stdout().take(), child.stderr().take())
    else {
        unreachable!("a process has the pipes that were asked for")
    };
    let (output, errors) = (ChildOutput::read_from(output)?, ChildOutput::read_from(errors)?);
    let tree = Tree {
        leader: child.id(),
        child: Arc::new(Mutex::new(child)),
        job,
        outputs: [output.buffer(), errors.buffer()],
        exited: Arc::default(),
    };
    Ok(Started { child: Child(tree), input: ChildInput::write_to(input)?, output, errors })
}

/// Puts a program into a job that ends with this process, before [`JobObject`] puts the program into its own job and
/// resumes it.
#[derive(Debug)]
struct AssignToJob(Arc<Job>);

impl CommandWrapper for AssignToJob {
    fn wrap_child(
        &mut self,
        mut child: Box<dyn ChildWrapper>,
        _core: &CommandWrap,
    ) -> io::Result<Box<dyn ChildWrapper>> {
        let handle = child.process_handle().ok_or(io::ErrorKind::Unsupported)?.as_raw_handle();
        if let Err(error) = self.0.assign_process(handle.addr().cast_signed()) {
            drop(child.start_kill());
            return Err(io::Error::other(error));
        }
        Ok(child)
    }
}

/// Adds a flag to the creation flags of [`JobObject`], so it must come after that wrapper.
#[derive(Debug)]
struct NoWindow;

impl CommandWrapper for NoWindow {
    fn pre_spawn(&mut self, command: &mut Command, _core: &CommandWrap) -> io::Result<()> {
        command.creation_flags(SUSPENDED | NO_WINDOW);
        Ok(())
    }
}

/// A started program.
#[derive(Debug)]
pub struct Child(Tree);

impl Child {
    /// The PID.
    #[must_use]
    pub const fn id(&self) -> u32 {
        self.0.leader
    }

    /// The program and all processes that it has started.
    #[must_use]
    pub fn tree(&self) -> Tree {
        self.0.clone()
    }

    /// The exit status, if the program has ended.
    ///
    /// # Errors
    /// If waiting fails.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.0.child().try_wait()
    }
}

/// A program with all processes that it has started, killable from any thread.
#[derive(Clone, Debug)]
pub struct Tree {
    leader: u32,
    child: Arc<Mutex<Box<dyn ChildWrapper>>>,
    job: Arc<Job>,
    outputs: [Arc<OutputBuffer>; 2],
    /// The time at which the program's exit was first noticed.
    exited: Arc<OnceLock<Instant>>,
}

impl Tree {
    /// Kills the program and all its processes.
    pub fn kill(&self) {
        // An error means that all processes have ended.
        drop(self.child().start_kill());
    }

    /// Whether any process started by the program is still running.
    #[must_use]
    pub fn has_members(&self) -> bool {
        let members = self.job.query_process_id_list();
        members.is_ok_and(|ids| ids.iter().any(|&id| u32::try_from(id) != Ok(self.leader)))
    }

    /// Whether the program has ended and all its output has arrived. The output comes from threads, possibly after the
    /// exit.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        self.has_exited()
            && (self.outputs.iter().all(|output| output.is_final())
                || self.exited.get_or_init(Instant::now).elapsed() >= DRAIN_TIMEOUT)
    }

    fn has_exited(&self) -> bool {
        !matches!(self.child().try_wait(), Ok(None))
    }

    /// Waits for the end of the program.
    pub fn reap(&self, until: Instant) {
        while !self.has_exited() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn child(&self) -> MutexGuard<'_, Box<dyn ChildWrapper>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until one of these events has happened or the deadline has passed. May return early.
pub fn wait(watched: &[Watched], until: Instant) {
    let is_ready = || {
        watched.iter().any(|Watched { child, input, outputs }| {
            child.is_some_and(|child| child.0.has_ended())
                || input.is_some_and(ChildInput::is_ready)
                || outputs.iter().flatten().any(|output| output.is_ready())
        })
    };
    pipes::wait_until(is_ready, until.saturating_duration_since(Instant::now()).min(POLL_INTERVAL));
}

/// The signal that ended a program. Windows has none.
#[must_use]
pub const fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}

/// Kills the processes that have this environment variable, and returns their number. Always 0 on Windows, where the
/// processes of a program never outlive it.
#[must_use]
pub const fn kill_marked(_variable: &str, _value: &str) -> usize {
    0
}
