//! Applies the limits of an address or account to all nodes together: every few seconds, each node reports its use to the
//! others. A lost report makes a limit slightly wider for a moment.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;

use serde::{Deserialize, Serialize};
use skirmish_room::{AccountId, Millis, NodeId};

use super::{Ledger, Network, Use};

/// Maximum number of addresses, and of accounts, in one report: those with the most use.
const MOST_TOLD: usize = 2_000;

/// How long the connections reported by another node count.
const FRESH: Millis = 10_000;

/// The use of an address, by kind.
type Costs = BTreeMap<Use, u32>;

/// The use since the last report to other nodes. A server alone reports to nobody.
#[derive(Default)]
pub(super) struct Spent {
    /// Whether there are other nodes.
    is_told: bool,
    addresses: HashMap<IpAddr, Costs>,
    accounts: HashMap<AccountId, u32>,
}

impl Spent {
    pub(super) fn note(&mut self, network: IpAddr, kind: Use, count: u32) {
        if self.is_told {
            // Nodes of older versions expect every kind.
            let costs = || Use::ALL.map(|kind| (kind, 0)).into();
            let costs = self.addresses.entry(network).or_insert_with(costs);
            *costs.entry(kind).or_default() += count;
        }
    }

    pub(super) fn note_account(&mut self, account: AccountId, cost: u32) {
        if !self.is_told {
            return;
        }
        let spent = self.accounts.entry(account).or_default();
        *spent = spent.saturating_add(cost);
    }
}

/// A node's report of its use to the others.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Spending {
    addresses: Vec<(IpAddr, Costs)>,
    accounts: Vec<(AccountId, u32)>,
    /// The current connections from each address.
    connections: Vec<(IpAddr, u32)>,
}

/// The connections of other nodes, and when each node reported them.
#[derive(Default)]
pub(super) struct Reported(HashMap<NodeId, (Millis, HashMap<Network, u32>)>);

impl Reported {
    /// Returns the number of connections from a network to other nodes.
    pub(super) fn connections(&self, network: Network, now: Millis) -> u32 {
        let fresh = self.0.values().filter(|(at, _)| now.saturating_sub(*at) < FRESH);
        fresh.filter_map(|(_, connections)| connections.get(&network)).sum()
    }
}

impl Ledger {
    /// Starts to record the use on this node for reports to others.
    pub(crate) fn share(&self) {
        self.lock().spent.is_told = true;
    }

    /// Returns the use since the last call.
    pub(crate) fn spending(&self) -> Spending {
        let mut inner = self.lock();
        let next = Spent { is_told: inner.spent.is_told, ..Spent::default() };
        let Spent { addresses, accounts, .. } = std::mem::replace(&mut inner.spent, next);
        let held = inner.addresses.iter().filter(|(network, _)| network.is_smallest());
        let held = held.map(|(network, visitor)| (network.base, visitor.connections));
        let often = |costs: &Costs| costs.values().copied().max().unwrap_or_default();
        Spending {
            addresses: most(addresses, often),
            accounts: most(accounts, |cost| *cost),
            connections: most(held.filter(|(_, held)| *held > 0), |held| *held),
        }
    }

    /// Applies another node's report.
    pub(crate) fn note_elsewhere(&self, node: NodeId, spending: Spending, now: Millis) {
        let Spending { addresses, accounts, connections } = spending;
        let mut inner = self.lock();
        inner.reported.0.retain(|_, (at, _)| now.saturating_sub(*at) < FRESH);
        let mut by_network = HashMap::new();
        for (address, connections) in connections {
            for network in Network::of(address) {
                *by_network.entry(network).or_default() += connections;
            }
        }
        inner.reported.0.insert(node, (now, by_network));
        for (address, costs) in addresses {
            for network in Network::of(address) {
                let visitor = self.visitor(&mut inner, network, now);
                for (&kind, &count) in &costs {
                    let credits = network.credits(kind.credits(&self.limits));
                    let cost = count.saturating_mul(kind.cost());
                    visitor.buckets[kind as usize].take_elsewhere(credits, cost, now);
                }
            }
        }
        for (account, cost) in accounts {
            let bucket = self.account(&mut inner, account, now);
            bucket.take_elsewhere(self.limits.account, cost, now);
        }
    }
}

/// Returns the items with the largest values.
fn most<K, V>(all: impl IntoIterator<Item = (K, V)>, much: impl Fn(&V) -> u32) -> Vec<(K, V)> {
    let mut all: Vec<_> = all.into_iter().collect();
    all.sort_unstable_by_key(|(_, value)| std::cmp::Reverse(much(value)));
    all.truncate(MOST_TOLD);
    all
}

#[cfg(test)]
mod tests {
    use super::super::Limits;
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn ledgers(limits: &Limits) -> (Ledger, Ledger) {
        let ledgers = (Ledger::new(limits.clone()), Ledger::new(limits.clone()));
        ledgers.0.share();
        ledgers
    }

    #[test]
    fn codes_that_were_tried_on_one_node_count_on_others() {
        let (one, two) = ledgers(&Limits { link_tries: 5, ..Limits::default() });
        for _ in 0..5 {
            assert_eq!(one.charge(HERE, Use::Links, 1, 0), Ok(()));
        }
        assert_eq!(two.charge(HERE, Use::Links, 1, 0), Ok(()));
        two.note_elsewhere(1, one.spending(), 0);
        assert!(two.charge(HERE, Use::Links, 1, 0).is_err());
        // Use that was reported is not reported again.
        two.note_elsewhere(1, one.spending(), 600_000);
        assert_eq!(two.charge(HERE, Use::Links, 1, 600_000), Ok(()));
    }

    #[test]
    fn connections_to_all_nodes_count_until_a_node_is_gone() {
        let (one, two) = ledgers(&Limits { connections_per_address: 1, ..Limits::default() });
        assert!(one.enter(HERE, 0).is_ok());
        two.note_elsewhere(1, one.spending(), 0);
        assert!(two.enter(HERE, 0).is_err());
        assert!(two.enter(HERE, FRESH).is_ok());
    }

    #[test]
    fn messages_of_an_account_count_on_all_nodes() {
        let (one, two) = ledgers(&Limits::default());
        let most = Limits::default().account.most;
        assert!(one.take(HERE, Some(7), most, 0).is_ok());
        two.note_elsewhere(1, one.spending(), 0);
        assert!(two.take(HERE, Some(7), 1, 0).is_err());
        assert!(two.take(HERE, Some(8), 1, 0).is_ok());
    }
}
