//! An independent model of a log: who must choose, the turns, and the clocks. It shares only the rules of the games with
//! the room.

use skirmish_play::Plan;
use skirmish_room::wire::{End, Offer, StageName};
use skirmish_room::{FIRST_MOVE, GRACE, LAG_QUOTA, Logged, Millis, RETURN, RoomEvent, TimeControl};
use skirmish_rules::{Both, Outcome, Setup, Side, Submitted, Table, Tempo};

use super::ensure;
use super::truth::UNNOTICED;

/// One game, reconstructed from the log.
pub(super) struct Model {
    table: Box<dyn Table>,
    people: Both<bool>,
    limit: Option<u32>,
    is_first_of_match: bool,
    control: TimeControl,
    pub(super) left: Both<Millis>,
    since: Option<Millis>,
    /// The version at which the clocks began to run.
    since_v: u64,
    /// The time of the last event.
    at: Millis,
    /// The lag credited to each side.
    lag: Both<Millis>,
    moved: Both<bool>,
    pub(super) offers: Both<Option<Offer>>,
    /// The versions at which the offers were made.
    pub(super) offer_v: Both<u64>,
    /// The turns in which each side chose, with the versions at which they were played.
    choices: Both<Vec<(usize, u64)>>,
    /// The version of the last takeback, or of the start of the game.
    undo_v: u64,
    declared: Option<(&'static str, &'static str)>,
    pub(super) stage: StageName,
    /// The version at which the turn began.
    pub(super) turn_v: u64,
}

/// The clock-dependent facts that the log alone does not contain.
#[derive(Clone, Debug, Default)]
pub(super) struct Circumstances {
    pub(super) now: Millis,
    /// The lag credited to the message.
    pub(super) lag: Millis,
    /// The versions that the node had, and since when.
    pub(super) learned: Vec<(u64, Millis)>,
    /// Maximum delay of a fallen flag; `None` after a recent fault.
    pub(super) slack: Option<Millis>,
    /// How long each player had been absent according to the server.
    pub(super) gone_for: Both<Option<Millis>>,
    /// Whether the operator wants the game closed.
    pub(super) is_shut: bool,
    /// When no node could write for the last time, however short.
    pub(super) unserved_until: Option<Millis>,
    /// The last long periods in which no node could write, and in which each player could reach only a failed node.
    pub(super) unserved: Option<(Millis, Millis)>,
    pub(super) stuck: Both<Option<(Millis, Millis)>>,
    /// Since when each player has been connected to a node that works.
    pub(super) well_since: Both<Option<Millis>>,
    /// When a fault last occurred, or a client connected.
    pub(super) calm_since: Millis,
    /// The periods with faults.
    pub(super) troubles: Vec<(Millis, Millis)>,
}

/// Maximum time for the computer's move, even if the node running it has died.
const THINKS: Millis = 15_000;

/// Maximum error of an event's time, and maximum age of a heartbeat.
const FUZZ: Millis = 2_500;

/// How long after players are back their clocks may still be settled.
const SETTLED: Millis = 4_000;

impl Model {
    pub(super) fn begin(plan: &Plan, control: TimeControl, at: Millis, v: u64) -> Self {
        let setup = Setup {
            settings: plan.settings.clone(),
            first: plan.first,
            names: plan.names.clone(),
            position: None,
        };
        let initial = control.initial().unwrap_or_default();
        let mut model = Self {
            table: plan.entry.open(setup).expect("no position is set"),
            people: plan.players.as_ref().map(|player| player.level().is_none()),
            limit: plan.turn_limit,
            is_first_of_match: plan.standing.is_none_or(|standing| standing.game == 1),
            control,
            left: Both::new(initial, initial),
            since: Some(at),
            since_v: v,
            at,
            lag: Both::default(),
            // In later games of a match, the clocks run from the start.
            moved: plan
                .standing
                .filter(|standing| standing.game > 1)
                .map_or(Both::default(), |_| Both::new(true, true)),
            offers: Both::default(),
            offer_v: Both::default(),
            choices: Both::default(),
            undo_v: v,
            declared: None,
            stage: StageName::Playing,
            turn_v: v,
        };
        model.pass();
        model
    }

    pub(super) fn history(&self) -> Vec<String> {
        self.table.history()
    }

    pub(super) fn chosen(&self) -> Both<bool> {
        Both::from_fn(|side| !self.is_over() && self.table.has_chosen(side))
    }

    pub(super) fn end(&self) -> Option<End> {
        let text = |result, termination| End::read(result, termination).expect("a known end");
        if let Some((result, termination)) = self.declared {
            return Some(text(result, termination));
        }
        match self.table.outcome() {
            Some(Outcome::Won(side)) => Some(text(won(side), "rules")),
            Some(Outcome::Draw) => Some(text("1/2-1/2", "rules")),
            None => {
                let limit = self.limit? as usize;
                (self.table.turns_played() >= limit).then(|| text("1/2-1/2", "turn limit"))
            }
        }
    }

    pub(super) fn is_over(&self) -> bool {
        self.end().is_some()
    }

    /// Whether the game is waiting for this side's choice.
    fn asked(&self, side: Side) -> bool {
        !self.is_over() && self.people[side] && self.table.to_act().contains(&side)
    }

    fn is_timed(&self) -> bool {
        self.control != TimeControl::None
    }

    /// Whether a side's clock runs, which it does not before the side's first move.
    fn runs(&self, side: Side) -> bool {
        self.is_timed() && self.since.is_some() && self.moved[side] && self.asked(side)
    }

    fn elapsed(&self, at: Millis) -> Millis {
        self.since.map_or(0, |since| at.saturating_sub(since))
    }

    /// Returns the displayed clocks at this time.
    pub(super) fn shown(&self, at: Millis) -> Option<Both<Millis>> {
        let used = |side: Side| if self.runs(side) { self.elapsed(at) } else { 0 };
        let shown = |side: Side| self.left[side].saturating_sub(used(side));
        self.is_timed().then(|| Both::from_fn(shown))
    }

    /// Returns how long a side may think from the start of the turn.
    fn allowance(&self, side: Side) -> Option<Millis> {
        if !self.is_timed() || self.since.is_none() || !self.asked(side) {
            None
        } else if self.moved[side] {
            Some(self.left[side] + self.lag_quota(side))
        } else if let TimeControl::Days(_) = self.control {
            self.control.initial()
        } else {
            Some(FIRST_MOVE)
        }
    }

    /// Returns the maximum lag credited in this turn: a second, limited by the budget for the whole game.
    fn lag_quota(&self, side: Side) -> Millis {
        LAG_QUOTA.min(self.control.lag_budget() - self.lag[side])
    }

    fn can_abort(&self) -> bool {
        self.is_first_of_match && !(self.moved.one && self.moved.two)
    }

    /// Returns the version at which a side's last turn was played, unless turns were taken back later.
    pub(super) fn choice_v(&self, side: Side) -> u64 {
        self.choices[side].last().map_or(0, |(_, v)| *v).max(self.undo_v)
    }

    /// Whether both sides would take back the same turn.
    pub(super) fn take_back_the_same(&self) -> bool {
        let last = |side: Side| self.choices[side].last().map(|(turn, _)| *turn);
        last(Side::One) == last(Side::Two)
    }

    /// Returns the displayed clocks at this time, and which of them run.
    pub(super) fn clock(&self, at: Millis) -> Option<(Both<Millis>, Both<bool>)> {
        let wait = self.since.map_or(0, |since| since.saturating_sub(at));
        let left = self.shown(at)?;
        let runs = Both::from_fn(|side| self.runs(side));
        Some((Both::from_fn(|side| left[side] + if runs[side] { wait } else { 0 }), runs))
    }

    /// Applies an event, and checks it.
    pub(super) fn follow(
        &mut self,
        logged: &Logged,
        v: u64,
        facts: &Circumstances,
    ) -> Result<(), String> {
        let Logged { at, event, .. } = logged;
        self.check_time(logged, facts)?;
        self.check_faults(logged, facts)?;
        let (before, since) = (self.left, self.since);
        self.left = self.charge(logged, facts)?;
        self.at = *at;
        match event {
            RoomEvent::Chose { side, text, .. } => self.choose(*side, text, *at, v)?,
            RoomEvent::Offered { side, what } => {
                (self.offers[*side], self.offer_v[*side]) = (Some(*what), v);
            }
            RoomEvent::Answered { side, what, yes } => {
                ensure(self.offers[side.other()] == Some(*what), || {
                    format!("nothing was offered: {event:?}")
                })?;
                self.offers[side.other()] = None;
                match (what, yes) {
                    (Offer::Draw, true) => self.declared = Some(("1/2-1/2", "agreed")),
                    (Offer::Takeback, true) => self.take_back(side.other(), *at, v)?,
                    (Offer::Draw | Offer::Takeback | Offer::Rematch, _) => {}
                }
            }
            RoomEvent::Resigned { side } => {
                ensure(!self.can_abort(), || "a resignation instead of an abort".to_owned())?;
                self.declared = Some((won(side.other()), "resigned"));
            }
            RoomEvent::Claimed { side } => {
                ensure(!self.can_abort(), || "a win before both players have moved".to_owned())?;
                self.check_claim(*side, *at, facts)?;
                self.declared = Some((won(*side), "time"));
            }
            RoomEvent::Flagged { sides } => {
                ensure(sides.one || sides.two, || "nobody's flag fell".to_owned())?;
                ensure(!self.can_abort(), || "a flag instead of an abort".to_owned())?;
                for side in Side::ALL.into_iter().filter(|&side| sides[side]) {
                    self.ran_out(side, before[side], *at)?;
                    // The other player may have been on a failed node.
                    let is_alone = sides[side.other()]
                        || !self.asked(side.other())
                        || facts.slack.is_none()
                        || !self.is_calm(facts);
                    let allowed = |side: Side| before[side] + self.lag_quota(side);
                    ensure(is_alone || allowed(side) < allowed(side.other()), || {
                        format!("only {side}'s flag fell, not {}'s", side.other())
                    })?;
                }
                self.declared = Some(match (sides.one, sides.two) {
                    (true, false) => (won(Side::Two), "time"),
                    (false, true) => (won(Side::One), "time"),
                    _ => ("1/2-1/2", "time"),
                });
            }
            RoomEvent::Aborted { side, closes, late } => {
                // The operator may close a game at any time.
                let is_shut = *closes && side.is_none() && facts.is_shut;
                ensure(is_shut || self.can_abort(), || "aborted too late".to_owned())?;
                ensure(is_shut == *closes, || "closed by nobody".to_owned())?;
                let blamed = Side::ALL.into_iter().filter(|&side| late[side]);
                match side {
                    Some(side) if late[side.other()] => self.check_claim(*side, *at, facts)?,
                    Some(side) => ensure(!late[*side], || "late, but there".to_owned())?,
                    None if is_shut => {}
                    None => {
                        ensure(late.one || late.two, || "aborted by nobody".to_owned())?;
                        for side in blamed {
                            self.ran_out(side, before[side], *at)?;
                        }
                    }
                }
                self.declared = Some(("*", "unfinished"));
            }
            RoomEvent::Paused => (self.since, self.stage) = (None, StageName::Paused),
            RoomEvent::Resumed => {
                (self.since, self.stage) = (Some(*at + RETURN), StageName::Playing);
            }
            RoomEvent::Said { .. } => {}
            RoomEvent::Created { .. }
            | RoomEvent::Seated { .. }
            | RoomEvent::Began
            | RoomEvent::Closed => unreachable!("handled by the judge"),
        }
        if self.since != since {
            self.since_v = v;
        }
        if self.is_over() && !matches!(self.stage, StageName::Over | StageName::Closed) {
            let closes = matches!(logged.event, RoomEvent::Aborted { closes: true, .. });
            self.stage = if closes { StageName::Closed } else { StageName::Over };
            self.since = None;
            self.offers = Both::default();
        }
        Ok(())
    }

    /// Checks that a side may end the game because the opponent is absent.
    fn check_claim(&self, side: Side, at: Millis, facts: &Circumstances) -> Result<(), String> {
        let other = side.other();
        ensure(self.asked(other) && !self.asked(side), || {
            "claimed while the game did not wait for the other player alone".to_owned()
        })?;
        let gone = facts.gone_for[other].ok_or("claimed from a player who is there")?;
        let after = self.control.claim_after().ok_or("claimed in a game of days")?;
        ensure(gone.min(self.elapsed(at)) >= after, || {
            format!("claimed after {gone} ms of absence")
        })
    }

    /// Whether no fault can have affected this turn.
    fn is_calm(&self, facts: &Circumstances) -> bool {
        let is_over = |ended| self.since.is_none_or(|since| ended + 2 * GRACE + FUZZ < since);
        facts.troubles.iter().all(|(_, ended)| is_over(*ended))
    }

    /// Checks that no other event follows once a side's time is up, and that the flag falls in time.
    fn check_time(&self, logged: &Logged, facts: &Circumstances) -> Result<(), String> {
        let Logged { at, event, .. } = logged;
        let since = self.since.unwrap_or(*at);
        let slack = facts.slack.filter(|_| self.is_calm(facts));
        let is_asked = |side: Side| {
            !self.people[side] && !self.is_over() && self.table.to_act().contains(&side)
        };
        let is_slow = self.at.max(since).max(facts.calm_since) + THINKS < *at;
        // Where both choose at once, the computer waits for the person.
        let waits = Side::ALL.into_iter().any(|side| self.asked(side));
        ensure(!is_slow || waits || !Side::ALL.into_iter().any(is_asked), || {
            format!("the computer had not moved before {event:?}")
        })?;
        let is_by_itself = matches!(
            event,
            RoomEvent::Flagged { .. } | RoomEvent::Aborted { side: None, .. } | RoomEvent::Resumed
        );
        for side in Side::ALL.into_iter().filter(|_| !is_by_itself && slack.is_some()) {
            let late = self.allowance(side).is_some_and(|allowed| self.elapsed(*at) >= allowed);
            ensure(!late, || format!("{side}'s time was up before {event:?}"))?;
        }
        if let Some(slack) = slack.filter(|_| *event != RoomEvent::Resumed) {
            let allowed = Side::ALL.into_iter().filter_map(|side| self.allowance(side)).min();
            let is_late = allowed.is_some_and(|allowed| self.elapsed(*at) > allowed + slack);
            ensure(!is_late, || format!("a flag should have fallen long before {event:?}"))?;
        }
        Ok(())
    }

    /// Checks that no clock is charged while no node could write or its player's node had failed.
    fn check_faults(&self, logged: &Logged, facts: &Circumstances) -> Result<(), String> {
        let Logged { at, event, .. } = logged;
        let Some(since) = self.since.filter(|_| *event != RoomEvent::Resumed) else {
            return Ok(());
        };
        if let Some((began, ended)) = facts.unserved.filter(|(began, _)| since + FUZZ < *began) {
            return Err(format!(
                "no node could write from {began} to {ended}, and the clocks ran until {event:?}"
            ));
        }
        for side in Side::ALL {
            let Some((began, ended)) = facts.stuck[side].filter(|(began, _)| since + FUZZ < *began)
            else {
                continue;
            };
            let is_late = match event {
                RoomEvent::Chose { side: by, .. } => *by == side && self.runs(side),
                // No node can know immediately that another has failed, nor how long its player will stay away.
                RoomEvent::Flagged { sides }
                | RoomEvent::Aborted { side: None, closes: false, late: sides } => {
                    let deadline = since + self.allowance(side).unwrap_or_default();
                    let is_known = deadline > began + UNNOTICED;
                    sides[side] && is_known && *at + FUZZ < deadline + (ended - began).min(GRACE)
                }
                _ => false,
            };
            ensure(!is_late, || {
                format!(
                    "{side}'s node had failed from {began} to {ended}, and the clock ran until {event:?}"
                )
            })?;
        }
        Ok(())
    }

    /// Checks that the clocks resume as of the start of a fault, and that only faults give time back.
    fn check_resumption(
        &self,
        told: Both<Millis>,
        at: Millis,
        facts: &Circumstances,
    ) -> Result<(), String> {
        let Some(since) = self.since.filter(|_| self.is_timed()) else {
            return ensure(told == self.left, || "a pause is charged".to_owned());
        };
        let started = |(began, ended): &(Millis, Millis)| {
            (*ended + 2 * GRACE + FUZZ >= since && *began <= at + FUZZ).then_some(*began)
        };
        let first = facts.troubles.iter().filter_map(started).min();
        let first = first.ok_or("the game goes on after nothing was wrong")?;
        let charged = |until: Millis| self.shown(until).unwrap_or(self.left);
        // Unless no node could write in this turn, the clock stops for a bounded time.
        let is_bounded = facts.unserved_until.is_none_or(|until| until + FUZZ < since);
        let bound = if is_bounded { first.max(at.saturating_sub(GRACE)) } else { first };
        let (mut most, mut least) = (charged(bound.saturating_sub(FUZZ)), charged(at));
        if let Some((began, _)) = facts.unserved.filter(|(began, _)| since + FUZZ < *began) {
            least = charged(began + FUZZ);
        }
        for side in Side::ALL {
            if let Some((began, ended)) =
                facts.stuck[side].filter(|(began, _)| since + FUZZ < *began)
            {
                let given = (ended - began).min(GRACE).saturating_sub(FUZZ);
                least[side] = least[side].max(charged(at.saturating_sub(given).max(began))[side]);
            }
            // Nobody is given time back who has long been back, unless it is due to the other player.
            let is_back = facts.well_since[side].is_some_and(|well| well + SETTLED < at);
            if is_back && is_bounded && !self.asked(side.other()) {
                most[side] = charged(at.saturating_sub(FUZZ))[side];
            }
            ensure((least[side]..=most[side]).contains(&told[side]), || {
                format!(
                    "{side} has {} ms when the game goes on, not {least:?} to {most:?}",
                    told[side]
                )
            })?;
        }
        Ok(())
    }

    /// Returns how much later than the start of the turn the node learned of it.
    fn late(&self, facts: &Circumstances) -> Millis {
        let knows = facts.learned.iter().find(|(v, _)| *v >= self.since_v);
        // A node that has just died may have known the turn for long.
        knows.map_or(LAG_QUOTA, |(_, at)| at.saturating_sub(self.since.unwrap_or(*at)))
    }

    /// Returns each side's time after an event, before any increment, and checks it against the log.
    fn charge(&mut self, logged: &Logged, facts: &Circumstances) -> Result<Both<Millis>, String> {
        let Logged { at, left, event, .. } = logged;
        let told: Option<Both<Millis>> = (*left).map(Both::from);
        let charged = self.shown(*at);
        let expected = match event {
            RoomEvent::Chose { side, lag, .. } if self.people[*side] && self.is_timed() => {
                let elapsed = if self.runs(*side) { self.elapsed(*at) } else { 0 };
                let granted = |lag: Millis| lag.min(self.lag_quota(*side)).min(elapsed);
                let (least, most) = (granted(facts.lag), granted(facts.lag + self.late(facts)));
                ensure((least..=most).contains(lag), || {
                    format!("{lag} ms of lag instead of {least} to {most}")
                })?;
                self.lag[*side] += lag;
                let used = elapsed - lag;
                ensure(used <= self.left[*side], || format!("{side} chose after its time was up"))?;
                self.left[*side] -= used;
                Some(self.left)
            }
            RoomEvent::Paused
            | RoomEvent::Resigned { .. }
            | RoomEvent::Flagged { .. }
            | RoomEvent::Claimed { .. }
            | RoomEvent::Answered { what: Offer::Takeback | Offer::Draw, yes: true, .. } => charged,
            RoomEvent::Resumed => {
                let told = told.unwrap_or(self.left);
                self.check_resumption(told, *at, facts)?;
                return Ok(told);
            }
            _ => None,
        };
        ensure(told.is_none() || told == expected, || {
            format!("the clocks are {told:?} instead of {expected:?} after {event:?}")
        })?;
        ensure(told.is_some() || expected.is_none() || expected == Some(self.left), || {
            format!("the clocks are not told, but were charged, after {event:?}")
        })?;
        Ok(expected.unwrap_or(self.left))
    }

    /// Checks that a side with this much time left ran out of time.
    fn ran_out(&self, side: Side, left: Millis, at: Millis) -> Result<(), String> {
        let elapsed = self.elapsed(at);
        let is_late = if self.moved[side] {
            elapsed >= left
        } else {
            self.allowance(side).is_some_and(|allowed| elapsed >= allowed)
        };
        ensure(self.is_timed() && self.asked(side) && is_late, || {
            format!("{side} had time left: {left} ms after {elapsed} ms")
        })
    }

    fn choose(&mut self, side: Side, text: &str, at: Millis, v: u64) -> Result<(), String> {
        let waiting = self.chosen();
        let submitted = self.table.submit(side, text).map_err(|refusal| refusal.to_string())?;
        self.moved[side] = true;
        if submitted == Submitted::Turn {
            let turn = self.table.turns_played() - 1;
            for chooser in Side::ALL.into_iter().filter(|&other| other == side || waiting[other]) {
                if !self.table.was_pass(turn) {
                    self.choices[chooser].push((turn, v));
                }
                self.left[chooser] = match self.control {
                    TimeControl::None => 0,
                    TimeControl::Move(_) | TimeControl::Days(_) => {
                        self.control.initial().unwrap_or_default()
                    }
                    TimeControl::Game { increment, .. } => {
                        self.left[chooser] + Millis::from(increment) * 1000
                    }
                };
            }
            self.pass();
            (self.since, self.turn_v) = (self.since.max(Some(at)), v);
            self.offers = Both::default();
        }
        Ok(())
    }

    /// Plays forced passes until a side can move or neither can (R-ALL-3).
    fn pass(&mut self) {
        while !self.is_over() && self.table.tempo() == Tempo::Alternating {
            let Some(&side) = self.table.turn().first() else { return };
            let played = self.table.turns_played();
            let is_stuck = played > 0 && self.table.was_pass(played - 1);
            if !self.table.must_pass(side) || (is_stuck && self.people[side]) {
                return;
            }
            self.table.submit(side, "pass").expect("a pass is legal");
        }
    }

    /// Takes back turns until a side can repeat its last choice.
    fn take_back(&mut self, side: Side, at: Millis, v: u64) -> Result<(), String> {
        loop {
            let last = self.table.turns_played().checked_sub(1).ok_or("nothing to take back")?;
            let was_pass = self.table.was_pass(last);
            self.table.undo();
            if !was_pass && self.table.turn().contains(&side) {
                break;
            }
        }
        if let TimeControl::Move(_) | TimeControl::Days(_) = self.control {
            let initial = self.control.initial().unwrap_or_default();
            self.left = Both::new(initial, initial);
        }
        self.since = self.since.map(|since| since.max(at));
        (self.turn_v, self.undo_v) = (v, v);
        self.offers = Both::default();
        let left = self.table.turns_played();
        for side in Side::ALL {
            self.choices[side].retain(|(turn, _)| *turn < left);
        }
        Ok(())
    }
}

const fn won(side: Side) -> &'static str {
    match side {
        Side::One => "1-0",
        Side::Two => "0-1",
    }
}
