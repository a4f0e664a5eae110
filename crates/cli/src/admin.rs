//! `skirmish admin`: maintains a server's data.

use std::io::{self, BufRead as _};
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use serde::Serialize;
use skirmish_present::json::{
    self, AccountObject, BackupObject, ClosingObject, PruningObject, StatusObject,
};
use skirmish_rules::{Catalog, counted, is_printable, printable, quotable};
use skirmish_server::admin::{self, Admin, AdminError, Closing, Who};
use skirmish_server::storage::{Account, Backup, BackupError, Pruned};
use skirmish_store::readable;

use crate::args::{AdminArgs, AdminCommand, CommonArgs, WhoArgs};
use crate::exit::Exit;
use crate::online::{database, unusable};
use crate::output;

/// Maximum number of bytes read as a token from standard input.
const LONGEST_TOKEN: u64 = 1024;

pub(crate) fn run(args: &AdminArgs, catalog: Catalog) -> Result<Exit> {
    carry_out(args, catalog).map_err(|error| match error.downcast::<AdminError>() {
        // The error's text already includes its sources.
        Ok(AdminError::Storage(error) | AdminError::Backup(BackupError::Storage(error))) => {
            unusable(&error)
        }
        Ok(error) => anyhow!("{error}"),
        Err(error) => error,
    })
}

fn carry_out(args: &AdminArgs, catalog: Catalog) -> Result<Exit> {
    match &args.command {
        AdminCommand::Status(common) => status(common, catalog)?,
        AdminCommand::Backup { file, common } => {
            let backup = admin::back_up(&database(&common.database)?, file)?;
            let text = format!("{} holds {}.", readable(file), holds(&backup));
            print(common.json, &backup_object(file, &backup), &text)?;
        }
        AdminCommand::Restore { file, common } => {
            let database = database(&common.database)?;
            let backup = admin::restore(file, &database, catalog)?;
            let text = format!("Restored {}. Every game can be read.", holds(&backup));
            print(common.json, &backup_object(file, &backup), &text)?;
        }
        AdminCommand::Export { file, common } => {
            let database = database(&common.database)?;
            let Some(file) = file else {
                let name = Path::new("standard output");
                admin::export(name, io::stdout(), &database).map_err(AdminError::from)?;
                return Ok(Exit::Done);
            };
            let backup = admin::export_to(file, &database).map_err(AdminError::from)?;
            let text = format!("{} holds {}.", readable(file), holds(&backup));
            print(common.json, &backup_object(file, &backup), &text)?;
        }
        AdminCommand::Import { file, common } => {
            let database = database(&common.database)?;
            let backup = admin::import(file, &database).map_err(AdminError::from)?;
            let text = format!("Imported {}.", holds(&backup));
            print(common.json, &backup_object(file, &backup), &text)?;
        }
        AdminCommand::Rename { who, name } => rename(who, name, catalog)?,
        AdminCommand::Ban { who, reason } => {
            let (admin, account, devices) = find(who, catalog)?;
            admin.ban(&account, reason)?;
            let text = format!("{} is banned{}.", named(&account), soon(&admin));
            let account = Account { ban: Some(reason.clone()), ..account };
            print(who.common.json, &account_object(account, devices, true), &text)?;
        }
        AdminCommand::Unban(who) => {
            let (admin, account, devices) = find(who, catalog)?;
            let changed = admin.unban(&account)?;
            let state = if changed { "may play again" } else { "was not banned" };
            let text = format!("{} {state}.", named(&account));
            let account = Account { ban: None, ..account };
            print(who.common.json, &account_object(account, devices, changed), &text)?;
        }
        AdminCommand::Revoke { who, token: _, common } => {
            revoke(who.as_ref(), common, catalog)?;
        }
        AdminCommand::Close { code, common } => close(code, common, catalog)?,
        AdminCommand::Prune { days, dry_run, common } => prune(*days, *dry_run, common, catalog)?,
    }
    Ok(Exit::Done)
}

fn open(common: &CommonArgs, catalog: Catalog) -> Result<Admin> {
    Ok(Admin::open(&database(&common.database)?, catalog)?)
}

/// Prints the result of a command, as JSON or as text.
fn print(as_json: bool, object: &impl Serialize, text: &str) -> Result<()> {
    if as_json {
        output::print_data_line(json::text(object))?;
    } else {
        for line in text.lines() {
            output::print_line(printable(line))?;
        }
    }
    Ok(())
}

fn find(who: &WhoArgs, catalog: Catalog) -> Result<(Admin, Account, u64)> {
    let admin = open(&who.common, catalog)?;
    let (account, devices) = admin.find(&who.who)?;
    Ok((admin, account, devices))
}

fn named(account: &Account) -> String {
    format!("{} (#{})", quotable(&account.name), account.id)
}

/// The end of a message about a disconnected account; empty if no server is running.
fn soon(admin: &Admin) -> &'static str {
    if admin.is_running() { ", and disconnected within seconds" } else { "" }
}

fn account_object(account: Account, devices: u64, changed: bool) -> AccountObject {
    AccountObject {
        account: account.id.unsigned_abs(),
        name: account.name,
        registered: account.registered,
        banned: account.ban.is_some(),
        devices,
        changed,
    }
}

fn backup_object(file: &Path, backup: &Backup) -> BackupObject {
    let Backup { bytes, rooms, events } = *backup;
    BackupObject { file: file.to_string_lossy().into_owned(), bytes, games: rooms, events }
}

fn holds(backup: &Backup) -> String {
    let (games, events) = (counted(backup.rooms, "game"), counted(backup.events, "event"));
    format!("{games} with {events} in {}", counted(backup.bytes, "byte"))
}

fn status(common: &CommonArgs, catalog: Catalog) -> Result<()> {
    let admin = open(common, catalog)?;
    let holdings = admin.holdings()?;
    let state = match (admin.is_running(), holdings.nodes.len()) {
        (false, _) => "No server is running.".to_owned(),
        (true, 0) => "A server is running.".to_owned(),
        (true, nodes) => {
            format!("{}: {}.", counted(nodes as u64, "server"), holdings.nodes.join(", "))
        }
    };
    let text = format!(
        "{state}\n{}, {}, {} banned\n{} open, {} being played, {} over\n{}, tables of version {}",
        counted(holdings.members, "registered account"),
        counted(holdings.guests, "guest"),
        holdings.banned,
        counted(holdings.open, "game"),
        holdings.playing,
        holdings.over,
        counted(holdings.bytes, "byte"),
        holdings.schema,
    );
    let object = StatusObject {
        running: admin.is_running(),
        nodes: holdings.nodes,
        schema: holdings.schema,
        bytes: holdings.bytes,
        members: holdings.members,
        guests: holdings.guests,
        banned: holdings.banned,
        open: holdings.open,
        playing: holdings.playing,
        over: holdings.over,
    };
    print(common.json, &object, &text)
}

fn rename(who: &WhoArgs, name: &str, catalog: Catalog) -> Result<()> {
    let (admin, account, devices) = find(who, catalog)?;
    let before = named(&account);
    let name = admin.rename(&account, name)?;
    let text =
        format!("{before} is {} now. Games that have begun keep the old name.", quotable(&name));
    let changed = account.name != name;
    print(who.common.json, &account_object(Account { name, ..account }, devices, changed), &text)
}

fn revoke(who: Option<&Who>, common: &CommonArgs, catalog: Catalog) -> Result<()> {
    let (account, devices) = if let Some(who) = who {
        let admin = open(common, catalog)?;
        let (account, _) = admin.find(who)?;
        let devices = admin.revoke(&account)?;
        (account, devices)
    } else {
        let token = token()?;
        (open(common, catalog)?.revoke_token(&token)?, 1)
    };
    let back = if account.registered {
        "The recovery code still works."
    } else {
        "A guest has no recovery code, and cannot come back."
    };
    let back = if who.is_some() { format!(" {back}") } else { String::new() };
    let text = format!("{} of {} signed out.{back}", counted(devices, "device"), named(&account));
    print(common.json, &account_object(account, devices, devices > 0), &text)
}

/// Reads a token from standard input: on the command line, other users could see it.
fn token() -> Result<String> {
    let mut line = Vec::new();
    io::Read::take(io::stdin().lock(), LONGEST_TOKEN).read_until(b'\n', &mut line)?;
    let line = line.trim_ascii();
    if line.is_empty() {
        bail!("there is no token on standard input");
    }
    match str::from_utf8(line) {
        Ok(text) if is_printable(text) => Ok(text.to_owned()),
        _ => bail!(
            "what is on standard input is not a token: a token is one line of letters and digits"
        ),
    }
}

fn close(code: &str, common: &CommonArgs, catalog: Catalog) -> Result<()> {
    let admin = open(common, catalog)?;
    let code = code.trim().to_ascii_uppercase();
    let closing = admin.close(&code)?;
    let (state, text) = match closing {
        Closing::Closed => {
            ("closed", format!("Game {code} is closed. If it was being played, it has no result."))
        }
        Closing::WasOver => ("over", format!("Game {code} was over already.")),
        Closing::Later if admin.is_running() => {
            ("later", format!("Game {code} is not closed yet: the server has not answered."))
        }
        Closing::Later => ("later", format!("Game {code} is closed when a server starts.")),
    };
    print(common.json, &ClosingObject { code, state }, &text)
}

fn prune(days: u32, dry_run: bool, common: &CommonArgs, catalog: Catalog) -> Result<()> {
    let Pruned { rooms, events } = open(common, catalog)?.prune(days, dry_run)?;
    let text = format!(
        "{}: no registered player, never finished, untouched for {days} days.",
        removed(rooms, events, dry_run)
    );
    let object = PruningObject { days, dry_run, games: rooms, events };
    print(common.json, &object, &text)
}

fn removed(rooms: u64, events: u64, dry_run: bool) -> String {
    let verb = match (dry_run, rooms) {
        (true, _) => "would be",
        (false, 1) => "was",
        (false, _) => "were",
    };
    let (games, events) = (counted(rooms, "abandoned game"), counted(events, "event"));
    format!("{games}, with {events}, {verb} removed")
}

#[cfg(test)]
mod tests {
    use super::removed;

    #[test]
    fn one_game_was_removed_and_several_were() {
        assert_eq!(removed(1, 5, false), "1 abandoned game, with 5 events, was removed");
        assert_eq!(removed(2, 1, false), "2 abandoned games, with 1 event, were removed");
        assert_eq!(removed(1, 5, true), "1 abandoned game, with 5 events, would be removed");
    }
}
