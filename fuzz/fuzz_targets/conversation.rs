//! Treats arbitrary bytes as a conversation of four people with a room: nothing panics, every request gets one answer,
//! nothing is sent before it is durable, and folding the log reproduces the room. `Talk` defines the meaning of the
//! bytes.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)] // the other target uses the rest
#[path = "../../crates/room/tests/room/conversation.rs"]
mod conversation;

fuzz_target!(|bytes: &[u8]| conversation::converse(bytes));
