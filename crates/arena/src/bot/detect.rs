//! Detects a bot's protocol by sending a question in each protocol and examining the answer.

use std::time::{Duration, Instant};

use skirmish_play::Fault;
use skirmish_play::player::{BotCommand, Dialect};
use skirmish_rules::Table;

use super::log::Log;
use super::process::BotProcess;
use super::registry::KillHandle;
use super::{next_line, question, ugi};

/// How long to wait for an answer in JSON before asking in UGI. A timeout that is too short does no harm: the bot is
/// restarted after detection.
const JSON_TIMEOUT: Duration = Duration::from_millis(200);

/// How long to wait for a bot whose output so far matches neither protocol.
const UNKNOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// Detects the protocol of a bot.
///
/// The JSON question comes first: a UGI bot ignores unknown lines, but a JSON bot may exit when it reads `ugi`. A bot
/// that never answers is assumed to speak JSON, because JSON faults are easier to explain.
pub(super) fn detect(
    command: &BotCommand,
    log: Option<&Log>,
    handle: &KillHandle,
    table: &dyn Table,
    timeout: Duration,
) -> Result<Dialect, Fault> {
    let mut process = BotProcess::start(command, log.cloned(), handle)?;
    let mut until = Instant::now() + timeout;
    let side = *table.turn().first().expect("a game that begins is not over");
    process.send(&question(table, side));
    let mut has_sent_ugi = false;
    loop {
        let soon = if has_sent_ugi { until } else { Instant::now() + JSON_TIMEOUT };
        match next_line(&mut process, soon) {
            Ok(Some(line)) if is_ugi(&line) => return Ok(Dialect::Ugi),
            Ok(Some(line)) => {
                let said = line.trim();
                if table.choices(side).iter().any(|choice| choice.notation == said) {
                    return Ok(Dialect::Json);
                }
                until = until.min(Instant::now() + UNKNOWN_TIMEOUT);
            }
            Ok(None) if !has_sent_ugi => {
                has_sent_ugi = true;
                process.send("ugi");
            }
            Ok(None) => return Ok(Dialect::Json),
            // The JSON line may have crashed the bot.
            Err(_) => break,
        }
    }
    drop(process);
    let mut process = BotProcess::start(command, log.cloned(), handle)?;
    let greeted = ugi::handshake(&mut process, timeout);
    Ok(if greeted.is_ok() { Dialect::Ugi } else { Dialect::Json })
}

fn is_ugi(line: &str) -> bool {
    let first = line.split_whitespace().next();
    matches!(first, Some("ugiok" | "id" | "option" | "info"))
}
