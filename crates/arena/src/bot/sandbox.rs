//! A sandbox for untrusted bots: bubblewrap creates separate namespaces for each bot, and util-linux tools set resource
//! limits.
//!
//! A bot in a sandbox sees no other processes, no network and no terminal. It can read any file that we can, except in
//! hidden folders, but can write only to its private folder, which is deleted when it ends.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use skirmish_play::player::Sandbox;
use skirmish_store::data_folder;
use skirmish_system::find_program;
use skirmish_system::machine::{self, is_root};

use super::log::last_line;
use super::seccomp;

/// The folder that a bot can write to, private to the bot and kept in memory.
pub const PRIVATE_FOLDER: &str = "/tmp";

/// The size limit of the private folder, and of shared memory.
const PRIVATE_SIZE: u64 = 256 << 20;

/// Folders that appear empty in a sandbox, because they hold sockets through which a bot could reach other programs.
const HIDDEN: [&str; 2] = ["/run", "/var/tmp"];

/// The environment variables that a bot keeps, besides `LC_*`.
const KEPT_VARIABLES: [&str; 3] = ["PATH", "LANG", "TZ"];

/// The reasons why bots cannot run in a sandbox.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SandboxError {
    /// The system is not Linux.
    #[error("--sandbox works on Linux only")]
    NotLinux,
    /// A tool is missing; the second field names the package to install.
    #[error("--sandbox needs the program {0}: install the package {1}")]
    Missing(&'static str, &'static str),
    /// The tools exist but fail.
    #[error("--sandbox does not work here: {0}")]
    Unusable(String),
    /// The working directory would appear empty in a sandbox.
    #[error(
        "--sandbox cannot be used in {}, which is empty in a sandbox: use a folder of its own", .0.display()
    )]
    WorkingDirectory(PathBuf),
}

/// Checks that the sandbox works, by running a trial program in it.
///
/// # Errors
/// If bots cannot run in this sandbox.
pub fn check_sandbox(sandbox: Sandbox) -> Result<(), SandboxError> {
    if !machine::HAS_NAMESPACES {
        return Err(SandboxError::NotLinux);
    }
    let tools = [("bwrap", "bubblewrap"), ("prlimit", "util-linux"), ("choom", "util-linux")];
    let privileged = is_root().then_some(("setpriv", "util-linux"));
    for (program, package) in tools.into_iter().chain(privileged) {
        if find_program(program).is_none() {
            return Err(SandboxError::Missing(program, package));
        }
    }
    let directory = std::env::current_dir().unwrap_or_default();
    if hidden_folders(&directory).contains(&directory) || directory == Path::new(PRIVATE_FOLDER) {
        return Err(SandboxError::WorkingDirectory(directory));
    }
    let unusable = |error: io::Error| SandboxError::Unusable(error.to_string());
    let mut trial = command(sandbox, &["true".to_owned()], u32::MAX >> 1).map_err(unusable)?;
    let ran = trial.stdin(Stdio::null()).output().map_err(unusable)?;
    if ran.status.success() {
        return Ok(());
    }
    let why = last_line(&ran.stderr).unwrap_or_else(|| ran.status.to_string());
    Err(SandboxError::Unusable(why))
}

/// The command that runs `words` in a sandbox. If we are root, the bot runs as `user`, because the limit on processes
/// does not apply to root.
pub(super) fn command(sandbox: Sandbox, words: &[String], user: u32) -> io::Result<Command> {
    let directory = std::env::current_dir()?;
    let mut command = Command::new("sh");
    // The shell opens the seccomp filter for bubblewrap, which expects a file descriptor. `choom` makes the kernel kill
    // the bot first if memory runs out; the bot cannot change that, because /proc is read-only in the sandbox.
    let script = r#"exec choom -n 1000 -- bwrap --seccomp 9 "$@" 9<"$0""#;
    command.args(["-c", script]).arg(seccomp::path()?);
    let variables = std::env::vars_os().filter(|(name, _)| {
        let name = name.to_string_lossy();
        KEPT_VARIABLES.contains(&&*name) || name.starts_with("LC_")
    });
    let variables: Vec<(OsString, OsString)> = variables.collect();
    command.env_clear().envs(variables);
    command.env("HOME", PRIVATE_FOLDER).env("TMPDIR", PRIVATE_FOLDER);
    let namespaces = ["--unshare-pid", "--unshare-ipc", "--unshare-net", "--unshare-uts"];
    command.args(["--die-with-parent", "--new-session", "--unshare-cgroup-try"]);
    command.args(namespaces);
    add_files(&mut command, words, &directory);
    if is_root() {
        // After the switch to another user, the only privilege left is to read any file that root can read.
        let capabilities = ["DAC_READ_SEARCH", "SETUID", "SETGID", "SETPCAP"];
        command.args(["--cap-drop", "ALL"]);
        command
            .args(capabilities.iter().flat_map(|name| ["--cap-add".into(), format!("CAP_{name}")]));
        let kept = "-all,+dac_read_search";
        command.args(["--", "setpriv", "--clear-groups", "--no-new-privs"]);
        command.args([format!("--reuid={user}"), format!("--regid={user}")]);
        command.args(
            ["inh-caps", "ambient-caps", "bounding-set"].map(|set| format!("--{set}={kept}")),
        );
    } else {
        command.arg("--unshare-user");
    }
    let (memory, processes) = (sandbox.memory, sandbox.processes);
    command.args(["--", "prlimit", "--core=0"]);
    command.args([format!("--data={memory}"), format!("--nproc={processes}")]);
    command.arg("--").args(words);
    Ok(command)
}

/// Makes everything readable except hidden folders, and only the private folder writable. The bot's own files stay
/// readable even inside hidden folders.
fn add_files(command: &mut Command, words: &[String], directory: &Path) {
    let size = PRIVATE_SIZE.to_string();
    let private = ["--size", &size, "--perms", "1777", "--tmpfs"];
    command.args(["--ro-bind", "/", "/", "--proc", "/proc", "--remount-ro", "/proc"]);
    // `/dev/full` reads as zeros too, but cannot be mapped: a shared mapping of `/dev/zero` would be memory without a
    // limit.
    command.args(["--dev", "/dev", "--dev-bind", "/dev/full", "/dev/zero"]);
    command.args(private).args(["/dev/shm", "--remount-ro", "/dev"]);
    command.args(private).arg(PRIVATE_FOLDER);
    let hidden = hidden_folders(directory);
    let is_hidden = |path: &PathBuf| {
        path.starts_with(PRIVATE_FOLDER) || hidden.iter().any(|folder| path.starts_with(folder))
    };
    let shown = parts(words, directory, &hidden).into_iter().filter(is_hidden);
    let mut mounts: Vec<(PathBuf, bool)> = shown.map(|path| (path, true)).collect();
    mounts.extend(hidden.iter().map(|path| (path.clone(), false)));
    // Mount inner folders after outer ones, so that the outer mounts do not cover them.
    mounts.sort_by_key(|(path, _)| path.components().count());
    for (path, is_shown) in &mounts {
        match is_shown {
            true => command.arg("--ro-bind").args([path, path]),
            false => command.arg("--tmpfs").arg(path),
        };
    }
    for folder in &hidden {
        command.arg("--remount-ro").arg(folder);
    }
    command.arg("--chdir").arg(directory);
}

/// The folders that appear empty in a sandbox. They include our data folder, because a process that can read a file can
/// lock it.
fn hidden_folders(directory: &Path) -> Vec<PathBuf> {
    let ours = data_folder().ok().filter(|folder| !directory.starts_with(folder));
    let folders = HIDDEN.iter().map(PathBuf::from).chain(ours);
    // A symbolic link cannot be a mount point.
    folders.filter_map(|folder| folder.canonicalize().ok()).collect()
}

/// The paths that a bot may need: its working directory, the files named in its command with their parent folders, and
/// the folders of `PATH`.
fn parts(words: &[String], directory: &Path, hidden: &[PathBuf]) -> BTreeSet<PathBuf> {
    let program = words.first().and_then(|program| find_program(program));
    let named = words.iter().map(PathBuf::from).chain(program).map(|path| directory.join(path));
    // Include both the links and their targets.
    let files = named.flat_map(|path| [path.canonicalize().ok(), Some(path)]).flatten();
    let files = files.filter(|path| !path.components().any(|part| part == Component::ParentDir));
    let is_bare = |folder: &Path| {
        folder == Path::new(PRIVATE_FOLDER) || hidden.iter().any(|hidden| hidden == folder)
    };
    // If a file is directly inside a hidden folder, expose only the file.
    let with_folder = |file: PathBuf| match file.parent() {
        Some(folder) if !is_bare(folder) && !file.is_dir() => folder.to_owned(),
        Some(_) | None => file,
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&path).filter(|folder| folder.is_absolute());
    let all = std::iter::once(directory.to_owned()).chain(files.map(with_folder)).chain(places);
    all.filter(|path| path.exists() && !is_bare(path)).collect()
}
