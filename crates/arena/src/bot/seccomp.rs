//! The seccomp filter for bots in a sandbox: a BPF program that refuses some system calls.
//!
//! `setsid`: the kernel may schedule by session, so more sessions would get more processor time.
//! `open_by_handle_at`: with root's read permission, it would reach files behind hidden folders.
//! New namespaces and mounts: in its own user namespace, a bot could mount a memory file system of any size.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use skirmish_system::machine::memory_file;

/// An architecture: its audit number, and the numbers of some of its system calls.
struct Architecture {
    number: u32,
    /// `setsid`, `open_by_handle_at`, `unshare`, `setns`, `mount`, `umount2` and `pivot_root`.
    forbidden: [u32; 7],
    clone: u32,
}

/// The calls of 64-bit architectures newer than x86-64.
const GENERIC: [u32; 7] = [157, 265, 97, 268, 40, 39, 41];
const GENERIC_CLONE: u32 = 220;

const ARCHITECTURES: [Architecture; 5] = [
    // x86-64 and x86
    Architecture { number: 0xc000_003e, forbidden: [112, 304, 272, 308, 165, 166, 155], clone: 56 },
    Architecture { number: 0x4000_0003, forbidden: [66, 342, 310, 346, 21, 52, 217], clone: 120 },
    // AArch64 and ARM
    Architecture { number: 0xc000_00b7, forbidden: GENERIC, clone: GENERIC_CLONE },
    Architecture { number: 0x4000_0028, forbidden: [66, 371, 337, 375, 21, 52, 218], clone: 120 },
    // 64-bit RISC-V
    Architecture { number: 0xc000_00f3, forbidden: GENERIC, clone: GENERIC_CLONE },
];

/// Newer calls have the same number on all architectures: `open_tree`, `move_mount`, `fsopen`, `fsconfig`, `fsmount`,
/// `fspick`, `mount_setattr` and `open_tree_attr`.
const FORBIDDEN_EVERYWHERE: [u32; 8] = [428, 429, 430, 431, 432, 433, 442, 467];

/// A filter cannot read its flags, which are behind a pointer. C libraries fall back to `clone` if it is missing.
const CLONE3: u32 = 435;

/// The flags of `clone` that create namespaces: mount, control group, UTS, IPC, user, PID, network.
const NEW_NAMESPACES: u32 = 0x7e02_0000;

/// On x86-64, call numbers from here on belong to the x32 ABI, which is not used.
const X32: u32 = 0x4000_0000;

const LOAD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const JUMP_IF_ANY_BIT: u16 = 0x45;
const RETURN: u16 = 0x06;

const NUMBER_OF_CALL: u32 = 0;
const NUMBER_OF_ARCHITECTURE: u32 = 4;
/// The lower half of the first argument: all these architectures are little-endian.
const FIRST_ARGUMENT: u32 = 16;

const ALLOW: u32 = 0x7fff_0000;
/// The call fails with `EPERM`.
const REFUSE: u32 = 0x0005_0001;
/// The call fails with `ENOSYS`, as if the kernel did not know it.
const UNKNOWN: u32 = 0x0005_0026;

/// An instruction: opcode, jump if true, jump if false, operand.
type Instruction = (u16, u8, u8, u32);

/// Allows all but the forbidden calls on known architectures, and refuses all calls on others.
fn program() -> Vec<Instruction> {
    let mut program = Vec::new();
    for Architecture { number, forbidden, clone } in ARCHITECTURES {
        let mut calls = vec![(LOAD, 0, 0, NUMBER_OF_CALL)];
        calls.extend([(JUMP_IF_AT_LEAST, 0, 1, X32), (RETURN, 0, 0, REFUSE)]);
        for call in forbidden.into_iter().chain(FORBIDDEN_EVERYWHERE) {
            calls.extend([(JUMP_IF_EQUAL, 0, 1, call), (RETURN, 0, 0, REFUSE)]);
        }
        calls.extend([(JUMP_IF_EQUAL, 0, 1, CLONE3), (RETURN, 0, 0, UNKNOWN)]);
        calls.extend([(JUMP_IF_EQUAL, 0, 3, clone), (LOAD, 0, 0, FIRST_ARGUMENT)]);
        calls.extend([(JUMP_IF_ANY_BIT, 0, 1, NEW_NAMESPACES), (RETURN, 0, 0, REFUSE)]);
        calls.push((RETURN, 0, 0, ALLOW));
        let length = u8::try_from(calls.len()).expect("a handful of instructions");
        program.push((LOAD, 0, 0, NUMBER_OF_ARCHITECTURE));
        program.push((JUMP_IF_EQUAL, 0, length, number));
        program.extend(calls);
    }
    program.push((RETURN, 0, 0, REFUSE));
    program
}

fn bytes() -> Vec<u8> {
    let encode = |(code, on_true, on_false, number): Instruction| {
        [&code.to_ne_bytes()[..], &[on_true, on_false], &number.to_ne_bytes()].concat()
    };
    program().into_iter().flat_map(encode).collect()
}

/// The path at which other processes of this user can open the filter while this process runs.
pub(super) fn path() -> io::Result<&'static Path> {
    static FILE: LazyLock<io::Result<(File, PathBuf)>> = LazyLock::new(|| memory_file(&bytes()));
    match &*FILE {
        Ok((_, path)) => Ok(path),
        Err(error) => Err(error.kind().into()),
    }
}
