//! Programs that we start: each in a job object of its own, with three pipes that never block. A job ends with us, so
//! no program outlives us, however we end.

use std::io;
use std::os::windows::io::AsRawHandle;
use std::os::windows::process::CommandExt;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, CommandWrapper, JobObject};
use win32job::{ExtendedLimitInfo, Job};

use super::pipes;
pub use super::pipes::{ChildInput, ChildOutput};
use crate::{Watched, find_program};

/// The longest wait before a program is looked at again: its end is no event at a pipe.
const GLANCE: Duration = Duration::from_millis(100);

const SUSPENDED: u32 = 0x4;

/// With a console of its own, which nobody sees: Ctrl-C and the end of ours are not for the program.
const NO_WINDOW: u32 = 0x0800_0000;

/// The command that runs a program: the standard library would not find it by its name without `.bat` or `.cmd`.
#[must_use]
pub fn command(program: &str) -> Command {
    Command::new(find_program(program).unwrap_or_else(|| program.into()))
}

/// A program that has been started, with its pipes.
#[derive(Debug)]
pub struct Started {
    /// The program.
    pub child: Child,
    /// Its standard input.
    pub input: ChildInput,
    /// Its standard output.
    pub output: ChildOutput,
    /// Its standard error.
    pub errors: ChildOutput,
}

/// Starts a program. The environment variable marks all its processes; no other program may have the same value.
///
/// # Errors
/// If it cannot be started.
pub fn start(mut command: Command, variable: &'static str, value: &str) -> io::Result<Started> {
    command.env(variable, value);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut limits = ExtendedLimitInfo::new();
    limits.limit_kill_on_job_close();
    let job = Job::create_with_limit_info(&limits).map_err(io::Error::other)?;
    let job = Arc::new(job);
    let mut wrap = CommandWrap::from(command);
    wrap.wrap(Enlist(Arc::clone(&job))).wrap(JobObject).wrap(NoWindow);
    let mut child = wrap.spawn()?;
    let (Some(input), Some(output), Some(errors)) =
        (child.stdin().take(), child.stdout().take(), child.stderr().take())
    else {
        unreachable!("a process has the pipes that were asked for")
    };
    let tree = Tree { leader: child.id(), child: Arc::new(Mutex::new(child)), job };
    Ok(Started {
        child: Child(tree),
        input: ChildInput::write_to(input)?,
        output: ChildOutput::read_from(output)?,
        errors: ChildOutput::read_from(errors)?,
    })
}

/// Puts a program into a job that ends with us, before [`JobObject`] puts it into one of its own and lets it run.
#[derive(Debug)]
struct Enlist(Arc<Job>);

impl CommandWrapper for Enlist {
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

/// Adds to what [`JobObject`] asks for, and so comes after it.
#[derive(Debug)]
struct NoWindow;

impl CommandWrapper for NoWindow {
    fn pre_spawn(&mut self, command: &mut Command, _core: &CommandWrap) -> io::Result<()> {
        command.creation_flags(SUSPENDED | NO_WINDOW);
        Ok(())
    }
}

/// A program that has been started.
#[derive(Debug)]
pub struct Child(Tree);

impl Child {
    /// Its PID.
    #[must_use]
    pub const fn id(&self) -> u32 {
        self.0.leader
    }

    /// The program and all processes it has started.
    #[must_use]
    pub fn tree(&self) -> Tree {
        self.0.clone()
    }

    /// How the program ended, if it has.
    ///
    /// # Errors
    /// If it cannot be waited for.
    pub fn try_wait(&mut self) -> io::Result<Option<ExitStatus>> {
        self.0.child().try_wait()
    }
}

/// A program with all it has started, to be killed from any thread.
#[derive(Clone, Debug)]
pub struct Tree {
    leader: u32,
    child: Arc<Mutex<Box<dyn ChildWrapper>>>,
    job: Arc<Job>,
}

impl Tree {
    /// Kills the program and all its processes.
    pub fn kill(&self) {
        // An error means that all have ended already.
        drop(self.child().start_kill());
    }

    /// Whether any process that the program started still runs.
    #[must_use]
    pub fn has_members(&self) -> bool {
        let members = self.job.query_process_id_list();
        members.is_ok_and(|ids| ids.iter().any(|&id| u32::try_from(id) != Ok(self.leader)))
    }

    /// Whether the program has ended.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        !matches!(self.child().try_wait(), Ok(None))
    }

    /// Waits for the end of the program.
    pub fn reap(&self, until: Instant) {
        while !self.has_ended() && Instant::now() < until {
            thread::sleep(Duration::from_millis(1));
        }
    }

    fn child(&self) -> MutexGuard<'_, Box<dyn ChildWrapper>> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Waits until one of these events has happened or the deadline has passed. It may return early.
pub fn wait(watched: &[Watched], until: Instant) {
    let is_ready = || {
        watched.iter().any(|Watched { child, input, outputs }| {
            child.is_some_and(|child| child.0.has_ended())
                || input.is_some_and(ChildInput::is_ready)
                || outputs.iter().flatten().any(|output| output.is_ready())
        })
    };
    pipes::wait_until(is_ready, until.saturating_duration_since(Instant::now()).min(GLANCE));
}

/// The signal that ended a program: there are none.
#[must_use]
pub const fn signal_of(_status: ExitStatus) -> Option<i32> {
    None
}

/// Whether a program could not be started for want of memory, processes or handles.
#[must_use]
pub fn lacks_resources(error: &io::Error) -> bool {
    const TOO_MANY_OPEN_FILES: i32 = 4;
    const NOT_ENOUGH_MEMORY: i32 = 8;
    const NO_SYSTEM_RESOURCES: i32 = 1450;
    const COMMITMENT_LIMIT: i32 = 1455;
    let lacking = [TOO_MANY_OPEN_FILES, NOT_ENOUGH_MEMORY, NO_SYSTEM_RESOURCES, COMMITMENT_LIMIT];
    error.raw_os_error().is_some_and(|code| lacking.contains(&code))
}

/// Kills the processes that have this environment variable, and tells how many there were: on Windows, the processes of
/// a program never outlive it.
#[must_use]
pub const fn kill_marked(_variable: &str, _value: &str) -> usize {
    0
}
