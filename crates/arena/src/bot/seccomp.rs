//! The system calls that a bot in a sandbox may not make, as a program for the kernel.
//!
//! `setsid`: the kernel may share out the processor by session, so more sessions would be more of it.
//! `open_by_handle_at`: with the privilege to read what root can read, it would find files behind hidden folders.
//! New namespaces and mounts: in a user namespace of its own a bot could mount a file system in memory of any size.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use skirmish_system::machine::memory_file;

/// A kind of machine code: its number for the kernel, and those of some calls in it.
struct Architecture {
    number: u32,
    /// `setsid`, `open_by_handle_at`, `unshare`, `setns`, `mount`, `umount2` and `pivot_root`.
    forbidden: [u32; 7],
    clone: u32,
}

/// The calls of 64-bit architectures that came after x86-64.
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

/// Newer calls have the same number everywhere. These are `open_tree`, `move_mount`, `fsopen`, `fsconfig`, `fsmount`,
/// `fspick`, `mount_setattr` and `open_tree_attr`.
const FORBIDDEN_EVERYWHERE: [u32; 8] = [428, 429, 430, 431, 432, 433, 442, 467];

/// Its flags lie where a filter cannot read them. C libraries make do with `clone` if it is not there.
const CLONE3: u32 = 435;

/// The flags of `clone` that ask for a namespace: of mounts, control groups, host names, IPC, users, processes, networks.
const NEW_NAMESPACES: u32 = 0x7e02_0000;

/// On x86-64, call numbers from here on belong to a variant that nobody uses.
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

/// An instruction: what it does, how many instructions are skipped if its condition is true and if not, and a number.
type Instruction = (u16, u8, u8, u32);

/// Calls of known architectures are allowed but for those that are forbidden; of others, none is.
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

/// Where another process of this user finds the program, as long as we run.
pub(super) fn path() -> io::Result<&'static Path> {
    static FILE: LazyLock<io::Result<(File, PathBuf)>> = LazyLock::new(|| memory_file(&bytes()));
    match &*FILE {
        Ok((_, path)) => Ok(path),
        Err(error) => Err(error.kind().into()),
    }
}
