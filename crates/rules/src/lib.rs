#![doc = include_str!("../README.md")]

mod catalog;
pub mod columns;
mod drawing;
mod event;
mod game;
pub mod games;
pub mod graph;
mod inline;
mod line;
mod notation;
mod pose;
mod printable;
mod record;
mod scene;
mod settings;
mod side;
mod starting_point;
mod table;
mod text;
pub mod tokens;
mod tutorial;
mod watch;

pub use catalog::{
    Catalog, Catalogued, Entry, LONGEST_GAME_NAME, LONGEST_SUMMARY, NoSuchGame, Preset, RulesParts,
    Setup, SetupError, Starter, SurveyError, Tempo,
};
pub use drawing::{Drawing, Gallery, GalleryError, Size};
pub use event::{Narrate, Telling};
pub use game::{Actions, Game, MAX_ACTIONS, Outcome};
pub use games::GAMES;
pub use inline::InlineVec;
pub use line::{Line, Shift};
pub use notation::{Notation, PositionError, Understood, plain_number, understand};
pub use pose::Pose;
pub use printable::{escaped, is_printable, printable, quotable};
pub use record::{Ending, Record, RecordError, Standing, Termination, Turn};
pub use scene::{Change, Gauge, Mismatch, Piece, Scene, Track};
pub use settings::{
    OptionKind, OptionValue, RuleOption, SettingError, Settings, TypedOptions, alternatives,
    conjunction,
};
pub use side::{Both, Names, Side, default_names};
pub use starting_point::{StartError, StartingPoint};
pub use table::{Choice, History, Refusal, Submitted, Table, Words};
pub use text::{Columns, Page, Prompt, Text, counted, sentences};
pub use tutorial::{Lesson, Task, Tutorial, TutorialError};
pub use watch::{Cancelled, Unwatched, Watch};
