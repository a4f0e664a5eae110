//! Any bytes as a message of the online protocol, in either direction, and as what a server sends to a client: whatever
//! is accepted prints and parses again, and nothing panics.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)] // the other target uses the rest
#[path = "../../crates/room/tests/room/conversation.rs"]
mod conversation;

fuzz_target!(|bytes: &[u8]| {
    conversation::read_message(bytes);
    conversation::listen(bytes);
});
