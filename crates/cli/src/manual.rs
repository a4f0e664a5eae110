//! `skirmish man`: the manual page, generated from the same definitions as the help.

use std::io::{self, Write};

use anyhow::Result;
use clap::{Command, CommandFactory};
use clap_mangen::Man;

use crate::args::Cli;
use crate::exit::{Exit, MEANINGS};
use crate::output;

const DESCRIPTION: &str = "Without a command, \
    skirmish opens the arcade: all games in full-screen mode, for two people at one terminal or against the computer. \
    Without a terminal it prints a short help.";

const ENVIRONMENT: [(&str, &str); 11] = [
    ("SKIRMISH_THEME", "the colours of the full screen; --theme overrides it"),
    ("SKIRMISH_ASCII", "if set to anything but 0, false or no: like --ascii"),
    ("SKIRMISH_NO_MOTION", "if set to anything but 0, false or no: like --no-motion"),
    ("NO_COLOR", "if set, disables colour; --color overrides it"),
    ("CLICOLOR_FORCE", "if set, uses colour in pipes too"),
    (
        "ESCDELAY",
        "milliseconds to wait for the rest of a key after an ESC, in full-screen mode; default: 600",
    ),
    ("TERM", "if dumb, or unset (except on Windows), output is plain lines"),
    (
        "LC_ALL, LC_CTYPE, LANG",
        "the first that is set determines the locale; unless it is UTF-8, output is limited to ASCII",
    ),
    (
        "XDG_DATA_HOME",
        "where games, results and tournaments are stored; default: ~/.local/share, or %APPDATA% on Windows",
    ),
    (
        "XDG_CONFIG_HOME",
        "where the settings are stored; default: ~/.config, or %APPDATA% on Windows",
    ),
    ("SSL_CERT_FILE", "the certificates that join trusts, instead of those of the system"),
];

const FILES: [(&str, &str); 8] = [
    ("$XDG_DATA_HOME/skirmish/games/*.skr", "saved games and records of finished games"),
    ("$XDG_DATA_HOME/skirmish/results.csv", "the results of finished games, for the statistics"),
    ("$XDG_DATA_HOME/skirmish/puzzles.toml", "puzzles solved, and the streak"),
    ("$XDG_DATA_HOME/skirmish/tournaments/", "tournaments, one folder each"),
    ("$XDG_DATA_HOME/skirmish/server/", "the data of serve"),
    ("$XDG_DATA_HOME/skirmish/host/", "the data of host"),
    ("$XDG_DATA_HOME/skirmish/servers/", "who you are on each server, and the last server"),
    ("$XDG_CONFIG_HOME/skirmish/settings.toml", "the settings of the full screen"),
];

pub(crate) fn print() -> Result<Exit> {
    let mut page = Vec::new();
    write(&mut page)?;
    output::print_data(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Done)
}

fn write(page: &mut Vec<u8>) -> io::Result<()> {
    let mut command = Cli::command();
    command.build();
    let whole = Man::new(command.clone());
    whole.render_title(page)?;
    whole.render_name_section(page)?;
    writeln!(page, ".SH SYNOPSIS\n.B skirmish\n[\\fIOPTIONS\\fR] [\\fICOMMAND\\fR]")?;
    writeln!(page, ".SH DESCRIPTION\n{}", text(DESCRIPTION))?;
    writeln!(page, ".SH OPTIONS\nThese can be given before or after a command.")?;
    page.extend(options(command.clone().mut_args(|argument| argument.help_heading(None::<&str>)))?);
    writeln!(page, ".SH COMMANDS")?;
    for subcommand in command.get_subcommands() {
        section(subcommand, page)?;
    }
    writeln!(page, ".SH \"EXIT STATUS\"")?;
    list(&MEANINGS, page)?;
    writeln!(page, ".SH ENVIRONMENT")?;
    list(&ENVIRONMENT, page)?;
    writeln!(page, ".SH FILES")?;
    list(&FILES, page)?;
    writeln!(page, ".SH EXAMPLES")?;
    examples(&command, page)
}

/// The section of a command, followed by those of its subcommands.
fn section(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let usage = command.clone().render_usage().to_string();
    writeln!(page, ".SS \"{}\"", text(command.get_bin_name().unwrap_or(command.get_name())))?;
    writeln!(page, "{}\n.PP", text(usage.trim_start_matches("Usage: ")))?;
    let about = command.get_long_about().or(command.get_about());
    writeln!(
        page,
        "{}.",
        text(about.map(ToString::to_string).unwrap_or_default().trim_end_matches('.'))
    )?;
    // Global options are described once, above.
    let own = command.clone().mut_args(|argument| {
        let is_everywhere =
            argument.is_global_set() || ["help", "version"].contains(&argument.get_id().as_str());
        argument.hide(is_everywhere)
    });
    page.extend(options(own)?);
    examples(command, page)?;
    for subcommand in command.get_subcommands() {
        section(subcommand, page)?;
    }
    Ok(())
}

/// The options and arguments of a command, without the heading.
fn options(command: Command) -> io::Result<Vec<u8>> {
    let mut section = Vec::new();
    Man::new(command).render_options_section(&mut section)?;
    let is_heading = |line: &&[u8]| line.starts_with(b".SH ");
    let lines = section.split_inclusive(|byte| *byte == b'\n');
    Ok(lines.filter(|line| !is_heading(line)).collect::<Vec<_>>().concat())
}

/// The examples from a command's help.
fn examples(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let help = command.get_before_help().map(ToString::to_string).unwrap_or_default();
    let examples: Vec<&str> = help.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    if examples.is_empty() {
        return Ok(());
    }
    writeln!(page, ".PP\n.nf\n.RS 4")?;
    for example in examples {
        writeln!(page, "{}", text(example))?;
    }
    writeln!(page, ".RE\n.fi")
}

fn list(items: &[(&str, &str)], page: &mut Vec<u8>) -> io::Result<()> {
    for (name, about) in items {
        writeln!(page, ".TP\n\\fB{}\\fR\n{}", text(name), text(about))?;
    }
    Ok(())
}

/// Escapes a text for roff.
fn text(plain: &str) -> String {
    let escaped = plain.replace('\\', "\\e").replace('-', "\\-").replace('"', "\\(dq");
    let lines = escaped.lines().map(|line| {
        if line.starts_with(['.', '\'']) { format!("\\&{line}") } else { line.to_owned() }
    });
    lines.collect::<Vec<String>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_for_roff() {
        assert_eq!(text(".skr\n'x' \\n a-b"), "\\&.skr\n\\&'x' \\en a\\-b");
    }
}
