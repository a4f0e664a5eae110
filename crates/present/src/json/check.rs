//! JSON objects for the results of checking a bot.

use super::object::objects;

objects! {
    /// The JSON output of `bot check`.
    pub struct CheckObject {
        command: String = "the command of the bot",
        dialect: Option<&'static str> = "`ugi` or `json`; null if the bot does not start",
        name: Option<String> = "the name that the bot reports",
        steps: Vec<StepObject> = "the steps of the check",
        passed: bool = "true if no step failed; the exit code is then 0, otherwise 1",
        plays_only: Option<Vec<&'static str>> =
            "if a step failed and no `--game` was given: the games in which the bot makes a legal first \
            move, if these are some but not all",
    }

    /// A step of the check.
    pub struct StepObject {
        number: usize = "its number, from 1",
        name: &'static str = "its name",
        result: &'static str = "`pass`, `fail` or `skipped`",
        said: Option<String> = "the bot's answer, after a failure",
        expected: Option<String> = "the expected answer, after a failure",
        detail: String = "a sentence for people",
        dialogue: Vec<String> =
            "the last lines exchanged before a failure, marked as in \
            [logs](tournaments.md#stopping-and-going-on)",
    }
}
