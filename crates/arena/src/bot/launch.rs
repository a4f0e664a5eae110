//! Starts a bot's program, marked so that its processes can be identified.

use std::io;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use skirmish_play::player::BotCommand;
use skirmish_system::{Started, process};

use super::sandbox;

/// The environment variable that marks a bot's processes.
const BOT_MARK: &str = "SKIRMISH_BOT";

/// The environment variable that marks all processes of a tournament's bots.
const TOURNAMENT_MARK: &str = "SKIRMISH_TOURNAMENT";

/// The mark in the environment of one bot's processes.
#[derive(Debug)]
struct ProcessMark {
    bot: String,
    number: u32,
}

impl ProcessMark {
    /// A globally unique mark.
    fn fresh() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Relaxed);
        Self { bot: format!("{:016x}-{number}", program_id()), number }
    }

    /// The user ID for a sandboxed bot if we are root: an ID that is not in use.
    fn user(&self) -> u32 {
        const FIRST: u32 = 0x7000_0000;
        let program = u32::try_from(program_id() & 0xfff).unwrap_or_default();
        FIRST + (program << 16 | self.number & 0xffff)
    }
}

/// A random number that identifies this run of the program.
fn program_id() -> u64 {
    static ID: LazyLock<u64> =
        LazyLock::new(|| getrandom::u64().unwrap_or_else(|_| std::process::id().into()));
    *ID
}

/// Starts a bot's program.
pub(super) fn start(command: &BotCommand) -> io::Result<Started> {
    let mark = ProcessMark::fresh();
    let mut starting = if let Some(sandbox) = command.sandbox {
        sandbox::command(sandbox, &command.words, mark.user())?
    } else {
        let (program, arguments) = command.words.split_first().expect("a command has a program");
        let mut starting = process::command(program);
        starting.args(arguments);
        starting
    };
    match command.tournament.as_deref() {
        Some(tournament) => starting.env(TOURNAMENT_MARK, tournament),
        None => starting.env_remove(TOURNAMENT_MARK),
    };
    process::start(starting, BOT_MARK, &mark.bot)
}

/// Kills all processes that carry a tournament's mark, and returns their number. The caller must know that the program
/// that started these processes has ended.
pub(crate) fn sweep_tournament(mark: &str) -> usize {
    process::kill_marked(TOURNAMENT_MARK, mark)
}
