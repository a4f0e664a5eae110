//! Counters, gauges and histograms, and Prometheus' text format.

use std::fmt::{Display, Write as _};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// A number that only increases.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Relaxed);
    }

    pub(crate) fn increase(&self) {
        self.add(1);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// A number that increases and decreases.
#[derive(Debug, Default)]
pub(crate) struct Gauge(AtomicU64);

impl Gauge {
    pub(crate) fn set(&self, value: u64) {
        self.0.store(value, Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// The unit and buckets of a histogram.
pub(crate) trait Scale {
    /// The upper bounds of the buckets.
    const BOUNDS: &'static [u64];

    /// The number of observed units in a reported one.
    const UNIT: f64;
}

/// Times, observed in microseconds and reported in seconds.
#[derive(Debug)]
pub(crate) enum Times {}

impl Scale for Times {
    const BOUNDS: &'static [u64] = &[
        250, 500, 1_000, 2_500, 5_000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000,
        1_000_000, 2_500_000, 5_000_000,
    ];
    const UNIT: f64 = 1e6;
}

/// Numbers of items.
#[derive(Debug)]
pub(crate) enum Sizes {}

impl Scale for Sizes {
    const BOUNDS: &'static [u64] = &[1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
    const UNIT: f64 = 1.0;
}

/// Counts of observed values, by size.
#[derive(Debug)]
pub(crate) struct Histogram<S> {
    buckets: Vec<AtomicU64>,
    count: AtomicU64,
    sum: AtomicU64,
    scale: PhantomData<S>,
}

impl<S: Scale> Default for Histogram<S> {
    fn default() -> Self {
        let buckets = S::BOUNDS.iter().map(|_| AtomicU64::default()).collect();
        Self { buckets, count: AtomicU64::default(), sum: AtomicU64::default(), scale: PhantomData }
    }
}

impl<S: Scale> Histogram<S> {
    pub(crate) fn observe(&self, value: u64) {
        let bucket = S::BOUNDS.partition_point(|&bound| bound < value);
        if let Some(bucket) = self.buckets.get(bucket) {
            bucket.fetch_add(1, Relaxed);
        }
        self.sum.fetch_add(value, Relaxed);
        self.count.fetch_add(1, Relaxed);
    }

    /// Observes a time, in microseconds.
    pub(crate) fn observe_time(&self, time: Duration) {
        self.observe(u64::try_from(time.as_micros()).unwrap_or(u64::MAX));
    }

    pub(crate) fn count(&self) -> u64 {
        self.count.load(Relaxed)
    }
}

/// Metrics rendered in Prometheus' text format.
#[derive(Debug, Default)]
pub(crate) struct Exposition(String);

impl Exposition {
    pub(crate) fn counter(&mut self, name: &str, help: &str, value: u64) {
        self.head(name, help, "counter");
        self.sample(name, "", value);
    }

    /// Adds a gauge. `None` if it currently has no value.
    pub(crate) fn gauge(&mut self, name: &str, help: &str, value: impl Into<Option<u64>>) {
        self.head(name, help, "gauge");
        if let Some(value) = value.into() {
            self.sample(name, "", value);
        }
    }

    /// Adds one metric with a sample for each value of a label.
    pub(crate) fn labelled<'a>(
        &mut self,
        kind: &str,
        (name, help, label): (&str, &str, &str),
        samples: impl IntoIterator<Item = (&'a str, u64)>,
    ) {
        self.head(name, help, kind);
        for (word, value) in samples {
            self.sample(name, &format!("{{{label}=\"{word}\"}}"), value);
        }
    }

    pub(crate) fn histogram<S: Scale>(&mut self, name: &str, help: &str, histogram: &Histogram<S>) {
        #[allow(clippy::cast_precision_loss)] // microseconds of centuries fit
        let reported = |value: u64| value as f64 / S::UNIT;
        self.head(name, help, "histogram");
        let mut below = 0;
        for (bound, bucket) in S::BOUNDS.iter().zip(&histogram.buckets) {
            below += bucket.load(Relaxed);
            let label = format!("{{le=\"{}\"}}", reported(*bound));
            self.sample(&format!("{name}_bucket"), &label, below);
        }
        // Read last, so that no bucket exceeds the total.
        let count = histogram.count().max(below);
        self.sample(&format!("{name}_bucket"), "{le=\"+Inf\"}", count);
        self.sample(&format!("{name}_sum"), "", reported(histogram.sum.load(Relaxed)));
        self.sample(&format!("{name}_count"), "", count);
    }

    pub(crate) fn into_text(self) -> String {
        self.0
    }

    fn head(&mut self, name: &str, help: &str, kind: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn sample(&mut self, name: &str, labels: &str, value: impl Display) {
        let _ = writeln!(self.0, "{name}{labels} {value}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    enum Few {}

    impl Scale for Few {
        const BOUNDS: &'static [u64] = &[1, 10];
        const UNIT: f64 = 1.0;
    }

    #[test]
    fn buckets_count_what_is_at_most_as_large() {
        let histogram = Histogram::<Few>::default();
        for value in [0, 1, 2, 10, 11] {
            histogram.observe(value);
        }
        let mut text = Exposition::default();
        text.histogram("size", "How large.", &histogram);
        let expected = "# HELP size How large.\n# TYPE size histogram\n\
             size_bucket{le=\"1\"} 2\nsize_bucket{le=\"10\"} 4\nsize_bucket{le=\"+Inf\"} 5\n\
             size_sum 24\nsize_count 5\n";
        assert_eq!(text.into_text(), expected);
    }

    #[test]
    fn times_are_written_in_seconds() {
        let histogram = Histogram::<Times>::default();
        histogram.observe_time(Duration::from_millis(1500));
        let mut text = Exposition::default();
        text.histogram("wait", "How long.", &histogram);
        let text = text.into_text();
        assert!(text.contains("wait_bucket{le=\"1\"} 0\nwait_bucket{le=\"2.5\"} 1\n"), "{text}");
        assert!(text.contains("wait_bucket{le=\"0.0005\"} 0\n"), "{text}");
        assert!(text.contains("wait_sum 1.5\n"), "{text}");
    }
}
