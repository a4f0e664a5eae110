#![doc = include_str!("../README.md")]

pub mod chain;
mod components;
pub mod corners;
pub mod dominance;
mod edges;
mod elimination;
mod forced;
pub mod matrix;
pub mod parallel;
pub mod pressure;
pub mod recursive;
pub mod response;
pub mod retrograde;
mod value;

pub use edges::Edges;
pub use skirmish_rules::{Cancelled, Unwatched, Watch};
pub use value::{Bits, Value};
