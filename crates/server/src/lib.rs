#![doc = include_str!("../README.md")]

mod rating;
pub mod storage;
