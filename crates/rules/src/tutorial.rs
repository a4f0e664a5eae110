//! Tutorials: guided games, written as text files in the games' folders.

use std::ops::RangeInclusive;

use crate::printable::quotable;
use crate::settings::alternatives;

/// The number of lessons in a tutorial of about five minutes.
const LESSONS: RangeInclusive<usize> = 8..=12;

/// The minimum number of lessons that ask for a move.
const FEWEST_MOVES: usize = 5;

/// The maximum numbers of characters in a lesson, which must fit a small terminal.
const LONGEST_TITLE: usize = 30;
const LONGEST_TEXT: usize = 220;
const LONGEST_COMMENT: usize = 120;

/// A guided game with the default rules: lessons to read and moves to make, in order.
/// The learner is Player 1 and moves first. The first lesson starts at the beginning of the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tutorial {
    /// The lessons, in order.
    pub lessons: Vec<Lesson>,
}

/// One step of a tutorial.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lesson {
    /// The topic, in a few words.
    pub title: String,
    /// The text: paragraphs without line breaks, separated by empty lines.
    pub text: String,
    /// The position at the start; if `None`, the lesson continues from the previous one.
    pub position: Option<String>,
    /// The learner's task.
    pub task: Task,
    /// The moves played after the learner's move, in notation; in a simultaneous game, Player 2's choice in the same
    /// turn.
    pub replies: Vec<String>,
    /// The comment after a correct move and its replies; may be empty.
    pub praise: String,
    /// The comment on any other legal move, which is not played; may be empty.
    pub advice: String,
}

/// The task of a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// Read and continue.
    Read,
    /// Play one of these moves, in notation.
    Play(Vec<String>),
    /// Play any legal move.
    PlayAny,
}

/// An error in the text of a tutorial, with its line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {cause}")]
#[non_exhaustive]
pub struct TutorialError {
    /// The line, counted from 1.
    pub line: usize,
    /// The cause of the error.
    pub cause: String,
}

impl Tutorial {
    /// Parses a tutorial.
    ///
    /// `## Title` begins a lesson. Its text follows, then its fields. A field is a name, a colon and a value, which
    /// may continue on indented lines:
    ///
    /// - `position`: the position to begin with, as one token
    /// - `play`: the correct moves, separated by spaces, or `any`; a lesson without this field is only read, and can
    ///   have no other field than `position`
    /// - `reply`: the moves played next, separated by spaces
    /// - `praise`: the comment after a correct move
    /// - `advice`: the comment after any other legal move
    ///
    /// A line that begins with a lower-case word and a colon is always a field.
    ///
    /// A heading that begins with `# ` may precede the first lesson.
    ///
    /// So that a tutorial takes about five minutes, it has 8 to 12 lessons, and at least 5 of them ask for a move. So that
    /// a lesson fits a small terminal, its title has at most 30 characters, its text 220, and `praise` and `advice` 120
    /// each. All of these are plain text, without the Markdown characters `*`, `_` and backtick.
    ///
    /// ```
    /// use skirmish_rules::{Task, Tutorial};
    ///
    /// let lesson =
    ///     "## Forward\n\
    ///      \n\
    ///      Your unit goes one position or two.\n\
    ///      Go two.\n\
    ///      \n\
    ///      play: 2\n\
    ///      reply: 1\n\
    ///      advice: Legal, but go two\n  \
    ///        this time.\n";
    /// let tutorial = Tutorial::parse(&lesson.repeat(8)).unwrap();
    /// let lesson = &tutorial.lessons[0];
    /// assert_eq!(lesson.text, "Your unit goes one position or two. Go two.");
    /// assert_eq!(lesson.task, Task::Play(vec!["2".to_owned()]));
    /// assert_eq!(lesson.advice, "Legal, but go two this time.");
    /// ```
    ///
    /// # Errors
    /// If `text` is malformed or a limit is exceeded. Positions and moves are not checked for legality.
    pub fn parse(text: &str) -> Taught<Self> {
        let lessons = Self::lessons(text)?;
        let (last_line, count) = (text.lines().count(), lessons.len());
        if !LESSONS.contains(&count) {
            let (least, most) = LESSONS.into_inner();
            return fault(last_line, format!("{count} lessons: expected {least} to {most}"));
        }
        let asking = lessons.iter().filter(|lesson| lesson.task != Task::Read).count();
        if asking < FEWEST_MOVES {
            let few = format!("{asking} lessons ask for a move: expected at least {FEWEST_MOVES}");
            return fault(last_line, few);
        }
        Ok(Self { lessons })
    }

    fn lessons(text: &str) -> Taught<Vec<Lesson>> {
        let mut drafts: Vec<Draft> = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            if let Some(title) = line.strip_prefix("##").filter(|rest| !rest.starts_with('#')) {
                drafts.push(Draft::begin(number, title.trim())?);
            } else if let Some(draft) = drafts.last_mut() {
                draft.add(number, line)?;
            } else if !(line.trim().is_empty() || line.starts_with("# ")) {
                return fault(number, "expected a lesson: ## and a title");
            }
        }
        if drafts.is_empty() {
            let last = text.lines().count().max(1);
            return fault(last, "there is no lesson: expected ## and a title");
        }
        drafts.into_iter().map(Draft::finish).collect()
    }
}

type Taught<T> = Result<T, TutorialError>;

/// Checks a text that is shown to a learner.
fn fits(line: usize, name: &str, text: &str, most: usize) -> Taught<()> {
    let length = text.chars().count();
    if length > most {
        return fault(line, format!("{name} has {length} characters: expected at most {most}"));
    }
    match text.find(['*', '`', '_']) {
        None => Ok(()),
        Some(at) => fault(line, format!("{name} is plain text, without {}", &text[at..=at])),
    }
}

fn fault<T>(line: usize, cause: impl Into<String>) -> Taught<T> {
    Err(TutorialError { line, cause: cause.into() })
}

/// The names of a lesson's fields.
const FIELDS: [&str; 5] = ["position", "play", "reply", "praise", "advice"];

/// The fields shown to the learner.
const COMMENTS: [&str; 2] = ["praise", "advice"];

/// The value of `play` that allows every legal move.
const ANY: &str = "any";

/// A lesson while it is being parsed.
struct Draft {
    line: usize,
    title: String,
    text: String,
    /// Whether the last line was empty.
    gap: bool,
    fields: Vec<TutorialField>,
}

struct TutorialField {
    line: usize,
    name: &'static str,
    value: String,
}

impl Draft {
    fn begin(line: usize, title: &str) -> Taught<Self> {
        if title.is_empty() {
            return fault(line, "a lesson needs a title");
        }
        let (title, text, fields) = (title.to_owned(), String::new(), Vec::new());
        Ok(Self { line, title, text, gap: false, fields })
    }

    fn add(&mut self, number: usize, line: &str) -> Taught<()> {
        let content = line.trim();
        if content.is_empty() {
            self.gap = true;
            return Ok(());
        }
        let gap = std::mem::replace(&mut self.gap, false);
        let indented = line.starts_with(char::is_whitespace);
        if indented && let Some(field) = self.fields.last_mut() {
            join(&mut field.value, " ", content);
            return Ok(());
        }
        if let Some((name, value)) = named(line) {
            return self.add_field(number, name, value);
        }
        if !self.fields.is_empty() {
            return fault(
                number,
                "the text of a lesson comes before its fields; to continue a field, indent the line",
            );
        }
        if content.starts_with('#') {
            return fault(number, "expected ## before the title of a lesson");
        }
        join(&mut self.text, if gap { "\n\n" } else { " " }, content);
        Ok(())
    }

    fn add_field(&mut self, line: usize, name: &str, value: &str) -> Taught<()> {
        let Some(name) = FIELDS.into_iter().find(|&known| known == name) else {
            let known = alternatives(FIELDS);
            let wrong = format!("\"{}\" is not a field: expected {known}", quotable(name));
            return fault(line, wrong + "; if it is text, break the line elsewhere");
        };
        if self.fields.iter().any(|field| field.name == name) {
            return fault(line, format!("{name} is given twice"));
        }
        self.fields.push(TutorialField { line, name, value: value.trim().to_owned() });
        Ok(())
    }

    fn finish(mut self) -> Taught<Lesson> {
        if self.text.is_empty() {
            return fault(self.line, "a lesson needs a text");
        }
        fits(self.line, "the title", &self.title, LONGEST_TITLE)?;
        fits(self.line, "the text of this lesson", &self.text, LONGEST_TEXT)?;
        let empty = self.fields.iter().find(|field| field.value.is_empty());
        if let Some(TutorialField { line, name, .. }) = empty {
            return fault(*line, format!("{name} needs a value"));
        }
        for field in self.fields.iter().filter(|field| COMMENTS.contains(&field.name)) {
            fits(field.line, field.name, &field.value, LONGEST_COMMENT)?;
        }
        let position = self.take("position").map(one_token).transpose()?;
        let task = match self.take("play") {
            None => Task::Read,
            Some(field) => task(&field)?,
        };
        let advice = self.fields.iter().find(|field| field.name == "advice");
        let useless = match task {
            Task::Read => self.fields.first().map(|field| (field, "play")),
            Task::PlayAny => advice.map(|field| (field, "a list of moves to play")),
            Task::Play(_) => None,
        };
        if let Some((field, missing)) = useless {
            return fault(field.line, format!("{} needs {missing}", field.name));
        }
        let replies = self.take("reply").map_or_else(Vec::new, |field| tokens(&field.value));
        let mut comment = |name| self.take(name).map_or_else(String::new, |field| field.value);
        let (praise, advice) = (comment("praise"), comment("advice"));
        Ok(Lesson { title: self.title, text: self.text, position, task, replies, praise, advice })
    }

    fn take(&mut self, name: &str) -> Option<TutorialField> {
        let index = self.fields.iter().position(|field| field.name == name)?;
        Some(self.fields.remove(index))
    }
}

/// Splits a field into its lower-case name and the text after the colon.
fn named(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let lower = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase());
    lower.then_some((name, value))
}

fn join(text: &mut String, separator: &str, more: &str) {
    if !text.is_empty() {
        text.push_str(separator);
    }
    text.push_str(more);
}

fn tokens(value: &str) -> Vec<String> {
    value.split_whitespace().map(str::to_owned).collect()
}

fn one_token(field: TutorialField) -> Taught<String> {
    if field.value.contains(char::is_whitespace) {
        return fault(field.line, "a position is one token");
    }
    Ok(field.value)
}

fn task(field: &TutorialField) -> Taught<Task> {
    let moves = tokens(&field.value);
    if moves == [ANY] {
        return Ok(Task::PlayAny);
    }
    if moves.iter().any(|token| token == ANY) {
        return fault(field.line, "any cannot be combined with moves");
    }
    Ok(Task::Play(moves))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> String {
        Tutorial::lessons(text).unwrap_err().to_string()
    }

    #[test]
    fn a_tutorial_takes_about_five_minutes() {
        let (read, play) = ("## A\nText.\n", "## A\nText.\nplay: 1\n");
        let parsed =
            |reading, asking| Tutorial::parse(&(read.repeat(reading) + &play.repeat(asking)));
        for (reading, asking) in [(3, 5), (0, 8), (7, 5), (0, 12)] {
            assert_eq!(parsed(reading, asking).map(|it| it.lessons.len()), Ok(reading + asking));
        }
        let message = |reading, asking| parsed(reading, asking).unwrap_err().to_string();
        assert_eq!(message(2, 5), "line 19: 7 lessons: expected 8 to 12");
        assert_eq!(message(8, 5), "line 31: 13 lessons: expected 8 to 12");
        assert_eq!(message(4, 4), "line 20: 4 lessons ask for a move: expected at least 5");
    }

    #[test]
    fn a_lesson_fits_a_small_terminal() {
        let long = |most: usize| ["é".repeat(most), "é".repeat(most + 1)];
        let [title, longer] = long(LONGEST_TITLE);
        assert!(Tutorial::lessons(&format!("## {title}\nText.")).is_ok());
        assert_eq!(
            message(&format!("\n## {longer}\nText.")),
            "line 2: the title has 31 characters: expected at most 30"
        );
        let [text, longer] = long(LONGEST_TEXT);
        assert!(Tutorial::lessons(&format!("## A\n{text}")).is_ok());
        assert_eq!(
            message(&format!("## A\n{longer}")),
            "line 1: the text of this lesson has 221 characters: expected at most 220"
        );
        let [comment, longer] = long(LONGEST_COMMENT);
        for name in COMMENTS {
            let lesson = "## A\nText.\nplay: 1\n";
            assert!(Tutorial::lessons(&format!("{lesson}{name}: {comment}")).is_ok());
            let expected = format!("line 4: {name} has 121 characters: expected at most 120");
            assert_eq!(message(&format!("{lesson}{name}: {longer}")), expected);
        }
    }

    #[test]
    fn a_lesson_is_plain_text() {
        assert_eq!(message("## *A*\nText."), "line 1: the title is plain text, without *");
        assert_eq!(
            message("## A\nSome `code`."),
            "line 1: the text of this lesson is plain text, without `"
        );
        let praised = "## A\nText.\nplay: 1\npraise: _Good_.";
        assert_eq!(message(praised), "line 4: praise is plain text, without _");
    }

    #[test]
    fn lines_make_paragraphs_and_fields() {
        let text = "# Game\n\n## First\nOne\ntwo.\n\n\nThree: four.\n\n## Second \n\nFive.\n\n\
                    position: 0/1/1\nplay: 1  2\nreply: 2 pass\npraise:\n  Well\n\tdone.\n\n\
                    advice: Not: this.\n## Third\nSix.\nplay: any\n";
        let lesson = |title: &str, text: &str| Lesson {
            title: title.to_owned(),
            text: text.to_owned(),
            position: None,
            task: Task::Read,
            replies: Vec::new(),
            praise: String::new(),
            advice: String::new(),
        };
        let words = |text: &str| tokens(text);
        let lessons = vec![
            lesson("First", "One two.\n\nThree: four."),
            Lesson {
                position: Some("0/1/1".to_owned()),
                task: Task::Play(words("1 2")),
                replies: words("2 pass"),
                praise: "Well done.".to_owned(),
                advice: "Not: this.".to_owned(),
                ..lesson("Second", "Five.")
            },
            Lesson { task: Task::PlayAny, ..lesson("Third", "Six.") },
        ];
        assert_eq!(Tutorial::lessons(text), Ok(lessons.clone()));
        let elsewhere = text.replace('\n', "\r\n");
        assert_eq!(Tutorial::lessons(&elsewhere), Ok(lessons));
    }

    #[test]
    fn a_tutorial_needs_a_lesson() {
        assert_eq!(message(""), "line 1: there is no lesson: expected ## and a title");
        assert_eq!(message("# Game\n\n"), "line 2: there is no lesson: expected ## and a title");
    }

    #[test]
    fn only_a_heading_precedes_the_first_lesson() {
        for text in ["play: 1", "Text.", "### Deep"] {
            let text = format!("# Game\n\n{text}\n");
            assert_eq!(message(&text), "line 3: expected a lesson: ## and a title");
        }
    }

    #[test]
    fn a_lesson_needs_a_title_and_a_text() {
        assert_eq!(message("\n##\nText."), "line 2: a lesson needs a title");
        assert_eq!(message("## A\nText.\n## B\nplay: 1"), "line 3: a lesson needs a text");
    }

    #[test]
    fn unknown_and_repeated_fields_are_refused() {
        assert_eq!(
            message("## A\nText.\nplays: 1"),
            "line 3: \"plays\" is not a field: expected position, play, reply, praise or advice; \
             if it is text, break the line elsewhere"
        );
        assert_eq!(message("## A\nText.\nplay: 1\nplay: 2"), "line 4: play is given twice");
    }

    #[test]
    fn fields_have_values() {
        for name in FIELDS {
            let text = format!("## A\nText.\n{name}:\n\n## B\nText.");
            assert_eq!(message(&text), format!("line 3: {name} needs a value"));
        }
        assert_eq!(message("## A\nText.\nposition: 1 2"), "line 3: a position is one token");
        assert_eq!(
            message("## A\nText.\nplay: any 2"),
            "line 3: any cannot be combined with moves"
        );
    }

    #[test]
    fn text_comes_before_the_fields() {
        let cause =
            "the text of a lesson comes before its fields; to continue a field, indent the line";
        assert_eq!(message("## A\nText.\npraise: Well\ndone."), format!("line 4: {cause}"));
        assert_eq!(
            message("## A\nText.\n### B\n"),
            "line 3: expected ## before the title of a lesson"
        );
    }

    #[test]
    fn fields_about_a_move_need_one() {
        for name in ["reply", "praise", "advice"] {
            let text = format!("## A\nText.\nposition: 1\n{name}: 2");
            assert_eq!(message(&text), format!("line 4: {name} needs play"));
        }
        assert_eq!(
            message("## A\nText.\nplay: any\nadvice: No."),
            "line 4: advice needs a list of moves to play"
        );
    }
}
