//! `skirmish serve`: a server until a signal ends it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime};
use std::{process, thread};

use anyhow::{Result, anyhow};
use skirmish_rules::{Catalog, quotable};
use skirmish_server::{
    Config, Database, Entry, Limits, Log, LogFormat, Server, StartError, TlsFiles,
};
use skirmish_store::command;
use skirmish_system::Signal;
use skirmish_system::signals::Signals;

use super::address::ServerAddress;
use super::database::{database, unusable, with_bus};
use super::invite::seen_from_outside;
use crate::args::ServeArgs;
use crate::exit::{Exit, usage};
use crate::output;

/// How long the program waits for its log to be written before it exits.
const LOG_PATIENCE: Duration = Duration::from_secs(2);

pub(crate) fn run(args: &ServeArgs, catalog: Catalog) -> Result<Exit> {
    let result = serve(args, catalog);
    match &result {
        // Programs that read the log expect only objects.
        Err(error) if args.log == LogFormat::Json && !output::is_closed_pipe(error) => {
            let entry = Entry::start_failed(&format!("{error:#}"));
            output::eprint_whole_line(entry.line(args.log, SystemTime::now()));
            Ok(Exit::of(error))
        }
        _ => result,
    }
}

fn serve(args: &ServeArgs, catalog: Catalog) -> Result<Exit> {
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
    // From here on, signals end the server cleanly.
    let signals = Signals::ending()?;
    let (log, lines) = Log::queued(args.log_level, args.log, |line| {
        output::eprint_whole_line(line);
    })?;
    let limits = Limits { proxies: args.trusted_proxy.clone(), ..Limits::default() };
    let database = with_bus(database(&args.database)?, args)?;
    let config = config(catalog, args.listen, database, (url, tls), log);
    let config = Config { limits, metrics: args.metrics, ..config };
    let (has_started, ended) = end_at(signals);
    let started = Server::start(config);
    has_started.store(true, Relaxed);
    if started.is_err() {
        lines.flush(LOG_PATIENCE);
    }
    let server = started.map_err(failure)?;
    let (address, url) = (server.address(), server.url());
    output::print_line(format_args!(
        "Listening on {address}. Open {url} in a browser, or play in a terminal: {}",
        command(&format!("join {url}"))
    ))?;
    if let Some(metrics) = server.metrics() {
        output::print_line(format_args!("Metrics are at http://{metrics}/metrics."))?;
    }
    let number = ended.recv();
    server.stop();
    lines.flush(LOG_PATIENCE);
    Ok(number.map_or(Exit::Done, Exit::Signal))
}

/// Passes on the first termination signal, so that the server can stop. A signal before the flag is set, or a second
/// signal, ends the program at once.
fn end_at(signals: Signals) -> (Arc<AtomicBool>, mpsc::Receiver<u8>) {
    let has_started = Arc::new(AtomicBool::new(false));
    let (sender, ended) = mpsc::channel();
    let is_running = Arc::clone(&has_started);
    thread::spawn(move || {
        let mut is_first = true;
        for signal in signals {
            let Signal::End(number) = signal else { continue };
            if !is_first || !is_running.load(Relaxed) || sender.send(number).is_err() {
                process::exit(Exit::Signal(number).code().into());
            }
            is_first = false;
        }
    });
    (has_started, ended)
}

/// Solved boards take at most this fraction of the spare memory. Spare memory is four fifths of the available memory, so
/// they take at most a fifth of that.
const BOARDS_SHARE: u64 = 4;

/// The memory for solved boards in bytes, on a machine with this much spare memory.
const fn memory_for_boards(spare: u64) -> u64 {
    spare / BOARDS_SHARE
}

/// The configuration of a server with the usual limits. `url` is its address for players.
pub(super) fn config(
    games: Catalog,
    listen: SocketAddr,
    database: Database,
    (url, tls): (Option<ServerAddress>, Option<TlsFiles>),
    log: Log,
) -> Config {
    // An unspecified address such as 0.0.0.0 is useless in an invitation.
    let is_guessed = url.is_none() && tls.is_none() && listen.ip().is_unspecified();
    let url = if is_guessed && listen.port() != 0 { Some(seen_from_outside(listen)) } else { url };
    Config {
        games,
        listen,
        database,
        url: url.map(|url| url.to_string()),
        tls,
        memory: memory_for_boards(skirmish_system::spare_memory()),
        metrics: None,
        limits: Limits::default(),
        log,
    }
}

/// The error for a server that cannot start, without its sources, which would repeat it.
#[allow(clippy::needless_pass_by_value)] // for map_err
pub(super) fn failure(error: StartError) -> anyhow::Error {
    match error {
        StartError::Storage(error) => unusable(&error),
        error => anyhow!("{error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solved_boards_take_at_most_a_quarter_of_the_spare_memory() {
        assert_eq!([0, 3, 8 << 30].map(memory_for_boards), [0, 0, 2 << 30]);
    }
}
