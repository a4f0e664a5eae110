//! What the other side can say: a line as a command, and the limits of a `go`.

use std::time::Duration;

use skirmish_rules::{Both, Side, quotable};

/// A command, with what follows its first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EngineCommand<'a> {
    Ugi,
    SetOption(&'a str),
    IsReady,
    NewGame,
    Position(&'a str),
    Go(&'a str),
    Stop,
    Query(&'a str),
    Show,
    Quit,
    /// A line without a word.
    Nothing,
    /// A word that is no command.
    Unknown(&'a str),
}

/// The commands, for whoever sends another.
pub(super) const COMMANDS: [&str; 10] =
    ["ugi", "setoption", "isready", "uginewgame", "position", "go", "stop", "query", "d", "quit"];

impl<'a> EngineCommand<'a> {
    /// Whether the options are meant to be set by now, because this depends on the game.
    pub(super) const fn settles_options(&self) -> bool {
        match self {
            Self::IsReady
            | Self::NewGame
            | Self::Position(_)
            | Self::Go(_)
            | Self::Query(_)
            | Self::Show => true,
            Self::Ugi
            | Self::SetOption(_)
            | Self::Stop
            | Self::Quit
            | Self::Nothing
            | Self::Unknown(_) => false,
        }
    }

    pub(super) fn parse(line: &'a str) -> Self {
        let line = line.trim();
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match word {
            "ugi" => Self::Ugi,
            "setoption" => Self::SetOption(rest),
            "isready" => Self::IsReady,
            "uginewgame" => Self::NewGame,
            "position" => Self::Position(rest),
            "go" => Self::Go(rest),
            "stop" => Self::Stop,
            "query" => Self::Query(rest),
            "d" => Self::Show,
            "quit" => Self::Quit,
            "" => Self::Nothing,
            _ => Self::Unknown(word),
        }
    }
}

/// How long a `go` may take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct GoLimits {
    /// For this move alone.
    move_time: Option<Duration>,
    clock: Both<Option<Duration>>,
    increment: Both<Option<Duration>>,
    moves_to_go: Option<u32>,
    /// Whether only `stop` ends it.
    pub(super) is_infinite: bool,
}

/// What the way of the answer through pipes and runners may cost.
const MARGIN: Duration = Duration::from_millis(20);

/// A move may take this part of one's clock, unless the other side says how many moves it must last for.
const SHARE: u32 = 20;

/// However much of a line makes no sense, a few words about it are enough.
const MOST_REMARKS: usize = 4;

impl GoLimits {
    /// Reads what follows `go`, and tells what of it was passed over.
    pub(super) fn parse(text: &str) -> (Self, Vec<String>) {
        let mut limits = Self::default();
        let mut remarks = Vec::new();
        let mut words = text.split_whitespace().peekable();
        while let Some(word) = words.next() {
            let mut number = || {
                let number = words.next_if(|given| is_number(given));
                if number.is_none() {
                    remarks.push(format!("{word} is passed over: it wants a number"));
                }
                // A clock that has run out may be told as less than nothing, and no limit as more than there is.
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
                // A solved game is looked up: neither changes the answer, nor the time it takes.
                "depth" | "nodes" => drop(number()),
                "infinite" => limits.is_infinite = true,
                _ => remarks.push(format!("go knows no \"{}\": it is passed over", quotable(word))),
            }
        }
        remarks.truncate(MOST_REMARKS);
        (limits, remarks)
    }

    /// How long a side may wait for a game to be solved; as long as it takes if there is no limit.
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
        // However short the time, half of it is ours.
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
    fn a_move_takes_a_small_share_of_ones_own_clock() {
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
    fn what_cannot_be_read_is_named_and_passed_over() {
        let (limits, remarks) = GoLimits::parse("ponder movetime soon depth movetime 9 nodes");
        assert_eq!(
            limits,
            GoLimits { move_time: Some(Duration::from_millis(9)), ..GoLimits::default() }
        );
        assert_eq!(
            remarks,
            [
                "go knows no \"ponder\": it is passed over",
                "movetime is passed over: it wants a number",
                "go knows no \"soon\": it is passed over",
                "depth is passed over: it wants a number",
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
