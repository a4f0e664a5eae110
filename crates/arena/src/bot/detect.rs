//! Which protocol a bot speaks: it is shown a question of each, and betrays itself by what it answers.

use std::time::{Duration, Instant};

use skirmish_play::Fault;
use skirmish_play::player::{BotCommand, Dialect};
use skirmish_rules::Table;

use super::log::Log;
use super::process::BotProcess;
use super::registry::KillHandle;
use super::{next_line, question, ugi};

/// How long a bot is given to answer the first question before the second is asked. If that is too short nothing
/// is lost, because the bot is started anew in the end.
const HESITATION: Duration = Duration::from_millis(200);

/// How long one is given that has answered neither way, once it has been asked both.
const SECOND_THOUGHT: Duration = Duration::from_secs(2);

/// Finds out which protocol a bot speaks.
///
/// A bot that speaks UGI ignores lines it does not know, so the JSON question comes first: one that reads JSON
/// may well end at the word `ugi`. A program that answers nothing is taken to speak JSON, whose faults are
/// easier to explain.
pub(super) fn detect(
    command: &BotCommand,
    log: Option<&Log>,
    handle: &KillHandle,
    table: &dyn Table,
    patience: Duration,
) -> Result<Dialect, Fault> {
    let mut process = BotProcess::start(command, log.cloned(), handle)?;
    let mut until = Instant::now() + patience;
    let side = *table.turn().first().expect("a game that begins is not over");
    process.send(&question(table, side));
    let mut has_asked_again = false;
    loop {
        let soon = if has_asked_again { until } else { Instant::now() + HESITATION };
        match next_line(&mut process, soon) {
            Ok(Some(line)) if is_ugi(&line) => return Ok(Dialect::Ugi),
            Ok(Some(line)) => {
                let said = line.trim();
                if table.choices(side).iter().any(|choice| choice.notation == said) {
                    return Ok(Dialect::Json);
                }
                until = until.min(Instant::now() + SECOND_THOUGHT);
            }
            Ok(None) if !has_asked_again => {
                has_asked_again = true;
                process.send("ugi");
            }
            Ok(None) => return Ok(Dialect::Json),
            // It may have been the line of JSON that it did not bear.
            Err(_) => break,
        }
    }
    drop(process);
    let mut process = BotProcess::start(command, log.cloned(), handle)?;
    let shaken = ugi::shake_hands(&mut process, patience);
    Ok(if shaken.is_ok() { Dialect::Ugi } else { Dialect::Json })
}

fn is_ugi(line: &str) -> bool {
    let first = line.split_whitespace().next();
    matches!(first, Some("ugiok" | "id" | "option" | "info"))
}
