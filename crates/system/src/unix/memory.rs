//! Available memory, within the limits of this process and its control groups.

use std::path::{Path, PathBuf};
use std::{fs, thread};

use rustix::process::{Resource, getrlimit};

/// The address space that the allocator reserves for each thread (glibc's arenas).
const ARENA: u64 = 64 << 20;

/// A control group without a limit reports at least this value.
const UNLIMITED: u64 = 1 << 60;

/// The memory that this process can still allocate under each known limit: the machine's available memory, `ulimit -v`,
/// `ulimit -d`, and its control groups.
pub(crate) fn limits() -> Vec<(&'static str, u64)> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let status = read("/proc/self/status");
    // The main thread has no arena, and the arenas of running threads are part of `VmSize`.
    let threads = thread::available_parallelism().map_or(1, usize::from) as u64 + 3;
    let threads = threads.saturating_sub(number(&status, "Threads").unwrap_or(1));
    let address_space = getrlimit(Resource::As).current.map(|limit| {
        limit.saturating_sub(kibibytes(&status, "VmSize").unwrap_or(0) + threads * ARENA)
    });
    let data = getrlimit(Resource::Data)
        .current
        .map(|limit| limit.saturating_sub(kibibytes(&status, "VmData").unwrap_or(0)));
    let groups = groups(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"));
    let known = [
        ("machine", kibibytes(&read("/proc/meminfo"), "MemAvailable")),
        ("ulimit -v", address_space),
        ("ulimit -d", data),
        ("control groups", groups.iter().filter_map(|group| left_in(group)).min()),
    ];
    known.into_iter().filter_map(|(name, left)| Some((name, left?))).collect()
}

/// Reads a size from a file like `/proc/meminfo`, in bytes: `MemAvailable:  123 kB`.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    number(text, name)?.checked_mul(1024)
}

/// Reads a number from a file like `/proc/self/status`: `Threads:  5`.
fn number(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The directories of the control groups that may limit a process's memory, innermost first, from its
/// `/proc/PID/cgroup` and `/proc/PID/mountinfo`.
fn groups(cgroup: &str, mountinfo: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for line in cgroup.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        // Version 2 has one hierarchy for all controllers and lists none of them; version 1 names them.
        let is_second = controllers.is_empty();
        if !is_second && !controllers.split(',').any(|name| name == "memory") {
            continue;
        }
        let Some((root, mounted)) = mount(mountinfo, is_second) else { continue };
        // In a container, only part of the hierarchy is mounted, and the path may be outside.
        let inner = Path::new(path).strip_prefix(root).unwrap_or(Path::new(""));
        let directory: PathBuf = Path::new(mounted).join(inner).components().collect();
        let within = directory.ancestors().take_while(|group| group.starts_with(mounted));
        found.extend(within.map(Path::to_owned));
    }
    found
}

/// The mounted part of the memory controller's hierarchy, and its mount point.
fn mount(mountinfo: &str, is_second: bool) -> Option<(&str, &str)> {
    mountinfo.lines().find_map(|line| {
        let (place, kind) = line.split_once(" - ")?;
        let mut place = place.split(' ').skip(3);
        let (root, mounted) = (place.next()?, place.next()?);
        let mut kind = kind.split(' ');
        let (name, options) = (kind.next()?, kind.nth(1)?);
        let is_it = if is_second {
            name == "cgroup2"
        } else {
            name == "cgroup" && options.split(',').any(|option| option == "memory")
        };
        is_it.then_some((root, mounted))
    })
}

/// The memory left in a control group, if it has a limit.
fn left_in(group: &Path) -> Option<u64> {
    let read = |name: &str| fs::read_to_string(group.join(name)).ok();
    let (limit, usage) = read("memory.max")
        .zip(read("memory.current"))
        .or_else(|| read("memory.limit_in_bytes").zip(read("memory.usage_in_bytes")))?;
    left(&limit, &usage, &read("memory.stat").unwrap_or_default())
}

/// The memory left below a limit. Inactive page cache counts as free.
fn left(limit: &str, usage: &str, statistics: &str) -> Option<u64> {
    // Without a limit, version 2 reports "max", and version 1 the largest whole number of pages.
    let limit: u64 = limit.trim().parse().ok().filter(|&limit| limit < UNLIMITED)?;
    let usage: u64 = usage.trim().parse().ok()?;
    let cached = |name: &str| {
        let value = statistics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        value?.trim().parse::<u64>().ok()
    };
    let cached = cached("total_inactive_file").or_else(|| cached("inactive_file")).unwrap_or(0);
    Some(limit.saturating_sub(usage.saturating_sub(cached)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "\
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
36 31 0:33 / /sys/fs/cgroup/devices rw,relatime - cgroup cgroup rw,devices
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
";
    const SECOND: &str =
        "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

    fn listed(cgroup: &str, mountinfo: &str) -> Vec<String> {
        groups(cgroup, mountinfo).iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn kibibytes_are_read_by_the_whole_name_of_their_field() {
        let text = "MemTotal:  9 kB\nMemAvailableNot: 5 kB\nMemAvailable:   2048 kB\n";
        assert_eq!(kibibytes(text, "MemAvailable"), Some(2 << 20));
        assert_eq!(kibibytes(text, "VmSize"), None);
        assert_eq!(kibibytes("VmSize:\n", "VmSize"), None);
        assert_eq!(kibibytes("VmSize: 18446744073709551615 kB\n", "VmSize"), None);
    }

    #[test]
    fn control_groups_are_followed_up_to_where_they_are_mounted() {
        let cgroup = "9:name=systemd:/\n4:memory:/jobs/one\n3:cpuset,memoryless:/x\n";
        let expected = ["/sys/fs/cgroup/memory/jobs/one", "/sys/fs/cgroup/memory/jobs"];
        assert_eq!(listed(cgroup, FIRST)[..2], expected);
        assert_eq!(listed(cgroup, FIRST)[2..], ["/sys/fs/cgroup/memory"]);
        assert_eq!(listed("0::/\n", FIRST), ["/sys/fs/cgroup/unified"]);
        assert_eq!(listed("0::/user.slice\n", SECOND)[0], "/sys/fs/cgroup/user.slice");
        assert_eq!(listed("0::/user.slice\n", SECOND)[1], "/sys/fs/cgroup");
        assert!(listed("4:memory:/jobs\n", SECOND).is_empty(), "that version is not mounted");
        assert!(listed("nonsense\n", SECOND).is_empty());
    }

    #[test]
    fn a_container_sees_only_its_own_part_of_the_hierarchy() {
        let mounted = FIRST.replace("0:32 / ", "0:32 /docker/abc ");
        let inside = listed("4:memory:/docker/abc/inner\n", &mounted);
        assert_eq!(inside, ["/sys/fs/cgroup/memory/inner", "/sys/fs/cgroup/memory"]);
        assert_eq!(listed("4:memory:/docker/abc\n", &mounted), ["/sys/fs/cgroup/memory"]);
        assert_eq!(listed("4:memory:/elsewhere\n", &mounted), ["/sys/fs/cgroup/memory"]);
    }

    #[test]
    fn cached_files_count_as_free() {
        assert_eq!(left("1000\n", "400\n", ""), Some(600));
        assert_eq!(left("1000\n", "400\n", "anon 300\ninactive_file 100\n"), Some(700));
        let both = "inactive_file 1\ntotal_inactive_file 150\n";
        assert_eq!(left("1000\n", "400\n", both), Some(750), "version 1 counts its children apart");
        assert_eq!(left("1000\n", "1200\n", ""), Some(0));
        for none in ["max\n", "9223372036854771712\n"] {
            assert_eq!(left(none, "400\n", ""), None, "there is no limit");
        }
    }

    #[test]
    fn a_group_is_read_in_either_version() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(left_in(folder.path()), None);
        let write =
            |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("written");
        write("memory.limit_in_bytes", "5000\n");
        write("memory.usage_in_bytes", "1000\n");
        assert_eq!(left_in(folder.path()), Some(4000));
        write("memory.max", "3000\n");
        write("memory.current", "1000\n");
        write("memory.stat", "inactive_file 500\n");
        assert_eq!(left_in(folder.path()), Some(2500));
    }
}
