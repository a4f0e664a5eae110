//! Compares queries with a plain scan of all positions, and tests which texts are accepted and rejected.

mod reading;
mod scan;
