//! Rooms, desks and mirrors together: whole games, a simulation under one seed, properties, and hostile input.

mod games;
mod random;
mod simulation;
