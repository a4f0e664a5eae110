//! `skirmish bot check CMD`: whether a bot is correct, for whoever writes it.

use anstyle::{AnsiColor, Style};
use anyhow::Result;
use serde_json::{Value, json};
use skirmish_play::bot::check::{Check, Failure, Limits, Report, Step, Verdict};
use skirmish_play::bot::{BotCommand, Dialect};
use skirmish_rules::Catalog;

use crate::args::CheckArgs;
use crate::exit::{Exit, usage};
use crate::signals::{self, Farewell};
use crate::{lookup, output};

pub(crate) fn check(args: &CheckArgs, catalog: Catalog) -> Result<Exit> {
    let command = BotCommand::parse(&args.command).map_err(usage)?;
    let named = args.games.iter().map(|game| lookup::game(catalog, game));
    let named = named.collect::<Result<Vec<_>>>()?;
    signals::watch(Farewell::default())?;
    let check = Check { command, catalog, named, limits: Limits::for_moves_of(args.time) };
    let mut printed = Ok(());
    let report = check.run(|step| {
        if !args.json && printed.is_ok() {
            printed = output::print_line(line(step));
        }
    });
    printed?;
    if args.json {
        output::print_data_line(object(&args.command, &report))?;
    } else {
        output::print_line(summary(&report, args.games.is_empty()))?;
    }
    Ok(if report.failures() == 0 { Exit::Done } else { Exit::Failed })
}

/// A step for people, and below a failure what led to it.
fn line(step: &Step) -> String {
    let (mark, style, text) = match &step.verdict {
        Verdict::Pass(seen) => ("pass", AnsiColor::Green.on_default(), seen.clone()),
        Verdict::Fail(failure) => ("FAIL", AnsiColor::Red.on_default().bold(), explain(failure)),
        Verdict::Skipped(why) => ("-", Style::new(), format!("not tried: {why}")),
    };
    let mark = format!("{style}{mark:<4}{style:#}");
    format!("{}. {:<16} {mark}   {text}", step.number, step.name)
}

fn explain(failure: &Failure) -> String {
    let Failure { detail, expected, dialogue, .. } = failure;
    let sentence = format!("{detail}; expected {expected}");
    let lines = std::iter::once(&sentence).chain(dialogue).map(String::as_str);
    lines.collect::<Vec<&str>>().join("\n     ")
}

fn summary(report: &Report, is_no_game_named: bool) -> String {
    let (failures, steps) = (report.failures(), report.steps.len());
    if failures == 0 {
        return format!("\nAll {steps} steps pass.");
    }
    let verb = if failures == 1 { "fails" } else { "fail" };
    let has_begun =
        report.steps.first().is_some_and(|step| matches!(step.verdict, Verdict::Pass(_)));
    let is_asked_all = has_begun && is_no_game_named && report.dialect == Some(Dialect::Json);
    let hint = if is_asked_all {
        "\nA bot that plays only some of the games is checked with --game GAME."
    } else {
        ""
    };
    format!("\n{failures} of {steps} steps {verb}.{hint}")
}

fn object(command: &str, report: &Report) -> Value {
    json!({
        "command": command,
        "dialect": report.dialect.map(Dialect::name),
        "name": report.name,
        "steps": report.steps.iter().map(step_object).collect::<Vec<Value>>(),
        "passed": report.failures() == 0,
    })
}

fn step_object(step: &Step) -> Value {
    let mut object = json!({ "number": step.number, "name": step.name });
    let (result, said, expected, detail, dialogue) = match &step.verdict {
        Verdict::Pass(seen) => ("pass", None, None, seen.as_str(), &[][..]),
        Verdict::Skipped(why) => ("skipped", None, None, *why, &[][..]),
        Verdict::Fail(Failure { detail, said, expected, dialogue, .. }) => {
            ("fail", said.as_deref(), Some(expected.as_str()), detail.as_str(), &dialogue[..])
        }
    };
    object["result"] = result.into();
    object["said"] = said.into();
    object["expected"] = expected.into();
    object["detail"] = detail.into();
    object["dialogue"] = dialogue.into();
    object
}
