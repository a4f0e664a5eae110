//! Matrix games: the value and the best mixes of a single simultaneous choice.
