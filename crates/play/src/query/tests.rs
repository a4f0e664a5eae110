//! Queries against a plain scan of all positions, and the words that are read and refused.

mod reading;
mod scan;
