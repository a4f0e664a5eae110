//! Rooms, desks and mirrors together: whole games.

mod games;
