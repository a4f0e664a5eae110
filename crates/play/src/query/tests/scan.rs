//! Compares queries with a plain scan that derives every fact from the table's text instead of the scene.

use skirmish_rules::graph::{Expansion, Node};
use skirmish_rules::{Settings, Side, Tempo, Unwatched};
use skirmish_solver::Value;

use super::super::{Amount, Fact, OutcomeKind, Query, Vocabulary};
use crate::sixth::SIX_GAMES;
use crate::{Budget, Judgement, Solved};

/// The games and rule options to scan.
const BOARDS: [(&str, &str); 14] = [
    ("command-line-conquer", ""),
    ("command-line-conquer", "positions=7 units=2"),
    ("capture-and-conquer", ""),
    ("capture-and-conquer", "positions=9 steps=3"),
    ("base-battle", ""),
    ("base-battle", "positions=8 push=behind"),
    ("base-battle", "positions=13 push=onward"),
    ("capture-the-line", ""),
    ("capture-the-line", "positions=7"),
    ("command-clash", ""),
    ("command-clash", "points=3"),
    ("command-clash", "points=8"),
    ("last-stone", ""),
    ("last-stone", "stones=4 winner=most"),
];

fn solved(game: &str, rules: &str) -> Solved {
    let entry = SIX_GAMES.find(game).unwrap();
    let settings = Settings::parse(entry.options, rules.split_whitespace()).unwrap();
    Solved::of(entry, &settings, Side::One, Budget { bytes: 1 << 30 }, &Unwatched).unwrap()
}

fn vocabulary(solved: &Solved) -> Vocabulary {
    Vocabulary::of(solved.entry(), &solved.graph().scene(solved.graph().start()))
}

/// A position, as described by its text and its table row.
struct Row {
    node: u32,
    /// Each side's numbers in the text of the position.
    numbers: [Vec<u32>; 2],
    /// The last field, in alternating games.
    to_move: Option<u8>,
    is_over: bool,
    judgement: Judgement,
}

impl Row {
    fn of(solved: &Solved, node: u32) -> Self {
        let text = solved.graph().position(node);
        let fields: Vec<&str> = text.split('/').collect();
        let numbers = |field: &str| match field {
            "-" => Vec::new(),
            listed => listed.split(',').map(|number| number.parse().unwrap()).collect(),
        };
        Self {
            node,
            numbers: [numbers(fields[0]), numbers(fields[1])],
            to_move: fields.get(2).map(|side| side.parse().unwrap()),
            is_over: solved.graph().expand(node, &mut Expansion::default()) != Node::Open,
            judgement: solved.judge(node),
        }
    }

    fn answers(&self, query: &Query) -> bool {
        match query {
            Query::Fact(fact) => self.has(fact),
            Query::Not(query) => !self.answers(query),
            Query::All(parts) => !parts.iter().any(|part| !self.answers(part)),
            Query::Any(parts) => !parts.iter().all(|part| !self.answers(part)),
        }
    }

    fn has(&self, fact: &Fact) -> bool {
        let own = |side: &Side| &self.numbers[usize::from(side.number()) - 1];
        match (fact, &self.judgement) {
            (Fact::Over, _) => self.is_over,
            (Fact::ToMove(side), _) => self.to_move == Some(side.number()),
            (Fact::Units(None, amount), _) => {
                includes(*amount, self.numbers[0].len() + self.numbers[1].len())
            }
            (Fact::Units(Some(side), amount), _) => includes(*amount, own(side).len()),
            (Fact::On(side, amount), _) => {
                own(side).iter().any(|place| includes(*amount, *place as usize))
            }
            (Fact::Gauge(side, _, amount), _) => includes(*amount, own(side)[0] as usize),
            (Fact::Outcome(kind, plies), Judgement::Alternating { value, .. }) => {
                let word = match kind {
                    OutcomeKind::Win => "win",
                    OutcomeKind::Loss => "loss",
                    OutcomeKind::Draw => "draw",
                };
                let is_far = |amount: &Amount| includes(*amount, value.plies().unwrap().into());
                value.word() == word && plies.as_ref().is_none_or(is_far)
            }
            (Fact::Endless, Judgement::Alternating { value, .. }) => *value == Value::Endless,
            (Fact::Plies(amount), Judgement::Alternating { value, .. }) => {
                value.plies().is_some_and(|plies| includes(*amount, plies.into()))
            }
            (Fact::WinningMoves(amount), Judgement::Alternating { moves, .. }) => {
                let wins = moves.iter().filter(|option| option.value.word() == "win");
                includes(*amount, wins.count())
            }
            (Fact::Moves(amount), Judgement::Alternating { moves, .. }) => {
                includes(*amount, moves.len())
            }
            (Fact::Value(amount), Judgement::Simultaneous { value, error, .. }) => {
                let near = error.max(1e-9);
                match amount {
                    Amount::Exactly(number) => (value - number).abs() <= near,
                    Amount::AtLeast(number) => value + near >= *number,
                    Amount::AtMost(number) => value - near <= *number,
                    Amount::MoreThan(number) => value - near > *number,
                    Amount::LessThan(number) => value + near < *number,
                    Amount::Between(least, most) => value + near >= *least && value - near <= *most,
                }
            }
            (Fact::Mixes(side), Judgement::Simultaneous { strategy, .. }) => {
                strategy[*side].len() > 1
            }
            (fact, _) => panic!("{fact:?} is not asked of this game"),
        }
    }
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // small whole numbers
fn includes(amount: Amount, number: usize) -> bool {
    let whole = |number: f64| number as usize;
    match amount {
        Amount::Exactly(wanted) => number == whole(wanted),
        Amount::AtLeast(least) => number >= whole(least),
        Amount::AtMost(most) => number <= whole(most),
        Amount::MoreThan(bound) => number > whole(bound),
        Amount::LessThan(bound) => number < whole(bound),
        Amount::Between(least, most) => (whole(least)..=whole(most)).contains(&number),
    }
}

/// Returns all reachable positions, found by following every turn.
fn rows(solved: &Solved) -> Vec<Row> {
    let mut nodes = vec![solved.graph().start()];
    let mut seen: std::collections::HashSet<u32> = nodes.iter().copied().collect();
    let mut expansion = Expansion::default();
    let mut next = 0;
    while let Some(&node) = nodes.get(next) {
        next += 1;
        if solved.graph().expand(node, &mut expansion) == Node::Open {
            nodes.extend(expansion.next.iter().filter(|node| seen.insert(**node)));
        }
    }
    nodes.sort_unstable();
    nodes.into_iter().map(|node| Row::of(solved, node)).collect()
}

/// A seeded generator of random queries (`SplitMix64`).
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % sides
    }

    fn side(&mut self) -> Side {
        Side::ALL[usize::from(self.roll(2) == 1)]
    }

    fn amount(&mut self, mut number: impl FnMut(&mut Self) -> f64) -> Amount {
        let (one, two) = (number(self), number(self));
        match self.roll(6) {
            0 => Amount::AtLeast(one),
            1 => Amount::AtMost(one),
            2 => Amount::MoreThan(one),
            3 => Amount::LessThan(one),
            4 => Amount::Between(one.min(two), one.max(two)),
            _ => Amount::Exactly(one),
        }
    }

    fn count(&mut self, most: u32) -> Amount {
        self.amount(|dice| f64::from(u32::try_from(dice.roll(u64::from(most) + 1)).unwrap()))
    }

    /// Returns an amount that some number in this range fulfils; others would be rejected.
    fn possible<N: Into<f64> + Copy>(
        &mut self,
        [least, most]: [N; 2],
        mut amount: impl FnMut(&mut Self) -> Amount,
    ) -> Amount {
        loop {
            let amount = amount(self);
            if amount.meets(least.into(), most.into()) {
                return amount;
            }
        }
    }

    fn fact(&mut self, vocabulary: &Vocabulary) -> Fact {
        const KINDS: [OutcomeKind; 3] = [OutcomeKind::Win, OutcomeKind::Loss, OutcomeKind::Draw];
        let kind = KINDS[usize::try_from(self.roll(3)).unwrap()];
        match (vocabulary.tempo, self.roll(10)) {
            (_, 0) => Fact::Over,
            (_, 1..4) => match (vocabulary.track, vocabulary.gauge, self.roll(4)) {
                (Some(_), _, 0) => Fact::Units(None, self.count(6)),
                (Some(_), _, 1) => Fact::Units(Some(self.side()), self.count(4)),
                (Some(track), None, _) | (Some(track), _, 2) => {
                    let ends = [track.first, track.last];
                    Fact::On(self.side(), self.possible(ends, |dice| dice.count(12)))
                }
                (_, Some(gauge), _) => {
                    let amount = self.possible([0, gauge.max], |dice| dice.count(9));
                    Fact::Gauge(self.side(), gauge.label, amount)
                }
                (None, None, _) => panic!("a game has a track or gauges"),
            },
            (Tempo::Alternating, 4) => Fact::Outcome(kind, None),
            (Tempo::Alternating, 5) => Fact::Outcome(kind, Some(self.count(9))),
            (Tempo::Alternating, 6) => Fact::WinningMoves(self.count(3)),
            (Tempo::Alternating, 7) => Fact::Moves(self.count(4)),
            (Tempo::Alternating, 8) => Fact::Plies(self.count(9)),
            (Tempo::Alternating, _) if self.roll(2) == 0 => Fact::Endless,
            (Tempo::Alternating, _) => Fact::ToMove(self.side()),
            (Tempo::Simultaneous, 4..8) => {
                let tenths = |dice: &mut Self| f64::from(u32::try_from(dice.roll(21)).unwrap());
                let value = |dice: &mut Self| (tenths(dice) - 10.0) / 10.0;
                Fact::Value(self.possible([-1, 1], |dice| dice.amount(value)))
            }
            (Tempo::Simultaneous, _) => Fact::Mixes(self.side()),
        }
    }

    fn query(&mut self, vocabulary: &Vocabulary, depth: u32) -> Query {
        let parts = |dice: &mut Self| {
            let count = 2 + dice.roll(2);
            (0..count).map(|_| dice.query(vocabulary, depth - 1)).collect()
        };
        match self.roll(6) {
            0 if depth > 0 => Query::All(parts(self)),
            1 if depth > 0 => Query::Any(parts(self)),
            2 if depth > 0 => Query::Not(Box::new(self.query(vocabulary, depth - 1))),
            _ => Query::Fact(self.fact(vocabulary)),
        }
    }
}

#[test]
fn a_query_finds_what_a_plain_scan_of_the_table_finds() {
    for (index, (game, rules)) in BOARDS.into_iter().enumerate() {
        let solved = solved(game, rules);
        let (rows, vocabulary) = (rows(&solved), vocabulary(&solved));
        let mut dice = Dice(index as u64);
        let mut telling = 0;
        for _ in 0..150 {
            let query = dice.query(&vocabulary, 2);
            let found: Vec<u32> = query.find(&solved, &Unwatched).unwrap().iter().collect();
            let scanned = rows.iter().filter(|row| row.answers(&query));
            let scanned: Vec<u32> = scanned.map(|row| row.node).collect();
            assert_eq!(found, scanned, "{game} {rules}: {query}");
            telling += usize::from(!found.is_empty() && found.len() < rows.len());
            if let Some(row) = rows.get(usize::try_from(dice.roll(rows.len() as u64)).unwrap()) {
                assert_eq!(query.holds(&solved, row.node), found.contains(&row.node), "{query}");
            }
        }
        assert!(telling > 50, "{game} {rules}: only {telling} queries tell positions apart");
    }
}

#[test]
fn a_fact_that_is_true_of_no_position_is_named_with_the_numbers_there_are() {
    let told = |game: &str, query: &str| -> Vec<String> {
        let solved = solved(game, "");
        let query = Query::parse(query, &vocabulary(&solved)).unwrap();
        let barren = query.barren(&solved, &Unwatched).unwrap();
        barren.iter().map(ToString::to_string).collect()
    };
    let longest = "\"win in 99\" is true of no position: this number ranges from 1 to 7.";
    assert_eq!(told("base-battle", "win in 99 and not endless and over"), [longest]);
    let units = "\"player 1 has 2 units\" is true of no position: this number is always 1.";
    let query = "endless or p1 has 2 units or not not p1 has 2 units";
    assert_eq!(told("base-battle", query), ["\"endless\" is true of no position.", units]);
    assert!(told("base-battle", "win and loss").is_empty(), "each of them is true somewhere");
    assert!(told("command-clash", "p1 has 5 CP and p1 has 4 CP").is_empty());
}

#[test]
fn a_query_prints_as_text_that_parses_to_itself() {
    for (game, rules) in [("command-line-conquer", ""), ("command-clash", ""), ("last-stone", "")] {
        let vocabulary = vocabulary(&solved(game, rules));
        let mut dice = Dice(14);
        for _ in 0..5_000 {
            let query = dice.query(&vocabulary, 4);
            let text = query.to_string();
            assert_eq!(Query::parse(&text, &vocabulary), Ok(query.clone()), "{text}");
            let loud = text.to_uppercase();
            assert_eq!(Query::parse(&loud, &vocabulary), Ok(query), "{loud}");
        }
    }
}

#[test]
fn any_text_is_read_or_refused() {
    const WORDS: [&str; 32] = [
        "win", "loss", "in", "5", "3..7", "..", "at", "least", "between", "and", "or", "not", "(",
        ")", "player", "1", "has", "on", "to", "move", "moves", "winning", "units", "value", ">=",
        "-0.3", "more", "\u{202e}", "CP", "é", "over", "mixes",
    ];
    for (game, rules) in [("base-battle", ""), ("command-clash", "")] {
        let vocabulary = vocabulary(&solved(game, rules));
        let (mut dice, mut accepted) = (Dice(7), 0);
        for _ in 0..20_000 {
            let count = 1 + dice.roll(7);
            let word = |dice: &mut Dice| WORDS[usize::try_from(dice.roll(32)).unwrap()];
            let words: Vec<&str> = (0..count).map(|_| word(&mut dice)).collect();
            let text = words.join(if dice.roll(4) == 0 { "" } else { " " });
            match Query::parse(&text, &vocabulary) {
                Ok(query) => {
                    accepted += 1;
                    assert_eq!(Query::parse(&query.to_string(), &vocabulary), Ok(query), "{text}");
                }
                Err(error) => {
                    assert!(text.contains(error.wrong()), "{text}");
                    assert!(!error.to_string().replace('\n', "").contains(char::is_control));
                }
            }
        }
        assert!(accepted > 20, "{game}: {accepted}");
    }
}
