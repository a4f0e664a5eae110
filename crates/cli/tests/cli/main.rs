//! The real binary, in pipes and on terminals, as people and programs meet it.

mod arcade;
mod bot_check;
mod bots;
mod broken_records;
mod catalogue;
mod commands;
mod computers;
mod counting;
mod engine;
mod input;
mod json;
mod matches;
mod options;
mod protocol;
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
