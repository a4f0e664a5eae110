//! Runs the program through pipes, in a separate home for every test.

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Output, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, RwLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The program under test.
pub(crate) const SKIRMISH: &str = env!("CARGO_BIN_EXE_skirmish");

/// The timeout of every wait. Only a failing test reaches it.
pub(crate) const PATIENCE: Duration = Duration::from_mins(2);

/// Held to start any process, and exclusively to open or close a terminal. Until it executes its program, a new process
/// shares every open file of the tests, and keeps a terminal from hanging up.
pub(crate) static STARTING: RwLock<()> = RwLock::new(());

/// Starts a process.
pub(crate) fn spawn(command: &mut Command) -> io::Result<Child> {
    let _held = STARTING.read();
    command.spawn()
}

/// Runs a program to its end, and collects its output.
pub(crate) fn output(command: &mut Command) -> io::Result<Output> {
    let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    spawn(command)?.wait_with_output()
}

/// Whether a program is installed.
pub(crate) fn is_there(program: &str) -> bool {
    output(Command::new(program).arg("--version")).is_ok()
}

/// Whether a program is installed and works.
pub(crate) fn is_working(program: &str) -> bool {
    output(Command::new(program).arg("--version")).is_ok_and(|output| output.status.success())
}

/// The environment of every run; all other variables are removed. The program is on the path, so the commands that it
/// prints begin with `skirmish`.
pub(crate) fn environment(home: &Path) -> Vec<(&'static str, String)> {
    let folder = Path::new(SKIRMISH).parent().expect("the program lies in a folder");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(folder.to_owned()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).expect("the folders were on a path");
    let mut variables = vec![
        ("PATH", path.into_string().expect("the path is text")),
        ("HOME", home.display().to_string()),
        ("XDG_DATA_HOME", home.join("data").display().to_string()),
        ("XDG_CONFIG_HOME", home.join("config").display().to_string()),
        ("LANG", "C.UTF-8".to_owned()),
    ];
    // Lets tests use an edited page without rebuilding the program.
    variables.extend(std::env::var("SKIRMISH_PAGE").map(|folder| ("SKIRMISH_PAGE", folder)));
    variables
}

/// A temporary home folder, empty at first.
pub(crate) struct Home(TempDir);

impl Home {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a folder for the test"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The path of a file in this home.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        // Use the system's own separators.
        self.path().join(name.split('/').collect::<PathBuf>())
    }

    /// Writes a file in this home; returns its path.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.file(name);
        fs::write(&path, content).expect("the test's own folder can be written");
        path
    }

    /// The folder of saved games.
    pub(crate) fn games(&self) -> PathBuf {
        self.file("data/skirmish/games")
    }

    /// All files in the folder of saved games by name, except the lock files of games being played.
    pub(crate) fn saves(&self) -> Vec<PathBuf> {
        let files = fs::read_dir(self.games()).map(|files| files.flatten().map(|it| it.path()));
        let mut paths: Vec<PathBuf> = files.map(Iterator::collect).unwrap_or_default();
        paths.retain(|path| path.extension().is_none_or(|extension| extension != "lock"));
        paths.sort();
        paths
    }

    /// The only saved game.
    pub(crate) fn save(&self) -> String {
        let saves = self.saves();
        assert_eq!(saves.len(), 1, "one game is saved: {saves:?}");
        read(&saves[0])
    }

    /// The program with these arguments.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(SKIRMISH, arguments)
    }

    /// Another program with these arguments.
    pub(crate) fn command_of(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(arguments).env_clear().envs(environment(self.path()));
        command.current_dir(self.path());
        command
    }

    /// Runs the program to its end with this input.
    pub(crate) fn run(&self, arguments: &[&str], input: impl AsRef<[u8]>) -> Ran {
        run(self.command(arguments), input)
    }

    /// Starts the program with open input.
    pub(crate) fn talk(&self, arguments: &[&str]) -> Talk {
        Talk::begin(self.command(arguments))
    }
}

/// Runs the program with these arguments and this input in a temporary home.
pub(crate) fn skirmish(arguments: &[&str], input: impl AsRef<[u8]>) -> Ran {
    Home::new().run(arguments, input)
}

/// Runs a command to its end with this input.
pub(crate) fn run(command: Command, input: impl AsRef<[u8]>) -> Ran {
    let mut talk = Talk::begin(command);
    talk.say(input.as_ref());
    talk.end()
}

/// Reports that something was not tested, bypassing the test harness, which hides the output of passing tests.
pub(crate) fn skipped(why: &str) {
    drop(std::io::stderr().write_all(format!("\nSKIPPED: {why}\n").as_bytes()));
}

/// The system's error for a missing file.
pub(crate) fn not_found() -> io::Error {
    io::Error::from_raw_os_error(2)
}

/// A record without its date: midnight may pass between two games.
pub(crate) fn undated(record: &str) -> String {
    record.split_inclusive('\n').filter(|line| !line.starts_with("[Date ")).collect()
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Ran {
    /// Asserts the exit code, and shows all output on failure.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        let Self { out, err, .. } = &self;
        assert_eq!(self.code, Some(code), "exit code\n--- stdout\n{out}\n--- stderr\n{err}");
        assert!(!err.contains("panicked"), "{err}");
        self
    }

    /// Asserts that standard output contains these texts, in this order.
    #[track_caller]
    pub(crate) fn says(self, texts: &[&str]) -> Self {
        let mut rest = self.out.as_str();
        for text in texts {
            let Some(at) = rest.find(text) else {
                panic!("missing, or in the wrong place:\n{text}\n--- stdout\n{}", self.out);
            };
            rest = &rest[at + text.len()..];
        }
        self
    }

    /// Asserts that standard error is this one line.
    #[track_caller]
    pub(crate) fn complains(self, line: &str) -> Self {
        assert_eq!(self.err.trim_end(), line);
        self
    }
}

/// The output of a program, and a way to wait for it.
#[derive(Clone, Default)]
pub(crate) struct Watched(Arc<(Mutex<Vec<u8>>, Condvar)>, Arc<AtomicBool>);

impl Watched {
    /// Collects everything from a reader.
    pub(crate) fn collect(&self, mut reader: impl Read + Send + 'static) -> JoinHandle<()> {
        let watched = self.clone();
        thread::spawn(move || {
            let mut buffer = [0; 4096];
            loop {
                let count = match reader.read(&mut buffer) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                    // A terminal that no process has open returns an error instead of end of file.
                    Ok(0) | Err(_) => break,
                    Ok(count) => count,
                };
                let (bytes, news) = &*watched.0;
                bytes.lock().expect("no reader panics").extend_from_slice(&buffer[..count]);
                news.notify_all();
                if watched.1.load(Ordering::SeqCst) {
                    break;
                }
            }
        })
    }

    /// Stops collecting after the next bytes arrive.
    pub(crate) fn turn_away(&self) {
        self.1.store(true, Ordering::SeqCst);
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        self.0.0.lock().expect("no reader panics").clone()
    }

    /// Waits until the bytes satisfy a condition; returns whether they did in time.
    pub(crate) fn wait(&self, mut enough: impl FnMut(&[u8]) -> bool) -> bool {
        let (bytes, news) = &*self.0;
        let guard = bytes.lock().expect("no reader panics");
        let waited = news.wait_timeout_while(guard, PATIENCE, |bytes| !enough(bytes));
        !waited.expect("no reader panics").1.timed_out()
    }
}

/// A process that is killed on drop.
struct Owned(Child);

impl Drop for Owned {
    fn drop(&mut self) {
        // If the process has already ended, neither call has an effect.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// A conversation with the program through pipes.
pub(crate) struct Talk {
    child: Owned,
    input: Option<ChildStdin>,
    out: Watched,
    err: Watched,
    readers: [JoinHandle<()>; 2],
}

impl Talk {
    pub(crate) fn begin(mut command: Command) -> Self {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = spawn(&mut command).expect("the program starts");
        let (out, err) = (Watched::default(), Watched::default());
        let readers = [
            out.collect(child.stdout.take().expect("it is piped")),
            err.collect(child.stderr.take().expect("it is piped")),
        ];
        let input = child.stdin.take();
        Self { child: Owned(child), input, out, err, readers }
    }

    pub(crate) fn process(&self) -> u32 {
        self.child.0.id()
    }

    /// Types something. Ignores errors: the program may have ended.
    pub(crate) fn say(&mut self, text: impl AsRef<[u8]>) {
        let input = self.input.as_mut().expect("the input is open until the end");
        drop(input.write_all(text.as_ref()));
    }

    /// Waits until standard output contains a text; returns all of it.
    #[track_caller]
    pub(crate) fn hear(&self, text: &str) -> String {
        let heard = self.out.wait(|bytes| String::from_utf8_lossy(bytes).contains(text));
        let out = self.so_far();
        assert!(heard, "never heard:\n{text}\n--- stdout\n{out}");
        out
    }

    /// Waits until standard error contains a text.
    #[cfg(unix)]
    #[track_caller]
    pub(crate) fn hear_error(&self, text: &str) {
        let heard = self.err.wait(|bytes| String::from_utf8_lossy(bytes).contains(text));
        let err = String::from_utf8_lossy(&self.err.bytes()).into_owned();
        assert!(heard, "never heard:\n{text}\n--- stderr\n{err}");
    }

    /// Waits for the line with this index on standard output.
    #[track_caller]
    pub(crate) fn hear_line(&self, number: usize) -> String {
        let lines = |bytes: &[u8]| bytes.iter().filter(|&&byte| byte == b'\n').count();
        let heard = self.out.wait(|bytes| lines(bytes) > number);
        let out = self.so_far();
        assert!(heard, "there are no {} lines\n--- stdout\n{out}", number + 1);
        out.lines().nth(number).unwrap_or_default().to_owned()
    }

    pub(crate) fn so_far(&self) -> String {
        String::from_utf8_lossy(&self.out.bytes()).into_owned()
    }

    /// Closes the input and waits for the end.
    pub(crate) fn end(mut self) -> Ran {
        drop(self.input.take());
        self.wait()
    }

    /// Waits for the end with the input still open.
    pub(crate) fn wait(mut self) -> Ran {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.0.try_wait().expect("it is our child") {
                break status;
            }
            if begun.elapsed() > PATIENCE {
                drop(self.child.0.kill());
                panic!("the program does not end\n--- stdout\n{}", self.so_far());
            }
            thread::sleep(Duration::from_millis(2));
        };
        for reader in self.readers {
            reader.join().expect("no reader panics");
        }
        let text = |watched: &Watched| String::from_utf8_lossy(&watched.bytes()).into_owned();
        Ran { code: status.code(), out: text(&self.out), err: text(&self.err) }
    }
}

/// Sends a signal, by its name without SIG.
pub(crate) fn send(signal: &str, process: u32) {
    let mut command = Command::new("sh");
    let sent = spawn(command.arg("-c").arg(format!("kill -{signal} {process}")));
    let sent = sent.and_then(|mut shell| shell.wait());
    assert!(sent.expect("there is a shell").success(), "{signal} reaches {process}");
}

/// Compares a text with a file in the repository, or writes the file when `UPDATE_GOLDEN` is set.
#[track_caller]
pub(crate) fn assert_golden(file: &str, actual: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().expect("it lies in a folder")).expect("it can be made");
        fs::write(&path, actual).expect("the repository can be written");
        return;
    }
    let expected = read(&path);
    assert!(
        expected == actual,
        "{} differs (UPDATE_GOLDEN=1 rewrites it)\n--- expected\n{expected}\n--- actual\n{actual}",
        path.display()
    );
}
