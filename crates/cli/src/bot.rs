//! `skirmish bot check CMD`: checks a bot for its author.

use std::io;

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use skirmish_arena::bot::check::{
    Check, CheckFailure, CheckLimits, CheckReport, CheckStep, CheckVerdict,
};
use skirmish_arena::bot::parse_command;
use skirmish_play::player::Dialect;
use skirmish_present::json::{self, CheckObject, StepObject};
use skirmish_rules::{Catalog, Entry, conjunction};
use skirmish_store::ExitHook;

use crate::args::CheckArgs;
use crate::exit::{Exit, usage};
use crate::{lookup, output, signals};

pub(crate) fn check(args: &CheckArgs, catalog: Catalog) -> Result<Exit> {
    let command = parse_command(&args.command).map_err(usage)?;
    let command = command.within(args.sandbox.sandbox()?);
    let named = args.games.iter().map(|game| lookup::game(catalog, game));
    let named = named.collect::<Result<Vec<_>>>()?;
    // While the hook is held, a signal cannot end the bots. After a signal, `hold` never returns.
    let signal = ExitHook::default();
    signals::watch(signal.clone())?;
    let check = Check { command, catalog, named, limits: CheckLimits::for_moves_of(args.time) };
    let mut printed = Ok(());
    let report = check.run(|step| {
        // Do not report a step that failed because a signal ended the bot: wait for this process to exit.
        let _held = signal.hold();
        if !args.json && printed.is_ok() {
            printed = output::print_line(line(step));
        }
    });
    let _held = signal.hold();
    let exit = if report.failures() == 0 { Exit::Done } else { Exit::Failed };
    let printed = printed.and_then(|()| {
        if args.json {
            output::print_data_line(json::text(&object(&args.command, report)))
        } else {
            output::print_line(summary(&report))
        }
    });
    match printed {
        // The exit code reports the result even if the pipe is closed.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(exit),
        printed => Ok(printed.map(|()| exit)?),
    }
}

/// A step as text, with the dialogue that led to a failure.
fn line(step: &CheckStep) -> String {
    let (mark, style, text) = match &step.verdict {
        CheckVerdict::Pass(seen) => ("pass", AnsiColor::Green.on_default(), seen.clone()),
        CheckVerdict::Fail(failure) => {
            ("FAIL", AnsiColor::Red.on_default().bold(), explain(failure))
        }
        CheckVerdict::Skipped(why) => ("-", Style::new(), format!("not tried: {why}")),
    };
    let mark = format!("{style}{mark:<4}{style:#}");
    format!("{}. {:<16} {mark}   {text}", step.number, step.name)
}

fn explain(failure: &CheckFailure) -> String {
    let CheckFailure { detail, expected, dialogue, .. } = failure;
    let sentence = format!("{detail}; expected {expected}");
    let lines = std::iter::once(&sentence).chain(dialogue).map(String::as_str);
    lines.collect::<Vec<&str>>().join("\n     ")
}

fn summary(report: &CheckReport) -> String {
    let (failures, steps) = (report.failures(), report.steps.len());
    if failures == 0 {
        return format!("\nAll {steps} steps pass.");
    }
    let verb = if failures == 1 { "fails" } else { "fail" };
    let hint = report.plays_only.as_ref().map_or(String::new(), |games| {
        let options = games.iter().map(|entry| format!(" --game {}", entry.id));
        let games = conjunction(games.iter().map(|entry| entry.id));
        let options: String = options.collect();
        format!(
            "\nIt makes a legal first move only in {games}. If it plays no other game, add{options}"
        )
    });
    format!("\n{failures} of {steps} steps {verb}.{hint}")
}

fn object(command: &str, report: CheckReport) -> CheckObject {
    let games = |games: Vec<&'static Entry>| games.into_iter().map(|entry| entry.id).collect();
    CheckObject {
        command: command.to_owned(),
        dialect: report.dialect.map(Dialect::name),
        passed: report.failures() == 0,
        name: report.name,
        steps: report.steps.into_iter().map(step_object).collect(),
        plays_only: report.plays_only.map(games),
    }
}

fn step_object(step: CheckStep) -> StepObject {
    let (result, said, expected, detail, dialogue) = match step.verdict {
        CheckVerdict::Pass(seen) => ("pass", None, None, seen, Vec::new()),
        CheckVerdict::Skipped(why) => ("skipped", None, None, why.to_owned(), Vec::new()),
        CheckVerdict::Fail(CheckFailure { detail, said, expected, dialogue, .. }) => {
            ("fail", said, Some(expected), detail, dialogue)
        }
    };
    let (number, name) = (step.number, step.name);
    StepObject { number, name, result, said, expected, detail, dialogue }
}
