//! A log written by its own thread, so that a slow or blocked reader never delays the server.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, SystemTime};
use std::{io, thread};

use super::{Entry, Level, Log, LogFormat};
use crate::lock::lock;

/// Maximum number of lines waiting to be written. More are dropped and counted.
const MOST: usize = 4096;

/// Lines waiting to be written. Writing to a pipe that nobody reads blocks.
#[derive(Clone)]
pub struct LogQueue {
    format: LogFormat,
    shared: Arc<(Mutex<Lines>, Condvar)>,
}

#[derive(Default)]
struct Lines {
    waiting: VecDeque<String>,
    /// Number of lines dropped since the last one that was queued.
    dropped: u64,
    is_writing: bool,
}

impl Log {
    /// Returns a log whose lines are passed to `write` on a separate thread.
    ///
    /// # Errors
    /// If the thread cannot be started.
    pub fn queued(
        least: Level,
        format: LogFormat,
        mut write: impl FnMut(&str) + Send + 'static,
    ) -> io::Result<(Self, LogQueue)> {
        let queue = LogQueue { format, shared: Arc::default() };
        let (writer, adder) = (queue.clone(), queue.clone());
        let work = move || {
            loop {
                write(&writer.next());
            }
        };
        thread::Builder::new().name("log".to_owned()).spawn(work)?;
        Ok((Self::new(least, move |entry| adder.add(entry)), queue))
    }
}

impl LogQueue {
    /// Queues an entry, or counts it as dropped if the queue is full.
    fn add(&self, entry: &Entry) {
        let (lines, changed) = &*self.shared;
        let mut lines = lock(lines);
        if lines.waiting.len() >= MOST {
            lines.dropped += 1;
            return;
        }
        let now = SystemTime::now();
        if lines.dropped > 0 {
            let text = "Lines were dropped because nobody read the log.";
            let report = Entry::warn("log_dropped", text).with("dropped", lines.dropped);
            lines.waiting.push_back(report.line(self.format, now));
            lines.dropped = 0;
        }
        lines.waiting.push_back(entry.line(self.format, now));
        changed.notify_all();
    }

    /// Marks the previous line as written and waits for the next one.
    fn next(&self) -> String {
        let (lines, changed) = &*self.shared;
        let mut lines = lock(lines);
        lines.is_writing = false;
        changed.notify_all();
        loop {
            if let Some(line) = lines.waiting.pop_front() {
                lines.is_writing = true;
                return line;
            }
            lines = changed.wait(lines).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    /// Waits until all lines are written, for at most `patience`.
    pub fn flush(&self, patience: Duration) {
        let (lines, changed) = &*self.shared;
        let is_busy = |lines: &mut Lines| lines.is_writing || !lines.waiting.is_empty();
        drop(changed.wait_timeout_while(lock(lines), patience, is_busy));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn nobody_waits_for_a_log_that_is_not_read_and_dropped_lines_are_counted() {
        let (written, reader) = mpsc::sync_channel(0);
        let write = move |line: &str| written.send(line.to_owned()).expect("somebody reads");
        let (log, queue) = Log::queued(Level::Info, LogFormat::Text, write).expect("a thread");
        let entry = |number: u64| Entry::info("numbered", "A line.").with("number", number);
        let total = MOST as u64 + 100;
        for number in 0..total {
            log.write(&entry(number));
        }
        queue.flush(Duration::ZERO);
        // The writer may or may not have taken a line from the queue.
        let mut lines: Vec<String> = reader.iter().take(MOST).collect();
        log.write(&entry(total));
        lines.extend(reader.iter().take_while(|line| !line.ends_with(&format!("={total}"))));
        let report = lines.pop().expect("a report");
        let (_, dropped) = report.split_once("log_dropped").expect("a report");
        let (_, dropped) = dropped.split_once("dropped=").expect("a number");
        assert_eq!(lines.len() as u64 + dropped.parse::<u64>().expect("a number"), total);
        for (number, line) in lines.iter().enumerate() {
            assert!(line.ends_with(&format!("number={number}")), "{line}");
        }
        queue.flush(Duration::from_mins(1));
        assert!(reader.try_recv().is_err(), "everything was written");
    }
}
