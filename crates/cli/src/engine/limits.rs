//! The limits of a `go` command.

use std::time::Duration;

use skirmish_rules::{Both, Side, quotable};

/// The limits of a `go` command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GoLimits {
    /// The time for this move.
    move_time: Option<Duration>,
    clock: Both<Option<Duration>>,
    increment: Both<Option<Duration>>,
    moves_to_go: Option<u32>,
    /// Whether the search runs until `stop`.
    pub(super) is_infinite: bool,
}

/// Time reserved for delivering the answer through pipes and runners.
const MARGIN: Duration = Duration::from_millis(20);

/// A move may take the remaining time divided by this, or by `movestogo` if that is smaller.
const SHARE: u32 = 20;

/// The maximum number of remarks about one line.
const MOST_REMARKS: usize = 4;

impl GoLimits {
    /// Parses the rest of a `go` line; also returns remarks about what is ignored.
    pub(super) fn parse(text: &str) -> (Self, Vec<String>) {
        let mut limits = Self::default();
        let mut remarks = Vec::new();
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let mut number = || {
                let number = words.next_if(|given| is_number(given));
                if number.is_none() {
                    remarks.push(format!("ignoring {word}: expected a number"));
                }
                // An expired clock may be negative, and a number meaning "no limit" may overflow.
                let clamp = |given: &str| match given.strip_prefix('-') {
                    Some(_) => 0,
                    None => given.parse().unwrap_or(u64::MAX),
                };
                number.map(clamp)
            };
            let mut time = || number().map(Duration::from_millis);
            match word {
                "movetime" => limits.move_time = time(),
                "p1time" => limits.clock.one = time(),
                "p2time" => limits.clock.two = time(),
                "p1inc" => limits.increment.one = time(),
                "p2inc" => limits.increment.two = time(),
                "movestogo" => {
                    limits.moves_to_go =
                        number().map(|moves| u32::try_from(moves).unwrap_or(u32::MAX));
                }
                // Moves of a solved game are looked up: these change neither the answer nor the time.
                "depth" | "nodes" => drop(number()),
                "infinite" => limits.is_infinite = true,
                _ => remarks.push(format!("ignoring unknown word \"{}\"", quotable(word))),
            }
        }
        remarks.truncate(MOST_REMARKS);
        (limits, remarks)
    }

    /// How long a side may wait for a game to be solved; `None` without a limit.
    pub(super) fn allowance(&self, side: Side) -> Option<Duration> {
        if self.is_infinite {
            return None;
        }
        let by_clock = self.clock[side].map(|clock| {
            let share = self.moves_to_go.map_or(SHARE, |moves| moves.clamp(1, SHARE));
            let increment = self.increment[side].unwrap_or_default();
            (clock / share).saturating_add(increment / 2).min(clock)
        });
        let shortest = [self.move_time, by_clock].into_iter().flatten().min();
        // The margin takes at most half of a short time.
        shortest.map(|time| time.saturating_sub(MARGIN.min(time / 2)))
    }
}

fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(text: &str, side: Side) -> Option<u128> {
        GoLimits::parse(text).0.allowance(side).map(|time| time.as_millis())
    }

    #[test]
    fn a_move_takes_a_little_less_than_its_time() {
        assert_eq!(allowed("movetime 1000", Side::One), Some(980));
        assert_eq!(allowed("movetime 6", Side::One), Some(3));
        assert_eq!(allowed("movetime -5", Side::One), Some(0));
    }

    #[test]
    fn a_move_takes_a_small_share_of_its_sides_clock() {
        let clocks = "p1time 10000 p2time 60000 p1inc 100 p2inc 0";
        assert_eq!(allowed(clocks, Side::One), Some(500 + 50 - 20));
        assert_eq!(allowed(clocks, Side::Two), Some(3000 - 20));
        assert_eq!(allowed("p1time 10000 movestogo 2", Side::One), Some(4980));
        assert_eq!(allowed("p1time 100 p1inc 60000", Side::One), Some(80));
        assert_eq!(allowed("p2time 100", Side::One), None);
    }

    #[test]
    fn depth_nodes_and_infinite_set_no_time() {
        for text in ["", "depth 3", "nodes 5000", "infinite", "movetime 5 infinite"] {
            assert_eq!(allowed(text, Side::One), None, "{text}");
        }
        assert!(GoLimits::parse("movetime 5 infinite").0.is_infinite);
    }

    #[test]
    fn invalid_words_are_named_and_ignored() {
        let (limits, remarks) = GoLimits::parse("ponder movetime soon depth movetime 9 nodes");
        assert_eq!(
            limits,
            GoLimits { move_time: Some(Duration::from_millis(9)), ..GoLimits::default() }
        );
        assert_eq!(
            remarks,
            [
                "ignoring unknown word \"ponder\"",
                "ignoring movetime: expected a number",
                "ignoring unknown word \"soon\"",
                "ignoring depth: expected a number",
            ]
        );
        assert_eq!(GoLimits::parse("movestogo").1.len(), 1);
    }

    #[test]
    fn the_largest_numbers_are_numbers() {
        for most in [i64::MAX.to_string(), u64::MAX.to_string(), "9".repeat(40)] {
            let text = format!("p1time {most} p1inc {most} movestogo {most} nodes {most}");
            let (limits, remarks) = GoLimits::parse(&text);
            assert!(limits.allowance(Side::One).is_some());
            assert!(remarks.is_empty(), "{remarks:?}");
        }
    }
}
