//! `skirmish completions` and `skirmish man`.

use std::io::{self, Write};

use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;

use crate::args::Cli;
use crate::exit::Exit;
use crate::output;

pub(crate) fn completions(shell: Shell) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "skirmish", &mut script);
    output::print_data(&String::from_utf8_lossy(&script))?;
    Ok(Exit::Done)
}

/// The manual page, with a section for every subcommand.
pub(crate) fn manual() -> Result<Exit> {
    let mut command = Cli::command();
    command.build();
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone()).render(&mut page)?;
    for subcommand in command.get_subcommands() {
        section(subcommand, "SKIRMISH", &mut page)?;
    }
    output::print_data(&String::from_utf8_lossy(&page))?;
    Ok(Exit::Done)
}

/// The section of a subcommand, and those of its own subcommands.
fn section(command: &clap::Command, above: &str, page: &mut Vec<u8>) -> io::Result<()> {
    let name = format!("{above} {}", command.get_name().to_uppercase());
    writeln!(page, ".SH \"{name}\"")?;
    let man = clap_mangen::Man::new(command.clone());
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    man.render_options_section(page)?;
    for subcommand in command.get_subcommands() {
        section(subcommand, &name, page)?;
    }
    Ok(())
}
