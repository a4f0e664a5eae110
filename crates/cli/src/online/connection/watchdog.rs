//! Decides when to ping a silent server, and when to give up on it.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use skirmish_room::wire::{
    About, ClientMessage, ClockView, Ev, EventView, Rej, ServerMessage, Snap, StageName,
};

/// How long a client tolerates silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SilenceLimits {
    /// The client pings after this much silence, and again at the same interval.
    ask_after: Duration,
    /// How long the server has to answer the first ping.
    answer_within: Duration,
}

/// The pace while no clock runs.
pub(super) const CALM: SilenceLimits =
    SilenceLimits { ask_after: Duration::from_secs(10), answer_within: Duration::from_secs(20) };

/// The pace while a clock runs: the client gives up on a hung node after six seconds.
pub(super) const HURRIED: SilenceLimits =
    SilenceLimits { ask_after: Duration::from_secs(3), answer_within: Duration::from_secs(3) };

/// A longer gap between two looks means that this process or the machine was suspended. An answer may be waiting.
const LATE: Duration = Duration::from_secs(2);

/// What to do about silence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reaction {
    /// Nothing yet.
    Wait,
    /// Send a ping.
    Ask,
    /// Reconnect: the server does not answer.
    Leave,
}

/// Watches one connection. It has no timer of its own: its owner calls [`Watchdog::look`] twice a second or so.
pub(super) struct Watchdog {
    heard: Instant,
    looked: Instant,
    /// The first and the last ping since the last message.
    asked: Option<(Instant, Instant)>,
    /// Whether the server has been given more time because a look came late.
    is_extended: bool,
}

impl Watchdog {
    pub(super) const fn new(now: Instant) -> Self {
        Self { heard: now, looked: now, asked: None, is_extended: false }
    }

    /// Notes that a message has arrived.
    pub(super) const fn hear(&mut self, now: Instant) {
        *self = Self::new(now);
    }

    /// Decides what to do now.
    pub(super) fn look(&mut self, now: Instant, pace: SilenceLimits) -> Reaction {
        let is_late = now.saturating_duration_since(self.looked) > LATE;
        self.looked = now;
        let since = |time: Instant| now.saturating_duration_since(time);
        match self.asked {
            None if since(self.heard) < pace.ask_after => Reaction::Wait,
            None => {
                self.asked = Some((now, now));
                Reaction::Ask
            }
            // Only once: where timers are slow, every look is late.
            Some(_) if is_late && !self.is_extended => {
                self.is_extended = true;
                self.asked = Some((now, now));
                Reaction::Ask
            }
            Some((first, _)) if since(first) >= pace.answer_within => Reaction::Leave,
            Some((first, last)) if since(last) >= pace.ask_after => {
                self.asked = Some((first, now));
                Reaction::Ask
            }
            Some(_) => Reaction::Wait,
        }
    }
}

/// The followed games in which a clock runs.
#[derive(Default)]
pub(super) struct RunningClocks(HashSet<String>);

impl RunningClocks {
    /// The pace for the moment.
    pub(super) fn pace(&self) -> SilenceLimits {
        if self.0.is_empty() { CALM } else { HURRIED }
    }

    /// Notes the clocks in a server's message.
    pub(super) fn receive(&mut self, message: &ServerMessage) {
        match message {
            ServerMessage::Snap(snap) => {
                let Snap { code, stage, clock, .. } = &**snap;
                self.set(code, *stage == StageName::Playing && clock.as_ref().is_some_and(runs));
            }
            ServerMessage::Ev(ev) => {
                let Ev { code, event, end, clock, .. } = &**ev;
                let stops = matches!(event, EventView::Paused | EventView::Closed);
                if stops || end.is_some() {
                    self.set(code, false);
                } else if let Some(clock) = clock {
                    self.set(code, runs(clock));
                }
            }
            ServerMessage::Rej(Rej {
                notice: Some(About { code, clock: Some(clock), .. }),
                ..
            }) => self.set(code, runs(clock)),
            _ => {}
        }
    }

    /// Notes that a game is left.
    pub(super) fn send(&mut self, message: &ClientMessage) {
        if let ClientMessage::Leave { code } = message {
            self.set(code, false);
        }
    }

    fn set(&mut self, code: &str, runs: bool) {
        if !runs {
            self.0.remove(code);
        } else if !self.0.contains(code) {
            self.0.insert(code.to_owned());
        }
    }
}

/// Whether a player's clock or the abort timer runs.
const fn runs(clock: &ClockView) -> bool {
    !clock.running.is_empty() || clock.abort.is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TICK: Duration = Duration::from_millis(500);

    /// Looks every half second for `seconds`. Returns the reactions other than [`Reaction::Wait`], with their times.
    fn watch(
        dog: &mut Watchdog,
        now: &mut Instant,
        seconds: u32,
        pace: SilenceLimits,
    ) -> Vec<(f32, Reaction)> {
        let begun = *now;
        let mut reactions = Vec::new();
        for _ in 0..seconds * 2 {
            *now += TICK;
            let reaction = dog.look(*now, pace);
            if reaction != Reaction::Wait {
                reactions.push(((*now - begun).as_secs_f32(), reaction));
            }
            if reaction == Reaction::Leave {
                break;
            }
        }
        reactions
    }

    #[test]
    fn a_silent_server_is_asked_after_three_seconds_and_left_after_six_while_a_clock_runs() {
        let mut now = Instant::now();
        let mut dog = Watchdog::new(now);
        let reactions = watch(&mut dog, &mut now, 60, HURRIED);
        assert_eq!(reactions, [(3.0, Reaction::Ask), (6.0, Reaction::Leave)]);
    }

    #[test]
    fn without_a_clock_a_silent_server_is_left_after_thirty_seconds() {
        let mut now = Instant::now();
        let mut dog = Watchdog::new(now);
        let reactions = watch(&mut dog, &mut now, 60, CALM);
        assert_eq!(
            reactions,
            [(10.0, Reaction::Ask), (20.0, Reaction::Ask), (30.0, Reaction::Leave)]
        );
    }

    #[test]
    fn a_server_that_answers_is_asked_every_three_seconds_and_never_left() {
        let mut now = Instant::now();
        let mut dog = Watchdog::new(now);
        for _ in 0..100 {
            assert_eq!(watch(&mut dog, &mut now, 3, HURRIED), [(3.0, Reaction::Ask)]);
            dog.hear(now);
        }
    }

    #[test]
    fn a_clock_that_begins_to_run_shortens_the_silence() {
        let mut now = Instant::now();
        let mut dog = Watchdog::new(now);
        assert_eq!(watch(&mut dog, &mut now, 8, CALM), []);
        let reactions = watch(&mut dog, &mut now, 60, HURRIED);
        assert_eq!(reactions, [(0.5, Reaction::Ask), (3.5, Reaction::Leave)]);
    }

    #[test]
    fn whoever_has_slept_asks_first_and_gives_the_answer_its_time() {
        for awake in [1, 4] {
            let mut now = Instant::now();
            let mut dog = Watchdog::new(now);
            watch(&mut dog, &mut now, awake, HURRIED);
            now += Duration::from_hours(8);
            let reactions = watch(&mut dog, &mut now, 60, HURRIED);
            assert_eq!(reactions, [(0.5, Reaction::Ask), (3.5, Reaction::Leave)], "{awake}");
        }
    }

    /// Browsers run the timers of hidden tabs once a minute: the client must still give up.
    #[test]
    fn a_silent_server_is_left_even_if_every_look_is_late() {
        let mut now = Instant::now();
        let mut dog = Watchdog::new(now);
        let mut look = || {
            now += Duration::from_mins(1);
            dog.look(now, HURRIED)
        };
        assert_eq!([look(), look(), look()], [Reaction::Ask, Reaction::Ask, Reaction::Leave]);
    }

    #[test]
    fn a_client_is_in_a_hurry_while_a_clock_runs_in_a_game_that_it_follows() {
        let mut clocks = RunningClocks::default();
        let mut hear = |text: &str| {
            clocks.receive(&serde_json::from_str(text).expect("a message"));
            clocks.pace() == HURRIED
        };
        let ev = |rest: &str| format!(r#"{{"type":"ev","code":"AAAAAA","v":2,{rest}}}"#);
        let left = r#""left":{"1":1,"2":1}"#;
        let turn = r#""event":"turn","player":1,"turns":[]"#;
        assert!(!hear(&ev(turn)), "no clock at all");
        let running = ev(&format!(r#"{turn},"clock":{{{left},"running":[2]}}"#));
        assert!(hear(&running));
        assert!(hear(&ev(r#""event":"say","player":1,"phrase":"hello""#)), "nothing new");
        assert!(!hear(&ev(r#""event":"paused""#)));
        let first = ev(&format!(r#"{turn},"clock":{{{left},"running":[],"abort":30000}}"#));
        assert!(hear(&first), "the game would be aborted");
        assert!(!hear(&ev(r#""event":"paused""#)));
        assert!(hear(&running));
        assert!(!hear(&ev(
            r#""event":"end","player":1,"end":{"result":"1-0","termination":"resigned"}"#
        )));
        let notice = |running: &str| {
            format!(
                r#"{{"type":"rej","code":"storage","text":"","notice":{{"code":"BBBBBB","clock":{{{left},"running":{running}}}}}}}"#
            )
        };
        assert!(hear(&running));
        assert!(hear(&notice("[1]")));
        assert!(hear(&notice("[]")), "the other game goes on");
        clocks.send(&ClientMessage::Leave { code: "AAAAAA".to_owned() });
        assert_eq!(clocks.pace(), CALM, "nobody follows it");
    }
}
