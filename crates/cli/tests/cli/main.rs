//! Tests of the real binary, in pipes and on terminals.

// Tests that need Linux or a Unix terminal are left out elsewhere, so some helpers are unused there.
#![cfg_attr(not(target_os = "linux"), allow(dead_code, unused_imports))]

#[cfg(unix)]
mod arcade;
#[cfg(unix)]
mod bot_check;
#[cfg(unix)]
mod bots;
mod broken_records;
#[cfg(unix)]
mod browser;
mod catalogue;
mod commands;
#[cfg(unix)]
mod completion;
mod computers;
mod counting;
mod docs;
#[cfg(unix)]
mod doctor;
mod engine;
mod fields;
#[cfg(unix)]
mod files;
mod finding;
mod flags;
#[cfg(unix)]
mod foreign;
mod glyphs;
mod input;
mod json;
mod matches;
mod online;
mod options;
mod overwriting;
mod playing;
mod positions;
#[cfg(unix)]
mod processes;
mod protocol;
mod puzzles;
mod replay;
mod resume;
mod review;
#[cfg(unix)]
mod sandbox;
mod saves;
mod saving;
#[cfg(unix)]
mod screens;
#[cfg(unix)]
mod secrets;
mod show;
#[cfg(unix)]
mod signals;
mod solving;
mod studying;
mod support;
#[cfg(unix)]
mod terminal;
mod tournament;
mod transcripts;
