//! What is shown and sent, whoever shows it: words, speech, maps and JSON. Pure.

pub mod wire;
