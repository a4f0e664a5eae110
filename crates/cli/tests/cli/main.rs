//! The real binary, in pipes and on terminals, as people and programs meet it.

mod arcade;
mod bots;
mod broken_records;
mod catalogue;
mod commands;
mod computers;
mod counting;
mod input;
mod json;
mod matches;
mod options;
mod replay;
mod resume;
mod review;
mod saving;
mod screens;
mod secrets;
mod show;
mod signals;
mod solving;
mod support;
mod terminal;
mod transcripts;
