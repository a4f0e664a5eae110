#![doc = include_str!("../README.md")]

pub mod bot;
pub mod referee;
pub mod tournament;
mod trust;

pub use trust::Trust;
