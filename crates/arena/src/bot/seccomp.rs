//! The seccomp filter for sandboxed bots: a BPF program that rejects some system calls.
//!
//! `setsid`: the kernel may share processor time between sessions, so a bot with more sessions would get more of it.
//! `open_by_handle_at`: combined with root's read permission, it would reach files behind hidden folders.
//! New namespaces and mounts: in its own user namespace, a bot could mount a memory file system of any size.
//! Sockets of most families: some families, such as `AF_VSOCK`, ignore network namespaces.
//! `io_uring`: its requests bypass the filter.
//! Shared memory without a file: the memory limit counts only private memory. In-memory files have a size limit.

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
    /// `memfd_create`, `shmget` and `msgget`.
    memory: [u32; 3],
    /// `socket` and `socketpair`.
    sockets: [u32; 2],
    clone: u32,
    /// `mmap`, or `mmap2` on 32-bit architectures.
    mmap: u32,
    /// Calls that the filter cannot inspect, because their arguments are behind a pointer.
    opaque: &'static [u32],
}

const X86_64: Architecture = Architecture {
    number: 0xc000_003e,
    forbidden: [112, 304, 272, 308, 165, 166, 155],
    memory: [319, 29, 68],
    sockets: [41, 53],
    clone: 56,
    mmap: 9,
    opaque: &[],
};

const X86: Architecture = Architecture {
    number: 0x4000_0003,
    forbidden: [66, 342, 310, 346, 21, 52, 217],
    memory: [356, 395, 399],
    sockets: [359, 360],
    clone: 120,
    mmap: 192,
    // `socketcall`, `ipc` and the old `mmap`.
    opaque: &[102, 117, 90],
};

/// 64-bit architectures newer than x86-64 use the same call numbers.
const AARCH64: Architecture = Architecture {
    number: 0xc000_00b7,
    forbidden: [157, 265, 97, 268, 40, 39, 41],
    memory: [279, 194, 186],
    sockets: [198, 199],
    clone: 220,
    mmap: 222,
    opaque: &[],
};

const RISC_V: Architecture = Architecture { number: 0xc000_00f3, ..AARCH64 };

const ARM: Architecture = Architecture {
    number: 0x4000_0028,
    forbidden: [66, 371, 337, 375, 21, 52, 218],
    memory: [385, 307, 303],
    sockets: [281, 288],
    clone: 120,
    mmap: 192,
    opaque: &[],
};

/// Newer calls, with the same number on all architectures: `open_tree`, `move_mount`, `fsopen`, `fsconfig`, `fsmount`,
/// `fspick`, `mount_setattr` and `open_tree_attr`.
const FORBIDDEN_EVERYWHERE: [u32; 8] = [428, 429, 430, 431, 432, 433, 442, 467];

/// The filter cannot read the flags of `clone3`, which are behind a pointer. C libraries fall back to `clone` if it is
/// missing.
const CLONE3: u32 = 435;

/// `io_uring_setup`, `io_uring_enter`, `io_uring_register` and `memfd_secret`.
const UNKNOWN_EVERYWHERE: [u32; 4] = [425, 426, 427, 447];

/// The socket families that stay inside the sandbox's network namespace, or use file paths: `AF_UNIX`, `AF_INET` and
/// `AF_INET6`.
const FAMILIES: [u32; 3] = [1, 2, 10];

/// The `mmap` flags for a mapping that is shared, has no file, or grows like a stack. The memory limit does not count
/// stacks either.
const MAP_SHARED: u32 = 0x1;
const MAP_ANONYMOUS: u32 = 0x20;
const MAP_GROWSDOWN: u32 = 0x100;

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
/// The offsets of the arguments' lower halves: all these architectures are little-endian.
const FIRST_ARGUMENT: u32 = 16;
const FOURTH_ARGUMENT: u32 = 40;

const ALLOW: u32 = 0x7fff_0000;
/// The call fails with `EPERM`.
const REFUSE: u32 = 0x0005_0001;
/// The call fails with `ENOSYS`, as on an old kernel, so that programs fall back to another call.
const UNKNOWN: u32 = 0x0005_0026;
/// The call fails with `ENOMEM`.
const NO_MEMORY: u32 = 0x0005_000c;
/// The call fails with `EAFNOSUPPORT`.
const NO_FAMILY: u32 = 0x0005_0061;

/// An instruction: opcode, jump if true, jump if false, operand.
type Instruction = (u16, u8, u8, u32);

/// Allows all but the forbidden calls on known architectures, and rejects all calls on other architectures.
fn program() -> Vec<Instruction> {
    let mut program = Vec::new();
    for architecture in [X86_64, X86, AARCH64, ARM, RISC_V] {
        let calls = calls(&architecture);
        program.push((LOAD, 0, 0, NUMBER_OF_ARCHITECTURE));
        program.push((JUMP_IF_EQUAL, 0, length(&calls), architecture.number));
        program.extend(calls);
    }
    program.push((RETURN, 0, 0, REFUSE));
    program
}

/// The part of the filter that handles an architecture's calls.
fn calls(architecture: &Architecture) -> Vec<Instruction> {
    let Architecture { number: _, forbidden, memory, sockets, clone, mmap, opaque } = architecture;
    let mut calls = vec![(LOAD, 0, 0, NUMBER_OF_CALL)];
    calls.extend([(JUMP_IF_AT_LEAST, 0, 1, X32), (RETURN, 0, 0, REFUSE)]);
    for call in forbidden.iter().chain(&FORBIDDEN_EVERYWHERE) {
        calls.extend([(JUMP_IF_EQUAL, 0, 1, *call), (RETURN, 0, 0, REFUSE)]);
    }
    for call in memory.iter().chain(*opaque).chain(&UNKNOWN_EVERYWHERE).chain([&CLONE3]) {
        calls.extend([(JUMP_IF_EQUAL, 0, 1, *call), (RETURN, 0, 0, UNKNOWN)]);
    }
    let mut decide = |call: u32, steps: &[Instruction]| {
        calls.push((JUMP_IF_EQUAL, 0, length(steps), call));
        calls.extend(steps);
    };
    let mut family = vec![(LOAD, 0, 0, FIRST_ARGUMENT)];
    for allowed in FAMILIES {
        family.extend([(JUMP_IF_EQUAL, 0, 1, allowed), (RETURN, 0, 0, ALLOW)]);
    }
    family.push((RETURN, 0, 0, NO_FAMILY));
    for call in sockets {
        decide(*call, &family);
    }
    decide(
        *mmap,
        &[
            (LOAD, 0, 0, FOURTH_ARGUMENT),
            (JUMP_IF_ANY_BIT, 2, 0, MAP_GROWSDOWN),
            (JUMP_IF_ANY_BIT, 0, 2, MAP_ANONYMOUS),
            (JUMP_IF_ANY_BIT, 0, 1, MAP_SHARED),
            (RETURN, 0, 0, NO_MEMORY),
            (RETURN, 0, 0, ALLOW),
        ],
    );
    let namespaces = [
        (LOAD, 0, 0, FIRST_ARGUMENT),
        (JUMP_IF_ANY_BIT, 0, 1, NEW_NAMESPACES),
        (RETURN, 0, 0, REFUSE),
    ];
    decide(*clone, &namespaces);
    calls.push((RETURN, 0, 0, ALLOW));
    calls
}

/// The number of instructions to jump over.
fn length(steps: &[Instruction]) -> u8 {
    u8::try_from(steps.len()).expect("there are fewer than 100 instructions for each architecture")
}

fn bytes() -> Vec<u8> {
    let encode = |(code, on_true, on_false, number): Instruction| {
        [&code.to_ne_bytes()[..], &[on_true, on_false], &number.to_ne_bytes()].concat()
    };
    program().into_iter().flat_map(encode).collect()
}

/// The path through which other processes of this user can open the filter, as long as this process runs.
pub(super) fn path() -> io::Result<&'static Path> {
    static FILE: LazyLock<io::Result<(File, PathBuf)>> = LazyLock::new(|| memory_file(&bytes()));
    match &*FILE {
        Ok((_, path)) => Ok(path),
        Err(error) => Err(error.kind().into()),
    }
}
