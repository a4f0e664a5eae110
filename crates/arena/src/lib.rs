//! Programs against each other: bots as processes, the referee of their games, and tournaments on disk.

pub mod bot;
pub mod referee;
pub mod tournament;
