//! The setup of a run, determined by the seed: the terms, the clients and the faults.

use std::collections::BTreeMap;

use skirmish_room::{AccountId, Millis, RuleValue, SideWish, Terms, TimeControl};
use skirmish_rules::{Entry, GAMES, OptionKind, Tempo};

use crate::random::Random;

/// An account's client.
#[derive(Clone, Debug)]
pub(super) struct Role {
    pub(super) account: AccountId,
    /// Whether the client watches even though a seat is free.
    pub(super) watch: bool,
}

/// The weights of the faults.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Faults {
    pub(super) breaks: u64,
    pub(super) kills: u64,
    pub(super) stops: u64,
    /// Unloads a room that nobody follows, so that it is folded again.
    pub(super) drops: u64,
    /// Lets the operator close the game.
    pub(super) closes: u64,
    /// Duplicates and reorders frames.
    pub(super) wild: bool,
}

/// The nodes and their faults.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cluster {
    pub(super) nodes: usize,
    /// The percentage of messages between nodes that are lost, delayed or duplicated.
    pub(super) loss: u64,
    pub(super) late: u64,
    pub(super) doubled: u64,
    /// The weights of a node hanging, a database outage, and a node being cut off.
    pub(super) hangs: u64,
    pub(super) outages: u64,
    pub(super) cuts: u64,
    /// Maximum difference between clocks.
    pub(super) skew: Millis,
    /// Maximum duration of a statement.
    pub(super) statement: Millis,
    /// Whether players often think for a long time while nodes are cut off from each other.
    pub(super) is_thoughtful: bool,
}

impl Cluster {
    fn new(random: &mut Random) -> Self {
        let nodes = random.pick(&[1, 1, 2, 2, 3]);
        let is_alone = nodes == 1;
        let is_thoughtful = !is_alone && random.percent(20);
        let statement = random.pick(&[2, 2, 50, 400]);
        let skew = random.pick(&[0, 0, 50, 900]);
        if is_thoughtful {
            return Self { nodes: 2, cuts: 6, is_thoughtful, statement, skew, ..Self::default() };
        }
        let mut unless_alone = |chances: &[u64]| if is_alone { 0 } else { random.pick(chances) };
        Self {
            nodes,
            loss: unless_alone(&[0, 0, 5, 30]),
            late: unless_alone(&[0, 0, 10]),
            doubled: unless_alone(&[0, 0, 10]),
            cuts: unless_alone(&[0, 0, 1, 2]),
            hangs: random.pick(&[0, 0, 1, 3]),
            outages: random.pick(&[0, 0, 1, 2]),
            skew,
            statement,
            is_thoughtful,
        }
    }
}

/// The setup of a run.
#[derive(Clone, Debug)]
pub(super) struct Scenario {
    pub(super) terms: Terms,
    pub(super) roles: Vec<Role>,
    pub(super) faults: Faults,
    pub(super) cluster: Cluster,
    /// The usual delay between two actions of a client.
    pub(super) pace: Millis,
    /// Whether players often leave for a long time.
    pub(super) is_restless: bool,
    /// Whether a player leaves for good at the end.
    pub(super) is_deserted: bool,
    /// The number of client actions after which a playing guest signs in, if at all.
    pub(super) signs_in: Option<u64>,
    /// Maximum network delay.
    pub(super) delay: Millis,
    /// Maximum lag that the server measures.
    pub(super) lag: Millis,
    /// The number of client actions before the finale.
    pub(super) wakes: u64,
    pub(super) seed: u64,
}

impl Scenario {
    pub(super) fn new(random: &mut Random) -> Self {
        let mut terms = terms(random);
        let is_restless = random.percent(15);
        if is_restless {
            let slow = TimeControl::Game { seconds: 300, increment: 3 };
            terms.clock = random.pick(&[TimeControl::None, slow]);
        }
        let player = |account| Role { account, watch: false };
        let mut roles = vec![player(1), player(2)];
        if random.percent(20) {
            // A second device of the first player.
            roles.push(player(1));
        }
        if random.percent(15) {
            // A third account that also wants the seat.
            roles.push(player(3));
        }
        for account in 4..4 + AccountId::try_from(random.below(3)).expect("small") {
            roles.push(Role { account, watch: true });
        }
        let mut weight = |chance: u64, most: u64| {
            if random.percent(chance) { 1 + random.below(most) } else { 0 }
        };
        let faults = Faults {
            breaks: weight(70, 6),
            kills: weight(50, 3),
            stops: weight(30, 2),
            drops: weight(20, 3),
            wild: weight(20, 1) > 0,
            closes: weight(12, 1),
        };
        let pace = match terms.clock {
            TimeControl::Days(_) => 4 * 60 * 60 * 1000,
            TimeControl::None | TimeControl::Move(_) | TimeControl::Game { .. } => 4_000,
        };
        let delay = random.pick(&[5, 80, 80, 700, 3_000]);
        let lag = random.pick(&[0, 0, 300, 2_000]);
        let wakes = 20 + random.below(100);
        let is_deserted = random.percent(15);
        let (seed, cluster) = (random.next(), Cluster::new(random));
        // Signing in requires that spectators are allowed, because a merged account joins before the nodes recognise it.
        let signs_in = (terms.spectators && seed.is_multiple_of(5)).then_some(5 + seed / 5 % 40);
        let scenario = Self {
            terms,
            roles,
            faults,
            cluster,
            pace,
            is_restless,
            is_deserted,
            signs_in,
            delay,
            lag,
            wakes,
            seed,
        };
        if cluster.nodes > 1 { scenario.among_nodes() } else { scenario }
    }

    fn among_nodes(mut self) -> Self {
        if matches!(self.terms.clock, TimeControl::Days(_)) {
            // Polling the database for days of virtual time reveals nothing new.
            self.terms.clock = TimeControl::Game { seconds: 60, increment: 1 };
            self.pace = 4_000;
        }
        if self.cluster.is_thoughtful {
            self.faults = Faults::default();
            self.terms.clock = TimeControl::Game { seconds: 600, increment: 3 };
            self.terms.level = None;
            self.roles.truncate(2);
            self.wakes = 20 + self.wakes / 3;
        }
        self
    }
}

fn terms(random: &mut Random) -> Terms {
    // Simultaneous games are rarer, but their secret choices make them the harder ones.
    let often = |entry: &&Entry| 1 + usize::from(entry.tempo() == Tempo::Simultaneous);
    let games = GAMES.iter().flat_map(|entry| std::iter::repeat_n(entry, often(&entry)));
    let entry = random.pick(&games.collect::<Vec<_>>());
    let seats = [SideWish::P1, SideWish::P2, SideWish::Toss];
    let clocks = [
        TimeControl::None,
        TimeControl::Move(20),
        TimeControl::Game { seconds: 30, increment: 2 },
        TimeControl::Game { seconds: 60, increment: 0 },
        TimeControl::Game { seconds: 300, increment: 3 },
        TimeControl::Game { seconds: 30, increment: 0 },
        TimeControl::Days(1),
    ];
    let mut terms = Terms {
        seat: random.pick(&seats),
        clock: random.pick(&clocks),
        games: random.percent(30).then(|| 1 + u32::try_from(random.below(3)).expect("small")),
        max_turns: Some(3 + u32::try_from(random.below(20)).expect("small")),
        level: random.percent(15).then(|| "novice".to_owned()),
        spectators: random.percent(90),
        ..Terms::new(entry)
    };
    if random.percent(25) && !entry.presets.is_empty() {
        terms.preset = Some(entry.presets[random.index(entry.presets.len())].name.to_owned());
    }
    if random.percent(40) {
        terms.rules = rules(random, entry, &terms);
    }
    if entry.id == "base-battle" && random.percent(25) {
        // A path so short that players must pass and may get stuck.
        let positions = 3 + u32::try_from(random.below(3)).expect("small");
        let tight = [("positions", positions), ("steps", 1)];
        let tight = tight.map(|(name, value)| (name.to_owned(), RuleValue::Number(value)));
        (terms.preset, terms.rules) = (None, BTreeMap::from(tight));
    }
    let chosen = Terms { first: Some(random.pick(&seats)), ..terms.clone() };
    if chosen.proposal(GAMES).is_ok() { chosen } else { terms }
}

/// Returns rule options, with small values or any.
fn rules(random: &mut Random, entry: &Entry, terms: &Terms) -> BTreeMap<String, RuleValue> {
    let mut rules = BTreeMap::new();
    for option in entry.options {
        let value = match &option.kind {
            OptionKind::Number { min, max, .. } => {
                let above = random.below(u64::from(max - min).min(6) + 1);
                RuleValue::Number(u32::from(*min) + u32::try_from(above).expect("small"))
            }
            OptionKind::Word(words) => RuleValue::Word(random.pick(words).0.to_owned()),
        };
        if random.percent(40) {
            rules.insert(option.name.to_owned(), value);
            let tried = Terms { rules: rules.clone(), ..terms.clone() };
            if tried.proposal(GAMES).is_err() {
                rules.remove(option.name);
            }
        }
    }
    rules
}
