//! A bot with many busy processes must not starve another of processor time.

use std::io::Write;
use std::process::{Child, Command};
use std::time::Duration;
use std::{fs, thread};

use skirmish_play::player::Sandbox;
use skirmish_rules::{GAMES, Side};

use crate::bot::{Bot, check_sandbox, parse_command};

/// Busy processes per core.
const CROWD: usize = 15;

/// Maximum number of busy processes, for machines with many cores.
const LARGEST_CROWD: usize = 120;

/// The processor time of the processes whose command line contains a text, in clock ticks.
fn processor_time(text: &str) -> u64 {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let times = processes.filter_map(|process| {
        let line = fs::read(process.path().join("cmdline")).ok()?;
        let stat = fs::read_to_string(process.path().join("stat")).ok()?;
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
        String::from_utf8_lossy(&line).contains(text).then_some(ticks(11)? + ticks(12)?)
    });
    times.sum()
}

fn crowd() -> usize {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    (CROWD * cores).min(LARGEST_CROWD)
}

/// A script that keeps `processes` processes busy, each with `name` in its command line, and each in its own session if
/// requested and possible.
fn busy(name: &str, processes: usize, tries_sessions: bool) -> String {
    let spin = format!(": {name}; while :; do :; done");
    let another = if tries_sessions {
        format!("(setsid sh -c \"{spin}\" || {{ {spin}; }}) & ")
    } else {
        format!("({spin}) & ")
    };
    another.repeat(processes - 1) + &spin
}

/// The first program's share of the processor time while both run.
fn share(one: &str, two: &str) -> f64 {
    // Wait until both are running.
    while processor_time(one) == 0 || processor_time(two) == 0 {
        thread::sleep(Duration::from_millis(10));
    }
    let before = (processor_time(one), processor_time(two));
    let mut after = before;
    while (after.0 + after.1) - (before.0 + before.1) < 60 {
        thread::sleep(Duration::from_millis(50));
        after = (processor_time(one), processor_time(two));
    }
    let (one, two) = (after.0 - before.0, after.1 - before.1);
    #[allow(clippy::cast_precision_loss)]
    let share = one as f64 / (one + two) as f64;
    share
}

/// A process group that is killed when the test ends.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        // The child leads its session and process group.
        let kill = format!("kill -KILL -{}", self.0.id());
        drop(Command::new("sh").args(["-c", &kill]).status());
        drop(self.0.wait());
    }
}

/// The share of one process against a crowd in another session, measured without our own code; `None` if unavailable.
fn share_of_sessions() -> Option<f64> {
    let start = |name: &str, processes: usize| {
        let script = busy(name, processes, false);
        Command::new("setsid").args(["sh", "-c", &script]).spawn().ok().map(Ended)
    };
    let _one = start("session-86491", 1)?;
    let _many = start("session-86492", crowd())?;
    Some(share("session-86491", "session-86492"))
}

/// The share of a bot against a bot with a crowd.
fn share_of_bots(name: &str, sandbox: Option<Sandbox>) -> f64 {
    let entry = GAMES.find("base-battle").expect("the game exists");
    let table = entry.open(entry.setup()).expect("no position is set");
    let start = |name: &str, processes: usize| {
        let script = busy(name, processes, sandbox.is_some());
        let command = parse_command(&format!("json: sh -c '{script}'"));
        let command = command.expect("there is a shell").within(sandbox);
        let mut bot = Bot::new(command, Duration::from_mins(1), None);
        bot.begin(&*table, Side::One).expect("it starts");
        bot
    };
    let (one, many) = (format!("one-{name}"), format!("many-{name}"));
    let _bots = [start(&one, 1), start(&many, crowd())];
    share(&one, &many)
}

/// A threshold between one process's share of all processes and one session's share of all sessions.
fn least_share() -> f64 {
    #[allow(clippy::cast_precision_loss)]
    let part_of = |others: usize| 1.0 / (others + 1) as f64;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    (part_of(crowd()) * part_of(cores)).sqrt()
}

#[test]
fn a_bot_with_many_busy_processes_does_not_starve_another() {
    let skipped = |why: &str| {
        let line = format!("\nTEST OF FAIR SHARES SKIPPED: {why}\n");
        drop(std::io::stderr().write_all(line.as_bytes()));
    };
    let enabled = fs::read_to_string("/proc/sys/kernel/sched_autogroup_enabled");
    if !enabled.is_ok_and(|enabled| enabled.trim() == "1") {
        return skipped("THE KERNEL DOES NOT SCHEDULE BY SESSION HERE");
    }
    // In a control group with its own share, the kernel does not schedule by session.
    if share_of_sessions().is_none_or(|share| share < least_share()) {
        return skipped("SESSIONS SHARE A CONTROL GROUP HERE");
    }
    let fair = share_of_bots("86493", None);
    assert!(fair > least_share(), "it had {fair} of the time");
    let sandbox = Sandbox { processes: 200, memory: Sandbox::USUAL_MEMORY };
    let trial =
        Command::new("bwrap").args(["--unshare-pid", "--ro-bind", "/", "/", "true"]).output();
    if !trial.is_ok_and(|trial| trial.status.success()) {
        return skipped("BUBBLEWRAP (bwrap) CANNOT RUN HERE");
    }
    assert_eq!(check_sandbox(sandbox), Ok(()));
    let fair = share_of_bots("86494", Some(sandbox));
    assert!(fair > least_share(), "in a sandbox it had {fair} of the time");
}
