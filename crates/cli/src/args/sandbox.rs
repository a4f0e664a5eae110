//! The sandbox options for bots.

use anyhow::Result;
use clap::Args;
use skirmish_play::player::Sandbox;

use super::number::whole;
use crate::exit::usage;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Args)]
pub(crate) struct SandboxArgs {
    /// Run each bot in its own sandbox (Linux, needs bubblewrap).
    #[arg(long)]
    sandbox: bool,

    /// Memory limit for each process of a sandboxed bot, such as 512M or 2G [default: 1G].
    #[arg(long, value_name = "SIZE", requires = "sandbox", value_parser = size)]
    bot_memory: Option<u64>,

    /// Limit on the processes and threads of a sandboxed bot [default: 32].
    #[arg(long, value_name = "N", requires = "sandbox", allow_negative_numbers = true, value_parser = whole(1..=10_000_u32))]
    bot_processes: Option<u32>,
}

impl SandboxArgs {
    /// Returns the requested sandbox after testing it.
    pub(crate) fn sandbox(self) -> Result<Option<Sandbox>> {
        if !self.sandbox {
            return Ok(None);
        }
        let sandbox = Sandbox {
            memory: self.bot_memory.unwrap_or(Sandbox::USUAL_MEMORY),
            processes: self.bot_processes.unwrap_or(Sandbox::USUAL_PROCESSES),
        };
        skirmish_arena::bot::check_sandbox(sandbox).map_err(usage)?;
        Ok(Some(sandbox))
    }
}

/// Parses a size such as `512M`, `2G` or `1048576`; a bare number is in bytes.
fn size(text: &str) -> Result<u64, String> {
    /// The minimum: even a shell cannot start with less.
    const LEAST: u64 = 1 << 20;
    let number = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let shift = match text[number.len()..].to_ascii_uppercase().trim_end_matches("IB") {
        "" => Some(0),
        "K" => Some(10),
        "M" => Some(20),
        "G" => Some(30),
        "T" => Some(40),
        _ => None,
    };
    let bytes = shift.and_then(|shift| number.parse::<u64>().ok()?.checked_mul(1 << shift));
    let bytes = bytes.filter(|bytes| (LEAST..=1 << 50).contains(bytes));
    bytes.ok_or_else(|| "expected a size such as 512M or 2G, at least 1M".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        for (text, bytes) in
            [("512M", 512 << 20), ("2G", 2 << 30), ("1GiB", 1 << 30), ("2048k", 2 << 20)]
        {
            assert_eq!(size(text), Ok(bytes), "{text}");
        }
        assert_eq!(size("1048576"), Ok(1 << 20));
        for text in ["", "G", "1B", "0", "1023K", "-1G", "1.5G", "2GB", "99999999999T"] {
            assert!(size(text).is_err(), "{text}");
        }
    }
}
