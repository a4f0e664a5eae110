//! Skirmish.
fn main() {}
