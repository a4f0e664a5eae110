//! Puzzles in lines of text, on a terminal or in a pipe.

use std::sync::Arc;

use anyhow::Result;
use skirmish_play::puzzle::{Attempt, Puzzle, PuzzleDeck, PuzzleRequest, Trial, Tried};
use skirmish_play::{Day, Solved};
use skirmish_present::{puzzle as say, words};
use skirmish_rules::{Names, Side, default_names};
use skirmish_store::{ExitHook, PuzzleFile, PuzzleResult, command, shell};

use crate::exit::{Exit, INTERRUPTED};
use crate::line::{Console, InputLine};
use crate::output::{self, paint};

/// How a puzzle ended.
enum Ended {
    /// The puzzle is solved, or its solution was shown.
    Over,
    Skipped,
    Left(Exit),
}

/// A word that can be entered instead of a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PuzzleWord {
    Help,
    Board,
    Hint,
    Solution,
    Skip,
    Quit,
}

impl PuzzleWord {
    /// Each word with its spelling and its effect.
    const TABLE: [(Self, &str, &str); 6] = [
        (Self::Help, "help", "this list"),
        (Self::Board, "board", "the board and the task again"),
        (Self::Hint, "hint", "a hint"),
        (Self::Solution, "solution", "the solution, which ends the puzzle"),
        (Self::Skip, "skip", "another puzzle"),
        (Self::Quit, "quit", "leave"),
    ];

    fn exact(text: &str) -> Option<Self> {
        let typed = text.trim().to_lowercase();
        Self::TABLE.iter().find(|(_, name, _)| *name == typed).map(|(word, ..)| *word)
    }

    /// The word that the text abbreviates, if there is only one.
    fn abbreviated(text: &str) -> Option<Self> {
        let typed = text.trim().to_lowercase();
        let mut found = Self::TABLE.iter().filter(|(_, name, _)| name.starts_with(&typed));
        let first = found.next().map(|(word, ..)| *word);
        first.filter(|_| !typed.is_empty() && found.next().is_none())
    }

    fn list(trial: &Trial, is_daily: bool) -> String {
        let what = match trial {
            Trial::Win(_) => "a move",
            Trial::Mix(_) => "a mix: actions with their shares in percent",
        };
        let words = Self::TABLE.map(|(_, name, about)| format!("  {name:<9} {about}"));
        let cost = if is_daily { format!("\n{}", say::COST_OF_HELP) } else { String::new() };
        format!("Enter {what}. Or:\n{}{cost}", words.join("\n"))
    }
}

/// Presents puzzles until `count` of them are over.
pub(super) fn solve(
    count: u32,
    mut deck: PuzzleDeck,
    request: &PuzzleRequest,
    daily: Option<Day>,
    exit_hook: ExitHook,
) -> Result<Exit> {
    let names = default_names();
    let solved = Arc::clone(deck.solved());
    let console = Console::open();
    let (file, total) = (PuzzleFile::locate().ok(), deck.count());
    let mut lines = PuzzleConsole { console, solved, names, daily, file, total, exit_hook };
    let (mut over, mut seen) = (0, 0);
    while over < count {
        let Some(puzzle) = deck.draw(request.level) else {
            if seen == 0 {
                return super::no_puzzle(deck.solved(), request);
            }
            output::print_line(super::no_more(seen, deck.solved(), request))?;
            return Ok(Exit::Done);
        };
        lines.exit_hook.set(Some(way_back(request, seen, count)));
        lines.announce(&puzzle)?;
        match lines.solve(puzzle)? {
            Ended::Over => over += 1,
            Ended::Skipped => {}
            Ended::Left(exit) => {
                if exit != Exit::Done {
                    lines.exit_hook.message().into_iter().for_each(output::eprint_line);
                }
                return Ok(exit);
            }
        }
        // Only the first puzzle can be the puzzle of the day.
        lines.daily = None;
        seen += 1;
        if over < count {
            output::print("\n")?;
        }
    }
    Ok(Exit::Done)
}

struct PuzzleConsole {
    console: Console,
    solved: Arc<Solved>,
    names: Names,
    /// The day, if this is the puzzle of a day.
    daily: Option<Day>,
    /// The file in which results are counted; `None` after a failure.
    file: Option<PuzzleFile>,
    /// Total number of puzzles for this board.
    total: usize,
    exit_hook: ExitHook,
}

/// A sentence with the command that repeats the puzzles from the first; `seen` is the number of earlier ones.
fn way_back(request: &PuzzleRequest, seen: u32, count: u32) -> String {
    let PuzzleRequest { entry, settings, first, seed, level } = request;
    let rules = settings.changes();
    let rules = rules
        .split_whitespace()
        .fold(String::new(), |all, rule| all + " --rule " + &shell::quoted(rule));
    let first = if *first == Side::Two { " --first p2" } else { "" };
    let level = level.map_or(String::new(), |level| format!(" --level {level}"));
    let more = if count > 1 { format!(" --count {count}") } else { String::new() };
    let what = if seen == 0 { "puzzle" } else { "puzzles" };
    let again = command(&format!("puzzle {}{rules}{first} --seed {seed}{level}{more}", entry.id));
    format!("The same {what} again: {again}")
}

impl PuzzleConsole {
    fn print(&self, text: &str) -> Result<()> {
        Ok(output::print_line(paint(text, &self.names))?)
    }

    /// Prints the heading of a puzzle.
    fn announce(&self, puzzle: &Puzzle) -> Result<()> {
        let game = words::game(self.solved.entry(), self.solved.settings());
        let which = match self.daily {
            Some(day) => format!("The puzzle of {day}: {game}"),
            None => format!("A puzzle: {game}"),
        };
        self.print(&format!("{which}, {}, level {}", puzzle.position, puzzle.level))?;
        if self.daily.is_some() { self.print(say::COST_OF_HELP) } else { Ok(()) }
    }

    /// Prints the board and the task.
    fn show(&self, trial: &Trial) -> Result<()> {
        let task = say::current_task(trial, &self.names);
        self.print(&format!("\n{}\n\n{task}", output::board(trial.table())))
    }

    /// Counts the result of a puzzle. A failure to do so is reported once.
    fn note(&mut self, trial: &Trial) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let (entry, settings, daily) = (self.solved.entry(), self.solved.settings(), self.daily);
        let (is_solved, is_clean) = (trial.is_solved(), trial.progress().is_clean());
        let puzzle = trial.puzzle();
        let noted = {
            let _hold = self.exit_hook.hold();
            file.note(&PuzzleResult { entry, settings, puzzle, daily, is_solved, is_clean })
        };
        match noted {
            Ok(score) if is_solved => {
                let solved = score.solved(entry, settings);
                self.print(&say::tally(solved, self.total, entry, settings))?;
                if let Some(day) = daily {
                    self.print(&say::streak(score.streak(day), score.best()))?;
                }
            }
            Ok(_) => {}
            Err(error) => {
                output::eprint_line(format_args!("Puzzles are not counted: {error}."));
                self.file = None;
            }
        }
        Ok(())
    }

    /// Asks until the input is a line of text. The inner error is an exit code if the input ends.
    fn ask(&mut self, question: &str) -> Result<std::result::Result<String, Exit>> {
        loop {
            match self.console.ask(&paint(question, &self.names))? {
                InputLine::Text(text) => return Ok(Ok(text)),
                InputLine::Unusable(why) => self.print(why)?,
                InputLine::End => {
                    self.console.leave(true)?;
                    return Ok(Err(Exit::InputEnded));
                }
                InputLine::Interrupted => return Ok(Err(INTERRUPTED)),
            }
        }
    }

    /// Presents a puzzle until it is over, skipped or left.
    fn solve(&mut self, puzzle: Puzzle) -> Result<Ended> {
        let mut trial = Trial::new(&self.solved, puzzle, self.names.clone())?;
        self.show(&trial)?;
        loop {
            let text = match self.ask(&self.question(&trial))? {
                Ok(text) => text,
                Err(exit) => return Ok(Ended::Left(exit)),
            };
            let word = match PuzzleWord::exact(&text) {
                Some(word) => Some(word),
                None => match self.enter(&mut trial, &text)? {
                    Ok(()) if trial.is_over() => return Ok(Ended::Over),
                    Ok(()) => None,
                    // Abbreviated words are tried after moves, so that they cannot hide one.
                    Err(refusal) => {
                        let word = PuzzleWord::abbreviated(&text);
                        if word.is_none() {
                            let help = "(\"help\" lists what else you can enter.)";
                            self.print(&format!("{refusal} {help}"))?;
                        }
                        word
                    }
                },
            };
            if let Some(word) = word
                && let Some(ended) = self.obey(word, &mut trial)?
            {
                return Ok(ended);
            }
        }
    }

    fn question(&self, trial: &Trial) -> String {
        match trial {
            Trial::Win(_) => trial.table().prompt(trial.puzzle().player).ask,
            Trial::Mix(attempt) => {
                let player = &self.names[trial.puzzle().player];
                format!("{player}'s mix in percent, such as {}: ", attempt.example())
            }
        }
    }

    /// Carries out a command word. Returns how the puzzle ends, if it does.
    fn obey(&mut self, word: PuzzleWord, trial: &mut Trial) -> Result<Option<Ended>> {
        match word {
            PuzzleWord::Help => self.print(&PuzzleWord::list(trial, self.daily.is_some()))?,
            PuzzleWord::Board => self.show(trial)?,
            PuzzleWord::Hint => {
                self.print(&say::hint(trial, &self.names))?;
                self.note(trial)?;
            }
            PuzzleWord::Solution => {
                self.print(&say::solution(trial))?;
                self.note(trial)?;
                return Ok(Some(Ended::Over));
            }
            PuzzleWord::Skip => return Ok(Some(Ended::Skipped)),
            PuzzleWord::Quit => return Ok(Some(Ended::Left(Exit::Done))),
        }
        Ok(None)
    }

    /// Tries a move or a mix. The inner error says why the text is not one.
    fn enter(&mut self, trial: &mut Trial, text: &str) -> Result<std::result::Result<(), String>> {
        match trial {
            Trial::Win(attempt) => match attempt.submit(text) {
                Err(refusal) => return Ok(Err(refusal.to_string())),
                Ok(Tried::Wrong(refutation)) => {
                    let why =
                        say::refutation(&refutation, attempt.progress().puzzle(), &self.names);
                    self.print(&format!("{why} Try again."))?;
                }
                Ok(Tried::Won) => self.follow(attempt, "")?,
                Ok(Tried::Kept { is_only, .. }) => {
                    self.follow(attempt, &format!("{}\n", say::right(is_only)))?;
                }
            },
            Trial::Mix(attempt) => match attempt.read(text) {
                Err(error) => return Ok(Err(error.to_string())),
                Ok(mix) => {
                    self.print(&say::guess(&attempt.guess(&mix)))?;
                    if let Some(best) = attempt.best() {
                        self.print(&say::best_mix(best))?;
                    }
                }
            },
        }
        if trial.is_solved() {
            self.print(&format!("\n{}", say::solved(trial)))?;
        } else if trial.table().turns_played() > 0 && matches!(trial, Trial::Win(_)) {
            self.print(&format!("\n{}", say::current_task(trial, &self.names)))?;
        }
        self.note(trial)?;
        Ok(Ok(()))
    }

    /// Shows a move that keeps the win, and the automatic turns that follow.
    fn follow(&self, attempt: &mut Attempt, comment: &str) -> Result<()> {
        self.print(&format!("\n{comment}{}", output::report(attempt.progress().table())))?;
        while attempt.advance() {
            self.print(&format!("\n{}", output::report(attempt.progress().table())))?;
        }
        Ok(())
    }
}
