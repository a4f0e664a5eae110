#![doc = include_str!("../README.md")]

pub mod chain;
mod edges;
mod forced;
pub mod matrix;
pub mod parallel;
pub mod pressure;
pub mod recursive;
pub mod retrograde;
mod value;

pub use edges::Edges;
pub use skirmish_rules::{Cancelled, Unwatched, Watch};
pub use value::{Bits, Value};
