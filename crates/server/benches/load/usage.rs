//! The resource usage of processes.

use std::iter::Sum;
use std::ops::Add;

/// The resources that processes have used so far.
#[derive(Clone, Copy, Default)]
pub(crate) struct Usage {
    /// The CPU time, in milliseconds.
    pub(crate) cpu: f64,
    /// The resident memory, in KiB.
    pub(crate) memory: f64,
}

/// The fields of `/proc/PID/stat`, starting with the state, which is field 3.
pub(crate) fn stat(pid: u32) -> Vec<String> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    fields.split_whitespace().map(str::to_owned).collect()
}

/// The sum of the given fields, in milliseconds.
pub(crate) fn ticks(stat: &[String], fields: &[usize]) -> f64 {
    let field = |&index: &usize| stat.get(index)?.parse::<f64>().ok();
    // One tick is 10 ms.
    fields.iter().filter_map(field).sum::<f64>() * 10.0
}

/// The indices of a process's user time and system time.
pub(crate) const OWN: &[usize] = &[11, 12];

/// The same indices, and those of the process's ended children.
pub(crate) const WITH_CHILDREN: &[usize] = &[11, 12, 13, 14];

impl Usage {
    pub(crate) fn of(pid: u32) -> Self {
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let resident = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let resident =
            resident.and_then(|text| text.split_whitespace().next()?.parse::<f64>().ok());
        Self { cpu: ticks(&stat(pid), OWN), memory: resident.unwrap_or(0.0) }
    }
}

impl Add for Usage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { cpu: self.cpu + other.cpu, memory: self.memory + other.memory }
    }
}

impl Sum for Usage {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), Self::add)
    }
}

/// The running processes, with their command lines.
pub(crate) fn processes() -> Vec<(u32, String)> {
    let folders = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let pids = folders.filter_map(|folder| folder.file_name().to_str()?.parse::<u32>().ok());
    let command = |pid: u32| std::fs::read_to_string(format!("/proc/{pid}/cmdline")).ok();
    pids.filter_map(|pid| Some((pid, command(pid)?))).collect()
}
