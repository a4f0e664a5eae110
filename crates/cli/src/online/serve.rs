//! `skirmish serve`: a server until a signal ends it.

use std::net::SocketAddr;
use std::time::SystemTime;
use std::{process, thread};

use anyhow::{Result, anyhow};
use skirmish_rules::{Catalog, quotable};
use skirmish_server::{Config, Database, Limits, Log, Server, StartError, TlsFiles};
use skirmish_store::command;
use skirmish_system::Signal;
use skirmish_system::signals::Signals;

use super::address::ServerAddress;
use super::database::{database, unusable, with_bus};
use super::invite::seen_from_outside;
use crate::args::ServeArgs;
use crate::exit::{Exit, usage};
use crate::output;

pub(crate) fn run(args: &ServeArgs, catalog: Catalog) -> Result<Exit> {
    let url = match &args.url {
        Some(text) => Some(text.parse::<ServerAddress>().map_err(|_| {
            let text = quotable(text);
            usage(format!(
                "--url: \"{text}\" is not the address of a server: expected one such as https://example.org or \
                 http://host:7777"
            ))
        })?),
        None => None,
    };
    if let Some(metrics) = args.metrics
        && !metrics.ip().is_loopback()
        && !args.metrics_public
    {
        return Err(usage(format!(
            "--metrics: other machines may reach {metrics}: listen on 127.0.0.1, or add --metrics-public if anybody who \
             reaches it may read the metrics"
        )));
    }
    let tls = args.tls_cert.clone().zip(args.tls_key.clone());
    let tls = tls.map(|(cert, key)| TlsFiles { cert, key });
    // From now on a signal ends the server cleanly.
    let signals = Signals::ending()?;
    let format = args.log.into();
    let log = Log::new(args.log_level.into(), move |entry| {
        output::eprint_whole_line(entry.line(format, SystemTime::now()));
    });
    let limits = Limits { proxies: args.trusted_proxy.clone(), ..Limits::default() };
    let database = with_bus(database(&args.database)?, args)?;
    let config = config(catalog, args.listen, database, (url, tls), log);
    let config = Config { limits, metrics: args.metrics, ..config };
    let server = Server::start(config).map_err(failure)?;
    let (address, url) = (server.address(), server.url());
    output::print_line(format_args!(
        "Listening on {address}. Open {url} in a browser, or play in a terminal: {}",
        command(&format!("join {url}"))
    ))?;
    if let Some(metrics) = server.metrics() {
        output::print_line(format_args!("Metrics are at http://{metrics}/metrics."))?;
    }
    let ending = |signal| match signal {
        Signal::End(number) => Some(number),
        Signal::Suspend => None,
    };
    let mut signals = signals.filter_map(ending);
    let number = signals.next();
    // Who asks twice does not want to wait.
    thread::spawn(move || {
        if let Some(number) = signals.next() {
            process::exit(Exit::Signal(number).code().into());
        }
    });
    server.stop();
    Ok(number.map_or(Exit::Done, Exit::Signal))
}

/// How to start a server with the usual limits. `url` is its address as players see it.
pub(super) fn config(
    games: Catalog,
    listen: SocketAddr,
    database: Database,
    (url, tls): (Option<ServerAddress>, Option<TlsFiles>),
    log: Log,
) -> Config {
    // An address that stands for all networks is no use in an invitation.
    let is_guessed = url.is_none() && tls.is_none() && listen.ip().is_unspecified();
    let url = if is_guessed && listen.port() != 0 { Some(seen_from_outside(listen)) } else { url };
    Config {
        games,
        listen,
        database,
        url: url.map(|url| url.to_string()),
        tls,
        memory: skirmish_system::spare_memory() / 2,
        metrics: None,
        limits: Limits::default(),
        log,
    }
}

/// Why a server cannot start. The error says it all, and its sources would say it again.
#[allow(clippy::needless_pass_by_value)] // for map_err
pub(super) fn failure(error: StartError) -> anyhow::Error {
    match error {
        StartError::Storage(error) => unusable(&error),
        error => anyhow!("{error}"),
    }
}
