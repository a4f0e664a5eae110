//! Treats arbitrary bytes as a message of the online protocol in either direction, and as a server's messages to a
//! client: any accepted message can be printed and parsed again, and nothing panics.

#![no_main]

use libfuzzer_sys::fuzz_target;

#[allow(dead_code)] // the other target uses the rest
#[path = "../../crates/room/tests/room/conversation.rs"]
mod conversation;

fuzz_target!(|bytes: &[u8]| {
    conversation::read_message(bytes);
    conversation::listen(bytes);
});
