//! Best responses against a fixed mix.
