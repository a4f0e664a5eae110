//! Finds and kills the processes that belong to a program we started, and no other processes.
//!
//! A process belongs to a program if it is in the program's session or process group, has the program's mark in its
//! environment, or descends from such a process. Processes that have escaped all of these are left alone.

use std::fs;

use rustix::process::{Pid, Signal, getpid, kill_process, kill_process_group};

/// Maximum number of scans while new processes keep appearing.
const MOST_SCANS: usize = 8;

/// Kills a program and all its processes. The program must not have been reaped yet: until then, its PID, which is also
/// the ID of its session and process group, cannot be reused.
pub(super) fn kill_tree(leader: Pid, variable: &str, value: &str) {
    // Processes started during one scan are found by the next.
    for _ in 0..MOST_SCANS {
        let members = members(leader, variable, value);
        // An error means that the process has ended, or that we may not kill it.
        let _ = kill_process(leader, Signal::KILL);
        let _ = kill_process_group(leader, Signal::KILL);
        members.iter().for_each(kill);
        if members.is_empty() {
            return;
        }
    }
}

/// Whether a program has running processes besides its own.
pub(super) fn has_members(leader: Pid, variable: &str, value: &str) -> bool {
    !members(leader, variable, value).is_empty()
}

/// Kills the processes that have this environment variable, and returns their number. The caller must ensure that the
/// program that started them has ended. Finds no processes without `/proc`; on Windows, the processes of a program
/// never outlive it.
#[must_use]
pub fn kill_marked(variable: &str, value: &str) -> usize {
    let mut killed = Vec::new();
    for _ in 0..MOST_SCANS {
        let all = ProcessEntry::all();
        let kin = ancestors(&all);
        let is_marked = |entry: &ProcessEntry| {
            !kin.contains(&entry.pid) && has_mark(entry.pid, variable, value)
        };
        let marked: Vec<ProcessEntry> =
            all.iter().copied().filter(|entry| is_marked(entry)).collect();
        let sessions: Vec<Pid> = marked.iter().filter_map(|entry| entry.session).collect();
        let members = with_descendants(&all, |entry| {
            !kin.contains(&entry.pid)
                && (entry.session.is_some_and(|session| sessions.contains(&session))
                    || is_marked(entry))
        });
        if members.is_empty() {
            break;
        }
        members.iter().for_each(kill);
        let fresh = members.into_iter().map(|entry| (entry.pid, entry.start_time));
        killed.extend(fresh.filter(|process| !killed.contains(process)).collect::<Vec<_>>());
    }
    killed.len()
}

/// The running processes of a program, except its own.
fn members(leader: Pid, variable: &str, value: &str) -> Vec<ProcessEntry> {
    let mut members = with_descendants(&ProcessEntry::all(), |entry| {
        [Some(entry.pid), entry.group, entry.session].contains(&Some(leader))
            || has_mark(entry.pid, variable, value)
    });
    members.retain(|entry| entry.pid != leader);
    members
}

/// The processes for which `is_member` holds, and their descendants, but never our own process.
fn with_descendants(
    all: &[ProcessEntry],
    is_member: impl Fn(&ProcessEntry) -> bool,
) -> Vec<ProcessEntry> {
    let us = getpid();
    let mut members: Vec<ProcessEntry> =
        all.iter().copied().filter(|entry| entry.pid != us && is_member(entry)).collect();
    let mut next = 0;
    while let Some(parent) = members.get(next).map(|entry| entry.pid) {
        for child in all.iter().filter(|entry| entry.parent == Some(parent) && entry.pid != us) {
            if !members.iter().any(|member| member.pid == child.pid) {
                members.push(*child);
            }
        }
        next += 1;
    }
    // Zombies have ended, but their children may still be running.
    members.retain(|entry| !entry.is_zombie);
    members
}

/// Our own PID and those of all our ancestors.
fn ancestors(all: &[ProcessEntry]) -> Vec<Pid> {
    let mut found = vec![getpid()];
    let parent_of = |pid: Pid| all.iter().find(|entry| entry.pid == pid)?.parent;
    while let Some(parent) = parent_of(found[found.len() - 1]).filter(|pid| !found.contains(pid)) {
        found.push(parent);
    }
    found
}

/// A process, as reported by the system.
#[derive(Clone, Copy)]
struct ProcessEntry {
    pid: Pid,
    parent: Option<Pid>,
    group: Option<Pid>,
    session: Option<Pid>,
    /// The start time in clock ticks since boot; unique together with the PID.
    start_time: u64,
    is_zombie: bool,
}

impl ProcessEntry {
    /// All running processes; none without `/proc`.
    fn all() -> Vec<Self> {
        let folders = fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = folders.filter_map(|folder| parse_pid(folder.file_name().to_str()?));
        pids.filter_map(Self::read).collect()
    }

    fn read(pid: Pid) -> Option<Self> {
        Self::parse(pid, &fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// Parses `/proc/PID/stat`.
    fn parse(pid: Pid, stat: &str) -> Option<Self> {
        // The program's name is in parentheses, and may itself contain parentheses.
        let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
        let pid_at = |index: usize| fields.get(index).and_then(|field| parse_pid(field));
        Some(Self {
            pid,
            parent: pid_at(1),
            group: pid_at(2),
            session: pid_at(3),
            start_time: fields.get(19)?.parse().ok()?,
            is_zombie: matches!(fields.first(), Some(&("Z" | "X"))),
        })
    }

    /// Whether the PID still belongs to this process.
    fn is_current(&self) -> bool {
        Self::read(self.pid).is_some_and(|now| now.start_time == self.start_time)
    }
}

/// Parses a PID, if valid. The group and session are -1 for a process that is just ending, and 0 for a kernel thread.
fn parse_pid(text: &str) -> Option<Pid> {
    text.parse().ok().filter(|&number| number > 0).and_then(Pid::from_raw)
}

/// Whether a process was started with this environment variable.
fn has_mark(pid: Pid, variable: &str, value: &str) -> bool {
    let sought = format!("{variable}={value}");
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
    environment.split(|&byte| byte == 0).any(|variable| variable == sought.as_bytes())
}

/// Kills exactly this process, never another process that has reused its PID.
#[cfg(target_os = "linux")]
fn kill(entry: &ProcessEntry) {
    use rustix::io::Errno;
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};
    match pidfd_open(entry.pid, PidfdFlags::empty()) {
        // Open the pidfd before the check: from then on, it always refers to the same process.
        Ok(handle) if entry.is_current() => drop(pidfd_send_signal(handle, Signal::KILL)),
        Err(Errno::NOSYS) if entry.is_current() => drop(kill_process(entry.pid, Signal::KILL)),
        Ok(_) | Err(_) => {}
    }
}

/// Never called: without `/proc`, no processes are found.
#[cfg(not(target_os = "linux"))]
fn kill(entry: &ProcessEntry) {
    if entry.is_current() {
        let _ = kill_process(entry.pid, Signal::KILL);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_process_that_is_just_ending_has_no_group_and_no_session() {
        let pid = parse_pid("77").expect("a PID");
        let stat = format!("77 (a) b) Z 1 -1 -1 0 {} 4711 0", vec!["0"; 14].join(" "));
        let entry = ProcessEntry::parse(pid, &stat).expect("it has all fields");
        assert_eq!((entry.parent, entry.group, entry.session), (parse_pid("1"), None, None));
        assert_eq!((entry.start_time, entry.is_zombie), (4711, true));
        for text in ["-1", "0", "", "x", "99999999999"] {
            assert_eq!(parse_pid(text), None, "{text}");
        }
    }

    #[test]
    fn a_process_that_reused_a_pid_is_not_killed() {
        let mut child = Command::new("sleep").arg("86471").spawn().expect("the program exists");
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).expect("it is positive");
        let entry = ProcessEntry::read(pid).expect("it runs");
        // Pretend to have found an earlier process with this PID.
        kill(&ProcessEntry { start_time: entry.start_time - 1, ..entry });
        assert!(matches!(child.try_wait(), Ok(None)));
        kill(&entry);
        assert!(child.wait().is_ok_and(|status| !status.success()));
    }

    #[test]
    fn our_own_process_is_never_found() {
        let all = ProcessEntry::all();
        let kin = ancestors(&all);
        assert!(kin.len() > 1, "we have a parent process");
        let found = with_descendants(&all, |_| true);
        assert!(found.iter().all(|entry| entry.pid != getpid()));
    }
}
