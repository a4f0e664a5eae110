//! A log written by its own thread, so that a slow or blocked reader never delays the server.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::time::{Duration, SystemTime};
use std::{io, thread};

use super::{Entry, Level, Log, LogFormat};

/// Maximum number of lines waiting to be written. More are dropped and counted.
const MOST: usize = 4096;

/// Lines waiting to be written. Writing to a pipe that nobody reads blocks.
#[derive(Clone)]
pub struct LogQueue(Sender<Item>);

enum Item {
    Line(String),
    /// Dropped once all earlier lines are written.
    Flush(Sender<()>),
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
        let (items, queue) = channel();
        let (waiting, dropped) = (Arc::new(AtomicUsize::new(0)), AtomicU64::new(0));
        let unwritten = Arc::clone(&waiting);
        let work = move || {
            for item in queue {
                match item {
                    Item::Line(line) => {
                        write(&line);
                        unwritten.fetch_sub(1, Relaxed);
                    }
                    Item::Flush(done) => drop(done),
                }
            }
        };
        thread::Builder::new().name("log".to_owned()).spawn(work)?;
        let queue = LogQueue(items.clone());
        let sink = move |entry: &Entry| {
            let add = |entry: &Entry| {
                waiting.fetch_add(1, Relaxed);
                let _ = items.send(Item::Line(entry.line(format, SystemTime::now())));
            };
            if waiting.load(Relaxed) >= MOST {
                dropped.fetch_add(1, Relaxed);
                return;
            }
            let dropped = dropped.swap(0, Relaxed);
            if dropped > 0 {
                let text = "Lines were dropped because nobody read the log.";
                add(&Entry::warn("log_dropped", text).with("dropped", dropped));
            }
            add(entry);
        };
        Ok((Self::new(least, sink), queue))
    }
}

impl LogQueue {
    /// Waits until all lines are written, for at most `patience`.
    pub fn flush(&self, patience: Duration) {
        let (done, flushed) = channel();
        let _ = self.0.send(Item::Flush(done));
        let _ = flushed.recv_timeout(patience);
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
