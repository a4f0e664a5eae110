//! A server in a separate process, which tests can kill. The process is this test program, told to run a single test,
//! which serves if it is given the address of a database.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use skirmish_rules::GAMES;
use skirmish_server::{Config, Database, Limits, Server};
use skirmish_system::signals::Signals;

/// The text that the server prints before its address.
const LISTENING: &str = "listening on ";

/// The number of attempts to start a process that listens.
const ATTEMPTS: u32 = 5;

/// A server in a separate process.
pub(crate) struct Process {
    child: Child,
    /// Kept open, because a process fails to write if nobody reads its output.
    _output: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

impl Process {
    /// Starts a process that runs this test with these environment variables. If it cannot start, it is started again,
    /// as an operator would do: on a busy machine, a database may take too long to answer.
    pub(crate) fn start(test: &str, variables: &[(&str, &str)]) -> Self {
        let mut attempts = (0..ATTEMPTS).filter_map(|_| Self::try_to_start(test, variables));
        attempts.next().expect("the server listens")
    }

    fn try_to_start(test: &str, variables: &[(&str, &str)]) -> Option<Self> {
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["--exact", test, "--nocapture"]).envs(variables.iter().copied());
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the server's process");
        let mut output = BufReader::new(child.stdout.take().expect("its output"));
        let address = output.by_ref().lines().map_while(Result::ok).find_map(|line| {
            line.split_once(LISTENING).and_then(|(_, address)| address.parse().ok())
        });
        let Some(address) = address else {
            child.wait().expect("it has ended");
            return None;
        };
        Some(Self { child, _output: output, address })
    }

    /// Kills the process, like a crash.
    pub(crate) fn kill(mut self) {
        self.child.kill().expect("the process can be killed");
        self.child.wait().expect("it has ended");
    }

    /// Suspends or resumes the process. Only Unix has signals for this.
    #[cfg(unix)]
    pub(crate) fn hang(&self, hangs: bool) {
        self.signal(if hangs { "STOP" } else { "CONT" });
    }

    fn signal(&self, signal: &str) {
        let kill = format!("kill -{signal} {}", self.child.id());
        let sent = Command::new("sh").arg("-c").arg(kill).status().expect("a shell");
        assert!(sent.success(), "the process runs");
    }

    /// Stops the process, as an operator would: with SIGTERM, or by ending its input where there are no signals.
    pub(crate) fn stop(mut self) {
        // Take the input first, because `wait` would close it.
        let input = self.child.stdin.take();
        if cfg!(unix) {
            self.signal("TERM");
        } else {
            drop(input);
        }
        let ended = self.child.wait().expect("it has ended");
        assert!(ended.success(), "{ended}");
    }
}

/// Runs a server, whose clock is this far ahead, in this process until a signal stops it, or until the test is over and its input ends.
pub(crate) fn serve(database: Database, ahead: Duration) {
    let config = Config {
        games: GAMES,
        listen: "127.0.0.1:0".parse().expect("an address"),
        database,
        url: None,
        tls: None,
        memory: 16 << 20,
        metrics: None,
        limits: Limits::none(),
        log: skirmish_server::Log::none(),
    };
    let (end, ended) = mpsc::channel();
    let mut signals = Signals::ending().expect("signals");
    let server = Server::start(config).expect("the server starts");
    server.skip(ahead);
    println!("{LISTENING}{}", server.address());
    let also = end.clone();
    thread::spawn(move || {
        let _ = std::io::stdin().lines().count();
        let _ = also.send(());
    });
    thread::spawn(move || {
        signals.next();
        let _ = end.send(());
    });
    ended.recv().expect("both threads wait");
    server.stop();
}
