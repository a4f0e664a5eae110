//! Tests of rooms, hosts and mirrors together: whole games, a deterministic simulation, properties, and hostile input.

mod closing;
mod conversation;
mod games;
mod hostile;
mod hosts;
mod notices;
mod offers;
mod properties;
mod random;
mod rated;
mod regressions;
mod seats;
mod simulation;
mod terms;
mod time;
