//! Exact values of every position of a game.
//!
//! The crate knows no game, only the graph: positions as numbers, turns as rows and columns. Alternating
//! games are solved by retrograde analysis ([`retrograde`]), simultaneous ones as recursive games in
//! Everett's sense ([`recursive`]). Everything comes with a certificate that is checked independently of
//! how it was found.

pub mod chain;
mod edges;
mod forced;
pub mod matrix;
pub mod pressure;
pub mod recursive;
pub mod retrograde;
mod value;

pub use edges::Edges;
pub use value::{Bits, Value};
