//! Games between players.
