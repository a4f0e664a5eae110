//! Bots in a sandbox: attacks fail, and honest bots are not affected.

use std::fs;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::process::Command;

use crate::bots::{eventually, nobody_sleeps, processes};
use crate::support::{Home, Ran, is_there, output, read, send, skipped};
use crate::terminal::Terminal;

const ONE: &str = "while read -r line; do echo 1; done\n";

/// A bot that thinks slowly, and stores its choice in a file.
const VICTIM: &str = "echo shield >\"${TMPDIR:-.}/choice\"
    while read -r line; do sleep 0.2; echo charge; done\n";

/// A bot that attacks the victim and the referee, reports every success, and plays on.
const ATTACKER: &str = r#"told() { echo "ATTACK: $*" >&2; }
read -r line
for process in /proc/[0-9]*; do
    pid=${process#/proc/}
    words=$(tr '\0' ' ' 2>/dev/null <"$process/cmdline")
    case $words in
        "sh victim.sh "*) victim=$pid;;
        *"skirmish tournament command-clash"*) kill -0 "$pid" && told signals the referee
    esac
done
if test -n "$victim"; then
    grep -q SECRET=mine "/proc/$victim/environ" && told reads its environment
    kill -STOP "$victim" && kill -CONT "$victim" && told stops it
    ( echo nonsense >"/proc/$victim/fd/1" ) && told writes into its pipe
fi
grep -q shield "${TMPDIR:-.}/choice" && told reads its choice
grep -q SECRET=mine /proc/self/environ && told reads our environment
( : >written ) && told writes a file
( : >t/games/written ) && told writes into the records
( : >data/skirmish/written ) && told writes into our data
( echo INTRUDER >/dev/tty ) && told opens the terminal
test -e secret.txt && cat secret.txt >&2
( : >"${TMPDIR:-.}/mine" ) && echo "private folder: $TMPDIR" >&2
echo DONE >&2
echo charge
while read -r line; do echo charge; done
"#;

/// Whether bubblewrap works here. If not, the tests report that and pass.
fn can_sandbox() -> bool {
    let mut trial = Command::new("bwrap");
    trial.args(["--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc"]);
    let tried = output(trial.args(["--dev", "/dev", "true"]));
    let works = tried.is_ok_and(|tried| tried.status.success());
    if !works {
        skipped("BUBBLEWRAP (bwrap) CANNOT RUN HERE, SO THE SANDBOX IS NOT TESTED");
    }
    works
}

/// Runs a tournament of two games between a victim and an attacker; returns the run and their standard error.
fn attacked(home: &Home, options: &[&str]) -> (Ran, String) {
    home.write("victim.sh", VICTIM);
    home.write("attacker.sh", ATTACKER);
    home.write("secret.txt", "can be read\n");
    let bots = ["json: sh victim.sh", "json: sh attacker.sh"];
    let fixed =
        ["--games", "2", "--opening", "0", "--max-turns", "3", "-j", "1", "--csv", "--time", "60s"];
    let folder = ["--log", "--folder", "t"];
    let arguments =
        [&["tournament", "command-clash", bots[0], bots[1]][..], &fixed, &folder, options].concat();
    let mut command = home.command(&arguments);
    command.env("SECRET", "mine");
    let ran = crate::support::run(command, "").exits(0);
    let logs = fs::read_dir(home.file("t/logs")).expect("there are logs");
    let logs: String = logs.map(|file| read(&file.expect("it can be read").path())).collect();
    assert!(logs.contains("! DONE"), "it has tried everything: {logs}");
    (ran, logs)
}

/// The attacks succeed without a sandbox, so their failure in one means something.
#[test]
fn without_a_sandbox_bots_can_harm_each_other() {
    if !can_sandbox() {
        return;
    }
    let home = Home::new();
    let (ran, logs) = attacked(&home, &[]);
    for success in [
        "signals the referee",
        "reads its environment",
        "stops it",
        "writes into its pipe",
        "reads its choice",
        "reads our environment",
        "writes a file",
        "writes into the records",
        "writes into our data",
    ] {
        assert!(logs.contains(&format!("! ATTACK: {success}\n")), "{success}: {logs}");
    }
    assert!(!logs.contains("opens the terminal"), "{logs}");
    assert!(
        ran.out.contains(",victim.sh,") && !ran.out.contains("victim.sh,2,0,2,0,"),
        "{}",
        ran.out
    );
}

#[test]
fn in_a_sandbox_no_bot_can_harm_another_or_us() {
    if !can_sandbox() {
        return;
    }
    let home = Home::new();
    let (ran, logs) = attacked(&home, &["--sandbox"]);
    assert!(!logs.contains("ATTACK"), "{logs}");
    assert!(
        logs.contains("! private folder: /tmp\n") && logs.contains("! can be read\n"),
        "{logs}"
    );
    // All games are drawn by the turn limit, and nobody has done anything wrong.
    let lines: Vec<&str> = ran.out.lines().skip(1).collect();
    assert!(
        lines.iter().all(|line| line.contains(",2,0,2,0,1,") && line.ends_with(",0")),
        "{}",
        ran.out
    );
    // The resumed tournament is still sandboxed.
    assert!(read(&home.file("t/tournament.json")).contains("\"processes\": 32"));
}

#[test]
fn a_bot_in_a_sandbox_has_no_network_and_no_way_to_other_programs() {
    if !can_sandbox() {
        return;
    }
    let home = Home::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback is there");
    listener.set_nonblocking(true).expect("it can be asked without waiting");
    let port = listener.local_addr().expect("it is bound").port();
    let tries =
        format!("( exec 3<>/dev/tcp/127.0.0.1/{port} ) 2>/dev/null; echo >\"${{TMPDIR:-.}}/x\"\n");
    home.write("bot.sh", format!("{tries}{ONE}"));
    let bot = "json: bash bot.sh";
    let play = ["play", "capture-the-line", "--p1", bot, "--p2", "novice", "--no-save"];
    home.run(&play, "").exits(0);
    eventually("without a sandbox it connects", || listener.accept().is_ok());
    home.run(&[&play[..], &["--sandbox"]].concat(), "").exits(0);
    assert!(listener.accept().is_err(), "nobody has connected");
    // Named sockets work without a network, so their usual folders are hidden.
    let place = tempfile::Builder::new().prefix("skirmish").tempdir_in("/tmp").expect("a folder");
    let path = place.path().join("socket");
    let _socket = UnixListener::bind(&path).expect("it can be made");
    let sees = format!("test -S {} && echo SEES >&2; sleep 0.01; exit 4\n", path.display());
    home.write("bot.sh", sees);
    home.run(&play, "").exits(0).says(&["ended with exit code 4 (SEES)"]);
    let ran = home.run(&[&play[..], &["--sandbox"]].concat(), "").exits(0);
    ran.says(&["ended with exit code 4. "]);
}

#[test]
fn a_bot_in_a_sandbox_cannot_reach_the_terminal() {
    if !can_sandbox() {
        return;
    }
    let home = Home::new();
    let tries = "for device in /dev/tty /dev/pts/* /proc/$PPID/fd/*; do
        ( echo INTRUDER >$device ) 2>/dev/null; done\n";
    home.write("bot.sh", format!("{tries}{ONE}"));
    let arguments = ["play", "capture-the-line", "--p2", "json: sh bot.sh", "--sandbox"];
    let mut terminal = Terminal::open(&home, &arguments);
    terminal.wait("the game", |screen| screen.contains("Welcome"));
    terminal.press("2\r");
    terminal.wait("its answer", |screen| screen.contains("moves to Point 10"));
    assert!(!terminal.screen().contains("INTRUDER"));
}

#[test]
fn a_bot_in_a_sandbox_is_held_to_its_limits() {
    if !can_sandbox() {
        return;
    }
    let home = Home::new();
    // At most a hundred processes, in case there is no limit.
    let bomb = "( n=0; while test $n -lt 100; do sleep 86411 & n=$((n+1)); done ) 2>/dev/null
        set -- /proc/[0-9]*; echo \"processes: $#\" >&2\n";
    let hog = "head -c 200000000 /dev/zero | tail -c 200000000 2>/dev/null | wc -c | sed 's/^/bytes: /' >&2\n";
    home.write("bomb.sh", format!("{bomb}{ONE}"));
    home.write("hog.sh", format!("{hog}{ONE}"));
    let tournament = |options: &[&str], folder: &str| {
        let fixed =
            ["--games", "2", "--time", "60s", "--first-move", "60s", "--csv", "--log", "-j", "1"];
        let bots = ["tournament", "capture-the-line", "json: sh bomb.sh", "json: sh hog.sh"];
        // Without random turns, both bots are asked in every game.
        let folder_option = ["--opening", "0", "--folder", folder];
        let arguments = [&bots[..], &fixed, &folder_option, options].concat();
        let ran = home.run(&arguments, "").exits(0);
        assert!(
            ran.out.lines().skip(1).all(|line| line.ends_with(",0")),
            "both play on: {}",
            ran.out
        );
        let log = |number: usize, name: &str| {
            read(&home.file(&format!("{folder}/logs/{number}-{name}-sh.log")))
        };
        (log(1, "bomb"), log(2, "hog"))
    };
    let told = |log: &str, what: &str| -> u64 {
        let line = log.lines().find_map(|line| line.split_once(what));
        line.unwrap_or_else(|| panic!("{what} {log}")).1.trim().parse().expect("it is a number")
    };
    let limits = ["--sandbox", "--bot-processes", "10", "--bot-memory", "64M"];
    let (bomb, hog) = tournament(&limits, "limited");
    let count = told(&bomb, "! processes: ");
    assert!((5..=12).contains(&count), "it gets what it may have, and no more: {bomb}");
    assert_eq!(told(&hog, "! bytes: "), 0, "{hog}");
    let (bomb, hog) = tournament(&["--sandbox", "--bot-processes", "200"], "free");
    assert!(told(&bomb, "! processes: ") > 100, "{bomb}");
    assert_eq!(told(&hog, "! bytes: "), 200_000_000, "{hog}");
    nobody_sleeps("86411");
}

#[test]
fn a_sandbox_ends_with_us_even_if_we_are_killed() {
    if !can_sandbox() {
        return;
    }
    let home = Home::new();
    // A process that leaves its parent and its environment, and would leave its session.
    let hidden =
        "(env -i sh -c 'setsid sleep 86412 || exec sleep 86412' </dev/null >/dev/null 2>&1 &)\n";
    home.write("bot.sh", format!("{hidden}{ONE}"));
    let bot = "json: sh bot.sh";
    let mut talk = home.talk(&["play", "capture-the-line", "--p2", bot, "--sandbox", "--no-save"]);
    talk.say("2\n");
    talk.hear("moves to Point 10");
    eventually("it starts", || processes("sleep\x0086412") > 0);
    send("KILL", talk.process());
    nobody_sleeps("86412");
    let play =
        ["play", "capture-the-line", "--p1", bot, "--p2", "novice", "--sandbox", "--no-save"];
    home.run(&play, "").exits(0);
    nobody_sleeps("86412");
}

#[test]
fn what_becomes_of_a_bot_in_a_sandbox_is_told_as_elsewhere() {
    if !can_sandbox() {
        return;
    }
    let home = Home::new();
    let play = |bot: &str| {
        home.run(&["play", "capture-the-line", "--p2", bot, "--sandbox", "--no-save"], "2\n")
            .exits(0)
    };
    play("json: sh -c 'read -r line; echo oh no >&2; exit 3'")
        .says(&["ended with exit code 3 (oh no)."]);
    play("json: sh -c 'read -r line; kill -SEGV $$'").says(&["was ended by signal 11."]);
    let check = ["bot", "check", "json: sh bot.sh", "--game", "capture-the-line", "--sandbox"];
    home.write("bot.sh", ONE);
    home.run(&check, "").exits(0).says(&["All 8 steps pass."]);
    // The command to resume includes the sandbox.
    let ran =
        home.run(&["play", "capture-the-line", "--p2", "json: sh bot.sh", "--sandbox"], "2\n");
    let ran = ran.exits(3);
    assert!(ran.err.contains(" --p2 'json: sh bot.sh' --sandbox"), "{}", ran.err);
}

#[test]
fn a_sandbox_that_cannot_be_is_told_with_what_is_missing() {
    let home = Home::new();
    let check = ["bot", "check", "sh", "--sandbox"];
    // A PATH with only a shell.
    fs::create_dir(home.file("bin")).expect("the test's own folder can be written");
    std::os::unix::fs::symlink("/bin/sh", home.file("bin/sh")).expect("likewise");
    let mut command = home.command(&check);
    command.env("PATH", home.file("bin"));
    let told = if cfg!(target_os = "linux") {
        "error: --sandbox needs the program bwrap: install the package bubblewrap"
    } else {
        "error: --sandbox works on Linux only"
    };
    crate::support::run(command, "").exits(2).complains(told);
    for option in [["--bot-memory", "1G"], ["--bot-processes", "5"]] {
        let ran = home.run(&[&check[..3], &option].concat(), "").exits(2);
        assert!(ran.err.contains("--sandbox"), "{}", ran.err);
    }
    let ran = home.run(&[&check[..], &["--bot-memory", "lots"]].concat(), "").exits(2);
    assert!(ran.err.contains("expected a size such as 512M or 2G"), "{}", ran.err);
}

#[test]
fn commands_that_somebody_else_wrote_are_shown_and_not_run_without_a_yes() {
    let home = Home::new();
    home.write("bot.sh", format!("echo >>runs\n{ONE}"));
    let bot = "json: sh bot.sh";
    let folder = ["--folder", "t", "--csv"];
    let arguments = ["tournament", "capture-the-line", bot, "novice", "--games", "2"];
    home.run(&[&arguments[..], &folder].concat(), "").exits(0);
    // Our own tournament resumes without a question.
    home.run(&["tournament", "--resume", "t", "--csv"], "").exits(0);
    let another = || {
        fs::remove_file(home.file("runs")).ok();
        fs::remove_file(home.file("data/skirmish/trusted-commands.jsonl"))
            .expect("there is a note");
        for game in fs::read_dir(home.file("t/games")).expect("there are games").flatten() {
            fs::remove_file(game.path()).expect("the test's own folder can be written");
        }
    };
    another();
    let ran = home.run(&["tournament", "--resume", "t"], "y\n").exits(2);
    assert!(ran.err.contains("\n  json: sh bot.sh\n"), "{}", ran.err);
    assert!(ran.err.ends_with("\nTo resume it, add --trust\n"), "{}", ran.err);
    assert!(!home.file("runs").exists(), "nothing was run");
    let mut terminal = Terminal::open(&home, &["tournament", "--resume", "t"]);
    terminal.wait("the question", |screen| {
        screen.contains("  json: sh bot.sh") && screen.contains("Resume it (yes or no)?")
    });
    terminal.press("n\r");
    assert!(terminal.ends(1).contains("the tournament was not resumed"));
    assert!(!home.file("runs").exists(), "nothing was run");
    let mut terminal = Terminal::open(&home, &["tournament", "--resume", "t"]);
    terminal.wait("the question", |screen| screen.contains("Resume it (yes or no)?"));
    terminal.press("y\r");
    assert!(terminal.ends(0).contains("Capture the Line"));
    assert!(home.file("runs").exists(), "it was run");
    another();
    home.run(&["tournament", "--resume", "t", "--trust", "--csv"], "").exits(0);
    assert!(home.file("runs").exists(), "it was run");
    home.run(&["tournament", "--resume", "t", "--csv"], "").exits(0);
    // Commands that only ran in a sandbox are not trusted without one.
    let notes = home.file("data/skirmish/trusted-commands.jsonl");
    let before = read(&notes);
    assert!(before.contains(r#""sandboxed":false"#), "{before}");
    fs::write(&notes, before.replace(r#""sandboxed":false"#, r#""sandboxed":true"#))
        .expect("the test's own folder can be written");
    let ran = home.run(&["tournament", "--resume", "t", "--csv"], "").exits(2);
    assert!(ran.err.contains("without a sandbox"), "{}", ran.err);
    fs::write(&notes, before).expect("the test's own folder can be written");
    home.run(&["tournament", "--resume", "t", "--csv"], "").exits(0);
    // Changed commands in the same folder are not trusted.
    let file = home.file("t/tournament.json");
    let changed = read(&file).replace("sh bot.sh", "sh ./bot.sh");
    fs::write(&file, changed).expect("the test's own folder can be written");
    home.run(&["tournament", "--resume", "t", "--csv"], "").exits(2);
}

/// A bot that tries to mount a tmpfs and to escape the OOM killer, reports every success, and plays.
const ESCAPER: &str = r#"told() { echo "ATTACK: $*" >&2; }
unshare -Ur true 2>/dev/null && told has a user namespace
unshare -m true 2>/dev/null && told has a mount namespace
unshare -Urm sh -c 'mount -t tmpfs -o size=1G none /mnt' 2>/dev/null && told mounts
( echo 0 >/proc/self/oom_score_adj ) 2>/dev/null
test "$(cat /proc/self/oom_score_adj)" = 1000 || told is spared
echo DONE >&2
while read -r line; do echo 1; done
"#;

/// A bot that calls `clone` and `clone3` directly.
const CALLER: &str = r#"import ctypes, errno, sys
libc = ctypes.CDLL(None, use_errno=True)
NEW_USER, CHILD_ENDED = 0x10000000, 17
if libc.syscall(56, NEW_USER | CHILD_ENDED, 0, 0, 0, 0) != -1 or ctypes.get_errno() != errno.EPERM:
    print("ATTACK: clones into a namespace", file=sys.stderr, flush=True)
if libc.syscall(435, 0, 0) != -1 or ctypes.get_errno() != errno.ENOSYS:
    print("ATTACK: has clone3", file=sys.stderr, flush=True)
import threading
answer = []
thread = threading.Thread(target=lambda: answer.append("1"))
thread.start()
thread.join()
print("DONE", file=sys.stderr, flush=True)
for line in sys.stdin:
    print(answer[0], flush=True)
"#;

#[test]
fn a_bot_in_a_sandbox_makes_no_namespaces_or_mounts_and_is_not_spared() {
    if !can_sandbox() {
        return;
    }
    let home = Home::new();
    home.write("escaper.sh", ESCAPER);
    home.write("caller.py", CALLER);
    // The system call numbers differ on other architectures.
    let has_python = is_there("python3");
    let second = if cfg!(target_arch = "x86_64") && has_python {
        "json: python3 caller.py"
    } else {
        "json: sh ./escaper.sh"
    };
    let bots = ["tournament", "capture-the-line", "json: sh escaper.sh", second];
    let fixed =
        ["--games", "2", "--opening", "0", "-j", "1", "--time", "60s", "--first-move", "60s"];
    let rest = ["--csv", "--log", "--folder", "t", "--sandbox"];
    let ran = home.run(&[&bots[..], &fixed, &rest].concat(), "").exits(0);
    assert!(ran.out.lines().skip(1).all(|line| line.ends_with(",0")), "both play: {}", ran.out);
    for file in fs::read_dir(home.file("t/logs")).expect("there are logs").flatten() {
        let log = read(&file.path());
        assert!(log.contains("! DONE") && !log.contains("ATTACK"), "{log}");
    }
}

/// A bot that tries sockets, rings and memory that no namespace or limit covers, reports every success, checks that
/// ordinary ones work, and plays.
const HOARDER: &str = r#"import ctypes, mmap, os, socket, subprocess, sys
def works(make):
    try:
        make()
        return True
    except (OSError, MemoryError):
        return False
def call(*numbers):
    if libc.syscall(*map(ctypes.c_long, numbers)) == -1:
        raise OSError
libc = ctypes.CDLL(None, use_errno=True)
folder, ring = os.environ.get("TMPDIR", "."), ctypes.create_string_buffer(200)
MAP_GROWSDOWN, ANONYMOUS = 0x100, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
attacks = {
    "ring": lambda: call(425, 8, ctypes.addressof(ring)),
    "memory file": lambda: os.memfd_create("x"),
    "shared memory": lambda: mmap.mmap(-1, 1 << 20),
    "shared zeros": lambda: mmap.mmap(os.open("/dev/zero", os.O_RDWR), 1 << 20),
    "stack": lambda: mmap.mmap(-1, 1 << 20, flags=ANONYMOUS | MAP_GROWSDOWN),
}
if os.uname().machine == "x86_64":
    attacks["segment"] = lambda: call(29, 0, 1 << 20, 0o600)
    attacks["queue"] = lambda: call(68, 0, 0o600)
for family in range(46):
    if family not in (socket.AF_UNIX, socket.AF_INET, socket.AF_INET6):
        for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET):
            attacks[f"family {family}.{kind}"] = lambda family=family, kind=kind: socket.socket(family, kind)
needs = {
    "pair": lambda: socket.socketpair(),
    "loopback": lambda: socket.create_server(("127.0.0.1", 0)),
    "private memory": lambda: mmap.mmap(-1, 1 << 20, flags=ANONYMOUS),
    "file": lambda: mmap.mmap(os.open(f"{folder}/x", os.O_RDWR), 9),
    "zeros": lambda: os.read(os.open("/dev/zero", os.O_RDONLY), 9),
    "child": lambda: subprocess.run(["true"], check=True),
}
with open(f"{folder}/x", "wb") as file:
    file.write(bytes(9))
for name, make in attacks.items():
    if works(make):
        print("ATTACK:", name, file=sys.stderr, flush=True)
for name, make in needs.items():
    if not works(make):
        print("LACKS:", name, file=sys.stderr, flush=True)
print("DONE", file=sys.stderr, flush=True)
for line in sys.stdin:
    print("1", flush=True)
"#;

#[test]
fn a_bot_in_a_sandbox_has_no_sockets_or_memory_beyond_its_limits() {
    if !can_sandbox() || !is_there("python3") {
        return;
    }
    let home = Home::new();
    home.write("hoarder.py", HOARDER);
    let log = |folder: &str, options: &[&str]| {
        let bots = ["tournament", "capture-the-line", "bot=json: python3 hoarder.py", "novice"];
        let fixed = ["--games", "2", "--opening", "0", "-j", "1", "--first-move", "60s", "--csv"];
        let rest = ["--log", "--folder", folder];
        home.run(&[&bots[..], &fixed, &rest, options].concat(), "").exits(0);
        read(&home.file(folder).join("logs/1-bot.log"))
    };
    // Without a sandbox, the attacks succeed.
    let free = log("free", &[]);
    for attack in ["memory file", "shared memory", "shared zeros", "stack", "family 16."] {
        assert!(free.contains(&format!("! ATTACK: {attack}")), "{attack}: {free}");
    }
    let confined = log("confined", &["--sandbox"]);
    assert!(confined.contains("! DONE"), "{confined}");
    assert!(!confined.contains("ATTACK") && !confined.contains("LACKS"), "{confined}");
}

#[test]
fn commands_that_were_trusted_in_a_sandbox_are_not_run_without_one() {
    if !can_sandbox() {
        return;
    }
    let home = Home::new();
    home.write("bot.sh", ONE);
    let arguments = ["tournament", "capture-the-line", "json: sh bot.sh", "novice", "--games", "2"];
    home.run(&[&arguments[..], &["--folder", "t", "--csv"]].concat(), "").exits(0);
    let remove_games = || {
        for game in fs::read_dir(home.file("t/games")).expect("there are games").flatten() {
            fs::remove_file(game.path()).expect("the test's own folder can be written");
        }
    };
    remove_games();
    // Without this file, the tournament counts as somebody else's.
    fs::remove_file(home.file("data/skirmish/trusted-commands.jsonl")).expect("there is a note");
    let resume = ["tournament", "--resume", "t", "--csv"];
    home.run(&[&resume[..], &["--sandbox", "--trust"]].concat(), "").exits(0);
    remove_games();
    let ran = home.run(&resume, "").exits(2);
    assert!(ran.err.contains("without a sandbox"), "{}", ran.err);
    home.run(&[&resume[..], &["--sandbox"]].concat(), "").exits(0);
}
