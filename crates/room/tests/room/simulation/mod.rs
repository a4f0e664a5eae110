//! Deterministic simulation of nodes, database, bus, network and clients, from one seed and in virtual time.
//!
//! `SKIRMISH_SEED=n` replays one seed and prints its story; `SKIRMISH_SABOTAGE=Name` adds a sabotage. `SKIRMISH_SEEDS=n`
//! runs `n` seeds, starting at `SKIRMISH_FROM`; `--nocapture` shows the progress.

mod behaviour;
mod client;
mod database;
mod delivery;
mod faults;
mod judge;
mod merging;
mod model;
mod node;
mod sabotage;
mod scenario;
mod tally;
mod truth;
mod world;

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use self::sabotage::Sabotage;
use self::tally::Tally;
use self::world::World;

/// The default number of seeds.
const SEEDS: u64 = 4_000;

/// The number of seeds between progress reports.
const SEEDS_TO_REPORT: u64 = 10_000;

/// The number of seeds within which every sabotage must be noticed.
const SEEDS_TO_NOTICE: u64 = 1_500;

pub(crate) fn ensure(holds: bool, why: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(why()) }
}

/// Runs a seed, and repeats it with a different secret choice if there was one.
fn simulate(seed: u64, sabotage: Option<Sabotage>, is_told: bool) -> Result<Tally, String> {
    let mut world = World::new(seed, sabotage);
    world.is_told = is_told;
    world.run();
    if let Some(why) = world.wrong.take() {
        return Err(why);
    }
    let secrets = world.judge.secrets.clone();
    if secrets.is_empty() {
        return Ok(world.judge.tally);
    }
    let secret = &secrets[usize::try_from(seed).expect("small") % secrets.len()];
    let mut twin = World::new(seed, sabotage);
    twin.instead = world.choices.iter().position(|id| *id == secret.id);
    twin.stop_at = secret.told_at;
    twin.run();
    let until = secret.told_at.unwrap_or(u64::MAX);
    let before = |world: &World| {
        let sent = world.transcript.iter().filter(|(v, ..)| *v < until);
        sent.cloned().collect::<Vec<(u64, usize, String)>>()
    };
    let (one, two) = (before(&world), before(&twin));
    match one.iter().zip(&two).find(|(one, two)| one != two) {
        Some((one, two)) => Err(format!("a secret is told: {one:?}, or otherwise {two:?}")),
        None => ensure(one.len() == two.len(), || {
            format!("a secret is told: {} messages, or otherwise {}", one.len(), two.len())
        }),
    }?;
    world.judge.tally.count("secret compared");
    Ok(world.judge.tally)
}

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs many seeds, or the one requested.
#[test]
fn simulation_of_many_seeds() {
    if let Some(seed) = number("SKIRMISH_SEED") {
        let sabotage = std::env::var("SKIRMISH_SABOTAGE").ok();
        let sabotage = sabotage.map(|name| {
            let named = |sabotage: &&Sabotage| format!("{sabotage:?}") == name;
            *Sabotage::ALL.iter().find(named).expect("the name of a sabotage")
        });
        let told = simulate(seed, sabotage, true).map(|_| ());
        return told.unwrap_or_else(|why| panic!("seed {seed}: {why}"));
    }
    let from = number("SKIRMISH_FROM").unwrap_or(0);
    let all = number("SKIRMISH_SEEDS").unwrap_or(SEEDS);
    let failed = AtomicBool::new(false);
    let results = in_threads(|thread, threads| {
        let mut tally = Tally::default();
        for done in (0..all).filter(|done| done % threads == thread) {
            if done > 0 && done.is_multiple_of(SEEDS_TO_REPORT) {
                println!("{done} of {all} seeds from {from} on");
            }
            let seed = from + done;
            if failed.load(Relaxed) {
                break;
            }
            let result = simulate(seed, None, false);
            failed.fetch_or(result.is_err(), Relaxed);
            tally.add(&result.map_err(|why| (seed, why))?);
        }
        Ok::<Tally, (u64, String)>(tally)
    });
    let mut tally = Tally::default();
    for result in results {
        match result {
            Ok(other) => tally.add(&other),
            Err((seed, why)) => panic!("seed {seed} (replay it with SKIRMISH_SEED={seed}): {why}"),
        }
    }
    println!("{all} seeds from {from}: {tally:#?}");
    let missing = tally.missing(tally::EXPECTED);
    assert!(all < SEEDS || missing.is_empty(), "this never happened: {missing:?}");
}

/// Runs a function on all available threads, passing each thread's index and the number of threads.
fn in_threads<T: Send>(run: impl Fn(u64, u64) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(16) as u64;
    std::thread::scope(|scope| {
        let run = &run;
        let start = |thread| scope.spawn(move || run(thread, threads));
        let workers: Vec<_> = (0..threads).map(start).collect();
        workers.into_iter().map(|worker| worker.join().expect("no panic")).collect()
    })
}

#[test]
fn every_sabotage_is_noticed() {
    let missed = in_threads(|thread, threads| {
        let mine = (0..).zip(Sabotage::ALL).filter(|(index, _)| index % threads == thread);
        let missed = mine.filter(|&(_, &sabotage)| {
            let noticed = (0..SEEDS_TO_NOTICE).find_map(|seed| {
                let why = simulate(seed, Some(sabotage), false).err()?;
                Some((seed, why))
            });
            match &noticed {
                Some((seed, why)) => println!("{sabotage:?}: seed {seed}: {why}"),
                None => println!("{sabotage:?}: missed"),
            }
            noticed.is_none()
        });
        missed.map(|(_, sabotage)| *sabotage).collect::<Vec<Sabotage>>()
    });
    let missed = missed.concat();
    assert!(missed.is_empty(), "not noticed within {SEEDS_TO_NOTICE} seeds: {missed:?}");
}

/// Returns the log of a run.
pub(crate) fn log_of(seed: u64) -> Vec<skirmish_room::Logged> {
    let mut world = World::new(seed, None);
    world.run();
    assert_eq!(world.wrong, None, "seed {seed}");
    world.judge.log
}
