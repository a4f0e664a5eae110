//! Tests of child programs on the host system: their pipes, their exit, and their own children.
//!
//! The child programs are this test binary; an environment variable selects the role.

use std::io::{self, Read, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use skirmish_system::{Started, Watched, process};

const PART: &str = "SKIRMISH_TEST_PART";

/// The timeout of all waits, reached only on a bug.
const TIMEOUT: Duration = Duration::from_mins(1);

fn this(part: &str) -> Command {
    let mut command = process::command(
        std::env::current_exe().expect("the tests have a program").to_str().expect("it is text"),
    );
    command.args(["--exact", "act", "--nocapture"]).env(PART, part);
    command
}

fn start(part: &str) -> Started {
    process::start(this(part), "SKIRMISH_TEST_MARK", part).expect("it starts")
}

/// Plays the role of the child program; does nothing in a normal test run.
#[test]
fn act() {
    match std::env::var(PART).as_deref() {
        Ok("echo") => {
            for line in io::stdin().lines() {
                println!("received {}", line.expect("it is text"));
            }
            eprintln!("no more");
            std::process::exit(7);
        }
        Ok("silence") => thread::sleep(TIMEOUT),
        Ok("answer") => {
            // Write less than a pipe's capacity.
            println!("{}\nthe answer", "thinking ".repeat(4000));
            std::process::exit(0);
        }
        Ok("parent") => {
            // The grandchild keeps its parent's output open.
            let mut child = this("silence");
            child.stdin(Stdio::null()).stderr(Stdio::null());
            drop(child.spawn().expect("it starts"));
            println!("started");
            std::process::exit(0);
        }
        _ => {}
    }
}

/// Reads until the output contains `sought`.
fn receive(started: &mut Started, sought: &str) {
    let until = Instant::now() + TIMEOUT;
    let mut received = Vec::new();
    while !String::from_utf8_lossy(&received).contains(sought) {
        assert!(Instant::now() < until, "{}", String::from_utf8_lossy(&received));
        let Started { child, output, .. } = &*started;
        process::wait(
            &[Watched { child: Some(child), input: None, outputs: [Some(output), None] }],
            until,
        );
        let mut chunk = [0; 64];
        match started.output.read(&mut chunk) {
            Ok(0) => panic!("it ended: {}", String::from_utf8_lossy(&received)),
            Ok(count) => received.extend(&chunk[..count]),
            Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
        }
    }
}

/// Waits until `is_so` returns true. Returns whether this happened in time.
fn becomes(mut is_so: impl FnMut() -> bool) -> bool {
    let until = Instant::now() + TIMEOUT;
    loop {
        if is_so() {
            return true;
        }
        if Instant::now() >= until {
            return false;
        }
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn lines_pass_through_the_pipes_and_nothing_blocks() {
    let mut started = start("echo");
    let before = Instant::now();
    receive(&mut started, "running");
    let nothing = started.output.read(&mut [0; 64]).map_err(|error| error.kind());
    assert!(matches!(nothing, Err(io::ErrorKind::WouldBlock) | Ok(1..)), "{nothing:?}");
    started.input.write_all(b"one\n").expect("there is room");
    receive(&mut started, "received one");
    let written = started.output.last_written();
    // File timestamps have only the resolution of the kernel's tick.
    let tick = Duration::from_millis(50);
    assert!(written.is_none_or(|written| written + tick >= before && written <= Instant::now()));
    let Started { mut child, input, mut errors, output: _output } = started;
    drop(input);
    assert!(becomes(|| child.tree().has_ended()));
    // On Windows, the console host briefly outlives the program.
    assert!(becomes(|| !child.tree().has_members()));
    let status = child.try_wait().expect("it is ours").expect("it has ended");
    assert_eq!(status.code(), Some(7));
    let mut said = String::new();
    assert!(becomes(|| errors.read_to_string(&mut said).is_ok()), "no more output can arrive");
    assert!(said.contains("no more"), "{said}");
}

#[test]
fn the_last_output_can_be_read_once_a_program_has_ended() {
    for _ in 0..20 {
        let mut started = start("answer");
        let tree = started.child.tree();
        let until = Instant::now() + TIMEOUT;
        while !tree.has_ended() {
            assert!(Instant::now() < until, "it does not end");
            thread::yield_now();
        }
        let (mut said, mut chunk) = (Vec::new(), [0; 4096]);
        while let Ok(count @ 1..) = started.output.read(&mut chunk) {
            said.extend(&chunk[..count]);
        }
        let said = String::from_utf8_lossy(&said);
        assert!(said.ends_with("the answer\n"), "{} bytes", said.len());
        drop(started.child.try_wait());
    }
}

#[test]
fn a_program_that_does_not_read_does_not_block_us() {
    let mut started = start("silence");
    let chunk = [b'x'; 4096];
    let full = (0..1000).find_map(|_| started.input.write(&chunk).err());
    assert_eq!(full.map(|error| error.kind()), Some(io::ErrorKind::WouldBlock));
    let tree = started.child.tree();
    assert!(!tree.has_ended());
    tree.kill();
    assert!(becomes(|| tree.has_ended()));
    tree.reap(Instant::now() + TIMEOUT);
}

#[test]
fn the_children_of_a_program_are_killed_with_it() {
    let mut started = start("parent");
    receive(&mut started, "started");
    let tree = started.child.tree();
    assert!(becomes(|| tree.has_ended()));
    // Without /proc, the processes cannot be found.
    if cfg!(any(target_os = "linux", windows)) {
        assert!(tree.has_members());
    }
    tree.kill();
    assert!(becomes(|| !tree.has_members()));
    drop(started.child.try_wait());
}
