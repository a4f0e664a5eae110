//! Fair play in rated games: hashes that reveal whether two players share a network or device, and a pause for players who
//! keep aborting games.

use std::net::IpAddr;
use std::num::NonZeroU64;

use sha2::{Digest, Sha256};
use skirmish_room::{AccountId, Millis};

use super::secret::Hash;
use super::{Backend, Result, Storage, StorageError, accounts, values};
use crate::codes;

/// A player who aborts this many rated games within [`WITHIN`] is barred from rated games for [`BARRED`] after the last one.
pub(super) const MOST_ABORTED: u32 = 3;
pub(super) const WITHIN: Millis = 60 * 60 * 1000;
pub(super) const BARRED: Millis = 10 * 60 * 1000;

impl Storage {
    /// Returns a keyed hash of a network: stable across nodes and restarts, but different for every server.
    #[must_use]
    pub fn network_hash(&self, network: IpAddr) -> Option<NonZeroU64> {
        match network {
            IpAddr::V4(address) => self.keyed_hash("network", &address.octets()),
            IpAddr::V6(address) => self.keyed_hash("network", &address.octets()),
        }
    }

    /// Returns a keyed hash of a client's device id.
    #[must_use]
    pub fn device_hash(&self, device: &str) -> Option<NonZeroU64> {
        self.keyed_hash("device", device.as_bytes())
    }

    fn keyed_hash(&self, kind: &str, bytes: &[u8]) -> Option<NonZeroU64> {
        let hash = Sha256::new().chain_update(self.0.network_key).chain_update(kind);
        let hash: Hash = hash.chain_update(bytes).finalize().into();
        NonZeroU64::new(u64::from_be_bytes(*hash.first_chunk()?))
    }

    /// Returns until when an account is barred from rated games because it has aborted too many, if it is.
    pub async fn barred_until(&self, account: AccountId, now: Millis) -> Result<Option<Millis>> {
        let job = async move |backend: &Backend| {
            let account = accounts::current(backend, account).await?;
            let sql =
                "SELECT count(*), coalesce(max(at), 0) FROM aborted WHERE account = $1 AND at > $2";
            let counted = values![account, now.saturating_sub(WITHIN)];
            backend.first::<(u32, Millis)>(sql, counted).await
        };
        let last = self.read(job).await?.filter(|(games, _)| *games >= MOST_ABORTED);
        Ok(last.map(|(_, at)| at + BARRED).filter(|&until| until > now))
    }
}

/// Records that an account has aborted a rated game, and deletes records that are too old to count.
pub(super) async fn note_aborted(backend: &Backend, account: AccountId, at: Millis) -> Result<()> {
    let old = "DELETE FROM aborted WHERE account = $1 AND at <= $2";
    backend.execute(old, values![account, at.saturating_sub(WITHIN)]).await?;
    let sql = "INSERT INTO aborted (account, at) VALUES ($1, $2)";
    backend.execute(sql, values![account, at]).await.map(drop)
}

/// Returns the key of the hashes. The first server that uses a database generates the key.
pub(super) async fn network_key(backend: &Backend) -> Result<Hash> {
    let read = async || {
        let sql = "SELECT secret FROM network_key";
        backend.first::<Hash>(sql, vec![]).await
    };
    if let Some(key) = read().await? {
        return Ok(key);
    }
    let sql = "INSERT INTO network_key (id, secret) VALUES (1, $1) ON CONFLICT (id) DO NOTHING";
    backend.execute(sql, values![&codes::random::<32>()]).await?;
    read().await?.ok_or(StorageError::Closed)
}
