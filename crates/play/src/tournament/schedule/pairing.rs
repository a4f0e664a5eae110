//! Chooses pairs one by one, and uses Edmonds' matching algorithm to keep the rest pairable.

use std::collections::VecDeque;

/// A perfect matching. Some of its pairs are settled; the others prove that the rest can be paired. Settling another
/// pair leaves two people without a partner. One search for an augmenting path finds new partners for them or proves
/// that there are none.
#[derive(Debug)]
pub(super) struct Pairing {
    may_meet: Vec<Vec<bool>>,
    partner: Vec<Option<usize>>,
    settled: Vec<bool>,
}

impl Pairing {
    /// Pairs everyone, if possible. `may_meet` is symmetric, and nobody may meet themselves.
    pub(super) fn new(may_meet: Vec<Vec<bool>>) -> Option<Self> {
        let size = may_meet.len();
        let mut pairing = Self { may_meet, partner: vec![None; size], settled: vec![false; size] };
        let everybody_has_one =
            (0..size).all(|person| pairing.partner[person].is_some() || pairing.augment(person));
        everybody_has_one.then_some(pairing)
    }

    /// Whether a person's pair is settled.
    pub(super) fn is_settled(&self, person: usize) -> bool {
        self.settled[person]
    }

    /// Settles a pair, unless the two may not meet or the rest could not be paired.
    pub(super) fn settle(&mut self, first: usize, second: usize) -> bool {
        if !self.may_meet[first][second] || self.settled[first] || self.settled[second] {
            return false;
        }
        self.settle_both(first, second, true);
        if self.partner[first] == Some(second) {
            return true;
        }
        let left = [first, second].map(|person| self.partner[person].expect("all are paired"));
        self.pair(first, second);
        self.partner[left[0]] = None;
        self.partner[left[1]] = None;
        if self.augment(left[0]) {
            return true;
        }
        self.settle_both(first, second, false);
        self.pair(first, left[0]);
        self.pair(second, left[1]);
        false
    }

    fn settle_both(&mut self, first: usize, second: usize, settled: bool) {
        self.settled[first] = settled;
        self.settled[second] = settled;
    }

    fn pair(&mut self, first: usize, second: usize) {
        self.partner[first] = Some(second);
        self.partner[second] = Some(first);
    }

    /// Finds a partner for an unmatched person by changing pairs that are not settled.
    fn augment(&mut self, unmatched: usize) -> bool {
        let Some((end, reached_from)) = PairingSearch::new(self, unmatched).run() else {
            return false;
        };
        let mut next = Some(end);
        while let Some(person) = next {
            let new_partner = reached_from[person].expect("the path leads back to its start");
            next = self.partner[new_partner];
            self.pair(person, new_partner);
        }
        true
    }
}

/// A search for an augmenting path: from one unmatched person to another, where every second step is a pair. If such
/// paths close a cycle of odd length (a blossom), everyone on it can be reached in both directions. The blossom is then
/// contracted to one person, its base.
struct PairingSearch<'a> {
    pairing: &'a Pairing,
    root: usize,
    /// For each person, the predecessor on the path if the step between them is not a pair.
    reached_from: Vec<Option<usize>>,
    base: Vec<usize>,
    /// For each person, whether a path ends there with a pair, so that the search continues from that person.
    looks: Vec<bool>,
    queue: VecDeque<usize>,
}

impl<'a> PairingSearch<'a> {
    fn new(pairing: &'a Pairing, root: usize) -> Self {
        let size = pairing.partner.len();
        let mut looks = vec![false; size];
        looks[root] = true;
        let queue = VecDeque::from([root]);
        Self {
            pairing,
            root,
            reached_from: vec![None; size],
            base: (0..size).collect(),
            looks,
            queue,
        }
    }

    /// Runs the search. Returns the other end of the path, and each person's predecessor.
    fn run(mut self) -> Option<(usize, Vec<Option<usize>>)> {
        while let Some(person) = self.queue.pop_front() {
            for other in 0..self.base.len() {
                if !self.is_step(person, other) {
                    continue;
                }
                if self.is_reached_by_a_pair(other) {
                    self.contract(person, other);
                } else if self.reached_from[other].is_none() {
                    self.reached_from[other] = Some(person);
                    let Some(partner) = self.pairing.partner[other] else {
                        return Some((other, self.reached_from));
                    };
                    self.look(partner);
                }
            }
        }
        None
    }

    fn is_step(&self, person: usize, other: usize) -> bool {
        self.pairing.may_meet[person][other]
            && !self.pairing.settled[other]
            && self.base[person] != self.base[other]
            && self.pairing.partner[person] != Some(other)
    }

    fn is_reached_by_a_pair(&self, person: usize) -> bool {
        let partner = self.pairing.partner[person];
        person == self.root || partner.is_some_and(|partner| self.reached_from[partner].is_some())
    }

    fn look(&mut self, person: usize) {
        if !self.looks[person] {
            self.looks[person] = true;
            self.queue.push_back(person);
        }
    }

    /// Contracts the blossom closed by the step between two people.
    fn contract(&mut self, first: usize, second: usize) {
        let base = self.common_base(first, second);
        let mut blossom = vec![false; self.base.len()];
        self.mark(&mut blossom, first, base, second);
        self.mark(&mut blossom, second, base, first);
        for person in 0..self.base.len() {
            if blossom[self.base[person]] {
                self.base[person] = base;
                self.look(person);
            }
        }
    }

    /// Returns the base at which the paths to two people diverge.
    fn common_base(&self, first: usize, second: usize) -> usize {
        let mut on_the_path = vec![false; self.base.len()];
        let mut person = self.base[first];
        on_the_path[person] = true;
        while let Some(before) = self.base_before(person) {
            person = before;
            on_the_path[person] = true;
        }
        let mut person = self.base[second];
        while !on_the_path[person] {
            person = self.base_before(person).expect("all paths begin at the root");
        }
        person
    }

    /// Returns the base two steps back on the path to a base, unless the path begins there.
    fn base_before(&self, base: usize) -> Option<usize> {
        let partner = self.pairing.partner[base]?;
        self.reached_from[partner].map(|before| self.base[before])
    }

    /// Marks one half of a blossom and records how to traverse it in the other direction.
    fn mark(&mut self, blossom: &mut [bool], from: usize, base: usize, across: usize) {
        let (mut person, mut across) = (from, across);
        while self.base[person] != base {
            let partner = self.pairing.partner[person].expect("only the root has no partner");
            blossom[self.base[person]] = true;
            blossom[self.base[partner]] = true;
            self.reached_from[person] = Some(across);
            across = partner;
            person = self.reached_from[partner].expect("the path goes on to its base");
        }
    }
}

#[cfg(test)]
mod tests {
    use skirmish_rules::Side;

    use super::*;
    use crate::chance::Chance;

    const EVERYONE: [usize; 10] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

    /// Generates a random graph that contains about this share of all possible edges.
    fn graph(size: usize, share: f64, seed: u64) -> Vec<Vec<bool>> {
        let edge = |first: usize, second: usize| {
            let (low, high) = (first.min(second), first.max(second));
            low != high && Chance::from_seed(seed).roll(0, low * size + high, 0, Side::One) < share
        };
        (0..size).map(|first| (0..size).map(|second| edge(first, second)).collect()).collect()
    }

    /// Whether the remaining people can be paired, found by trying all pairings.
    fn can_be_paired(may_meet: &[Vec<bool>], left: &[usize]) -> bool {
        let Some((first, others)) = left.split_first() else {
            return true;
        };
        others.iter().any(|&other| {
            let rest: Vec<usize> = others.iter().copied().filter(|&it| it != other).collect();
            may_meet[*first][other] && can_be_paired(may_meet, &rest)
        })
    }

    #[test]
    fn everyone_is_paired_exactly_if_possible() {
        let mut counts = [0, 0];
        for seed in 0..2_000 {
            let may_meet = graph(EVERYONE.len(), 0.3, seed);
            let expected = can_be_paired(&may_meet, &EVERYONE);
            assert_eq!(Pairing::new(may_meet).is_some(), expected, "seed {seed}");
            counts[usize::from(expected)] += 1;
        }
        assert!(counts.into_iter().all(|count| count > 100), "{counts:?}: both cases are tried");
    }

    #[test]
    fn a_pair_is_settled_exactly_if_the_rest_can_be_paired() {
        for seed in 0..400 {
            let may_meet = graph(EVERYONE.len(), 0.5, seed);
            let Some(mut pairing) = Pairing::new(may_meet.clone()) else {
                continue;
            };
            let mut left = EVERYONE.to_vec();
            while let Some(first) = left.first().copied() {
                let second = left.iter().copied().find(|&second| {
                    let mut rest = left.clone();
                    rest.retain(|&person| person != first && person != second);
                    let expected = may_meet[first][second] && can_be_paired(&may_meet, &rest);
                    assert_eq!(pairing.settle(first, second), expected, "seed {seed}");
                    expected
                });
                left.retain(|&person| person != first && Some(person) != second);
            }
        }
    }
}
